"""Moodle's gaps that are chosen from a list (gapselect) or dragged into place (ddwtos): ``[[3]]`` is the third choice.

https://docs.moodle.org/en/Select_missing_words_question_type
"""

from __future__ import annotations

import re
from collections.abc import Callable
from xml.etree.ElementTree import Element

from analytics.question_content import Blank, Option
from questionbank.formats.items import numbered_gaps
from questionbank.formats.kinds import lettered

TYPES = frozenset({"ddwtos", "gapselect"})
_MARK = re.compile(r"\[\[(\d{1,3})\]\]")


def read_gap_list(
    element: Element, text: str, text_of: Callable[[str], str]
) -> tuple[str, tuple[Blank, ...]] | None:
    """Return our text and the gaps of a question; None where a gap names no choice, or there is none.

    Args:
        text: ours, with Moodle's marks.
        text_of: returns our text of a choice.
    """
    choices = [
        (text_of(choice.findtext("text") or ""), choice.findtext("group") or "1")
        for choice in element
        if choice.tag in ("dragbox", "selectoption")
    ]
    wanted = [int(match[1]) - 1 for match in _MARK.finditer(text)]
    if not wanted or not all(0 <= place < len(choices) for place in wanted):
        return None
    blanks = tuple(Blank("choice", (), _options(choices, place)) for place in wanted)
    return numbered_gaps(_MARK, text), blanks


def _options(choices: list[tuple[str, str]], right: int) -> tuple[Option, ...]:
    offered = [place for place, (_text, group) in enumerate(choices) if group == choices[right][1]]
    return lettered((choices[place][0], place == right, "") for place in offered)
