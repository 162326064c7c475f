"""Forms of the review: pairs typed or in a file, filters, guidelines, keys, and proposals of paraphrases."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django import forms
from django.conf import settings

from analytics.json_lines import TEXT_LIMIT
from questionbank.bank.concept_selectors import StrandGroup
from questionbank.bank.question_selectors import is_text_of, visible_to
from questionbank.core.forms import FileForm, ServiceForm
from questionbank.models import ParaphrasePair, Question, ReviewDecision, User
from questionbank.models.paraphrase import opinions_wanted
from questionbank.review.pair_selectors import PairFilters
from questionbank.review.paraphrase_services import MOST_EACH, MOST_QUESTIONS, RULES, ParaphraserChoice
from questionbank.review.selectors import DEFAULT_KEYS

ACTION_NAMES = {  # action -> text of its button and of the legend; a literal table
    "accept": "Accept",
    **{reason.value: reason.label for reason in ReviewDecision.Reason},
    "edit": "Accept with changes",
    "unsure": "Unsure",
    "skip": "Skip",
    "undo": "Undo",
    "comment": "Write a comment",
}


class OpinionsForm(ServiceForm):
    """How many reviewers decide on each added pair."""

    opinions = forms.IntegerField(
        label="Reviewers for each pair",
        required=False,
        min_value=1,
        max_value=settings.REVIEW_OPINIONS_MOST,
        initial=opinions_wanted,
        help_text="Reviewers do not see each other's decisions. If they disagree, somebody else settles the pair.",
    )


class PairForm(OpinionsForm):
    """A pair typed by hand; the original is a bank question or a text."""

    field_order = ("question", "original", "paraphrase", "language", "opinions")

    question = forms.IntegerField(
        label="Number of the question in the bank",
        required=False,
        min_value=1,
        max_value=2**31 - 1,
        help_text="If the original is a question in the bank; leave the original empty then.",
    )
    original = forms.CharField(
        label="Original",
        required=False,
        max_length=TEXT_LIMIT,
        widget=forms.Textarea(attrs={"rows": 3, "class": "short", "dir": "auto"}),
    )
    paraphrase = forms.CharField(
        label="Paraphrase",
        max_length=TEXT_LIMIT,
        widget=forms.Textarea(attrs={"rows": 3, "class": "short", "dir": "auto"}),
    )
    language = forms.CharField(label="Language", max_length=12, initial="en", help_text="Such as en or zh.")

    def __init__(self, *arguments: Any, user: User, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.user = user

    def clean(self) -> dict[str, Any]:
        """Require either a question or an original, and normalise line endings."""
        cleaned: dict[str, Any] = super().clean() or {}
        for name in ("original", "paraphrase"):
            cleaned[name] = cleaned.get(name, "").replace("\r\n", "\n")
        number = cleaned.get("question")
        cleaned["question"] = None
        if number:
            question = Question.objects.filter(visible_to(self.user), pk=number).first()
            if question is None:
                self.add_error("question", "There is no question with this number.")
                return cleaned
            cleaned["question"] = question
            cleaned["original"] = cleaned.get("original") or question.text
            if not is_text_of(question=question, text=cleaned["original"]):
                problem = f"This is not the text of question {number}."
                self.add_error("original", problem)
        elif not cleaned.get("original") and not {"question", "original"} & set(self.errors):
            self.add_error("original", "Write the original, or give the number of a question.")
        return cleaned


class PairFileForm(OpinionsForm, FileForm):
    """A file of pairs, checked before anything is added."""

    field_order = ("file", "opinions", "hides_machine")

    hides_machine = forms.BooleanField(
        label="Hide the model’s assessment until a pair is decided",
        required=False,
        help_text="Reviewers then see neither score nor findings, so their decisions are their own.",
    )

    limit = "REVIEW_UPLOAD_MAX_BYTES"

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        # The page's other form also has a field `opinions`.
        super().__init__(*args, auto_id="id_file_%s", **kwargs)


class PairFilterForm(ServiceForm):
    """Filters of the list of pairs; empty ones match everything."""

    state = forms.ChoiceField(
        label="State",
        required=False,
        choices=[
            ("", "Any"),
            *(choice for choice in ParaphrasePair.State.choices if choice[0] != ParaphrasePair.State.DECIDED),
            (ParaphrasePair.State.DECIDED, "Decided, with any outcome"),
            *ParaphrasePair.Outcome.choices,
        ],
    )
    batch = forms.ChoiceField(label="Batch", required=False)
    least = forms.IntegerField(label="Probability at least (%)", required=False, min_value=0, max_value=100)
    most = forms.IntegerField(label="Probability at most (%)", required=False, min_value=0, max_value=100)
    reviewer = forms.TypedChoiceField(label="Decided by", required=False, coerce=int, empty_value=None)
    reason = forms.ChoiceField(
        label="Rejected because", required=False, choices=[("", "Any reason"), *ReviewDecision.Reason.choices]
    )
    text = forms.CharField(label="Contains the words", required=False, max_length=200, strip=True)

    def __init__(
        self, data: Mapping[str, Any], *, batches: Sequence[str], reviewers: Sequence[tuple[int, str]]
    ) -> None:
        super().__init__(data)
        named: Any = self.fields["batch"]
        people: Any = self.fields["reviewer"]
        named.choices = [("", "Any"), *((name, name) for name in batches)]
        people.choices = [("", "Anybody"), *reviewers]

    def filters(self) -> PairFilters:
        """Return the filters from the valid fields; an invalid field filters nothing."""
        values: dict[str, Any] = {name: value for name, value in self.cleaned_data.items() if value not in ("", None)}
        for bound in ("least", "most"):
            if bound in values:
                values[bound] /= 100
        return PairFilters(**values)


class GuidelineForm(ServiceForm):
    """A new version of the guidelines."""

    text = forms.CharField(
        label="Guidelines",
        max_length=TEXT_LIMIT,
        widget=forms.Textarea(attrs={"rows": 14}),
        help_text="Saving makes a new version; decisions keep the version they were made under.",
    )


class KeysForm(ServiceForm):
    """One field per action; an empty one disables its key."""

    def __init__(self, data: Mapping[str, Any] | None = None, *, keys: Mapping[str, str]) -> None:
        super().__init__(data)
        for action in DEFAULT_KEYS:
            self.fields[action] = forms.CharField(
                label=ACTION_NAMES[action],
                required=False,
                max_length=1,
                initial=keys[action],
                widget=forms.TextInput(attrs={"class": "key-input", "autocomplete": "off"}),
            )


class ProposalsForm(ServiceForm):
    """The number of paraphrases per question, and the paraphraser."""

    each = forms.IntegerField(label="Number of paraphrases", min_value=1, max_value=MOST_EACH, initial=3)
    paraphraser = forms.ChoiceField(label="Written by", widget=forms.RadioSelect, initial=RULES)

    def __init__(self, *args: Any, paraphrasers: Sequence[ParaphraserChoice], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        choices: Any = self.fields["paraphraser"]
        choices.choices = [
            (paraphraser.key, f"{paraphraser.label} ({paraphraser.note.rstrip('.')})") for paraphraser in paraphrasers
        ]


class ManyProposalsForm(ProposalsForm):
    """Paraphrases of random questions from a part of the bank."""

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
        """Set up the choices; `concept` is an additional choice besides the strands."""
        super().__init__(*args, **kwargs)
        groups: list[Any] = [("", "The whole bank")]
        if concept is not None:
            groups.append(concept)
        groups += [(str(group.hierarchy), [(strand.id, strand.name) for strand in group.strands]) for group in strands]
        concepts, origins = self.fields["concept"], self.fields["source"]
        concepts.choices = groups  # type: ignore[attr-defined]
        origins.choices = [("", "Any"), *((name, name) for name in sources)]  # type: ignore[attr-defined]


class ParaphraseForm(ServiceForm):
    """A paraphrase that somebody types."""

    paraphrase = forms.CharField(
        label="Your wording",
        max_length=TEXT_LIMIT,
        widget=forms.Textarea(attrs={"rows": 4, "class": "short", "dir": "auto"}),
    )
