"""What search, numbers and forms make of whole banks, pinned: stored tokens must not change by accident.

A digest that changes on purpose is replaced here, and the commit says which stored rows have to be computed anew.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from analytics.text.formula_shape import shape_tokens, text_formulas
from analytics.text.masking import masked_text
from analytics.text.notation import normalise_latex
from analytics.text.number_slots import number_slots
from analytics.text.tokens import search_tokens

DEMO_BANK = Path(__file__).resolve().parents[3] / "questionbank" / "demo" / "bank.jsonl.gz"
PUBLIC_FILES = ("math/train", "tal_scq_zh/train", "gsm8k/train", "eedi/train", "theoremqa/test")
READERS: dict[str, Callable[[str], Any]] = {
    "search tokens": search_tokens,
    "number slots": lambda text: [(slot.start, slot.end, str(slot.value)) for slot in number_slots(text)],
    "spellings": lambda text: [normalise_latex(formula) for formula in text_formulas(text)],
    "shapes": lambda text: shape_tokens(text_formulas(text)),
    "forms": masked_text,
}


def digest(reader: str, paths: list[Path]) -> str:
    """Return a digest of what a reader makes of 300 texts of each file."""
    value = hashlib.sha256()
    for path in paths:
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            texts = [text for line in lines if (text := json.loads(line).get("text"))]
        for text in random.Random(82).sample(texts, min(300, len(texts))):
            value.update(repr(READERS[reader](text)).encode())
    return value.hexdigest()[:12]


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
