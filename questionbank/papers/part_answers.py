"""The answers of a question's parts: parsed from one or several lines, and assigned to the parts."""

from __future__ import annotations

import re
from collections.abc import Sequence

from analytics.text.formulas import formula_segments
from questionbank.papers import phrases, truth_phrases
from questionbank.papers.marks import read_mark
from questionbank.papers.points import without_points

_LABELLED = re.compile(
    r"(?:^|(?<=[\s;,，；。.\u2003]))(?:part\s)?(?P<open>[(（\[])?(?:(?P<label>(?-i:[a-h])|(?-i:[ivx]{1,4})|\d(?=[)）]|\.\s))"
    r"(?:[)）\]]\.?|(?<=[a-h\d])[.:](?=\s)|(?<=[a-h])\s[-–—](?=\s)|(?<=[a-h])(?P<weak>(?=\s+(?:[\d$√]|[a-z]\s?=))))|(?P<circled>[①-⑳]))\s*",
    re.IGNORECASE,
)
_OPENING, _CLOSING = "(（[", (")", "）", "]")


def short_answer(text: str) -> str:
    """Remove a trailing full stop or semicolon from an answer; a sentence keeps its own.

    >>> short_answer("3/2."), short_answer("It has four right angles."), short_answer("20;")
    ('3/2', 'It has four right angles.', '20')
    """
    bare = text.rstrip(";；，, ")
    is_sentence = len(re.findall(r"[^\W\d_]{2,}", bare)) > 2 or "\n" in bare
    return bare if is_sentence else bare.rstrip(".。．") or text


def by_parts(text: str) -> dict[str, str]:
    r"""Split a text by the part labels at the start of its lines or within them; empty if there are no labels.

    >>> by_parts("a) 5; c) 7"), by_parts("(1) x = 2 (2) 3"), by_parts("(a) 5 cm"), by_parts("b) 5")
    ({'a': '5', 'c': '7'}, {'1': 'x = 2', '2': '3'}, {'a': '5 cm'}, {'b': '5'})
    >>> by_parts("(a) (i) 5 (ii) 7\n(b) 8"), by_parts("x = 4")
    ({'a': '(i) 5 (ii) 7', 'b': '8'}, {})
    """
    formulas = [(segment.start, segment.end) for segment in formula_segments(text)]
    places: list[re.Match[str]] = []
    for match in _LABELLED.finditer(text):
        if any(begin < match.start() < end for begin, end in formulas):
            continue
        if not places and text[: match.start()].strip():
            return {}
        label, before = _label(match), _label(places[-1]) if places else ""
        if len(label) > 1 and before in {*"abcdefgh"}:  # "(ii)" within "(a)"
            continue
        step = _rank(label) - _rank(before)
        is_like = not places or bool(match["open"]) == bool(places[0]["open"]) or step == 1
        if not places or (label.isdigit() == before.isdigit() and is_like and 0 < step <= 3):
            places.append(match)
    if any(match["weak"] is not None for match in places) and len(places) < 2:
        return {}
    ends = [*(match.start() for match in places[1:]), len(text)]
    return {
        _label(match).lower(): short_answer(text[match.end() : end].strip(" ;,，；\u2003\n"))
        for match, end in zip(places, ends, strict=False)
    }


def _label(match: re.Match[str]) -> str:
    return match["label"] or str(ord(match["circled"]) - ord("①") + 1)


def _rank(label: str) -> int:
    mark = read_mark(f"({label})")
    return (mark.value if len(label) > 1 or mark.roman != 1 else 1) if mark is not None else 0


def answer_text(text: str) -> str:
    """Return an answer without the label before it and the points after it."""
    match = phrases.ANSWER.match(text) or phrases.KEY_TITLE.fullmatch(text.partition("\n")[0])
    text = text[match.end() :] if match else text
    if match and match[0][0] in _OPENING and text.rstrip(" .。").endswith(_CLOSING):  # "[Ans: 7]"
        text = text.rstrip(" .。")[:-1]
    bare = without_points(text)[0].strip(" \n") or text.strip(" \n()[]")  # "[15]" alone is not points
    return short_answer(bare) if bare else ""


def rename_by_order(labels: Sequence[str], answers: dict[str, str]) -> dict[str, str]:
    """Relabel answers by the parts' labels if there are as many and their own labels all differ: (i) for (a)."""
    if len(labels) == len(answers) > 0 and not {*labels} & {*answers}:
        return dict(zip(labels, answers.values(), strict=True))
    return answers


def in_order(labels: Sequence[str], text: str) -> dict[str, str]:
    """Return the parts' answers if a text lists them in order: between semicolons or gaps, or as true and false.

    >>> in_order(["i", "ii"], "T – F"), in_order(["a", "b"], "5; x = 6"), in_order(["a", "b"], "5")
    ({'i': 'True', 'ii': 'False'}, {'a': '5', 'b': 'x = 6'}, {})
    """
    truths = [truth_phrases.truth_of(word) for word in re.split(r"[\s,;/–—、，；-]+", text.strip(" ."))]
    for pieces in (truths, re.split(r"\s*(?:[;；\n\t\u2003]|\s{2})\s*", text), re.split(r",\s+|，|、", text)):
        if len(pieces) == len(labels) > 1 and all(pieces):
            return dict(zip(labels, pieces, strict=True))
    return {}
