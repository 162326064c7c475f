"""Groups of synonyms: what a group may hold, and who may change it; the recall of an index."""

from __future__ import annotations

import numpy as np
import pytest

from questionbank.core.errors import NotAllowed, ValidationFailed
from questionbank.models import SynonymGroup
from questionbank.search import services
from questionbank.search.services import index_recall, recall_measure, synonym_group_delete, synonym_group_save
from tests.questionbank.small_bank import add_question, add_set, store_vectors

pytestmark = pytest.mark.django_db


def test_a_bank_begins_with_synonyms_of_school_mathematics():
    terms = {term for group in SynonymGroup.objects.all() for term in group.terms}
    assert {"HCF", "SOHCAHTOA", "Pythagorean theorem", "related rates"} <= terms


def test_terms_are_tidied_and_kept_once(admin_person):
    group = synonym_group_save(user=admin_person, terms=["  glide   reflection ", "", "Glides", "glide"])
    assert group.terms == ["glide reflection", "glide"]


@pytest.mark.parametrize(
    ("terms", "problem"),
    [
        (["alone"], "two different terms"),
        (["same", "SAME"], "two different terms"),
        (["x" * 81, "short one"], "longer than 80"),
        (["hcf", "our own word"], "is in the group"),
        ([f"term number {number}" for number in range(31)], "at most 30"),
    ],
)
def test_a_group_that_makes_no_sense_is_refused(admin_person, terms, problem):
    with pytest.raises(ValidationFailed, match=problem):
        synonym_group_save(user=admin_person, terms=terms)


def test_a_group_keeps_its_own_terms_when_it_changes(admin_person):
    group = SynonymGroup.objects.get(terms__contains=["HCF"])
    changed = synonym_group_save(user=admin_person, group=group, terms=[*group.terms, "biggest common factor"])
    assert changed.terms[-1] == "biggest common factor"


def test_only_admins_change_synonyms(teacher):
    group = SynonymGroup.objects.first()
    for change in (
        lambda: synonym_group_save(user=teacher, terms=["one thing", "same thing"]),
        lambda: synonym_group_save(user=teacher, group=group, terms=["one thing", "same thing"]),
        lambda: synonym_group_delete(user=teacher, group=group),
    ):
        with pytest.raises(NotAllowed):
            change()


@pytest.fixture
def embedding_set(db):
    made = add_set("purpose", 6)
    questions = [add_question(f"Question {number}") for number in range(12)]
    table = np.random.default_rng(1).normal(size=(12, 6))
    store_vectors(made, questions, (table / np.linalg.norm(table, axis=1, keepdims=True)).astype(np.float32))
    return made


def test_a_search_that_finds_all_has_recall_one(embedding_set):
    measured = index_recall(embedding_set=embedding_set, queries=5, k=3)
    assert (measured.recall, measured.queries, measured.k) == (1.0, 5, 3)


def test_a_search_that_misses_every_fourth_neighbour_has_recall_three_quarters(embedding_set, monkeypatch):
    search = services.nearest

    def forgetful(**arguments):
        neighbours = search(**arguments)
        return neighbours if arguments.get("exact") else [*neighbours[:3], (-1, -1.0)]

    monkeypatch.setattr(services, "nearest", forgetful)
    assert index_recall(embedding_set=embedding_set, queries=12, k=4).recall == 0.75


def test_equally_near_neighbours_count_whichever_is_found(embedding_set, monkeypatch):
    twin = np.ones((2, 6), dtype=np.float32) / np.sqrt(6, dtype=np.float32)
    twins = [add_question("Twin"), add_question("Other twin")]
    store_vectors(embedding_set, twins, twin)
    search = services.nearest

    def swapped(**arguments):
        neighbours = search(**arguments)
        if arguments.get("exact") or twins[0].pk not in [pk for pk, _ in neighbours]:
            return neighbours
        return [(twins[1].pk, score) if pk == twins[0].pk else (pk, score) for pk, score in neighbours]

    monkeypatch.setattr(services, "nearest", swapped)
    assert index_recall(embedding_set=embedding_set, queries=14, k=1).recall == 1.0


def test_the_figure_is_kept_with_the_set(embedding_set):
    recall_measure(embedding_set=embedding_set, queries=2, k=2)
    embedding_set.refresh_from_db()
    assert embedding_set.recall["recall"] == 1.0
    assert embedding_set.recall["queries"] == 2
    assert embedding_set.recall["measured_at"]


def test_an_empty_set_misses_nothing():
    assert index_recall(embedding_set=add_set("wording", 6)).recall == 1.0
