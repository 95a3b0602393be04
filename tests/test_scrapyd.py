"""The project as an egg on a real scrapyd."""

import shutil
import socket
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import pytest
import requests
from many_hosts import check_ledger, many_hosts
from postgres import fresh_database

from wikicrawl.store import open_store

ROOT = Path(__file__).parents[1]
PATIENCE_SECONDS = 60

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def egg(tmp_path_factory):
    folder = tmp_path_factory.mktemp("egg")
    for name in ("wikicrawl", "setup.py", "pyproject.toml", "requirements.txt", "README.md", "LICENSE"):
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
        copy(ROOT / name, folder / name)
    subprocess.run(
        [sys.executable, "setup.py", "-q", "bdist_egg"],
        cwd=folder,
        check=True,
        capture_output=True,
        timeout=PATIENCE_SECONDS,
    )
    return next(folder.glob("dist/*.egg"))


@pytest.fixture
def scrapyd(tmp_path):
    with running_scrapyd(tmp_path) as url:
        yield url


@contextmanager
def running_scrapyd(folder):
    port = free_port()
    (folder / "scrapyd.conf").write_text(
        f"[scrapyd]\nhttp_port = {port}\nbind_address = 127.0.0.1\npoll_interval = 0.2\nusername = ann\npassword = secret\n"
    )
    log = (folder / "scrapyd.log").open("wb")
    process = subprocess.Popen([sys.executable, "-m", "scrapyd.__main__"], cwd=folder, stdout=log, stderr=log)
    url = f"http://127.0.0.1:{port}/"
    try:
        wait_for(lambda: is_up(url), process)
        yield url
    finally:
        process.terminate()
        process.wait(20)
        log.close()


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def is_up(url):
    try:
        return ask(url, "daemonstatus.json")["status"] == "ok"
    except requests.ConnectionError:
        return False


def ask(url, call, **post):
    method = requests.post if post else requests.get
    return method(url + call, auth=("ann", "secret"), timeout=20, **post).json()


def wait_for(is_done, process=None):
    until = time.monotonic() + PATIENCE_SECONDS
    while not is_done():
        assert time.monotonic() < until, "waited in vain"
        assert process is None or process.poll() is None
        time.sleep(0.1)


def deploy(url, egg):
    with egg.open("rb") as file:
        return ask(url, "addversion.json", data={"project": "wikicrawl", "version": "1"}, files={"egg": file})


def has_finished(url, job):
    return any(done["id"] == job for done in ask(url, "listjobs.json?project=wikicrawl")["finished"])


def test_a_deployed_egg_crawls_into_its_store_and_its_feed(demo, egg, scrapyd, tmp_path):
    added = deploy(scrapyd, egg)
    assert (added["status"], added["spiders"]) == ("ok", 2)
    store_url, feed = f"sqlite:///{tmp_path}/kept/store.db", tmp_path / "pages.jsonl"
    job = ask(
        scrapyd,
        "schedule.json",
        data={
            "project": "wikicrawl",
            "spider": "site",
            "url": demo.urls["docs"],
            "max_pages": "500",
            "source": "docs",
            "setting": [
                f"STORE_URL={store_url}",
                f'FEEDS={{"{feed}": {{"format": "jsonlines"}}}}',
                "DOWNLOAD_DELAY=0",
                "AUTOTHROTTLE_ENABLED=0",
            ],
        },
    )["jobid"]
    wait_for(lambda: has_finished(scrapyd, job))
    store = open_store(store_url)
    try:
        record = store.jobs.latest("docs")
        pages = {page.url: page for page in store.pages.each("docs")}
        assert (record.id, record.reason) == (job, "finished")
        assert store.pages.unfinished() == []
    finally:
        store.close()
    assert set(demo.pages("docs")) <= set(pages)
    assert demo.text("docs", demo.urls["docs"]) in pages[demo.urls["docs"]].markdown
    assert len(feed.read_text(encoding="utf-8").splitlines()) >= len(demo.pages("docs"))


@pytest.mark.postgres
def test_two_nodes_given_the_same_crawl_share_its_hosts(egg, tmp_path, postgres_server):
    folders = [tmp_path / name for name in ("one", "two")]
    for folder in folders:
        folder.mkdir()
    with (
        fresh_database(postgres_server) as store_url,
        many_hosts(hosts=8, pages=25, seconds=0.05) as site,
        running_scrapyd(folders[0]) as first,
        running_scrapyd(folders[1]) as second,
    ):
        site.seed(store_url)
        nodes = {"one": first, "two": second}
        for node in nodes.values():
            deploy(node, egg)
        settings = [f"STORE_URL={store_url}", "DOWNLOAD_DELAY=0", "AUTOTHROTTLE_ENABLED=0", "TIERS_BROWSER=0"]
        settings += ["STORE_CLAIM_SIZE=4", "CONCURRENT_REQUESTS=2"]
        crawl = {"project": "wikicrawl", "spider": "site", **site.arguments}
        jobs = {
            name: ask(node, "schedule.json", data={**crawl, "setting": [*settings, f"USER_AGENT={name}"]})["jobid"]
            for name, node in nodes.items()
        }
        for name, node in nodes.items():
            wait_for(lambda node=node, name=name: has_finished(node, jobs[name]))
        check_ledger(store_url, {"ok": 200})
    assert set(site.asked().values()) == {1}
    assert set(site.asked()) == set(site.pages)
    assert site.overlaps() == []
    assert {hit.agent for hit in site.hits} == {"one", "two"}
