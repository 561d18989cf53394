"""Pages of made-up content, and a browser to look at them."""

import shutil
from dataclasses import replace

import pytest

from labelknn_papers.show.page import render_page

from .made_up import BALANCE, CLAIMS, FILES, OVERVIEW, STUDIES, UNREACHED, papers_of_the_project, with_record

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
QUIET = "--disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync"


@pytest.fixture(scope="session")
def papers():
    return papers_of_the_project()


@pytest.fixture(scope="session")
def page_text(papers) -> str:
    return render_page(papers, UNREACHED, STUDIES, OVERVIEW, FILES)


@pytest.fixture(scope="session")
def partial(papers):
    return [replace(paper, tables=[with_record(table) for table in paper.tables]) for paper in papers]


@pytest.fixture(scope="session")
def partial_text(partial) -> str:
    return render_page(partial, UNREACHED, STUDIES, OVERVIEW, FILES, balance=BALANCE, claims=CLAIMS)


@pytest.fixture(scope="session")
def browser():
    if BROWSER is None:
        pytest.skip("no chromium, chromium-browser or google-chrome in PATH")
    api = pytest.importorskip("playwright.sync_api")
    with api.sync_playwright() as playwright:
        chromium = playwright.chromium.launch(
            executable_path=BROWSER, chromium_sandbox=False, args=[*QUIET.split(), "--disable-gpu"]
        )
        yield chromium
        chromium.close()
