"""When schedules retrain models, and what came of it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

from django.db.models import QuerySet
from django.utils import timezone

from analytics.catalog import CAPABILITIES
from questionbank.core.capability_catalog import job_kind_name, trainable, training_of
from questionbank.core.database import database_now, get_or_not_found
from questionbank.core.wording import counted
from questionbank.jobs.run_selectors import queue_has_worker
from questionbank.models import Retraining, RetrainingSchedule, Run
from questionbank.registry.artifact_selectors import artifact_champions

DAY, WEEK = timedelta(days=1), timedelta(weeks=1)
Outcome = Retraining.Outcome
NOTICES = 3  # more are on the page of retrainings


@dataclass(frozen=True, slots=True)
class RetrainedModel:
    """A model that a schedule can retrain.

    Attributes:
        schedule: None if nobody made one.
        last: what its schedule did last; None if it has done nothing yet.
        next_at: when the next training may begin by its interval; None without one.
        new_labels: labels and responses since the last training; None without a schedule.
    """

    capability: str
    scope: str
    schedule: RetrainingSchedule | None = None
    last: Retraining | None = None
    next_at: datetime | None = None
    new_labels: int | None = None

    @property
    def title(self) -> str:
        """The name of its kind."""
        return CAPABILITIES[self.capability].title


def retrainable() -> list[tuple[str, str]]:
    """Return capability and scope of each model to retrain: those in use, and kinds without one that can be trained."""
    models = []
    for word in trainable():
        training = training_of(word)
        has_general = training is not None and training.scope in ("", "one language or all")
        scopes = [""] if has_general else []
        scopes += [artifact.scope for artifact in artifact_champions(capability=word)]
        models += [(word, scope) for scope in dict.fromkeys(scopes)]
    return models


def retrained_models() -> list[RetrainedModel]:
    """Return the models that can be retrained, and those with a schedule that no longer can."""
    schedules = {(row.capability, row.scope): row for row in RetrainingSchedule.objects.all()}
    known = [key for key in schedules if key[0] in CAPABILITIES]
    return [_retrained(*key, schedules.get(key)) for key in dict.fromkeys([*retrainable(), *known])]


def _retrained(capability: str, scope: str, schedule: RetrainingSchedule | None) -> RetrainedModel:
    if schedule is None:
        return RetrainedModel(capability, scope)
    return RetrainedModel(
        capability,
        scope,
        schedule,
        last=schedule.retrainings.select_related("artifact").first(),
        next_at=next_night(schedule, now=database_now()),
        new_labels=new_labels(schedule),
    )


def schedule_of(*, capability: str, scope: str) -> RetrainingSchedule | None:
    """Return a model's schedule; None if nobody made one."""
    return RetrainingSchedule.objects.filter(capability=capability, scope=scope).first()


def retraining_get(*, retraining_id: int) -> Retraining:
    """Return what a schedule did in one night."""
    return get_or_not_found(Retraining.objects.filter(pk=retraining_id), "There is no such retraining.")


def retraining_history() -> QuerySet[Retraining]:
    """Return what all schedules did, latest first."""
    return Retraining.objects.select_related("schedule", "artifact", "training")


def unread_retrainings() -> list[Retraining]:
    """Return the latest retrainings that ended and whose notice no admin has dismissed."""
    return list(retraining_history().filter(outcome__in=Retraining.FINISHED, is_dismissed=False)[:NOTICES])


def night_length(begins_at: time, ends_at: time) -> timedelta:
    """Return how long a night lasts; one that ends as it begins has no length."""
    minutes = [60 * clock.hour + clock.minute for clock in (begins_at, ends_at)]
    return timedelta(minutes=(minutes[1] - minutes[0]) % (24 * 60))


def night_bounds(schedule: RetrainingSchedule, night: date) -> tuple[datetime, datetime]:
    """Return when the night that begins on a date begins and ends.

    It is as long as others when clocks change. A time that occurs twice means the first, and a time that does not
    occur is as long after midnight as on other nights.
    """
    begins = datetime.combine(night, schedule.begins_at, timezone.get_default_timezone()).astimezone(UTC)
    return begins, begins + night_length(schedule.begins_at, schedule.ends_at)


def night_at(schedule: RetrainingSchedule, now: datetime) -> date | None:
    """Return the date on which the night that contains a time began; None outside of nights."""
    today = now.astimezone(timezone.get_default_timezone()).date()
    for night in (today, today - DAY):
        begins, ends = night_bounds(schedule, night)
        if begins <= now < ends:
            return night
    return None


def next_night(schedule: RetrainingSchedule, *, now: datetime) -> datetime | None:
    """Return when the next night begins in which a model is due by its interval; None without one, or if it is off."""
    if not schedule.is_on or not schedule.every_weeks:
        return None
    yesterday = now.astimezone(timezone.get_default_timezone()).date() - DAY
    night = max(yesterday, _due_from(schedule) or yesterday)
    while night_bounds(schedule, night)[1] <= now:
        night += DAY
    return night_bounds(schedule, night)[0]


def _due_from(schedule: RetrainingSchedule) -> date | None:
    """Return the first night in which a model is due by its interval; None if it never had its turn.

    A night in which the machine was busy does not count as its turn.
    """
    last = schedule.retrainings.exclude(outcome=Outcome.BUSY).first()
    return last.night + schedule.every_weeks * WEEK if last and schedule.every_weeks else None


def learned_from(schedule: RetrainingSchedule) -> dict[str, Any]:
    """Return ``{"version", "labels"}`` of the data that a training would learn from now."""
    training = training_of(schedule.capability)
    return training.report.data(_learned_scope(schedule)) if training else {"version": "", "labels": 0}


def _learned_scope(schedule: RetrainingSchedule) -> str:
    training = training_of(schedule.capability)
    return schedule.scope if training and training.scope in ("hierarchy", "language") else ""


def last_training(schedule: RetrainingSchedule) -> Run | None:
    """Return the last training of the model that succeeded, whoever requested it."""
    training = training_of(schedule.capability)
    trained = Run.objects.filter(
        kind=Run.Kind.TRAIN, capability=schedule.capability, state=Run.State.SUCCEEDED, parameters__has_key="data"
    )
    if training is not None and training.scope in ("hierarchy", "language"):
        trained = trained.filter(**{f"parameters__{training.scope}": schedule.scope})
    return trained.order_by("-pk").first()


def new_labels(schedule: RetrainingSchedule) -> int:
    """Return the number of new labels and responses since the last training, or since the schedule was made."""
    last, training = last_training(schedule), training_of(schedule.capability)
    labels = training.report.labels(_learned_scope(schedule)) if training else 0
    return max(0, labels - (last.parameters["data"]["labels"] if last else schedule.labels))


def why_due(schedule: RetrainingSchedule, night: date) -> str:
    """Return why a model is due in a night; empty if it is not."""
    due_from = _due_from(schedule)
    if schedule.every_weeks and (due_from is None or night >= due_from):
        return f"Every {counted(schedule.every_weeks, 'week', 'weeks')}."
    if schedule.after_labels and (labels := new_labels(schedule)) >= schedule.after_labels:
        return f"{counted(labels, 'new label or response', 'new labels and responses')} since the last training."
    return ""


def unchanged_since(schedule: RetrainingSchedule) -> Run | None:
    """Return the last training if a new one would learn from the same data, else None."""
    last = last_training(schedule)
    is_same = last is not None and last.parameters["data"] == learned_from(schedule)
    return last if is_same else None


def why_busy() -> str:
    """Return why no training can begin now; empty if one can."""
    if (under_way := retraining_history().filter(outcome=Outcome.UNDER_WAY).first()) is not None:
        return f"{CAPABILITIES[under_way.schedule.capability].title}: being retrained."
    run = Run.objects.exclude(state__in=Run.FINISHED).order_by("-state", "pk").first()
    if run is not None:
        return f"Job {run.pk} ({job_kind_name(run.kind)}): {run.get_state_display().lower()}."
    return "" if queue_has_worker("train") else "No worker for trainings is running."
