"""Files of paraphrases, as people make them."""

from __future__ import annotations

import csv
import gzip
import io
import json

import pytest

from analytics.json_lines import LINE_LIMIT
from questionbank.core.errors import ImportRefused, LineProblem
from questionbank.formats.pairs import PairRow, read_pair_file, review_lines
from tests.cases import each_case
from tests.questionbank.formats.files import saved


@pytest.fixture
def read(tmp_path):
    def rows(content: str | bytes, name: str = "pairs.jsonl") -> list:
        path = saved(tmp_path, content if isinstance(content, bytes) else content.encode(), name)
        return list(read_pair_file(path))

    return rows


PAIR = {"original": "Ann has 3 apples.", "paraphrase": "3 apples are Ann's."}


def test_json_lines_with_and_without_what_may_be_absent(read):
    content = json.dumps({**PAIR, "id": 7, "language": "EN", "label": 1}) + "\n\n" + json.dumps(PAIR) + "\n"
    assert read(content) == [
        (1, PairRow("7", PAIR["original"], PAIR["paraphrase"], "en", None, 1)),
        (3, PairRow("", PAIR["original"], PAIR["paraphrase"], "en", None)),
    ]


def test_csv_is_known_by_its_content_and_any_delimiter(read):
    content = 'id;original;paraphrase;question\r\nx;"Ann; and\nBob";Bob and Ann;\r\ny;;Another;12\r\n'
    assert read(content, "pairs.txt") == [
        (2, PairRow("x", "Ann; and\nBob", "Bob and Ann", "en", None)),
        (4, PairRow("y", "", "Another", "en", 12)),
    ]


def test_a_compressed_file_is_read(read):
    assert len(read(gzip.compress(json.dumps(PAIR).encode()), "pairs.jsonl.gz")) == 1


@each_case("pairs", "a_line_that_cannot_be_used_says_why_and_the_others_are_read")
def test_a_line_that_cannot_be_used_says_why_and_the_others_are_read(read, line, message):
    first, second = read(f"{line}\n{json.dumps(PAIR)}\n")
    assert isinstance(first[1], LineProblem)
    assert first[1].line == 1
    assert message in first[1].reason
    assert isinstance(second[1], PairRow)


def test_an_id_stands_once(read):
    lines = [{**PAIR, "id": pair_id, "extra": number} for number, pair_id in enumerate(("a", 7, None, "7", "b", None))]
    rows = read("\n".join(map(json.dumps, lines)))
    assert [row.id for _line, row in (*rows[:3], *rows[4:])] == ["a", "7", "", "b", ""]
    assert rows[3] == (4, LineProblem(4, "the id '7' is already used in line 2", "id"))


def test_bad_rows_of_a_table_have_their_line(read):
    rows = read("original,paraphrase\na,b\nc\nd,e,f\n", "pairs.csv")
    assert [(line, type(row)) for line, row in rows] == [(2, PairRow), (3, LineProblem), (4, LineProblem)]


def test_a_carriage_return_may_end_every_line(read):
    rows = read(b'original,paraphrase\ra,b\r"c\rd",e\r\xff,g\rh,i', "pairs.csv")
    assert [line for line, _row in rows] == [2, 3, 5, 6]
    assert [(row.original, row.paraphrase) for _line, row in rows[:2]] == [("a", "b"), ("c\rd", "e")]
    assert rows[2][1] == LineProblem(5, "invalid UTF-8 at byte 1 of the line (0xff)")
    assert rows[3][1].original == "h"


@pytest.mark.parametrize(
    ("start", "reason"),
    [
        (b"original,paraphrase,caf\xe9 \xff\xff\xff\n", "invalid UTF-8 at byte 24"),
        (b"original,paraphrase,\0\n", "a NUL character at byte 21"),
        (b"original,paraphrase," + b"x" * LINE_LIMIT + b"\n", "longer than 1,000,000 bytes"),
        (b"original " * 25_000, "needs the columns original and paraphrase"),  # one cell, over the limit
        (b'"original,paraphrase\n', "needs the columns original and paraphrase"),
    ],
)
def test_a_header_that_cannot_be_read_is_refused_and_swallows_no_row(read, start, reason):
    with pytest.raises(ImportRefused, match=reason) as refused:
        read(start + b"a,b\nc,d\n", "pairs.csv")
    assert [problem.line for problem in refused.value.problems] == [1]


@pytest.mark.parametrize("content", [b"", b" \n", b"once upon a time", b"PK\x03\x04zip"])
def test_a_file_that_is_none_of_ours_is_refused(read, content):
    with pytest.raises(ImportRefused):
        read(content)


@pytest.mark.parametrize(
    ("content", "pair"),
    [
        (
            "original;paraphrase\nGröße von ½?;Wie groß ist ½?\n".encode("windows-1252"),
            ("Größe von ½?", "Wie groß ist ½?"),
        ),
        (b"sep=|\noriginal|paraphrase\na|b\n", ("a", "b")),
        ("\ufeffOriginal\tParaphrase\né\tè\n".encode("utf-16-le"), ("é", "è")),
        ("原题,改写\n求 1+1 的值是多少,一加一等于几呢\n".encode("gb18030"), ("求 1+1 的值是多少", "一加一等于几呢")),
        (b"Pairs of May\n\nOriginal question,Rewording\na,b\n", ("a", "b")),
        ("Größe\nOriginal;Umformulierung\nä;ö\n".encode("mac-roman"), ("ä", "ö")),
    ],
)
def test_pairs_are_read_as_spreadsheets_save_them(read, content, pair):
    ((_line, row),) = read(content, "pairs.txt")
    assert (row.original, row.paraphrase) == pair


ROWS = [
    {"pair": 1, "comment": '=SUM("a")\n, twice', "random": True, "score": 0.25},
    {"pair": 2, "comment": "喜欢", "random": False, "score": None},
]


def test_json_lines_hold_the_values_as_they_are():
    lines = list(review_lines(ROWS, ["pair", "comment", "random", "score"], "jsonl"))
    assert [json.loads(line) for line in lines] == ROWS
    assert "喜欢" in lines[1]


def test_csv_holds_words_and_no_formula_that_a_spreadsheet_would_run():
    text = "".join(review_lines(ROWS, ["pair", "comment", "random", "score"], "csv"))
    assert list(csv.reader(io.StringIO(text.removeprefix("\ufeff"), newline=""))) == [
        ["pair", "comment", "random", "score"],
        ["1", '\'=SUM("a")\n, twice', "yes", "0.25"],
        ["2", "喜欢", "no", ""],
    ]


def test_a_csv_without_rows_has_its_header():
    assert list(review_lines([], ["pair"], "csv")) == ["\ufeffpair\r\n"]
