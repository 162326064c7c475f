"""Pasting a question shows everything that the bank knows about it before it is saved.

The text is read first: its options, answer and parts, its language and its kind.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect

from analytics.analysed_text import analysed_text
from analytics.languages import FOREIGN_LANGUAGES, LANGUAGE_NAMES, detect_language, evident_language, primary_language
from analytics.text.question_layout import QuestionLayout, question_layout
from analytics.text.wholeness import wholeness_marks
from questionbank.bank.concept_selectors import HierarchyChoice, hierarchy_choice
from questionbank.bank.concept_services import hierarchy_choose
from questionbank.bank.question_fields import TypedText, read_typed
from questionbank.bank.question_forms import LANGUAGES, PASTE_LIMIT, GradeField, chosen_concepts
from questionbank.bank.question_services import question_create
from questionbank.bank.school_grades import grade_typed
from questionbank.core.forms import ServiceForm
from questionbank.core.views import check_permission, form_for, render_page
from questionbank.core.wording import language_name
from questionbank.models import KnowledgeConcept, Question, User
from questionbank.papers.services import document_question_count
from questionbank.papers.tasks import asks_for_truth, truth_of
from questionbank.people.school_selectors import usual_visible_to, visible_to_choices
from questionbank.similar.insight import AskedText, text_insight
from questionbank.solving.solutions import may_have_second_opinion


@dataclass(frozen=True, slots=True)
class PastedText:
    """A pasted text after parsing.

    Attributes:
        layout: the question, its options and its answer, as typed.
        typed: the whole text with plain maths converted to LaTeX.
        question: the question text that models read, with plain maths as LaTeX.
        language: the language tag in effect: the person's choice, otherwise the detected language.
        detected: the language tag detected from the words.
        notice: says that the models do not know the language, or that the text seems to be in another language than
            chosen; empty otherwise.
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
        whole: do not extract options from the text.
        language: the person's choice, which takes precedence; by default the language is detected.
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
    """A question to analyse."""

    text = forms.CharField(
        label="Question",
        max_length=PASTE_LIMIT,
        error_messages={"required": "Paste a question first."},
        widget=forms.Textarea(attrs={"rows": 6, "class": "source-text", "spellcheck": "false", "dir": "auto"}),
    )


class SavePastedForm(PasteForm):
    """The question with the few fields needed to save it; the rest can be added later.

    Options are extracted from the text. The suggested language and answer of an earlier text are submitted too, so that
    a new suggestion replaces them when the text changes, while a person's choice is kept.
    """

    language = forms.ChoiceField(label="Language", choices=LANGUAGES)
    status = forms.ChoiceField(
        label="Save as", choices=[(Question.Status.READY, "Ready"), (Question.Status.DRAFT, "Draft")]
    )
    visible_to = forms.ChoiceField(label="Visible to", required=False)
    answer = forms.CharField(label="Answer", max_length=PASTE_LIMIT, required=False)
    grade = GradeField()
    whole = forms.BooleanField(label="Keep the options in the text", required=False)
    suggested_language = forms.CharField(required=False, widget=forms.HiddenInput)
    suggested_answer = forms.CharField(required=False, widget=forms.HiddenInput)
    submission = forms.UUIDField(required=False, widget=forms.HiddenInput, initial=uuid4)
    concepts = forms.ModelMultipleChoiceField(queryset=KnowledgeConcept.objects.all(), required=False)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        choices: Any = self.fields["visible_to"]
        choices.choices = visible_to_choices()
        if not choices.choices:
            del self.fields["visible_to"]
        for name in self.fields.keys() - {"text", "concepts"}:  # they are outside the form element
            self.fields[name].widget.attrs["form"] = "paste-form"
        suggested = str(self.initial.get("suggested_language") or self.data.get("suggested_language", ""))
        if suggested in FOREIGN_LANGUAGES:  # offered only for a text in that language
            languages: Any = self.fields["language"]
            languages.choices = [*LANGUAGES, (suggested, language_name(suggested))]

    @classmethod
    def suggested(cls, data: QueryDict, pasted: PastedText, concepts: list[int], user: User) -> SavePastedForm:
        """Return the form for a pasted text, filled in from the text."""
        initial: dict[str, Any] = {
            "text": data.get("text", ""),
            "language": pasted.language,
            "suggested_language": pasted.detected,
            "status": data.get("status") or Question.Status.READY,
            "visible_to": data.get("visible_to") or usual_visible_to(user),
            "answer": _answer(data, pasted),
            "suggested_answer": pasted.layout.answer,
            "grade": grade_typed(data.get("grade", "")),
            "whole": bool(data.get("whole")),
            "concepts": concepts,
            "submission": data.get("submission") or uuid4(),
        }
        return cls(initial=initial)

    def service_fields(self) -> dict[str, Any]:
        """Return the arguments of the service, once the form is valid."""
        names = ("status", "grade", "submission", "visible_to")
        fields = {name: self.cleaned_data[name] for name in names if name in self.cleaned_data}
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
    """Return the parsed text, taking the person's choices into account."""
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
    """Return the type of a question without options, and the answer in that type's form."""
    if asks_for_truth(pasted.layout.text) and (truth := truth_of(answer)):
        return Question.Kind.TRUE_FALSE, truth
    return Question.Kind.OPEN, answer


def _answer(data: QueryDict, pasted: PastedText) -> str:
    """Return the answer that a person entered or chose, possibly "none", otherwise the one found in the text."""
    entered, suggested = data.get("answer", "").strip(), data.get("suggested_answer")
    labels = [option.label for option in pasted.layout.options]
    is_possible = not entered or not labels or entered in labels
    is_for_this_text = "answer" in data and suggested == pasted.layout.answer
    if is_possible and (is_for_this_text or (entered and entered != suggested)):
        return entered
    return pasted.layout.answer


@form_for("read")
def paste(request: HttpRequest) -> HttpResponse:
    """Analyse a pasted question (`action` look), convert its maths to LaTeX (read_maths) or save it (save)."""
    choice = _hierarchy(request)
    context: dict[str, Any] = {"form": PasteForm(initial={"text": request.GET.get("text", "")}), "choice": choice}
    status = 200
    if request.method == "POST":
        form = PasteForm(_with_maths_written(request.POST))
        context["form"] = form
        if form.is_valid():
            saving = request.POST.get("action") == "save"
            saved = _save(request, context) if saving else None
            if saved is not None:
                return redirect("question_detail", question_id=saved.pk)
            status = 422 if saving else 200
            context |= _insight(request, form.data, choice.name, context.get("save_form"))
        elif not request.htmx:
            status = 422
        elif request.POST.get("text", "").strip():  # an empty box is not an error yet
            context["problem"] = " ".join(form.errors["text"])
    return render_page(request, "similar/paste/paste.html", "similar/paste/_result.html", context, status=status)


def _with_maths_written(sent: QueryDict) -> QueryDict:
    """Return the submitted data, with plain maths converted to LaTeX if that button was pressed."""
    if sent.get("action") != "read_maths":
        return sent
    data = sent.copy()
    data["text"] = read_typed(data.get("text", "")).text
    return data


def _hierarchy(request: HttpRequest) -> HierarchyChoice:
    """Return the hierarchy to predict in, and remember it if it was chosen here."""
    choice = hierarchy_choice(user=request.user, requested=request.POST.get("hierarchy", ""))
    if "hierarchy" in request.POST and choice.name != hierarchy_choice(user=request.user).name:
        hierarchy_choose(user=request.user, name=choice.name)
    return choice


def _save(request: HttpRequest, context: dict[str, Any]) -> Question | None:
    check_permission(request, "question_create")
    form = SavePastedForm(request.POST)
    context["save_form"] = form
    if not form.is_valid():
        return None
    with form.takes_problems():
        question = question_create(user=request.user, **form.service_fields())
        messages.success(request, "The question is in the bank.")
        return question
    return None


def _insight(request: HttpRequest, data: QueryDict, hierarchy: str, save_form: SavePastedForm | None) -> dict[str, Any]:
    user, pasted = request.user, pasted_of(data)
    layout = pasted.layout
    analysed = analysed_text(pasted.question, layout.options)
    asked = AskedText(analysed, layout.text, pasted.language, layout.options)
    insight = text_insight(asked, hierarchy=hierarchy, user=user)
    return {
        "text": layout.text,
        "pasted": {"text": layout.text, "options": layout.options, "language": pasted.language},
        "question_text": pasted.question,
        "may_have_second_opinion": may_have_second_opinion(insight.solved, pasted.language),
        "warnings": pasted.typed.warnings,
        "paper_questions": document_question_count(data.get("text", "")),
        "read_as": pasted.typed.text if pasted.typed.was_read else "",
        "incomplete": wholeness_marks(layout.text),
        "language": pasted.language,
        "language_notice": pasted.notice,
        **vars(insight),
        "save_form": save_form or SavePastedForm.suggested(data, pasted, chosen_concepts(data), user),
        "options": layout.options,
        "chosen": chosen_concepts(data),
    }
