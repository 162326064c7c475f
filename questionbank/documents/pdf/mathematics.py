r"""Glyphs of mathematics to LaTeX: fractions and roots by their rules, tall brackets, limits, raised and lowered signs.

Structures are found from the inside out: the shortest rule first. What was found becomes one glyph with an axis, so
that the next structure sees it as it sees a letter.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from questionbank.documents.pdf.glyphs import MATH_FONT, UNKNOWN, Box, Glyph, around, usual_size
from questionbank.formats.mathml_latex import FUNCTIONS, SIGNS

RULES_LIMIT = 400  # on a page, that may be fractions
_SMALL = 0.86  # of the size beside it: a script
_LARGE = frozenset("∑∏∫∮")
_OPEN, _CLOSE = "([{|", ")]}|"
_PREFIXED = {"\u0338": r"\not", "\u20d7": r"\vec", "\u0305": r"\overline", "\u0302": r"\hat"}
_CELL_GAP = 0.42  # of a font's size, between two cells of a matrix


@dataclass(slots=True)
class Atom:
    """A glyph of a line with what is raised and lowered behind it."""

    glyph: Glyph
    raised: list[Glyph] = field(default_factory=list)
    lowered: list[Glyph] = field(default_factory=list)

    @property
    def end(self) -> float:
        return max(part.end for part in (self.glyph, *self.raised, *self.lowered))

    @property
    def is_mathematics(self) -> bool:
        """Whether only a formula can show it."""
        return bool(self.glyph.latex or self.raised or self.lowered)


@dataclass(slots=True, eq=False)
class Row:
    """Glyphs on a baseline, with those that are raised, lowered or stacked beside them."""

    glyphs: list[Glyph]
    baseline: float
    size: float

    @property
    def axis(self) -> float:
        return self.baseline - 0.25 * self.size

    @property
    def box(self) -> Box:
        return around(self.glyphs)


# -- rows ---------------------------------------------------------------------------------------------------------


def rows_of(glyphs: Sequence[Glyph]) -> list[Row]:
    """Return the rows that glyphs stand in, from the top down; scripts and formulas join the row beside them."""
    rows: list[Row] = []
    for glyph in sorted((one for one in glyphs if one.axis is None), key=lambda one: one.baseline):
        near = [
            row for row in rows[-4:] if abs(row.baseline - glyph.baseline) <= 0.18 * max(row.size, glyph.size)
        ]
        if near:
            near[-1].glyphs.append(glyph)
            near[-1].size = max(near[-1].size, glyph.size)
        else:
            rows.append(Row([glyph], glyph.baseline, glyph.size))
    for row in rows:
        row.size = usual_size(row.glyphs)
    rows = _with_formulas(rows, [one for one in glyphs if one.axis is not None])
    rows = _with_scripts(rows)
    return sorted(rows, key=lambda row: row.box.middle if row.glyphs[0].axis else row.baseline)


def _with_formulas(rows: list[Row], formulas: Sequence[Glyph]) -> list[Row]:
    """Return rows; formulas and tall signs join the row whose axis is theirs, or make one of their own."""
    for formula in sorted(formulas, key=lambda one: one.start):
        axis = formula.axis or 0.0
        near = [row for row in rows if abs(row.axis - axis) <= 0.3 * row.size and _is_beside(row, formula)]
        if near:
            min(near, key=lambda row: (row.size < _SMALL * formula.size, abs(row.axis - axis))).glyphs.append(
                formula
            )
        else:
            size = formula.size or 10.0
            rows.append(Row([formula], axis + 0.25 * size, size))
    return rows


def _is_beside(row: Row, glyph: Glyph) -> bool:
    reach = 30 * row.size
    return any(one.start - reach <= glyph.end and glyph.start <= one.end + reach for one in row.glyphs)


def _with_scripts(rows: list[Row]) -> list[Row]:
    """Return rows, those of small signs that stand beside a larger row's joined with it."""
    kept = []
    order = sorted(rows, key=lambda row: -row.size)
    for row in order:
        rest: list[Glyph] = []
        for run in runs_of(row):
            hosts = [host for host in kept if host.size * _SMALL > row.size and _hosts(host, run)]
            if hosts:
                middle = around(run).middle
                min(hosts, key=lambda host: abs(host.axis - middle)).glyphs.extend(run)
            else:
                rest += run
        if rest:
            row.glyphs = rest
            kept.append(row)
    return kept


def runs_of(row: Row) -> list[list[Glyph]]:
    """Return the runs of a row that wide gaps part."""
    return _runs(sorted(row.glyphs, key=_start), row.size)


def _runs(glyphs: Sequence[Glyph], size: float) -> list[list[Glyph]]:
    runs: list[list[Glyph]] = []
    for glyph in glyphs:
        if runs and glyph.start - runs[-1][-1].end < 0.9 * size:
            runs[-1].append(glyph)
        else:
            runs.append([glyph])
    return runs


def _hosts(host: Row, run: Sequence[Glyph]) -> bool:
    """Return whether a run of small signs is a script in a row: directly behind a sign, or a limit of a large one."""
    box = around(run)
    if box.width > 7 * host.size:
        return False
    return any(_is_behind(host, glyph, run, box) or _is_limit(host, glyph, box) for glyph in host.glyphs)


def _is_behind(host: Row, glyph: Glyph, run: Sequence[Glyph], box: Box) -> bool:
    size = host.size
    if not -0.35 * size <= run[0].start - glyph.end <= 0.3 * size:
        return False
    if glyph.axis is not None:
        return glyph.top - 0.3 * size < box.middle < glyph.bottom + 0.3 * size
    return host.baseline - 0.95 * size < run[0].baseline < host.baseline + 0.45 * size


def _is_limit(host: Row, glyph: Glyph, box: Box) -> bool:
    size = host.size
    is_over = glyph.x0 - size <= box.x1 and box.x0 <= glyph.x1 + size
    is_near = glyph.top - size < box.bottom and box.top < glyph.bottom + size
    return is_over and is_near and _takes_limits(host, glyph)


def _takes_limits(row: Row, glyph: Glyph) -> bool:
    if glyph.text in _LARGE:
        return True
    if glyph.text != "m" and glyph.text != "x" and glyph.text != "n":
        return False
    before = sorted((one for one in row.glyphs if one.start < glyph.end), key=lambda one: one.start)[-3:]
    return "".join(one.text for one in before) in ("lim", "max", "min")


def atoms_of(row: Row) -> list[Atom]:
    """Return the glyphs of a row from left to right, each with its scripts."""
    main = [one for one in row.glyphs if one.axis is not None or not _is_script(one, row)]
    limited = {id(one) for one in main if _takes_limits(row, one)}
    atoms = [Atom(one) for one in sorted(main, key=lambda one: one.start)]
    for glyph in sorted((one for one in row.glyphs if one.axis is None and _is_script(one, row)), key=_start):
        over = [atom for atom in atoms if id(atom.glyph) in limited and _is_over(atom.glyph, glyph, row)]
        before = over or [atom for atom in atoms if atom.glyph.start <= glyph.start + 0.05 * row.size]
        if not before:
            atoms.insert(0, Atom(glyph))
            continue
        atom = before[-1]
        middle = atom.glyph.axis if atom.glyph.axis is not None else None
        is_raised = (
            glyph.middle < middle if middle is not None else glyph.baseline < row.baseline - 0.08 * row.size
        )
        (atom.raised if is_raised else atom.lowered).append(glyph)
    return atoms


def _start(glyph: Glyph) -> float:
    return glyph.start


def _is_over(large: Glyph, script: Glyph, row: Row) -> bool:
    """Return whether a script is a limit: above or below a large sign, or directly behind an integral."""
    is_outside = (
        script.middle < large.top + 0.15 * large.height or script.middle > large.bottom - 0.15 * large.height
    )
    reach = 1.2 * row.size if is_outside else 0.6 * row.size
    if large.text in _LARGE and not is_outside:
        return False
    if large.text not in _LARGE and script.baseline < row.baseline + 0.05 * row.size:
        return False
    return large.x0 - reach <= script.center <= large.x1 + reach


def _is_script(glyph: Glyph, row: Row) -> bool:
    shift = abs(glyph.baseline - row.baseline)
    return glyph.size < _SMALL * row.size and shift > 0.06 * row.size


# -- LaTeX --------------------------------------------------------------------------------------------------------


def latex_of(glyphs: Sequence[Glyph]) -> str:
    r"""Return the LaTeX of glyphs; several rows as lines of an array."""
    rows = rows_of(glyphs)
    lines = [latex_of_atoms(atoms_of(row)) for row in rows]
    if len(lines) < 2:
        return "".join(lines)
    return r"\begin{array}{l} " + r" \\ ".join(lines) + r" \end{array}"


def latex_of_atoms(atoms: Sequence[Atom]) -> str:
    """Return the LaTeX of a line's glyphs."""
    pieces: list[str] = []
    word = ""
    prefix = ""
    for place, atom in enumerate(atoms):
        glyph = atom.glyph
        if glyph.text in _PREFIXED and not glyph.latex:
            prefix = _PREFIXED[glyph.text]
            continue
        is_letter = (
            not glyph.latex and glyph.text.isalpha() and glyph.text.isascii() and not glyph.is_variable
        )
        before = atoms[place - 1] if place else None
        is_next = before is not None and glyph.start - before.end < 0.16 * max(glyph.size, 1)
        if word and not (is_letter and is_next):
            pieces.append(_word(word))
            word = ""
        if before is not None and not is_next and not word:
            pieces.append(" ")
        scripts = _scripts(atom)
        if is_letter:
            word += glyph.text
            if scripts:
                pieces += [_word(word), scripts]
                word = ""
            continue
        sign = _sign(glyph)
        pieces.append(f"{prefix}{{{sign.strip()}}}" if prefix and prefix != r"\not" else f"{prefix}{sign}")
        prefix = ""
        pieces.append(scripts)
    pieces.append(_word(word))
    return re.sub(r" {2,}", " ", "".join(pieces)).strip()


def _scripts(atom: Atom) -> str:
    lowered = latex_of(atom.lowered) if atom.lowered else ""
    raised = latex_of(atom.raised) if atom.raised else ""
    if raised in (r"\circ", r"{\circ}", "o"):
        raised = r"\circ"
    return (f"_{{{lowered}}}" if lowered else "") + (f"^{{{raised}}}" if raised else "")


def _word(letters: str) -> str:
    if letters in FUNCTIONS:
        return rf"\{letters} "
    for name in FUNCTIONS:
        if letters.startswith(name) and len(letters) == len(name) + 1:  # "sinx"
            return rf"\{name} {letters[-1]}"
    return rf"\text{{{letters}}}" if len(letters) > 2 else letters


def _sign(glyph: Glyph) -> str:
    if glyph.latex:
        return glyph.latex
    if glyph.text == "◦":
        return r"\circ "
    return "".join(
        f"{sign} " if sign.startswith("\\") else sign for sign in (SIGNS.get(one, one) for one in glyph.text)
    )


# -- structures ---------------------------------------------------------------------------------------------------


def with_structures(glyphs: Sequence[Glyph], rules: Sequence[Box]) -> tuple[list[Glyph], list[Box]]:
    """Return glyphs, fractions, roots and tall brackets put together, and the rules that belong to none."""
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
    """Note the axis of brackets that are set in a larger size than the text around them."""
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
    """Return whether wide gaps part glyphs."""
    ends = sorted(glyphs, key=_start)
    return any(after.start - before.end > 1.7 * before.size for before, after in pairwise(ends))


def _stack(glyphs: Sequence[Glyph], rule: Box, *, upwards: bool) -> list[Glyph]:
    """Return the row next to a rule, with what overlaps it from above or below."""

    def distance(glyph: Glyph) -> float:
        return rule.middle - glyph.bottom if upwards else glyph.top - rule.middle

    near = [one for one in glyphs if distance(one) < 0.62 * one.size]
    if not near:
        return []
    band = around(near)
    found = near
    for _ in range(3):
        found = [
            one
            for one in glyphs
            if min(band.bottom, one.bottom) - max(band.top, one.top) > 0.25 * max(one.height, 0.1)
        ]
        grown = around(found)
        if (grown.top, grown.bottom) == (band.top, band.bottom):
            break
        band = grown
    return found if band.height < 6 * max(one.size for one in found) else []


def _goes_on(glyphs: Sequence[Glyph], part: Sequence[Glyph], rule: Box) -> bool:
    """Return whether a row next to a rule goes on beyond the rule's ends: then it is a line of text."""
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
    parts = sorted(below, key=_start)
    return _formula(rf"\overline{{{latex_of(parts)}}}", parts, baseline - 0.25 * below[0].size, rule)


def _with_brackets(glyphs: list[Glyph]) -> list[Glyph]:
    """Return glyphs, what stands in tall brackets put together: several rows as a matrix, or as cases."""
    while True:
        tall = sorted((one for one in glyphs if _is_tall_bracket(one)), key=_start)
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
        if opening.end - 1 <= one.center <= closing.start + 1
        and opening.top - 2 <= one.middle <= opening.bottom + 2
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
    right = [
        one for one in glyphs if one.start > brace.center and brace.top - 2 <= one.middle <= brace.bottom + 2
    ]
    rows = rows_of(right)
    if len(rows) < 2:
        return None
    inner: list[Glyph] = []
    for row in rows:
        runs = _runs(sorted(row.glyphs, key=_start), 4 * row.size)
        if runs[0][0].start - brace.end > 2 * row.size:
            return None
        inner += runs[0]
    body, _is_matrix = _matrix(inner)
    columns = "ll" if "&" in body else "l"
    latex = rf"\left\{{\begin{{array}}{{{columns}}} {body} \end{{array}}\right."
    return _formula(latex, [brace, *inner], brace.middle, brace)


def _matrix(glyphs: Sequence[Glyph]) -> tuple[str, bool]:
    r"""Return rows between ``\\``, cells between ``&``, and whether there is more than one row."""
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
