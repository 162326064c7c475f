"""Why two questions are similar: a sentence and flags computed from what stands in them.

A score says that a model finds two questions near; the reason says what a person can check: the same text
with other numbers, the same computation, a shared concept, shared formulas, shared words.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from django.utils.functional import Promise
from django.utils.text import capfirst, get_text_list
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from analytics.expression.prototype import equation_shape, shape_reading
from analytics.records import ConceptPath
from analytics.text.formulas import plain_text, segment_text
from analytics.text.notation import normalise_latex
from analytics.text.numbers import find_numbers, mask_numbers
from analytics.text.tokens import search_tokens
from questionbank.models import Lens

__all__ = ["LOOKS_ALIKE", "SAME_IDEA", "Comparison", "Evidence", "compare", "evidence_of"]

SAME_IDEA = "same-idea-new-numbers"
LOOKS_ALIKE = "looks-alike-solved-differently"

ALIKE_WORDING = 0.8  # cosine of the character n-grams from which two texts look alike to a reader
SAME_SHAPE_SCORE = 0.6  # a shape of one operation is everybody's; it counts for near questions only
LONGEST_COMPARED = 4000  # characters; what follows adds nothing to a reason
TELLING_RARITY = 1.6  # of a word that is worth naming: it stands in less than a fifth of the questions
_SHOWN = 3  # concepts, formula parts or words that a reason names

# What formulas can have in common, from what tells most to what many have.
_FORMULA_PARTS: tuple[tuple[re.Pattern[str], Promise], ...] = (
    (re.compile(r"\\int"), gettext_lazy("an integral")),
    (re.compile(r"\\lim"), gettext_lazy("a limit")),
    (re.compile(r"\\sum"), gettext_lazy("a sum")),
    (re.compile(r"\\prod"), gettext_lazy("a product")),
    (re.compile(r"matrix\}"), gettext_lazy("a matrix")),
    (re.compile(r"\{cases\}"), gettext_lazy("a system or cases")),
    (re.compile(r"\\(?:arc)?(?:sin|cos|tan|cot|sec|csc)"), gettext_lazy("a trigonometric function")),
    (re.compile(r"\\(?:log|ln|lg)"), gettext_lazy("a logarithm")),
    (re.compile(r"\\binom|\\choose"), gettext_lazy("a binomial coefficient")),
    (re.compile(r"\\vec|\\overrightarrow"), gettext_lazy("a vector")),
    (re.compile(r"\\sqrt\["), gettext_lazy("a higher root")),
    (re.compile(r"\\sqrt(?!\[)"), gettext_lazy("a square root")),
    (re.compile(r"\\angle|\\degree"), gettext_lazy("an angle")),
    (re.compile(r"\\triangle"), gettext_lazy("a triangle")),
    (re.compile(r"\\pi(?![a-z])"), gettext_lazy("π")),
    (re.compile(r"\^\{3\}"), gettext_lazy("a cube")),
    (re.compile(r"\^\{2\}"), gettext_lazy("a square")),
    (re.compile(r"\^\{(?![23]\}|\\circ)"), gettext_lazy("a power")),
    (re.compile(r"\|.+\|"), gettext_lazy("an absolute value")),
    (re.compile(r"\\leq|\\geq|<|>"), gettext_lazy("an inequality")),
    (re.compile(r"\\frac"), gettext_lazy("a fraction")),
    (re.compile(r"\\%"), gettext_lazy("a percentage")),
    (re.compile(r"[a-z].*=|=.*[a-z]"), gettext_lazy("an equation")),
)
_TELLING_PARTS = len(_FORMULA_PARTS) - 5  # the last five say little: an inequality, a fraction ...
_DRAWING = re.compile(r"\[asy\].*?\[/asy\]", re.DOTALL)  # instructions for a picture, not words
_WORD = re.compile(r"[^\W\d_]{4,}|[\u4e00-\u9fff]{2,}")
# Words that say that there is a question, and nothing of what it is about.
_EMPTY_WORDS = frozenset(
    str.split(
        """
        about according after also answer back because been before below both calculate call choose
        compute determine does each eight either eleven evaluate every expression find first five
        following four from given half have having here hundred into least less long made make many
        more much must nine number only other over problem question represent respectively result
        same second seven shall should show simplify since solution solve some still such take taken
        than that their them then there these they thing third thirty this those thousand three
        total twelve twenty twice value well were what when where which while whose will with would
        your
        """
    )
)


@dataclass(frozen=True, slots=True)
class Evidence:
    """What of a question is compared.

    Attributes:
        words_only: the text with one spelling of blanks and formulas, numbers replaced by ``#``.
        numbers: their values in order of appearance.
        formula_parts: numbers of the `_FORMULA_PARTS` that its formulas hold.
        shape: of its equation, empty where there is none.
        concepts: its paths.
        hierarchies: ids of the hierarchies that the paths belong to.
    """

    words_only: str
    numbers: tuple[Fraction, ...]
    formula_parts: frozenset[int]
    words: frozenset[str]
    shape: str
    concepts: tuple[ConceptPath, ...]
    hierarchies: frozenset[int]


@dataclass(frozen=True, slots=True)
class Comparison:
    """A sentence that says why, and the flags that apply."""

    reason: str
    flags: tuple[str, ...]


def evidence_of(
    text: str,
    *,
    language: str,
    equation: str = "",
    numbers: Iterable[str] = (),
    concepts: Iterable[ConceptPath] = (),
    hierarchies: Iterable[int] = (),
) -> Evidence:
    """Take from a question what can be compared."""
    text = _DRAWING.sub(" ", text)[:LONGEST_COMPARED]
    formulas = [normalise_latex(one.body) for one in segment_text(text) if one.kind == "formula"]
    prose = " ".join(one.source for one in segment_text(text) if one.kind == "text")
    return Evidence(
        words_only=_masked(text),
        numbers=tuple(mention.value for mention in find_numbers(text)),
        formula_parts=frozenset(
            number
            for number, (pattern, _name) in enumerate(_FORMULA_PARTS)
            if any(pattern.search(formula) for formula in formulas)
        ),
        words=frozenset(token for token in search_tokens(prose, language) if _WORD.fullmatch(token))
        - _EMPTY_WORDS,
        shape=equation_shape(equation, numbers) if equation else "",
        concepts=tuple(concepts),
        hierarchies=frozenset(hierarchies),
    )


def _masked(text: str) -> str:
    return " ".join(mask_numbers(plain_text(text)).casefold().split())


def compare(
    one: Evidence,
    other: Evidence,
    *,
    lens: str,
    score: float,
    wording: float,
    rarity: Callable[[str], float],
) -> Comparison:
    """Say why `other` is similar to `one`.

    Args:
        lens: under which lens it was found.
        score: its score there.
        wording: cosine of the two texts' character n-grams.
        rarity: how rare a word is; the rarest shared words are named.
    """
    same_text = one.words_only == other.words_only
    new_numbers = one.numbers != other.numbers
    same_shape = bool(one.shape) and one.shape == other.shape
    clauses: list[str] = []
    if same_text:
        clauses.append(_("the same text with other numbers") if new_numbers else _("the same text"))
    if same_shape:
        clauses.append(_("both are computed as %(shape)s") % {"shape": shape_reading(one.shape)})
    parts = sorted(one.formula_parts & other.formula_parts)
    telling = [number for number in parts if number < _TELLING_PARTS]
    clauses += [clause for clause in (_shared_concept(one, other), _parts_clause(telling)) if clause]
    if len(clauses) < 2 and not same_text:
        further = _shared_words(one, other, rarity) or ("" if telling else _parts_clause(parts))
        clauses += [further] if further else []
    if not clauses:
        clauses.append(
            _("much of the wording is the same")
            if lens == Lens.WORDING
            else _("the model places them close together, though little in them is the same")
        )
    flags = []
    if new_numbers and (same_text or (same_shape and _tells(one.shape, score))):
        flags.append(SAME_IDEA)
    if wording >= ALIKE_WORDING and not same_text and _solved_differently(one, other):
        flags.append(LOOKS_ALIKE)
        clauses.insert(0, _("the wording is nearly the same, but it is solved differently"))
    return Comparison(reason=f"{capfirst('; '.join(clauses[:3]))}.", flags=tuple(flags))


def _tells(shape: str, score: float) -> bool:
    """Whether sharing a shape means something: one of several operations, or a near question."""
    return shape.count("n") > 2 or score >= SAME_SHAPE_SCORE


def _solved_differently(one: Evidence, other: Evidence) -> bool:
    if one.shape and other.shape:
        return one.shape != other.shape
    if not (one.concepts and other.concepts and one.hierarchies & other.hierarchies):
        return False
    return max(_common(a, b) for a in one.concepts for b in other.concepts) < 2


def _common(one: ConceptPath, other: ConceptPath) -> int:
    """Number of leading names that two paths share."""
    shared = 0
    for left, right in zip(one, other, strict=False):
        if left != right:
            break
        shared += 1
    return shared


def _shared_concept(one: Evidence, other: Evidence) -> str:
    whole = [path for path in one.concepts if path in other.concepts]
    if whole:
        names = [path[-1] for path in sorted(whole, key=len, reverse=True)[:_SHOWN]]
        return _("both are about %(concepts)s") % {"concepts": _listed(names)}
    pairs = [(a, b) for a in one.concepts for b in other.concepts]
    deepest = max(pairs, key=lambda pair: _common(*pair), default=None)
    if deepest is None or _common(*deepest) == 0:
        return ""
    return _("both belong to %(concept)s") % {"concept": deepest[0][_common(*deepest) - 1]}


def _parts_clause(parts: Sequence[int]) -> str:
    names = [str(_FORMULA_PARTS[number][1]) for number in parts[:_SHOWN]]
    return _("both have %(parts)s") % {"parts": _listed(names)} if names else ""


def _shared_words(one: Evidence, other: Evidence, rarity: Callable[[str], float]) -> str:
    telling = {word: rarity(word) for word in one.words & other.words if rarity(word) > TELLING_RARITY}
    shared = sorted(telling, key=lambda word: (-telling[word], word))
    # Chinese words are indexed with the shorter ones inside them; the longest says it all.
    whole = [word for word in shared if not any(word != longer and word in longer for longer in shared)]
    if not whole:
        return ""
    return _("both speak of %(words)s") % {"words": _listed([f"“{word}”" for word in whole[:_SHOWN]])}


def _listed(names: Sequence[str]) -> str:
    return str(get_text_list(list(names), _("and")))
