"""Forms for the equation of a word problem, and for the text of a similar problem."""

from __future__ import annotations

from django import forms

from questionbank.core.forms import ServiceForm
from questionbank.formats.limits import EQUATION_LIMIT
from questionbank.problem_writing.services import LONGEST_TEXT


class EquationForm(ServiceForm):
    """An equation, and the version of the question that its author read."""

    main_field = "equation"

    equation = forms.CharField(
        label="Equation",
        max_length=EQUATION_LIMIT,
        required=False,
        help_text=(
            "Numbers, brackets, + - × ÷ (or * /), ^ and %, without the result. Clear the field to remove the equation."
        ),
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false", "class": "code"}),
    )
    version = forms.IntegerField(widget=forms.HiddenInput, min_value=1, max_value=2**31 - 1)


class VariantForm(ServiceForm):
    """The text of a similar problem."""

    text = forms.CharField(
        label="Problem",
        max_length=LONGEST_TEXT,
        widget=forms.Textarea(attrs={"rows": 5, "dir": "auto"}),
        help_text="Keep the numbers that the equation uses and any blank, and do not state the answer.",
    )
