"""Operators of a formula: their tags, their forms, and the space around them.

A browser spaces an operator by its form (prefix, infix, postfix), which it takes from the operator's place in
its row unless an attribute names it. The place is often wrong: the minus of "x = -2" stands between two
elements, and so does a closing bar that more follows. latex2mathml also writes some operators as identifiers
and the other way round. The functions here put that right in the converter's tree, before it is written out.

The spaces are TeX's: a thin space beside the name of a function, none inside bars. See MathML Core, section 3.2.4
and appendix B (operator dictionary).
"""

from __future__ import annotations

import re
import unicodedata
from xml.etree.ElementTree import Element

__all__ = ["arrange_row", "name_leaves", "operator_of"]

_THIN = "0.167em"
_OPERATORS = frozenset("±∓:;⩽⩾≤≥⟂⟹⟸⟺⟶⟵⟷⊕∶＜＞＝－−·")
"""Characters that the converter writes as identifiers and that are operators."""
_FENCES = frozenset("⌊⌋⌈⌉⟨⟩[]{}")
"""Likewise, and brackets."""
_IDENTIFIERS = frozenset("∞∅⋆…⋯⋮⋱")
"""Characters that the converter writes as operators and that are identifiers: the dictionary would space them."""

_SIGNS = frozenset("+−±∓")
_CLOSING = frozenset(")]}⟩⌋⌉!?%′″")
_OPENING = frozenset("([{⟨⌊⌈")
_BARS = frozenset("|‖")
_PRIMES = frozenset("′″‴")
_SCRIPTS = frozenset({"msub", "msup", "msubsup", "munder", "mover", "munderover"})
_TALL = frozenset({"mfrac", "mtable", "munderover", "munder", "mover"})
_NAME = re.compile(r"[a-zA-Z][a-zA-Z\u2006\u2009\u00a0]+")
_DECIMAL = re.compile(r"\.\d+")
_SEPARATORS = frozenset(",;=<>≤≥≠≈≡∈")
_ENTITY = re.compile(r"&#x([0-9A-Fa-f]{1,6});")


def name_leaves(tree: Element) -> bool:
    """Write the entities of a tree as characters, and give its letters and operators the tag that they need.

    Returns False where a character of the tree does not print.
    """
    for leaf in tree.iter():
        text = leaf.text
        if not text:
            continue
        if "&" in text:
            characters = _ENTITY.sub(_character, text)
            if "\0" in characters:
                return False
            text = leaf.text = characters
        if leaf.tag == "mi":
            if text in _OPERATORS:
                leaf.tag = "mo"
            elif text in _FENCES:
                leaf.tag = "mo"
                leaf.set("stretchy", "false")
            elif _DECIMAL.fullmatch(text):
                leaf.tag = "mn"
        elif leaf.tag == "mo":
            if "minsize" in leaf.attrib:
                leaf.set("stretchy", "true")
            if text in _IDENTIFIERS:
                leaf.tag = "mi"
            elif text[0].isascii() and text.isalnum() and "movablelimits" not in leaf.attrib:
                leaf.tag = "mi"
                if len(text) == 1:
                    leaf.set("mathvariant", "normal")
    for script in [*tree.iter("msup"), *tree.iter("msubsup")]:
        _lower_prime(script)
    return True


def _lower_prime(script: Element) -> None:
    """Put a prime beside its base: fonts draw it raised, so that as a superscript it would stand too high."""
    prime = script[-1] if len(script) > 1 else script
    if prime.tag != "mi" or not _PRIMES.issuperset(prime.text or " "):
        return
    prime.tag = "mo"
    prime.set("form", "postfix")
    if script.tag == "msubsup":
        base = Element("msub")
        base.extend(script[:-1])
        script[:] = [base, prime]
    script.tag = "mrow"


def _character(match: re.Match[str]) -> str:
    code = int(match[1], 16)
    if code > 0x10FFFF or 0xD800 <= code <= 0xDFFF or unicodedata.category(chr(code))[0] == "C":
        return "\0"
    return chr(code)


def operator_of(element: Element) -> Element | None:
    """Return the operator at the core of an element: itself, or the base below its scripts."""
    while element.tag in _SCRIPTS and len(element):
        element = element[0]
    return element if element.tag == "mo" else None


def arrange_row(children: list[Element]) -> list[Element]:
    """Return the children of a row, with signs, bars and names of functions spaced as in print.

    >>> row = [Element("mo"), Element("mo"), Element("mn")]
    >>> row[0].text, row[1].text, row[2].text = "=", "−", "2"
    >>> [child.get("form") for child in arrange_row(row)]
    [None, 'prefix', None]
    """
    if len(children) < 2:
        return children
    operators = [operator_of(child) for child in children]
    if any(operator is not None and _is_bar(operator) for operator in operators):
        children = _pair_bars(children, operators)
        operators = [operator_of(child) for child in children]
    arranged: list[Element] = []
    wants_operand = True
    for index, (child, operator) in enumerate(zip(children, operators, strict=True)):
        if operator is not None and operator.text in _SIGNS and wants_operand and index:
            operator.set("form", "prefix")
        if _is_name(child):
            if not wants_operand and arranged and arranged[-1].tag != "mspace":
                arranged.append(Element("mspace", width=_THIN))
            arranged.append(child)
            if index + 1 < len(children) and _starts_operand(children[index + 1]):
                arranged.append(Element("mspace", width=_THIN))
        else:
            arranged.append(child)
        if child.tag != "mspace":
            wants_operand = operator is not None and not _ends_operand(operator)
    return arranged


def _is_name(element: Element) -> bool:
    """Return whether an element is the name of a function or of a limit, with or without scripts."""
    while element.tag in _SCRIPTS and len(element):
        element = element[0]
    is_name = element.tag in {"mi", "mo"} and _NAME.fullmatch(element.text or "") is not None
    if is_name and element.tag == "mo":
        element.set("lspace", "0em")
        element.set("rspace", "0em")
    return is_name and element.text != "mod"


def _starts_operand(element: Element) -> bool:
    operator = operator_of(element)
    if operator is None:
        return element.tag != "mspace" and not (element.tag == "mrow" and _is_fenced(element))
    return operator.get("form") == "prefix" and operator.text in _BARS


def _is_fenced(row: Element) -> bool:
    first = row[0] if len(row) else row
    return first.tag == "mo" and (first.text or "") in _OPENING | _BARS


def _ends_operand(operator: Element) -> bool:
    form = operator.get("form")
    text = operator.text or ""
    return form == "postfix" or (text in _CLOSING and form != "prefix")


# -- bars ---------------------------------------------------------------------------------------------------------


def _is_bar(operator: Element) -> bool:
    return operator.text in _BARS and "form" not in operator.attrib and operator.get("stretchy") != "true"


def _pair_bars(children: list[Element], operators: list[Element | None]) -> list[Element]:
    """Name the form of each pair of bars; around something tall they become a row of their own and stretch.

    A bar without a partner ("divides", "given that") is left as it is. Bars are paired within one pair of
    brackets only, and never across a comma or a relation when the first follows an operand ("a|b, b|c").
    """
    spans: list[tuple[int, int]] = []
    levels: list[list[tuple[int, bool]]] = [
        []
    ]  # per open bracket: (index of an opening bar, it follows an operand)
    wants_operand = True
    for index, (child, operator) in enumerate(zip(children, operators, strict=True)):
        text = "" if operator is None else operator.text or ""
        if operator is not None and _is_bar(operator):
            waiting = levels[-1]
            is_closing = (
                bool(waiting) and not wants_operand and children[waiting[-1][0]] is operators[waiting[-1][0]]
            )
            if is_closing and operators[waiting[-1][0]].text == text:  # type: ignore[union-attr]
                spans.append((waiting.pop()[0], index))
                wants_operand = False
            else:
                waiting.append((index, not wants_operand))
                wants_operand = True
            continue
        if text in _OPENING:
            levels.append([])
        elif text in _CLOSING and len(levels) > 1 and text in ")]}⟩⌋⌉":
            levels.pop()
        elif text in _SEPARATORS and levels[-1] and levels[-1][-1][1]:
            levels[-1].pop()
        if child.tag != "mspace":
            wants_operand = operator is not None and not _ends_operand(operator)
    for opening, closing in spans:
        _set_form(operators[opening], "prefix")
        _set_form(operators[closing], "postfix")
    return _wrap_tall(children, operators, spans)


def _set_form(operator: Element | None, form: str) -> None:
    if operator is not None:
        operator.set("form", form)


def _wrap_tall(
    children: list[Element], operators: list[Element | None], spans: list[tuple[int, int]]
) -> list[Element]:
    """Put each outermost pair of bars around something tall into a row, so that it stretches to that alone."""
    wrapped: list[Element] = []
    done = 0
    for opening, closing in sorted(spans):
        if opening < done:
            continue
        content = children[opening + 1 : closing]
        if not any(_is_tall(child) for child in content):
            continue
        for operator in (operators[opening], operators[closing]):
            if operator is not None:
                operator.set("stretchy", "true")
        wrapped.extend(children[done:opening])
        row = Element("mrow")
        row.extend(children[opening:closing])
        wrapped.append(_scripts_on(row, children[closing]))
        done = closing + 1
    return [*wrapped, *children[done:]]


def _scripts_on(row: Element, closing: Element) -> Element:
    """Add the closing bar to a row; scripts of the bar become scripts of the row."""
    if closing.tag not in _SCRIPTS:
        row.append(closing)
        return row
    row.append(closing[0])
    closing[0] = row
    return closing


def _is_tall(element: Element) -> bool:
    return element.tag in _TALL or any(_is_tall(child) for child in element)
