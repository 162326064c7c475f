"""Sequence-to-sequence models, real code on a tiny random one."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from analytics.errors import BackboneError
from analytics.paraphrase.config import ParaphraseConfig
from analytics.paraphrase.operators.stand_ins import (
    BackTranslation,
    PassiveByModels,
    Reconstruction,
    WeakParaphraser,
    farthest,
    first_different,
)
from tests.analytics.paraphrase.tiny_sequence_model import tiny_published_models, tiny_sequence_model
from tests.analytics.paraphrase.word_problems import word_problems

QUESTION = "Omar has 3 pens. How many pens does Omar lose?"


class Scripted:
    """Gives for each text what a function makes of it."""

    def __init__(self, function) -> None:  # type: ignore[no-untyped-def]
        self.function = function
        self.seen: list[str] = []

    def generate(self, texts, *, beams=1, outputs=1):  # type: ignore[no-untyped-def]
        self.seen += texts
        return [[self.function(text, index) for index in range(outputs)] for text in texts]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_sequence_model(tmp_path_factory.mktemp("models") / "tiny-bart")


def test_a_model_is_loaded_by_folder_and_gives_as_many_outputs_as_asked(folder: Path) -> None:
    from analytics.paraphrase.preparing import load_sequence_model

    model = load_sequence_model(str(folder), device="cpu", max_tokens=24)
    assert model.name == "tiny-bart"
    outputs = model.generate(["ann has 3 pens", "a much longer text than the other one", ""], beams=3, outputs=2)
    assert [len(row) for row in outputs] == [2, 2, 2]
    assert all(isinstance(text, str) and "[PAD]" not in text for row in outputs for text in row)
    assert outputs == model.generate(
        ["ann has 3 pens", "a much longer text than the other one", ""], beams=3, outputs=2
    )
    assert outputs[0] == model.generate(["ann has 3 pens"], beams=3, outputs=2)[0]  # padding changes nothing
    assert model.generate([]) == []
    with pytest.raises(ValueError, match="beams"):
        model.generate(["x"], beams=1, outputs=2)


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return tiny_published_models(tmp_path_factory.mktemp("models") / "published", word_problems(80))


@pytest.mark.filterwarnings("ignore:Recommended. pip install sacremoses")
@pytest.mark.parametrize("kind", ["marian", "pegasus", "t5"])
def test_models_are_loaded_as_their_publishers_save_them(kind: str, published: dict[str, Path]) -> None:
    from analytics.paraphrase.preparing import load_sequence_model

    model = load_sequence_model(str(published[kind]), device="cpu", max_tokens=24)
    texts = ["Ann has 3 pens.", "A train drives 30 km in an hour. How far is that?"]
    outputs = model.generate(texts, beams=3, outputs=2)
    assert [len(row) for row in outputs] == [2, 2]
    assert any(text.strip() for row in outputs for text in row)
    assert not any(mark in text for mark in ("</s>", "<pad>", "\u2581") for row in outputs for text in row)


@pytest.mark.filterwarnings("ignore:Recommended. pip install sacremoses")
def test_a_question_goes_through_two_translators_and_a_summariser(published: dict[str, Path]) -> None:
    from analytics.paraphrase.preparing import training_functions

    translator, summariser = str(published["marian"]), str(published["pegasus"])
    functions = training_functions(
        ParaphraseConfig(
            translator_there=translator, translator_back=translator, weak_paraphraser=summariser, device="cpu"
        )
    )
    for function in functions.values():
        changed = function(QUESTION, random.Random(0))
        assert changed is None or (changed.strip() and changed != QUESTION)
    assert functions["back_translation"](QUESTION, random.Random(0)) is not None


def test_models_are_named_in_the_configuration_and_take_the_stand_ins_places(folder: Path) -> None:
    from analytics.paraphrase.preparing import functions_for_test_sets, training_functions

    name = str(folder)
    config = ParaphraseConfig(translator_there=name, translator_back=name, weak_paraphraser=name, device="cpu")
    functions = training_functions(config)
    assert set(functions) == {"back_translation", "weak_paraphraser"}
    changed = functions["back_translation"]("Ann has 3 pens.", random.Random(0))
    assert changed is None or changed.strip()
    assert training_functions(ParaphraseConfig()) == {}
    functions = functions_for_test_sets(
        passive=name, grammar=name, reconstruction=name, weak_question=name, device="cpu"
    )
    assert set(functions) == {"passive_voice", "reconstruction", "weak_question"}


def test_what_is_no_model_is_refused(tmp_path: Path) -> None:
    from analytics.paraphrase.preparing import load_sequence_model

    (tmp_path / "empty").mkdir()
    for place in (tmp_path / "empty", tmp_path / "missing"):
        with pytest.raises(BackboneError):
            load_sequence_model(str(place))


def test_a_question_goes_there_and_back_sentence_by_sentence_and_the_farthest_return_wins() -> None:
    there = Scripted(lambda text, index: text.upper())
    back = Scripted(lambda text, index: text.lower() if index == 0 else text.lower() + " indeed")
    changed = BackTranslation(there, back).apply(QUESTION, random.Random(0))
    assert there.seen == ["Omar has 3 pens.", "How many pens does Omar lose?"]
    assert changed == "omar has 3 pens. indeed how many pens does omar lose? indeed"
    same = Scripted(lambda text, index: text)
    assert BackTranslation(same, same).apply(QUESTION, random.Random(0)) is None
    assert BackTranslation(same, same).apply(" ", random.Random(0)) is None


def test_a_weak_output_that_is_too_short_is_passed_over() -> None:
    model = Scripted(lambda text, index: ["pens", "Omar has pens. How many does he lose?"][index])
    operator = WeakParaphraser(model, prefix="paraphrase: ")
    assert operator.apply(QUESTION, random.Random(0)) == "Omar has pens. How many does he lose?"
    assert model.seen == ["paraphrase: " + QUESTION]
    short = Scripted(lambda text, index: "pens")
    assert WeakParaphraser(short).apply(QUESTION, random.Random(0)) is None


def test_voice_then_grammar_and_reconstruction() -> None:
    voice, grammar = (Scripted(lambda text, index: text + " x"), Scripted(lambda text, index: text.replace(" x", "!")))
    assert PassiveByModels(voice, grammar).apply("Ann ran. Bob sat.", random.Random(0)) == "Ann ran.! Bob sat.!"
    same = Scripted(lambda text, index: QUESTION)
    assert Reconstruction(same).apply(QUESTION, random.Random(0)) is None
    rewriter = Scripted(lambda text, index: "How many of 3 pens?")
    assert Reconstruction(rewriter).apply(QUESTION, random.Random(0)) == "How many of 3 pens?"


def test_candidates_are_ordered_by_distance() -> None:
    assert farthest("abc", ["abc", "xyz", "abx"]) == ["xyz", "abx", "abc"]
    assert first_different("a b", ["a  b", " ", "c "]) == "c"
