"""The points that a line gives, taken out of its text."""

from __future__ import annotations

import re

from questionbank.documents import phrases

_EMPHASISED = re.compile(r"(?:^|(?<=\s))(?P<mark>\*{1,2}|_{1,2})(?P<inside>[^*_\n]{1,30})(?P=mark)\s*$")


def without_points(
    text: str, *, may_begin: bool = False, bare_points: bool = False
) -> tuple[str, float | None, bool]:
    """Return a text without the points that it gives, the points, and whether they are a total.

    Args:
        may_begin: points may stand before the text.
        bare_points: a number in round brackets at its end is points: "(2)".

    >>> without_points("Find x. (2 marks)"), without_points("Total: 5 marks"), without_points("Find x. *2 marks*")
    (('Find x.', 2.0, False), ('', 5.0, True), ('Find x.', 2.0, False))
    """
    text = _without_emphasis(text)
    is_total = re.search(r"\btotal\b|本[小大]?题|满分", text, re.IGNORECASE) is not None
    alone = phrases.POINTS_ALONE.fullmatch(text)
    if alone and re.search(r"[(\[（/]|[a-z分]", text, re.IGNORECASE):
        return "", float(alone["points"].replace(",", ".")), is_total
    for match in phrases.POINTS.finditer(text):
        found = match["points"] or match["bare"] or match["of"] or match["slash"]
        value = float(found.replace(",", "."))
        if match.end() == len(text) and match.start():
            return text[: match.start()].rstrip(), value, is_total
        if may_begin and match.start() == 0:
            return text[match.end() :].lstrip(), value, is_total
    bare = phrases.BARE_POINTS.search(text)
    if bare and (bare["open"] == "[" or bare_points) and text[: bare.start()].strip():
        return text[: bare.start()].rstrip(), float(bare["points"]), False
    return text, None, False


def _without_emphasis(text: str) -> str:
    """Write points that stand emphasised at the end in brackets."""
    found = _EMPHASISED.search(text)
    if found is None or not re.search(r"[a-z分\])）】]", found["inside"], re.IGNORECASE):
        return text
    if not phrases.POINTS_ALONE.fullmatch(found["inside"]):
        return text
    return f"{text[: found.start()]}({found['inside'].strip(' ()[]（）【】')})"
