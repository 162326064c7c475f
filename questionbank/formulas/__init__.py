r"""One LaTeX formula as MathML, or a refusal: the only path from LaTeX to a page.

:mod:`~questionbank.formulas.source` prepares what people type, :mod:`~questionbank.formulas.engine` renders it with
Temml, and :mod:`~questionbank.formulas.markup` only passes an allow-list. A formula that cannot be rendered is refused,
so that the reader sees its source instead of half a formula; see docs/decisions/0068-temml.md.

The source is included as ``data-latex``: an attribute cannot change the tree around it, is not found by searching
the page or read by a screen reader, and can be copied by a script. ``alttext`` and ``annotation`` are not used, because
some screen readers speak them instead of the formula.
"""

from __future__ import annotations

import re
from functools import lru_cache

from questionbank.formulas import engine
from questionbank.formulas.engine import engine_commands
from questionbank.formulas.markup import FORMULA_CLASSES, MATHML_ATTRIBUTES, FormulaRefused, write_formula
from questionbank.formulas.source import LONGEST_DEFINITIONS, prepare, split_definitions

__all__ = [
    "FORMULA_CLASSES",
    "LONGEST_DEFINITIONS",
    "MATHML_ATTRIBUTES",
    "FormulaRefused",
    "draw_formula",
    "engine_commands",
    "formula_mathml",
    "split_definitions",
]

LONGEST_FORMULA = 5_000
DEEPEST_FORMULA = 40
_DEPTH_MARK = re.compile(r"\\\\|\\[{}]|\\begin\b|\\end\b|\\left\b|\\right\b|[{}]")


def formula_mathml(latex: str, *, display: bool = False, definitions: str = "") -> str:
    r"""Return a formula, given without its delimiters, as one ``<math>`` element; results are cached.

    Args:
        latex: the formula.
        display: whether it is a block of its own.
        definitions: the preceding definitions of the text, as returned by :func:`split_definitions`.

    Raises:
        FormulaRefused: it is too large, contains something unknown to Temml, or cannot be rendered on this machine.
    """
    drawn = _kept(latex, display, definitions)
    if isinstance(drawn, FormulaRefused):
        raise FormulaRefused(*drawn.args)
    return drawn


@lru_cache(maxsize=8_192)
def _kept(latex: str, display: bool, definitions: str) -> str | FormulaRefused:
    """Cache refusals too, because a broken text may contain the same broken formula thousands of times."""
    try:
        return draw_formula(latex, display=display, definitions=definitions)
    except FormulaRefused as refusal:
        return refusal.with_traceback(None)


def draw_formula(latex: str, *, display: bool = False, definitions: str = "") -> str:
    """Return the result that :func:`formula_mathml` caches.

    Raises:
        FormulaRefused: as for :func:`formula_mathml`.
    """
    if len(latex) > LONGEST_FORMULA:
        raise FormulaRefused("it is too long")
    own, body = split_definitions(latex)
    _check_depth(body)
    used = definitions + own
    if len(used) > LONGEST_DEFINITIONS:
        raise FormulaRefused("its definitions are too long")
    source = prepare(body, display=display)
    if not source:
        raise FormulaRefused("nothing to draw")
    try:
        drawn = engine.call("draw", prepare(used, display=display) + source, display)
    except (engine.Refused, engine.Unavailable) as error:
        raise FormulaRefused(str(error)) from None
    return write_formula(drawn, latex, display=display)


def _check_depth(latex: str) -> None:
    depth = 0
    for match in _DEPTH_MARK.finditer(latex):
        mark = match[0]
        if mark in {"{", r"\begin", r"\left"}:
            depth += 1
            if depth > DEEPEST_FORMULA:
                raise FormulaRefused("it is nested too deeply")
        elif mark in {"}", r"\end", r"\right"}:
            depth -= 1
