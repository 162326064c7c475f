"""The name of the set that a file belongs to."""

from __future__ import annotations

from pathlib import PurePath

import pytest

from questionbank.formats.limits import set_name


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("data/tal_scq_en/train.jsonl.gz", "tal_scq_en"),
        ("data/conceptmath/elementary_en.jsonl.gz", "conceptmath"),
        ("school/Test.csv", "school"),
        ("train.jsonl", "train"),
        ("/tmp/questions.jsonl", "questions"),
        ("a/Grade 7.v2.csv.gz", "Grade 7.v2"),
        (".csv", ".csv"),
        ("a/" + "x" * 130 + ".csv", "x" * 120),
    ],
)
def test_the_folder_names_the_set_where_files_are_named_after_splits(path, name):
    assert set_name(PurePath(path)) == name
