"""What tests of several areas share."""

import os

import pytest
from command import ScrapyCommand
from mediawiki import cached_template, find_mediawiki, running_wiki
from postgres import fresh_database, running_server
from scrapy.utils.reactor import install_reactor

from wikicrawl.demo import DemoWeb
from wikicrawl.tiers.executable import find_browser

# As Scrapy does at start; whatever imports a reactor first would else choose another for the whole test run.
install_reactor("twisted.internet.asyncioreactor.AsyncioSelectorReactor")


def pytest_collection_modifyitems(items):
    """Without a browser or a MediaWiki their tests are skipped on a developer's machine, and fail in CI."""
    if os.environ.get("CI") == "true":
        return
    absent = {}
    if find_browser(None) is None:
        absent["browser"] = "no browser was found: scrapy browser --install"
    if find_mediawiki() is None:
        absent["mediawiki"] = "no MediaWiki was found: apt-get install mediawiki php-cli php-sqlite3 python3-pygments"
    for item in items:
        for marker, reason in absent.items():
            if item.get_closest_marker(marker):
                item.add_marker(pytest.mark.skip(reason=reason))


@pytest.fixture(scope="session")
def postgres_server():
    with running_server() as server:
        yield server


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def store_url(request, tmp_path):
    """An empty database, once of either kind."""
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path}/store.db"
        return
    with fresh_database(request.getfixturevalue("postgres_server")) as url:
        yield url


@pytest.fixture(scope="session")
def demo():
    """The demo web; a test that changes a page of it starts its own."""
    with DemoWeb() as web:
        yield web


@pytest.fixture(scope="session")
def mediawiki_template():
    return cached_template()


@pytest.fixture
def mediawiki(mediawiki_template, tmp_path):
    """A wiki of the test's own, to change and to break."""
    with running_wiki(mediawiki_template, tmp_path / "wiki") as wiki:
        yield wiki


@pytest.fixture(scope="session")
def wiki_site(mediawiki_template, tmp_path_factory):
    """A wiki all tests share: only to read."""
    with running_wiki(mediawiki_template, tmp_path_factory.mktemp("mediawiki") / "wiki") as wiki:
        yield wiki


@pytest.fixture
def scrapy(tmp_path):
    return ScrapyCommand(tmp_path)


def pytest_unconfigure():
    from twisted.internet import reactor

    reactor._asyncioEventloop.close()  # nothing ran it, so nothing closes it
