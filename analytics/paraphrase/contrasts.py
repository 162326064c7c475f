"""Words that mean the contrary: "sum" and "product", "even" and "odd", "sells" and "buys".

To an encoder they are close, and no rule of numbers or names sees them. The table is curated: one word in the place of
another of its row changes the calculation. In near copies that is seen place by place. In free rewordings "Ann sells"
may become "Tom buys from Ann"; only rows that no change of view turns round are looked for there.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from analytics.paraphrase.aligned import Replacement
from analytics.paraphrase.finding import Finding, Mention, Words
from analytics.paraphrase.reading import Reading, Word
from analytics.paraphrase.wording import stem

__all__ = ["are_contrary", "contrast_findings"]

# A row: words of one meaning between commas, meanings between bars.
_ANYWHERE = """
    even | odd
    radius, radii | diameter | circumference
    simple | compound
    upstream | downstream
    positive | negative
    prime | composite
    numerator | denominator
    clockwise | counterclockwise, anticlockwise
    ascending | descending
    acute | obtuse
    parallel | perpendicular
    discount | markup
    deposit | withdraw, withdrew, withdrawn
    northward | southward
    vertical | horizontal
    isosceles | equilateral | scalene
    hypotenuse | leg
    divisor, factor | multiple
"""
_IN_PLACE = """
    sum | product | difference | quotient | mean, average | median
    buy, purchase | sell
    give, gave, donate, hand | get, receive, take, collect
    lend, lent | borrow
    win, won | lose, lost
    earn | spend, spent
    gain | lose, lost, drop
    add, added, adding, join | remove, subtract, take, drain
    deposit | withdraw, withdrew
    arrive | leave, depart
    enter | leave, exit
    fill | empty, drain
    save | spend
    keep, kept | sell, give, gave, lose, lost, spend, spent
    find, found | lose, lost
    add | subtract | multiply | divide
    plus | minus | times
    added | subtracted | multiplied | divided
    push | pull
    raise, increase | lower, reduce, decrease
    open | close
    on | off
    in | out
    into | out
    up | down
    over | under
    inside | outside
    inner | outer
    top | bottom
    front | back
    left | right
    together, both | alone, himself, herself
    first | second | third | last
    previous | next
    opposite | same | adjacent, next
    full | empty
    morning | afternoon | evening | night
    weekday | weekend
    today | tomorrow | yesterday
    rest, remainder, remaining | total, whole, original, initial
    selling, sale | cost, marked, buying
    gross | net
    north | south | east | west
    northern | southern | eastern | western
    length, long | width, wide | height, high, tall | depth, deep
    triangle | rectangle | quadrilateral | circle | pentagon | hexagon | rhombus | trapezium, trapezoid | parallelogram
    cube | sphere | cylinder | cone | pyramid
    all, every | some | none
    and | or
    each | total
    adult | child
"""
# Words of these rows are small ones that stand everywhere: both neighbours must be the same.
_SMALL = frozenset(
    {"on", "off", "in", "out", "into", "up", "down", "over", "under", "and", "or", "all", "some"}
)
_TOWARDS = frozenset({"by", "to"})
_GROWS = re.compile(
    r"(?:ris|ros|rais|increas|grow|grew|gr|climb|drop|fall|fell|decreas|reduc|sink|sank|shrank|shrink|cut)\w*$"
)
_SHARED = re.compile(
    r"\b(?:each|apiece|every|everyone|everybody|per|respectively|both|either|an? piece)\b|[@/]", re.IGNORECASE
)
_EACH = re.compile(r"\b(?:each|apiece)\b", re.IGNORECASE)


def _phrase(words: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{words})\b", re.IGNORECASE)


_CONTRARY_PHRASES = (
    (_phrase(r"ago"), _phrase(r"will|shall|hence|from now|from today")),
    (
        _phrase(r"at least|at most|no (?:more|less|fewer) than|more than|fewer than|less than"),
        _phrase(r"exactly|precisely"),
    ),
)
_SCOPES = (
    (_phrase(r"only"), _phrase(r"only|just|merely|alone|nothing but|no more than|exactly")),
    (
        _phrase(r"of (?:the|his|her|their) (?:rest|remainder|remaining|others?)"),
        _phrase(r"rest|remainder|remaining|others?"),
    ),
    (
        _phrase(r"the (?:rest|remainder|remaining|others?)"),
        _phrase(r"rest|remainder|remain(?:s|ed|ing)?|left|others?|another|unused|unsold|unread|still"),
    ),
)
"""What says of what something is a part ("a third of it", "a third of the rest"), and what says the same."""

Side = tuple[int, int]
"""Row and meaning of a word."""


def _table(rows: str) -> dict[str, set[Side]]:
    table: dict[str, set[Side]] = {}
    for row, line in enumerate(rows.strip().splitlines()):
        for side, words in enumerate(line.split("|")):
            for word in words.split(","):
                table.setdefault(stem(word.strip()), set()).add((row, side))
    return table


_FREE = _table(_ANYWHERE)
_PLACED = _table(_IN_PLACE)


def are_contrary(one: str, other: str) -> bool:
    """Whether one word in the other's place changes a calculation.

    >>> are_contrary("sold", "bought"), are_contrary("sum", "total"), are_contrary("even", "odd")
    (True, False, True)
    """
    return any(
        row == new_row and side != new_side
        for table in (_FREE, _PLACED)
        for row, side in table.get(stem(one), ())
        for new_row, new_side in table.get(stem(other), ())
    )


def contrast_findings(
    original: Reading, paraphrase: Reading, replaced: Sequence[Replacement], *, is_near_copy: bool
) -> list[Finding]:
    """Return words in whose place one of contrary meaning stands, and "each" that is gone.

    Args:
        replaced: words of a near copy that stand where the original has others.
    """
    places = [
        (one.word, one.new_word)
        for one in replaced
        if one.neighbours > (one.word.text.lower() in _SMALL or one.new_word.text.lower() in _SMALL)
        if are_contrary(one.word.text, one.new_word.text)
    ]
    if not original.has_numbers_of(paraphrase):
        exchanged = {
            (new_word.key, word.key) for word, new_word in places
        }  # with their numbers: in another order
        places = [pair for pair in places if (pair[0].key, pair[1].key) not in exchanged]
    places += [
        (one.word, one.new_word)
        for one in replaced
        if {one.word.text.lower(), one.new_word.text.lower()} == _TOWARDS and _GROWS.match(one.previous)
    ]
    known = {word.key for pair in places for word in pair}
    places += [pair for pair in _turned(original, paraphrase) if not {one.key for one in pair} & known]
    findings = [_changed(*pair) for pair in places]
    if is_near_copy:
        findings += _scope_added(original, paraphrase)
    return findings + _phrases_turned(original, paraphrase) + _each_lost(original, paraphrase)


def _changed(word: Mention, new_word: Mention) -> Finding:
    return Finding.between("comparison", "changed", f"{word.text} became {new_word.text}.", word, new_word)


def _turned(original: Reading, paraphrase: Reading) -> Iterable[tuple[Word, Word]]:
    """Words of a meaning that the paraphrase lacks altogether, with those of a contrary one that the original lacks."""
    before, after = _sides(original), _sides(paraphrase)
    rows = {row for row, _ in before} & {row for row, _ in after}
    for row in sorted(rows):
        here = {side: word for (at, side), word in before.items() if at == row}
        there = {side: word for (at, side), word in after.items() if at == row}
        lost, new = here.keys() - there.keys(), there.keys() - here.keys()
        if lost and new:
            yield here[min(lost)], there[min(new)]


def _sides(reading: Reading) -> dict[Side, Word]:
    """The first word of each meaning that a text has."""
    found: dict[Side, Word] = {}
    for word in reading.words:
        for side in _FREE.get(stem(word.text), ()):
            found.setdefault(side, word)
    return found


def _phrases_turned(original: Reading, paraphrase: Reading) -> list[Finding]:
    """Phrases of which each text has one and not the other: what will be in some years, and what was some years ago."""
    found = []
    for one, other in _CONTRARY_PHRASES:
        for was, now in ((one, other), (other, one)):
            here, there = was.search(original.text), now.search(paraphrase.text)
            if here and there and not now.search(original.text) and not was.search(paraphrase.text):
                found.append(_changed(Words(*here.span(), here[0]), Words(*there.span(), there[0])))
    return found


def _scope_added(original: Reading, paraphrase: Reading) -> list[Finding]:
    """Say where "a third of it" became "a third of the rest", or something is said of a part only."""
    for added, known in _SCOPES:
        match = added.search(paraphrase.text)
        if match and not known.search(original.text):
            return [Finding.added("comparison", Words(*match.span(), match[0]))]
    return []


def _each_lost(original: Reading, paraphrase: Reading) -> list[Finding]:
    """Say where "5 apples each" became "5 apples": in a near copy nothing else says that everybody gets as many."""
    match = _EACH.search(original.text)
    if match is None or not original.is_close_to(paraphrase) or _SHARED.search(paraphrase.text):
        return []
    text = match[0]
    return [Finding("comparison", "lost", f"{text} is missing.", original=match.span(), before=text)]
