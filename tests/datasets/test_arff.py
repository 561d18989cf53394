"""The ARFF parser: what it reads back, and what it refuses."""

import math

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy import sparse

from labelknn.datasets import _text as text
from labelknn.datasets._arff import read_arff
from labelknn.datasets._arff_rows import Attribute
from labelknn.errors import DataError

HEADER = "@relation r\n@attribute x numeric\n@attribute colour {red, 'dark blue'}\n@data\n"


def write(folder, content, name="t.arff"):
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def dense(table):
    return table.values.toarray() if sparse.issparse(table.values) else table.values


def test_dense_file_by_hand(tmp_path):
    content = (
        "% a comment\r\n@RELATION 'two words'\r\n\r\n"
        "@Attribute 'a name' REAL\r\n@attribute b\tinteger % why\r\n@ATTRIBUTE c {x, 'y z', \"it's\"}\r\n"
        "@attribute d string\r\n@DATA\r\n"
        '1.5, -2 ,x,one\r\n% between\r\n\r\n?,3e2,\'y z\',"two % three"\r\n.5,+4,"it\'s",one % end\r\n0,0,?,?\r\n'
    )
    table = read_arff(write(tmp_path, content))
    assert table.relation == "two words"
    assert table.attributes == (
        Attribute("a name", "numeric"),
        Attribute("b", "numeric"),
        Attribute("c", "nominal", ("x", "y z", "it's")),
        Attribute("d", "string", ("one", "two % three")),
    )
    expected = [[1.5, -2, 0, 0], [np.nan, 300, 1, 1], [0.5, 4, 2, 0], [0, 0, np.nan, np.nan]]
    np.testing.assert_array_equal(table.values, expected)


def test_sparse_file_by_hand(tmp_path):
    content = (
        "@relation r\n@attribute x numeric\n@attribute c {no, yes, 'may be'}\n@attribute s string\n@data\n"
        "{0 2.5, 2 word}\n{}\n{ 1 'may be' } % c\n{0 ?,1 no,2 'two words'}\n{1 yes}\n"
    )
    table = read_arff(write(tmp_path, content))
    assert sparse.issparse(table.values)
    assert table.attributes[2].levels == ("", "word", "two words")  # an absent string is empty
    expected = [[2.5, 0, 1], [0, 0, 0], [0, 2, 0], [np.nan, 0, 2], [0, 1, 0]]
    np.testing.assert_array_equal(table.values.toarray(), expected)
    assert table.values.nnz == 6  # the explicit 'no' is no entry


def test_unquoted_names_are_taken_letter_by_letter(tmp_path):
    content = (
        "@relation r\n@attribute TAG_m\\'usica {0,1}\n@attribute dise\\~no{0,1}\n@attribute 0; {0,1}\n@data\n0,1,1\n"
    )
    table = read_arff(write(tmp_path, content))
    assert [attribute.name for attribute in table.attributes] == ["TAG_m\\'usica", "dise\\~no", "0;"]


def test_quoted_names_are_unescaped(tmp_path):
    content = r"""@attribute 'm\'usica' real
@attribute "say \"%\"" real
@attribute 'tab\tand \\ and \q' real
@data
1,2,3
"""
    names = [attribute.name for attribute in read_arff(write(tmp_path, content)).attributes]
    assert names == ["m'usica", 'say "%"', "tab\tand \\ and \\q"]


def test_latin_1_is_read_where_utf_8_fails(tmp_path):
    content = "@attribute größe real\n@data\n1\n"
    for encoding in ("utf-8", "latin-1"):
        assert read_arff(write(tmp_path, content.encode(encoding))).attributes[0].name == "größe"


def test_keel_header(tmp_path):
    content = (
        "@relation iris\n@attribute SepalLength real [4.3, 7.9]\n@attribute n integer[0,10]\n@attribute Class {a, b}\n"
        "@inputs SepalLength, n\n@outputs Class\n@data\n5.1, 3, b\n"
    )
    table = read_arff(write(tmp_path, content))
    assert [attribute.kind for attribute in table.attributes] == ["numeric", "numeric", "nominal"]
    np.testing.assert_array_equal(table.values, [[5.1, 3, 1]])


@pytest.mark.parametrize(
    ("content", "line", "reason"),
    [
        (HEADER + "1,red\n2\n", 6, "1 values, expected 2"),
        (HEADER + "1,red,3\n", 5, "3 values, expected 2"),
        (HEADER + "1,red,\n", 5, "3 values, expected 2"),
        (HEADER + ",red\n", 5, "empty value"),
        (HEADER + "x1,red\n", 5, "'x1'; expected a finite number"),
        (HEADER + "1_000,red\n", 5, "'1_000'; expected a finite number"),
        (HEADER + "nan,red\n", 5, "'nan'; expected a finite number"),
        (HEADER + "1e999,red\n", 5, "'1e999'; expected a finite number"),
        (HEADER + "1,green\n", 5, "'green'; expected one of its levels"),
        (HEADER + "1,'dark blue\n", 5, "unclosed quote"),
        (HEADER + "1, 'dark blue\n", 5, "unclosed quote"),
        (HEADER + "1,'red' x\n", 5, "unexpected text after the quoted value"),
        (HEADER + "1,red\n{0 1}\n", 6, "a sparse row in a file that started with dense rows"),
        (HEADER + "{0 1}\n1,red\n", 6, "a dense row in a file that started with sparse rows"),
        (HEADER + "{2 1}\n", 5, "sparse index 2 is out of range"),
        (HEADER + "{99999999999999999999 1}\n", 5, "is out of range"),
        (HEADER + "{-1 red}\n", 5, "sparse index -1 is out of range"),
        (HEADER + "{0 1,0 2}\n", 5, "sparse index 0 after 0"),
        (HEADER + "{1 red,0 2}\n", 5, "sparse index 0 after 1"),
        (HEADER + "{0 1,1 re", 5, "cut off"),
        (HEADER + "{0 1,1", 5, "cut off"),
        (HEADER + "{0 1,", 5, "cut off"),
        (HEADER + "{0}\n", 5, "expected 'index value', found '0}'"),
        (HEADER + "{0 1,}\n", 5, "expected 'index value'"),
        (HEADER + "{0 1 1 red}\n", 5, "'1 1 red'; expected a finite number"),
        (HEADER + "{0 1} {5}\n", 5, "after the row's brace"),
        (HEADER + "{1 'dark blue}\n", 5, "unclosed quote"),
        ("@attribute x numeric\n@attribute x real\n@data\n1,2\n", 2, "'x' is declared twice"),
        ("@attribute x date\n@data\n1\n", 1, "has the type 'date'"),
        ("@attribute 'x numeric\n@data\n1\n", 1, "unclosed quote"),
        ("@attribute\n@data\n1\n", 1, "without a name"),
        ("@attribute c {a, 'b}\n@data\na\n", 1, "unclosed quote or brace"),
        ("@attribute c {a, b\n@data\na\n", 1, "unclosed quote or brace"),
        ("@attribute c {a, a}\n@data\na\n", 1, "'a' twice"),
        ("@attribute c {a,,b}\n@data\na\n", 1, "empty level"),
        ("@attribute c {a} b\n@data\na\n", 1, "unexpected 'b'"),
        ("@relation r\n@data\n1\n", 2, "@data before any @attribute"),
        ("@attribute x real\n1\n", 2, "expected @relation, @attribute or @data"),
    ],
)
def test_malformed_files_name_line_and_reason(tmp_path, content, line, reason):
    path = write(tmp_path, content)
    with pytest.raises(DataError) as error:
        read_arff(path)
    assert str(error.value).startswith(f"{path}, line {line}: ")
    assert reason in str(error.value)


@pytest.mark.parametrize(
    ("content", "reason"),
    [("@attribute x real\n", "no @data line"), ("", "no @data line"), ("@attribute x real\n@data\n", "no rows")],
)
def test_cut_off_headers(tmp_path, content, reason):
    with pytest.raises(DataError, match=reason):
        read_arff(write(tmp_path, content))


def test_overlong_line_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(text, "MAX_LINE", 100)
    with pytest.raises(DataError, match="line 5: the line has more than 100 bytes"):
        read_arff(write(tmp_path, HEADER + "1" * 101 + ",red\n"))


def test_missing_file(tmp_path):
    with pytest.raises(DataError, match=r"none\.arff: cannot be read"):
        read_arff(tmp_path / "none.arff")


# Words without control characters; what needs quotes gets them when written.
words = st.text(
    st.characters(exclude_categories=("C", "Z"), max_codepoint=0x2FF) | st.just(" "), min_size=1, max_size=8
)
numbers = st.floats(allow_nan=False, allow_infinity=False) | st.integers(-5, 5).map(float)


@st.composite
def tables(draw):
    names = draw(st.lists(words, min_size=1, max_size=5, unique=True))
    attributes = []
    for name in names:
        kind = draw(st.sampled_from(["numeric", "nominal", "string"]))
        levels = draw(st.lists(words, min_size=1, max_size=4, unique=True)) if kind == "nominal" else []
        attributes.append(Attribute(name, kind, tuple(levels)))
    cell = {
        "numeric": lambda attribute: numbers,
        "nominal": lambda attribute: st.sampled_from(attribute.levels),
        "string": lambda attribute: words,
    }
    row = st.tuples(*[st.none() | cell[attribute.kind](attribute) for attribute in attributes])
    return attributes, draw(st.lists(row, min_size=1, max_size=6))


def quote(word, draw):
    plain = word.strip() == word and not set(word) & set(" ,{}%'\"\\?@")
    if plain and draw(st.booleans()):
        return word
    mark = draw(st.sampled_from("'\""))
    return mark + word.replace("\\", "\\\\").replace(mark, "\\" + mark) + mark


def arff_text(attributes, rows, is_sparse, draw):
    """The table in one of the many ways in which it can be written."""
    end = draw(st.sampled_from(["\n", "\r\n"]))
    lines = ["@relation r"]
    for attribute in attributes:
        kind = attribute.kind
        if kind == "nominal":
            kind = "{" + draw(st.sampled_from([",", ", "])).join(quote(level, draw) for level in attribute.levels) + "}"
        lines.append(f"{draw(st.sampled_from(['@attribute', '@ATTRIBUTE']))} {quote(attribute.name, draw)} {kind}")
    lines.append("@data")
    for row in rows:
        cells = ["?" if v is None else repr(v) if isinstance(v, float) else quote(v, draw) for v in row]
        if is_sparse:
            absent = [
                v == (attribute.levels[0] if attribute.levels else 0.0)
                for v, attribute in zip(row, attributes, strict=True)
            ]
            cells = [f"{column} {cell}" for column, cell in enumerate(cells) if not absent[column]]
        body = draw(st.sampled_from([",", " , "])).join(cells)
        comment = draw(st.sampled_from(["", " % it's a comment"]))
        lines.append(("{" + body + "}" if is_sparse else body) + comment)
        lines.extend(draw(st.sampled_from([[], [""], ["% 1,2,3"]])))
    return end.join(lines) + draw(st.sampled_from(["", end]))


@given(tables(), st.booleans(), st.data())
@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_table_is_read_back(tmp_path, table, is_sparse, data):
    attributes, rows = table
    found = read_arff(write(tmp_path, arff_text(attributes, rows, is_sparse, data.draw)))
    assert [a.name for a in found.attributes] == [a.name for a in attributes]
    assert sparse.issparse(found.values) == is_sparse
    values = dense(found)
    assert values.shape == (len(rows), len(attributes))
    for row, numbers_found in zip(rows, values, strict=True):
        for value, number, attribute in zip(row, numbers_found, found.attributes, strict=True):
            if value is None:
                assert math.isnan(number)
            elif attribute.kind == "numeric":
                assert number == value
            else:
                assert attribute.levels[int(number)] == value
