"""How problems are read: numbers masked, and found again among the tokens."""

from __future__ import annotations

import pytest

from analytics.backbone.backbone import Backbone
from analytics.records import ProblemRecord
from analytics.solver.reading import TextReader
from analytics.solver.targets import solver_example
from tests.tiny_backbone import tiny_backbone


def reader_of(backbone: Backbone, **options) -> TextReader:
    return TextReader(backbone.tokenizer, backbone.pad_id, **options)


def example(text: str):
    return solver_example(ProblemRecord("1", text))


def tokens(reader: TextReader, ids) -> str:
    return " ".join(reader.tokenizer.id_to_token(number) for number in ids)


def test_numbers_are_masked_as_one_token_each_and_their_signs_stay():
    reader = reader_of(tiny_backbone())
    [problem] = reader.read([example("is 1,250 up 20% ?")])
    assert tokens(reader, problem.ids) == "[CLS] i ##s [MASK] u ##p [MASK] % ? [SEP]"
    assert problem.slots == ((3,), (6, 7), (6,))
    assert problem.readings == (0, 0, 1)


def test_a_fraction_is_read_whole_and_by_its_digits():
    reader = reader_of(tiny_backbone())
    [problem] = reader.read([example("2/3 of twelve")])
    assert tokens(reader, problem.ids) == "[CLS] [MASK] / [MASK] o ##f [MASK] [SEP]"
    assert problem.slots == ((1, 2, 3), (1,), (3,), (6,))


def test_numbers_can_be_kept_as_they_are():
    reader = reader_of(tiny_backbone(), mask_numbers=False)
    [problem] = reader.read([example("add 25")])
    assert tokens(reader, problem.ids) == "[CLS] a ##d ##d 2 ##5 [SEP]"
    assert problem.slots == ((4, 5),)


def test_two_problems_that_differ_in_numbers_alone_are_read_alike():
    reader = reader_of(tiny_backbone())
    first, second = reader.read([example("add 25 and 7"), example("add 3 and 1,000")])
    assert (first.ids, first.slots) == (second.ids, second.slots)


def test_a_cut_text_loses_the_numbers_behind_the_cut():
    reader = reader_of(tiny_backbone(max_tokens=8))
    [problem] = reader.read([example("7 pens and 5 more")])
    assert problem.slots[1] == ()
    assert not problem.is_whole
    batch = reader.arrays([problem])
    assert batch.slot_weights.sum(axis=2).tolist() == [[1.0, 0.0]]


def test_a_batch_averages_each_slots_tokens_and_pads_the_rest():
    reader = reader_of(tiny_backbone())
    problems = reader.read([example("2/3 of 12"), example("no number")])
    batch = reader.arrays(problems)
    assert batch.slot_weights[0].sum(axis=1).tolist() == [1.0, 1.0, 1.0, 1.0]
    assert batch.slot_weights[0, 0, 1:4].tolist() == pytest.approx([1 / 3] * 3)
    assert not batch.slot_weights[1].any()
    assert batch.mask.sum(axis=1).tolist() == [len(problem.ids) for problem in problems]
