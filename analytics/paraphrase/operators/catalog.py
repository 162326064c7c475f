"""The one table of paraphrase operators. Torch-free: what needs a model has its stand-in here.

ParaQD (Gupta et al., 2022): f1 to f4 keep a question's meaning, f5 to f10 destroy it (sections 3.2 and 3.3); f_a to
f_e make test sets (section 4.2), and training never uses them. The extra operators answer weaknesses seen on the
validation set.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

from analytics.errors import DataError
from analytics.paraphrase.operators import (
    comparison_change,
    consistent_renaming,
    entity_replacement,
    inconsistent_renaming,
    last_sentence_deletion,
    lossy_summary,
    number_change,
    number_deletion,
    number_swap,
    numbers_to_words,
    passive_voice,
    phrase_deletion,
    question_only,
    random_deletion,
    reconstruction,
    role_swap,
    rule_paraphraser,
    same_sentence,
    tfidf_replacement,
    unit_contraction,
    unit_expansion,
    unit_replacement,
    unrelated_word,
    words_to_numbers,
)

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
        stand_in: what stands in for a model here; empty where none is needed.
    """

    name: str
    label: str
    is_positive: bool
    is_training: bool
    function: Apply
    is_paper: bool = True
    stand_in: str = ""

    def apply(self, question: str, rng: random.Random) -> str | None:
        """Apply the operator; None where it does not apply."""
        return self.function(question, rng)


OPERATORS: tuple[ParaphraseOperator, ...] = (
    ParaphraseOperator(
        "back_translation",
        "f1 back-translation",
        True,
        True,
        rule_paraphraser.apply,
        stand_in="rule paraphraser",
    ),
    ParaphraseOperator("same_sentence", "f2 same sentence", True, True, same_sentence.apply),
    ParaphraseOperator("numbers_to_words", "f3 numbers to words", True, True, numbers_to_words.apply),
    ParaphraseOperator("unit_expansion", "f4 unit expansion", True, True, unit_expansion.apply),
    ParaphraseOperator(
        "phrase_deletion", "f5 most important phrase deletion", False, True, phrase_deletion.apply
    ),
    ParaphraseOperator(
        "last_sentence_deletion", "f6 last sentence deletion", False, True, last_sentence_deletion.apply
    ),
    ParaphraseOperator(
        "entity_replacement", "f7 named entity replacement", False, True, entity_replacement.apply
    ),
    ParaphraseOperator("number_deletion", "f8 numerical entity deletion", False, True, number_deletion.apply),
    ParaphraseOperator(
        "weak_paraphraser",
        "f9 weak paraphraser",
        False,
        True,
        lossy_summary.apply,
        stand_in="lossy summariser",
    ),
    ParaphraseOperator("unit_replacement", "f10 unit replacement", False, True, unit_replacement.apply),
    ParaphraseOperator("words_to_numbers", "numbers in digits", True, True, words_to_numbers.apply, False),
    ParaphraseOperator("unit_contraction", "units abbreviated", True, True, unit_contraction.apply, False),
    ParaphraseOperator(
        "consistent_renaming", "renamed throughout", True, True, consistent_renaming.apply, False
    ),
    ParaphraseOperator(
        "inconsistent_renaming", "renamed in places", False, True, inconsistent_renaming.apply, False
    ),
    ParaphraseOperator("number_change", "changed number", False, True, number_change.apply, False),
    ParaphraseOperator("number_swap", "numbers swapped", False, True, number_swap.apply, False),
    ParaphraseOperator("role_swap", "names swapped in a sentence", False, True, role_swap.apply, False),
    ParaphraseOperator(
        "comparison_change", "comparison turned round", False, True, comparison_change.apply, False
    ),
    ParaphraseOperator("unrelated_word", "unrelated word", False, True, unrelated_word.apply, False),
    ParaphraseOperator(
        "passive_voice",
        "f_a active to passive",
        True,
        False,
        passive_voice.apply,
        stand_in="rules for statements",
    ),
    ParaphraseOperator(
        "reconstruction",
        "f_b corrupted sentence reconstruction",
        True,
        False,
        reconstruction.apply,
        stand_in="small words dropped",
    ),
    ParaphraseOperator("tfidf_replacement", "f_c TF-IDF replacement", False, False, tfidf_replacement.apply),
    ParaphraseOperator("random_deletion", "f_d random deletion", False, False, random_deletion.apply),
    ParaphraseOperator(
        "weak_question",
        "f_e weak paraphraser",
        False,
        False,
        question_only.apply,
        stand_in="question with one fact",
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
        ParaphraseOperator(
            original.name,
            original.label,
            original.is_positive,
            original.is_training,
            functions[original.name],
            original.is_paper,
        )
        if original.name in functions
        else original
        for original in operators
    )
