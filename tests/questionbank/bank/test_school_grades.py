"""School years as different countries name them."""

from __future__ import annotations

import pytest

from questionbank.bank.question_forms import GradeField
from questionbank.bank.school_grades import SCHOOL_SYSTEMS, grade_name, grade_typed, named_years, school_year


@pytest.mark.parametrize(
    ("grade", "year"),
    [
        ("8", 8), ("Grade 8", 8), ("8th grade", 8), ("Year 8", 7), ("Y8", 7), ("Klasse 8", 8), ("8. Klasse", 8),
        ("6ème", 6), ("5e", 7), ("2de", 10), ("Terminale", 12), ("CM2", 5), ("4º ESO", 10), ("3º de primaria", 3),
        ("八年级", 8), ("初二", 8), ("高三", 12), ("小六", 6), ("Class 9", 9), ("Advanced", None), ("7-9", None),
        ("", None),
    ],
)  # fmt: skip
def test_a_grade_means_one_school_year(grade, year):
    assert school_year(grade, "") == year


def test_a_year_is_a_grade_where_children_begin_with_year_one_at_six():
    assert school_year("Year 8", "australia") == 8


@pytest.mark.parametrize("system", SCHOOL_SYSTEMS)
def test_each_system_reads_what_it_writes(system):
    for year in range(1, 13):
        assert school_year(grade_name(str(year), system), system) == year
        assert grade_typed(grade_name(str(year), system), system) == str(year)


@pytest.mark.parametrize(
    ("system", "typed", "stored", "shown"),
    [
        ("", "Year 8", "Year 8", "Year 8"),
        ("", "8", "8", "Grade 8"),
        ("england", "8", "7", "Year 8"),
        ("england", "Klasse 8", "8", "Year 9"),
        ("germany", "8", "8", "Klasse 8"),
        ("france", "5", "7", "5e"),
        ("france", "CM2", "5", "CM2"),
        ("us", "Advanced", "Advanced", "Advanced"),
    ],
)
def test_a_form_reads_grades_in_the_school_system_and_shows_them_so(settings, system, typed, stored, shown):
    settings.SCHOOL_SYSTEM = system
    field = GradeField()
    assert field.clean(typed) == stored
    assert grade_name(stored) == shown
    again = field.prepare_value(field.bound_data(typed, ""))  # a form that is shown again
    assert field.clean(again) == field.clean(field.prepare_value(stored)) == stored


@pytest.mark.parametrize(
    "text",
    ["3e^x + 2", "a tree 6 years old", "year 6 later", "first year calculus", "cm2", "11 + 4", "he sat here"],
)  # fmt: skip
def test_other_words_name_no_school_year(text):
    assert list(named_years(text, "")) == []
