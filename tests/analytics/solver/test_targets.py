"""Word problems as input and target, and the accuracy of what a solver writes."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from analytics.backbone.backbone import Backbone
from analytics.errors import DataError
from analytics.expression.tree import to_infix
from analytics.records import ProblemRecord
from analytics.solver.targets import (
    OPERATORS,
    TextReader,
    Vocabulary,
    is_equation_right,
    score_solutions,
    solver_example,
    solver_examples,
    value_of,
)
from tests.cases import each_case
from tests.tiny_backbone import tiny_backbone


def problem(text: str, equation: str = "", answer: str = "") -> ProblemRecord:
    return ProblemRecord("1", text, equation=equation, answer=answer)


@each_case("expressions", "targets")
def test_an_equation_is_written_over_slots_with_binary_operators(text, equation, target):
    assert solver_example(problem(text, equation)).tokens == target


def test_a_problem_without_an_equation_has_slots_and_no_target():
    example = solver_example(problem("7 red and 2 green"))
    assert len(example.slots) == 2
    assert example.tokens == []


def test_only_readable_equations_of_bearable_length_are_learned_from():
    problems = [problem("1 and 2", "1+2"), problem("1 and 2", "1+"), problem("1 and 2"), problem("1 and 2", "1+2+1")]
    assert [to_infix(one.tree) for one in solver_examples(problems, most_tokens=3)] == ["N0+N1"]
    with pytest.raises(DataError):
        solver_example(problems[1])


def test_constants_are_learned_by_their_number_of_uses():
    examples = solver_examples(
        [problem("5 cm", "5*2*3.14"), problem("6 cm", "6*3.14"), problem("9", "9+2")], most_tokens=9
    )
    assert Vocabulary.of(examples).constants == ("2", "3.14")
    rare = solver_examples([problem("4 cm", "4*7")], most_tokens=9)
    vocabulary = Vocabulary.of([*examples, *rare], least_uses=2)
    assert vocabulary.constants == ("2", "3.14")
    assert not vocabulary.writes(rare[0])
    assert vocabulary.writes(examples[0])
    assert vocabulary.symbols == (*OPERATORS, "2", "3.14")


def test_a_value_that_the_text_repeats_may_be_any_of_its_slots():
    example = solver_example(problem("5 cats and 5 dogs and 3 mice", "5+5"))
    vocabulary = Vocabulary(("2",))
    first = len(vocabulary.symbols)
    assert example.tokens == ["+", "N0", "N0"]
    assert vocabulary.candidates("N0", example) == [first, first + 1]
    assert vocabulary.candidates("+", example) == [0]
    assert [vocabulary.token(candidate) for candidate in (0, 5, first + 1)] == ["+", "2", "N1"]


@each_case("expressions", "written_values")
def test_a_written_equation_has_a_value_or_none(tokens, value):
    assert value_of(tokens, [Fraction(80), Fraction(1, 4)]) == (None if value is None else pytest.approx(value))


def test_a_worked_solution_or_a_program_stands_in_for_an_equation_if_it_gives_the_answer():
    worked = ProblemRecord("1", "She sold 48 and then half as many.", answer="72", calculations=("48/2=24", "48+24=72"))
    assert solver_example(worked).tokens == ["+", "N0", "/", "N0", "2"]
    program = ProblemRecord("2", "10 of 25 pens", program="subtract(n1,n0)|", numbers=("10", "25"))
    assert solver_example(program).tokens == ["-", "N1", "N0"]
    with pytest.raises(DataError, match="does not give the published answer"):
        solver_example(replace(worked, answer="71"))
    assert solver_examples([worked, replace(worked, answer="71")], most_tokens=45) == [solver_example(worked)]


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


def solver_problem(text: str, equation: str):
    return solver_example(ProblemRecord("1", text, equation=equation))


def test_another_equation_of_the_same_value_is_a_right_answer_and_not_the_equation():
    problems = [solver_problem("3 and 4", "3+4"), solver_problem("3 and 4", "3*4"), solver_problem("5 and 8", "8-5")]
    written = [["+", "N1", "N0"], [], ["-", "N1", "N0"]]
    scores = score_solutions(problems, written)
    assert scores.equation_accuracy == pytest.approx(1 / 3)
    assert scores.answer_accuracy == pytest.approx(2 / 3)
    assert scores.as_metrics("test_") == {
        "test_equation_accuracy": scores.equation_accuracy,
        "test_answer_accuracy": scores.answer_accuracy,
    }


def test_a_repeated_number_is_right_from_either_place():
    repeated = solver_problem("5 cats, 5 dogs, 3 mice", "5+3")
    assert is_equation_right(repeated, ["+", "N1", "N2"])
    assert not is_equation_right(repeated, ["+", "N2", "N1"])


def test_an_equation_without_a_value_is_wrong():
    scores = score_solutions([solver_problem("3 and 4", "3+4")], [["/", "N0", "-", "N1", "N1"]])
    assert (scores.equation_accuracy, scores.answer_accuracy) == (0.0, 0.0)
