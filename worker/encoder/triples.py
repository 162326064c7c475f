"""Task over story: whether an encoder finds the same task in another story nearer than another task in the same story.

A triple holds a question, one with the same task in another story, and one that tells the same story and asks for
something else. `SUITE` was written by people who had seen neither the training data nor the program, and no encoder
learns from it (`tests/analytics/encoder/test_task_grids.py`). The gate measures every encoder on it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from analytics.errors import DataError
from analytics.json_lines import TEXT_LIMIT, naming_line, read_objects, string_problem
from analytics.retrieval import Encode

SUITE = Path(__file__).with_name("triples.jsonl")
"""The triples of the gate."""

_TEXTS = ("question", "same_task", "same_story")


@dataclass(frozen=True, slots=True)
class Triple:
    """A question, one with its task in another story, and one with another task in its story.

    Attributes:
        kind: of the task, in words.
    """

    question: str
    same_task: str
    same_story: str
    kind: str
    language: str


def read_triples(path: Path = SUITE, *, language: str = "") -> list[Triple]:
    """Return the triples of a JSON Lines file, or those in one language.

    Raises:
        DataError: a line cannot be read, or there is no triple in the language.
    """
    triples: list[Triple] = []
    for number, body in read_objects(path):
        with naming_line(path, number):
            question, same_task, same_story = (_text(body, name) for name in _TEXTS)
            kind, language_of_texts = str(body.get("kind") or ""), str(body.get("language") or "en")
            triples.append(Triple(question, same_task, same_story, kind, language_of_texts))
    triples = [triple for triple in triples if language in ("", triple.language)]
    if not triples:
        raise DataError(f"{path.name} has no triple in the language {language!r}.")
    return triples


def _text(body: Mapping[str, Any], name: str) -> str:
    text = body.get(name)
    if not isinstance(text, str):
        raise ValueError(f"expected the string {name}")
    if problem := string_problem(text, TEXT_LIMIT):
        raise ValueError(f"{name} {problem}")
    return text


def task_margins(triples: Sequence[Triple], encode: Encode) -> npt.NDArray[np.float64]:
    """Return the cosine of the same task less that of the same story, (triples,); above 0 is right."""
    asked, task, story = (encode([getattr(triple, name) for triple in triples]) for name in _TEXTS)
    margins: npt.NDArray[np.float64] = np.einsum("ij,ij->i", asked, task - story).astype(np.float64)
    return margins


def triple_figures(triples: Sequence[Triple], encode: Encode) -> dict[str, Any]:
    """Return the share of triples that are ranked rightly and the mean margin, in all and for each kind."""
    margins = task_margins(triples, encode)
    kinds: defaultdict[str, list[float]] = defaultdict(list)
    for triple, margin in zip(triples, margins, strict=True):
        kinds[triple.kind].append(float(margin))
    return {
        **_figures(margins),
        "kinds": {kind: _figures(np.array(kinds[kind])) for kind in sorted(kinds)},
    }


def _figures(margins: npt.NDArray[np.float64]) -> dict[str, float | int]:
    return {
        "triples": len(margins),
        "ranked_rightly": float((margins > 0).mean()),
        "mean_difference": float(margins.mean()),
    }
