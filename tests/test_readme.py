"""What the README says of the results is what figures/ holds."""

import csv
import re

from .conftest import ROOT


def test_the_table_of_verdicts_is_the_scorecard():
    with (ROOT / "figures/scorecard.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    columns = [name for name in rows[0] if name not in ("paper", "table")]
    counted = {key: dict.fromkeys(columns, 0) for key in (*dict.fromkeys(row["paper"] for row in rows), "all")}
    for row in rows:
        for key in (row["paper"], "all"):
            for column in columns:
                counted[key][column] += int(row[column])
    text = (ROOT / "README.md").read_text()
    section = text.partition("## How the numbers came out\n")[2].partition("\n## ")[0]
    lines = re.findall(r"^\|([^|]+)\|((?: *\d+ *\|)+)$", section, re.MULTILINE)
    told = {name.strip("` "): [int(number) for number in re.findall(r"\d+", numbers)] for name, numbers in lines}
    assert told == {key: list(numbers.values()) for key, numbers in counted.items()}
    everything = counted["all"]
    run = everything["cells"] - everything["not_run"]
    good = everything["matches"] + everything["close"]
    assert f"{100 * good / run:.0f} % of the {run} numbers" in section
    if everything.get("explained"):
        assert f"{100 * (good + everything['explained']) / run:.0f} % with those that are explained" in section


def test_the_files_that_it_shows_are_there():
    text = (ROOT / "README.md").read_text()
    shown = re.findall(r"\]\(((?!https?:)[^)#]+)\)", text)
    assert shown
    assert [name for name in shown if not (ROOT / name).exists()] == []
