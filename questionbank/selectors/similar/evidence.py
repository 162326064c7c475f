"""The features by which questions are compared: form, formulas, words, equation, tags."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache

from analytics.paraphrase.words.entities import find_entities
from analytics.text.formulas import has_formula_marks, segment_text
from analytics.text.masking import MASK, masked_formula, masked_text, without_credits
from analytics.text.notation import normalise_latex
from analytics.text.numbers import find_numbers, mask_numbers
from analytics.text.textmode import replace_text_macros
from analytics.text.tokens import search_tokens
from questionbank.selectors.questions.computations import Computation
from questionbank.selectors.questions.questions import TaggedPath
from questionbank.selectors.similar.passages import passage_words

LONGEST_COMPARED = 2000  # characters; what follows adds nothing to a reason
SHORTEST_FORM = 5  # tokens of a formula's form from which sharing it says something
SHORTEST_WITHOUT_NUMBER = 8  # of one without numbers: "y = f(x)" says nothing
_KEPT_TEXTS = 2_048  # whose features a process keeps: reading one takes .4 ms, and a page compares some 60

# What formulas can have in common and what is worth naming, from what tells most.
FORMULA_PARTS: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"\\i*int(?![a-z])"), "an integral"),
    (re.compile(r"\\lim(?![a-z])"), "a limit"),
    (re.compile(r"\\sum(?![a-z])"), "a sum"),
    (re.compile(r"\\prod(?![a-z])"), "a product sign"),
    (re.compile(r"\{[vV]matrix\}"), "a determinant"),
    (re.compile(r"\{[pbB]?matrix\}"), "a matrix or column vector"),
    (re.compile(r"\{cases\}"), "a system or cases"),
    (re.compile(r"\\(?:arc)?(?:sin|cos|tan|cot|sec|csc)(?![a-z])"), "a trigonometric function"),
    (re.compile(r"\\(?:log|ln|lg)(?![a-z])"), "a logarithm"),
    (re.compile(r"\\binom|\\choose(?![a-z])"), "a binomial coefficient"),
    (re.compile(r"\\sqrt\["), "a higher root"),
    (re.compile(r"\\sqrt(?!\[)"), "a square root"),
    (
        re.compile(r"(?:^|[=+\-(,<>{]|\\[lg]eq)\|(?!\\(?:vec|overrightarrow|mathbf))[^|]*[a-z][^|]*\|"),
        "an absolute value",
    ),
    (re.compile(r"\d!|\)!|[a-z]!"), "a factorial"),
    (re.compile(r"(?:\\leq|\\geq|[<>]).*[a-z]|[a-z].*(?:\\leq|\\geq|[<>])"), "an inequality"),
)
_COLUMNS = re.compile(r"(\\begin\s*\{(?:array|tabular)\})\s*\{[^{}]*\}")  # the lines and columns of a table
_DRAWING = re.compile(
    r"\[asy\].*?\[/asy\]|!\[[^\]]*\]\([^)]*\)", re.DOTALL
)  # pictures and what describes them
_WORD = re.compile(r"[a-z]{2,}|[\u4e00-\u9fff]+")
_UNIT_TEXT = re.compile(
    r"\\(?:text|mathrm|operatorname|mbox|textrm)\s*\{[^{}]*\}|\^\s*\{?\s*(?:\\circ|[23])\s*\}?|\\[,;: ]"
)
_OPERATES = re.compile(  # a formula without is a name, a point or a number with its unit
    r"[=+<>*/÷×|!]|\^\s*\{?\s*[\w\\]|(?<=[\w)}])\s*[-−]\s*[\w(\\]"
    r"|\\(?:d?frac|sqrt|times|div|cdot|sum|int|lim|log|ln|sin|cos|tan|leq?|geq?|neq?|binom)(?![a-z])"
)
# Verbs that set a task of one meaning, each with its name.
TASK_VERBS: dict[str, str] = {
    "factorise": "factorise", "factorize": "factorise", "factor": "factorise",
    "expand": "expand", "simplify": "simplify", "differentiate": "differentiate", "integrate": "integrate",
    "rationalise": "rationalise the denominator", "rationalize": "rationalise the denominator",
    "add": "add", "subtract": "subtract", "multiply": "multiply", "divide": "divide",
}  # fmt: skip
_TASK = re.compile(rf"(?:^|[.;:!?\n])\s*(?:please )?({'|'.join(TASK_VERBS)})\b", re.IGNORECASE)
_NAMES = frozenset({"woman", "man", "place", "other"})  # categories; a label is a point of a figure


@dataclass(frozen=True, slots=True)
class Evidence:
    """The features of a question that are compared.

    Attributes:
        text: what is compared of it, without pictures.
        form: the text with names, numbers, signs and variables masked.
        formula_forms: masked formulas that are long enough to say something.
        formula_parts: indexes of the `FORMULA_PARTS` that its formulas hold.
        passages: its words in order, as `passage_words` gives them.
        tasks: what sentences begin with that set a task: "expand", "factorise".
        computation: what is computed in it, by its equation or by the solver's; None where that is not known.
    """

    text: str
    form: str
    formula_forms: frozenset[str]
    formula_parts: frozenset[int]
    all_words: frozenset[str]
    passages: tuple[str, ...]
    tasks: frozenset[str]
    computation: Computation | None
    tags: tuple[TaggedPath, ...]

    @property
    def numbers(self) -> tuple[Fraction, ...]:
        """The numbers of the text in order; looked for once somebody asks, which few comparisons do."""
        return tuple(mention.value for mention in find_numbers(self.text))

    @property
    def numbers_masked(self) -> str:
        """The text with one spelling of blanks and formulas, numbers replaced by ``#``."""
        return copy_key(self.text)


def evidence_of(
    text: str,
    *,
    language: str,
    computation: Computation | None = None,
    tags: Iterable[TaggedPath] = (),
) -> Evidence:
    """Take from a question what can be compared; its pictures and the credit of its source are left out."""
    return replace(_text_evidence(text, language), computation=computation, tags=tuple(tags))


@lru_cache(maxsize=_KEPT_TEXTS)
def _text_evidence(text: str, language: str) -> Evidence:
    """Return what the text alone says."""
    text = without_credits(_DRAWING.sub(" ", text))[:LONGEST_COMPARED]
    nameless = text if language == "zh" else _without_names(text)  # the lists of names are English
    segments = segment_text(nameless)
    formulas = [segment.body for segment in segments if segment.kind == "formula"]
    spellings = [_COLUMNS.sub(r"\1", normalise_latex(formula)) for formula in formulas]
    prose = " ; ".join(segment.source for segment in segments if segment.kind == "text")
    forms = (
        masked_formula(formula) for formula in formulas if _OPERATES.search(_UNIT_TEXT.sub(" ", formula))
    )
    return Evidence(
        text=text,
        form=masked_text(nameless),
        formula_forms=frozenset(
            form
            for form in forms
            if len(form.split()) >= (SHORTEST_FORM if MASK in form else SHORTEST_WITHOUT_NUMBER)
        ),
        formula_parts=frozenset(
            index
            for index, (pattern, _name) in enumerate(FORMULA_PARTS)
            if any(pattern.search(spelling) for spelling in spellings)
        ),
        all_words=frozenset(token for token in search_tokens(prose, language) if _WORD.fullmatch(token)),
        passages=tuple(passage_words(prose)),
        tasks=frozenset(TASK_VERBS[match[1].casefold()] for match in _TASK.finditer(prose)),
        computation=None,
        tags=(),
    )


@lru_cache(maxsize=8_192)
def copy_key(text: str) -> str:
    """Return the text in one spelling of its formulas, cases and blanks, numbers replaced by ``#``.

    >>> copy_key(r"Find $x^{2}$ for $x = 3$.") == copy_key(r"Find $x^2$  for $x=14$.")
    True
    """
    return " ".join(mask_numbers(same_spelling(text)).casefold().split())


@lru_cache(maxsize=256)  # the same page asks for its n-grams and for its key
def same_spelling(text: str) -> str:
    r"""Return the text with its formulas in one spelling and without their delimiters.

    >>> same_spelling(r"Add $\dfrac12$ to $x^{2}$") == same_spelling(r"Add $\frac{1}{2}$ to $x ^ 2$")
    True
    """
    if not has_formula_marks(text):
        return replace_text_macros(text)
    return "".join(
        normalise_latex(segment.body) if segment.kind == "formula" else replace_text_macros(segment.source)
        for segment in segment_text(text)
    )


def _without_names(text: str) -> str:
    """Return the text with ``@`` for each name of a person or a place."""
    pieces: list[str] = []
    done = 0
    for mention in find_entities(text):
        if mention.category in _NAMES:
            pieces += [text[done : mention.start], "@"]
            done = mention.end
    return "".join(pieces) + text[done:]
