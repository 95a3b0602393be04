import pytest

from wikicrawl.sources import Source, load_sources

TOLD = """
game: wow
source_tiers:
  official:
    domains: [worldofwarcraft.blizzard.com, wowpedia.fandom.com]
    weight: 1.0
  primary:
    domains: [warcraft.wiki.gg]
    weight: 0.8
  tertiary:
    description: General gaming sources
    domains: [reddit.com/r/wow, reddit.com]
    weight: 0.4
mediawiki_sites:
  warcraft.wiki.gg: https://warcraft.wiki.gg/api.php
mediawiki:
  plain.wiki.gg: off
  wiki.example/en: https://wiki.example/en/api.php
tiers:
  warcraft.wiki.gg: http
  de.reddit.com: browser
  shop.example: browser
"""
WARCRAFT = "https://warcraft.wiki.gg/api.php"


@pytest.fixture
def sources(tmp_path):
    file = tmp_path / "sources.yml"
    file.write_text(TOLD, encoding="utf-8")
    return load_sources(str(file))


@pytest.mark.parametrize(
    ("netloc", "path", "expected"),
    [
        pytest.param("warcraft.wiki.gg", "/wiki/X", Source("primary", 0.8, "http", WARCRAFT), id="domain"),
        pytest.param("de.warcraft.wiki.gg", "/", Source("primary", 0.8, "http", WARCRAFT), id="subdomain"),
        pytest.param("shop.example:8080", "/", Source("", 1.0, "browser"), id="port"),
        pytest.param("reddit.com", "/r/wow/top", Source("tertiary", 0.4), id="path"),
        pytest.param("de.reddit.com", "/", Source("tertiary", 0.4, "browser"), id="weight of one, tier of the other"),
        pytest.param("plain.wiki.gg", "/wiki/X", Source(mediawiki="off"), id="a wiki read as a website"),
        pytest.param(
            "wiki.example", "/en/X", Source(mediawiki="https://wiki.example/en/api.php"), id="the API of a path"
        ),
        pytest.param("notreddit.com", "/", Source(), id="another domain with the same ending"),
        pytest.param("example.org", "/", Source(), id="not named"),
    ],
)
def test_a_page_has_the_weight_tier_and_api_of_its_domain(sources, netloc, path, expected):
    assert sources.of(netloc, path) == expected


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("tiers: {a.example: telepathy}", "a.example: unknown tier 'telepathy'"),
        ("source_tiers: {gold: {domains: [a.example], weight: heavy}}", "gold: expects weight"),
        ("source_tiers: {gold: 3}", "gold: expects weight"),
        ("mediawiki: {a.example: perhaps}", "a.example: 'perhaps' is neither auto, off nor the URL of an API"),
        ("mediawiki_sites: {a.example: 3}", "mediawiki_sites: a.example: 3 is neither"),
        ("tiers: [a]", "tiers: a mapping is expected"),
        ("- a list", "a mapping is expected"),
        ("a: [", "not valid YAML"),
    ],
)
def test_a_wrong_file_is_refused_by_the_name_of_what_is_wrong(tmp_path, text, complaint):
    file = tmp_path / "sources.yml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=complaint):
        load_sources(str(file))


def test_a_file_that_was_named_must_exist():
    with pytest.raises(ValueError, match="SOURCES_FILE"):
        load_sources("nowhere.yml")


def test_the_shipped_file_is_valid():
    assert load_sources("config/sources.yml").of("example.org") == Source()
