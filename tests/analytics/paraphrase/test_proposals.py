"""Proposing paraphrases: by rules, by a model that writes sequences, by one that is told what to keep."""

from __future__ import annotations

import random

import pytest

from analytics.errors import DataError
from analytics.language_model.protocol import ModelAnswer
from analytics.paraphrase.metrics import same_numbers
from analytics.paraphrase.proposals import (
    LanguageModelParaphraser,
    RuleParaphraser,
    SequenceParaphraser,
    breakages,
    different_texts,
    usefulness,
)
from questionbank.demo.bank import demo_questions
from tests.cases import each_case

QUESTION = "Zoe bought 12 pens and 3 cards in a shop. How many pens did Zoe buy if she had 4 at first?"


def test_the_rules_write_different_texts_always_the_same_ones():
    proposals = RuleParaphraser().propose(QUESTION, 4)
    assert len(set(proposals)) == 4
    assert QUESTION not in proposals
    assert all(same_numbers(QUESTION, text) == 1 for text in proposals)
    assert RuleParaphraser().propose(QUESTION, 4) == proposals
    assert RuleParaphraser().propose(QUESTION, 6)[:4] == proposals


def test_the_rules_say_so_where_they_know_no_other_wording():
    assert RuleParaphraser().propose("$2 + 3 = $", 3) == []


def test_texts_that_differ_in_blanks_only_are_one():
    texts = ["a  b", "  ", "a b", "a\nb c ", "a b c", "d", "e"]
    assert different_texts(" a b", texts, 2) == ["a\nb c", "d"]


class Sequences:
    """Gives fixed outputs, and remembers what it was asked."""

    def generate(self, texts, *, beams=1, outputs=1):
        self.asked = (list(texts), beams, outputs)
        return [["The same.", QUESTION, "Other.", "Another.", "A third."][:outputs]]


def test_a_sequence_model_gives_its_best_outputs_but_the_question():
    model = Sequences()
    proposals = SequenceParaphraser(model, name="t5", prefix="paraphrase:").propose(QUESTION, 3)
    assert proposals == ["The same.", "Other.", "Another."]
    assert model.asked == ([f"paraphrase: {QUESTION}"], 4, 4)
    SequenceParaphraser(model, name="t5").propose(QUESTION, 50)
    assert model.asked == ([QUESTION], 16, 16)


class Chat:
    """Answers with a fixed text."""

    name = "tiny"

    def __init__(self, answer: str) -> None:
        self.answer = answer

    host = ""

    def ask(self, messages, options=None, *, on_text=None) -> ModelAnswer:
        self.asked = tuple(message.content for message in reversed(messages))
        return ModelAnswer(self.answer)


def test_a_language_model_is_told_what_to_keep_and_its_formulas_come_as_written():
    answer = (
        "<think>perhaps <rewording>a draft</rewording></think>Here:\n"
        r"<rewording>Find $\frac{1}{2}\times 3$.</rewording>"
        "\n<rewording> Two\nlines </rewording><rewording></rewording>"
    )
    chat = Chat(answer)
    paraphraser = LanguageModelParaphraser(chat)
    assert paraphraser.propose(r"What is $\frac{1}{2}\times 3$?", 3) == [r"Find $\frac{1}{2}\times 3$.", "Two\nlines"]
    text, instruction = chat.asked
    assert r"What is $\frac{1}{2}\times 3$?" in text
    assert "3 ways" in text
    assert "Keep every number, unit, name and relation" in instruction
    assert paraphraser.name == "tiny"


def test_an_answer_without_a_wording_cannot_be_read():
    with pytest.raises(DataError, match="tiny"):
        LanguageModelParaphraser(Chat("I would rather not.")).propose(QUESTION, 1)


@each_case("rewording", "english")
def test_broken_english_is_found_and_right_english_is_not(right: str, broken: str) -> None:
    assert breakages(right) == []
    assert breakages(broken, right)
    assert breakages(broken, broken) == []  # whoever wrote the original wrote so


@pytest.mark.parametrize(
    "rewording",
    [
        "Ann doesn't buy 3 of the 12 large pens. Find the number of pens that she buys.",
        "Ann does not buy 3 of the 12 big pens. Calculate the number of pens that she buys.",
    ],
)
def test_another_word_for_find_or_large_is_trivial(rewording: str) -> None:
    question = "Ann does not buy 3 of the 12 large pens. What is the number of pens that she buys?"
    assert usefulness(question, rewording) == 0
    assert usefulness(question, "Of 12 large pens, Ann leaves 3 in the shop. How many does she take home?") > 3


def test_the_most_useful_rewording_comes_first() -> None:
    question = "A car keeps a speed of 106 km/h for 4 hours. How far does it go, in kilometres?"
    proposals = RuleParaphraser().propose(question, 3)
    values = [usefulness(question, text) for text in proposals]
    assert proposals
    assert values == sorted(values, reverse=True)


def test_proposals_of_the_demo_bank_are_neither_broken_nor_trivial_and_keep_their_formulas() -> None:
    questions = random.Random(13).sample(sorted(row.text for row in demo_questions()), 90)
    proposals = [(text, proposal) for text in questions for proposal in RuleParaphraser().propose(text, 1)]
    assert len(proposals) > 5
    for question, proposal in proposals:
        assert breakages(proposal, question) == []
        assert usefulness(question, proposal) > 0
        assert sorted(question.split("$")[1::2]) == sorted(proposal.split("$")[1::2])
