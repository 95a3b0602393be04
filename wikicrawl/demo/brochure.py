"""A wedding venue's site: short pages, three galleries of lazy images, prices, questions."""

from __future__ import annotations

from html import escape

from wikicrawl.demo import images
from wikicrawl.demo.site import (
    BUILT,
    XML,
    Answer,
    Ask,
    Site,
    document,
    missing,
    moved,
    page,
    paragraphs,
    robots,
    sitemap_xml,
)
from wikicrawl.demo.words import Prose

TITLES = {
    "/": "Weddings in the Hollin valley",
    "/about/": "The house and its people",
    "/weddings/": "Your day with us",
    "/rooms/": "Rooms for the night",
    "/catering/": "Kitchen and cellar",
    "/prices/": "Prices",
    "/gallery/": "Galleries",
    "/gallery/ceremonies/": "Ceremonies",
    "/gallery/gardens/": "The gardens",
    "/gallery/feasts/": "Feasts",
    "/faq/": "Questions we are asked",
    "/directions/": "How to find us",
    "/contact/": "Contact",
    "/privacy/": "Privacy",
    "/embed/map/": "Map of the valley",
}
GALLERIES = ("ceremonies", "gardens", "feasts")
MENU = ("/weddings/", "/gallery/", "/rooms/", "/catering/", "/prices/", "/faq/", "/contact/")
FOOT = ("/about/", "/directions/", "/privacy/")
OLD = {"/wedding-packages/": "/prices/"}
QUESTIONS = (
    "May we bring our own caterer?",
    "Is there a curfew for music?",
    "Can the ceremony be outdoors?",
    "Do you allow dogs?",
    "How many guests can stay the night?",
    "What happens if it rains?",
    "Is the house suitable for wheelchairs?",
)
BLANK = "data:image/gif;base64,R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw=="

CSS = """
body{margin:0;font:17px/1.6 Georgia,serif;color:#33302b;background:#fbf8f3}
a{color:#7a4b2a}h1,h2{font-weight:400;line-height:1.2}
.site-header{display:flex;gap:1.5rem;align-items:center;padding:1rem 5vw;background:#fff;flex-wrap:wrap}
.site-header img{vertical-align:middle}.site-header nav a{margin-right:1rem;text-decoration:none}
.hero{padding:5rem 5vw;color:#fff;background:#54624b linear-gradient(120deg,#3f4c3a,#8a7a55);text-align:center}
main{max-width:46rem;margin:2rem auto;padding:0 1rem}
.grid{display:grid;grid-template-columns:repeat(auto-fill,minmax(13rem,1fr));gap:1rem}
figure{margin:0}figure img{width:100%;height:9rem;object-fit:cover;background:#e6dfd2;border-radius:4px}
figcaption{font-size:.85rem;color:#6b655a}
table{border-collapse:collapse;width:100%}th,td{border-bottom:1px solid #ddd3c2;padding:.5rem;text-align:left}
details{border-bottom:1px solid #ddd3c2;padding:.6rem 0}summary{cursor:pointer;font-weight:700}
iframe{width:100%;height:20rem;border:1px solid #ddd3c2}
.site-footer{padding:2rem 5vw;background:#3f4c3a;color:#e9e4d8;font-size:.9rem}
.site-footer a{color:#e9e4d8;margin-right:1rem}
"""
LAZY_SCRIPT = """<script>
const eager = new IntersectionObserver(seen => seen.filter(one => one.isIntersecting).forEach(({target}) => {
  if (target.dataset.srcset) target.srcset = target.dataset.srcset;
  if (target.dataset.src) target.src = target.dataset.src;
  eager.unobserve(target);
}));
document.querySelectorAll("img.lazy").forEach(image => eager.observe(image));
</script>"""


def pages() -> dict[str, int]:
    return dict.fromkeys(TITLES, BUILT)


def answer(site: Site, ask: Ask) -> Answer:
    path = ask.path
    if path in site.born:
        return page(site, path, lambda: render(site, path))
    if path in OLD:
        return moved(site, OLD[path])
    if path == "/robots.txt":
        return robots(site, "Disallow: /wp-admin/")
    if path == "/sitemap.xml":
        return Answer(sitemap_xml(site, (each for each in TITLES if each != "/embed/map/")), XML)
    if path == "/images/logo.svg":
        return Answer(images.logo("H", "#54624b"), "image/svg+xml", modified=BUILT)
    return images.answer(path) or missing(frame("Not here", "<h1>Not here</h1><p>That page has left the house.</p>"))


def render(site: Site, path: str) -> str:
    prose, fact = Prose(site.name, path), site.fact(path)
    if path == "/embed/map/":
        return map_embed(fact)
    if path == "/":
        return frame(TITLES[path], home(prose, fact), hero=True)
    body = f"<h1>{TITLES[path]}</h1>\n"
    gallery_name = path.removeprefix("/gallery/").strip("/")
    if gallery_name in GALLERIES:
        return frame(TITLES[path], body + gallery(gallery_name, prose, fact) + LAZY_SCRIPT)
    special = {
        "/gallery/": galleries,
        "/prices/": prices,
        "/faq/": questions,
        "/directions/": directions,
        "/contact/": contact,
    }
    return frame(TITLES[path], body + special.get(path, story)(prose, fact))


def frame(title: str, body: str, *, hero: bool = False) -> str:
    menu = "".join(f'<a href="{path}">{TITLES[path]}</a>' for path in MENU)
    foot = "".join(f'<a href="{path}">{TITLES[path]}</a>' for path in FOOT)
    banner = (
        '<section class="hero"><h1>Hollin Barn</h1><p>An old farm, a mill pond and room for everyone you love.</p>'
        '<p><a href="/contact/?utm_source=hero&amp;utm_medium=button" style="color:#fff">Ask for a date</a></p>'
        "</section>"
    )
    description = (
        '<meta name="description" content="Hollin Barn is a family-run wedding venue in the Hollin valley.">\n'
    )
    return document(
        f"{title} | Hollin Barn",
        '<header class="site-header"><a href="/"><img src="/images/logo.svg" alt="Hollin Barn" width="40" height="40">'
        f'</a><nav aria-label="Main">{menu}</nav></header>\n{banner if hero else ""}\n<main>\n{body}\n</main>\n'
        f'<footer class="site-footer"><nav aria-label="More">{foot}</nav>'
        "<p>Hollin Barn, Mill Road, Hollin. Telephone 01632 960 417.</p></footer>",
        css=CSS,
        head=description + '<link rel="icon" href="/images/logo.svg">\n',
    )


def home(prose: Prose, fact: str) -> str:
    cards = "".join(
        f'<figure><a href="/gallery/{name}/"><img src="/images/{name}-320.png" alt="{TITLES[f"/gallery/{name}/"]}" '
        f'loading="lazy"></a><figcaption>{escape(prose.paragraph(1))}</figcaption></figure>\n'
        for name in GALLERIES
    )
    return (
        paragraphs(prose.paragraph(3), f"{fact} {prose.paragraph(2)}")
        + f'<h2>See for yourselves</h2><div class="grid">{cards}</div>'
        + f"<h2>What guests remember</h2><blockquote><p>{escape(prose.paragraph(2))}</p></blockquote>"
    )


def story(prose: Prose, fact: str) -> str:
    lead, *rest = prose.paragraphs(3)
    points = "".join(f"<li>{escape(prose.sentence())}</li>" for _ in range(3))
    return paragraphs(lead, f"{fact} {rest[0]}") + f"<h2>Good to know</h2><ul>{points}</ul>" + paragraphs(rest[1])


def galleries(prose: Prose, fact: str) -> str:
    items = "".join(
        f'<li><a href="/gallery/{name}/">{TITLES[f"/gallery/{name}/"]}</a>: {escape(prose.sentence())}</li>\n'
        for name in GALLERIES
    )
    return paragraphs(fact) + f"<ul>{items}</ul>"


def gallery(name: str, prose: Prose, fact: str) -> str:
    figures = []
    for number in range(1, 9):
        caption = prose.say("caption")
        caption = caption[0].upper() + caption[1:]
        image = lazy_image(name, f"/images/{name}-{number}", escape(caption))
        figures.append(f"<figure>{image}<figcaption>{escape(caption)}</figcaption></figure>\n")
    return paragraphs(f"{fact} {prose.paragraph(1)}") + f'<div class="grid">{"".join(figures)}</div>'


def lazy_image(name: str, stem: str, alt: str) -> str:
    """Each gallery is lazy in its own way, as sites are."""
    if name == "ceremonies":
        plain = f'<noscript><img src="{stem}-320.png" alt="{alt}"></noscript>'
        return f'<img class="lazy" src="{BLANK}" data-src="{stem}-320.png" alt="{alt}">{plain}'
    sizes = f"{stem}-160.png 160w, {stem}-320.png 320w, {stem}-640.png 640w"
    if name == "gardens":
        small = f'<source media="(max-width: 40rem)" srcset="{stem}-160.png">'
        large = f'<source srcset="{sizes}" sizes="13rem">'
        return f'<picture>{small}{large}<img src="{stem}-160.png" alt="{alt}" loading="lazy"></picture>'
    return f'<img class="lazy" data-srcset="{sizes}" sizes="13rem" data-src="{stem}-160.png" alt="{alt}">'


def prices(prose: Prose, fact: str) -> str:
    rows = "".join(
        f'<tr><th scope="row">{season}</th>'
        + "".join(f"<td>£{prose.random.randint(19, 89) * 100:,}</td>" for _ in range(3))
        + "</tr>\n"
        for season in ("January to March", "April to June", "July to September", "October to December")
    )
    head = "".join(f'<th scope="col">{column}</th>' for column in ("Season", "Weekday", "Friday", "Weekend"))
    table = (
        f"<table><caption>Hire of the whole house</caption><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"
    )
    return paragraphs(prose.paragraph(2)) + table + paragraphs(fact)


def questions(prose: Prose, fact: str) -> str:
    asked = prose.random.sample(QUESTIONS, len(QUESTIONS))
    items = "".join(
        f"<details><summary>{escape(question)}</summary>{paragraphs(prose.paragraph(2))}</details>\n"
        for question in asked
    )
    return paragraphs(fact) + items + '<p>Older letters may mention our <a href="/wedding-packages/">packages</a>.</p>'


def directions(prose: Prose, fact: str) -> str:
    embed = '<iframe src="/embed/map/" title="Map" loading="lazy"></iframe>'
    return paragraphs(prose.paragraph(2)) + embed + paragraphs(fact)


def contact(_: Prose, fact: str) -> str:
    return paragraphs(f"Telephone 01632 960 417 or write to post@hollinbarn.example. {fact}")


def map_embed(fact: str) -> str:
    drawing = (
        '<svg viewBox="0 0 300 140" role="img" aria-label="Road from Hollin to the barn">'
        '<rect width="300" height="140" fill="#dfe6d3"/>'
        '<path d="M0 110 C90 60 150 130 300 40" fill="none" stroke="#b08d57" stroke-width="6"/>'
        '<circle cx="210" cy="84" r="7" fill="#7a2e2e"/></svg>'
    )
    return document("Map of the valley", f"<main><h1>Hollin Barn</h1>{drawing}{paragraphs(fact)}</main>", css=CSS)
