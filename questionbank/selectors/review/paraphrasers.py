"""What can propose paraphrases here: always the rules, and the models that the installation names."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePath

from django.conf import settings

from analytics.languages import primary_language
from questionbank.errors import ValidationFailed
from questionbank.models import ParaphrasePair
from questionbank.selectors.registry.language_models import configured_language_model

RULES = "rules"
SEQUENCE_MODEL = "sequence"
LANGUAGE_MODEL = "language"
RULE_LANGUAGE = "en"


@dataclass(frozen=True, slots=True)
class ParaphraserChoice:
    """One way to have paraphrases proposed.

    Attributes:
        source: of `ParaphrasePair.Source`.
        language: of the questions that it can reword; empty for any.
    """

    key: str
    label: str
    note: str
    source: str
    language: str = ""

    def rewords(self, language: str) -> bool:
        """Return whether it can do anything with a question in a language."""
        return not self.language or primary_language(language) == self.language


def paraphrasers() -> list[ParaphraserChoice]:
    """Return the ways there are, the rules first."""
    model = ParaphrasePair.Source.MODEL.value
    choices = [
        ParaphraserChoice(
            RULES,
            "Rule-based",
            "English only; works best on word problems.",
            ParaphrasePair.Source.RULES.value,
            RULE_LANGUAGE,
        )
    ]
    if settings.PARAPHRASE_MODEL:
        name = PurePath(settings.PARAPHRASE_MODEL).name
        choices.append(ParaphraserChoice(SEQUENCE_MODEL, name, "A model on this installation.", model))
    if configured := configured_language_model():
        sent = f"The questions’ texts are sent to {configured.host}."
        note = sent if configured.host else configured.note
        choices.append(ParaphraserChoice(LANGUAGE_MODEL, configured.name, note, model))
    return choices


def paraphraser_choice(key: str) -> ParaphraserChoice:
    """Return the way of a key.

    Raises:
        ValidationFailed: there is none here.
    """
    chosen = next((choice for choice in paraphrasers() if choice.key == key), None)
    if chosen is None:
        raise ValidationFailed.beside("paraphraser", "There is no paraphraser with this name.")
    return chosen
