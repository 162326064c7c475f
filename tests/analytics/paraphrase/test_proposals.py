"""Proposing paraphrases: by rules, by a model that writes sequences, by one that is told what to keep."""

from __future__ import annotations

import pytest

from analytics.errors import DataError
from analytics.language_model.protocol import ModelAnswer
from analytics.paraphrase.proposals import (
    LanguageModelParaphraser,
    RuleParaphraser,
    SequenceParaphraser,
    different_texts,
)
from analytics.paraphrase.scoring.baselines import same_numbers

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
