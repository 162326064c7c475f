"""Two rankings of one query, and their fusion.

Reciprocal rank fusion (Cormack, Clarke, Büttcher 2009): a question's score is the sum, over the rankings
that hold it, of weight / (60 + its rank). Ranks are compared and never scores, which have no common unit.
A third ranking holds those of the questions found in which the query stands almost literally.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

from django.db.models import QuerySet
from rapidfuzz import fuzz

from questionbank.models import Lens, Question
from questionbank.selectors.query import ParsedQuery
from questionbank.selectors.serving import Serving
from questionbank.selectors.text_search import TextRanking
from questionbank.selectors.vectors import nearest

__all__ = ["BY_VECTOR", "Fused", "VectorRanking", "fuse", "rank_by_vectors"]

RRF_CONSTANT = 60
BY_VECTOR = 100  # questions that the vectors contribute
NEAR_ENOUGH = {  # cosine from which a vector is near in meaning; a literal table, see decision 40
    Lens.PURPOSE: 0.65,
    Lens.WORDING: 0.35,
}
COMPARED = 60  # of the best questions of both rankings, whose texts are compared with the query
LITERAL = 90.0  # per cent of likeness from which a query stands in a text almost literally
_LONGEST_COMPARED = 2000  # characters of a text
_SIGNS = re.compile(r"[$\\{}]+")

# Weights of words, vectors and literal likeness. Tuned on the half of the public questions that `manage.py
# evaluate search` calls "dev"; its figures are of the other half. A few words that some question holds speak
# for themselves: there, vectors only add what has other words, below. Where no question holds a third of
# their weight, the vectors lead.
_FEW_WORDS_HELD = (1.0, 0.01, 0.0)
_FEW_WORDS = (0.5, 1.0, 0.0)
_SENTENCE_OR_FORMULA = (1.0, 0.5, 3.0)
_HELD = 1 / 3  # share of the query's weight


@dataclass(frozen=True, slots=True)
class VectorRanking:
    """Ids by falling cosine; `notice` says when another lens had to stand in."""

    ids: list[int] = field(default_factory=list)
    notice: str = ""


@dataclass(frozen=True, slots=True)
class Fused:
    """One question of the fused ranking."""

    id: int
    score: float
    found_by: tuple[str, ...]


def rank_by_vectors(
    parsed: ParsedQuery,
    questions: QuerySet[Question] | None,
    serving: Serving,
    *,
    language: str = "",
) -> VectorRanking:
    """The questions whose vectors are nearest to the query's; none while the bank has no vectors.

    Args:
        questions: what the filters let pass, None for all that are ready.
        language: of the questions wanted, where a filter names it; else the query's own counts.
    """
    language = language or parsed.language
    lens = Lens.PURPOSE if Lens.PURPOSE in serving.sets else Lens.WORDING
    if lens not in serving.sets or not (serving.serves(lens, language) or Lens.WORDING in serving.sets):
        return VectorRanking()
    embedding_set, encoder, notice = serving.lens_for(lens, language)
    vector = encoder.encode([parsed.searched])[0]
    found = nearest(embedding_set=embedding_set, vector=vector, k=BY_VECTOR, question_ids=questions)
    least = NEAR_ENOUGH[Lens(embedding_set.lens)]
    return VectorRanking([pk for pk, cosine in found if cosine >= least], notice)


def fuse(parsed: ParsedQuery, by_text: TextRanking, by_vectors: Sequence[int]) -> list[Fused]:
    """One ranking of both, best first; ties go to the newer question."""
    text_weight, vector_weight, literal_weight = _SENTENCE_OR_FORMULA
    if parsed.sort == "words":
        few_words = _FEW_WORDS_HELD if by_text.held >= _HELD else _FEW_WORDS
        text_weight, vector_weight, literal_weight = few_words
    scores: dict[int, float] = defaultdict(float)
    _add(scores, by_text.ids, text_weight)
    _add(scores, by_vectors, vector_weight)
    if literal_weight:
        best = sorted(scores, key=lambda pk: (-scores[pk], -pk))[:COMPARED]
        _add(scores, _literally(parsed.searched, best), literal_weight)
    text_name = "formula" if parsed.sort == "formula" else "text"
    names = ((text_name, set(by_text.ids)), ("vector", set(by_vectors)))
    return [
        Fused(pk, round(scores[pk], 6), tuple(name for name, ids in names if pk in ids))
        for pk in sorted(scores, key=lambda pk: (-scores[pk], -pk))
    ]


def _add(scores: dict[int, float], ranking: Sequence[int], weight: float) -> None:
    for rank, pk in enumerate(ranking, start=1):
        scores[pk] += weight / (RRF_CONSTANT + rank)


def _literally(searched: str, ids: Sequence[int]) -> list[int]:
    """Those questions in whose text the query stands almost literally, the likest first."""
    query = _plain(searched)
    likeness: dict[int, float] = {}
    for pk, text in Question.objects.filter(pk__in=ids).values_list("pk", "text") if query else ():
        score = fuzz.partial_ratio(query, _plain(text[:_LONGEST_COMPARED]), score_cutoff=LITERAL)
        if score:
            likeness[pk] = score
    return sorted(likeness, key=lambda pk: (-likeness[pk], -pk))


def _plain(text: str) -> str:
    return " ".join(_SIGNS.sub(" ", text).casefold().split())
