"""Whether every link inside a built site leads somewhere, to a file and to a place in it.

    python docs/check_links.py docs/_build/html

Links to other sites are not followed.
"""

import sys
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

LINKS = {"a": "href", "link": "href", "img": "src", "script": "src", "source": "src", "iframe": "src"}


class Page(HTMLParser):
    """The links of a page, and the places that can be linked to."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.places: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        found = dict(attrs)
        self.places |= {found[key] for key in ("id", "name") if found.get(key)}
        link = found.get(LINKS.get(tag, ""))
        if link:
            self.links.append(link)


@cache
def page(path: Path) -> Page:
    return Page(path.read_text(encoding="utf-8"))


def broken(site: Path) -> list[str]:
    """One line for each link that leads nowhere."""
    return [
        f"{path.relative_to(site)}: {link}"
        for path in sorted(site.rglob("*.html"))
        if "_static" not in path.relative_to(site).parts  # the theme's templates
        for link in dict.fromkeys(page(path).links)
        if not leads_somewhere(link, path, site)
    ]


def leads_somewhere(link: str, source: Path, site: Path) -> bool:
    parts = urlsplit(link)
    if parts.scheme or parts.netloc:
        return True
    target = source
    if parts.path:
        folder = site if parts.path.startswith("/") else source.parent
        target = folder / unquote(parts.path).lstrip("/")
        if target.is_dir():
            target /= "index.html"
    if not target.is_file():
        return False
    if not parts.fragment or target.suffix != ".html":
        return True
    return {unquote(parts.fragment), parts.fragment} & page(target).places != set() or parts.fragment == "top"


if __name__ == "__main__":
    found = broken(Path(sys.argv[1]))
    print("\n".join(found))
    sys.exit(f"{len(found)} links lead nowhere" if found else 0)
