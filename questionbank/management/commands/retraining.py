"""List and set the schedules by which models are retrained."""

from __future__ import annotations

from argparse import ArgumentParser, BooleanOptionalAction
from typing import Any

from questionbank.core.capability_catalog import trainable
from questionbank.core.errors import ValidationFailed
from questionbank.core.wording import counted
from questionbank.management.base import BankCommand
from questionbank.models import RetrainingSchedule
from questionbank.training.forms import FIELDS, ScheduleForm
from questionbank.training.retraining_selectors import RetrainedModel, retrained_models, schedule_of
from questionbank.training.retraining_services import schedule_set


class Command(BankCommand):
    """The page *Models > Retraining* has the same settings, limits and history."""

    help = "List or set when models are retrained automatically."

    def add_arguments(self, parser: ArgumentParser) -> None:
        actions = parser.add_subparsers(dest="action", required=True)
        actions.add_parser("list", help="list the models that can be retrained, with their schedules")
        change = actions.add_parser("set", help="make or change a model's schedule; what is not given stays as it is")
        change.add_argument("capability", help=f"{', '.join(trainable())}")
        change.add_argument("--scope", default="", help="hierarchy or language of the model, as `list` prints it")
        change.add_argument("--on", dest="is_on", action=BooleanOptionalAction, help="switch the schedule on or off")
        change.add_argument("--every-weeks", metavar="N", help="retrain every N weeks; 0 for no interval")
        change.add_argument("--after-labels", metavar="N", help="retrain after N new labels or responses; 0 for none")
        change.add_argument("--from", dest="begins_at", metavar="HH:MM", help="a training may begin from this time")
        change.add_argument("--until", dest="ends_at", metavar="HH:MM", help="and until this time")
        change.add_argument(
            "--promote",
            dest="promotes",
            action=BooleanOptionalAction,
            help="whether a new model that passes the gate is put into use",
        )
        change.add_argument("--site", default="", metavar="URL", help="address of Kindred, for the links in its mail")

    def handle(self, *args: Any, action: str, **options: Any) -> None:
        {"list": self._list, "set": self._set}[action](options)

    def _list(self, _options: dict[str, Any]) -> None:
        for model in retrained_models():
            self.stdout.write("  ".join([model.capability, model.scope or "-", *_described(model)]))

    def _set(self, options: dict[str, Any]) -> None:
        key = {"capability": options["capability"], "scope": options["scope"]}
        schedule = schedule_of(**key) or RetrainingSchedule(**key)
        given = {name: options[name] for name in FIELDS if options[name] is not None}
        given |= {name: "" for name in ("every_weeks", "after_labels") if given.get(name) == "0"}
        form = ScheduleForm({name: getattr(schedule, name) for name in FIELDS} | given, schedule=schedule)
        if not form.is_valid():
            field, problems = next(iter(form.errors.items()))
            raise ValidationFailed(f"{form.fields[field].label}: {problems[0]}")
        schedule_set(user=None, **key, values=form.cleaned_data, site=options["site"])
        self.stderr.write("The schedule is saved.")


def _described(model: RetrainedModel) -> list[str]:
    """Return when a model is retrained, when next, and what came of it last."""
    schedule, last = model.schedule, model.last
    if schedule is None:
        return ["no schedule"]
    conditions = []
    if schedule.every_weeks:
        conditions.append(f"every {counted(schedule.every_weeks, 'week', 'weeks')}")
    if schedule.after_labels:
        labels = counted(schedule.after_labels, "new label", "new labels")
        conditions.append(f"after {labels} ({model.new_labels:,} so far)")
    described = [" or ".join(conditions) if schedule.is_on else "switched off"]
    described.append(f"{schedule.begins_at:%H:%M} to {schedule.ends_at:%H:%M}")
    if schedule.promotes:
        described.append("put into use if it passes")
    if model.next_at is not None:
        described.append(f"next: {model.next_at:%Y-%m-%d %H:%M} UTC")
    if last is not None:
        described.append(f"last: {last.night}, {last.get_outcome_display()}. {last.sentence}")
    return described
