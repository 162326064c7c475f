"""Proposing paraphrases of questions: question -> paraphraser -> pairs that wait for reviewers."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.conf import settings

from analytics.errors import DataError
from analytics.paraphrase.proposals import LanguageModelParaphraser, Paraphraser, RuleParaphraser, SequenceParaphraser
from questionbank.models import ParaphrasePair, Question
from questionbank.review.pair_services import paraphrase_score_request
from questionbank.review.proposal_services import (
    LANGUAGE_MODEL,
    RULES,
    paraphraser_choice,
    propose_for,
    why_not_reworded,
)
from worker.language_models import open_language_model
from worker.reporting import RunReporter


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
    """Yield the paraphraser with a key of `review.proposal_services`, as configured for this installation.

    Raises:
        BackboneError, LanguageModelError: its model cannot be loaded, or its URL is invalid.
    """
    if key == RULES:
        yield RuleParaphraser()
    elif key == LANGUAGE_MODEL:
        with open_language_model() as model:
            yield LanguageModelParaphraser(model)
    else:
        from analytics.paraphrase.seq2seq import load_sequence_model

        loaded = load_sequence_model(settings.PARAPHRASE_MODEL)
        yield SequenceParaphraser(loaded, name=loaded.name, prefix=settings.PARAPHRASE_PREFIX)
