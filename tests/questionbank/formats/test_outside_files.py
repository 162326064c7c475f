"""Files of other systems that somebody wrote who had not seen the readers: what has been read whole stays so."""

from __future__ import annotations

import contextlib
import io
import json
import random
import re
import tempfile
import zipfile
from collections import defaultdict
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analytics.records import QuestionRecord
from questionbank.core.errors import ImportRefused, LineProblem, LineWarning
from questionbank.formats import WRITTEN, read
from questionbank.formats.archives import is_archive
from questionbank.formats.moodle.xml import write_moodle_xml
from questionbank.formats.seam import fields_digest
from tests.bench.outside.files import faults, likeness
from tests.cases import each_case
from tests.questionbank.formats.files import saved
from tests.questionbank.formats.test_moodle_xml import Pictures, questions

EIGHTH, TENTH, TWELFTH = SETS = [
    Path(__file__).parents[2] / f"bench/outside/{name}/files" for name in ("eighth", "tenth", "twelfth")
]
TRUTHS: dict[Path, list[dict[str, Any]]] = defaultdict(list)
for folder in SETS:
    for line in (folder / "truth.jsonl").read_text(encoding="utf-8").splitlines():
        TRUTHS[folder / json.loads(line)["file"]].append(json.loads(line))
NOT_WHOLE = {  # how many questions of a file are not
    "moodle_numerical_calculated.xml": 1,
    "exam_class_midterm.tex": 1, "tao_03_partial_credit_feedback.zip": 1,
    "moodle311_18_wiris_tex_random_odd.xml": 2, "gift_21_categories_feedback.txt": 1,
    "01_tao_test_discrete.zip": 1, "03_tao_composite_feedback.zip": 1, "05_qti22_ans_sjabloon_nl.zip": 1,
    "12_blackboard_original_pool.zip": 1, "15_moodle39_zahlen_de.xml": 1, "16_moodle44_dragdrop_ordering.xml": 1,
    "18_moodle_stack_wiris.xml": 1,
    "34_exam_class_parts.tex": 3, "35_exam_class_latin1_de.tex": 1,
    "examclass_34_midterm_parts.tex": 1, "examclass_35_klausur_latin1.tex": 1,
}  # fmt: skip


@pytest.mark.parametrize("path", TRUTHS, ids=lambda path: path.name)
def test_questions_of_a_strangers_file_are_whole(path):
    found = [entry for _line, entry in read(path) if isinstance(entry, QuestionRecord)]
    wrong = []
    for truth in TRUTHS[path]:
        nearest = max(found, key=lambda record: likeness(truth, record), default=None)
        if nearest is None or likeness(truth, nearest) < 60:
            wrong.append(truth["title"] or truth["text"])
            continue
        found.remove(nearest)
        if faults(truth, nearest):
            wrong.append(truth["title"] or truth["text"])
    assert len(wrong) == NOT_WHOLE.get(path.name, 0), wrong


@each_case("outside_files", "a_strangers_hostile_file_is_refused_in_a_sentence")
def test_a_strangers_hostile_file_is_refused_in_a_sentence(name, message):
    with pytest.raises(ImportRefused, match=message):
        list(read(next(one / name for one in SETS if (one / name).exists())))


def test_an_edited_question_with_gaps_to_drag_keeps_its_choices(tmp_path):
    ranks = next(one for one in questions(EIGHTH / "moodle_cloze_dragdrop.xml") if one.text.startswith("A 3×3"))
    assert ranks.original is not None
    kept = replace(ranks.original, fields=fields_digest(ranks))
    assert kept.data in b"".join(write_moodle_xml([replace(ranks, original=kept)], Pictures()))
    edited = replace(ranks, text=f"{ranks.text} Why?", original=kept)
    path = saved(tmp_path, b"".join(write_moodle_xml([edited], Pictures())), "edited.xml")
    (again,) = questions(path)
    assert (again.text, again.answer, again.kind) == (edited.text, ranks.answer, "blanks")


def test_what_is_bad_in_a_package_is_named_and_the_rest_is_read():
    doctype = [entry for _line, entry in read(TENTH / "hostile_02_qti_doctype_entities.zip")]
    assert any(isinstance(entry, LineProblem) and "DOCTYPE" in entry.reason for entry in doctype)
    missing = [entry for _line, entry in read(TENTH / "hostile_03_manifest_missing_files.zip")]
    said = " ".join(entry.reason for entry in missing if isinstance(entry, LineWarning))
    assert all(name in said for name in ("gone1.xml", "outside.xml", "missing.png"))
    for entries, name in ((doctype, "good"), (missing, "there")):
        assert [entry.id for entry in entries if isinstance(entry, QuestionRecord)] == [name]


def kept(path: Path, pictures: Pictures) -> list[QuestionRecord]:
    """Return the questions of a file with what their originals are compared with."""
    return [
        replace(one, original=replace(one.original, fields=fields_digest(one)))
        for one in questions(path, pictures)
        if one.original
    ]


@pytest.mark.parametrize("path", TRUTHS, ids=lambda path: path.name)
def test_a_strangers_file_comes_back_from_its_own_format(path, tmp_path):
    pictures = Pictures()
    found = kept(path, pictures)
    chosen = WRITTEN.get(found[0].original.format) if found and found[0].original else None
    if chosen is None:
        return
    data = b"".join(chosen.write(found, pictures))
    again = tmp_path / f"again{chosen.ending(data)}"
    again.write_bytes(data)
    assert sorted(map(repr, kept(again, pictures))) == sorted(map(repr, found))


@given(path=st.sampled_from([*TRUTHS]), seed=st.integers(0, 2**32))
@settings(max_examples=60, deadline=None)
def test_a_damaged_file_is_read_or_refused(path, seed):
    """Bytes of the file, or of a member of the archive, are changed, left out, put in twice or cut off."""
    chance = random.Random(seed)

    def damaged(data: bytes) -> bytes:
        start, length = chance.randrange(len(data) + 1), chance.randrange(60)
        piece = chance.choice([b"", b"<", b"}", b"]]>", b"\\", b"\xff", data[:length]])
        return data[:start] + piece + chance.choice([data[start:], data[start + length :], b""])

    data = path.read_bytes()
    if is_archive(path):
        packed, file = zipfile.ZipFile(path), io.BytesIO()
        hit = chance.choice(packed.namelist())
        with zipfile.ZipFile(file, "w") as archive:
            for name in packed.namelist():
                archive.writestr(name, damaged(packed.read(name)) if name == hit else packed.read(name))
        data = file.getvalue()
    else:
        data = damaged(data)
    with tempfile.TemporaryDirectory() as folder:
        (changed := Path(folder) / path.name).write_bytes(data)
        with contextlib.suppress(ImportRefused):
            list(read(changed))


FOLDER = Path(__file__).parents[2] / "bench/outside/second/moodle"
QUESTIONS = re.findall(
    r"^\| ([mg]\d\d\.\w+) \| (\d+) \|$", (FOLDER / "expected.md").read_text(encoding="utf-8"), re.MULTILINE
)


def test_every_file_is_expected_to_hold_questions():
    assert sorted(name for name, _ in QUESTIONS) == sorted(path.name for path in FOLDER.glob("[mg]*.*"))


@pytest.mark.parametrize(("name", "expected"), QUESTIONS)
def test_no_question_of_a_strangers_file_is_missing(name, expected):
    questions = [entry for _, entry in read(FOLDER / name) if isinstance(entry, QuestionRecord)]
    assert len(questions) == int(expected)
    graded = [question for question in questions if question.kind not in ("opaque", "description", "open")]
    assert all(question.answer for question in graded)


@pytest.mark.parametrize("name", ["h01.xml", "h02.xml", "h05.xml", "h07.xml"])
def test_a_hostile_or_broken_file_is_refused(name):
    with pytest.raises(ImportRefused):
        list(read(FOLDER / name))
