r"""Markup in prose: text-mode LaTeX macros with their plain characters, and pictures (``![description](name)``).

Question banks mix LaTeX's text mode into prose (``Anna\textquotesingle s``, ``5 \textless{} 7``,
````quoted''``, ``20\%``) and into formulas. One table serves both: :mod:`analytics.text.formulas` uses it for
plain text, the page renderer uses it for prose and for formulas before rendering them.
"""

from __future__ import annotations

import re

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
