"""The form to import a file."""

from __future__ import annotations

from typing import Any

from django import forms
from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.template.defaultfilters import filesizeformat
from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _

from questionbank.formats.catalog import AUTO, FORMATS
from questionbank.scales import scale_names

__all__ = ["ImportForm"]


class ImportForm(forms.Form):
    """A file of questions and how to read it; refused lines are dealt with after the dry run."""

    file = forms.FileField(label=_("File"), allow_empty_file=True, widget=forms.FileInput)
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

    def __init__(self, *args: Any, too_large: bool = False, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._too_large = too_large

    def clean_format(self) -> str:
        """Nothing chosen means: look at the name."""
        return self.cleaned_data["format"] or AUTO

    def clean_file(self) -> UploadedFile:
        """Refuse what is empty or too large with a sentence."""
        file: UploadedFile = self.cleaned_data["file"]
        if not file.size:
            raise forms.ValidationError(_("This file is empty."))
        if file.size > settings.IMPORT_UPLOAD_MAX_BYTES:
            raise forms.ValidationError(too_large_message())
        return file

    def add_error(self, field: str | None, error: Any) -> None:
        """Say that the file was too large where it was dropped on the way, instead of that it is missing."""
        if field == "file" and self._too_large:
            error = forms.ValidationError(too_large_message())
        super().add_error(field, error)


def too_large_message() -> str:
    """Why a file was refused for its size."""
    limit = filesizeformat(settings.IMPORT_UPLOAD_MAX_BYTES)
    return _now("This file is larger than %(limit)s. Compress it with gzip, or split it.") % {"limit": limit}
