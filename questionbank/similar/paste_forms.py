"""The forms of the page on which a question is pasted, and what a pasted text is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from django import forms
from django.http import QueryDict

from analytics.languages import LANGUAGE_NAMES, primary_language
from analytics.text.language_words import FOREIGN_LANGUAGES, evident_language
from analytics.text.question_layout import QuestionLayout, question_layout
from analytics.text.tokens import detect_language
from questionbank.bank.question_fields import TypedText, read_typed
from questionbank.bank.question_forms import LANGUAGES, PASTE_LIMIT, GradeField
from questionbank.bank.school_grades import grade_typed
from questionbank.core.forms import ServiceForm
from questionbank.core.wording import language_name
from questionbank.models import KnowledgeConcept, Question
from questionbank.papers.truth_phrases import asks_for_truth, truth_of


@dataclass(frozen=True, slots=True)
class PastedText:
    """A pasted text as it is read.

    Attributes:
        layout: the question, its options and its answer, as they were typed.
        typed: the whole text with its plain maths read.
        question: the text of the question that models read, its plain maths as LaTeX.
        language: tag of the language that it is taken to be in: what a person chose, else what was detected.
        detected: tag of the language that its words speak for.
        notice: says that it is in a language that the models do not know, or another one than was chosen; else empty.
    """

    layout: QuestionLayout
    typed: TypedText
    question: str
    language: str
    detected: str
    notice: str


def read_pasted(text: str, *, whole: bool = False, language: str = "") -> PastedText:
    """Read a pasted text.

    Args:
        whole: take no options out of it.
        language: what a person chose, which counts; otherwise the words of the text say.
    """
    layout = QuestionLayout(text) if whole else question_layout(text)
    typed = read_typed(text)
    question = typed.text if layout.text == text else read_typed(layout.text).text
    evident, detected = evident_language(text), detect_language(text)
    notice = _language_notice(evident, language or detected, is_chosen=bool(language))
    return PastedText(layout, typed, question, language or detected, detected, notice)


def _language_notice(evident: str, language: str, *, is_chosen: bool) -> str:
    is_known = primary_language(language) in LANGUAGE_NAMES
    if is_known and (not is_chosen or evident in ("", primary_language(language))):
        return ""
    if is_known:
        chosen = language_name(primary_language(language))
        return f"This text seems to be in {language_name(evident)}. It is read as {chosen}, as you chose."
    is_foreign = evident and evident not in LANGUAGE_NAMES
    seems = f"This text seems to be in {language_name(evident)}." if is_foreign else ""
    return f"{seems} Concepts and difficulty are predicted in English and Chinese only.".strip()


class PasteForm(ServiceForm):
    """A question to look at."""

    text = forms.CharField(
        label="Question",
        max_length=PASTE_LIMIT,
        error_messages={"required": "Paste a question first."},
        widget=forms.Textarea(
            attrs={"rows": 6, "class": "source-text", "spellcheck": "false", "dir": "auto"}
        ),
    )


class SavePastedForm(PasteForm):
    """The question with the little that is needed to save it; the rest can be written later.

    Options come out of the text. What was suggested for the language and the answer of an earlier text travels along,
    so that it gives way to what a changed text suggests, and what a person chose does not.
    """

    language = forms.ChoiceField(label="Language", choices=LANGUAGES)
    status = forms.ChoiceField(
        label="Save as", choices=[(Question.Status.READY, "Ready"), (Question.Status.DRAFT, "Draft")]
    )
    answer = forms.CharField(label="Answer", max_length=PASTE_LIMIT, required=False)
    grade = GradeField()
    whole = forms.BooleanField(label="Keep the options in the text", required=False)
    suggested_language = forms.CharField(required=False, widget=forms.HiddenInput)
    suggested_answer = forms.CharField(required=False, widget=forms.HiddenInput)
    submission = forms.UUIDField(required=False, widget=forms.HiddenInput, initial=uuid4)
    concepts = forms.ModelMultipleChoiceField(queryset=KnowledgeConcept.objects.all(), required=False)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name in self.fields.keys() - {"text", "concepts"}:  # they are outside of the form's element
            self.fields[name].widget.attrs["form"] = "paste-form"
        suggested = str(self.initial.get("suggested_language") or self.data.get("suggested_language", ""))
        if suggested in FOREIGN_LANGUAGES:  # one that only a text that is in it is offered
            languages: Any = self.fields["language"]
            languages.choices = [*LANGUAGES, (suggested, language_name(suggested))]

    @classmethod
    def suggested(cls, data: QueryDict, pasted: PastedText, concepts: list[int]) -> SavePastedForm:
        """Return the form for a pasted text, filled with what the text says."""
        initial: dict[str, Any] = {
            "text": data.get("text", ""),
            "language": pasted.language,
            "suggested_language": pasted.detected,
            "status": data.get("status") or Question.Status.READY,
            "answer": _answer(data, pasted),
            "suggested_answer": pasted.layout.answer,
            "grade": grade_typed(data.get("grade", "")),
            "whole": bool(data.get("whole")),
            "concepts": concepts,
            "submission": data.get("submission") or uuid4(),
        }
        return cls(initial=initial)

    def service_fields(self) -> dict[str, Any]:
        """Return what the service takes, once the form is valid."""
        names = ("status", "grade", "submission")
        fields = {name: self.cleaned_data[name] for name in names}
        pasted = pasted_of(self.data)
        answer = _answer(self.data, pasted)
        kind, answer = (Question.Kind.CHOICE, answer) if pasted.layout.options else _kind(pasted, answer)
        return fields | {
            "text": pasted.layout.text,
            "language": pasted.language,
            "kind": kind,
            "options": [{"label": option.label, "text": option.text} for option in pasted.layout.options],
            "answer": answer,
            "solution": "",
            "concepts": list(self.cleaned_data["concepts"]),
        }


def pasted_of(data: QueryDict) -> PastedText:
    """Return the pasted text as it is read, with what a person chose about it."""
    language = data.get("language", "")
    is_chosen = (language in dict(LANGUAGES) or language in FOREIGN_LANGUAGES) and language != data.get(
        "suggested_language", language
    )
    return read_pasted(
        data.get("text", "").replace("\r\n", "\n").strip(),
        whole=bool(data.get("whole")),
        language=language if is_chosen else "",
    )


def _kind(pasted: PastedText, answer: str) -> tuple[Question.Kind, str]:
    """Return the type of a question without options, with its answer as that type has it."""
    if asks_for_truth(pasted.layout.text) and (truth := truth_of(answer)):
        return Question.Kind.TRUE_FALSE, truth
    return Question.Kind.OPEN, answer


def _answer(data: QueryDict, pasted: PastedText) -> str:
    """Return what a person entered or chose as the answer, "none" too, else what the text says."""
    entered, suggested = data.get("answer", "").strip(), data.get("suggested_answer")
    labels = [option.label for option in pasted.layout.options]
    is_possible = not entered or not labels or entered in labels
    is_for_this_text = "answer" in data and suggested == pasted.layout.answer
    if is_possible and (is_for_this_text or (entered and entered != suggested)):
        return entered
    return pasted.layout.answer
