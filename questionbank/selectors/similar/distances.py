"""A worked case: the nearest question at each distance in the hierarchy.

QuesCo (Ning et al., AAAI 2023), Figure 7: what the encoder has learned shows in cosines that fall as the
distance in the hierarchy (Eq. 1, `analytics.encoder.khar.kh_distance`) grows.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from operator import or_

import numpy as np
from django.db.models import Q, QuerySet

from analytics.catalog import main_lens
from analytics.inference.encode import TextEncoder
from analytics.records import ConceptPath
from questionbank.errors import ServiceUnavailable, ValidationFailed
from questionbank.models import KnowledgeHierarchy, Question, QuestionTag
from questionbank.selectors.questions.augmentation import question_augmented
from questionbank.selectors.questions.concept_levels import concept_levels
from questionbank.selectors.questions.questions import concept_paths
from questionbank.selectors.serving import Serving
from questionbank.selectors.vectors import nearest

_DRAWS = 6  # of the augmentation; one that changes nothing is passed over


@dataclass(frozen=True, slots=True)
class DistanceRow:
    """One distance.

    Attributes:
        distance: 0 for the question itself as augmentation changes it, 1 .. levels + 1 for another one.
        shared: the deepest level at which concepts agree; 0 for none.
        question: None at distance 0, and where no question of the bank is at this distance.
    """

    distance: int
    shared: int
    text: str = ""
    question: Question | None = None
    cosine: float | None = None
    paths: tuple[ConceptPath, ...] = ()
    notice: str = ""


@dataclass(frozen=True, slots=True)
class WorkedCase:
    """The nearest question at each distance.

    Attributes:
        hierarchy: in which distances are counted; None where the question has no concept.
        notice: what to know about the whole, e.g. that no model knows the question's language.
    """

    hierarchy: KnowledgeHierarchy | None
    levels: int
    paths: tuple[ConceptPath, ...]
    rows: tuple[DistanceRow, ...]
    encoder: str
    notice: str


def worked_case(*, question: Question, serving: Serving, seed: int = 0) -> WorkedCase:
    """Return the nearest ready question of the same language at each distance from a question.

    Raises:
        ServiceUnavailable: the bank has no vectors yet.
    """
    text = question.analysed_text
    embedding_set, encoder, notice = serving.lens_for(main_lens().word, question.language, [text])
    vector = encoder.encode([text])[0]
    rows = [_augmented_row(question, vector, encoder, seed)]
    tags = list(question.tags.select_related("concept__hierarchy"))
    if not tags:
        return WorkedCase(None, 0, (), tuple(rows), encoder.name, notice)
    owner = Counter(tag.concept.hierarchy for tag in tags).most_common(1)[0][0]
    levels = concept_levels(hierarchy=owner)
    tag_prefixes = [levels.prefixes(tag.concept.path) for tag in tags if tag.concept.hierarchy_id == owner.pk]
    hits = []
    for distance in range(1, levels.levels + 2):
        among = _at(question, owner, tag_prefixes, levels.levels, distance)
        hits.append(
            nearest(
                embedding_set=embedding_set, vector=vector, k=1, question_ids=among, exclude=[question.pk]
            )
        )
    ids = [pk for hit in hits for pk, _cosine in hit]
    questions = Question.objects.defer("search_vector").in_bulk(ids)
    paths = concept_paths([question.pk, *ids], hierarchy=owner)
    for distance, hit in enumerate(hits, start=1):
        shared = levels.levels + 1 - distance
        pk, cosine = hit[0] if hit else (0, 0.0)
        if neighbour := questions.get(pk):
            found = tuple(paths.get(pk, ()))
            rows.append(
                DistanceRow(distance, shared, neighbour.analysed_text, neighbour, round(cosine, 4), found)
            )
        else:  # none, or just deleted
            notice_of_row = "No ready question with a vector is at this distance."
            rows.append(DistanceRow(distance, shared, notice=notice_of_row))
    return WorkedCase(
        owner, levels.levels, tuple(paths.get(question.pk, ())), tuple(rows), encoder.name, notice
    )


def _at(
    question: Question,
    hierarchy: KnowledgeHierarchy,
    tag_prefixes: Sequence[Sequence[str]],
    levels: int,
    distance: int,
) -> QuerySet[Question]:
    """Return the ready questions at a distance: they share concepts down to one level and no deeper.

    Args:
        tag_prefixes: of each of the question's tags, the tree paths of its concepts, level 1 first.
    """
    shared = levels + 1 - distance  # the deepest level at which concepts agree; 0: none
    tagged = QuestionTag.objects.filter(concept__hierarchy=hierarchy)
    near = (
        tagged
        if shared == 0
        else _below(tagged, [prefixes[shared - 1] for prefixes in tag_prefixes if len(prefixes) >= shared])
    )
    nearer = _below(tagged, [prefixes[shared] for prefixes in tag_prefixes if len(prefixes) > shared])
    return (
        Question.objects.filter(status=Question.Status.READY, language=question.language)
        .filter(pk__in=near.values("question_id"))
        .exclude(pk__in=nearer.values("question_id"))
    )


def _below(tags: QuerySet[QuestionTag], paths: Sequence[str]) -> QuerySet[QuestionTag]:
    if not paths:
        return tags.none()
    return tags.filter(reduce(or_, (Q(concept__path__startswith=path) for path in set(paths))))


def _augmented_row(question: Question, vector: np.ndarray, encoder: TextEncoder, seed: int) -> DistanceRow:
    try:
        drawn = question_augmented(text=question.analysed_text, seed=seed, draws=_DRAWS).whole
    except (ServiceUnavailable, ValidationFailed) as error:
        return DistanceRow(0, 0, notice=str(error))
    text = next((draw.text for draw in drawn if draw.text and draw.pieces), "")
    if not text:
        return DistanceRow(0, 0, notice="The augmentation finds nothing to change in it.")
    cosine = float(encoder.encode([text])[0] @ vector)
    return DistanceRow(0, 0, text, cosine=round(cosine, 4))
