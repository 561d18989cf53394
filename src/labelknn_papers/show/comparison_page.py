"""The page of one or several comparisons: which method should I use?

Like `show.page` a pure function of its arguments, and one file that asks no host for anything. All tables are in the
HTML; the script shows one measure at a time, and one data set or all of them.
"""

from __future__ import annotations

from collections.abc import Sequence

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from labelknn_papers.show.reports import ComparisonReport
from labelknn_papers.show.svg import inline_svg
from labelknn_papers.show.texts import as_label, as_number


def render_comparisons(reports: Sequence[ComparisonReport], title: str, lead: str, home: str = "") -> str:
    """The whole page as HTML text.

    home : where the page of the reproduction is, from this one.
    """
    environment = Environment(
        loader=PackageLoader("labelknn_papers.show"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters.update(label=as_label, cell=_text)
    drawn = {
        report.key: [
            (view, figure, inline_svg(figure, f"{report.key}/{figure.key}")) for view, figure in report.figures
        ]
        for report in reports
    }
    assert environment.loader is not None
    css, js = (
        Markup("".join(environment.loader.get_source(environment, name)[0] for name in names))
        for names in (("page.css", "comparison.css"), ("comparison.js",))
    )
    return environment.get_template("comparison.html.j2").render(
        reports=reports, drawn=drawn, title=title, lead=lead, home=home, css=css, js=js
    )


def _text(value: str | int | float | None) -> str:
    if value is None:
        return "–"
    return as_number(value, 4) if isinstance(value, float) else str(value)
