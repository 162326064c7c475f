r"""Mathematics in prose without dollar signs: typed on a keyboard (``sqrt(50)``, ``1/2 + 1/3``), or bare LaTeX.

`mark_plain_maths` finds the stretches of a text that are plain maths and puts them between dollar signs as LaTeX, so
that a search box, a pasted question and the editor treat them alike. `analytics.text.plain_grammar` parses each
stretch; what it cannot parse with certainty stays as typed.

A stretch is bounded by words, units, sentence punctuation and the ends of its line
(`analytics.text.plain_stretches`). Amounts such as ``5 1/2 m``, dates, clock times, "pages 5-10" and isolated
fractions in a story are prose.

LaTeX without dollar signs is how public banks write answers (MATH has no dollar sign in any of 12,500), and some
questions: ``\frac{3}{4}``, ``f^\prime (x)``. The rules of `bare_formulas`, for any stretch of prose that is not already
a formula:

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
from collections.abc import Iterator
from contextlib import suppress

from analytics.text.characters import VULGAR_FRACTIONS, tidy_characters
from analytics.text.formulas import formula_segments
from analytics.text.plain_grammar import plain_to_latex
from analytics.text.plain_stretches import is_unit_name, maths_stretches
from analytics.text.plain_tokens import PlainMathsError
from analytics.text.question_tasks import is_word_problem

_LONGEST = 100_000  # characters of text examined
_NEAR = 40  # characters of context on each side that decide what a stretch is
_OPERATOR = re.compile(r"[=^<>≤≥≠≈+*/×÷·√∛∜±∓∫∑∏∈∉⊂⊆∪∩∞!∠△\u00b2-\u00be\u2070-\u209c⅐-⅞]|(?<=[A-Za-z])_")
_WORKED_OUT = re.compile(  # other signs of a formula: a minus, an x for times, a function, 2 pi r
    r"(?<=[\w)])\s*[-−–]\s*(?=[\w(√])|[\d)] ?[xX] ?[\d(]|[\d(] ?(?:π|pi\b)"
    r"|(?:sin|cos|tan|cot|sec|csc|log|ln|lg|exp|max|min|gcd|lcm|det|sqrt|root|cbrt|abs|lim|int)"
)
_SIMPLE = r"(?:[0-9]+(?:\.[0-9]+)?|[A-Za-z])"
_HYPHENATED = re.compile(rf"{_SIMPLE}(?:[-–]{_SIMPLE})+|[A-Za-z](?: ?/ ?[A-Za-z])+")
_MONTH, _DAY = r"(?:0?[1-9]|1[0-2])", r"(?:0?[1-9]|[12][0-9]|3[01])"
_DATE = re.compile(
    rf"(?:{_DAY}/{_MONTH}|{_MONTH}/{_DAY})/(?:[0-9]{{4}}|[0-9]{{2}})|[0-9]{{4}}([-/])[0-9]{{2}}\1[0-9]{{2}}"
)
_UNIT_ALONE = re.compile(r"[kcdm]?m(?:[²³]|\^[23])")  # "in m²"
_RATIO = re.compile(r"[0-9]+(?: ?: ?[0-9.]+)+(?: ?[-–] ?[0-9]+:[0-9]+)*")  # clock times too
_VULGAR = f"[{''.join(VULGAR_FRACTIONS)}]"
_AMOUNT = rf"[-−]?(?:[0-9]{{1,9}}[- ])?(?:[0-9]{{1,9}} ?/ ?[0-9]{{1,9}}|{_VULGAR}|[0-9][0-9,.]{{0,12}}{_VULGAR}?) ?%?"
_AMOUNTS = re.compile(rf"{_AMOUNT}(?:[,;] {_AMOUNT})*")
_ABOUT_FRACTIONS = re.compile(r"\b(?:fractions?|mixed numbers?|numerators?|denominators?)\b|分数", re.IGNORECASE)
_ASKED = re.compile(
    r"(?:^|\b(?:out|calculate|evaluate|compute|find|simplify|solve|is|add|subtract|expand|factori[sz]e|of|expression"
    r"|formula|equation)\b|[计計]算|求|化简|等于)[\s:：]*$",
    re.IGNORECASE,
)


def mark_plain_maths(text: str) -> str:
    r"""Return the text with its plain maths as LaTeX between dollar signs; a text with formulas stays as it is.

    >>> mark_plain_maths("solve x^2 - 5x + 6 = 0 for x")
    'solve $x^{2} - 5x + 6 = 0$ for x'
    >>> mark_plain_maths("Find 3/4 of 20."), mark_plain_maths("Cut off 2 3/4 m.")
    ('Find $\\frac{3}{4}$ of 20.', 'Cut off 2 3/4 m.')
    >>> mark_plain_maths("P(red) = 0.2, so 1 - 0.2 = 0.8")
    'P(red) = 0.2, so $1 - 0.2 = 0.8$'
    """
    if len(text) > _LONGEST or formula_segments(text):
        return text
    tidy = tidy_characters(text)
    marked: list[str] = []
    done = 0
    for start, end, latex in _bare_latex(tidy) if "\\" in tidy else _plain_maths(tidy):
        marked.append(f"{tidy[done:start]}${latex}$")
        done = end
    return "".join([*marked, tidy[done:]]) if marked else text


def _bare_latex(text: str) -> Iterator[tuple[int, int, str]]:
    for start, end in bare_formulas(text):
        yield start, end, text[start:end]


def _plain_maths(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield (start, end, LaTeX) for each stretch of plain maths."""
    text = text.partition("[asy]")[0]  # the program of a drawing is not mathematics
    if not _has_operator(text):
        return
    is_story = is_word_problem(text) and not _ABOUT_FRACTIONS.search(text)
    place = 0
    for line in text.splitlines(keepends=True):
        for start, end in maths_stretches(line, is_story=is_story):
            typed = line[start:end]
            before, after = line[max(start - _NEAR, 0) : start], line[end : end + _NEAR]
            if not _is_prose(typed, before, after, is_story=is_story):
                with suppress(PlainMathsError):
                    yield place + start, place + end, plain_to_latex(typed)
        place += len(line)


def _has_operator(text: str) -> bool:
    return _OPERATOR.search(text) is not None or _WORKED_OUT.search(text) is not None


def _is_prose(typed: str, before: str, after: str, *, is_story: bool) -> bool:
    """Return whether a possible formula is prose: an amount, a date, a range, or without an operator."""
    if not _has_operator(typed) or _UNIT_ALONE.fullmatch(typed) or _DATE.fullmatch(typed) or _RATIO.fullmatch(typed):
        return True
    if _HYPHENATED.fullmatch(typed):
        return _ASKED.search(before) is None or re.match(r"[\s=?.]*$", after) is None
    if _AMOUNTS.fullmatch(typed):
        following = re.match(r"\s?(?:an?\s)?([^\s.,;:?!)]*)", after)
        return is_story or (following is not None and is_unit_name(following[1]))
    return False


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
_LONGEST_FORMULA, _DEEPEST_FORMULA = 2_000, 8


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
    while position < min(len(text), start + _LONGEST_FORMULA):
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
            if braces > _DEEPEST_FORMULA:
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
