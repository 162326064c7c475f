"""A formula's MathML as input for `formula.typ`: nested lists of names and data, never code.

The MathML is written by :mod:`questionbank.formulas` from an allow-list of 25 elements. Decisions that it leaves to a
browser are made here: which characters open or close, what stretches, where scripts go, and the rules of tables.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence

from questionbank.worksheets.printing.markup import Element

Drawing = list[object]
"""A name and its arguments: ``["frac", numerator, denominator]``; arguments may be drawings themselves."""

_OPENING = frozenset("([{⟨⌊⌈⟦")
_CLOSING = frozenset(")]}⟩⌋⌉⟧")
_SIGNS = frozenset("+-−±∓")
_ORDINARY = frozenset("/|‖!.%$#&°∘′″‴'∠△□")
_EM = {"em": 1.0, "pt": 1 / 10, "px": 0.075, "ex": 0.43, "mu": 1 / 18, "cm": 2.845, "mm": 0.2845, "in": 7.227}
_LENGTH = re.compile(r"(-?\d*\.?\d+)\s*([a-z]{2})?")
_MOST_EM = 60.0
_LINES_OVER = {"¯": "overline", "‾": "overline", "―": "overline", "_": "overline", "⏞": "overbrace", "⎴": "overbracket"}
_LINES_UNDER = {"_": "underline", "¯": "underline", "‾": "underline", "⏟": "underbrace", "⎵": "underbracket"}
_ARCS = frozenset("⏜⌢")
_ACCENTS = {
    "→": "→", "⃗": "→", "⇀": "⇀", "←": "←", "↔": "↔", "^": "^", "ˆ": "^", "~": "~", "˜": "~", "˙": "˙", "¨": "¨",
    "ˇ": "ˇ", "˘": "˘", "´": "´", "`": "`", "⃛": "⃛", "˚": "○",
}  # fmt: skip
_STRETCHED = frozenset("→←↔⇒⇐⇔↦⇀↼⇌⟶⟵⟷")
_FUNCTIONS = frozenset(
    "sin cos tan cot sec csc arcsin arccos arctan sinh cosh tanh coth log ln lg exp lim limsup liminf max min sup inf"
    " gcd lcm det dim ker deg arg Pr".split()
)
_THIN = "0.1667em"  # Temml adds this next to a function; Typst does so itself
_PADDING = {"0": 0.0, "1": 0.14, "2": 0.25, "4": 1.0}
_USUAL_PADDING = 0.42  # em, on both sides of a cell
_SIDES = {"above": "top", "below": "bottom", "before": "left", "after": "right"}
_ROW_GAPS = {"tml-jot": 0.6, "tml-small": 0.15}
_ROW_GAP = 0.35
_MOST_WHOLE = 4
_LONGEST_WHOLE = 14  # most signs and letters within brackets that are kept on one line
_STYLES = {("true", None): "display", ("false", None): "inline", (None, "0"): "inline", (None, "1"): "script"}


def draw_formula(math: Element) -> Drawing:
    """Return the drawing of a ``<math>`` element, or of a part of one."""
    return _row(math)


def _draw(element: Element) -> Drawing:
    drawing = _KINDS.get(element.tag, _row)(element)
    style = (element.attributes.get("displaystyle"), None)
    if style == (None, None):
        style = (None, element.attributes.get("scriptlevel"))
    if style in _STYLES and element.tag != "mtable":
        drawing = ["style", _STYLES[style], drawing]
    return drawing


# -- letters, numbers, signs ---------------------------------------------------------------------------------------


def _letter(element: Element) -> Drawing:
    text = element.text()
    if text in _FUNCTIONS:
        return ["function", text]
    if len(text) != 1:
        return ["text", text, ""] if text else ["row"]
    kind = "normal" if text in _ORDINARY else ""
    return ["sign", text, kind, element.attributes.get("mathvariant") == "normal"]


def _words(element: Element) -> Drawing:
    text = element.text()
    classes = element.classes
    style = "".join(name for name in ("bold", "italic") if f"formula-{name}" in classes)
    return ["text", text.replace(" ", "\u00a0"), style] if text else ["row"]


def _operator(element: Element) -> Drawing:
    text = unicodedata.normalize("NFC", element.text())  # composes an equals sign and a stroke into one sign
    attributes = element.attributes
    if not text:
        return ["row"]
    kind = _sign_class(text, attributes)
    if len(text) > 1:
        return ["text", text, ""]
    if "minsize" in attributes:
        return ["big", text, kind or "normal", _em(attributes["minsize"], 1.0)]
    return ["sign", text, kind, False]


def _sign_class(text: str, attributes: dict[str, str]) -> str:
    """Return the class that determines a sign's spacing; "" for the default class of its character."""
    form = attributes.get("form", "")
    if text in _SIGNS:
        return "unary" if form == "prefix" else ""
    if text in _OPENING and form != "postfix":
        return "opening"
    if text in _CLOSING and form != "prefix":
        return "closing"
    if form in {"prefix", "postfix"} and attributes.get("fence") == "true":
        return "opening" if form == "prefix" else "closing"
    if text in _ORDINARY or attributes.get("lspace") == attributes.get("rspace") == "0em":
        return "normal"
    return ""


# -- rows and brackets ---------------------------------------------------------------------------------------------


def _row(element: Element) -> Drawing:
    children = element.elements
    drawing: Drawing
    if any(_is_fence(child) for child in children):
        drawing = _fenced(children)
    elif any(child.text() in _FUNCTIONS for child in children if child.tag == "mi"):
        drawing = _joined(_draw(child) for child in children if child.attributes.get("width") != _THIN)
    else:
        drawing = _joined(_draw(child) for child in children)
    if "tml-boxed" in element.classes:
        return ["enclosed", "box", drawing]
    if back := next((name for name in element.classes if name.startswith("kern-")), ""):
        return ["row", ["space", -int(back.removeprefix("kern-")) / 18], drawing]
    return drawing


def _joined(drawings: object) -> Drawing:
    """Return a row of drawings; nested rows are flattened so that a line can break in them."""
    row: Drawing = ["row"]
    for drawing in drawings:
        row.extend(drawing[1:] if drawing[0] == "row" else [drawing])
    row = _with_whole_brackets(row)
    return row[1] if len(row) == 2 else row


def _with_whole_brackets(row: Drawing) -> Drawing:
    """Return a row without line breaks between matching brackets, unless their content is long."""
    if sum(_side(part) == "opening" for part in row) > _MOST_WHOLE:
        return row  # a product of many brackets can break nowhere else
    done = [row[:1]]  # one list for the row and one per open bracket
    for part in row[1:]:
        if _side(part) == "opening":
            done.append(["whole", part])
            continue
        is_short_fence = part[0] == "fenced" and len(part) <= _LONGEST_WHOLE
        done[-1].append(["whole", part] if is_short_fence else part)
        if _side(part) == "closing" and len(done) > 1:
            group = done.pop()
            done[-1].extend([group] if 3 < len(group) <= _LONGEST_WHOLE else group[1:])
    for left_open in done[1:]:
        done[0].extend(left_open[1:])
    return done[0]


def _side(drawing: object) -> str:
    """Return "opening" or "closing" for such a bracket, even with an exponent; empty otherwise."""
    if isinstance(drawing, list) and drawing[0] == "attach":
        return "closing" if _side(drawing[2]) == "closing" else ""
    is_bracket = isinstance(drawing, list) and drawing[0] == "sign" and drawing[2] in ("opening", "closing")
    return drawing[2] if is_bracket else ""


def _is_fence(element: Element) -> bool:
    """Return whether it is a bracket that grows with its neighbours."""
    if element.tag != "mo" or element.attributes.get("minsize"):
        return False
    stretchy = element.attributes.get("stretchy")
    grows = stretchy == "true" or (stretchy is None and element.attributes.get("fence") == "true")
    return grows and element.text() not in _STRETCHED


def _fenced(children: Sequence[Element]) -> Drawing:
    """Return a row with growing brackets: those at its ends, and bars between them."""
    row: Drawing = ["fenced"]
    for place, child in enumerate(children):
        if not _is_fence(child):
            row.append(_draw(child))
        elif text := child.text():
            side = "opening" if place == 0 else "closing" if place == len(children) - 1 else "middle"
            row.append(["fence", text, side])
    match row[1:]:
        case [["fence", "(", _], ["stack", above, below], ["fence", ")", _]]:
            return ["binomial", above, below]
    return row


# -- fractions, roots, scripts -------------------------------------------------------------------------------------


def _operands(element: Element, name: str) -> Drawing:
    return [name, *(_draw(child) for child in element.elements)]


def _fraction(element: Element) -> Drawing:
    has_line = not element.attributes.get("linethickness", "").startswith("0")
    return _operands(element, "frac" if has_line else "stack")


def _scripts(element: Element) -> Drawing:
    base, *scripts = element.elements
    names = {"msub": "b", "msup": "t", "msubsup": "bt"}[element.tag]
    return ["attach", "scripts", _draw(base), *_named(names, scripts)]


def _named(names: str, scripts: Sequence[Element]) -> list[object]:
    return [dict(zip(names, (_draw(script) for script in scripts), strict=False))]


def _prescripts(element: Element) -> Drawing:
    base, *scripts = element.elements
    corners: dict[str, Drawing] = {}
    names = ["br", "tr"]
    for script in scripts:
        if script.tag == "mprescripts":
            names = ["bl", "tl"]
        elif names:
            corners[names.pop(0)] = _draw(script)
    return ["attach", "scripts", _draw(base), corners]


def _over_and_under(element: Element) -> Drawing:
    base, *scripts = element.elements
    if element.tag != "munderover" and (marked := _accented(element, base, scripts[0])):
        return marked
    names = {"munder": "b", "mover": "t", "munderover": "bt"}[element.tag]
    return ["attach", "limits", _draw(base), *_named(names, scripts)]


def _accented(element: Element, base: Element, mark: Element) -> Drawing | None:
    """Return a base with its accent, line or brace; None if the mark is a text or a formula."""
    text = mark.text()
    over = element.tag == "mover"
    if mark.tag == "mspace":
        return _draw(base)
    if mark.tag != "mo":
        return None
    if line := (_LINES_OVER if over else _LINES_UNDER).get(text):
        return ["line", line, _draw(base)]
    if text in _ARCS:
        return ["line", "overparen" if over else "underparen", _draw(base)]
    if over and text in _ACCENTS:
        return ["accent", _ACCENTS[text], _draw(base)]
    return None


# -- tables --------------------------------------------------------------------------------------------------------


def _table(element: Element) -> Drawing:
    rows = [row.elements for row in element.elements if row.tag == "mtr"]
    if "tml-wide" in element.classes:
        return _numbered(rows)
    width = max((sum(map(_span, row)) for row in rows), default=0)
    if not width:
        return ["row"]
    is_plain = "formula-lines" in element.classes
    cells = [[_cell(cell, is_plain) for cell in row] for row in rows]
    settings = {
        "gap": next((_ROW_GAPS[name] for name in sorted(element.classes) if name in _ROW_GAPS), _ROW_GAP),
        "displayed": element.attributes.get("displaystyle") == "true",
        "small": "tml-small" in element.classes,
    }
    if any(cell["lines"] or cell["span"] != 1 for row in cells for cell in row):
        return ["ruled", {**settings, "width": width, "rows": cells}]
    for row in cells:
        row += [{"body": ["row"], "side": "center", "left": 0.0, "right": 0.0}] * (width - len(row))
    return ["table", {**settings, "rows": [_with_equations(row) for row in cells]}]


def _cell(cell: Element, is_plain: bool) -> dict[str, object]:
    classes = cell.classes
    side = "left" if is_plain or "tml-left" in classes else "right" if "tml-right" in classes else "center"
    paddings = dict.fromkeys(("left", "right"), 0.0 if is_plain else _USUAL_PADDING)
    lines: dict[str, str] = {}
    for name in classes:
        if name.startswith("pad-"):
            _, where, step = name.split("-")
            paddings[where] = _PADDING[step]
        elif name.startswith("rule-"):
            _, where, *style = name.split("-")
            lines[_SIDES[where]] = style[0] if style else "single"
    return {"body": _row(cell), "side": side, "span": _span(cell), "lines": lines, **paddings}


def _span(cell: Element) -> int:
    span = cell.attributes.get("columnspan", "1")
    return min(int(span), 40) if span.isdecimal() else 1


def _with_equations(row: Sequence[dict[str, object]]) -> list[dict[str, object]]:
    """Return a row with the cells on both sides of a relation sign merged: the sign is then spaced on both sides."""
    joined: list[dict[str, object]] = []
    for cell in row:
        before = joined[-1] if joined else None
        is_pair = before and before["side"] == "right" and cell["side"] == "left"
        if before and is_pair and not before["right"] and not cell["left"]:
            body = ["row", before["body"], ["align"], cell["body"]]
            joined[-1] = {**cell, "body": body, "side": "both", "left": before["left"]}
        else:
            joined.append(cell)
    return joined


def _numbered(rows: Sequence[Sequence[Element]]) -> Drawing:
    cells = [_joined(_draw(child) for child in cell.elements) for row in rows for cell in row]
    filled = [cell for cell in cells if cell != ["row"]]
    row: Drawing = ["row"]
    for cell in filled:
        row += [cell, ["space", 2.0]]
    return row[:-1] if filled else row


# -- frames, strokes, spaces ---------------------------------------------------------------------------------------


def _enclosed(element: Element) -> Drawing:
    body = _joined(_draw(child) for child in element.elements if not (child.tag == "mrow" and not child.children))
    for kind in element.attributes.get("notation", "box").split():
        if kind in {"updiagonalstrike", "downdiagonalstrike", "horizontalstrike"}:
            body = ["cancel", kind.removesuffix("strike"), body]
        elif kind in {"top", "bottom"}:
            body = ["line", "overline" if kind == "top" else "underline", body]
        else:
            body = ["enclosed", kind, body]
    return body


def _space(element: Element) -> Drawing:
    width = _em(element.attributes.get("width", ""), 0.0)
    if "formula-rule" in element.classes:
        return ["rule", width, _em(element.attributes.get("height", ""), 0.0)]
    return ["space", width] if width else ["row"]


def _style(element: Element) -> Drawing:
    body = _row(element)
    if size := element.attributes.get("mathsize"):
        return ["size", min(max(_em(size, 1.0), 0.4), 3.0), body]
    return body


def _em(length: str, otherwise: float) -> float:
    match = _LENGTH.match(length)
    if match is None or (match[2] or "em") not in _EM:
        return otherwise
    return max(-_MOST_EM, min(float(match[1]) * _EM[match[2] or "em"], _MOST_EM))


_KINDS: dict[str, Callable[[Element], Drawing]] = {
    "mi": _letter,
    "mn": lambda element: ["text", element.text(), ""],
    "mtext": _words,
    "mo": _operator,
    "mfrac": _fraction,
    "msqrt": lambda element: ["sqrt", _row(element)],
    "mroot": lambda element: _operands(element, "root"),
    "msub": _scripts,
    "msup": _scripts,
    "msubsup": _scripts,
    "mmultiscripts": _prescripts,
    "mover": _over_and_under,
    "munder": _over_and_under,
    "munderover": _over_and_under,
    "mtable": _table,
    "menclose": _enclosed,
    "mspace": _space,
    "mstyle": _style,
    "mphantom": lambda element: ["hidden", _row(element)],
}
