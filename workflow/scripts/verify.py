"""Run a sample of the cells again, from raw data, and compare them bit by bit with figures/digests.csv.

    python workflow/scripts/verify.py --share 0.05 --seed 1

Ends with status 1 if a cell differs or could not be run. It is no script of a rule: it calls Snakemake itself, in the
folder data/verify, which it leaves behind only if something was wrong.
"""

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import yaml

from labelknn.errors import LabelknnError
from labelknn_papers.plan.config import merge, read_yaml
from labelknn_papers.plan.plan import Plan
from labelknn_papers.run.digests import Digest, digest_cell, draw_cells, read_digests

ROOT = Path(__file__).resolve().parents[2]


def main() -> None:
    options = parse_arguments()
    try:
        config = read_yaml(ROOT / "config/config.yaml")
        if options.configfile:
            config = merge(config, read_yaml(options.configfile))
        plan = Plan(config, ROOT)
        committed = read_digests(Path(config["figures"], "digests.csv"))
        owned = known_cells(plan, committed)
        drawn = draw_cells(owned, options.share, options.seed)
    except LabelknnError as error:
        sys.exit(f"labelknn: {error}")
    scratch = Path(config["data"], "verify")
    run_again(scratch, drawn, plan, options)
    verdicts = {cell: verdict(scratch, committed[cell]) for cell in drawn}
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
    parser.add_argument("--cores", default="all", help="for Snakemake (default: %(default)s)")
    parser.add_argument("--configfile", type=Path, help="laid over config/config.yaml, as in the run to be verified")
    return parser.parse_args()


def known_cells(plan: Plan, committed: dict[str, Digest]) -> dict[str, list[str]]:
    """The cells with a digest by paper and study; those of data sets that could not be had have none."""
    owned = {}
    for owner, cells in plan.cells_by_owner.items():
        owned[owner] = [cell.path for cell in cells if cell.path in committed]
        if cells and not owned[owner]:
            print(f"No cell of {owner} has a digest: none of it can be verified.")
    return owned


def run_again(scratch: Path, drawn: list[str], plan: Plan, options: argparse.Namespace) -> None:
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir(parents=True)
    datasets = plan.with_bases([cell.split("/")[1] for cell in drawn])
    for folder in (Path(plan.config["data"], "raw", name) for name in datasets):
        if folder.exists():  # nothing is downloaded twice; the SHA-256 of each file is looked at again
            shutil.copytree(folder, scratch / "data/raw" / folder.name, copy_function=os.link)
    command = [sys.executable, "-m", "snakemake", "--snakefile", ROOT / "Snakefile", "--directory", scratch]
    command += ["--cores", options.cores, "--keep-going"]
    if options.configfile:
        own = scratch / "own.yaml"
        own.write_text(yaml.safe_dump(with_absolute_paths(read_yaml(options.configfile))))
        command += ["--configfile", own.resolve()]
    command += ["--config", "data=data", "figures=figures", "--", *(f"data/scores/{cell}.csv" for cell in drawn)]
    # Kernels are compiled again too: Numba does not see that a function which a cached one calls has been edited.
    environment = os.environ | {"NUMBA_CACHE_DIR": str((scratch / "kernels").resolve())}
    subprocess.run(command, env=environment, check=False)  # what failed has no result, and is named as such


def with_absolute_paths(config: dict[str, Any]) -> dict[str, Any]:
    """Files and modules of one's own start from the working directory, which is another one here."""
    if config.get("python_path"):
        config["python_path"] = str(Path(config["python_path"]).expanduser().resolve())
    for entry in config.get("datasets", {}).values():
        for file in (file for source in entry.get("sources", []) for file in source.get("files", {}).values()):
            if "path" in file:
                file["path"] = str(Path(file["path"]).expanduser().resolve())
    return config


def verdict(scratch: Path, committed: Digest) -> str:
    predictions = scratch / f"data/predictions/{committed.cell}.npz"
    scores = scratch / f"data/scores/{committed.cell}.csv"
    if not (predictions.exists() and scores.exists()):
        return "NOT RUN"
    differing = committed.differing(digest_cell(predictions, scores))
    return f"DIFFERENT {' and '.join(differing)}" if differing else "same"


if __name__ == "__main__":
    main()
