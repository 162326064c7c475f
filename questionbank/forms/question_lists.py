"""The forms of lists of questions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django import forms

from questionbank.forms.problems import ServiceForm
from questionbank.models import Question, QuestionList, User
from questionbank.services.own_names import NAME_LIMIT


class QuestionListForm(ServiceForm):
    """Name of a list and whether it is shared."""

    main_field = "name"

    name = forms.CharField(label="Name", max_length=NAME_LIMIT)
    is_shared = forms.BooleanField(
        label="Share it inside the school",
        required=False,
        help_text="Everybody who can log in and has the link can read it. Only you can change it.",
    )


class AddToListForm(ServiceForm):
    """Which of a person's lists to add to, or the name of a new list; a name means a new list."""

    question_list = forms.ModelChoiceField(
        label="List",
        queryset=QuestionList.objects.none(),
        required=False,
        blank=True,  # without it a group of radio buttons has no empty choice
        widget=forms.RadioSelect,
        empty_label="A new list",
    )
    name = forms.CharField(label="Name of the new list", max_length=NAME_LIMIT, required=False)
    with_templates = forms.BooleanField(
        required=False,
        help_text="The list shows names in place of the numbers. A worksheet leaves such questions out.",
    )

    def __init__(self, *args: Any, user: User, questions: Sequence[Question], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.templates = sum(question.draws_numbers for question in questions)
        self._only_templates = self.templates == len(questions)
        several = f"{self.templates} questions that draw their numbers"
        templates = "question that draws its numbers" if self.templates == 1 else several
        self.fields["with_templates"].label = f"Add the {templates}, too"
        lists = QuestionList.objects.filter(owner=user)
        self.fields["question_list"].queryset = lists  # type: ignore[attr-defined]
        self.fields["question_list"].initial = lists.first()
        if lists:
            self.fields["name"].help_text = "A name starts a new list, whichever list is chosen above."

    def clean(self) -> dict[str, Any]:
        """Ask for a name where no list is chosen; choose none where a name is given."""
        cleaned = super().clean() or {}
        if cleaned.get("name"):
            cleaned["question_list"] = None
        if not cleaned.get("question_list") and not cleaned.get("name") and not self.errors:
            self.add_error("name", "Enter a name for the new list.")
        if self._only_templates and not cleaned.get("with_templates"):
            self.add_error("with_templates", "Tick the box to add a question that draws its numbers.")
        return cleaned
