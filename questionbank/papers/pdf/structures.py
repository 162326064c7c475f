"""Structures of more than one line in glyphs: fractions and roots by their rules, tall brackets, matrices, cases.

They are found from the inside out, the shortest rule first. Each structure found becomes one glyph with an axis, so
that the next structure treats it like a letter.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from questionbank.formats.mathml_latex import SIGNS
from questionbank.papers.pdf.mathematics import Atom, atoms_of, latex_of, latex_of_atoms, left_edge, rows_of, split_runs
from questionbank.papers.pdf.pages import MATH_FONT, UNKNOWN, Box, Glyph, around

RULES_LIMIT = 400  # per page, that may be fractions
_OPEN, _CLOSE = "([{|", ")]}|"
_CELL_GAP = 0.42  # of the font size, between two cells of a matrix


def with_structures(glyphs: Sequence[Glyph], rules: Sequence[Box]) -> tuple[list[Glyph], list[Box]]:
    """Combine fractions, roots and tall brackets into glyphs; return the glyphs and the unused rules."""
    left = [*glyphs]
    unused = []
    for rule in sorted(rules, key=lambda one: one.width)[:RULES_LIMIT]:
        formula = _root(left, rule) or _fraction(left, rule) or _overline(left, rule)
        if formula is None:
            unused.append(rule)
        else:
            taken, made = formula
            left = [one for one in left if id(one) not in taken]
            left.append(made)
    return _with_brackets(left), unused


def set_tall(glyphs: Sequence[Glyph], size: float) -> None:
    """Set the axis of brackets that are larger than the surrounding text."""
    for glyph in glyphs:
        if glyph.text in (*_OPEN, *_CLOSE) and glyph.height > 1.35 * size:
            glyph.axis, glyph.size = glyph.middle, size


def _formula(latex: str, parts: Sequence[Glyph], axis: float, box: Box) -> tuple[set[int], Glyph]:
    area = around([box, *parts])
    flags = MATH_FONT
    for part in parts:
        flags |= part.flags & UNKNOWN
        if not all(one.flags & 1 for one in parts):
            continue
        flags |= part.flags & 1
    made = Glyph(area.x0, area.top, area.x1, area.bottom, "".join(part.text for part in parts))
    made.start, made.end, made.latex, made.axis, made.flags = area.x0, area.x1, latex, axis, flags
    made.size = max((part.size for part in parts), default=10.0)
    made.baseline = axis + 0.25 * made.size
    made.blanks = parts[0].blanks if parts else 0
    return {id(part) for part in parts}, made


def _root(glyphs: Sequence[Glyph], rule: Box) -> tuple[set[int], Glyph] | None:
    sign = next(
        (
            one
            for one in glyphs
            if one.text == "√"
            and not one.latex
            and abs(one.x1 - rule.x0) < 0.25 * one.size
            and abs(one.top - rule.middle) < 0.25 * one.size
        ),
        None,
    )
    if sign is None:
        return None
    inner = [
        one
        for one in glyphs
        if one is not sign
        and rule.x0 - 0.5 <= one.center <= rule.x1 + 1
        and rule.top - 1 <= one.middle <= sign.bottom + 0.25 * one.size
    ]
    if not inner:
        return None
    size = max(one.size for one in inner)
    index = [
        one
        for one in glyphs
        if one.axis is None
        and one.size < 0.75 * size
        and sign.x0 - one.size <= one.center < sign.x0 + 0.75 * sign.width
        and sign.top < one.baseline < sign.middle + 0.2 * sign.height
    ]
    named = f"[{latex_of(index)}]" if index else ""
    latex = rf"\sqrt{named}{{{latex_of(inner)}}}"
    base = [one.baseline for one in inner if one.axis is None]
    axis = (max(base) - 0.25 * size) if base else around(inner).middle
    return _formula(latex, [sign, *index, *inner], axis, rule)


def _fraction(glyphs: Sequence[Glyph], rule: Box) -> tuple[set[int], Glyph] | None:
    within = [one for one in glyphs if rule.x0 - 1.5 <= one.center <= rule.x1 + 1.5]
    above = _stack([one for one in within if one.bottom <= rule.middle + 0.12 * one.size], rule, upwards=True)
    below = _stack([one for one in within if one.top >= rule.middle - 0.12 * one.size], rule, upwards=False)
    if not above or not below or _goes_on(glyphs, above, rule) or _goes_on(glyphs, below, rule):
        return None
    if _has_columns(above) or _has_columns(below):  # the rule of a table
        return None
    size = max(one.size for one in [*above, *below])
    filled = max(around(above).width, around(below).width)
    if rule.width > filled + 2.2 * size:  # the rule of a table, or an answer line between two texts
        return None
    latex = rf"\frac{{{latex_of(above)}}}{{{latex_of(below)}}}"
    return _formula(latex, [*above, *below], rule.middle, rule)


def _has_columns(glyphs: Sequence[Glyph]) -> bool:
    """Return whether glyphs are separated by wide gaps."""
    ends = sorted(glyphs, key=left_edge)
    return any(after.start - before.end > 1.7 * before.size for before, after in pairwise(ends))


def _stack(glyphs: Sequence[Glyph], rule: Box, *, upwards: bool) -> list[Glyph]:
    """Return the row next to a rule, including glyphs that overlap it from above or below."""

    def distance(glyph: Glyph) -> float:
        return rule.middle - glyph.bottom if upwards else glyph.top - rule.middle

    near = [one for one in glyphs if distance(one) < 0.62 * one.size]
    if not near:
        return []
    band = around(near)
    found = near
    for _ in range(3):
        found = [
            one for one in glyphs if min(band.bottom, one.bottom) - max(band.top, one.top) > 0.25 * max(one.height, 0.1)
        ]
        grown = around(found)
        if (grown.top, grown.bottom) == (band.top, band.bottom):
            break
        band = grown
    return found if band.height < 6 * max(one.size for one in found) else []


def _goes_on(glyphs: Sequence[Glyph], part: Sequence[Glyph], rule: Box) -> bool:
    """Return whether a row next to a rule extends beyond the rule's ends, which makes it a line of text."""
    box = around(part)
    taken = {id(one) for one in part}
    letters = "".join(one.text if one.text.isalpha() and not one.is_variable else " " for one in part)
    is_prose = re.search(r"\w{4}", letters) is not None
    reach = 0.6 if is_prose else 0.2
    for one in glyphs:
        is_level = any(abs(one.baseline - other.baseline) < 0.12 * one.size for other in part)
        if id(one) in taken or not is_level or one.top < rule.middle < one.bottom:
            continue
        gap = max(box.x0 - one.x1, one.x0 - box.x1)
        if gap < reach * one.size and one.axis is None:
            return True
    return False


def _overline(glyphs: Sequence[Glyph], rule: Box) -> tuple[set[int], Glyph] | None:
    below = [
        one
        for one in glyphs
        if rule.x0 - 1.5 <= one.center <= rule.x1 + 1.5 and -0.5 <= one.top - rule.middle < 0.3 * one.size
    ]
    is_short = below and len(below) <= 3 and all(one.is_variable or one.text.isdigit() for one in below)
    if not is_short or rule.width > around(below).width + 3:
        return None
    baseline = below[0].baseline
    parts = sorted(below, key=left_edge)
    return _formula(rf"\overline{{{latex_of(parts)}}}", parts, baseline - 0.25 * below[0].size, rule)


def _with_brackets(glyphs: list[Glyph]) -> list[Glyph]:
    """Combine the contents of tall brackets into glyphs: several rows become a matrix or cases."""
    while True:
        tall = sorted((one for one in glyphs if _is_tall_bracket(one)), key=left_edge)
        pair = _inner_pair(tall)
        made = None
        if pair is not None:
            made = _bracketed(glyphs, *pair)
        elif tall and tall[-1].text == "{":
            made = _cases(glyphs, tall[-1])
        if made is None:
            return glyphs
        taken, formula = made
        glyphs = [one for one in glyphs if id(one) not in taken]
        glyphs.append(formula)


def _is_tall_bracket(glyph: Glyph) -> bool:
    return (
        not glyph.latex
        and glyph.axis is not None
        and glyph.text in (*_OPEN, *_CLOSE)
        and glyph.height > 1.3 * glyph.size
    )


def _inner_pair(tall: Sequence[Glyph]) -> tuple[Glyph, Glyph] | None:
    for place, opening in enumerate(tall):
        for closing in tall[place + 1 :]:
            if abs(closing.middle - opening.middle) > 0.3 * opening.height:
                continue
            if _OPEN.find(opening.text) >= 0 and _CLOSE.find(opening.text) < 3 and closing.text in _OPEN[:3]:
                break
            if opening.text in _OPEN and closing.text in _CLOSE:
                return opening, closing
    return None


def _bracketed(glyphs: Sequence[Glyph], opening: Glyph, closing: Glyph) -> tuple[set[int], Glyph] | None:
    inner = [
        one
        for one in glyphs
        if opening.end - 1 <= one.center <= closing.start + 1 and opening.top - 2 <= one.middle <= opening.bottom + 2
    ]
    if not inner:
        return None
    left, right = SIGNS.get(opening.text, opening.text), SIGNS.get(closing.text, closing.text)
    body, is_matrix = _matrix(inner)
    names = {"()": "pmatrix", "[]": "bmatrix", "||": "vmatrix"}
    name = names.get(opening.text + closing.text)
    latex = rf"\left{left} {body} \right{right}"
    if is_matrix and name:
        latex = rf"\begin{{{name}}} {body} \end{{{name}}}"
    return _formula(latex, [opening, *inner, closing], opening.middle, opening)


def _cases(glyphs: Sequence[Glyph], brace: Glyph) -> tuple[set[int], Glyph] | None:
    right = [one for one in glyphs if one.start > brace.center and brace.top - 2 <= one.middle <= brace.bottom + 2]
    rows = rows_of(right)
    if len(rows) < 2:
        return None
    inner: list[Glyph] = []
    for row in rows:
        runs = split_runs(sorted(row.glyphs, key=left_edge), 4 * row.size)
        if runs[0][0].start - brace.end > 2 * row.size:
            return None
        inner += runs[0]
    body, _is_matrix = _matrix(inner)
    columns = "ll" if "&" in body else "l"
    latex = rf"\left\{{\begin{{array}}{{{columns}}} {body} \end{{array}}\right."
    return _formula(latex, [brace, *inner], brace.middle, brace)


def _matrix(glyphs: Sequence[Glyph]) -> tuple[str, bool]:
    r"""Return rows separated by ``\\``, cells separated by ``&``, and whether there is more than one row."""
    rows = rows_of(glyphs)
    lines = []
    for row in rows:
        atoms = atoms_of(row)
        cells: list[list[Atom]] = []
        for atom in atoms:
            if cells and (len(rows) < 2 or atom.glyph.start - cells[-1][-1].end < _CELL_GAP * row.size):
                cells[-1].append(atom)
            else:
                cells.append([atom])
        lines.append(" & ".join(latex_of_atoms(cell) for cell in cells))
    return r" \\ ".join(lines), len(rows) > 1
