r"""Lexer for LaTeX formulas: commands, numbers, letters, signs, braces, blanks. Runs in linear time and never fails."""

from __future__ import annotations

import re

_TOKEN = re.compile(
    r"\\(?:begin|end)\s*\{[a-zA-Z]+\*?\}"
    r"|\\(?:[hv]space|operatorname|tag)\*|\\[a-zA-Z]+|\\\S|\\(?=\s|$)"
    r"|\d{1,3}(?:(?:\{,\}|,)\d{3})+(?![\d])(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+"
    r"|\s+|[^\s\\]"
)


def latex_pieces(latex: str) -> list[str]:
    """Return the tokens of a formula and the blanks between them; joining them gives back the formula."""
    return _TOKEN.findall(latex)


def formula_tokens(latex: str) -> list[str]:
    r"""Return the tokens of a formula without blanks.

    >>> formula_tokens(r"\frac{12}{x_1} \le 3.5")
    ['\\frac', '{', '12', '}', '{', 'x', '_', '1', '}', '\\le', '3.5']
    """
    return [piece for piece in latex_pieces(latex) if not piece.isspace()]
