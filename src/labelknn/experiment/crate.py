"""A results folder that says what it holds: its files as an RO-Crate (w3id.org/ro/crate/1.1), and what made them.

The crate's metadata depend on the results alone, so that the same results have the same metadata on every machine. What
differs from run to run (commit, machine, versions) stands in a file of its own, run.json.
"""

from __future__ import annotations

import hashlib
import json
import mimetypes
import os
import platform
import subprocess
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from labelknn.errors import DataError
from labelknn.experiment.provenance import versions
from labelknn.files import atomic

METADATA = "ro-crate-metadata.json"
RUN = "run.json"

# What differs from run to run has no digest.
VOLATILE = (RUN, "cost.csv")

_LICENSE = "https://spdx.org/licenses/BSD-3-Clause"
_TYPES = {".md": "text/markdown", ".tex": "application/x-tex", ".csv": "text/csv", ".svg": "image/svg+xml"}


def crate(folder: Path, papers: Mapping[str, Mapping[str, Any]], published: str) -> dict[str, Any]:
    """The metadata of all files in `folder`.

    papers : by key, with title, authors, venue and year.
    published : the date of the results, as 2026-01-31; a crate must have one.
    """
    if not (folder / "index.html").is_file():
        raise DataError(f"{folder}: no index.html; a complete run writes it")
    files = [_file(folder, path) for path in sorted(_results(folder))]
    works = [_work(key, paper) for key, paper in papers.items()]
    workflow = {
        "@id": "#labelknn",
        "@type": ["SoftwareSourceCode", "ComputationalWorkflow"],
        "name": "labelknn",
        "version": versions()["labelknn"],
        "programmingLanguage": {"@id": "https://w3id.org/workflowhub/workflow-ro-crate#snakemake"},
        "license": {"@id": _LICENSE},
    }
    root = {
        "@id": "./",
        "@type": "Dataset",
        "name": "Nearest-neighbour learning of label sets and label rankings, reproduced",
        "description": "Tables and figures of the papers, each published number beside the reproduced one.",
        "datePublished": published,
        "license": {"@id": _LICENSE},
        "mainEntity": {"@id": "index.html"},
        "isBasedOn": [{"@id": work["@id"]} for work in works],
        "hasPart": [{"@id": file["@id"]} for file in files],
    }
    descriptor = {
        "@id": METADATA,
        "@type": "CreativeWork",
        "conformsTo": {"@id": "https://w3id.org/ro/crate/1.1"},
        "about": {"@id": "./"},
    }
    made = {
        "@id": "#run",
        "@type": "CreateAction",
        "name": "The run of the workflow",
        "instrument": {"@id": workflow["@id"]},
        "result": [{"@id": "./"}],
        "object": [{"@id": RUN}],
    }
    licence = {"@id": _LICENSE, "@type": "CreativeWork", "name": "BSD 3-Clause"}
    language = {
        "@id": "https://w3id.org/workflowhub/workflow-ro-crate#snakemake",
        "@type": "ComputerLanguage",
        "name": "Snakemake",
    }
    graph = [descriptor, root, workflow, language, made, licence, *works, *files]
    return {"@context": "https://w3id.org/ro/crate/1.1/context", "@graph": graph}


def describe_run(config: Mapping[str, Any], root: Path, prepared: Iterable[str]) -> dict[str, Any]:
    """What a run was made with: versions, commit, config, seed, data and machine.

    root : the checkout.
    prepared : the prepared data sets, of which the digests are kept.
    """
    return {
        "versions": dict(versions()),
        "commit": _commit(root),
        "config": dict(config),
        "config_sha256": hashlib.sha256(json.dumps(config, sort_keys=True).encode()).hexdigest(),
        "seed": config["seed"],
        "data_sha256": {Path(path).stem: _sha256(Path(path)) for path in sorted(prepared)},
        "machine": {"system": platform.platform(), "processor": platform.machine(), "cores": os.cpu_count()},
    }


def write_json(path: str | os.PathLike, content: Mapping[str, Any]) -> None:
    with atomic(path) as temporary:
        temporary.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n")


def _results(folder: Path) -> Iterable[Path]:
    for path in folder.rglob("*"):
        if path.is_file() and path.name != METADATA and not path.name.startswith("."):
            yield path


def _file(folder: Path, path: Path) -> dict[str, Any]:
    name = path.relative_to(folder).as_posix()
    kind = _TYPES.get(path.suffix) or mimetypes.guess_type(name)[0] or "application/octet-stream"
    entity: dict[str, Any] = {"@id": name, "@type": "File", "name": name, "encodingFormat": kind}
    if name not in VOLATILE:
        entity |= {"contentSize": str(path.stat().st_size), "sha256": _sha256(path)}
    return entity


def _work(key: str, paper: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "@id": f"#{key}",
        "@type": "ScholarlyArticle",
        "name": paper["title"],
        "author": paper["authors"],
        "isPartOf": paper["venue"],
        "datePublished": str(paper["year"]),
    }


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _commit(root: Path) -> str | None:
    """The commit of the checkout, with a plus sign if files differ from it; None if it is no checkout."""
    try:
        head = subprocess.run(["git", "-C", str(root), "rev-parse", "HEAD"], capture_output=True, text=True, check=True)
        changed = subprocess.run(
            ["git", "-C", str(root), "status", "--porcelain", "--untracked-files=no", "src", "workflow", "config"],
            capture_output=True,
            text=True,
            check=True,
        )
    except (OSError, subprocess.CalledProcessError):
        return None
    return head.stdout.strip() + ("+" if changed.stdout else "")
