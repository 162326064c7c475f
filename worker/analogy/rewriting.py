"""Pairs of problems with the same computation, without labels: each problem and a rewriting of it.

Yang et al., "Learning by Analogy", section 4: a language model rewrites a problem with other names, numbers and words
but the same computational graph. The rule-based rewriter needs no model: it tells another story with the problem's
computation or, failing that, the problem's own story with other names, things and numbers. The paper uses every
rewriting; here one is kept only if its graph is confirmed, by the story or by the solver.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import chain, islice
from typing import Protocol

from analytics.analogy.graphs import problem_graph, problem_numbers
from analytics.artifacts import data_sha256
from analytics.errors import DataError
from analytics.expression.evaluate import fill_slots
from analytics.expression.tree import to_infix
from analytics.language_model.protocol import AskOptions, LanguageModel, conversation, without_thoughts
from analytics.languages import primary_language
from analytics.records import ProblemRecord
from analytics.solver.served import without_solution
from analytics.solver.solution import CERTAIN_ENOUGH, ProblemSolver
from analytics.solver.targets import problem_graph_key
from analytics.text.fingerprints import story_key
from questionbank.problem_writing.names_and_numbers import retold
from questionbank.problem_writing.problem import RetoldProblem, refusal
from questionbank.problem_writing.stories import stories

PROMPT = (
    "Generate a problem with the same computation graph as the input math problem, ensuring that the semantics,"
    " numerical values, and sentence structure are as different as possible. Output only one rewritten example,"
    " without any additional information."
)
"""The paper's prompt, verbatim."""

_DRAFTS_PER_SOURCE = 20
_ANSWER_TOKENS = 2000  # most tokens of a reasoning model's answer are thoughts
_MOST_CHARACTERS = 2000


class UnconfirmedError(Exception):
    """A problem cannot be rewritten, or its rewriting's computation is not confirmed; equal messages are counted."""


class Rewriter(Protocol):
    """Rewrites a problem."""

    def rewrite(self, problem: ProblemRecord, seed: int) -> RetoldProblem:
        """Return another problem with the same computational graph.

        Raises:
            UnconfirmedError: there is no such problem.
            AnalyticsError: the language model does not answer.
        """
        ...


class RuleRewriter:
    """Rewrites English problems whose equation, program or calculations are known."""

    def rewrite(self, problem: ProblemRecord, seed: int) -> RetoldProblem:
        """See `Rewriter`."""
        if primary_language(problem.language) != "en":
            raise UnconfirmedError("the rules write English only")
        equation = problem.equation or _computed(problem)
        if not equation:
            raise UnconfirmedError("it has no equation")
        graph_key = problem_graph_key(problem.text, equation)
        if not graph_key:
            raise UnconfirmedError("its equation cannot be read")
        rng_seed = f"{seed}/{problem.text}"
        drafts = chain(
            islice(stories(graph_key, rng_seed, like=problem.text), _DRAFTS_PER_SOURCE),
            islice(retold(problem.text, equation, rng_seed), _DRAFTS_PER_SOURCE),
        )
        for draft in drafts:
            if not refusal(draft, text=problem.text, graph_key=graph_key):
                return draft
        raise UnconfirmedError("the rules know no story for it, and cannot vary its own")


def _computed(problem: ProblemRecord) -> str:
    """Return the equation of a problem's program or calculations; empty if there is none that can be parsed."""
    try:
        graph = problem_graph(problem)
        return "" if graph is None else to_infix(fill_slots(graph.tree, problem_numbers(problem).values))
    except DataError:
        return ""


class ModelRewriter:
    """Has a language model rewrite problems in their own language; the solver confirms the same computation.

    Args:
        model: receives the paper's prompt.
        solver: finds the equation of the rewriting, and of a problem without one.
    """

    def __init__(self, model: LanguageModel, solver: ProblemSolver) -> None:
        self.model, self.solver = model, solver

    def rewrite(self, problem: ProblemRecord, seed: int) -> RetoldProblem:
        """See `Rewriter`."""
        graph_key = self._graph_key(problem)
        if not graph_key:
            raise UnconfirmedError("what it computes is not known")
        try:
            answer = self.model.ask(
                conversation(problem.text, instruction=PROMPT),
                AskOptions(temperature=0.8, seed=seed, max_tokens=_ANSWER_TOKENS),
            )
        except DataError:
            raise UnconfirmedError("the model's answer cannot be read") from None
        text = without_thoughts(answer.text).strip()
        if answer.is_cut:
            raise UnconfirmedError("the model's answer was cut off")
        if not 0 < len(text) <= _MOST_CHARACTERS:
            raise UnconfirmedError("the model wrote nothing, or too much")
        equation, value = self._solved(ProblemRecord(problem.id, text, problem.language))
        rewritten = RetoldProblem(text, equation, value, self.model.name)
        if reason := refusal(rewritten, text=problem.text, graph_key=graph_key):
            raise UnconfirmedError(reason)
        return rewritten

    def _graph_key(self, problem: ProblemRecord) -> str:
        try:
            graph = problem_graph(problem)
        except DataError:
            graph = None
        if graph is not None:
            return graph.graph
        equation, _value = self._solved(problem)
        return problem_graph_key(problem.text, equation)

    def _solved(self, problem: ProblemRecord) -> tuple[str, str]:
        """Return an equation that the solver is certain enough of, and its value."""
        if self.solver.unsolvable_reason(problem):
            raise UnconfirmedError("the solver cannot solve it")
        solutions = self.solver.solve([without_solution(problem)])[0]
        if not solutions or solutions[0].probability < CERTAIN_ENOUGH or solutions[0].value is None:
            raise UnconfirmedError("the solver is too unsure")
        return solutions[0].equation, solutions[0].exact or f"{solutions[0].value:.12g}"


def rewritten_pairs(
    problems: Iterable[ProblemRecord],
    rewriter: Rewriter,
    *,
    seed: int,
    known: Iterable[str] = (),
    refused: Counter[str] | None = None,
) -> Iterator[tuple[ProblemRecord, ProblemRecord]]:
    """Yield each problem that can be rewritten and its rewriting as a pair, both without an equation.

    A pair is named by its problem's text, so that files from several sources can be rewritten into one.

    Args:
        problems: problems to rewrite; duplicates are skipped.
        rewriter: by rules, or by a model.
        seed: rewriting by rules is reproducible; a model may ignore the seed.
        known: names of existing pairs, which are not written again.
        refused: gets counts of the reasons for missing rewritings.

    Raises:
        AnalyticsError: the language model does not answer.
    """
    reasons: Counter[str] = Counter() if refused is None else refused
    seen, written = set(known), set[str]()
    for problem in problems:
        pair = data_sha256([[problem.text]])[:16]
        if pair in seen:
            continue
        seen.add(pair)
        try:
            rewritten = rewriter.rewrite(problem, seed)
        except UnconfirmedError as error:
            reasons[str(error)] += 1
            continue
        story = story_key(rewritten.text)
        if story in written:
            reasons["another problem was rewritten to the same story"] += 1
            continue
        written.add(story)
        yield (
            ProblemRecord(problem.id or pair, problem.text, problem.language, pair=pair),
            ProblemRecord(f"{problem.id or pair}-rewritten", rewritten.text, problem.language, pair=pair),
        )
