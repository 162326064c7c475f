"""Extract the points that a line gives from its text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from questionbank.papers import point_phrases
from questionbank.papers.paper import Line, Role

_EMPHASISED = re.compile(r"(?:^|(?<=\s))(?P<mark>\*{1,2}|_{1,2})(?P<inside>[^*_\n]{1,30})(?P=mark)\s*$")
_LONGEST_SUM = 80  # characters


def without_points(text: str, *, may_begin: bool = False, bare_points: bool = False) -> tuple[str, float | None, bool]:
    """Return a text without its points, the points, and whether they are a total.

    Args:
        may_begin: whether points may come before the text.
        bare_points: whether a number in round brackets at the end is points: "(2)".

    >>> without_points("Find x. (2 marks)"), without_points("Total: 5 marks"), without_points("Find x. *2 marks*")
    (('Find x.', 2.0, False), ('', 5.0, True), ('Find x.', 2.0, False))
    """
    text = _without_emphasis(text)
    is_total = re.search(r"\btotal\b|本[小大]?题|满分", text, re.IGNORECASE) is not None
    alone = point_phrases.POINTS_ALONE.fullmatch(text)
    if alone and re.search(r"[(\[（/]|[a-z分]", text, re.IGNORECASE):
        return "", point_phrases.points_of(alone["points"]), is_total
    for match in point_phrases.POINTS.finditer(text):
        value = point_phrases.points_of(next(filter(None, match.groups())))
        if match.end() == len(text) and match.start():
            return text[: match.start()].rstrip(), value, is_total
        if may_begin and match.start() == 0:
            return text[match.end() :].lstrip(), value, is_total
    bare = point_phrases.BARE_POINTS.search(text)
    if bare and (bare["open"] == "[" or bare_points) and text[: bare.start()].strip():
        return text[: bare.start()].rstrip(), point_phrases.points_of(bare["points"]), False
    return text, None, False


def paper_totals(lines: Sequence[Line], roles: Sequence[Role]) -> Iterator[int]:
    """Yield the lines that give the total of a paper or section, below its last question: "Total: 50 points".

    A line with less than the total of the questions above it is the total of its own question, as is every such line in
    a paper that totals its questions one by one.
    """
    starts = [place for place, role in enumerate(roles) if role in (Role.QUESTION, Role.HEADING, Role.KEY)]
    above: list[float] = []  # points of each question in the section
    sums_questions = False
    for start, end in pairwise([*starts, len(roles)]):
        if roles[start] is not Role.QUESTION:
            above = []
            continue
        sums = [place for place in range(start + 1, end) if roles[place] is Role.MORE and _sum_of(lines[place].text)]
        given = [
            without_points(lines[place].text, may_begin=True)[1] or 0
            for place in range(start, end)
            if place not in sums
        ]
        is_last = end == len(roles) or roles[end] is not Role.QUESTION
        if sums and is_last and above:
            value = _sum_of(lines[sums[-1]].text)
            if len(sums) > 1 or (not sums_questions and value > max(sum(above), sum(given))):
                yield sums[-1]
        sums_questions = sums_questions or (bool(sums) and not is_last)
        above.append(sum(given))


def stated_total(lines: Sequence[Line], roles: Sequence[Role]) -> float:
    """Return the total points that a paper states; 0 if it states none."""
    is_asked = [role in (Role.QUESTION, Role.HEADING) for role in roles]
    sums = [
        _sum_of(line.text)
        for place, (line, role) in enumerate(zip(lines, roles, strict=True))
        if role is Role.NOTHING
        and (not any(is_asked[:place]) or not any(is_asked[place:]))
        and not point_phrases.OF_SECTION.search(line.text)
    ]
    return max(sums, default=0.0)


def _sum_of(text: str) -> float:
    """Return the points of a line that only gives a total; 0 for any other line."""
    is_sum = len(text) <= _LONGEST_SUM and point_phrases.SUM.fullmatch(text.replace("*", ""))
    return float(max(re.findall(r"\d{1,3}(?:\.5)?", text), default=0, key=float)) if is_sum else 0


def _without_emphasis(text: str) -> str:
    """Put emphasised points at the end of a text in brackets."""
    found = _EMPHASISED.search(text)
    if found is None or not re.search(r"[a-z分\])）】]", found["inside"], re.IGNORECASE):
        return text
    if not point_phrases.POINTS_ALONE.fullmatch(found["inside"]):
        return text
    return f"{text[: found.start()]}({found['inside'].strip(' ()[]（）【】')})"
