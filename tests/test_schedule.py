import pytest

from wikicrawl.schedule import Policy, count_misses, next_interval

DAY = 86_400


def test_the_first_visit_is_followed_after_the_interval_for_new_pages():
    assert next_interval(Policy(), None, is_fresh=True) == DAY


@pytest.mark.parametrize(
    ("previous", "is_fresh", "expected"),
    [
        pytest.param(10 * DAY, True, 2 * DAY, id="a change shortens the interval"),
        pytest.param(10 * DAY, False, 20 * DAY, id="no change lengthens it"),
        pytest.param(7200, True, 3600, id="never below the minimum"),
        pytest.param(20 * DAY, False, 30 * DAY, id="never above the maximum"),
    ],
)
def test_the_interval_follows_what_the_visit_found(previous, is_fresh, expected):
    assert next_interval(Policy(), previous, is_fresh=is_fresh) == expected


@pytest.mark.parametrize(
    ("senseless", "setting"),
    [
        ({"min_seconds": 0}, "SCHEDULE_MIN_SECONDS"),
        ({"min_seconds": 100, "max_seconds": 99}, "SCHEDULE_MAX_SECONDS"),
        ({"fresh_factor": 1.1}, "SCHEDULE_FRESH_FACTOR"),
        ({"fresh_factor": 0}, "SCHEDULE_FRESH_FACTOR"),
        ({"stale_factor": 0.9}, "SCHEDULE_STALE_FACTOR"),
    ],
)
def test_a_senseless_policy_is_refused_by_the_name_of_its_setting(senseless, setting):
    with pytest.raises(ValueError, match=setting):
        Policy(**senseless)


@pytest.mark.parametrize(
    ("misses", "visited_at", "expected"),
    [
        pytest.param(0, None, 1, id="the first visit"),
        pytest.param(0, 995, 1, id="it was there a moment ago"),
        pytest.param(1, 901, 1, id="an outage goes on"),
        pytest.param(1, 900, 2, id="still missing after a while"),
    ],
)
def test_visits_that_find_a_page_missing_count_when_they_are_far_apart(misses, visited_at, expected):
    assert count_misses(Policy(gone_seconds=100), misses, visited_at=visited_at, now=1000) == expected
