"""Challenge sets of Textual-CL, rebuilt: reversed problems, and wordings that a solver fails on."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from fractions import Fraction

import pytest

from analytics.expression.evaluate import evaluate
from analytics.expression.tree import parse_expression
from analytics.records import ProblemRecord
from analytics.solver.solution import Solution, solution_of
from analytics.solver.targets import solver_example
from tests.public_sets import write_set
from worker.solver import challenge_sets
from worker.solver.challenge_sets import attack, reversed_problems, rewordings

PENS = ProblemRecord(
    "1", "Ann has 7 pens. She buys 2 pens. How many pens does she have now?", equation="7+2", answer="9", fold=3
)
ZH = {
    "id": "5",
    "language": "zh",
    "text": "小明有7支铅笔，又买了2支铅笔，小明现在有多少支铅笔？",
    "equation": "7+2",
    "answer": "9",
}


class FirstSentenceSolver:
    """Solves a problem by its known equation, unless the text begins with the question."""

    name = "first sentence"

    def solve(self, problems: Sequence[ProblemRecord], *, beam: int = 3) -> list[list[Solution]]:
        return [self._solved(problem) for problem in problems]

    def _solved(self, problem: ProblemRecord) -> list[Solution]:
        if problem.text.startswith("How many"):
            return []
        example = solver_example(problem)
        return [solution_of(example.tokens, example.values, 0.9)]

    def unsolvable_reason(self, problem: ProblemRecord) -> str:
        return ""


def test_rewordings_keep_the_numbers_the_equation_and_the_fold():
    versions = rewordings(PENS)
    assert versions[0].text == "How many pens does she have now? Ann has 7 pens. She buys 2 pens."
    assert len({version.text for version in versions}) == len(versions) > 1
    assert all((version.equation, version.fold) == ("7+2", 3) for version in versions)
    assert [version.id.split("/")[0] for version in versions] == ["1"] * len(versions)


def test_a_rewording_with_other_numbers_is_left_out(monkeypatch):
    texts = ["Ann had 7 pens and got 3.", "Ann got 2 pens beside her 7. How many has she?"]
    monkeypatch.setattr(challenge_sets.RuleParaphraser, "propose", lambda *_arguments: texts)
    assert [version.text for version in rewordings(PENS)][1:] == texts[1:]


def test_an_attack_keeps_the_first_wording_that_a_solver_fails_on():
    unsolved = ProblemRecord("2", "How many are 3 pens and 4 pens? Ann has them.", equation="3+4")
    adverse, solved = attack([PENS, unsolved], FirstSentenceSolver())
    assert solved == 1
    assert [(problem.id, problem.text[:8]) for problem in adverse] == [("1/0", "How many")]


def test_reversed_problems_ask_for_a_number_of_the_story():
    problems = reversed_problems([PENS])
    assert {problem.equation for problem in problems} == {"9-7", "9-2"}
    assert {evaluate(parse_expression(problem.equation)) for problem in problems} == {Fraction(2), Fraction(7)}
    assert len(reversed_problems([PENS], count=1)) == 1


def test_the_command_writes_both_sets(tmp_path, capsys, monkeypatch):
    write_set(tmp_path, "math23k/dev", [ZH])
    problem = {"id": "1", "language": "en", "text": PENS.text, "equation": "7+2", "answer": "9", "fold": 3}
    write_set(tmp_path, "asdiv_a/cv", [problem])
    monkeypatch.setattr(challenge_sets, "load_solver", lambda _folder: FirstSentenceSolver())
    output = tmp_path / "sets"
    assert challenge_sets.main(["--data", str(tmp_path), "--output", str(output), "--model", "m"]) == 0
    assert "of 1 problems 1 are solved, and 0 still in all of up to 8 wordings; 1 written" in capsys.readouterr().out
    with gzip.open(output / "adv_asdiv_sp.jsonl.gz", "rt", encoding="utf-8") as file:
        [row] = map(json.loads, file)
    assert (row["fold"], row["equation"], row["text"][:8]) == (3, "7+2", "How many")
    with gzip.open(output / "he_mwp.jsonl.gz", "rt", encoding="utf-8") as file:
        assert {json.loads(line)["equation"] for line in file} == {"9-7", "9-2"}


@pytest.mark.parametrize("module", ["worker.solver.challenge_sets", "worker.solver.starter_data"])
def test_the_documented_commands_start_without_settings(module):
    environment = {name: value for name, value in os.environ.items() if name != "DJANGO_SETTINGS_MODULE"}
    command = [sys.executable, "-m", module, "--help"]
    assert "usage" in subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout
