"""Run a sample of the cells again, from raw data, and compare them bit by bit with figures/digests.csv.

    python workflow/scripts/verify.py --share 0.05 --seed 1
    python workflow/scripts/verify.py --cells 'public-split/yeast/*'

Ends with status 1 if a cell differs or could not be run. It is no script of a rule: it has Snakemake prepare the data,
in the folder data/verify, and runs the cells itself, those of a data set under a protocol in one process. The folder is
left behind if something was wrong, or if it is stopped; then the same command goes on from there.
"""

import argparse
import hashlib
import json
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import yaml

from labelknn.errors import ConfigError, LabelknnError
from labelknn_papers.plan.cells import Cell
from labelknn_papers.plan.config import merge, read_yaml
from labelknn_papers.plan.own import modules_folder
from labelknn_papers.plan.plan import Plan
from labelknn_papers.run.digests import Digest, draw_cells, read_digests
from labelknn_papers.run.group import Group
from labelknn_papers.run.job import SAME_BITS
from labelknn_papers.run.store import Result, deciding

ROOT = Path(__file__).resolve().parents[2]
# As Snakemake sets them for a job of one thread: several would add up in another order.
ONE_THREAD = dict.fromkeys(
    (
        "OMP_NUM_THREADS",
        "GOTO_NUM_THREADS",
        "OPENBLAS_NUM_THREADS",
        "MKL_NUM_THREADS",
        "VECLIB_MAXIMUM_THREADS",
        "NUMEXPR_NUM_THREADS",
    ),
    "1",
)


def main() -> None:
    options = parse_arguments()
    try:
        config = read_yaml(ROOT / "config/config.yaml")
        if options.configfile:
            config = merge(config, read_yaml(options.configfile))
        plan = Plan(config, ROOT)
        committed = read_digests(Path(config["figures"], "digests.csv"))
        owned = known_cells(plan, committed)
        drawn = named_cells(owned, options.cells) if options.cells else draw_cells(owned, options.share, options.seed)
    except LabelknnError as error:
        sys.exit(f"labelknn: {error}")
    scratch = Path(config["data"], "verify")
    verdicts = Verification(plan, scratch, {name: committed[name] for name in drawn}).run(options)
    for cell, found in verdicts.items():
        print(f"{found:32} {cell}")
    wrong = [cell for cell, found in verdicts.items() if found != "same"]
    owners = ", ".join(f"{len(set(cells) & set(drawn))} of {owner}" for owner, cells in owned.items())
    print(f"{len(drawn)} of {len(committed)} cells were run again ({owners}), {len(wrong)} of them are not the same.")
    if wrong:
        sys.exit(f"Not reproduced: {', '.join(wrong)}. What was run is in {scratch}.")
    shutil.rmtree(scratch)


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--share", type=float, default=0.05, help="of the cells of every paper (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="of the draw (default: %(default)s)")
    parser.add_argument("--cells", nargs="+", metavar="PATTERN", help="these instead, such as 'cv-5x10/yeast/*'")
    parser.add_argument("--cores", default="all", help="so many processes side by side (default: %(default)s)")
    parser.add_argument("--configfile", type=Path, help="laid over config/config.yaml, as in the run to be verified")
    return parser.parse_args()


def known_cells(plan: Plan, committed: Mapping[str, Digest]) -> dict[str, list[str]]:
    """The cells with a digest by paper and comparison; those of data sets that could not be had have none."""
    owned = {}
    for owner, cells in plan.cells_by_owner.items():
        owned[owner] = [cell.path for cell in cells if cell.path in committed]
        if cells and not owned[owner]:
            print(f"No cell of {owner} has a digest: none of it can be verified.")
    return owned


def named_cells(owned: Mapping[str, Iterable[str]], patterns: Iterable[str]) -> list[str]:
    cells = sorted({cell for of_owner in owned.values() for cell in of_owner})
    for pattern in patterns:
        if not any(fnmatchcase(cell, pattern) for cell in cells):
            raise ConfigError(f"no cell with a digest is called {pattern!r}; they are <protocol>/<data set>/<method>")
    return [cell for cell in cells if any(fnmatchcase(cell, pattern) for pattern in patterns)]


class Verification:
    """The cells of `committed` once more, and what became of them."""

    def __init__(self, plan: Plan, scratch: Path, committed: Mapping[str, Digest]) -> None:
        self.plan = plan
        self.scratch = scratch
        self.committed = committed
        self.verdicts = dict.fromkeys(committed, "NOT RUN")
        self._reported = 0
        self._lock = threading.Lock()
        modules = modules_folder(plan.config)
        self.modules = str(modules) if modules else None

    def run(self, options: argparse.Namespace) -> dict[str, str]:
        self.scratch.mkdir(parents=True, exist_ok=True)
        groups = self.groups()
        self.prepare(groups, options)
        ready = [group for group in groups if (self.scratch / group.splits).exists()]
        with ThreadPoolExecutor(os.cpu_count() if options.cores == "all" else int(options.cores)) as pool:
            list(pool.map(self.run_group, ready))
        return self.verdicts

    def groups(self) -> list[Group]:
        """The cells by protocol and data set."""
        cells: dict[tuple[str, str], list[Cell]] = {}
        for cell in self.plan.cells:
            if cell.path in self.committed:
                cells.setdefault((cell.protocol.id, cell.dataset), []).append(cell)
        return [
            Group(
                protocol=protocol,
                dataset=dataset,
                missing=list(of_group[0].protocol.missing),
                splits=f"data/splits/{of_group[0].protocol.complete.id}/{dataset}.npz",
                methods={cell.method: deciding(self.plan.methods[cell.method]) for cell in of_group},
                seed=self.plan.config["seed"],
                data="data",
                modules=self.modules,
            )
            for (protocol, dataset), of_group in cells.items()
        ]

    def prepare(self, groups: Iterable[Group], options: argparse.Namespace) -> None:
        """Data and splits, from raw data; what cannot be had has no splits in the end."""
        for name in self.plan.with_bases(group.dataset for group in groups):
            raw = Path(self.plan.config["data"], "raw", name)
            if raw.exists():  # nothing is downloaded twice; the SHA-256 of each file is looked at again
                copy = self.scratch / "data/raw" / name
                shutil.rmtree(copy, ignore_errors=True)
                shutil.copytree(raw, copy, copy_function=os.link)
        command = [sys.executable, "-m", "snakemake", "--snakefile", ROOT / "Snakefile", "--directory", self.scratch]
        # One that was stopped has left its lock.
        command += ["--cores", options.cores, "--keep-going", "--nolock", "--rerun-incomplete"]
        if options.configfile:
            own = self.scratch / "own.yaml"
            own.write_text(yaml.safe_dump(with_absolute_paths(read_yaml(options.configfile))))
            command += ["--configfile", own.resolve()]
        splits = dict.fromkeys(group.splits for group in groups)
        command += ["--config", "data=data", "figures=figures", "--", *splits]
        subprocess.run(command, env=self.environment(), check=False)

    def environment(self) -> dict[str, str]:
        """Kernels are compiled again: Numba does not see that a function which a cached one calls has been edited."""
        folders = [ROOT / "src", *([Path(self.modules)] if self.modules else [])]
        sources = sorted(path for folder in folders for path in folder.rglob("*.py"))
        content = hashlib.sha256(b"".join(path.read_bytes() for path in sources)).hexdigest()
        kernels = self.scratch / "kernels" / content[:16]
        return (
            os.environ
            | SAME_BITS
            | {
                "NUMBA_CACHE_DIR": str(kernels.resolve()),
                "PYTHONPATH": os.pathsep.join(map(str, [*folders[:1], os.getenv("PYTHONPATH", ""), *folders[1:]])),
                "LABELKNN_RUN": str(os.getpid()),
            }
        )

    def run_group(self, group: Group) -> None:
        process = subprocess.Popen(
            [sys.executable, "-m", "labelknn_papers.run.group"],
            cwd=self.scratch,
            env=self.environment() | ONE_THREAD,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert process.stdin
        assert process.stdout
        with process:
            process.stdin.write(group.to_json())
            process.stdin.close()
            for line in process.stdout:
                said = json.loads(line)
                self.report(Result(**said["result"]), said["seconds"])

    def report(self, found: Result, seconds: float) -> None:
        cell = found.cell
        if not found.reason:
            digest = Digest(cell, found.predictions_sha256, found.scores_sha256)
            differing = self.committed[cell].differing(digest)
            self.verdicts[cell] = f"DIFFERENT {' and '.join(differing)}" if differing else "same"
        with self._lock:
            self._reported += 1
            done = f"{self._reported} of {len(self.verdicts)}"
            print(
                f"{done} {self.verdicts[cell]}  {cell} {seconds:.1f} s  {found.reason}".rstrip(),
                file=sys.stderr,
                flush=True,
            )


def with_absolute_paths(config: dict[str, Any]) -> dict[str, Any]:
    """Files and modules of one's own start from the working directory, which is another one here."""
    if config.get("modules"):
        config["modules"] = str(Path(config["modules"]).expanduser().resolve())
    for entry in config.get("datasets", {}).values():
        for file in (file for source in entry.get("sources", []) for file in source.get("files", {}).values()):
            if "path" in file:
                file["path"] = str(Path(file["path"]).expanduser().resolve())
    return config


if __name__ == "__main__":
    main()
