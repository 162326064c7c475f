"""Reading lines in bounded memory, whatever the file holds."""

from __future__ import annotations

import gzip
import tracemalloc

import pytest

from questionbank.errors import ImportRefused, LineProblem
from questionbank.formats.lines import first_bytes, read_lines, refuse_unreadable


def _write(tmp_path, data: bytes, name: str = "file.jsonl"):
    path = tmp_path / name
    path.write_bytes(data)
    return path


def test_lines_come_with_their_numbers_and_without_byte_order_mark(tmp_path):
    path = _write(tmp_path, b"\xef\xbb\xbfone\ntwo\r\nthree")
    assert list(read_lines(path)) == [(1, b"one\n"), (2, b"two\r\n"), (3, b"three")]


def test_gzip_is_recognised_by_its_beginning_not_its_name(tmp_path):
    path = _write(tmp_path, gzip.compress(b"one\n") + gzip.compress(b"two\n"), "file.jsonl")
    assert [line for _, line in read_lines(path)] == [b"one\n", b"two\n"]


@pytest.mark.parametrize("end", [b"", b"\n", b"\r\n"])
def test_a_line_of_just_the_limit_is_read_and_one_byte_more_is_not(tmp_path, end):
    fits = b"x" * (10 - len(end.strip(b"\n"))) + end
    assert list(read_lines(_write(tmp_path, fits), line_limit=10)) == [(1, fits)]
    ((number, problem),) = read_lines(_write(tmp_path, b"x" + fits), line_limit=10)
    assert (number, problem) == (1, LineProblem(1, "the line is longer than 10 bytes"))


def test_a_line_of_50_mb_is_refused_in_bounded_memory_and_the_next_is_read(tmp_path):
    path = _write(tmp_path, b"first\n" + b"x" * 50_000_000 + b"\nlast\n")
    tracemalloc.start()
    lines = list(read_lines(path))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert lines == [
        (1, b"first\n"),
        (2, LineProblem(2, "the line is longer than 1,000,000 bytes")),
        (3, b"last\n"),
    ]
    assert peak < 8_000_000


def test_truncated_gzip_says_after_which_line(tmp_path):
    packed = gzip.compress("".join(f"line {n} {n * 7919 % 1009}\n" for n in range(50_000)).encode())
    path = _write(tmp_path, packed[: len(packed) // 2], "file.jsonl.gz")
    with pytest.raises(ImportRefused, match=r"gzip data of file\.jsonl\.gz is cut off after line [\d,]+\.$"):
        list(read_lines(path))


def test_damaged_gzip_is_refused(tmp_path):
    packed = bytearray(gzip.compress(b"".join(b"%d\n" % (n * 7919) for n in range(50_000))))
    packed[len(packed) // 2] ^= 0xFF
    with pytest.raises(ImportRefused, match="is damaged"):
        list(read_lines(_write(tmp_path, bytes(packed), "file.jsonl.gz")))


def test_a_name_in_gz_without_gzip_data_is_refused(tmp_path):
    path = _write(tmp_path, b'{"text": "1 + 1"}\n', "file.jsonl.gz")
    with pytest.raises(ImportRefused, match=r"not gzip-compressed, although its name ends in \.gz"):
        list(read_lines(path))


def test_a_gzip_bomb_stops_at_the_bound(tmp_path):
    path = _write(tmp_path, gzip.compress(b"\0" * 20_000_000), "bomb.jsonl.gz")
    read = []
    with pytest.raises(ImportRefused, match="unpacks to more than"):
        read.extend(read_lines(path, unpacked_limit=5_000_000))
    assert read == []


def test_a_gzip_bomb_of_short_lines_stops_at_the_bound_too(tmp_path):
    path = _write(tmp_path, gzip.compress(b"x\n" * 5_000_000), "bomb.jsonl.gz")
    with pytest.raises(ImportRefused, match="unpacks to more than"):
        list(read_lines(path, unpacked_limit=1_000_000))


def test_a_plain_file_may_be_longer_than_the_unpacking_bound(tmp_path):
    path = _write(tmp_path, b"x\n" * 1000)
    assert len(list(read_lines(path, unpacked_limit=100))) == 1000


@pytest.mark.parametrize(
    ("data", "message"),
    [(b"PK\x03\x04rest", "Excel"), (b"%PDF-1.7", "PDF")],
)
def test_foreign_files_are_named(tmp_path, data, message):
    with pytest.raises(ImportRefused, match=message):
        list(read_lines(_write(tmp_path, data)))


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("is_packed", [False, True])
def test_utf16_with_its_mark_is_read_as_utf8(tmp_path, encoding, is_packed):
    text = "求 3 × 4\n" * 30_000 + "𝑥 = ½\n"  # longer than a piece, so that pairs of units are cut
    data = ("\ufeff" + text).encode(encoding)
    path = _write(tmp_path, gzip.compress(data) if is_packed else data, "file.csv")
    assert b"".join(line for _number, line in read_lines(path)) == text.encode()
    assert first_bytes(path).decode(errors="ignore").startswith("求 3 × 4\n求")


@pytest.mark.parametrize(
    "damage",
    [b"a", "\ud835".encode("utf-16-le", "surrogatepass")],
    ids=["half a unit", "half a pair"],
)
def test_damaged_utf16_is_no_text_in_utf8_either(tmp_path, damage):
    path = _write(tmp_path, "\ufeffwhole\n".encode("utf-16-le") + damage)
    (_, whole), (_, broken) = read_lines(path)
    assert whole == b"whole\n"
    with pytest.raises(UnicodeDecodeError):
        broken.decode()


def test_a_bomb_in_utf16_stops_at_the_bound(tmp_path):
    path = _write(tmp_path, gzip.compress(b"\xff\xfe" + b"x\0\n\0" * 2_000_000), "bomb.csv")
    with pytest.raises(ImportRefused, match="unpacks to more than"):
        list(read_lines(path, unpacked_limit=1_000_000))


def test_progress_ends_at_the_size_of_the_file(tmp_path):
    path = _write(tmp_path, gzip.compress(b"line\n" * 2000), "file.jsonl.gz")
    seen = []
    list(read_lines(path, progress=lambda done, total: seen.append((done, total))))
    size = path.stat().st_size
    assert seen[-1] == (size, size)
    assert all(total == size for _, total in seen)
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)
    assert len(seen) == 5


def test_first_bytes_of_damaged_gzip_are_refused(tmp_path):
    path = _write(tmp_path, b"\x1f\x8b" + b"garbage" * 10, "file.gz")
    with pytest.raises(ImportRefused, match="is damaged"):
        first_bytes(path)


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
    path = _write(tmp_path, gzip.compress(b"x\n" + lines * 100_000 + b"x\n"), "few.jsonl.gz")
    assert len(list(read_lines(path))) == 100_002
    path = _write(tmp_path, gzip.compress(b"x\n" + lines * 100_001), "bomb.jsonl.gz")
    with pytest.raises(ImportRefused, match=r"more than 100,000 blank lines in a row; remove them"):
        list(read_lines(path))
