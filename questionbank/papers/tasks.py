"""Recognise what a line asks for: directions for other questions, a true-or-false decision, or items to match."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Sequence, Set

from analytics.question_content import MatchingPair
from questionbank.formats.directions import ADMINISTERS, ORDERS, directs
from questionbank.papers.marks import GAP, read_mark, take_mark
from questionbank.papers.paper_lines import row_cells
from questionbank.papers.phrases import (
    CIRCLES_ONE,
    GAP_SECTION,
    MATCHING,
    OFFERS_CHOICE,
    SECTION,
    STATEMENTS,
    TASK,
    TRUTH_SECTION,
)
from questionbank.papers.points import POINTS_ALONE

_TRUE_FALSE = re.compile(
    r"[\s\u2003]*(?:[(\[（]?\s*\b(?:true|t|(?-i:[VWRP])|richtig|wahr|vrai|verdade\w+|vero|prawda|waar)\s*"
    r"(?:/|or|oder|ou|o|\||\u2003| {2,}"
    r"|\s+_*\s*)\s*(?:false|f|falsch|faux|falso|fałsz|onwaar)\b\s*[)\]）]?|\n对还是错)[\s\u2003_.?？]*$",
    re.IGNORECASE,
)
"""Follows a true-or-false statement."""
_EMPHASIS = re.compile(r"\$\\underline\{|\}\$|\*+")
_MARKED_TRUTH = re.compile(
    r"(?P<first>(?:\$\\underline\{|\*{1,2})?[^\W\d_]{1,9}(?:\}\$|\*{1,2})?)"
    r"(?P<between>\s*(?:/|\||or|oder|ou|o)\s*|\s+)"
    r"(?P<second>(?:\$\\underline\{|\*{1,2})?[^\W\d_]{1,9}(?:\}\$|\*{1,2})?)[\s)\]]*$"
)
_WORDS_TRUE = r"(?:True|T|Richtig|Wahr|R|W|Vrai|V|Verdadero|Vero|P|TRUE)"
_LEADING_TRUTH = re.compile(
    rf"(?:\*\*|\$\\underline\{{)?{_WORDS_TRUE}(?:\*\*|\}}\$)?\s*[/|\s]\s*"
    r"(?:\*\*|\$\\underline\{)?(?:False|FALSE|Falsch|Faux|Falso|F)(?:\*\*|\}\$)?\s+(?=\S)"
)
"""Precedes a true-or-false statement: "T / F  9 is odd."."""
_LEADING_ORDER = re.compile(
    r"\W*(?:(?:say|decide|state|write|tell)\b[^.:?]{0,40}\b)?true or false\b|\W*判断对错|\W*判断题", re.IGNORECASE
)
_WHOLE_SENTENCE = re.compile(r"[.!?:;。？！：；…$_)\])]\s*$")
_ASIDE = re.compile(r"[\s\u2003]*[(\[（]|\s*[\t\n\u2003]| {2,}| *(?:True|T|Richtig|Wahr|Vrai|Verdadero|Vero)\s*[/|]")
_GOES_ON = re.compile(
    r"\b(?:is|are|be|if|whether|write|circle|tick|say|either|with|for|ist|sind|ob|est|sont|es|son|è)$", re.IGNORECASE
)
_TRUE = frozenset(
    "true t yes right richtig wahr r w vrai v verdadero verdadeiro vero prawda p waar 对 正确 √ ✓ ✔ 是".split()
)
_FALSE = frozenset("false f no wrong falsch faux falso fałsz onwaar 错 错误 × ✗ x ✕ 否".split())


def truth_of(answer: str) -> str:
    """Return "True" or "False" for a word or sign with that meaning; otherwise empty.

    >>> truth_of("T."), truth_of("错"), truth_of("B")
    ('True', 'False', '')
    """
    word = answer.strip(" .。()（）\u2003").lower()
    return "True" if word in _TRUE else "False" if word in _FALSE else ""


def truth_before(answer: str) -> tuple[str, str]:
    """Return "True" or "False" for the first word of an answer, and the reason after it.

    >>> truth_before("False, take x = 0"), truth_before("T"), truth_before("F is the force")
    (('False', 'take x = 0'), ('True', ''), ('', 'F is the force'))
    """
    match = re.match(r"[\s*(]*(\w+)[\s*)]*(?:[.,;:(（–—-]\s*|$|(?:because|since|as|weil|car|porque)\b)", answer)
    truth = truth_of(match[1]) if match else ""
    if match is None or not truth or (len(match[1]) > 1 and match[1].lower() in ("yes", "no", "right", "wrong")):
        return "", answer
    return truth, answer[match.end() :].strip(" ).")


def chosen_truth(stem: str) -> tuple[str, str]:
    r"""Return a statement followed by plain words for true and false, and which of them was highlighted.

    >>> chosen_truth(r"9 is odd. $\underline{True}$ / False"), chosen_truth("9 is odd. T **F**"), chosen_truth("T / F")
    (('9 is odd. True / False', 'True'), ('9 is odd. T F', 'False'), ('T / F', ''))
    """
    if (leading := _LEADING_TRUTH.match(stem)) and stem[leading.end() :].strip():
        stem = f"{stem[leading.end() :].strip()}\u2003{leading[0].strip(' :.')}"
    match = _MARKED_TRUTH.search(stem)
    if match is None:
        return stem, ""
    words = [_EMPHASIS.sub("", match[name]) for name in ("first", "second")]
    marked = [word for word, name in zip(words, ("first", "second"), strict=True) if word != match[name]]
    if len(marked) != 1 or {truth_of(word) for word in words} != {"True", "False"}:
        return stem, ""
    return f"{stem[: match.start()]}{words[0]}{match['between']}{words[1]}", truth_of(marked[0])


def offers_truth(text: str) -> bool:
    """Return whether a true-or-false statement ends with the words to choose from: "9 is odd. T / F"."""
    plain = chosen_truth(text)[0]
    return statement_of(plain) != plain


def asks_for_truth(text: str) -> bool:
    """Return whether a text is a true-or-false statement, indicated before or after it.

    >>> asks_for_truth("True or false: 9 is odd."), asks_for_truth("9 is odd. T / F"), asks_for_truth("Is 9 odd?")
    (True, True, False)
    """
    return _LEADING_ORDER.match(text) is not None or offers_truth(text)


def statement_of(stem: str) -> str:
    """Return the statement before "true / false", or the whole text if its last sentence continues into these words.

    >>> statement_of("The sum is even. True or false"), statement_of("The sum is even True / False")
    ('The sum is even.', 'The sum is even')
    >>> statement_of("Decide whether each statement is true or false.")
    'Decide whether each statement is true or false.'
    """
    match = _TRUE_FALSE.search(stem)
    if match is None:
        return stem
    before = stem[: match.start()]
    if _WHOLE_SENTENCE.search(before) or (_ASIDE.match(match[0]) and not _GOES_ON.search(before)):
        return before
    return stem


# -- directions --------------------------------------------------------------------------------------------------------


WORD_BANK = re.compile(r"\W*(?:word ?(?:bank|box|list)|choose from|wörter(?:kasten)?|banque de mots)\b", re.IGNORECASE)
"""Introduces a list of words to choose from."""


def is_order(text: str) -> bool:
    """Return whether directions describe the task, rather than only where and how to write.

    >>> is_order("Directions: Circle the letter of the best answer."), is_order("Solve each equation. Show your work.")
    (False, True)
    """
    orders = [part for part in re.split(r"(?<=[.:])\s", text) if ORDERS.match(part)]
    return bool(STATEMENTS.search(text)) or not all(map(ADMINISTERS.search, orders))


def is_given(text: str) -> bool:
    """Return whether a line below a heading introduces the topic of its questions rather than giving instructions.

    >>> is_given("A ladder is 6.5 m long."), is_given("Solve each equation."), is_given("True or false? Circle T or F.")
    (True, False, False)
    """
    tells_how = (TRUTH_SECTION, GAP_SECTION, CIRCLES_ONE, OFFERS_CHOICE, ADMINISTERS)
    is_sentence = text.startswith(("|", "![")) or (" " in text and text.endswith((".", "。", ":", "：")))
    return (
        is_sentence
        and not directs(text)
        and not POINTS_ALONE.fullmatch(text)
        and not any(pattern.search(text) for pattern in tells_how)
    )


def asks(text: str) -> bool:
    """Return whether any sentence of a text asks something or leaves space for an answer.

    >>> asks("Two trains leave. Find how far they are apart."), asks("No calculator for this one!")
    (True, False)
    """
    is_task = any(map(TASK.match, re.split(r"[.!。;:\n]\s*", text.replace("*", ""))))
    return is_task or re.search(r"[?？=]|选|[（(]\s*[）)]|__", text) is not None


# -- items to match ----------------------------------------------------------------------------------------------------


PAIRED = re.compile(
    r"(\d{1,2}|[ivx]{1,4}(?=\s*[-–—→=:.)])|[A-Za-z](?=\s*[-–—→=:.)]))\s*[-–—→=:.)]*>?\s*[(]?"
    r"([A-Za-z]|(?<=[-–—→=:.) ])\d{1,2})(?![A-Za-z0-9])"
)
"""A pair in an answer: "1-B"."""
_NAMED = re.compile(r"\W*(?P<left>.{1,60}?)\s*(?:[-–—→:]>?|[.)]\s)\s*[(]?(?P<right>[A-Za-z]|\d{1,2})[)]?\.?")
_SIDES = re.compile(rf"\||\t|{GAP}|\s(?=[(]?[A-Za-z][.)]\s)|\s(?=[A-H]\s\S+$)|(?<=\s[A-H])\s(?=\S+$)")
_LABEL = re.compile(r"[(]?([A-Za-z]|\d{1,2}|[ivx]{1,4})[.)]?")
_DRAWN = re.compile(r"_{2,}|[●•○]")


_HALVES = [
    re.compile(
        r"(?:\|\s*)?[_\s]*(?:[(]?(?:\d{1,2}|[ivx]{1,4})[.)])?\s*(?:\S.{0,80}?)?\s*(?:[|\t]|\s)\s*"
        rf"[{letter}{letter.lower()}](?:[.)]|\s*[|\t]|\s)\s*[^|]{{1,90}}\|?"
    )
    for letter in "ABCDEFGHIJKL"
]
_FEWEST_ROWS = 3
_WRITTEN = re.compile(r"(?m)^\|?\s*(?P<blank>_+\s*(?P<letter>[A-Ha-h])\s*_+)\s*(?:(?P<number>\d{1,2})[.)])?")


def matching_rows(texts: Sequence[str]) -> list[range]:
    """Return the ranges of rows to match below a line that asks to match: "1. radius   A. half of the diameter".

    A range includes the line itself and the column headings below it.
    """
    found = []
    for place, text in enumerate(texts):
        if not MATCHING.search(text) or row_cells(text) is not None:
            continue
        for start in range(place + 1, min(place + 4, len(texts))):
            end, is_table = start, row_cells(texts[start]) is not None
            while (
                end < len(texts) and (row_cells(texts[end]) is not None) == is_table and _half(texts[end], end - start)
            ):
                end += 1
            if end - start >= _FEWEST_ROWS:
                is_below_heading = SECTION.fullmatch(text.strip("* ")) is not None and place + 1 < start
                found.append(range(place + is_below_heading, end))
                break
    return found


def _half(text: str, count: int) -> bool:
    """Return whether a text has two sides, with the next letter on the right one."""
    return count < len(_HALVES) and _HALVES[count].fullmatch(text) is not None


def named_pairs(answer: str) -> list[tuple[str, str]]:
    """Return the pairs of left and right side in an answer, by labels or by the left side's text.

    >>> named_pairs("1-B, 2-A"), named_pairs("median – B, altitude – A"), named_pairs("x = 4")
    ([('1', 'B'), ('2', 'A')], [('median', 'B'), ('altitude', 'A')], [])
    """
    found = [(match[1], match[2]) for match in PAIRED.finditer(answer)]
    items = [_NAMED.fullmatch(item.strip()) for item in re.split(r"[,;·\n]", answer) if item.strip()]
    if len(items) > 1 and all(items):
        found = [(item["left"].strip("() "), item["right"]) for item in items if item]
    return found if len(found) > 1 else []


def pairs_of(stem: str, answer: str) -> tuple[str, tuple[MatchingPair, ...]]:
    """Return the stem and the matching pairs, if the answer gives them."""
    named = [(_key(left), right.lower()) for left, right in named_pairs(answer)]
    left, right, rest = _named_sides(stem, dict(named), {other for _, other in named})
    if not any(one in left for one, _ in named):  # unnumbered rows are named by their position
        left = dict(zip(map(str, range(1, len(left) + 1)), dict.fromkeys(left.values()), strict=False))
    pairs = [MatchingPair(left[one], right[other]) for one, other in named if one in left and other in right]
    if not named or len(pairs) < len(named) or not rest:
        return stem, ()
    used = {pair.right for pair in pairs}
    spare = (MatchingPair("", text) for text in right.values() if text not in used)
    headless = [line for line in rest if row_cells(line) is None and "|" not in line]
    return "\n".join(headless or rest), (*pairs, *spare)


def _named_sides(
    stem: str, lefts: Container[str], rights: Set[str]
) -> tuple[dict[str, str], dict[str, str], list[str]]:
    """Return the texts of both sides by name, the left ones also by text, and the lines without sides.

    Args:
        lefts: names of left sides in the answer.
        rights: names of right sides in the answer.
    """
    left: dict[str, str] = {}
    right: dict[str, str] = {}
    rest = []
    of_right = rights | {*"abcdefghijkl"}
    for line in stem.split("\n"):
        sides = [*_sides(line)]
        has_letter = any(label in rights for label, _ in sides)
        named_here = [side for side in sides if side[0] or has_letter or _key(side[1]) in lefts]
        if not named_here:
            rest.append(line)
        for label, text in named_here:
            if label in of_right and label not in lefts:
                right[label] = text
            else:
                left[label or _key(text)] = text
                left[_key(text)] = text
    return left, right, rest


def take_letters(stem: str) -> tuple[str, str]:
    r"""Remove answer letters written before the rows of a matching question, and return them as pairs.

    >>> take_letters("Match.\n| _B_ cube | A. 4 faces |\n| _A_ tetrahedron | B. 6 faces |")[1]
    '1-B, 2-A'
    """
    rows = [*_WRITTEN.finditer(stem)]
    if len(rows) < 2:  # a single one is a gap
        return stem, ""
    said = ", ".join(f"{row['number'] or place}-{row['letter']}" for place, row in enumerate(rows, start=1))
    return _WRITTEN.sub(lambda row: row[0].replace(row["blank"], ""), stem), said


def _key(text: str) -> str:
    return "".join(sign for sign in text.lower() if sign.isalnum()) or text.lower()


def _sides(line: str) -> Iterator[tuple[str, str]]:
    """Yield the label (may be empty) and text of each item on a line."""
    pieces = [piece.strip() for piece in _SIDES.split(_DRAWN.sub(" ", line)) if piece.strip()]
    place = 0
    while place < len(pieces):
        bare = _LABEL.fullmatch(pieces[place])
        if bare and place + 1 < len(pieces):
            yield bare[1].lower(), pieces[place + 1]
            place += 2
            continue
        number, text = take_mark(pieces[place])
        mark = read_mark(number)
        yield (mark.label.lower(), text) if mark and text else ("", pieces[place])
        place += 1
