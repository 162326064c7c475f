r"""Formulas in mixed text: finding them, and their shape, by which they are searched and compared.

A question is prose with formulas between ``$ $``, ``$$ $$``, ``\( \)``, ``\[ \]``, in a bare environment
(``\begin{array} ... \end{array}``), or between other tools' delimiters (``[latex] [/latex]``, ``[$] [/$]``); its
backslashes may have been doubled on the way. :func:`segment_text` splits it in linear time and never fails: an
unmatched delimiter and the dollar sign of a price are prose. Joining the sources of the segments gives back the text.

A formula's shape remains when numbers and variable names are masked: ``2x + 3 = 11`` and ``7n - 18 = -74`` share one.
`shape_tokens` returns the search tokens that full-text search indexes, and `formula_likeness` ranks the results.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from string import ascii_letters
from typing import Literal

from rapidfuzz.distance import Indel

from analytics.text.characters import replace_text_macros
from analytics.text.notation import SYNONYMS, formula_tokens, halve_backslashes
from analytics.text.remembered import Remembered


@dataclass(frozen=True, slots=True)
class Segment:
    r"""A stretch of prose, or one formula.

    Attributes:
        source: the text exactly as it is, including delimiters. body: the formula without its delimiters and
        with single backslashes (an environment keeps its ``\begin`` and ``\end``); prose unchanged. start: offset
        of the source in the text; ``text[start:end] == source``. display: whether the formula is displayed as a block.
    """

    kind: Literal["text", "formula"]
    source: str
    body: str
    start: int
    end: int
    display: bool = False


# An escaped backslash and an escaped dollar (TAL-SCQ5K writes \textbackslash$) are matched first, so that
# neither can start a delimiter.
_DELIMITER = re.compile(
    r"\\{1,2}(?P<edge>begin|end)\s{0,3}\{(?P<name>[a-zA-Z]{1,20}\*?)\}|(?P<doubled>\\\\[()\[\]])"
    r"|\\\\|\\\$|\\textbackslash(?:\{\}|\s)?\\?\$|(?P<bracket>\\[()\[\]])"
    r"|(?P<dollar>\$)|(?P<tool>\[/?(?:asy|latex|tex|math|mathjax|mathjaxinline|\$)\]|```(?:math\b)?)"
)
_REST_OF_LINE = re.compile(r"[^\S\n]*(?:\n|$)")
_BLANK_LINE = re.compile(r"\n[^\S\n]*\n")
_TOOLS = ("asy", "latex", "tex", "math", "mathjax", "mathjaxinline", "$")
_CLOSER = {r"\(": r"\)", r"\[": r"\]", r"\\(": r"\\)", r"\\[": r"\\]"} | {f"[{tool}]": f"[/{tool}]" for tool in _TOOLS}
_CLOSER["```math"] = "```"
_DISPLAYED = frozenset({r"\[", r"\\[", "[mathjax]", "```math", "environment"})
_IN_BACKTICKS = re.compile(r"`([^`]+)`")  # GitLab writes $`x^2`$
_TEXT_ENVIRONMENTS = frozenset({"enumerate", "itemize", "center", "document", "figure", "table", "proof"})

_PRICE_BEHIND = re.compile(r"\d\s?$")
_HAN = re.compile("[\u4e00-\u9fff]")
_HOLDS_TEXT = re.compile(r"\\(?:text|[mh]box|cases|intertext)")
_NESTED_MARKS = 24  # per formula, which may contain formulas in its text
_PRICE = re.compile(r"\s?[\d.]")
_COMMAND = re.compile(r"\\(?:text|mbox|mathrm|rm)\s*\{[^{}]*\}|\\[a-zA-Z]+")
_WORD = re.compile(r"[A-Za-z]{2,}")
_LAST_WORD = re.compile(r"(?<![A-Za-z\\])([A-Za-z]+)[\s,;:.(]*$")
_MATHEMATICAL = re.compile(r"[\\^_={}<>+*]")
_PROSE_ONLY = re.compile(r"[A-Za-z,;:.'’\s]*")
_PROSE_WORDS = frozenset(
    str.split(
        """
        about after all also an and another are as at back because been before bill bills but buy by can
        cost costs did do does each every for from gave get gets given had has have he her him his how if in
        into is it its just less made make makes many more most much my of off on one only or other out over
        paid pay pays per piece she so sold some spend spent than that the their them then there they this
        to total was we were what when where which while who will with would you your
        """
    )
)


def has_formula_marks(text: str) -> bool:
    """Return whether `text` could contain a formula at all (a cheap test before segmenting)."""
    return "$" in text or "\\" in text or "[/" in text or "```" in text


def segment_text(text: str) -> list[Segment]:
    r"""Split mixed text into prose and formulas.

    ``$$ $$`` is display only when it is alone on its line (half of TAL-SCQ5K writes it inside a
    sentence); ``\[ \]`` and bare environments always are.

    >>> [(s.kind, s.body) for s in segment_text(r"If $x=2$, pay $5 or \$6.")]
    [('text', 'If '), ('formula', 'x=2'), ('text', ', pay $5 or \\$6.')]
    """
    if has_formula_marks(text):
        return _segments(text)
    return [Segment("text", text, text, 0, len(text))] if text else []


def formula_segments(text: str) -> list[Segment]:
    """Return only the formulas of a text."""
    if not has_formula_marks(text):
        return []
    return [segment for segment in segment_text(text) if segment.kind == "formula"]


@Remembered
def _segments(text: str) -> tuple[Segment, ...]:
    segments: list[Segment] = []
    done = 0
    line_is_blank = True  # only spaces since the start of the line, up to `done`
    for start, body_start, body_end, end, kind in _find_formulas(text):
        if start > done:
            segments.append(Segment("text", text[done:start], text[done:start], done, start))
        gap = text[done:start]
        _, newline, tail = gap.rpartition("\n")
        line_is_blank = (line_is_blank or bool(newline)) and not tail.strip()
        display = kind in _DISPLAYED or (kind == "$$" and line_is_blank and _line_ends(text, end))
        body = halve_backslashes(text[body_start:body_end])
        if inner := _IN_BACKTICKS.fullmatch(body):
            body = inner[1]
        segments.append(Segment("formula", text[start:end], body, start, end, display))
        line_is_blank = False
        done = end
    if done < len(text):
        segments.append(Segment("text", text[done:], text[done:], done, len(text)))
    return tuple(segments)


def plain_text(text: str) -> str:
    r"""Return the text without delimiters and text-mode macros, for excerpts, labels and encoders.

    >>> plain_text(r"Anna\textquotesingle s share is $\frac{1}{2}$.")
    "Anna's share is \\frac{1}{2}."
    """
    if not has_formula_marks(text):
        return replace_text_macros(text)
    parts = (
        segment.body.strip() if segment.kind == "formula" else replace_text_macros(segment.source)
        for segment in segment_text(text)
    )
    return "".join(parts)


@dataclass(slots=True)
class _Mark:
    """One delimiter found in the text; `partner` is the index of the mark that would close it, or -1."""

    start: int
    end: int
    kind: str
    name: str = ""
    partner: int = -1
    inner_dollars: int = 0


def _find_formulas(text: str) -> Iterator[tuple[int, int, int, int, str]]:
    """Yield (start, body start, body end, end, kind) of each formula, from left to right.

    Partners are computed beforehand, and a rejected opener costs no more than the stretch up to its partner, so
    the total time is linear in the length of the text.
    """
    marks = _marks(text)
    _pair(marks)
    done = 0
    for index, mark in enumerate(marks):
        if mark.start < done or mark.partner < 0:
            continue
        close = marks[mark.partner]
        if mark.kind == "[asy]":
            done = close.end  # the labels of a drawing are not formulas of the question
        elif mark.kind == "begin":
            done = close.end
            yield mark.start, mark.start, close.end, close.end, "environment"
        elif mark.kind == "$":
            following = marks[index + 1]
            if following.kind == "$" and following.start == mark.end:
                # An odd number of single dollars inside: a price before a formula, "$$5$ or $$6$".
                body_start, body_end = following.end, close.start
                end, kind = close.start + 2, "$$"
                accepted = mark.inner_dollars % 2 == 0 and _is_body(text[body_start:body_end])
            else:
                close = _past_text(text, marks, index)
                body_start, body_end, end, kind = mark.end, close.start, close.end, "$"
                accepted = _is_dollar_body(text[body_start:body_end], text[end : end + 2]) and not (
                    _PRICE_BEHIND.search(text, max(mark.start - 2, 0), mark.start)
                    and _is_between_prices(text[body_start:body_end])
                )
            if accepted:
                done = end
                yield mark.start, body_start, body_end, end, kind
        elif _is_body(text[mark.end : close.start]):
            done = close.end
            yield mark.start, mark.end, close.start, close.end, mark.kind


def _marks(text: str) -> list[_Mark]:
    marks = []
    for match in _DELIMITER.finditer(text):
        group = match.lastgroup
        if group is None:
            continue
        kind = match["edge"] if group == "name" else match[0]
        if group == "name" and match["name"] in _TEXT_ENVIRONMENTS:
            continue
        marks.append(_Mark(match.start(), match.end(), kind, match["name"] or ""))
    return marks


def _pair(marks: list[_Mark]) -> None:
    """Set each opener's partner: the mark that closes it unless something in between rules that out."""
    _pair_dollars(marks, [index for index, mark in enumerate(marks) if mark.kind == "$"])
    nearest: dict[str, int] = {}
    for index in range(len(marks) - 1, -1, -1):
        mark = marks[index]
        if mark.kind in _CLOSER:
            closer = nearest.get(_CLOSER[mark.kind], -1)
            opener = nearest.get(mark.kind, len(marks))
            mark.partner = closer if closer < opener else -1
        nearest[mark.kind] = index
    open_environments: dict[str, list[int]] = {}
    for index, mark in enumerate(marks):
        if mark.kind == "begin":
            open_environments.setdefault(mark.name, []).append(index)
        elif mark.kind == "end" and open_environments.get(mark.name):
            marks[open_environments[mark.name].pop()].partner = index


def _pair_dollars(marks: list[_Mark], dollars: list[int]) -> None:
    """Pair ``$`` with the next ``$``, and ``$$`` with the next ``$$``."""
    count = len(dollars)
    next_double = [-1] * (count + 2)
    for k in range(count - 2, -1, -1):
        adjacent = marks[dollars[k]].end == marks[dollars[k + 1]].start
        next_double[k] = k if adjacent else next_double[k + 1]
    for k in range(count - 1):
        partner = next_double[k + 2] if next_double[k] == k else k + 1
        if partner >= 0:
            marks[dollars[k]].partner = dollars[partner]
            marks[dollars[k]].inner_dollars = partner - k - 2


def _past_text(text: str, marks: list[_Mark], opener: int) -> _Mark:
    r"""Return the dollar that ends a formula: not one inside ``\text{if $x > 0$}`` or ``\cases{...}``."""
    start = marks[opener].end
    close = marks[marks[opener].partner]
    if not _HOLDS_TEXT.search(text, start, close.start) or _open_braces(text[start : close.start]) <= 0:
        return close
    dollars = [mark for mark in marks[opener + 1 : opener + 1 + _NESTED_MARKS] if mark.kind == "$"]
    for later in dollars[2::2]:
        body = text[start : later.start]
        if _open_braces(body) == 0 and _is_body(body):
            return later
    return close


def _open_braces(latex: str) -> int:
    return latex.count("{") - latex.count("}") - latex.count(r"\{") + latex.count(r"\}")


def _is_between_prices(body: str) -> bool:
    """Return whether prose lies between two amounts with trailing dollar signs: "5$, she has 7$"."""
    return (
        _PRICE_BEHIND.search(body) is not None
        and _MATHEMATICAL.search(body) is None
        and (_WORD.search(body) or _HAN.search(body)) is not None
    )


def _is_body(body: str) -> bool:
    return bool(body) and not body.isspace() and _BLANK_LINE.search(body) is None


def _is_dollar_body(body: str, following: str) -> bool:
    """Return whether the text between two dollars is a formula rather than prose between two prices."""
    if not _is_body(body):
        return False
    ends_open = body[-1].isspace()
    if ends_open and (body[0].isspace() or len(body) > 80) and _PROSE_ONLY.fullmatch(body) and _WORD.search(body):
        return False  # "in US$ and C$"
    last_word = _LAST_WORD.search(body) if ends_open or body[-1] == "(" else None
    if last_word and last_word[1].lower() in _PROSE_WORDS:
        return False  # "$x and $y"
    words = [word.lower() for word in _WORD.findall(_COMMAND.sub(" ", body))]
    prose = sum(word in _PROSE_WORDS for word in words)
    if prose and (prose > 2 or body[0].isspace()) and _MATHEMATICAL.search(body) is None:
        return False  # "20$ for two face masks and 60$"
    if not _PRICE.match(body):
        return True
    if following[:1].isdigit() or (ends_open and following.lstrip()[:1].isdigit()):
        return False  # "$5-$10", "$5, $6"
    return not (prose or (ends_open and any(len(word) > 3 for word in words)))


def _line_ends(text: str, position: int) -> bool:
    """Return whether only spaces follow `position` on its line."""
    return _REST_OF_LINE.match(text, position) is not None


_SHAPE_PREFIX = "f0s"  # no word and no other token starts with this
_SHORTEST, _LONGEST = 3, 40  # atoms: a single letter carries no information, and a long formula is unique
_MOST_SHAPES = 12  # per text
_LONGEST_READ = 400  # characters per formula

# Commands under their names in SYNONYMS: "dfrac" is "frac" here, and "mathrm" is "text".
_LAYOUT = frozenset(
    "left right displaystyle textstyle limits quad qquad big Big bigg Bigg text mathbf dots operatorname space"
    " thinspace boxed phantom".split()
)
_SAME = {"leq": "<", "geq": "<", "cdot": "*", "times": "*", "rightarrow": "to", "pm": "+", "div": "/"}
_SIGNS = {"<": "<", ">": "<", "≤": "<", "≥": "<", "×": "*", "÷": "/", "−": "-", "π": "pi"}
_KNOWN = frozenset("-+=<>≤≥≠×÷*/^_|!'%(){}[]√π²³" + ascii_letters) | set(map(chr, range(ord("Α"), ord("ω") + 1)))
_OPENING, _CLOSING = {"{": "}", "(": ")"}, frozenset("})")


@lru_cache(maxsize=20_000)
def formula_atoms(latex: str) -> tuple[str, ...]:
    r"""Return the symbols of a formula without those that only group or lay out.

    >>> formula_atoms(r"\dfrac{1}{2}+\frac13"), formula_atoms(r"\log_{2}(8)"), formula_atoms("3 * x^{2}")
    (('frac', '1', '2', '+', 'frac', '1', '3'), ('log', '_', '2', '8'), ('3', 'x', '^', '2'))
    """
    atoms: list[str] = []
    short_fraction = 0  # \frac13: each digit is one argument
    for token in formula_tokens(latex[:_LONGEST_READ].replace("**", "^")):
        if token[0] == "\\" and token[1:2].isalpha():
            if token[-1] == "}":  # an environment: stored shapes contain the letters of its name
                atoms.extend(
                    [token[1 : token.index("{")].strip(), "{", *filter(str.isalpha, token.partition("{")[2]), "}"]
                )
                continue
            name = SYNONYMS.get(token, token).lstrip("\\")
            if not name or name in _LAYOUT:
                continue
            atom = _SAME.get(name) or _SIGNS.get(name, name)
            short_fraction = 2 if atom == "frac" else 0
            atoms.append(atom)
        elif token[-1].isdigit():
            number = token.lstrip(".").replace("{,}", "").replace(",", "")
            if short_fraction and atoms[-1] != "{" and len(number) > 1:
                atoms.extend(number)
                short_fraction = 0
            else:
                atoms.append(number)
        elif (sign := token[-1]) in _KNOWN:
            if sign == "{":
                short_fraction = 0
            atoms.append(_SIGNS.get(sign, sign))
    while atoms and atoms[-1] in "=<":  # "2 + 3 =" asks for 2 + 3
        atoms.pop()
    return tuple(_without_times(_without_single_brackets(atoms)))


@lru_cache(maxsize=20_000)
def formula_shape(latex: str) -> tuple[str, ...]:
    r"""Return the atoms with numbers and letters masked; exponents and zeros stay, and plus and minus are the same.

    >>> formula_shape("2x + 3 = 11") == formula_shape("8n - 18 = -4"), formula_shape("x^2")
    (True, ('v0', '^', '2'))
    """
    letters: dict[str, str] = {}
    shape: list[str] = []
    for atom in formula_atoms(latex):
        if atom[0].isdigit():
            matters = atom == "0" or shape[-1:] == ["^"]
            shape.append(atom if matters else "N")
        elif len(atom) == 1 and atom.isalpha():
            shape.append(letters.setdefault(atom, f"v{len(letters)}"))
        elif atom == "-":
            if shape and shape[-1] not in ("=", "<", "(", "{", "frac", "^", "_"):
                shape.append("+")  # the sign of the first number is not part of the shape
        else:
            shape.append(atom)
    return tuple(shape)


def formula_likeness(query: str, formula: str) -> float:
    r"""Return the similarity of two formulas, 0 to 1: by shape, by exact symbols and by special symbols.

    Functions, relations and powers are special: a limit of a sine is more like another limit of a sine than
    like a limit of a root with the same shape.

    >>> formula_likeness("1/2", "1/2"), formula_likeness(r"\sin x", r"\sin 2x") > formula_likeness(r"\sin x", "2x")
    (1.0, True)
    """
    mine, others = _standing_out(query), _standing_out(formula)
    shared = len(mine & others) / len(mine | others) if mine or others else 1.0
    by_shape = Indel.normalized_similarity(formula_shape(query), formula_shape(formula))
    by_symbols = Indel.normalized_similarity(formula_atoms(query), formula_atoms(formula))
    return 0.4 * by_shape + 0.3 * by_symbols + 0.3 * shared


@lru_cache(maxsize=20_000)
def _standing_out(latex: str) -> frozenset[str]:
    atoms = formula_atoms(latex)
    powers = {f"^{after}" for atom, after in pairwise(atoms) if atom == "^"}
    return frozenset(atom for atom in atoms if (len(atom) > 1 and atom.isalpha()) or atom in "=<!|") | powers


def text_formulas(text: str) -> list[str]:
    """Return the formulas of a text, without their dollar signs."""
    return [segment.body for segment in formula_segments(text)]


def shape_tokens(formulas: Sequence[str]) -> list[str]:
    r"""Return one search token per shape, for formulas that are neither trivial nor long.

    >>> shape_tokens(["2x+3=11", "x"]) == shape_tokens([r"5n - 4 = 21"])
    True
    """
    tokens: dict[str, None] = {}
    for formula in formulas:
        shape = formula_shape(formula)
        if _SHORTEST <= len(shape) <= _LONGEST or "sqrt" in shape:
            tokens[f"{_SHAPE_PREFIX}{zlib.crc32(' '.join(shape).encode()):08x}"] = None
        if len(tokens) >= _MOST_SHAPES:
            break
    return list(tokens)


def _without_single_brackets(atoms: list[str]) -> list[str]:
    """Drop brackets around a single atom, from the inside out."""
    stack: list[str] = []
    for atom in atoms:
        if atom in _CLOSING and len(stack) >= 2 and _OPENING.get(stack[-2]) == atom and stack[-1] not in _CLOSING:
            inner = stack.pop()
            stack[-1] = inner
        else:
            stack.append(atom)
    return stack


def _without_times(atoms: list[str]) -> list[str]:
    """Drop multiplication signs except between two numbers."""
    return [
        atom
        for place, atom in enumerate(atoms)
        if atom != "*"
        or (0 < place < len(atoms) - 1 and atoms[place - 1][0].isdigit() and atoms[place + 1][0].isdigit())
    ]
