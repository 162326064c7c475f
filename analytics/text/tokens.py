r"""Tokens for full-text search: prose, Chinese and formulas in one flat list.

The database indexes ``to_tsvector('simple', ' '.join(search_tokens(...)))``, so every token is one ASCII or
Chinese word that the default parser does not split. Documents and queries use the same scheme:

=============  ==========================================================================================
prose          lower-case words without possessive and plural s ("apples", "apple" -> ``apple``)
Chinese        words by rjieba, and the shorter words inside long ones (每分钟 -> 分钟 每分钟)
number         ``25``; decimals ``n3p5`` (3.5 and 3.50), thousands ``1250``; alike in prose and formulas
fraction       ``\frac{1}{2}``, ``1/2`` and ``½`` -> ``mfrac 1 2``
letter         ``mx``, also in prose except "a" and "I": ``x^2`` is found with and without dollars
command        ``\frac`` -> ``mfrac``, ``\sin`` and ``sin`` -> ``msin``, ``\leqslant`` and ``≤`` -> ``mleq``
exponent       ``x^2``, ``x²`` -> ``mx mpow2 mxpow2``; ``x^{n+1}`` -> ``mx mpow mn 1``
subscript      ``a_1`` and ``a₁`` -> ``ma msub1``
sign           ``=`` -> ``meq``, ``<`` -> ``mlt``, ``×`` -> ``mtimes``; plus, minus and brackets are dropped
letters        ``ABC`` -> ``abc`` (points of a figure, also in prose); ``\text{cm}`` as prose
=============  ==========================================================================================

Stop words stay: "how many more than" is what distinguishes word problems, and the ranking gives them little weight.
English is stemmed no further than the plural: a stem such as "triangl" could not be shown as a spelling
suggestion, and the encoder's vectors find "dividing" for "division" anyway.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from analytics.language.mentions import ABBREVIATIONS
from analytics.languages import language_named
from analytics.text.characters import keyboard_maths, replace_text_macros, replace_text_macros_in_formula
from analytics.text.formulas import has_formula_marks, segment_text
from analytics.text.notation import SYNONYMS

_CJK = "\u3400-\u9fff\uf900-\ufaff"
_SIGNS = {
    "=": "meq",
    "<": "mlt",
    ">": "mgt",
    "≤": "mleq",
    "≥": "mgeq",
    "≠": "mneq",
    "×": "mtimes",
    "÷": "mdiv",
    "√": "msqrt",
    "π": "mpi",
    "∞": "minfty",
    "∠": "mangle",
    "△": "mtriangle",
    "°": "mdegree",
    "%": "percent",
    "≈": "mapprox",
    "⊥": "mperp",
    "∥": "mparallel",
    "∫": "mint",
    "∑": "msum",
    "±": "mpm",
    "∪": "mcup",
    "∩": "mcap",
    "∈": "min",
}
_SIGN_CHARACTERS = "".join(_SIGNS)
_PROSE = re.compile(
    rf"[{_CJK}]+"
    r"|[A-Za-zÀ-ÖØ-öø-ÿĀ-ſ]{2,}(?:['’][A-Za-z]+)?"
    r"|(?<![\d./])(?=\d{1,9} ?/ ?\d{1,9}(?![\d./]))"  # zero width: a fraction begins
    r"|\d{1,3}(?:,\d{3})+(?:\.\d+)?(?!\d)|\d+(?:\.\d+)?|\.\d+"
    r"|\\[A-Za-z]+"
    r"|[A-Za-zΑ-ω]"
    r"|\^\s*[{(]?(?:\d+|[a-z])\b\}?"
    r"|(?<=[A-Za-z0-9)∫∑])_[{(]?(?:\d+|[A-Za-z])\b\}?"
    r"|\^(?=[-({\w])|_(?=[({])"
    rf"|[{_SIGN_CHARACTERS}]"
)  # without groups: the first character of a piece identifies the alternative
_SCRIPT = re.compile(r"\d+|[A-Za-z]")
_FIRST_CJK = "\u3400"
_THOUSANDS = r"\d{1,3}(?:(?:\{,\}|,)\d{3})+(?:\.\d+)?(?!\d)|\d+(?:\.\d+)?|\.\d+"
_FORMULA = re.compile(
    r"(?P<degree>\^\s*\{?\s*\\circ(?![a-zA-Z])\s*\}?)"
    r"|\\(?:text|mathrm|textbf|textit|textrm|mbox|operatorname)\s*\{(?P<text>[^{}]*)\}"
    r"|\\(?:begin|end)\s*\{(?P<environment>[a-zA-Z]+)\*?\}"
    r"|\\(?P<command>[A-Za-z]+)"
    r"|(?P<letters>[A-Za-z]+)"
    rf"|(?P<number>{_THOUSANDS})"
    r"|(?P<script>[\^_])\s*\{?\s*(?:(?P<simple>\d+|[A-Za-z])(?=[\s}]|[^\w.]|$)\s*\}?)?"
    rf"|(?P<cjk>[{_CJK}]+)"
    rf"|(?P<sign>[{_SIGN_CHARACTERS}α-ωΑ-Ω])"
)
_GREEK = {
    unicodedata.lookup(f"GREEK SMALL LETTER {name}"): name.lower()
    for name in str.split(
        """
        ALPHA BETA GAMMA DELTA EPSILON ZETA ETA THETA IOTA KAPPA MU NU XI OMICRON PI RHO SIGMA TAU UPSILON
        PHI CHI PSI OMEGA
        """
    )
}
_FUNCTION_NAMES = frozenset(
    str.split("sin cos tan cot sec csc arcsin arccos arctan log ln lg exp lim max min gcd lcm det mod sqrt")
)
_SILENT = frozenset(
    str.split(
        """
        left right middle big Big bigg Bigg bigl bigr Bigl Bigr displaystyle textstyle limits nolimits
        quad qquad hline cline hspace vspace color textcolor mathbf mathit boldsymbol bm rm bf it cal
        mathcal mathsf text textbf textit mathrm emph underline uline overline begin end array boxed fbox
        phantom space thinspace large small tiny renewcommand newcommand arraystretch cdot ldots cdots
        dots vdots ddots prime mid vert textbar textbackslash allowbreak noindent centering label tag item
        """
    )
)
_PROSE_FUNCTIONS = frozenset(str.split("sin cos tan cot arcsin arccos arctan log ln sqrt lim exp"))
_LONGEST = 40


def search_tokens(text: str, language: str = "en") -> list[str]:
    r"""Return the tokens under which a text is found, in order, including repeats.

    Args:
        language: "zh" or "en"; it only affects the plural s, Chinese characters are always segmented.

    >>> search_tokens(r"Anna's apples cost $\frac{x^2}{3.50}$")
    ['anna', 'apple', 'cost', 'mfrac', 'mx', 'mpow2', 'mxpow2', 'n3p5']
    """
    tokens: list[str] = []
    if not has_formula_marks(text):
        _add_prose(tokens, text, language)
        return tokens
    for segment in segment_text(text):
        if segment.kind == "text":
            _add_prose(tokens, replace_text_macros(segment.source), language)
        else:
            _add_formula(tokens, segment.body, language)
    return tokens


def _add_prose(tokens: list[str], text: str, language: str) -> None:
    for piece in _PROSE.findall(keyboard_maths(text)):
        first = piece[:1]
        if first >= _FIRST_CJK:
            tokens.extend(_chinese_words(piece))
        elif first == "^" and (power := _SCRIPT.search(piece)):
            _add_power(tokens, power[0])
        elif token := _prose_token(piece, language):
            tokens.append(token)


@lru_cache(maxsize=50_000)
def _prose_token(piece: str, language: str) -> str:
    """Return the token of a piece that is one regardless of context; empty for a command that only affects layout."""
    first = piece[:1]
    if not first:
        return "mfrac"
    if first == "\\":
        return _command(piece[1:])
    if first in "^_":
        script = _SCRIPT.search(piece)
        return _index(script[0]) if script else "mpow" if first == "^" else "msub"
    if first in _SIGNS:
        return _SIGNS[piece]
    if first == "." or first.isdecimal():
        return _number(piece)
    if len(piece) == 1:
        return piece.lower() if piece in "aAI" else _letter(piece)
    return _word(piece, language)


def _chinese_words(run: str) -> list[str]:
    """Split Chinese text into words, including the shorter words inside long ones."""
    import rjieba  # loading its dictionary takes a quarter of a second, and most commands never need it

    return list(rjieba.cut_for_search(run))


def _add_formula(tokens: list[str], body: str, language: str) -> None:  # noqa: C901 - one for each group
    for match in _FORMULA.finditer(keyboard_maths(replace_text_macros_in_formula(body))):
        group = match.lastgroup
        if group == "command":
            if token := _command(match["command"]):
                tokens.append(token)
        elif group == "letters":
            _add_letters(tokens, match["letters"])
        elif group == "number":
            tokens.append(_number(match["number"]))
        elif group == "simple":
            if match["script"] == "^":
                _add_power(tokens, match["simple"])
            else:
                tokens.append(_index(match["simple"]))
        elif group == "script":
            tokens.append("mpow" if match["script"] == "^" else "msub")
        elif group == "text":
            _add_prose(tokens, match["text"], language)
        elif group == "cjk":
            tokens.extend(_chinese_words(match["cjk"]))
        elif group == "sign":
            tokens.append(_SIGNS.get(match["sign"]) or _letter(match["sign"]))
        elif group == "degree":
            tokens.append("mdegree")
        else:
            tokens.append("m" + match["environment"].lower())


def _add_power(tokens: list[str], exponent: str) -> None:
    base = tokens[-1] if tokens and len(tokens[-1]) == 2 and tokens[-1][0] == "m" else ""
    power = f"pow{exponent.lower()[:_LONGEST]}"
    tokens.append("m" + power)
    if base:
        tokens.append(base + power)


def _index(index: str) -> str:
    return f"msub{index.lower()[:_LONGEST]}"


def _add_letters(tokens: list[str], letters: str) -> None:
    """Add adjacent letters of a formula: a function's name, points of a figure, a unit, or factors."""
    if len(letters) == 1:
        tokens.append("m" + letters.lower())
    elif letters in _FUNCTION_NAMES:
        tokens.append("m" + letters)
    elif letters.isupper() or letters in ABBREVIATIONS:
        tokens.append(letters.lower()[:_LONGEST])
    else:
        tokens.extend("m" + letter for letter in letters.lower())


def _letter(letter: str) -> str:
    return "m" + (letter.lower() if letter.isascii() else _GREEK.get(letter.lower(), "letter"))


def _number(digits: str) -> str:
    whole, _, decimals = digits.replace("{,}", "").replace(",", "").partition(".")
    whole = whole.lstrip("0")[:_LONGEST] or "0"
    decimals = decimals.rstrip("0")[:_LONGEST]
    return f"n{whole}p{decimals}" if decimals else whole


def _word(word: str, language: str) -> str:
    word = word.lower().replace("’", "'")
    if word in _PROSE_FUNCTIONS:
        return "m" + word
    word = word.removesuffix("'s").replace("'", "")
    if not word.isascii():
        word = "".join(letter for letter in unicodedata.normalize("NFKD", word) if not unicodedata.combining(letter))
    return language_named(language).words.search_word(word)[:_LONGEST]


@lru_cache(maxsize=5_000)
def _command(name: str) -> str:
    """Return the token of a LaTeX command; empty for one that only affects layout."""
    if name in _SILENT:
        return ""
    command = SYNONYMS.get("\\" + name, "\\" + name)
    if command[:1] != "\\":
        return _SIGNS.get(command, "")
    name = command[1:]
    if not name.isalpha() or name in _SILENT:
        return ""
    return "m" + name.lower()[:_LONGEST]
