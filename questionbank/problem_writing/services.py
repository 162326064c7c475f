"""Generating problems similar to a question, or from its story, and storing them for review."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, islice

from django.db import transaction

from analytics.languages import primary_language
from analytics.text.copies import story_key
from questionbank.bank.question_selectors import exact_duplicates
from questionbank.core.database import get_or_not_found
from questionbank.core.errors import Conflict
from questionbank.models import ProblemVariant, Question, Run, User
from questionbank.people.permissions import require
from questionbank.problem_writing.names_and_numbers import retold
from questionbank.problem_writing.numbers import number_kinds
from questionbank.problem_writing.problem import NEAR_COPY, RetoldProblem, refusal, text_likeness
from questionbank.problem_writing.reversal import LANGUAGES, reordered, reversed_problems
from questionbank.problem_writing.stories import stories
from questionbank.registry.language_model_services import language_model_run
from questionbank.solving.computations import Computation, question_computation
from questionbank.solving.solutions import equation_gives_answer, known_solution, published_number

MOST_WRITTEN = 5  # per request
MOST_ADDED = 500  # likewise
LONGEST_TEXT = 4_000  # characters of a new wording; a longer text is not considered a word problem
_LANGUAGE = "en"  # the only language in which the rules write
_TRIED = 60  # candidates of each kind that are tried
_REFUSAL = "You may not request similar problems."


@dataclass(frozen=True, slots=True)
class _Wanted:
    """A question that similar problems are being stored for, and the texts that they must not repeat."""

    question: Question
    computation: Computation
    known: list[str]

    def new(self, problems: Iterable[RetoldProblem]) -> Iterator[RetoldProblem]:
        """Yield the problems that differ enough from known ones and from each other."""
        for problem in problems:
            if self._accepts(problem):
                self.known.append(problem.text)
                yield problem

    def new_by_rules(self) -> Iterator[RetoldProblem]:
        """Yield other stories with the same graph; if the equation is certain, also the same story retold.

        One from each generator comes first, then the others. A story must have numbers of the same kinds, since a third
        of the trees cannot become rows of chairs.
        """
        seed = f"{self.question.pk}/{len(self.known)}"
        kinds = number_kinds(self.question.text)
        drawn: Iterator[RetoldProblem] = (
            story
            for story in islice(stories(self.computation.key, seed, like=self.question.text), _TRIED)
            if number_kinds(story.text) == kinds
        )
        if not self.computation.is_predicted and equation_gives_answer(self.question):
            drawn = chain(drawn, islice(retold(self.question.text, self.computation.equation, seed), _TRIED))
        later: list[RetoldProblem] = []
        generators: set[str] = set()
        for problem in drawn:
            if problem.generator in generators:
                later.append(problem)
                continue
            for accepted in self.new([problem]):
                generators.add(accepted.generator)
                yield accepted
        yield from self.new(later)

    def _accepts(self, problem: RetoldProblem) -> bool:
        """Return whether it is a similar problem that neither the bank nor the question has yet."""
        if refusal(problem, text=self.question.text, graph_key=self.computation.key):
            return False
        if any(story_key(problem.text) == story_key(text) for text in self.known):
            return False
        if any(text_likeness(problem.text, text) >= NEAR_COPY for text in self.known):
            return False
        return not exact_duplicates(text=problem.text, options=()).exists()


def why_not_varied(question: Question, *, by_model: bool = False) -> str:
    """Return why no similar problems of a question can be written; empty if they can.

    Args:
        by_model: whether the language model writes, which supports more languages than the rules.
    """
    if question.status == Question.Status.RETIRED:
        return "This question is retired."
    if not by_model and primary_language(question.language) != _LANGUAGE:
        return "Without a language model, similar problems are written in English only."
    if question_computation(question) is None:
        return "What this question computes is not known. It needs an equation first."
    return ""


def why_not_reversible(question: Question) -> str:
    """Return why no reversed versions of a question can be written; empty if they can.

    A solution found only by the solver is not enough: if it is wrong, so is every answer derived from it.
    """
    if question.status == Question.Status.RETIRED:
        return "This question is retired."
    if primary_language(question.language) not in LANGUAGES:
        return "Asking for another number works in English and Chinese only."
    if question.kind == Question.Kind.CHOICE:
        return "Asking for another number does not work for multiple-choice questions."
    solution = known_solution(question)
    if solution is None:
        return "Asking for another number needs a confirmed equation. Accept or enter one on the question’s page first."
    published = published_number(question)
    if solution.rounding or published is None or not published.agrees_with(solution.value):
        return (
            "Asking for another number needs a published answer that the equation gives. Correct the answer or the"
            " equation first."
        )
    return ""


@transaction.atomic
def variants_write(*, question: Question, each: int, user: User) -> list[ProblemVariant]:
    """Write similar problems of a question by rules, synchronously; they go to the reviewers.

    Returns:
        At most `each` problems; empty if the rules know no (other) story.

    Raises:
        NotAllowed: the person may not propose problems.
        Conflict: the question is retired, in another language, or its computation is not known.
    """
    require(user, "paraphrase_propose", _REFUSAL)
    search = _wanted(question, by_model=False)
    return _kept(search, islice(search.new_by_rules(), each), user)


@transaction.atomic
def variants_reverse(*, question: Question, user: User) -> list[ProblemVariant]:
    """Write problems from a question's own story; they go to the reviewers.

    At most five ask for one of its numbers, for which the equation is solved; the last puts the question first.

    Returns:
        The problems; empty if the equation cannot be solved for any number, or all exist already.

    Raises:
        NotAllowed: the person may not propose problems.
        NotFound: the question was deleted.
        Conflict: for the reason that `why_not_reversible` returns.
    """
    require(user, "paraphrase_propose", _REFUSAL)
    fresh = _locked(question)
    if reason := why_not_reversible(fresh):
        raise Conflict(reason)
    stored_texts = set(ProblemVariant.objects.filter(question=fresh).values_list("text", flat=True))

    def is_new(problem: RetoldProblem) -> bool:
        return problem.text not in stored_texts and not exact_duplicates(text=problem.text, options=()).exists()

    source = (fresh.text, fresh.equation.expression, fresh.language)
    kinds = ProblemVariant.Kind
    made = (
        (kinds.REVERSED, islice(filter(is_new, reversed_problems(*source)), MOST_WRITTEN)),
        (kinds.REORDERED, filter(is_new, reordered(*source))),
    )
    return ProblemVariant.objects.bulk_create(
        _variant(fresh, problem, user, kind=kind) for kind, problems in made for problem in problems
    )


@transaction.atomic
def variants_request(*, question: Question, each: int, user: User) -> Run:
    """Request similar problems from the language model in a job, or return the job that does so already.

    The run's parameters are ``{"question": id, "each": number}``.

    Raises:
        NotAllowed: the person may not propose problems, or may not use the model.
        Conflict: the question is retired, or its computation is not known.
        ValidationFailed: no language model is configured.
    """
    for permission in ("paraphrase_propose", "language_model_ask"):
        require(user, permission, _REFUSAL)
    if reason := why_not_varied(question, by_model=True):
        raise Conflict(reason)
    return language_model_run(
        kind="retell",
        parameters={"question": question.pk, "each": each},
        title=f"Write similar problems of question {question.pk}",
        user=user,
    )


@transaction.atomic
def variants_keep(
    *, question: Question, problems: Iterable[RetoldProblem], each: int, user: User | None
) -> list[ProblemVariant]:
    """Store the problems that are similar and new; they go to the reviewers.

    Each is confirmed to have the same graph, has other numbers and another story, and its answer is its equation's
    value. Near copies of the question, of each other and of earlier problems are left out, and so are questions that
    the bank already has.

    Args:
        each: how many to store at most.

    Raises:
        NotFound, Conflict: the question was deleted or retired, or its computation is no longer known.
    """
    search = _wanted(question, by_model=True)
    return _kept(search, islice(search.new(problems), each), user)


def _locked(question: Question) -> Question:
    """Return the question's current state with a lock: it may have changed, and requests may be concurrent."""
    return get_or_not_found(
        Question.objects.select_for_update(no_key=True).filter(pk=question.pk), "This question no longer exists."
    )


def _wanted(question: Question, *, by_model: bool) -> _Wanted:
    fresh = _locked(question)
    if reason := why_not_varied(fresh, by_model=by_model):
        raise Conflict(reason)
    computation = question_computation(fresh)
    assert computation is not None  # noqa: S101 - `why_not_varied` has looked
    stored_texts = ProblemVariant.objects.filter(question=fresh).values_list("text", flat=True)
    return _Wanted(fresh, computation, list(stored_texts))


def _kept(wanted: _Wanted, problems: Iterable[RetoldProblem], user: User | None) -> list[ProblemVariant]:
    is_predicted = wanted.computation.is_predicted
    return ProblemVariant.objects.bulk_create(
        _variant(wanted.question, problem, user, is_predicted=is_predicted) for problem in problems
    )


def _variant(
    question: Question,
    problem: RetoldProblem,
    user: User | None,
    *,
    kind: ProblemVariant.Kind = ProblemVariant.Kind.SIMILAR,
    is_predicted: bool = False,
) -> ProblemVariant:
    return ProblemVariant(
        question=question,
        kind=kind,
        original=question.text,
        text=problem.text,
        language=question.language,
        equation=problem.equation,
        answer=problem.answer,
        is_predicted=is_predicted,
        generator=problem.generator,
        created_by=user,
    )
