r"""Whether a question's text is complete, or lacks what its source inserts: a figure, a table, a template's numbers.

Each rule is a regular expression in the syntax shared by Python and PostgreSQL (no ``\b``, no lazy
repetition, no back reference), because the bank stores both findings as generated columns. The rules find what is in a
text: "the graph shown below", ``[image]``, 如图, and variables of WeBWorK, STACK, Moodle, Numbas, PrairieLearn and
R/exams that were not replaced by numbers. A single letter where a number belongs (``cx^2`` for ``$c x^2``) looks like
any other formula and is not found.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class View:
    """A view of a text that a rule searches: the text after a list of replacements, applied in order."""

    replacements: tuple[tuple[str, str], ...]

    def of(self, text: str) -> str:
        """Return this view of a text."""
        for pattern, replacement in self.replacements:
            text = re.sub(pattern, replacement, text)
        return text


@dataclass(frozen=True, slots=True)
class FigureRules:
    """Rules that detect a missing figure or table.

    Attributes:
        marks: drawing commands instead of a figure; sufficient on their own.
        picture: names a picture, which may be attached to the question.
        unnamed: marks a picture without a name.
        hint: cheap pattern that matches wherever `figures` or `tables` does.
        figures: the text refers to a figure.
        layouts: a table or array that may be what the text refers to.
        tables: the text refers to a table.
        data: numbers in a row or a layout, which may be the table.
    """

    marks: tuple[str, ...]
    picture: str
    unnamed: str
    hint: str
    figures: tuple[str, ...]
    layouts: tuple[str, ...]
    tables: tuple[str, ...]
    data: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Placeholder:
    """Pattern of a variable that was not replaced.

    Attributes:
        view: the view that is searched.
        hint: cheap pattern that matches any text containing the main one; empty if the main one is cheap itself.
    """

    view: View
    pattern: str
    hint: str = ""


def _any(*patterns: str) -> str:
    return "|".join(patterns)


# --- figures and tables

_PICTURE = (
    "(?:figure|diagram|graph|picture|drawing|illustration|sketch|chart|pictogra(?:ph|m)|histogram|number[ -]line"
    "|scatter ?plot|dot ?plot|box ?plot|plot|grid|spinner|photo(?:graph)?|image|map|net|curve)s?"
)
_SORT = "(?:bar |pie |line |circle |column |picture |Venn |tree |scatter )?"
_NAMED_PICTURE = f"{_SORT}(?:figure|diagram|picture|chart|pictogra(?:ph|m)|histogram|graph)"
_PLACE = "(?:above|below|here|opposite|overleaf|(?:at|to|on) (?:the |its )?(?:right|left)|alongside|on the next page)"
_SHOWN = "(?:shown|given|drawn|displayed|pictured|provided|depicted|illustrated|sketched|presented|represented|plotted)"
_SHAPE = (
    "(?:triangle|square|rectangle|circle|parallelogram|trapezoid|trapezium|rhombus|quadrilateral|polygon|pentagon"
    "|hexagon|heptagon|octagon|decagon|dodecagon|semicircle|ellipse|parabola|hyperbola|kite|star|lattice|maze|shape|solid|cube|prism|pyramid|cylinder|cone|region|angle|line|spinner|clock|ruler|thermometer|scale"
    "|pattern|die|net|floor plan|sector|tree)s?"
)
_KIND = "(?:frequency |data )?"
_START = "(?<![A-Za-z-])"
_END = "(?![A-Za-z])"

FIGURE = FigureRules(
    marks=(
        r"\[asy\]",
        r"\\includegraphics",
        r"\\begin *\{(?:asy|tikzpicture|pspicture|picture)\}",
        "<(?:img|svg)[ >]",
        r"\[(?:[Ii]nsert )?(?:[Ii]mage|[Ff]igure|[Dd]iagram|[Gg]raph|[Pp]icture|[Pp]ic)[^]$]{0,40}\]",
    ),
    picture=r"!\[[^]]*\]\(",
    unnamed=r"!\[[^]]*\]\( *\)",
    hint=_any(
        "figure|diagram|[Gg]raph|picture|drawing|illustrat|sketch|chart|pictogra|histogram|number.line|plot|grid|spinner",
        "photo|image|map|net |nets |curve|shown|depicted|s (?:drawn|seen)|[Ff]ig|[Tt]able|below|above|[图表]",
    ),
    figures=(
        rf"{_START}{_PICTURE}(?: (?:{_SHOWN}|is|are|was))*,? ?{_PLACE}(?![A-Za-z]| (?:his|her|their|the|a|an|[0-9]))",
        rf"{_START}[Gg]raphs?(?: of [^.?!]{{1,60}})? (?:is|are) (?:shown|given|pictured|displayed)"
        rf"(?: {_PLACE})?(?![A-Za-z]| by| in| that)",
        rf"{_START}{_PICTURE} (?:is|are) (?:shown|pictured|provided)(?![A-Za-z]| by| that| to)",
        rf"{_START}(?:above|accompanying|attached|adjacent|adjoining|following|given) {_SORT}"
        rf"(?:figure|diagram|picture|image|chart|pictogra(?:ph|m)|histogram|graph|drawing|illustration|spinner"
        rf"|number line)s?(?![A-Za-z]| paper)",
        rf"{_START}(?:[Ii]n|[Ff]rom|[Oo]n|[Ss]ee|[Rr]efer(?:ring)? to|[Uu]s(?:e|ing)|[Aa]ccording to|[Bb]y|[Ss]tudy)"
        rf" the {_SORT}(?:figure|diagram|picture|chart|pictogra(?:ph|m)|histogram|illustration|bar graph|line graph"
        rf"|circle graph)(?![A-Za-z]| of| frame| book)",
        rf"{_START}[Tt]he {_NAMED_PICTURE} (?:shows|represents|illustrates|depicts|displays){_END}",
        rf"{_START}[Aa]s (?:is )?(?:shown|pictured|illustrated|depicted|drawn|sketched|seen)(?: here)?"
        rf"(?:[.,;?)]| (?:in|on) (?:the )?{_PICTURE}(?! of)| {_PLACE}(?!:))",
        rf"{_START}{_SHAPE}(?: [A-Z$][^.?! ]{{0,12}})? (?:(?:is|are|as) )?(?:shown|pictured|depicted|illustrated)"
        rf"(?: {_PLACE}|[.,?])",
        rf"{_START}(?:{_SHAPE}|{_PICTURE}) shown(?![A-Za-z]| that| by| to)",
        rf"{_START}[Tt]he (?:[a-z]+ )?(?:triangle|square|rectangle|circle|parallelogram|trapezoid|trapezium|rhombus"
        rf"|quadrilateral|pentagon|hexagon|octagon|polygon|parabola|spinner)s? (?:below|above)(?:[.,?]| is| has| are)",
        rf"{_START}graphed {_PLACE}|{_START}[Ii]n this (?:figure|diagram|picture){_END}",
        rf"{_START}[Ff]ig(?:ure|\.)? ?[0-9]",
        rf"{_START}(?:[Ss]haded|[Cc]olou?red) (?:part|region|area) (?:shown|below|above){_END}",
        r"[如下上右左]图",
        r"(?<![地意框计])图中",
        r"图(?:示|所示|[0-9①②③一二三甲乙]|\()",
    ),
    layouts=(
        r"\\begin *\{(?:tabular|longtable|table)",
        r"\\begin *\{array\} *\{[|lcr]{3,}\}",
        r"<t[dr][ >]",
        r"\|[^|\n]+\|[^|\n]+\|",
    ),
    tables=(
        rf"{_START}(?:[Tt]able|[Cc]hart)s? (?:(?:{_SHOWN}|is|are) )*{_PLACE}{_END}",
        rf"{_START}(?:above|accompanying|attached|following|given) {_KIND}table(?![A-Za-z]| of integrals)",
        rf"{_START}(?:[Ii]n|[Ss]ee|[Uu]s(?:e|ing)|[Aa]ccording to|[Cc]omplete|[Ff]ill in) the {_KIND}table{_END}",
        rf"{_START}[Tt]he {_KIND}table (?:shows|gives|lists){_END}",
        "(?<!以)[下上]表(?![达示])",
        "表(?:中|所示|格中)",
    ),
    data=(
        r"\\begin *\{(?:tabular|longtable|table|array|[a-z]?matrix)",
        r"<t[dr][ >]",
        r"[|\t]",
        r"(?:[0-9][0-9.,/%]*[^0-9.?!]{1,25}){3,}[0-9]",
        "&[^&]*&",
        r"\[[#.]",
    ),
)

# --- placeholders

_FORMULA = r"\$\$[^$]*\$\$|\$[^$]*\$|`[^`]*`|\\\((?:[^\\]|\\[^)])*\\\)|\\\[(?:[^\\]|\\[^]])*\\\]"
_DRAWING = r"\[asy\](?:[^[]|\[[^/])*\[/asy\]|!\[[^]]*\]\([^()]*\)"
_COMMAND = (
    r"\\(?:text[a-z]*|mbox|math[a-z]*|operatorname\*?|hbox|begin|end|label|rm|color|unit|qty|si|SI|ce|hspace|vspace"
    r"|hskip|kern|rule) ?\{[^{}]*\}|\\[A-Za-z]+"
)
_OUTSIDE = (_DRAWING, " ")
_SOURCE = View(())
_TEXT = View((_OUTSIDE,))
_PROSE = View((_OUTSIDE, (_FORMULA, " $ ")))
_FORMULAS = View((_OUTSIDE, (rf"(?s)({_FORMULA})|[^$`\\]+|.", r"\1;")))
_SYMBOLS = View((*_FORMULAS.replacements, (_COMMAND, " ")))

_FUNCTIONS = (
    "a?(?:sin|cos|tan|sec|csc|cot)|arc(?:sin|cos|tan)|(?:sin|cos|tan)h|log|lg|exp|sqrt|root|cbrt|abs|mod|max|min|gcd|lcm"
    "|det|deg|lim|sum|int"
)
_NUMBERED_WORDS = (
    "step|part|case|fig|figure|day|week|month|year|grade|level|room|team|group|class|stage|type|form|unit|section|chapter"
    "|problem|question|exercise|example|table|line|page|version|number|player|point|side|angle|area|box|bag|card|row"
    "|column|col|set|item|task|train|car|bus|jar|tank|machine|pipe|store|shop|test|quiz|round|game|trial|plan|option"
    "|method|covid|iphone|and|are|the|than|then|for|with|from|when|has|have|cos|hour|abc|bcd|abcd|xyz|mnp|pqr|rst|uvw"
)
_VARIABLES = "my[a-z]{2,4}|func|fname|poly|var|num|denom|den|ans|eqn|expr|rhs|lhs|str|disp|coeff?|thetadisp|ineq|symbol"
_WORDS = (
    "expression|function|equation|left|right|problem|question|symbol|rational|number|answer|power|angle|part|total|order"
    "|display|poly|sequence|product|value|point|original|price|second|first|realstring|quad|complex|frac|fun|female|male|new|base"
)

PLACEHOLDERS = (
    Placeholder(_SOURCE, r"\{[@#][^{}]{1,80}[@#]\}|\[\[ ?(?:input|validation|feedback) ?:"),  # STACK {@a@}
    Placeholder(
        _SOURCE,  # PrairieLearn {{params.a}}
        r"(?<![_^}A-Za-z\\])\{\{\{? ?[A-Za-z][A-Za-z0-9_]*(?:\.[A-Za-z0-9_]+)* ?\}\}",
    ),
    Placeholder(_SOURCE, r"\{% ?[a-z]+ [^{}%]*%\}|<%=?[^<>%]+%>"),  # Jinja, ERB
    Placeholder(_SOURCE, r"\\Sexpr ?\{|`r [a-z]|\\var ?\{[A-Za-z]|\\simplify(?:\[[^]]*\])? ?\{"),  # R/exams, Numbas
    Placeholder(
        _SOURCE, r"\[ ?\$[A-Za-z][^]$]{0,40}\]|\[_{2,}\] ?\{|\\\{ ?(?:ans_rule|image)"
    ),  # WeBWorK [$a], [____]{$answer}
    Placeholder(_SOURCE, r"\{=[^{}=]+\}(?!\$)|\{_[0-9]+\}|\$\{[a-z]{3,}\}"),  # Moodle {=a*b}, Formulas {_0}
    # WeBWorK $a x + $b: a dollar sign that opens where a formula would close; the last one of an odd number.
    Placeholder(_SOURCE, r"^(?:[^$]*\$[^$]*\$)*[^$]*\$\{?[A-Za-z][^$]*[ (=+*/^]\$\{?[a-z][a-z0-9]?(?![A-Za-z_0-9])"),
    Placeholder(_SOURCE, r"^(?:[^$]*\$[^$]*\$)*[^$]*(?<![A-Z])\$[a-z][0-9]?(?![A-Za-z0-9(=_])[^$]*$"),
    Placeholder(
        _TEXT,  # a template's variable without its marker: frac1, 8var2
        rf"(?<![A-Za-z0-9\\/#])(?!(?:{_FUNCTIONS}|{_NUMBERED_WORDS})[0-9])[0-9]?[a-z]{{3,}}[0-9]{{1,2}}"
        r"(?![0-9a-z]|[.,][0-9])",
        "[a-z]{3}[0-9]",
    ),
    Placeholder(
        _PROSE,
        _any(
            r"(?<![A-Za-z0-9{}_^\\\]列项])(?<!sequence )(?<!set )(?<!progression )"
            r"\{[a-z](?!n\}|_n)[A-Za-z0-9_]{0,15}\}",
            r"(?:^|[.?!:] |\n)name[ ’']",
            r"(?:^|[^A-Za-z’'])(?:did|does|can|should|has) (?:name|pronoun) ",
            r"(?<![A-Za-z])[Pp]ronoun (?:has|had|is|was|did|does|wants|needs)",
            r"(?<![A-Za-z])[a-z]{3,}[A-Z][a-z]{3,}",  # drugName
            r"(?<![A-Za-z\\_./&?])[a-z]{3,}_[a-z]{3,}(?![a-z]*[./@])",  # num_terms
        ),
        r"\{[a-z]|name|ronoun|[a-z]{3}[A-Z]|[a-z]{3}_[a-z]",
    ),
    Placeholder(
        _FORMULAS,
        _any(
            r"(?<![\\_^}{A-Za-z0-9\]*/] )(?<![\\_^}{A-Za-z0-9\]*/!;,|\n)&$])\{[a-z][a-z0-9]{0,11}\}(?![_^{\]])",
            r"\\displaystyle(?!log|sin|cos|tan|lim)[A-Za-z]|\\(?:cdot|times)(?:[b-oq-rt-z]|p[a-z])[A-Za-z]*[0-9]",
        ),
        r"\{[a-z]|displaystyle|cdot|times",
    ),
    Placeholder(
        _SYMBOLS,
        _any(
            r"(?<![A-Za-z])[a-z](?:[a-z]+[0-9]?|[0-9])(?<!sin)(?<!cos)(?<!tan)(?!Sin|Cos|Tan|Log)[A-Z][a-z]{2,}|[a-z]{2,}(?<!sin)(?<!cos)(?<!tan)[CU](?![A-Za-z])",
            r"(?<![A-Za-z\\_&?])[a-z]{3,}_[a-z]{3,}|[xya]?yint(?![A-Za-z])",
            r"(?<![A-Za-z])(?:left|right) ?[<>=+*/^]|[<>=+*/^(] ?(?:left|right)(?![A-Za-z])",
            rf"(?<![A-Za-z])(?:{_VARIABLES})[0-9]*(?![A-Za-z])",
            rf"[$`] ?[-+]?(?:{_WORDS}) ?(?:=[^$`]*)?[$`]",
            rf"[$`][^$` ]*[0-9A-Za-z)}} ] ?= ?(?!(?:{_FUNCTIONS}|[x-z]+|[a-h]+)[^a-z])[a-z]{{3,}} ?[.,]?[$`]",
            r"[(,$] ?[a-z]+[0-9]{1,2}\](?:[,$]| *\))|[a-z][A-Za-z]*[0-9]\]\]",  # v0] of $v[0]
            r"(?:f\([a-z]\) ?= ?f|g\([a-z]\) ?= ?g|h\([a-z]\) ?= ?h) ?[.,]?[$\\]",
            r"= ?(?:sin|cos|tan|root|power) ?\$",
            "LBRACE|RBRACE|LHS[0-9]?|RHS[0-9]?",
            r"[$`=] ?(?:(?:cy|pt|th|tx|cs|hr)[0-9]|c[abty]) ?[$`]|[$`] ?[a-z][0-9]?[CU] ?[$`]",
        ),
        r"[$`]|\\[(\[]",
    ),
)


def _compiled(patterns: tuple[str, ...]) -> list[re.Pattern[str]]:
    return [re.compile(pattern) for pattern in patterns]


_MARKS, _FIGURES, _LAYOUTS, _TABLES, _DATA = map(
    _compiled, (FIGURE.marks, FIGURE.figures, FIGURE.layouts, FIGURE.tables, FIGURE.data)
)
_HINT, _PICTURE_NAME, _UNNAMED = map(re.compile, (FIGURE.hint, FIGURE.picture, FIGURE.unnamed))


def needs_figure(text: str, pictures: Sequence[str] = ()) -> bool:
    """Return whether a text refers to a figure or a table that neither it nor its question contains.

    Args:
        pictures: storage name of each picture that the question names; empty for one that is not attached.

    >>> needs_figure("The graph of $f$ is shown below."), needs_figure("Draw a diagram.")
    (True, False)
    >>> needs_figure("Which graph is it? ![](a.png)"), needs_figure("Which graph is it? ![](a.png)", ["5f"])
    (True, False)
    """
    if _found(_MARKS, text):
        return True
    if pictures:
        return not all(pictures) or _UNNAMED.search(text) is not None
    if _PICTURE_NAME.search(text):
        return True
    if not _HINT.search(text):
        return False
    if _found(_FIGURES, text) and not _found(_LAYOUTS, text):
        return True
    return _found(_TABLES, text) and not _found(_DATA, text)


def draws_numbers(text: str) -> bool:
    r"""Return whether a text contains template variables, for which its source draws numbers.

    >>> draws_numbers("Simplify $(5myvar1)^2$."), draws_numbers("Simplify $(5x_1)^2$.")
    (True, False)
    """
    return any(re.search(rule.hint, text) and re.search(rule.pattern, rule.view.of(text)) for rule in PLACEHOLDERS)


def wholeness_marks(text: str, pictures: Sequence[str] = ()) -> dict[str, bool]:
    """Return both findings under their names in the bank."""
    return {"needs_figure": needs_figure(text, pictures), "draws_numbers": draws_numbers(text)}


def _found(patterns: list[re.Pattern[str]], text: str) -> bool:
    return any(pattern.search(text) for pattern in patterns)
