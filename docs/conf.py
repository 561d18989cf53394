"""How the site is built: ``make docs``, or sphinx-build -W --keep-going docs docs/_build/html.

Nothing is fetched but the data of the examples, and these do without. Extensions of ours are in sphinxext/.
"""

import os
import sys
from importlib.metadata import version as version_of
from pathlib import Path

DOCS = Path(__file__).parent
ROOT = DOCS.parent
sys.path.insert(0, str(DOCS / "sphinxext"))

import results  # noqa: E402 - beside this file

# The folder in which the workflow looks for a mirror of the data.
MIRROR = ROOT.parent / "shared" / "data"
if MIRROR.is_dir():
    os.environ.setdefault("LABELKNN_MIRROR", str(MIRROR))

project = "labelknn"
author = "The labelknn developers"
copyright = author
version = release = version_of("labelknn")

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "myst_parser",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
    "docstrings",
    "pages",
]
templates_path = ["_templates"]
exclude_patterns = ["_build", "sphinxext"]
nitpicky = True
default_role = "literal"

autosummary_generate = True
autodoc_typehints = "none"
autodoc_member_order = "bysource"
# The template of a class lists its members.
numpydoc_show_class_members = False

myst_enable_extensions = ["attrs_inline", "colon_fence", "deflist", "substitution"]
myst_heading_anchors = 3
myst_substitutions = results.numbers(ROOT)

copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

sphinx_gallery_conf = {
    "examples_dirs": str(ROOT / "examples"),
    "gallery_dirs": "gallery",
    "subsection_order": ["../examples/label_sets", "../examples/rankings", "../examples/own"],
    "within_subsection_order": "FileNameSortKey",
    "backreferences_dir": "api/backreferences",
    "doc_module": ("labelknn",),
    "inspect_global_variables": False,
    "remove_config_comments": True,
    "show_signature": False,
    "download_all_examples": False,
    "min_reported_time": 10_000,
    "write_computation_times": False,
    "image_scrapers": ("matplotlib",),
    "reset_modules": ("figures.style",),
}

html_theme = "pydata_sphinx_theme"
html_title = "labelknn"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_sourcelink = False
html_copy_source = False
html_logo = "_static/logo.svg"
html_favicon = "_static/logo.svg"
html_theme_options = {
    "logo": {"text": "labelknn"},
    "show_prev_next": False,
    "navbar_align": "left",
    "header_links_before_dropdown": 7,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "pygments_light_style": "tango",
    "pygments_dark_style": "monokai",
}
html_context = {"default_mode": "auto"}
# Pages without neighbours in their section need no bar for them.
html_sidebars = {"index": [], "start": [], "coming_from": []}
