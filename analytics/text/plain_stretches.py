"""Where plain maths begins and ends in a line of prose.

A stretch contains numbers, letters, operators, brackets and the names used in mathematics; it ends at a word of
prose, a unit, a list marker or sentence punctuation. If an operator or a bracket ties a stretch to a word
("P(red) = 0.2", "A = length x width", "5 m + 3 m"), the stretch is left out together with what is on the other side of
the word: half a formula is a wrong one.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from analytics.language.en.units import WORDS
from analytics.language.mentions import ABBREVIATIONS
from analytics.text.characters import SCRIPT_CHARACTERS, VULGAR_FRACTIONS, WIDE_PUNCTUATION
from analytics.text.plain_tokens import CONNECTIVES, CONSTANTS, FUNCTIONS, GREEK, ROOTS

_PIECE = re.compile(
    r"(?P<blank>\s+)"
    r"|(?P<number>[0-9]+(?:,[0-9]{3})*(?:\.[0-9]+)?|\.[0-9]+)"
    rf"|(?P<high>[{SCRIPT_CHARACTERS}]+)|(?P<vulgar>[{''.join(VULGAR_FRACTIONS)}])"
    r"|(?P<prose>(?:[A-Za-z]\.){2,}|[A-Za-z]\.[A-Za-z]{2,}|[A-Za-z]+['’][A-Za-z]{2,}"  # e.g., f.eks., l'aire
    r"|(?<=[0-9])(?:st|nd|rd|th)(?![A-Za-z])|[A-Za-z]{2,}['’][A-Za-z]+|[A-Za-z]*[À-ÖØ-öø-ɏ][A-Za-zÀ-ɏ]*|_{2,})"
    r"|(?P<word>[A-Za-z]+|[Α-Ωα-ωϕϑ])"
    r"|(?P<dots>\.\.\.|\. \. \.|…)|(?P<opening>[(\[{])|(?P<closing>[)\]}])|(?P<comma>[,;])"
    r"|(?P<infix>[-+*/=<>≤≥≠≈±∓×÷·^_∈∉⊂⊆∪∩⊥∥→⇒~−–:])|(?P<sign>[|!%°'√∛∜∞π∫∑∏∠△□])"
    r"|(?P<other>.)",
    re.DOTALL,
)
_MARKER = re.compile(
    r"\s*(?:(?:Q|No\.?|Question|Aufgabe)? ?[0-9]{1,3}[.):]|\(?(?:[A-Za-z]|[0-9]{1,2}|[ivx]{2,4})[.)]|[-–•*])\s+"
)
_LETTER_MARK = re.compile(r"(?<![^\s])([A-Ha-h])[.)、．](?=\s)")
_SHORT_WORDS = frozenset(  # of English and related languages
    str.split(
        "ad al am an as at au be by ce da de di do du eh el em en er es et ex go ha he hi ho if il im in is it je la"
        " le lo me mi my na ne no nr of oh ok on op or os ou ox pa po pp qu re sa se si so su ta te ti to tu um un up"
        " us va vs we wo ya yo zu ab"
    )
)
_UNIT_NAMES = frozenset((*WORDS, *ABBREVIATIONS)) - {"in"}
_UNITS = frozenset(name for name in ABBREVIATIONS if len(name) > 1) - {"in"}
_SHORT_UNITS = frozenset("mglLshtNJWVKCF")
_CALLED = frozenset({*FUNCTIONS, *(name for name in ROOTS if name.isascii()), "abs", "lim", "int"})
_ONLY_BEFORE_BRACKETS = frozenset({"max", "min", "det", "exp", "gcd", "lcm", "abs"})
_FUSED = re.compile(r"(?:sin|cos|tan|ln|log)[xy]|d[xytu]")
_ORDERED = re.compile(r"a?b?c?x?y?z?")  # 2abc, xyz
_JOINING = frozenset({"than", "times", "plus", "minus", "by", "over", "squared", "cubed", "root"})
_SHARES = frozenset({"half", "third", "thirds", "quarter", "quarters", "percent", "%"})  # of what follows
_NAMING = frozenset({"for", "find", "let", "variable", "where", "求"})  # words before a variable
_PUNCTUATION = frozenset(".?:。，；？：")
_RELATIONS = frozenset("=<>≤≥≠≈")
_TYING_WORDS = 3  # the most words between two halves of a formula


@dataclass(slots=True)
class _Piece:
    """A piece of a line; `is_maths`: whether it can be part of a formula."""

    kind: str
    text: str
    start: int
    end: int
    is_maths: bool = True


def is_unit_name(word: str) -> bool:
    """Return whether a word is the name or symbol of a unit.

    >>> [is_unit_name(word) for word in ("cups", "km", "in", "apples")]
    [True, True, False, False]
    """
    return word in _UNIT_NAMES or word.lower() in _UNIT_NAMES


def maths_stretches(line: str, *, is_story: bool = False) -> Iterator[tuple[int, int]]:
    """Yield (start, end) of each stretch of a line that can be a complete formula, from left to right.

    Args:
        is_story: whether a letter directly after a number is a unit, as in "a rope 5m long".

    >>> line = "1) If 2x + 3 = 11 and y = 5 m/s, is P(red) = 0.2?"
    >>> [line[start:end] for start, end in maths_stretches(line)]
    ['2x + 3 = 11', 'y = 5']
    """
    pieces = _pieces(line)
    _mark_words(pieces, is_story=is_story)
    _mark_brackets(pieces)
    runs = list(_runs(pieces))
    tied = _tied(pieces, runs)
    for first, last in (run for run in runs if run not in tied):
        for start, end in _members(pieces, first, last):
            yield pieces[start].start, pieces[end - 1].end


# -- words -------------------------------------------------------------------------------------------------------------


def _pieces(line: str) -> list[_Piece]:
    line = line.translate(WIDE_PUNCTUATION)
    marker = _MARKER.match(line)
    begin = marker.end() if marker else 0
    pieces = [
        _Piece(str(match.lastgroup), match[0], match.start(), match.end()) for match in _PIECE.finditer(line, begin)
    ]
    letters = {match.start(1) for match in _LETTER_MARK.finditer(line, begin)}
    for piece in pieces:
        piece.is_maths = piece.kind not in ("prose", "other") and not (len(letters) > 1 and piece.start in letters)
    return pieces


def _mark_words(pieces: list[_Piece], *, is_story: bool) -> None:
    """Mark each run of letters as mathematics or prose."""
    free = {piece.text for place, piece in enumerate(pieces) if _is_variable(pieces, place)}
    after_unit = False
    for place, piece in enumerate(pieces):
        before = pieces[place - 1] if place else None
        if piece.kind == "word" and piece.is_maths:
            after_unit = _is_unit(pieces, place, free, after_unit=after_unit, is_story=is_story)
            piece.is_maths = not after_unit and _is_maths_word(pieces, place)
            piece.kind = "unit" if after_unit else "word"
        elif after_unit and (piece.text in ("/", "^", "-") or piece.kind in ("high", "number")):
            piece.is_maths = False  # the rest of "m/s^2", directly after the unit
        else:
            after_unit = False
        if _is_hyphen(pieces, place):  # "the x-axis", "a 2-digit number"
            piece.is_maths = pieces[place - 1].is_maths = pieces[place + 1].is_maths = False
        elif piece.kind == "high" and before is not None and not before.is_maths and before.kind in ("word", "prose"):
            piece.is_maths = False  # "cm²" without a number


def _is_unit(pieces: Sequence[_Piece], place: int, free: Collection[str], *, after_unit: bool, is_story: bool) -> bool:
    """Return whether this word is the unit of the number before it, or the rest of a unit ("km/h")."""
    word = pieces[place].text
    if after_unit:
        return word in _UNITS or word in _SHORT_UNITS
    if word in free or not _follows_number(pieces, place):
        return False
    is_apart = pieces[place - 1].kind == "blank"
    return word in _UNITS or (word in _SHORT_UNITS and (is_story or is_apart))


def _is_hyphen(pieces: Sequence[_Piece], place: int) -> bool:
    if not 0 < place < len(pieces) - 1 or pieces[place].text not in "-–":
        return False
    after = pieces[place + 1]
    return (
        pieces[place - 1].kind in ("word", "number", "prose")
        and len(after.text) > 1
        and (after.kind == "prose" or (after.kind == "word" and not _is_maths_word(pieces, place + 1)))
    )


def _is_variable(pieces: Sequence[_Piece], place: int) -> bool:
    """Return whether a letter is where no unit can be ("m + 2", "for m"); it is then a variable throughout the line."""
    if len(pieces[place].text) != 1 or _follows_number(pieces, place):
        return False
    before, after = _beside(pieces, place)
    beside_operator = any(piece and piece.kind == "infix" and piece.text not in "^/" for piece in (before, after))
    return beside_operator or (before is not None and before.text.lower() in _NAMING)


def _follows_number(pieces: Sequence[_Piece], place: int) -> bool:
    before = pieces[place - 1] if place else None
    if before is not None and before.kind == "blank" and place > 1:
        before = pieces[place - 2]
    return before is not None and before.kind in ("number", "vulgar")


def _is_article(pieces: Sequence[_Piece], place: int) -> bool:
    """Return whether this is the one-letter word of "a 3/4 chance" or "I add 5"."""
    if pieces[place].text not in ("a", "A", "I"):
        return False
    before, after = _beside(pieces, place)
    is_apart = after is not None and pieces[place + 1].kind == "blank"
    return is_apart and (before is None or before.kind != "infix") and after is not None and after.kind != "infix"


def _beside(pieces: Sequence[_Piece], place: int) -> tuple[_Piece | None, _Piece | None]:
    """Return the neighbouring pieces on both sides, ignoring spaces."""
    before = next((piece for piece in reversed(pieces[max(place - 2, 0) : place]) if piece.kind != "blank"), None)
    after = next((piece for piece in pieces[place + 1 : place + 3] if piece.kind != "blank"), None)
    return before, after


def _is_maths_word(pieces: Sequence[_Piece], place: int) -> bool:
    """Return whether a run of letters is mathematics; the first of these rules that applies decides."""
    word = pieces[place].text
    if place and pieces[place - 1].text == "_":
        return True
    if len(word) == 1:
        return not _is_article(pieces, place)
    before, after = _beside(pieces, place)
    glued = _glued(pieces, place)
    if word in _CALLED:
        return _has_argument(word, pieces[place + 1 : place + 2], before, after)
    if word in ("sum", "prod"):
        return bool(glued) and glued[-1].text == "_"
    if _names_corners(word, before):
        return True
    if word == "mod":
        return _is_between_terms(before, after)
    has_operator = any(piece is not None and piece.kind == "infix" for piece in (before, after))
    if word in GREEK or word in CONSTANTS or _FUSED.fullmatch(word):
        return bool(glued) or has_operator or before is None or before.is_maths
    return _is_product(word, glued, has_operator=has_operator)


def _glued(pieces: Sequence[_Piece], place: int) -> list[_Piece]:
    """Return the adjacent pieces before and after that may belong to a formula."""
    neighbours = (*pieces[max(place - 1, 0) : place], *pieces[place + 1 : place + 2])
    return [piece for piece in neighbours if piece.kind not in ("blank", "comma", "other", "prose")]


def _names_corners(word: str, before: _Piece | None) -> bool:
    """Return whether letters name the corners of an angle or a triangle: "∠ABC"."""
    return word.isupper() and len(word) <= 4 and before is not None and before.text in ("∠", "△")


def _is_between_terms(before: _Piece | None, after: _Piece | None) -> bool:
    has_left = before is not None and before.is_maths
    return has_left and after is not None and after.kind in ("number", "opening")


def _is_product(word: str, glued: Sequence[_Piece], *, has_operator: bool) -> bool:
    """Return whether letters are variables side by side, as in "2abc", and neither a word nor a unit."""
    if len(word) > 2 and not _ORDERED.fullmatch(word):
        return False
    if (word.lower() in _SHORT_WORDS and not word.isupper()) or word in _UNITS:
        return any(piece.kind in ("number", "high") or piece.text in ("^", "_") for piece in glued)
    return has_operator or any(piece.kind != "sign" or piece.text not in "!'" for piece in glued)


def _has_argument(word: str, following: Sequence[_Piece], before: _Piece | None, after: _Piece | None) -> bool:
    """Return whether the name of a function or a root has an argument and is not prose ("the log of")."""
    if word == "root" and before is not None and before.kind == "word" and len(before.text) > 1:
        return False  # "square root 16"
    if word in _ONLY_BEFORE_BRACKETS:
        return any(piece.text in ("(", "_") for piece in following)
    if after is None:
        return False
    if after.kind == "word":
        return len(after.text) == 1 or after.text in GREEK or after.text in CONSTANTS or after.text in _CALLED
    return after.kind in ("number", "opening", "high", "vulgar") or after.text in ("_", "^", "√", "π", "∠")


# -- brackets ----------------------------------------------------------------------------------------------------------


def _mark_brackets(pieces: list[_Piece]) -> None:
    """Mark unmatched brackets and brackets around words as prose, with the contents of a bracket after a name."""
    opened: list[int] = []
    for place, piece in enumerate(pieces):
        if piece.kind == "opening":
            opened.append(place)
        elif piece.kind == "closing" and opened:
            _mark_pair(pieces, opened.pop(), place)
        elif piece.kind == "closing":
            piece.is_maths = False
            if place and pieces[place - 1].kind in ("word", "number") and _stands_first(pieces, place - 1):
                pieces[place - 1].is_maths = False  # option marker: "A) 1/2  B) 3/4"
    for place in opened:
        pieces[place].is_maths = False


def _stands_first(pieces: Sequence[_Piece], place: int) -> bool:
    return place == 0 or (pieces[place - 1].kind == "blank" and (place < 2 or pieces[place - 2].kind != "infix"))


def _mark_pair(pieces: list[_Piece], opening: int, closing: int) -> None:
    inner = pieces[opening + 1 : closing]
    words = [piece for piece in inner if not piece.is_maths]
    if not words:
        return
    name = pieces[opening - 1] if opening and pieces[opening - 1].kind == "word" else None
    if (
        name is not None
        and name.text == "P"
        and all(piece.text in CONNECTIVES or len(piece.text) == 1 for piece in words if piece.kind == "word")
    ):
        for piece in words:
            piece.is_maths = True
        return
    pieces[opening].is_maths = pieces[closing].is_maths = False
    if name is not None:  # "P(x > 3 or blue)"
        for piece in (name, *inner):
            piece.is_maths = False


# -- stretches ---------------------------------------------------------------------------------------------------------


def _runs(pieces: Sequence[_Piece]) -> Iterator[tuple[int, int]]:
    """Yield (first, last + 1) for each run of mathematics, without spaces and commas at its ends."""
    place = 0
    while place < len(pieces):
        end = place
        while end < len(pieces) and pieces[end].is_maths and not (end > place and _is_colon(pieces, end)):
            end += 1
        first, last = place, end
        while first < last and (pieces[first].kind in ("blank", "comma") or pieces[first].text == ":"):
            first += 1
        while first < last and (pieces[last - 1].kind in ("blank", "comma") or pieces[last - 1].text == ":"):
            last -= 1
        if first < last:
            yield first, last
        place = max(end, place + 1)


def _is_colon(pieces: Sequence[_Piece], place: int) -> bool:
    """Return whether a colon is punctuation, as in "not equal to 0: y != 0", rather than a ratio."""
    if pieces[place].text != ":" or place + 1 == len(pieces):
        return False
    return pieces[place - 1].kind != "blank" and pieces[place + 1].kind == "blank"


def _tied(pieces: Sequence[_Piece], runs: Sequence[tuple[int, int]]) -> set[tuple[int, int]]:
    """Return the runs that an operator ties to a word, and those on the word's other side."""
    tied: set[tuple[int, int]] = set()
    for number, (first, last) in enumerate(runs):
        begin = runs[number - 1][1] if number else 0
        end = runs[number + 1][0] if number + 1 < len(runs) else len(pieces)
        before, after = _clauses(pieces[begin:first]), _clauses(pieces[last:end])
        if before[-1] and _works_on_next(before[-1], pieces[begin - 1] if number else None):
            tied.add((first, last))
        if before[-1] and _leans_left(pieces, first):
            tied.add((first, last))
            if number and len(before) == 1 and len(before[0]) <= _TYING_WORDS:
                tied.add(runs[number - 1])
        if after[0] and pieces[last - 1].kind == "infix":
            tied.add((first, last))
            if number + 1 < len(runs) and len(after) == 1 and len(after[0]) <= _TYING_WORDS:
                tied.add(runs[number + 1])
        if any(piece.kind in ("word", "prose") for piece in (*pieces[first - 1 : first], *pieces[last : last + 1])):
            tied.add((first, last))  # "1/3rd"
    return tied


def _leans_left(pieces: Sequence[_Piece], first: int) -> bool:
    """Return whether a run begins with an operator that needs a left operand."""
    if pieces[first].text not in "-−–":
        return pieces[first].kind == "infix"
    return first + 1 < len(pieces) and pieces[first + 1].kind == "blank"


def _works_on_next(words: Sequence[str], before: _Piece | None) -> bool:
    """Return whether words make what follows part of a calculation: "3 more than", "half of", "20% of"."""
    if words[-1] != "of":
        return words[-1] in _JOINING
    if len(words) > 1:
        return words[-2] in _SHARES
    return before is not None and (before.kind in ("number", "vulgar") or before.text == "%")


def _clauses(pieces: Sequence[_Piece]) -> list[list[str]]:
    """Return the lower-case words between two runs, one list per clause; at least one clause."""
    clauses: list[list[str]] = [[]]
    for piece in pieces:
        if piece.kind == "comma" or piece.text in _PUNCTUATION:
            clauses.append([])
        elif piece.kind != "blank":
            clauses[-1].append(piece.text.lower())
    return clauses


def _members(pieces: Sequence[_Piece], first: int, last: int) -> Iterator[tuple[int, int]]:
    """Yield the members of a list between commas, or all of it if it is one statement or several of the same kind."""
    depth = 0
    starts, ends = [first], []
    for place in range(first, last):
        depth += (pieces[place].kind == "opening") - (pieces[place].kind == "closing")
        if depth == 0 and pieces[place].kind == "comma" and pieces[place + 1].kind == "blank":
            ends.append(place)
            starts.append(place + 2)
    members = list(zip(starts, [*ends, last], strict=True))
    stated = [any(piece.text in _RELATIONS for piece in pieces[start:end]) for start, end in members]
    are_values = all(end - start == 1 for start, end in members[1:])  # "x = 1, 2, 3"; not "x = 3, 12 apples"
    ends_sentence = not _clauses(pieces[last : last + 2])[0]
    if all(stated) or (stated[0] and are_values and (ends_sentence or len(members) > 2)):
        yield first, last
    else:
        yield from members
