"""Hierarchies whose roots an admin has mapped are one; without a mapping they are not compared."""

from __future__ import annotations

import json

import numpy as np
import pytest
import torch

from analytics.concept_paths import UNDEFINED, encode_paths
from analytics.encoder.examples import (
    OTHER_TASK,
    SAME_QUESTION,
    SAME_TASK,
    EncoderExample,
    GridBatches,
    GridQuestion,
    read_grids,
)
from analytics.encoder.objectives import RankTable, TaskContrast
from analytics.errors import DataError
from analytics.splits import KeptOut
from tests.conftest import TESTS
from worker.encoder.evaluation import SUITE, read_triples

EXAMPLES = [
    EncoderExample("one", (("Algebra", "Equations"),), "School"),
    EncoderExample("two", (("Algebra and more", "Equations"),), "Olympiad"),
    EncoderExample("three", (("Geometry", "Circles"),), "School"),
    EncoderExample("four", (("Geometry", "Circles"),), "Olympiad"),
]


def ranks(examples: list[EncoderExample]) -> list[list[int]]:
    numbers, owners = encode_paths(
        [example.paths for example in examples], 2, [example.hierarchy for example in examples]
    )
    count = len(examples)  # asked of a second copy, since a question has no rank to itself
    table = RankTable(np.concatenate([numbers, numbers]), np.concatenate([owners, owners]))
    return table.ranks(torch.arange(count), torch.arange(count, 2 * count)).tolist()


def test_hierarchies_are_not_compared():
    matrix = np.array(ranks(EXAMPLES))
    assert (matrix[:2, :2] == [[1, UNDEFINED], [UNDEFINED, 1]]).all()


APART = TESTS / "bench" / "outside" / "twentyfirst" / "triples.jsonl"

GRID = {
    "language": "en",
    "questions": [["How long is the fence?", "How large is the lawn?"], ["Find the border.", "Find the area."]],
    "bare": [None, "Find $ab$."],
}


def write(path, *rows) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


def test_a_question_knows_its_task_and_its_story(tmp_path):
    write(tmp_path / "grids.jsonl", GRID)
    read = [(question.text, question.task, question.story) for question in read_grids(tmp_path / "grids.jsonl")]
    assert read == [
        ("How long is the fence?", 0, 0),
        ("How large is the lawn?", 1, 0),
        ("Find the border.", 0, 1),
        ("Find the area.", 1, 1),
        ("Find $ab$.", 1, -1),
    ]


@pytest.mark.parametrize("questions", [[["a", "b"]], [["a"], ["b"]], [["a", "b"], ["c"]]])
def test_a_grid_without_two_whole_tasks_and_stories_is_refused_with_its_line(tmp_path, questions):
    write(tmp_path / "grids.jsonl", GRID, {"language": "en", "questions": questions})
    with pytest.raises(DataError, match=r"line 2.*two tasks"):
        read_grids(tmp_path / "grids.jsonl")


def grid_questions(grids: int) -> list[GridQuestion]:
    return [
        GridQuestion(f"{grid} {task} {story}", "en", grid, task, story)
        for grid in range(grids)
        for story in range(2)
        for task in range(2)
    ]


def test_whole_grids_are_drawn_and_always_the_same_ones_for_a_step():
    batches = GridBatches(grid_questions(9), 2)
    drawn = [batches.draw((0, step)) for step in range(20)]
    assert all(len(rows) == 8 for rows in drawn)
    assert np.array_equal(drawn[3], GridBatches(grid_questions(9), 2).draw((0, 3)))
    assert len({tuple(rows) for rows in drawn}) > 5


def test_only_questions_of_one_task_are_positives():
    ranks = GridBatches(grid_questions(2), 2).ranks(np.arange(8))
    assert ranks[0].tolist() == [SAME_QUESTION, OTHER_TASK, SAME_TASK, *[OTHER_TASK] * 5]


def test_the_contrast_falls_where_tasks_come_together_and_stories_apart():
    contrast = TaskContrast(grid_questions(1), grids=1, seed=0)
    by_task = torch.tensor([[1.0, 0.0], [0.0, 1.0], [1.0, 0.0], [0.0, 1.0]])
    by_story = torch.tensor([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.0, 1.0]])
    assert contrast(np.arange(4), by_task) < 0.1
    assert contrast(np.arange(4), by_story) > 5


@pytest.mark.parametrize("path", [SUITE, APART], ids=["suite", "apart"])
def test_the_packaged_grids_hold_no_triple_that_an_encoder_is_measured_with(path):
    grids = KeptOut.of(question.text for question in read_grids())
    triples = read_triples(path)
    assert len(triples) > 100
    assert not [
        triple for triple in triples if any(map(grids.holds, (triple.question, triple.same_task, triple.same_story)))
    ]
