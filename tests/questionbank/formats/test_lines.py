"""Reading lines in bounded memory, whatever the file holds."""

from __future__ import annotations

import gzip
import tracemalloc

import pytest

from questionbank.core.errors import ImportRefused, LineProblem
from questionbank.formats.lines import first_bytes, read_lines, refuse_unreadable
from tests.questionbank.formats.files import saved


def test_lines_come_with_their_numbers_and_without_byte_order_mark(tmp_path):
    path = saved(tmp_path, b"\xef\xbb\xbfone\ntwo\r\nthree")
    assert list(read_lines(path)) == [(1, b"one\n"), (2, b"two\r\n"), (3, b"three")]


def test_gzip_is_recognised_by_its_beginning_not_its_name(tmp_path):
    path = saved(tmp_path, gzip.compress(b"one\n") + gzip.compress(b"two\n"), "file.jsonl")
    assert [line for _, line in read_lines(path)] == [b"one\n", b"two\n"]


@pytest.mark.parametrize("end", [b"", b"\n", b"\r\n"])
def test_a_line_of_just_the_limit_is_read_and_one_byte_more_is_not(tmp_path, end):
    fits = b"x" * (10 - len(end.strip(b"\n"))) + end
    assert list(read_lines(saved(tmp_path, fits), line_limit=10)) == [(1, fits)]
    ((number, problem),) = read_lines(saved(tmp_path, b"x" + fits), line_limit=10)
    assert (number, problem) == (1, LineProblem(1, "the line is longer than 10 bytes"))


def test_a_line_of_50_mb_is_refused_in_bounded_memory_and_the_next_is_read(tmp_path):
    path = saved(tmp_path, b"first\n" + b"x" * 50_000_000 + b"\nlast\n")
    tracemalloc.start()
    lines = list(read_lines(path))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert lines == [(1, b"first\n"), (2, LineProblem(2, "the line is longer than 1,000,000 bytes")), (3, b"last\n")]
    assert peak < 8_000_000


_NUMBERED = gzip.compress("".join(f"line {n} {n * 7919 % 1009}\n" for n in range(50_000)).encode())
_MIDDLE = len(_NUMBERED) // 2


@pytest.mark.parametrize(
    ("data", "name", "message"),
    [
        (_NUMBERED[:_MIDDLE], "a.gz", r"gzip data of a\.gz is cut off after line [\d,]+\.$"),
        (_NUMBERED[:_MIDDLE] + bytes([_NUMBERED[_MIDDLE] ^ 0xFF]) + _NUMBERED[_MIDDLE + 1 :], "a.gz", "is damaged"),
        (b"\x1f\x8b" + b"garbage" * 10, "a.gz", "is damaged"),
        (b'{"text": "1 + 1"}\n', "a.gz", r"not gzip-compressed, although its name ends in \.gz"),
        (gzip.compress(b"\0" * 20_000_000), "a.gz", "unpacks to more than"),
        (gzip.compress(b"x\n" * 5_000_000), "a.gz", "unpacks to more than"),
        (gzip.compress(b"\xff\xfe" + b"x\0\n\0" * 2_000_000), "a.csv", "unpacks to more than"),
        (b"PK\x03\x04rest", "a.csv", "Excel"),
        (b"%PDF-1.7", "a.csv", "PDF"),
    ],
)  # fmt: skip
def test_a_damaged_or_foreign_file_and_a_bomb_are_refused(tmp_path, data, name, message):
    with pytest.raises(ImportRefused, match=message):
        list(read_lines(saved(tmp_path, data, name), unpacked_limit=1_000_000))


def test_the_beginning_of_a_damaged_file_is_refused(tmp_path):
    with pytest.raises(ImportRefused, match="is damaged"):
        first_bytes(saved(tmp_path, b"\x1f\x8b" + b"garbage" * 10))


def test_a_plain_file_may_be_longer_than_the_unpacking_bound(tmp_path):
    path = saved(tmp_path, b"x\n" * 1000)
    assert len(list(read_lines(path, unpacked_limit=100))) == 1000


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("is_packed", [False, True])
def test_utf16_with_its_mark_is_read_as_utf8(tmp_path, encoding, is_packed):
    text = "求 3 × 4\n" * 30_000 + "𝑥 = ½\n"  # longer than a piece, so that pairs of units are cut
    data = ("\ufeff" + text).encode(encoding)
    path = saved(tmp_path, gzip.compress(data) if is_packed else data, "file.csv")
    assert b"".join(line for _number, line in read_lines(path)) == text.encode()
    assert first_bytes(path).decode(errors="ignore").startswith("求 3 × 4\n求")


@pytest.mark.parametrize(
    "damage", [b"a", "\ud835".encode("utf-16-le", "surrogatepass")], ids=["half a unit", "half a pair"]
)
def test_damaged_utf16_is_no_text_in_utf8_either(tmp_path, damage):
    path = saved(tmp_path, "\ufeffwhole\n".encode("utf-16-le") + damage)
    (_, whole), (_, broken) = read_lines(path)
    assert whole == b"whole\n"
    with pytest.raises(UnicodeDecodeError):
        broken.decode()


def test_progress_ends_at_the_size_of_the_file(tmp_path):
    path = saved(tmp_path, gzip.compress(b"line\n" * 2000), "file.jsonl.gz")
    seen = []
    list(read_lines(path, progress=lambda done, total: seen.append((done, total))))
    size = path.stat().st_size
    assert seen[-1] == (size, size)
    assert all(total == size for _, total in seen)
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)
    assert len(seen) == 5


def test_unreadable_files_are_refused_with_the_reason(tmp_path):
    (tmp_path / "empty.csv").touch()
    cases = {
        tmp_path / "absent.csv": "There is no file",
        tmp_path: "is a folder",
        tmp_path / "empty.csv": "empty.csv is empty.",
        tmp_path / ("x" * 300): "cannot be read: File name too long",
    }
    for path, message in cases.items():
        with pytest.raises(ImportRefused, match=message):
            refuse_unreadable(path)


@pytest.mark.parametrize("lines", [b"\n", b"  \r\n"])
def test_blank_lines_are_bounded(tmp_path, lines):
    path = saved(tmp_path, gzip.compress(b"x\n" + lines * 100_000 + b"x\n"), "few.jsonl.gz")
    assert len(list(read_lines(path))) == 100_002
    path = saved(tmp_path, gzip.compress(b"x\n" + lines * 100_001), "bomb.jsonl.gz")
    with pytest.raises(ImportRefused, match=r"more than 100,000 blank lines in a row; remove them"):
        list(read_lines(path))
