"""Both engines write the same house markdown, and text that looks like markup stays text."""

import lxml.html
import pytest
from markdown_it import MarkdownIt

from wikicrawl.extract.markdown import ENGINES, write_markdown
from wikicrawl.extract.normalise import normalise
from wikicrawl.extract.tree import body_of, parse

BASE = "https://example.org/dir/page"

GOLDEN = {
    "headings": ("<h1>One</h1><h2>Two<br>lines</h2><h3> </h3>", "# One\n\n## Two lines"),
    "permalink": ('<h2 id="a">Head<a class="headerlink" href="#a">¶</a></h2>', "## Head"),
    "paragraphs": ("<p>a\n b</p>c<div>d</div>", "a b\n\nc\n\nd"),
    "emphasis": ("<p><b>bold</b> <i>it</i> <del>gone</del> a<b> </b>b</p>", "**bold** *it* ~~gone~~ a b"),
    "line break": ("<p>a<br>b</p>", "a\\\nb"),
    "two line breaks": ("<p>a<br><br>b<br>c</p>", "a\n\nb\\\nc"),
    "line breaks at the edges": ("<p><br>a<br></p><p>b</p>", "a\n\nb"),
    "quotation": (
        "<p>x</p><blockquote><p>a</p><p>b</p></blockquote><p>y</p>",
        "x\n\n> a\n>\n> b\n\ny",
    ),
    "lists": (
        "<ul><li>a<ul><li>b</li></ul></li><li>c</li></ul><ol start=3><li>x</li><li>y</li></ol>",
        "- a\n  - b\n- c\n\n3. x\n4. y",
    ),
    "list between items": ("<ul><li>a</li><ul><li>b</li></ul></ul>", "- a\n  - b"),
    "definitions": ("<dl><dt>Term</dt><dd>What it is</dd></dl>", "**Term**\n\nWhat it is"),
    "figure": (
        "<figure><img src=/a.png alt=A><figcaption>Cap</figcaption></figure>",
        "![A](https://example.org/a.png)\n\n*Cap*",
    ),
    "disclosure": ("<details><summary>More</summary><p>Inside</p></details>", "**More**\n\nInside"),
    "sup and sub": ("<p>x<sup>2</sup> H<sub>2</sub>O 19<sup>th</sup></p>", "x² H₂O 19th"),
    "rule": ("<p>a</p><hr><p>b</p>", "a\n\n---\n\nb"),
    "links": (
        '<p><a href="b?c=d&amp;e">rel</a> <a href="mailto:a@b.c">mail</a> <a href="#n">note</a></p>',
        "[rel](https://example.org/dir/b?c=d&e) [mail](mailto:a@b.c) [note](https://example.org/dir/page#n)",
    ),
    "unsafe links": (
        '<p><a href="javascript:alert(1)">js</a> <a href=" jAvascript:x">js</a> <a href="data:text/html,x">d</a></p>',
        "js js d",
    ),
    "links with brackets": (
        '<p><a href="/a b(c">x ] y</a> <a href="/x">see [a](b)</a></p>',
        "[x \\] y](https://example.org/a%20b%28c) [see \\[a\\](b)](https://example.org/x)",
    ),
    "link after an exclamation": ("<p>Wow!<a href=/x>link</a></p>", "Wow\\![link](https://example.org/x)"),
    "link round a card": (
        "<a href=/x><h3>Title</h3><p>Teaser</p></a>",
        "### [Title](https://example.org/x)\n\nTeaser",
    ),
    "empty links": ("<p>a<a href=/x></a> <a href=/y> </a>b</p>", "a b"),
    "linked image": (
        "<a href=/x><img src=/i.png alt=I></a>",
        "[![I](https://example.org/i.png)](https://example.org/x)",
    ),
    "lazy image": (
        '<img src="data:image/gif;base64,R0" data-src="/real.jpg" alt="A">',
        "![A](https://example.org/real.jpg)",
    ),
    "source sets": (
        '<img srcset="/a,b.jpg 100w, /c.jpg 900w" alt=S><picture><source srcset="/d.webp 2x"><img alt=P></picture>',
        "![S](https://example.org/c.jpg)![P](https://example.org/d.webp)",
    ),
    "no image": (
        '<p>a<img src=/p.gif width=1 height=1><img src="data:x"><img src=/spacer.gif><img src="/{{x}}.png">b</p>',
        "ab",
    ),
    "image text": (
        '<img src="/i(1).png" alt="a](javascript:x) [b">',
        "![a)(javascript:x) (b](https://example.org/i%281%29.png)",
    ),
    "fence longer than any inside": (
        "<pre>a\n```\nb</pre>",
        "````\na\n```\nb\n````",
    ),
    "code language": (
        '<div class="highlight-rust notranslate"><div class="highlight"><pre><span>fn</span> x</pre></div></div>',
        "```rust\nfn x\n```",
    ),
    "line numbers": (
        '<table class="highlighttable"><tr><td class="linenos"><pre>1\n2</pre></td><td class="code"><pre>a\nb</pre></td></tr></table>',
        "```\na\nb\n```",
    ),
    "inline code": ("<p><code>a_b *c*</code> <kbd>K</kbd> <code>a`b</code></p>", "`a_b *c*` `K` ``a`b``"),
    "table": (
        "<table><caption>Cap</caption><thead><tr><th>a</th><th>b</th></tr></thead><tr><td>1|2</td><td>x<br>y</td></tr></table>",
        "Cap\n\n| a | b |\n| --- | --- |\n| 1\\|2 | x<br>y |",
    ),
    "table without a head": (
        "<table><tr><td>a</td><td>b</td></tr><tr><td>1</td></tr></table>",
        "| a | b |\n| --- | --- |\n| 1 |  |",
    ),
    "spans": (
        "<table><tr><th rowspan=2>A</th><th colspan=2>B</th></tr><tr><th>b1</th><th>b2</th></tr><tr><td>1</td><td>2</td><td>3</td></tr></table>",
        "| A | B | B |\n| --- | --- | --- |\n| A | b1 | b2 |\n| 1 | 2 | 3 |",
    ),
    "blocks in a cell": (
        "<table><tr><th>a</th><th>b</th></tr><tr><td>t<p>p1</p><p>p2</p></td><td><ul><li>i</li><li>j</li></ul></td></tr></table>",
        "| a | b |\n| --- | --- |\n| t<br>p1<br>p2 | i<br>j |",
    ),
    "layout table": ("<table><tr><td><p>only</p></td></tr><tr><td>column</td></tr></table>", "only\n\ncolumn"),
    "table in a table": (
        "<table><tr><td>left</td><td><table><tr><td>a</td><td>b</td></tr></table></td></tr></table>",
        "left\n\n| a | b |\n| --- | --- |",
    ),
    "text like html": (
        "<p>&lt;script&gt;x&lt;/script&gt; &amp;lt; a &lt; b</p>",
        "\\<script>x\\</script> \\&lt; a < b",
    ),
    "text like markdown": (
        "<p>*a* _b_ snake_case 2 * 3 `c` [d](e) ~~f~~ \\* \\d</p>",
        "\\*a\\* \\_b\\_ snake_case 2 * 3 \\`c\\` [d\\](e) \\~~f\\~~ \\\\\\* \\d",
    ),
    "text like a block": (
        "<p># a</p><p>1. b</p><p>- c</p><p>+ d</p><p>&gt; e</p><p>* f</p><p>g<br>===</p>",
        "\\# a\n\n1\\. b\n\n\\- c\n\n\\+ d\n\n\\> e\n\n\\* f\n\ng\\\n\\===",
    ),
}


def convert(html, engine):
    content = body_of(parse(html))
    normalise(content, BASE)
    return write_markdown(content, engine)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(("html", "markdown"), GOLDEN.values(), ids=GOLDEN)
def test_house_markdown(html, markdown, engine):
    assert convert(html, engine) == markdown


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("html", [html for html, _ in GOLDEN.values()], ids=GOLDEN)
def test_markdown_renders_to_the_words_of_the_page(html, engine):
    rendered = MarkdownIt("commonmark").enable(["table", "strikethrough"]).render(convert(html, engine))
    content = body_of(parse(html))
    normalise(content, BASE)
    marks = {ord("\ufdd0"): "", ord("\ufdd1"): ""}
    expected = " ".join(content.itertext()).translate(marks)
    assert words(rendered) == " ".join(expected.split()).replace(" ", "")


def words(html):
    text = lxml.html.fromstring(f"<div>{html}</div>").itertext() if html else []
    return "".join("".join(text).split())


@pytest.mark.parametrize("engine", ENGINES)
def test_code_keeps_its_lines(engine):
    html = '<pre><code class="language-python">x = 1\n\n\n\n  y &lt; 2  \n</code></pre><p>a</p>'
    assert convert(html, engine) == "```python\nx = 1\n\n\n\n  y < 2  \n```\n\na"


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    "html",
    ["<ul><li>" * 150, "<div>" * 240, "<b>" * 240, "<blockquote>" * 120, "<table><tr><td>x<td>" * 80],
    ids=["lists", "divs", "bold", "quotations", "tables"],
)
def test_deep_nesting_is_survived(html, engine):
    assert "needle" in convert(html + "needle", engine)


def test_a_span_attack_stays_small():
    html = "<table>" + "<tr><td rowspan=60000 colspan=1000>x</td><td>y</td></tr>" * 300 + "</table>"
    assert len(convert(html, ENGINES[0])) < 100_000


def test_an_unknown_engine_is_refused():
    with pytest.raises(ValueError, match=r"MARKDOWN_ENGINE is 'pandoc'.*html-to-markdown, markdownify"):
        convert("<p>x</p>", "pandoc")
