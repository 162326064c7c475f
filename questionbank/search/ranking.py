"""Rankings of one query, their fusion, and pages of the results by signed cursors.

Reciprocal rank fusion (Cormack, Clarke, Büttcher 2009): a question's score is the sum, over the rankings that contain
it, of weight / (60 + its rank). Only ranks are compared, because scores have no common unit. A third ranking contains
the matches that contain the query almost literally. A query with a formula adds questions with similarly built
formulas, and a query that names a concept adds those tagged with it.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt
from django.core import signing
from django.db.models import QuerySet
from rapidfuzz import fuzz

from analytics.analysed_text import part_texts, stem_text, stored_content, stored_text
from analytics.catalog import FALLBACK_LENS, lenses, main_lens
from analytics.inference.encode import TextEncoder
from analytics.languages import primary_language
from analytics.text.formulas import formula_atoms, formula_likeness, text_formulas
from analytics.text.plain_maths import mark_plain_maths
from analytics.text.question_tasks import EMPTY_WORDS
from analytics.text.tokens import search_tokens
from questionbank.bank.vector_selectors import nearest
from questionbank.core.errors import ValidationFailed
from questionbank.formats.kinds import part_label
from questionbank.models import Question
from questionbank.registry.serving import Serving
from questionbank.search.asked import AskedSearch, grades_apart
from questionbank.search.filters import Condition, among, fetch
from questionbank.search.query import ParsedQuery
from questionbank.search.text_search import TextRanking

RRF_CONSTANT = 60
BY_VECTOR = 100  # questions contributed by the vectors
COMPARED = 60  # of the best questions in both rankings, whose texts are compared with the query
LITERAL = 90.0  # percentage similarity from which a text contains a query almost literally
_LONGEST_COMPARED = 4000  # characters of a text
_TYPED = re.compile(r"[=+×÷√^²³<>≤≥]|\d\s*[-−*/:]\s*\d")
_SIGNS = re.compile(r"[$\\{}]+")

# Weights of words, vectors and literal similarity. Tuned on the half of the public questions that `manage.py
# evaluate search` calls "dev"; its figures are for the other half. A few words that occur in some question are
# sufficient: vectors then only add questions with other words, below. If no question contains a third of the
# words' weight, the vectors lead.
_FEW_WORDS_HELD = (1.0, 0.01, 0.0)
_FEW_WORDS = (0.5, 1.0, 0.0)
_SENTENCE_OR_FORMULA = (1.0, 0.5, 3.0)
_HELD = 1 / 3  # share of the query's weight

# A formula is searched by its structure; the words around it only break ties.
_ALIKE = {"formula": 8.0, "words": 1.0, "question": 0.5}
LIKE = 0.5  # formulas this similar count as alike
_WITHOUT_WORDS = 0.4  # factor on a formula's similarity without the words asked for next to it
_MOST_FORMULAS = 24  # formulas compared per text
_SHORTEST_COMPARED = 3  # symbols of a formula; "x" is like anything

# A query that names a concept returns questions tagged with it, then those containing its name; for a sentence that
# names one, tagged questions are only preferred.
_TAGGED, _TAGGED_IN_PART, _TAGGED_BESIDE = 2.0, 1.5, 0.3
_PHRASE, _ALL_WORDS, _BY_MEANING, _TAGGED_MENTIONED = 1.0, 2.0, 0.6, 0.3


@dataclass(frozen=True, slots=True)
class VectorRanking:
    """Ids by descending cosine; `notice` reports if another lens replaced the requested one."""

    ids: list[int] = field(default_factory=list)
    notice: str = ""


@dataclass(frozen=True, slots=True)
class Fused:
    """One question of the fused ranking."""

    id: int
    score: float
    found_by: tuple[str, ...]


def rank_by_vectors(
    parsed: ParsedQuery, questions: QuerySet[Question] | None, serving: Serving, *, language: str = ""
) -> VectorRanking:
    """Return the questions with vectors nearest to the query's; empty while the bank has no vectors.

    Args:
        questions: the questions that pass the filters; None for all that are ready.
        language: of the wanted questions, if a filter specifies it; otherwise the query's own language is used.
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
    """Return the vector of a query, cached for the next page, filter or sort order of the same search."""
    vector: npt.NDArray[np.float32] = encoder.encode([searched])[0]
    vector.setflags(write=False)
    return vector


@dataclass(frozen=True, slots=True)
class Matches:
    """The results of each search method for one query.

    Attributes:
        text: by words and formula tokens.
        vectors: ids by descending similarity in meaning.
        phrases: by the names of what the query names; see `Named`.
        tagged: ids by how exactly the query names their concept, the most exact first.
        alike: ids by descending similarity of their formulas.
        is_concept: whether the query is exactly a concept's name.
    """

    text: TextRanking
    vectors: Sequence[int] = ()
    phrases: TextRanking = field(default_factory=TextRanking)
    tagged: Sequence[Sequence[int]] = ()
    alike: Sequence[int] = ()
    is_concept: bool = False


def fuse(parsed: ParsedQuery, matches: Matches) -> list[Fused]:
    """Return the fused ranking, best first; ties go to the newer question."""
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
    """Return the ranking with templates, whose numbers their source draws, moved after all whole questions."""
    ids = [candidate.id for candidate in ranking]
    templates = set((among(ids) & Condition("draws_numbers")).ids())
    return sorted(ranking, key=lambda candidate: candidate.id in templates)


def _fuse_concept(scores: dict[int, float], matches: Matches) -> None:
    best = 1 / (RRF_CONSTANT + 1)
    for weight, ids in zip((_TAGGED, _TAGGED_IN_PART, _TAGGED_BESIDE), matches.tagged, strict=True):
        for pk in ids:
            scores[pk] += weight * best
    _add(scores, matches.phrases.ids, _PHRASE)
    if not matches.tagged[0]:  # a concept named in part is no better than the words themselves
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
    """Return candidates with formulas built like the query's, the most similar first, short texts before long ones.

    Args:
        shares: the share of the query's words that each candidate contains; None if the query has no words.
    """
    query_formulas = [formula for formula in parsed.formulas if len(formula_atoms(formula)) >= _SHORTEST_COMPARED]
    query_formulas = query_formulas or [formula for formula in parsed.formulas if "sqrt" in formula_atoms(formula)]
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
    """Return the formulas of a text; if none are marked, those typed without dollar signs."""
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
    """Return the ranking with the query's language first, then the grades nearest to those named."""
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
    return [(pk, stored_text(text, json.loads(options), json.loads(content))) for pk, text, options, content in rows]


def _plain(text: str) -> str:
    return " ".join(_SIGNS.sub(" ", text).casefold().split())


_SALT = "questionbank.cursor"
_LONGEST = 500


def cursor_pack(place: list[Any], search: object) -> str:
    """Return a cursor for a position in the results of `search`; searches are distinguished by their `repr`."""
    return signing.dumps([_fingerprint(search), *place], salt=_SALT)


def cursor_unpack(cursor: str, search: object) -> list[Any]:
    """Return the position that a cursor points to.

    Raises:
        ValidationFailed: it is malformed, or belongs to another search.
    """
    try:
        fingerprint, *place = signing.loads(cursor[: _LONGEST + 1], salt=_SALT)
    except (signing.BadSignature, ValueError, TypeError) as error:
        raise ValidationFailed("This page of results is not known; search again.") from error
    if fingerprint != _fingerprint(search):
        raise ValidationFailed("This page belongs to another search; search again.")
    return place


def offset_cursors(asked: AskedSearch, offset: int, *, has_next: bool) -> dict[str, str]:
    """Return the cursors of the pages before and after one that is counted from the first result."""
    before = max(0, offset - asked.page_size)
    return {
        "next_cursor": cursor_pack(["from", offset + asked.page_size], asked.key) if has_next else "",
        "previous_cursor": cursor_pack(["from", before], asked.key) if offset else "",
    }


def offset_of(place: list[Any] | None) -> int:
    """Return how many results are before a place that `offset_cursors` gave."""
    if place is None:
        return 0
    if len(place) == 2 and isinstance(place[1], int) and place[1] >= 0:
        return place[1]
    raise ValidationFailed("This page of results is not known; search again.")


def _fingerprint(search: object) -> str:
    return hashlib.blake2b(repr(search).encode(), digest_size=6).hexdigest()


def matched_parts(question: Question, tokens: Iterable[str]) -> tuple[str, ...]:
    """Return the letters of the parts that contain most of the searched tokens that the stem lacks.

    Args:
        tokens: of the query, as returned by `search_tokens`.
    """
    if not question.is_in_parts:
        return ()
    content = stored_content(question.content)
    language = primary_language(question.language)
    stem = search_tokens(stem_text(question.text, (), content), language)
    wanted = {*tokens}.difference(stem)
    wanted = wanted - EMPTY_WORDS or wanted
    held = [len(wanted.intersection(search_tokens(part, language))) for part in part_texts(content)]
    most = max(held)
    return tuple(part_label(place) for place, count in enumerate(held) if count == most > 0)
