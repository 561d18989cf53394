"""What the page says of claims."""

from labelknn_papers.judge.claims.decide import COLUMNS, VERDICTS
from labelknn_papers.show.claims import claims_view
from labelknn_papers.show.page import render_page

from .test_page import FILES, OVERVIEW, STUDIES, UNREACHED, papers_of_the_project


def claim(**changes):
    return dict.fromkeys(COLUMNS, "") | {"paper": "zhang2005", "id": "one", "verdict": "holds"} | changes


ROWS = [
    claim(claim="k = 7 is best", verdict_printed="does not hold", evidence="0.2 < 0.3", criterion="<k>"),
    claim(id="two", verdict="cannot be decided", evidence="Missing: yeast.", verdict_printed="holds"),
    claim(paper="cheng2009", id="one", verdict_printed="holds"),
]


def test_claims_are_counted_by_our_numbers_and_by_the_printed_ones():
    view = claims_view(ROWS)
    assert view["total"] == 3
    counts = dict(zip(VERDICTS, view["scorecard"]["zhang2005"].values(), strict=True))
    assert counts == {"holds": (1, 1), "holds in part": (0, 0), "does not hold": (0, 1), "cannot be decided": (1, 0)}
    assert claims_view([]) is None


def test_each_claim_has_its_evidence_in_an_element_that_opens():
    parts = (papers_of_the_project(), UNREACHED, STUDIES, OVERVIEW, FILES)
    page = render_page(*parts, claims=ROWS)
    assert page.index('id="scorecard"') < page.index('id="claims"') < page.index('id="zhang2005"')
    start = page.index('<details id="claim-zhang2005-one"')
    inside = page[start : page.index("</details>", start)]
    for text in (
        "k = 7 is best",
        "&lt;k&gt;",
        "Our numbers: holds.",
        "0.2 &lt; 0.3",
        "printed numbers: does not hold.",
    ):
        assert text in inside
    assert page.count('class="claim"') == 3
    assert 'id="claims"' not in render_page(*parts)
