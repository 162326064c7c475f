"""UDA, SSMBA and pseudo-labels: what they change, what they leave, and which triplets follow."""

from __future__ import annotations

import random
import re
from collections import Counter

import pytest

from analytics.errors import DataError
from analytics.paraphrase.config import ParaphraseConfig
from analytics.paraphrase.words.wording import STOP_WORDS, words
from analytics.records import ParaphrasePair
from tests.analytics.paraphrase.word_problems import word_problems
from worker.reproduction.paraphrase_baselines import (
    BASELINES,
    UninformativeReplacement,
    baseline_triplets,
    train_reconstructor,
)

QUESTIONS = [text.replace("takes", "gathers").replace("carries", "buys") for text in word_problems(24)]


@pytest.fixture(scope="module")
def config(tiny_folder):
    return ParaphraseConfig(
        backbone=tiny_folder(256),
        max_steps=3,
        batch_size=8,
        triplets_per_question=2,
        max_tokens=256,
        mixed_precision=False,
        device="cpu",
    )


def test_uda_replaces_words_that_say_little_and_no_number():
    replacement = UninformativeReplacement(QUESTIONS, share=0.2)
    lost: Counter[str] = Counter()
    for question in QUESTIONS:
        changed = replacement.apply(question, random.Random(question))
        assert changed == replacement.apply(question, random.Random(question))
        assert changed != question
        assert re.findall(r"\d+", changed) == re.findall(r"\d+", question)
        lost.update(Counter(words(question)) - Counter(words(changed)))
    rare = [word for word in lost if replacement.frequency[word] <= 4]  # names and things
    assert sum(lost[word] for word in rare) < 0.1 * lost.total()
    assert set(lost) & STOP_WORDS
    assert UninformativeReplacement([]).apply("many pens", random.Random(0)) is None


def test_ssmba_puts_tokens_of_the_same_kind_where_it_masked_some(config):
    model = train_reconstructor(QUESTIONS, config)
    made = model.reconstruct(QUESTIONS, seed=1)
    assert made == model.reconstruct(QUESTIONS, seed=1) != model.reconstruct(QUESTIONS, seed=2)
    changed = 0
    for before, after in zip(QUESTIONS, made, strict=True):
        # The tiny vocabulary has single characters, so that every place keeps its length.
        assert len(before) == len(after)
        assert [character == " " for character in before] == [character == " " for character in after]
        changed += sum(character != replacement for character, replacement in zip(before, after, strict=True))
    letters = sum(len(question.replace(" ", "")) for question in QUESTIONS)
    assert 0.08 * letters < changed < 0.16 * letters


def test_reconstruction_needs_a_batch_of_questions(config):
    with pytest.raises(DataError, match="at least 8 questions"):
        train_reconstructor(QUESTIONS[:3], config)


def test_reconstruction_goes_on_from_its_own_checkpoint_only(config, tmp_path):
    first = train_reconstructor(QUESTIONS, config, checkpoints=tmp_path)
    again = train_reconstructor(QUESTIONS, config, checkpoints=tmp_path)
    assert again.reconstruct(QUESTIONS, seed=1) == first.reconstruct(QUESTIONS, seed=1)
    with pytest.raises(DataError, match="other settings or other data"):
        train_reconstructor(QUESTIONS[1:], config, checkpoints=tmp_path)


@pytest.mark.parametrize("name", BASELINES)
def test_every_augmentation_is_valid_and_other_questions_are_not(name, config):
    triplets = baseline_triplets(name, QUESTIONS, config)
    assert triplets == baseline_triplets(name, [*QUESTIONS, QUESTIONS[0]], config)  # a repeat says no more
    assert Counter(triplet.anchor for triplet in triplets) == dict.fromkeys(QUESTIONS, 2)
    assert all(triplet.negative in QUESTIONS and triplet.negative != triplet.anchor for triplet in triplets)
    assert {triplet.negative_operator for triplet in triplets} == {"another question"}
    kinds = {
        "back-translation": {"back_translation"},
        "uda": {"back_translation", "uninformative_replacement"},
        "ssmba": {"reconstruction"},
    }
    assert {triplet.positive_operator for triplet in triplets} == kinds[name]
    assert sum(triplet.positive != triplet.anchor for triplet in triplets) > 0.7 * len(triplets)


def test_with_pseudo_labels_what_the_encoder_finds_far_is_invalid(config):
    near = [ParaphrasePair("", text, text, 1) for text in QUESTIONS]
    far = [ParaphrasePair("", text, text.replace("e", "z"), 0) for text in QUESTIONS]
    plain = baseline_triplets("ssmba", QUESTIONS, config)
    labelled = baseline_triplets("ssmba", QUESTIONS, config, labelled_by=[*near, *far])
    assert len(labelled) == len(plain)
    made = {triplet.positive for triplet in plain}
    called = Counter(triplet.negative_operator for triplet in labelled)
    assert called["reconstruction"] > 0
    for triplet in labelled:
        if triplet.negative_operator == "reconstruction":
            assert triplet.negative in made
            assert triplet.positive == triplet.anchor or triplet.positive in made
            assert triplet.positive != triplet.negative


def test_without_a_far_augmentation_pseudo_labels_change_nothing(config):
    lenient = [ParaphrasePair("", QUESTIONS[0], "7", 1), ParaphrasePair("", QUESTIONS[0], "8", 0)]
    triplets = baseline_triplets("uda", QUESTIONS, config, labelled_by=lenient)
    assert {triplet.negative_operator for triplet in triplets} == {"another question"}


def test_one_question_alone_has_no_other(config):
    assert baseline_triplets("uda", QUESTIONS[:1], config) == []
