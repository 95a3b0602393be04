"""Cut off what follows an article under a title that says so: other articles, comments, sharing."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from wikicrawl.extract.elements import HEADINGS
from wikicrawl.extract.tree import holds, text_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lxml.html import HtmlElement

    from wikicrawl.extract.strip import Weights

PLAIN = frozenset({"p", "div"})  # in which a title may stand that is no heading: it is one by the links under it
MAX_TITLE = 70  # characters
# More than this of an article's text outside links is a part of it, whatever its title.
MOST_CUT = 0.3
# The whole of a title, in the languages most pages are written in. Class names say the same in English only, and pages
# made by tools that hash their names say nothing else.
OTHERS = (
    r"related( \w+){0,2}|(similar|more|other|recent|latest|popular|recommended) (articles|posts|stories|news|reading)",
    r"you (may|might) (also )?(like|enjoy|be interested in)( this)?|read (next|more|also)|see also|more from .{1,40}",
    r"(ähnliche|verwandte|weitere|neueste|aktuelle|beliebte|passende) (beiträge|artikel|themen|meldungen|nachrichten)",
    r"das könnte (sie|dich|euch) (auch )?interessieren|mehr (zum thema|aus .{1,30}|von .{1,30})",
    r"lesen sie auch|auch interessant|weiterführende[rs]? (links?|artikel|informationen|beiträge)",
    r"(à lire|lire|à voir|voir) aussi|sur le même (sujet|thème)|vous aimerez aussi",
    r"articles? (similaires?|liés|connexes|récents)",
    r"(artículos|noticias|entradas|contenidos) (relacionad[oa]s|similares|recientes)",
    r"(también )?te puede interesar|lea también",
    r"(articoli|notizie) (correlat[ie]|simili|recenti)|leggi anche|potrebbe(ro)? (anche )?interessarti",
    r"(artigos|notícias|matérias|posts) relacionad[oa]s|(leia|veja) também",
    r"lees ook|gerelateerde (artikelen|berichten)",
    r"(powiązane|podobne) (artykuły|wpisy)|(zobacz|czytaj) (także|też|również)",
    r"(читайте|смотрите) (также|ещё|еще)|похожие (статьи|записи|новости)|(материалы )?по теме|другие новости",
    r"(مقالات|أخبار|مواضيع) (ذات صلة|مشابهة|متعلقة)|اقرأ (أيضا|أيضاً|المزيد)|ilgili (haberler|yazılar)",
    r"関連(記事|ニュース|リンク)|おすすめ記事|あわせて読みたい",
    r"相关(阅读|新闻|文章|推荐)|相關(閱讀|新聞|文章)|(延伸|推荐)阅读|관련 ?(기사|뉴스|글)",
)
REMARKS = (
    r"(\d+ )?(comments?|responses?)( \(?\d+\)?)?|leave a (reply|comment)|about the authors?|share( this( \w+)?)?",
    r"(\d+ )?kommentare?( \(?\d+\)?)?|schreibe? einen kommentar|kommentar (schreiben|verfassen|hinterlassen)",
    r"(artikel |beitrag )?teilen|teile(n sie)? diesen (artikel|beitrag)|über (den autor|die autorin)",
    r"(\d+ )?commentaires?|laisser un commentaire|partager( cet article)?",
    r"(\d+ )?comentarios?|deja un comentario|compartir|comment[oi]|lascia un commento|condividi",
    r"comentários|compartilhar|reacties|komentarze|комментари[ий]|поделиться|yorumlar",
    r"(photo|image|picture) credits?|bild(nachweise?|quellen?)|crédits? photos?|.{0,40}\bnewsletter\b.{0,40}",
    r"stay (up[- ]to[- ]date|informed|in touch|connected)( .{1,40})?",
    r"(ال)?تعليقات|شارك|コメント|シェア|评论|評論|分享|댓글|공유하기",
)
TITLE = re.compile(rf"\W*(?:{'|'.join((*OTHERS, *REMARKS))})\W*", re.I)


def cut_endings(article: HtmlElement, weights: Weights) -> None:
    """Drop each part of an article that such a title stands over; the title is the first or only thing in its part."""
    most = MOST_CUT * weights.prose(article)
    for title in [*_titles(article, weights, HEADINGS), *_titles(article, weights, PLAIN)]:
        if not holds(article, title):  # it went with another
            continue
        ending = _ending(title, article, weights)
        if title.tag in PLAIN and ending[0] is title:
            ending = _listed(ending, weights)
        if sum(weights.prose(part) for part in ending) <= most:
            for part in ending:
                weights.drop(part)


def _titles(article: HtmlElement, weights: Weights, tags: Iterable[str]) -> list[HtmlElement]:
    short = (element for element in article.iter(*tags) if 0 < weights.chars[element] <= MAX_TITLE)
    return [element for element in short if TITLE.fullmatch(text_of(element))]


def _listed(ending: list[HtmlElement], weights: Weights) -> list[HtmlElement]:
    """Of what follows a line that is no heading: the links right under it, or nothing."""
    part = next((part for part in ending[1:] if weights.chars[part]), None)
    return [ending[0], part] if part is not None and 2 * weights.links[part] > weights.chars[part] else []


def _ending(heading: HtmlElement, article: HtmlElement, weights: Weights) -> list[HtmlElement]:
    """What the heading is over: the largest element that begins with it, or what follows up to one of its rank."""
    top = heading
    while (parent := top.getparent()) is not None and parent is not article and _begins(parent, top, weights):
        top = parent
    if weights.chars[top] > weights.chars[heading]:
        return [top]
    ending = [top]
    for part in top.itersiblings():
        if any(inner.tag <= heading.tag for inner in part.iter(*HEADINGS)):
            break
        ending.append(part)
    return ending


def _begins(parent: HtmlElement, first: HtmlElement, weights: Weights) -> bool:
    if (parent.text or "").strip():
        return False
    return not any(
        weights.chars[before] or (before.tail or "").strip() for before in first.itersiblings(preceding=True)
    )
