"""Terms of a short query, each matched by a question's words, the symbols of its formulas or its concepts.

"Domain of a square root function" asks for "domain", which may occur only in the name of the question's concept;
"square root", which may be only a symbol in a formula; and "function".
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from analytics.language.en.words import word_family
from analytics.languages import CHINESE
from questionbank.bank.search_index import facet_cube
from questionbank.search.concept_search import ConceptNames, Span, Tokens
from questionbank.search.query import JOINING_WORDS, Vocabulary, quoted

MOST_WORDS = 10  # terms of one search
_BEFORE_CHARACTER = "求个为是与和在该"  # written before a noun without a space
_SIGNS: dict[Tokens, Tokens] = {  # formula tokens that stand for a word
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
    ("degree",): ("mdegree",),
    **dict.fromkeys((("percentage",), ("percent",), ("百分数",)), ("percent",)),
}
_ASKED_FOR = frozenset(
    {"problem", "find", "finding", "solve", "solving", "calculate", "calculating", "missing", "unknown"}
)
_TURNED = frozenset(
    str.split("convert converting conversion change changing turn turning write writing express expressing")
)
_TOWARDS = frozenset({"to", "into", "as"})
_NEAR = 2  # tokens between "to" and the words on either side: "to a decimal"


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a query.

    Attributes:
        query: full-text query for it, including formula tokens with the same meaning.
        weight: how rare it is.
        phrases: indices in `Terms.phrases` of phrases with the same meaning.
        looked_through: approximate number of questions that contain it or a name that stands for it.
        is_unknown: whether no question contains it, so that questions are not penalised for lacking it.
    """

    token: str
    query: str
    weight: float
    phrases: tuple[int, ...] = ()
    looked_through: int = 0
    is_unknown: bool = False


@dataclass(frozen=True, slots=True)
class Phrase:
    """Words of a query that belong together: a name, a synonym, or adjacent words.

    Attributes:
        query: full-text query for the adjacent words, or any synonym's.
        nodes: materialised paths of the concepts with this name; questions tagged below them match the phrase.
        weight: what a question that matches it gains.
        looked_through: approximate number of index entries read to find it.
        tags: number of tags of the concepts with this name or below them.
        is_name: whether it names a concept or a synonym; it replaces all of its words.
        is_concept: whether it is the whole name of a concept.
        is_topic: whether it names a topic; its questions are found at the nodes.
    """

    query: str
    nodes: tuple[str, ...]
    weight: float
    is_name: bool
    looked_through: int = 0
    tags: int = 0
    is_concept: bool = False
    is_topic: bool = False


@dataclass(frozen=True, slots=True)
class Direction:
    """The conversion that a query asks for: "fractions to decimals".

    Attributes:
        wanted: full-text query for questions that ask for it: "as a decimal".
        reverse: full-text query for questions that ask for the opposite: "as a fraction".
    """

    wanted: str
    reverse: str


@dataclass(frozen=True, slots=True)
class Terms:
    """The terms of a query."""

    words: tuple[Word, ...] = ()
    phrases: tuple[Phrase, ...] = ()
    direction: Direction | None = None


def terms_of(tokens: Sequence[str], names: ConceptNames, vocabulary: Vocabulary, *, is_prose: bool = True) -> Terms:
    """Return the terms of a query.

    Args:
        tokens: tokens of the query, in order, including repeats.
        is_prose: whether they are words only; formula tokens are not adjacent in the order typed.
    """
    spans = names.spans(tokens)
    telling = _telling(tokens, spans)
    direction = wanted_direction(tokens)
    if direction:
        telling = [place for place in telling if tokens[place] not in _TURNED] or telling
    phrases = _with_tags([_named(span, tokens, vocabulary) for span in spans], names)
    covered = [{*range(span.start, span.end)} - {span.gap} for span in spans]
    spanned = [(span.start, span.end) for span in spans]
    for (start, end), signs in _signs(tokens):
        if (start, end) in spanned:
            place = spanned.index((start, end))
            phrases[place] = _or_signs(phrases[place], signs, vocabulary)
        elif end - start > 1:
            covered.append({*range(start, end)})
            phrases.append(_or_signs(_together(tokens[start:end], vocabulary), signs, vocabulary))
    if is_prose:
        phrases += _side_by_side(telling, spans, tokens, vocabulary)
    words: dict[str, Word] = {}
    for place in telling:
        inside = tuple(index for index, places in enumerate(covered) if place in places)
        names_of = sum(phrases[index].looked_through for index in inside)
        word = _word(tokens[place], inside, names_of, vocabulary, is_prose=is_prose)
        words.setdefault(word.token, word)
    rarest = sorted(words.values(), key=lambda word: -word.weight)[:MOST_WORDS]
    return Terms(tuple(rarest), tuple(phrases), direction)


def _with_tags(phrases: list[Phrase], names: ConceptNames) -> list[Phrase]:
    """Return the phrases with the number of tags of the concepts they name."""
    if not any(phrase.nodes for phrase in phrases):
        return phrases
    counts = facet_cube().by_concept
    return [replace(phrase, tags=_tags(phrase.nodes, names, counts)) for phrase in phrases]


def _together(tokens: Sequence[str], vocabulary: Vocabulary) -> Phrase:
    """Return a phrase for words with a joint meaning that are not the name of a concept."""
    looked_through = _rarest(tokens, vocabulary)
    return Phrase(f"({phrase_query(tokens)})", (), _weight(tokens, vocabulary), True, looked_through)


def _or_signs(phrase: Phrase, signs: Tokens, vocabulary: Vocabulary) -> Phrase:
    """Return a phrase that formula tokens can match as well."""
    looked_through = phrase.looked_through + sum(map(vocabulary.count, signs))
    return replace(phrase, query=f"{phrase.query} | {_any(signs)}", looked_through=looked_through)


def _side_by_side(
    telling: Sequence[int], spans: Sequence[Span], tokens: Sequence[str], vocabulary: Vocabulary
) -> Iterator[Phrase]:
    """Yield significant words that are adjacent, or one word apart, and not in the same name."""
    for first, second in pairwise(telling):
        if second - first <= 2 and not any(span.start <= first and second < span.end for span in spans):
            both = (tokens[first], tokens[second])
            query = _apart(*both, (second - first,), vocabulary)
            yield Phrase(query, (), min(map(vocabulary.rarity, both)), False, _rarest(both, vocabulary))


def _word(token: str, inside: tuple[int, ...], names_of: int, vocabulary: Vocabulary, *, is_prose: bool) -> Word:
    """Return a word of a query.

    Args:
        inside: indices of the phrases with the same meaning.
        names_of: approximate number of questions that contain one of those.
    """
    said = _said_forms(token, vocabulary)
    alternatives = (token, *said, *_SIGNS.get((token,), ()), *_longer_words(token))
    query = " | ".join(map(quoted, dict.fromkeys(alternatives)))
    looked_through = sum(map(vocabulary.count, said)) + names_of
    weight = min(map(vocabulary.rarity, said))
    is_unknown = is_prose and token.isalpha() and len(token) > _NEAR and not looked_through
    return Word(token, query, weight, inside, looked_through, is_unknown)


def phrase_query(tokens: Iterable[str]) -> str:
    """Return the full-text query for adjacent tokens."""
    return " <-> ".join(map(quoted, tokens))


def _telling(tokens: Sequence[str], spans: Sequence[Span]) -> list[int]:
    """Return the indices of the significant words, or of all words if there are none."""
    named = {place for span in spans for place in range(span.start, span.end)}
    counts = {span.start - 1 for span in spans}  # "2 decimal places"
    telling = [
        place
        for place, token in enumerate(tokens)
        if token not in JOINING_WORDS and not (place in counts and token.isdecimal())
    ]
    about = [place for place in telling if tokens[place] not in _ASKED_FOR or place in named]
    return about or telling or list(range(len(tokens)))


def _named(span: Span, tokens: Sequence[str], vocabulary: Vocabulary) -> Phrase:
    own = tuple(tokens[span.start : span.end])
    names = [words for words in dict.fromkeys((own, *span.synonyms)) if words]
    query = " | ".join(map(phrase_query, names))
    if span.gap >= 0:
        query = _apart(own[0], own[-1], (1, 2, 3, 4), vocabulary)
    looked_through = sum(_rarest(words, vocabulary) for words in names)
    weight = _weight(own, vocabulary)
    kind = {"is_concept": span.is_concept, "is_topic": span.is_topic}
    return Phrase(query, span.nodes, weight, True, looked_through, **kind)


def _said_forms(token: str, vocabulary: Vocabulary) -> list[str]:
    """Return a word and those of its forms that occur in the bank."""
    return [form for form in sorted(word_family(token)) if form == token or vocabulary.count(form)]


def _apart(first: str, second: str, distances: Sequence[int], vocabulary: Vocabulary) -> str:
    """Return the full-text query for two words, in any form, at the given distances."""
    before, after = (" | ".join(map(quoted, _said_forms(token, vocabulary))) for token in (first, second))
    return " | ".join(f"(({before}) <{distance}> ({after}))" for distance in distances)


def wanted_direction(tokens: Sequence[str]) -> Direction | None:
    """Return the direction of a query that asks for a conversion; None for any other."""
    telling = _telling(tokens, ())
    for place, token in enumerate(tokens):
        before = [at for at in telling if place - _NEAR <= at < place and tokens[at] not in _TURNED]
        after = [at for at in telling if place < at <= place + _NEAR]
        if token in _TOWARDS and before and after:
            return Direction(_asked_as(tokens[after[0]]), _asked_as(tokens[before[-1]]))
    return None


def _asked_as(token: str) -> str:
    """Return the full-text query for questions that want an answer in this form: "to", "as a", "which", "how many"."""
    prepositions = " | ".join(map(quoted, ("to", "into", "as", "in")))
    asking = " | ".join(map(quoted, ("to", "into", "as", "in", "which", "what", "many")))
    return f"(({asking}) <-> {quoted(token)}) | (({prepositions}) <2> {quoted(token)})"


def _longer_words(token: str) -> tuple[str, ...]:
    """Return the words into which a single Chinese character is segmented: 圆形, and 求圆 from "求圆的周长"."""
    if not CHINESE.marks.fullmatch(token):
        return ()
    return (f"{token}形", *(f"{before}{token}" for before in _BEFORE_CHARACTER))


def _signs(tokens: Sequence[str]) -> list[tuple[tuple[int, int], Tokens]]:
    """Return the words that have formula tokens: their spans and the tokens."""
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
    """Return the approximate number of questions with the rarest of some tokens; 0 if unknown."""
    return min(map(vocabulary.count, tokens))


def _weight(tokens: Iterable[str], vocabulary: Vocabulary) -> float:
    return max(map(vocabulary.rarity, tokens), default=0.0)
