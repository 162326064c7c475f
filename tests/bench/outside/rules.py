"""What each rule of the solver is good for: the strangers' word problems that it answers, and those it is needed for.

The solver is put together from the starters as an installation serves it, without the language model.
"""

from __future__ import annotations

import json
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

from analytics.analogy.retriever import load_retriever
from analytics.catalog import ANALOGY, SOLVER
from analytics.expression.evaluate import answers_agree
from analytics.languages import written_language
from analytics.recalling_solver import recalling
from analytics.records import ProblemRecord
from analytics.solver.rules import solver as rule_solver
from analytics.solver.rules.reading import Reading
from analytics.solver.rules.solver import RULES, Rule
from analytics.solver.rules.story import Contradiction
from analytics.solver.served import load_solver
from analytics.solver.solution import ProblemSolver
from analytics.text.meaning import number_of_answer
from analytics.text.remembered import forget_everything

PLAIN = 0.5  # probability from which a page states an answer


@dataclass(frozen=True, slots=True)
class Answered:
    """What the solver says to a problem.

    Attributes:
        is_plain: whether a page states the answer.
        rule: the function that answers first; empty if no rule answers.
    """

    is_right: bool
    is_plain: bool
    rule: str


def is_right(expected: str, answer: Any, written: str | None) -> bool:
    """Return whether an answer, a value or as people write it, is the expected one."""
    published = number_of_answer(expected) if expected else None
    given = number_of_answer(str(answer)) if answer not in (None, "") else None
    return expected in (str(answer), written) or bool(
        published and given and answers_agree(published.value, given.value)
    )


def word_problems(folder: Path) -> dict[str, list[dict[str, Any]]]:
    """Return the word problems with their answers in the folders of strangers' examples, by the name of the set."""
    sets = {}
    for path in sorted([*folder.glob("*/problems.jsonl"), *folder.glob("*/variants.jsonl")]):
        rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line]
        name = path.parent.name if path.stem == "problems" else path.stem
        sets[name] = [
            {"input": row.get("input") or row["text"], "expected": row.get("expected", row.get("answer"))}
            for row in rows
        ]
    return sets


def count_rules(folder: Path) -> None:
    """Print how many problems of each set are answered rightly, and how many each rule answers and is needed for."""
    sets = word_problems(folder)
    with tempfile.TemporaryDirectory() as models:
        solvers = {language: _starter(language, Path(models)) for language in ("en", "zh")}
        everything = {name: [_answered(row, solvers) for row in rows] for name, rows in sets.items()}
        print("set                problems  plain  right  plain and right")
        for name, answered in everything.items():
            plain, right, both = (
                sum(map(counts, answered))
                for counts in (
                    lambda each: each.is_plain,
                    lambda each: each.is_right,
                    lambda each: each.is_plain and each.is_right,
                )
            )
            print(f"{name:18} {len(answered):8} {plain:6} {right:6} {both:16}")
        by_rule: dict[str, list[tuple[dict[str, Any], bool]]] = defaultdict(list)
        for name, rows in sets.items():
            for row, each in zip(rows, everything[name], strict=True):
                by_rule[each.rule].append((row, each.is_right))
        print("\nrule                   right  wrong  right without it")
        for rule in RULES:
            name, others = rule.answer.__name__, [other for other in RULES if other is not rule]
            right = [row for row, is_right in by_rule[name] if is_right]
            with _only(others):
                without = sum(_answered(row, solvers).is_right for row in right)
            print(f"{name:22} {len(right):5} {len(by_rule[name]) - len(right):6} {without:17}")


def _starter(language: str, folder: Path) -> ProblemSolver:
    """Put the starters of a language together."""
    parts: list[Path] = []
    for capability in (SOLVER, ANALOGY):
        starter = next(each for each in capability.starters if (each.scope or "en") == language)
        parts.append(folder / f"{language}-{len(parts)}")
        capability.export(parts[-1], backbone=starter.backbone, adapter=starter.path)
    return rule_solver.RuleSolver(recalling(load_solver(parts[0]), load_retriever(parts[1])))


def _answered(row: dict[str, Any], solvers: Mapping[str, ProblemSolver]) -> Answered:
    text = row["input"]
    language = written_language(text, "en")
    problem = ProblemRecord("", text, language)
    solver = solvers.get(language, solvers["en"])
    if solver.unsolvable_reason(problem) or not (solutions := solver.solve([problem])[0]):
        return Answered(not row["expected"], False, "")
    best = solutions[0]
    name = _first_rule(text) if best.rule else ""
    return Answered(
        bool(row["expected"]) and is_right(row["expected"], best.value, best.answer), best.probability >= PLAIN, name
    )


def _first_rule(text: str) -> str:
    """Return the function of the first rule that answers a text."""
    reading = Reading(text)
    for rule in RULES:
        with suppress(Contradiction):
            if rule.answer(reading) is not None:
                return rule.answer.__name__
    return ""


@contextmanager
def _only(rules: Sequence[Rule]) -> Iterator[None]:
    """Let the solver know these rules alone."""
    forget_everything()
    with mock.patch.object(rule_solver, "RULES", rules):
        yield
    forget_everything()
