"""The exams of papers and concepts: a perfect model passes; random, adversarial and constant ones pass nothing."""

from __future__ import annotations

import gzip
import json
import random
import re
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from analytics.language_model.papers import ROLES
from analytics.language_model.protocol import Message
from questionbank.models import LanguageModelUse
from questionbank.papers.documents import read_text
from tests.questionbank.imports.test_jobs import Reporter
from tests.questionbank.papers.pointing import numbers_shown
from tests.scripted_model import ScriptedModel
from worker.exam import concepts_exam
from worker.exam.concepts_exam import ConceptsExam, fit_weight, rights
from worker.exam.contract import UseExam
from worker.exam.papers_exam import MARGINS, PapersExam

PASSED, NOT_BETTER, WORSE = (verdict.value for verdict in LanguageModelUse.Verdict)
SETS, PAPERS, QUESTIONS = 4, 10, 4


class Patient(Reporter):
    """A reporter of a job that nobody stops."""

    def check(self) -> None: ...


def examined(exam: UseExam, folder: Path, script: object) -> tuple[str, dict[str, float]]:
    """Return the verdict on a model, and the figures of the arms by their names."""
    examples, model = exam.examples(folder), ScriptedModel(script)
    answers = [exam.ask(model, example) | {"tokens": 0, "seconds": 0.0} for example in examples]
    outcome = exam.outcome(examples, json.loads(json.dumps(answers)), Patient())
    return outcome.verdict, {arm["name"]: arm["value"] for arm in outcome.figures["arms"]}


# -- papers ------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def papers(tmp_path_factory) -> Path:
    """Papers whose answers stand on lines of their own that look like anything, half of them with usual marks."""
    folder = tmp_path_factory.mktemp("sets")
    rng = random.Random(3)
    for name in "abcd"[:SETS]:
        place = folder / name / "papers"
        place.mkdir(parents=True)
        rows = []
        for number in range(PAPERS):
            lines = []
            for question in range(1, QUESTIONS + 1):
                one, other = rng.randrange(11, 99), rng.randrange(11, 99)
                text, mark = f"How much is {one} plus {other}?", "Answer: " if number % 2 else ""
                lines += [f"{question}. {text}", f"{mark}{one + other}"]
                rows.append({
                    "paper": f"{number}.txt", "number": str(question), "text": text, "options": [], "parts": 0,
                    "answer": str(one + other), "has_picture": False, "points": None, "kind": "open",
                })  # fmt: skip
            (place / f"{number}.txt").write_text("\n".join(lines))
        (place / "truth.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return folder


def in_stretches(messages: Sequence[Message], roles: Sequence[str]) -> object:
    pairs = zip(numbers_shown(messages), roles, strict=True)
    return {"stretches": [{"first": number, "last": number, "role": role} for number, role in pairs]}


def perfect(messages: Sequence[Message]) -> object:
    numbers = numbers_shown(messages)
    return in_stretches(messages, ["question" if number % 2 else "answer" for number in numbers])


def adversarial(messages: Sequence[Message]) -> object:
    numbers = numbers_shown(messages)
    return in_stretches(messages, ["question" if number == 1 or not number % 2 else "nothing" for number in numbers])


def constant(messages: Sequence[Message]) -> object:
    return in_stretches(messages, ["question"] * len(numbers_shown(messages)))


def at_random(messages: Sequence[Message]) -> object:
    return in_stretches(messages, random.Random(len(messages[1].content)).choices([*ROLES], k=2 * QUESTIONS))


def test_the_papers_of_these_tests_are_read_as_lines(papers):
    assert len(read_text((papers / "a" / "papers" / "0.txt").read_text()).lines) == 2 * QUESTIONS


def test_a_perfect_model_reads_every_question_whole_and_passes(papers):
    verdict, arms = examined(PapersExam(), papers, perfect)
    assert arms["The model alone"] == 1.0
    assert arms["Kindred alone"] < 0.9
    assert arms["Both"] == 1.0
    assert verdict == PASSED


@pytest.mark.parametrize("script", [adversarial, constant, at_random, "I cannot read.", '{"stretches": []}'])
def test_other_models_do_not_pass_and_make_nothing_worse(papers, script):
    verdict, arms = examined(PapersExam(), papers, script)
    assert verdict != PASSED
    assert arms["Both"] >= arms["Kindred alone"]


def test_what_a_model_says_is_asked_for_once_with_its_window(papers, settings):
    exam = PapersExam()
    example = exam.examples(papers)[0]
    before = exam.prompt(example)
    settings.LANGUAGE_MODEL_WINDOW += 1
    assert exam.prompt(example) != before


def test_a_document_that_is_gone_counts_as_not_read(papers):
    exam = PapersExam()
    (example, *_) = exam.examples(papers)
    gone = type(example)(example.source, {**example.data, "file": str(papers / "gone.txt")})
    answer = exam.ask(ScriptedModel(perfect), gone) | {"tokens": 0, "seconds": 0.0}
    assert answer["roles"] is None
    outcome = exam.outcome([gone] * 3, [answer] * 3, Patient())
    assert outcome.verdict == NOT_BETTER
    assert outcome.weights["margin"] == max(MARGINS)


# -- concepts ----------------------------------------------------------------------------------------------------------

TOPICS = [("Number", "Fractions"), ("Number", "Percentages"), ("Shapes", "Area"), ("Shapes", "Angles")]


@pytest.fixture
def concepts(tmp_path, monkeypatch) -> Path:
    """Questions of three sets; probes are right about every second one, and sure of nothing."""
    rng = random.Random(4)
    for name in "abc":
        (tmp_path / name).mkdir()
        rows = [
            {"text": f"Question {number} of {name}: {rng.random()}", "concepts": [TOPICS[number % 4]]}
            for number in range(40)
        ]
        (tmp_path / name / "concepts.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))

    def own_scores(examples, _reporter):
        right = [TOPICS.index(concepts_exam._row(example).paths[0]) for example in examples]
        guessed = [place if number % 3 else (place + 1) % 4 for number, place in enumerate(right)]
        return [{path: float(np.log(0.4 if TOPICS[guess] == path else 0.2)) for path in TOPICS} for guess in guessed]

    monkeypatch.setattr(concepts_exam, "_own_scores", own_scores)
    return tmp_path


def picking(shift: int):
    """A model that knows each question's topic, and picks the one that is `shift` places further."""

    def script(messages: Sequence[Message]) -> object:
        number = int(re.search(r"Question (\d+) of", messages[1].content)[1])
        branch, leaf = TOPICS[(number + shift) % 4]
        return {"names": [branch if f"- {branch}" in messages[1].content else leaf]}

    return script


def test_a_perfect_model_picks_every_concept_and_passes(concepts):
    verdict, arms = examined(ConceptsExam(), concepts, picking(0))
    assert arms["The model alone"] == arms["Both"] == 1.0
    assert arms["Both together, minus Kindred alone"] > 0.3
    assert verdict == PASSED


@pytest.mark.parametrize(
    "script",
    [picking(1), picking(2), {"names": ["Number"]}, {"names": ["Calculus"]}, {"names": []}, "It is about sums."],
    ids=["next", "opposite", "constant", "invented", "none", "prose"],
)
def test_a_model_that_picks_wrongly_does_not_pass(concepts, script):
    verdict, arms = examined(ConceptsExam(), concepts, script)
    assert verdict != PASSED
    assert arms["Both"] >= arms["Kindred alone"] - 0.02


def test_a_picked_concept_gains_as_much_as_was_right_elsewhere():
    own = [{("a",): -1.0, ("b",): -1.5}] * 4
    picked = [[("b",)]] * 4
    assert fit_weight(own, picked, [[("b",)]] * 4) == 1.0
    assert fit_weight(own, picked, [[("a",)]] * 4) == 0.0
    assert rights(own, [[("c",)]] * 4, [[("c",)]] * 4, 8.0).tolist() == [0.0] * 4  # unlikely to the probes


def test_a_set_may_be_a_file_of_conceptmath_and_only_some_of_it_is_asked(tmp_path):
    (tmp_path / "conceptmath").mkdir()
    rows = [{"text": f"How much is {number} + 1?", "concepts": [TOPICS[number % 4]]} for number in range(1_000)]
    lines = "".join(json.dumps(row) + "\n" for row in rows)
    (tmp_path / "conceptmath" / "elementary_en.jsonl.gz").write_bytes(gzip.compress(lines.encode()))
    exam = ConceptsExam()
    examples = exam.examples(tmp_path)
    assert len(examples) == 300
    assert {example.source for example in examples} == {"elementary_en"}
    assert exam.examples(tmp_path / "conceptmath") == []


def test_probes_learn_from_the_questions_of_the_set_that_are_not_asked_about(tmp_path, monkeypatch):
    words = ["fraction", "per cent", "area", "angle"]
    (tmp_path / "set").mkdir()
    rows = [{"text": f"{words[n % 4]} {n}", "concepts": [TOPICS[n % 4]]} for n in range(400)]
    (tmp_path / "set" / "concepts.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    learned: list[str] = []

    class Encoder:
        def encode(self, texts):
            learned.extend(texts)
            return np.array([[float(word in text) for word in words] for text in texts], np.float32)

    monkeypatch.setattr(concepts_exam, "serving", lambda: SimpleNamespace(encoder=lambda _lens: Encoder()))
    examples = ConceptsExam().examples(tmp_path)[::2]
    scores = concepts_exam._own_scores(examples, Patient())
    right = [concepts_exam._row(example).paths[0] for example in examples]
    assert [max(one, key=one.get) for one in scores] == right
    asked = {concepts_exam._row(example).text for example in examples}
    assert len(learned) == len({*learned})
    assert asked <= {*learned[-len(asked) :]}
