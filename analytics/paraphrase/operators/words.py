"""Operators on names, counted things and other words.

ParaQD (Gupta et al., 2022), section 3.3 and Table 3: if every mention of a thing changes alike, the question is the
same; if only some do, it contradicts itself: 20 apples become 20 hats, but the question asks for apples. f7 replaces
names; f_c replaces rare words; ours rename things, swap names, invert a comparison and insert an unrelated word.
"""

from __future__ import annotations

import math
import random
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from functools import lru_cache
from itertools import pairwise

from analytics.paraphrase.words.entities import EntityMention, another_name, find_entities
from analytics.paraphrase.words.wording import (
    STOP_WORDS,
    Edit,
    apply_edits,
    formula_spans,
    overlaps,
    pairs_of,
    rows_of,
    tidy,
    upper_first,
    words,
    words_of,
)
from analytics.text.clauses import split_sentences
from analytics.text.numbers import find_numbers
from analytics.text.units import find_units

THINGS = pairs_of("things")
"""Interchangeable things that questions count: (singular, plural)."""

_UNITS = frozenset({"cup", "cups"})
_NAME_PART = re.compile(r"[A-Za-z]+")
_FORMS = {word: (pair, several) for pair in THINGS for several, word in enumerate(pair)}
_MOST = 3  # names that f7 replaces at most
_TRIES = 8
_JOINED = re.compile(r"^\s*(?:,|and|or|&|,\s*and|to)\s*$")


def _names(question: str) -> dict[str, list[EntityMention]]:
    """Return the mentions of each name."""
    names: dict[str, list[EntityMention]] = {}
    for mention in find_entities(question):
        names.setdefault(mention.text, []).append(mention)
    return names


def replace_names(question: str, rng: random.Random) -> str | None:
    """Replace or delete 1 to min(3, k) of the k names (f7); None if there is none, or only a renaming was drawn.

    A name is replaced in only some of its mentions or by a name already in use, or it is deleted; if two
    names would merely be swapped throughout, others are drawn.
    """
    mentions = _names(question)
    if not mentions:
        return None
    names = list(mentions)
    for _ in range(_TRIES):
        edits: list[Edit] = []
        for name in rng.sample(names, rng.randint(1, min(_MOST, len(names)))):
            edits += _edits(question, mentions[name], names, rng)
        if not _is_renaming(mentions, edits):
            return tidy(apply_edits(question, edits)) or None
    return None


def _is_renaming(mentions: Mapping[str, Sequence[EntityMention]], edits: Sequence[Edit]) -> bool:
    """Return whether the edits only rename: afterwards every name has one name and no two share one, as in a swap."""
    new = {start: text for start, _end, text in edits}
    named = {
        name: {new.get(mention.start, name) for mention in entity_mentions}
        for name, entity_mentions in mentions.items()
    }
    used = [text for texts in named.values() for text in texts]
    return "" not in used and len(used) == len(set(used)) == len(named)


def _edits(question: str, mentions: list[EntityMention], names: list[str], rng: random.Random) -> list[Edit]:
    name = mentions[0].text
    new = another_name(mentions[0], names, rng)
    others = [other for other in names if other != name]
    ways = ["delete"]
    if new is not None and len(mentions) > 1:
        ways += ["replace in places"] * 2
    if others and len(mentions) == 1:
        ways.append("confuse")
    way = rng.choice(ways)
    if way == "delete":
        chosen, new = mentions, ""
    elif way == "confuse":
        chosen, new = mentions, rng.choice(others)
    else:
        chosen = rng.sample(mentions, rng.randint(1, len(mentions) - 1))
    tail = 0 if new else 2  # a possessive s goes with its name
    return [
        (mention.start, mention.end + tail * question.startswith(("'s", "’s"), mention.end), new or "")
        for mention in chosen
    ]


def _things_in(question: str) -> dict[tuple[str, str], list[re.Match[str]]]:
    """Return the spans of the table's countable things outside formulas."""
    formulas = formula_spans(question) + [(mention.start, mention.end) for mention in find_entities(question)]
    matches: dict[tuple[str, str], list[re.Match[str]]] = {}
    for match in _NAME_PART.finditer(question):
        form = _FORMS.get(match[0].lower())
        if form is not None and match[0].lower() not in _UNITS and not overlaps(match.start(), match.end(), formulas):
            matches.setdefault(form[0], []).append(match)
    return matches


def rename_throughout(question: str, rng: random.Random) -> str | None:
    """Rename one to three names or things everywhere; None if there are neither."""
    names = _names(question)
    taken = set(names)
    edits: list[Edit] = []
    for name in rng.sample(list(names), min(len(names), rng.randint(1, _MOST))):
        new = another_name(names[name][0], taken, rng)
        places = re.findall(rf"(?<!\w){re.escape(name)}(?!\w)", question, re.IGNORECASE)
        if new is not None and len(places) == len(names[name]):  # not also in lower case or in a formula
            taken.add(new)
            edits += [(mention.start, mention.end, new) for mention in names[name]]
    things = _things_in(question)
    if things and (not edits or rng.random() < 0.5):
        edits += _rename_thing(rng.choice(list(things)), things, rng)
    changed = apply_edits(question, edits)
    return changed if changed != question else None


def rename_in_places(question: str, rng: random.Random) -> str | None:
    """Rename a thing in some of its places; None if no thing occurs twice."""
    things = _things_in(question)
    repeated = [thing for thing, matches in things.items() if len(matches) > 1]
    if not repeated:
        return None
    edits = _rename_thing(rng.choice(repeated), things, rng)
    return apply_edits(question, rng.sample(edits, rng.randint(1, len(edits) - 1)))


def _rename_thing(
    thing: tuple[str, str], things: dict[tuple[str, str], list[re.Match[str]]], rng: random.Random
) -> list[Edit]:
    """Return the edits that turn every mention of a thing into another thing that does not occur in the question.

    Articles are adjusted.
    """
    vowel = thing[0][0] in "aeiou"
    free = [pair for pair in THINGS if pair not in things and pair[0] != "cup" and (pair[0][0] in "aeiou") == vowel]
    new = rng.choice(free)
    edits = []
    for match in things[thing]:
        word = new[_FORMS[match[0].lower()][1]] if match[0].lower() != thing[0] else new[0]
        edits.append((match.start(), match.end(), upper_first(word) if match[0][0].isupper() else word))
    return edits


def swap_in_sentence(question: str, rng: random.Random) -> str | None:
    """Swap two names in one sentence: "Ann has 5 more than Tom" -> "Tom has 5 more than Ann".

    None if no sentence has two that also occur elsewhere, because swapping names throughout is just a
    renaming.
    """
    mentions = find_entities(question)
    pairs: list[tuple[EntityMention, EntityMention]] = []
    for sentence in split_sentences(question):
        inside = [mention for mention in mentions if sentence.start <= mention.start < sentence.end]
        pairs += [
            (first, second)
            for first, second in pairwise(inside)
            if first.text != second.text
            and not _JOINED.match(question[first.end : second.start])
            and any(
                mention.text in {first.text, second.text} and not sentence.start <= mention.start < sentence.end
                for mention in mentions
            )
            and sum(mention.text in {first.text, second.text} for mention in inside) == 2
        ]
    if not pairs:
        return None
    first, second = rng.choice(pairs)
    return apply_edits(question, [(first.start, first.end, second.text), (second.start, second.end, first.text)])


OPPOSITES = {first: others for first, *others in rows_of("opposites")}
"""Maps a comparison to its opposite."""

_PATTERN = re.compile(rf"\b(?:{'|'.join(sorted(OPPOSITES, key=len, reverse=True))})\b", re.IGNORECASE)
_TIMES = re.compile(r"(?:times|twice|half|thrice)\s$", re.IGNORECASE)


def turn_round(question: str, rng: random.Random) -> str | None:
    """Invert one comparison; None if there is none outside formulas."""
    formulas = formula_spans(question)
    comparisons = [
        match
        for match in _PATTERN.finditer(question)
        if not overlaps(match.start(), match.end(), formulas) and not _is_part(match)
    ]
    if not comparisons:
        return None
    match = rng.choice(comparisons)
    new = rng.choice(OPPOSITES[match[0].lower()])
    return question[: match.start()] + (upper_first(new) if match[0][0].isupper() else new) + question[match.end() :]


def _is_part(match: re.Match[str]) -> bool:
    """Return whether the words are part of another expression: "twice as many", "after that", "half as much"."""
    text, word = match.string, match[0].lower()
    behind = text[match.end() : match.end() + 8].lower()
    if word == "as many":
        return _TIMES.search(text[: match.start()]) is not None
    if word in {"before", "after"}:
        return behind.startswith((" that", ",", ".", " this"))
    return word in {"twice", "double"} and not behind.startswith((" as ", " the "))


WORDS = tuple(dict.fromkeys(words_of("unrelated")))
"""Words that are not names, units or things that a word problem counts."""

_COUNTED = re.compile(r"\s(?:[a-z]+\s)?([a-z]{4,})\b")


def put_unrelated(question: str, rng: random.Random) -> str | None:
    """Replace one word, sometimes two, by unrelated ones; None if there is nothing to replace outside formulas."""
    places = _places(question)
    if not places:
        return None
    count = min(len(places), 2 if rng.random() < 0.3 else 1)
    free = [word for word in WORDS if word not in question.lower()]
    edits = [(*place, rng.choice(free)) for place in rng.sample(places, count)]
    return apply_edits(question, [(start, end, _like(question[start], word)) for start, end, word in edits])


def _places(question: str) -> list[tuple[int, int]]:
    """Return the distinct spans of names, units, numbers and counted things."""
    numbers = find_numbers(question)
    spans = [(entity.start, entity.end) for entity in find_entities(question)]
    spans += [(unit.start, unit.end) for unit in find_units(question)]
    spans += [(number.start, number.end) for number in numbers]
    for number in numbers:
        counted = _COUNTED.match(question, number.end)
        if counted and counted[1] not in STOP_WORDS:
            spans.append(counted.span(1))
    formulas = formula_spans(question)
    places: list[tuple[int, int]] = []
    for start, end in sorted(set(spans), key=lambda place: (place[0], -place[1])):
        if not overlaps(start, end, formulas) and not overlaps(start, end, places):
            places.append((start, end))
    return places


def _like(first: str, word: str) -> str:
    return word.capitalize() if first.isupper() else word


_WORD = re.compile(r"(?<![\\\w])[A-Za-z]{3,}(?![\w'’])")


class TfidfReplacement:
    """Replaces the words with the highest TF-IDF.

    Args:
        texts: source of document frequencies and vocabulary.
        share: share of a question's words to replace, at least one and at most four.
    """

    never: Set[str] = STOP_WORDS
    """Words that are neither replaced nor inserted."""

    def __init__(self, texts: Iterable[str], share: float = 0.12) -> None:
        self.share = share
        self.frequency: Counter[str] = Counter()
        self.documents = 0
        for text in texts:
            self.frequency.update(set(words(text)))
            self.documents += 1
        self.vocabulary = sorted(word for word in self.frequency if len(word) > 2 and word not in self.never)

    def apply(self, question: str, rng: random.Random) -> str | None:
        """Replace one to four words; None if the question or the vocabulary has none."""
        formulas = formula_spans(question)
        places = [match for match in _WORD.finditer(question) if not overlaps(*match.span(), formulas)]
        counts = Counter(match[0].lower() for match in places if match[0].lower() not in self.never)
        if not counts or len(self.vocabulary) < 2:
            return None
        weight = {
            word: count * math.log((1 + self.documents) / (1 + self.frequency[word])) for word, count in counts.items()
        }
        most = min(max(1, round(self.share * len(places))), 4)
        new = {word: self._new_word(word, rng) for word in self._chosen(weight, most, rng)}
        chosen = {word: match for match in reversed(places) if (word := match[0].lower()) in new}
        return apply_edits(question, [(*match.span(), new[word]) for word, match in chosen.items()])

    def _chosen(self, weight: Mapping[str, float], most: int, _rng: random.Random) -> Sequence[str]:
        """Return the words to replace, given a question's words with their TF-IDF."""
        return sorted(weight, key=lambda word: (-weight[word], word))[:most]

    def _new_word(self, word: str, rng: random.Random) -> str:
        """Return the replacement for a word."""
        while (drawn := rng.choice(self.vocabulary)) == word:
            pass
        return drawn


@lru_cache(maxsize=1)
def _by_common_words() -> TfidfReplacement:
    """Return the default without texts: each of a thousand common English words is a document."""
    from faker.providers.lorem.en_US import Provider

    return TfidfReplacement(Provider.word_list)


def replace_rare(question: str, rng: random.Random) -> str | None:
    """Replace the words that are rarest in general English."""
    return _by_common_words().apply(question, rng)
