"""The forms for test papers: upload a document, set a line's role, import it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from django import forms
from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.template.defaultfilters import filesizeformat

from questionbank.core.forms import FileForm
from questionbank.formats.catalog import DOCUMENT_SUFFIXES
from questionbank.formats.limits import SET_LIMIT
from questionbank.imports.forms import ReadersForm
from questionbank.papers.paper_lines import Role
from questionbank.papers.review_selectors import second_reader

TEXT_LIMIT = 1_000_000  # characters in a pasted paper


@dataclass(frozen=True, slots=True)
class RoleChoice:
    """A role in the user interface: its button, its shortcut key, and the name shown for a line with that role."""

    role: Role
    key: str
    button: str
    name: str


ROLES = (
    RoleChoice(Role.QUESTION, "q", "Question starts here", "question"),
    RoleChoice(Role.MORE, "m", "Join with the line above", "continues the line above"),
    RoleChoice(Role.BELOW, "b", "Join with what follows", "begins what follows"),
    RoleChoice(Role.PART, "p", "Part", "part"),
    RoleChoice(Role.OPTION, "o", "Option", "option"),
    RoleChoice(Role.RIGHT_OPTION, "c", "Correct option", "correct option"),
    RoleChoice(Role.ANSWER, "a", "Answer", "answer"),
    RoleChoice(Role.SOLUTION, "s", "Solution", "solution"),
    RoleChoice(Role.KEY, "l", "List of answers", "list of answers"),
    RoleChoice(Role.HEADING, "h", "Heading", "heading"),
    RoleChoice(Role.STIMULUS, "t", "Shared text", "shared text"),
    RoleChoice(Role.NOTHING, "x", "Not a question", "not a question"),
)
"""The roles of a line, in the order of the buttons. The keys j, k, n, e, u and r have other functions."""

ROLE_NAMES = {choice.role: choice.name for choice in ROLES}


class DocumentForm(FileForm):
    """A test paper: a document, or its text."""

    limit: ClassVar[str] = "DOCUMENT_UPLOAD_MAX_BYTES"

    text = forms.CharField(
        label="Or paste its text",
        max_length=TEXT_LIMIT,
        required=False,
        widget=forms.Textarea(attrs={"rows": 8, "class": "source-text", "dir": "auto"}),
    )
    may_be_sent = forms.BooleanField(required=False, initial=True)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if reader := second_reader():
            self.fields["may_be_sent"].label = f"Have {reader} read it too"
            self.fields[
                "may_be_sent"
            ].help_text = (
                "The text of its lines is sent there, without pictures and without lines that hold a pupil’s name."
            )
        else:
            del self.fields["may_be_sent"]
        field = self.fields["file"]
        field.required, field.label = False, "Document"
        field.widget.attrs["accept"] = ",".join(DOCUMENT_SUFFIXES)

    def clean_file(self) -> UploadedFile | None:  # type: ignore[override]
        """Refuse an empty or oversized file; a missing file is valid if there is text."""
        return super().clean_file() if self.cleaned_data.get("file") else None

    def clean(self) -> dict[str, Any]:
        """Require a document or a text."""
        cleaned = super().clean() or {}
        if not self.errors and not cleaned.get("file") and not cleaned.get("text", "").strip():
            self.add_error("file", "Choose a document, or paste its text below.")
        return cleaned

    def _too_large_message(self) -> str:
        limit = filesizeformat(getattr(settings, self.limit))
        return f"This file is larger than {limit}. Split it, or make its pictures smaller."


class DocumentImportForm(ReadersForm):
    """Options for importing a reviewed paper into the bank."""

    source = forms.CharField(
        label="Name of the set", max_length=SET_LIMIT, required=False, help_text="You can search by it."
    )
    hierarchy = forms.CharField(label="Concepts of", required=False)
    with_headings = forms.BooleanField(label="Use headings as concepts", required=False)
