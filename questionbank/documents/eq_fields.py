r"""Word's EQ fields, in which older papers write formulas: ``EQ \f(1,2)``, ``EQ \r(3,8)``, to LaTeX."""

from __future__ import annotations

import re

_COMMAND = re.compile(r"\\([a-zA-Z]+)\s*")
_DEEPEST = 12


def eq_latex(code: str) -> str:
    r"""Return the LaTeX of a field's code, or nothing where it uses what we do not know.

    >>> eq_latex(r" \f(1,2)"), eq_latex(r"\r(3,x+1)"), eq_latex(r"x\s\up6(2)"), eq_latex(r"\i(1,2,x)")
    ('\\frac{1}{2}', '\\sqrt[3]{x+1}', 'x^{2}', '')
    """
    try:
        return _read(code.strip(), 0)
    except ValueError:
        return ""


def _read(code: str, depth: int) -> str:
    if depth > _DEEPEST:
        raise ValueError("nests too deeply")
    latex, place = "", 0
    while place < len(code):
        match = _COMMAND.match(code, place)
        if match is None:
            latex += code[place]
            place += 1
            continue
        latex_part, place = _command(match[1].lower(), code, match.end(), depth)
        latex += latex_part
    return latex.strip()


def _command(name: str, code: str, place: int, depth: int) -> tuple[str, int]:
    if name in ("f", "r"):
        parts, place = _arguments(code, place)
        read = [_read(part, depth + 1) for part in parts]
        if name == "f" and len(read) == 2:
            return rf"\frac{{{read[0]}}}{{{read[1]}}}", place
        if name == "r" and len(read) == 2 and read[0]:
            return rf"\sqrt[{read[0]}]{{{read[1]}}}", place
        if name == "r" and read:
            return rf"\sqrt{{{read[-1]}}}", place
    elif name == "s":
        match = re.compile(r"\\(up|do)\d*\s*").match(code, place)
        if match is not None:
            parts, place = _arguments(code, match.end())
            return f"{'^' if match[1] == 'up' else '_'}{{{_read(','.join(parts), depth + 1)}}}", place
    raise ValueError(f"unknown: {name}")


def _arguments(code: str, place: int) -> tuple[list[str], int]:
    """Return what stands in the brackets that begin at a place, parted by commas, and where they end."""
    if code[place : place + 1] != "(":
        raise ValueError("no brackets")
    parts, deep = [""], 0
    for end in range(place, len(code)):
        sign = code[end]
        deep += (sign == "(") - (sign == ")")
        if deep == 0:
            return parts, end + 1
        if sign in ",;，" and deep == 1:
            parts.append("")
        elif end > place:
            parts[-1] += sign
    raise ValueError("brackets are not closed")
