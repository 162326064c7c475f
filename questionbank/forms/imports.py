"""The form to import a file."""

from __future__ import annotations

from django import forms
from django.utils.translation import gettext_lazy as _

from questionbank.formats.catalog import AUTO, FORMATS
from questionbank.forms.uploads import FileForm
from questionbank.scales import scale_names

__all__ = ["ImportForm"]


class ImportForm(FileForm):
    """A file of questions and how to read it; refused lines are dealt with after the dry run."""

    format = forms.ChoiceField(
        label=_("Format"),
        required=False,
        choices=[
            (AUTO, _("From the file's name")),
            *((one.name, one.label) for one in FORMATS.values()),
        ],
    )
    source = forms.CharField(
        label=_("Name of the set"),
        max_length=120,
        required=False,
        help_text=_("Leave empty to take it from the file's name."),
    )
    hierarchy = forms.CharField(
        label=_("Name of the concept hierarchy"),
        max_length=200,
        required=False,
        help_text=_("Leave empty to name it after the set. An existing name adds to that hierarchy."),
    )
    scale = forms.ChoiceField(
        label=_("Difficulty scale"),
        required=False,
        choices=[("", _("As each line says")), *((name, name) for name in scale_names())],
        help_text=_("Of lines that have a difficulty but name no scale."),
    )

    def clean_format(self) -> str:
        """Nothing chosen means: look at the name."""
        return self.cleaned_data["format"] or AUTO
