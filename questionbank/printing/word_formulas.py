"""What Word's equations lack, said by what they have.

pandoc drops notations and lines that Office MathML cannot draw: a long division would become one number, a column
addition lose its line. They are written as bars, brackets and strokes over letters before pandoc sees them.
"""

from __future__ import annotations

import unicodedata

from questionbank.printing.markup import Element

STROKES = {"updiagonalstrike": "\ue001", "downdiagonalstrike": "\ue002", "horizontalstrike": "\ue003"}
"""What marks a frame that is none but a stroke: `word_package` makes it one, which pandoc has no way to say."""


def with_word_formulas(tree: Element) -> None:
    """Change the formulas in a text to ones that Word can show."""
    for math in tree.iterate("math"):
        _change(math)


def _change(element: Element) -> None:
    for child in element.elements:
        _change(child)
    if element.tag == "menclose":
        _open(element)
    elif element.tag == "mo":
        element.children = [unicodedata.normalize("NFC", element.text())]  # an equals sign with its stroke
    elif element.tag == "mfrac" and element.attributes.get("linethickness", "").startswith("0"):
        element.attributes["linethickness"] = "0pt"  # how pandoc reads no line
    elif "tml-boxed" in element.classes:
        element.tag, element.attributes = "menclose", {"notation": "box"}
    elif element.tag == "mtable":
        for row in element.elements:
            for place, cell in enumerate(row.elements):
                _rule(cell, is_first=place == 0)


def _open(element: Element) -> None:
    notation = element.attributes.get("notation", "")
    inner = [
        child for child in element.children if isinstance(child, str) or child.tag != "mrow" or child.children
    ]
    element.tag, element.attributes = "mrow", {}
    if notation == "longdiv":
        element.children = [_sign(")"), _bar("mover", inner, "¯")]
    elif strokes := [STROKES[name] for name in notation.split() if name in STROKES]:
        element.tag, element.attributes = "menclose", {"notation": "box"}
        element.children = [Element("mtext", {}, ["".join(strokes)]), *inner]
    elif notation in {"actuarial", "phasorangle"}:
        element.children = [_bar("mover" if notation == "actuarial" else "munder", inner, "¯"), _sign("|")]
    else:
        element.tag, element.attributes, element.children = "menclose", {"notation": "box"}, inner


def _rule(cell: Element, *, is_first: bool) -> None:
    sides = {name.split("-")[1] for name in cell.classes if name.startswith("rule-")}
    if "below" in sides:
        cell.children = [_bar("munder", cell.children, "_")]
    if "above" in sides:
        cell.children = [_bar("mover", cell.children, "¯")]
    if "before" in sides and not is_first:
        cell.children.insert(0, _sign("|"))
    if "after" in sides:
        cell.children.append(_sign("|"))


def _bar(tag: str, children: list[Element | str], line: str) -> Element:
    return Element(
        tag, {"accent": "true"}, [Element("mrow", {}, children), Element("mo", {"stretchy": "true"}, [line])]
    )


def _sign(text: str) -> Element:
    return Element("mo", {"stretchy": "false"}, [text])
