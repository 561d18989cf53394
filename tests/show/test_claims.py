"""What the page says of claims."""

import re

from labelknn_papers.judge.claims.decide import VERDICTS
from labelknn_papers.show.claims import claims_view
from labelknn_papers.show.page import render_page

from .made_up import CLAIMS, FILES, OVERVIEW, STUDIES, UNREACHED


def test_claims_are_counted_by_our_numbers_and_by_the_printed_ones():
    view = claims_view(CLAIMS)
    assert view["total"] == 3
    counts = dict(zip(VERDICTS, view["scorecard"]["zhang2005"].values(), strict=True))
    assert counts == {"holds": (1, 1), "holds in part": (0, 0), "does not hold": (0, 1), "cannot be decided": (1, 0)}
    assert claims_view([]) is None


def test_each_claim_has_its_evidence_in_an_element_that_opens(papers):
    parts = (papers, UNREACHED, STUDIES, OVERVIEW, FILES)
    page = render_page(*parts, claims=CLAIMS)
    places = [
        page.index(f'id="{name}"') for name in ("scorecard", "claims", "cheng2009", "cheng2009-claims", "zhang2005")
    ]
    assert places == sorted(places)
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
    assert "Missing: Yeast, ML-kNN." in page, "evidence is told in the paper's words"
    diamonds = re.findall(r'<a class="mark claimed ([a-z-]+)" href="#(claim-[^"]*)"', page)
    assert sorted(diamonds) == [
        ("cannot-be-decided", "claim-zhang2005-two"),
        ("holds", "claim-cheng2009-one"),
        ("holds", "claim-zhang2005-one"),
    ]
    assert 'id="claims"' not in render_page(*parts)
