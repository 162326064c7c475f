"""Why two questions are similar: a sentence and flags, each based on something that both contain."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from django.utils.text import capfirst, get_text_list

from analytics.catalog import lenses
from analytics.concept_paths import shared_depth
from analytics.expression.evaluate import is_slot, slot_index
from analytics.expression.keys import graph_operations, graphs_differ_in_operations
from analytics.expression.tree import ExpressionTree, to_prefix
from analytics.solver.plausibility import rounding_of
from analytics.solver.solution import CERTAIN_ENOUGH, solution_of
from analytics.text.tokens import search_tokens
from questionbank.bank.question_selectors import TaggedPath
from questionbank.similar.evidence import FORMULA_PARTS, Evidence, asks, shared_passage
from questionbank.solving.computations import Computation

_WHOLE = 1e-9
_ADDED, _SUBTRACTED, _FACTOR, _DIVISOR = "+", "-", "*", "/"
_OPPOSITE = {_ADDED: _SUBTRACTED, _SUBTRACTED: _ADDED, _FACTOR: _DIVISOR, _DIVISOR: _FACTOR}

Roles = tuple[str, ...]


def number_roles(computation: Computation) -> tuple[Roles, ...]:
    """Return how each number used enters the result, in the order of the text; empty if not known.

    A role is the path of operations from the result to the number: ``("*",)`` for a factor, ``("+", "/")`` for the
    divisor in a term of a sum.
    """
    if computation.tree is None:
        return ()
    return tuple(roles for _slot, roles in sorted(_paths(computation.tree, ())))


def rounded_otherwise(first: Computation, second: Computation) -> bool:
    """Return whether the texts ask to round the two quotients differently: up for cars, down for full boxes."""
    if not (_is_broken_quotient(first) and _is_broken_quotient(second)):
        return False
    ways = rounding_of(first.text), rounding_of(second.text)
    return bool(ways[0] and ways[1] and ways[0] != ways[1])


@lru_cache(maxsize=512)  # a question is compared with about 30 others
def _is_broken_quotient(computation: Computation) -> bool:
    if computation.tree is None or computation.tree.label != "/":
        return False
    numbers = [slot.value for slot in computation.slots]
    value = solution_of(to_prefix(computation.tree), numbers, 1.0).value
    return value is not None and abs(value - round(value)) > _WHOLE


def _paths(tree: ExpressionTree, path: Roles) -> Iterator[tuple[int, Roles]]:
    """Yield each slot with its role; all terms of a sum, and all factors of a product, are at one level."""
    if tree.is_number:
        if is_slot(tree.label):
            yield slot_index(tree.label), path
        return
    for place, child in enumerate(tree.children):
        yield from _paths(child, _joined(path, tree.label, place))


def _joined(path: Roles, operator: str, place: int) -> Roles:
    if operator in "+-":
        step, level = (_SUBTRACTED if operator == "-" and place else _ADDED), (_ADDED, _SUBTRACTED)
    elif operator in "*/":
        step, level = (_DIVISOR if operator == "/" and place else _FACTOR), (_FACTOR, _DIVISOR)
    else:
        return (*path, f"{operator}{place}")
    if path and path[-1] in level:
        is_opposite = step in (_SUBTRACTED, _DIVISOR)
        return (*path[:-1], _OPPOSITE[path[-1]] if is_opposite else path[-1])
    return (*path, step)


SAME_IDEA = "same-idea-new-numbers"
LOOKS_ALIKE = "looks-alike-solved-differently"

NEARLY_ALL_WORDING = 0.8  # cosine of character n-grams from which two texts read nearly the same
ALIKE = 0.6  # such a cosine times the certainty of both equations, from which a difference warrants a warning
# Cosine of wording from which the same computation also means the same idea, by number of operations.
SAME_GRAPH_WORDING = {1: 0.6, 2: 0.5, 3: 0.4}
SAME_GRAPH_PURPOSE = 0.65  # likewise for the cosine of purpose, with two operations or more
MOST_WORDS_CHANGED = 3  # in each of two texts that differ only in what they ask
MOST_CLAUSES = 2
_SHOWN = 3  # most concepts or formula parts named in a reason

# Each is computed in its own way; two texts that differ only in these are solved differently.
_QUANTITIES = frozenset(
    str.split(
        """
        area perimeter circumference volume surface length mean median mode range sum difference product quotient
        speed distance factor multiple gradient slope intercept midpoint derivative integral variance deviation
        permutation combination remainder arc sector union intersection radius diameter numerator denominator
        sine cosine tangent increase decrease profit loss
        面积 周长 体积 表面积 平均数 中位数 众数 方差 速度 路程 时间 公因数 公约数 公倍数 商 余数 交集 并集
        半径 直径
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
    """The result of comparing two questions.

    Attributes:
        reason: a sentence on why they are similar; empty if there is no evidence.
        flags: any of `SAME_IDEA` and `LOOKS_ALIKE`.
        same_graph: whether both have the same computation, as far as known.
        nearly_same_graph: whether the computations are the same or differ in one step.
    """

    reason: str
    flags: tuple[str, ...]
    same_graph: bool = False
    nearly_same_graph: bool = False


def compare(  # noqa: PLR0913 - what is known of two questions
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
    """Explain why `candidate` is similar to `asked`.

    Args:
        lens: the lens that found it; under wording any passage is a reason, elsewhere only one that sets a task.
        by_graph: whether the lens compares computations: then these come first, including nearly equal ones.
        purpose: cosine of the two questions' purpose vectors, if both have one.
        wording: cosine of the two texts' character n-grams.
        rarity: how rare a word is; passages of common words are not a reason.
        broad: concepts that cover a large part of a hierarchy, which are not a reason.
    """
    same_form = asked.form == candidate.form
    same_formulas = not same_form and _same_formulas(asked, candidate)
    same_graph, near_graph = _computations(asked.computation, candidate.computation, is_near=by_graph)
    contrast = "" if same_form else _contrast(asked, candidate, wording)
    clauses = [
        near_graph if by_graph else "",
        _same_text(asked, candidate) if same_form else "",
        "" if by_graph else near_graph,
        "the same task with a formula of the same form" if same_formulas else "",
        _shared_concept(asked, candidate, broad),
        "" if same_form or same_formulas else _shared_form(asked, candidate),
        "" if same_form else _shared_task(asked, candidate),
    ]
    said = [clause for clause in clauses if clause]
    if (
        len(said) < MOST_CLAUSES
        and not same_form
        and (passage := _passage(asked, candidate, rarity, of_task=not lenses()[lens].knows_every_language))
    ):
        said.append(passage)
    flags: tuple[str, ...] = ()
    is_idea = same_form or same_formulas or (same_graph and _is_same_idea(asked, candidate, wording, purpose, broad))
    if is_idea and asked.numbers != candidate.numbers:
        flags = (SAME_IDEA,)
    elif contrast:
        flags = (LOOKS_ALIKE,)
        if not near_graph:  # which already describes both computations
            said.insert(0, contrast)
    reason = f"{capfirst('; '.join(said[:MOST_CLAUSES]))}." if said else ""
    return Comparison(reason, flags, same_graph, bool(near_graph))


def _same_text(asked: Evidence, candidate: Evidence) -> str:
    if asked.numbers_masked != candidate.numbers_masked:
        return "the same text except for numbers, signs, letters or names"
    return "the same text with other numbers" if asked.numbers != candidate.numbers else "the same text"


def _computations(asked: Computation | None, candidate: Computation | None, *, is_near: bool) -> tuple[bool, str]:
    """Return whether both have the same computation, and a description; `is_near` also describes one-step differences.

    Nothing is returned unless both equations together are as likely to be right as `CERTAIN_ENOUGH`.
    """
    if asked is None or candidate is None or _certainty(asked) * _certainty(candidate) < CERTAIN_ENOUGH:
        return False, ""
    if asked.key == candidate.key:
        otherwise = ", but the result is rounded in another way" * rounded_otherwise(asked, candidate)
        said = f"both are computed as {asked.reading}{otherwise}"
    else:
        if not is_near:
            return False, ""
        if candidate.has_a_step_more_than(asked):
            step = "more than"
        elif asked.has_a_step_more_than(candidate):
            step = "less than"
        elif asked.differs_in_a_step_from(candidate):
            step = "different from"
        else:
            return False, ""
        said = f"computed nearly the same way: {candidate.reading}, one step {step} {asked.reading}"
    return asked.key == candidate.key, said + _predicted(asked, candidate)


def _predicted(asked: Computation, candidate: Computation) -> str:
    """State in brackets which of the equations are the solver's, and how likely they are to be right."""
    mine, theirs = asked.probability, candidate.probability
    if mine is not None and theirs is not None:
        return f" (both equations are by the solver: {mine:.0%} and {theirs:.0%} likely to be right)"
    if theirs is not None:
        return f" (its equation is by the solver: {theirs:.0%} likely to be right)"
    if mine is not None:
        return f" (this question’s equation is by the solver: {mine:.0%} likely to be right)"
    return ""


def _is_same_idea(
    asked: Evidence, candidate: Evidence, wording: float, purpose: float | None, broad: frozenset[TaggedPath]
) -> bool:
    """Return whether two questions with the same computation ask the same thing.

    The same computation is not enough: planting trees and meeting trains are both a ÷ b − c. They must also share
    their concept or much of their wording, or else their purpose and the role of each number.
    """
    first, second = asked.computation, candidate.computation
    if first is None or second is None or rounded_otherwise(first, second):
        return False
    operations = graph_operations(first.key)
    if operations > 1 and ({*asked.tags} & {*candidate.tags}) - broad:
        return True
    if number_roles(first) != number_roles(second):
        return wording >= NEARLY_ALL_WORDING
    if operations > 1 and purpose is not None and purpose >= SAME_GRAPH_PURPOSE:
        return True
    return wording >= SAME_GRAPH_WORDING[min(max(operations, 1), max(SAME_GRAPH_WORDING))]


def _same_formulas(asked: Evidence, candidate: Evidence) -> bool:
    """Return whether their prose is the same and their formulas differ only in numbers, signs and letters."""
    return (
        bool(asked.formula_forms)
        and asked.formula_forms == candidate.formula_forms
        and bool(asked.all_words & candidate.all_words - _LITTLE_WORDS)
        and asked.all_words ^ candidate.all_words <= _LITTLE_WORDS
    )


def _contrast(asked: Evidence, candidate: Evidence, wording: float) -> str:
    """Return the proof that two texts which read alike are solved differently; empty if there is none."""
    computed, computed_otherwise = asked.computation, candidate.computation
    if computed and computed_otherwise:
        if wording * _certainty(computed) * _certainty(computed_otherwise) < ALIKE:
            return ""
        if not graphs_differ_in_operations(computed.key, computed_otherwise.key):
            return ""
        said = f"is computed as {computed_otherwise.reading}, not as {computed.reading}"
        return _but(wording, said + _predicted(computed, computed_otherwise))
    asked_only, candidate_only = asked.all_words - candidate.all_words, candidate.all_words - asked.all_words
    few = 0 < max(len(asked_only), len(candidate_only)) <= MOST_WORDS_CHANGED
    if wording < ALIKE or not (few and asked_only and candidate_only):
        return ""
    names = (sorted(asked_only & _QUANTITIES), sorted(candidate_only & _QUANTITIES))
    if not all(names):
        names = _named_by_the_difference(asked, candidate, asked_only, candidate_only)
    if not all(names):
        return ""
    said = f"is about {_quoted(names[1])}, not {_quoted(names[0])}"
    return _but(wording, said)


def _but(wording: float, difference: str) -> str:
    if wording >= NEARLY_ALL_WORDING:
        return f"reads nearly the same, but {difference}"
    return f"reads much the same, but {difference}"


def _certainty(computation: Computation) -> float:
    return 1.0 if computation.probability is None else computation.probability


def _named_by_the_difference(
    asked: Evidence, candidate: Evidence, asked_only: frozenset[str], candidate_only: frozenset[str]
) -> tuple[list[str], list[str]]:
    """Return two different concepts of one hierarchy, if each is named only in its own text."""
    if {*asked.tags} & {*candidate.tags}:
        return [], []
    for mine in asked.tags:
        for theirs in candidate.tags:
            shared = shared_depth(mine.path, theirs.path)
            if mine.hierarchy != theirs.hierarchy or shared >= min(len(mine.path), len(theirs.path)):
                continue
            name, other_name = mine.path[-1], theirs.path[-1]
            words, other_words = set(search_tokens(name)), set(search_tokens(other_name))
            if (words - other_words) & asked_only and (other_words - words) & candidate_only:
                return [name], [other_name]
    return [], []


def _shared_concept(asked: Evidence, candidate: Evidence, broad: frozenset[TaggedPath]) -> str:
    whole = [tag for tag in asked.tags if tag in candidate.tags and tag not in broad]
    if whole:
        names = dict.fromkeys(tag.path[-1] for tag in sorted(whole, key=lambda tag: -len(tag.path)))
        return f"both are about {_listed(list(names)[:_SHOWN])}"
    shared = [
        TaggedPath(mine.hierarchy, mine.path[: shared_depth(mine.path, theirs.path)])
        for mine in asked.tags
        for theirs in candidate.tags
        if mine.hierarchy == theirs.hierarchy
    ]
    deepest = max(shared, key=lambda tag: len(tag.path), default=None)
    if deepest is None or len(deepest.path) < 2 or deepest in broad:
        return ""
    return f"both belong to {deepest.path[-1]}"


def _shared_form(asked: Evidence, candidate: Evidence) -> str:
    parts = sorted(asked.formula_parts & candidate.formula_parts)[:_SHOWN]
    names = [str(FORMULA_PARTS[index][1]) for index in parts]
    return f"both have {_listed(names)}" if names else ""


def _shared_task(asked: Evidence, candidate: Evidence) -> str:
    tasks = sorted(asked.tasks & candidate.tasks)
    return f"both ask to {_listed(tasks)}" if tasks else ""


def _passage(asked: Evidence, candidate: Evidence, rarity: Callable[[str], float], *, of_task: bool) -> str:
    words = shared_passage(asked.passages, candidate.passages, rarity, of_task=of_task)
    if not words:
        return ""
    passage = ("" if any(word > "\u3000" for word in words) else " ").join(words)
    if not asks(words):
        return f"both say “{passage}”"
    return f"both ask “{passage}”"


def _quoted(names: Sequence[str]) -> str:
    return _listed([f"“{name}”" for name in names])


def _listed(names: Sequence[str]) -> str:
    return str(get_text_list(list(names), "and"))
