"""Files of other systems that somebody wrote who had not seen the readers: what has been read whole stays so."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from analytics.records import QuestionRecord
from questionbank.errors import ImportRefused
from questionbank.formats import read
from questionbank.formats.moodle.xml import write_moodle_xml
from questionbank.formats.originals import fields_digest
from tests.bench.outside.files import faults, likeness
from tests.questionbank.formats.test_moodle_xml import Pictures, questions

FOLDER = Path(__file__).parents[2] / "bench/outside/eighth/files"
TRUTHS = [json.loads(line) for line in (FOLDER / "truth.jsonl").read_text(encoding="utf-8").splitlines()]
NOT_WHOLE = {  # how many questions of a file are not
    "canvas_quiz_groups_pictures.zip": 2, "moodle_numerical_calculated.xml": 1,
    "prairielearn_mixed_questions.zip": 2, "rexams_statements_mchoice.Rnw": 1, "h5p_multiplechoice.h5p": 1,
    "exam_class_midterm.tex": 1,
}  # fmt: skip


@pytest.mark.parametrize("name", sorted({truth["file"] for truth in TRUTHS}))
def test_questions_of_a_strangers_file_are_whole(name):
    found = [entry for _line, entry in read(FOLDER / name) if isinstance(entry, QuestionRecord)]
    wrong = []
    for truth in (truth for truth in TRUTHS if truth["file"] == name):
        nearest = max(found, key=lambda record: likeness(truth, record), default=None)
        if nearest is None or likeness(truth, nearest) < 60 or faults(truth, nearest):
            wrong.append(truth["title"] or truth["text"])
        else:
            found.remove(nearest)
    assert len(wrong) == NOT_WHOLE.get(name, 0), wrong


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("hostile_cut_off_moodle.xml", "cut off"),
        ("hostile_deep_nesting.xml", "deep"),
        ("hostile_doctype_entities.xml", "DOCTYPE.*entities"),
        ("hostile_manifest_missing_files.zip", "leads out of the archive"),
        ("hostile_only_pictures.zip", "archive of pictures"),
        ("hostile_wrong_encoding.xml", "no text in utf-8"),
    ],
)
def test_a_strangers_hostile_file_is_refused_in_a_sentence(name, reason):
    with pytest.raises(ImportRefused, match=reason):
        list(read(FOLDER / name))


def test_an_edited_question_with_gaps_to_drag_keeps_its_choices(tmp_path):
    ranks = next(
        one for one in questions(FOLDER / "moodle_cloze_dragdrop.xml") if one.text.startswith("A 3×3")
    )
    assert ranks.original is not None
    kept = replace(ranks.original, fields=fields_digest(ranks))
    assert kept.data in b"".join(write_moodle_xml([replace(ranks, original=kept)], Pictures()))
    edited = replace(ranks, text=f"{ranks.text} Why?", original=kept)
    path = tmp_path / "edited.xml"
    path.write_bytes(b"".join(write_moodle_xml([edited], Pictures())))
    (again,) = questions(path)
    assert (again.text, again.answer, again.kind) == (edited.text, ranks.answer, "blanks")
