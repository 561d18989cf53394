"""The table of choices that were made with a look at printed values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from labelknn_papers.show.reports import StudyReport

# The columns of post_hoc.csv, as the page calls them.
_COLUMNS = {
    "paper": "paper",
    "choice": "choice",
    "chosen": "chosen",
    "instead": "without a look",
    "metric": "metric",
    "numbers": "numbers",
    "mean_chosen": "mean, chosen",
    "mean_instead": "mean, without",
    "change": "change",
    "distance_chosen": "off, chosen",
    "distance_instead": "off, without",
    "note": "note",
}
_WORDS = ("paper", "choice", "chosen", "instead", "metric", "note")


def choices_report(rows: Iterable[Mapping[str, str]]) -> StudyReport:
    """For the page; `rows` are those of post_hoc.csv."""
    return StudyReport(
        "post-hoc",
        "Choices made with a look at printed values",
        "What was chosen because it comes nearer to what the paper prints, and what one would have taken without a "
        "look: means over the numbers that the choice concerns, the mean distance of the two from each other (change), "
        "and of either from the printed numbers (off).",
        list(_COLUMNS.values()),
        [[_cell(name, row[name]) for name in _COLUMNS] for row in rows],
        digits=4,
    )


def _cell(column: str, text: str) -> str | int | float | None:
    if column in _WORDS:
        return text
    if not text:
        return None
    return int(text) if column == "numbers" else float(text)
