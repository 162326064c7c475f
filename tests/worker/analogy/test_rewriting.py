"""Pairs of problems and their rewritings: kept where the graph is confirmed, and enough to train a retriever."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace

import pytest
from django.core.management import CommandError, call_command

from analytics.analogy.examples import AnalogyConfig, read_graphs, with_positive
from analytics.analogy.train import train_retriever
from analytics.backbone.export import save_backbone
from analytics.errors import DataError
from analytics.language_model.protocol import ModelAnswer
from analytics.question_files import Problems, read_problems
from analytics.records import ProblemRecord
from analytics.text.fingerprints import story_key
from tests.language_model_server import streamed
from tests.questionbank.scripted_solver import ScriptedSolver
from tests.tiny_backbone import tiny_backbone
from worker.analogy.rewriting import PROMPT, ModelRewriter, RuleRewriter, rewritten_pairs
from worker.management.commands import rewrite_problems

PENCILS = "Sara had 24 pencils and gave 6 of them to Tom. How many pencils has Sara left?"
FARMER = "A farmer picks 50 melons and sells 35 at the market. How many melons are left?"
BOTH = "A farmer picks 50 melons and 35 pumpkins. How many fruits has he picked?"
SOLVED = {
    PENCILS: [("24-6", 0.9)],
    FARMER: [("50-35", 0.8)],
    BOTH: [("50+35", 0.9)],
    "A bus has 40 seats, and 31 are taken. How many are free?": [("40-31", 0.3)],
}


class Echo:
    """A language model that answers one text whatever it is asked."""

    name, host = "echo", ""

    def __init__(self, text: str) -> None:
        self.text, self.asked = text, []

    def ask(self, messages, options=None, on_text=None) -> ModelAnswer:
        self.asked.append((messages, options))
        return ModelAnswer(self.text)


def small_config(folder, **settings) -> AnalogyConfig:
    """A training of the tiny encoder, which is saved into the folder."""
    save_backbone(tiny_backbone(), folder / "bert")
    small = {"batch_size": 4, "mixed_precision": False, "device": "cpu"}
    return AnalogyConfig(backbone=str(folder / "bert"), **small, **settings)


def pairs(problems, rewriter) -> tuple[list, Counter]:
    refused: Counter[str] = Counter()
    return list(rewritten_pairs(problems, rewriter, seed=1, refused=refused)), refused


def test_a_model_is_asked_with_the_papers_prompt_and_the_solver_confirms_the_graph():
    model = Echo(f"<think>Melons.</think>\n{FARMER}\n")
    ((first, second),), refused = pairs([ProblemRecord("p", PENCILS)], ModelRewriter(model, ScriptedSolver(SOLVED)))
    assert (first.text, second.text, first.pair) == (PENCILS, FARMER, second.pair)
    assert not first.equation
    assert not refused
    ((messages, options),) = model.asked
    assert [message.content for message in messages] == [PROMPT, PENCILS]
    assert options.seed == 1


@pytest.mark.parametrize(
    ("written", "reason"),
    [
        (BOTH, "it is computed in another way"),
        (PENCILS, "its numbers are the same"),
        ("A bus has 40 seats, and 31 are taken. How many are free?", "the solver is too unsure"),
        ("Some pencils are left. How many?", "the solver cannot solve it"),
        ("5 " * 1500, "the model wrote nothing, or too much"),
    ],
)
def test_what_is_not_confirmed_is_left_out_and_counted(written, reason):
    kept, refused = pairs([ProblemRecord("p", PENCILS)], ModelRewriter(Echo(written), ScriptedSolver(SOLVED)))
    assert (kept, refused) == ([], {reason: 1})


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (DataError("The answer has no text."), "the model's answer cannot be read"),
        (ModelAnswer(FARMER, is_cut=True), "the model's answer was cut off"),
    ],
)
def test_an_answer_without_text_or_an_end_is_left_out_and_the_rest_goes_on(answer, reason, monkeypatch):
    model = Echo(FARMER)

    def ask(messages, options=None, on_text=None):
        if messages[-1].content != PENCILS:
            return ModelAnswer(FARMER)
        if isinstance(answer, DataError):
            raise answer
        return answer

    monkeypatch.setattr(model, "ask", ask)
    problems = [ProblemRecord("p", PENCILS), ProblemRecord("q", "Tom had 9 cups and broke 2. How many has he?")]
    solver = ScriptedSolver({**SOLVED, problems[1].text: [("9-2", 0.9)]})
    kept, refused = pairs(problems, ModelRewriter(model, solver))
    assert [first.id for first, _second in kept] == ["q"]
    assert refused == {reason: 1}


def test_no_two_problems_are_rewritten_to_one_story():
    solver = ScriptedSolver({**SOLVED, "Tom had 9 cups and broke 2. How many has he?": [("9-2", 0.9)]})
    problems = [ProblemRecord("", PENCILS), ProblemRecord("", "Tom had 9 cups and broke 2. How many has he?")]
    kept, refused = pairs(problems, ModelRewriter(Echo(FARMER), solver))
    assert [first.text for first, _second in kept] == [PENCILS]
    assert refused == {"another problem was rewritten to the same story": 1}
    texts = [f"Ann had {number} pens and lost 3 of them. How many are left?" for number in range(20, 30)]
    unnamed = [ProblemRecord("", text, equation=f"{number}-3") for number, text in enumerate(texts, 20)]
    rewritten = [second.text for _first, second in pairs(unnamed, RuleRewriter())[0]]
    assert len(rewritten) > 5
    assert len({story_key(text) for text in rewritten}) == len(rewritten)


def test_rules_read_the_calculations_of_a_problem_without_an_equation():
    cups = ProblemRecord("q", "Tom had 9 cups and broke 2. How many has he?", calculations=("9-2=7",))
    ((first, second),), refused = pairs([cups], RuleRewriter())
    assert (first.text, refused) == (cups.text, {})
    assert second.text != cups.text
    assert pairs([replace(cups, calculations=())], RuleRewriter()) == ([], {"it has no equation": 1})


def test_what_computes_nothing_is_no_pair():
    solver = ScriptedSolver(
        {"A box holds 24 eggs. How many?": [("24", 0.9)], "Tom has 9 cats. How many?": [("9", 0.9)]}
    )
    kept, refused = pairs(
        [ProblemRecord("p", "A box holds 24 eggs. How many?")], ModelRewriter(Echo("Tom has 9 cats. How many?"), solver)
    )
    assert (kept, refused) == ([], {"what it computes is not known": 1})


def test_equal_ids_of_two_sources_are_two_pairs_and_equal_texts_one():
    problems = [ProblemRecord("1", PENCILS, equation="24-6"), ProblemRecord("1", BOTH, equation="50+35")]
    kept, _refused = pairs([*problems, problems[0]], RuleRewriter())
    assert len({first.pair for first, _second in kept}) == len(kept) == 2


def test_pairs_stay_whole_where_others_are_set_apart(tmp_path):
    labelled = [
        ProblemRecord(f"l{row}", f"Tom has {row} pens and {row + 3} cups.", equation=f"{row}+{row + 3}")
        for row in range(5, 45)
    ]
    problems = [ProblemRecord("a", PENCILS, equation="24-6"), ProblemRecord("b", BOTH, equation="50+35")]
    halves = [problem for pair in pairs(problems, RuleRewriter())[0] for problem in pair]
    config = small_config(tmp_path, epochs=1, share=0.5, measured=300)
    manifest = train_retriever(Problems((*halves, *labelled)), config, tmp_path / "model")
    assert manifest.extra["problems"] == len(halves) + 18  # half of 40, less a tenth of them
    assert "validation_same_graph" in manifest.metrics["validation"]


def test_nothing_is_measured_among_pairs_alone(tmp_path):
    """No labelled problem has the graph of a pair, so every share would be 0."""
    problems = [ProblemRecord("a", PENCILS, equation="24-6"), ProblemRecord("b", BOTH, equation="50+35")]
    halves = tuple(problem for pair in pairs(problems, RuleRewriter())[0] for problem in pair)
    config = small_config(tmp_path, epochs=1, patience=1)
    manifest = train_retriever(Problems(halves, tuple(problems), tuple(problems)), config, tmp_path / "model")
    assert not manifest.metrics.get("validation")
    assert "test" not in manifest.metrics


def test_a_published_equation_counts_before_the_solver():
    problem = ProblemRecord("p", BOTH, equation="50-35")
    assert pairs([problem], ModelRewriter(Echo(PENCILS), ScriptedSolver(SOLVED)))[0]
    assert not pairs([ProblemRecord("p", BOTH)], ModelRewriter(Echo(PENCILS), ScriptedSolver(SOLVED)))[0]


def test_rules_write_another_story_with_the_same_graph():
    problems = [ProblemRecord("a", PENCILS, equation="24-6"), ProblemRecord("b", BOTH, equation="50+35")]
    kept, refused = pairs(
        [*problems, ProblemRecord("c", "他有3支笔。", "zh", "3"), ProblemRecord("d", FARMER)], RuleRewriter()
    )
    assert [first.id for first, _second in kept] == ["a", "b"]
    assert refused == {"the rules write English only": 1, "it has no equation": 1}
    for first, second in kept:
        assert second.text != first.text
        assert second.id == f"{first.id}-rewritten"
    assert pairs(problems, RuleRewriter())[0] == kept


def test_pairs_are_learned_from_without_any_graph(tmp_path):
    texts = [
        (PENCILS, "24-6"),
        (FARMER, "50-35"),
        (BOTH, "50+35"),
        ("Ann packs 5 bags of 7 nuts. How many nuts?", "5*7"),
    ]
    problems = [ProblemRecord(str(row), text, equation=equation) for row, (text, equation) in enumerate(texts)]
    learned = [problem for pair in pairs(problems, RuleRewriter())[0] for problem in pair]
    examples, without = read_graphs(learned)
    assert without == 0
    assert len(with_positive(examples)) == 2 * len(texts)
    keys = [example.graph.graph for example in examples]
    assert len(set(keys)) == len(texts)  # both subtractions have a key of their own: nobody knows that they are alike
    config = small_config(tmp_path, epochs=2, measured=0)
    manifest = train_retriever(Problems(tuple(learned)), config, tmp_path / "model")
    assert manifest.extra["problems"] == 2 * len(texts)


def problem_file(folder, *rows):
    file = folder / "problems.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return file


def test_the_command_writes_a_file_to_train_with_and_goes_on_with_it(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(rewrite_problems.Command, "needs_bank", False)
    source = problem_file(
        tmp_path,
        {"id": "a", "text": PENCILS, "equation": "24-6"},
        {"text": FARMER, "equation": "50-35"},
        {"text": BOTH},
    )
    output = tmp_path / "pairs.jsonl"
    call_command("rewrite_problems", input=source, output=output, most=1)
    assert "1 pairs written" in capsys.readouterr().out
    call_command("rewrite_problems", input=source, output=output)
    written = read_problems(output).learned
    assert [problem.pair for problem in written[::2]] == [problem.pair for problem in written[1::2]]
    assert [problem.text for problem in written[::2]] == [PENCILS, FARMER]
    assert "1 problems left out: it has no equation." in capsys.readouterr().out
    first = written[0]
    assert first.text == PENCILS
    for options in ({"most": 0}, {"output": tmp_path / "pairs.jsonl.gz"}, {"output": source}):
        with pytest.raises(CommandError):
            call_command("rewrite_problems", **{"input": source, "output": output, **options})


@pytest.mark.django_db
def test_the_command_asks_the_configured_model(tmp_path, server, monkeypatch, settings):
    monkeypatch.setattr(rewrite_problems, "artifact_install_default", lambda report: None)
    monkeypatch.setattr(rewrite_problems, "solver_by_name", lambda _number: ScriptedSolver(SOLVED))
    server.answers = [streamed(FARMER)]
    source = problem_file(tmp_path, {"id": "a", "text": PENCILS})
    output = tmp_path / "pairs.jsonl"
    call_command("rewrite_problems", input=source, output=output, by="model")
    assert [problem.text for problem in read_problems(output).learned] == [PENCILS, FARMER]
    settings.LANGUAGE_MODEL_URL = ""
    with pytest.raises(CommandError, match="No language model is configured"):
        call_command("rewrite_problems", input=source, output=tmp_path / "more.jsonl", by="model")
