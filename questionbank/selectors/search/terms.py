"""The terms of a search of a few words: each is held by a question's words, its formulas' signs or its concepts.

"Domain of a square root function" asks for "domain", which may occur only in the name of the question's concept, for
"square root", which may be nothing but a sign in a formula, and for "function".
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from analytics.language.zh.language import CHINESE
from questionbank.selectors.questions.facet_cube import facet_cube
from questionbank.selectors.search.concept_search import ConceptNames, Span, Tokens
from questionbank.selectors.search.query import JOINING_WORDS, quoted
from questionbank.selectors.search.spelling import Vocabulary

MOST_WORDS = 10  # terms of one search
_BEFORE_CHARACTER = "求个为是与和在该"  # written before a noun without a blank
_SIGNS: dict[Tokens, Tokens] = {  # signs of a formula that mean a word
    ("square", "root"): ("msqrt",),
    ("cube", "root"): ("msqrt",),
    **dict.fromkeys((("integral",), ("integrate",), ("integration",), ("积分",)), ("mint",)),
    **dict.fromkeys((("limit",), ("极限",)), ("mlim",)),
    **dict.fromkeys((("logarithm",), ("logarithmic",), ("mlog",), ("对数",)), ("mlog", "mln", "mlg")),
    **dict.fromkeys((("sine",), ("正弦",)), ("msin",)),
    **dict.fromkeys((("cosine",), ("余弦",)), ("mcos",)),
    ("tangent",): ("mtan",),
    **dict.fromkeys((("summation",), ("sigma", "notation")), ("msum",)),
    **dict.fromkeys((("matrix",), ("matrice",), ("矩阵",)), ("mpmatrix", "mbmatrix", "mmatrix", "marray")),
    ("determinant",): ("mvmatrix", "mdet"),
    ("vector",): ("mvec", "moverrightarrow"),
    ("binomial", "coefficient"): ("mbinom",),
}
_ASKED_FOR = frozenset({"problem", "find", "finding", "solve", "solving", "calculate", "calculating"})


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a search.

    Attributes:
        query: what full text looks for, with the signs that mean the same.
        weight: how rare it is.
        phrases: places in `Terms.phrases` of those that mean the same.
        looked_through: about how many questions say it, or a name that stands for it.
    """

    token: str
    query: str
    weight: float
    phrases: tuple[int, ...] = ()
    looked_through: int = 0


@dataclass(frozen=True, slots=True)
class Phrase:
    """Words of a search that belong together: a name, a synonym, or words side by side.

    Attributes:
        query: what full text looks for: the words side by side, each synonym likewise.
        nodes: materialised paths of the concepts with this name; what is tagged below them holds the phrase.
        weight: what a question gains that holds it.
        looked_through: about how many entries of the index of words are read to find it.
        tags: of the concepts with this name, and below.
        is_name: of a concept or a synonym; it replaces all of its words.
    """

    query: str
    nodes: tuple[str, ...]
    weight: float
    is_name: bool
    looked_through: int = 0
    tags: int = 0


@dataclass(frozen=True, slots=True)
class Terms:
    """What a search asks for."""

    words: tuple[Word, ...] = ()
    phrases: tuple[Phrase, ...] = ()


def terms_of(
    tokens: Sequence[str], names: ConceptNames, vocabulary: Vocabulary, *, is_prose: bool = True
) -> Terms:
    """Return the terms of a search.

    Args:
        tokens: of the search, in order, repeats included.
        is_prose: they are words alone; those of formulas are not side by side as they are typed.
    """
    spans = names.spans(tokens)
    telling = _telling(tokens, spans)
    phrases = [_named(span, tokens, vocabulary) for span in spans]
    if any(phrase.nodes for phrase in phrases):
        counts = facet_cube().by_concept
        phrases = [replace(phrase, tags=_tags(phrase.nodes, names, counts)) for phrase in phrases]
    covering = [(span.start, span.end) for span in spans]
    for (start, end), signs in _signs(tokens):
        if (start, end) in covering:
            place = covering.index((start, end))
            named = phrases[place]
            looked_through = named.looked_through + sum(map(vocabulary.count, signs))
            phrases[place] = replace(
                named, query=f"{named.query} | {_any(signs)}", looked_through=looked_through
            )
        elif end - start > 1:
            covering.append((start, end))
            phrases.append(
                Phrase(
                    f"({phrase_query(tokens[start:end])}) | {_any(signs)}",
                    (),
                    _weight(tokens[start:end], vocabulary),
                    is_name=True,
                    looked_through=_rarest(tokens[start:end], vocabulary) + sum(map(vocabulary.count, signs)),
                )
            )
    for first, second in pairwise(telling):
        if (
            is_prose
            and second - first <= 2
            and not any(start <= first and second < end for start, end in covering[: len(spans)])
        ):
            query = f"{quoted(tokens[first])} <{second - first}> {quoted(tokens[second])}"
            both = (tokens[first], tokens[second])
            weight = min(map(vocabulary.rarity, both))
            phrases.append(Phrase(query, (), weight, False, _rarest(both, vocabulary)))
    words: dict[str, Word] = {}
    signs_of = {tokens[start]: signs for (start, end), signs in _signs(tokens) if end - start == 1}
    for place in telling:
        token = tokens[place]
        inside = tuple(index for index, (start, end) in enumerate(covering) if start <= place < end)
        alternatives = (token, *signs_of.get(token, ()), *_longer_words(token))
        query = " | ".join(map(quoted, dict.fromkeys(alternatives)))
        names_of = sum(phrases[index].looked_through for index in inside if phrases[index].is_name)
        looked_through = vocabulary.count(token) + names_of
        words.setdefault(token, Word(token, query, vocabulary.rarity(token), inside, looked_through))
    rarest = sorted(words.values(), key=lambda word: -word.weight)[:MOST_WORDS]
    return Terms(tuple(rarest), tuple(phrases))


def phrase_query(tokens: Iterable[str]) -> str:
    """Return what full text looks for if the tokens must be side by side."""
    return " <-> ".join(map(quoted, tokens))


def _telling(tokens: Sequence[str], spans: Sequence[Span]) -> list[int]:
    """Return the places of the words that say what is asked for, or of all words if there are none."""
    named = {place for span in spans for place in range(span.start, span.end)}
    telling = [place for place, token in enumerate(tokens) if token not in JOINING_WORDS]
    about = [place for place in telling if tokens[place] not in _ASKED_FOR or place in named]
    return about or telling or list(range(len(tokens)))


def _named(span: Span, tokens: Sequence[str], vocabulary: Vocabulary) -> Phrase:
    own = tuple(tokens[span.start : span.end])
    names = [words for words in dict.fromkeys((own, *span.synonyms)) if words]
    query = " | ".join(map(phrase_query, names))
    looked_through = sum(_rarest(words, vocabulary) for words in names)
    return Phrase(query, span.nodes, _weight(own, vocabulary), True, looked_through)


def _longer_words(token: str) -> tuple[str, ...]:
    """Return the words that a single Chinese character is cut together with: 圆形, and 求圆 of "求圆的周长"."""
    if not CHINESE.marks.fullmatch(token):
        return ()
    return (f"{token}形", *(f"{before}{token}" for before in _BEFORE_CHARACTER))


def _signs(tokens: Sequence[str]) -> list[tuple[tuple[int, int], Tokens]]:
    """Return the words that have a sign: their places and the signs."""
    return [
        ((start, start + size), signs)
        for size in (2, 1)
        for start in range(len(tokens) - size + 1)
        if (signs := _SIGNS.get(tuple(tokens[start : start + size])))
    ]


def _any(signs: Iterable[str]) -> str:
    return " | ".join(map(quoted, signs))


def _tags(nodes: Iterable[str], names: ConceptNames, counts: Mapping[int, int]) -> int:
    return sum(counts.get(pk, 0) for node in nodes for pk in names.below(node))


def _rarest(tokens: Iterable[str], vocabulary: Vocabulary) -> int:
    """Return about how many questions hold the rarest of some tokens; 0 where that is unknown."""
    return min(map(vocabulary.count, tokens))


def _weight(tokens: Iterable[str], vocabulary: Vocabulary) -> float:
    return max(map(vocabulary.rarity, tokens), default=0.0)
