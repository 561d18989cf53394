"""A copy of the repository whose files can be edited: what a plan reads of it, or all that the workflow needs."""

import shutil

import yaml

from labelknn_papers.plan.config import merge, read_yaml

from .conftest import ROOT

CONFIG = read_yaml(ROOT / "config/config.yaml")
READ = ("config", "workflow/schemas")
RUN = ("CITATION.cff", "Snakefile", "config", "envs", "src", "workflow")


def checkout(folder, edits=None, parts=READ):
    """The copy in `folder`. Compiled kernels are copied with their sources' times.

    edits : by the path of a YAML file, what is laid over it.
    """
    for part in parts:
        (folder / part).parent.mkdir(parents=True, exist_ok=True)
        copy = shutil.copytree if (ROOT / part).is_dir() else shutil.copy2
        copy(ROOT / part, folder / part)
    for name, changes in (edits or {}).items():
        (folder / name).write_text(yaml.safe_dump(merge(read_yaml(folder / name), changes), sort_keys=False))
    return folder
