"""What changed from one text to another, word by word and symbol by symbol."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

# A LaTeX command, a number, a Chinese character, a word, blanks, or one other character.
_TOKEN = re.compile(r"\\[A-Za-z]+|\\.|\d+(?:\.\d+)?|[㐀-鿿]|[^\W\d_㐀-鿿]+|\s+|.", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch that both texts have, or that only one of them has."""

    kind: Literal["same", "removed", "added"]
    text: str


def text_difference(before: str, after: str) -> list[Piece]:
    """Return the pieces of both texts in order, what was removed before what was added in its place.

    Time grows with the product of the lengths of what lies between the first and the last change.

    >>> [(one.kind, one.text) for one in text_difference("Tom has 30 pens.", "Tom has 45 pens.")]
    [('same', 'Tom has '), ('removed', '30'), ('added', '45'), ('same', ' pens.')]
    """
    old, new = _TOKEN.findall(before), _TOKEN.findall(after)
    start = 0
    while start < min(len(old), len(new)) and old[start] == new[start]:
        start += 1
    end = 0
    while end < min(len(old), len(new)) - start and old[-1 - end] == new[-1 - end]:
        end += 1
    middle_old, middle_new = old[start : len(old) - end], new[start : len(new) - end]
    pieces = [Piece("same", "".join(old[:start]))]
    matcher = SequenceMatcher(None, middle_old, middle_new, autojunk=False)
    for change, from_old, to_old, from_new, to_new in matcher.get_opcodes():
        if change == "equal":
            pieces.append(Piece("same", "".join(middle_old[from_old:to_old])))
            continue
        pieces.append(Piece("removed", "".join(middle_old[from_old:to_old])))
        pieces.append(Piece("added", "".join(middle_new[from_new:to_new])))
    pieces.append(Piece("same", "".join(old[len(old) - end :])))
    return _joined(pieces)


def _joined(pieces: Sequence[Piece]) -> list[Piece]:
    """Join neighbours of one kind, and leave out empty pieces."""
    joined: list[Piece] = []
    for piece in pieces:
        if not piece.text:
            continue
        if joined and joined[-1].kind == piece.kind:
            joined[-1] = Piece(piece.kind, joined[-1].text + piece.text)
        else:
            joined.append(piece)
    return joined
