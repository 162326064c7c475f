"""The answers of a question's parts: read from one line or several, and given to the parts."""

from __future__ import annotations

import re
from collections.abc import Sequence

from analytics.text.formulas import formula_segments
from questionbank.documents import phrases
from questionbank.documents.marks import read_mark
from questionbank.documents.points import without_points

_PART_ANSWER = re.compile(r"^\s*(?:[(（]?([a-h]|[ivx]{1,4})[)）.]|[(（](\d)[)）])\s*(.+)$")
_LETTERED = re.compile(
    r"(?:^|(?<=[\s;,，；。.\u2003]))(?P<open>[(（])?(?:(?P<label>[a-h]|[ivx]{1,4}|\d(?=[)）]|\.\s))(?:[)）]"
    r"|(?<=[a-h\d])\.(?=\s))|(?P<circled>[①-⑳]))\s*"
)


_OPENING, _CLOSING = "(（[", (")", "）", "]")


def short_answer(text: str) -> str:
    """Return an answer without the full stop or semicolon behind it; a sentence keeps its own.

    >>> short_answer("3/2."), short_answer("It has four right angles."), short_answer("20;")
    ('3/2', 'It has four right angles.', '20')
    """
    bare = text.rstrip(";；，, ")
    is_sentence = len(re.findall(r"[^\W\d_]{2,}", bare)) > 2 or "\n" in bare
    return bare if is_sentence else bare.rstrip(".。．") or text


def lettered_answers(text: str) -> dict[str, str]:
    """Return the answers of parts that one line lists, by the labels of the parts; empty where it lists none.

    >>> lettered_answers("a) 5; c) 7"), lettered_answers("(1) x = 2 (2) 3"), lettered_answers("(a) 5 cm")
    ({'a': '5', 'c': '7'}, {'1': 'x = 2', '2': '3'}, {})
    >>> lettered_answers("(a) (i) 5 (ii) 7 (b) 8")
    {'a': '(i) 5 (ii) 7', 'b': '8'}
    """
    formulas = [(segment.start, segment.end) for segment in formula_segments(text)]
    places: list[re.Match[str]] = []
    for match in _LETTERED.finditer(text):
        if any(begin < match.start() < end for begin, end in formulas):
            continue
        if not places and match.start():
            return {}
        label, before = _label(match), _label(places[-1]) if places else ""
        if len(label) > 1 and before in {*"abcdefgh"}:  # "(ii)" within "(a)"
            continue
        if not places or (
            label.isdigit() == before.isdigit()
            and bool(match["open"]) == bool(places[0]["open"])
            and 0 < _rank(label) - _rank(before) <= 3
        ):
            places.append(match)
    if len(places) < 2:
        return {}
    ends = [*(match.start() for match in places[1:]), len(text)]
    return {
        _label(match).lower(): short_answer(text[match.end() : end].strip(" ;,，；\u2003"))
        for match, end in zip(places, ends, strict=True)
    }


def _label(match: re.Match[str]) -> str:
    return match["label"] or str(ord(match["circled"]) - ord("①") + 1)


def _rank(label: str) -> int:
    mark = read_mark(f"({label})")
    return (mark.value if len(label) > 1 or mark.roman != 1 else 1) if mark is not None else 0


def part_answers(text: str) -> dict[str, str]:
    r"""Return the answers of parts that a text of several lines lists; empty where it lists none.

    >>> part_answers("(a) 5\n(b) 6"), part_answers("5 cm")
    ({'a': '5', 'b': '6'}, {})
    """
    matches = [_PART_ANSWER.match(line) for line in text.split("\n") if line.strip()]
    return (
        {match[1] or match[2]: match[3].strip() for match in matches if match}
        if matches and all(matches)
        else {}
    )


def answer_text(text: str) -> str:
    """Return an answer without the words before it and the points behind it."""
    match = phrases.ANSWER.match(text)
    text = text[match.end() :] if match else text
    if match and match[0][0] in _OPENING and text.rstrip(" .。").endswith(_CLOSING):  # "[Ans: 7]"
        text = text.rstrip(" .。")[:-1]
    bare = without_points(text)[0].strip(" \n") or text.strip(" \n()[]")  # "[15]" alone is no points
    return short_answer(bare) if bare else ""


def rename_by_order(labels: Sequence[str], answers: dict[str, str]) -> dict[str, str]:
    """Return answers by the labels of parts, where there are as many and the list names them otherwise: (i) for (a)."""
    if len(labels) == len(answers) > 0 and not {*labels} & {*answers}:
        return dict(zip(labels, answers.values(), strict=True))
    return answers


def truths_of(labels: Sequence[str], text: str) -> dict[str, str]:
    """Return true or false for each of the parts, where a text says nothing else, in their order.

    >>> truths_of(["i", "ii"], "T – F"), truths_of(["i", "ii"], "T")
    ({'i': 'True', 'ii': 'False'}, {})
    """
    truths = [phrases.truth_of(word) for word in re.split(r"[\s,;/–—、，；-]+", text.strip(" ."))]
    return dict(zip(labels, truths, strict=True)) if len(truths) == len(labels) > 1 and all(truths) else {}
