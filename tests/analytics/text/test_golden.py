"""What search, numbers and forms make of whole banks, pinned: stored tokens must not change by accident.

A digest that changes on purpose is replaced here, and the commit says which stored rows have to be computed anew.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import random
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from analytics.languages import detect_language, language_of
from analytics.records import ProblemRecord
from analytics.solver.plausibility import asks_for_count
from analytics.solver.reversing import reorder_question, reverse_operation
from analytics.solver.rules.reading import Reading, asked_unit
from analytics.solver.rules.solver import rule_solution
from analytics.solver.unanswerable import unanswerable_reason
from analytics.text.clauses import split_clauses, split_sentences
from analytics.text.fingerprints import masked_text
from analytics.text.formulas import shape_tokens, text_formulas
from analytics.text.notation import normalise_latex
from analytics.text.number_slots import number_slots
from analytics.text.numbers import find_numbers
from analytics.text.question_tasks import asks_nothing, is_word_problem, question_tasks
from analytics.text.tokens import search_tokens
from analytics.text.units import find_units

DEMO_BANK = Path(__file__).resolve().parents[3] / "questionbank" / "demo" / "bank.jsonl.gz"
PUBLIC_FILES = ("math/train", "tal_scq_zh/train", "gsm8k/train", "eedi/train", "theoremqa/test")
READERS: dict[str, Callable[[str], Any]] = {
    "search tokens": search_tokens,
    "number slots": lambda text: [(slot.start, slot.end, str(slot.value)) for slot in number_slots(text)],
    "spellings": lambda text: [normalise_latex(formula) for formula in text_formulas(text)],
    "shapes": lambda text: shape_tokens(text_formulas(text)),
    "forms": masked_text,
    "languages": detect_language,
    "numbers": find_numbers,
    "clock times": lambda text: list(language_of(text).numbers.find_clock_times(text)),
    "units": find_units,
    "clauses": lambda text: (split_clauses(text), split_sentences(text)),
    "kinds": lambda text: (question_tasks(text), is_word_problem(text), asks_nothing(text)),
    "what is asked": lambda text: (
        asks_for_count(text),
        asked_unit(Reading(text)),
        unanswerable_reason(text),
        Reading(text).question,
    ),
    "solver's rules": lambda text: (answer := rule_solution(text)) and (answer.equation, answer.written),
    "other orders": lambda text: [
        (made := reorder_question(problem(text))) and made.text,
        *(reverse.text for reverse in reverse_operation(problem(text))),
    ],
}


def problem(text: str) -> ProblemRecord:
    """Return a text as a problem in its language, its equation the sum of its first two numbers."""
    values = [f"({slot.value})" for slot in number_slots(text) if slot.reading == "value"]
    return ProblemRecord("1", text, detect_language(text), equation="+".join(values[:2]))


PROBLEM_FILES = ("math23k/test", "cmath/test", "mawps/cv", "asdiv/all", "tal_scq_zh/train", "gsm8k/train")


def digest(reader: str, paths: list[Path], count: int = 300) -> str:
    """Return a digest of what a reader makes of so many texts of each file."""
    value = hashlib.sha256()
    for path in paths:
        for text in sampled_texts(path, count):
            value.update(repr(READERS[reader](text)).encode())
    return value.hexdigest()[:12]


@cache
def sampled_texts(path: Path, count: int) -> list[str]:
    """Return so many texts of a file, which every reader reads."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        texts = [text for line in lines if (text := json.loads(line).get("text"))]
    return random.Random(82).sample(texts, min(count, len(texts)))


@pytest.mark.parametrize(
    ("reader", "expected"),
    [
        ("search tokens", "a500ff844d7a"),
        ("number slots", "6a4132d47238"),
        ("spellings", "bea4d1ed95bb"),
        ("shapes", "16a37ab83c01"),
        ("forms", "14d0671ec9e8"),
    ],
)
def test_the_demo_bank_is_read_as_before(reader: str, expected: str) -> None:
    assert digest(reader, [DEMO_BANK]) == expected


@pytest.mark.shared_data
@pytest.mark.parametrize(
    ("reader", "expected"),
    [
        ("search tokens", "947250b2ff22"),
        ("number slots", "f373ee683bb2"),
        ("spellings", "6d629ad35204"),
        ("shapes", "c107c29ab5bb"),
        ("forms", "b12900e7a860"),
    ],
)
def test_public_questions_are_read_as_before(reader: str, expected: str, shared_data: Path) -> None:
    assert digest(reader, [shared_data / f"{name}.jsonl.gz" for name in PUBLIC_FILES]) == expected


@pytest.mark.shared_data
@pytest.mark.parametrize(
    ("reader", "expected", "of_problems"),
    [
        ("languages", "319d59544362", "cd1ffaa20132"),
        ("numbers", "1aa7fb86947e", "9cf8e046c793"),
        ("clock times", "d26fe95a0f33", "256d5f091f02"),
        ("units", "c60d190e0daf", "b3b63130c08c"),
        ("clauses", "1fc8450b57d3", "d9d4c3a18b00"),
        ("kinds", "8c1a19c12239", "6cfee4effac8"),
        ("what is asked", "a2cbb08c0e4e", "d9a92ca2dd55"),
        ("solver's rules", "cbd9be3bca07", "3e621420a391"),
        ("other orders", "a9f4c5a5a66c", "f1497316b900"),
    ],
)
def test_words_of_both_languages_are_read_as_before(
    reader: str, expected: str, of_problems: str, shared_data: Path
) -> None:
    assert digest(reader, [DEMO_BANK], 100) == expected
    assert digest(reader, [shared_data / f"{name}.jsonl.gz" for name in PROBLEM_FILES], 100) == of_problems
