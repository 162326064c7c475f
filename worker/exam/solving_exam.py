"""The exam of solving: word problems of strangers, by the model, by the solver in use, and by both."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from analytics.expression.evaluate import answers_agree
from analytics.json_lines import read_objects
from analytics.language_model.protocol import LanguageModel
from analytics.language_model.solving import FLOOR, Weights, is_settled, problem_messages, with_worked_out, work_out
from analytics.languages import written_language
from analytics.records import ProblemRecord
from analytics.solver.solution import CERTAIN_ENOUGH, Solution
from analytics.text.meaning import number_of_answer
from questionbank.bank.question_selectors import solution_from_json
from questionbank.core.errors import ServiceUnavailable
from questionbank.registry.artifact_selectors import language_champion
from questionbank.registry.language_model_services import ExamOutcome
from questionbank.registry.serving import solver_in_use
from questionbank.solving.services import is_asked_about, solution_to_json
from worker.exam.contract import (
    Array,
    Example,
    UseExam,
    arm,
    at,
    difference,
    figures_of,
    fitted_weight,
    folds,
    mean,
    verdict_of,
)
from worker.reporting import RunReporter

_MOST = 3  # solutions of a problem
_LEAST = 1e-6  # a weight of 0 has no logarithm
_SHARES = np.linspace(1, 0, 21)  # of the likeliest weights, tried until no more answers are plainly wrong


class SolvingExam(UseExam):
    """Solving word problems."""

    use = "solving"
    measure = "Problems solved plainly and rightly, less those solved plainly and wrongly, of all problems"
    answer_tokens = 60

    def examples(self, folder: Path) -> list[Example]:
        """Read ``SET/problems.jsonl``: ``input`` and ``expected``, which is empty if the problem has no answer."""
        return [
            Example(file.parent.name, {"text": row["input"], "expected": str(row.get("expected") or "")})
            for file in sorted(folder.glob("*/problems.jsonl"))
            for _number, row in read_objects(file)
            if isinstance(row.get("input"), str)
        ]

    def prompt(self, example: Example) -> str:
        return json.dumps([asdict(message) for message in problem_messages(example.data["text"])])

    def ask(self, model: LanguageModel, example: Example) -> dict[str, Any]:
        found = work_out(model, example.data["text"])
        solution = None if found.solution is None else solution_to_json(found.solution)
        return {"solution": solution, "reason": found.reason, "unusable": float(found.is_unusable)}

    def outcome(
        self, examples: Sequence[Example], answers: Sequence[Mapping[str, Any]], reporter: RunReporter
    ) -> ExamOutcome:
        solved = own_solutions([example.data["text"] for example in examples], reporter)
        own = [found or [] for found in solved]
        said = [solution_from_json(answer["solution"]) if answer["solution"] else None for answer in answers]
        pointed = [None if found is None else each for found, each in zip(solved, said, strict=True)]
        expected = [example.data["expected"] for example in examples]
        first = [solutions[0] if solutions else None for solutions in own]
        both, calibrated = list(own), list(own)
        for measured in folds([example.source for example in examples]):
            fitted = np.flatnonzero(~measured)
            answers_fitted = at(fitted, expected)
            weights = fit_weights(at(fitted, own), at(fitted, pointed), answers_fitted)
            boost = fit_weights(at(fitted, own), at(fitted, first), answers_fitted)
            for place in np.flatnonzero(measured):
                both[place] = with_worked_out(own[place], pointed[place], weights, most=_MOST)
                calibrated[place] = with_worked_out(own[place], first[place], boost, most=_MOST)
        alone = [[each] if each else [] for each in said]
        scores = {
            name: scored(solutions, expected, plain=plain)
            for name, solutions, plain in (
                ("model", alone, 0.0),
                ("kindred", own, CERTAIN_ENOUGH),
                ("calibrated", calibrated, CERTAIN_ENOUGH),
                ("both", both, CERTAIN_ENOUGH),
            )
        }
        net = {name: score[:, 1] - score[:, 2] for name, score in scores.items()}
        gains = [
            difference("Both together, minus Kindred alone", mean, net["both"], net["kindred"]),
            difference(
                "Both together, minus Kindred with its probabilities fitted on the same examples",
                mean,
                net["both"],
                net["calibrated"],
            ),
        ]
        arms = [
            arm("The model alone, all of its answers taken as plain", mean, net["model"]),
            arm("Kindred alone", mean, net["kindred"]),
            arm("Both", mean, net["both"]),
            *gains,
        ]
        lines = [
            f"{title}: of 100 problems {right:.0f} right, {plain:.0f} plainly right, {wrong:.0f} plainly wrong."
            for title, name in (("The model alone", "model"), ("Kindred alone", "kindred"), ("Both", "both"))
            for right, plain, wrong in [100 * scores[name].mean(axis=0)]
        ]
        lines += _lines_by_set([example.source for example in examples], scores["kindred"], scores["both"])
        worsens = bool(scores["both"][:, 2].sum() > scores["kindred"][:, 2].sum())
        weights = fit_weights(own, pointed, expected)
        return ExamOutcome(
            verdict_of(gains, len(examples), worsens=worsens),
            figures_of(self, examples, answers, arms, lines),
            asdict(weights),
        )


def _lines_by_set(sources: Sequence[str], kindred: Array, both: Array) -> list[str]:
    """Return how many problems of each set are plainly right and wrong, by Kindred alone and with the model."""
    lines = []
    for source in dict.fromkeys(sources):
        chosen = np.array([one == source for one in sources])
        (_, right, wrong), (_, right_too, wrong_too) = (scores[chosen].sum(axis=0) for scores in (kindred, both))
        lines.append(
            f"{source}, {chosen.sum()} problems: {right:.0f} plainly right and {wrong:.0f} wrong by Kindred alone,"
            f" {right_too:.0f} and {wrong_too:.0f} by both."
        )
    return lines


def own_solutions(texts: Sequence[str], reporter: RunReporter) -> list[list[Solution] | None]:
    """Return the solutions of the solvers in use, with all opinions that jobs ask but without the bank's questions.

    None for a problem that the solver declines for a reason for which the bank does not ask the model either.

    Raises:
        ServiceUnavailable: there is no solver, or its files are missing or damaged.
    """
    found: list[list[Solution] | None] = []
    for number, text in enumerate(texts, 1):
        reporter.check()
        reporter.progress(number, len(texts), f"Kindred solves problem {number:,} of {len(texts):,}")
        problem = ProblemRecord("", text, written_language(text, "en"))
        artifact = language_champion(capability="solver", language=problem.language)
        if artifact is None:
            raise ServiceUnavailable("There is no solver in use: run “manage.py setup_bank”.")
        solver = solver_in_use(artifact, with_second_opinion=True).solver
        reason = solver.unsolvable_reason(problem)
        declined: list[Solution] | None = [] if is_asked_about(reason) else None
        found.append(declined if reason else solver.solve([problem], beam=_MOST)[0])
    return found


def is_right(expected: str, solution: Solution) -> bool:
    """Return whether a solution gives the expected answer; nothing is right where no answer exists."""
    if not expected:
        return False
    published = number_of_answer(expected)
    given = number_of_answer(solution.answer)
    return expected in (solution.exact, solution.written) or bool(
        published
        and (answers_agree(published.value, solution.value) or (given and answers_agree(published.value, given.value)))
    )


def scored(solutions: Sequence[Sequence[Solution]], expected: Sequence[str], *, plain: float) -> Array:
    """Return for each problem whether its first solution is right, plainly right and plainly wrong, as 0 or 1."""
    rows = np.zeros((len(solutions), 3))
    for place, (found, answer) in enumerate(zip(solutions, expected, strict=True)):
        if not found or found[0].value is None:
            continue
        right, is_plain = is_right(answer, found[0]), found[0].probability >= plain
        rows[place] = right, right and is_plain, is_plain and not right
    return rows


def fit_weights(
    own: Sequence[Sequence[Solution]], pointed: Sequence[Solution | None], expected: Sequence[str]
) -> Weights:
    """Return the weights of the pointed answers that make the right answers most probable, but no wrong ones plain.

    Answers that the solver has too and new ones are independent of each other, so each weight is fitted alone.
    """
    shared: list[tuple[float, float, float]] = []
    new: list[tuple[float, float, float]] = []
    for solutions, solution, answer in zip(own, pointed, expected, strict=True):
        if solution is None or is_settled(solutions):
            continue
        valued = [each for each in solutions if each.value is not None]
        rest = max(FLOOR, 1 - sum(each.probability for each in valued))
        total = rest + sum(each.probability for each in valued)
        right = float(is_right(answer, solution))
        same = next((each for each in valued if answers_agree(each.value, solution.value)), None)
        if same is not None:
            shared.append((same.probability, total, right))
        else:
            new.append((rest, total, right))

    def loss_of_shared(weight: float) -> float:
        probability, total, right = np.array(shared).T
        return float(np.log(total + probability * np.expm1(weight)).sum() - weight * right.sum())

    def loss_of_new(weight: float) -> float:
        rest, total, right = np.array(new).T
        added = rest * np.expm1(weight)
        return float((np.log(total + added) - right * np.log(added)).sum())

    of_shared = fitted_weight(loss_of_shared, least=_LEAST) if shared else 0.0
    of_new = fitted_weight(loss_of_new, least=_LEAST) if new else 0.0
    most = _plainly_wrong(own, pointed, Weights(), expected)
    for share in _SHARES:
        weights = Weights(round(share * of_shared, 4), round(share * of_new, 4))
        if _plainly_wrong(own, pointed, weights, expected) <= most:
            return weights
    return Weights()


def _plainly_wrong(
    own: Sequence[Sequence[Solution]], pointed: Sequence[Solution | None], weights: Weights, expected: Sequence[str]
) -> int:
    both = [with_worked_out(found, said, weights, most=_MOST) for found, said in zip(own, pointed, strict=True)]
    return int(scored(both, expected, plain=CERTAIN_ENOUGH)[:, 2].sum())
