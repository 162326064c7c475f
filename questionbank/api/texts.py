"""Texts that are not in the bank, as operations take them: one or a batch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from pydantic import Field, StringConstraints

from analytics.json_lines import TEXT_LIMIT
from analytics.text.tokens import detect_language
from questionbank.api.contract import Body
from questionbank.formats.answer_files import BATCH, InputQuestion

QuestionText = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=TEXT_LIMIT)]


class TextBody(Body):
    """A question's text; formulas are LaTeX."""

    text: QuestionText
    language: Annotated[str, Field(max_length=12)] = Field(
        default="", description="A language tag such as `en`; by default detected."
    )

    def language_or_detected(self) -> str:
        """Return the language, detected if it was not given."""
        return self.language or detect_language(self.text)


class TextsBody(Body):
    """Up to 256 texts; results come in the same order."""

    texts: Annotated[list[TextBody], Field(min_length=1, max_length=BATCH)]


def input_questions(texts: Sequence[TextBody]) -> list[InputQuestion]:
    """Return texts as the commands for files take them, numbered from 0."""
    return [InputQuestion(number, asked.text, asked.language_or_detected()) for number, asked in enumerate(texts)]
