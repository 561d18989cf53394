"""The page in a real browser, at a desk and on a phone."""

from collections import Counter
from dataclasses import replace

import pytest

from labelknn_papers.judge.verdict import VERDICTS
from labelknn_papers.show.page import render_page

from .made_up import CLAIMS, COMMAND, OVERVIEW, STUDIES

pytestmark = pytest.mark.browser

COVERAGE = "#zhang2005-table1-yeast-mlknn-coverage-6"
DESK, PHONE = 1280, 390


@pytest.fixture(scope="module")
def address(page_text, tmp_path_factory) -> str:
    path = tmp_path_factory.mktemp("page") / "index.html"
    path.write_text(page_text, encoding="utf-8")
    return path.as_uri()


@pytest.fixture(scope="module")
def partial_address(partial_text, tmp_path_factory) -> str:
    path = tmp_path_factory.mktemp("partial") / "index.html"
    path.write_text(partial_text, encoding="utf-8")
    return path.as_uri()


@pytest.fixture(params=[DESK, PHONE])
def page(request, browser, address):
    """The page open at a desk and on a phone; afterwards: nothing was asked for, nothing complained."""
    yield from opened(browser, address, request.param)


@pytest.fixture(params=[DESK, PHONE])
def partial_page(request, browser, partial_address):
    yield from opened(browser, partial_address, request.param)


def opened(browser, address, width, **more):
    context = browser.new_context(viewport={"width": width, "height": 844}, offline=True, **more)
    page = context.new_page()
    page.set_default_timeout(20_000)
    requests, complaints = [], []
    page.on("request", lambda asked: requests.append(asked.url))
    page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto(address)
    yield page
    context.close()
    assert requests == [address.partition("#")[0]]
    assert complaints == []


def facts_of(part):
    """The terms of its list of facts, and what is said of them."""
    terms, texts = (part.locator(tag).all_inner_texts() for tag in ("dt", "dd"))
    return {term: text.strip() for term, text in zip(terms, texts, strict=True)}


def in_sight(page, part):
    """Whether nothing covers the middle of an element."""
    return part.evaluate(
        "part => { const at = part.getBoundingClientRect();"
        "return part.contains(document.elementFromPoint(at.x + at.width / 2, at.y + at.height / 2)) }"
    )


def test_the_page_never_scrolls_sideways(page):
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.get_by_role("button", name="differs").click()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_hovering_says_how_a_number_came_out(page):
    cell, details = page.locator(COVERAGE), page.locator("#details")
    assert cell.inner_text().split() == ["6.374", "6.379"]
    assert details.is_hidden()
    cell.hover()
    assert details.locator("h4").inner_text() == "Yeast · ML-kNN · Coverage · k = 6"
    said = {"published": "6.374", "ours": "6.3790", "difference": "+0.0050", "verdict": "differs"}
    assert facts_of(details) == said
    assert "does not say which kernel" in details.inner_text()
    box = details.bounding_box()
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= page.viewport_size["width"]
    page.keyboard.press("Escape")
    assert details.is_hidden()


def test_a_click_opens_all_that_is_known_of_a_number(page):
    panel = page.locator("#panel")
    page.locator(COVERAGE).click()
    assert panel.get_by_role("heading", level=2).inner_text() == "Yeast · ML-kNN · Coverage · k = 6"
    assert "Zhang" not in panel.inner_text(), "the made-up paper is by Author and Writer"
    assert "Author & Writer 2005, Table 1" in panel.inner_text()
    assert panel.locator(".sizes b").all_inner_texts() == ["6.374", "6.3790"]
    said = {"verdict": "differs", "standard error": "0.0004", "difference": "+0.0050", "tolerance": "0.0010"}
    assert facts_of(panel) == said
    for text in (
        "does not say which kernel",
        "Within the tolerance.",
        "one split",
        "ML-kNN (id mlknn)",
        "Yeast (id yeast)",
    ):
        assert text in panel.inner_text()
    codes = panel.locator("code").all_inner_texts()
    for code in (
        "labelknn.multilabel.MLkNN(k=7)",
        "yeast.arff  SHA-256 55c07a3b",
        COMMAND.format("zhang2005"),
        COVERAGE,
    ):
        assert code in codes
    assert "yeast, mlknn, coverage, k=6" in codes, "ids are in the details alone"
    assert page.evaluate("location.hash") == COVERAGE
    assert in_sight(page, page.locator(COVERAGE))
    panel.get_by_role("button", name="Close").click()
    assert panel.is_hidden()
    assert page.evaluate("`#${document.activeElement.id}`") == COVERAGE


def test_a_run_time_is_a_ratio_and_its_seconds_are_in_the_details(page):
    cell = page.locator('td[data-paper="brinker2007"][data-metric="train_seconds"]').first
    assert cell.inner_text().split() == ["0.5", "0.25"]
    cell.click()
    assert facts_of(page.locator("#panel"))["seconds"] == "printed 416.90, measured 0.0123"


@pytest.mark.parametrize("width", [DESK, PHONE])
@pytest.mark.parametrize(
    "anchor", [COVERAGE, "#zhang2005-text-variants-yeast-labels", "#chiang2012-table3-medical-rs-rmse"]
)
def test_the_address_of_a_number_opens_it(browser, address, width, anchor):
    for page in opened(browser, address + anchor, width):
        page.locator("#panel h2").wait_for()
        page.wait_for_timeout(300)
        assert in_sight(page, page.locator(anchor)), "also where it is folded away, or to the right of what fits"
        page.keyboard.press("Escape")
        assert page.evaluate("`#${document.activeElement.id}`") == anchor


def test_a_square_leads_to_its_number_even_through_a_filter(page):
    page.get_by_role("button", name="differs").click()
    cell = page.locator("#chiang2012-table3-yeast-rs-one-error")
    assert cell.get_attribute("data-verdict") != "differs"
    page.locator('.squares a[href="#chiang2012-table3-yeast-rs-one-error"]').click()
    page.locator("#panel h2").wait_for()
    assert page.evaluate("location.hash") == "#chiang2012-table3-yeast-rs-one-error"
    assert in_sight(page, cell)
    assert page.get_by_role("button", name="all", exact=True).get_attribute("aria-pressed") == "true"


def test_keys_walk_through_squares_and_numbers_and_open_them(page):
    first = '.squares a[href="#zhang2005-table1-yeast-mlknn-6"]'
    page.locator(first).focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    page.locator("#panel h2").wait_for()
    page.keyboard.press("Escape")
    assert page.evaluate("document.activeElement.id") == "zhang2005-table1-yeast-mlknn-7"
    page.keyboard.press("ArrowDown")
    assert page.evaluate("document.activeElement.id") == "zhang2005-table1-yeast-mlknn-one-error-7"
    page.keyboard.press("Enter")
    assert "one error · k = 7" in page.locator("#panel h2").inner_text()


def test_the_side_bar_says_where_one_is_and_leads_elsewhere(page):
    phone = page.viewport_size["width"] == PHONE
    menu, side = page.get_by_role("button", name="Contents"), page.get_by_role("navigation", name="Contents")
    assert side.is_visible() is not phone
    assert menu.is_visible() is phone
    if phone:
        menu.click()
    assert side.get_by_role("link", name="Table 3").count() == 0, "of other papers the names are enough"
    side.get_by_role("link", name="Author & Writer 2012").click()
    page.locator("#side a[aria-current]", has_text="2012").wait_for(state="attached")
    if phone:
        assert side.is_hidden()
        menu.click()
    side.get_by_role("link", name="Table 3").click()
    current = page.locator("#side a[aria-current]")
    page.locator("#side a[aria-current]", has_text="Table 3").wait_for(state="attached")
    assert current.get_attribute("href") == "#chiang2012-table3"
    top = page.locator("#chiang2012-table3-title").bounding_box()["y"]
    assert page.locator("#bar").bounding_box()["height"] <= top < 400
    if phone:
        assert page.locator("#where").inner_text() == "Author & Writer 2012 · Table 3"


@pytest.mark.parametrize(
    ("words", "said", "first"),
    [
        ("ml-knn zhang", "", None),
        ("ML-kNN 2005", "Method · Author & Writer 2005, Table 1", "zhang2005-table1-yeast-mlknn-6"),
        ("calhousing", "Data set · Author & Writer 2009, Table 1", "cheng2009-table1-calhousing-instances-b"),
        ("coverage 2005", "Measure · Author & Writer 2005, Table 1", "zhang2005-table1-yeast-mlknn-coverage-6"),
    ],
)
def test_the_search_jumps_to_a_method_a_data_set_or_a_measure(page, words, said, first):
    page.keyboard.press("/")
    page.keyboard.type(words)
    hits = page.get_by_role("option")
    if first is None:
        assert hits.count() == 0, "no such paper"
        return
    assert hits.first.inner_text().splitlines()[1] == said
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == first
    assert in_sight(page, page.locator(f"#{first}"))
    assert page.locator("td.found").count() > 1
    assert page.get_by_role("listbox").count() == 0


def test_a_wide_table_keeps_its_first_column_and_shows_that_it_goes_on(browser, address):
    for page in opened(browser, address, PHONE):
        scroller = page.locator("#cheng2009-table2 .scroll").first
        head = scroller.locator("tbody th").first
        scroller.scroll_into_view_if_needed()
        # The page's policy forbids what `wait_for_function` polls with.
        page.locator("#cheng2009-table2 .scroll.goes-on").first.wait_for()
        before = head.bounding_box()["x"]
        scroller.evaluate("part => part.scrollTo(part.scrollWidth, 0)")
        page.locator("#cheng2009-table2 .scroll:not(.goes-on)").first.wait_for()
        assert head.bounding_box()["x"] == before


def test_the_filter_leaves_only_rows_with_such_numbers(page, papers):
    wanted = sum(row["verdict"] == "differs" for paper in papers for table in paper.tables for row in table.rows)
    page.get_by_role("button", name="differs").click()
    assert page.locator("td[data-verdict]:not(.dim):visible").count() == wanted
    assert page.locator(".squares a:not(.dim)").count() == wanted
    for row in page.locator(".comparison tbody tr:visible").all()[:20]:
        assert row.locator('td[data-verdict="differs"]').count() > 0
    page.get_by_role("button", name="all", exact=True).click()
    assert page.locator("td[data-verdict].dim").count() == 0
    assert page.locator(".comparison tbody tr:visible").count() == page.locator("section > .blocks tbody tr").count()


def test_columns_sort_up_down_and_back(page):
    table = page.locator("#zhang2005-table1 table")
    button = table.get_by_role("button", name="k = 6")

    def metrics():
        return table.locator("tbody th").all_inner_texts()

    original = metrics()
    button.click()
    shown = [float(text) for text in table.locator("td[data-setting='k=6'] .ours").all_inner_texts()]
    assert shown == sorted(shown)
    up = metrics()
    button.click()
    assert metrics() == up[::-1]
    button.click()
    assert metrics() == original


def test_average_ranks_stay_below_when_columns_are_sorted(page):
    table = page.locator("#cheng2009-table2 table").first
    button = table.get_by_role("button", name="iblr").first
    last = table.locator("tbody tr").last
    for _ in range(3):
        button.click()
        assert last.locator("th").inner_text().split() == ["AVG", "average", "rank"]


def test_folded_parts_open_and_their_words_and_numbers_sort(page):
    part = page.locator("#zhang2005-tests")
    assert part.locator("table").is_hidden()
    part.locator("summary").click()

    def order():
        return part.locator("tbody th").all_inner_texts()

    assert order() == ["Friedman", "Nemenyi"]
    for head, expected in {"statistic": "Nemenyi", "detail": "Friedman", "p": "Friedman"}.items():
        part.get_by_role("button", name=head, exact=True).click()
        assert order()[0] == expected


def test_assumptions_stand_beside_the_table_that_they_concern(page):
    table, paper = page.locator("#zhang2005-table1"), page.locator("#zhang2005 > .notes")
    table.locator("summary").click()
    assert table.locator(".notes li").all_inner_texts() == ["Rows have unit length."]
    paper.locator("summary").click()
    assert paper.locator("li").all_inner_texts() == ["Ties go to the earlier label, since the paper does not say."]


def test_a_tap_opens_the_details(browser, address):
    for page in opened(browser, address, PHONE, has_touch=True):
        page.locator(COVERAGE).tap()
        panel = page.locator("#panel")
        assert facts_of(panel)["standard error"] == "0.0004"
        box = panel.bounding_box()
        assert box["x"] == 0
        assert box["width"] == PHONE
        assert in_sight(page, page.locator(COVERAGE))


def test_without_script_and_on_paper_the_values_are_there(browser, address):
    for width in (DESK, PHONE):
        context = browser.new_context(viewport={"width": width, "height": 844}, java_script_enabled=False, offline=True)
        page = context.new_page()
        page.goto(address)
        assert page.locator(COVERAGE).inner_text().split() == ["6.374", "6.379"]
        assert page.locator("#filter").is_hidden()
        assert page.locator("#search").is_hidden()
        assert page.get_by_role("link", name="Author & Writer 2012").first.is_visible()
        square = page.locator('.squares a[href="#zhang2005-table1-yeast-mlknn-7"]')
        assert square.get_attribute("title") == "Yeast · ML-kNN · hamming loss · k = 7: matches"
        square.click()
        assert in_sight(page, page.locator("#zhang2005-table1-yeast-mlknn-7"))
        page.emulate_media(media="print")
        assert page.locator(COVERAGE).is_visible()
        assert page.locator("#side").is_hidden()
        context.close()


def test_printing_unfolds_everything(page):
    assert page.locator("#zhang2005-tests table").is_hidden()
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.locator("#zhang2005-tests table").is_visible()
    assert page.locator("#zhang2005-text-variants table").is_visible()


def test_the_switch_counts_the_record_and_takes_it_out_again(partial_page, partial):
    tables = [table for paper in partial for table in paper.tables]
    judged = [(row, table.record.get(place)) for table in tables for place, row in enumerate(table.rows)]
    judged = [(row, recorded) for row, recorded in judged if row["published"] is not None]
    alone = Counter(row["verdict"] for row, _ in judged)
    together = Counter((recorded or row)["verdict"] for row, recorded in judged)
    page = partial_page

    def totals():
        texts = page.locator(".totals li:not(.claimed) .count").all_inner_texts()
        return Counter(dict(zip(VERDICTS, (int(text.replace(",", "")) for text in texts), strict=True)))

    def seen():
        page.locator("#filter").get_by_role("button", name="differs").click()
        return page.locator(".squares a:not(.dim)").count()

    assert totals() == alone
    assert seen() == alone["differs"]
    switch = page.get_by_label("Count the record too")
    assert not switch.is_checked()
    switch.check()
    assert totals() == together
    assert page.locator(".squares a:not(.dim)").count() == together["differs"]
    assert page.locator(".squares a.recorded").count() == sum(recorded is not None for _, recorded in judged)
    page.get_by_text("Counts by table").click()
    assert page.locator(".counts tfoot td").all_inner_texts()[1:] == [f"{together[one]:,}" for one in VERDICTS]
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    switch.uncheck()
    assert totals() == alone
    assert seen() == alone["differs"]
    assert page.locator(".squares a.recorded").count() == 0


def test_the_details_of_a_recorded_number_say_so(partial_page):
    cell = partial_page.locator("td[data-record]:visible").first
    cell.click()
    said = partial_page.locator("#panel").inner_text()
    assert "of the record" in said
    assert "ours" not in said
    assert "Not run here: never published." in said
    assert "as the record says" in said


def test_a_diamond_leads_to_the_evidence_of_its_claim(partial_page):
    evidence = partial_page.get_by_text("Missing: Yeast, ML-kNN.")
    assert evidence.is_hidden()
    partial_page.locator('.diamonds a[href="#claim-zhang2005-two"]').click()
    assert evidence.is_visible()


def test_without_script_the_record_is_there_and_the_switch_is_not(browser, partial_address):
    context = browser.new_context(java_script_enabled=False, offline=True)
    page = context.new_page()
    page.goto(partial_address)
    assert page.locator("#together").is_hidden()
    assert "slanted" in page.locator(".balance").inner_text()
    number = page.locator("td[data-record] .recorded.n").first
    assert number.is_visible()
    assert number.evaluate("part => getComputedStyle(part).fontStyle") == "italic"
    context.close()


@pytest.mark.parametrize(("width", "scheme"), [(DESK, "light"), (PHONE, "dark")])
def test_axe_finds_nothing(browser, partial, tmp_path, width, scheme):
    """In the page as it comes, with everything unfolded and the details open; then in the search and the menu."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    small = [replace(paper, tables=paper.tables[:2]) for paper in partial if paper.key in ("brinker2007", "zhang2005")]
    path = tmp_path / "index.html"
    path.write_text(
        render_page(small, [], STUDIES, OVERVIEW, claims=[one for one in CLAIMS if one["paper"] == "zhang2005"])
    )

    def found(page, **where):
        response = axe.run(page, **where).response
        return [(one["id"], [node["html"][:100] for node in one["nodes"][:3]]) for one in response["violations"]]

    for page in opened(browser, path.as_uri(), width, color_scheme=scheme):
        assert found(page) == []
        page.locator(COVERAGE).click()
        page.evaluate("document.querySelectorAll('details').forEach((part) => { part.open = true })")
        assert found(page) == []
        page.keyboard.press("Escape")
        if width == PHONE:
            page.get_by_role("button", name="Contents").click()
            assert found(page, context="#side") == []
            page.keyboard.press("Escape")
        page.locator("#search input").fill("coverage")
        assert found(page, context="#bar") == []
