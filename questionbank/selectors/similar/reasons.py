"""Why two questions are similar: a sentence and flags, each from what stands in both of them.

A score says that two questions are near; the reason says what a person can check. What cannot be shown is not
said: "solved differently" needs two computations, two tags or two quantities that prove it. What rests on an
equation that the solver found says so, with its probability.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeGuard

from django.utils.text import capfirst, get_text_list
from django.utils.translation import gettext as _

from analytics.concept_paths import shared_depth
from analytics.expression.graph_reading import graph_operations, graphs_differ_in_operations
from analytics.text.tokens import search_tokens
from questionbank.models import Lens
from questionbank.selectors.questions.computations import Computation
from questionbank.selectors.questions.questions import TaggedPath
from questionbank.selectors.similar.evidence import FORMULA_PARTS, Evidence

__all__ = ["LOOKS_ALIKE", "SAME_IDEA", "Comparison", "compare"]

SAME_IDEA = "same-idea-new-numbers"
LOOKS_ALIKE = "looks-alike-solved-differently"

ALIKE_WORDING = 0.8  # cosine of the character n-grams from which two texts look alike to a reader
MUCH_WORDING = 0.6  # from which much of the wording is the same
# Cosines of the wording from which the same computation means the same idea too: by the operations that it has.
SAME_GRAPH_WORDING = {1: 0.6, 2: 0.5, 3: 0.4}
SAME_GRAPH_PURPOSE = 0.65  # cosine of purpose from which it does, where there are two operations or more
SURE_ENOUGH = (
    0.8  # of a solver's equation that proves another computation: one mistake makes any two look different
)
TELLING_RARITY = 1.6  # of a word that is worth naming: it stands in less than a fifth of the questions
MOST_WORDS_CHANGED = 3  # in each of two texts that are the same but for what they ask
_SHOWN = 3  # concepts, formula parts or words that a reason names

# Each is found in a way of its own; where two texts differ in them alone, they are solved differently.
_QUANTITIES = frozenset(
    str.split(
        """
        area perimeter circumference volume surface length mean median mode range sum difference product quotient
        speed distance factor multiple gradient slope intercept midpoint derivative integral variance deviation
        permutation combination remainder arc sector union intersection
        面积 周长 体积 表面积 平均数 中位数 众数 方差 速度 路程 时间 公因数 公约数 公倍数 商 余数 交集 并集
        """
    )
)
# Words in which two texts that set the same task may differ.
_LITTLE_WORDS = frozenset(
    str.split(
        "an and are at be by calculate find following for if in is it its of on or out please that the then these"
        " this to value what which work"
    )
)


@dataclass(frozen=True, slots=True)
class Comparison:
    """A sentence that says why, the flags that apply, and whether both compute the same, as far as is known."""

    reason: str
    flags: tuple[str, ...]
    same_graph: bool = False


def compare(
    asked: Evidence,
    candidate: Evidence,
    *,
    lens: str,
    wording: float,
    rarity: Callable[[str], float],
    broad: frozenset[TaggedPath] = frozenset(),
    by_graph: bool = False,
    purpose: float | None = None,
) -> Comparison:
    """Say why `candidate` is similar to `asked`.

    Args:
        lens: whose vectors found it.
        by_graph: whether the lens compares computations: then the reason begins with them.
        purpose: cosine of the two questions' vectors of purpose, where both have some.
        wording: cosine of the two texts' character n-grams.
        rarity: how rare a word is; the rarest shared words are named.
        broad: concepts that nearly all questions of a hierarchy share, which say nothing.
    """
    new_numbers = asked.numbers != candidate.numbers
    same_form = asked.form == candidate.form
    asked_computation, candidate_computation = asked.computation, candidate.computation
    same_graph = (
        asked_computation is not None
        and candidate_computation is not None
        and asked_computation.key == candidate_computation.key
    )
    clauses: list[str] = [_structure(asked_computation, candidate_computation)] if by_graph else []
    if same_form and asked.numbers_masked == candidate.numbers_masked:
        clauses.append(_("the same text with other numbers") if new_numbers else _("the same text"))
    elif same_form:
        clauses.append(_("the same text except for numbers, signs, letters or names"))
    if asked_computation and candidate_computation and same_graph and not by_graph:
        clauses.append(
            _("both are computed as %(graph)s") % {"graph": asked_computation.reading}
            + _predicted(asked_computation, candidate_computation)
        )
    same_formulas = not same_form and _same_formulas(asked, candidate)
    if same_formulas:
        clauses.append(_("the same task with a formula of the same form"))
    elif not same_form and asked.formula_forms & candidate.formula_forms:
        clauses.append(_("both have a formula of the same form"))
    contrast = "" if same_form or wording < ALIKE_WORDING else _contrast(asked, candidate)
    further = [
        _shared_concept(asked, candidate, broad),
        _shared_parts(asked, candidate),
        _shared_words(asked, candidate, rarity) if len(clauses) < 2 and not same_form else "",
    ]
    clauses += [clause for clause in further if clause]
    flags = []
    if new_numbers and (
        same_form or same_formulas or (same_graph and _is_same_idea(asked, candidate, wording, purpose))
    ):
        flags.append(SAME_IDEA)
    elif contrast:
        flags.append(LOOKS_ALIKE)
        if not by_graph:  # which says already how both are computed
            clauses.insert(0, contrast)
    if not clauses:
        clauses.append(_nothing_named(lens, wording))
    return Comparison(f"{capfirst('; '.join(clauses[:3]))}.", tuple(flags), same_graph)


def _structure(asked: Computation | None, candidate: Computation | None) -> str:
    """Return how two questions are computed, as far as their equations are known."""
    if asked is None or candidate is None:
        if candidate is None:
            return _("the model finds them similar; its equation is not known")
        said = _("the model finds them similar; it is computed as %(graph)s") % {"graph": candidate.reading}
        return said + _predicted(asked, candidate)
    if asked.key == candidate.key:
        said = _("computed the same way: %(graph)s")
    elif candidate.has_a_step_more_than(asked):
        said = _("computed nearly the same way: %(other)s, one step more than %(graph)s")
    elif asked.has_a_step_more_than(candidate):
        said = _("computed nearly the same way: %(other)s, one step less than %(graph)s")
    elif asked.differs_in_a_step_from(candidate):
        said = _("computed nearly the same way: %(other)s, one step different from %(graph)s")
    else:
        said = _("computed as %(other)s, not as %(graph)s")
    return said % {"graph": asked.reading, "other": candidate.reading} + _predicted(asked, candidate)


def _predicted(asked: Computation | None, candidate: Computation | None) -> str:
    """Say in brackets which of the equations are the solver's, and how probably they are right."""
    mine = asked.probability if asked else None
    theirs = candidate.probability if candidate else None
    if mine is not None and theirs is not None:
        said = _(" (both equations are by the solver: %(own)s and %(other)s likely to be right)")
    elif theirs is not None:
        said = _(" (its equation is by the solver: %(other)s likely to be right)")
    elif mine is not None and candidate is not None:
        said = _(" (this question’s equation is by the solver: %(own)s likely to be right)")
    else:
        return ""
    return said % {"own": f"{mine or 0:.0%}", "other": f"{theirs or 0:.0%}"}


def _is_same_idea(asked: Evidence, candidate: Evidence, wording: float, purpose: float | None) -> bool:
    """Return whether two questions of one computation ask the same: concept, purpose, or much of the words is the same.

    The computation alone is not enough: planting trees and meeting trains are both a ÷ b − c.
    """
    operations = graph_operations(asked.computation.key) if asked.computation else 0
    if operations > 1 and {*asked.tags} & {*candidate.tags}:
        return True
    if operations > 1 and purpose is not None and purpose >= SAME_GRAPH_PURPOSE:
        return True
    return wording >= SAME_GRAPH_WORDING[min(max(operations, 1), max(SAME_GRAPH_WORDING))]


def _same_formulas(asked: Evidence, candidate: Evidence) -> bool:
    """Return whether both say the same of formulas that differ in numbers, signs and letters only."""
    return (
        bool(asked.formula_forms)
        and asked.formula_forms == candidate.formula_forms
        and bool(asked.words)
        and asked.all_words ^ candidate.all_words <= _LITTLE_WORDS
    )


def _contrast(asked: Evidence, candidate: Evidence) -> str:
    """Return what proves that two texts which read alike are solved differently, or nothing."""
    computed, computed_otherwise = asked.computation, candidate.computation
    if _is_sure(computed) and _is_sure(computed_otherwise):
        if not graphs_differ_in_operations(computed.key, computed_otherwise.key):
            return ""
        said = _("reads nearly the same, but is computed as %(other)s, not as %(own)s") % {
            "other": computed_otherwise.reading,
            "own": computed.reading,
        }
        return said + _predicted(computed, computed_otherwise)
    asked_only, candidate_only = asked.all_words - candidate.all_words, candidate.all_words - asked.all_words
    if not (
        asked_only and candidate_only and max(len(asked_only), len(candidate_only)) <= MOST_WORDS_CHANGED
    ):
        return ""
    if asked_only & _QUANTITIES and candidate_only & _QUANTITIES:
        return _("reads nearly the same, but is about %(other)s, not %(own)s") % {
            "other": _quoted(sorted(candidate_only & _QUANTITIES)),
            "own": _quoted(sorted(asked_only & _QUANTITIES)),
        }
    names = _named_by_the_difference(asked, candidate, asked_only, candidate_only)
    if not names:
        return ""
    return _("reads nearly the same, but is about %(other)s, not %(own)s") % {
        "own": _quoted(names[:1]),
        "other": _quoted(names[1:]),
    }


def _is_sure(computation: Computation | None) -> TypeGuard[Computation]:
    """Return whether the equation is known, or the solver's is sure enough to prove a difference."""
    return computation is not None and (
        computation.probability is None or computation.probability >= SURE_ENOUGH
    )


def _named_by_the_difference(
    asked: Evidence, candidate: Evidence, asked_only: frozenset[str], candidate_only: frozenset[str]
) -> tuple[str, ...]:
    """Return names of two different concepts of one hierarchy, where each is named by words of its own text alone."""
    if {*asked.tags} & {*candidate.tags}:
        return ()
    for mine in asked.tags:
        for theirs in candidate.tags:
            shared = shared_depth(mine.path, theirs.path)
            if mine.hierarchy != theirs.hierarchy or shared >= min(len(mine.path), len(theirs.path)):
                continue
            name, other_name = mine.path[-1], theirs.path[-1]
            words, other_words = set(search_tokens(name)), set(search_tokens(other_name))
            if (words - other_words) & asked_only and (other_words - words) & candidate_only:
                return name, other_name
    return ()


def _shared_concept(asked: Evidence, candidate: Evidence, broad: frozenset[TaggedPath]) -> str:
    whole = [tag for tag in asked.tags if tag in candidate.tags and tag not in broad]
    if whole:
        names = dict.fromkeys(tag.path[-1] for tag in sorted(whole, key=lambda tag: -len(tag.path)))
        return _("both are about %(concepts)s") % {"concepts": _listed(list(names)[:_SHOWN])}
    shared = [
        TaggedPath(mine.hierarchy, mine.path[: shared_depth(mine.path, theirs.path)])
        for mine in asked.tags
        for theirs in candidate.tags
        if mine.hierarchy == theirs.hierarchy
    ]
    deepest = max(shared, key=lambda tag: len(tag.path), default=None)
    if deepest is None or len(deepest.path) < 2 or deepest in broad:
        return ""
    return _("both belong to %(concept)s") % {"concept": deepest.path[-1]}


def _shared_parts(asked: Evidence, candidate: Evidence) -> str:
    parts = sorted(asked.formula_parts & candidate.formula_parts)[:_SHOWN]
    names = [str(FORMULA_PARTS[index][1]) for index in parts]
    return _("both have %(parts)s") % {"parts": _listed(names)} if names else ""


def _shared_words(asked: Evidence, candidate: Evidence, rarity: Callable[[str], float]) -> str:
    """Return shared terms, the longest first, then shared words, the rarest first; no word is named twice."""
    phrases = sorted(
        asked.phrases & candidate.phrases,
        key=lambda phrase: (-len(phrase), -sum(map(rarity, phrase)), phrase),
    )
    words = sorted(asked.words & candidate.words, key=lambda word: (-rarity(word), word))
    named: list[str] = []
    used: set[str] = set()
    for term in (*phrases, *((word,) for word in words)):
        if max(map(rarity, term)) > TELLING_RARITY and used.isdisjoint(term):
            used.update(term)
            named.append(" ".join(asked.plurals.get(word, word) for word in term))
    # Chinese words are indexed with the shorter ones inside them; the longest says it all.
    whole = [word for word in named if not any(word != longer and word in longer for longer in named)]
    return _("both mention %(words)s") % {"words": _quoted(whole[:_SHOWN])} if whole else ""


def _nothing_named(lens: str, wording: float) -> str:
    if wording >= MUCH_WORDING:
        return _("much of the wording is the same")
    if lens == Lens.WORDING:
        return _("parts of the wording are the same")
    return _("the model ranks it among the closest in meaning")


def _quoted(names: Sequence[str]) -> str:
    return _listed([f"“{name}”" for name in names])


def _listed(names: Sequence[str]) -> str:
    return str(get_text_list(list(names), _("and")))
