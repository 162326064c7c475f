"""Rankings of one query, and their fusion.

Reciprocal rank fusion (Cormack, Clarke, Büttcher 2009): a question's score is the sum, over the rankings
that hold it, of weight / (60 + its rank). Ranks are compared and never scores, which have no common unit.
A third ranking holds the matches that contain the query almost literally. A query with a
formula adds the questions whose formulas are built alike, a query that names a concept those tagged with it.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np
import numpy.typing as npt
from django.db.models import QuerySet
from rapidfuzz import fuzz

from analytics.analysed_text import stored_text
from analytics.catalog import FALLBACK_LENS, lenses, main_lens
from analytics.inference.encode import TextEncoder
from analytics.languages import primary_language
from analytics.text.formula_shape import formula_atoms, formula_likeness, text_formulas
from analytics.text.plain_maths import mark_plain_maths
from questionbank.bank.vector_selectors import nearest
from questionbank.models import Question
from questionbank.registry.serving import Serving
from questionbank.search.conditions import Condition, among, fetch
from questionbank.search.query import ParsedQuery
from questionbank.search.query_filters import grades_apart
from questionbank.search.text_search import TextRanking

RRF_CONSTANT = 60
BY_VECTOR = 100  # questions that the vectors contribute
COMPARED = 60  # of the best questions of both rankings, whose texts are compared with the query
LITERAL = 90.0  # per cent of likeness from which a text contains a query almost literally
_LONGEST_COMPARED = 4000  # characters of a text
_TYPED = re.compile(r"[=+×÷√^²³<>≤≥]|\d\s*[-−*/:]\s*\d")
_SIGNS = re.compile(r"[$\\{}]+")

# Weights of words, vectors and literal likeness. Tuned on the half of the public questions that `manage.py
# evaluate search` calls "dev"; its figures are of the other half. A few words that some question holds speak
# for themselves: there, vectors only add what has other words, below. Where no question holds a third of
# their weight, the vectors lead.
_FEW_WORDS_HELD = (1.0, 0.01, 0.0)
_FEW_WORDS = (0.5, 1.0, 0.0)
_SENTENCE_OR_FORMULA = (1.0, 0.5, 3.0)
_HELD = 1 / 3  # share of the query's weight

# A formula is looked for by how it is built; what is asked with it only breaks ties.
_ALIKE = {"formula": 8.0, "words": 1.0, "question": 0.5}
LIKE = 0.5  # likeness from which a formula counts as alike
_WITHOUT_WORDS = 0.4  # times its likeness: what a formula counts without the words asked for next to it
_MOST_FORMULAS = 24  # of one text that are compared
_SHORTEST_COMPARED = 3  # symbols of a formula; "x" is like anything

# A query that names a concept finds what is tagged with it, then what holds its name; a sentence that names one
# only prefers what is tagged.
_TAGGED, _TAGGED_IN_PART, _TAGGED_BESIDE = 2.0, 1.5, 0.3
_PHRASE, _ALL_WORDS, _BY_MEANING, _TAGGED_MENTIONED = 1.0, 2.0, 0.6, 0.3


@dataclass(frozen=True, slots=True)
class VectorRanking:
    """Ids by falling cosine; `notice` says when another lens replaced the one asked for."""

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
    """Return the questions whose vectors are nearest to the query's; none while the bank has no vectors.

    Args:
        questions: what the filters let pass, None for all that are ready.
        language: of the questions wanted, where a filter names it; else the query's own counts.
    """
    language = language or parsed.language
    main, fallback = main_lens().word, FALLBACK_LENS.word
    lens = main if main in serving.sets else fallback
    if lens not in serving.sets or not (serving.serves(lens, language) or fallback in serving.sets):
        return VectorRanking()
    embedding_set, encoder, notice = serving.lens_for(lens, language)
    vector = _query_vector(encoder, parsed.searched)  # type: ignore[arg-type]  # hashed by identity
    hits = nearest(embedding_set=embedding_set, vector=vector, k=BY_VECTOR, question_ids=questions)
    least = lenses()[embedding_set.lens].near_enough
    return VectorRanking([pk for pk, cosine in hits if cosine >= least], notice)


@lru_cache(maxsize=512)
def _query_vector(encoder: TextEncoder, searched: str) -> npt.NDArray[np.float32]:
    """Return the vector of a query, kept for the next page, filter or order of the same search."""
    vector: npt.NDArray[np.float32] = encoder.encode([searched])[0]
    vector.setflags(write=False)
    return vector


@dataclass(frozen=True, slots=True)
class Matches:
    """What each way of searching found for one query.

    Attributes:
        text: by words and formula tokens.
        vectors: ids by falling likeness in meaning.
        phrases: by the names of what the query names; see `Named`.
        tagged: ids by how exactly the query names their concept, the most exact first.
        alike: ids by falling likeness of their formulas.
        is_concept: the query is a concept's name and nothing else.
    """

    text: TextRanking
    vectors: Sequence[int] = ()
    phrases: TextRanking = field(default_factory=TextRanking)
    tagged: Sequence[Sequence[int]] = ()
    alike: Sequence[int] = ()
    is_concept: bool = False


def fuse(parsed: ParsedQuery, matches: Matches) -> list[Fused]:
    """Return one ranking of all, best first; ties go to the newer question."""
    scores: dict[int, float] = defaultdict(float)
    if matches.is_concept:
        _fuse_concept(scores, matches)
    else:
        _fuse_text(scores, parsed, matches)
    text_name = "formula" if parsed.sort == "formula" else "text"
    names = (
        ("concept", {pk for ids in matches.tagged for pk in ids} if matches.is_concept else set()),
        (text_name, {*matches.text.ids, *matches.phrases.ids, *matches.alike}),
        ("vector", set(matches.vectors)),
    )
    return [
        Fused(pk, round(scores[pk], 6), tuple(name for name, ids in names if pk in ids))
        for pk in sorted(scores, key=lambda pk: (-scores[pk], -pk))
    ]


def whole_first(ranking: Sequence[Fused]) -> list[Fused]:
    """Return the same ranking with templates, whose numbers their source draws, after all whole questions."""
    ids = [candidate.id for candidate in ranking]
    templates = set((among(ids) & Condition("draws_numbers")).ids())
    return sorted(ranking, key=lambda candidate: candidate.id in templates)


def _fuse_concept(scores: dict[int, float], matches: Matches) -> None:
    best = 1 / (RRF_CONSTANT + 1)
    for weight, ids in zip((_TAGGED, _TAGGED_IN_PART, _TAGGED_BESIDE), matches.tagged, strict=True):
        for pk in ids:
            scores[pk] += weight * best
    _add(scores, matches.phrases.ids, _PHRASE)
    if not matches.tagged[0]:  # a concept that is named in part is no better than the words themselves
        _add(scores, matches.text.ids[: matches.text.complete], _ALL_WORDS)
    named = set(scores)
    for ranking in (matches.vectors, matches.text.ids):
        _add(scores, [pk for pk in ranking if pk in named], _BY_MEANING)
    _add(scores, [pk for pk in (*matches.text.ids, *matches.vectors) if pk not in named], _FEW_WORDS_HELD[1])


def _fuse_text(scores: dict[int, float], parsed: ParsedQuery, matches: Matches) -> None:
    text_weight, vector_weight, literal_weight = _SENTENCE_OR_FORMULA
    if parsed.sort == "words":
        few_words = _FEW_WORDS_HELD if matches.text.held >= _HELD else _FEW_WORDS
        text_weight, vector_weight, literal_weight = few_words
    _add(scores, matches.text.ids, text_weight)
    _add(scores, matches.vectors, vector_weight)
    _add(scores, matches.alike, _ALIKE.get(parsed.sort, 0.0))
    if literal_weight and not matches.alike:
        best = sorted(scores, key=lambda pk: (-scores[pk], -pk))[:COMPARED]
        _add(scores, _literally(parsed.searched, best), literal_weight)
    tagged = {pk for ids in matches.tagged for pk in ids}
    for pk in tagged.intersection(scores):
        scores[pk] += _TAGGED_MENTIONED / (RRF_CONSTANT + 1)


def rank_by_formulas(
    parsed: ParsedQuery, candidates: Sequence[int], shares: Mapping[int, float] | None = None
) -> list[int]:
    """Return candidates whose formulas are built like the query's, the likest first, short texts before long ones.

    Args:
        shares: of what the query asks for in words, that each candidate holds; None where it asks for nothing.
    """
    query_formulas = [
        formula for formula in parsed.formulas if len(formula_atoms(formula)) >= _SHORTEST_COMPARED
    ]
    query_formulas = query_formulas or [
        formula for formula in parsed.formulas if "sqrt" in formula_atoms(formula)
    ]
    order: dict[int, tuple[float, int, int]] = {}
    for pk, text in _texts(candidates) if query_formulas else ():
        held = _formulas(text[:_LONGEST_COMPARED])[:_MOST_FORMULAS]
        if not held:
            continue
        total = sum(max(formula_likeness(formula, rival) for rival in held) for formula in query_formulas)
        likeness = total / len(query_formulas)
        if likeness >= LIKE:
            asked_for = 1.0 if shares is None else _WITHOUT_WORDS + (1 - _WITHOUT_WORDS) * shares.get(pk, 0.0)
            order[pk] = (-round(likeness * asked_for, 3), len(text), -pk)
    return sorted(order, key=lambda pk: order[pk])


def _formulas(text: str) -> list[str]:
    """Return the formulas of a text; of one that marks none, those that were typed without dollar signs."""
    return text_formulas(text) or (text_formulas(mark_plain_maths(text)) if _TYPED.search(text) else [])


def _add(scores: dict[int, float], ranking: Sequence[int], weight: float) -> None:
    for rank, pk in enumerate(ranking, start=1):
        scores[pk] += weight / (RRF_CONSTANT + rank)


def _literally(searched: str, ids: Sequence[int]) -> list[int]:
    query = _plain(searched)
    likeness: dict[int, float] = {}
    for pk, text in _texts(ids) if query else ():
        score = fuzz.partial_ratio(query, _plain(text[:_LONGEST_COMPARED]), score_cutoff=LITERAL)
        if score:
            likeness[pk] = score
    return sorted(likeness, key=lambda pk: (-likeness[pk], -pk))


def preferred(ranking: list[Fused], language: str, years: tuple[int, int] | None) -> list[Fused]:
    """Return the same ranking with the language first that was typed in, then the grades nearest to those named."""
    if years is None and not language:
        return ranking
    wanted = among(candidate.id for candidate in ranking)
    rows = {
        pk: (primary_language(tag) != language, grades_apart(grade, years) if years else 0)
        for pk, tag, grade in fetch(wanted.select("id, language, grade"), wanted.parameters)
    }
    return sorted(ranking, key=lambda candidate: rows[candidate.id])


def _texts(ids: Sequence[int]) -> list[tuple[int, str]]:
    wanted = among(ids)
    rows = fetch(wanted.select("id, text, options, content"), wanted.parameters)
    return [
        (pk, stored_text(text, json.loads(options), json.loads(content)))
        for pk, text, options, content in rows
    ]


def _plain(text: str) -> str:
    return " ".join(_SIGNS.sub(" ", text).casefold().split())
