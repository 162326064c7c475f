"""A formula in words, as read by a screen reader.

Unambiguous and short rather than elegant: anything longer than a letter or a number has its end announced, and
brackets are read as they are.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable

from questionbank.worksheets.printing.markup import Element

_SIGNS = {
    "+": "plus", "−": "minus", "-": "minus", "±": "plus or minus", "∓": "minus or plus", "=": "equals",
    "≠": "is not equal to", "<": "is less than", ">": "is greater than", "≤": "is at most", "≥": "is at least",
    "⩽": "is at most", "⩾": "is at least", "≈": "is approximately", "≡": "is equivalent to", "∼": "is similar to",
    "≅": "is congruent to", "×": "times", "⋅": "times", "·": "times", "∗": "times", "*": "times", "÷": "divided by",
    "/": "over", ":": "to", "∶": "to", "∈": "is in", "∉": "is not in", "⊂": "is a subset of", "⊆": "is a subset of",
    "∪": "union", "∩": "intersection", "∖": "without", "∅": "the empty set", "→": "to", "⟶": "to", "←": "from",
    "⇒": "implies", "⟹": "implies", "⇔": "if and only if", "⟺": "if and only if", "↦": "maps to", "∞": "infinity",
    "∘": "circle", "°": "degrees", "′": "prime", "″": "double prime", "‴": "triple prime", "!": "factorial",
    "%": "percent", "$": "dollars", "∑": "the sum", "∏": "the product", "∫": "the integral", "∬": "the double integral",
    "∮": "the contour integral", "∂": "partial", "∇": "nabla", "∠": "angle", "△": "triangle",
    "⊥": "is perpendicular to", "∥": "is parallel to", "∀": "for all", "∃": "there is",
    "¬": "not", "∧": "and", "∨": "or", "∣": "divides",
    "|": "bar", "‖": "double bar", "(": "open bracket", ")": "close bracket", "[": "open square bracket",
    "]": "close square bracket", "{": "open brace", "}": "close brace", "⟨": "open angle bracket",
    "⟩": "close angle bracket", "⌊": "floor of", "⌋": "end floor", "⌈": "ceiling of", "⌉": "end ceiling",
    "…": "and so on", "⋯": "and so on", "⋮": "and so on down", "⋱": "and so on", ",": ",", ";": ";", ".": "point",
    "∴": "therefore", "∵": "because", "□": "box", "ℝ": "the real numbers", "ℤ": "the integers",
    "ℕ": "the natural numbers", "ℚ": "the rational numbers", "ℂ": "the complex numbers",
}  # fmt: skip
_FUNCTIONS = {
    "sin": "sine", "cos": "cosine", "tan": "tangent", "cot": "cotangent", "sec": "secant", "csc": "cosecant",
    "log": "log", "ln": "natural log", "lim": "the limit", "max": "the maximum", "min": "the minimum",
    "gcd": "the greatest common divisor", "lcm": "the least common multiple", "mod": "modulo", "exp": "exponential",
    "arcsin": "arc sine", "arccos": "arc cosine", "arctan": "arc tangent", "det": "determinant",
}  # fmt: skip
_POWERS = {"2": "squared", "3": "cubed", "∘": "degrees", "°": "degrees", "′": "prime", "″": "double prime"}
_LARGE = {"the sum", "the product", "the integral", "the double integral", "the limit", "the maximum", "the minimum"}
_MARKS = {
    "¯": "bar", "‾": "bar", "→": "vector", "⃗": "vector", "ˆ": "hat", "^": "hat", "~": "tilde", "˜": "tilde",
    "˙": "dot", "¨": "double dot", "⏜": "arc", "⌢": "arc", "_": "underlined", "⏟": "with a brace below",
    "⏞": "with a brace above",
}  # fmt: skip
_ROOTS = {"2": "square root", "3": "cube root", "4": "fourth root", "5": "fifth root"}
_STRIKES = "diagonalstrike", "horizontalstrike"
_ALPHABETS = ("MATHEMATICAL ", "DOUBLE-STRUCK ", "BLACK-LETTER ", "SCRIPT ", "FRAKTUR ")


def formula_in_words(math: Element) -> str:
    """Return a ``<math>`` element in English words; its source if it cannot be read."""
    words = " ".join(_row(math).split()).replace(" ,", ",").replace(" ;", ";")
    return words or math.attributes.get("data-latex", "") or "an empty formula"


def _say(element: Element) -> str:
    return _KINDS.get(element.tag, _row)(element)


def _row(element: Element) -> str:
    return " ".join(said for child in element.elements if (said := _say(child)))


def _leaf(element: Element) -> str:
    text = element.text().strip()
    if text in _FUNCTIONS:
        return _FUNCTIONS[text]
    if len(text) != 1:
        return text if element.tag != "mn" else text.replace("−", "minus ")
    if text in _SIGNS:
        return _SIGNS[text]
    if text.isascii():
        return text
    return _character(text)


def _character(character: str) -> str:
    """Return the name of a Greek letter, or of a letter in a mathematical alphabet."""
    plain = unicodedata.normalize("NFKC", character)
    if plain != character and plain.isascii():
        return plain
    name = unicodedata.name(plain if len(plain) == 1 else character, "")
    if name.startswith("GREEK"):
        last = name.removesuffix(" SYMBOL").rsplit(" ", 1)[-1].lower()
        return f"capital {last}" if " CAPITAL " in name else last
    if any(word in name for word in (*_ALPHABETS, "SIGN", "ARROW", "OPERATOR")):
        return name.lower()
    return character


def _is_short(element: Element) -> bool:
    inner = element
    while inner.tag in {"mrow", "mstyle"} and len(inner.elements) == 1:
        inner = inner.elements[0]
    return inner.tag in {"mi", "mn", "mo"}


def _fraction(element: Element) -> str:
    above, below = element.elements
    if element.attributes.get("linethickness", "").startswith("0"):
        return f"{_say(above)} above {_say(below)}"
    if _is_short(above) and _is_short(below):
        return f"{_say(above)} over {_say(below)}"
    return f"the fraction {_say(above)} over {_say(below)}, end of fraction,"


def _root(element: Element) -> str:
    body, *degree = element.elements if element.tag == "mroot" else [element]
    index = degree[0].text().strip() if degree else "2"
    name = _ROOTS.get(index) or f"{_say(degree[0])} root"
    inner = _say(body) if degree else _row(body)
    is_short = _is_short(body) if degree else len(element.elements) == 1 and _is_short(element.elements[0])
    return f"the {name} of {inner}" + ("" if is_short else ", end of root,")


def _scripts(element: Element) -> str:
    base, *scripts = element.elements
    said = _say(base)
    below = scripts[0] if element.tag != "msup" else None
    power = scripts[-1] if element.tag != "msub" else None
    if said in _LARGE:
        return _from_to(said, below, power)
    if below is not None:
        said += f" sub {_say(below)}"
    return f"{said} {_power(power)}" if power is not None else said


def _from_to(said: str, below: Element | None, above: Element | None) -> str:
    if below is not None:
        said += f" {'as' if said == 'the limit' else 'from'} {_say(below)}"
    if above is not None:
        said += f" to {_say(above)}"
    return f"{said} of"


def _power(power: Element) -> str:
    text = power.text().strip()
    if text in _POWERS:
        return _POWERS[text]
    return f"to the power {_say(power)}" + ("" if _is_short(power) else ", end of power,")


def _over_and_under(element: Element) -> str:
    base, *scripts = element.elements
    said = _say(base)
    below = scripts[0] if element.tag != "mover" else None
    above = scripts[-1] if element.tag != "munder" else None
    if said in _LARGE:
        return _from_to(said, below, above)
    for script, where in ((below, "below"), (above, "above")):
        if script is not None and script.tag != "mspace":
            mark = script.text().strip()
            said += f" {_MARKS[mark]}" if mark in _MARKS else f" with {_say(script)} {where}"
    return said


def _table(element: Element) -> str:
    rows = [row.elements for row in element.elements if row.tag == "mtr"]
    columns = max((len(row) for row in rows), default=0)
    said = [", ".join(_row(cell) or "blank" for cell in row) for row in rows]
    if columns == 1 or "tml-jot" in element.classes:
        said = [" ".join(_row(cell) for cell in row) for row in rows]
        return "; ".join(said)
    listed = "; ".join(f"row {number}: {row}" for number, row in enumerate(said, start=1))
    return f"a table of {len(rows)} by {columns}: {listed}; end of table,"


def _enclosed(element: Element) -> str:
    notation = element.attributes.get("notation", "box")
    said = _row(element)
    if notation.endswith(_STRIKES):
        return f"{said}, crossed out,"
    return f"divided into {said}" if notation == "longdiv" else f"{said} in a {notation.replace('box', 'frame')}"


_KINDS: dict[str, Callable[[Element], str]] = {
    "mi": _leaf,
    "mn": _leaf,
    "mo": _leaf,
    "mtext": lambda element: "blank" if set(element.text()) == {"_"} else element.text().strip(),
    "mfrac": _fraction,
    "msqrt": _root,
    "mroot": _root,
    "msub": _scripts,
    "msup": _scripts,
    "msubsup": _scripts,
    "mover": _over_and_under,
    "munder": _over_and_under,
    "munderover": _over_and_under,
    "mtable": _table,
    "menclose": _enclosed,
    "mspace": lambda _element: "",
    "mphantom": lambda _element: "",
}
