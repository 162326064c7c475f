"""What a language model says of problems and pairs is checked, and dropped where a check fails."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence

import pytest

from analytics.language_model.pairs import LeaningWeight, judge, with_judgement
from analytics.language_model.protocol import AnswerToken, AskOptions, Message, ModelAnswer
from analytics.language_model.solving import Weights, with_worked_out, work_out
from analytics.solver.solution import Solution, solution_of
from analytics.text.number_slots import number_slots
from tests.cases import each_case

STAMPS = "Mia has 12 stamps and gets 5 more. How many has she?"
ORIGINAL = "A tank loses 5 litres every 2 minutes. How much does it lose in 10 minutes?"
CHANGED = "A tank loses 5 litres every 3 minutes. How much does it lose in 10 minutes?"


class Scripted:
    """A model that gives its answers in order, the last one again and again."""

    name, host = "scripted", "models.example"

    def __init__(self, *answers: str | ModelAnswer) -> None:
        self._answers = list(answers)
        self.asked: list[tuple[Sequence[Message], AskOptions]] = []

    def ask(self, messages, options, *, on_text=None) -> ModelAnswer:
        self.asked.append((messages, options))
        answer = self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]
        return ModelAnswer(answer) if isinstance(answer, str) else answer

    def ask_all(self, conversations, options):
        return [self.ask(messages, options).text for messages in conversations]


def program(lines: Sequence[str]) -> str:
    return json.dumps({"lines": list(lines)})


@each_case("language_model_uses", "programs_and_their_values")
def test_a_program_over_the_numbers_of_the_text_is_computed(text, lines, value):
    worked_out = work_out(Scripted(program(lines)), text)
    assert worked_out.solution is not None, worked_out.reason
    assert worked_out.solution.value == pytest.approx(value)


@each_case("language_model_uses", "programs_that_are_dropped")
def test_a_program_that_fails_a_check_is_dropped_with_the_reason(text, lines, why):
    worked_out = work_out(Scripted(program(lines)), text)
    assert worked_out.solution is None
    assert worked_out.is_unusable
    assert why in worked_out.reason


@each_case("language_model_uses", "replies_that_are_read")
def test_what_stands_around_the_object_is_skipped(reply, value):
    solution = work_out(Scripted(reply), STAMPS).solution
    assert solution is not None
    assert solution.value == value


@each_case("language_model_uses", "replies_that_are_unusable")
def test_an_unreadable_reply_is_repaired_once_and_then_dropped(reply):
    model = Scripted(reply)
    assert work_out(model, STAMPS).is_unusable
    assert len(model.asked) == 2
    repaired = work_out(Scripted(reply, program(["12 + 5"])), STAMPS)
    assert repaired.solution is not None
    assert repaired.solution.value == 17


@each_case("hostile_answers", "programs")
def test_nothing_that_a_hostile_answer_says_reaches_a_solution(answer, because):
    found = work_out(Scripted(answer), STAMPS)
    assert found.solution is None
    assert because in found.reason
    own = [solved("- N0 N1", 0.6)]
    assert with_worked_out(own, found.solution, Weights(5.0, 5.0), most=3) == own


@each_case("hostile_answers", "results_beside_programs")
def test_a_result_beside_a_program_is_ignored(answer):
    found = work_out(Scripted(answer), STAMPS).solution
    assert found is not None
    assert (found.value, found.answer, found.probability) == (17, "17", 0.5)


def test_an_empty_program_is_an_answer_and_not_unusable():
    worked_out = work_out(Scripted(program([])), STAMPS)
    assert worked_out.solution is None
    assert not worked_out.is_unusable
    assert "no number answers" in worked_out.reason


def test_a_long_problem_is_not_sent():
    model = Scripted(program(["12 + 5"]))
    assert work_out(model, STAMPS + " " * 2_000 + ".").solution is None
    assert model.asked == []


def solved(tokens: str, probability: float, **fields: str) -> Solution:
    solution = solution_of(tokens.split(), [slot.value for slot in number_slots(STAMPS)], probability)
    return Solution(**{name: fields.get(name, getattr(solution, name)) for name in Solution.__slots__})


def test_weights_of_nothing_change_nothing():
    own = [solved("- N0 N1", 0.6), solved("* N0 N1", 0.2)]
    assert with_worked_out(own, solved("+ N0 N1", 0.5), Weights(), most=3) == own


def test_an_answer_weighs_as_much_as_the_exam_says():
    own, said = [solved("- N0 N1", 0.6), solved("+ N0 N1", 0.2)], solved("+ N0 N1", 0.5)
    first, *_others = with_worked_out(own, said, Weights(same=3.0), most=3)
    assert first.value == 17
    weighed = 0.2 * math.exp(3.0)
    assert first.probability == pytest.approx(weighed / (weighed + 0.6 + 0.2))
    new = with_worked_out([own[0]], said, Weights(new=2.0), most=3)
    assert new[0].value == 17
    assert sum(each.probability for each in new) < 1
    assert with_worked_out([], said, Weights(new=2.0), most=3)[0].value == 17


def test_an_answer_of_a_rule_or_of_a_twin_stays():
    for settled in (solved("- N0 N1", 0.9, rule="difference"), solved("- N0 N1", 0.9, twin="7")):
        assert with_worked_out([settled], solved("+ N0 N1", 0.5), Weights(5.0, 5.0), most=3) == [settled]


def said(verdict: str, words: str = "") -> str:
    return json.dumps({"verdict": verdict, "words": words})


def test_a_pair_is_judged_in_both_orders_with_the_words_that_differ():
    model = Scripted(said("different", "every 3 minutes"))
    judgement = judge(model, ORIGINAL, CHANGED)
    assert (judgement.leaning, judgement.span) == (-1.0, "every 3 minutes")
    firsts = [messages[-1].content.index(ORIGINAL) < messages[-1].content.index(CHANGED) for messages, _ in model.asked]
    assert firsts == [True, False]
    assert judge(Scripted(said("same"), said("different", "3 minutes")), ORIGINAL, CHANGED).leaning == 0.0


def test_a_difference_whose_words_are_in_neither_text_is_dropped():
    judgement = judge(Scripted(said("different", "every 7 hours")), ORIGINAL, CHANGED)
    assert judgement.leaning is None
    assert judgement.unusable == 2
    assert "in neither text" in judgement.reason
    half = judge(Scripted(said("different", "every 7 hours"), said("same")), ORIGINAL, CHANGED)
    assert (half.leaning, half.span, half.unusable) == (1.0, "", 1)


@each_case("hostile_answers", "judgements")
def test_nothing_that_a_hostile_answer_says_reaches_a_verdict(answer, because):
    judgement = judge(Scripted(answer), ORIGINAL, CHANGED)
    assert (judgement.leaning, judgement.span, judgement.unusable) == (None, "", 2)
    assert because in judgement.reason
    assert with_judgement(0.7, judgement.leaning, LeaningWeight(8.0, 0.5)) == 0.7


@each_case("hostile_answers", "words_beside_verdicts")
def test_words_beside_a_verdict_that_needs_none_are_ignored(answer, leaning):
    judgement = judge(Scripted(answer), ORIGINAL, CHANGED)
    assert (judgement.leaning, judgement.span) == (leaning, "")


@pytest.mark.parametrize(
    ("words", "text", "found"),
    [
        ("5 Litern", "In 5  litern Wasser", "5  litern"),
        ("3分钟", "每3分钟流出5升", "3分钟"),
        ("x", "Solve x + max = 3.", "x"),
        ("5", "It loses 2.5 litres, 15 or 1,5.", ""),
        ("2", "It loses 2.5 litres", ""),
        ("minutes?", "in 10 minutes?", "minutes?"),
    ],
)
def test_words_are_found_whole_in_scripts_with_spaces(words, text, found):
    assert judge(Scripted(said("different", words)), text, "Another text").span == found


@pytest.mark.parametrize("quote", ["", '"'])
def test_log_probabilities_say_how_sure_the_model_is(quote):
    start = '{"verdict": ' if quote else '{"verdict": "'
    alternatives = {f"{quote}same": math.log(0.7), f"{quote}different": math.log(0.2), f"{quote}cannot": math.log(0.1)}
    tokens = (
        AnswerToken(start, {start: 0.0}),
        AnswerToken(f"{quote}same", alternatives),
        AnswerToken('", "words": ""}', {}),
    )
    answer = ModelAnswer("".join(token.text for token in tokens), tokens=tokens)
    assert judge(Scripted(answer), ORIGINAL, CHANGED).leaning == pytest.approx(0.5)


def test_a_judgement_moves_the_log_odds_and_without_a_weight_nothing():
    assert with_judgement(0.3, 1.0, LeaningWeight()) == 0.3
    assert with_judgement(0.3, None, LeaningWeight(2.0)) == 0.3
    assert with_judgement(0.5, -1.0, LeaningWeight(2.0)) == pytest.approx(1 / (1 + math.exp(2)))
