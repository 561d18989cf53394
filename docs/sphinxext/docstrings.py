"""Our docstrings, in the form that numpydoc reads.

They name a parameter's meaning where numpydoc expects its type, since the signature has the type and the default:

    k : number of neighbours.     becomes     k : int, default=10
                                                  Number of neighbours.

An example at the end becomes a section, and a paper's key a link to its page.
"""

import inspect
import re

SECTIONS = ("Parameters", "Attributes", "References", "Examples", "Returns", "Notes", "See Also")
PAPERS = re.compile(r"\b(brinker2007|cheng2009|chiang2012|feremans2017|zhang2005)\b")
# "name : meaning" or "name, name : meaning", at the start of a line.
ENTRY = re.compile(r"^(?P<names>\w+(, \w+)*) : (?P<meaning>.*)$")
LITERAL = re.compile(r"(``.+?``|`[^`]+`)")


def setup(app):
    # Before numpydoc's own, whose priority is 500.
    app.connect("autodoc-process-docstring", process, priority=100)
    app.connect("autodoc-skip-member", skip)
    return {"parallel_read_safe": True}


def skip(app, what, name, thing, skipped, options):
    """Leave out what scikit-learn's classes bring along; every reader knows get_params."""
    module = getattr(thing, "__module__", "labelknn") or "labelknn"
    return True if not module.startswith("labelknn") else None


def process(app, what, name, thing, options, lines):
    if not lines or what == "module":
        return
    lines[:] = rewritten(lines, parameters_of(thing), isinstance(thing, type))


def rewritten(lines, parameters, is_class=False):
    """The lines of a docstring with entries, example and links as above."""
    parts = {None: []}
    section = None
    numbered = list(lines)
    while numbered:
        line = numbered.pop(0)
        if line in SECTIONS and numbered and re.fullmatch("-{3,}", numbered[0]):
            section = line
            numbered.pop(0)
            parts.setdefault(section, [])
        elif line.startswith(">>> ") and section != "Examples" and _is_before_end(numbered):
            section = "Examples"
            parts.setdefault(section, []).append(line)
        else:
            parts[section].append(line)
    text = parts.pop(None)
    if "Parameters" not in parts and "Attributes" not in parts:
        text, entries = _loose_entries(text, parameters, is_class)
        if entries:
            parts["Attributes" if is_class and not _all_known(entries, parameters) else "Parameters"] = entries
    found = [escaped(line) for line in text]
    for title in sorted(parts, key=lambda title: SECTIONS.index(title)):
        content = parts[title]
        if title in ("Parameters", "Attributes"):
            content = list(_entries(content, parameters))
        elif title == "References":
            content = [PAPERS.sub(r":doc:`\1 </results/\1>`", escaped(line)) for line in content]
        found += ["", title, "-" * len(title), *content]
    return found


def _is_before_end(rest):
    """Whether an example is the end of the docstring: nothing but code, output and text between them follows."""
    return not any(re.fullmatch("-{3,}", line) for line in rest)


def _loose_entries(text, parameters, is_class):
    """Entries that stand at the end of the text under no heading."""
    blocks = "\n".join(text).strip().split("\n\n")
    for number, block in enumerate(blocks):
        lines = block.split("\n")
        matches = [ENTRY.match(line) for line in lines if not line.startswith(" ")]
        if number and all(matches) and (is_class or _known(matches[0], parameters)):
            rest = "\n\n".join(blocks[:number] + blocks[number + 1 :])
            return rest.split("\n"), lines
    return text, []


def _known(match, parameters):
    return match["names"].split(", ")[0] in parameters


def _all_known(entries, parameters):
    return all(_known(match, parameters) for match in map(ENTRY.match, entries) if match)


def _entries(lines, parameters):
    for line in lines:
        match = ENTRY.match(line)
        if match is None:
            yield escaped(line)
            continue
        names = match["names"].split(", ")
        kind = _type(parameters[names[0]]) if names[0] in parameters else ""
        yield f"{match['names']}{f' : {kind}' if kind else ''}"
        meaning = match["meaning"]
        yield "    " + escaped(meaning[:1].upper() + meaning[1:] if _is_a_word(meaning) else meaning)


def _is_a_word(meaning):
    """Whether a meaning starts with a word of English, not with a symbol, a shape or a literal."""
    return re.match(r"[a-z]{2,}\b(?!\s*[=(])", meaning) or meaning.startswith("a ")


def _type(parameter):
    kind = parameter.annotation
    if kind is inspect.Parameter.empty:
        text = ""
    else:
        text = kind if isinstance(kind, str) else getattr(kind, "__name__", str(kind))
        text = text.replace(" | ", " or ").replace("os.PathLike[str]", "path").replace("Any", "object")
        text = {
            "FilePath": "path",
            "Matrix": "array, sparse matrix or DataFrame",
            "Sequence[int]": "sequence of int",
        }.get(text, text)
        text = re.sub(r"Sequence\[(\w+)\]", r"sequence of \1", text)
        text = re.sub(r"Mapping\[.*\]", "dict", text)
    if parameter.default is inspect.Parameter.empty:
        return text
    return ", ".join(filter(None, [text, f"default={parameter.default!r}"]))


def parameters_of(thing):
    try:
        return inspect.signature(thing).parameters
    except (TypeError, ValueError):
        return {}


def escaped(line):
    """What is mathematics in our text, and markup in reStructuredText: |w|, a name with an underscore at its end."""
    if line.startswith((">>> ", "... ")):
        return line
    pieces = LITERAL.split(line)
    return "".join(piece if number % 2 else _plain(piece) for number, piece in enumerate(pieces))


def _plain(text):
    text = re.sub(r"\|", r"\\|", text)
    text = re.sub(r"(?<=\w)_(?=\W|$)", r"\\_", text)
    return re.sub(r"\*(?=\w)", r"\\*", text)
