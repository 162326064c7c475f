"""The bank's own solved questions answer new problems."""

from __future__ import annotations

import numpy as np
import pytest

from analytics.inference.encode import HashedNgramEncoder
from analytics.recalling_solver import recalling
from analytics.records import ProblemRecord
from analytics.solver.rules.solver import RuleSolver
from questionbank.models import EmbeddingSet, Question
from questionbank.registry import recalled as module
from questionbank.registry.recalled import bank_recall, recalled_questions
from tests.analytics.test_recalling_solver import HandmadeRetriever
from tests.questionbank.scripted_solver import ScriptedSolver
from tests.questionbank.small_bank import add_question, add_set, store_vectors

pytestmark = pytest.mark.django_db

BUS = "A bus had 12 seats and lost 2 of them. How many are left?"


@pytest.fixture
def structure(db) -> EmbeddingSet:
    return add_set("structure")


@pytest.fixture
def train(structure) -> Question:
    train = add_question("A train had 31 seats and lost 4 of them. How many are left?", equation="31-4")
    others = [
        add_question("A box holds 6 eggs. How many eggs are there in 4 boxes?", equation="6*4"),
        add_question("A tram had 31 seats and lost 4 of them. How many are left?"),
        add_question("Un bus avait 12 places et en a perdu 2.", equation="12-2", language="fr"),
        add_question("A ship had 31 beds and lost 4 of them.", equation="31-4", status="draft"),
    ]
    store_vectors(structure, [train, *others])
    return train


def recalled(structure: EmbeddingSet, text: str, id: str = "") -> list[int]:
    vector = HashedNgramEncoder(structure.dimension).encode([text])[0]
    return [neighbour.row for neighbour in recalled_questions(structure, ProblemRecord(id, text), vector)]


def test_the_nearest_with_a_known_equation_in_the_same_language_come_first(structure, train):
    rows = recalled(structure, BUS)
    assert rows[0] == train.pk
    assert len(rows) == 2
    vector = HashedNgramEncoder(structure.dimension).encode([BUS])[0]
    first = recalled_questions(structure, ProblemRecord("", BUS), vector)[0]
    assert first.graph.prototype == "N0-N1"
    assert 0 < first.similarity < 1


def test_a_question_is_answered_neither_by_itself_nor_by_a_rewording_nor_by_the_same_text(structure, train):
    reworded = add_question("Of 31 seats a train lost 4.", equation="31-4", paraphrase_of=train)
    store_vectors(structure, [reworded])
    assert train.pk not in recalled(structure, train.text)
    for question in (train, reworded):
        rows = recalled(structure, f"{question.text} Tell.", str(question.pk))
        assert not {train.pk, reworded.pk} & set(rows)


def test_the_nearest_are_read_first_and_no_more_than_a_solver_weighs(structure, train, monkeypatch):
    nearer = [add_question(f"{BUS} Tell {end}.", equation="12-2") for end in ("me", "us", "them")]
    store_vectors(structure, nearer)
    read: list[str] = []
    monkeypatch.setattr(module, "NEIGHBOURS", 2)
    monkeypatch.setattr(module, "_graph", lambda text, _equation: read.append(text) or text)
    assert len(recalled(structure, BUS)) == 2
    assert len(read) == 2
    assert all(text.startswith(BUS) for text in read)


def test_the_banks_solved_questions_vote_beside_those_that_the_retriever_keeps(db):
    structure = add_set("structure", 2)
    known = [add_question(f"A {name} had 31 seats and lost 4.", equation="31-4") for name in ("train", "tram")]
    store_vectors(structure, known, np.array([[1, 0], [1, 0]]))
    unsure = ScriptedSolver({BUS: (("12+2", 0.4), ("12-2", 0.35))})
    retriever = HandmadeRetriever(0)  # the nearest that it keeps is a sum
    for further, answer in ((None, "14"), (bank_recall(structure), "10")):
        solver = recalling(unsure, retriever, further=further)
        ((best, *_others),) = solver.solve([ProblemRecord("", BUS)])
        assert best.exact == answer


def test_the_equation_of_the_same_text_with_other_numbers_is_the_solution(db):
    structure = add_set("structure", 2)
    twin = add_question("A  bus had 31 seats and lost 4 of them. How many are left?", equation="31-4")
    add_question("A tram had 31 seats and lost 4 of them. How many are left?", equation="31+4")
    store_vectors(structure, list(Question.objects.all()), np.array([[1, 0], [1, 0]]))
    unsure = ScriptedSolver({BUS: (("12+2", 0.9), ("12-2", 0.05))})
    solver = RuleSolver(recalling(unsure, HandmadeRetriever(0), further=bank_recall(structure)))
    ((best, *others),) = solver.solve([ProblemRecord("", BUS)])
    assert (best.exact, best.twin) == ("10", str(twin.pk))
    assert best.probability >= 0.98
    assert "14" in {other.exact for other in others}
    assert all(not other.twin for other in others)


def test_an_equation_that_these_numbers_make_impossible_is_not_the_solution(db):
    structure = add_set("structure", 2)
    twin = add_question(BUS.replace("12", "31").replace("2 of", "4 of"), equation="31-4")
    store_vectors(structure, [twin], np.array([[1, 0]]))
    text = BUS.replace("12", "1").replace("2 of", "9 of")
    solver = recalling(ScriptedSolver({text: (("1+9", 0.6),)}), HandmadeRetriever(0), further=bank_recall(structure))
    ((best, *_others),) = solver.solve([ProblemRecord("", text)])
    assert not best.twin
