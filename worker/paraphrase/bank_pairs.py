"""Pairs made by test operators from the bank's held-out questions (ParaQD, section 4.2)."""

from __future__ import annotations

from collections.abc import Mapping

from analytics.paraphrase.operators.catalog import Apply, select_operators, with_functions
from analytics.paraphrase.operators.words import TfidfReplacement
from analytics.paraphrase.triplets import make_test_pairs
from analytics.records import ParaphrasePair
from analytics.splits import split_place
from questionbank.training.questions import Parts


def bank_test_pairs(
    questions: Parts[str], most: int, *, functions: Mapping[str, Apply] | None = None, seed: int = 3407
) -> list[ParaphrasePair]:
    """Return one positive and one negative per held-out question, always the same ones for the same bank.

    Args:
        questions: the bank's questions; f_c weights words by how many training or held-out questions contain them.
        most: maximum number of questions.
        functions: replacements of stand-ins, by operator name.
        seed: seed of the operators' sampling.
    """
    words = TfidfReplacement((*questions.learned, *questions.held_out))
    operators = with_functions(
        select_operators(training=False), {**(functions or {}), "tfidf_replacement": words.apply}
    )
    return make_test_pairs(sorted(questions.held_out, key=split_place)[:most], operators, seed=seed)
