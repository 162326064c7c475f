"""Pairs that test operators make of the bank's questions that no scorer learns from (ParaQD, section 4.2)."""

from __future__ import annotations

from collections.abc import Mapping

from analytics.paraphrase.operators.catalog import Apply, select_operators, with_functions
from analytics.paraphrase.operators.words import TfidfReplacement
from analytics.paraphrase.triplets import make_test_pairs
from analytics.records import ParaphrasePair
from analytics.splits import split_place
from questionbank.training.questions import Parts


def bank_test_pairs(
    questions: Parts[str],
    most: int,
    *,
    functions: Mapping[str, Apply] | None = None,
    seed: int = 3407,
) -> list[ParaphrasePair]:
    """Return one positive and one negative of each held-out question, always the same ones of the same bank.

    Args:
        questions: of the bank; f_c weighs words by how many of those learned from or held out have them.
        most: questions that are taken.
        functions: in place of stand-ins, by the operator's name.
        seed: of what the operators draw.
    """
    words = TfidfReplacement((*questions.learned, *questions.held_out))
    operators = with_functions(
        select_operators(training=False), {**(functions or {}), "tfidf_replacement": words.apply}
    )
    return make_test_pairs(sorted(questions.held_out, key=split_place)[:most], operators, seed=seed)
