"""Task over story: reading triples, and what is counted."""

from __future__ import annotations

import json
from collections.abc import Sequence

import numpy as np
import pytest

from analytics.errors import DataError
from worker.encoder.evaluation import Triple, read_triples, task_margins, triple_figures

TRIPLES = [
    Triple("bus up", "box up", "bus rest", "rounding", "en"),
    Triple("age sum", "coin sum", "age ratio", "sum", "en"),
]


def by_word(word: int):
    """Encode a text by one of its two words alone."""

    def encode(texts: Sequence[str]) -> np.ndarray:
        words = sorted({text.split()[word] for triple in TRIPLES for text in _texts(triple)})
        return np.array([[text.split()[word] == name for name in words] for text in texts], dtype=np.float32)

    return encode


def _texts(triple: Triple) -> tuple[str, str, str]:
    return triple.question, triple.same_task, triple.same_story


def test_an_encoder_of_tasks_ranks_every_triple_rightly_and_one_of_stories_none():
    assert task_margins(TRIPLES, by_word(1)).tolist() == [1.0, 1.0]
    assert task_margins(TRIPLES, by_word(0)).tolist() == [-1.0, -1.0]


def test_figures_are_given_in_all_and_for_each_kind():
    figures = triple_figures(TRIPLES, by_word(1))
    assert (figures["triples"], figures["ranked_rightly"], figures["mean_difference"]) == (2, 1.0, 1.0)
    assert set(figures["kinds"]) == {"rounding", "sum"}


def test_a_tie_is_not_right():
    assert triple_figures([Triple("a b", "a b", "a b", "", "en")], lambda texts: np.ones((len(texts), 1)))[
        "ranked_rightly"
    ] == pytest.approx(0)


@pytest.mark.parametrize("line", [{"question": "a", "same_task": "b"}, {"question": 1}])
def test_a_line_without_three_texts_is_named(tmp_path, line):
    path = tmp_path / "triples.jsonl"
    path.write_text(json.dumps(line) + "\n")
    with pytest.raises(DataError, match="line 1"):
        read_triples(path)


def test_a_language_without_triples_is_an_error():
    with pytest.raises(DataError, match="no triple in the language 'xx'"):
        read_triples(language="xx")
