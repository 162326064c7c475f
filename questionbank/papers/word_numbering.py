"""The numbers that Word shows before paragraphs, and the properties of its styles (ECMA-376 part 1, 17.7 and 17.9)."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_SATURATION = 60  # of 255, between the strongest and weakest channel: less reads as black or grey
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
            self._abstract[name] = _value(number, "abstractNumId")
            for override in number.findall(f"{_W}lvlOverride"):
                place = int(override.get(f"{_W}ilvl") or 0)
                if (start := _value(override, "startOverride")).isdigit():
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
    start = _value(element, "start")
    return _Level(
        int(start) if start.isdigit() else 1, _value(element, "numFmt") or "decimal", _value(element, "lvlText")
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
            level = _value(listed, "ilvl")
            self._styles[style.get(f"{_W}styleId") or ""] = _Style(
                name=_value(style, "name").lower(),
                based_on=_value(style, "basedOn"),
                list_name=_value(listed, "numId"),
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
        """Return list and level of a paragraph, from its own properties or its style; None if it is not in a list."""
        own = properties.find(f"{_W}numPr") if properties is not None else None
        name, level = _value(own, "numId"), _value(own, "ilvl")
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
                _value(properties, "color")
                or _value(properties, "highlight")
                or properties.find(f"{_W}shd") is not None
            ):
                return _is_coloured(properties)
            if any(style.is_coloured for style in self._chain(_value(properties, "rStyle"))):
                return "hyperlink" not in (self._styles[_value(properties, "rStyle")].name)
        chain = self._chain(paragraph_style)
        is_heading = any(style.name.startswith(("heading", "title")) for style in chain)
        return not is_heading and any(style.is_coloured for style in chain)


def _is_coloured(properties: Any) -> bool:
    if properties is None:
        return False
    if _value(properties, "highlight") not in ("", "none", "white"):
        return True
    shading = properties.find(f"{_W}shd")
    if shading is not None and (shading.get(f"{_W}fill") or "auto").lower() not in ("auto", "ffffff"):
        return True
    return is_colour(_value(properties, "color"))


def is_colour(code: str) -> bool:
    """Return whether a colour, as six hexadecimal digits, is anything but black, grey or white.

    >>> is_colour("FF0000"), is_colour("333333"), is_colour("auto")
    (True, False, False)
    """
    code = code.removeprefix("#")
    if not re.fullmatch(r"[0-9A-Fa-f]{6}", code):
        return False
    channels = [int(code[place : place + 2], 16) for place in (0, 2, 4)]
    return max(channels) - min(channels) > _SATURATION


def _value(element: Any, name: str) -> str:
    found = element.find(f"{_W}{name}") if element is not None else None
    return found.get(f"{_W}val") or "" if found is not None else ""
