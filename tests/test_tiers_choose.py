import pytest

from wikicrawl.store import open_store
from wikicrawl.tiers import choose
from wikicrawl.tiers.choose import TierMemory, path_pattern

URL = "https://a.example/shop/lamp"
DAY = 86_400


@pytest.fixture
def clock(monkeypatch):
    class Clock:
        now = 1_800_000_000.0

        def time(self):
            return self.now

    clock = Clock()
    monkeypatch.setattr(choose, "time", clock)
    return clock


@pytest.fixture
def store(tmp_path):
    store = open_store(f"sqlite:///{tmp_path}/store.db")
    yield store
    store.close()


def memory_of(store, scope="pattern"):
    return TierMemory(store, scope=scope, retest_every=4, half_life_days=14)


@pytest.mark.parametrize(
    ("path", "pattern"),
    [
        ("/", "/"),
        ("/about", "/*"),
        ("/blog/2024/a-post", "/blog/*/*"),
        ("/blog/another", "/blog/*"),
        ("/2024/03/post", "/*/*/*"),
        ("/a/b/c/d/e/f", "/a/*/*/*"),
        ("/d41d8cd98f00b204/x", "/*/*"),
    ],
)
def test_pages_of_one_kind_share_a_pattern(path, pattern):
    assert path_pattern(f"https://a.example{path}?q=1") == pattern


async def test_two_pages_that_needed_a_browser_send_the_third_there_at_once(store, clock):
    memory = memory_of(store)
    await memory.vote(URL, "browser")
    assert await memory.choose(URL) == "http"
    await memory.vote(URL, "browser")
    assert await memory.choose("https://a.example/shop/table") == "browser"
    assert await memory.choose("https://a.example/about") == "http"
    assert await memory.choose("https://b.example/shop/lamp") == "http"


async def test_every_nth_page_tries_http_again(store, clock):
    memory = memory_of(store)
    for _ in range(3):
        await memory.vote(URL, "browser")
    assert [await memory.choose(URL) for _ in range(8)] == (["browser"] * 3 + ["http"]) * 2


async def test_a_site_that_changed_is_believed_after_a_few_tests(store, clock):
    memory = memory_of(store)
    for _ in range(50):
        await memory.vote(URL, "browser")
    for _ in range(2):
        await memory.vote(URL, "http")
    assert await memory.choose(URL) == "http"


async def test_votes_fade_with_time(store, clock):
    memory = memory_of(store)
    for _ in range(2):
        await memory.vote(URL, "browser")
    assert await memory.choose(URL) == "browser"
    clock.now += 15 * DAY
    assert await memory.choose(URL) == "http"


async def test_another_process_remembers(store, clock):
    for _ in range(2):
        await memory_of(store).vote(URL, "browser")
    assert await memory_of(store).choose(URL) == "browser"


async def test_a_reason_that_a_browser_did_not_better_is_known_static(store, clock):
    memory = memory_of(store)
    for _ in range(2):
        assert not await memory.is_known_static(URL, "empty_main")
        await memory.vote_no_gain(URL, "empty_main")
    assert await memory.is_known_static(URL, "empty_main")
    assert not await memory.is_known_static(URL, "loading")


async def test_with_the_scope_of_a_site_its_first_page_decides_for_all(store, clock):
    memory = memory_of(store, scope="site")
    await memory.vote("https://a.example/", "browser")
    assert await memory.choose("https://a.example/deep/down/here") == "browser"


async def test_cookies_of_a_cleared_wall_are_kept_until_they_expire(store, clock):
    await memory_of(store).keep_cookies(
        URL, [{"name": "pass", "value": "1", "expires": clock.now + DAY}, {"name": "s", "value": "2"}]
    )
    memory = memory_of(store)
    assert [cookie["name"] for cookie in await memory.cookies(URL)] == ["pass", "s"]
    clock.now += 2 * DAY
    assert [cookie["name"] for cookie in await memory.cookies(URL)] == ["s"]


@pytest.mark.parametrize(
    ("setting", "senseless"), [("TIERS_SCOPE", "planet"), ("TIERS_RETEST_EVERY", 1), ("TIERS_HALF_LIFE_DAYS", "soon")]
)
def test_a_senseless_setting_is_refused_by_name(store, setting, senseless):
    sound = {"TIERS_SCOPE": "pattern", "TIERS_RETEST_EVERY": 4, "TIERS_HALF_LIFE_DAYS": 14}
    with pytest.raises(ValueError, match=setting):
        TierMemory.from_settings(store, {**sound, setting: senseless})
