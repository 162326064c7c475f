"""Jobs on pairs of paraphrases: scoring them, and proposing them with a language model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from django.conf import settings
from django.db import transaction

from analytics.catalog import ENCODER
from analytics.errors import DataError, LanguageModelError
from analytics.language_model.pairs import judge
from analytics.paraphrase.findings.rules import find_changes
from analytics.paraphrase.proposals import LanguageModelParaphraser, Paraphraser, RuleParaphraser, SequenceParaphraser
from analytics.paraphrase.scorer import Scorer
from questionbank.models import ParaphrasePair, Question
from questionbank.registry.artifact_selectors import artifact_champion, artifact_folder
from questionbank.registry.artifact_services import champions_lock
from questionbank.registry.language_model_selectors import language_model_use
from questionbank.registry.language_model_services import language_model_for
from questionbank.registry.serving import ServedScorer, ServedSolver, served_scorer, served_solver
from questionbank.review.evidence_services import USE, judgement_kept, judgement_store, pairs_solved, pairs_to_judge
from questionbank.review.pair_services import pair_save_score, paraphrase_score_request
from questionbank.review.paraphrase_services import (
    LANGUAGE_MODEL,
    RULES,
    paraphraser_choice,
    propose_for,
    why_not_reworded,
)
from worker.embedding import SMALL_JOB
from worker.language_models import open_language_model
from worker.reporting import RunReporter

BATCH = 64


def score_run(reporter: RunReporter) -> dict[str, Any]:
    """Execute a run of kind ``score`` with the parameters ``{"pairs": [ids]}``.

    Pairs that the scorer in use has already scored, and decided ones, are skipped, so a run may stop anywhere and
    be repeated. Without a scorer, and for texts that it cannot read, only the findings are stored.

    Returns:
        The number of pairs scored, and of pairs with findings only.

    Raises:
        ServiceUnavailable: the scorer's files are missing or damaged.
        Cancelled: the run was stopped.
    """
    identifiers = reporter.run.parameters["pairs"]
    if artifact_champion(capability="paraphrase") is None:
        reporter.log("There is no scorer yet: the pairs get findings only.", level="warning")
    scorers = _Scorers(len(identifiers), reporter)
    scored = unread = 0
    for start in range(0, len(identifiers), BATCH):
        reporter.check()
        reporter.give_way()
        reporter.progress(start, len(identifiers), f"Scoring paraphrases: {start:,} of {len(identifiers):,}")
        read, left = _score_batch(identifiers[start : start + BATCH], scorers)
        reporter.saved_work()
        scored, unread = scored + read, unread + left
    if unread and scorers.latest is not None:
        reporter.log(
            f"{unread:,} pairs have findings only: the scorer does not know their language, they are too long, or the"
            " original asks nothing.",
            level="warning",
        )
    judge_pairs(reporter, identifiers)
    return {"scored": scored, "findings_only": unread, "model": scorers.latest.artifact.pk if scorers.latest else None}


def judge_pairs(reporter: RunReporter, numbers: Sequence[int]) -> int:
    """If that use is on, ask the school's language model about scored pairs; return how many it judged.

    The scores are stored before. A server that fails ends this without an error.
    """
    row, judged = language_model_use(USE), 0
    try:
        model = language_model_for(USE)
        if model is None or row is None:
            return 0
        pairs = list(pairs_to_judge(numbers))
        for place, pair in enumerate(pairs):
            reporter.check()
            reporter.give_way()
            reporter.progress(place, len(pairs), f"Asking {model.name} at {model.host}")
            if not pairs_to_judge([pair.pk]).exists():  # decided or excluded meanwhile
                continue
            judgement = judgement_kept(pair) or judge(model, pair.original, pair.paraphrase)
            judged += judgement_store(pair=pair, judgement=judgement, row=row)
    except LanguageModelError as error:
        reporter.log(f"{error} The pairs that are left keep the verdict of the scorer.", level="warning")
    return judged


def bulk_scorer(served: ServedScorer, count: int, reporter: RunReporter) -> Scorer:
    """Return a scorer suited to the number of pairs: for many, its encoder runs in PyTorch, which loads slowly.

    The worker of the queue `light` never loads PyTorch, to stay small.
    """
    if 2 * count <= SMALL_JOB or reporter.run.queue == "light":
        return served.scorer
    return served.scorer.with_encode(ENCODER.encode_many(artifact_folder(served.artifact), reporter.should_stop))


class _Scorers:
    """The scorer in use, looked up again for every batch: another one may be promoted meanwhile."""

    def __init__(self, count: int, reporter: RunReporter) -> None:
        self._count, self._reporter = count, reporter
        self.latest: ServedScorer | None = None
        self._scorer: Scorer | None = None

    def current(self) -> tuple[ServedScorer | None, Scorer | None]:
        served = served_scorer()
        if served is None:
            self.latest = self._scorer = None
        elif self.latest is None or self.latest.artifact != served.artifact:
            self.latest, self._scorer = served, bulk_scorer(served, self._count, self._reporter)
        return self.latest, self._scorer


def _score_batch(numbers: Sequence[int], scorers: _Scorers) -> tuple[int, int]:
    """Score some pairs with the scorer in use when they are stored; return the numbers of scored and other pairs."""
    while True:
        served, scorer = scorers.current()
        artifact = served.artifact if served else None
        pairs = list(
            ParaphrasePair.objects.filter(pk__in=numbers)
            .exclude(state=ParaphrasePair.State.DECIDED)
            .exclude(scored_by=artifact, scored_by__isnull=False)
            .order_by("pk")
        )
        readable = [pair for pair in pairs if scorer is not None and scorer.knows(*_texts(pair))]
        pair_scores = scorer.score([_texts(pair) for pair in readable]) if scorer is not None else []
        read = {pair.pk for pair in readable}
        others = [(pair, find_changes(*_texts(pair))) for pair in pairs if pair.pk not in read]
        solved = dict(zip((pair.pk for pair in pairs), pairs_solved(pairs, _solver_without_bank), strict=True))
        with transaction.atomic():
            champions_lock("paraphrase")
            if artifact_champion(capability="paraphrase") != artifact:
                continue  # these scores are from a scorer no longer in use
            for pair, pair_score in zip(readable, pair_scores, strict=True):
                pair_save_score(
                    pair=pair,
                    score=pair_score.score,
                    verdict=pair_score.probability,
                    findings=pair_score.findings,
                    artifact=artifact,
                    solved=solved[pair.pk],
                )
            for pair, findings in others:
                pair_save_score(
                    pair=pair, score=None, verdict=None, findings=findings, artifact=artifact, solved=solved[pair.pk]
                )
        return len(readable), len(others)


def _texts(pair: ParaphrasePair) -> tuple[str, str]:
    return pair.original, pair.paraphrase


def _solver_without_bank(language: str) -> ServedSolver | None:
    """Return the solver in use without the bank: it must not recall a pair's original, with its equation."""
    return served_solver(language, with_bank=False)


def propose_run(reporter: RunReporter) -> dict[str, Any]:
    """Execute a run of kind ``propose``: ``{"paraphraser": key, "questions": [ids], "each": number}``.

    Each question's pairs are stored as soon as they are written, in a batch named after the run, and questions with
    pairs in it are skipped: a stopped run resumes. Whatever its outcome, the stored pairs are scored.

    Returns:
        The numbers of paraphrases written, of candidates known before, and of questions without a new wording.

    Raises:
        ValidationFailed: the paraphraser is not configured any more.
        BackboneError, LanguageModelError: its model cannot be loaded or queried.
        Cancelled: the run was stopped.
    """
    run = reporter.run
    choice = paraphraser_choice(run.parameters["paraphraser"])
    batch = f"Proposals {run.pk}"
    written = ParaphrasePair.objects.filter(batch=batch)
    done = set(written.values_list("question_id", flat=True))
    questions = Question.objects.filter(pk__in=run.parameters["questions"]).order_by("pk")
    repeated = without = 0
    try:
        with open_paraphraser(choice.key) as paraphraser:
            for place, question in enumerate(questions):
                reporter.check()
                reporter.progress(place, len(questions), f"Writing paraphrases with {paraphraser.name}")
                if question.pk in done:
                    continue
                if why_not_reworded(question) or not choice.rewords(question.language):
                    without += 1
                    continue
                try:
                    proposals = propose_for(
                        question=question,
                        paraphraser=paraphraser,
                        each=run.parameters["each"],
                        source=choice.source,
                        user=run.requested_by,
                        batch=batch,
                        request_scores=False,
                    )
                except DataError as error:
                    reporter.log(f"Question {question.pk}: {error}", level="warning")
                    without += 1
                    continue
                repeated += proposals.known
                without += not proposals.made
    finally:
        paraphrase_score_request(pairs=written.filter(findings__isnull=True), user=run.requested_by)
    return {"proposed": written.count(), "known_already": repeated, "questions_without_a_new_wording": without}


@contextmanager
def open_paraphraser(key: str) -> Iterator[Paraphraser]:
    """Yield the paraphraser with a key of `review.paraphrase_services`, as configured for this installation.

    Raises:
        BackboneError, LanguageModelError: its model cannot be loaded, or its URL is invalid.
    """
    if key == RULES:
        yield RuleParaphraser()
    elif key == LANGUAGE_MODEL:
        with open_language_model() as model:
            yield LanguageModelParaphraser(model)
    else:
        from analytics.paraphrase.preparing import load_sequence_model

        loaded = load_sequence_model(settings.PARAPHRASE_MODEL)
        yield SequenceParaphraser(loaded, name=loaded.name, prefix=settings.PARAPHRASE_PREFIX)
