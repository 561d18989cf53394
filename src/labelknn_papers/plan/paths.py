"""Where each stage of a run keeps its files: the folders of the config, then the stage, then what the file is about.

A job that runs cells is <protocol>/<data set>/<name> (`plan.jobs`); where the cells themselves are, its results say.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from labelknn_papers.plan.cells import Cell, cells_of
from labelknn_papers.plan.comparisons import views_of
from labelknn_papers.plan.plan import Plan

# A table for programs, one to read, how much of it has values, the tests over its data sets, how ranks go with
# properties of the data, and what it all says.
COMPARISON_TABLES = (".csv", ".md", "_coverage.csv", "_tests.csv", "_properties.csv", "_findings.csv")
# Seconds, who is unbeaten in rank and time, two libraries side by side, what each cell took, and what the seconds say.
# They change from run to run.
TIMED_TABLES = ("_times.csv", "_trade_off.csv", "_peers.csv", "_seconds.csv", "_time_findings.csv")
# Critical-difference diagram, heat map, ranks against properties of the data; and ranks against time.
PICTURES_OF_SCORES = ("ranks", "heat", "properties")
PICTURES_OF_TIMES = ("time",)


@dataclass(frozen=True)
class Paths:
    """The files of a plan.

    pictures : the formats of a figure.
    """

    plan: Plan
    pictures: tuple[str, ...]

    @property
    def data(self) -> str:
        return self.plan.config["data"]

    @property
    def figures(self) -> str:
        return self.plan.config["figures"]

    def status(self, datasets: Iterable[str]) -> list[str]:
        """What could be had of the raw files of those data sets that are fetched."""
        return [f"{self.data}/raw/{name}.json" for name in datasets if not self.plan.bases(name)]

    @property
    def all_sources(self) -> str:
        """Which data sets of the run could be had, and from where; that depends on the config, as the figures do."""
        return f"{self.data}/sources/{self.figures}.csv"

    def sources(self, owner: str) -> str:
        """Which data sets of a paper or a comparison could be had."""
        return f"{self.data}/sources/{self.figures}/{owner}.csv"

    def prepared(self, datasets: Iterable[str], suffix: str = "npz") -> list[str]:
        return [f"{self.data}/prepared/{name}.{suffix}" for name in datasets]

    def splits(self, protocol: str, dataset: str) -> str:
        """The splits of a cell: the same at every rate of missing labels."""
        return f"{self.data}/splits/{self.plan.protocols[protocol].complete.id}/{dataset}.npz"

    def results(self, job: str) -> str:
        """What became of the cells of a job, and where their files are."""
        return f"{self.data}/results/{self.figures}/{job}.csv"

    def costs(self, job: str) -> str:
        """What the cells of a job took."""
        return f"{self.data}/costs/{self.figures}/{job}.csv"

    def block(self, job: str, name: str) -> str:
        """What a block of a job's queries took, whose cells are in the store."""
        return f"{self.data}/blocks/{self.figures}/{job}/{name}.csv"

    @property
    def division(self) -> str:
        """How jobs are divided; as long as it stands, they stay so."""
        return f"{self.data}/results/{self.figures}/division.json"

    def tried(self, key: str, unreached: Collection[str]) -> list[Cell]:
        """The cells of a comparison on the data that could be had."""
        return [cell for cell in cells_of(self.plan.entries(key)) if cell.dataset not in unreached]

    def comparison(self, key: str, ending: str) -> str:
        return f"{self.figures}/comparison/{key}{ending}"

    def comparison_pictures(self, key: str, kinds: Iterable[str]) -> list[str]:
        """Those of these kinds, one for each metric and rate of missing labels; ranks over one data set are none."""
        comparison = self.plan.comparisons[key]
        views = views_of(comparison["metrics"], self.plan.entries(key)) if len(comparison["datasets"]) > 1 else []
        names = [f"_{kind}_{view.name}" for view in views for kind in kinds]
        return [self.comparison(key, f"{name}.{suffix}") for name in names for suffix in self.pictures]

    def peer_causes(self, key: str) -> list[str]:
        """What two libraries predict otherwise, where that is tried."""
        tried = any("alike" in pair for pair in self.plan.comparisons[key].get("peers", []))
        return [self.comparison(key, "_peer_causes.csv")] if tried else []

    def comparison_files(self, key: str) -> list[str]:
        """All that a comparison gives but its page."""
        tables = [self.comparison(key, ending) for ending in (*COMPARISON_TABLES, *TIMED_TABLES)]
        return [
            *tables,
            *self.peer_causes(key),
            *self.comparison_pictures(key, (*PICTURES_OF_SCORES, *PICTURES_OF_TIMES)),
        ]

    def scale(self, paper: str) -> list[str]:
        """A measurement for each shape and scale that a paper's file has under `scale`."""
        return [
            f"{self.data}/scale/{paper}/{shape}/{scale:g}.json"
            for shape, sweep in self.plan.papers[paper]["scale"]["shapes"].items()
            for scale in sweep["scales"]
        ]
