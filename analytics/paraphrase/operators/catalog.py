"""The registry of paraphrase operators. Torch-free: operators that need a model have a stand-in here.

ParaQD (Gupta et al., 2022): f1 to f4 preserve a question's meaning, f5 to f10 destroy it (sections 3.2 and
3.3); f_a to f_e make test sets (section 4.2) and are never used in training. The extra operators address
weaknesses seen on the validation set.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, replace

from analytics.errors import DataError
from analytics.paraphrase.operators import deletions, numbers, stand_ins, words
from analytics.paraphrase.operators.rule_paraphraser import reword

Apply = Callable[[str, random.Random], str | None]
"""Maps question and generator to the changed question, or None if the operator does not apply."""


@dataclass(frozen=True, slots=True)
class ParaphraseOperator:
    """A paraphrase operator.

    Attributes:
        name: its name in settings and tables.
        label: readable description, including the paper's symbol.
        function: the implementation.
        is_positive: whether its output is meant to be a valid paraphrase.
        is_training: whether it is used in training; others only make test sets.
        is_paper: whether it is from the paper, not an extra one.
    """

    name: str
    label: str
    function: Apply
    is_positive: bool
    is_training: bool = True
    is_paper: bool = True

    def apply(self, question: str, rng: random.Random) -> str | None:
        """Apply the operator; None if it does not apply."""
        return self.function(question, rng)


# is_positive, is_training, is_paper
_VALID, _INVALID = (True, True, True), (False, True, True)
_OUR_VALID, _OUR_INVALID = (True, True, False), (False, True, False)
_TEST_VALID, _TEST_INVALID = (True, False, True), (False, False, True)

OPERATORS: tuple[ParaphraseOperator, ...] = tuple(
    ParaphraseOperator(name, label, function, *use)
    for name, label, function, use in (
        ("back_translation", "f1 back-translation", reword, _VALID),  # rules instead of models
        ("same_sentence", "f2 same sentence", deletions.same, _VALID),
        ("numbers_to_words", "f3 numbers to words", numbers.in_words, _VALID),
        ("unit_expansion", "f4 unit expansion", numbers.write_out_units, _VALID),
        ("phrase_deletion", "f5 most important phrase deletion", deletions.delete_phrase, _INVALID),
        ("last_sentence_deletion", "f6 last sentence deletion", deletions.delete_last_sentence, _INVALID),
        ("entity_replacement", "f7 named entity replacement", words.replace_names, _INVALID),
        ("number_deletion", "f8 numerical entity deletion", numbers.delete, _INVALID),
        ("weak_paraphraser", "f9 weak paraphraser", stand_ins.summarise, _INVALID),  # instead of a model
        ("unit_replacement", "f10 unit replacement", numbers.replace_units, _INVALID),
        ("words_to_numbers", "numbers in digits", numbers.in_digits, _OUR_VALID),
        ("unit_contraction", "units abbreviated", numbers.abbreviate_units, _OUR_VALID),
        ("consistent_renaming", "renamed throughout", words.rename_throughout, _OUR_VALID),
        ("inconsistent_renaming", "renamed in places", words.rename_in_places, _OUR_INVALID),
        ("number_change", "changed number", numbers.change, _OUR_INVALID),
        ("number_swap", "numbers swapped", numbers.swap, _OUR_INVALID),
        ("role_swap", "names swapped in a sentence", words.swap_in_sentence, _OUR_INVALID),
        ("comparison_change", "comparison turned round", words.turn_round, _OUR_INVALID),
        ("unrelated_word", "unrelated word", words.put_unrelated, _OUR_INVALID),
        ("passive_voice", "f_a active to passive", stand_ins.to_passive, _TEST_VALID),  # instead of a model
        ("reconstruction", "f_b corrupted sentence reconstruction", stand_ins.drop_small_words, _TEST_VALID),
        ("tfidf_replacement", "f_c TF-IDF replacement", words.replace_rare, _TEST_INVALID),
        ("random_deletion", "f_d random deletion", deletions.delete_tokens, _TEST_INVALID),
        ("weak_question", "f_e weak paraphraser", deletions.ask_only, _TEST_INVALID),  # instead of a model
    )
)


def operator(name: str) -> ParaphraseOperator:
    """Return the operator with a name.

    Raises:
        DataError: there is no such operator.
    """
    for candidate in OPERATORS:
        if candidate.name == name:
            return candidate
    raise DataError(f"There is no operator {name}; there are {', '.join(candidate.name for candidate in OPERATORS)}.")


def select_operators(
    *, training: bool = True, extra: bool = True, without: tuple[str, ...] = ()
) -> tuple[ParaphraseOperator, ...]:
    """Return the training or the test operators.

    Args:
        extra: include operators that are not from the paper.
        without: names to exclude, as in the ablations of Table 2.

    Raises:
        DataError: a name in `without` is unknown.
    """
    left_out = {operator(name).name for name in without}
    return tuple(
        candidate
        for candidate in OPERATORS
        if candidate.is_training == training and (extra or candidate.is_paper) and candidate.name not in left_out
    )


def with_functions(
    operators: tuple[ParaphraseOperator, ...], functions: dict[str, Apply]
) -> tuple[ParaphraseOperator, ...]:
    """Replace stand-ins by models, given as a mapping from operator name to function.

    Raises:
        DataError: a name is unknown.
    """
    for name in functions:
        operator(name)
    return tuple(replace(original, function=functions.get(original.name, original.function)) for original in operators)
