"""What is learned of a site's addresses, from pages that were the same, alike or new."""

from itertools import pairwise

import pytest
from trap_site import prose

from wikicrawl.traps.budget import FIRST_SAMPLE, WINDOW, Budget
from wikicrawl.traps.canonicals import Canonicals
from wikicrawl.traps.folding import Folding
from wikicrawl.traps.habits import Row, SiteHabits
from wikicrawl.traps.kinds import group_of, kind_of
from wikicrawl.traps.lists import Lists, position_of
from wikicrawl.traps.sameness import Seen, sketch_of

SITE = "http://h.test"


def sketch(text, url=SITE):
    return sketch_of(text, url)


# kinds


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/about/team", ""),
        ("/calendar/2031/03", "h.test/calendar/#/#"),
        ("/calendar/2031/march", "h.test/calendar/#/#"),
        ("/news/2026-11-18/", "h.test/news/#-#-#"),
        ("/s/4f3a9c2e81/cart", "h.test/s/*/cart"),
        ("/n/0199a711-7084-a314-6d1c-71d676dd0001", "h.test/n/*"),
        ("/goods?size=m&color=red", "h.test/goods?color&size"),
        ("/goods?color=red&size=m&color=blue", "h.test/goods?color&size"),
        ("/b/a/b/c", "h.test/b/~"),
        ("/feedback", ""),
        ("/deadbeef", ""),
    ],
)
def test_an_address_has_a_kind(path, kind):
    assert kind_of(SITE + path) == kind


def test_the_kinds_of_one_part_of_a_site_are_a_group():
    paths = ("/calendar/2031/03", "/calendar/2031/03/17", "/calendar?view=week", "/calendar/2031?print=1")
    assert {group_of(SITE + path) for path in paths} == {"h.test/calendar"}


# sameness


def test_order_and_link_targets_make_no_difference_to_a_text():
    assert sketch("One [two](/a?sid=1)\nthree").bag == sketch('three\nOne [two](/b "title")').bag
    assert sketch("One two").bag != sketch("One two two").bag


def test_an_id_that_a_page_repeats_from_its_address_is_not_its_text():
    texts = [sketch(f"Welcome, visitor {visitor}.", f"{SITE}/?v={visitor}") for visitor in ("4f3a9c2e81", "77aa11bb22")]
    assert texts[0].bag == texts[1].bag


def test_numbers_are_part_of_a_text_but_not_of_its_gist():
    first, second = sketch("Row 21 of the long table"), sketch("Row 22 of the long table")
    assert first.bag != second.bag
    assert first.gist == second.gist


def test_other_dates_say_nothing_new():
    seen = Seen()
    assert seen.is_new(sketch("# March 2031\nThere are no events on Monday, the 3rd, sorry."))
    assert not seen.is_new(sketch("# August 2047\nThere are no events on Friday, the 9th, sorry."))


def test_known_lines_under_another_heading_say_nothing_new():
    seen = Seen()
    goods = [prose(number, 10) for number in range(10)]
    assert seen.is_new(sketch("# Red shoes\n" + "\n".join(goods)))
    assert seen.is_new(sketch("# Large hats\n" + "\n".join(goods[:9])))
    assert not seen.is_new(sketch("# Large red shoes\n" + "\n".join(goods[::-1])))


def test_a_name_and_a_line_under_much_boilerplate_are_new():
    seen = Seen()
    boilerplate = prose("shipping", 300)
    assert all(
        seen.is_new(sketch(f"# {prose(number, 3)}\n{prose(-number, 8)}\n{boilerplate}")) for number in range(1, 50)
    )


def test_a_text_of_a_few_words_says_nothing():
    assert not Seen().is_new(sketch("Coming soon"))


# folding


def test_a_parameter_that_made_no_difference_on_two_pages_is_folded():
    folding = Folding()
    for page in ("a", "b"):
        for visitor in (1, 2, 3):
            folding.learn(f"{SITE}/{page}?x=1&who={visitor}", sketch(prose(page)))
    assert folding.rules == {"?who"}
    assert folding.fold(f"{SITE}/a?x=1&who=9") in (f"{SITE}/a?x=1&who={visitor}" for visitor in (1, 2, 3))
    assert folding.fold(f"{SITE}/new?who=9") == f"{SITE}/new?who=9"
    assert folding.fold(f"{SITE}/new?who=10") == f"{SITE}/new?who=9"


def test_a_parameter_that_makes_a_difference_once_is_kept():
    folding = Folding()
    for page in ("a", "b"):
        for number in (1, 2, 3):
            folding.learn(f"{SITE}/{page}?page={number}", sketch(prose(page if number < 3 else f"{page}{number}")))
    assert not folding.rules


def test_one_page_that_is_the_same_for_every_id_may_be_an_error():
    folding = Folding()
    for number in range(20):
        folding.learn(f"{SITE}/item?id={number}", sketch("Please sign in to see this item of ours."))
    assert not folding.rules


def test_a_session_with_a_clock_is_folded_and_a_page_number_of_a_table_of_figures_is_not():
    folding = Folding()
    for page in ("a", "b"):
        for number in range(1, 5):
            text = f"{prose(page)} {number}{number}:{number}0"
            folding.learn(f"{SITE}/{page}?v=abcdef0{number}", sketch(text))
            folding.learn(f"{SITE}/table/{page}?page={number}", sketch(text))
    assert folding.rules == {"?v"}


def test_an_id_in_the_path_is_folded():
    folding = Folding()
    for page in ("a", "b", "c"):
        for visitor in ("abcdef01", "abcdef02", "abcdef03"):
            folding.learn(f"{SITE}/in/{visitor}/{page}", sketch(prose(page)))
    assert folding.rules == {"h.test/in/*"}
    assert folding.fold(f"{SITE}/in/abcdef09/b") in (f"{SITE}/in/abcdef0{number}/b" for number in (1, 2, 3))


def test_the_order_of_parameters_is_folded_but_not_that_of_equal_names():
    assert Folding().fold(f"{SITE}/g?b=1&a=2&b=0") == f"{SITE}/g?a=2&b=1&b=0"
    assert Folding().fold(f"{SITE}/g?topic&a=2") == f"{SITE}/g?topic&a=2"


@pytest.mark.parametrize(
    ("first", "second", "rule"),
    [
        ("http://h.test/{}", "http://h.test/{}/", "h.test slash"),
        ("http://h.test/{}/", "http://h.test/{}/index.html", "h.test index"),
        ("http://h.test/{}", "http://www.h.test/{}", "h.test www"),
        ("http://h.test/{}", "https://h.test/{}", "h.test scheme"),
    ],
)
def test_a_spelling_that_makes_no_difference_is_folded_into_what_was_met(first, second, rule):
    folding = Folding()
    for page in ("a", "b"):
        assert folding.learn(first.format(page), sketch(prose(page))) is None
        assert folding.learn(second.format(page), sketch(prose(page))) == first.format(page)
    assert folding.rules == {rule}
    assert folding.fold(second.format("b")) == first.format("b")
    assert folding.fold(second.format("new")) == second.format("new")
    assert folding.fold(first.format("new")) == second.format("new")


def test_a_spelling_that_makes_a_difference_is_not_folded():
    folding = Folding()
    for page in ("a", "b", "c"):
        folding.learn(f"{SITE}/{page}", sketch(prose(page)))
        assert folding.learn(f"{SITE}/{page}/", sketch(prose(page if page != "a" else "other"))) != f"{SITE}/a"
    assert not folding.rules


def test_a_redirect_proves_a_spelling():
    folding = Folding()
    folding.learn_redirect("http://h.test/", "https://www.h.test/")
    folding.learn_redirect("http://h.test/a", "http://h.test/elsewhere")
    assert folding.rules == {"h.test scheme", "h.test www"}


# budget


def visit(budget, path, *links, is_new=False, is_same=False):
    return budget.learn(SITE + path, [SITE + link for link in links], is_new=is_new, is_same=is_same)[1]


def close_calendar(budget):
    for day in range(WINDOW):
        closed = visit(budget, f"/calendar/{day}", f"/calendar/{day + 1}")
    return closed


def test_a_kind_that_brings_nothing_and_has_no_end_is_closed():
    budget = Budget()
    assert close_calendar(budget) == ["h.test/calendar/#"]
    assert budget.refuses(f"{SITE}/calendar/99")
    assert not budget.refuses(f"{SITE}/about")
    assert budget.reason(f"{SITE}/calendar/99") == "alike"


def test_a_catalogue_whose_pages_are_alike_has_an_end():
    budget = Budget()
    visit(budget, "/all", *(f"/item/{number}" for number in range(300)))
    assert not [closed for number in range(300) if (closed := visit(budget, f"/item/{number}"))]


def test_a_list_that_leads_to_new_pages_stays_open():
    budget = Budget()
    assert not [
        closed
        for number in range(200)
        if (closed := visit(budget, f"/list?page={number}", f"/list?page={number + 1}", f"/a-story-{number}-of-ours"))
    ]


def test_a_kind_that_brings_something_stays_open():
    budget = Budget()
    pages = ((f"/post/{number}", f"/post/{number + 1}") for number in range(300))
    assert not [closed for page, following in pages if (closed := visit(budget, page, following, is_new=True))]


def test_combinations_of_parameters_that_lead_nowhere_are_refused_together():
    budget = Budget()
    names = ["brand", "color", "size", "sort"]
    for number in range(WINDOW):
        first, second = names[number % 4], names[(number + 1) % 4]
        visit(budget, f"/goods?{first}=1&{second}={number}", *(f"/goods?{name}={number}" for name in names))
    assert budget.refuses(f"{SITE}/goods?brand=1&size=2")
    assert budget.refuses(f"{SITE}/goods?brand=1&color=3&size=2&sort=4")
    assert not budget.refuses(f"{SITE}/goods?brand=1&id=7")


def test_the_same_manual_in_another_version_is_not_held_against_it():
    budget = Budget()
    for version in ("v1", "v2", "v3"):
        for number in range(100):
            links = f"/docs/{version}/{number + 1}", f"/docs/v2/{number}"
            assert not visit(
                budget, f"/docs/{version}/{number}", *links, is_new=version == "v1", is_same=version != "v1"
            )


def test_a_sample_is_let_through_and_opens_a_kind_that_was_closed_by_mistake():
    budget = Budget()
    close_calendar(budget)
    refused = [budget.refuses(f"{SITE}/calendar/{day}") for day in range(1000, 1000 + FIRST_SAMPLE)]
    assert refused == [True] * (FIRST_SAMPLE - 1) + [False]
    assert visit(budget, f"/calendar/{999 + FIRST_SAMPLE}", is_new=True) == ["h.test/calendar/#"]
    assert not budget.refuses(f"{SITE}/calendar/5000")


def test_samples_of_a_trap_become_rare():
    budget = Budget()
    close_calendar(budget)
    assert sum(not budget.refuses(f"{SITE}/calendar/{day}") for day in range(100, 10_100)) <= 5


# lists


@pytest.mark.parametrize(
    ("path", "following"),
    [
        ("/list?page=3", "/list?page=4"),
        ("/list?cat=a&page=3&x=1", "/list?cat=a&page=4&x=1"),
        ("/blog/page/9/", "/blog/page/10/"),
        ("/blog/page/9?tag=a", "/blog/page/10?tag=a"),
        ("/?p=123", None),
        ("/list?start=0", None),
        ("/post/17", None),
        ("/about", None),
    ],
)
def test_the_next_page_of_a_list_is_known_by_its_address(path, following):
    lists = Lists()
    lists.onward(SITE + path, [], "")
    assert lists.predict(SITE + path) == (following and SITE + following)


def test_the_step_of_a_list_is_that_of_its_pages():
    lists = Lists()
    for start in (0, 20, 40):
        lists.onward(f"{SITE}/rows?start={start}", [], "")
    assert lists.predict(f"{SITE}/rows?start=20") == f"{SITE}/rows?start=60"
    lists.onward(f"{SITE}/?p=120", [f"{SITE}/?p=133", f"{SITE}/?p=157"], "")
    assert lists.predict(f"{SITE}/?p=120") is None


def test_the_pages_of_a_list_are_known_from_its_first():
    pages = [f"{SITE}/blog/page/2", f"{SITE}/blog/page/30"]
    assert Lists().onward(f"{SITE}/blog/", [*pages, f"{SITE}/news/page/2", f"{SITE}/blog/a"], "") == pages


def test_the_next_article_is_no_page_of_a_list():
    lists = Lists()
    assert lists.onward(f"{SITE}/2026/a-story", [], f"{SITE}/2026/another") == []
    assert lists.onward(f"{SITE}/feed", [], f"{SITE}/feed?after=x9") == [f"{SITE}/feed?after=x9"]


def test_a_list_that_has_ended_is_not_predicted():
    lists = Lists()
    assert lists.predict(f"{SITE}/list?page=3") == f"{SITE}/list?page=4"
    assert lists.end(f"{SITE}/list?page=4")
    assert lists.predict(f"{SITE}/list?page=7") is None


def test_a_position_gives_any_page_of_its_list():
    assert position_of(f"{SITE}/list?page=3").at(8) == f"{SITE}/list?page=8"


# canonicals


def test_a_canonical_is_believed_unless_texts_differ():
    canonicals = Canonicals()
    canonicals.meet(f"{SITE}/a", 1)
    assert canonicals.is_believed(f"{SITE}/a?print=1", f"{SITE}/a", 1)
    assert not canonicals.is_believed(f"{SITE}/b", f"{SITE}/a", 2)


def test_a_canonical_that_all_pages_name_is_believed_once():
    canonicals = Canonicals()
    assert not canonicals.is_believed(f"{SITE}/a", f"{SITE}/", 1)
    assert [canonicals.is_believed(f"{SITE}/{text}", f"{SITE}/one", text) for text in (1, 2, 3)] == [True, False, False]


def test_the_pages_of_a_list_are_not_its_first():
    assert not Canonicals().is_believed(f"{SITE}/list?page=2", f"{SITE}/list", 1)


# habits


def test_what_was_decided_is_kept_and_taken_over():
    habits = SiteHabits()
    for day in range(WINDOW):
        url = f"{SITE}/calendar/{day}"
        habits.learn(url, url, sketch("There are no events on this day."), [f"{SITE}/calendar/{day + 1}"])
    rows = habits.to_keep()
    assert rows == [Row("h.test/calendar/#", "same", WINDOW, 1)]
    assert habits.to_keep() == []
    other = SiteHabits()
    other.adopt(rows)
    assert other.is_trap(f"{SITE}/calendar/77")
    assert other.to_keep() == []


def follow(habits, addresses, text):
    """Visit pages of which each names the next; the kinds that are closed by then."""
    for number, (url, following) in enumerate(pairwise(addresses)):
        habits.learn(url, url, sketch(text.format(number), url), [following])
    return {name for name, kind in habits.budget.kinds.items() if kind.reason}


def test_a_register_whose_entries_differ_in_numbers_stays_open():
    entry = "Entry {} of the register. " + prose("register", 30)
    assert not follow(SiteHabits(), [f"{SITE}/entry/{number}" for number in range(1400, 1800)], entry)
    assert not follow(SiteHabits(), [f"{SITE}/entry?id={number}" for number in range(400)], entry)


def test_days_and_pages_that_differ_in_numbers_are_closed():
    text = "Number {} of many. " + prose("many", 30)
    days = [f"{SITE}/events/2031/{number // 28 + 1:02}/{number % 28 + 1:02}" for number in range(100)]
    assert follow(SiteHabits(), days, text) == {"h.test/events/#/#/#"}
    assert follow(SiteHabits(), [f"{SITE}/list?page={number}" for number in range(100)], text) == {"h.test/list?page"}
