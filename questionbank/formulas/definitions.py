r"""Definitions in a text (``\newcommand``, ``\def``, ``\DeclareMathOperator``) for the formulas after them.

As in LaTeX, definitions apply from their position to the end of the text, and never to another text. They are
rewritten as ``\def``, which may redefine a name; Temml expands them within its limits.
"""

from __future__ import annotations

import re

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
