"""A paper's tables as files: laid out as printed, our value beside the published one, as CSV, Markdown and LaTeX."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from labelknn.metrics import METRICS
from labelknn.utils._files import atomic
from labelknn_papers.judge.comparison import Comparison, decimals
from labelknn_papers.judge.verdict import NOT_RUN, OWN
from labelknn_papers.show.contents import FORMATS, file_name


def lay_out(comparisons: Sequence[Comparison], layout: Mapping[str, Sequence[str]]) -> pd.DataFrame:
    """One row for each value of the layout's blocks and rows, and two columns (paper, ours) for each of its columns."""
    down = [*layout.get("blocks", ()), *layout["rows"]]
    across = layout["columns"]
    cells = pd.DataFrame(
        [
            {field: _label(getattr(one.published, field), field) for field in (*down, *across)}
            | {"paper": one.published.printed or ("" if one.verdict == OWN else "N/A"), "ours": _ours(one, digits)}
            for one, digits in zip(comparisons, decimals(comparisons), strict=True)
        ]
    )
    # A field that does not vary says nothing; the caption does.
    across = [field for field in across if cells[field].nunique() > 1]
    wide = cells.set_index([*down, *across])[["paper", "ours"]]
    for field in across:
        wide = wide.unstack(field, sort=False)
    if across:
        wide = wide.reorder_levels([*range(1, len(across) + 1), 0], axis=1)
        order = list(dict.fromkeys(cells[across].itertuples(index=False, name=None)))
        wide = wide[[(*key, which) for key in order for which in ("paper", "ours")]]
        wide.columns = [" ".join(str(part) for part in key if part) for key in wide.columns]
    return wide.fillna("").reset_index()


def write_tables(
    folder: Path, table: str, caption: str, comparisons: Sequence[Comparison], layout: Mapping[str, Any]
) -> None:
    """The files of one table, e.g. table_2.csv, table_2.md and table_2.tex for "table2"."""
    frame = lay_out(comparisons, layout)
    texts = {
        "csv": frame.to_csv(index=False, lineterminator="\n"),
        "md": f"{caption}\n\n{frame.to_markdown(index=False, disable_numparse=True)}\n",
        "tex": frame.to_latex(index=False, caption=caption, escape=True),
    }
    for suffix in FORMATS:
        with atomic(folder / f"{file_name(table)}.{suffix}") as temporary:
            temporary.write_text(texts[suffix])


def _label(value: str, field: str) -> str:
    return METRICS[value].label if field == "metric" and value in METRICS else value


def _ours(one: Comparison, digits: int) -> str:
    if one.ours is None:  # not run, or a run time, whose seconds are kept apart
        return f"{NOT_RUN if one.verdict == OWN else one.verdict}: {one.reason}"
    ours = f"{one.ours.mean:.{digits}f}"
    return ours if one.compared_with is None else f"{ours} (against {one.compared_with:.{digits}f})"
