"""The features by which questions are compared: form, formulas, words, equation, tags."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

from analytics.paraphrase.words.entities import find_entities
from analytics.text.empty_words import EMPTY_WORDS, ONLY_IN_PHRASES
from analytics.text.formulas import plain_text, segment_text
from analytics.text.masking import masked_formula, masked_text, without_credits
from analytics.text.notation import normalise_latex
from analytics.text.numbers import find_numbers, mask_numbers
from analytics.text.tokens import search_tokens
from questionbank.selectors.questions.computations import Computation
from questionbank.selectors.questions.questions import TaggedPath

__all__ = ["FORMULA_PARTS", "Evidence", "evidence_of"]

LONGEST_COMPARED = 2000  # characters; what follows adds nothing to a reason
SHORTEST_FORM = 5  # tokens of a formula's form from which sharing it says something
LONGEST_PHRASE = 4  # words

# What formulas can have in common and what is worth naming, from what tells most.
FORMULA_PARTS: tuple[tuple[re.Pattern[str], Promise], ...] = (
    (re.compile(r"\\i*int(?![a-z])"), gettext_lazy("an integral")),
    (re.compile(r"\\lim(?![a-z])"), gettext_lazy("a limit")),
    (re.compile(r"\\sum(?![a-z])"), gettext_lazy("a sum")),
    (re.compile(r"\\prod(?![a-z])"), gettext_lazy("a product sign")),
    (re.compile(r"\{[vV]matrix\}"), gettext_lazy("a determinant")),
    (re.compile(r"\{[pbB]?matrix\}"), gettext_lazy("a matrix or column vector")),
    (re.compile(r"\{cases\}"), gettext_lazy("a system or cases")),
    (re.compile(r"\\(?:arc)?(?:sin|cos|tan|cot|sec|csc)(?![a-z])"), gettext_lazy("a trigonometric function")),
    (re.compile(r"\\(?:log|ln|lg)(?![a-z])"), gettext_lazy("a logarithm")),
    (re.compile(r"\\binom|\\choose(?![a-z])"), gettext_lazy("a binomial coefficient")),
    (re.compile(r"\\vec(?![a-z])|\\overrightarrow"), gettext_lazy("a vector")),
    (re.compile(r"\\sqrt\["), gettext_lazy("a higher root")),
    (re.compile(r"\\sqrt(?!\[)"), gettext_lazy("a square root")),
    (
        re.compile(r"(?:^|[=+\-(,<>{]|\\[lg]eq)\|(?!\\(?:vec|overrightarrow|mathbf))[^|]*[a-z][^|]*\|"),
        gettext_lazy("an absolute value"),
    ),
    (re.compile(r"\d!|\)!|[a-z]!"), gettext_lazy("a factorial")),
    (re.compile(r"\\angle(?![a-z])"), gettext_lazy("an angle")),
    (re.compile(r"\\pi(?![a-z])"), gettext_lazy("π")),
    (re.compile(r"(?:\\leq|\\geq|[<>]).*[a-z]|[a-z].*(?:\\leq|\\geq|[<>])"), gettext_lazy("an inequality")),
)
_COLUMNS = re.compile(r"(\\begin\s*\{(?:array|tabular)\})\s*\{[^{}]*\}")  # the lines and columns of a table
_DRAWING = re.compile(
    r"\[asy\].*?\[/asy\]|!\[[^\]]*\]\([^)]*\)", re.DOTALL
)  # pictures and what describes them
_WORD = re.compile(r"[a-z]{4,}|[\u4e00-\u9fff]{2,}")
_WORD_OR_SHORT = re.compile(r"[a-z]{2,}|[\u4e00-\u9fff]+")
_COUNTED = re.compile(r"[一两几每这那各某第].{1,2}")  # Chinese counting words: one, some, each of something
# How the answer should be written says nothing of what is asked.
_ANSWER_FORMAT = re.compile(
    r"(?:^|(?<=[.?!:;()\n]))\s*(?:please )?"
    r"(?:express|give|enter|write|round|leave|state|type|simplify|use|note|hint|if|make)\b"
    r"[^.?!\n]{0,120}?\banswers?\b[^.?!\n]*[.?!]?",
    re.IGNORECASE,
)
_PLURAL = re.compile(r"\b[A-Za-z]{3,}s\b")
_CLAUSE_END = re.compile(r"[.,;:?!()\[\]，。；：？！、（）\n]+")
_NAMES = frozenset({"woman", "man", "place", "other"})  # categories; a label is a point of a figure


@dataclass(frozen=True, slots=True)
class Evidence:
    """The features of a question that are compared.

    Attributes:
        numbers_masked: the text with one spelling of blanks and formulas, numbers replaced by ``#``.
        form: the text with names, numbers, signs and variables masked.
        numbers: their values in order of appearance.
        formula_forms: masked formulas that are long enough to say something.
        formula_parts: indexes of the `FORMULA_PARTS` that its formulas hold.
        words: those that may say what the question is about.
        all_words: its words, the little ones too.
        phrases: runs of two or more words that stand side by side.
        computation: what is computed in it, by its equation or by the solver's; None where that is not known.
        tags: its concepts.
        plurals: the spelling in the text of those words from which the search takes an s: "toward" is "towards".
    """

    numbers_masked: str
    form: str
    numbers: tuple[Fraction, ...]
    formula_forms: frozenset[str]
    formula_parts: frozenset[int]
    words: frozenset[str]
    all_words: frozenset[str]
    phrases: frozenset[tuple[str, ...]]
    computation: Computation | None
    tags: tuple[TaggedPath, ...]
    plurals: Mapping[str, str]


def evidence_of(
    text: str,
    *,
    language: str,
    computation: Computation | None = None,
    tags: Iterable[TaggedPath] = (),
) -> Evidence:
    """Take from a question what can be compared; its pictures and the credit of its source are left out."""
    text = without_credits(_DRAWING.sub(" ", text))[:LONGEST_COMPARED]
    nameless = text if language == "zh" else _without_names(text)  # the lists of names are English
    segments = segment_text(nameless)
    formulas = [segment.body for segment in segments if segment.kind == "formula"]
    spellings = [_COLUMNS.sub(r"\1", normalise_latex(formula)) for formula in formulas]
    prose = " ; ".join(segment.source for segment in segments if segment.kind == "text")
    runs = _word_runs(_ANSWER_FORMAT.sub(" ; ", prose), language)
    forms = (masked_formula(formula) for formula in formulas)
    return Evidence(
        numbers_masked=" ".join(mask_numbers(plain_text(text)).casefold().split()),
        form=masked_text(nameless),
        numbers=tuple(mention.value for mention in find_numbers(text)),
        formula_forms=frozenset(form for form in forms if len(form.split()) >= SHORTEST_FORM),
        formula_parts=frozenset(
            index
            for index, (pattern, _name) in enumerate(FORMULA_PARTS)
            if any(pattern.search(spelling) for spelling in spellings)
        ),
        words=frozenset(word for run in runs for word in run if _tells(word)),
        all_words=frozenset(word for run in runs for word in run),
        phrases=frozenset(phrase for run in runs for phrase in _phrases(run)),
        computation=computation,
        tags=tuple(tags),
        plurals={} if language == "zh" else _plurals(prose),
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


def _word_runs(prose: str, language: str) -> list[list[str]]:
    """Return the words of each clause, in order."""
    return [
        [token for token in search_tokens(clause, language) if _WORD_OR_SHORT.fullmatch(token)]
        for clause in _CLAUSE_END.split(prose)
    ]


def _plurals(prose: str) -> dict[str, str]:
    """Return the words that end in s by their tokens, as they are spelt."""
    spellings = {word.lower() for word in _PLURAL.findall(prose)}
    return {
        token: spelling
        for spelling in sorted(spellings)
        for token in search_tokens(spelling)
        if token != spelling
    }


def _tells(word: str) -> bool:
    return _may_be_in_phrase(word) and word not in ONLY_IN_PHRASES


def _may_be_in_phrase(word: str) -> bool:
    return _WORD.fullmatch(word) is not None and word not in EMPTY_WORDS and not _COUNTED.fullmatch(word)


def _phrases(run: list[str]) -> Iterator[tuple[str, ...]]:
    """Yield English words that stand side by side, at least one of which says something alone."""
    for size in range(2, LONGEST_PHRASE + 1):
        for start in range(len(run) - size + 1):
            phrase = run[start : start + size]
            if all(word.isascii() and _may_be_in_phrase(word) for word in phrase) and any(
                map(_tells, phrase)
            ):
                yield tuple(phrase)
