"""Compute the numbers shown before list items, which pandoc does not report.

Word: the numbering and styles of ECMA-376 part 1, 17.7 and 17.9. OpenDocument: version 1.3, part 3, 5.3. pandoc
numbers each OpenDocument list on its own, but a list interrupted by other text is stored as two lists, of which the
second continues the first. This also happens in nested lists: `(b)` below an answer space is then stored in an inner
list, inside an outer item that has no number.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any

from questionbank.papers.pandoc import NUMBER_BEGINS, NUMBER_ENDS
from questionbank.papers.paragraphs import is_colour

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_LEVEL = re.compile(r"%(\d)")
_HAN = "零一二三四五六七八九"
_ROMAN = ((100, "c"), (90, "xc"), (50, "l"), (40, "xl"), (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i"))
_SYMBOLS = {"\uf0a8": "☐", "\uf06f": "☐", "\uf072": "☐", "\uf0fe": "☑", "\uf0fd": "☒", "\uf0fc": "☑"}  # in Wingdings
_BOXES = "☐☑☒□■○●"
_DEEPEST = 20  # styles in a chain of base styles


@dataclass(frozen=True, slots=True)
class _Level:
    start: int
    shape: str
    text: str


@dataclass(slots=True)
class Counters:
    """Counts the numbered paragraphs of one document, in order.

    Args:
        numbering: root of ``numbering.xml``; None if it does not exist.
    """

    numbering: Any
    _levels: dict[str, dict[int, _Level]] = field(default_factory=dict)
    _abstract: dict[str, str] = field(default_factory=dict)
    _overrides: dict[str, dict[int, int]] = field(default_factory=dict)
    _counts: dict[str, dict[int, int]] = field(default_factory=lambda: defaultdict(dict))
    _begun: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        if self.numbering is None:
            return
        for abstract in self.numbering.iter(f"{_W}abstractNum"):
            levels = {int(level.get(f"{_W}ilvl") or 0): _level(level) for level in abstract.findall(f"{_W}lvl")}
            self._levels[abstract.get(f"{_W}abstractNumId") or ""] = levels
        for number in self.numbering.iter(f"{_W}num"):
            name = number.get(f"{_W}numId") or ""
            self._abstract[name] = word_value(number, "abstractNumId")
            for override in number.findall(f"{_W}lvlOverride"):
                place = int(override.get(f"{_W}ilvl") or 0)
                if (start := word_value(override, "startOverride")).isdigit():
                    self._overrides.setdefault(name, {})[place] = int(start)
                if (level := override.find(f"{_W}lvl")) is not None:
                    self._levels[f"of {name}"] = {**self._levels.get(self._abstract[name], {}), place: _level(level)}

    def label(self, name: str, place: int) -> str | None:
        """Return the number of a list's next paragraph at a level (0 is the outermost); None if it has no number."""
        abstract = self._abstract.get(name)
        levels = self._levels.get(f"of {name}") or self._levels.get(abstract or "", {})
        level = levels.get(place)
        if level is None or abstract is None:
            return None
        counts = self._counts[abstract]
        if name not in self._begun:
            self._begun.add(name)
            for overridden, start in self._overrides.get(name, {}).items():
                counts[overridden] = start - 1
        counts[place] = counts.get(place, level.start - 1) + 1
        for deeper in [other for other in counts if other > place]:
            del counts[deeper]
        if level.shape == "bullet":
            return bullet(level.text)
        if level.shape == "none":
            return level.text.strip() or None

        def shown(match: re.Match[str]) -> str:
            other = int(match[1]) - 1
            known = levels.get(other)
            return number_text(counts.get(other, known.start if known else 1), known.shape if known else "decimal")

        return _LEVEL.sub(shown, level.text).strip() or None


def _level(element: Any) -> _Level:
    start = word_value(element, "start")
    return _Level(
        int(start) if start.isdigit() else 1, word_value(element, "numFmt") or "decimal", word_value(element, "lvlText")
    )


def bullet(sign: str) -> str | None:
    """Normalise a list's symbol: tick boxes are kept, others become a bullet; None if there is no symbol.

    >>> bullet("☐"), bullet("–"), bullet(" ")
    ('☐', '•', None)
    """
    sign = _SYMBOLS.get(sign.strip(), sign.strip())
    return (sign if sign in _BOXES else "•") if sign else None


def number_text(number: int, shape: str) -> str:
    """Return a number in one of Word's formats.

    >>> [number_text(4, shape) for shape in ("decimal", "lowerLetter", "upperRoman", "chineseCounting")]
    ['4', 'd', 'IV', '四']
    """
    if shape in ("lowerLetter", "upperLetter") and number > 0:
        letter = chr(ord("a") + (number - 1) % 26) * ((number - 1) // 26 + 1)
        return letter.upper() if shape == "upperLetter" else letter
    if shape in ("lowerRoman", "upperRoman"):
        text, rest = "", number
        for value, sign in _ROMAN:
            text += sign * (rest // value)
            rest %= value
        return text.upper() if shape == "upperRoman" else text
    if shape.startswith(("chinese", "ideograph", "japanese", "taiwanese")) and 0 < number < 100:
        tens, ones = divmod(number, 10)
        return ("" if tens == 1 else _HAN[tens] if tens else "") + ("十" if tens else "") + (_HAN[ones] if ones else "")
    if shape.startswith("decimalEnclosedCircle") and 0 < number <= 20:
        return chr(0x2460 + number - 1)
    return f"{number:02}" if shape == "decimalZero" else str(number)


@dataclass(frozen=True, slots=True)
class _Style:
    name: str
    based_on: str
    list_name: str
    level: int | None
    is_coloured: bool


class Styles:
    """The styles of a document.

    Args:
        root: root of ``styles.xml``; None if it does not exist.
    """

    def __init__(self, root: Any) -> None:
        self._styles: dict[str, _Style] = {}
        for style in root.iter(f"{_W}style") if root is not None else ():
            listed = style.find(f"{_W}pPr/{_W}numPr")
            level = word_value(listed, "ilvl")
            self._styles[style.get(f"{_W}styleId") or ""] = _Style(
                name=word_value(style, "name").lower(),
                based_on=word_value(style, "basedOn"),
                list_name=word_value(listed, "numId"),
                level=int(level) if level.isdigit() else None,
                is_coloured=_is_coloured(style.find(f"{_W}rPr")),
            )
            if listed is not None:
                style.find(f"{_W}pPr").remove(listed)

    def _chain(self, name: str) -> list[_Style]:
        chain: list[_Style] = []
        while name in self._styles and len(chain) < _DEEPEST:
            chain.append(self._styles[name])
            name = chain[-1].based_on
        return chain

    def numbering(self, style: str, properties: Any) -> tuple[str, int] | None:
        """Return the list and level of a paragraph, by its own properties or its style; None if it is in no list."""
        own = properties.find(f"{_W}numPr") if properties is not None else None
        name, level = word_value(own, "numId"), word_value(own, "ilvl")
        chain = self._chain(style)
        name = name or next((known.list_name for known in chain if known.list_name), "")
        if not name or name == "0":
            return None
        place = int(level) if level.isdigit() else next((known.level for known in chain if known.level is not None), 0)
        return name, place or 0

    def depth(self, style: str) -> int:
        """Return the depth of a style's list by its name: 1 for "List Number 2", 0 for others."""
        name = next((known.name for known in self._chain(style)), "")
        match = re.fullmatch(r"list (?:number|bullet) ([2-5])", name)
        return int(match[1]) - 1 if match else 0

    def is_coloured(self, properties: Any, paragraph_style: str) -> bool:
        """Return whether a run is coloured, highlighted or shaded, by its own properties or its style."""
        if properties is not None:
            if (
                word_value(properties, "color")
                or word_value(properties, "highlight")
                or properties.find(f"{_W}shd") is not None
            ):
                return _is_coloured(properties)
            if any(style.is_coloured for style in self._chain(word_value(properties, "rStyle"))):
                return "hyperlink" not in (self._styles[word_value(properties, "rStyle")].name)
        chain = self._chain(paragraph_style)
        is_heading = any(style.name.startswith(("heading", "title")) for style in chain)
        return not is_heading and any(style.is_coloured for style in chain)


def _is_coloured(properties: Any) -> bool:
    if properties is None:
        return False
    if word_value(properties, "highlight") not in ("", "none", "white"):
        return True
    shading = properties.find(f"{_W}shd")
    if shading is not None and (shading.get(f"{_W}fill") or "auto").lower() not in ("auto", "ffffff"):
        return True
    return is_colour(word_value(properties, "color"))


def word_value(element: Any, name: str) -> str:
    """Return the value of a property of Word; empty if the element or the property does not exist."""
    found = element.find(f"{_W}{name}") if element is not None else None
    return found.get(f"{_W}val") or "" if found is not None else ""


# -- OpenDocument ------------------------------------------------------------------------------------------------------


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
        """Return the number of one level as text; the numbers of inner levels may include it, as in 2.1."""
        shape = self._levels.get((style, level))
        sign = shape.get(f"{_STYLE}num-format") or "" if shape is not None else ""
        return number_text(counts.get(level, ("", 1))[1], _SHAPES.get(sign[:1], "decimal")) if sign else ""


def _get(shape: Any, name: str) -> str:
    return (shape.get(f"{_TEXT}{name}") or "") if shape is not None else ""


def _whole(text: str | None, otherwise: int) -> int:
    return int(text) if text and re.fullmatch(r"[0-9]{1,4}", text) else otherwise
