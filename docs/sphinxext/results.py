"""How the numbers came out, as pages: from figures/ and config/papers, nothing is typed."""

import csv
import re
from collections import Counter
from pathlib import Path

import yaml

OVERVIEW = """\
# How the numbers came out

Every number that the five papers print is run again from raw data and compared: {{{{ numbers }}}} numbers, of which
{{{{ run }}}} have data that exist and were run. {{{{ share }}}} of these match or are close. The papers' conclusions
are checked too: of {{{{ claims }}}} claims, {{{{ claims_hold }}}} hold by our numbers, and {{{{ claims_partly }}}}
hold in part.

{link} has each number beside the printed one.{comparison}

{table}

```{{image}} ../../figures/scorecard.svg
:alt: Each published number as a square, by paper, table and verdict
:class: scorecard
```

## How a number is judged

With a standard error *s* of our mean over the splits and *u* the last printed digit, a number **matches** if it is off
by at most max(2*s*, *u*). It is **close** if it is off by at most max(4*s*, 5 % of the published value, 0.02 for scores
bounded by 1). Otherwise it **differs**, and has a reason. Counts match only if they are equal. A p-value matches if it
decides alike at the 5 % level. A run time matches if its ratio to the other methods' is within a factor of 2, and is
close within a factor of 10.

```{{toctree}}
:hidden:

{papers}
```
"""

VERDICTS = {"matches": "match", "close": "close", "differs": "differ", "not run": "not run"}


def read(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def papers(root: Path) -> dict[str, dict]:
    """The papers that have been run, in the order of the scorecard."""
    keys = dict.fromkeys(row["paper"] for row in read(root / "figures/scorecard.csv"))
    return {key: yaml.safe_load((root / f"config/papers/{key}.yaml").read_text("utf-8")) for key in keys}


def numbers(root: Path) -> dict[str, str]:
    """What the texts of the site say about the whole, as substitutions."""
    rows = read(root / "figures/scorecard.csv")
    total, matches, close, not_run = (
        sum(int(row[column]) for row in rows) for column in ("cells", "matches", "close", "not_run")
    )
    claims = Counter(row["verdict"] for row in read(root / "figures/claims.csv"))
    compared = {
        key: len(yaml.safe_load((root / f"config/comparisons/{key}.yaml").read_text("utf-8"))["datasets"])
        for key in ("multilabel", "ranking")
    }
    return {
        "numbers": f"{total:,}",
        "run": str(total - not_run),
        "share": f"{100 * (matches + close) / (total - not_run):.0f} %",
        "claims": str(claims.total()),
        "claims_hold": str(claims["holds"]),
        "claims_partly": str(claims["holds in part"]),
        "sets_compared": str(compared["multilabel"]),
        "rankings_compared": str(compared["ranking"]),
    }


def pages(root: Path) -> dict[str, str]:
    """The pages by their names, in Markdown."""
    found = papers(root)
    return {"index": _overview(root, found), **{key: _paper(root, key, paper) for key, paper in found.items()}}


def _overview(root: Path, found: dict[str, dict]) -> str:
    scorecard = read(root / "figures/scorecard.csv")
    rows = []
    for key, paper in found.items():
        counts = _counts(row for row in scorecard if row["paper"] == key)
        rows.append([f"[{_short(paper)}]({key}.md)", paper["title"], *counts])
    rows.append(["all", "", *_counts(scorecard)])
    header = ["paper", "title", "numbers", *VERDICTS.values()]
    return OVERVIEW.format(
        link=_reproduction(root),
        comparison=_comparison(root),
        table=_table(header, rows, right=range(2, 7)),
        papers="\n".join(found),
    )


def _paper(root: Path, key: str, paper: dict) -> str:
    compared = read(root / f"figures/{key}/comparison.csv")
    scorecard = [row for row in read(root / "figures/scorecard.csv") if row["paper"] == key]
    titles = {name: table["title"] for name, table in paper["tables"].items()}
    rows = [
        [
            titles.get(row["table"], row["table"]),
            paper["tables"].get(row["table"], {}).get("caption", ""),
            *_counts([row]),
        ]
        for row in scorecard
    ]
    claims = [row for row in read(root / "figures/claims.csv") if row["paper"] == key]
    return "\n".join(
        [
            f"# {_short(paper)}: {paper['title']}\n",
            f"{paper['authors']}. *{paper['title']}*. {paper['venue']}, {paper['year']}.\n",
            f"In the config and in file names the paper is `{key}`.",
            f"{_reproduction(root, key)} has every number beside the printed one.\n",
            "## Tables\n",
            _table(["table", "what it shows", "numbers", *VERDICTS.values()], rows, right=range(2, 7)),
            *_reasons("What differs, and why", "differs", compared, titles, paper),
            *_reasons("What was not run", "not run", compared, titles, paper),
            "## What the paper claims\n",
            "A claim is decided by conditions on numbers: on ours, and on those that the paper prints.\n",
            _table(
                ["claim", "by our numbers", "by the printed numbers"],
                [[row["claim"], row["verdict"], row["verdict_printed"]] for row in claims],
            ),
            "## Assumptions and departures\n",
            "What the paper leaves open, and where we do something else:\n",
            *(f"- {_text(one)}" for one in paper["departures"]),
            "",
        ]
    )


def _reproduction(root: Path, paper: str = "") -> str:
    """A link to the page that the run itself has made, at a paper if that has a place of its own there."""
    page = (root / "figures/index.html").read_text("utf-8")
    place = f"#{paper}" if f'id="{paper}"' in page else ""
    return f'<a href="../reproduction/index.html{place}">The reproduction</a>'


def _comparison(root: Path) -> str:
    """A link to the page that says which method to use, if it has been made."""
    page = "comparison/index.html"
    if not (root / "figures" / page).exists():
        return ""
    return f' <a href="../reproduction/{page}">The comparison</a> says which method to use.'


def _reasons(heading: str, verdict: str, compared: list[dict], titles: dict[str, str], paper: dict) -> list[str]:
    """The numbers of a verdict by their reasons, the most frequent one first; reasons that differ only in numbers are
    one."""
    groups: dict[str, list[dict]] = {}
    for row in compared:
        if row["verdict"] == verdict:
            groups.setdefault(re.sub(r"\d[\d.]*", "#", row["reason"]), []).append(row)
    if not groups:
        return []
    rows = []
    for members in sorted(groups.values(), key=len, reverse=True):
        reason = members[0]["reason"]
        if len({one["reason"] for one in members}) > 1:
            reason = f"each with numbers of its own, as this one: {reason}"
        tables = ", ".join(titles.get(name, name) for name in dict.fromkeys(one["table"] for one in members))
        rows.append([tables, _which(members, paper), str(len(members)), reason])
    return [f"## {heading}\n", _table(["table", "which", "numbers", "reason"], rows, right=[2])]


def _which(members: list[dict], paper: dict) -> str:
    """What the numbers of a group have in common: a column is named where it has few values."""
    parts = []
    names = paper.get("names", {})
    for column in ("method", "metric", "dataset"):
        values = list(dict.fromkeys(one[column] for one in members if one[column]))
        if len(values) <= 3:
            parts += [", ".join(_name(names, column, value) for value in values)]
        elif column == "dataset":
            parts += [f"{len(values)} data sets"]
    return "; ".join(filter(None, parts))


def _name(names: dict, column: str, value: str) -> str:
    return names.get(f"{column}s", {}).get(value) or value.replace("_", " ")


def _counts(rows) -> list[str]:
    rows = list(rows)
    return [
        str(sum(int(row[column]) for row in rows)) for column in ("cells", "matches", "close", "differs", "not_run")
    ]


def _short(paper: dict) -> str:
    """Zhang & Zhou (2005)"""
    names = [name.split()[-1] for name in paper["authors"].replace(" and ", ", ").split(", ")]
    joined = " & ".join(names) if len(names) < 3 else f"{names[0]} et al."
    return f"{joined} ({paper['year']})"


def _text(departure) -> str:
    return " ".join((departure["text"] if isinstance(departure, dict) else departure).split()).replace("*", r"\*")


def _table(header: list[str], rows: list[list[str]], right=()) -> str:
    rule = ["--:" if number in right else "---" for number in range(len(header))]
    lines = [header, rule, *([_cell(cell) for cell in row] for row in rows)]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines) + "\n"


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", r"\|").replace("k-NN*", r"k-NN\*")
