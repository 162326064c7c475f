"""Writing similar problems of a question, deciding on them, and adding them to the bank."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from analytics.analogy.exemplars import story_key
from questionbank.errors import Conflict, NotAllowed, ValidationFailed
from questionbank.models import ProblemVariant, Question, User
from questionbank.retelling.names_and_numbers import retold
from questionbank.retelling.problem import NEAR_COPY, RetoldProblem, refusal, text_likeness
from questionbank.retelling.stories import stories
from questionbank.selectors.computations import Computation, question_computation
from questionbank.selectors.questions import exact_duplicates
from questionbank.selectors.variants import accepted_variants
from questionbank.services.questions import question_create

__all__ = [
    "MOST_ADDED",
    "MOST_WRITTEN",
    "variant_decide",
    "variants_add_accepted",
    "variants_write",
    "why_not_varied",
]

MOST_WRITTEN = 5  # at once
MOST_ADDED = 500  # likewise
_LANGUAGE = "en"  # the only one in which the rules write
_TRIED = 60  # candidates of each kind


@dataclass(frozen=True, slots=True)
class _Wanted:
    question: Question
    computation: Computation
    seed: str

    def candidates(self) -> Iterator[RetoldProblem]:
        """Other stories with the same graph; then, where the equation is known for sure, the same story retold."""
        yield from islice(stories(self.computation.key, self.seed), _TRIED)
        if not self.computation.is_predicted:
            own = retold(self.question.text, self.computation.equation, self.seed)
            yield from islice(own, _TRIED)


def why_not_varied(question: Question) -> str:
    """Why no similar problems of a question can be written; empty where they can."""
    if question.status == Question.Status.RETIRED:
        return _("This question is retired.")
    if question.language.partition("-")[0] != _LANGUAGE:
        return _("Similar problems are written in English only.")
    if question_computation(question) is None:
        return _(
            "What this question computes is not known: it has no equation, and the solver is too unsure."
        )
    return ""


@transaction.atomic
def variants_write(*, question: Question, each: int, user: User) -> list[ProblemVariant]:
    """Write similar problems of a question here and now; they wait for reviewers.

    Each is confirmed to have the same graph, has other numbers and another story, and its answer is its equation's
    value. Near copies of the question, of one another and of those written before are left out, and what the bank has.

    Returns:
        At most `each` problems; none where the rules know no (other) story.

    Raises:
        NotAllowed: the person may not propose anything.
        Conflict: the question is retired, in another language, or its computation is not known.
        ValidationFailed: `each` is out of bounds.
    """
    if not user.has_perm("questionbank.paraphrase_propose"):
        raise NotAllowed(_("You may not have similar problems written."))
    if not 1 <= each <= MOST_WRITTEN:
        raise ValidationFailed(_("Choose 1 to %(most)d similar problems.") % {"most": MOST_WRITTEN})
    if reason := why_not_varied(question):
        raise Conflict(reason)
    computation = question_computation(question)
    assert computation is not None  # noqa: S101 - `why_not_varied` has looked
    Question.objects.select_for_update(no_key=True).filter(pk=question.pk).first()  # two may ask at once
    known = list(ProblemVariant.objects.filter(question=question).values_list("text", flat=True))
    wanted = _Wanted(question, computation, f"{question.pk}/{len(known)}")
    written = islice(_new(wanted, known), each)
    return ProblemVariant.objects.bulk_create(
        ProblemVariant(
            question=question,
            original=question.text,
            text=problem.text,
            language=question.language,
            equation=problem.equation,
            answer=problem.answer,
            is_predicted=computation.is_predicted,
            generator=problem.generator,
            created_by=user,
        )
        for problem in written
    )


def _new(wanted: _Wanted, known: list[str]) -> Iterator[RetoldProblem]:
    """Candidates that are similar problems and no near copies; first one of each generator, then others."""
    later: list[RetoldProblem] = []
    generators: set[str] = set()
    for is_second_round in (False, True):
        for problem in later if is_second_round else wanted.candidates():
            if not is_second_round and problem.generator in generators:
                later.append(problem)
                continue
            if _is_new(problem, wanted, known):
                known.append(problem.text)
                generators.add(problem.generator)
                yield problem


def _is_new(problem: RetoldProblem, wanted: _Wanted, known: list[str]) -> bool:
    if refusal(problem, text=wanted.question.text, graph_key=wanted.computation.key):
        return False
    if any(story_key(problem.text) == story_key(text) for text in known):
        return False
    if any(text_likeness(problem.text, text) >= NEAR_COPY for text in known):
        return False
    return not exact_duplicates(text=problem.text, options=()).exists()


@transaction.atomic
def variant_decide(*, variant: ProblemVariant, accept: bool, user: User) -> ProblemVariant:
    """Accept a similar problem or reject it; a decision may be changed until the problem is in the bank.

    Raises:
        NotAllowed: the person is no reviewer.
        Conflict: it is in the bank already.
    """
    if not user.has_perm("questionbank.review"):
        raise NotAllowed(_("You may not decide on similar problems."))
    fresh = ProblemVariant.objects.select_for_update().get(pk=variant.pk)
    if fresh.added_id is not None:
        raise Conflict(_("This similar problem is in the bank already."))
    state = ProblemVariant.State
    fresh.state = state.ACCEPTED if accept else state.REJECTED
    fresh.decided_by, fresh.decided_at = user, timezone.now()
    fresh.save(update_fields=["state", "decided_by", "decided_at"])
    return fresh


@transaction.atomic
def variants_add_accepted(*, user: User, question: Question | None = None, as_drafts: bool = False) -> int:
    """Add accepted similar problems that the bank lacks, with equation, answer, and the concepts of their question.

    Unlike a paraphrase it is a question of its own, with its own answer.

    Args:
        question: only those of this one.

    Returns:
        How many questions were added; what the bank has already is only linked.

    Raises:
        NotAllowed: the person may not write questions.
    """
    if not user.has_perm("questionbank.question_create"):
        raise NotAllowed(_("You may not add questions to the bank."))
    made = 0
    waiting = accepted_variants(question=question).select_for_update(of=("self",), no_key=True)
    for variant in waiting.select_related("question")[:MOST_ADDED]:
        original = variant.question
        assert original is not None  # noqa: S101 - `accepted_variants` asks for one
        variant.added = exact_duplicates(text=variant.text, options=()).first()
        if variant.added is None:
            is_draft = as_drafts or original.status == Question.Status.DRAFT
            variant.added = question_create(
                user=user,
                text=variant.text,
                language=variant.language,
                kind=Question.Kind.OPEN,
                options=[],
                answer=variant.answer,
                solution="",
                grade=original.grade,
                status=Question.Status.DRAFT if is_draft else Question.Status.READY,
                concepts=[tag.concept for tag in original.tags.select_related("concept")],
                equation=variant.equation,
            )
            made += 1
        variant.save(update_fields=["added"])
    return made
