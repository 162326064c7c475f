"""Similar questions under one lens, for a stored question or a pasted text, each with a reason."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import Self

import numpy as np

from analytics.capability import Lens
from analytics.catalog import FALLBACK_LENS, lenses, main_lens
from analytics.inference.encode import HashedNgramEncoder
from analytics.inference.subject import NOT_MATHEMATICS
from analytics.languages import detect_language
from analytics.records import ConceptPath
from questionbank.bank.question_selectors import TaggedPath, tagged_paths, visible_to, wording_ids
from questionbank.bank.vector_selectors import nearest, stored_vectors
from questionbank.core.errors import ServiceUnavailable
from questionbank.core.wording import percent_text
from questionbank.models import Question, QuestionTag, User
from questionbank.registry.serving import Serving, served_solver
from questionbank.search.query import vocabulary
from questionbank.similar.evidence import Evidence, copy_key, evidence_of, same_spelling
from questionbank.similar.likeness import (
    Asked,
    Ranked,
    Vector,
    broad_concepts,
    candidate_tags,
    rank_by_graph,
    rank_by_likeness,
    rank_by_wording,
    ready_in,
)
from questionbank.similar.reasons import compare
from questionbank.solving.computations import Computation, question_computation, question_graphs
from questionbank.solving.solutions import SolvedText, solved_computation, solved_graphs, text_solved

CONSIDERED = 30  # nearest questions that are checked for reasons
LEAST_WITHOUT_REASON = 0.65  # minimum score for a question to be shown without a reason
REASON_SHARE = 0.4  # a reason adds this times score * (1 - score) to a mean of several measures
LIKELY = 0.5  # minimum probability for a predicted concept to count as a reason
NEAR_DUPLICATE = 0.9  # minimum cosine of character n-grams for a saved question to be reported as a duplicate
_DUPLICATES_SHOWN = 5
_KEPT_TEXTS = 2_048  # texts with cached n-grams, 2 KB each: a page compares about 60
_ONLY_WORD_PROBLEMS = (
    "Only word problems are compared in this way: stories with numbers from which an answer can be computed."
)
_ONLY_THE_SAME_GRAPH = "The model does not know this language: only questions with the same known equation are found."
_UNKNOWN_COMPUTATION = (
    "We do not know how this question is computed, so there is nothing to compare. Add its equation to find questions"
    " with the same computation."
)


@dataclass(frozen=True, slots=True)
class SimilarHit:
    """A similar question.

    Attributes:
        score: the score that ranks it under the lens, 0 to 1. For wording it is the cosine; for purpose too, but raised
            if concepts are shared. For structure it is the mean of the cosine and, with twice the weight, the
            probability that the graph is the same.
        reason: one sentence about something that both questions contain.
        flags: any of `SAME_IDEA` and `LOOKS_ALIKE`.
        cosines: by lens, for each lens under which both questions have vectors.
        copies: further questions with the same text except for numbers, spaces and formula spelling; see `fold_copies`.
        comparison: a sentence on whether it is harder; empty if not known.
    """

    question: Question
    score: float
    reason: str
    concepts: list[ConceptPath]
    flags: tuple[str, ...]
    cosines: Mapping[str, float] = field(default_factory=dict)
    computation: Computation | None = None
    same_graph: bool = False
    copies: tuple[SimilarHit, ...] = ()
    comparison: str = ""

    @property
    def is_near_copy(self) -> bool:
        """Whether it reads almost the same."""
        return self.cosines.get(FALLBACK_LENS.word, 0.0) >= NEAR_DUPLICATE


@dataclass(frozen=True, slots=True)
class SimilarResult:
    """Similar questions, nearest first.

    Attributes:
        notice: says that another lens replaced it, or why there are no questions.
    """

    lens: str
    hits: list[SimilarHit]
    notice: str
    computation: Computation | None = None


def similar_questions(*, question: Question, lens: str, serving: Serving, k: int = 10) -> SimilarResult:
    """Return the `k` ready questions most similar to a stored one, using its own vectors if they are up to date.

    Its original and its paraphrases are left out, because its page lists them anyway.

    Raises:
        ServiceUnavailable: the bank has no vectors for the lens.
    """
    comparison = _Comparison.with_question(question, serving)
    return comparison.result(comparison.found(lens, k))


def similar_to_text(*, text: str, lens: str, serving: Serving, language: str = "", k: int = 10) -> SimilarResult:
    """Return the `k` ready questions most similar to a text that is not in the bank.

    Raises:
        ServiceUnavailable: the bank has no vectors for the lens.
    """
    language = language or detect_language(text)
    solved = None
    if lenses()[lens].by_graph:
        with suppress(ServiceUnavailable):
            solved = text_solved(text, language, served_solver(language))
    comparison = _Comparison.with_text(text, language, serving, solved=solved)
    return comparison.result(comparison.found(lens, k))


def similar_by_lens(
    *, asked: Question | str, serving: Serving, language: str = "", solved: SolvedText | None = None, k: int
) -> dict[str, SimilarResult]:
    """Return the similar questions of a stored question or a text under every lens, reading each candidate once.

    If the main lens or the model-free lens has no vectors, its result is empty, with a notice. Any other lens is left
    out if it has no vectors, does not support such a text, or needs a computation that is not known.

    Args:
        language, solved: for a text, its language and the solver's result; for a stored question the bank knows what
            it computes.
    """
    if isinstance(asked, Question):
        comparison = _Comparison.with_question(asked, serving)
    else:
        comparison = _Comparison.with_text(asked, language, serving, solved=solved)
    found = {}
    for lens, row in lenses().items():
        if row.is_main or row.knows_every_language or comparison.offers(row):
            try:
                found[lens] = comparison.found(lens, k)
            except ServiceUnavailable as error:
                found[lens] = _Found(lens, k, notice=str(error))
    comparison.read([candidate.id for each in found.values() for candidate in each.ranked])
    return {lens: comparison.result(each) for lens, each in found.items()}


def near_duplicates(
    *, text: str, serving: Serving, exclude: Question | None = None, user: User | None = None
) -> list[SimilarHit]:
    """Return questions, including drafts, that read almost the same; those that differ only in numbers are flagged."""
    lens = FALLBACK_LENS.word
    if lens not in serving.sets:
        return []
    language = detect_language(text)
    vector = serving.encoder(lens).encode([text])[0]
    hits = nearest(
        embedding_set=serving.embedding_set(lens),
        vector=vector,
        k=_DUPLICATES_SHOWN,
        question_ids=Question.objects.filter(visible_to(user)).exclude(status=Question.Status.RETIRED),
        exclude=[exclude.pk] if exclude else [],
    )
    alike = [Ranked(pk, score, {lens: score}) for pk, score in hits if score >= NEAR_DUPLICATE]
    return _Comparison.with_text(text, language, serving).hits(alike, lens)


def fold_copies(hits: Sequence[SimilarHit]) -> list[SimilarHit]:
    """Return the first question of each text with its copies, which differ only in numbers, spaces and spelling."""
    first: dict[str, SimilarHit] = {}
    copies: defaultdict[str, list[SimilarHit]] = defaultdict(list)
    for hit in hits:
        key = copy_key(hit.question.analysed_text)
        if first.setdefault(key, hit) is not hit:
            copies[key].append(hit)
    return [replace(hit, copies=tuple(copies[key])) if key in copies else hit for key, hit in first.items()]


@dataclass(frozen=True, slots=True)
class _Found:
    """The candidates under a lens, before they are loaded.

    Attributes:
        k: the maximum number to show.
        served: the lens that found them, if another lens replaced `lens`.
    """

    lens: str
    k: int
    ranked: Sequence[Ranked] = ()
    served: str = ""
    notice: str = ""
    computation: Computation | None = None


class _Comparison:
    """A question, stored or not, compared with candidates; loaded candidates are cached across lenses."""

    def __init__(
        self,
        asked: Asked,
        asked_evidence: Evidence,
        serving: Serving,
        stored: Mapping[int, Vector],
        *,
        is_stored: bool = False,
    ) -> None:
        self._asked, self._asked_evidence, self._serving = asked, asked_evidence, serving
        self._vectors_by_set = dict(stored)  # by id of the embedding set
        self._is_stored = is_stored
        self._broad = broad_concepts() if asked_evidence.tags else frozenset()
        self._questions: dict[int, Question] = {}
        self._evidence: dict[int, Evidence] = {}

    @property
    def _known(self) -> Mapping[str, Vector]:
        """The vectors of the text by lens, for models that know its language."""
        by_set, sets = self._vectors_by_set, self._serving.sets.items()
        return {name: by_set[embedding_set.pk] for name, embedding_set in sets if embedding_set.pk in by_set}

    def offers(self, lens: Lens) -> bool:
        """Return whether the lens has vectors, supports such a text, and has the data to compare it."""
        is_known = not lens.by_graph or self._asked_evidence.computation is not None
        return is_known and lens.word in self._serving.sets and lens.takes(self._asked.text)

    @classmethod
    def with_question(cls, question: Question, serving: Serving) -> Self:
        serving = serving.for_language(question.language)
        tags = tagged_paths([question.pk]).get(question.pk, [])
        asked_evidence = _evidence(question, tags)
        concept_ids = QuestionTag.objects.filter(question=question).values_list("concept_id", flat=True)
        query = Asked(
            text=question.analysed_text,
            language=question.language,
            ready=ready_in(question.language),
            tags=tuple(tags),
            concept_ids=tuple(concept_ids) if tags else (),
            graphs=question_graphs(question),
            exclude=tuple(wording_ids(question.pk)),
        )
        set_ids = [embedding_set.pk for embedding_set in serving.sets.values()]
        stored = stored_vectors(set_ids=set_ids, question=question)
        return cls(query, asked_evidence, serving, stored, is_stored=True)

    @classmethod
    def with_text(cls, text: str, language: str, serving: Serving, *, solved: SolvedText | None = None) -> Self:
        language = language or detect_language(text)
        serving = serving.for_language(language)
        query = Asked(text=text, language=language, ready=ready_in(language), graphs=solved_graphs(text, solved))
        asked_evidence = evidence_of(text, language=language, computation=solved_computation(text, solved))
        return cls(query, asked_evidence, serving, {})

    def found(self, lens: str, k: int) -> _Found:
        """Return the candidates for the `k` most similar questions under a lens.

        Raises:
            ServiceUnavailable: the bank has no vectors for the lens.
        """
        row = lenses()[lens]
        if not (row.knows_every_language or self._asked.is_mathematics):
            return _Found(lens, k, notice=f"{NOT_MATHEMATICS} Only its wording is compared.")
        if row.by_graph:
            return self._found_by_graph(lens, k)
        vectors, notice = self._vectors(lens)
        rank = rank_by_wording if row.knows_every_language else rank_by_likeness
        ranked = rank(replace(self._asked, vectors=vectors), self._serving.sets, max(k, CONSIDERED))
        return _Found(lens, k, ranked, lens if lens in vectors else row.stand_in, notice)

    def _found_by_graph(self, lens: str, k: int) -> _Found:
        """Return the candidates under a lens that compares computations.

        A language without vectors is compared by computation alone.
        """
        self._serving.embedding_set(lens)
        if not lenses()[lens].takes(self._asked.text):
            return _Found(lens, k, notice=str(_ONLY_WORD_PROBLEMS))
        computation = self._asked_evidence.computation
        if computation is None:
            return _Found(lens, k, notice=str(_UNKNOWN_COMPUTATION))
        vectors: Mapping[str, Vector] = {}
        notice = _ONLY_THE_SAME_GRAPH
        if self._serving.serves(lens, self._asked.language, [self._asked.text]):
            self._vectors(lens)
            vectors, notice = self._known, ""  # other lenses' vectors too: they show a shared purpose
        query = replace(self._asked, vectors=vectors)
        ranked = rank_by_graph(query, self._serving.sets, lens, max(k, CONSIDERED))
        return _Found(lens, k, ranked, lens, notice, computation)

    def result(self, found: _Found) -> SimilarResult:
        """Return the `k` most similar candidates."""
        served = found.served or found.lens
        hits = self.hits(found.ranked, served)
        if not lenses()[found.lens].by_graph and main_lens().word in self._known:
            hits = _with_evidence(hits, is_mixed=lenses()[served].is_main)
        return SimilarResult(found.lens, hits[: found.k], found.notice, found.computation)

    def hits(self, ranked: Sequence[Ranked], lens: str) -> list[SimilarHit]:
        """Return the candidates with the reason for each, using a fixed number of queries."""
        self.read([candidate.id for candidate in ranked])
        # The others have just been deleted.
        present = [candidate for candidate in ranked if candidate.id in self._questions]
        texts = [self._questions[candidate.id].analysed_text for candidate in present]
        wording = _wording(self._asked.text, texts)
        rarity = vocabulary().rarity
        by_graph = lenses()[lens].by_graph
        hits = []
        for candidate, alike in zip(present, wording, strict=True):
            evidence = self._evidence[candidate.id]
            comparison = compare(
                self._asked_evidence,
                evidence,
                lens=lens,
                wording=alike,
                rarity=rarity,
                broad=self._broad,
                by_graph=by_graph,
                purpose=candidate.cosines.get(main_lens().word),
            )
            if by_graph and not comparison.nearly_same_graph:
                continue
            hits.append(
                SimilarHit(
                    question=self._questions[candidate.id],
                    score=round(candidate.score, 4),
                    reason=comparison.reason or ("" if by_graph else self._predicted_reason(evidence)),
                    concepts=[tag.path for tag in evidence.tags],
                    flags=comparison.flags,
                    cosines={name: round(cosine, 4) for name, cosine in candidate.cosines.items()},
                    computation=evidence.computation,
                    same_graph=comparison.same_graph,
                )
            )
        return hits

    def _predicted_reason(self, candidate: Evidence) -> str:
        """Return a reason if a candidate is about a concept predicted for the question; empty otherwise."""
        path = next((path for path in self._likely if path in {tag.path for tag in candidate.tags}), None)
        if path is None:
            return ""
        asked, likely = "question" if self._is_stored else "text", percent_text(self._likely[path])
        return f"It is about {path[-1]}, which is predicted for this {asked} ({likely})."

    @cached_property
    def _likely(self) -> dict[ConceptPath, float]:
        """The concepts predicted for a question without any, in the bank's default hierarchy."""
        if self._asked_evidence.tags or not self._asked.is_mathematics:
            return {}
        probes = self._serving.probes_for(language=self._asked.language, sample=[self._asked.text])
        vector = self._known.get(probes.lens) if probes is not None else None
        if probes is None or vector is None or not probes.heads.beats_majority:
            return {}
        predicted = probes.heads.predict(vector[None], 1, texts=[self._asked.text])[0]
        return {guess.path: guess.probability for guess in predicted.concepts if guess.probability >= LIKELY}

    def read(self, ids: Iterable[int]) -> None:
        """Load the candidates that are not loaded yet, using a fixed number of queries."""
        unread = [pk for pk in dict.fromkeys(ids) if pk not in self._questions]
        if not unread:
            return
        tags = candidate_tags(self._asked, unread)
        rows = Question.objects.select_related("equation", "machine_solution").defer("search_vector")
        for pk, question in rows.in_bulk(unread).items():
            self._questions[pk] = question
            self._evidence[pk] = _evidence(question, tags[pk])

    def _vectors(self, lens: str) -> tuple[dict[str, Vector], str]:
        """Return the text's vectors under the lens and its stand-in, and a notice if the lens was replaced."""
        text, language = self._asked.text, self._asked.language
        served, notice = self._serving.set_for(lens, language, [text])
        sets = {served.lens: served}
        stand_in = lenses()[lens].stand_in
        if stand_in in self._serving.sets:
            sets[stand_in] = self._serving.embedding_set(stand_in)
        by_set = self._vectors_by_set
        for name, embedding_set in sets.items():
            if embedding_set.pk not in by_set:
                by_set[embedding_set.pk] = self._serving.encoder(name).encode([text])[0]
        return {name: by_set[embedding_set.pk] for name, embedding_set in sets.items()}, notice


def _with_evidence(hits: Sequence[SimilarHit], *, is_mixed: bool) -> list[SimilarHit]:
    """Return the questions that have a reason, and those that are very near without one.

    Args:
        is_mixed: whether scores are means of several measures, to which a reason then adds.
    """
    plausible = [hit for hit in hits if hit.reason or hit.score >= LEAST_WITHOUT_REASON]
    if not is_mixed:
        return plausible
    scored = [
        replace(hit, score=round(hit.score + REASON_SHARE * max(0.0, hit.score) * (1 - hit.score), 4))
        if hit.reason
        else hit
        for hit in plausible
    ]
    return sorted(scored, key=lambda hit: (-hit.score, hit.question.pk))


def _evidence(question: Question, tags: Sequence[TaggedPath]) -> Evidence:
    computation = question_computation(question)
    return evidence_of(question.analysed_text, language=question.language, computation=computation, tags=tags)


def _wording(text: str, others: Sequence[str]) -> list[float]:
    """Return the cosines of wording with the other texts, whichever lens found them."""
    if not others:
        return []
    vectors = np.stack([_spelt_vector(other) for other in others])
    return [float(score) for score in vectors @ _spelt_vector(text)]


@lru_cache(maxsize=_KEPT_TEXTS)
def _spelt_vector(text: str) -> Vector:
    """Return the character n-gram vector of a text with normalised spelling, (dimension,)."""
    return HashedNgramEncoder().encode([same_spelling(text)])[0]
