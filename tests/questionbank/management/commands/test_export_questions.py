"""The export command."""

from __future__ import annotations

import io

import pytest
from django.core.management import CommandError, call_command

from questionbank.formats import read
from tests.factories import QuestionFactory

pytestmark = pytest.mark.django_db


def test_questions_that_match_every_filter_are_written(tmp_path):
    QuestionFactory(text="one", language="en", source="a")
    QuestionFactory(text="two", language="en", source="b")
    path, out = tmp_path / "bank.csv", io.StringIO()
    call_command(
        "export_questions", str(path), "--format", "csv",
        "--filter", "language=en", "--filter", "source=b", stdout=out,
    )  # fmt: skip
    assert [record.text for _, record in read(path)] == ["two"]
    assert out.getvalue() == f"Questions written to {path}: 1\n"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--format", "h5p"), "use one of jsonl, csv"),
        (("--format", "csv", "--filter", "language"), "A filter is KEY=VALUE, not 'language'"),
        (("--format", "csv", "--filter", "colour=red"), "The filter 'colour' is not known"),
    ],
)
def test_what_makes_no_sense_is_one_sentence_and_writes_nothing(tmp_path, options, message):
    with pytest.raises(CommandError, match=message):
        call_command("export_questions", str(tmp_path / "bank.csv"), *options)
    assert list(tmp_path.iterdir()) == []
