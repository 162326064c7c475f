r"""Converts LaTeX as people and learning platforms write it into LaTeX that Temml supports.

Whatever a macro can express is one (``temml/school.js``). The rest is done here: blanks to fill in, environments in
running text, columns of arrays, HTML entities. Rules under single columns and cells that span columns, which Temml
lacks, pass through it as private use characters (:data:`RULE_FROM` and the others), which
:mod:`questionbank.formulas.markup` removes again.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from html import unescape

from analytics.text.notation import mend_rows

LONGEST_DEFINITIONS = 2_000  # characters, for all definitions of a text

_START = re.compile(
    r"\\(?P<kind>(?:re|provide)?newcommand|providecommand|DeclareMathOperator|[gl]?def|let)(?P<star>\*?)(?![a-zA-Z])\s*"
)
_NAME = re.compile(r"\{\s*(\\[a-zA-Z]+)\s*\}|(\\[a-zA-Z]+)")
_COUNT = re.compile(r"\s*\[([0-9])\]")
_DEFAULT = re.compile(r"\s*\[([^\[\]]{0,100})\]")
_PARAMETERS = re.compile(r"\s*((?:#[1-9])*)\s*(?=\{)")
_LET = re.compile(r"\s*=?\s*(\\[a-zA-Z]+|\\?[^\s\\])")
_SPACE = re.compile(r"\s*")


def split_definitions(text: str) -> tuple[str, str]:
    r"""Return the definitions in a text as LaTeX, and the text without them.

    >>> split_definitions(r"\newcommand{\half}[1]{\frac{#1}{2}} $\half{x}$")
    ('\\def\\half#1{\\frac{#1}{2}}', ' $\\half{x}$')
    """
    if "\\" not in text:
        return "", text
    definitions: list[str] = []
    rest: list[str] = []
    done = 0
    for match in _START.finditer(text):
        if match.start() < done:
            continue
        read = _read(text, match)
        if read is not None:
            definition, end = read
            definitions.append(definition)
            rest.append(text[done : match.start()])
            done = end
    return "".join(definitions), "".join([*rest, text[done:]])


def _read(text: str, start: re.Match[str]) -> tuple[str, int] | None:
    """Return one definition and its end position; None if it is not a definition that we support."""
    name = _NAME.match(text, start.end())
    if name is None:
        return None
    macro, position = name[1] or name[2], name.end()
    kind = start["kind"]
    if kind == "let":
        meaning = _LET.match(text, position)
        return (rf"\let{macro}={meaning[1]} ", meaning.end()) if meaning else None
    parameters, default = "", None
    if kind.endswith("def"):
        typed = _PARAMETERS.match(text, position)
        if typed is None:
            return None
        parameters, position = typed[1], typed.end()
    elif kind != "DeclareMathOperator" and (count := _COUNT.match(text, position)):
        parameters = "".join(f"#{number}" for number in range(1, int(count[1]) + 1))
        position = count.end()
        if optional := _DEFAULT.match(text, position):
            default, position = optional[1], optional.end()
    body, end = _argument(text, position)
    if body is None:
        return None
    if kind == "DeclareMathOperator":
        body = rf"\operatorname{start['star']}{{{body}}}"
    if default is not None and parameters:
        inner = rf"{macro}@with"
        return (
            rf"\def{macro}{{\@ifnextchar[{{{inner}}}{{{inner}[{default}]}}}}"
            rf"\def{inner}[#1]{parameters[2:]}{{{body}}}",
            end,
        )
    return rf"\def{macro}{parameters}{{{body}}}", end


def _argument(text: str, position: int) -> tuple[str | None, int]:
    """Return the content of the braces at a position, and their end position; None if they are not closed."""
    blank = _SPACE.match(text, position)
    start = blank.end() if blank else position
    if not text.startswith("{", start):
        return None, position
    depth = 0
    index = start
    limit = min(len(text), start + LONGEST_DEFINITIONS)
    while index < limit:
        character = text[index]
        if character == "\\":
            index += 1
        elif character == "{":
            depth += 1
        elif character == "}":
            depth -= 1
            if depth == 0:
                return text[start + 1 : index], index + 1
        index += 1
    return None, position


RULE_FROM, RULE_TO, SPANNED, ALIGNED = 0xF0000, 0xF0100, 0xF0200, 0xF0300
MARKS = re.compile("[\U000f0000-\U000fffff]")

_ENTITY = re.compile(r"&(?:[a-zA-Z][a-zA-Z0-9]{1,30}|#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6});")
_BLANK = chr(0xF0400)
_SPACES = r"(?:\s|~|\\[ ,;:!>]|\\q?quad(?![a-zA-Z])|\\[hv]space\*?\s*\{[^{}]*\}|\\[hv]?phantom\s*\{[^{}]*\}|\\?_)*"
_REWRITTEN: tuple[tuple[re.Pattern[str], str | Callable[[re.Match[str]], str]], ...] = tuple(
    (re.compile(pattern, re.DOTALL), replacement)
    for pattern, replacement in (
        (r"\\textbackslash(?:\{\}|\s)?(?=\\?[%$])\\?", r"\\"),
        (r"(?<!\\)((?:\\\\)*)%", r"\1\\%"),
        (rf"\\u(?:nder)?line\s*\{{{_SPACES}\}}", _BLANK),
        (r"\\(?:makebox|framebox)\s*\[[^\]]*\]\s*\{\s*\\hrulefill\s*\}", _BLANK),
        (r"\\(?:hrulefill|dotfill|fillin(?:\s*\[[^\]]*\])?)(?![a-zA-Z])(?:\{\})?", _BLANK),
        (r"(?<=\d),\\!\s*(?=\d{3})", "{,}"),
        (r"(?:\\_|_){2,}", _BLANK),
        (_BLANK, r"\\text{\\_\\_\\_\\_}"),
        (r"\\(?:overset|stackrel)\s*(?:\{\s*\\frown\s*\}|\\frown(?![a-zA-Z]))", r"\\overparen"),
        (r"(\\\\)\s*\[\s*-?[\d.]+\s*(?:pt|em|ex|cm|mm|in)\s*\]", r"\1 "),
        (r"\\(?:vspace\*?|specialrule)\s*\{[^{}]*\}", ""),
        (r"\\(?:text)?color(?:box)?\s*(?:\[[a-zA-Z]*\])?\s*\{[^{}]*\}", ""),
        (r"\\root\s+([^{}\\]{1,20}?|\{[^{}]*\})\s*\\of(?![a-zA-Z])", r"\\sqrt[\1]"),
        (r"\\cline\s*\{\s*(\d{1,2})\s*-\s*(\d{1,2})\s*\}", lambda match: _rule(int(match[1]), int(match[2]))),
        (
            r"\\multicolumn\s*\{\s*(\d{1,2})\s*\}\s*\{([^{}]*)\}",
            lambda match: chr(SPANNED + int(match[1])) + _alignment(match[2]),
        ),
        (r"\\(left|right|middle|[bB]igg?[lrm]?)\s*([{}])", r"\\\1\\\2"),
        (r"\\begin\s*\{tabular[*x]?\}(.*?)\\end\s*\{tabular[*x]?\}", lambda match: _tabular(match[1])),
        (r"(\\begin\s*\{(?:array|aligned|gathered)\})\s*\[[a-z]*\]", r"\1"),
        (r"\\(?:begin|end)\s*\{subequations\}", ""),
        (r"\\begin\s*\{(?:sub)?numcases\}\s*\{([^{}]*)\}", r"\1\\begin{cases}"),
        (r"\\end\s*\{(?:sub)?numcases\}", r"\\end{cases}"),
        (
            r"\\begin\s*\{empheq\}\s*\[[^\]]*\\empheqlbrace[^\]]*\]\s*\{(\w+)\*?\}(.*?)\\end\s*\{empheq\}",
            r"\\left\\{\\begin{\1*}\2\\end{\1*}\\right.",
        ),
        (
            r"\\systeme\*?\s*\{([^{}]*)\}",
            lambda match: r"\begin{cases}" + match[1].replace(",", r"\\") + r"\end{cases}",
        ),
        (r"\\begin\s*\{eqnarray\*?\}", r"\\begin{darray}{rcl}"),
        (r"\\end\s*\{eqnarray\*?\}", r"\\end{darray}"),
        (r"\\(begin|end)\s*\{flalign\*?\}", r"\\\1{align*}"),
        (r"\\(begin|end)\s*\{(align|gather|multline|equation|alignat)\}", r"\\\1{\2*}"),
    )
)
_IN_A_LINE: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern), replacement)
    for pattern, replacement in (
        (r"\\(begin|end)\s*\{(align|gather)\*\}", r"\\\1{\2ed}"),
        (r"\\(begin|end)\s*\{alignat\*\}", r"\\\1{alignedat}"),
        (r"\\(begin|end)\s*\{split\}", r"\\\1{aligned}"),
        (r"\\(begin|end)\s*\{multline\*\}", r"\\\1{gathered}"),
        (r"\\(?:begin|end)\s*\{(?:equation|displaymath|math)\*?\}", ""),
        (r"\\tag\*\s*\{", r"\\qquad\\text{"),
        (r"\\tag\s*\{([^{}]*)\}", r"\\qquad\\text{(\1)}"),
    )
)
_ARRAY = re.compile(r"(\\begin\s*\{d?array\}\s*)\{((?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*)\}")
_REPEATED = re.compile(r"\*\s*\{?(\d{1,2})\}?\s*\{([^{}]*)\}")
_BETWEEN = re.compile(
    r"[@!]\s*\{((?:[^{}]|\{[^{}]*\})*)\}|[><]\s*\{(?:[^{}]|\{[^{}]*\})*\}|([pmbXS])\s*(?:\{[^{}]*\})?"
)
_DOLLAR = re.compile(r"(?<!\\)((?:\\\\)*)\$")
_PRICE = re.compile(r"(?<!\\)\$(?=\s?\d)")
_TEXT = re.compile(r"\\(?:text|[mh]box)")
_COMMA = re.compile(
    r"(?P<text>\\(?:text[a-z]*|[mh]box|num|SI|qty|[a-z]*range|pu|ce)\s*\{[^{}]*\})"
    r"|(?<![\d.,])(?P<thousands>\d{1,3}(?:,\d{3})+)(?![\d,])|(?<=\d),(?=\d)"
)
_ONLY_SPACE = re.compile(_SPACES)
_ROW_MARK = re.compile(r"\\(?:begin|end)\s*\{[a-zA-Z]+\*?\}|\\\\(?:\s*\[[^\]]*\])?|\\cr(?![a-zA-Z])|\\[\s\S]|[{}&]")
_PLAIN_TEX = re.compile(r"\\(cases|p?matrix)\s*\{")
_LOST_ROW = re.compile(r"(?<!\\)\\(?=[-+\d.])")
_MATRIX = re.compile(r"\\begin\{([pbBvV]?matrix|cases)\}(.*?)\\end\{\1\}", re.DOTALL)
_TEXT_CELL = re.compile(r"\$|(?<![\\a-zA-Z{])[a-zA-Z]{2,}(?:\s|\Z)")


def prepare(latex: str, *, display: bool) -> str:
    r"""Return a formula for Temml; inline, display environments are replaced by their inline equivalents.

    >>> prepare(r"\begin{align*} x &lt; 15% \end{align*}", display=False)
    '\\begin{aligned} x < 15\\% \\end{aligned}'
    """
    latex = MARKS.sub("", latex)
    if "&" in latex:
        latex = _ENTITY.sub(_character, latex)
    latex = mend_rows(latex)
    for pattern, replacement in _REWRITTEN:
        latex = pattern.sub(replacement, latex)
    if "matrix" in latex or "cases" in latex:
        latex = _MATRIX.sub(_restore_rows, _plain_tex(latex))
    if "array" in latex:
        latex = _arrays(latex)
    if "$" in latex and not _TEXT.search(latex):
        latex = _PRICE.sub(r"\\$", latex)
    if "," in latex:
        latex = _COMMA.sub(_spaced_comma, latex)
    if not display:
        for pattern, replacement in _IN_A_LINE:
            latex = pattern.sub(replacement, latex)
    latex = latex.strip()
    return latex + " " if latex.endswith("\\") else latex  # "\\ " at the end is a space


def _character(match: re.Match[str]) -> str:
    character = unescape(match[0])
    return "~" if character == "\u00a0" else character


def _rule(first: int, last: int) -> str:
    return chr(RULE_FROM + first) + chr(RULE_TO + last)


def _spaced_comma(match: re.Match[str]) -> str:
    """Put a space after a comma between two numbers; "1,000" is one number, unless brackets make it a pair."""
    before, after = (match.string[match.start() - 1 : match.start()], match.string[match.end() : match.end() + 1])
    if match["text"] or (match["thousands"] and not (before in {"(", "[", "{"} and after in {")", "]", "\\"})):
        return match[0]
    return match[0].replace(",", ", ")


def _tabular(body: str) -> str:
    """Return a text table as an array, without the dollar signs around formulas in its cells."""
    body = _DOLLAR.sub(r"\1 ", body)
    return rf"\begin{{array}}{body}\end{{array}}"


def _alignment(columns: str) -> str:
    letter = next((letter for letter in columns if letter in "lcr"), "c")
    return chr(ALIGNED + "lcr".index(letter))


def _restore_rows(match: re.Match[str]) -> str:
    r"""Restore the second backslash of a matrix's row break that was lost: ``0&1\2&3``. No command is a digit."""
    if "\\\\" in match[2]:
        return match[0]
    body = _LOST_ROW.sub(r"\\\\", match[2])
    return rf"\begin{{{match[1]}}}{body}\end{{{match[1]}}}"


# -- rows and columns ---------------------------------------------------------------------------------------------


def _rows(body: str) -> tuple[list[tuple[list[str], str]], int]:
    """Split a table's body into rows of (cells, row break) at its own nesting level; also return where it ends."""
    rows: list[tuple[list[str], str]] = []
    cells = [""]
    depth = start = 0
    for mark in _ROW_MARK.finditer(body):
        sign = mark[0]
        if sign == "{" or sign.startswith(r"\begin"):
            depth += 1
        elif sign == "}" or sign.startswith(r"\end"):
            if depth == 0:
                cells[-1] += body[start : mark.start()]
                return [*rows, (cells, "")], mark.start()
            depth -= 1
        elif depth == 0 and (sign == "&" or sign.startswith((r"\\", r"\cr"))) and sign != r"\&":
            cells[-1] += body[start : mark.start()]
            start = mark.end()
            if sign == "&":
                cells.append("")
            else:
                rows.append((cells, sign))
                cells = [""]
    cells[-1] += body[start:]
    return [*rows, (cells, "")], len(body)


def _plain_tex(latex: str) -> str:
    r"""Convert plain TeX's ``\cases{a&b\cr c&d}`` and ``\pmatrix{...}`` to environments."""
    while match := _PLAIN_TEX.search(latex):
        rows, length = _rows(latex[match.end() :])
        if match.end() + length >= len(latex):
            break
        name = match[1]
        if not rows[-1][0][-1].strip():
            rows.pop()
        if name == "cases":
            rows = [([*cells[:1], *map(_text_cell, cells[1:])], mark) for cells, mark in rows]
        body = r" \\ ".join("&".join(cells) for cells, _ in rows)
        latex = f"{latex[: match.start()]}\\begin{{{name}}}{body}\\end{{{name}}}{latex[match.end() + length + 1 :]}"
    return latex


def _text_cell(cell: str) -> str:
    """Wrap the second column of plain TeX's cases, which is text, in a text command."""
    return rf"\text{{{cell.strip()}}}" if _TEXT_CELL.search(cell) else cell


def _arrays(latex: str) -> str:
    """Rewrite array columns with letters known to Temml; material between columns moves into the cells."""
    done = 0
    while match := _ARRAY.search(latex, done):
        columns = _REPEATED.sub(lambda repeated: repeated[2] * min(int(repeated[1]), 40), match[2])
        inserted: dict[int, str] = {}
        letters = ""
        position = 0
        for between in _BETWEEN.finditer(columns):
            letters += _letters(columns[position : between.start()])
            position = between.end()
            if between[2]:
                letters += "c" if between[2] == "S" else "l"
            elif between[1] and not _ONLY_SPACE.fullmatch(between[1]):
                inserted[sum(letter in "lcr" for letter in letters)] = between[1]
        letters += _letters(columns[position:])
        head = f"{match[1]}{{{letters if letters.strip('|:') else letters + 'c'}}}"
        body = latex[match.end() :]
        if inserted:
            rows, length = _rows(body)
            body = "".join(_with_inserted(cells, inserted) + mark for cells, mark in rows) + body[length:]
        latex = latex[: match.start()] + head + body
        done = match.start() + len(head)
    return latex


def _letters(columns: str) -> str:
    return "".join(letter for letter in columns if letter in "lcr|:")


def _with_inserted(cells: list[str], inserted: dict[int, str]) -> str:
    if not any(cell.strip() for cell in cells):
        return "&".join(cells)
    return "&".join(
        f"{{}}{inserted[index]}{{}}{cell}" if index in inserted else cell for index, cell in enumerate(cells)
    )
