"""Hold the seed pages of the test wiki, as wikitext by title."""

from __future__ import annotations

import struct
import zlib

# What mathoid, the renderer Wikipedia runs beside MediaWiki, makes of the formulas; any other formula fails to parse.
MATH = {
    r"E=mc^{2}": "<mi>E</mi><mo>=</mo><mi>m</mi><msup><mi>c</mi><mrow><mn>2</mn></mrow></msup>",
    r"\int_0^1 x\,dx=\frac{1}{2}": "<msubsup><mo>&#x222B;</mo><mn>0</mn><mn>1</mn></msubsup><mi>x</mi><mi>d</mi><mi>x</mi>"
    "<mo>=</mo><mfrac><mn>1</mn><mn>2</mn></mfrac>",
    r"a_{i}<b": "<msub><mi>a</mi><mrow><mi>i</mi></mrow></msub><mo>&lt;</mo><mi>b</mi>",
}

# Every one is a title MediaWiki accepts as it stands; each page says its own title in its first sentence.
ODD_TITLES = [
    "日本語",
    "Кириллица",
    "العربية",
    "עברית",
    "हिन्दी",
    "한국어",
    "Ελληνικά",
    "Emoji 🎉🐉",
    "🎉",
    "AC/DC",
    "A/b/c",
    "A/b",
    "/Leading slash",
    "Trailing slash/",
    "Two//slashes",
    "What is this?",
    "??",
    "Q&A",
    "R&amp",
    "C++",
    "1+1",
    '"Weird"',
    "50% off",
    "Foo: bar",
    "Foo:bar:baz",
    "A=B",
    "Star*",
    "@home",
    "$100",
    "It's …",
    "'Quoted'",
    "(paren)",
    "Comma, here",
    "Semi;colon",
    "Dot.",
    "Three...",
    "Under score",
    "~tilde",
    "Tilde~",
    "Caret^",
    "Back\\slash",
    "Exclaim!",
    "`Backtick`",
    "En – dash — em",
    "Node.js",
    "Index.php",
    "Robots.txt",
    "X.jpg",
    "Page.html",
    "Wiki/Wiki",
    "W",
    "0",
    "Null",
    "İstanbul",
    "Straße",
    "Ǆ",
    "Amélie",
    "Café noir",
    "Ω",
    "Zero‌width",
    "X̂ with a combining mark",
    "-",
    "Very long title " + "Lok'tar ogar " * 17 + "end",
]

TEMPLATES = {
    "Template:Infobox": """<includeonly>{| class="infobox" style="float:right; width:22em"
|+ class="infobox-title" | {{{name|{{PAGENAME}}}}}
{{#if:{{{image|}}}|{{!-}}
{{!}} colspan="2" class="infobox-image" {{!}} [[File:{{{image}}}|100px|alt={{{name}}}]]<div class="infobox-caption">{{{caption|}}}</div>
}}
|-
! colspan="2" class="infobox-above" | {{{name|{{PAGENAME}}}}}
|-
! scope="row" rowspan="2" class="infobox-label" | Level
| class="infobox-data" | {{{level|1}}}
|-
| class="infobox-data" | {{{rank|Normal}}}
|-
! scope="row" class="infobox-label" | Race
| class="infobox-data" | {{{race|[[Human]]}}}
{{#if:{{{health|}}}|{{!-}}
! scope="row" class="infobox-label" {{!}} Health
{{!}} class="infobox-data" {{!}} {{formatnum:{{{health}}}}}
}}
|-
! scope="row" class="infobox-label" | Location
| class="infobox-data" | {{{location|Unknown}}}<br />{{{continent|[[Eastern Kingdoms]]}}}
|}</includeonly><noinclude>A box of facts.[[Category:Templates]]</noinclude>""",
    "Template:!-": "<includeonly>|-</includeonly><noinclude>A row of a table.</noinclude>",
    "Template:Navbox": """<includeonly><div class="navbox" role="navigation" aria-label="Navbox">
{| class="navbox-inner mw-collapsible mw-collapsed"
! colspan="2" class="navbox-title" | [[Template:Navbox|v]] · Zones of the Eastern Kingdoms
|-
! class="navbox-group" | Alliance
| class="navbox-list" | [[Elwynn Forest]] · [[Westfall]] · [[Redridge]]
|-
! class="navbox-group" | Horde
| class="navbox-list" | [[Tirisfal]] · [[Silverpine]]
|}</div></includeonly><noinclude>Links at the foot of a page.[[Category:Templates]]</noinclude>""",
    "Template:Hatnote": '<includeonly><div role="note" class="hatnote navigation-not-searchable">{{{1}}}</div></includeonly>',
    "Template:Ambox": """<includeonly><table class="metadata plainlinks ambox ambox-content" role="presentation"><tr><td class="mbox-text">This article '''needs''' more sources. <small>(May 2024)</small></td></tr></table>[[Category:Articles that need sources]]</includeonly>""",
    "Template:Citation needed": """<includeonly><sup class="noprint Inline-Template Template-Fact">[''[[Project:Sources|citation needed]]'']</sup></includeonly>""",
    "Template:Coord": """<includeonly><span class="geo-nondefault"><span class="geo" style="display:none">49.5; 0.1</span></span><span class="geo-default">49°30′N 0°06′E</span></includeonly>""",
    "Template:Reflist": '<includeonly><div class="reflist">\n{{#tag:references||group={{{group|}}}}}</div></includeonly>',
    "Template:Quote": "<includeonly><blockquote>{{{1}}}<br />— <cite>{{{2|unknown}}}</cite></blockquote></includeonly>",
    "Template:Loop": "{{Template:Loop}}",
}

CATEGORIES = {
    "Category:World": "Everything there is.",
    "Category:Places": "Where things are.\n[[Category:World]]",
    "Category:Zones": "Zones of the world, by continent.\n[[Category:Places]]",
    "Category:Zones of the Eastern Kingdoms": "[[Category:Zones]]",
    "Category:People": "[[Category:World]]\n[[de:Kategorie:Leute]]",
    "Category:Gnolls": "Hyena-like. See [[:Category:People]].\n[[Category:People]]\n[[Category:Bosses]]",
    "Category:Bosses": "They drop loot.\n[[Category:Gnolls]]",
    "Category:Articles that need sources": "__HIDDENCAT__\nKept by the template.",
    "Category:Templates": "Not for readers.",
    "Category:Stubs": "__HIDDENCAT__\n[[Category:World]]",
}

ARTICLES = {
    "Main Page": """Welcome to '''Elwynn Wiki''', which has {{NUMBEROFARTICLES}} articles.
* [[Hogger]], [[Elwynn Forest]], [[Westfall]]
* [[Quest:Wanted: Hogger]]
* [[:Category:Places]]
* [[Special:RecentChanges|What is new]]

__NOTOC__""",
    "Hogger": """{{Hatnote|For the quest, see [[Quest:Wanted: Hogger]]. For the food, see [[Hogger (sausage)]].}}
{{Infobox|name=Hogger|image=Hogger.png|caption=Hogger at his hill|level=11|rank=Elite|race=[[Gnoll]]|health=666|location=[[Elwynn Forest#Hills|Elwynn Forest]]}}
'''Hogger''' is a ''level 11'' elite [[gnoll]] of [[Elwynn Forest]].<ref name="guide">The ''Guide'', p. 7.</ref> He is '''''feared''''' by all who come to [[Westbrook Garrison|the garrison]].<ref>An old [https://example.org/tale tale].</ref>{{Citation needed}}

== History ==
Hogger leads the [[Riverpaw]] pack.<ref name="guide" /> The [[Stormwind]] guard offers a bounty.<ref group="note">Paid in silver.</ref> See also [[Hogger (disambiguation)|others]] and [[wikipedia:Gnoll|Gnoll at Wikipedia]].

=== Early days ===
He was [[Hogger's mother|born]] on a hill.<ref name="guide" />

== Loot ==
{| class="wikitable sortable"
|+ What he drops
! Chance !! Item !! Note
|-
| rowspan="2" | 20% || [[Hogger's Trousers]] || pipe &#124; in cell
|-
| Large Knapsack || colspan="1" | <code>a|b</code>
|-
| 0.5% || colspan="2" | '''Nothing''' at all
|}

== Notes ==
{{Reflist|group=note}}
== References ==
{{Reflist}}

{{Navbox}}
[[Category:Gnolls]]
[[Category:Bosses|*Hogger]]
[[de:Hogger]]
[[fr:Lardeur]]""",
    "Elwynn Forest": """{{Ambox}}
'''Elwynn Forest''' is a zone south of [[Stormwind]].{{Coord}}

__TOC__

== Hills ==
[[Hogger]] lives here, near [[Westfall]].
[[File:Forest.png|thumb|left|120px|The forest at ''dusk''<ref>Painted in the year 3.</ref>]]
{{Quote|For the light!|Marshal [[Dughan]]}}

== Rivers ==
; Nazferiti : A river in the east.
; Mirror Lake
: Still water.
: Deep water.

== Farms ==
# Stonefield
#* pigs
#*# one
#*# two
#* pumpkins
# Maclure
#: A note under the second.

== References ==
<references />
{{Navbox}}
[[Category:Zones of the Eastern Kingdoms]]
[[de:Wald von Elwynn]]
[[ja:エルウィンの森]]""",
    "Westfall": """'''Westfall''' is a dry zone beside [[Elwynn Forest]]. [[Hogger]] never came here.

== Sentinel Hill ==
A tower. See [[#Moonbrook]] below.

== Moonbrook ==
A town {{Citation needed}}.
{{Navbox}}
[[Category:Zones of the Eastern Kingdoms]]
[[Category:Stubs]]
[[Category:No such category]]""",
    "Gnoll": "'''Gnolls''' are hyena-like. The best known is [[Hogger]].\n[[Category:Gnolls]]",
    "Human": "'''Humans''' live in [[Stormwind]]. They met the [[gnoll]]s early.\n[[Category:People]]",
    "Eastern Kingdoms": "The '''Eastern Kingdoms''' are a continent with [[Elwynn Forest]] and [[Westfall]].\n[[Category:Places]]",
    "Hogger (disambiguation)": "'''Hogger''' may be:\n* [[Hogger]], a gnoll\n* [[Hogger (sausage)]], a food\n* [[Quest:Wanted: Hogger]]",
    "Aquila chrysaetos": "{{DISPLAYTITLE:''Aquila chrysaetos''}}'''''Aquila chrysaetos''''' is the golden eagle.",
    "IPhone": "{{DISPLAYTITLE:iPhone}}'''iPhone''' begins with a small letter.",
    "Empty page": "",
    "Short page": "One line.",
    "Only a table": """{| class="wikitable"
! Zone !! Level
|-
| [[Elwynn Forest]] || 1–10
|-
| [[Westfall]] || 10–20
|}""",
    "Tables": """Tables of all kinds.
== Spans ==
{| class="wikitable"
|+ Spans ''both'' ways
! rowspan="2" | Name !! colspan="2" | Range
|-
! From !! To
|-
| rowspan="2" | Elwynn || 1 || 5
|-
| 6 || 10
|-
| colspan="3" style="text-align:center" | the end
|}
== Pipes ==
{| class="wikitable"
! Code !! Meaning
|-
| <code>a &#124;&#124; b</code> || either
|-
| <nowiki>x|y</nowiki> || a pipe<br />and a second line
|-
|
* one
* two
| a list
|}
== Nested ==
{| class="wikitable"
| outer
|
{| class="wikitable"
! inner
|-
| cell
|}
|}
== Sorted ==
{| class="wikitable sortable"
! Rank !! Name
|-
| <span style="display:none">001</span>1 || data-sort-value="Zed" | Alpha
|-
| <span style="display:none">010</span>10 || Beta
|}
== Collapsed ==
{| class="wikitable mw-collapsible mw-collapsed"
! Hidden until opened
|-
| The treasure is under the [[Westfall|lighthouse]].
|}
== Row headers ==
{| class="wikitable"
! scope="row" | Height
| 2 m
|-
! scope="row" | Weight
| 90 kg
|}
== Empty cells ==
{| class="wikitable"
! A !! B !! C
|-
| || x ||
|}""",
    "Lists": """* one
** two
*** three
* four
*# numbered
*# again
: indented
:: twice
; term : meaning
; other term
: first
: second
# a
# b

# restarted

* text with [[Hogger|a link]], ''italics'' and <code>code</code>
*: a remark""",
    "Text styles": """'''Bold''', ''italic'', '''''both''''', <u>under</u>, <s>struck</s>, <del>deleted</del> and <ins>inserted</ins>, <small>small</small>, <big>big</big>, H<sub>2</sub>O, x<sup>2</sup>, <kbd>Ctrl</kbd>, <abbr title="World of Warcraft">WoW</abbr>, <mark>marked</mark>.

Special marks: * # _ ` < > & [ ] | \\ and &nbsp;hard&nbsp;spaces, 1 &lt; 2, &copy; 2004&ndash;2024.

----
<blockquote>A quotation
over two lines.</blockquote>

<pre>
preformatted   text
  with '''no''' markup
</pre>
 a line that begins with a space
 and one more

<nowiki>[[Not a link]] and '''not bold'''</nowiki><br>after a break<br />and another

<div style="display:none">Nobody sees this.</div>
<span class="noprint">Not for print.</span>
Links: [https://example.org named], [https://example.org], https://example.org/bare, [mailto:a@example.org mail], [[Hogger#Loot|his loot]], [[Gnoll]]s, [[:Category:Gnolls]], [[:File:Hogger.png]], [[Media:Hogger.png|the file]], [[/Sub page]], [[Special:Random]], [[User:Admin]], [//example.org relative], [{{fullurl:Hogger|action=history}} history].""",
    "Text styles/Sub page": "A sub page of [[Text styles]], with a way back: [[../]].",
    "Code": """Code of two kinds.
<syntaxhighlight lang="python" line>
def greet(name):
    return f"Hello, {name}!"  # <b>not bold</b>
</syntaxhighlight>
Inline <syntaxhighlight lang="lua" inline>print("x|y")</syntaxhighlight> and <code>plain</code>.
<syntaxhighlight lang="text">
no   colours
</syntaxhighlight>
<syntaxhighlight lang="no-such-language">what now</syntaxhighlight>""",
    "Formulas": r"""Energy is <math>E=mc^{2}</math>, a text-style <math display="inline">a_{i}<b</math>, and

<math display="block">\int_0^1 x\,dx=\frac{1}{2}</math>

is a half.""",
    "Broken formula": r"This is <math>\nosuchcommand{x}</math>.",
    "Poem": """A song:
<poem>
Roses are ''red'',
  Violets are blue,

The [[gnoll]] is coming
For me and for you.
</poem>
After the song.""",
    "Pictures": """Some pictures.
[[File:Hogger.png|thumb|right|alt=A gnoll|Hogger, ''leader'' of the [[Riverpaw]]]]
[[File:Forest.png|frame|The forest, framed]]
[[File:Forest.png|20px]] inline, [[File:Forest.png|link=Westfall|20px|alt=To Westfall]] a link, [[File:Missing.png|thumb|Not there]] missing.
<gallery mode="packed" caption="The gallery">
File:Hogger.png|Hogger with [[gnoll]]s
Forest.png|alt=Trees|The forest
File:Missing.png|Nothing
</gallery>""",
    "References": """Named,<ref name="a">First.</ref> again,<ref name="a" /> grouped,<ref group="note">A note with a [[Hogger|link]].</ref> with a quote,<ref name="b c">''Second'' &ndash; “quoted”, https://example.org/2.</ref> and listed below.<ref name="below" />

== Notes ==
<references group="note" />
== References ==
<references>
<ref name="below">Defined in the list.</ref>
</references>
== Second list ==
Later.<ref>Third, in a list of its own.</ref>
<references />
== Broken ==
Undefined.<ref name="never" />""",
    "Headings": """Lead before the contents.
== One ==
=== One one ===
==== One one one ====
===== Five =====
====== Six ======
== Same ==
a
== Same ==
b
== With ''markup'' and [[Hogger|a link]] ==
c
== 日本語の見出し ==
d
== A & B? "C" ==
e
= Level one =
f
== Empty section ==
== Last ==
g""",
    "No contents": "__NOTOC__\n== A ==\na\n== B ==\nb\n== C ==\nc\n== D ==\nd",
    "No edit sections": "__NOEDITSECTION__\n== A ==\na\n== B ==\nb",
    "Broken templates": "{{No such template}} {{Loop}} {{Hatnote}} {{#if: x | yes | no}} {{#expr: 1/0}}",
    "Right to left": '<div dir="rtl" lang="ar">مرحبا بالعالم</div> and <span lang="he" dir="rtl">שלום</span>.',
    "Long page": "".join(
        f"== Chapter {number} ==\n"
        + f"The road of chapter {number} leads from [[Hogger]] to [[Westfall]]. " * 25
        + "\n"
        for number in range(1, 81)
    ),
    "Many links": "\n".join(f"* [[:{title}]]" for title in ODD_TITLES),
    "Quest:Wanted: Hogger": """Bring the claw of [[Hogger]] to [[Dughan]].
== Rewards ==
* 30 silver
{{Navbox}}
[[Category:Places]]""",
    "Quest:The Defias Brotherhood": "Start in [[Westfall]], then [[Quest:Wanted: Hogger]].",
    "Quest:A/b": "A quest with a slash.",
}

REDIRECTS = {
    "Hoggar": "#REDIRECT [[Hogger]]",
    "Hogger's loot": "#REDIRECT [[Hogger#Loot]]",
    "Double redirect": "#REDIRECT [[Hoggar]]",
    "Broken redirect": "#REDIRECT [[No such page]]",
    "Self redirect": "#REDIRECT [[Self redirect]]",
    "Redirect circle A": "#REDIRECT [[Redirect circle B]]",
    "Redirect circle B": "#REDIRECT [[Redirect circle A]]",
    "Redirect to another wiki": "#REDIRECT [[de:Hogger]]",
    "Redirect to a special page": "#REDIRECT [[Special:RecentChanges]]",
    "Redirect to a category": "#REDIRECT [[:Category:Gnolls]]",
    "Old forest": "#REDIRECT [[Elwynn Forest]]\n[[Category:Stubs]]",
    "ホガー": "#REDIRECT [[Hogger]]",
    "Quest:Hogger": "#REDIRECT [[Quest:Wanted: Hogger]]",
}

OTHER_NAMESPACES = {
    "Talk:Hogger": "== Sources ==\nWhere are they? [[User:Admin|Admin]]\n: Below.\n:: Where?",
    "Quest talk:Wanted: Hogger": "Is it hard?",
    "User:Admin": "I run this wiki.",
    "User:Admin/Draft": "Not an article: [[Hogger]].",
    "User talk:Admin": "Hello.",
    "Project:Sources": "What counts as a source.",
    "Help:Editing": "Press ''edit''.",
    "MediaWiki:Sidebar": "* navigation\n** mainpage|mainpage-description\n** recentchanges-url|recentchanges\n** Project:Sources|Sources",
    "MediaWiki:Sitenotice": "The wiki is ''moving house''.",
}


def _odd_page(title):
    return f"The page <nowiki>{title}</nowiki> has an odd title. See [[Hogger]] and [[Many links]].\n[[Category:World]]"


def _image(width, height, colour):
    """A PNG of one colour."""

    def chunk(kind, content):
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

    rows = (b"\0" + bytes(colour) * width) * height
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    parts = chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows, 9)) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + parts


IMAGES = {"Hogger.png": _image(240, 160, (140, 90, 40)), "Forest.png": _image(320, 200, (30, 110, 40))}

# Templates and categories first, so that no page is rendered twice.
PAGES = {
    **TEMPLATES,
    **CATEGORIES,
    **ARTICLES,
    **{title: _odd_page(title) for title in ODD_TITLES},
    **REDIRECTS,
    **OTHER_NAMESPACES,
}


def generated_pages(number):
    """Articles of about 7 KB: infobox, three sections, 24 references, a table, links to their neighbours, navbox."""
    return {f"Article {n}": _article(n, number) for n in range(1, number + 1)}


def _article(n, number):
    near = [f"[[Article {(n + step) % number + 1}]]" for step in (0, 1, 6, 12, 30)]
    sentences = [
        f"In the year {600 + 7 * i} the keep of Article {n} was rebuilt by the {i}th company, as {near[i % 5]} tells,"
        f"<ref>''Annals of the keep'', volume {n}, page {13 * i}.</ref>"
        f" and its walls were ''raised'' to {i + 3} ells with stone from the quarry on the far side of the river. "
        for i in range(1, 25)
    ]
    paragraphs = ["".join(sentences[at : at + 4]) for at in range(0, 24, 4)]
    rows = "".join(f"|-\n| {600 + i} || Company {i} || {(n * i) % 97} men\n" for i in range(1, 13))
    table = f'{{| class="wikitable sortable"\n! Year !! Who !! Strength\n{rows}|}}\n'
    sections = "".join(
        f"== {name} ==\n{paragraphs[2 * at]}\n\n{paragraphs[2 * at + 1]}\n" + (table if at == 1 else "")
        for at, name in enumerate(("History", "Garrison", "Legacy"))
    )
    box = f"{{{{Infobox|name=Article {n}|image=Forest.png|level={n % 60 + 1}|location={near[0]}}}}}\n"
    lead = f"'''Article {n}''' is a keep between {near[1]} and {near[2]}.\n"
    foot = f"== References ==\n<references />\n{{{{Navbox}}}}\n[[Category:Zones]]\n[[de:Artikel {n}]]"
    return box + lead + sections + foot
