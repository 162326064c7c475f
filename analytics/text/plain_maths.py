r"""Mathematics typed on a keyboard, as LaTeX: ``sqrt(50)``, ``1/2 + 1/3``, ``x^2-5x+6=0``, ``lim x->0 sin(x)/x``.

`mark_plain_maths` finds the stretches of a text that are plain maths and puts them between dollar signs as LaTeX, so
that a search box, a pasted question and the editor read them alike. `plain_to_latex` is a recursive-descent
parser over this grammar:

    statement  = side {relation side}            relation: = < > <= >= != -> ~
    side       = ["+" | "-"] term {("+" | "-" | "+-") term}
    term       = run {("*" | "/") run}           a / b is a fraction of what stands next to the stroke
    run        = factor {factor}                 2x(y+1)
    factor     = base {"!" | "'" | "%" | "°"} ["_" script] ["^" script]
    base       = number | mixed number | letter | Greek name | function argument
               | "(" list ")" | "[" list "]" | "|" side "|"

A mixed number is a whole number, a blank and a proper fraction of digits; other numbers side by side are no product.
What the grammar does not know stays as it was typed, between dollar signs where it has an operator. Amounts such as
``5 1/2 m``, dates and clock times are prose, and so are all fractions that stand alone in a story.
"""

from __future__ import annotations

import contextlib
import re

from analytics.text.formulas import segment_text
from analytics.text.unit_names import ABBREVIATIONS, WORDS
from analytics.text.word_problems import is_word_problem

__all__ = ["PlainMathsError", "mark_plain_maths", "plain_to_latex"]

_CHINESE = re.compile(r"[\u3400-\u9fff]")
_OPERATOR = re.compile(r"[=^_<>≤≥≠+*/×÷√±²³]|\\[A-Za-z]+|(?<=[\w)])\s*[-−]\s*(?=[\w(\\])")
_FUNCTIONS = frozenset(
    str.split("sin cos tan cot sec csc arcsin arccos arctan sinh cosh tanh log ln lg exp max min det gcd lcm")
)
_ROOTS = {"sqrt": "", "root": "", "cbrt": "3"}
_CALLED = (*sorted(_FUNCTIONS - {"max", "min", "det", "exp", "lg"}, key=len, reverse=True), *_ROOTS)
_GREEK = frozenset(
    str.split("alpha beta gamma delta epsilon theta lambda mu pi rho sigma tau phi omega Delta Sigma Omega")
)
_NAMES = {"infinity": r"\infty", "infty": r"\infty", "inf": r"\infty", "oo": r"\infty"}
_WORDS = sorted((*_FUNCTIONS, *_ROOTS, *_GREEK, *_NAMES, "lim", "int", "abs", "mod"), key=len, reverse=True)
_KNOWN_WORD = re.compile(rf"(?:{'|'.join(_WORDS)}|d[xyt])(?![a-z])")
_CALL = re.compile(rf"(?<![A-Za-z])(?:{'|'.join(_CALLED)})(?:[_^]?\d+)?\s*[(\dα-ωA-Zx-z](?![a-z])")
_MATHEMATICAL = re.compile(r"[\d=^_<>≤≥≠+*/×÷√±|!%(){}\[\].,;:\\²³−-]")
_SHORT_WORDS = frozenset(
    str.split(
        "ad am an as at be by do ex go ha he hi if in is it me my no of oh ok on or ox pi so to up us vs we"
    )
)
_UNIT = re.compile(r"(?P<name>[A-Za-zµ°]+)(?:\^?[23²³])?")
_UNIT_NAMES = frozenset((*WORDS, *ABBREVIATIONS)) - {"in"}
_SHORT_UNIT = "|".join(name for name in ABBREVIATIONS if name.isalpha() and name != "in")
_MIXED_NUMBER = re.compile(
    r"(?<![\d.,/^_])(?P<whole>\d{1,9})\s(?P<above>\d{1,4})\s?/\s?(?P<below>\d{1,4})(?!\d|[./]\d)"
)
_SIDE_BY_SIDE = re.compile(r"\d\s+\.?\d")
_AMOUNT = (
    r"[-−]?(?:(?:\d{1,9}\s)?\d{1,9}\s?/\s?\d{1,9}|\d[\d,]{0,12}(?:\.\d{1,9})?)(?:\s?%)?"
    rf"(?:(?:\s|(?=[A-Za-z]{{2}}))(?:[kdcm]?m\^?[23²³]|{_SHORT_UNIT}))?"
)
_AMOUNTS = re.compile(rf"(?:[Aa]\s)?{_AMOUNT}(?:[,;]\s{_AMOUNT})*(?:\sa)?[.,;:?!]*")
_MONTH, _DAY = r"(?:0?[1-9]|1[0-2])", r"(?:0?[1-9]|[12]\d|3[01])"
_DATE = re.compile(
    rf"(?:{_DAY}/{_MONTH}|{_MONTH}/{_DAY})/(?:\d{{4}}|\d{{2}})|\d{{4}}-(?=\d\d-\d\d$){_MONTH}-{_DAY}"
)
_CLOCK_TIME = r"\d{1,2}(?::[0-5]\d|\s?[ap]\.?m\.?){1,2}"
_CLOCK_TIMES = re.compile(rf"{_CLOCK_TIME}(?:(?:\s?[-–]\s?|[,;]\s){_CLOCK_TIME})*[.,;:?!]*", re.IGNORECASE)
_TOKEN = re.compile(
    r"\s*(?:(?P<number>\d{1,3}(?:,\d{3})+(?:\.\d+)?(?!\d)|\d+(?:\.\d+)?|\.\d+)"
    rf"|(?P<word>{'|'.join(_WORDS)})(?![a-z])"
    r"|(?P<letter>d[xyt](?![A-Za-z])|[A-Za-zα-ωΑ-Ω])"
    r"|(?P<operator>\*\*|<=|>=|!=|<>|->|=>|\+-|\+/-|[-+*/^_=<>!'%°(){}\[\]|,;×·÷≤≥≠≈→±−–√∛²³∞π∫])"
    r"|(?P<end>$))"
)
_RELATIONS = {
    "=": "=", "<": "<", ">": ">", "<=": r"\le", ">=": r"\ge", "≤": r"\le", "≥": r"\ge", "!=": r"\ne", "<>": r"\ne",
    "≠": r"\ne", "->": r"\to", "=>": r"\Rightarrow", "→": r"\to", "≈": r"\approx",
}  # fmt: skip
_SIGNS = {"+": "+", "-": "-", "−": "-", "–": "-", "+-": r"\pm", "+/-": r"\pm", "±": r"\pm"}
_TIMES = frozenset("*×·")
_STARTS = frozenset("([√∛∞π∫")
_CLOSING = {"(": ")", "[": "]", "{": "}"}
_DEEPEST = 40  # brackets within brackets; more is no formula that somebody typed


class PlainMathsError(ValueError):
    """What was typed is no plain maths that the grammar knows."""


def mark_plain_maths(text: str) -> str:
    r"""Return the text with its plain maths as LaTeX between dollar signs; a text with formulas stays as it is.

    >>> mark_plain_maths("solve x^2 - 5x + 6 = 0 for x")
    'solve $x^{2} - 5x + 6 = 0$ for x'
    >>> mark_plain_maths("Find 3/4 of 20."), mark_plain_maths("Cut off 2 3/4 m.")
    ('Find $\\frac{3}{4}$ of 20.', 'Cut off 2 3/4 m.')
    """
    if any(segment.kind == "formula" for segment in segment_text(text)):
        return text
    is_story = is_word_problem(text)
    marked: list[str] = []
    run: list[str] = []
    for piece in [*re.split(r"(\s+)", text), None]:
        if piece is not None and (_is_mathematical(piece) if piece.strip() else run and "\n" not in piece):
            run.append(piece)
            continue
        stretch = "".join(run)
        is_prose = _is_amount(stretch, piece or "", is_story=is_story)
        marked.append(stretch if is_prose else _as_formula(stretch))
        run = []
        marked.append(piece or "")
    return "".join(marked)


def plain_to_latex(text: str) -> str:
    r"""Return plain maths as LaTeX, without dollar signs.

    Raises:
        PlainMathsError: the grammar does not know it.

    >>> plain_to_latex("(x+1)/sqrt(2)"), plain_to_latex("2**-1 <= 3"), plain_to_latex("log_2(8)")
    ('\\frac{x + 1}{\\sqrt{2}}', '2^{-1} \\le 3', '\\log_{2}(8)')
    """
    parser = _Parser(text)
    latex = parser.statements()
    parser.expect("")
    return latex


def _is_mathematical(piece: str) -> bool:
    """Return whether a stretch without blanks can stand in a formula: mathematics knows all its words."""
    if _CHINESE.search(piece) or _is_unit(piece) or _DATE.fullmatch(piece.strip("().,;:?!")):
        return False
    letters = re.sub(r"\\[A-Za-z]+", "", piece)
    without = _KNOWN_WORD.sub("", letters)
    longest = max((len(word) for word in re.findall(r"[A-Za-z]+", without)), default=0)
    if longest > 2:
        return False
    return longest < 2 or _MATHEMATICAL.search(piece) is not None or piece.lower() not in _SHORT_WORDS


def _is_unit(piece: str) -> bool:
    """Return whether this is a unit such as ``km/h`` or ``cm^2``, which is prose."""
    parts = piece.rstrip(".,;:?!").split("/")
    matches = [_UNIT.fullmatch(part) for part in parts]
    names = [match["name"] for match in matches if match is not None]
    return len(names) == len(parts) and all(name in ABBREVIATIONS for name in names) and len(piece) > 1


def _is_amount(run: str, following: str, *, is_story: bool) -> bool:
    """Return whether a run is prose: amounts alone, with a unit or in a story."""
    body = run.strip()
    if not _AMOUNTS.fullmatch(body):
        return False
    return is_story or re.search(r"[B-Zb-z]", body) is not None or _is_unit_name(following)


def _is_unit_name(piece: str) -> bool:
    name = re.split(r"[./^²³,;:?!)]", piece)[0]
    return name in _UNIT_NAMES or name.lower() in _UNIT_NAMES


def _as_formula(run: str) -> str:
    body = run.strip()
    if not (_OPERATOR.search(body) or _CALL.search(body)) or not re.search(r"[\w\\]", body):
        return run
    if _CLOCK_TIMES.fullmatch(body) or _has_numbers_side_by_side(body):
        return run
    trailing = re.search(r"(?:[.,;:?]|(?<![\w)])!)*$", body)
    end = len(body) - len(trailing[0]) if trailing else len(body)
    start = run.index(body)
    formula = body[:end]
    if "\\" not in formula:
        with contextlib.suppress(PlainMathsError):
            formula = plain_to_latex(formula)
    return f"{run[:start]}${formula}${body[end:]}{run[start + len(body) :]}"


def _has_numbers_side_by_side(body: str) -> bool:
    """Return whether there is only a blank between two numbers, and they are not a mixed number."""
    without_mixed = _MIXED_NUMBER.sub(lambda match: "0" if _is_proper(match) else match[0], body)
    return _SIDE_BY_SIDE.search(without_mixed) is not None


def _is_proper(mixed: re.Match[str]) -> bool:
    return int(mixed["above"]) < int(mixed["below"])


class _Parser:
    """Reads one formula; every method returns LaTeX and leaves the next symbol to read in `symbol`."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.place = 0
        self.start = 0
        self.depth = 0
        self.kind, self.symbol = "", ""
        self._advance()

    def _advance(self) -> str:
        """Read the next token; returns the one before it."""
        before = self.symbol
        match = _TOKEN.match(self.text, self.place)
        if match is None:
            raise PlainMathsError(self.text[self.place :])
        self.place = match.end()
        self.kind = str(match.lastgroup)
        self.start, self.symbol = match.start(self.kind), match[self.kind]
        return before

    def expect(self, symbol: str) -> None:
        """Read past the symbol; the empty one is the end."""
        if self.symbol != symbol:
            raise PlainMathsError(self.symbol)
        if symbol:
            self._advance()

    def statements(self) -> str:
        """Read statements or list items between commas."""
        parts = [self.statement()]
        while self.symbol in (",", ";"):
            parts.append(self._advance())
            parts.append(" " + self.statement())
        return "".join(parts)

    def statement(self) -> str:
        parts = [self.side()]
        while self.symbol in _RELATIONS:
            parts.append(_RELATIONS[self._advance()])
            if self.kind == "end":  # "2x + 3 =" as it stands before a blank
                break
            parts.append(self.side())
        return " ".join(parts)

    def side(self) -> str:
        sign = _SIGNS[self._advance()] if self.symbol in _SIGNS else ""
        parts = [sign + (" " if sign.startswith("\\") else "") + self.term()]
        while self.symbol in _SIGNS:
            parts.append(_SIGNS[self._advance()])
            parts.append(self.term())
        return " ".join(parts)

    def term(self) -> str:
        factors = self.run()
        while True:
            if self.symbol in _TIMES:
                self._advance()
                following = self.run()
                sign = [r" \times "] if _needs_sign(factors[-1], following[0]) else []
                factors = [*factors, *sign, *following]
            elif self.symbol == "/":
                self._advance()
                below, *rest = self.run()
                head, above = _split_at_operator(factors)
                factors = [*head, rf"\frac{{{_bare(_product(above))}}}{{{_bare(below)}}}", *rest]
            elif self.symbol == "÷":
                self._advance()
                factors = [*factors, r" \div ", *self.run()]
            elif self.symbol == "mod":
                self._advance()
                factors = [*factors, r" \bmod ", *self.run()]
            else:
                return _product(factors)

    def run(self) -> list[str]:
        """Read factors that stand next to each other; a number does not follow another one."""
        before = self.kind
        factors = [self.factor()]
        while self.symbol in _STARTS or (self.kind in ("number", "letter", "word") and self.symbol != "mod"):
            if before == self.kind == "number":
                raise PlainMathsError(self.symbol)
            before = self.kind
            factors.append(self.factor())
        return factors

    def factor(self) -> str:
        latex = self.base()
        while self.symbol in ("!", "'", "%", "°", "²", "³"):
            mark = self._advance()
            latex += {"%": r"\%", "°": r"^{\circ}", "²": "^{2}", "³": "^{3}"}.get(mark, mark)
        for script in ("_", "^"):
            if self.symbol == script or (script == "^" and self.symbol == "**"):
                self._advance()
                latex += f"{script}{{{self.script()}}}"
        return latex

    def script(self) -> str:
        """Return an exponent or an index: one factor with its sign, without its brackets."""
        sign = _SIGNS[self._advance()] if self.symbol in _SIGNS else ""
        if sign == "+":
            sign = ""
        if self.symbol in _CLOSING:
            return sign + _bare(self.base())
        if self.kind in ("number", "letter"):
            return sign + self._advance()
        return sign + self.factor()

    def base(self) -> str:
        mixed = _MIXED_NUMBER.match(self.text, self.start)
        if mixed is not None and _is_proper(mixed):
            return self._mixed_number(mixed)
        if self.kind in ("number", "letter"):
            return self._advance()
        if self.kind == "word":
            return self._named()
        if self.symbol in _CLOSING:
            return self._bracketed()
        if self.symbol == "|":
            self._advance()
            inner = self.side()
            self.expect("|")
            return rf"\left|{inner}\right|"
        if self.symbol in ("√", "∛"):
            degree = "[3]" if self._advance() == "∛" else ""
            return rf"\sqrt{degree}{{{_bare(self.base())}}}"
        if self.symbol in ("∞", "π", "∫"):
            return {"∞": r"\infty ", "π": r"\pi ", "∫": r"\int "}[self._advance()]
        raise PlainMathsError(self.symbol)

    def _mixed_number(self, match: re.Match[str]) -> str:
        self.place = match.end()
        self._advance()
        return rf"{match['whole']}\frac{{{match['above']}}}{{{match['below']}}}"

    def _bracketed(self) -> str:
        self.depth += 1
        if self.depth > _DEEPEST:
            raise PlainMathsError("brackets")
        opening = self._advance()
        inner = self.statements()
        self.expect(_CLOSING[opening])
        self.depth -= 1
        return rf"\{{{inner}\}}" if opening == "{" else f"{opening}{inner}{_CLOSING[opening]}"

    def _named(self) -> str:
        word = self._advance()
        if word in _ROOTS:
            degree = _ROOTS[word]
            if word == "root" and self.kind == "number":
                degree = self._advance()
            return rf"\sqrt{f'[{degree}]' if degree else ''}{{{_bare(self.base())}}}"
        if word in _NAMES:
            return _NAMES[word] + " "
        if word in _GREEK:
            return f"\\{word} "
        if word == "abs":
            return rf"\left|{_bare(self.base())}\right|"
        if word == "lim":
            return self._limit()
        if word == "int":
            return r"\int" + self._scripts() + " "
        if word in ("log", "exp") and self.kind == "number" and self.text[self.place : self.place + 1] == "(":
            return rf"\{word}_{{{self._advance()}}}"  # log2(8)
        return f"\\{word}{self._scripts()}" + ("" if self.symbol in _CLOSING else " ")

    def _scripts(self) -> str:
        scripts = ""
        while self.symbol in ("_", "^"):
            scripts += f"{self._advance()}{{{self.script()}}}"
        return scripts

    def _limit(self) -> str:
        if self.symbol == "_":
            self._advance()
        if self.symbol in _CLOSING:
            return rf"\lim_{{{_bare(self._bracketed())}}} "
        variable = self.factor()
        if self.symbol not in ("->", "→"):
            raise PlainMathsError(self.symbol)
        self._advance()
        sign = _SIGNS[self._advance()] if self.symbol in _SIGNS else ""
        return rf"\lim_{{{variable} \to {sign}{self.factor()}}} "


def _product(factors: list[str]) -> str:
    """Return factors side by side."""
    return "".join(factors).strip()


def _split_at_operator(factors: list[str]) -> tuple[list[str], list[str]]:
    """Split off limits and integrals, which stand before a fraction and not in it."""
    place = next((n for n in range(len(factors), 0, -1) if factors[n - 1].startswith((r"\lim", r"\int"))), 0)
    return (factors[:place], factors[place:]) if place < len(factors) else ([], factors)


def _needs_sign(left: str, right: str) -> bool:
    """Return whether a product shows its sign: before numbers and between brackets.

    Nobody writes 2 times x with one.
    """
    before_number = (left[-1:].isdigit() or left[-1:] == "}") and right[:1].isdigit()
    return before_number or left[-1:] == ")" or right[:1] == "("


def _bare(latex: str) -> str:
    """Return what stands within the brackets that surround all of it."""
    latex = latex.strip()
    if latex[:2] == r"\{" and latex.endswith(r"\}"):
        return latex[2:-2]
    if latex[:1] not in ("(",) or not latex.endswith(")"):
        return latex
    depth = 0
    for place, sign in enumerate(latex):
        depth += (sign == "(") - (sign == ")")
        if depth == 0:
            return latex[1:-1] if place == len(latex) - 1 else latex
    return latex
