"""The one table of paraphrase operators. Torch-free: what needs a model has its stand-in here.

ParaQD (Gupta et al., 2022): f1 to f4 keep a question's meaning, f5 to f10 destroy it (sections 3.2 and 3.3); f_a to
f_e make test sets (section 4.2), and training never uses them. The extra operators answer weaknesses seen on the
validation set.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, replace

from analytics.errors import DataError
from analytics.paraphrase.operators import (
    comparison_change,
    deletions,
    lossy_summary,
    names,
    numbers,
    passive_voice,
    reconstruction,
    tfidf_replacement,
    units,
    unrelated_word,
)
from analytics.paraphrase.operators.rule_paraphraser import reword

Apply = Callable[[str, random.Random], str | None]
"""Question and generator -> what becomes of it, None where the operator does not apply."""


@dataclass(frozen=True, slots=True)
class ParaphraseOperator:
    """One operator.

    Attributes:
        name: as settings and tables write it.
        label: what it does, for people; the paper's symbol stands in it.
        is_positive: its output is meant to be a valid paraphrase.
        is_training: used in training; the others make test sets only.
        function: what it does.
        is_paper: one of the paper's, not an extra one.
    """

    name: str
    label: str
    is_positive: bool
    is_training: bool
    function: Apply
    is_paper: bool = True

    def apply(self, question: str, rng: random.Random) -> str | None:
        """Apply the operator; None where it does not apply."""
        return self.function(question, rng)


def _operators(
    rows: tuple[tuple[str, str, Apply], ...],
    *,
    is_positive: bool,
    is_training: bool = True,
    is_paper: bool = True,
) -> tuple[ParaphraseOperator, ...]:
    return tuple(
        ParaphraseOperator(name, label, is_positive, is_training, function, is_paper)
        for name, label, function in rows
    )


OPERATORS: tuple[ParaphraseOperator, ...] = (
    *_operators(
        (
            ("back_translation", "f1 back-translation", reword),  # rules stand in for models
            ("same_sentence", "f2 same sentence", deletions.same),
            ("numbers_to_words", "f3 numbers to words", numbers.in_words),
            ("unit_expansion", "f4 unit expansion", units.write_out),
        ),
        is_positive=True,
    ),
    *_operators(
        (
            ("phrase_deletion", "f5 most important phrase deletion", deletions.delete_phrase),
            ("last_sentence_deletion", "f6 last sentence deletion", deletions.delete_last_sentence),
            ("entity_replacement", "f7 named entity replacement", names.replace),
            ("number_deletion", "f8 numerical entity deletion", numbers.delete),
            ("weak_paraphraser", "f9 weak paraphraser", lossy_summary.apply),  # for a model
            ("unit_replacement", "f10 unit replacement", units.replace),
        ),
        is_positive=False,
    ),
    *_operators(
        (
            ("words_to_numbers", "numbers in digits", numbers.in_digits),
            ("unit_contraction", "units abbreviated", units.abbreviate),
            ("consistent_renaming", "renamed throughout", names.rename_throughout),
        ),
        is_positive=True,
        is_paper=False,
    ),
    *_operators(
        (
            ("inconsistent_renaming", "renamed in places", names.rename_in_places),
            ("number_change", "changed number", numbers.change),
            ("number_swap", "numbers swapped", numbers.swap),
            ("role_swap", "names swapped in a sentence", names.swap_in_sentence),
            ("comparison_change", "comparison turned round", comparison_change.apply),
            ("unrelated_word", "unrelated word", unrelated_word.apply),
        ),
        is_positive=False,
        is_paper=False,
    ),
    *_operators(
        (
            ("passive_voice", "f_a active to passive", passive_voice.apply),  # for a model
            ("reconstruction", "f_b corrupted sentence reconstruction", reconstruction.apply),  # for a model
        ),
        is_positive=True,
        is_training=False,
    ),
    *_operators(
        (
            ("tfidf_replacement", "f_c TF-IDF replacement", tfidf_replacement.apply),
            ("random_deletion", "f_d random deletion", deletions.delete_tokens),
            ("weak_question", "f_e weak paraphraser", deletions.ask_only),  # for a model
        ),
        is_positive=False,
        is_training=False,
    ),
)


def operator(name: str) -> ParaphraseOperator:
    """Return the operator of a name.

    Raises:
        DataError: there is none.
    """
    for candidate in OPERATORS:
        if candidate.name == name:
            return candidate
    raise DataError(
        f"There is no operator {name}; there are {', '.join(candidate.name for candidate in OPERATORS)}."
    )


def select_operators(
    *, training: bool = True, extra: bool = True, without: tuple[str, ...] = ()
) -> tuple[ParaphraseOperator, ...]:
    """Return the training (or the test) operators.

    Args:
        extra: those that are not the paper's as well.
        without: names that are left out, as in the ablations of Table 2.

    Raises:
        DataError: a name in `without` is no operator's.
    """
    left_out = {operator(name).name for name in without}
    return tuple(
        candidate
        for candidate in OPERATORS
        if candidate.is_training == training
        and (extra or candidate.is_paper)
        and candidate.name not in left_out
    )


def with_functions(
    operators: tuple[ParaphraseOperator, ...], functions: dict[str, Apply]
) -> tuple[ParaphraseOperator, ...]:
    """Put models in the place of stand-ins: name -> the function that replaces it.

    Raises:
        DataError: a name is no operator's.
    """
    for name in functions:
        operator(name)
    return tuple(
        replace(original, function=functions.get(original.name, original.function)) for original in operators
    )
