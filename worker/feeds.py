"""From the bank's rows to the capabilities' training data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from django.db import connection
from psycopg import sql

from analytics.catalog import main_lens
from analytics.encoder.examples import EncoderExample
from analytics.inference.vocabulary import UNKNOWN_SHARE_LIMIT
from analytics.probes.data import ProbeData
from questionbank.bank.question_selectors import concept_paths
from questionbank.bank.vector_selectors import embedding_set_sample
from questionbank.models import EmbeddingSet, KnowledgeHierarchy, Question, QuestionTag
from questionbank.training.questions import TrainingQuestion, training_questions


@dataclass(frozen=True, slots=True)
class EncoderFeed:
    """Questions of the bank to pre-train an encoder on.

    Attributes:
        examples: including the fixed held-out part, which the training itself removes.
        unknown_languages: {language: (questions left out, share of tokens that the backbone does not know)}.
        duplicates: questions left out because another one in the same hierarchy is exactly the same.
    """

    examples: list[EncoderExample]
    unknown_languages: Mapping[str, tuple[int, float]]
    duplicates: int


def encoder_feed(*, hierarchies: Sequence[str] | None, unknown_share: Callable[[Sequence[str]], float]) -> EncoderFeed:
    """Return ready questions, tagged or not, in the languages that a backbone knows.

    Args:
        hierarchies: only questions tagged in these; by default all.
        unknown_share: returns the share of some texts' tokens that the backbone's vocabulary lacks.
    """
    rows = training_questions(hierarchies=hierarchies)
    languages = Counter(language for language in {row.id: row.language for row in rows}.values())
    shares = {language: unknown_share(embedding_set_sample(language=language)) for language in languages}
    unknown = {language: share for language, share in shares.items() if share > UNKNOWN_SHARE_LIMIT}
    by_text: dict[tuple[str, bytes], TrainingQuestion] = {}
    repeated = 0
    for row in rows:
        if row.language in unknown:
            continue
        repeated += (row.hierarchy, row.content_hash) in by_text
        by_text.setdefault((row.hierarchy, row.content_hash), row)
    return EncoderFeed(
        examples=[
            EncoderExample(
                text=row.text,
                paths=row.paths,
                hierarchy=row.hierarchy,
                solution=row.solution,
                difficulty=row.difficulty,
            )
            for row in by_text.values()
        ],
        unknown_languages={language: (languages[language], share) for language, share in unknown.items()},
        duplicates=repeated,
    )


def probe_set(*, hierarchy: KnowledgeHierarchy, instead: EmbeddingSet | None = None) -> EmbeddingSet | None:
    """Return the set in use whose encoder knows the most frequent language of the hierarchy's questions.

    That is the set of the lens that probes read, else of its stand-in.

    Args:
        hierarchy: one with tagged questions; without any there is no such set.
        instead: a set to use instead of the one in use for its lens.
    """
    tagged = QuestionTag.objects.filter(concept__hierarchy=hierarchy).values_list("question_id")
    languages = Counter(Question.objects.filter(pk__in=tagged).values_list("language", flat=True))
    in_use = {row.lens: row for row in EmbeddingSet.objects.filter(is_current=True, scope="")}
    if instead is not None:
        in_use[instead.lens] = instead
    lens = main_lens()
    if not languages or lens.word not in in_use:
        return None
    language = languages.most_common(1)[0][0]
    knows_language = in_use[lens.word].unknown_shares.get(language, 0.0) <= UNKNOWN_SHARE_LIMIT
    return in_use[lens.word] if knows_language else in_use.get(lens.stand_in)


def probe_data(*, hierarchy: KnowledgeHierarchy, embedding_set: EmbeddingSet) -> ProbeData:
    """Return ready questions that are tagged in the hierarchy, have a vector in the set and are not paraphrases.

    Difficulties on any scale but the most frequent are left out: a probe never mixes scales.
    """
    tagged = QuestionTag.objects.filter(concept__hierarchy=hierarchy).values("question_id")
    vectors = set_vectors(embedding_set)
    rows = [
        row
        for row in Question.objects.filter(pk__in=tagged, status=Question.Status.READY, paraphrase_of__isnull=True)
        .only("text", "options", "content", "difficulty", "difficulty_scale", "source")
        .order_by("pk")
        if row.pk in vectors
    ]
    scales = Counter(row.difficulty_scale for row in rows if row.difficulty is not None)
    scale = scales.most_common(1)[0][0] if scales else ""
    paths = concept_paths([row.pk for row in rows], hierarchy=hierarchy)
    difficulties = [row.difficulty if row.difficulty_scale == scale else None for row in rows]
    return ProbeData.of(
        np.array([vectors[row.pk] for row in rows], dtype=np.float32).reshape(-1, embedding_set.dimension),
        [paths.get(row.pk, []) for row in rows],
        difficulties,
        texts=[row.analysed_text for row in rows],
        scales=[scale if difficulty is not None else "" for difficulty in difficulties],
        sources=[row.source for row in rows],
    )


def set_vectors(embedding_set: EmbeddingSet) -> dict[int, npt.NDArray[np.float32]]:
    """Return every vector of the set by question id, read in the server's binary format (parsing text is slow)."""
    with connection.cursor() as cursor:
        cursor.execute(
            sql.SQL(
                "SELECT question_id, halfvec_send(vector) FROM questionbank_questionembedding"
                " WHERE embedding_set_id = {} AND vector IS NOT NULL"
            ).format(sql.Literal(embedding_set.pk))
        )
        return {
            question: np.frombuffer(bytes(raw), dtype=">f2", offset=4).astype(np.float32)
            for question, raw in cursor.fetchall()
        }
