r"""A formula as a list of symbols that joins back to the same LaTeX, each with its meaning.

The strategies of `formula.py` change single symbols. They must tell a variable from the letters of
``\text{...}`` or of an environment's name, and a number from the digits of ``\hspace{2em}``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from analytics.text.latex_lexer import latex_pieces
from analytics.text.notation import GREEK

# Commands whose argument in braces is prose, a name or a length, not mathematics.
_OPAQUE = re.compile(
    r"\\(?:text\w*|mbox|hbox|math(?:rm|bf|sf|tt|it|bb|cal|frak|scr)|operatorname|begin|end|[hv]space|phantom|color"
    r"|label|tag|ref|unit|href|class|style|rule|includegraphics)\*?$"
)
# Letters that usually name something fixed: Euler's number, the imaginary unit, a differential.
_FIXED = frozenset("eid")


@dataclass(slots=True)
class Symbol:
    """One piece of a formula's source.

    Attributes:
        source: its LaTeX.
        kind: ``"variable"``, ``"number"``, ``"command"``, ``"blank"`` or ``"other"``.
    """

    source: str
    kind: str


def read_symbols(latex: str) -> list[Symbol]:
    r"""Cut a formula into symbols; joining their sources gives the formula back.

    >>> [(one.source, one.kind) for one in read_symbols(r"2x+\text{cm}")][:3]
    [('2', 'number'), ('x', 'variable'), ('+', 'other')]
    """
    symbols: list[Symbol] = []
    opaque_depth = 0  # open braces inside an opaque argument, 0 outside
    awaits_argument = False
    for source in latex_pieces(latex):
        if opaque_depth:
            opaque_depth += (source == "{") - (source == "}")
            symbols.append(Symbol(source, "other"))
            continue
        if awaits_argument and source == "{":
            opaque_depth, awaits_argument = 1, False
            symbols.append(Symbol(source, "other"))
            continue
        if not source.isspace():
            awaits_argument = bool(_OPAQUE.match(source))
        symbols.append(Symbol(source, _kind(source)))
    return symbols


def join_symbols(symbols: list[Symbol]) -> str:
    r"""Join the sources; a command that would run into a letter gets a blank.

    >>> join_symbols([Symbol("\\alpha", "variable"), Symbol("x", "variable")])
    '\\alpha x'
    """
    parts: list[str] = []
    for symbol in symbols:
        follows_command = parts and parts[-1][0] == "\\" and parts[-1][-1].isalpha()
        if follows_command and symbol.source[:1].isalpha():
            parts.append(" ")
        if symbol.source:
            parts.append(symbol.source)
    return "".join(parts)


def _kind(source: str) -> str:
    if source in GREEK or (
        len(source) == 1 and source.isascii() and source.isalpha() and source not in _FIXED
    ):
        return "variable"
    if source[0].isdigit():
        return "number"
    if source[0] == "\\":
        return "command"
    return "blank" if source.isspace() else "other"
