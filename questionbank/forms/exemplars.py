"""How the few-shot prompt of a question's exemplars is written."""

from __future__ import annotations

from django import forms

from analytics.analogy.prompts import PromptSettings
from questionbank.forms.problems import ServiceForm
from questionbank.forms.questions import PASTE_LIMIT

_DEFAULTS = PromptSettings()


class PromptForm(ServiceForm):
    """Format, order and budget; whatever is missing or wrong is the default."""

    answers = forms.ChoiceField(
        label="Answers",
        required=False,
        choices=[
            ("", "Same format as most exemplars"),
            ("equation", "Equation: x=6*4-3"),
            ("solution", "Worked solution, ending in #### 21"),
            ("answer", "Answer alone: 21"),
        ],
    )
    order = forms.ChoiceField(
        label="Order",
        required=False,
        choices=[("nearest last", "Most similar last"), ("nearest first", "Most similar first")],
    )
    budget = forms.IntegerField(
        label="Maximum tokens",
        required=False,
        min_value=50,
        max_value=100_000,
        help_text="The least similar exemplars are left out until the prompt fits.",
    )

    def __init__(self, *args: object, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)  # type: ignore[arg-type]
        self.initial = {"order": _DEFAULTS.order, "budget": _DEFAULTS.budget, **self.initial}

    @property
    def settings(self) -> PromptSettings:
        """What was asked for."""
        self.is_valid()
        data = self.cleaned_data if self.is_bound else {}
        return PromptSettings(
            answers=data.get("answers") or "",
            order=data.get("order") or _DEFAULTS.order,
            budget=data.get("budget") or _DEFAULTS.budget,
        )


class TextPromptForm(PromptForm):
    """The same for a pasted text, which travels with it."""

    text = forms.CharField(max_length=PASTE_LIMIT, widget=forms.HiddenInput)
