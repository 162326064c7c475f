"""Extra positive: names, or the things that are counted, are replaced by others throughout the question.

ParaQD, Table 3, third example: where every mention changes alike the question is the same.
"""

from __future__ import annotations

import random
import re

from analytics.paraphrase.words.editing import Edit, apply_edits, formula_spans, overlaps, upper_first
from analytics.paraphrase.words.entities import another_name, find_entities


def _pairs(table: str) -> tuple[tuple[str, str], ...]:
    return tuple((pair.split("/")[0], pair.split("/")[1]) for pair in table.split())


THINGS = _pairs(
    """
    apple/apples orange/oranges banana/bananas pear/pears peach/peaches book/books pen/pens
    pencil/pencils marble/marbles sticker/stickers ball/balls balloon/balloons card/cards cookie/cookies
    cupcake/cupcakes candy/candies toy/toys shirt/shirts hat/hats stamp/stamps shell/shells
    seashell/seashells egg/eggs flower/flowers rose/roses tulip/tulips coin/coins button/buttons
    bead/beads ribbon/ribbons brick/bricks tile/tiles chair/chairs table/tables cup/cups plate/plates
    bottle/bottles crayon/crayons marker/markers notebook/notebooks magazine/magazines muffin/muffins
    sandwich/sandwiches donut/donuts carrot/carrots potato/potatoes tomato/tomatoes lemon/lemons
    mango/mangoes rabbit/rabbits duck/ducks hen/hens goat/goats kitten/kittens puppy/puppies bird/birds
    goldfish/goldfish doll/dolls puzzle/puzzles robot/robots lamp/lamps bag/bags basket/baskets
    poster/posters photo/photos cap/caps scarf/scarves
    """
)
"""Things that questions count, and that may stand for one another: (one, several)."""

_UNITS = frozenset({"cup", "cups"})
_WORD = re.compile(r"[A-Za-z]+")
_FORMS = {word: (pair, several) for pair in THINGS for several, word in enumerate(pair)}


def things_in(question: str) -> dict[tuple[str, str], list[re.Match[str]]]:
    """Return where the countable things of the table stand, outside formulas."""
    formulas = formula_spans(question) + [(mention.start, mention.end) for mention in find_entities(question)]
    matches: dict[tuple[str, str], list[re.Match[str]]] = {}
    for match in _WORD.finditer(question):
        form = _FORMS.get(match[0].lower())
        if (
            form is not None
            and match[0].lower() not in _UNITS
            and not overlaps(match.start(), match.end(), formulas)
        ):
            matches.setdefault(form[0], []).append(match)
    return matches


def apply(question: str, rng: random.Random) -> str | None:
    """Rename one to three names or things everywhere; None where there is neither."""
    formulas = formula_spans(question)
    names: dict[str, list[tuple[int, int]]] = {}
    mentions = [
        mention for mention in find_entities(question) if not overlaps(mention.start, mention.end, formulas)
    ]
    for mention in mentions:
        names.setdefault(mention.text, []).append((mention.start, mention.end))
    taken = set(names)
    edits: list[Edit] = []
    for name in rng.sample(list(names), min(len(names), rng.randint(1, 3))):
        new = another_name(next(mention for mention in mentions if mention.text == name), taken, rng)
        if new is not None and not _stands_hidden(question, name, len(names[name])):
            taken.add(new)
            edits += [(start, end, new) for start, end in names[name]]
    things = things_in(question)
    if things and (not edits or rng.random() < 0.5):
        edits += rename_thing(rng.choice(list(things)), things, rng)
    changed = apply_edits(question, edits) if edits else question
    return changed if changed != question else None


def rename_thing(
    thing: tuple[str, str], things: dict[tuple[str, str], list[re.Match[str]]], rng: random.Random
) -> list[Edit]:
    """Return the edits that turn every mention of a thing into another thing that does not occur.

    Its article agrees.
    """
    vowel = thing[0][0] in "aeiou"
    free = [
        pair
        for pair in THINGS
        if pair not in things and pair[0] != "cup" and (pair[0][0] in "aeiou") == vowel
    ]
    new = rng.choice(free)
    edits = []
    for match in things[thing]:
        word = new[_FORMS[match[0].lower()][1]] if match[0].lower() != thing[0] else new[0]
        edits.append((match.start(), match.end(), upper_first(word) if match[0][0].isupper() else word))
    return edits


def _stands_hidden(question: str, name: str, count: int) -> bool:
    """Return whether a name also stands where it was not found: in small letters, inside a formula."""
    return len(re.findall(rf"(?<!\w){re.escape(name)}(?!\w)", question, re.IGNORECASE)) != count
