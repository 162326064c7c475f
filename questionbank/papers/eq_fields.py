r"""Convert Word's inline formulas to LaTeX: EQ fields (``EQ \f(1,2)``) and arrays (``█(x=1@y=2)``)."""

from __future__ import annotations

import re

_COMMAND = re.compile(r"\\([a-zA-Z]+)\s*")
_DEEPEST = 12
_ARRAY_OPTION = re.compile(r"\\(?:a[lcr]|[vh]s\d+|co(?P<columns>\d))\s*")
_BRACKET = re.compile(r"\\(?P<side>[lrb])c\\(?P<sign>.)\s*")
_CLOSING = {"(": ")", "[": "]", "{": "}"}
_ARRAY = re.compile(
    r"(?P<brace>\\?\{[ ]?)?(?P<kind>[█■Ⓒ])\((?P<rows>(?:[^()█■Ⓒ]|\((?:[^()]|\([^()]*\))*\))+)\)[ ]?(?P<end>┤)?"
)


def eq_latex(code: str) -> str:
    r"""Return a field's code as LaTeX; empty if it uses an unknown command.

    >>> eq_latex(r" \f(1,2)"), eq_latex(r"\r(3,x+1)"), eq_latex(r"x\s\up6(2)"), eq_latex(r"\i(1,2,x)")
    ('\\frac{1}{2}', '\\sqrt[3]{x+1}', 'x^{2}', '')
    >>> eq_latex(r"\b\lc\{(\a\al(x+y=7,2x-y=5))")
    '\\left\\{\\begin{array}{l} x+y=7 \\\\ 2x-y=5 \\end{array}\\right.'
    """
    try:
        return _read(code.strip(), 0)
    except ValueError:
        return ""


def array_latex(text: str, *, between: str = "") -> str:
    r"""Convert Word's linear-format arrays in a text to LaTeX arrays.

    Word's linear format: Unicode Technical Note 28, sections 2.1 and 3.19. It occurs in equations that were not built
    up, and in plain text copied from Word.

    Args:
        between: text inserted before and after each array.

    >>> array_latex("{█(x+y=7@2x-y=5)┤")
    '\\left\\{\\begin{array}{l} x+y=7 \\\\ 2x-y=5 \\end{array}\\right.'
    """
    return _ARRAY.sub(lambda match: f"{between}{_array(match)}{between}", text)


def _array(match: re.Match[str]) -> str:
    rows = r" \\ ".join(row.strip().replace(r"\&", "&") for row in match["rows"].split("@"))
    if match["kind"] == "■":
        array = rf"\begin{{matrix}} {rows} \end{{matrix}}"
    else:
        array = rf"\begin{{array}}{{l}} {rows.replace('&', '')} \end{{array}}"
    has_brace = match["kind"] == "Ⓒ" or match["brace"]
    return rf"\left\{{{array}\right." if has_brace else array


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
    elif name == "a":
        return _field_array(code, place, depth)
    elif name == "b":
        return _bracketed(code, place, depth)
    raise ValueError(f"unknown: {name}")


def _field_array(code: str, place: int, depth: int) -> tuple[str, int]:
    columns = 1
    while option := _ARRAY_OPTION.match(code, place):
        columns, place = int(option["columns"] or columns) or 1, option.end()
    parts, place = _arguments(code, place)
    cells = [_read(part, depth + 1) for part in parts if part.strip() or columns > 1]
    rows = (" & ".join(cells[start : start + columns]) for start in range(0, len(cells), columns))
    inner = r" \\ ".join(rows)
    return rf"\begin{{array}}{{{columns * 'l'}}} {inner} \end{{array}}", place


def _bracketed(code: str, place: int, depth: int) -> tuple[str, int]:
    sides = {"l": "", "r": ""}
    while option := _BRACKET.match(code, place):
        sign, place = option["sign"].strip() or ".", option.end()
        sides |= {"l": sign, "r": _CLOSING.get(sign, sign)} if option["side"] == "b" else {option["side"]: sign}
    if not any(sides.values()):
        sides = {"l": "(", "r": ")"}
    parts, place = _arguments(code, place)
    left, right = (rf"\{sign}" if sign in ("{", "}") else sign or "." for sign in sides.values())
    return rf"\left{left}{_read(','.join(parts), depth + 1)}\right{right}", place


def _arguments(code: str, place: int) -> tuple[list[str], int]:
    """Return the comma-separated arguments in the brackets at a position, and where the brackets end."""
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
