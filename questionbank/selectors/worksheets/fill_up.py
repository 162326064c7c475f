"""Questions that a worksheet can be filled up with: of some concepts and difficulties, and unlike each other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, zip_longest
from random import Random

import numpy as np
from django.db.models import QuerySet

from analytics.inference.ngrams import HashedNgramEncoder
from questionbank.models import Question, User
from questionbank.selectors.questions.wordings import story_ids
from questionbank.selectors.search.filters import SearchFilters, filtered_questions
from questionbank.selectors.similar.similarity import NEAR_DUPLICATE

MOST_FILLED = 50  # questions at once
_POOL = 5_000  # questions of each concept of which some are drawn
_AT_ONCE = 200  # whose texts are read
_MOST_READ = 3_000
_NOT_ASKED = (Question.Kind.OPAQUE, Question.Kind.DESCRIPTION)


@dataclass(frozen=True, slots=True)
class FillUpWish:
    """What is asked for.

    Attributes:
        concepts: ids; questions of each, and of what lies below it, in turn. Empty for any.
    """

    number: int
    concepts: tuple[int, ...] = ()
    filters: SearchFilters = field(default_factory=SearchFilters)


@dataclass(frozen=True, slots=True)
class FillUp:
    """What was found.

    Attributes:
        near_duplicates: how many were passed over because they read almost like another one or tell the same story.
    """

    questions: list[Question]
    near_duplicates: int


def fill_up(*, wish: FillUpWish, taken: Sequence[Question], user: User, rng: Random | None = None) -> FillUp:
    """Draw questions that can be printed, none of them like another one or like one that is on the worksheet already.

    Two questions are near-duplicates where their texts read almost the same (`NEAR_DUPLICATE`), as for a question that
    is written anew, and where one rewords the other or is made of its story.

    Args:
        rng: draws them; two calls draw different ones by default.
    """
    rng = rng or Random()  # noqa: S311 - no secret
    pools = [_pool(wish, concept, user, rng) for concept in wish.concepts or (None,)]
    in_turn = (pk for pk in chain.from_iterable(zip_longest(*pools)) if pk is not None)
    on_worksheet = {question.pk for question in taken}
    excluded = on_worksheet | set(story_ids(*on_worksheet))
    encoder = HashedNgramEncoder()
    vectors = encoder.encode([question.analysed_text for question in taken])
    chosen: list[Question] = []
    near_duplicates = 0
    for question in _read(dict.fromkeys(in_turn)):
        if len(chosen) == wish.number:
            break
        if question.pk in excluded:
            near_duplicates += question.pk not in on_worksheet
            continue
        vector = encoder.encode([question.analysed_text])
        if vectors.size and float((vectors @ vector[0]).max()) >= NEAR_DUPLICATE:
            near_duplicates += 1
            continue
        chosen.append(question)
        vectors = np.concatenate([vectors, vector])
        excluded.update(story_ids(question.pk))
    return FillUp(chosen, near_duplicates)


def _pool(wish: FillUpWish, concept: int | None, user: User, rng: Random) -> list[int]:
    """Return ids of questions that pass, in a drawn order."""
    filters = replace(wish.filters.seen_by(user), concept=concept, figure="none", numbers="given")
    passing = filtered_questions(filters).exclude(kind__in=_NOT_ASKED)
    ids = _some(passing, rng)
    rng.shuffle(ids)
    return ids


def _some(questions: QuerySet[Question], rng: Random) -> list[int]:
    """Return ids of all questions, or of `_POOL` in a row from anywhere among them on."""
    ids = list(questions.values_list("pk", flat=True)[:_POOL])
    if len(ids) < _POOL:
        return ids
    last = Question.objects.order_by("pk").values_list("pk", flat=True).last() or 0
    ordered = questions.order_by("pk").values_list("pk", flat=True)
    begin = rng.randint(1, last)
    after = list(ordered.filter(pk__gte=begin)[:_POOL])
    return after + list(ordered.filter(pk__lt=begin)[: _POOL - len(after)])


def _read(ids: Iterable[int]) -> Iterator[Question]:
    most = list(ids)[:_MOST_READ]
    for start in range(0, len(most), _AT_ONCE):
        batch = most[start : start + _AT_ONCE]
        questions = Question.objects.defer("search_vector", "solution").in_bulk(batch)
        yield from (questions[pk] for pk in batch if pk in questions)
