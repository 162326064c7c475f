"""The form that rewords a similar problem."""

from __future__ import annotations

from django import forms

from questionbank.forms.problems import ServiceForm
from questionbank.services.variants import LONGEST_TEXT


class VariantForm(ServiceForm):
    """The text of a similar problem."""

    text = forms.CharField(
        label="Problem",
        max_length=LONGEST_TEXT,
        widget=forms.Textarea(attrs={"rows": 5, "dir": "auto"}),
        help_text="Keep the numbers that the equation uses and any blank, and do not state the answer.",
    )
