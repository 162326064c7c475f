"""The layout of CSV files as other programs write them."""

from __future__ import annotations

from dataclasses import fields

import pytest
from django.db import connection

from analytics.records import QuestionRecord
from questionbank.core.errors import ImportRefused
from questionbank.formats.catalog import layout_of, read
from questionbank.formats.columns import COLUMNS, OPTIONAL_FIELDS, STORED, WRITTEN, guess_fields
from questionbank.formats.layout import FileLayout
from questionbank.formats.lines import guess_encoding
from questionbank.models import Question
from tests.questionbank.formats.files import saved


@pytest.mark.parametrize("column", STORED, ids=lambda column: column.name)
def test_a_stored_column_has_the_type_that_the_bank_has(column):
    stored_type = Question._meta.get_field(column.stored).db_type(connection)
    assert stored_type.partition("(")[0].replace("varchar", "text") == column.sql


def test_every_field_of_a_record_leaves_with_tables_and_json():
    names = {field.name for field in fields(QuestionRecord)}
    assert {column.attribute for column in WRITTEN} == names - {"original", "predicted", "observed"}


def test_companions_name_each_other_and_labels_differ():
    companions = {name: companion for name, companion in OPTIONAL_FIELDS.items() if companion}
    assert companions == {companion: name for name, companion in companions.items()}
    assert len({column.label for column in COLUMNS}) == len(COLUMNS)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "gb18030"])
def test_a_chinese_table_is_read_in_its_encoding(tmp_path, encoding):
    path = saved(tmp_path, "题目,答案,知识点\r\n求 $1+1$ 的值，并说明理由。,2,加法\r\n".encode(encoding), "book.csv")
    ((_, record),) = read(path)
    assert (record.text, record.answer, record.concepts) == ("求 $1+1$ 的值，并说明理由。", "2", (("加法",),))


@pytest.mark.parametrize("text", ["Café, naïve, Größe", "Ça coûte 5 €", "señor", "±5 °C", "“quoted”"])
def test_western_text_is_not_taken_for_chinese(text):
    assert guess_encoding(text.encode("windows-1252")) == "windows-1252"


def test_each_field_is_guessed_once_and_our_own_names_win():
    assert guess_fields(["Question", "text", "Topic", "Skill", "b", "B"]) == (
        "", "text", "concepts", "", "", "B",
    )  # fmt: skip


def test_columns_that_are_not_read_are_named(tmp_path):
    path = saved(tmp_path, "text,Author,\n1 + 1,Jo,x\n", "a.csv")
    path.write_text("text,Author,,\n1 + 1,Jo,x,\n")
    assert read(path).unread == ["Author"]
    assert layout_of(path, columns={"Author": "grade"}).unread == []


def test_a_byte_that_the_encoding_lacks_is_the_line_s_problem(tmp_path):
    path = saved(tmp_path, b"text\nfine\nbad \x81\n", "a.csv")
    problems = [entry for _, entry in read(path, layout=FileLayout(("text",), ("text",), "windows-1252", ","))]
    assert problems[1].reason == "invalid windows-1252 at byte 5 of the line (0x81)"


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ({"columns": {"Nothing": "text"}}, "has no column 'Nothing'; it has Question, Key"),
        ({"columns": {"Question": "question"}}, "cannot hold 'question'"),
        ({"columns": {"Question": "text", "Key": "text"}}, "two columns are read as text"),
        ({"encoding": "latin-9"}, "'latin-9' is not known"),
    ],
)
def test_a_layout_that_cannot_be_is_refused(tmp_path, given, reason):
    path = saved(tmp_path, "Question,Key\n1,2\n", "a.csv")
    with pytest.raises(ImportRefused, match=reason):
        layout_of(path, **given)


def test_columns_are_bounded(tmp_path):
    path = saved(tmp_path, "text," + ",".join(f"c{n}" for n in range(1_000)) + "\n1\n", "wide.csv")
    with pytest.raises(ImportRefused, match="1,001 columns, more than 1,000"):
        read(path)
