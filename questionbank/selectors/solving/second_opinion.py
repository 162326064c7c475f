"""What a job says of a typed text that its page does not, and whether it could: jobs ask a language model too."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from analytics.expression.evaluate import answers_agree
from analytics.languages import primary_language
from analytics.solver.solution import SIGNED_REASON, Solution
from questionbank.selectors.registry.language_models import packaged_model_is_ready
from questionbank.selectors.solving.solutions import SolvedText, solution_from_json


@dataclass(frozen=True, slots=True)
class SecondOpinion:
    """What a job's language model and solver answered, each for itself; None: it found no answer."""

    own: Solution | None
    written: Solution | None

    @property
    def agree(self) -> bool:
        return (
            self.own is not None
            and self.written is not None
            and answers_agree(self.own.value, self.written.value)
        )


def second_opinion_kept(result: Mapping[str, Any]) -> SecondOpinion | None:
    """Return both opinions of a finished job by its result; None for a job of an earlier version."""
    if "opinions" not in result:
        return None
    pooled = [solution_from_json(row) for row in result["alternatives"]]
    opinions: dict[str, Solution | None] = {"own": None, "written": None}
    for name, row in result["opinions"].items():
        solution = solution_from_json(row)
        same = (each.written for each in pooled if answers_agree(each.value, solution.value))
        opinions[name] = replace(solution, written=solution.written or next(same, ""))  # such as "25%"
    return SecondOpinion(**opinions)


def may_have_second_opinion(solved: SolvedText | None, language: str) -> bool:
    """Return whether the language model would be asked about a text, and its answer counts."""
    if solved is None or solved.known is not None or primary_language(language) != "en":
        return False
    best = solved.best
    is_open = solved.reason == SIGNED_REASON if best is None else not best.rule and best.twin is None
    return is_open and packaged_model_is_ready()
