r"""Normalisation of LaTeX formulas that can be written in many ways.

``\dfrac12``, ``\frac {1}{2}`` and ``\tfrac{1}2`` print the same and should compare equal. Everything
here works on flat token lists in linear time, without recursion, so that ten thousand nested braces are just ten
thousand tokens.
"""

from __future__ import annotations

import re

from analytics.text.characters import replace_text_macros_in_formula

_TOKEN = re.compile(
    r"\\(?:begin|end)\s*\{[a-zA-Z]+\*?\}"
    r"|\\(?:[hv]space|operatorname|tag)\*|\\[a-zA-Z]+|\\\S|\\(?=\s|$)"
    r"|\d{1,3}(?:(?:\{,\}|,)\d{3})+(?![\d])(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+"
    r"|\s+|[^\s\\]"
)


def latex_pieces(latex: str) -> list[str]:
    """Return the tokens of a formula and the spaces between them; joining them gives back the formula."""
    return _TOKEN.findall(latex)


def formula_tokens(latex: str) -> list[str]:
    r"""Return the tokens of a formula without spaces.

    >>> formula_tokens(r"\frac{12}{x_1} \le 3.5")
    ['\\frac', '{', '12', '}', '{', 'x', '_', '1', '}', '\\le', '3.5']
    """
    return [piece for piece in latex_pieces(latex) if not piece.isspace()]


_DEGREES = re.compile(r"\^\s*(?:\{\s*(?:\\circ|\\degree|°)\s*\}|\\circ(?![a-zA-Z])|\\degree(?![a-zA-Z])|°)|°")
_ESCAPED_BACKSLASH = re.compile(r"\\textbackslash(?:\{\}|\s)?(?=\\?[%$])\\?")

_DROPPED = frozenset(
    str.split(
        r"""
        \, \; \: \! \> \quad \qquad \thinspace \medspace \thickspace \negthinspace \enspace \space \left
        \right \middle \big \Big \bigg \Bigg \bigl \bigr \Bigl \Bigr \biggl \biggr \Biggl \Biggr
        \displaystyle \textstyle \scriptstyle \limits \nolimits \allowbreak \nobreak \strut \mathstrut
        \hfill \null \large \Large \small \tiny \huge ~ \
        """
    )
) | {"\\", "\u200b", "\ufeff"}
_DELIMITER_SIZES = frozenset({r"\left", r"\right", r"\middle"})

SYNONYMS: dict[str, str] = {
    **dict.fromkeys((r"\dfrac", r"\tfrac", r"\cfrac"), r"\frac"),
    **dict.fromkeys((r"\dbinom", r"\tbinom"), r"\binom"),
    **dict.fromkeys((r"\le", r"\leqslant", "≤", "⩽", "≦"), r"\leq"),
    **dict.fromkeys((r"\ge", r"\geqslant", "≥", "⩾", "≧"), r"\geq"),
    **dict.fromkeys((r"\ne", "≠"), r"\neq"),
    **dict.fromkeys((r"\lt", "＜"), "<"),
    **dict.fromkeys((r"\gt", "＞"), ">"),
    **dict.fromkeys((r"\cdots", r"\ldots", r"\dotsc", r"\dotsb", r"\dotsm", "…", "⋯"), r"\dots"),
    **dict.fromkeys((r"\mathrm", r"\textrm", r"\textnormal", r"\mbox", r"\hbox", r"\rm"), r"\text"),
    **dict.fromkeys((r"\vert", r"\lvert", r"\rvert", r"\mid"), "|"),
    **dict.fromkeys((r"\|", r"\lVert", r"\rVert"), r"\Vert"),
    **dict.fromkeys((r"\to", r"\longrightarrow", "→"), r"\rightarrow"),
    **dict.fromkeys((r"\varnothing", "∅"), r"\emptyset"),
    r"\lbrace": r"\{",
    r"\rbrace": r"\}",
    r"\lbrack": "[",
    r"\rbrack": "]",
    r"\land": r"\wedge",
    r"\lor": r"\vee",
    r"\bm": r"\mathbf",
    r"\boldsymbol": r"\mathbf",
    r"\bf": r"\mathbf",
    r"\textbf": r"\mathbf",
    r"\Bbb": r"\mathbb",
    r"\mathbin": "",
    r"\mathop": "",
    "×": r"\times",
    "÷": r"\div",
    "·": r"\cdot",
    "⋅": r"\cdot",
    "±": r"\pm",
    "π": r"\pi",
    "√": r"\sqrt",
    "∞": r"\infty",
    "∠": r"\angle",
    "△": r"\triangle",
    "⊥": r"\perp",
    r"\bot": r"\perp",
    "∥": r"\parallel",
    "∈": r"\in",
    "∪": r"\cup",
    "∩": r"\cap",
    "≈": r"\approx",
    "−": "-",
    "–": "-",
    "－": "-",
    "＋": "+",
    "＝": "=",
    "（": "(",
    "）": ")",
    "［": "[",
    "］": "]",
    "，": ",",
    "、": ",",
    "；": ";",
    "：": ":",
    "％": r"\%",
    "%": r"\%",
    "＄": r"\$",
    "²": "^2",
    "³": "^3",
}
GREEK = tuple(
    r"\alpha \beta \gamma \delta \theta \lambda \mu \rho \sigma \tau \phi \omega \varphi \epsilon \eta".split()
)
"""Greek letters that name variables; pi names a number."""
_ARITY = {r"\frac": 2, r"\binom": 2, r"\overset": 2, r"\underset": 2, r"\stackrel": 2, r"\textcolor": 2}
_SCRIPTS = frozenset("^_")
_UNWRAPPED = _SCRIPTS | frozenset(_ARITY) | {r"\sqrt", "(", ")", "[", "]", "&", "\\\\"}
_INFIX = frozenset({r"\over", r"\choose", r"\atop", r"\brack", r"\brace"})
_TAKES_ARGUMENT = re.compile(
    r"\\(?:text|math|over(?!$)|under|wide|operatorname|frac|binom|sqrt|hat|bar|vec|dot|ddot|tilde|check|acute|boxed"
    r"|cancel|pmod|phantom|color|[hv]space|begin|end|x(?:left|right)|stackrel|substack|tag|label|href|style|class)"
)


def normalise_latex(latex: str) -> str:
    r"""Return a canonical spelling of a formula for comparison: no spacing or sizes, every argument in braces.

    >>> normalise_latex(r"\left( \dfrac12 x^2 \right) \, \le {{y}}")
    '(\\frac{1}{2}x^{2})\\leq y'
    """
    latex = _ESCAPED_BACKSLASH.sub("\\\\", latex) if "\\textbackslash" in latex else latex
    latex = _DEGREES.sub(r"\\degree ", replace_text_macros_in_formula(latex))
    tokens = _brace_arguments(_plain_tokens(formula_tokens(latex)))
    return _join(_drop_needless_braces(tokens))


_CASES = re.compile(r"(?<=\\begin\{cases\})[^\n]*?(?=\\end\{cases\})")
_LOST_ROW = re.compile(r"(?<=\S) {3,}(?=\S)")


def mend_rows(latex: str) -> str:
    r"""Restore the row breaks that TAL-SCQ5K lost: four spaces in a ``cases`` that has no ``\\\\``.

    >>> mend_rows(r"\begin{cases}x=1    y=2\end{cases}")
    '\\begin{cases}x=1\\\\ y=2\\end{cases}'
    """
    if r"\begin{cases}" not in latex:
        return latex
    return _CASES.sub(lambda match: match[0] if "\\\\" in match[0] else _LOST_ROW.sub(r"\\\\ ", match[0]), latex)


_BACKSLASHES = re.compile(r"\\+")
_DOUBLED = re.compile(
    r"(?<!\\)\\\\(?:[dtc]?frac|sqrt|times|cdots?|ldots|dots|div|pm|l(?:eq?|t)|g(?:eq?|t)|neq?|left|right|text|begin|end|sum|int|lim"
    r"|prod|pi|alpha|beta|gamma|theta|Delta|sin|cos|tan|log|ln|infty|angle|circ|degree|triangle|overline|vec|hat|math[a-z]+|binom"
    r"|q?quad|to|(?:R|r)ightarrow|approx|in)(?![a-zA-Z])"
)


def halve_backslashes(latex: str) -> str:
    r"""Return a formula with single backslashes if all of its backslashes were doubled, otherwise unchanged.

    >>> halve_backslashes(r"\\frac{1}{2}"), halve_backslashes(r"a \\ \pi")
    ('\\frac{1}{2}', 'a \\\\ \\pi')
    """
    if "\\\\" not in latex or not _DOUBLED.search(latex):
        return latex
    if any(len(run) % 2 for run in _BACKSLASHES.findall(latex)):
        return latex
    return _BACKSLASHES.sub(lambda run: run[0][: len(run[0]) // 2], latex)


def _plain_tokens(tokens: list[str]) -> list[str]:
    """Drop spacing and sizes, and give each symbol its canonical name."""
    plain: list[str] = []
    left: list[int] = []  # index of the opening delimiter of each "\\left"; -1 for the invisible "\\left."
    size = ""
    for piece in tokens:
        if piece in _DELIMITER_SIZES:
            size = piece
            continue
        if size == r"\left":
            left.append(-1 if piece == "." else len(plain))
        elif size == r"\right":
            opened = left.pop() if left else -1
            if piece == "." and opened >= 0:
                plain[opened] = ""  # a brace before cases has no visible partner
        invisible, size = bool(size) and piece == ".", ""
        if not invisible and piece not in _DROPPED:
            plain.extend(_one_name(piece))
    return [piece for piece in plain if piece]


def _one_name(piece: str) -> list[str]:
    if piece[0].isdigit() and "," in piece:
        return [piece.replace("{,}", "").replace(",", "")]
    name = SYNONYMS.get(piece, piece)
    return list(name) if len(name) == 2 and name[0] == "^" else [name]


def _brace_arguments(tokens: list[str]) -> list[str]:
    r"""Put single-token arguments of ``^ _ \frac \sqrt`` in braces: ``\frac12`` becomes ``\frac{1}{2}``."""
    braced: list[str] = []
    queue = tokens[::-1]
    pending = 0  # arguments still to come
    depths: list[int] = []  # for each open brace, how many arguments its parent still needs
    while queue:
        piece = queue.pop()
        if piece == "{":
            depths.append(max(pending - 1, 0))
            pending = 0
            braced.append(piece)
        elif piece == "}":
            pending = depths.pop() if depths else 0
            braced.append(piece)
        elif pending and piece == "[" and braced and braced[-1] == r"\sqrt":
            braced.append(piece)
            while queue and braced[-1] != "]":
                braced.append(queue.pop())
        elif pending and piece not in _UNWRAPPED:
            if len(piece) > 1 and piece[0].isdigit():
                queue.append(piece[1:])
                piece = piece[0]
            braced.extend(("{", piece, "}"))
            pending -= 1
        else:
            braced.append(piece)
            pending = _ARITY.get(piece, 1 if piece in _SCRIPTS or piece == r"\sqrt" else 0)
    return braced


def _drop_needless_braces(tokens: list[str]) -> list[str]:
    """Drop redundant braces: ``{{a}}^{3}`` becomes ``a^{3}``. Arguments keep one pair."""
    partner = _partners(tokens)
    infix = not _INFIX.isdisjoint(tokens)  # braces bound the operands of \\over
    dropped: set[int] = set()
    arguments: dict[int, int] = {}  # index of an argument's opening brace -> number of arguments after it
    for index, piece in enumerate(tokens):
        if piece in _SCRIPTS or _TAKES_ARGUMENT.match(piece):
            first = index + 1
            if piece == r"\sqrt" and tokens[first : first + 1] == ["["]:
                first = tokens.index("]", first) + 1 if "]" in tokens[first:] else index + 1
            arguments[first] = _ARITY.get(piece, 1) - 1
        close = partner.get(index)
        if close is None:
            continue
        if index in arguments:
            if arguments[index] > 0:
                arguments[close + 1] = arguments[index] - 1
            inner = index + 1
            while inner in partner and partner[inner] == close - (inner - index):
                dropped.update((inner, partner[inner]))
                inner += 1
        elif index not in dropped and (close <= index + 2 or not (infix or _has_script(tokens, close))):
            dropped.update((index, close))
    return [piece for index, piece in enumerate(tokens) if index not in dropped]


def _partners(tokens: list[str]) -> dict[int, int]:
    """Map the index of each opening brace to that of its closing brace."""
    partner: dict[int, int] = {}
    stack: list[int] = []
    for index, piece in enumerate(tokens):
        if piece == "{":
            stack.append(index)
        elif piece == "}" and stack:
            partner[stack.pop()] = index
    return partner


def _has_script(tokens: list[str], close: int) -> bool:
    return close + 1 < len(tokens) and tokens[close + 1] in _SCRIPTS


def _join(tokens: list[str]) -> str:
    """Write tokens as LaTeX, with a space only where two tokens would run together."""
    parts: list[str] = []
    previous = ""
    for piece in tokens:
        if piece[0].isalpha() and len(previous) > 1 and previous[0] == "\\" and previous[-1].isalpha():
            parts.append(" ")
        elif previous == "," and piece[0].isdigit():
            parts.append(" ")  # "200, 100" is two numbers, "200,100" is one
        parts.append(piece)
        previous = piece
    return "".join(parts)
