"""The form of a group of synonyms."""

from __future__ import annotations

from django import forms

from questionbank.forms.problems import ServiceForm


class SynonymForm(ServiceForm):
    """Terms, one a line."""

    terms = forms.CharField(
        label="Terms",
        max_length=4000,
        widget=forms.Textarea(attrs={"rows": 6}),
        help_text="One term a line: names, abbreviations, other spellings. Pages show the first.",
    )
