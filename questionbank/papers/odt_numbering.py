"""Compute the numbers shown before list items in an OpenDocument text (OpenDocument 1.3, part 3, 5.3).

pandoc numbers each list separately, but an interrupted list continues in a new list, even at an inner level: `(b)`
below an answer space is an item of a list nested in an item of another list, and the outer item has no number.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from questionbank.papers.blocks import NUMBER_BEGINS, NUMBER_ENDS
from questionbank.papers.word_numbering import bullet, number_text

_TEXT = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
_STYLE = "{urn:oasis:names:tc:opendocument:xmlns:style:1.0}"
_XML_ID = "{http://www.w3.org/XML/1998/namespace}id"
_SHAPES = {"1": "decimal", "a": "lowerLetter", "A": "upperLetter", "i": "lowerRoman", "I": "upperRoman"}
_SHAPES |= {"一": "chineseCounting", "①": "decimalEnclosedCircle"}
_Counts = dict[int, tuple[str, int]]
"""The current count of a list at each level, from 1, and the style of its numbers."""


@dataclass(slots=True)
class ListNumbers:
    """Numbers the lists of one document, in order.

    Args:
        roots: roots of the parts that contain list styles.
    """

    roots: list[Any]
    _levels: dict[tuple[str, int], Any] = field(default_factory=dict)
    _lists: dict[str, _Counts] = field(default_factory=dict)  # the last list by style, and every list by id

    def __post_init__(self) -> None:
        for root in self.roots:
            for style in root.iter(f"{_TEXT}list-style"):
                for level in style:
                    place = _whole(level.get(f"{_TEXT}level"), 1)
                    self._levels[style.get(f"{_STYLE}name") or "", place] = level

    def write(self, parent: Any) -> None:
        """Replace the lists below an element with their paragraphs, with the number before the text."""
        children: list[Any] = []
        for child in parent:
            if child.tag == f"{_TEXT}tracked-changes":
                children.append(child)  # deleted text, which is not counted
                continue
            style = child.get(f"{_TEXT}style-name") or ""
            is_list = child.tag == f"{_TEXT}list"
            found = self._items(child, style, 1, self._counts(child, style)) if is_list else [child]
            for element in found:
                self.write(element)
            children += found
        parent[:] = children

    def _counts(self, element: Any, style: str) -> _Counts:
        """Return the counts of a list: those of the list that it continues, or new ones."""
        counts: _Counts = {}
        continued = element.get(f"{_TEXT}continue-list")
        if continued is not None:
            counts = self._lists.get(f"#{continued}", counts)
        elif element.get(f"{_TEXT}continue-numbering") == "true":
            counts = self._lists.get(style, counts)
        self._lists[style] = counts
        self._lists[f"#{element.get(_XML_ID)}"] = counts
        return counts

    def _items(self, element: Any, style: str, level: int, counts: _Counts) -> list[Any]:
        """Return the content of a list, with inner lists flattened."""
        style = element.get(f"{_TEXT}style-name") or style
        found: list[Any] = []
        for item in element:
            is_numbered = item.tag == f"{_TEXT}list-item"
            start = _whole(item.get(f"{_TEXT}start-value"), -1)
            for content in item:
                if content.tag == f"{_TEXT}list":
                    found += self._items(content, style, level + 1, counts)
                    is_numbered = False  # a number is only printed before the first line
                    continue
                if content.tag in (f"{_TEXT}p", f"{_TEXT}h"):
                    number = self._number(style, level, counts, start) if is_numbered else ""
                    content.text = f"{NUMBER_BEGINS}{level}|{number}{NUMBER_ENDS}{content.text or ''}"
                    is_numbered = False
                found.append(content)
        return found

    def _number(self, style: str, level: int, counts: _Counts, start: int) -> str:
        """Return the next number of a list at a level.

        Args:
            start: the item's explicit start value; -1 if it has none.
        """
        shape = self._levels.get((style, level))
        if start < 0:
            before, count = counts.get(level, ("", 0))
            start = count + 1 if before == style else _whole(_get(shape, "start-value"), 1)
        counts[level] = (style, start)
        for deeper in [other for other in counts if other > level]:
            del counts[deeper]
        if shape is None or shape.tag != f"{_TEXT}list-level-style-number":
            return bullet(_get(shape, "bullet-char") or "•") or ""
        first = level + 1 - _whole(_get(shape, "display-levels"), 1)
        shown = (self._label(style, other, counts) for other in range(max(first, 1), level + 1))
        prefix, suffix = (shape.get(f"{_STYLE}num-{name}") or "" for name in ("prefix", "suffix"))
        return f"{prefix}{'.'.join(filter(None, shown))}{suffix}".strip()

    def _label(self, style: str, level: int, counts: _Counts) -> str:
        """Return the number at a level, as shown in a number of that level or of an inner one."""
        shape = self._levels.get((style, level))
        sign = shape.get(f"{_STYLE}num-format") or "" if shape is not None else ""
        return number_text(counts.get(level, ("", 1))[1], _SHAPES.get(sign[:1], "decimal")) if sign else ""


def _get(shape: Any, name: str) -> str:
    return (shape.get(f"{_TEXT}{name}") or "") if shape is not None else ""


def _whole(text: str | None, otherwise: int) -> int:
    return int(text) if text and re.fullmatch(r"[0-9]{1,4}", text) else otherwise
