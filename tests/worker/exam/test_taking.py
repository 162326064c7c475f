"""The exam against scripted servers: a perfect model passes, and no other does."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable

import pytest
from django.core.cache import cache
from django.core.management import call_command
from django.core.management.base import CommandError
from django.urls import reverse

from analytics.expression.evaluate import answers_agree
from analytics.language_model.endpoint import EndpointModel
from analytics.language_model.solving import with_worked_out
from analytics.solver.solution import CERTAIN_ENOUGH, Solution, solution_of
from analytics.text.number_slots import number_slots
from questionbank.models import LanguageModelUse, Run
from questionbank.registry.language_model_selectors import _rate_limit
from questionbank.registry.language_model_services import CHECK_QUESTIONS
from tests.language_model_server import language_model_server
from worker import tasks
from worker.exam import pairs_exam, solving_exam
from worker.exam.contract import Example, folds
from worker.exam.solving_exam import fit_weights
from worker.exam.taking import estimate, sampled

PASSED, NOT_BETTER, WORSE = (verdict.value for verdict in LanguageModelUse.Verdict)
SETS = ("first", "second", "third", "fourth")
PER_SET = 30
SIGNS = "+-*"


def problems() -> list[dict[str, str]]:
    """Problems with two numbers, of which the wording tells nothing about the operation."""
    rng = random.Random(5)
    rows = []
    for number in range(len(SETS) * PER_SET):
        sign, one, other = SIGNS[number % 3], rng.randrange(30, 99), rng.randrange(11, 29)
        asked = {"+": "both together", "-": "the difference", "*": "the product"}[sign]
        text = f"Case {chr(97 + number % 26)}: Mara writes down {one} and Ned {other}. How much is {asked}?"
        rows.append({"input": text, "expected": str(eval(f"{one}{sign}{other}"))})
    return rows


def pairs() -> list[dict[str, object]]:
    rng = random.Random(6)
    rows = []
    for number in range(len(SETS) * PER_SET):
        one, other, is_valid = rng.randrange(30, 99), rng.randrange(11, 29), bool(number % 2)
        rows.append({
            "original": f"Mara has {one} beads and finds {other}. How many has she now?",
            "paraphrase": f"Ned owned {one} pearls, then {'won' if is_valid else 'mislaid'} {other}. How many now?",
            "valid": is_valid,
        })  # fmt: skip
    return rows


def guessed(text: str, probability: float, *, is_right: bool):
    """Kindred's own solution of a problem of ours."""
    tokens = next(iter(reversed(re.findall(r"together|difference|product", text))))
    sign = {"together": "+", "difference": "-", "product": "*"}[tokens]
    if not is_right:
        sign = SIGNS[(SIGNS.index(sign) + 1) % 3]
    return [solution_of([sign, "N0", "N1"], [slot.value for slot in number_slots(text)], probability)]


@pytest.fixture
def exam(settings, db, tmp_path, monkeypatch):
    """A server, sets of examples, and a Kindred that is right about half of them and sure of nothing."""
    folder = tmp_path / "sets"
    for place, name in enumerate(SETS):
        (folder / name).mkdir(parents=True)
        for kind, rows in (("problems", problems()), ("pairs", pairs())):
            part = rows[place * PER_SET : (place + 1) * PER_SET]
            (folder / name / f"{kind}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in part))
    settings.VAR_DIR, settings.LANGUAGE_MODEL_EXAM = tmp_path / "var", str(folder)
    settings.LANGUAGE_MODEL_TOKENS_PER_DAY, settings.LANGUAGE_MODEL_PER_MINUTE = 0, 0
    monkeypatch.setattr(EndpointModel.__init__, "__kwdefaults__", {
        **EndpointModel.__init__.__kwdefaults__, "wait": lambda _seconds: None,
    })  # fmt: skip
    _rate_limit.cache_clear()
    cache.clear()
    rng = random.Random(7)
    monkeypatch.setattr(
        solving_exam,
        "own_solutions",
        lambda texts, _reporter: [guessed(text, rng.uniform(0.2, 0.6), is_right=rng.random() < 0.5) for text in texts],
    )
    monkeypatch.setattr(
        pairs_exam,
        "own_probabilities",
        lambda given, _reporter: pairs_exam.np.array([rng.uniform(0.3, 0.7) for _pair in given]),
    )
    with language_model_server() as running:
        settings.LANGUAGE_MODEL_URL, settings.LANGUAGE_MODEL_NAME = running.url, "large"
        yield running


EXPECTED = {row["input"]: row["expected"] for row in problems()}
VALID = {(row["original"], row["paraphrase"]): bool(row["valid"]) for row in pairs()}
Reply = Callable[[list[dict[str, str]]], object]


def replying(solve: Callable[[str], object], judge: Callable[[str, str], object]) -> Reply:
    """A model of two functions; it says "ok" to everything else, as to the check questions."""

    def reply(messages: list[dict[str, str]]) -> object:
        text = messages[-1]["content"]
        for message in messages:  # a request to repair an answer comes after the problem
            if message["role"] == "user" and message["content"] in EXPECTED:
                return solve(message["content"])
        if text.startswith("Question 1: "):
            first, second = re.fullmatch(r"Question 1: (.*)\n\nQuestion 2: (.*)", text).groups()
            return judge(first, second)
        return "ok"

    return reply


def program(text: str, sign: str) -> str:
    one, other = re.findall(r"\d+", text)
    return json.dumps({"lines": [f"answer = {one} {sign} {other}"]})


def right_sign(text: str) -> str:
    return next(
        sign for sign in SIGNS if answers_agree(eval(sign.join(re.findall(r"\d+", text))), float(EXPECTED[text]))
    )


def wrong_sign(text: str) -> str:
    return SIGNS[(SIGNS.index(right_sign(text)) + 1) % 3]


def is_valid(first: str, second: str) -> bool:
    return VALID.get((first, second), VALID.get((second, first), False))


def judged(verdict: bool, second: str) -> str:
    return json.dumps({"verdict": "same" if verdict else "different", "words": "" if verdict else second.split("?")[0]})


def coin(text: str, sides: int) -> int:
    return random.Random(text).randrange(sides)


MODELS: dict[str, Reply] = {
    "perfect": replying(
        lambda text: program(text, right_sign(text)), lambda one, other: judged(is_valid(one, other), other)
    ),
    "perfect after thoughts": replying(
        lambda text: f"<think>{{1}}? No.</think>\n```json\n{program(text, right_sign(text))}\n```",
        lambda one, other: f"Ich denke: {judged(is_valid(one, other), other)}",
    ),
    "random": replying(
        lambda text: program(text, SIGNS[coin(text, 3)]), lambda one, other: judged(bool(coin(one + other, 2)), other)
    ),
    "adversarial": replying(
        lambda text: program(text, wrong_sign(text)), lambda one, other: judged(not is_valid(one, other), other)
    ),
    "constant": replying(lambda text: program(text, "+"), lambda _one, other: judged(True, other)),
    "bare results": replying(lambda text: json.dumps({"lines": [EXPECTED[text]]}), lambda *_: "They are the same."),
    "an HTML page": replying(lambda _text: "<html><body>Welcome</body></html>", lambda *_: "<html></html>"),
    "another schema": replying(lambda text: json.dumps({"answer": EXPECTED[text]}), lambda *_: '{"same": true}'),
    "cut off": replying(lambda text: program(text, right_sign(text))[:-4], lambda *_: '{"verdict": "sa'),
}


def examined(*uses: str, **parameters: object) -> Run:
    """Take the exam as a worker does."""
    run = Run.objects.create(kind=Run.Kind.EXAM, parameters={"uses": list(uses), **parameters} if uses else parameters)
    tasks.examine_language_model(run.pk)
    run.refresh_from_db()
    return run


@pytest.mark.parametrize("name", MODELS)
def test_a_perfect_model_passes_and_no_other(exam, name):
    exam.reply = MODELS[name]
    run = examined()
    assert run.state == Run.State.SUCCEEDED, run.error
    verdicts = dict(LanguageModelUse.objects.values_list("use", "verdict"))
    wanted = PASSED if name.startswith("perfect") else NOT_BETTER
    assert verdicts == {"solving": wanted, "pairs": wanted}
    if name.startswith("perfect"):
        figures = LanguageModelUse.objects.get(use="pairs").figures
        assert next(arm for arm in figures["arms"] if arm["name"] == "Both")["value"] >= 0.98
    elif name != "random":
        weights = {row.use: row.weights for row in LanguageModelUse.objects.all()}
        assert weights["pairs"] == {"leaning": 0, "middle": 0}
        assert name == "constant" or weights["solving"] == {"same": 0, "new": 0}
    assert not any(row.is_on for row in LanguageModelUse.objects.all())  # an admin switches


def test_the_exam_counts_what_it_costs_and_what_was_unreadable(exam):
    exam.reply = MODELS["an HTML page"]
    examined("solving")
    figures = LanguageModelUse.objects.get().figures
    assert figures["examples"] == len(SETS) * PER_SET
    assert figures["sets"] == len(SETS)
    assert figures["unusable"] == 1
    assert figures["tokens_per_hundred"] > 10_000
    assert "100.0% of the model’s answers could not be used." in figures["lines"][-1]
    assert len(exam.asked) == len(CHECK_QUESTIONS) + 2 * len(SETS) * PER_SET  # each was repaired once


def test_the_figures_of_solving_tell_the_sets_apart(exam):
    exam.reply = MODELS["perfect"]
    examined("solving")
    lines = LanguageModelUse.objects.get().figures["lines"]
    of_sets = [line for line in lines if line.startswith(SETS)]
    assert [line.partition(",")[0] for line in of_sets] == sorted(SETS)
    assert all(line.endswith(f"by Kindred alone, {PER_SET} and 0 by both.") for line in of_sets)


def test_a_trial_takes_some_examples_of_each_set(exam):
    exam.reply = MODELS["perfect"]
    run = examined("solving", limit=10)
    assert run.result["uses"]["solving"]["examples"] == 10
    assert run.result["uses"]["solving"]["sets"] == len(SETS)
    assert run.result["uses"]["solving"]["verdict"] == NOT_BETTER  # too few to pass
    assert "10 examples are sent" in run.logs.first().text


def test_the_minutes_are_estimated_by_the_pace_of_the_first_examples(exam, settings):
    settings.LANGUAGE_MODEL_AT_ONCE = 4
    solving = solving_exam.SolvingExam()
    examples = [Example("set", {"text": f"How much is {number} + 1?"}) for number in range(40)]
    first = {solving.prompt(example): {"seconds": 10.0} for example in examples[:3]}
    assert "40 examples are sent" in estimate({solving: examples}, first)
    assert "1 min 40 s or longer" in estimate({solving: examples}, first)
    assert "0 examples are sent" in estimate({solving: []}, {})


def test_a_trial_of_a_few_pairs_has_valid_and_invalid_ones(exam):
    exam.reply = MODELS["perfect"]
    assert examined("pairs", limit=2).result["uses"]["pairs"]["examples"] == 2
    assert "are all valid or all invalid" in examined("pairs", limit=1).error


def test_only_public_examples_are_sent(exam):
    exam.reply = MODELS["perfect"]
    examined()
    sent = {body["messages"][-1]["content"] for _path, _key, body in exam.asked} - set(CHECK_QUESTIONS)
    known = set(EXPECTED) | {
        f"Question 1: {one}\n\nQuestion 2: {two}" for pair in VALID for one, two in (pair, pair[::-1])
    }
    assert sent == known


@pytest.mark.parametrize(
    ("trouble", "sentence"),
    [
        ((401, {"error": "expired"}, {}), "refuses the key"),
        ((429, {"error": "slow down"}, {}), "is too busy (429): slow down"),
        ((500, {"error": "out of memory"}, {}), "answers 500: out of memory"),
        ((200, b"<html>login</html>", {}), "in OpenAI's format"),
        ((200, b" " * 10_000_000, {}), "more than 2,000,000 bytes"),
        ((200, b"", {}), "in OpenAI's format"),
    ],
)
def test_a_failing_server_stops_the_exam_with_a_sentence_and_it_goes_on_later(exam, trouble, sentence):
    answered = 0

    def until_it_breaks(messages):
        nonlocal answered
        answered += 1
        return MODELS["perfect"](messages) if answered <= 40 else trouble

    exam.reply = until_it_breaks
    run = examined("solving")
    assert run.state == Run.State.FAILED
    assert sentence in run.error
    assert not LanguageModelUse.objects.exists()
    exam.asked.clear()
    exam.reply = MODELS["perfect"]
    assert examined("solving").state == Run.State.SUCCEEDED
    assert len(exam.asked) <= len(CHECK_QUESTIONS) + len(SETS) * PER_SET - 30  # the others are kept
    assert LanguageModelUse.objects.get().verdict == PASSED


def test_another_model_under_the_name_takes_the_exam_from_the_beginning(exam):
    exam.reply = MODELS["perfect"]
    examined("solving")
    exam.asked.clear()
    exam.reply = lambda messages: "something else" if MODELS["random"](messages) == "ok" else MODELS["random"](messages)
    examined("solving")
    assert len(exam.asked) == len(CHECK_QUESTIONS) + len(SETS) * PER_SET
    assert LanguageModelUse.objects.get().verdict == NOT_BETTER


def test_the_tokens_of_a_day_stop_the_exam(exam, settings):
    exam.reply = MODELS["perfect"]
    settings.LANGUAGE_MODEL_TOKENS_PER_DAY = 5_000
    run = examined("solving")
    assert run.state == Run.State.FAILED
    assert "Start this again tomorrow" in run.error


def test_without_examples_or_an_address_a_sentence_says_what_to_set(exam, settings):
    run = examined(data="/nowhere")
    assert "set LANGUAGE_MODEL_EXAM" in run.error
    settings.LANGUAGE_MODEL_URL = ""
    assert "set LANGUAGE_MODEL_URL" in examined().error
    assert "no use 'poems'" in examined("poems").error


def test_the_command_takes_the_exam_and_writes_the_figures(exam, tmp_path, capsys, no_default_models):
    exam.reply = MODELS["perfect"]
    output = tmp_path / "figures.json"
    call_command("evaluate", "language_model", "--limit", "32", "--uses", "pairs", "--output", str(output))
    assert json.loads(output.read_text())["uses"]["pairs"]["verdict"] == PASSED
    assert "32 examples are sent" in capsys.readouterr().err
    with pytest.raises(CommandError):
        call_command("evaluate", "language_model", "--limit", "0")


def test_an_admin_starts_the_exam_on_the_page_and_nobody_else(exam, client, admin_person, teacher):
    client.force_login(teacher)
    assert client.post(reverse("language_model_exam")).status_code == 403
    client.force_login(admin_person)
    response = client.post(reverse("language_model_exam"))
    run = Run.objects.get(kind=Run.Kind.EXAM)
    assert response["Location"] == reverse("run_detail", args=[run.pk])
    assert client.post(reverse("language_model_exam"))["Location"] == response["Location"]  # not twice


def test_sets_are_taken_in_turn():
    examples = [Example("a", {"n": 1}), Example("a", {"n": 2}), Example("b", {"n": 3})]
    assert [each.data["n"] for each in sampled(examples, 2)] == [1, 3]
    assert len(folds(["a", "b", "c", "a"])) == 3
    assert [fold.tolist() for fold in folds(["a", "a", "b"])] == [[True, False, True], [False, True, False]]


def test_answers_weigh_no_more_than_makes_no_wrong_one_plain():
    own = [[Solution((), (), "", "", 7.0, "7", 0.3)]] * 10
    expected = ["7"] * 9 + ["8"]  # the model says 7 to all, as the solver does
    weights = fit_weights(own, [solutions[0] for solutions in own], expected)
    both = with_worked_out(own[0], own[0][0], weights, most=1)
    assert 0.3 < both[0].probability < CERTAIN_ENOUGH
    assert fit_weights(own[:9], [solutions[0] for solutions in own[:9]], expected[:9]).same > weights.same
