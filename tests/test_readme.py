"""What the README says of the results is what figures/ holds."""

import csv
import re

from .conftest import ROOT


def test_the_table_of_verdicts_is_the_scorecard():
    counted: dict[str, list[int]] = {"all": [0] * 5}
    with (ROOT / "figures/scorecard.csv").open(newline="") as file:
        for row in csv.DictReader(file):
            numbers = [int(row[column]) for column in ("cells", "matches", "close", "differs", "not_run")]
            for key in (row["paper"], "all"):
                counted[key] = [a + b for a, b in zip(counted.get(key, [0] * 5), numbers, strict=True)]
    text = (ROOT / "README.md").read_text()
    section = text.partition("## How the numbers came out\n")[2].partition("\n## ")[0]
    told = {
        name.strip("` "): [int(number) for number in numbers.split("|")]
        for name, numbers in re.findall(r"^\|([^|]+)\|((?: *\d+ *\|){4} *\d+ *)\|$", section, re.MULTILINE)
    }
    assert told == counted
    run = counted["all"][0] - counted["all"][4]
    assert f"{100 * sum(counted['all'][1:3]) / run:.0f} % of the {run} numbers" in section


def test_the_files_that_it_shows_are_there():
    text = (ROOT / "README.md").read_text()
    shown = re.findall(r"\]\(((?!https?:)[^)#]+)\)", text)
    assert shown
    assert [name for name in shown if not (ROOT / name).exists()] == []
