"""A small bank for tests of pages: six questions, three concepts, vectors under both lenses."""

from __future__ import annotations

import html
import re
from functools import cache
from types import SimpleNamespace

import numpy as np

from analytics.inference.encode import HashedNgramEncoder
from questionbank.models import User
from tests.factories import ConceptFactory, HierarchyFactory, QuestionFactory
from tests.questionbank.small_bank import add_set, store_vectors

LINEAR = r"Solve the equation ${a}x + {b} = {c}$ for $x$."
TEXTS = (
    LINEAR.format(a=2, b=3, c=11),
    LINEAR.format(a=5, b=1, c=36),
    LINEAR.format(a=4, b=9, c=21),
    r"Find the area of a circle with radius $7$ cm. Give your answer in terms of $\pi$.",
    r"Work out $\frac{3}{4} + \frac{1}{6}$.",
    r"A bag holds 3 red and 5 blue marbles. What is the probability of drawing a red one?",
)


@cache
def _vectors() -> np.ndarray:
    return HashedNgramEncoder(512).encode(list(TEXTS))


def make_bank(teacher: User) -> SimpleNamespace:
    """Make the bank; the first question is the teacher's. Vectors are character n-grams, which need no model."""
    hierarchy = HierarchyFactory(name="School")
    linear = ConceptFactory(hierarchy=hierarchy, names=("Algebra", "Equations", "Linear equations"))
    circle = ConceptFactory(hierarchy=hierarchy, names=("Geometry", "Circles"))
    fraction = ConceptFactory(hierarchy=hierarchy, names=("Number", "Fractions"))
    concepts = (linear, linear, linear, circle, fraction, None)
    questions = [
        QuestionFactory(
            text=text,
            concepts=[concept] if concept else [],
            grade=str(6 + number),
            difficulty=1 + number % 5,
            difficulty_scale="1-5",
            source="Test set",
            answer="4",
            solution="Subtract, then divide.",
            created_by=teacher if number == 0 else None,
        )
        for number, (text, concept) in enumerate(zip(TEXTS, concepts, strict=True))
    ]
    for lens in ("purpose", "wording"):
        store_vectors(add_set(lens), questions, _vectors())
    return SimpleNamespace(questions=questions, hierarchy=hierarchy, linear=linear, circle=circle, fraction=fraction)


def text_of(response) -> str:
    """What a reader sees of a page, in one line."""
    return " ".join(html.unescape(re.sub("<[^>]*>", " ", response.content.decode())).split())
