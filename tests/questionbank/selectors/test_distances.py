"""The nearest question at each distance, against kh_distance itself."""

from __future__ import annotations

import numpy as np
import pytest

from analytics.encoder.khar import kh_distance
from questionbank.errors import ServiceUnavailable, ValidationFailed
from questionbank.models import EmbeddingSet
from questionbank.selectors.questions import augmentation
from questionbank.selectors.questions.augmentation import question_augmented
from questionbank.selectors.questions.concept_levels import concept_levels
from questionbank.selectors.questions.questions import concept_paths
from questionbank.selectors.serving import serving
from questionbank.selectors.similar.distances import worked_case
from tests.factories import QuestionFactory
from tests.questionbank.small_bank import add_concept, add_set, store_vectors

pytestmark = pytest.mark.django_db

PATHS = (
    ("Mathematics", "Algebra", "Equations", "Linear"),
    ("Mathematics", "Algebra", "Equations", "Quadratic"),
    ("Mathematics", "Algebra", "Functions"),
    ("Mathematics", "Geometry", "Circles", "Arcs"),
    ("Mathematics", "Geometry"),
)


@pytest.fixture
def world():
    """Two questions on each path and on two paths at once, one in another hierarchy, one without a concept."""
    tags = [(path,) for path in PATHS for _time in range(2)]
    tags += [(PATHS[0], PATHS[3]), (PATHS[2], PATHS[4])]
    questions = [
        QuestionFactory(
            text=f"Find ${number} + {number * 3}$ and say why it is {number}, then halve it.",
            concepts=[add_concept(*path) for path in own],
        )
        for number, own in enumerate(tags)
    ]
    questions.append(QuestionFactory(concepts=[add_concept("Elsewhere", "Here", hierarchy="Another")]))
    questions.append(QuestionFactory(text="How much is it, and why, and for how long?"))
    store_vectors(add_set("purpose"), questions)
    return questions


def by_hand(question, questions, levels: int) -> dict[int, int]:
    """The nearest question at each distance: every pair compared."""
    hierarchy = question.tags.first().concept.hierarchy
    paths = {
        pk: [path[1:] for path in full_paths]
        for pk, full_paths in concept_paths(
            [candidate.pk for candidate in questions], hierarchy=hierarchy
        ).items()
    }
    vectors = {
        row.question_id: np.asarray(row.vector, dtype=np.float32)
        for row in EmbeddingSet.objects.get(lens="purpose").embeddings.all()
    }
    best: dict[int, tuple[float, int]] = {}
    for pk in sorted(paths):
        if pk == question.pk:
            continue
        distance = kh_distance(paths[question.pk], paths[pk], levels)
        score = float(vectors[pk] @ vectors[question.pk])
        if distance not in best or score > best[distance][0] + 1e-4:
            best[distance] = (score, pk)
    return {distance: pk for distance, (_score, pk) in best.items()}


@pytest.mark.parametrize("place", [0, 2, 4, 8, 10, 11])
def test_each_row_is_the_nearest_question_at_its_kh_distance(world, place) -> None:
    question = world[place]
    case = worked_case(question=question, serving=serving())
    assert case.levels == 3  # the root that all share is no level
    expected = by_hand(question, world, 3)
    assert [row.distance for row in case.rows] == [0, 1, 2, 3, 4]
    for row in case.rows[1:]:
        paths = [path[1:] for path in row.paths]
        own = [path[1:] for path in case.paths]
        if row.question is None:
            assert row.distance not in expected
            assert "No ready question" in row.notice
        else:
            assert kh_distance(own, paths, 3) == row.distance
            assert row.question.pk == expected[row.distance]


def test_at_distance_0_stands_the_question_as_augmentation_changes_it(world) -> None:
    case = worked_case(question=world[0], serving=serving(), seed=1)
    row = case.rows[0]
    drawn = [draw.text for draw in question_augmented(text=world[0].text, seed=1, draws=6).whole]
    assert row.text in drawn
    assert row.text != world[0].text
    encoder = serving().encoder("purpose")
    row_vector, question_vector = encoder.encode([row.text, world[0].text])
    assert row.cosine == pytest.approx(float(row_vector @ question_vector), abs=1e-3)
    assert worked_case(question=world[0], serving=serving(), seed=2).rows[0].text != row.text


def test_questions_that_are_not_ready_do_not_count(world) -> None:
    case = worked_case(question=world[0], serving=serving())
    nearest = case.rows[1].question
    nearest.status = "retired"
    nearest.save()
    again = worked_case(question=world[0], serving=serving())
    assert again.rows[1].question not in (None, nearest)


def test_without_a_concept_only_the_augmented_question_is_shown(world) -> None:
    case = worked_case(question=world[-1], serving=serving())
    assert case.hierarchy is None
    assert [row.distance for row in case.rows] == [0]


def test_a_text_in_which_nothing_can_change_says_so(world, monkeypatch) -> None:
    made = question_augmented(text="x", seed=0, draws=6)
    assert not any(draw.pieces for draw in made.whole)
    world[-1].text = "x"
    case = worked_case(question=world[-1], serving=serving())
    assert "nothing to change" in case.rows[0].notice


def test_too_long_a_question_keeps_its_other_rows(world) -> None:
    world[0].text = "word " * 2000
    case = worked_case(question=world[0], serving=serving())
    assert "longer than" in case.rows[0].notice
    assert case.rows[4].question is not None


def test_a_bank_without_vectors_says_so(world) -> None:
    EmbeddingSet.objects.all().delete()
    with pytest.raises(ServiceUnavailable):
        worked_case(question=world[0], serving=serving())


def test_levels_leave_out_what_nearly_all_tags_share(world) -> None:
    concept = world[0].tags.get().concept
    levels = concept_levels(hierarchy=concept.hierarchy)
    assert levels.levels == 3
    assert levels.prefixes(concept.path) == [concept.path[:8], concept.path[:12], concept.path]
    root = concept.hierarchy.concepts.get(name="Mathematics")
    assert levels.prefixes(root.path) == [root.path]


def test_no_more_than_two_look_at_augmentations_at_once(monkeypatch) -> None:
    monkeypatch.setattr(augmentation, "_PATIENCE_SECONDS", 0.01)
    with augmentation._AT_ONCE, augmentation._AT_ONCE, pytest.raises(ServiceUnavailable, match="moment"):
        question_augmented(text="x", seed=0, draws=1)
    assert question_augmented(text="x", seed=0, draws=1).whole


def test_too_long_a_text_is_refused() -> None:
    with pytest.raises(ValidationFailed, match="6,000"):
        question_augmented(text="x" * 6001, seed=0, draws=1)
