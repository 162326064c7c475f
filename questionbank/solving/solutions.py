"""How a stored or pasted word problem is solved, and checks of an answer against everything that is known."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from analytics.errors import DataError
from analytics.expression.evaluate import answers_agree
from analytics.expression.tree import to_prefix
from analytics.languages import primary_language
from analytics.records import ProblemRecord
from analytics.solver.plausibility import answer_to_count
from analytics.solver.rules.solver import may_be_solved
from analytics.solver.solution import (
    CERTAIN_ENOUGH,
    SEVERAL_REASON,
    SIGNED_REASON,
    Solution,
    Step,
    decimal_text,
    divides_by_zero,
    solution_of,
    solution_steps,
)
from analytics.solver.targets import target_tree
from analytics.text.formulas import formula_segments
from analytics.text.number_slots import number_slots
from questionbank.bank.question_selectors import (
    contradicts_published,
    gives_published,
    published_answer,
    published_number,
    solution_from_json,
)
from questionbank.core.errors import ServiceUnavailable
from questionbank.models import Question, QuestionEquation, QuestionSolution
from questionbank.registry.language_model_selectors import packaged_model_is_ready
from questionbank.registry.serving import ServedSolver, served_solver
from questionbank.rendering.expression_trees import ExpressionDrawing, expression_drawing
from questionbank.solving.computations import Computation, graph_probabilities, text_computation

ALTERNATIVES = 3  # equations that are stored and shown


@dataclass(frozen=True, slots=True)
class Alternative:
    """An equation that the solver found.

    Attributes:
        answer: its value, formatted for people; empty if it has none.
        quotient: the unrounded value, if `value` is rounded; otherwise the same as `value`.
        steps: its operations in the order of evaluation.
        rule: the kind of problem that a rule recognised; empty if a model found the equation.
        twin: id of the question with the same text but other numbers from which the equation was taken, if any.
    """

    equation: str
    answer: str
    value: float | None
    quotient: float | None
    probability: float
    steps: tuple[Step, ...]
    drawing: ExpressionDrawing | None
    rule: str = ""
    twin: int | None = None


@dataclass(frozen=True, slots=True)
class TextPart:
    """A piece of the problem's text: prose, or a number or formula with the slots used by the first equation."""

    text: str
    slots: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class SolvedText:
    """How a text is solved, by its own equation if any, and by the solver.

    Attributes:
        alternatives: the solver's equations, the likeliest first; empty if it found none.
        parts: the text, split at the numbers that the displayed equation uses.
        known: the equation from the question's source or a person.
        agrees: whether the solver's first answer matches the known one: the value of the question's own equation,
            otherwise a numeric published answer; None if neither is known.
        published: the published answer as written, if it is a number.
        read_with: the language model whose answer is among the alternatives, as "MODEL at HOST"; otherwise empty.
        known_is_published: whether the known equation gives the published answer; None if either is not known.
    """

    alternatives: tuple[Alternative, ...]
    reason: str
    parts: tuple[TextPart, ...]
    solver: str
    known: Alternative | None = None
    known_by_person: bool = False
    agrees: bool | None = None
    published: str = ""
    read_with: str = ""
    known_is_published: bool | None = None

    @property
    def shown(self) -> Alternative | None:
        """The equation with the displayed steps and tree: the question's own, otherwise the solver's first."""
        return self.known or self.best

    @property
    def best(self) -> Alternative | None:
        return self.alternatives[0] if self.alternatives else None

    @property
    def is_certain(self) -> bool:
        return self.best is not None and self.best.probability >= CERTAIN_ENOUGH

    @property
    def is_even(self) -> bool:
        """Whether the likeliest equation is displayed as equally likely to be right or wrong."""
        return self.best is not None and round(self.best.probability, 2) == CERTAIN_ENOUGH

    @property
    def twin(self) -> int | None:
        """Id of the question with the same text but other numbers from which the equation was taken, if any."""
        return self.best.twin if self.known is None and self.best is not None else None

    @property
    def is_contradicted(self) -> bool:
        """Whether only the solver has an equation, and its answer contradicts the published one."""
        return self.known is None and self.agrees is False

    @property
    def may_be_accepted(self) -> bool:
        """Whether the solver's first equation can become the question's."""
        return self.known is None and self.best is not None and not self.is_contradicted


def text_solved(
    text: str, language: str, solver: ServedSolver | None, *, question: Question | None = None
) -> SolvedText | None:
    """Return the result of the solver in use for a text; None if it is not a word problem or there is no solver.

    Args:
        question: the stored question with this text, if any; the solver must not recall it as a solved problem.

    Raises:
        ServiceUnavailable: the solver's files are missing or damaged.
    """
    if solver is None or not may_be_solved(text):
        return None
    problem = ProblemRecord(str(question.pk) if question else "", text, language)
    reason = solver.solver.unsolvable_reason(problem)
    solutions = [] if reason else solver.solver.solve([problem], beam=ALTERNATIVES)[0]
    return _solved(text, solutions, reason, solver.artifact.name)


def solved_computation(text: str, solved: SolvedText | None) -> Computation | None:
    """Return a text's computation, by its own equation or else by the solver's if that is certain enough."""
    if solved is None or solved.shown is None or solved.is_contradicted:
        return None
    probability = None if solved.known else solved.shown.probability
    return text_computation(text, solved.shown.equation, probability)


def solved_graphs(text: str, solved: SolvedText | None) -> dict[str, float]:
    """Return the graph keys that a text may have, with probabilities: its own equation's, otherwise the solver's."""
    if solved is None or solved.is_contradicted:
        return {}
    equations = (solved.known,) if solved.known else solved.alternatives
    return graph_probabilities(text, ((each.equation, each.probability) for each in equations))


def computation_shown(computation: Computation) -> SolvedText | None:
    """Return a computation for display: answer, steps, tree, and the text with its numbers marked.

    Return None if its equation cannot be read.
    """
    if computation.tree is None:
        return None
    values = [slot.value for slot in computation.slots]
    try:
        solution = solution_of(to_prefix(computation.tree), values, computation.probability or 1.0)
    except DataError:
        return None
    alternative = replace(_alternative(solution), equation=computation.equation)
    return SolvedText(
        alternatives=(alternative,) if computation.is_predicted else (),
        reason="",
        parts=tuple(_parts(computation.text, _used_slots(alternative))),
        solver="",
        known=None if computation.is_predicted else alternative,
    )


def question_solved(question: Question, solver: ServedSolver | None) -> SolvedText | None:
    """Return how a question is solved, by its own equation and by the solver in use (stored, otherwise computed now).

    Return None if it has no readable equation and there is no solver result (`text_solved`).

    Raises:
        ServiceUnavailable: the solver's files are missing or damaged.
    """
    solved = _solved_by_model(question, solver)
    equation_solution = known_solution(question)
    if equation_solution is not None:
        return _with_known(solved, equation_solution, question)
    if solved is None or (published := published_number(question)) is None or solved.best is None:
        return solved
    agrees = gives_published(published, solved.best.value, solved.best.quotient)
    return replace(solved, agrees=agrees, published=published_answer(question))


def _solved_by_model(question: Question, solver: ServedSolver | None) -> SolvedText | None:
    if solver is not None and question.is_in_parts:
        is_expected = may_be_solved(question.analysed_text)
        return SolvedText((), SEVERAL_REASON, (), solver.artifact.name) if is_expected else None
    solution: QuestionSolution | None = getattr(question, "machine_solution", None)
    if (
        solver is None
        or solution is None
        or solution.artifact_id != solver.artifact.pk
        or bytes(solution.content_hash) != bytes(question.content_hash)
    ):
        return text_solved(question.text, question.language, solver, question=question)
    if not may_be_solved(question.text):
        return None
    kept = kept_solved(question.text, solution.alternatives, solution.reason, solver.artifact.name)
    return replace(kept, read_with=solution.read_with)


def kept_solved(text: str, alternatives: Iterable[Mapping[str, Any]], reason: str, solver: str) -> SolvedText:
    """Return how a text is solved from a solver's stored result: rows from `solution_to_json`, or a reason."""
    return _solved(text, [solution_from_json(row) for row in alternatives], reason, solver)


def known_solution(question: Question) -> Solution | None:
    """Return the question's own equation as a solution; None if it has none that is readable and has a value.

    A quotient is rounded if the question asks for a number of things, unless its answer is published unrounded.
    """
    equation: QuestionEquation | None = getattr(question, "equation", None)
    if equation is None or not equation.graph_key:
        return None
    slots = number_slots(question.text)
    try:
        tokens = to_prefix(target_tree(equation.expression, slots))
        solution = solution_of(tokens, [slot.value for slot in slots], 1.0)
    except DataError:
        return None
    published = published_number(question)
    if published is not None and published.agrees_with(solution.value):
        return solution
    return answer_to_count(question.text, solution)


def _with_known(solved: SolvedText | None, equation_solution: Solution, question: Question) -> SolvedText:
    alternative = replace(_alternative(equation_solution), equation=question.equation.expression)
    solved_text = SolvedText(
        alternatives=solved.alternatives if solved else (),
        reason=solved.reason if solved else "",
        parts=tuple(_parts(question.text, _used_slots(alternative))),
        solver=solved.solver if solved else "",
        known=alternative,
        known_by_person=question.equation.set_by == QuestionEquation.SetBy.PERSON,
    )
    if equation_solution.value is None:
        return solved_text
    if (published := published_number(question)) is not None:
        agrees = gives_published(published, equation_solution.value, equation_solution.quotient)
        solved_text = replace(solved_text, known_is_published=agrees, published=published_answer(question))
    if (best := solved_text.best) is None:
        return solved_text
    agrees = gives(best, equation_solution.value) or gives(best, equation_solution.quotient)
    return replace(solved_text, agrees=agrees)


def _solved(text: str, solutions: Sequence[Solution], reason: str, solver: str) -> SolvedText:
    if solutions and solutions[0].value is None:
        return SolvedText((), no_value_reason(solutions[0]), tuple(_parts(text, set())), solver)
    alternatives = tuple(_alternative(solution) for solution in solutions[:ALTERNATIVES])
    if alternatives and (twin := alternatives[0].twin) is not None:
        ready = Question.objects.filter(pk=twin, status=Question.Status.READY)
        if not ready.exists():  # it may have been withdrawn since
            alternatives = (replace(alternatives[0], twin=None), *alternatives[1:])
    if not alternatives and not reason:
        reason = "The solver found no equation for it."
    used = _used_slots(alternatives[0]) if alternatives else set()
    return SolvedText(alternatives, reason, tuple(_parts(text, used)), solver)


def no_value_reason(solution: Solution) -> str:
    """Explain why the likeliest equation gives no answer."""
    fault = "divides by zero" if divides_by_zero(solution) else "has no value"
    return f"Its most likely equation, {solution.equation}, {fault}."


def _used_slots(alternative: Alternative) -> set[int | None]:
    return {node.slot for node in alternative.drawing.nodes} if alternative.drawing else set()


def _alternative(solution: Solution) -> Alternative:
    return Alternative(
        equation=solution.equation,
        answer=solution.answer,
        value=solution.value,
        quotient=solution.quotient,
        probability=solution.probability,
        steps=tuple(solution_steps(solution)),
        drawing=expression_drawing(solution.tokens, solution.terms),
        rule=solution.rule,
        twin=int(solution.twin) if solution.twin.isdecimal() else None,
    )


def _parts(text: str, used: set[int | None]) -> list[TextPart]:
    """Split the text at the used numbers; a formula is never split."""
    formulas = formula_segments(text)
    spans: list[tuple[int, int, tuple[int, ...]]] = []
    for index, slot in enumerate(number_slots(text)):
        if index not in used:
            continue
        around = next((each for each in formulas if each.start <= slot.start < each.end), slot)
        # Another reading of a number, or another number of the same formula, belongs to the previous span.
        if spans and around.start < spans[-1][1]:
            start, end, slots = spans.pop()
            spans.append((start, max(end, around.end), (*slots, index)))
        else:
            spans.append((around.start, around.end, (index,)))
    parts: list[TextPart] = []
    done = 0
    for start, end, slots in spans:
        parts += [TextPart(text[done:start]), TextPart(text[start:end], slots)]
        done = end
    return [part for part in (*parts, TextPart(text[done:])) if part.text]


def equation_gives_answer(question: Question) -> bool:
    """Return whether the question's own equation gives its published answer, if it has one, without rounding."""
    solution = known_solution(question)
    return solution is not None and not solution.rounding and not contradicts_published(question, solution)


def gives(solution: Solution | Alternative, value: float | None) -> bool:
    """Return whether a solution has this value, rounded or exact."""
    return answers_agree(solution.value, value) or answers_agree(solution.quotient, value)


def solved_or_none(text: str, language: str, question: Question | None = None) -> SolvedText | None:
    """Return the solver's result for a text or stored question; None if it has none or its files are missing."""
    try:
        solver = served_solver(language)
        return question_solved(question, solver) if question else text_solved(text, language, solver)
    except ServiceUnavailable:
        return None


@dataclass(frozen=True, slots=True)
class AnswerCheck:
    """One comparison, in a sentence.

    Attributes:
        is_certain: whether the comparison is with what the source or a person provided rather than with the solver.
    """

    sentence: str
    agrees: bool
    is_certain: bool = True


def answer_shown(value: float) -> str:
    """Return a value as pages display it.

    >>> answer_shown(-12345.0), answer_shown(1e16), answer_shown(12345.67)
    ('-12,345', '10,000,000,000,000,000', '12345.67')
    """
    whole = round(value)
    return f"{whole:,}" if abs(value - whole) < 1e-9 * max(1.0, abs(value)) else decimal_text(value)


def answer_checks(value: float, *, solved: SolvedText | None, question: Question | None = None) -> list[AnswerCheck]:
    """Compare an answer with everything that is known.

    Args:
        solved: how the question is solved, from `question_solved` or `text_solved`.
        question: None for a text that is not in the bank.

    Returns:
        One check per comparison; empty if there is nothing to compare with.
    """
    checks = []
    best = None if solved is None or solved.is_contradicted else solved.best
    if best is not None and best.value is not None:
        agrees = gives(best, value)
        verdict = "agrees" if agrees else f"disagrees: it finds {best.equation} = {best.answer}"
        sentence = f"The solver {verdict} ({best.probability:.0%} likely to be right)."
        checks.append(AnswerCheck(sentence, agrees, is_certain=False))
    known = solved.known if solved is not None else None
    if known is not None and known.value is not None:
        agrees = gives(known, value)
        said = "the same answer" if agrees else f"another answer: {known.equation} = {known.answer}"
        checks.append(AnswerCheck(f"The question's own equation gives {said}.", agrees))
    elif question is not None and (published := published_number(question)) is not None:
        agrees = published.agrees_with(value)
        said = "the same" if agrees else answer_shown(published.value)
        checks.append(AnswerCheck(f"The published answer is {said}.", agrees))
    return checks


@dataclass(frozen=True, slots=True)
class SecondOpinion:
    """The separate answers of a job's language model and solver; None if it found no answer."""

    own: Solution | None
    written: Solution | None

    @property
    def agree(self) -> bool:
        return self.own is not None and self.written is not None and answers_agree(self.own.value, self.written.value)


def second_opinion_kept(result: Mapping[str, Any]) -> SecondOpinion | None:
    """Return both opinions from a finished job's result; None for a job of an earlier version."""
    if "opinions" not in result:
        return None
    pooled = [solution_from_json(row) for row in result["alternatives"]]
    opinions: dict[str, Solution | None] = {"own": None, "written": None}
    for name, row in result["opinions"].items():
        solution = solution_from_json(row)
        same = (each.written for each in pooled if answers_agree(each.value, solution.value))
        opinions[name] = replace(solution, written=solution.written or next(same, ""))  # such as "25%"
    return SecondOpinion(**opinions)


def may_have_second_opinion(solved: SolvedText | None, language: str) -> bool:
    """Return whether the language model can be queried about a text, and whether its answer would count."""
    if solved is None or solved.known is not None or primary_language(language) != "en":
        return False
    best = solved.best
    is_open = solved.reason == SIGNED_REASON if best is None else not best.rule and best.twin is None
    return is_open and packaged_model_is_ready()
