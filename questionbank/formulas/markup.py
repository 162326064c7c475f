"""Temml's MathML reduced to an allow-list of tags, attributes and classes, and serialized again.

Temml's tree is parsed and rebuilt, so that only what the tables below list occurs in the result, with every character
escaped. Anything else is dropped if it is decoration, and refuses the formula if it is content. The content security
policy forbids ``style`` attributes, so the few styles that Temml writes become classes of ``static/css/formulas.css``.
Colours are dropped, because they conflict with dark mode and contrast.
"""

from __future__ import annotations

import itertools
import re
import unicodedata
from html import escape
from xml.etree.ElementTree import Element, ParseError

from defusedxml.common import DefusedXmlException
from defusedxml.ElementTree import fromstring

from questionbank.formulas.source import ALIGNED, MARKS, RULE_FROM, RULE_TO, SPANNED

_DEEPEST_TREE = 120
_LARGEST_TREE = 20_000


class FormulaRefused(Exception):
    """The formula cannot be shown as MathML."""


_STYLE = frozenset({"displaystyle", "scriptlevel"})
_SPACE = frozenset({"width", "height", "depth", "lspace", "voffset"})
_OPERATOR = frozenset(
    str.split("stretchy fence separator form symmetric movablelimits largeop minsize maxsize lspace rspace")
)
_TAGS: dict[str, frozenset[str]] = {
    "math": frozenset({"display", "data-latex"}),
    "menclose": frozenset({"notation"}),
    "mfrac": frozenset({"linethickness"}),
    "mi": frozenset({"mathvariant"}),
    "mmultiscripts": frozenset(),
    "mn": frozenset(),
    "mo": _OPERATOR,
    "mover": frozenset({"accent"}),
    "mpadded": _SPACE,
    "mphantom": frozenset(),
    "mprescripts": frozenset(),
    "mroot": frozenset(),
    "mrow": frozenset(),
    "mspace": _SPACE,
    "msqrt": frozenset(),
    "mstyle": frozenset({"mathsize"}),
    "msub": frozenset(),
    "msubsup": frozenset(),
    "msup": frozenset(),
    "mtable": frozenset(),
    "mtd": frozenset({"columnspan"}),
    "mtext": frozenset(),
    "mtr": frozenset(),
    "munder": frozenset({"accentunder"}),
    "munderover": frozenset(),
}
MATHML_ATTRIBUTES: dict[str, frozenset[str]] = {
    tag: names if tag == "math" else names | _STYLE | {"class"} for tag, names in _TAGS.items()
}
"""Every MathML tag allowed on a page, with its attributes."""
FORMULA_CLASSES = frozenset(
    str.split(
        """
        tml-left tml-right tml-jot tml-small tml-cancel upstrike downstrike sout tml-xcancel longdiv-top longdiv-arc
        phasor-bottom phasor-angle tml-fbox circle-pad textcircle actuarial tml-sml-pad tml-med-pad tml-lrg-pad
        wide-bar wide-bar-below wide-hat wide-check wide-tilde wide-tilde-below mathcal mathscr special-fraction
        tml-boxed tml-glue tml-wide formula-bold formula-italic formula-rule formula-lines
        rule-above rule-above-dashed rule-above-double rule-below rule-below-dashed rule-below-double
        rule-before rule-before-dashed rule-before-double rule-after rule-after-dashed rule-after-double
        pad-left-0 pad-left-1 pad-left-2 pad-left-4 pad-right-0 pad-right-1 pad-right-2 pad-right-4
        kern-1 kern-2 kern-3 kern-4 kern-5 kern-6 kern-9 kern-12 kern-18 kern-36
        """
    )
)
"""Every class allowed on a formula; the style sheet defines each."""

_LEAVES = frozenset({"mi", "mn", "mo", "mtext"})
_ARITY = {"mfrac": 2, "msub": 2, "msup": 2, "mover": 2, "munder": 2, "mroot": 2, "msubsup": 3, "munderover": 3}
_STYLED = re.compile("[\U0001d400-\U0001d7ff\u210e]")
_ASCII = re.compile("[A-Za-z0-9]")
_VALUE = re.compile(r"[A-Za-z0-9 .%+-]{1,60}")
_DECLARATION = re.compile(r"\s*([a-z-]+)\s*:\s*([^;]+)")
_LENGTH = re.compile(r"(-?\d*\.?\d+)(em|pt|px|ex|mu)?")
_EM = {"em": 1.0, "pt": 1 / 12, "px": 1 / 16, "ex": 0.43, "mu": 1 / 18, None: 1.0}
_PADDING = {0: 0.0, 1: 0.15, 2: 0.25, 3: 0.42, 4: 1.0}
_KERNS = (1, 2, 3, 4, 5, 6, 9, 12, 18, 36)
_SIDES = {
    "border-top": "rule-above",
    "border-bottom": "rule-below",
    "border-left": "rule-before",
    "border-right": "rule-after",
}
_WIDE_ACCENTS = {"\u02c6": "wide-hat", "~": "wide-tilde", "\u02c7": "wide-check"}
_BARS = {"top": ("mover", "\u00af", "wide-bar"), "bottom": ("munder", "_", "wide-bar-below")}
_PRIMES = frozenset("\u2032\u2033\u2034\u2057")
_UNPRINTED = frozenset({"Cc", "Cs", "Co", "Cn"})
_INVISIBLE = "\u2061"  # "apply function", which some fonts draw as a box


def write_formula(mathml: str, latex: str, *, display: bool) -> str:
    """Convert Temml's markup of a formula, with its source, into one ``<math>`` element.

    Raises:
        FormulaRefused: it contains something not allowed on a page.
    """
    try:
        tree = fromstring(mathml)
    except (ParseError, DefusedXmlException, ValueError):
        raise FormulaRefused("a character that does not print") from None
    if tree.tag != "math":
        raise FormulaRefused(f"<{tree.tag}> is not allowed")
    for table in list(tree.iter("mtable")):
        _arrange_table(table)
    writer = _Writer()
    body = "".join(writer.element(child, 1) for child in tree)
    kind = "block" if display else "inline"
    return f'<math display="{kind}" data-latex="{escape(latex.strip())}">{body}</math>'


class _Writer:
    def __init__(self) -> None:
        self._count = 0

    def element(self, element: Element, depth: int) -> str:  # noqa: C901 - each rule needs the element
        self._count += 1
        if depth > _DEEPEST_TREE or self._count > _LARGEST_TREE:
            raise FormulaRefused("it is nested too deeply")
        tag = element.tag
        allowed = MATHML_ATTRIBUTES.get(tag)
        if allowed is None or tag == "math":
            raise FormulaRefused(f"<{tag}> is not allowed")
        children = list(element)
        if tag == "menclose" and element.get("notation") in _BARS:
            return self.element(_bar(element), depth)
        if tag in {"msup", "msubsup"} and (primes := _primes(children[-1])):
            return self.element(_beside(children, primes), depth)
        if tag in _ARITY:
            children = _operands(children, _ARITY[tag])
            if tag in {"mover", "munder"} and children[1].tag == "mo":
                children[1].attrib |= {"lspace": "0em", "rspace": "0em"}  # Firefox counts them as width
        text = element.text or ""
        if tag in _LEAVES:
            if children:  # \mathop around more than a letter
                tag, text = "mrow", ""
            elif text == _INVISIBLE:
                return ""
        elif text.strip():
            raise FormulaRefused("text outside of an element for text")
        text = MARKS.sub("", text).replace("\ufe0e", "")  # "as text", after signs that are not emoji
        if tag == "mtext":
            text = _plain_letters(element, text)
        inner = self._text(text) + "".join(self.element(child, depth + 1) for child in children)
        if any(child.tail and child.tail.strip() for child in children):
            raise FormulaRefused("text outside of an element for text")
        return f"<{tag}{_attributes(element, tag, allowed)}>{inner}</{tag}>"

    def _text(self, text: str) -> str:
        if not text.isprintable() and any(unicodedata.category(character) in _UNPRINTED for character in text):
            raise FormulaRefused("a character that does not print")
        return escape(text, quote=False)


def _plain_letters(element: Element, text: str) -> str:
    """Return mathematical letters as plain ones: a class makes them bold, including letters with accents."""
    styled = _STYLED.search(text)
    if styled is None or _ASCII.search(text):
        return text
    alphabet = unicodedata.name(styled[0])
    if "SANS" in alphabet or "MONOSPACE" in alphabet:
        return text
    styles = [name for word, name in (("BOLD", "formula-bold"), ("ITALIC", "formula-italic")) if word in alphabet]
    element.set("class", " ".join([element.get("class", ""), *styles]).strip())
    return unicodedata.normalize("NFKC", text).replace(" ", "\u00a0")


def _bar(enclosed: Element) -> Element:
    """Return a line over or under an expression as an accent, which screen readers announce, styled by a class."""
    tag, character, name = _BARS[enclosed.get("notation", "")]
    accent = Element(tag)
    body = enclosed[0] if len(enclosed) == 1 else Element("mrow")
    if len(enclosed) != 1:
        body.extend(enclosed)
    line = Element("mo", stretchy="true")
    line.text = character
    accent.extend([body, line])
    accent.set("class", name)
    return accent


def _primes(script: Element) -> list[Element]:
    """Return the primes at the beginning of a superscript."""
    if script.tag == "mo":
        return [script] if script.text in _PRIMES else []
    leading = itertools.takewhile(lambda child: child.tag == "mo" and child.text in _PRIMES, script)
    return list(leading) if script.tag == "mrow" else []


def _beside(children: list[Element], primes: list[Element]) -> Element:
    """Return a script with its primes next to the base: fonts draw them raised, so superscripts would be too high."""
    *base, script = children
    row = Element("mrow")
    if len(base) > 1:
        inner = Element("msub")
        inner.extend(base)
        base = [inner]
    row.extend(base)
    for prime in primes:
        sign = Element("mo", form="postfix")
        sign.text = prime.text
        row.append(sign)
    rest = [child for child in script if child not in primes]
    if not rest:
        return row
    power = Element("msup")
    exponent = rest[0] if len(rest) == 1 else Element("mrow")
    if len(rest) > 1:
        exponent.extend(rest)
    power.extend([row, exponent])
    return power


def _operands(children: list[Element], count: int) -> list[Element]:
    """Return the operands of a script or fraction; Temml writes a base of several elements without a row."""
    if len(children) < count:
        raise FormulaRefused("an operand is missing")
    surplus = len(children) - count + 1
    if surplus == 1:
        return children
    base = Element("mrow")
    base.extend(children[:surplus])
    return [base, *children[surplus:]]


def _attributes(element: Element, tag: str, allowed: frozenset[str]) -> str:
    attributes = ""
    classes = [name for name in element.get("class", "").split() if name in FORMULA_CLASSES]
    for name, value in element.attrib.items():
        if name == "style":
            classes += _style_classes(tag, value)
        elif name == "mathbackground" and tag == "mspace":
            classes.append("formula-rule")
        elif name in {"lspace", "rspace"} and value == "0":
            attributes += f' {name}="0em"'
        elif name in allowed and name not in {"class", "accent"} and _VALUE.fullmatch(value):
            attributes += f' {name}="{value}"'
    if tag in {"mover", "munder"} and element[1].text in _WIDE_ACCENTS and _is_wide(element):
        classes.append(_WIDE_ACCENTS[element[1].text] + ("-below" if tag == "munder" else ""))
    if any(name.startswith("wide-") for name in classes):
        attributes += ' accent="true"' if tag == "mover" else ' accentunder="true"'
    if tag == "mtable" and "columnalign" in element.attrib:
        classes.append("formula-lines")
    return attributes + (f' class="{" ".join(dict.fromkeys(classes))}"' if classes else "")


def _is_wide(accented: Element) -> bool:
    """Return whether an accent covers more than one letter; fonts only have glyphs for narrower accents."""
    base, accent = accented
    return accent.get("stretchy") == "true" and (len(base) > 0 or len(base.text or "") > 1)


def _style_classes(tag: str, style: str) -> list[str]:
    """Return the classes for an element's styles; a style without a class is decoration and is dropped."""
    classes: list[str] = []
    for name, raw_value in _DECLARATION.findall(style):
        value = raw_value.strip()
        if name in _SIDES and tag == "mtd":
            kind = next((f"-{kind}" for kind in ("dashed", "double") if kind in value), "")
            classes.append(_SIDES[name] + kind)
        elif name in {"padding-left", "padding-right"} and tag == "mtd":
            step = min(_PADDING, key=lambda step: abs(_PADDING[step] - _em(value)))
            classes += [] if step == 3 else [f"{name.replace('padding', 'pad')}-{step}"]
        elif name == "margin-left" and tag == "mrow":
            units = -18 * _em(value)
            classes += [f"kern-{min(_KERNS, key=lambda kern: abs(kern - units))}"] if units > 0 else []
        elif name == "text-align" and value in {"left", "right"}:
            classes.append(f"tml-{value}")
        elif name == "border" and tag == "mrow":
            classes.append("tml-boxed")
        elif name == "width" and tag == "mtd":
            classes.append("tml-glue")
        elif name == "width" and tag == "mtable":
            classes.append("tml-wide")
        elif name == "font-style" and value == "italic":
            classes.append("formula-italic")
    return classes


def _em(length: str) -> float:
    match = _LENGTH.match(length)
    return float(match[1]) * _EM[match[2]] if match else 0.0


# -- rules under single columns, cells over several ---------------------------------------------------------------


def _arrange_table(table: Element) -> None:
    r"""Draw the rules of ``\cline`` and merge the cells of ``\multicolumn``, which are marked in the cells."""
    rows = [row for row in table if row.tag == "mtr"]
    ruled = [
        (index, first, last)
        for index, row in enumerate(rows)
        for cell in list(row)
        for first, last in _arrange_cell(row, cell)
    ]
    ends_empty = bool(ruled) and len(rows) > 1 and not any(_prints(cell) for cell in rows[-1])
    for index, first, last in ruled:
        below = ends_empty and index == len(rows) - 1
        column = 1
        for cell in rows[index - 1 if below else index]:
            if first <= column <= last:
                side = "rule-below" if below else "rule-above"
                cell.set("class", f"{cell.get('class', '')} {side}".strip())
            column += int(cell.get("columnspan", "1"))
    if ends_empty:
        table.remove(rows[-1])


def _arrange_cell(row: Element, cell: Element) -> list[tuple[int, int]]:
    """Span and align a cell by its marks; return the first and last columns of the rules above its row."""
    marks = [ord(mark) for leaf in cell.iter() for mark in MARKS.findall(leaf.text or "")]
    starts = [mark - RULE_FROM for mark in marks if mark < RULE_TO]
    ends = [mark - RULE_TO for mark in marks if RULE_TO <= mark < SPANNED]
    spans = [mark - SPANNED for mark in marks if SPANNED <= mark < ALIGNED]
    if spans and spans[0] > 1:
        cell.set("columnspan", str(spans[0]))
        for surplus in [other for other in reversed(list(row)) if not len(other)][: spans[0] - 1]:
            row.remove(surplus)
    if aligned := [mark - ALIGNED for mark in marks if mark >= ALIGNED]:
        cell.set("class", ("tml-left", "", "tml-right")[min(aligned[0], 2)])
    return list(zip(starts, ends, strict=False))


def _prints(element: Element) -> bool:
    leaves = element.iter()
    return any(MARKS.sub("", leaf.text or "").strip() or leaf.tag in {"mspace", "mfrac", "msqrt"} for leaf in leaves)
