"""The one list of a question's columns agrees with records, the bank's table and the check of a line."""

from __future__ import annotations

from dataclasses import fields

import pytest
from django.db import connection

from analytics.records import QuestionRecord
from questionbank.formats.columns import COLUMNS, OPTIONAL_FIELDS, STORED, WRITTEN
from questionbank.models import Question


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
