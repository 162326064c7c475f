"""Forms of trainings: the settings of a run, built from its configuration class, and a schedule of retraining."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django import forms

from analytics.configuration import FieldSpec, config_from_strings, field_specs, labelled_problems
from analytics.errors import ConfigurationError
from questionbank.core.capability_contract import OPEN_GROUPS, TrainingOption
from questionbank.core.forms import ServiceForm
from questionbank.core.wording import number_text
from questionbank.models import RetrainingSchedule

OTHERS = "Hardware and reproducibility"


@dataclass(frozen=True, slots=True)
class FieldGroup:
    """Fields that are shown together; `is_open` if the group is expanded."""

    title: str
    fields: list[forms.BoundField]
    is_open: bool


class TrainingForm(ServiceForm):
    """The settings of a training run, with bounds, help and defaults from its configuration class.

    The configuration class checks conditions that span several fields. `options` are the capability's additional form
    fields. With `one_hierarchy`, exactly one hierarchy must be chosen, and that one is preselected.
    """

    hierarchies = forms.MultipleChoiceField(
        label="Only questions tagged in",
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text="Tick none to use all ready questions, tagged or not.",
    )

    def __init__(
        self,
        *args: Any,
        config_class: type,
        hierarchies: Sequence[str] = (),
        one_hierarchy: str = "",
        groups: Mapping[str, str] | None = None,
        options: Sequence[TrainingOption] = (),
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self.fields |= {option.name: _option_field(option) for option in options}
        self.form_groups, self.options = groups or {}, options
        self.one_hierarchy = one_hierarchy
        if one_hierarchy:
            self.fields["hierarchies"] = forms.ChoiceField(label="Hierarchy", initial=one_hierarchy)
        choices: Any = self.fields["hierarchies"]
        choices.choices = [(name, name) for name in hierarchies]
        self.config_class, self.specs = config_class, field_specs(config_class)
        self.fields |= {spec.name: _field(spec) for spec in self.specs}

    def clean(self) -> dict[str, Any]:
        """Validate the settings together, once each is valid by itself."""
        if not self.errors:
            try:
                config_from_strings(self.config_class, self.settings())
            except ConfigurationError as error:
                for name, problems in labelled_problems(self.config_class, error).items():
                    self.add_error(name or None, problems)
        return self.cleaned_data

    @property
    def groups(self) -> list[FieldGroup]:
        """The settings grouped by subject, in the order of the page."""
        names = [spec.name for spec in self.specs]
        placed = " ".join(self.form_groups.values()).split()
        rest = " ".join(name for name in names if name not in placed)
        groups = []
        for title, named in {**self.form_groups, OTHERS: rest}.items():
            fields = [self[name] for name in named.split() if name in names]
            is_touched = self.is_bound and any(field.errors or field.name in self.changed_data for field in fields)
            groups.append(FieldGroup(title, fields, title in OPEN_GROUPS or is_touched))
        return [group for group in groups if group.fields]

    @property
    def option_fields(self) -> list[tuple[str, forms.BoundField]]:
        """The form's fields other than settings, with their titles."""
        return [(option.title, self[option.name]) for option in self.options]

    def chosen_options(self) -> dict[str, bool | str]:
        """Return the values of those fields, once the form is valid."""
        return {
            option.name: answer if option.choices else bool(answer)
            for option in self.options
            for answer in [self.cleaned_data[option.name]]
        }

    def settings(self) -> dict[str, str]:
        """Return the settings that differ from the defaults, as `config_from_strings` reads them, from a valid form."""
        return {
            spec.name: str(self.cleaned_data[spec.name])
            for spec in self.specs
            if self.cleaned_data.get(spec.name) is not None and self.cleaned_data[spec.name] != spec.default
        }

    def asked(self) -> tuple[dict[str, str], dict[str, Any]] | None:
        """Return the settings and options as the form shows them; None if one is invalid."""
        if self.is_bound:
            return (self.settings(), self.chosen_options()) if self.is_valid() else None
        settings = {name: str(value) for name, value in self.initial.items()}
        options: dict[str, Any] = {
            option.name: next(iter(option.choices), self[option.name].initial) for option in self.options
        }
        options |= {name: settings.pop(name) for name in list(options) if name in settings}
        known = {spec.name for spec in self.specs}
        return {name: value for name, value in settings.items() if name in known}, options

    def chosen_hierarchies(self) -> list[str] | None:
        """Return the chosen hierarchies' names, None for all questions; also works before the form is valid."""
        offered_names = {name for name, _label in self.fields["hierarchies"].choices}  # type: ignore[attr-defined]
        sent = self.data.getlist("hierarchies") if self.is_bound else [self.one_hierarchy]  # type: ignore[attr-defined]
        return [name for name in sent if name in offered_names] or None


def _option_field(option: TrainingOption) -> forms.Field:
    if option.form_field is None:
        return forms.ChoiceField(label=option.title, choices=list(option.choices.items()), help_text=option.help_text)
    return option.form_field()


def _field(spec: FieldSpec) -> forms.Field:
    """Return a form field for one field of a configuration."""
    common: dict[str, Any] = {
        "label": spec.label,
        "help_text": spec.help[:1].upper() + spec.help[1:].rstrip(".") + _bounds(spec),
        "initial": spec.default,
        "required": spec.type is not bool and spec.default != "",
    }
    if spec.choices:
        return forms.ChoiceField(choices=[(choice, choice) for choice in spec.choices], **common)
    if spec.type is bool:
        return forms.BooleanField(**common)
    if spec.type is int:
        return forms.IntegerField(min_value=_whole(spec.minimum), max_value=_whole(spec.maximum), **common)
    if spec.type is float:
        return forms.FloatField(min_value=spec.minimum, max_value=spec.maximum, **common)
    return forms.CharField(max_length=500, **common)


def _whole(bound: float | None) -> int | None:
    return None if bound is None else int(bound)


def _bounds(spec: FieldSpec) -> str:
    low, high = spec.minimum, spec.maximum
    if high is None and not low:  # no bound worth showing: nobody enters a negative number of steps
        return ""
    if high is None:
        return f" (≥ {number_text(low)})"
    return f" ({number_text(low)} – {number_text(high)})" if low is not None else f" (≤ {number_text(high)})"


MOST_WEEKS, MOST_LABELS = 52, 10_000_000
FIELDS = ("is_on", "every_weeks", "after_labels", "begins_at", "ends_at", "promotes")


class ScheduleForm(ServiceForm):
    """When a model is retrained, and whether the new one may be put into use."""

    is_on = forms.BooleanField(label="Retrain this model automatically", required=False)
    every_weeks = forms.IntegerField(
        label="Interval in weeks",
        required=False,
        min_value=1,
        max_value=MOST_WEEKS,
        help_text="Leave it empty to retrain after new labels only.",
    )
    after_labels = forms.IntegerField(
        label="Number of new labels or responses",
        required=False,
        min_value=1,
        max_value=MOST_LABELS,
        help_text="Counted since the last training. With both, whichever comes first.",
    )
    begins_at = forms.TimeField(label="From", widget=forms.TimeInput({"type": "time"}, format="%H:%M"))
    ends_at = forms.TimeField(
        label="Until",
        widget=forms.TimeInput({"type": "time"}, format="%H:%M"),
        help_text="A training begins in these hours; it may end later.",
    )
    promotes = forms.BooleanField(
        label="Put the new model into use if it passes the gate",
        required=False,
        help_text="Otherwise it stays a candidate until an admin promotes it.",
    )

    def __init__(self, *args: Any, schedule: RetrainingSchedule, **kwargs: Any) -> None:
        super().__init__(*args, initial={name: getattr(schedule, name) for name in FIELDS}, **kwargs)
