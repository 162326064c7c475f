"""Ranking the questions most like a given question, by several measures at once.

Candidates are the nearest by purpose, the nearest in wording and those tagged with the same concepts. If the
encoder knows the language, they are ordered by purpose, because words that two stories share do not show what they ask
(docs/decisions/0140-purpose-is-learned-from-grids.md). Otherwise the order is a weighted mean of the cosine of wording,
of words weighted by rarity, and of the masked form (docs/decisions/0037-reasons-and-ranking.md).

A shared concept and a shared computation then add to the score, most in the middle of its range.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from analytics.analogy.exemplars import exemplar_score
from analytics.catalog import FALLBACK_LENS, main_lens
from analytics.concept_paths import shared_depth
from analytics.inference.subject import looks_like_mathematics
from analytics.text.fingerprints import masked_text, without_credits
from analytics.text.tokens import search_tokens
from questionbank.bank.question_selectors import TaggedPath, tagged_paths
from questionbank.bank.search_index import concepts_version, facet_cube, facet_version
from questionbank.bank.vector_selectors import Candidates, nearest
from questionbank.core.cached import VersionedCache
from questionbank.models import EmbeddingSet, KnowledgeConcept, Question, QuestionTag
from questionbank.search import query
from questionbank.search.filters import Condition
from questionbank.search.query import vocabulary
from questionbank.search.text_search import rank_by_text
from questionbank.solving.computations import same_computation_ids, same_computation_probabilities

Vector = npt.NDArray[np.float32]

CANDIDATES = 100  # per lens
FROM_CONCEPT = 300  # most questions of the same concepts compared; larger concepts are uninformative
BY_FORM = 60  # candidates compared by masked form
WORDS_WEIGHT, FORM_WEIGHT = 1.0, 0.5  # relative to wording with weight 1, without purpose
CONCEPT_SHARE = 0.4  # times score * (1 - score): bonus for the same concept
GRAPH_SHARE = 0.2  # likewise for the same computation
FROM_GRAPH = 200  # most questions with the same computation that are compared; beyond that, this many and the nearest
BROAD = 0.1  # share of a hierarchy's concepts from which their common ancestor is not informative
BROAD_TAGS = 0.05  # likewise, share of its tags
ENOUGH_TAGS = 300  # tags of a hierarchy from which their shares count
_LONGEST_COMPARED = 1000  # characters of a text


@dataclass(frozen=True, slots=True)
class Asked:
    """The question that others are compared with, stored or not.

    Attributes:
        text: the analysed text.
        vectors: of the text, by lens; without purpose if the encoder does not know its language.
        graphs: the keys of the graphs that it may have, with probabilities.
        ready: the ready questions in its language.
        found: cache of nearest neighbours by lens and number, because several lenses need the same ones.
        tags_read: cache of candidates' tags, for the same reason.
    """

    text: str
    language: str
    ready: Candidates
    vectors: Mapping[str, Vector] = field(default_factory=dict)
    tags: tuple[TaggedPath, ...] = ()
    concept_ids: tuple[int, ...] = ()
    graphs: Mapping[str, float] = field(default_factory=dict)
    exclude: tuple[int, ...] = ()
    found: dict[tuple[str, int], list[tuple[int, float]]] = field(default_factory=dict, compare=False)
    tags_read: dict[int, list[TaggedPath]] = field(default_factory=dict, compare=False)

    @property
    def is_mathematics(self) -> bool:
        """Whether it may be a mathematics question; true for any question with a concept."""
        return bool(self.tags) or looks_like_mathematics(self.text)


@dataclass(frozen=True, slots=True)
class Ranked:
    """A question with the score that ranks it, 0 to 1, and its cosine under each lens."""

    id: int
    score: float
    cosines: Mapping[str, float]


def rank_by_wording(asked: Asked, sets: Mapping[str, EmbeddingSet], k: int) -> list[Ranked]:
    """Return the `k` questions nearest in wording, by the cosine of character n-grams."""
    lens = FALLBACK_LENS.word
    hits = _nearest(asked, sets, lens, k)
    cosines = _cosines(asked, sets, [pk for pk, _ in hits], known={lens: dict(hits)})
    return [Ranked(pk, score, cosines[pk]) for pk, score in hits]


def rank_by_likeness(asked: Asked, sets: Mapping[str, EmbeddingSet], k: int) -> list[Ranked]:
    """Return the `k` questions that are most alike by all measures combined."""
    by_lens = {lens: dict(_nearest(asked, sets, lens, CANDIDATES)) for lens in asked.vectors}
    ids = list(dict.fromkeys(pk for hits in by_lens.values() for pk in hits))
    ids += _further(asked, set(ids))
    cosines = _cosines(asked, sets, ids, by_lens)
    scores = _by_purpose(cosines) if _has_trained_lens(asked) else _by_words(asked, cosines)
    closer = _closer(asked, list(scores))
    ranked = [
        Ranked(pk, score + closer.get(pk, 0.0) * max(0.0, score) * (1 - score), cosines[pk])
        for pk, score in scores.items()
    ]
    return sorted(ranked, key=lambda candidate: (-candidate.score, candidate.id))[:k]


def rank_by_graph(asked: Asked, sets: Mapping[str, EmbeddingSet], lens: str, k: int) -> list[Ranked]:
    """Return the `k` questions most likely to have the same computation.

    The score is the weighted mean of the lens's cosine and the probability that the graph is the same, as for
    exemplars (decision 64); if one of the two is unknown, the other alone.
    """
    near = dict(_nearest(asked, sets, lens, CANDIDATES)) if lens in asked.vectors else {}
    ids = list(near)
    if asked.graphs:
        ids += same_computation_ids(
            key=max(asked.graphs, key=asked.graphs.__getitem__),
            language=asked.language,
            exclude=asked.exclude,
            limit=FROM_GRAPH,
        )
    ids = list(dict.fromkeys(ids))
    cosines = _cosines(asked, sets, ids, {lens: near})
    same = same_computation_probabilities(graphs=asked.graphs, ids=ids)

    def score(pk: int) -> float:
        cosine = cosines[pk].get(lens, 0.0)
        if lens not in asked.vectors:
            return same.get(pk, 0.0)
        return exemplar_score(cosine, same.get(pk, 0.0)) if asked.graphs else cosine

    ranked = [Ranked(pk, score(pk), cosines[pk]) for pk in ids]
    return sorted(ranked, key=lambda candidate: (-candidate.score, candidate.id))[:k]


def _broad_concepts() -> frozenset[TaggedPath]:
    """Return the concepts that cover too much of their hierarchy to be informative.

    Such a concept has a tenth of all concepts, or a twentieth of all tags, at or below it.
    """
    rows = KnowledgeConcept.objects.values_list("pk", "hierarchy_id", "path", "name", "numchild")
    leaves: Counter[tuple[int, str]] = Counter()
    total: Counter[int] = Counter()
    tagged: Counter[tuple[int, str]] = Counter()
    all_tagged: Counter[int] = Counter()
    counts = facet_cube().by_concept
    named: dict[str, str] = {}
    for pk, hierarchy, path, name, children in rows:
        named[path] = name
        if count := counts.get(pk):
            all_tagged[hierarchy] += count
            for prefix in KnowledgeConcept.prefixes(path):
                tagged[hierarchy, prefix] += count
        if not children:
            total[hierarchy] += 1
            prefixes = KnowledgeConcept.prefixes(path)
            leaves.update((hierarchy, prefix) for prefix in (prefixes[:-1] or prefixes))
    broad = {key for key, count in leaves.items() if count >= BROAD * total[key[0]]}
    broad |= {
        key
        for key, count in tagged.items()
        if count >= BROAD_TAGS * all_tagged[key[0]] and all_tagged[key[0]] >= ENOUGH_TAGS
    }
    return frozenset(
        TaggedPath(hierarchy, tuple(named[prefix] for prefix in KnowledgeConcept.prefixes(path)))
        for hierarchy, path in broad
    )


# The concepts that cover too much, recomputed some time after tags or concepts change.
broad_concepts: VersionedCache[frozenset[TaggedPath]] = VersionedCache(
    lambda: (facet_version(), concepts_version()), _broad_concepts, lambda: query.CHECK_AFTER
)


def candidate_tags(asked: Asked, ids: Iterable[int]) -> dict[int, list[TaggedPath]]:
    """Return the tags of all candidates, reading each candidate's only once."""
    wanted = list(ids)
    if unread := [pk for pk in wanted if pk not in asked.tags_read]:
        tags = tagged_paths(unread)
        asked.tags_read.update((pk, tags.get(pk, [])) for pk in unread)
    return {pk: asked.tags_read[pk] for pk in wanted}


def ready_in(language: str) -> Candidates:
    """Return the ready questions in a language."""
    return Candidates(Question.objects.filter(status=Question.Status.READY, language=language))


def _nearest(asked: Asked, sets: Mapping[str, EmbeddingSet], lens: str, k: int) -> list[tuple[int, float]]:
    looked_for = lens, max(k, CANDIDATES)
    if looked_for not in asked.found:
        asked.found[looked_for] = nearest(
            embedding_set=sets[lens],
            vector=asked.vectors[lens],
            k=looked_for[1],
            question_ids=asked.ready,
            exclude=asked.exclude,
        )
    return asked.found[looked_for][:k]


def _further(asked: Asked, nearest_ids: set[int]) -> list[int]:
    """Return candidates that vector search missed: by the same concepts, and without purpose also by rare words."""
    further: list[int] = []
    ready = asked.ready.questions
    if asked.concept_ids:
        tagged = QuestionTag.objects.filter(concept__in=asked.concept_ids).values("question")
        same = list(ready.filter(pk__in=tagged).values_list("pk", flat=True)[: FROM_CONCEPT + 1])
        further += same if len(same) <= FROM_CONCEPT else []
    if not _has_trained_lens(asked):
        tokens = list(dict.fromkeys(search_tokens(_compared(asked.text), asked.language)))
        further += rank_by_text(tokens, Condition.of(ready), vocabulary()).ids[:CANDIDATES]
    return [pk for pk in dict.fromkeys(further) if pk not in nearest_ids and pk not in asked.exclude]


def _cosines(
    asked: Asked, sets: Mapping[str, EmbeddingSet], ids: Sequence[int], known: Mapping[str, Mapping[int, float]]
) -> dict[int, dict[str, float]]:
    """Return the cosine of every candidate under each lens for which both have a vector."""
    cosines: dict[int, dict[str, float]] = {pk: {} for pk in ids}
    for lens, vector in asked.vectors.items():
        measured = dict(known.get(lens, {}))
        missing = [pk for pk in ids if pk not in measured]
        measured |= nearest(embedding_set=sets[lens], vector=vector, k=len(missing), question_ids=missing)
        for pk in ids:
            if pk in measured:
                cosines[pk][lens] = measured[pk]
    return cosines


def _has_trained_lens(asked: Asked) -> bool:
    """Return whether there are vectors other than those of the wording."""
    return any(lens != FALLBACK_LENS.word for lens in asked.vectors)


def _by_purpose(cosines: Mapping[int, Mapping[str, float]]) -> dict[int, float]:
    """Return the cosine of purpose, or that of the wording for a question that has no purpose vector yet."""
    return {
        pk: by_lens.get(main_lens().word, by_lens.get(FALLBACK_LENS.word, 0.0))
        for pk, by_lens in cosines.items()
        if by_lens
    }


def _by_words(asked: Asked, cosines: Mapping[int, Mapping[str, float]]) -> dict[int, float]:
    """Return scores by wording, words and, for the best of these, masked form."""
    questions = Question.objects.filter(pk__in=list(cosines)).only("text", "options", "content")
    texts = {question.pk: question.analysed_text for question in questions}
    rarity = vocabulary().rarity

    def words(text: str) -> dict[str, float]:
        return _weighted(search_tokens(_compared(text), asked.language), rarity)

    asked_words = words(asked.text)
    wording = {pk: by_lens.get(FALLBACK_LENS.word, 0.0) for pk, by_lens in cosines.items() if pk in texts}
    both = {
        pk: (cosine + WORDS_WEIGHT * _dot(asked_words, words(texts[pk]))) / (1 + WORDS_WEIGHT)
        for pk, cosine in wording.items()
    }
    best = sorted(both, key=lambda pk: (-both[pk], pk))[:BY_FORM]
    counts = {pk: masked_text(_compared(texts[pk])).split() for pk in best}
    form_rarity = _rarity_among(counts.values())
    asked_form = _weighted(masked_text(_compared(asked.text)).split(), form_rarity)
    share = FORM_WEIGHT / (1 + WORDS_WEIGHT + FORM_WEIGHT)
    return {
        pk: (1 - share) * both[pk] + share * _dot(asked_form, _weighted(form, form_rarity))
        for pk, form in counts.items()
    }


def _compared(text: str) -> str:
    return without_credits(text)[:_LONGEST_COMPARED]


def _weighted(tokens: Iterable[str], rarity: Callable[[str], float]) -> dict[str, float]:
    """Return a unit vector of tokens: the damped frequency of each times its rarity."""
    weights = {token: (1 + math.log(count)) * rarity(token) for token, count in Counter(tokens).items()}
    length = math.sqrt(sum(weight * weight for weight in weights.values()))
    return {token: weight / length for token, weight in weights.items()} if length else {}


def _rarity_among(documents: Iterable[Sequence[str]]) -> Callable[[str], float]:
    """Return a function for a token's rarity among some documents, like `Vocabulary.rarity` for the whole bank."""
    sets = [set(document) for document in documents]
    counts = Counter(token for document in sets for token in document)
    return lambda token: math.log(1 + (len(sets) - counts[token] + 0.5) / (counts[token] + 0.5))


def _dot(first: Mapping[str, float], second: Mapping[str, float]) -> float:
    return sum(weight * second[token] for token, weight in first.items() if token in second)


def _closer(asked: Asked, ids: Sequence[int]) -> dict[int, float]:
    """Return the bonus for shared concepts and a shared computation, by question."""
    shares: dict[int, float] = {}
    if asked.tags:
        for pk, tags in candidate_tags(asked, ids).items():
            if tags:
                affinities = (_affinity(mine, theirs) for mine in asked.tags for theirs in tags)
                shares[pk] = CONCEPT_SHARE * max(affinities)
    for pk, probability in same_computation_probabilities(graphs=asked.graphs, ids=ids).items():
        shares[pk] = shares.get(pk, 0.0) + GRAPH_SHARE * probability
    return shares


def _affinity(tag: TaggedPath, candidate: TaggedPath) -> float:
    """Return the shared share of two paths: 1 for the same concept, 0 for different hierarchies or roots."""
    if tag.hierarchy != candidate.hierarchy:
        return 0.0
    shared = shared_depth(tag.path, candidate.path)
    if shared == len(tag.path) == len(candidate.path):
        return 1.0
    return 0.5 * max(0, shared - 1) / max(len(tag.path), len(candidate.path))
