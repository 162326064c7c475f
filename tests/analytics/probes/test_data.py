from __future__ import annotations

import gzip
import json

import numpy as np
import pytest

from analytics.errors import DataError
from analytics.probes.data import ProbeData, choose_scale, kept_out
from analytics.question_files import read_rows
from analytics.splits import is_held_out


def write(path, rows):
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    path.write_bytes(gzip.compress(text.encode()) if path.name.endswith(".gz") else text.encode())


def test_plain_and_compressed_files_of_a_folder_are_read_and_its_test_set_is_not(tmp_path):
    write(tmp_path / "b.jsonl.gz", [{"text": "two", "concepts": [["A", "B"], []], "difficulty": 2}])
    write(tmp_path / "a.jsonl", [{"text": "one", "language": "zh", "difficulty_scale": "1-5"}, {"name": "tree"}])
    write(tmp_path / "test.jsonl", [{"text": "kept apart", "grading": {"parts": [{"text": "with its parts"}]}}])
    first, second = read_rows(tmp_path)
    assert (first.text, first.language, first.paths, first.difficulty, first.scale) == ("one", "zh", (), None, "1-5")
    assert (second.text, second.language, second.paths, second.difficulty) == ("two", "en", (("A", "B"),), 2.0)
    assert [row.text for row in read_rows(tmp_path / "test.jsonl")] == ["kept apart\nwith its parts"]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b'{"text": 5}', "the text is not a string"),
        (b"[1]", "not a JSON object"),
        (b'{"text": "a", "concepts": "A"}', "not a list of paths"),
        (b'{"text": "a", "concepts": [[1]]}', "not a list of paths"),
        (b'{"text": "a", "difficulty": "hard"}', "the difficulty is not a number"),
        (b'{"text": "a", "difficulty": true}', "the difficulty is not a number"),
        (b'{"text": "a", "difficulty": 1e999}', "the difficulty is not a finite number"),
        (b'{"text": "a", "difficulty": -1' + b"0" * 400 + b"}", "the difficulty is not a finite number"),
        (b'{"text": "a\\u0000"}', "the text holds a NUL character"),
        (b'{"text": "\\ud800"}', "the text holds half of a surrogate pair"),
        (b'{"text": "' + b"x" * 50_001 + b'"}', "the text has 50,001 characters"),
        (b'{"text": ' + b"[" * 100_000, "nested too deeply"),
        (b'{"text": ', "not JSON: expecting value"),
        (b'{"text": "\xff"}', "invalid UTF-8"),
    ],
)
def test_a_line_that_cannot_be_read_is_named(tmp_path, line, reason):
    (tmp_path / "q.jsonl").write_bytes(b'{"text": "fine"}\n\n' + line + b"\n")
    with pytest.raises(DataError, match=rf"q\.jsonl, line 3: .*{reason}"):
        read_rows(tmp_path / "q.jsonl")


def test_a_corrupt_gzip_is_a_data_error(tmp_path):
    write(tmp_path / "q.jsonl.gz", [{"text": str(number)} for number in range(2000)])
    whole = (tmp_path / "q.jsonl.gz").read_bytes()
    for broken in (whole[: len(whole) // 2], b"not gzip at all", whole[:40] + b"\xff" * 40 + whole[80:]):
        (tmp_path / "q.jsonl.gz").write_bytes(broken)
        with pytest.raises(DataError, match=r"q\.jsonl\.gz"):
            read_rows(tmp_path / "q.jsonl.gz")


def test_nothing_to_read_is_said(tmp_path):
    with pytest.raises(DataError, match="There is no question file"):
        read_rows(tmp_path)
    (tmp_path / "empty.jsonl").write_text("")
    with pytest.raises(DataError, match="There are no questions"):
        read_rows(tmp_path)


def test_labels_are_checked_and_gathered():
    data = ProbeData.of(
        np.eye(3), [[("A",), ("A",), ()], [], [("B",)]], [1, None, 4], texts=["x 1", "y", "x 2"], scales=["0-4"] * 3
    )
    assert data.paths == ((("A",),), (), (("B",),))
    assert (data.tagged.tolist(), data.graded.tolist()) == ([True, False, True], [True, False, True])
    assert data.groups[0] == data.groups[2] != data.groups[1]
    assert data.scale.name == "0-4"
    assert data.take(np.array([False, True, True])).texts == ("y", "x 2")


def test_without_texts_equal_vectors_are_one_group():
    data = ProbeData.of(np.array([[1.0, 0], [0, 1], [1, 0]]), [[]] * 3, [None] * 3)
    assert data.groups[0] == data.groups[2] != data.groups[1]
    assert data.scale is None


def test_lengths_that_differ_are_refused():
    with pytest.raises(DataError, match="3 vectors need as many labels"):
        ProbeData.of(np.eye(3), [[]] * 2, [None] * 3)


def test_the_hash_is_of_texts_and_labels():
    def digest(**changed):
        labels = {"paths": [[("A",)]], "difficulties": [1.0], "texts": ["x"]} | changed
        return ProbeData.of(np.eye(1), labels["paths"], labels["difficulties"], texts=labels["texts"]).sha256()

    assert digest() == digest()
    assert len({digest(), digest(texts=["y"]), digest(paths=[[("B",)]]), digest(difficulties=[2.0])}) == 4


def test_the_fixed_part_is_kept_out_but_never_the_only_questions_of_a_concept():
    texts = [f"A question about {a}{b}" for a in "abc" for b in "defghijklmnop"]
    first = next(text for text in texts if is_held_out(text))
    second = next(text for text in texts if not is_held_out(text))
    common, rare = ("Number",), ("Algebra",)
    assert kept_out([first, second], [[common], [common]]).tolist() == [True, False]
    assert kept_out([first, second], [[rare], [common]]).tolist() == [False, False]
    assert kept_out([first, second], [[], [common]]).tolist() == [True, False]


def test_sources_keep_their_questions_and_copies_together():
    texts = [f"Question {letter} of {number}." for number in range(20) for letter in "abc"]
    sources = [f"school {number}" for number in range(20) for _letter in "abc"]
    plain = ProbeData.of(np.eye(60), [[]] * 60, [1.0] * 60, texts=[f"{text} {n}!" for n, text in enumerate(texts)])
    assert plain.apart_by_source() is None
    own = [f"{text[:10]} {chr(97 + row // 26)}{chr(97 + row % 26)}" for row, text in enumerate(texts)]
    own[3] = own[0].replace("Question", "question")  # a copy links two sources
    data = ProbeData.of(np.eye(60), [[]] * 60, [1.0] * 60, texts=own, sources=sources)
    apart = data.apart_by_source()
    assert apart is not None
    assert len(set(apart.groups[:6])) == 1
    assert len(set(apart.groups)) == 19
    assert apart.take(np.arange(60) < 9).sources.tolist() == apart.groups[:9].tolist()


@pytest.mark.parametrize(
    "sources", [["one", "two"] * 10, ["big"] * 15 + list("abcde"), [""] * 20, ["big"] * 160 + [*range(10)] * 4]
)
def test_too_few_sources_are_none(sources):
    sources = [str(source) for source in sources]
    count = len(sources)
    assert ProbeData.of(np.eye(count), [[]] * count, [1.0] * count, sources=sources).apart_by_source() is None


@pytest.mark.parametrize(
    ("values", "name"),
    [([0, 1, 4], "0-4"), ([1, 2, 5], "1-5"), ([1, 2, 4], "0-4"), ([1, 9.5], "1-9.5"), ([0.2, 0.9], "facility")],
)
def test_without_a_name_the_narrowest_known_scale_is_taken(values, name):
    assert choose_scale([], np.array(values)).name == name


def test_a_named_scale_wins():
    assert choose_scale(["1-5", "", "1-5"], np.array([2.0, 3.0])).high == 5


def test_an_unknown_scale_has_the_bounds_of_its_values():
    scale = choose_scale([], np.array([10.0, 90.0]))
    assert (scale.name, scale.low, scale.high) == ("10-90", 10, 90)
    assert choose_scale(["percent"], np.array([10.0, 90.0])).name == "percent"


def test_mixed_scales_and_values_outside_are_refused():
    with pytest.raises(DataError, match=r"several scales \(0-4, 1-5\)"):
        choose_scale(["0-4", "1-5"], np.array([1.0, 2.0]))
    with pytest.raises(DataError, match="do not fit the named scale, 1-5"):
        choose_scale(["1-5"], np.array([0.0, 5.0]))
