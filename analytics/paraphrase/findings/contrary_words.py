"""Words that mean the contrary: "sum" and "product", "even" and "odd", "more" and "fewer".

The table is curated: one word in place of another of its row changes the calculation.
"""

from __future__ import annotations

from analytics.paraphrase.words.tables import lines_of
from analytics.paraphrase.words.wording import stem


def _table(name: str) -> dict[str, set[tuple[int, int]]]:
    """Return the rows, and the meanings in them, that each word has."""
    table: dict[str, set[tuple[int, int]]] = {}
    for row, line in enumerate(lines_of(name)):
        for side, words in enumerate(line.split("|")):
            for word in words.split(","):
                table.setdefault(stem(word.strip()), set()).add((row, side))
    return table


_COMPARED = _table("comparatives")
_OTHERS = _table("contrary")


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
