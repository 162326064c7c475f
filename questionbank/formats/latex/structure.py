r"""Locate commands, environments and groups in LaTeX source. Nothing is run: ``\input`` is never followed.

Every function takes time linear in the length of the source, however deep the nesting.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import zip_longest

GONE = "\0"
"""Replaces each character of a comment, so that offsets stay valid."""
_COMMENT = re.compile(
    r"\\begin\s*\{(?P<name>verbatim\*?|Verbatim|lstlisting|minted)\}|\\[\\%]|(?P<comment>%[^\n]*(?:\n[ \t]*(?!\s*\n))?)"
)
_BRACE = re.compile(r"\\.|[{}]", re.DOTALL)
_SPACE = re.compile(r"[\s\0]*")
_ARGUMENT = re.compile(r"[\s\0]*(\\[A-Za-z]+|\\.|[^\\{}$&\s\0])", re.DOTALL)
_OPTION = re.compile(r"[ \t\0]*\n?[ \t\0]*\[((?:[^\[\]{}]|\{[^{}]*\}){0,500})\]")
_DEFINES = re.compile(
    r"\\(?:(?:re|provide)?newcommand\*?|renewcommand\*?|providecommand\*?)\s*\{?\s*\\(?P<name>[A-Za-z]+)\s*\}?"
    r"\s*(?:\[(?P<count>[0-9])\])?\s*(?P<default>\[[^\]]*\])?\s*(?=\{)"
    r"|\\def\s*\\(?P<defined>[A-Za-z]+)\s*(?P<parameters>(?:#[1-9])*)\s*(?=\{)"
    r"|\\DeclareMathOperator(?P<star>\*?)\s*\{\s*\\(?P<operator>[A-Za-z]+)\s*\}\s*(?=\{)"
)
_LONGEST_BODY, _ROUNDS, _MOST_ARGUMENTS = 300, 4, 3
_MOST_MACROS = 500


def without_comments(source: str) -> str:
    r"""Return a source of the same length with its comments replaced by NUL characters.

    >>> without_comments("5\\% of a % b\n c")
    '5\\% of a \x00\x00\x00\x00\x00c'
    """
    pieces, place = [], 0
    unclosed: set[str] = set()
    while match := _COMMENT.search(source, place):
        pieces.append(source[place : match.start()])
        place = match.end()
        if match["comment"]:
            pieces.append(GONE * len(match[0]))
            continue
        if match["name"] and match["name"] not in unclosed:
            end = source.find(f"\\end{{{match['name']}}}", place)
            if end < 0:
                unclosed.add(match["name"])
            place = max(end, place)
        pieces.append(source[match.start() : place])
    return "".join([*pieces, source[place:]])


@lru_cache(maxsize=4)
def _closings(text: str) -> array[int]:
    """Return the offset of the closing brace for each opening brace; -1 if unclosed, and at all other offsets."""
    closings = array("i", [-1]) * len(text)
    open_braces = array("i")
    for match in _BRACE.finditer(text):
        if match[0] == "{":
            open_braces.append(match.start())
        elif match[0] == "}" and open_braces:
            closings[open_braces.pop()] = match.start()
    return closings


def braced(text: str, place: int) -> tuple[str, int]:
    """Return the content of braces after optional whitespace, and their end; ("", place) if there are none."""
    space = _SPACE.match(text, place)
    start = space.end() if space else place
    if text[start : start + 1] != "{":
        return "", place
    end = _closings(text)[start]
    return (text[start + 1 : end], end + 1) if end >= 0 else (text[start + 1 :], len(text))


def _argument(text: str, place: int) -> tuple[str, int]:
    """Return a macro's argument at an offset, a single token if it has no braces, and its end."""
    argument, end = braced(text, place)
    if end == place and (token := _ARGUMENT.match(text, place)):
        return token[1], token.end()
    return argument, end


def option(text: str, place: int) -> tuple[str | None, int]:
    """Return the content of brackets at an offset, and their end; (None, place) if there are none."""
    match = _OPTION.match(text, place)
    return (match[1], match.end()) if match else (None, place)


@dataclass(frozen=True, slots=True)
class Environment:
    r"""An environment: ``text[start:end]`` including its ``\begin`` and ``\end``, and the body between them."""

    name: str
    start: int
    body_start: int
    end: int
    body: str


def top_environments(text: str, names: Sequence[str]) -> list[Environment]:
    """Return the environments of these names that are not nested in another of them."""
    edge = re.compile(rf"\\(begin|end)\s*\{{({'|'.join(map(re.escape, names))})\}}")
    found: list[Environment] = []
    name, depth, begin = "", 0, None
    for match in edge.finditer(text):
        if begin is None:
            if match[1] == "begin":
                begin, name, depth = match, match[2], 1
        elif match[2] == name:
            depth += 1 if match[1] == "begin" else -1
            if depth == 0:
                body = text[begin.end() : match.start()]
                found.append(Environment(name, begin.start(), begin.end(), match.end(), body))
                begin = None
    if begin is not None:
        found.append(Environment(name, begin.start(), begin.end(), len(text), text[begin.end() :]))
    return found


def cut(text: str, environments: Sequence[Environment], instead: str = "\n\n") -> str:
    """Return a text with some of its environments replaced by `instead`."""
    pieces, place = [], 0
    for environment in environments:
        pieces += [text[place : environment.start], instead]
        place = environment.end
    return "".join([*pieces, text[place:]])


def split_items(text: str, commands: Sequence[str]) -> list[tuple[re.Match[str], str | None, str]]:
    r"""Return each command outside environments, its option, and the text up to the next such command.

    >>> [(match["item"], option, body.strip()) for match, option, body in split_items(r"\item[a] x \item y", ("item",))]
    [('item', 'a', 'x'), ('item', None, 'y')]
    """
    step = re.compile(
        rf"\\(?P<edge>begin|end)\s*\{{[^{{}}\n]*\}}|\\(?P<item>{'|'.join(map(re.escape, commands))})(?![A-Za-z])|\\\\"
    )
    depth, marks = 0, []
    for match in step.finditer(text):
        if match["edge"]:
            depth = max(0, depth + (1 if match["edge"] == "begin" else -1))
        elif match["item"] and depth == 0:
            marks.append(match)
    items = []
    for match, after in zip_longest(marks, marks[1:]):
        stated, start = option(text, match.end())
        items.append((match, stated, text[start : after.start() if after else len(text)]))
    return items


def rewritten(text: str, command: re.Pattern[str], shown: Callable[[re.Match[str]], tuple[str, int]]) -> str:
    """Replace commands together with their arguments; a command inside another's arguments is left alone.

    Args:
        shown: returns the replacement of a command, and the end of its arguments.
    """
    pieces, place = [], 0
    for match in command.finditer(text):
        if match.start() >= place:
            written, end = shown(match)
            pieces += [text[place : match.start()], written]
            place = end
    return "".join([*pieces, text[place:]])


class Macros:
    r"""The short macros that a document defines with ``\newcommand`` and ``\def``, for expansion in its texts.

    Expansion replaces text by text, for a few rounds and within bounds; a macro that is too long or infinitely
    recursive is not expanded.

    Args:
        source: the document, without comments.
        kept: names of commands that must not be redefined.
    """

    def __init__(self, source: str, kept: Sequence[str] = ()) -> None:
        self._bodies: dict[str, tuple[int, str | None, str]] = {}  # number of arguments, default of the first, body
        for match in _DEFINES.finditer(source):
            name = match["name"] or match["defined"] or match["operator"]
            body, _end = braced(source, match.end())
            count = int(match["count"] or 0) if match["name"] else len(match["parameters"] or "") // 2
            if match["operator"]:
                body = rf"\operatorname{match['star']}{{{body}}}"
            is_short = len(body) <= _LONGEST_BODY and count <= _MOST_ARGUMENTS
            default = match["default"][1:-1] if match["default"] else None
            if is_short and name not in kept and len(self._bodies) < _MOST_MACROS:
                self._bodies[name] = count, default, body.replace(GONE, "")
        names = "|".join(sorted(map(re.escape, self._bodies), key=len, reverse=True))
        self._name = re.compile(rf"\\({names})(?![A-Za-z])[ \t]*") if names else None

    def expand(self, text: str) -> str:
        if self._name is None:
            return text
        longest = 4 * len(text) + 10_000
        for _round in range(_ROUNDS):
            after = self._once(text, self._name)
            if after == text or len(after) > longest:
                break
            text = after
        return text

    def _once(self, text: str, name: re.Pattern[str]) -> str:
        def shown(match: re.Match[str]) -> tuple[str, int]:
            count, default, body = self._bodies[match[1]]
            end, arguments = match.end(), []
            for place in range(count):
                if place == 0 and default is not None:
                    stated, end = option(text, end)
                    argument = default if stated is None else stated
                else:
                    argument, end = _argument(text, end)
                arguments.append(argument)
            arguments += [f"#{number}" for number in range(len(arguments) + 1, 10)]  # parameters beyond the count stay
            written = re.sub(r"#([1-9])", lambda sign: arguments[int(sign[1]) - 1], body)
            follows = text[end : end + 1] if count == 0 else ""
            is_word = written[-1:].isalpha() and "\\" in written and follows.isalpha()
            return f"{written} " if is_word else written, end

        return rewritten(text, name, shown)
