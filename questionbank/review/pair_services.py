"""Pairs of an original and a paraphrase: adding them, scoring them, and their batches."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from analytics.json_lines import TEXT_LIMIT
from analytics.paraphrase.findings.pair import Finding
from analytics.paraphrase.findings.rules import find_changes
from questionbank.bank.question_selectors import is_text_of
from questionbank.core.database import advisory_lock
from questionbank.core.errors import Conflict, NotAllowed, NotFound, ValidationFailed
from questionbank.formats.fields import LANGUAGE_TAG
from questionbank.formats.limits import ID_LIMIT, LANGUAGE_LIMIT
from questionbank.jobs.run_services import run_create
from questionbank.models import BatchDeletion, ModelArtifact, ParaphrasePair, Question, Run, User
from questionbank.models.paraphrase import opinions_wanted
from questionbank.people.permissions import require
from questionbank.people.school_selectors import shows_to
from questionbank.registry.artifact_selectors import artifact_champion
from questionbank.review.pair_selectors import deletable_pairs

LIGHT_PAIRS = 500  # a minute of work on two cores; more would delay short jobs

UNSCORED = 2.0  # after every scored pair: their priority is at most 1.5
_ROWS = 500  # rows per statement


@dataclass(frozen=True, slots=True)
class PairInput:
    """A pair to add; `source_id` is its identifier in the file, if any; `label` is 1 for valid, 0 for invalid."""

    original: str
    paraphrase: str
    language: str = "en"
    source_id: str = ""
    question: Question | None = None
    label: int | None = None


def findings_to_json(findings: Iterable[Finding]) -> list[dict[str, Any]]:
    """Serialise findings as `ParaphrasePair.findings` stores them; spans become lists."""
    return [
        {name: list(value) if isinstance(value, tuple) else value for name, value in finding.as_dict().items()}
        for finding in findings
    ]


def pair_priority(*, score: float | None, verdict: float | None, findings: Sequence[Any] | None) -> float:
    """Return a pair's priority in the queue, lowest first: the distance of its probability or score from 0.5.

    Pairs without a score come last; among those, pairs with findings come first.
    """
    value = verdict if verdict is not None else score
    if value is None:
        return UNSCORED if findings else UNSCORED + 0.5
    return abs(value - 0.5)


@transaction.atomic
def pairs_create(  # noqa: PLR0913 - what a row of the queue says
    *,
    pairs: Iterable[PairInput],
    source: str,
    user: User | None,
    batch: str = "",
    generator: str = "",
    opinions: int | None = None,
    hides_machine: bool = False,
    request_scores: bool = True,
) -> list[ParaphrasePair]:
    """Add pairs to the review queue and, unless `request_scores` is false, request their scores.

    Everybody with a role may add paraphrases of bank questions; only reviewers may add other pairs, which their school
    sees if they have exactly one, and otherwise everybody.

    Args:
        source: a `ParaphrasePair.Source`.
        user: the person who adds them; None for the system itself.
        batch: name of the batch that the pairs arrive in.
        generator: name of the rules or model that wrote them.
        opinions: number of reviewers per pair, 1 to `REVIEW_OPINIONS_MOST`; None for `REVIEW_OPINIONS`.
        hides_machine: whether to hide the machine's assessment until a pair is decided.

    Raises:
        NotAllowed: the person may not add pairs.
        ValidationFailed: a text is empty or too long, both are the same, or a typed pair was added already.
    """
    pairs = list(pairs)
    is_ours = all(pair.question is not None for pair in pairs)
    permission = "questionbank.paraphrase_propose" if is_ours else "questionbank.review"
    if user is not None and not user.has_perm(permission):
        raise NotAllowed("You may not add paraphrases.")
    visibility, school = shows_to(user)
    rows = [
        ParaphrasePair(
            question=pair.question,
            original=pair.original.strip(),
            paraphrase=pair.paraphrase.strip(),
            language=pair.language,
            source=source,
            source_id=pair.source_id,
            generator=generator[:200],
            batch=batch[:120],
            opinions_wanted=opinions_wanted() if opinions is None else opinions,
            hides_machine=hides_machine,
            created_by=user,
            visibility=visibility,
            school_id=school,
        )
        for pair in pairs
    ]
    for row in rows:
        _check(row)
    if source == ParaphrasePair.Source.TYPED:
        pairs_turn()
        stored_pairs = pairs_known(paraphrases=[row.paraphrase for row in rows])
        if any((row.original, row.paraphrase) in stored_pairs for row in rows):
            raise ValidationFailed.beside("paraphrase", "This pair was added already.")
    made = ParaphrasePair.objects.bulk_create(rows, batch_size=_ROWS)
    if made and request_scores:
        paraphrase_score_request(pairs=made, user=user)
    return made


def pairs_turn() -> None:
    """Hold the lock for checking which pairs exist and adding others, until the transaction ends."""
    advisory_lock("add pairs")


def pairs_known(*, paraphrases: Iterable[str]) -> set[tuple[str, str]]:
    """Return existing pairs with these paraphrases, decided or not, as (original, paraphrase)."""
    same = ParaphrasePair.objects.filter(paraphrase__in=list(paraphrases))
    return set(same.values_list("original", "paraphrase").iterator())


def _check(pair: ParaphrasePair) -> None:
    problems = {name: _text_problem(getattr(pair, name)) for name in ("original", "paraphrase")}
    fields = {name: [problem] for name, problem in problems.items() if problem}
    if not fields and pair.original == pair.paraphrase:
        fields["paraphrase"] = ["It is the same text as the original."]
    if len(pair.source_id) > ID_LIMIT:
        fields["source_id"] = ["The identifier is too long."]
    question = pair.question
    if question is not None and not fields and not is_text_of(question=question, text=pair.original):
        fields["original"] = [f"This is not the text of question {question.pk}."]
    if len(pair.language) > LANGUAGE_LIMIT or not LANGUAGE_TAG.fullmatch(pair.language):
        fields["language"] = ["This is not a language tag such as en or zh."]
    most = settings.REVIEW_OPINIONS_MOST
    if not 1 <= pair.opinions_wanted <= most:
        fields["opinions"] = [f"Ask 1 to {most} reviewers."]
    if fields:
        raise ValidationFailed.of(fields)


def _text_problem(text: str) -> str:
    if not text:
        return "The text is missing."
    if len(text) > TEXT_LIMIT:
        return f"The text has more than {TEXT_LIMIT} characters."
    return "The text contains a NUL character." if "\0" in text else ""


@transaction.atomic
def paraphrase_score_request(*, pairs: Iterable[ParaphrasePair], user: User | None = None) -> Run | None:
    """Request the pairs' scores and findings in one job; None if there are no pairs.

    The run's parameters are ``{"pairs": [ids]}``.
    """
    identifiers = [pair.pk for pair in pairs]
    if not identifiers:
        return None
    return run_create(
        kind="score",
        capability="paraphrase",
        title=f"Score {len(identifiers):,} paraphrase{'' if len(identifiers) == 1 else 's'}",
        parameters={"pairs": identifiers},
        queue="light" if len(identifiers) <= LIGHT_PAIRS else "default",
        requested_by=user,
    )


@transaction.atomic
def paraphrase_score_waiting(*, user: User) -> Run:
    """Request scores for all undecided pairs that the scorer in use has not scored.

    Raises:
        NotAllowed: the person is not a reviewer.
        Conflict: there is no scorer, no such pair, or a scoring job is unfinished.
    """
    require(user, "review", "You may not have paraphrases scored.")
    if artifact_champion(capability="paraphrase") is None:
        raise Conflict("No scorer is trained yet.")
    advisory_lock("score paraphrases")  # two people may press the button at once
    unfinished = Run.objects.exclude(state__in=Run.FINISHED)
    if unfinished.filter(kind="score", capability="paraphrase").exists():
        raise Conflict("Pairs are being scored already: wait for that job.")
    run = paraphrase_rescore(user=user)
    if run is None:
        raise Conflict("The scorer in use has seen every waiting pair.")
    return run


def paraphrase_rescore(*, user: User | None = None) -> Run | None:
    """Request scores from the scorer in use for all undecided pairs that lack them; None if there are none.

    Used after a scorer's promotion. Decided pairs keep the score that they were decided under.
    """
    champion = artifact_champion(capability="paraphrase")
    undecided = ParaphrasePair.objects.exclude(state=ParaphrasePair.State.DECIDED)
    lacking = undecided.exclude(scored_by=champion, scored_by__isnull=False).order_by("priority", "pk")
    return paraphrase_score_request(pairs=lacking.only("pk"), user=user)


def after_scorer_promotion(*, user: User | None = None) -> str:
    """Request scores of the undecided pairs from the newly promoted scorer, and return a sentence about the job."""
    run = paraphrase_rescore(user=user)
    if run is None:
        return ""
    return f"{len(run.parameters['pairs']):,} undecided pairs are scored again by job {run.pk}."


def pair_save_score(
    *,
    pair: ParaphrasePair,
    score: float | None,
    verdict: float | None,
    findings: Sequence[Finding] | Sequence[dict[str, Any]],
    artifact: ModelArtifact | None,
    solved: dict[str, Any] | None = None,
) -> None:
    """Store the scorer's and the solver's results for a pair, and its new priority in the queue.

    If there is no scorer, `score`, `verdict` and `artifact` are None and only the findings are stored. If the scorer
    cannot read the pair, `score` and `verdict` are None, and the pair is not scored again. A pair that was decided
    meanwhile keeps the score that it was decided under.

    Raises:
        ValueError: the score is not a cosine or the verdict not a probability.
    """
    if score is not None and not (math.isfinite(score) and -1.001 <= score <= 1.001):
        raise ValueError(f"a score is a cosine, not {score}")
    if verdict is not None and not 0 <= verdict <= 1:
        raise ValueError(f"a verdict is a probability, not {verdict}")
    plain = [finding if isinstance(finding, dict) else findings_to_json([finding])[0] for finding in findings]
    pair.score, pair.verdict, pair.findings, pair.scored_by = score, verdict, plain, artifact
    pair.solved = solved
    pair.scored_at = timezone.now() if score is not None else None
    pair.priority = pair_priority(score=score, verdict=verdict, findings=plain)
    names = ("score", "verdict", "findings", "solved", "scored_by", "scored_at", "priority")
    undecided = ParaphrasePair.objects.filter(pk=pair.pk).exclude(state=ParaphrasePair.State.DECIDED)
    undecided.update(**{name: getattr(pair, name) for name in names})


def pair_findings(pair: ParaphrasePair) -> list[dict[str, Any]]:
    """Return the findings of a pair: the stored ones, or computed now if no job has processed it yet."""
    if pair.findings is not None:
        return list(pair.findings)
    return findings_to_json(find_changes(pair.original, pair.paraphrase))


@dataclass(frozen=True, slots=True)
class BatchPreview:
    """What the deletion of a batch would do.

    Attributes:
        name: name of the batch.
        pairs: number of its pairs.
        deletable: pairs that would be deleted.
        decided: pairs that stay because people decided on them or gave an opinion.
        others: pairs that stay because somebody has them on the screen, or somebody else added them.
    """

    name: str
    pairs: int
    deletable: int
    decided: int
    others: int


def batch_preview(*, batch: str, user: User) -> BatchPreview:
    """Count the pairs that a deletion would remove and keep.

    Raises:
        NotAllowed: the person is not a reviewer.
        NotFound: there is no such batch.
    """
    pairs = _batch(batch, user)
    deletable = deletable_pairs(pairs, user=user).count()
    decided = deletable_pairs(pairs, user=user, with_opinions=True).count() - deletable
    total = pairs.count()
    return BatchPreview(batch, total, deletable, decided, total - deletable - decided)


@transaction.atomic
def batch_delete(*, batch: str, user: User) -> BatchDeletion:
    """Delete the undecided pairs of a batch, and record who did it.

    Pairs with opinions, those on somebody's screen and those that became bank questions stay. Reviewers can delete
    what they added, admins anything.

    Raises:
        NotAllowed: the person is not a reviewer.
        NotFound: there is no such batch.
    """
    pairs = _batch(batch, user)
    # Changing a lease or a decision locks the row too, so both wait for each other.
    locked = list(pairs.select_for_update().order_by("pk").values_list("pk", flat=True))
    chosen = deletable_pairs(ParaphrasePair.objects.filter(pk__in=locked), user=user)
    identifiers = list(chosen.values_list("pk", flat=True))
    ParaphrasePair.objects.filter(pk__in=identifiers).delete()
    return BatchDeletion.objects.create(
        batch=batch, deleted=len(identifiers), kept=len(locked) - len(identifiers), person=user
    )


def batch_hide_machine(*, batch: str, hide: bool, user: User) -> int:
    """Hide the machine's assessment of a batch's undecided pairs until they are decided, or show it again.

    Returns:
        The number of undecided pairs.

    Raises:
        NotAllowed: the person is not a reviewer.
        NotFound: there is no such batch.
    """
    pairs = _batch(batch, user).exclude(state=ParaphrasePair.State.DECIDED)
    return pairs.update(hides_machine=hide)


def _batch(batch: str, user: User) -> QuerySet[ParaphrasePair, ParaphrasePair]:
    require(user, "review", "You may not change batches of pairs.")
    pairs = ParaphrasePair.objects.filter(batch=batch)
    if not batch or not pairs.exists():
        raise NotFound("There is no such batch.")
    return pairs
