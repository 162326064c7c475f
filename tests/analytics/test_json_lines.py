"""Whatever is in a line, it is read or refused with a sentence that names it."""

from __future__ import annotations

import gzip

import pytest

from analytics import json_lines as module
from analytics.errors import DataError
from analytics.json_lines import LINE_LIMIT, decode_line, read_objects, string_problem


@pytest.mark.parametrize("packed", [False, True])
def test_each_line_that_is_not_blank_is_an_object_with_its_number(tmp_path, packed):
    file = tmp_path / ("rows.jsonl.gz" if packed else "rows.jsonl")
    content = b'\xef\xbb\xbf{"a": 1}\r\n\n \t\n{"b": "\xc3\xa9"}'
    file.write_bytes(gzip.compress(content) if packed else content)
    assert list(read_objects(file)) == [(1, {"a": 1}), (4, {"b": "é"})]


BAD_LINES = {
    "deep": (b'{"a":' + b"[" * 100_000, "nested too deeply"),
    "digits": (b'{"a": ' + b"7" * 5_000 + b"}", "too many digits"),
    "constant": (b'{"a": NaN}', "NaN is not a number there"),
    "list": (b"[1]", "the line holds a list, not a JSON object"),
    "value": (b"7", "the line holds a single value"),
    "no json": (b'{"a": ', "not JSON: expecting value at column 6"),
    "not utf-8": (b'{"a": "\xff"}', r"invalid UTF-8 at byte 8 of the line \(0xff\)"),
    "nul": (b'{"a": "\0"}', "a NUL character at byte 8 of the line"),
    "long": (b'{"a": "' + b"x" * LINE_LIMIT + b'"}', "the line is longer than 1,000,000 bytes"),
}


@pytest.mark.parametrize(("line", "reason"), BAD_LINES.values(), ids=BAD_LINES)
def test_a_line_that_cannot_be_read_is_named(tmp_path, line, reason):
    file = tmp_path / "rows.jsonl"
    file.write_bytes(b'{"fine": 1}\n\n' + line + b"\n{}\n")
    with pytest.raises(DataError, match=rf"^rows\.jsonl, line 3: .*{reason}") as refused:
        list(read_objects(file))
    assert len(str(refused.value)) < 200


def test_a_compressed_file_may_unpack_to_so_much_only(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "UNPACKED_LIMIT", 1000)
    for name in ("rows.jsonl", "rows.jsonl.gz"):
        content = b'{"a": 1}\n' * 200
        (tmp_path / name).write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
    assert len(list(read_objects(tmp_path / "rows.jsonl"))) == 200
    with pytest.raises(DataError, match=r"line 112: the file unpacks to more than"):
        list(read_objects(tmp_path / "rows.jsonl.gz"))


WHOLE = gzip.compress(b"".join(b'{"a": %d}\n' % number for number in range(2000)))
BAD_FILES = {
    "cut": WHOLE[: len(WHOLE) // 2],
    "not gzip": b"not gzip at all",
    "damaged": WHOLE[:40] + b"\xff" * 40 + WHOLE[80:],
    "another checksum": WHOLE[:-8] + bytes(8),
}


@pytest.mark.parametrize("content", BAD_FILES.values(), ids=BAD_FILES)
def test_gzip_that_is_damaged_is_refused(tmp_path, content):
    file = tmp_path / "rows.jsonl.gz"
    file.write_bytes(content)
    with pytest.raises(DataError, match=r"rows\.jsonl\.gz"):
        list(read_objects(file))


def test_a_file_that_is_not_there_or_a_folder_is_refused(tmp_path):
    for path in (tmp_path, tmp_path / "nowhere.jsonl"):
        with pytest.raises(DataError, match="cannot be read"):
            list(read_objects(path))


def test_invalid_utf8_and_nul_are_named_by_their_byte():
    with pytest.raises(ValueError, match=r"invalid UTF-8 at byte 4 of the line \(0xff\)"):
        decode_line(b"abc\xffdef")
    with pytest.raises(ValueError, match="a NUL character at byte 3 of the line"):
        decode_line("é\0".encode())


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("12345", ""),
        ("123456", "has 6 characters, more than 5"),
        ("é\0", "holds a NUL character"),
        ("é\udc00", "holds half of a surrogate pair, which is not a character"),
        ("😀", ""),
    ],
)
def test_a_string_has_bounds(text, problem):
    assert string_problem(text, 5) == problem
