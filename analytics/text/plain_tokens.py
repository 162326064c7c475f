"""Tokens of keyboard-typed mathematics: numbers, mixed numbers, names, letters and signs.

An ``x`` between numbers is a sign: ``5 x 3``, ``3.6 x 10^5``. If it could also be a variable, the text is rejected.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

FUNCTIONS = {
    **{
        name: f"\\{name}"
        for name in str.split(
            "sin cos tan cot sec csc arcsin arccos arctan sinh cosh tanh log ln lg exp max min det gcd"
        )
    },
    **{f"a{name}": rf"\arc{name}" for name in ("sin", "cos", "tan")},
    "lcm": r"\operatorname{lcm}",
}
"""Functions by the words that people type for them."""
ROOTS = {"sqrt": "", "root": "", "cbrt": "[3]", "√": "", "∛": "[3]", "∜": "[4]"}
GREEK = frozenset(
    str.split("alpha beta gamma delta epsilon theta lambda mu pi rho sigma tau phi omega Delta Sigma Omega")
)
CONSTANTS = {"infinity": r"\infty", "infty": r"\infty", "inf": r"\infty", "oo": r"\infty", "∞": r"\infty", "π": r"\pi"}
SUMS = {"sum": r"\sum", "prod": r"\prod", "∑": r"\sum", "∏": r"\prod"}
CONNECTIVES = frozenset({"and", "or", "not", "given"})  # inside the brackets of a probability
_NAMES = (*FUNCTIONS, *ROOTS, *GREEK, *CONSTANTS, *SUMS, *CONNECTIVES, "lim", "int", "abs", "mod")
_NAME = "|".join(sorted((name for name in _NAMES if name.isascii()), key=len, reverse=True))

_TOKEN = re.compile(
    r"(?P<mixed>(?<![0-9.,/^_])[0-9]{1,9} [0-9]{1,4} ?/ ?[0-9]{1,4}(?![0-9]|[./][0-9]))"
    r"|(?P<number>[0-9]{1,3}(?:,[0-9]{3})+(?![0-9])(?:\.[0-9]+)?|[0-9]+(?:\.[0-9]+)?|\.[0-9]+)"
    rf"|(?P<name>(?:{_NAME})(?![a-z])|(?:sin|cos|tan|ln|log)(?=[xyθ](?![A-Za-z]))|d[xytuθ](?![A-Za-z])|[√∛∜∞π∑∏])"
    r"|(?P<letter>[A-Za-zα-ωΑ-Ωϕϑ])"
    r"|(?P<sign>\.\.\.|\. \. \.|\*\*|<=|>=|!=|<>|->|=>|\+-|\+/-|[-+*/^_=<>!'%°(){}\[\]|,;:×·÷≤≥≠≈~→⇒±∓−–∫∈∉⊂⊆∪∩⊥∥∠△…□])"
    r"|(?P<blank>\s+)"
)
RELATIONS = {
    "=": "=", "<": "<", ">": ">", "<=": r"\le", ">=": r"\ge", "≤": r"\le", "≥": r"\ge", "!=": r"\ne", "<>": r"\ne",
    "≠": r"\ne", "->": r"\to", "=>": r"\Rightarrow", "→": r"\to", "⇒": r"\Rightarrow", "≈": r"\approx", "~": r"\sim",
    "∈": r"\in", "∉": r"\notin", "⊂": r"\subset", "⊆": r"\subseteq", "⊥": r"\perp", "∥": r"\parallel",
}  # fmt: skip
SIGNS = {"+": "+", "-": "-", "−": "-", "–": "-", "+-": r"\pm", "+/-": r"\pm", "±": r"\pm", "∓": r"\mp"}
DOTS = ("...", ". . .", "…")
_ENDS = (")", "]", "%", "°", "!", "π", "pi")
CLOSING = {"(": ")", "[": "]", "{": "}"}


class PlainMathsError(ValueError):
    """The text is not plain maths that the grammar can parse with certainty.

    Attributes:
        position: offset of the offending character in the text as typed on a keyboard.
    """

    def __init__(self, reason: str, position: int = 0) -> None:
        super().__init__(f"{reason} (character {position + 1})")
        self.position = position


@dataclass(slots=True)
class Token:
    """A token; `spaced`: whether a space precedes it."""

    kind: str
    text: str
    start: int
    end: int
    spaced: bool = False


def plain_tokens(text: str) -> list[Token]:
    """Return the tokens of a formula, ending with one of kind "end".

    Raises:
        PlainMathsError: a character cannot belong to a formula, or an x or an exclamation mark is ambiguous.

    >>> [token.text for token in plain_tokens("2 1/2 x 4 = 3!")]
    ['2 1/2', '×', '4', '=', '3', '!', '']
    """
    tokens: list[Token] = []
    place, spaced = 0, False
    while place < len(text):
        match = _TOKEN.match(text, place)
        if match is not None and match.lastgroup == "mixed" and not _is_proper(match[0]):
            match = _TOKEN.match(text, place, match.start("mixed") + match[0].index(" "))  # only the whole number
        if match is None:
            raise PlainMathsError(f"“{text[place]}” is not known", place)
        if match.lastgroup != "blank":
            tokens.append(Token(str(match.lastgroup), match[0], place, match.end(), spaced))
        spaced, place = match.lastgroup == "blank", match.end()
    tokens.append(Token("end", "", len(text), len(text), spaced))
    tokens = _times(_factorials(tokens))
    _refuse_contradicting_blanks(tokens)
    return tokens


class Cursor:
    """A position in the tokens of a formula."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = plain_tokens(text)
        self.place = 0

    @property
    def token(self) -> Token:
        """The next token."""
        return self.tokens[self.place]

    def is_tight(self) -> bool:
        """Return whether there is no space on either side of the next token."""
        return not self.token.spaced and not self.tokens[self.place + 1].spaced

    def error(self, reason: str) -> PlainMathsError:
        """Return an error located at the next token."""
        return PlainMathsError(reason, self.token.start)

    def advance(self) -> Token:
        """Consume the next token."""
        token = self.token
        if token.kind == "end":
            raise self.error("something is missing at the end")
        self.place += 1
        return token

    def expect(self, sign: str) -> None:
        """Consume the next token, which must be this sign."""
        if self.token.text != sign:
            raise self.error(f"“{sign}” is missing")
        self.advance()


def ends_operand(token: Token) -> bool:
    """Return whether a token can be the end of an operand: a number, a letter or a closing bracket."""
    return token.kind in ("number", "mixed", "letter") or token.text in _ENDS


def _is_proper(mixed: str) -> bool:
    above, below = re.split(r"\D+", mixed)[1:]
    return int(above) < int(below)


def _factorials(tokens: list[Token]) -> list[Token]:
    """Parse ``5!=120`` as a factorial; ``n!=6`` could also be an inequality."""
    read: list[Token] = []
    for token, before in zip(tokens, [None, *tokens], strict=False):
        if token.text != "!=" or token.spaced or before is None:
            read.append(token)
        elif before.kind == "number":
            middle = token.start + 1
            read.append(Token("sign", "!", token.start, middle))
            read.append(Token("sign", "=", middle, token.end))
        else:
            raise PlainMathsError("“!=” is an inequality or a factorial", token.start)
    return read


def _times(tokens: list[Token]) -> list[Token]:
    """Turn each x that means "times" into a sign: between numbers, or between spaces before a bracket."""
    letters = [place for place, token in enumerate(tokens) if token.text in ("x", "X") and token.kind == "letter"]
    signs = {place for place in letters if _joins_numbers(tokens, place)}
    variables = [place for place in letters if place not in signs]
    if any(_may_be_power(tokens, place) for place in signs) and (variables or _has_sum(tokens)):
        raise PlainMathsError("x is a variable or a multiplication sign")
    for place in variables:
        before, token, after = tokens[place - 1 if place else -1], tokens[place], tokens[place + 1]
        is_apart, is_alone = token.spaced and after.spaced, len(variables) == 1
        if not ends_operand(before):
            continue
        if after.text == "(" and before.kind != "letter" and is_alone:
            if is_apart:
                signs.add(place)
                continue
            is_unclear = not any(other.text in RELATIONS for other in tokens)  # "2x(3+4)"
        else:
            is_unclear = is_apart and _begins_operand(tokens, place + 1)
        if is_unclear:
            raise PlainMathsError("x is a variable or a multiplication sign", token.start)
    for place in signs:
        tokens[place].kind, tokens[place].text = "sign", "×"
    return tokens


def _joins_numbers(tokens: list[Token], place: int) -> bool:
    before, token, after = tokens[place - 1 if place else -1], tokens[place], tokens[place + 1]
    if token.spaced != after.spaced:
        return False
    is_apart = token.spaced
    begins = after.kind in ("number", "mixed") or (is_apart and after.text in ("pi", "π", "√", "∛", "sqrt", "cbrt"))
    return begins and (before.kind in ("number", "mixed") or (is_apart and before.text in _ENDS))


def _may_be_power(tokens: list[Token], place: int) -> bool:
    """Return whether this may be a power whose exponent lost its superscript when copied: "2x3 + 5x2"."""
    return not tokens[place].spaced and tokens[place + 1].text in ("2", "3", "4", "5")


def _has_sum(tokens: list[Token]) -> bool:
    return any(token.text in SIGNS and place and ends_operand(tokens[place - 1]) for place, token in enumerate(tokens))


def _begins_operand(tokens: list[Token], place: int) -> bool:
    token = tokens[place]
    if token.text in SIGNS:
        return not tokens[place + 1].spaced  # "5 x -3"
    is_name = token.kind == "name" and token.text[0] != "d" and token.text != "mod"
    return is_name or token.kind in ("letter", "number", "mixed") or token.text == "("


def _refuse_contradicting_blanks(tokens: list[Token]) -> None:
    """Reject ``x+1 / x-1``, in which the spacing contradicts the precedence of the operators."""
    depth = 0
    tight_sums: set[int] = set()
    loose_strokes: set[int] = set()
    for before, token, after in zip(tokens, tokens[1:], tokens[2:], strict=False):
        depth += (before.text in CLOSING) - (before.text in CLOSING.values())
        is_tight = not token.spaced and not after.spaced
        if token.text in SIGNS and is_tight and ends_operand(before):
            tight_sums.add(depth)
        elif token.text == "/" and not is_tight:
            loose_strokes.add(depth)
    if tight_sums & loose_strokes:
        raise PlainMathsError("the spacing and the order of operations disagree")
