"""Two challenge sets of the Textual-CL paper (Shen et al., 2023, section 4.1), rebuilt, since neither was published.

``python -m worker.solver.challenge_sets --data ../shared/data --output FOLDER --model MODEL`` writes

- ``he_mwp.jsonl.gz``: reversed problems (RODA) of Math23K's development set. The paper's were cleaned by hand; of ours
  only those are taken whose equation evaluates to the number that is asked for.
- ``adv_asdiv_sp.jsonl.gz``: problems of ASDiv-A that a trained solver solves, put in other words by rules so that it no
  longer does: an attack in the way of Kumar et al. (2021), whose examples depend on the solver that is attacked. How
  many problems withstand it is printed.

Neither is comparable to the paper's rows.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from analytics.paraphrase.proposals import RuleParaphraser
from analytics.problem_files import read_problems
from analytics.records import ProblemRecord
from analytics.solver.reordering import reorder_question
from analytics.solver.reversing import reverse_operation
from analytics.solver.served import load_solver
from analytics.solver.solution import Solver
from analytics.solver.targets import SolverExample, answers_agree, solver_examples, value_of
from analytics.text.numbers import find_numbers
from worker.solver.starter_data import write_rows

__all__ = ["attack", "main", "reversed_problems", "rewordings"]

HE_MWP = 400
REWORDINGS = 8  # of a problem, at most
SEED = 0
_MOST_TOKENS = 10**6  # of an equation: none is left out
_FIELDS = ("id", "text", "language", "equation", "answer", "fold")


def reversed_problems(problems: Sequence[ProblemRecord], count: int = HE_MWP) -> list[ProblemRecord]:
    """Reversed versions of the problems, drawn at random."""
    made = [version for problem in problems for version in reverse_operation(problem)]
    return random.Random(SEED).sample(made, min(count, len(made)))  # noqa: S311


def rewordings(problem: ProblemRecord, count: int = REWORDINGS) -> list[ProblemRecord]:
    """The problem with the question first, then in other words by rules; only with the same numbers in the text."""
    numbers = Counter(number.value for number in find_numbers(problem.text))
    front = reorder_question(problem)
    texts = [front.text] if front else []
    texts += RuleParaphraser().propose(problem.text, count)
    return [
        replace(problem, id=f"{problem.id}/{place}", text=text, numbers=())
        for place, text in enumerate(texts[:count])
        if Counter(number.value for number in find_numbers(text)) == numbers
    ]


def attack(problems: Sequence[ProblemRecord], solver: Solver) -> tuple[list[ProblemRecord], int]:
    """The first rewording of each solved problem that the solver gets wrong, and how many problems it had solved."""
    examples = solver_examples(problems, most_tokens=_MOST_TOKENS)
    solved = [example for example, right in zip(examples, _right(examples, solver), strict=True) if right]
    versions = [
        version
        for example in solved
        for version in solver_examples(rewordings(example.problem), most_tokens=_MOST_TOKENS)
    ]
    wrong: dict[str, ProblemRecord] = {}
    for version, right in zip(versions, _right(versions, solver), strict=True):
        if not right:
            wrong.setdefault(version.problem.id.rpartition("/")[0], version.problem)
    return list(wrong.values()), len(solved)


def _right(examples: Sequence[SolverExample], solver: Solver) -> Iterator[bool]:
    for example, solutions in zip(
        examples, solver.solve([example.problem for example in examples]), strict=True
    ):
        wanted = value_of(example.tokens, example.values)
        found = solutions[0].value if solutions else None
        yield wanted is not None and found is not None and answers_agree(wanted, found)


def _rows(problems: Sequence[ProblemRecord]) -> list[dict[str, object]]:
    return [
        {name: value for name in _FIELDS if (value := getattr(problem, name)) not in ("", None)}
        for problem in problems
    ]


def main(arguments: list[str] | None = None) -> int:
    """Write both sets."""
    parser = argparse.ArgumentParser(description="Write two challenge sets for solvers.")
    parser.add_argument("--data", type=Path, required=True, help="folder of the public data sets")
    parser.add_argument("--output", type=Path, required=True, help="folder to write to")
    parser.add_argument("--model", type=Path, help="folder of the solver to attack; without one only HE-MWP")
    options = parser.parse_args(arguments)
    options.output.mkdir(parents=True, exist_ok=True)
    hard = reversed_problems(read_problems(options.data / "math23k" / "dev.jsonl.gz").learned)
    write_rows(options.output / "he_mwp.jsonl.gz", _rows(hard))
    sys.stdout.write(f"HE-MWP: {len(hard):,} problems\n")
    if options.model is not None:
        problems = read_problems(options.data / "asdiv_a" / "cv.jsonl.gz").learned
        adverse, solved = attack(problems, load_solver(options.model))
        write_rows(options.output / "adv_asdiv_sp.jsonl.gz", _rows(adverse))
        sys.stdout.write(
            f"Adv-ASDiv-SP: of {len(problems):,} problems {solved:,} are solved, and"
            f" {solved - len(adverse):,} still in all of up to {REWORDINGS} wordings; {len(adverse):,} written\n"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
