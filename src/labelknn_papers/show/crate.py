"""A run's results as an RO-Crate 1.1 (https://w3id.org/ro/crate/1.1): what its files are and what they were made from.

The same results give the same bytes. So nothing here tells the time, the machine or the commit, which the uncommitted
data/provenance has, and files of measured times are left out: they are the only ones that differ from run to run.
"""

from __future__ import annotations

import csv
import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any
from urllib.parse import quote

from labelknn.utils._files import atomic
from labelknn_papers.plan.config import read_yaml
from labelknn_papers.plan.plan import Plan
from labelknn_papers.run.provenance import config_digest, versions
from labelknn_papers.show.contents import captions, file_name
from labelknn_papers.show.measured import without_measured

Entity = dict[str, Any]

METADATA = "ro-crate-metadata.json"
SPECIFICATION = "https://w3id.org/ro/crate/1.1"
# Version 1.1 has no term of its own for a digest; that of its extension for runs of workflows is the usual one.
CONTEXT = [f"{SPECIFICATION}/context", {"sha256": "https://w3id.org/ro/terms/workflow-run#sha256"}]
SNAKEMAKE = "https://w3id.org/workflowhub/workflow-ro-crate#snakemake"

MEASURED = ("cost.csv", "seconds.csv", "stages.csv", "times.csv", "claims_seconds.csv")

FORMATS = {
    ".csv": "text/csv",
    ".html": "text/html",
    ".md": "text/markdown",
    ".pdf": "application/pdf",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".tex": "text/x-tex",
}


def write_crate(path: str | PathLike, plan: Plan, files: Iterable[str], sources: str | PathLike) -> None:
    """Describe `files`, all of them below the folder of `path`; `sources` is the table of the data that were had."""
    folder = Path(path).parent
    kept = [folder / file for file in sorted({Path(file).relative_to(folder) for file in files})]
    content = {
        "@context": CONTEXT,
        "@graph": crate(plan, folder, [file for file in kept if file.name not in MEASURED], used_sources(sources)),
    }
    with atomic(path) as temporary:
        temporary.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n")


def used_sources(path: str | PathLike) -> dict[str, int]:
    """Which of its sources a data set was taken from, by its id; what was generated from others has none."""
    with open(path, newline="") as file:
        return {row["dataset"]: int(row["source"]) for row in csv.DictReader(file) if row["source"]}


def crate(plan: Plan, folder: Path, files: Sequence[Path], sources: Mapping[str, int]) -> list[Entity]:
    citation = read_yaml(plan.root / "CITATION.cff")
    authors = [_author(author) for author in citation["authors"]]
    licence = {
        "@id": f"https://spdx.org/licenses/{citation['license']}",
        "@type": "CreativeWork",
        "name": citation["license"],
    }
    papers = [_paper(reference) for reference in citation["references"]]
    writers = [_author(author) for reference in citation["references"] for author in reference["authors"]]
    software = [_software(name, version) for name, version in versions().items()]
    given = [_value("seed", plan.config["seed"]), _value("config-sha256", config_digest(plan))]
    data = [part for name, number in sources.items() for part in _raw_files(plan.datasets[name], name, number)]
    results = [_file(file, folder, _titles(plan)) for file in files]
    root = {
        "@id": "./",
        "@type": "Dataset",
        "name": f"{citation['title']}: results",
        "description": "Tables, figures and verdicts of reproduced papers, made by one run of a Snakemake workflow.",
        "datePublished": str(citation["date-released"]),
        "version": citation["version"],
        "author": _ids(authors),
        "license": _id(licence),
        "citation": _ids(papers),
        "mainEntity": {"@id": "#workflow"},
        "mentions": {"@id": "#run"},
        "hasPart": _ids(results),
    }
    workflow = {
        "@id": "#workflow",
        "@type": ["SoftwareSourceCode", "ComputationalWorkflow"],
        "name": citation["title"],
        "version": citation["version"],
        "author": _ids(authors),
        "license": _id(licence),
        "programmingLanguage": {"@id": SNAKEMAKE},
        "softwareRequirements": _ids(software),
    }
    run = {
        "@id": "#run",
        "@type": "CreateAction",
        "name": "The run that made these results",
        "instrument": _id(workflow),
        "object": _ids([*given, *data]),
        "result": _ids(results),
    }
    described = {
        "@id": METADATA,
        "@type": "CreativeWork",
        "conformsTo": {"@id": SPECIFICATION},
        "about": _id(root),
    }
    language = {
        "@id": SNAKEMAKE,
        "@type": "ComputerLanguage",
        "name": "Snakemake",
        "identifier": {"@id": "https://snakemake.github.io"},
    }
    everything = [described, root, workflow, run, language, licence, *authors, *papers, *writers, *software, *given]
    # Two papers may have an author in common: each entity is described once.
    return list({entity["@id"]: entity for entity in [*everything, *data, *results]}.values())


def _file(path: Path, folder: Path, titles: Mapping[str, str]) -> Entity:
    place = path.relative_to(folder)
    content = path.read_bytes()
    file = {
        "@id": quote(place.as_posix()),
        "@type": "File",
        "name": titles.get(place.with_suffix("").as_posix(), place.name),
        "encodingFormat": FORMATS[path.suffix],
    }
    # A page with measured times has other bytes in every run.
    if path.suffix == ".html" and (text := content.decode()) != without_measured(text):
        return file
    return {**file, "contentSize": str(len(content)), "sha256": hashlib.sha256(content).hexdigest()}


def _titles(plan: Plan) -> dict[str, str]:
    """Of tables and figures, by their place in the folder without the suffix."""
    found = {}
    for name, (title, _) in captions(plan).items():
        paper, _, part = name.rpartition("/")
        found["/".join(filter(None, (paper, file_name(part))))] = f"{paper}, {title}" if paper else title
    return found


def _raw_files(entry: Mapping[str, Any], dataset: str, source: int) -> list[Entity]:
    """The files of a data set; a file with another SHA-256 than the registry's would have been refused."""
    return [
        {
            "@id": f"#data/{quote(dataset)}/{quote(file)}",
            "@type": "CreativeWork",
            "name": f"{entry['title']}: {file}",
            **({"url": origin["urls"]} if "urls" in origin else {}),
            "sha256": origin["sha256"],
        }
        for file, origin in entry["sources"][source].get("files", {}).items()
    ]


def _author(author: Mapping[str, str]) -> Entity:
    """CITATION.cff names a person in parts, and anything else as a whole."""
    if "name" in author:
        return {"@id": _anchor(author["name"]), "@type": "Organization", "name": author["name"]}
    name = f"{author['given-names']} {author['family-names']}"
    return {"@id": _anchor(name), "@type": "Person", "name": name}


def _paper(reference: Mapping[str, Any]) -> Entity:
    return {
        "@id": _anchor(reference["title"]),
        "@type": "ScholarlyArticle",
        "name": reference["title"],
        "author": _ids([_author(author) for author in reference["authors"]]),
        "datePublished": str(reference["year"]),
        "description": reference["collection-title"],
    }


def _software(name: str, version: str) -> Entity:
    return {"@id": _anchor(name), "@type": "SoftwareApplication", "name": name, "version": version}


def _value(name: str, value: str | int) -> Entity:
    return {"@id": _anchor(name), "@type": "PropertyValue", "name": name, "value": value}


def _anchor(name: str) -> str:
    return "#" + quote(name.lower().replace(" ", "-"))


def _id(entity: Mapping[str, Any]) -> Entity:
    return {"@id": entity["@id"]}


def _ids(entities: Iterable[Mapping[str, Any]]) -> list[Entity]:
    return [_id(entity) for entity in entities]
