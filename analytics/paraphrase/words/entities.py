"""Names of people, places and things in a question, found by capital letters and Faker's lists, without a model.

The lists are Faker's English ones (first names of the United States, Britain and India, countries, states,
cities). They are data in an installed package; nothing is downloaded.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from analytics.paraphrase.words.wording import formula_spans, overlaps, words_of
from analytics.text.clauses import split_sentences

Category = Literal["woman", "man", "place", "label", "other"]


@dataclass(frozen=True, slots=True)
class EntityMention:
    """A name in a text; ``source_text[start:end] == text``.

    Attributes:
        category: woman, man, place (Faker's lists), label (A, PQRS), other (any other capitalised name).
    """

    start: int
    end: int
    text: str
    category: Category


_RUN = re.compile(
    r"(?<![\w$\\])(?:(?:Mr|Mrs|Ms|Dr|Prof|Uncle|Aunt|Lake|Mount|Mt|St)\.?\s)?"
    r"(?:[A-Z][a-z]+(?:[-'’][A-Z][a-z]+)*|[A-Z](?:[A-Z]+)?(?![\w'’]?[a-z]))"
    r"(?:\s(?:of\s)?[A-Z][a-z]+)*(?!\w|['’]t\b)"
)
_TITLE = re.compile(r"(?:Mr|Mrs|Ms|Dr|Prof|Uncle|Aunt|Lake|Mount|Mt|St)\b")
_DATES = frozenset(words_of("dates"))
_IS_DATE = re.compile(rf"\b(?:{'|'.join(sorted(_DATES))}) (?:Day|Eve)$")
_MONTH_NAMES = frozenset({"April", "June", "May", "August"})
_BEFORE_DATE = re.compile(
    r"\b(?:in|on|of|during|since|until|till|by|from|to|and|last|next|this|each|every|early|late|mid|through)\s$",
    re.IGNORECASE,
)
_NO_LABELS = frozenset(words_of("abbreviations"))
_PLAIN = frozenset(words_of("plain"))
_SUBJECT_VERB = re.compile(
    r"[\s](?:has|had|have|bought|buys|sells|sold|wants|wanted|goes|went|runs|ran|walks|walked|earns|earned|gets|got"
    r"|made|makes|ate|eats|reads|read|collects|collected|picked|picks|found|finds|spent|spends|saved|saves|gave|gives"
    r"|drove|drives|baked|bakes|planted|plants|needs|needed|is|was|took|takes|starts|started|scored|paid|pays|puts|put"
    r"|decided|decides|works|worked|can|and [A-Z])\b|['’]s\b"
)
_LABEL_A = re.compile(r"A(?:,? and [A-Z]\b|, [A-Z]\b|['’]s\b| (?:can|is|and|alone|finishes|completes|has|does)\b)")
_ARTICLE_A = re.compile(
    r"A (?!(?:to|and|or|can|is|was|are|alone|has|had|does|did|will|in|at|on|by|with|for|from|when|while|if|than|as|then"
    r"|takes|took|gets|works|worked|finishes|completes|starts|started|travels|left|leaves|gave|gives|who)\b)[a-z]"
)  # a capital for no reason: "how many ways A girl can sit"
_ALSO_WORDS = frozenset(words_of("names_and_words"))
_ANY_VERB = re.compile(r"\s[a-z]+(?:s|ed)\b")
_VOWELS = frozenset("aeiouyAEIOUY")
_ANY_CASE = 3  # letters of a name that may be written in lower case


def find_entities(text: str, known: Iterable[str] = ()) -> list[EntityMention]:
    """Return the names of a text in order of appearance.

    A capitalised word at the start of a sentence counts if it is in a list of names, is capitalised elsewhere
    too, or is the bare subject of a verb ("Vikram has"). Weekdays and months do not count.

    Args:
        known: names known from another text of the same question.

    >>> [(m.text, m.category) for m in find_entities("Alice and Omar drive from Paris to Lake Ontario.")]
    [('Alice', 'woman'), ('Omar', 'man'), ('Paris', 'place'), ('Lake Ontario', 'place')]
    """
    formulas = formula_spans(text)
    starts = _sentence_starts(text)
    runs = [match for match in _RUN.finditer(text) if not overlaps(*match.span(), formulas)]
    inside = {match[0] for match in runs if match.start() not in starts} | set(known)
    mentions: list[EntityMention] = []
    for match in runs:
        place = _without_plain_start(match, match.start() in starts, inside)
        if place is not None:
            start, name = place
            mentions.append(EntityMention(start, start + len(name), name, _category(name)))
    return mentions


def first_words(text: str) -> frozenset[str]:
    """Return the first words of a text's names, which stay capitalised inside a sentence."""
    return frozenset(mention.text.split()[0] for mention in find_entities(text))


@lru_cache(maxsize=1_000)
def mentions_of(name: str, text: str) -> tuple[tuple[int, int], ...]:
    """Return the spans of a name in a text, in any case (paraphrasers write "john")."""
    flags = 0 if len(name) < _ANY_CASE else re.IGNORECASE
    return tuple(match.span() for match in re.finditer(rf"(?<!\w){re.escape(name)}(?!\w)", text, flags))


def another_name(mention: EntityMention, taken: Iterable[str], rng: random.Random) -> str | None:
    """Draw another name of the same category; None if no list covers it (titles, longer names)."""
    title = _TITLE.match(mention.text)
    if mention.category == "label":
        used = {name for name in taken if len(name) == 1}
        free = [letter for letter in "ABCDEFGHKLMNPQRSTUVWXYZ" if letter not in used]
        return rng.choice(free) if len(mention.text) == 1 and free else None
    if title or (mention.category == "other" and " " in mention.text):
        return None
    women, men = first_names()
    names = {"woman": women, "man": men, "place": places()}.get(mention.category, women + men)
    free = [name for name in names if name not in set(taken)]
    return rng.choice(free)


@lru_cache(maxsize=1)
def first_names() -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return women's and men's first names; a name that is both is listed with the women's."""
    from faker.providers.person.en_GB import Provider as Britain
    from faker.providers.person.en_IN import Provider as India
    from faker.providers.person.en_US import Provider as States

    women: dict[str, None] = {}
    men: dict[str, None] = {}
    for provider in (States, Britain, India):
        women |= dict.fromkeys(provider.first_names_female)
        men |= dict.fromkeys(provider.first_names_male)
    more_women = "Alice Anna Belle Carla Emma Jenny Kate Liz Lucy Maria Marie Mary Molly Nina Sally Sara Sue"
    more_men = "Ali Alex Ben Bob Dan David Jack Jim Joe John Luis Max Mike Nick Omar Pablo Sam Ted Tim Tom Vikram"
    women |= dict.fromkeys(more_women.split())
    men |= dict.fromkeys(name for name in (*men, *more_men.split()))
    return tuple(_single(women)), tuple(name for name in _single(men) if name not in women)


@lru_cache(maxsize=1)
def places() -> tuple[str, ...]:
    """Return countries, states and cities."""
    from faker.providers.address.en import Provider as English
    from faker.providers.address.en_IN import Provider as India
    from faker.providers.address.en_US import Provider as States

    cities = "Paris London Berlin Madrid Rome Vienna Boston Chicago Denver Toronto Sydney Tokyo Cairo Lagos"
    more = "New York,Los Angeles,San Francisco,Las Vegas,New Jersey,New Orleans,Hong Kong,Cape Town"
    names = dict.fromkeys((*English.countries, *States.states, *India.cities, *cities.split(), *more.split(",")))
    return tuple(name for name in names if re.fullmatch(r"[A-Z][a-z]+(?: [A-Z][a-z]+)?", name))


def _single(names: Iterable[str]) -> Iterable[str]:
    return (name for name in names if re.fullmatch(r"[A-Z][a-z]+", name) and name not in _DATES - _MONTH_NAMES)


@lru_cache(maxsize=1)
def _tables() -> tuple[frozenset[str], frozenset[str], frozenset[str]]:
    women, men = first_names()
    return frozenset(women), frozenset(men), frozenset(places())


def _category(name: str) -> Category:
    if name.isupper():
        return "label"
    women, men, known_places = _tables()
    title = _TITLE.match(name)
    if title:
        kind = title[0].rstrip(".")
        if kind in {"Lake", "Mount", "Mt", "St"}:
            return "place"
        return "woman" if kind in {"Mrs", "Ms", "Aunt"} else "man"
    first = re.split(r"[\s'’-]", name)[0]
    if name in known_places and name not in women and name not in men:  # Jordan is more often a man
        return "place"
    if first in women:
        return "woman"
    return "man" if first in men else "other"


def _sentence_starts(text: str) -> set[int]:
    starts = set()
    for sentence in split_sentences(text):
        match = re.match(r"[\s\"'“”‘(*•\d.)]*", sentence.text)
        starts.add(sentence.start + (match.end() if match else 0))
    return starts


def _without_plain_start(match: re.Match[str], at_start: bool, inside: set[str]) -> tuple[int, str] | None:
    """Return start and text of the name in a run of capitalised words, if any."""
    name, start, text = match[0], match.start(), match.string
    words = name.split()
    if name in _NO_LABELS:
        return None
    if words[0] in _PLAIN or words[0] in _DATES:
        if len(words) == 1:
            return _lone_plain_word(name, start, text, at_start)
        if not at_start and words[0] in _ALSO_WORDS:
            return start, name
        rest = name[len(words[0]) :].lstrip().removeprefix("of ").lstrip()
        if _IS_DATE.search(name):
            return None
        return (match.end() - len(rest), rest) if rest and rest not in _PLAIN | _DATES else None
    if not at_start or len(words) > 1 or name in inside:
        return start, name
    if name.isupper() and len(name) == 1:
        return start, name
    women, men, known_places = _tables()
    if name in women or name in men or name in known_places:
        return start, name
    singular = not name.endswith("s") or name.endswith(("ss", "us", "is"))
    if singular and any(letter in _VOWELS for letter in name) and _SUBJECT_VERB.match(text, match.end()):
        return start, name
    return None


def _lone_plain_word(name: str, start: int, text: str, at_start: bool) -> tuple[int, str] | None:
    if name in _DATES:
        is_name = name in _MONTH_NAMES and not _BEFORE_DATE.search(text[max(start - 10, 0) : start])
        women, men, _ = _tables()
        return (start, name) if is_name and name in women | men and _followed_by_verb(text, start, name) else None
    if name == "I":
        return None
    if name == "A":  # "A and B can ..." is a label
        is_label = _LABEL_A.match(text, start) if at_start else not _ARTICLE_A.match(text, start)
        return (start, name) if is_label else None
    if at_start:
        follows = _followed_by_verb(text, start, name) or _ANY_VERB.match(text, start + len(name)) is not None
        return (start, name) if follows and name in _ALSO_WORDS else None
    return (start, name) if name in _ALSO_WORDS else None


def _followed_by_verb(text: str, start: int, name: str) -> bool:
    return _SUBJECT_VERB.match(text, start + len(name)) is not None
