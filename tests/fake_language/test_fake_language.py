"""A third language is a folder and a row: readers, rules and search know it then, and nothing else changes."""

from __future__ import annotations

from fractions import Fraction

import pytest

from analytics import languages
from analytics.records import ProblemRecord
from analytics.solver.plausibility import asks_for_count
from analytics.solver.reversing import reorder_question
from analytics.solver.rules.reading import Reading
from analytics.solver.rules.solver import rule_solution
from analytics.solver.unanswerable import unanswerable_reason
from analytics.text.clauses import split_sentences
from analytics.text.number_slots import number_slots
from analytics.text.remembered import forget_everything
from analytics.text.tokens import search_tokens
from analytics.text.units import find_units
from tests.fake_language.language import ESPERANTO

STORY = "Ana havas kvin pomojn, ekz. ruĝajn. Ŝi donas tri pomojn al Petro. Kiom da pomoj ŝi havas?"


@pytest.fixture
def esperanto(monkeypatch: pytest.MonkeyPatch):
    forget_everything()
    monkeypatch.setattr(languages, "LANGUAGES", (*languages.LANGUAGES, ESPERANTO))
    yield
    forget_everything()


def test_without_its_row_the_language_is_not_read() -> None:
    assert number_slots(STORY) == []
    assert not asks_for_count(STORY)
    assert rule_solution("Kiom da metroj ŝi kuras en 3 kilometroj?") is None


def test_the_solvers_readers_know_a_language_by_its_folder_and_its_row(esperanto) -> None:
    reading = Reading(STORY)
    assert reading.language is ESPERANTO
    assert [quantity.value for quantity in reading.quantities] == [5, 3]
    assert reading.question == "Kiom da pomoj ŝi havas"
    assert [slot.value for slot in number_slots("2 kaj duono metroj, 20 procentoj")] == [
        Fraction(5, 2),
        2,
        Fraction(1, 5),
        20,
    ]
    assert [unit.unit for unit in find_units("3 kilometroj kaj kvin metroj")] == ["kilometer", "meter"]
    assert [clause.is_question for clause in split_sentences(STORY)] == [False, False, True]
    assert asks_for_count(STORY)
    assert unanswerable_reason("Ana havas 5 pomojn. Kial ŝi ridas?")


def test_rules_and_other_orders_work_in_it(esperanto) -> None:
    solution = rule_solution("Kiom da metroj ŝi kuras en 3 kilometroj?")
    assert solution is not None
    assert solution.exact == "3000"
    reordered = reorder_question(ProblemRecord("1", STORY, "eo"))
    assert reordered is not None
    assert reordered.text.startswith("Kiom da pomoj ŝi havas? Ana havas")


def test_search_takes_its_plural_off(esperanto) -> None:
    assert search_tokens("tri pomoj", "eo") == ["tri", "pomo"]
