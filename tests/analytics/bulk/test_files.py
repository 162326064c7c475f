from __future__ import annotations

import gzip

import pyarrow
import pyarrow.parquet
import pytest

from analytics.bulk.files import find_files, read_blocks
from analytics.errors import DataError
from tests.analytics.bulk.conftest import TEXTS, write_lines


def rows(path, size, fields=("text",)):
    return [(block.name, list(block.rows), block.passed_over) for block in read_blocks(path, fields, size)]


def parquet_file(path, columns, row_group_size):
    pyarrow.parquet.write_table(pyarrow.table(columns), path, row_group_size=row_group_size)
    return path


def test_a_block_of_json_lines_is_so_many_lines_also_of_a_compressed_file(questions, tmp_path):
    packed = tmp_path / "packed.jsonl.gz"
    packed.write_bytes(gzip.compress(questions.read_bytes()))
    blocks = rows(questions, 20)
    assert [name for name, *_rest in blocks] == [f"questions.jsonl-{n:06d}" for n in range(3)]
    assert [row for _name, part, _ in blocks for row in part] == [(str(n), (t,)) for n, t in enumerate(TEXTS)]
    assert [rest for _name, *rest in rows(packed, 20)] == [rest for _name, *rest in blocks]


def test_a_block_of_parquet_has_rows_of_one_row_group_and_no_more_than_asked_for(tmp_path):
    path = parquet_file(tmp_path / "q.parquet", {"id": list(range(50)), "text": TEXTS}, 20)
    blocks = rows(path, 15)
    assert [len(part) for _name, part, _ in blocks] == [15, 5, 15, 5, 10]
    assert [row for _name, part, _ in blocks for row in part] == [(str(n), (t,)) for n, t in enumerate(TEXTS)]


def test_a_question_in_parts_is_read_whole(tmp_path):
    path = write_lines(tmp_path / "q.jsonl", [{"text": "Add.", "grading": {"parts": [{"text": "2 and 3"}]}}])
    assert rows(path, 3) == [("q.jsonl-000000", [("", ("Add.\n2 and 3",))], 0)]


def test_rows_without_a_text_are_passed_over_and_ids_are_optional(tmp_path):
    path = write_lines(
        tmp_path / "q.jsonl", [{"text": "a"}, {"path": ["Maths"]}, {"id": 0, "text": "b"}, {"id": "x", "text": "  "}]
    )
    assert rows(path, 3) == [("q.jsonl-000000", [("", ("a",)), ("0", ("b",))], 1), ("q.jsonl-000001", [], 1)]
    path = parquet_file(tmp_path / "q.parquet", {"text": ["a", None], "more": [1, 2]}, 10)
    assert rows(path, 10) == [("q.parquet-000000", [("", ("a",))], 1)]


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("q.jsonl", b'{"text": "a"}\n{"text": 5}\n', r"q\.jsonl, line 2: text is not a string\."),
        ("q.jsonl", b'{"text": "a"}\n{"text"\n', r"q\.jsonl, line 2: not JSON"),
        ("q.parquet", b"PAR1 no Parquet at all", r"q\.parquet cannot be read as Parquet: .*\.$"),
        ("q.parquet", b"", r"cannot be read as Parquet"),
        ("q.csv", b"text\na\n", r"is neither Parquet"),
    ],
)
def test_what_cannot_be_read_is_named_with_its_place(tmp_path, name, content, reason):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(DataError, match=reason):
        [list(read_blocks(file, ("text",), 10)) for file in find_files([str(tmp_path / name)])]


@pytest.mark.parametrize(
    ("columns", "reason"),
    [
        ({"question": ["a"]}, "has no column 'text'; it has question"),
        ({"text": [1, 2]}, r"row 1: text is not a string"),
        ({"text": ["a", "b", "a\0b"]}, r"row 3: text holds a NUL character"),
    ],
)
def test_parquet_without_usable_texts_says_what_is_there(tmp_path, columns, reason):
    path = parquet_file(tmp_path / "q.parquet", columns, 2)
    with pytest.raises(DataError, match=reason):
        list(read_blocks(path, ("text",), 1))


def test_a_parquet_file_that_is_damaged_in_the_middle_is_refused(tmp_path):
    path = parquet_file(tmp_path / "q.parquet", {"text": [f"{text} {n}" for n, text in enumerate(TEXTS)]}, 50)
    content = bytearray(path.read_bytes())
    content[len(content) // 8 : len(content) // 2] = bytes(len(content) // 2 - len(content) // 8)
    path.write_bytes(content)
    with pytest.raises(DataError, match="cannot be read as Parquet"):
        list(read_blocks(path, ("text",), 10))


def test_patterns_are_files_each_once_and_two_of_the_same_name_are_refused(questions, tmp_path):
    other = write_lines(tmp_path / "more.jsonl", [{"text": "a"}])
    assert find_files([str(tmp_path / "*.jsonl"), str(questions)]) == [other, questions]
    with pytest.raises(DataError, match=r"There is no file .*nothing\*"):
        find_files([str(tmp_path / "nothing*.jsonl")])
    (tmp_path / "b").mkdir()
    twin = write_lines(tmp_path / "b" / "more.jsonl", [{"text": "a"}])
    with pytest.raises(DataError, match="have the same name"):
        find_files([str(other), str(twin)])


def test_a_digest_tells_rows_and_ways_apart(tmp_path):
    path = write_lines(tmp_path / "q.jsonl", [{"id": "a", "text": "b"}, {"id": "", "text": "ab"}, {"text": "ab"}])
    first, second, third = read_blocks(path, ("text",), 1)
    assert len({first.digest(""), second.digest(""), first.digest("other")}) == 3
    assert second.digest("") == third.digest("")
