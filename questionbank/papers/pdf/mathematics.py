r"""Arrange mathematical glyphs in rows, and convert a row to LaTeX: limits, accents, superscripts and subscripts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from questionbank.formats.mathml_latex import FUNCTIONS, SIGNS
from questionbank.papers.pdf.pages import Box, Glyph, around, usual_size

_SMALL = 0.86  # of the size beside it; smaller glyphs are scripts
_LARGE = frozenset("∑∏∫∮")
_PREFIXED = {"\u0338": r"\not", "\u20d7": r"\vec", "\u0305": r"\overline", "\u0302": r"\hat"}


@dataclass(slots=True)
class Atom:
    """A glyph of a line with its superscripts and subscripts."""

    glyph: Glyph
    raised: list[Glyph] = field(default_factory=list)
    lowered: list[Glyph] = field(default_factory=list)

    @property
    def end(self) -> float:
        return max(part.end for part in (self.glyph, *self.raised, *self.lowered))

    @property
    def is_mathematics(self) -> bool:
        """Whether it can only be displayed as a formula."""
        return bool(self.glyph.latex or self.raised or self.lowered)


@dataclass(slots=True, eq=False)
class Row:
    """Glyphs on a baseline, including superscripts, subscripts and stacked glyphs beside them."""

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
    """Return the rows of the glyphs, from top to bottom; scripts and formulas join the row beside them."""
    rows: list[Row] = []
    for glyph in sorted((one for one in glyphs if one.axis is None), key=lambda one: one.baseline):
        near = [row for row in rows[-4:] if abs(row.baseline - glyph.baseline) <= 0.18 * max(row.size, glyph.size)]
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
    """Add formulas and tall symbols to the row with the same axis, or make a new row of them."""
    for formula in sorted(formulas, key=lambda one: one.start):
        axis = formula.axis or 0.0
        near = [row for row in rows if abs(row.axis - axis) <= 0.3 * row.size and _is_beside(row, formula)]
        if near:
            min(near, key=lambda row: (row.size < _SMALL * formula.size, abs(row.axis - axis))).glyphs.append(formula)
        else:
            size = formula.size or 10.0
            rows.append(Row([formula], axis + 0.25 * size, size))
    return rows


def _is_beside(row: Row, glyph: Glyph) -> bool:
    reach = 30 * row.size
    return any(one.start - reach <= glyph.end and glyph.start <= one.end + reach for one in row.glyphs)


def _with_scripts(rows: list[Row]) -> list[Row]:
    """Join rows of small symbols with the larger rows beside them."""
    kept: list[Row] = []
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
    """Return the runs of a row, split at wide gaps."""
    return split_runs(sorted(row.glyphs, key=left_edge), row.size)


def split_runs(glyphs: Sequence[Glyph], size: float) -> list[list[Glyph]]:
    """Split glyphs, in order from left to right, at gaps that are wide for the font size."""
    runs: list[list[Glyph]] = []
    for glyph in glyphs:
        if runs and glyph.start - runs[-1][-1].end < 0.9 * size:
            runs[-1].append(glyph)
        else:
            runs.append([glyph])
    return runs


def _hosts(host: Row, run: Sequence[Glyph]) -> bool:
    """Return whether a run of small symbols is a script in a row: just after a symbol, or a limit of a large one."""
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
    """Return the glyphs of a row from left to right, with their scripts."""
    main = [one for one in row.glyphs if one.axis is not None or not _is_script(one, row)]
    limited = {id(one) for one in main if _takes_limits(row, one)}
    atoms = [Atom(one) for one in sorted(main, key=lambda one: one.start)]
    for glyph in sorted((one for one in row.glyphs if one.axis is None and _is_script(one, row)), key=left_edge):
        over = [atom for atom in atoms if id(atom.glyph) in limited and _is_over(atom.glyph, glyph, row)]
        before = over or [atom for atom in atoms if atom.glyph.start <= glyph.start + 0.05 * row.size]
        if not before:
            atoms.insert(0, Atom(glyph))
            continue
        atom = before[-1]
        middle = atom.glyph.axis if atom.glyph.axis is not None else None
        is_raised = glyph.middle < middle if middle is not None else glyph.baseline < row.baseline - 0.08 * row.size
        (atom.raised if is_raised else atom.lowered).append(glyph)
    return atoms


def left_edge(glyph: Glyph) -> float:
    """Return the left edge of a glyph, in points."""
    return glyph.start


def _is_over(large: Glyph, script: Glyph, row: Row) -> bool:
    """Return whether a script is a limit: above or below a large symbol, or directly after an integral."""
    is_outside = script.middle < large.top + 0.15 * large.height or script.middle > large.bottom - 0.15 * large.height
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
    r"""Return the LaTeX of glyphs; several rows become the lines of an array."""
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
        is_letter = not glyph.latex and glyph.text.isalpha() and glyph.text.isascii() and not glyph.is_variable
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
