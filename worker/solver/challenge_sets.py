"""Two challenge sets of the Textual-CL paper (Shen et al., 2022, section 4.1), rebuilt, since neither was published.

``python -m worker.solver.challenge_sets --data ../shared/data --output FOLDER --model MODEL`` writes

- ``he_mwp.jsonl.gz``: reversed problems (RODA) of Math23K's development set. The paper's were cleaned by hand; we
  keep only those whose equation evaluates to the number asked for.
- ``adv_asdiv_sp.jsonl.gz``: problems of ASDiv-A that a trained solver solves, paraphrased by rules so that it no
  longer does: an attack in the manner of Kumar et al. (2021), whose examples depend on the attacked solver. The number
  of problems that withstand it is printed.

Neither is comparable to the paper's rows.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

from analytics.paraphrase.proposals import RuleParaphraser
from analytics.question_files import read_problems
from analytics.records import ProblemRecord
from analytics.solver.reversing import reorder_question, reverse_operation
from analytics.solver.served import load_solver
from analytics.solver.solution import ProblemSolver
from analytics.text.numbers import find_numbers
from worker.solver.evaluation import outcomes_of
from worker.solver.starter_data import write_rows

HE_MWP = 400
REWORDINGS = 8  # maximum per problem
SEED = 0
_FIELDS = ("id", "text", "language", "equation", "answer", "fold")


def reversed_problems(problems: Sequence[ProblemRecord], count: int = HE_MWP) -> list[ProblemRecord]:
    """Return `count` random reversed versions of the problems, or all if there are fewer."""
    versions = [version for problem in problems for version in reverse_operation(problem)]
    return random.Random(SEED).sample(versions, min(count, len(versions)))  # noqa: S311


def rewordings(problem: ProblemRecord) -> list[ProblemRecord]:
    """Return the problem with the question first, then paraphrases by rules; only texts with the same numbers."""
    numbers = _numbers(problem.text)
    question_first = reorder_question(problem)
    texts = [question_first.text] if question_first else []
    texts += RuleParaphraser().propose(problem.text, REWORDINGS)
    return [
        replace(problem, id=f"{problem.id}/{place}", text=text, numbers=())
        for place, text in enumerate(texts[:REWORDINGS])
        if _numbers(text) == numbers
    ]


def _numbers(text: str) -> Counter[Fraction]:
    return Counter(number.value for number in find_numbers(text))


def attack(problems: Sequence[ProblemRecord], solver: ProblemSolver) -> tuple[list[ProblemRecord], int]:
    """Return each solved problem's first rewording that the solver gets wrong, and the number of solved problems."""
    solved = [outcome.problem for outcome in outcomes_of(solver, problems) if outcome.is_answer_right]
    versions = [version for problem in solved for version in rewordings(problem)]
    adversarial: dict[str, ProblemRecord] = {}
    for outcome in outcomes_of(solver, versions):
        if not outcome.is_answer_right and outcome.operators >= 0:
            adversarial.setdefault(outcome.problem.id.rpartition("/")[0], outcome.problem)
    return list(adversarial.values()), len(solved)


def _rows(problems: Sequence[ProblemRecord]) -> list[dict[str, object]]:
    return [
        {name: value for name in _FIELDS if (value := getattr(problem, name)) not in ("", None)} for problem in problems
    ]


def main(arguments: list[str] | None = None) -> int:
    """Write both sets."""
    parser = argparse.ArgumentParser(description="Write two challenge sets for solvers.")
    parser.add_argument("--data", type=Path, required=True, help="folder of the public data sets")
    parser.add_argument("--output", type=Path, required=True, help="folder to write to")
    parser.add_argument("--model", type=Path, help="folder of the solver to attack; without one only HE-MWP")
    options = parser.parse_args(arguments)
    options.output.mkdir(parents=True, exist_ok=True)
    reversed_set = reversed_problems(read_problems(options.data / "math23k" / "dev.jsonl.gz").learned)
    write_rows(options.output / "he_mwp.jsonl.gz", _rows(reversed_set))
    sys.stdout.write(f"HE-MWP: {len(reversed_set):,} problems\n")
    if options.model is not None:
        problems = read_problems(options.data / "asdiv_a" / "cv.jsonl.gz").learned
        adversarial, solved = attack(problems, load_solver(options.model))
        write_rows(options.output / "adv_asdiv_sp.jsonl.gz", _rows(adversarial))
        sys.stdout.write(
            f"Adv-ASDiv-SP: of {len(problems):,} problems {solved:,} are solved, and"
            f" {solved - len(adversarial):,} still in all of up to {REWORDINGS} wordings;"
            f" {len(adversarial):,} written\n"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
