r"""What stands for plain characters in prose: other characters, text-mode LaTeX macros, and references to pictures.

Word processors and PDF files use other characters, which two layers replace. `tidy_characters` changes nothing that
shows: spaces of other widths, ligatures, soft hyphens, letters of mathematical alphabets. `keyboard_maths` also spells
out what a keyboard has no key for: ``½`` as ``1/2``, ``10⁻³`` as ``10^-3``, ``x₁`` as ``x_1``. The parser of plain
maths, the search and everything else that compares texts use these two, so that a text is found however it was typed.

Question banks mix LaTeX's text mode into prose (``Anna\textquotesingle s``, ``5 \textless{} 7``, ````quoted''``,
``20\%``) and into formulas. One table of macros serves both: :mod:`analytics.text.formulas` uses it for plain text, the
page renderer for prose and for formulas before rendering them. A picture is ``![description](name)``.
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


TEXT_MACROS: dict[str, str] = {
    "textless": "<",
    "textgreater": ">",
    "textbar": "|",
    "textbackslash": "\\",
    "textbraceleft": "{",
    "textbraceright": "}",
    "textasciicircum": "^",
    "textasciitilde": "~",
    "textasciigrave": "`",
    "textasciiacute": "´",
    "textasteriskcentered": "∗",
    "textbullet": "•",
    "textperiodcentered": "·",
    "textcdot": "·",
    "textellipsis": "…",
    "textendash": "–",
    "textemdash": "—",
    "textquotesingle": "'",
    "textquotedbl": '"',
    "textquoteleft": "‘",
    "textquoteright": "’",
    "textquotedblleft": "“",
    "textquotedblright": "”",
    "textdegree": "°",
    "textcelsius": "℃",
    "textdollar": "$",
    "textcent": "¢",
    "textsterling": "£",
    "texteuro": "€",
    "textyen": "¥",
    "textpercent": "%",
    "textunderscore": "_",
    "textregistered": "®",
    "textcopyright": "©",
    "texttrademark": "™",
    "textsection": "§",
    "textparagraph": "¶",
    "textmu": "μ",
    "textpm": "±",
    "texttimes": "×",
    "textdiv": "÷",
    "textonehalf": "½",
    "textonequarter": "¼",
    "textthreequarters": "¾",
    "textordmasculine": "º",
    "textordfeminine": "ª",
    "textvisiblespace": "␣",
}
"""Macro name without its backslash -> the character that it prints."""

_PROSE_MACROS: dict[str, str] = {
    "dots": "…",
    "ldots": "…",
    "quad": " ",
    "qquad": " ",
    "enspace": " ",
    "newline": "\n",
    "par": "\n\n",
    "noindent": "",
    "centering": "",
    "degree": "°",
    "pounds": "£",
    "euro": "€",
    "copyright": "©",
    "bullet": "•",
    "ss": "ß",
    "ae": "æ",
    "oe": "œ",
    "aa": "å",
}
"""Macros that also print a character in prose, but have a different meaning in a formula."""

_IN_FORMULA: dict[str, str] = {
    "<": r"\lt ",
    ">": r"\gt ",
    "|": "|",
    "\\": r"\backslash ",
    "{": r"\{",
    "}": r"\}",
    "^": r"\text{^}",
    "~": r"\sim ",
    "_": r"\_",
    "%": r"\%",
    "$": r"\$",
    "·": r"\cdot ",
    "∗": "*",
    "'": "'",
    "°": r"{}^{\circ}",
}
"""LaTeX for characters that would be syntax inside a formula, or that a LaTeX parser does not know."""

_MACRO = re.compile(r"\\([a-zA-Z]+)(?:\{\}| )?")
_ESCAPED = re.compile(r"\\([%&#_${}])")
_ACCENT = re.compile(r"\\([`'^\"~])\{?([a-zA-Z])\}?")
_COMBINING = {"`": "\u0300", "'": "\u0301", "^": "\u0302", "~": "\u0303", '"': "\u0308"}
_DOUBLE_QUOTES = re.compile(r"``|(?<!')''(?!')")
_FORMATTED = re.compile(
    r"\\(?:text(?:bf|it|rm|sf|tt|sc|up|md|normal|superscript|subscript)?|emph|underline|uline|mbox|hbox)"
    r"\s?\{([^{}\\$]*)\}"
)
_ANSWER_BLANK = re.compile(r"~?\\(?:uline|underline)\s?\{[\s~]*\}~?")
_LINE_BREAK = re.compile(r"\\\\(?![a-zA-Z])[^\S\n]*")
_TIE = re.compile(r"~+")


def replace_text_macros(text: str) -> str:
    r"""Return prose with its text-mode macros replaced by plain characters.

    Unknown macros are left unchanged. The text must not contain formulas: segment it first.

    >>> replace_text_macros(r"Anna\textquotesingle s share is 20\% of ``all''")
    "Anna's share is 20% of “all”"
    """
    if "\\u" in text:
        text = _ANSWER_BLANK.sub(" ____ ", text)
    if "~" in text:
        text = _TIE.sub(_tie, text)
    if "\\" in text:
        text = _LINE_BREAK.sub("\n", text)
        text = _FORMATTED.sub(r"\1", text)
        text = _MACRO.sub(_prose_character, text)
        text = _ACCENT.sub(lambda match: match[2] + _COMBINING[match[1]], text)
        text = _ESCAPED.sub(r"\1", text)
    if "``" in text or "''" in text:
        text = _DOUBLE_QUOTES.sub(lambda match: "“" if match[0] == "``" else "”", text)
    return text


def replace_text_macros_in_formula(latex: str) -> str:
    r"""Return a formula with its text-mode macros replaced by LaTeX that a formula parser knows.

    >>> replace_text_macros_in_formula(r"a \textless{} b \textbar c")
    'a \\lt  b |c'
    """
    if "\\text" not in latex:
        return latex
    return _MACRO.sub(_formula_character, latex)


def _prose_character(match: re.Match[str]) -> str:
    # LaTeX swallows the space that ends a macro's name: "\textquotesingle s" prints 's.
    name = match[1]
    return TEXT_MACROS.get(name, _PROSE_MACROS.get(name, match[0]))


def _tie(match: re.Match[str]) -> str:
    """Write LaTeX's non-breaking space; "~5 km" is unchanged, because there the tilde means "about"."""
    before = match.string[match.start() - 1 : match.start()]
    after = match.string[match.end() : match.end() + 1]
    about = len(match[0]) == 1 and (not before or before.isspace()) and after.isdigit()
    return "~" if about else "\u00a0" * len(match[0])


def _formula_character(match: re.Match[str]) -> str:
    name = match[1]
    character = TEXT_MACROS.get(name)
    if character is None:
        return match[0]
    return _IN_FORMULA.get(character, character)


PICTURE = re.compile(r"!\[(?P<alt>(?:[^\[\]]|\[[^\[\]]*\])*)\]\((?P<name>[^()\n]*)\)")


def blank_names(text: str) -> str:
    """Return a text with its picture names blanked out, because they are not wording; offsets stay the same.

    >>> blank_names("How long is a? ![2 sides](image1.png)")
    'How long is a? ![2 sides](          )'
    """
    if "](" not in text:
        return text
    return PICTURE.sub(lambda match: f"![{match['alt']}]({' ' * len(match['name'])})", text)
