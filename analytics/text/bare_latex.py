r"""LaTeX in prose without dollar signs: ``\frac{3}{4}`` as an answer, ``f^\prime (x)`` in a sentence.

Public banks write answers this way (MATH has no dollar sign in any of 12,500), and some questions. The rules, for any
stretch of prose that is not already a formula:

- A stretch extends as far as everything in it can belong to a formula: numbers, single letters, signs, brackets, and
  mathematical commands with their arguments. It ends at a word of two letters or more, unless a digit, a script or a
  command is directly next to it (``2xy^2``), and at the end of a line, an answer blank, the full stop of a sentence, a
  comma outside brackets or a command that is not mathematical.
- It counts as a formula only with proof: a mathematical command, or a script with a base before it and an argument
  after it (``x^2``, ``10^{-3}``, ``a_1``; never ``file_name`` or ``^_^``).
- The article of "a 2^3 cube", punctuation at the ends and unmatched brackets stay prose.

If the whole text is a formula, it may also contain commas and prices (:func:`is_bare_formula`). The renderer decides
whether a stretch can be drawn: what it rejects is shown as written.
"""

from __future__ import annotations

import re

_COMMANDS = frozenset(
    str.split(
        r"""
        frac dfrac tfrac cfrac sqrt binom dbinom pi alpha beta gamma delta epsilon varepsilon zeta eta theta vartheta
        kappa lambda mu nu xi rho sigma tau phi varphi chi psi omega Gamma Delta Theta Lambda Xi Pi Sigma Phi Psi Omega
        infty cdot cdots times div pm mp le leq leqslant ge geq geqslant ne neq lt gt approx equiv sim cong
        propto in notin ni cup cap subset subseteq supset setminus emptyset varnothing forall exists to rightarrow
        Rightarrow leftarrow leftrightarrow implies iff sin cos tan cot sec csc arcsin arccos arctan sinh cosh tanh
        log ln lg exp lim max min gcd lcm det deg sum prod int oint partial nabla prime circ degree angle triangle
        perp parallel mid left right big Big bigg Bigg lfloor rfloor lceil rceil langle rangle vert overline
        overrightarrow vec hat bar boxed pmod bmod mathbf mathrm mathbb mathcal operatorname displaystyle
        ast star oplus otimes neg land lor wedge vee therefore because square limits SI si qty unit num ang ce pu
        """
    )
)
_ALLOWED = _COMMANDS | frozenset({"quad", "qquad", "ldots", "dots"})
"""Commands allowed in a formula, including some that do not prove that it is one."""
_TEXTS = frozenset({r"\text", r"\textrm", r"\mbox"})

_QUANTITY = re.compile(
    r"\\(?:SI|si|qty|unit|num|ang|ce|pu)(?:\[[^\]]{0,80}\])?(?:\{(?:[^{}]|\{[^{}]{0,80}\}){0,200}\}){1,2}"
)
"""A quantity or a chemical formula, whose arguments contain commands of their own."""
_TOKEN = re.compile(
    r"(?P<command>(?<!\\)\\[a-zA-Z]+)|(?P<escaped>(?<!\\)\\[,;!: {}|])|(?P<price>\\[$%])"
    r"|(?P<number>\d+(?:\.\d+)?|\.\d+)"
    r"|(?P<letters>[A-Za-z]+)|(?P<script>[\^_](?!_))|(?P<brace>[{}])|(?P<bracket>[()\[\]])"
    r"|(?P<sign>[-+*/=<>|!'−±×÷·≤≥≠°](?!\*))|(?P<point>[,.;:](?!\.))|(?P<blank>[ \t]+)"
)
_BRACE = re.compile(r"\\[\s\S]|[{}]")
_PROOF = re.compile(
    r"\\(?:[a-zA-Z]+|!)|(?<=[A-Za-z0-9)\]}])[\^](?:\{|-?\d|\\|[A-Za-z](?![A-Za-z]))"
    r"|(?<![A-Za-z_])[A-Za-z]_(?:\{|\d|[A-Za-z](?![A-Za-z_]))|(?<=[0-9)\]}])_(?:\{|\d)"
)
_SCRIPT = re.compile(r"[\^](?:\{|-?\d|\\|[A-Za-z](?![A-Za-z]))|_(?:\{|\d|\\|[A-Za-z](?![A-Za-z_]))")
_LEADING = re.compile(r"[\s,.;:!*/'=<>)\]]+")
_ARTICLE = re.compile(
    r"(?:a|A|I)\s+(?=[^\s=<>+\-*/^_|,)\\]|\\(?!(?:le|ge|leq|geq|lt|gt|ne|neq|approx|equiv|in|times|cdot|div|pm|to)\b))"
)
_TRAILING = " \t,.;:?'=([<>"
_OPENING, _CLOSING, _CLOSE = "([", ")]", "}"
_LONGEST, _DEEPEST = 2_000, 8


def is_bare_formula(text: str) -> bool:
    r"""Return whether the whole text is one formula without dollar signs.

    >>> [is_bare_formula(text) for text in (r"\frac{3}{4}", r"(2, x^2)", "odd", "3 cups", "file_name", "x + 5")]
    [True, True, False, False, False, False]
    """
    stripped = text.strip().removesuffix(".")
    if not _may_hold_formula(stripped):
        return False
    end = _run(stripped, 0, whole=True)
    return end == len(stripped) and _is_proved(stripped)


def bare_formulas(prose: str) -> list[tuple[int, int]]:
    r"""Return (start, end) of each stretch of prose that is LaTeX, from left to right.

    >>> prose = r"Find f^\prime (x) if a \le 2^3 holds for a boy of 5."
    >>> [prose[start:end] for start, end in bare_formulas(prose)]
    ['f^\\prime (x)', 'a \\le 2^3']
    """
    if not _may_hold_formula(prose):
        return []
    spans: list[tuple[int, int]] = []
    position = 0
    unclosed = _unclosed_braces(prose)
    while position < len(prose):
        end = _run(prose, position, whole=False, unclosed=unclosed)
        if end == position:
            position += 1
            while position < len(prose) and prose[position - 1].isalnum() and prose[position].isalnum():
                position += 1  # the rest of a word is not a formula
            continue
        span = _trimmed(prose, position, end)
        if span is not None and _is_proved(prose[span[0] : span[1]]):
            spans.append(span)
        position = end
    return spans


def _may_hold_formula(text: str) -> bool:
    return "\\" in text or "^" in text or "_" in text


def _is_proved(formula: str) -> bool:
    return any(
        match[0][0] != "\\" or match[0] == r"\!" or match[0][1:] in _COMMANDS for match in _PROOF.finditer(formula)
    )


def _unclosed_braces(text: str) -> frozenset[int]:
    """Return the positions of opening braces that are never closed: no formula extends past one."""
    open_at: list[int] = []
    for brace in _BRACE.finditer(text):
        if brace[0] == "{":
            open_at.append(brace.start())
        elif brace[0] == _CLOSE and open_at:
            open_at.pop()
    return frozenset(open_at)


def _run(  # noqa: C901 - a branch for each kind of token
    text: str, start: int, *, whole: bool, unclosed: frozenset[int] = frozenset()
) -> int:
    """Return the end of the stretch starting at `start` that can belong to one formula."""
    position = last = start  # `last`: the end of the last part outside braces
    braces = brackets = 0
    previous = ""
    while position < min(len(text), start + _LONGEST):
        if quantity := _QUANTITY.match(text, position):
            position = quantity.end()
            last = position if braces == 0 else last
            previous = "command"
            continue
        match = _TOKEN.match(text, position)
        if match is None or not _belongs(match, text, previous, braces, whole=whole or brackets > 0):
            break
        kind, token, end = match.lastgroup or "", match[0], match.end()
        if token in _TEXTS:
            closing = text.find("}", end)
            if not text.startswith("{", end) or closing < 0 or "{" in text[end + 1 : closing]:
                break
            end = closing + 1
        elif kind == "brace":
            if position in unclosed:
                break
            braces += -1 if token == _CLOSE else 1
            if braces > _DEEPEST:
                break
        elif kind == "bracket":
            brackets = max(brackets + (1 if token in _OPENING else -1), 0)
        previous = kind
        position = end
        if braces == 0:
            last = position
    return last


def _belongs(match: re.Match[str], text: str, previous: str, braces: int, *, whole: bool) -> bool:
    kind, token, start = match.lastgroup, match[0], match.start()
    if kind == "command":
        return token[1:] in _ALLOWED or token in _TEXTS
    if kind == "letters":
        return len(token) == 1 or braces > 0 or _touches_formula(text, start, match.end())
    if kind == "script":
        return previous not in {"", "blank", "sign"} and _SCRIPT.match(text, start) is not None
    if kind == "brace":
        if token == _CLOSE or braces > 0:
            return braces > 0
        return previous in {"command", "script", "brace", "bracket"} or text.startswith("{,}", start)
    if kind == "price":
        return whole or token[-1] == "%" or text[match.end() : match.end() + 1].isdigit()
    if kind == "point":
        following = text[match.end() : match.end() + 1]
        return token[0] != "." and (whole or braces > 0 or following == "\\" or following.isdigit())
    if kind == "blank":
        return previous != "blank"
    if kind == "number" and previous == "blank":
        return not text[start - 2 : start - 1].isdigit()  # "in 2010 10^6 people"
    return True


def _touches_formula(text: str, start: int, end: int) -> bool:
    """Return whether at most three letters are directly next to a digit, a script or a command."""
    if end - start > 3:
        return False
    before, after = text[start - 1 : start], text[end : end + 1]
    return before.isdigit() or before in {"}", "^"} or after in {"^", "\\"}


def _trimmed(text: str, start: int, end: int) -> tuple[int, int] | None:
    """Return a stretch without punctuation, articles and unmatched brackets at its ends; None if nothing is left."""
    while start < end:
        leading = _LEADING.match(text, start, end) or _ARTICLE.match(text, start, end)
        if leading:
            start = leading.end()
        elif text[end - 1] in _TRAILING or (text[end - 1] in "aAI" and text[end - 2] in " \t"):
            end -= 1
        else:
            stretch = text[start:end]
            surplus = sum(stretch.count(sign) for sign in _OPENING) - sum(stretch.count(sign) for sign in _CLOSING)
            if surplus > 0 and stretch[0] in _OPENING:
                start += 1
            elif surplus < 0 and stretch[-1] in _CLOSING:
                end -= 1
            else:
                return (start, end) if surplus == 0 else None
    return None
