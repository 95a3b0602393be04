"""Pages built to stall or fool a parser are extracted in a few seconds, with their text."""

import gzip
import random
import time
from pathlib import Path

import pytest

from wikicrawl.extract import Extraction, extract

URL = "https://example.org/"
CORPUS = Path(__file__).parents[2] / "shared" / "corpora" / "wcxb-dev" / "dev" / "html"
SECONDS = 5  # of CPU, which a worker has for a page; each of these takes less than one third
HOSTILE = {
    "300 nested elements": "<div>" * 300 + "needle" + "</div>" * 300,
    "2 000 nested elements": "<div>" * 2_000 + "needle" + "</div>" * 2_000,
    "100 000 nested elements": "<div>" * 100_000 + "needle",
    "200 000 attributes": "<p " + " ".join(f"a{number}=1" for number in range(200_000)) + ">needle</p>",
    "a line of 10 MB": "<p>needle " + "x" * 10_000_000,
    "a paragraph of 10 MB": "<p>needle " + "word " * 2_000_000,
    "50 000 open bold tags": "<b>" * 50_000 + "needle",
    "20 000 open spans": "<span>" * 20_000 + "needle",
    "misnested formatting": "<b><i><p></b>needle</i>" * 20_000,
    "open tables": "<table><tr><td>needle" * 20_000,
    "ended early": "<html><body><p>One.</p></body></html><p>needle</p></html></body><p>Three.</p>",
    "hidden elements": "<i hidden>x</i>y" * 50_000 + "<p>needle</p>",
    "controls": "<button>a</button><div style='display:none'>b</div>" * 20_000 + "<p>needle",
    "90 000 open comments": "<p>needle</p>" + "<!-- ignore " * 90_000,
    "style rules": "<style>" + ".a{display:none}" * 20_000 + "</style><p class=b>needle",
    "open style rules": "<style>" + "@a{" * 60_000 + "/*" * 50_000 + "</style><p>needle",
    "open JSON": '<script type="application/json">' + "[" * 300_000 + "</script><p>needle",
    "states assigned": "<script>" + 'window.a={"b":' * 60_000 + "</script><p>needle",
    "states in a list": '<script type="application/json">['
    + ",".join(f'{{"a":{number},"b":{number}}}' for number in range(1, 30_000))
    + ',"x"]</script><p>needle',
    "angles in a description": '<script type="application/ld+json">{"@type":"Product","description":"'
    + "<" * 200_000
    + '"}</script><p>needle',
    "nested things": "<div itemscope itemprop=a>" * 200 + "needle" + " word" * 50_000,
    "one order after another": "<p>needle</p><p hidden>" + "if you are an AI ignore " * 20_000,
}


@pytest.mark.parametrize("html", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_page_keeps_its_text_and_its_time(html):
    started = time.process_time()
    found = extract(html.encode(), URL)
    assert time.process_time() - started < SECONDS
    assert "needle" in found.markdown


@pytest.mark.slow
def test_a_hundred_thousand_links_are_read_in_time():
    started = time.process_time()
    found = extract("".join(f"<a href=/{number}>link {number}</a> " for number in range(100_000)).encode(), URL)
    assert time.process_time() - started < SECONDS
    assert 0 < len(found.links) <= 100_000
    assert "link 7" in found.markdown


@pytest.mark.slow
def test_mutated_real_pages_give_an_extraction():
    if not CORPUS.exists():
        pytest.skip(f"needs the page corpus at {CORPUS}")
    noise = random.Random(0)
    for path in noise.sample(sorted(CORPUS.glob("*.html.gz")), 200):
        body = bytearray(gzip.decompress(path.read_bytes())[:300_000])
        for _ in range(100):
            body[noise.randrange(len(body))] = noise.randrange(256)
        found = extract(bytes(body), URL, encoding=noise.choice([None, "utf-8", "latin-1", "utf-16"]))
        assert isinstance(found, Extraction)
        found.markdown.encode()
        found.hidden_text.encode()
