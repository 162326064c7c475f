r"""Characters that word processors and PDF files use instead of plain ones.

There are two layers. `tidy_characters` changes nothing visible: spaces of other widths, ligatures, soft hyphens,
letters of mathematical alphabets. `keyboard_maths` also spells out what a keyboard has no key for: ``½`` as ``1/2``,
``10⁻³`` as ``10^-3``, ``x₁`` as ``x_1``. The parser of plain maths, the search and everything else that compares texts
use these two, so that a text is found however it was typed.
"""

from __future__ import annotations

import re
import unicodedata
from fractions import Fraction

_INVISIBLE = (
    "\u00ad\u200b\u200c\u200d\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2060\u2061\u2062\u2063\u2064\ufeff\ufe0e\ufe0f"
)
_BLANKS = "\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"
_SAME = {
    "\u2010": "-",  # hyphens
    "\u2011": "-",
    "\ufe63": "-",
    "\uff0d": "-",
    "\u2044": "/",  # fraction and division slashes
    "\u2215": "/",
    "\u2217": "*",
    "\u22c5": "·",
    "\u2219": "·",
    "\u2236": ":",
    "\u2223": "|",
    "\u2032": "'",  # primes
    "\u2033": "''",
    "\u2034": "'''",
    "\u2206": "Δ",
    "\u2126": "Ω",
    "\u210e": "h",
    "\u2a7d": "≤",
    "\u2a7e": "≥",
    "\u2266": "≤",
    "\u2267": "≥",
    "\u2028": "\n",
    "\u2029": "\n",
    "\u000b": "\n",  # a line break within a paragraph of Word
}
# Full-width digits, letters and operators; the punctuation of Chinese prose stays.
_WIDE = {chr(0xFEE0 + ord(sign)): sign for sign in map(chr, range(0x21, 0x7F)) if sign.isalnum() or sign in "+=%<>/*^"}
WIDE_PUNCTUATION = str.maketrans("（）［］｛｝", "()[]{}")
"""Full-width brackets, which may occur in a formula in a Chinese text."""
_LIGATURES = {chr(code): unicodedata.normalize("NFKC", chr(code)) for code in range(0xFB00, 0xFB07)}
_ALPHABETS = {
    chr(code): plain
    for code in range(0x1D400, 0x1D800)
    if (plain := unicodedata.normalize("NFKC", chr(code))) != chr(code)
}
_TIDY = str.maketrans(
    {**dict.fromkeys(_INVISIBLE, ""), **dict.fromkeys(_BLANKS, " "), **_SAME, **_WIDE, **_LIGATURES, **_ALPHABETS}
)

VULGAR_FRACTIONS = {
    character: Fraction(unicodedata.numeric(character)).limit_denominator(10) for character in "½⅓⅔¼¾⅕⅖⅗⅘⅙⅚⅐⅛⅜⅝⅞⅑⅒"
}
"""Single characters that are fractions, with their values."""
_RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿⁱᵃᵇᶜᵈᵉᵏᵐᵖᵗˣʸᶻ", "0123456789+-=()niabcdekmptxyz")
_LOWERED = str.maketrans("₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₐₑₕᵢⱼₖₗₘₙₒₚₛₜₓ", "0123456789+-=()aehijklmnopstx")
SCRIPT_CHARACTERS = "".join(map(chr, (*_RAISED, *_LOWERED)))
"""Single characters that are an exponent or an index."""

_VULGAR = re.compile(
    r"(?P<before>[\^_/√∛∜]?)(?<![0-9])(?P<whole>[0-9]{0,9})(?P<gap> ?)"
    rf"(?P<fraction>[{''.join(VULGAR_FRACTIONS)}])(?P<after>[0-9{SCRIPT_CHARACTERS}^]?)"
)
_SCRIPT_RUN = re.compile(rf"(?P<low>[{''.join(map(chr, _LOWERED))}]+)|(?P<high>[{''.join(map(chr, _RAISED))}]+)")
_SIMPLE_SCRIPT = re.compile(r"-?[0-9]+|[A-Za-z]")
_DIGITS = frozenset("0123456789")


def tidy_characters(text: str) -> str:
    """Return the text as typed on a plain keyboard, without any visible change.

    >>> tidy_characters("\ufb01nd\u00a0\U0001d465 in 2\u2009−\u20093\u20444")
    'find x in 2 − 3/4'
    >>> tidy_characters("coef\u00adficient，（３）")
    'coefficient，（3）'
    """
    return text if text.isascii() else text.translate(_TIDY)


def keyboard_maths(text: str) -> str:
    """Return the text with single-character fractions, exponents and indices spelt out.

    >>> keyboard_maths("½ × 3¾ − 10⁻³"), keyboard_maths("x₁² + log₂8"), keyboard_maths("∫₀¹ xⁿ⁺¹")
    ('1/2 × 3 3/4 − 10^-3', 'x_1^2 + log_2 8', '∫_0^1 x^(n+1)')
    """
    if text.isascii():
        return text
    return _SCRIPT_RUN.sub(_spell_script, _VULGAR.sub(_spell_fraction, tidy_characters(text))).translate(
        WIDE_PUNCTUATION
    )


def _spell_fraction(match: re.Match[str]) -> str:
    before, whole, gap, after = match["before"], match["whole"], match["gap"], match["after"]
    fraction = str(VULGAR_FRACTIONS[match["fraction"]])
    number = f"{whole} {fraction}" if whole else fraction
    if before or (after and after not in _DIGITS):  # "√½", "2^½", "½²": the fraction is one operand
        number = f"({number})"
    return f"{before}{'' if whole else gap}{number}{' ' if after in _DIGITS else ''}{after}"


def _spell_script(match: re.Match[str]) -> str:
    mark, table = ("_", _LOWERED) if match["low"] else ("^", _RAISED)
    plain = match[0].translate(table)
    written = mark + (plain if _SIMPLE_SCRIPT.fullmatch(plain) else f"({plain})")
    return f"{written} " if match.string[match.end() : match.end() + 1] in _DIGITS else written
