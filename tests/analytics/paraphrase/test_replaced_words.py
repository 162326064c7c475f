"""Whether a word that took another's place means the same, by the vectors of both."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from analytics.paraphrase.finding import Finding
from analytics.paraphrase.findings import find_changes
from analytics.paraphrase.replaced_words import judge_replaced

STORY = "A baker cuts a long loaf into 12 slices and sells every slice in the morning for a coin each."


def vectors(cosine: float):
    """Encodes `loaf` as one axis, and every other text at this cosine to it."""

    def encode(texts: Sequence[str]) -> np.ndarray:
        side = (1 - cosine**2) ** 0.5
        return np.array(
            [(1.0, 0.0) if text == "loaf" else (cosine, side) for text in texts], dtype=np.float32
        )

    return encode


@pytest.mark.parametrize(
    ("cosine", "unrelated", "is_serious"),
    [(0.9, 0.0, False), (0.6, 0.0, False), (0.525, 0.25, False), (0.4, 2 / 3, True), (0.1, 1.0, True)],
)
def test_the_less_alike_the_more_it_says(cosine: float, unrelated: float, is_serious: bool) -> None:
    found = find_changes(STORY, STORY.replace("loaf", "gang"))
    [[finding]], [amount] = judge_replaced([found], vectors(cosine))
    assert amount == pytest.approx(unrelated, abs=1e-5)
    assert finding.is_serious is is_serious
    assert ("means something else" in finding.sentence) is is_serious


def test_other_findings_stay_and_pairs_keep_their_places() -> None:
    number = Finding("number", "lost", "12 is missing.", original=(0, 2), before="12")
    replaced = find_changes(STORY, STORY.replace("loaf", "gang"))
    found, amounts = judge_replaced([[number], replaced, []], vectors(0.0))
    assert found[0] == (number,)
    assert [one.before for one in found[1]] == ["loaf"]
    assert found[2] == ()
    assert amounts == [0.0, 1.0, 0.0]


def test_nothing_is_encoded_where_no_word_was_replaced() -> None:
    def encode(texts: Sequence[str]) -> np.ndarray:
        raise AssertionError("encoded for nothing")

    assert judge_replaced([[], []], encode) == ([(), ()], [0.0, 0.0])
