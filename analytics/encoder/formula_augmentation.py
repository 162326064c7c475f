"""Changes to formulas that preserve a question's purpose."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from dataclasses import dataclass

from analytics.text.formulas import segment_text
from analytics.text.notation import GREEK, latex_pieces

# Commands with a braced argument that is prose, a name or a length, not mathematics.
_OPAQUE = re.compile(
    r"\\(?:text\w*|mbox|hbox|math(?:rm|bf|sf|tt|it|bb|cal|frak|scr)|operatorname|begin|end|[hv]space|phantom|color"
    r"|label|tag|ref|unit|href|class|style|rule|includegraphics)\*?$"
)
# Letters that usually have a fixed meaning: Euler's number, the imaginary unit, a differential.
_FIXED = frozenset("eid")


@dataclass(slots=True)
class Symbol:
    """One symbol of a formula's source.

    Attributes:
        source: its LaTeX.
        kind: ``"variable"``, ``"number"``, ``"command"``, ``"blank"`` or ``"other"``.
    """

    source: str
    kind: str


def read_symbols(latex: str) -> list[Symbol]:
    r"""Split a formula into symbols; joining their sources restores the formula.

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
    r"""Join the sources; a space separates a command from a following letter.

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
    if source in GREEK or (len(source) == 1 and source.isascii() and source.isalpha() and source not in _FIXED):
        return "variable"
    if source[0].isdigit():
        return "number"
    if source[0] == "\\":
        return "command"
    return "blank" if source.isspace() else "other"


# New names come from the same family as the old one, so that a point stays a point and an angle an angle.
_FAMILIES = (tuple("xyzuvw"), tuple("abc"), tuple("fgh"), tuple("klmnpqrst"), tuple("ABCDEFGHKLMNOPQRSTUVWXYZ"), GREEK)
# One-letter English words: in prose, they are not mentions of a variable.
_ONE_LETTER_WORDS = frozenset("aAI")

_GROUPS = (
    ("+", "-"),
    (r"\times", r"\div"),
    (r"\sin", r"\cos", r"\tan", r"\cot", r"\sec", r"\csc"),
    (r"\arcsin", r"\arccos", r"\arctan"),
    (r"\sinh", r"\cosh", r"\tanh"),
    ("<", ">"),
    (r"\lt", r"\gt"),
    (r"\le", r"\ge"),
    (r"\leq", r"\geq"),
    (r"\leqslant", r"\geqslant"),
    (r"\log", r"\ln"),
    (r"\lg", r"\log"),
    (r"\cup", r"\cap"),
    (r"\subset", r"\supset"),
    (r"\subseteq", r"\supseteq"),
    (r"\perp", r"\parallel"),
    (r"\sum", r"\prod"),
    (r"\max", r"\min"),
    (r"\sup", r"\inf"),
    (r"\lor", r"\land"),
    (r"\vee", r"\wedge"),
)


def _synonyms() -> dict[str, tuple[str, ...]]:
    table: dict[str, set[str]] = {}
    for group in _GROUPS:
        for operator in group:
            table.setdefault(operator, set()).update(synonym for synonym in group if synonym != operator)
    return {operator: tuple(sorted(others)) for operator, others in table.items()}


SYNONYMS: dict[str, tuple[str, ...]] = _synonyms()
"""Every operator that can change, with its possible replacements; symmetric."""


def rename_variable(text: str, rng: random.Random) -> str | None:
    """Rename one variable to an unused name throughout the question, including mentions in prose."""
    used = {symbol.source for symbols in _formulas(text) for symbol in symbols if symbol.kind == "variable"}
    words = set(re.findall(r"(?<![A-Za-z\\])[A-Za-z](?![A-Za-z])", _prose(text)))
    candidates = sorted(used - (words & _ONE_LETTER_WORDS))
    rng.shuffle(candidates)
    for old in candidates:
        family = next((names for names in _FAMILIES if old in names), ())
        free = [name for name in family if name not in used | words]
        if free:
            return _renamed(text, old, rng.choice(free))
    return None


def _renamed(text: str, old: str, new: str) -> str:
    def in_formula(symbols: list[Symbol]) -> list[Symbol]:
        return [
            Symbol(new, symbol.kind) if symbol.kind == "variable" and symbol.source == old else symbol
            for symbol in symbols
        ]

    def in_prose(prose: str) -> str:
        if len(old) > 1 or len(new) > 1:  # Greek names are not written in prose
            return prose
        return re.sub(rf"(?<![A-Za-z\\]){re.escape(old)}(?![A-Za-z'’])", new, prose)

    return _rewritten(text, in_formula, in_prose)


def scale_variable(text: str, rng: random.Random) -> str | None:
    r"""Multiply one variable by 2 to 9 throughout one formula: \cos(2x) becomes \cos(6x).

    A variable with an index is a different variable; function arguments, as in f(x), and differentials are
    not changed.
    """
    places = [
        (index, name)
        for index, symbols in enumerate(_formulas(text))
        for name in sorted({symbols[place].source for place in _scalable(symbols)})
    ]
    if not places:
        return None
    chosen, name = rng.choice(places)
    factor = rng.randint(2, 9)

    def change(index: int, symbols: list[Symbol]) -> list[Symbol]:
        return _scaled(symbols, name, factor) if index == chosen else symbols

    return _rewritten_by_index(text, change)


def _scalable(symbols: list[Symbol]) -> list[int]:
    """Return the indices of variables that denote a quantity."""
    places = []
    for place, symbol in enumerate(symbols):
        if symbol.kind != "variable" or symbol.source not in (*"abckmnprstuvwxyz", *GREEK):
            continue
        before, after = _neighbour(symbols, place, -1), _neighbour(symbols, place, 1)
        if after in ("_", "(", "'", "!") or before in ("_", "'", "d", "\\", r"\to"):
            continue
        if before == "(" and after == ")" and (_neighbour(symbols, place, -2) or "").isalpha():
            continue  # f(x): the name of an argument
        if before in ("/", r"\partial", r"\lim", r"\mathrm"):
            continue
        places.append(place)
    return places


def _neighbour(symbols: list[Symbol], place: int, steps: int) -> str | None:
    """Return the source of the symbol `steps` places away, not counting spaces; a negative number counts backwards."""
    direction = 1 if steps > 0 else -1
    left = abs(steps)
    while left:
        place += direction
        if not 0 <= place < len(symbols):
            return None
        left -= symbols[place].kind != "blank"
    return symbols[place].source


def _scaled(symbols: list[Symbol], name: str, factor: int) -> list[Symbol]:
    changed = list(symbols)
    for place in _scalable(symbols):
        if symbols[place].source != name:
            continue
        before, after = _neighbour(symbols, place, -1), _neighbour(symbols, place, 1)
        if place and symbols[place - 1].kind == "number" and _neighbour(symbols, place, -2) not in ("^", "_"):
            number = symbols[place - 1].source
            value = float(number) * factor
            product = str(int(number) * factor) if "." not in number else f"{value:.6f}".rstrip("0").rstrip(".")
            if after == "^":  # 2x^2 becomes 2(3x)^2: the number is not part of the power's base
                changed[place] = Symbol(f"({factor}{name})", "other")
            else:
                changed[place - 1] = Symbol(product, "number")
        elif after == "^":
            changed[place] = Symbol(f"({factor}{name})", "other")
        elif before in ("^", r"\frac", r"\sqrt", r"\dfrac", r"\tfrac") or _is_second_bare_argument(symbols, place):
            changed[place] = Symbol(f"{{{factor}{name}}}", "other")
        else:
            written = f"{factor}{name}"
            follows_number = place and symbols[place - 1].kind == "number"
            changed[place] = Symbol(f"({written})" if follows_number else written, "other")
    return changed


def _is_second_bare_argument(symbols: list[Symbol], place: int) -> bool:
    r"""Return whether the symbol is the second argument of \frac without braces: ``\frac 1x``, ``\frac{1}x``."""
    steps, depth = -1, 0
    first = _neighbour(symbols, place, steps)
    if first == "}":
        while (source := _neighbour(symbols, place, steps)) is not None:
            depth += (source == "}") - (source == "{")
            if depth == 0:
                break
            steps -= 1
    return _neighbour(symbols, place, steps - 1) in (r"\frac", r"\dfrac", r"\tfrac")


def replace_operator(text: str, rng: random.Random) -> str | None:
    """Replace one operator by a mathematical synonym from `SYNONYMS`."""
    places = [
        (index, place)
        for index, symbols in enumerate(_formulas(text))
        for place, symbol in enumerate(symbols)
        if _is_operator(symbols, place, symbol)
    ]
    if not places:
        return None
    chosen, place = rng.choice(places)

    def change(index: int, symbols: list[Symbol]) -> list[Symbol]:
        if index == chosen:
            symbols[place] = Symbol(rng.choice(SYNONYMS[symbols[place].source]), symbols[place].kind)
        return symbols

    return _rewritten_by_index(text, change)


def _is_operator(symbols: list[Symbol], place: int, symbol: Symbol) -> bool:
    if symbol.source not in SYNONYMS or symbol.kind == "blank":
        return False
    if symbol.source in ("+", "-"):  # a sign is not an operator
        before = _neighbour(symbols, place, -1)
        return before is not None and (before[-1].isalnum() or before in (")", "}", "]")) and before != r"\to"
    if symbol.source in (r"\log", r"\lg", r"\ln"):  # a logarithm with an explicit base keeps its name
        return _neighbour(symbols, place, 1) != "_"
    return True


def replace_number(text: str, rng: random.Random) -> str | None:
    """Replace one number in the formulas by another with as many digits, never by zero.

    If a question has no formula (a word problem), a number in its prose is replaced.
    """
    places = [
        (index, place)
        for index, symbols in enumerate(_formulas(text))
        for place, symbol in enumerate(symbols)
        if symbol.kind == "number"
    ]
    if places:
        chosen, place = rng.choice(places)

        def change(index: int, symbols: list[Symbol]) -> list[Symbol]:
            if index == chosen:
                symbols[place] = Symbol(_another_number(symbols[place].source, rng), "number")
            return symbols

        return _rewritten_by_index(text, change)
    if _formulas(text):
        return None
    numbers = list(re.finditer(r"(?<![\w.,])\d+(?:\.\d+)?(?![\w]|[.,]\d)", text))
    if not numbers:
        return None
    match = rng.choice(numbers)
    return text[: match.start()] + _another_number(match[0], rng) + text[match.end() :]


def _another_number(number: str, rng: random.Random) -> str:
    whole, point, fraction = number.partition(".")
    while True:
        digits = str(rng.randint(1, 9)) + "".join(str(rng.randint(0, 9)) for _digit in whole[1:])
        replacement = digits + point + "".join(str(rng.randint(0, 9)) for _digit in fraction)
        if replacement != number:
            return replacement


def _formulas(text: str) -> list[list[Symbol]]:
    return [read_symbols(segment.body) for segment in segment_text(text) if segment.kind == "formula"]


def _prose(text: str) -> str:
    return " ".join(segment.source for segment in segment_text(text) if segment.kind == "text")


def _rewritten(
    text: str, in_formula: Callable[[list[Symbol]], list[Symbol]], in_prose: Callable[[str], str] = lambda prose: prose
) -> str:
    parts = []
    for segment in segment_text(text):
        if segment.kind == "text":
            parts.append(in_prose(segment.source))
            continue
        at = segment.source.index(segment.body) if segment.body else 0
        body = join_symbols(in_formula(read_symbols(segment.body)))
        parts.append(segment.source[:at] + body + segment.source[at + len(segment.body) :])
    return "".join(parts)


def _rewritten_by_index(text: str, change: Callable[[int, list[Symbol]], list[Symbol]]) -> str:
    counter = iter(range(len(text) + 1))
    return _rewritten(text, lambda symbols: change(next(counter), symbols))
