"""The equation of a word problem."""

from __future__ import annotations

from django import forms

from questionbank.formats.limits import EQUATION_LIMIT
from questionbank.forms.problems import ServiceForm


class EquationForm(ServiceForm):
    """An equation, and the version of the question that its writer read."""

    main_field = "equation"

    equation = forms.CharField(
        label="Equation",
        max_length=EQUATION_LIMIT,
        required=False,
        help_text=(
            "Numbers, brackets, + - × ÷ (or * /), ^ and %, without the result."
            " Clear the field to remove the equation."
        ),
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false", "class": "code"}),
    )
    version = forms.IntegerField(widget=forms.HiddenInput, min_value=1, max_value=2**31 - 1)
