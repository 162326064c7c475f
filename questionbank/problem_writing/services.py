"""Similar problems: generated from a question or its story, decided on by reviewers, reworded, added to the bank."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, islice

from django.db import transaction
from django.utils import timezone

from analytics.errors import DataError
from analytics.expression.evaluate import evaluate
from analytics.expression.tree import parse_expression
from analytics.languages import primary_language
from analytics.solver.targets import problem_graph_key
from analytics.text.fingerprints import story_key
from analytics.text.number_slots import number_slots
from analytics.text.question_tasks import asks_nothing, is_word_problem
from questionbank.bank.question_selectors import exact_duplicates, published_number
from questionbank.bank.question_services import question_add_reworded, question_create
from questionbank.core.database import get_or_not_found
from questionbank.core.errors import Conflict, ValidationFailed
from questionbank.models import ProblemVariant, Question, Run, User, Visibility
from questionbank.people.permissions import require
from questionbank.people.school_selectors import visible_to_of
from questionbank.problem_writing.names_and_numbers import number_kinds, retold
from questionbank.problem_writing.problem import NEAR_COPY, RetoldProblem, refusal, text_likeness
from questionbank.problem_writing.reversal import LANGUAGES, blanks, reordered, reversed_problems
from questionbank.problem_writing.selectors import accepted_variants, own_drafts
from questionbank.problem_writing.stories import stories
from questionbank.registry.language_model_services import language_model_run
from questionbank.solving.computations import Computation, question_computation
from questionbank.solving.solutions import equation_gives_answer, known_solution

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


@transaction.atomic
def variant_decide(*, variant: ProblemVariant, accept: bool, user: User) -> ProblemVariant:
    """Accept or reject a similar problem; a decision can be changed until the problem is in the bank.

    Raises:
        NotAllowed: the person is not a reviewer.
        Conflict: it is in the bank already.
    """
    state = ProblemVariant.State
    return _with_state(variant, state.ACCEPTED if accept else state.REJECTED, user)


@transaction.atomic
def variant_reopen(*, variant: ProblemVariant, user: User) -> ProblemVariant:
    """Undo the decision on a similar problem, so that reviewers see it again.

    Raises:
        NotAllowed: the person is not a reviewer.
        Conflict: it is in the bank already.
    """
    return _with_state(variant, ProblemVariant.State.OPEN, user)


@transaction.atomic
def variant_reword(*, variant: ProblemVariant, text: str, user: User) -> ProblemVariant:
    """Change the wording of a similar problem and reopen it for a decision; an unchanged text has no effect.

    Its equation must compute the same result from the new text's numbers.

    Raises:
        NotAllowed: the person is not a reviewer.
        Conflict: it is in the bank already.
        ValidationFailed: the text is too long, lacks a number that the equation uses or the blank, states the answer
            or asks for none, or is a question that the bank already has.
    """
    fresh = _to_decide_on(variant, user)
    text = text.replace("\r\n", "\n").strip()
    if text == fresh.text.replace("\r\n", "\n").strip():
        return fresh
    if problem := _rewording_problem(fresh, text):
        raise ValidationFailed.beside("text", problem)
    fresh.text = text
    fresh.state = ProblemVariant.State.OPEN
    fresh.decided_by, fresh.decided_at = None, None
    fresh.save(update_fields=["text", "state", "decided_by", "decided_at"])
    return fresh


def _rewording_problem(variant: ProblemVariant, text: str) -> str:
    """Return why a text cannot be the wording of a similar problem; empty if it can."""
    if len(text) > LONGEST_TEXT:
        return f"The text has more than {LONGEST_TEXT} characters."
    key = problem_graph_key(text, variant.equation)
    if not key or key != problem_graph_key(variant.text, variant.equation):
        return f"The text must keep the numbers of the equation {variant.equation}."
    if (gaps := blanks(variant.text)) and blanks(text) != gaps:
        return "Keep the blank, written as ____: the answer is the number that is missing there."
    if _times_stated(variant.answer, text) > _times_stated(variant.answer, variant.text):
        return f"The text states the answer, {variant.answer}. Leave it out."
    if is_word_problem(variant.text) and not is_word_problem(text):
        return "This is no longer a word problem. Tell a story in words, with its numbers."
    if asks_nothing(text) and not asks_nothing(variant.text):
        return "The text asks nothing. End it with a question."
    if exact_duplicates(text=text, options=()).exists():
        return "The bank has this question already."
    return ""


def _times_stated(answer: str, text: str) -> int:
    """Count the numbers of a text that equal the answer; words such as "one" and "both" do not count."""
    try:
        value = evaluate(parse_expression(answer))
    except DataError:
        return 0
    slots = (slot for slot in number_slots(text) if not (slot.in_words and slot.value <= 2))
    return len({slot.start for slot in slots if slot.value == value})


def _to_decide_on(variant: ProblemVariant, user: User) -> ProblemVariant:
    """Return the problem's current state, locked.

    Raises:
        NotAllowed: the person is not a reviewer.
        Conflict: it is in the bank already.
    """
    require(user, "review", "You may not decide on similar problems.")
    fresh = ProblemVariant.objects.select_for_update().get(pk=variant.pk)
    if fresh.added_id is not None:
        raise Conflict("This similar problem is in the bank already.")
    return fresh


def _with_state(variant: ProblemVariant, state: ProblemVariant.State, user: User) -> ProblemVariant:
    fresh = _to_decide_on(variant, user)
    is_open = state == ProblemVariant.State.OPEN
    fresh.state = state
    fresh.decided_by, fresh.decided_at = (None, None) if is_open else (user, timezone.now())
    fresh.save(update_fields=["state", "decided_by", "decided_at"])
    return fresh


@transaction.atomic
def variants_add_accepted(*, user: User, question: Question | None = None, as_drafts: bool = False) -> int:
    """Add the accepted similar problems that the bank lacks, with equation, answer and the concepts of their question.

    A similar or reversed problem becomes a question of its own, with its own answer; a reversed one is computed in the
    opposite direction, so it gets no concepts. One with the question first is a rewording of its question.

    Args:
        question: add only the problems of this one.

    Returns:
        The number of questions added; problems that the bank already has are only linked.

    Raises:
        NotAllowed: the person may not write questions.
    """
    require(user, "question_create", "You may not add questions to the bank.")
    made = 0
    waiting = accepted_variants(question=question).select_for_update(of=("self",), no_key=True)
    for variant in waiting.select_related("question")[:MOST_ADDED]:
        original = variant.question
        assert original is not None  # noqa: S101 - `accepted_variants` asks for one
        in_bank = exact_duplicates(text=variant.text, options=()).exclude(status=Question.Status.DRAFT)
        variant.added = in_bank.first()
        if variant.added is None:
            is_draft = as_drafts or original.status == Question.Status.DRAFT
            status = Question.Status.DRAFT if is_draft else Question.Status.READY
            variant.added = _question_of(variant, original, status, user)
            made += 1
        variant.save(update_fields=["added"])
    return made


@transaction.atomic
def variant_keep_as_draft(*, variant: ProblemVariant, user: User) -> Question:
    """Add a problem to a person's own drafts, which needs no reviewer, or return the person's existing draft.

    The problem itself remains for the reviewers, who decide whether it enters the bank (decision 78).

    Raises:
        NotAllowed: the person may not write questions.
        Conflict: the question that it was written from was deleted.
    """
    require(user, "question_create", "You may not write questions.")
    drafts = own_drafts(texts=[variant.text], user=user)
    if drafts:
        return drafts[variant.text]
    if variant.question is None:
        raise Conflict("The question that this problem was written from was deleted.")
    return _question_of(variant, variant.question, Question.Status.DRAFT, user)


def _question_of(variant: ProblemVariant, original: Question, status: str, user: User) -> Question:
    """Add the question made from a problem."""
    if variant.kind == ProblemVariant.Kind.REORDERED and variant.original == original.text:
        return question_add_reworded(
            user=user, original=original, text=variant.text, status=status, source_id=f"variant-{variant.pk}"
        )
    keeps_concepts = variant.kind != ProblemVariant.Kind.REVERSED
    return question_create(
        user=user,
        text=variant.text,
        language=variant.language,
        kind=Question.Kind.OPEN,
        options=[],
        answer=variant.answer,
        solution="",
        grade=original.grade,
        status=status,
        concepts=[tag.concept for tag in original.tags.select_related("concept")] if keeps_concepts else [],
        equation=variant.equation,
        visible_to="" if original.visibility == Visibility.ALL else visible_to_of(original),
    )
