"""Pictures as parts of a page that holds several of them and asks no host for anything."""

from __future__ import annotations

import re
from xml.etree import ElementTree

from markupsafe import Markup

from labelknn.errors import DataError
from labelknn_papers.show.reports import FigureReport

_SVG = "http://www.w3.org/2000/svg"
_XLINK = "http://www.w3.org/1999/xlink"


def inline_svg(figure: FigureReport, where: str) -> Markup:
    """The picture as an element of the page: no prologue, no metadata (it holds a date), ids that no other figure uses.

    Matplotlib calls the parts of every figure figure_1, axes_1, ...; side by side on one page they must differ.
    """
    try:
        root = ElementTree.fromstring(figure.svg)
    except ElementTree.ParseError as error:
        raise DataError(f"{where}: the figure is not well-formed SVG ({error})") from error
    if root.tag != f"{{{_SVG}}}svg":
        raise DataError(f"{where}: the figure's outermost element is {root.tag!r}, expected an svg element")
    prefix = where.replace("/", "-") + "-"
    for element in root.iter():
        for child in [child for child in element if child.tag in (f"{{{_SVG}}}metadata", f"{{{_SVG}}}script")]:
            element.remove(child)
        element.text = _own_references(element.text, prefix, where)
        if element.tag not in (f"{{{_SVG}}}text", f"{{{_SVG}}}tspan"):
            for child in element:  # line breaks between the parts of a picture are a tenth of its size
                child.tail = child.tail and child.tail.strip()
        for name, value in list(element.attrib.items()):
            local = name.rpartition("}")[2]
            if local == "id":
                element.set(name, prefix + value)
            elif local == "href":
                if not value.startswith(("#", "data:")):
                    raise DataError(f"{where}: the figure refers to {value!r}; it must contain all that it shows")
                element.set(name, f"#{prefix}{value[1:]}" if value.startswith("#") else value)
            elif local.startswith("on"):
                del element.attrib[name]
            else:
                element.set(name, _own_references(value, prefix, where) or "")
    root.set("role", "img")
    root.set("aria-label", f"{figure.title}: {figure.caption}")
    ElementTree.register_namespace("", _SVG)
    ElementTree.register_namespace("xlink", _XLINK)
    return Markup(ElementTree.tostring(root, encoding="unicode"))


def _own_references(text: str | None, prefix: str, where: str) -> str | None:
    """url(#clip) becomes url(#<prefix>clip); a url that leads out of the figure is refused."""
    for target in re.findall(r"url\(\s*['\"]?([^)'\"]*)", text or ""):
        if not target.startswith(("#", "data:")):
            raise DataError(f"{where}: the figure refers to {target!r}; it must contain all that it shows")
    return text and re.sub(r"(url\(\s*['\"]?#)", rf"\g<1>{prefix}", text)
