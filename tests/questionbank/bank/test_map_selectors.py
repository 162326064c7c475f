"""Which map is shown, its points, and what its colours mean."""

from __future__ import annotations

import struct

import numpy as np
import pytest
from django.core.cache import cache

from questionbank.bank import map_selectors as projections
from questionbank.bank.map_selectors import (
    concept_level,
    map_hierarchies,
    map_legend,
    map_points,
    map_state,
    map_version,
    points_to_bytes,
)
from questionbank.bank.vector_services import projection_request, projection_store
from questionbank.models import EmbeddingSet, ItemStatistics, KnowledgeConcept, Question, QuestionTag
from tests.factories import HierarchyFactory, QuestionFactory
from tests.questionbank.small_bank import add_concept, add_set, store_vectors

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _nothing_kept() -> None:
    cache.clear()


def draw(embedding_set, questions):
    ids = np.array([question.pk for question in questions], dtype=np.int64)
    places = np.stack([np.linspace(-1, 1, len(ids)), np.zeros(len(ids))], axis=1).astype(np.float32)
    return projection_store(
        embedding_set=embedding_set, question_ids=ids, coordinates=places, method="tsne", settings={}
    )


@pytest.fixture
def world():
    """Ten questions under one root: six linear, two quadratic, one circle, one without a concept."""
    linear = add_concept("Mathematics", "Algebra", "Equations", "Linear")
    quadratic = add_concept("Mathematics", "Algebra", "Equations", "Quadratic")
    circle = add_concept("Mathematics", "Geometry", "Circles")
    concepts = [linear] * 6 + [quadratic] * 2 + [circle, None]
    questions = [
        QuestionFactory(concepts=[concept] if concept else [], difficulty=1 + index % 5, difficulty_scale="1-5")
        for index, concept in enumerate(concepts)
    ]
    embedding_set = add_set("purpose")
    store_vectors(embedding_set, questions)
    return type(
        "World",
        (),
        {
            "questions": questions,
            "set": embedding_set,
            "linear": linear,
            "circle": circle,
            "hierarchy": linear.hierarchy,
            "projection": draw(embedding_set, questions),
        },
    )


def points_of(world):
    return map_points(projection=world.projection, hierarchy=world.hierarchy)


def test_the_map_of_the_encoder_in_use_is_shown_and_another_one_s_is_marked(world) -> None:
    state = map_state()
    assert (state.projection, state.is_of_former_model, state.missing) == (world.projection, False, 0)

    EmbeddingSet.objects.filter(pk=world.set.pk).update(is_current=False)
    newer = add_set("purpose", 64, encoder_name="newer")
    state = map_state()
    assert (state.projection, state.is_of_former_model, state.can_be_drawn) == (world.projection, True, False)

    store_vectors(newer, world.questions)
    own = draw(newer, world.questions)
    assert map_state().projection == own
    newer.is_current = False
    newer.save()
    EmbeddingSet.objects.filter(pk=world.set.pk).update(is_current=True)
    assert map_state().projection == world.projection  # rolled back


def test_vectors_that_came_in_since_are_counted_and_the_job_at_work_is_named(world) -> None:
    store_vectors(world.set, [QuestionFactory(), QuestionFactory()])
    run = projection_request()
    state = map_state()
    assert (state.missing, state.run) == (2, run)


def test_points_hold_the_levels_without_the_root_that_all_share(world) -> None:
    points = points_of(world)
    algebra, equations = (KnowledgeConcept.objects.get(name=name).pk for name in ("Algebra", "Equations"))
    assert points.ids.tolist() == [question.pk for question in world.questions]
    assert points.concepts[:, 0].tolist() == [algebra, equations, world.linear.pk]
    assert points.concepts[:, 8].tolist()[1:] == [world.circle.pk, 0]
    assert points.concepts[:, 9].tolist() == [0, 0, 0]
    assert points.difficulties[:5].tolist() == [0, 25, 50, 75, 100]


def test_the_map_shows_the_difficulty_that_counts(world) -> None:
    Question.objects.filter(pk=world.questions[0].pk).update(difficulty_percent=75.2)
    Question.objects.filter(pk=world.questions[1].pk).update(difficulty_percent=None)
    assert points_of(world).difficulties[:2].tolist() == [75, 255]


def test_questions_that_are_not_ready_or_gone_are_not_drawn(world) -> None:
    before = map_version(projection=world.projection, hierarchy=world.hierarchy)
    points_of(world)
    Question.objects.filter(pk=world.questions[0].pk).update(status="retired")
    world.questions[1].delete()
    points = points_of(world)
    assert points.ids.tolist() == [question.pk for question in world.questions[2:] if question.pk]
    assert points.coordinates[0].tolist() == [14563, 32768]  # keeps its place
    assert map_version(projection=world.projection, hierarchy=world.hierarchy) != before


@pytest.mark.parametrize(
    "change",
    [
        lambda world: QuestionTag.objects.filter(question=world.questions[0]).delete(),
        lambda world: QuestionTag.objects.create(question=world.questions[9], concept=world.linear),
        lambda world: world.linear.hierarchy.concepts.filter(pk=world.linear.pk).update(name="Straight"),
        lambda world: Question.objects.filter(pk=world.questions[0].pk).update(difficulty=3),
        lambda world: ItemStatistics.objects.create(question=world.questions[0], people=9),
        lambda world: draw(world.set, world.questions),
    ],
    ids=["tag removed", "tag added", "concept renamed", "difficulty", "responses", "drawn anew"],
)
def test_the_version_changes_with_whatever_the_points_hold(world, change) -> None:
    before = map_version(projection=map_state().projection, hierarchy=world.hierarchy)
    assert map_version(projection=map_state().projection, hierarchy=world.hierarchy) == before
    change(world)
    assert map_version(projection=map_state().projection, hierarchy=world.hierarchy) != before


def test_a_large_map_is_read_anew_after_some_time_and_not_with_every_change(world, monkeypatch) -> None:
    monkeypatch.setattr(projections, "LARGE", 5)
    monkeypatch.setattr(projections.time, "time", lambda: 1000.0)
    assert map_state().is_large
    before = map_version(projection=world.projection, hierarchy=world.hierarchy)
    store_vectors(world.set, [QuestionFactory()])
    assert map_state().missing == 0
    assert map_version(projection=world.projection, hierarchy=world.hierarchy) == before
    monkeypatch.setattr(projections.time, "time", lambda: 1000.0 + projections.LARGE_KEPT)
    assert map_version(projection=world.projection, hierarchy=world.hierarchy) != before


def test_points_are_written_as_the_page_reads_them(world) -> None:
    points = points_of(world)
    data = points_to_bytes(points)
    magic, count, levels = struct.unpack_from("<4sII", data)
    assert (magic, count, levels) == (b"KMAP", 10, 3)
    assert np.frombuffer(data, "<u4", 10, 12).tolist() == points.ids.tolist()
    assert np.frombuffer(data, "<u4", 30, 12 + 40).reshape(3, 10).tolist() == points.concepts.tolist()
    assert np.frombuffer(data, "<u2", 20, 12 + 160).reshape(10, 2).tolist() == points.coordinates.tolist()
    assert np.frombuffer(data, "u1", 10, 12 + 200).tolist() == points.difficulties.tolist()
    assert len(data) == 12 + 210


def test_the_legend_counts_concepts_of_a_level_the_commonest_first(world) -> None:
    points = points_of(world)
    rows = map_legend(points=points, level=1)
    assert [(row.name, row.questions, row.colour) for row in rows] == [("Algebra", 8, 0), ("Geometry", 1, 1)]
    equations = KnowledgeConcept.objects.get(name="Equations")
    inside = map_legend(points=points, level=3, within=equations)
    assert [(row.name, row.questions) for row in inside] == [("Linear", 6), ("Quadratic", 2)]
    assert concept_level(points=points, concept=equations) == 2
    assert concept_level(points=points, concept=KnowledgeConcept.objects.get(name="Mathematics")) is None


def test_only_the_commonest_concepts_have_a_colour(world) -> None:
    others = [QuestionFactory(concepts=[add_concept("Mathematics", f"Other {n:02}")]) for n in range(9)]
    projection = draw(world.set, world.questions + others)
    rows = map_legend(points=map_points(projection=projection, hierarchy=world.hierarchy), level=1)
    assert [row.colour for row in rows] == [*range(8), None, None, None]


def test_the_legend_of_difficulty_has_five_bands_and_leaves_unknown_ones_out(world) -> None:
    Question.objects.filter(pk=world.questions[0].pk).update(difficulty_percent=None)
    rows = map_legend(points=points_of(world), level=None)
    assert [row.questions for row in rows] == [1, 2, 2, 2, 2]
    assert rows[0].name == "0–20 %"


def test_without_a_hierarchy_there_are_points_but_no_concepts(world) -> None:
    points = map_points(projection=world.projection, hierarchy=None)
    assert len(points.ids) == 10
    assert not points.concepts.any()


def test_hierarchies_in_which_nothing_is_tagged_are_no_choice(world) -> None:
    HierarchyFactory(name="Empty")
    add_concept("Only one", hierarchy="Another")
    QuestionFactory(concepts=[add_concept("Only one", hierarchy="Another")])
    assert [hierarchy.name for hierarchy in map_hierarchies()] == [world.hierarchy.name, "Another"]
