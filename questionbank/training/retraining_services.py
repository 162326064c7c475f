"""Schedules that retrain models, and the steps of each retraining.

The clock calls `retrainings_advance`. A step is a job like those that admins request: training, comparison, promotion;
rows say which one was last, so a restart loses nothing. Each step has a transaction of its own, and one lock keeps two
clocks from beginning the same step.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date, datetime, timedelta
from typing import Any

import structlog
from django.db import transaction
from django.template.loader import render_to_string
from django.urls import reverse

from analytics.catalog import CAPABILITIES
from analytics.errors import first_line
from questionbank.core.capability_catalog import fixed_suite, scope_name, trainable, training_of
from questionbank.core.capability_figures import Metric
from questionbank.core.database import advisory_lock, database_now
from questionbank.core.errors import Conflict, KindredError, NotFound, ValidationFailed
from questionbank.core.outage import outage_of
from questionbank.models import ModelArtifact, ModelComparison, Retraining, RetrainingSchedule, Run, User
from questionbank.people.mail import mail_retrained
from questionbank.people.permissions import require
from questionbank.people.selectors import active_admins
from questionbank.registry.artifact_selectors import artifact_champion
from questionbank.registry.lifecycle_services import comparison_request, gate_verdict, promotion_request
from questionbank.registry.model_selectors import comparison_latest, gate
from questionbank.training.retraining_selectors import (
    Outcome,
    learned_from,
    night_at,
    night_length,
    retrainable,
    retraining_get,
    unchanged_since,
    why_busy,
    why_due,
)
from questionbank.training.services import training_request
from questionbank.training.start import retraining_settings

logger = structlog.get_logger(__name__)

SHORTEST_NIGHT = timedelta(minutes=30)  # the clock looks every five minutes


@transaction.atomic
def schedule_set(
    *, user: User | None, capability: str, scope: str, values: Mapping[str, Any], site: str = ""
) -> RetrainingSchedule:
    """Make or change a model's schedule.

    Args:
        user: None for a command.
        values: the columns that an admin sets.
        site: base URL of the links in its mail; by default it stays as it was.

    Raises:
        NotAllowed: the person is not an admin.
        NotFound: there is no such model, or its kind is not trained on the bank.
        ValidationFailed: no training would ever begin.
    """
    require(user, "models_manage", "Only admins manage models.")
    row = RetrainingSchedule.objects.filter(capability=capability, scope=scope).first()
    if row is None:
        if training_of(capability) is None:
            raise NotFound("Models of this kind are not trained on the bank.")
        if (capability, scope) not in retrainable():
            raise NotFound("There is no such model to retrain.")
        row = RetrainingSchedule(capability=capability, scope=scope)
        row.labels = learned_from(row)["labels"]
    for name, value in values.items():
        setattr(row, name, value)
    if row.is_on and not row.every_weeks and not row.after_labels:
        raise ValidationFailed.beside("every_weeks", "Enter a number of weeks, a number of labels, or both.")
    if night_length(row.begins_at, row.ends_at) < SHORTEST_NIGHT:
        raise ValidationFailed.beside("ends_at", "The night must last at least half an hour.")
    row.set_by, row.site = user, site.rstrip("/") or row.site
    row.save()
    return row


def retraining_dismiss(*, user: User, retraining_id: int) -> None:
    """Note that an admin has read what came of a retraining.

    Raises:
        NotAllowed: the person is not an admin.
        NotFound: there is no such retraining.
    """
    require(user, "models_manage", "Only admins manage models.")
    retraining = retraining_get(retraining_id=retraining_id)
    retraining.is_dismissed = True
    retraining.save(update_fields=["is_dismissed"])


def retrainings_advance(*, now: datetime | None = None) -> None:
    """Take each retraining under way to its next step, then begin what is due; never two at once.

    An unexpected error ends the retraining in which it occurs, and the others go on. An outage is raised: the next call
    goes on from there.

    Args:
        now: the time; by default the database's.
    """
    for retraining in Retraining.objects.filter(outcome=Outcome.UNDER_WAY).select_related("schedule"):
        _take_step(retraining.schedule, retraining.night, _advance)
    now = now or database_now()
    for schedule in RetrainingSchedule.objects.filter(is_on=True, capability__in=trainable()):
        night = night_at(schedule, now)
        if night is not None:
            _take_step(schedule, night, _begin_if_due)


def _take_step(schedule: RetrainingSchedule, night: date, step: Callable[[Retraining], None]) -> None:
    """Take a step in a transaction of its own; an unexpected error is logged, and stored as what came of the night."""
    row = Retraining(schedule=schedule, night=night)
    try:
        with transaction.atomic():
            advisory_lock("retraining")
            row = _retraining_of(schedule, night)
            step(row)
    except Exception as error:
        if outage_of(error) is not None:
            raise
        logger.exception("retraining_failed", schedule=str(schedule), night=str(night))
        why, row = row.why, _retraining_of(schedule, night)  # what the step stored was rolled back
        row.why = why
        _end(row, Outcome.FAILED, f"An unexpected error ended it: {type(error).__name__}, {first_line(error)}")
        try:
            with transaction.atomic():
                _mail(row)
        except Exception:  # the error may be in the mail's own text
            logger.exception("retraining_mail_failed", schedule=str(schedule), night=str(night))


def _retraining_of(schedule: RetrainingSchedule, night: date) -> Retraining:
    """Return what a schedule did in a night: its row as it is now, else a new one."""
    return schedule.retrainings.filter(night=night).first() or Retraining(schedule=schedule, night=night)


def _begin_if_due(row: Retraining) -> None:
    if row.outcome not in ("", Outcome.BUSY):
        return
    row.why = why_due(row.schedule, row.night)
    if not row.why:
        return
    if (same := unchanged_since(row.schedule)) is not None:
        row.outcome = Outcome.SKIPPED
        row.report = f"Nothing to learn from has changed since job {same.pk} trained this model."
    elif busy := why_busy():
        row.outcome, row.report = Outcome.BUSY, busy
    else:
        _begin(row)
    row.save()


def _begin(row: Retraining) -> None:
    """Request the training, or note why there is none."""
    schedule = row.schedule
    scope = training.scope if (training := training_of(schedule.capability)) else ""
    try:
        row.training = training_request(
            capability=schedule.capability,
            settings=retraining_settings(capability=schedule.capability, scope=schedule.scope),
            hierarchies=[schedule.scope] if scope == "hierarchy" else None,
            answers={"language": schedule.scope} if scope == "language" else None,
        )
        row.outcome, row.report = Outcome.UNDER_WAY, ""
    except Conflict as error:
        row.outcome, row.report = Outcome.BUSY, str(error)
    except KindredError as error:
        _finish(row, Outcome.FAILED, f"It could not be trained. {error}")


def _advance(retraining: Retraining) -> None:
    if retraining.outcome != Outcome.UNDER_WAY:  # another clock was quicker
        return
    run = retraining.promotion or retraining.comparison or retraining.training
    if run is None:
        _finish(retraining, Outcome.FAILED, "Its job was deleted before it ended.")
    elif run.is_finished and run.state != Run.State.SUCCEEDED:
        reason = run.error or f"{run.get_state_display()}."
        _finish(retraining, Outcome.FAILED, f"Job {run.pk} did not finish. {reason}")
    elif run.is_finished:
        try:
            _judge(retraining)
        except Conflict:  # somebody requested the same: wait for that job
            return
        except KindredError as error:
            _finish(retraining, Outcome.FAILED, str(error))


def _judge(retraining: Retraining) -> None:
    """Request the comparison, then the promotion if it is allowed, or end the retraining."""
    artifact = _candidate(retraining)
    if artifact is None:
        _finish(retraining, Outcome.FAILED, "The candidate was deleted.")
        return
    retraining.artifact = artifact
    champion = artifact_champion(capability=artifact.capability, scope=artifact.scope)
    if artifact == champion:
        _finish(retraining, Outcome.PROMOTED, "It is in use.")
        return
    compared = champion is None or comparison_latest(candidate=artifact, champion=champion) is not None
    if not compared and retraining.comparison is None and fixed_suite(artifact.capability) is not None:
        retraining.comparison = comparison_request(candidate=artifact)
        retraining.save()
        return
    verdict = gate_verdict(artifact=artifact, override=True)
    if not verdict.get("passes"):
        _finish(retraining, Outcome.KEPT, "It did not pass the gate, so the model in use stays.")
    elif not retraining.schedule.promotes:
        _finish(retraining, Outcome.KEPT, "It passes the gate. An admin may put it into use.")
    elif retraining.promotion is None:
        retraining.promotion = promotion_request(artifact=artifact, reason="Retrained by its schedule.")
        retraining.save()
    else:
        _finish(retraining, Outcome.KEPT, "Another model was put into use meanwhile.")


def _candidate(retraining: Retraining) -> ModelArtifact | None:
    if retraining.artifact is not None or retraining.training is None:
        return retraining.artifact
    return ModelArtifact.objects.filter(pk=retraining.training.result.get("model")).first()


def _finish(retraining: Retraining, outcome: Retraining.Outcome, sentence: str) -> None:
    """End a retraining, and mail what came of it to the admins."""
    figures = _figures(retraining.artifact) if retraining.artifact else []
    _end(retraining, outcome, "\n".join([sentence, *figures]))
    _mail(retraining)


def _end(retraining: Retraining, outcome: Retraining.Outcome, report: str) -> None:
    retraining.outcome, retraining.report, retraining.finished_at = outcome, report, database_now()
    retraining.save()


def _mail(retraining: Retraining) -> None:
    schedule, outcome = retraining.schedule, Outcome(retraining.outcome)
    title = ", ".join(filter(None, (CAPABILITIES[schedule.capability].title, scope_name(schedule))))
    context = {
        "retraining": retraining,
        "title": title,
        "link": schedule.site + reverse("model_retraining"),
        "model": schedule.site + reverse("model_detail", args=[retraining.artifact.pk]) if retraining.artifact else "",
    }
    body = render_to_string("registry/models/retrained.txt", context)
    for person in active_admins():
        mail_retrained(person=person, subject=f"Retraining of “{title}”: {outcome.label.lower()}", body=body)


def _figures(artifact: ModelArtifact) -> list[str]:
    """Return the gate's reasons and a line for each figure of the candidate's last comparison."""
    comparison = ModelComparison.objects.filter(candidate=artifact).select_related("candidate", "champion").first()
    if comparison is None:
        return ["There was no model in use to compare it with."]
    return [*gate(comparison).reasons, *map(_figure, comparison.figures["metrics"])]


def _figure(metric: Metric) -> str:
    return (
        f"{metric['label']}: {metric['candidate']:.3f}, in use {metric['champion']:.3f}"
        f" (difference {metric['low']:.3f} to {metric['high']:.3f})"
    )
