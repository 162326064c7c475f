"""Whether a job could say more of a typed text than its page does: jobs ask the packaged language model too."""

from __future__ import annotations

from analytics.languages import primary_language
from analytics.solver.solution import SIGNED_REASON
from questionbank.selectors.registry.language_models import packaged_model
from questionbank.selectors.solving.solutions import SolvedText


def may_have_second_opinion(solved: SolvedText | None, language: str) -> bool:
    """Return whether the language model would be asked about a text, and its answer counts."""
    if solved is None or solved.known is not None or primary_language(language) != "en":
        return False
    best = solved.best
    is_open = solved.reason == SIGNED_REASON if best is None else not best.rule and best.twin is None
    return is_open and packaged_model().is_ready
