"""Operators on names and counted things: f7, and ours.

ParaQD (Gupta et al., 2022), section 3.3 and Table 3: if every mention changes alike, the question is the
same; if only some do, it contradicts itself: 20 apples become 20 hats, but the question asks for apples.
"""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence
from itertools import pairwise

from analytics.paraphrase.words.editing import Edit, apply_edits, formula_spans, overlaps, tidy, upper_first
from analytics.paraphrase.words.entities import EntityMention, another_name, find_entities
from analytics.paraphrase.words.wording import pairs_of
from analytics.text.clauses import split_sentences

THINGS = pairs_of("things")
"""Interchangeable things that questions count: (singular, plural)."""

_UNITS = frozenset({"cup", "cups"})
_WORD = re.compile(r"[A-Za-z]+")
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


def replace(question: str, rng: random.Random) -> str | None:
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
    for match in _WORD.finditer(question):
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
