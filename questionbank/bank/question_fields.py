"""A question's fields: validated as a person enters them, and represented as the API returns them."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import prefetch_related_objects
from pydantic import BaseModel, Field

from analytics.json_lines import TEXT_LIMIT, string_problem
from analytics.question_content import EMPTY, Option, QuestionContent, as_json
from analytics.text.plain_maths import mark_plain_maths
from questionbank.bank.concept_selectors import choices_of
from questionbank.core.errors import ValidationFailed
from questionbank.formats import limits
from questionbank.formats.fields import LANGUAGE_TAG, content_problem
from questionbank.formats.kinds import derived_answer, options_fault, truth_word
from questionbank.models import Question, QuestionTag


class _Checks:
    def __init__(self, fields: Mapping[str, Any]) -> None:
        self.fields = fields
        self.problems: defaultdict[str, list[str]] = defaultdict(list)

    def string(self, name: str, limit: int) -> str:
        """Return the value with line ends normalised and surrounding whitespace removed."""
        value = str(self.fields.get(name) or "").replace("\r\n", "\n").strip()
        reason = string_problem(value, limit)
        if reason:
            self.problems[name].append(reason[0].upper() + reason[1:] + ".")
        return value

    def options(self) -> list[Option]:
        options: list[Option] = []
        entries: Sequence[Mapping[str, Any] | Option] = self.fields.get("options") or ()
        if len(entries) > limits.OPTIONS_LIMIT:
            message = f"A question has at most {limits.OPTIONS_LIMIT} options."
            self.problems["options"].append(message)
            return []
        for option in entries:
            raw = as_json(option) if isinstance(option, Option) else option
            label, text, misconception, feedback = (
                str(raw.get(name) or "").replace("\r\n", "\n").strip()
                for name in ("label", "text", "misconception", "feedback")
            )
            weight = raw.get("weight")
            if not label or not text:
                self.problems["options"].append("Every option needs a label and a text.")
            if weight is not None and not -1 <= weight <= 1:
                self.problems["options"].append("A weight lies between -100% and 100%.")
            for value, limit in (
                (label, limits.LABEL_LIMIT),
                (text, limits.OPTION_TEXT_LIMIT),
                (misconception, limits.OPTION_TEXT_LIMIT),
                (feedback, limits.OPTION_TEXT_LIMIT),
            ):
                if reason := string_problem(value, limit):
                    self.problems["options"].append(f"{label or '?'}: {reason}.")
            options.append(Option(label, text, misconception, weight, feedback))
        return options

    def content(self) -> QuestionContent:
        content: QuestionContent = self.fields.get("content") or EMPTY
        if reason := content_problem(content):
            self.problems["content"].append(reason[0].upper() + reason[1:] + ".")
        return content


def fill_question(question: Question, fields: Mapping[str, Any]) -> str:
    """Validate and normalise what a person entered, and fill a question with it, without saving.

    Returns:
        The equation, which is stored separately.

    Raises:
        ValidationFailed: holds every problem by field.
    """
    checks = _Checks(fields)
    options, content = checks.options(), checks.content()
    answer = checks.string("answer", limits.ANSWER_LIMIT)
    question.text = checks.string("text", TEXT_LIMIT)
    question.language = checks.string("language", limits.LANGUAGE_LIMIT).lower()
    question.kind = checks.string("kind", limits.LANGUAGE_LIMIT)
    question.options = as_json(tuple(options))
    question.answer = derived_answer(kind=question.kind, options=options, answer=answer, content=content)
    if question.kind == "true_false":
        question.answer = truth_word(question.answer)
    question.solution = checks.string("solution", TEXT_LIMIT)
    question.content = as_json(content)
    question.grade = checks.string("grade", limits.GRADE_LIMIT)
    question.status = checks.string("status", limits.LANGUAGE_LIMIT) or Question.Status.READY
    equation = checks.string("equation", limits.EQUATION_LIMIT)
    problems = checks.problems
    if not question.text and "text" not in problems:
        problems["text"].append("A question needs a text.")
    if "language" not in problems and not LANGUAGE_TAG.fullmatch(question.language):
        problems["language"].append("This is not a language tag such as en or zh.")
    if question.kind not in Question.Kind.values:
        problems["kind"].append("Choose a type of question.")
    if question.status not in Question.Status.values:
        problems["status"].append("Choose a status.")
    _check_options(question, content, problems)
    if problems:
        message = " ".join(reason for reasons in problems.values() for reason in reasons)
        raise ValidationFailed(message, problems)
    return equation


def _check_options(question: Question, content: QuestionContent, problems: defaultdict[str, list[str]]) -> None:
    if question.kind == "matching" and not any(pair.left for pair in content.pairs):
        problems["pairs"].append("A matching question needs its pairs.")
    if question.kind == "parts" and not content.parts:
        problems["content"].append("A question in several parts needs its parts.")
    if question.kind == "description" and question.answer:
        problems["answer"].append("A description has no answer: clear this field, or choose another type.")
    if question.kind == "true_false" and question.answer not in ("", "True", "False"):
        problems["answer"].append("The answer must be True or False.")
    if "options" in problems or "kind" in problems:
        return
    labels = [option["label"] for option in question.options]
    match options_fault(kind=question.kind, text=question.text, labels=labels, answer=question.answer):
        case "unexpected":
            problems["options"].append("Only multiple-choice and ordering questions have options.")
        case "missing" | "single":
            name = "An ordering" if question.kind == "ordering" else "A multiple-choice"
            problems["options"].append(f"{name} question needs at least two options.")
        case "repeated":
            problems["options"].append("Two options have the same label.")
        case "answer":
            problems["answer"].append("The answer must be the label of an option, or several labels such as A, C.")


@dataclass(frozen=True, slots=True)
class TypedText:
    """Text typed or pasted as a question, as read by the editor and by Paste.

    Attributes:
        text: the text with plain maths such as ``1/2 + 1/3`` converted to LaTeX between dollar signs.
        was_read: whether it contained plain maths.
        warnings: what looks unbalanced in its formulas.
    """

    text: str
    was_read: bool
    warnings: list[str]


def read_typed(text: str) -> TypedText:
    """Convert plain maths in a text without formulas, and check the formulas of a text with some."""
    read = mark_plain_maths(text)
    return TypedText(text=read, was_read=read != text, warnings=latex_warnings(text))


_PRICE = re.compile(r"\$ ?\d[\d,.]*+(?![\w^\\{}=+*/$-])(?! ?[\\^_=+*/$-])")
_PAIRS = ((r"\(", r"\)"), (r"\[", r"\]"))


def latex_warnings(text: str) -> list[str]:
    r"""Return what looks unbalanced in a text's formulas; only warnings, because prose may contain such signs too.

    A price does not start a formula.

    >>> latex_warnings(r"If $x=2$, what is \(y\)?"), len(latex_warnings("If $x=2, pay"))
    ([], 1)
    >>> len(latex_warnings("Work out $2.5x")), len(latex_warnings("Work out $3,000x + 5"))
    (1, 1)
    >>> latex_warnings("A pen costs $40."), latex_warnings("A pen costs $3,000; what is $x$?")
    ([], [])
    """
    warnings = []
    plain = text.replace(r"\\", "").replace(r"\$", "")
    single = plain.replace("$$", "")
    if plain.count("$$") % 2:
        warnings.append("A formula between $$ and $$ is not closed.")
    elif single.count("$") % 2 and _PRICE.sub("", single).count("$") % 2:
        warnings.append("A formula between $ and $ is not closed.")
    for opening, closing in _PAIRS:
        if plain.count(opening) != plain.count(closing):
            warnings.append(f"{opening} and {closing} do not pair up.")
    braces = plain.replace(r"\{", "").replace(r"\}", "")
    if braces.count("{") != braces.count("}"):
        warnings.append("Braces { and } do not pair up.")
    return warnings


class OptionItem(BaseModel):
    """An option of a question."""

    label: str
    text: str
    misconception: str = ""
    weight: float | None = None
    feedback: str = ""


class ConceptItem(BaseModel):
    """A concept that a question requires."""

    id: int
    hierarchy: str
    path: list[str] = Field(description="Names from the root of the hierarchy to the concept.")
    set_by: str = Field(description="Who set it: `import`, `person` or `model`.")


class QuestionItem(BaseModel):
    """A question; formulas are LaTeX."""

    id: int
    text: str
    language: str
    kind: str
    options: list[OptionItem]
    answer: str
    solution: str
    equation: str
    content: dict[str, Any] = Field(description="Data for grading, as the export format `jsonl` has it.")
    grade: str
    stage: str
    status: str
    source: str
    source_id: str
    difficulty: float | None = Field(description="The published difficulty, on `difficulty_scale`.")
    difficulty_scale: str
    difficulty_percent: float | None
    facility: float | None = Field(description="Share of correct responses.")
    responses: int
    concepts: list[ConceptItem]
    paraphrase_of: int | None
    merged_into: int | None = Field(description="The question that replaced it as a duplicate.")
    needs_figure: bool
    draws_numbers: bool
    author: str | None
    visibility: str = Field(description="Who sees it: `all`, `school` (that of `school`) or `private` (its author).")
    school: str | None = Field(description="Short name of the school that sees it.")
    version: int
    created_at: datetime
    updated_at: datetime


def question_items(questions: Sequence[Question]) -> list[QuestionItem]:
    """Return questions for the API, with a fixed number of queries."""
    prefetch_related_objects(questions, "equation", "created_by", "school")
    tags = list(
        QuestionTag.objects.filter(question__in=[question.pk for question in questions])
        .order_by("concept__path")
        .values_list("question_id", "concept_id", "set_by")
    )
    choices = {choice.id: choice for choice in choices_of(concept for _question, concept, _set_by in tags)}
    concepts: dict[int, list[ConceptItem]] = {}
    for question_id, concept_id, set_by in tags:
        choice = choices[concept_id]
        item = ConceptItem(id=choice.id, hierarchy=choice.hierarchy, path=list(choice.path), set_by=set_by)
        concepts.setdefault(question_id, []).append(item)
    return [_item(question, concepts.get(question.pk, [])) for question in questions]


def question_item(question: Question) -> QuestionItem:
    """Return a question for the API."""
    return question_items([question])[0]


def _item(question: Question, concepts: list[ConceptItem]) -> QuestionItem:
    equation = getattr(question, "equation", None)
    same = (
        "text language kind answer solution content grade stage status source source_id difficulty difficulty_scale"
        " difficulty_percent facility responses needs_figure draws_numbers version created_at updated_at"
        " visibility"
    ).split()
    return QuestionItem(
        **{name: getattr(question, name) for name in same},
        id=question.pk,
        options=[OptionItem(**option) for option in question.options],
        equation=equation.expression if equation else "",
        concepts=concepts,
        paraphrase_of=question.paraphrase_of_id,
        merged_into=question.merged_into_id,
        author=question.created_by.username if question.created_by else None,
        school=question.school.slug if question.school else None,
    )
