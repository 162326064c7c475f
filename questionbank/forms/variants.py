"""The form that rewords a similar problem."""

from __future__ import annotations

from django import forms
from django.utils.translation import gettext_lazy as _

from questionbank.forms.problems import ServiceForm
from questionbank.services.variants import LONGEST_TEXT


class VariantForm(ServiceForm):
    """The text of a similar problem."""

    text = forms.CharField(
        label=_("Problem"),
        max_length=LONGEST_TEXT,
        widget=forms.Textarea(attrs={"rows": 5, "dir": "auto"}),
        help_text=_("Keep the numbers that the equation uses and any blank, and do not state the answer."),
    )
