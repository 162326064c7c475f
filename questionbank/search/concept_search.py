"""Concepts that a search names: by their own names, by parts of their paths, or by synonyms and abbreviations.

Each process caches names and synonyms as sets of tokens, like the vocabulary, so that recognising "HCF" as the concept
"Highest common factor" takes no database query.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import ChainMap, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

from django.db import connection

from analytics.language.en.words import word_family
from analytics.records import ConceptPath
from analytics.text.tokens import search_tokens
from questionbank.core.cached import VersionedCache
from questionbank.models import KnowledgeConcept, SynonymGroup
from questionbank.search import query
from questionbank.search.filters import Condition
from questionbank.search.topics import Topic, topics

LONGEST_NAME = 8  # most tokens of a name to look for within a search
WITH_GAP = 3  # tokens spanned by a two-word name with another word in between
MOST_IDS = 1000  # most concepts below one for which tags are looked up by id
MOST_CONCEPTS = 12  # per search; a word in more names than that is not specific enough
_LIST = re.compile(r",|/|&|\band\b|\bor\b|[、和与及]", re.IGNORECASE)
_ASIDE = re.compile(r"\([^)]*\)")
_SAYS_NOTHING = frozenset(
    str.split("a an the of and or in on to for by from with at its it is are be as vs using involving")
)

Tokens = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ConceptMatch:
    """A concept that a search names.

    Attributes:
        path: names from the root.
        node: its materialised path, a prefix of the paths of all its descendants.
        is_exact: whether the search is its name or a synonym, rather than a part of it.
        is_one_of_several: whether its name lists several things and the search is one of them: "bar chart" of "Pie
            charts and bar charts".
    """

    id: int
    path: ConceptPath
    node: str
    is_exact: bool
    is_one_of_several: bool = False

    @property
    def name(self) -> str:
        return self.path[-1]

    @property
    def above(self) -> str:
        return " › ".join(self.path[:-1])


@dataclass(frozen=True, slots=True)
class Named:
    """The concepts that a search names.

    Attributes:
        concepts: best first; empty if it names none.
        phrases: the search and its synonyms as search tokens in order, for full-text search.
        is_whole: whether the search is a concept's name, rather than a sentence that contains one.
    """

    concepts: tuple[ConceptMatch, ...] = ()
    phrases: tuple[Tokens, ...] = ()
    is_whole: bool = False

    @property
    def is_exact(self) -> bool:
        """Whether the search is the whole name of a concept, or a synonym."""
        return self.is_whole and (not self.concepts or any(match.is_exact for match in self.concepts))


@dataclass(frozen=True, slots=True)
class Span:
    """Consecutive tokens of a search that form a name.

    Attributes:
        nodes: materialised paths of the concepts with this name.
        synonyms: other names, as search tokens in order.
        is_concept: whether they are the whole name of a concept.
        is_topic: whether they are the name of a topic; the nodes are then the concepts with questions on it.
        gap: index of a word between them that is not part of the name, otherwise -1: "sharing sweets equally".
    """

    start: int
    end: int
    nodes: tuple[str, ...]
    synonyms: tuple[Tokens, ...]
    is_concept: bool = False
    is_topic: bool = False
    gap: int = -1


@dataclass(frozen=True, slots=True)
class _Concept:
    id: int
    node: str
    path: ConceptPath
    leaf: frozenset[str]
    names: frozenset[frozenset[str]]  # the leaf, with and without the part in brackets
    above: frozenset[str]


@dataclass(frozen=True, slots=True)
class ConceptNames:
    """Index of every concept's name and every group of synonyms by their tokens."""

    _concepts: Mapping[int, _Concept] = field(default_factory=dict)
    _by_token: Mapping[str, frozenset[int]] = field(default_factory=dict)
    _groups: Mapping[Tokens, tuple[str, ...]] = field(default_factory=dict)
    _found_in: Mapping[Tokens, tuple[str, ...]] = field(default_factory=dict)
    words: frozenset[str] = frozenset()
    _nodes: Sequence[tuple[str, int]] = ()  # paths with the concepts' ids, ascending

    @classmethod
    def of(
        cls,
        concepts: Iterable[tuple[int, str, ConceptPath]],
        groups: Iterable[Iterable[str]],
        topics: Iterable[Topic] = (),
    ) -> ConceptNames:
        """Build the index from (id, materialised path, names from the root), groups of synonyms, and topics."""
        by_id: dict[int, _Concept] = {}
        by_token: defaultdict[str, set[int]] = defaultdict(set)
        words: set[str] = set()
        for pk, node, path in concepts:
            leaf = _meaning(path[-1])
            names = frozenset({frozenset(leaf), frozenset(_meaning(_ASIDE.sub(" ", path[-1])))} - {frozenset()})
            above = frozenset(token for name in path[:-1] for token in _meaning(name))
            by_id[pk] = _Concept(pk, node, path, frozenset(leaf), names, above)
            words.update(search_tokens(path[-1]))
            for token in {*leaf, *above}:
                by_token[token].add(pk)
        of_term: dict[Tokens, tuple[str, ...]] = {}
        for group in groups:
            terms = tuple(group)
            for term in terms:
                of_term[_meaning(term)] = terms
                words.update(search_tokens(term))
        return cls(
            by_id,
            {token: frozenset(ids) for token, ids in by_token.items()},
            of_term,
            {_meaning(name): topic.found_in for topic in topics for name in topic.names if topic.found_in},
            frozenset(words),
            sorted((concept.node, pk) for pk, concept in by_id.items()),
        )

    def below(self, node: str) -> list[int]:
        """Return the ids of the concept with this materialised path and of its descendants."""
        first, last = (bisect_left(self._nodes, end) for end in ((node,), (f"{node}~",)))
        return [pk for _node, pk in self._nodes[first:last]]

    def has(self, text: str) -> bool:
        """Return whether a concept has exactly this name."""
        tokens = frozenset(_meaning(text))
        return any(tokens in self._concepts[pk].names for pk in self._holding(tokens))

    def with_synonyms(self, names: Mapping[str, str]) -> ConceptNames:
        """Return a copy of the index with one more synonym for each name."""
        groups = {
            _meaning(name): (*self._groups.get(_meaning(name), (name,)), synonym) for name, synonym in names.items()
        }
        return replace(self, _groups=ChainMap(groups, dict(self._groups)))

    def named(self, text: str) -> Named:
        """Return the concepts that a search names, as a whole or somewhere in it."""
        meaning = _meaning(text)
        if not meaning:
            return Named()
        terms = self._groups.get(meaning, ())
        alternatives = dict.fromkeys([meaning, *map(_meaning, terms)])
        matches = self._matches(alternatives)
        if not any(match.is_exact or match.is_one_of_several for match in matches):
            matches = self._related(alternatives) or matches
        if not matches and not terms:
            return Named(tuple(self._mentioned(meaning)))
        # Synonyms without a concept are still useful search terms.
        phrases = dict.fromkeys(tuple(search_tokens(term)) for term in (text, *terms))
        return Named(tuple(matches), tuple(phrases), is_whole=True)

    def spans(self, tokens: Sequence[str]) -> list[Span]:
        """Return the names that a search contains, the longest first, without overlaps.

        Two-word names with another word in between come before single words.
        """
        spans: list[Span] = []
        taken: set[int] = set()
        lengths = range(min(len(tokens), LONGEST_NAME), 1, -1)
        passes = [*((length, self._span) for length in lengths), (WITH_GAP, self._gap), (1, self._span)]
        for length, find in passes:
            for start in range(len(tokens) - length + 1):
                end = start + length
                if {tokens[start], tokens[end - 1]} & _SAYS_NOTHING or not taken.isdisjoint(range(start, end)):
                    continue
                if span := find(tokens, start, end):
                    spans.append(span)
                    taken.update(range(start, end))
        return spans

    def _span(self, tokens: Sequence[str], start: int, end: int) -> Span | None:
        words = _telling(tokens[start:end])
        terms = self._groups.get(words, ())
        alternatives = dict.fromkeys([words, *map(_meaning, terms)])
        matches = self._matches(alternatives)
        exact = [match for match in matches if match.is_exact]
        own = matches if len(words) == 1 else []
        is_listed = any(match.is_one_of_several for match in matches)
        related = [] if exact or is_listed else self._related(alternatives)
        named = exact or related or own
        if not named and not terms:
            return None
        synonyms = tuple(tuple(search_tokens(term)) for term in terms)
        return Span(start, end, tuple(match.node for match in named), synonyms, bool(exact), bool(related))

    def _gap(self, tokens: Sequence[str], start: int, end: int) -> Span | None:
        words = _telling(tokens[start:end])
        named = self._related([(words[0], words[-1])]) if len(words) == WITH_GAP else []
        nodes = tuple(match.node for match in named)
        return Span(start, end, nodes, (), is_topic=True, gap=start + 1) if nodes else None

    def _matches(self, alternatives: Iterable[Tokens]) -> list[ConceptMatch]:
        ranks: dict[int, tuple[int, int]] = {}
        for tokens in alternatives:
            token_set = frozenset(tokens)
            for pk in self._holding(token_set):
                concept = self._concepts[pk]
                if token_set in concept.names:
                    rank = 0
                elif token_set <= concept.leaf:
                    rank = 1
                elif token_set & concept.leaf and len(token_set) > 1:
                    rank = 2 + len(token_set - concept.leaf)  # words that only occur in ancestors' names
                else:
                    continue
                ranks[pk] = min(ranks.get(pk, (9, 0)), (rank, len(concept.leaf)))
        best = min((rank for rank, _ in ranks.values()), default=0)
        ranks = {pk: order for pk, order in ranks.items() if order[0] <= max(best, 1)}
        chosen = sorted(ranks, key=lambda pk: (*ranks[pk], len(self._concepts[pk].path), pk))
        return self._topmost(chosen, ranks)

    def _related(self, alternatives: Iterable[Tokens]) -> list[ConceptMatch]:
        """Return the concepts with the questions on a topic that has no concept of its own."""
        names = [name for tokens in alternatives for name in self._found_in.get(tokens, ())]
        matches = self._matches(dict.fromkeys(map(_meaning, names)))
        return [replace(match, is_exact=False) for match in matches if match.is_exact]

    def _topmost(self, chosen: list[int], ranks: Mapping[int, tuple[int, int]]) -> list[ConceptMatch]:
        """Return concepts without descendants of another match, which includes their questions."""
        matches: list[ConceptMatch] = []
        for pk in chosen:
            concept = self._concepts[pk]
            if any(concept.node.startswith(match.node) for match in matches):
                continue
            rank = ranks[pk][0]
            is_list = rank == 1 and _LIST.search(concept.path[-1]) is not None
            matches.append(ConceptMatch(pk, concept.path, concept.node, rank == 0, is_one_of_several=is_list))
        return matches[:MOST_CONCEPTS]

    def _holding(self, tokens: frozenset[str]) -> frozenset[int]:
        sets = [self._by_token.get(token, frozenset()) for token in tokens]
        return frozenset.intersection(*sets) if sets else frozenset()

    def _mentioned(self, asked: Tokens) -> list[ConceptMatch]:
        """Return the concepts whose name, or synonym of at least two words, occurs in the search, the longest first."""
        ranks: dict[int, tuple[int, int]] = {}
        for length in range(min(len(asked) - 1, LONGEST_NAME), 1, -1):
            for start in range(len(asked) - length + 1):
                span = asked[start : start + length]
                for tokens in dict.fromkeys([span, *map(_meaning, self._groups.get(span, ()))]):
                    token_set = frozenset(tokens)
                    for pk in self._holding(token_set):
                        if token_set in self._concepts[pk].names:
                            ranks.setdefault(pk, (0, -length))
        return self._topmost(sorted(ranks, key=lambda pk: (ranks[pk], pk)), ranks)


def _meaning(text: str) -> Tokens:
    """Return the tokens of a name without stop words, with verbs in one form."""
    return _telling(search_tokens(text))


def _telling(tokens: Iterable[str]) -> Tokens:
    return tuple(_base(token) for token in tokens if token not in _SAYS_NOTHING)


@lru_cache(maxsize=5_000)
def _base(token: str) -> str:
    """Return the shortest form of a word: "sharing" and "shared" become "share", "addition" becomes "add"."""
    return min(word_family(token), key=lambda form: (len(form), form))


def tagged(nodes: Iterable[str]) -> Condition:
    """Return the condition that a question is tagged with one of the concepts or a descendant, given their paths."""
    concepts, parameters = _below(nodes)
    of_concepts = f"SELECT question_id FROM questionbank_questiontag WHERE concept_id {concepts}"  # noqa: S608 - ours
    return Condition(f"questionbank_question.id IN ({of_concepts})", parameters)


def is_tagged(nodes: Iterable[str]) -> Condition:
    """Return the same condition for checking a few questions one by one by reading their own tags.

    With a join, PostgreSQL would search the questions of every concept.
    """
    concepts, parameters = _below(nodes)
    own = "(SELECT concept_id FROM questionbank_questiontag WHERE question_id = questionbank_question.id OFFSET 0)"
    return Condition(f"EXISTS (SELECT FROM {own} AS own WHERE concept_id {concepts})", parameters)


def _below(nodes: Iterable[str]) -> tuple[str, tuple[Any, ...]]:
    """Return SQL matching concepts at or below the nodes: by ids if these are few, which avoids reading concepts."""
    names = concept_names()
    ids: set[int] = set()
    paths: list[str] = []
    for node in nodes:
        found = names.below(node)
        if len(found) <= MOST_IDS:
            ids.update(found)
        else:
            paths.append(f"{node}%")
    if not paths:
        return "= ANY(%s::bigint[])", (sorted(ids),)
    within = "id = ANY(%s::bigint[]) OR path LIKE ANY(%s)"
    return f"IN (SELECT id FROM questionbank_knowledgeconcept WHERE {within})", (sorted(ids), paths)  # noqa: S608 - ours


def _signature() -> object:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT current_database(), (SELECT array[count(*), sum(hashtext(concat(id, path, name)))]"
            " FROM questionbank_knowledgeconcept), (SELECT array[count(*), sum(hashtext(concat(id, terms)))]"
            " FROM questionbank_synonymgroup)"
        )
        return cursor.fetchone()


def _paths() -> Iterable[tuple[int, str, ConceptPath]]:
    names: dict[str, str] = {}
    width = KnowledgeConcept.steplen
    for pk, node, name in KnowledgeConcept.objects.order_by("path").values_list("pk", "path", "name"):
        names[node] = name
        above = (names.get(node[:end], "") for end in range(width, len(node) + 1, width))
        yield pk, node, tuple(above)


def _read() -> ConceptNames:
    return ConceptNames.of(_paths(), SynonymGroup.objects.values_list("terms", flat=True), topics())


# The names of all concepts, reloaded after a change.
concept_names: VersionedCache[ConceptNames] = VersionedCache(_signature, _read, lambda: query.CHECK_AFTER)
