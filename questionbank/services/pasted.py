"""What a pasted text is: its question, options and answer, and the language that it is in."""

from __future__ import annotations

from dataclasses import dataclass

from analytics.languages import LANGUAGE_NAMES, primary_language
from analytics.text.language_words import evident_language
from analytics.text.question_layout import QuestionLayout, question_layout
from analytics.text.tokens import detect_language
from questionbank.services.question_fields import TypedText, read_typed
from questionbank.wording import language_name


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
