"""The forms of the page on which a question is pasted."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext_lazy as _

from analytics.text.tokens import detect_language
from questionbank.forms.problems import ServiceForm
from questionbank.forms.questions import LANGUAGES, TEXT_LIMIT
from questionbank.models import KnowledgeConcept, Question

__all__ = ["PasteForm", "SavePastedForm"]


class PasteForm(ServiceForm):
    """A question to look at."""

    text = forms.CharField(
        label=_("Question"),
        max_length=TEXT_LIMIT,
        error_messages={"required": _("Paste a question first.")},
        widget=forms.Textarea(
            attrs={"rows": 6, "class": "source-text", "spellcheck": "false", "dir": "auto"}
        ),
    )


class SavePastedForm(PasteForm):
    """The question with the little that is needed to save it; the rest can be written later."""

    language = forms.ChoiceField(label=_("Language"), choices=LANGUAGES)
    status = forms.ChoiceField(
        label=_("Save as"), choices=[(Question.Status.READY, _("Ready")), (Question.Status.DRAFT, _("Draft"))]
    )
    answer = forms.CharField(label=_("Answer"), max_length=TEXT_LIMIT, required=False)
    grade = forms.CharField(label=_("Grade"), max_length=40, required=False)
    submission = forms.UUIDField(
        required=False, widget=forms.HiddenInput(attrs={"form": "paste-form"}), initial=uuid4
    )
    concepts = forms.ModelMultipleChoiceField(queryset=KnowledgeConcept.objects.all(), required=False)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name in ("language", "status", "answer", "grade"):  # they stand outside of the form's element
            self.fields[name].widget.attrs["form"] = "paste-form"

    @classmethod
    def suggested(cls, data: QueryDict, concepts: list[int]) -> SavePastedForm:
        """Return the form for a pasted text, filled with what can be told from it."""
        text = data.get("text", "")
        initial: dict[str, Any] = {
            "text": text,
            "language": data.get("language") or detect_language(text),
            "status": data.get("status") or Question.Status.READY,
            "answer": data.get("answer", ""),
            "grade": data.get("grade", ""),
            "concepts": concepts,
            "submission": data.get("submission") or uuid4(),
        }
        return cls(initial=initial)
