r"""One LaTeX formula as MathML, or a refusal.

latex2mathml writes ``\text{<script>}``, ``\href`` and ``\style`` through, knows macros that can grow
without bound and recurses as deep as its input. So a formula is measured first; its element tree is then
written out here, where only the tags and attributes of an allow-list exist and every character is escaped;
and what the library did not understand (a command that it would print as its own name) is refused, so that
the reader sees the source and no half of a formula.

The source travels in ``data-latex``: an attribute cannot change the tree around it, is no text for a search
in the page or for a screen reader, and a script can copy it. ``alttext`` and ``annotation`` were not used:
some screen readers speak them instead of the formula. See docs/decisions/0007-mathml-on-the-server.md.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from html import escape
from xml.etree.ElementTree import Element

from latex2mathml.converter import convert_to_element
from latex2mathml.exceptions import (
    DenominatorNotFoundError,
    DoubleSubscriptsError,
    DoubleSuperscriptsError,
    ExtraLeftOrMissingRightError,
    InvalidAlignmentError,
    InvalidStyleForGenfracError,
    InvalidWidthError,
    LimitsMustFollowMathOperatorError,
    MissingEndError,
    MissingSuperScriptOrSubscriptError,
    NoAvailableTokensError,
    NumeratorNotFoundError,
)

from analytics.text.notation import mend_rows
from analytics.text.textmode import replace_text_macros, replace_text_macros_in_formula
from questionbank.mathml_operators import arrange_row, name_leaves
from questionbank.mathml_tables import TABLE_CLASSES, arrange_table, mark_rules, without_marks

__all__ = ["MATHML_ATTRIBUTES", "MATHML_TAGS", "FormulaRefused", "formula_mathml"]

LONGEST_FORMULA = 5_000
DEEPEST_FORMULA = 40
_DEEPEST_TREE = 120
_LARGEST_TREE = 20_000


class FormulaRefused(Exception):
    """The formula cannot be shown as MathML."""


_ARITY = {
    "mfrac": 2,
    "msub": 2,
    "msup": 2,
    "mover": 2,
    "munder": 2,
    "mroot": 2,
    "msubsup": 3,
    "munderover": 3,
}
_SPACE = frozenset({"width", "height", "depth", "lspace", "voffset"})
_OPERATOR = frozenset(
    {
        "stretchy",
        "fence",
        "form",
        "accent",
        "movablelimits",
        "largeop",
        "minsize",
        "maxsize",
        "lspace",
        "rspace",
    }
)
MATHML_ATTRIBUTES: dict[str, frozenset[str]] = {
    "math": frozenset({"display", "data-latex"}),
    "menclose": frozenset({"notation"}),
    "mfrac": frozenset({"linethickness"}),
    "mi": frozenset({"mathvariant"}),
    "mn": frozenset(),
    "mo": _OPERATOR,
    "mover": frozenset({"accent"}),
    "mpadded": _SPACE,
    "mphantom": frozenset(),
    "mroot": frozenset(),
    "mrow": frozenset(),
    "mspace": _SPACE,
    "msqrt": frozenset(),
    "mstyle": frozenset({"displaystyle", "scriptlevel"}),
    "msub": frozenset(),
    "msubsup": frozenset(),
    "msup": frozenset(),
    "mtable": frozenset({"displaystyle"}),
    "mtd": frozenset(),
    "mtext": frozenset({"mathvariant"}),
    "mtr": frozenset(),
    "munder": frozenset({"accentunder"}),
    "munderover": frozenset(),
}
"""Every MathML tag that may reach a page, with its attributes. Colours are left out: they defeat dark mode."""
MATHML_TAGS = frozenset(MATHML_ATTRIBUTES)

_NAMED_SPACES = {  # MathML Core has no names for lengths
    "thinmathspace": "0.167em",
    "thickmathspace": "0.278em",
    "negativethinmathspace": "-0.167em",
    "negativemediummathspace": "-0.222em",
    "negativethickmathspace": "-0.278em",
}
_ATTRIBUTE_VALUE = re.compile(r"[A-Za-z0-9 .%+-]{1,60}")
_DEPTH_MARK = re.compile(r"\\\\|\\[{}]|\\begin\b|\\end\b|\\left\b|\\right\b|[{}]")
_FORBIDDEN = re.compile(
    r"\\(?:(?:re|provide)?newcommand|newenvironment|renewcommand|DeclareMathOperator|def|let|verb|href|class|style"
    r"|unicode|input|include|write|csname|require)(?![a-zA-Z])"
)

_BLANK = r"\\text{____}"
_REWRITTEN: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern), replacement)
    for pattern, replacement in (
        (r"\\textbackslash(?:\{\}|\s)?(?=\\?[%$])\\?", r"\\"),
        (r"\\renewcommand\*?\s*\{?\\arraystretch\}?\s*\{[^{}]*\}", ""),
        (r"(?<!\\)((?:\\\\)*)%", r"\1\\%"),
        (r"\\u(?:nder)?line\s*\{(?:\s|~|\\ |\\q?quad|\\[hv]space\*?\s*\{[^{}]*\}|\\?_)*\}", _BLANK),
        (r"(?:\\_|_){2,}", _BLANK),
        (r"\\uline(?![a-zA-Z])", r"\\underline"),
        (r"\\[lr]vert(?![a-zA-Z])", "|"),
        (r"\\[lr]Vert(?![a-zA-Z])", r"\\|"),
        (r"\\(?:allowbreak|noindent|centering|strut|nobreak)(?![a-zA-Z])", ""),
        (r"\\indent(?![a-zA-Z])", r"\\quad "),
        (r"(\\\\)\s*\[\s*-?[\d.]+\s*(?:pt|em|ex|cm|mm|in)\s*\]", r"\1"),
        (r"\\(?:cline|vspace\*?|specialrule)\s*\{[^{}]*\}", ""),
        (r"\\multicolumn\s*\{[^{}]*\}\s*\{[^{}]*\}", ""),
        (r"\\(arg|lcm|card|sgn|Arg|rank|tr)(?![a-zA-Z])", r"\\operatorname{\1}"),
        (r"(?<!\\)((?:\\\\)*)\\&", r"\1\\text{\\&}"),
        (r"\\equal(?![a-zA-Z])", "="),
        (r"\\hdots(?![a-zA-Z])", r"\\ldots"),
        (r"\\plus(?![a-zA-Z])", "+"),
        (r"\\minus(?![a-zA-Z])", "-"),
        (
            r"\\(begin|end)\s*\{(?:aligned|align|eqnarray\*?|flalign\*?|split|equation\*?|multline\*?)\}",
            r"\\\1{align*}",
        ),
        (r"\\begin\s*\{align(?:ed)?at\*?\}\s*\{\d*\}", r"\\begin{align*}"),
        (r"\\end\s*\{align(?:ed)?at\*?\}", r"\\end{align*}"),
        (r"(\\begin\{align\*\})\s*(?:\[[tbc]\])?", r"\1{}"),
        (r"\\(begin|end)\s*\{gather(?:ed)?\*?\}", r"\\\1{matrix}"),
        (r"\\(begin|end)\s*\{[dr]cases\}", r"\\\1{cases}"),
        (r"\\(begin|end)\s*\{tabular\*?\}", r"\\\1{array}"),
        (r"\\begin\s*\{array\}\s*\[[a-z]*\]", r"\\begin{array}"),
        (r"\\([dt]?binom|[dt]?frac)\s*(\d)\s*(\d)", r"\\\1{\2}{\3}"),
        (r"\\(?:text)?color(?:box)?\s*(?:\[[a-zA-Z]*\])?\s*\{[^{}]*\}", ""),
        (r"(?<!\\)&\s*([_^])", r"&{}\1"),
        (r"\\cancelto\s*\{([^{}]*)\}", r"\\overset{\1}\\cancel"),
        (r"\\(?:overarc|wideparen|overparen)(?![a-zA-Z])", r"\\overset{\\frown}"),
        (r"\\displaystyle\s*\\lim(?![a-zA-Z])(?:\\limits)?", r"\\displaystyle\\lim\\limits "),
    )
)
_TEXT_WITH_COMMAND = re.compile(r"(\\text(?:bf|it|rm|normal)?\s*\{[^{}]*)\\[a-z]+\s*\{([^{}]*)\}")
_TEXT_WITH_FORMULA = re.compile(r"\\(text(?:bf|it|rm|normal)?|mbox)\s*\{([^{}$]*\$[^{}]*)\}")


@lru_cache(maxsize=8_192)
def formula_mathml(latex: str, *, display: bool = False) -> str:
    """Return a formula, given without its delimiters, as one ``<math>`` element.

    Raises:
        FormulaRefused: it is too large, or holds something that MathML or the converter does not know.
    """
    _check_size(latex)
    source, arrays = mark_rules(_prepare(without_marks(latex)))
    try:
        tree = convert_to_element(source, display="block" if display else "inline")
    except (
        *_CONVERTER_ERRORS,
        RecursionError,
        StopIteration,
        LookupError,
        ValueError,
        TypeError,
        AttributeError,
    ):
        raise FormulaRefused("it cannot be converted") from None
    _group_bases(tree)
    if not name_leaves(tree):
        raise FormulaRefused("a character that does not print")
    for table in tree.iter("mtable"):
        arrange_table(table, arrays)
    writer = _Writer()
    body = "".join(writer.element(child, 1) for child in tree)
    kind = "block" if display else "inline"
    return f'<math display="{kind}" data-latex="{escape(latex.strip())}">{body}</math>'


def _check_size(latex: str) -> None:
    if len(latex) > LONGEST_FORMULA:
        raise FormulaRefused("it is too long")
    if _FORBIDDEN.search(latex.replace(r"\renewcommand{\arraystretch}", "")):
        raise FormulaRefused("it defines macros or carries markup")
    depth = 0
    for match in _DEPTH_MARK.finditer(latex):
        mark = match[0]
        if mark in {"{", r"\begin", r"\left"}:
            depth += 1
            if depth > DEEPEST_FORMULA:
                raise FormulaRefused("it is nested too deeply")
        elif mark in {"}", r"\end", r"\right"}:
            depth -= 1


def _prepare(latex: str) -> str:
    """Write what the converter does not know as what it knows."""
    latex = mend_rows(latex)
    for pattern, replacement in _REWRITTEN:
        latex = pattern.sub(replacement, latex)
    latex = replace_text_macros_in_formula(latex)
    if "\\text" in latex:
        for _ in range(3):  # \text{a \emph{b} c}
            latex = _TEXT_WITH_COMMAND.sub(r"\1\2", latex)
    if "$" in latex:
        latex = _TEXT_WITH_FORMULA.sub(_split_text, latex)
    return latex


def _split_text(match: re.Match[str]) -> str:
    """Take formulas out of text: ``\\text{if $x$ is}`` becomes ``\\text{if }x\\text{ is}``."""
    parts = re.split(r"(?<!\\)\$", match[2])
    return "".join(part if index % 2 else rf"\{match[1]}{{{part}}}" for index, part in enumerate(parts))


_CONVERTER_ERRORS = (
    DenominatorNotFoundError,
    DoubleSubscriptsError,
    DoubleSuperscriptsError,
    ExtraLeftOrMissingRightError,
    InvalidAlignmentError,
    InvalidStyleForGenfracError,
    InvalidWidthError,
    LimitsMustFollowMathOperatorError,
    MissingEndError,
    MissingSuperScriptOrSubscriptError,
    NoAvailableTokensError,
    NumeratorNotFoundError,
)


def _group_bases(tree: Element) -> None:
    """Put the brackets of a matrix or binomial into one row with it where it is a base: the converter does not."""
    for element in list(tree.iter()):
        surplus = len(element) - _ARITY.get(element.tag, len(element)) + 1
        if surplus > 1:
            children = list(element)
            base = Element("mrow")
            base.extend(children[:surplus])
            element[:] = [base, *children[surplus:]]


class _Writer:
    """Writes the converter's tree as markup that holds nothing but the allow-list."""

    def __init__(self) -> None:
        self._count = 0

    def element(self, element: Element, depth: int) -> str:
        self._count += 1
        if depth > _DEEPEST_TREE or self._count > _LARGEST_TREE:
            raise FormulaRefused("it is nested too deeply")
        tag = element.tag
        allowed = MATHML_ATTRIBUTES.get(tag)
        if allowed is None or tag == "math":
            raise FormulaRefused(f"<{tag}> is not allowed")
        children = list(element)
        if tag in _ARITY:
            if len(children) < _ARITY[tag]:
                raise FormulaRefused("an operand is missing")
        else:
            children = arrange_row(children)
        if tag == "mrow" and len(children) == 1:
            return self.element(children[0], depth + 1)
        variant = element.get("mathvariant", "")
        attributes = "".join(
            f' {name}="{value}"'
            for name, raw_value in element.attrib.items()
            if name in allowed
            and _ATTRIBUTE_VALUE.fullmatch(value := _NAMED_SPACES.get(raw_value, raw_value))
        )
        if tag in TABLE_CLASSES and "class" in element.attrib:
            attributes += f' class="{element.get("class")}"'
        if variant in _ALPHABETS and tag != "mtext":
            attributes = ""
        text = escape(_text(element.text or "", tag, variant), quote=False)
        inner = "".join(self.element(child, depth + 1) for child in children)
        return f"<{tag}{attributes}>{text}{inner}</{tag}>"


def _text(text: str, tag: str, variant: str) -> str:
    if len(text) > 1 and text[0] == "\\" and tag != "mtext":
        raise FormulaRefused(f"unknown command {text}")
    if text == "&" and tag == "mi":
        raise FormulaRefused("an alignment outside a table")
    if tag == "mtext":
        return replace_text_macros(text)
    return "".join(_in_alphabet(character, variant) for character in text) if variant in _ALPHABETS else text


_ALPHABETS: dict[str, str] = {
    "bold": "MATHEMATICAL BOLD",
    "bold-italic": "MATHEMATICAL BOLD ITALIC",
    "double-struck": "MATHEMATICAL DOUBLE-STRUCK",
    "script": "MATHEMATICAL SCRIPT",
    "bold-script": "MATHEMATICAL BOLD SCRIPT",
    "fraktur": "MATHEMATICAL FRAKTUR",
    "bold-fraktur": "MATHEMATICAL BOLD FRAKTUR",
    "sans-serif": "MATHEMATICAL SANS-SERIF",
    "bold-sans-serif": "MATHEMATICAL SANS-SERIF BOLD",
    "monospace": "MATHEMATICAL MONOSPACE",
}
"""``mathvariant`` -> the alphabet in Unicode, which browsers draw; of the variants MathML Core has ``normal`` alone."""


@lru_cache(maxsize=1_024)
def _in_alphabet(character: str, variant: str) -> str:
    """Return a letter or digit in a mathematical alphabet; itself where that alphabet lacks it."""
    name = unicodedata.name(character, "")
    kind, _, letter = name.removeprefix("LATIN ").removeprefix("GREEK ").partition(" LETTER ")
    wanted = f"{_ALPHABETS[variant]} {kind} {letter}" if letter else f"{_ALPHABETS[variant]} {name}"
    try:
        return unicodedata.lookup(wanted)
    except KeyError:
        fallback = {"C": "ℂ", "H": "ℍ", "N": "ℕ", "P": "ℙ", "Q": "ℚ", "R": "ℝ", "Z": "ℤ"}
        return fallback.get(character, character) if variant == "double-struck" else character
