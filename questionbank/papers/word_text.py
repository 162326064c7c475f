"""Rewrite Word's XML before pandoc reads it, so that nothing pandoc would drop is lost.

pandoc reports neither colours nor tabs, numbers lists by its own rules, and skips embedded objects and drawings. Each
paragraph therefore gets its number as shown in Word, coloured text is enclosed in markers, tabs become wide spaces,
underlined spaces become gaps, and unreadable content leaves a placeholder. Office Open XML, ECMA-376 part 1, sections
17.3 (paragraphs and runs) and 17.9 (numbering).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any
from xml.etree import ElementTree as ET  # for building and writing; input is parsed by defusedxml

from questionbank.papers.list_numbers import Counters, Styles, word_value
from questionbank.papers.marks import GAP
from questionbank.papers.pandoc import BOXED, COLOUR_BEGINS, COLOUR_ENDS, NUMBER_BEGINS, NUMBER_ENDS
from questionbank.papers.paragraphs import FORMULA, eq_latex

NAMESPACES = {
    "w": "http://schemas.openxmlformats.org/wordprocessingml/2006/main",
    "m": "http://schemas.openxmlformats.org/officeDocument/2006/math",
    "r": "http://schemas.openxmlformats.org/officeDocument/2006/relationships",
    "wp": "http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing",
    "a": "http://schemas.openxmlformats.org/drawingml/2006/main",
    "pic": "http://schemas.openxmlformats.org/drawingml/2006/picture",
    "v": "urn:schemas-microsoft-com:vml",
    "o": "urn:schemas-microsoft-com:office:office",
    "mc": "http://schemas.openxmlformats.org/markup-compatibility/2006",
    "wps": "http://schemas.microsoft.com/office/word/2010/wordprocessingShape",
    "w14": "http://schemas.microsoft.com/office/word/2010/wordml",
}
for _prefix, _address in NAMESPACES.items():
    ET.register_namespace(_prefix, _address)  # pandoc looks elements up by these prefixes

W = f"{{{NAMESPACES['w']}}}"
_M = f"{{{NAMESPACES['m']}}}"
_A = f"{{{NAMESPACES['a']}}}"
_R = f"{{{NAMESPACES['r']}}}"
_V = f"{{{NAMESPACES['v']}}}"
_O = f"{{{NAMESPACES['o']}}}"
_MC = f"{{{NAMESPACES['mc']}}}"
_MANY_BLANKS = re.compile(r" {2,}|\t+")
_BLANKS = f" {GAP}\u00a0"
_FILLED = re.compile(rf"[{_BLANKS}]+[^\s_]{{1,15}}(?:\s[^\s_]{{1,15}}){{0,2}}[{_BLANKS}]+")
_WINGDINGS = {"FC": "✓", "FE": "☑", "FD": "☒", "A8": "☐", "6F": "☐", "A1": "○", "FB": "✗", "4A": "", "E0": "→"}
_RELATIONS = tuple("=≈≠<>≤≥")
_PLAIN_LINES = frozenset({"line", "straightConnector1", "rect"})


@dataclass(slots=True)
class WordFacts:
    """Content of a Word document that its text does not show.

    Attributes:
        old_formulas: embedded by Equation Editor 3 or MathType; `kept_formulas`: those with a picture.
        objects: other embedded objects; `drawings`: shapes and diagrams without a picture.
        external: pictures that are not in the file.
    """

    old_formulas: int = 0
    kept_formulas: int = 0
    objects: int = 0
    drawings: int = 0
    external: int = 0
    has_changes: bool = False
    has_comments: bool = False


@dataclass(slots=True)
class WordText:
    """Rewrites the body of one document.

    Args:
        pictures: names of the pictures that can be stored, by relationship id.
        external: ids of relationships to targets outside the file.
    """

    styles: Styles
    counters: Counters
    pictures: Mapping[str, str]
    external: frozenset[str] = frozenset()
    facts: WordFacts = field(default_factory=WordFacts)

    def rewrite(self, root: Any) -> None:
        """Rewrite what pandoc would drop as text of the document."""
        self.facts.has_changes = _has(root, "ins", "del", "moveFrom")
        self.facts.has_comments = _has(root, "commentReference")
        for parent in list(root.iter()):
            self._choose(parent)
        _hoist_text_boxes(root)
        for paragraph in list(root.iter(f"{W}p")):
            self._paragraph(paragraph)

    def _choose(self, parent: Any) -> None:
        """Replace each choice between two drawing formats with the newer one, if it contains anything readable."""
        for child in list(parent):
            if child.tag != f"{_MC}AlternateContent":
                continue
            branch = child.find(f"{_MC}Choice")
            if branch is None:
                branch = child.find(f"{_MC}Fallback")
            index = list(parent).index(child)
            parent.remove(child)
            for offset, inner in enumerate(list(branch) if branch is not None else []):
                parent.insert(index + offset, inner)

    def _paragraph(self, paragraph: Any) -> None:
        properties = paragraph.find(f"{W}pPr")
        style = word_value(properties, "pStyle")
        numbered = self.styles.numbering(style, properties)
        if properties is not None and (own := properties.find(f"{W}numPr")) is not None:
            properties.remove(own)
        self._fields(paragraph)
        _stack_equations(paragraph)
        for parent, child in list(_own_elements(paragraph)):
            if child.tag == f"{W}r":
                self._run(child, style)
            elif child.tag in (f"{_M}oMath", f"{_M}oMathPara") and parent.tag != f"{_M}oMathPara":
                self._formula(parent, child)
        if numbered is not None:
            label = self.counters.label(*numbered)
            if label is not None:
                begin = 1 if properties is not None else 0
                text = f"{NUMBER_BEGINS}{numbered[1] + 1 + self.styles.depth(style)}|{label}{NUMBER_ENDS}"
                paragraph.insert(begin, _text_run(text))

    # -- runs -----------------------------------------------------------------------------------------------------

    def _run(self, run: Any, paragraph_style: str) -> None:
        for child in list(run):
            self._run_child(run, child)
        texts = [child for child in run if child.tag == f"{W}t"]
        if not texts:
            return
        properties = run.find(f"{W}rPr")
        whole = "".join(child.text or "" for child in texts)
        gap = _gap(whole) if word_value(properties, "u") not in ("", "none") else ""
        if gap:
            texts[0].text = gap
            for child in texts[1:]:
                child.text = ""
        elif whole.strip() and self.styles.is_coloured(properties, paragraph_style):
            texts[0].text = COLOUR_BEGINS + (texts[0].text or "")
            texts[-1].text = (texts[-1].text or "") + COLOUR_ENDS

    def _run_child(self, run: Any, child: Any) -> None:
        """Convert a child of a run to text: tabs, symbols, objects, drawings."""
        if child.tag in (f"{W}tab", f"{W}ptab"):
            _become_text(child, GAP)
        elif child.tag == f"{W}t" and child.text:
            child.text = _MANY_BLANKS.sub(GAP, child.text)
        elif child.tag == f"{W}sym":
            code = (child.get(f"{W}char") or "")[-2:].upper()
            if "wingdings" in (child.get(f"{W}font") or "").lower() and code in _WINGDINGS:
                _become_text(child, _WINGDINGS[code])
        elif child.tag in (f"{W}object", f"{W}pict"):
            self._object(child)
        elif child.tag == f"{W}drawing":
            self._drawing(run, child)

    def _formula(self, parent: Any, formula: Any) -> None:
        """Remove spaces around a formula's symbols, and put colour markers around a highlighted formula."""
        for text in formula.iter(f"{_M}t"):
            is_word = re.search(r"[^\W\d_]{2}", text.text or "") is not None
            text.text = " ".join((text.text or "").split()) if not is_word else text.text
        runs = list(formula.iter(f"{_M}r"))
        if not runs or not all(self._stands_out(run) for run in runs):
            return
        for run in runs:  # otherwise the letters would be bold: \mathbf
            for style in run.findall(f"{_M}rPr/{_M}sty"):
                run.find(f"{_M}rPr").remove(style)
            for bold in run.findall(f"{W}rPr/{W}b"):
                run.find(f"{W}rPr").remove(bold)
        place = list(parent).index(formula)
        parent.insert(place + 1, _text_run(COLOUR_ENDS))
        parent.insert(place, _text_run(COLOUR_BEGINS))

    def _stands_out(self, run: Any) -> bool:
        properties = run.find(f"{W}rPr")
        style = run.find(f"{_M}rPr/{_M}sty")
        is_bold = style is not None and style.get(f"{_M}val") in ("b", "bi")
        is_bold = is_bold or (properties is not None and properties.find(f"{W}b") is not None)
        is_bold = is_bold or word_value(properties, "u") not in ("", "none")
        return is_bold or self.styles.is_coloured(properties, "")

    # -- objects and drawings -------------------------------------------------------------------------------------

    def _object(self, element: Any) -> None:
        data = next(element.iter(f"{_V}imagedata"), None)
        name = self.pictures.get(data.get(f"{_R}id") or "", "") if data is not None else ""
        program = next((ole.get("ProgID") or "" for ole in element.iter(f"{_O}OLEObject")), "")
        if program.startswith(("Equation", "MathType")):
            self.facts.old_formulas += 1
            self.facts.kept_formulas += bool(name)
            _become_text(element, f"![formula]({name})" if name else "[formula]")
        elif element.tag == f"{W}object":
            self.facts.objects += 1
            _become_text(element, f"![object]({name})" if name else "[image] (embedded object)")
        elif data is not None:
            _become_text(element, f"![]({name})" if name else "[image]")

    def _drawing(self, run: Any, element: Any) -> None:
        blips = list(element.iter(f"{_A}blip"))
        for blip in blips:
            if blip.get(f"{_R}link") in self.external or blip.get(f"{_R}embed") in self.external:
                self.facts.external += 1
        if any(blip.get(f"{_R}embed") in self.pictures for blip in blips):
            return
        shapes = {shape.get("prst") for shape in element.iter(f"{_A}prstGeom")}
        if not blips and shapes and shapes <= _PLAIN_LINES:
            run.remove(element)  # lines and answer boxes
            return
        self.facts.drawings += not blips
        described = next((part.get("descr") or "" for part in element.iter(f"{{{NAMESPACES['wp']}}}docPr")), "")
        _become_text(element, f"[image] ({' '.join(described.split())})" if described else "[image]")

    # -- fields ---------------------------------------------------------------------------------------------------

    def _fields(self, paragraph: Any) -> None:
        r"""Replace formulas written as fields: ``EQ \f(1,2)``."""
        parts: list[tuple[Any, Any]] = []  # run and element, from the start of a field
        deep = 0
        for run in list(paragraph.iter(f"{W}r")):
            for child in list(run):
                kind = child.get(f"{W}fldCharType") if child.tag == f"{W}fldChar" else ""
                deep += kind == "begin"
                if deep:
                    parts.append((run, child))
                deep -= kind == "end" and deep > 0
                if parts and not deep:
                    self._field(parts)
                    parts = []

    def _field(self, parts: list[tuple[Any, Any]]) -> None:
        code = "".join(child.text or "" for _run, child in parts if child.tag == f"{W}instrText").strip()
        if not code.upper().startswith("EQ "):
            return
        latex = eq_latex(code[2:])
        self.facts.old_formulas += not latex
        _run, first = parts[0]
        _become_text(first, f"{FORMULA}{latex}{FORMULA}" if latex else "[formula]")
        for run, child in parts[1:]:
            if child.tag != f"{W}rPr":
                run.remove(child)


def _gap(underlined: str) -> str:
    """Return underlined text as a gap, empty or with the answer filled in; empty if it is not a gap."""
    if not underlined.strip(_BLANKS) and (GAP in underlined or len(underlined) > 1):
        return "____"
    return f" __{underlined.strip(_BLANKS)}__ " if _FILLED.fullmatch(underlined) else ""


def _stack_equations(paragraph: Any) -> None:
    """Join equations below each other into the rows of one array; pandoc would put them on one line."""
    display = None
    for child in list(paragraph):
        if child.tag == f"{_M}oMathPara" and display is not None:
            display.extend(child)
            paragraph.remove(child)
        elif child.tag == f"{_M}oMathPara" or "".join(child.itertext()).strip():
            display = child if child.tag == f"{_M}oMathPara" else None
    for parent, child in list(_own_elements(paragraph)):
        if child.tag == f"{_M}oMathPara":
            first, *others = child.findall(f"{_M}oMath") or [None]
        elif child.tag == f"{_M}oMath" and parent.tag != f"{_M}oMathPara":
            first, others = child, []
        else:
            continue
        rows = [row for equation in (first, *others) if equation is not None for row in _broken(equation)]
        if first is None or len(rows) < 2:
            continue
        for equation in others:
            child.remove(equation)
        first.clear()
        array = ET.SubElement(first, f"{_M}eqArr")
        for row in rows:
            ET.SubElement(array, f"{_M}e").extend(row)


def _broken(equation: Any) -> list[list[Any]]:
    """Split an equation at its line breaks; a row that would begin with "=" continues the previous one instead."""
    rows: list[list[Any]] = [[]]
    for part in list(equation):
        breaks = part.findall(f"{W}br") if part.tag == f"{_M}r" else []
        begins_row = bool(breaks) and next(iter(part)) is breaks[0]
        for line_break in breaks:
            part.remove(line_break)
        if begins_row:
            rows.append([])
        rows[-1].append(part)
        if breaks and not begins_row:
            rows.append([])
    joined: list[list[Any]] = []
    for row in rows:
        text = "".join("".join(part.itertext()) for part in row).strip()
        if joined and text[:1] in _RELATIONS:
            joined[-1] += row
        elif text:
            joined.append(row)
    return joined


def _hoist_text_boxes(root: Any) -> None:
    """Move the paragraphs of text boxes after the paragraph that holds the box."""
    parents = {child: parent for parent in root.iter() for child in parent}
    for box in list(root.iter(f"{W}txbxContent")):
        drawing, paragraph = box, box
        while paragraph in parents and paragraph.tag != f"{W}p":
            drawing = paragraph if paragraph.tag in (f"{W}drawing", f"{W}pict") else drawing
            paragraph = parents[paragraph]
        if paragraph.tag != f"{W}p" or paragraph not in parents:
            continue
        holder = parents[paragraph]
        place = list(holder).index(paragraph) + 1
        for offset, inner in enumerate(list(box)):
            box.remove(inner)
            if inner.tag == f"{W}p" and "".join(inner.itertext()).strip():
                inner.insert(int(inner.find(f"{W}pPr") is not None), _text_run(BOXED))
            holder.insert(place + offset, inner)
            parents[inner] = holder
        if (
            drawing in parents
            and drawing.tag != box.tag
            and next(drawing.iter(f"{_A}blip"), None) is None
            and drawing in list(parents[drawing])
        ):
            parents[drawing].remove(drawing)


def _own_elements(element: Any) -> Iterator[tuple[Any, Any]]:
    """Yield each element of a paragraph with its parent, except those in paragraphs of its text boxes."""
    for child in element:
        yield element, child
        if child.tag != f"{W}p":
            yield from _own_elements(child)


def _has(root: Any, *names: str) -> bool:
    return any(next(root.iter(f"{W}{name}"), None) is not None for name in names)


def _text_run(text: str) -> Any:
    run = ET.Element(f"{W}r")
    _become_text(ET.SubElement(run, f"{W}t"), text)
    return run


def _become_text(element: Any, text: str) -> None:
    """Turn an element of a run into text."""
    tail = element.tail
    element.clear()
    element.tag, element.text, element.tail = f"{W}t", text, tail
    element.set("{http://www.w3.org/XML/1998/namespace}space", "preserve")
