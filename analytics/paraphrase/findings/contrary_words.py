"""Words that mean the contrary: "sum" and "product", "even" and "odd", "more" and "fewer".

The table is curated: one word in place of another of its row changes the calculation.
"""

from __future__ import annotations

from analytics.paraphrase.words.wording import stem

# A row: words of one meaning between commas, meanings between bars.
_CONTRARY = """
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
    northward | southward
    vertical | horizontal
    isosceles | equilateral | scalene
    hypotenuse | leg
    divisor, factor | multiple
    sum | product | difference | quotient | mean, average | median
    buy, purchase | sell
    give, gave, donate, hand | get, receive, take, collect
    lend, lent | borrow
    win, won | lose, lost
    earn | spend, spent
    gain | lose, lost, drop
    add, added, adding, join | remove, subtract, take, drain
    deposit | withdraw, withdrew, withdrawn
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
    in, into | out
    by | to
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
    most | least, fewest
    largest, greatest, biggest, highest, longest | smallest, lowest, fewest, shortest, least
    maximum | minimum
    after, later | before, earlier
    profit | loss
"""
_COMPARATIVES = """
    more, greater, additional, extra | fewer, less, smaller
    larger, bigger, greater | smaller
    older, elder | younger
    longer, taller, farther, further | shorter
    heavier | lighter
    faster, quicker | slower
    higher, above | lower, below
    cheaper | dearer
"""


def _table(rows: str) -> dict[str, set[tuple[int, int]]]:
    """Return the rows, and the meanings in them, that each word has."""
    table: dict[str, set[tuple[int, int]]] = {}
    for row, line in enumerate(rows.strip().splitlines()):
        for side, words in enumerate(line.split("|")):
            for word in words.split(","):
                table.setdefault(stem(word.strip()), set()).add((row, side))
    return table


_COMPARED = _table(_COMPARATIVES)
_OTHERS = _table(_CONTRARY)


def are_contrary(first: str, second: str) -> bool:
    """Return whether one word in the other's place changes a calculation.

    >>> are_contrary("sold", "bought"), are_contrary("sum", "total"), are_contrary("even", "odd")
    (True, False, True)
    """
    return _are_opposite(_OTHERS, first, second) or are_opposite_comparatives(first, second)


def are_opposite_comparatives(first: str, second: str) -> bool:
    """Return whether both compare, in opposite directions: more, fewer."""
    return _are_opposite(_COMPARED, first, second)


def _are_opposite(table: dict[str, set[tuple[int, int]]], word: str, new_word: str) -> bool:
    return any(
        row == new_row and side != new_side
        for row, side in table.get(stem(word), ())
        for new_row, new_side in table.get(stem(new_word), ())
    )
