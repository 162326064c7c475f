"""The forms to have paraphrases proposed, for one question or many, and to write one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django import forms

from analytics.json_lines import TEXT_LIMIT
from questionbank.forms.problems import ServiceForm
from questionbank.selectors.questions.overview import StrandGroup
from questionbank.selectors.review.paraphrasers import RULES, ParaphraserChoice
from questionbank.services.proposals import MOST_EACH, MOST_QUESTIONS


class ProposalsForm(ServiceForm):
    """How many paraphrases of a question, and by what."""

    each = forms.IntegerField(label="Number of paraphrases", min_value=1, max_value=MOST_EACH, initial=3)
    paraphraser = forms.ChoiceField(label="Written by", widget=forms.RadioSelect, initial=RULES)

    def __init__(self, *args: Any, paraphrasers: Sequence[ParaphraserChoice], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        choices: Any = self.fields["paraphraser"]
        choices.choices = [
            (paraphraser.key, f"{paraphraser.label} ({paraphraser.note.rstrip('.')})")
            for paraphraser in paraphrasers
        ]


class ManyProposalsForm(ProposalsForm):
    """Paraphrases of questions drawn from a part of the bank."""

    concept = forms.TypedChoiceField(label="Concept", required=False, coerce=int, empty_value=None)
    source = forms.ChoiceField(label="Source", required=False)
    number = forms.IntegerField(
        label="Questions",
        min_value=1,
        max_value=MOST_QUESTIONS,
        initial=20,
        help_text="Drawn at random from those that have no paraphrase yet.",
    )
    field_order = ("concept", "source", "number", "each", "paraphraser")

    def __init__(
        self,
        *args: Any,
        strands: Sequence[StrandGroup],
        concept: tuple[int, str] | None = None,
        sources: Sequence[str],
        **kwargs: Any,
    ) -> None:
        """Set the choices up; `concept` is one that may be chosen besides the strands."""
        super().__init__(*args, **kwargs)
        groups: list[Any] = [("", "The whole bank")]
        if concept is not None:
            groups.append(concept)
        groups += [
            (str(group.hierarchy), [(strand.id, strand.name) for strand in group.strands])
            for group in strands
        ]
        concepts, origins = self.fields["concept"], self.fields["source"]
        concepts.choices = groups  # type: ignore[attr-defined]
        origins.choices = [("", "Any"), *((name, name) for name in sources)]  # type: ignore[attr-defined]


class ParaphraseForm(ServiceForm):
    """A paraphrase that somebody writes."""

    paraphrase = forms.CharField(
        label="Your wording",
        max_length=TEXT_LIMIT,
        widget=forms.Textarea(attrs={"rows": 4, "class": "short", "dir": "auto"}),
    )
