"""The project as an egg on a real scrapyd."""

import shutil
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest
import requests

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
    port = free_port()
    (tmp_path / "scrapyd.conf").write_text(
        f"[scrapyd]\nhttp_port = {port}\nbind_address = 127.0.0.1\npoll_interval = 0.2\nusername = ann\npassword = secret\n"
    )
    log = (tmp_path / "scrapyd.log").open("wb")
    process = subprocess.Popen([sys.executable, "-m", "scrapyd.__main__"], cwd=tmp_path, stdout=log, stderr=log)
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


def test_a_deployed_egg_crawls_into_its_store_and_its_feed(demo, egg, scrapyd, tmp_path):
    with egg.open("rb") as file:
        added = ask(scrapyd, "addversion.json", data={"project": "wikicrawl", "version": "1"}, files={"egg": file})
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
    wait_for(lambda: any(done["id"] == job for done in ask(scrapyd, "listjobs.json?project=wikicrawl")["finished"]))
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
