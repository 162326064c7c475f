"""Checking what a person enters about a question."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from analytics.json_lines import TEXT_LIMIT, string_problem
from analytics.records import Option
from analytics.text.plain_maths import mark_plain_maths
from questionbank.errors import ValidationFailed
from questionbank.formats import limits
from questionbank.formats.fields import LANGUAGE_TAG
from questionbank.formats.kinds import options_fault
from questionbank.models import Question


@dataclass(frozen=True, slots=True)
class QuestionFields:
    """The fields as they are stored."""

    text: str
    language: str
    kind: str
    options: list[dict[str, str]]
    answer: str
    solution: str
    grade: str
    status: str
    equation: str


class _Checks:
    def __init__(self, fields: Mapping[str, Any]) -> None:
        self.fields = fields
        self.problems: defaultdict[str, list[str]] = defaultdict(list)

    def string(self, name: str, limit: int) -> str:
        """Return the value with the browser's line ends made plain and no blanks around it."""
        value = str(self.fields.get(name) or "").replace("\r\n", "\n").strip()
        reason = string_problem(value, limit)
        if reason:
            self.problems[name].append(reason[0].upper() + reason[1:] + ".")
        return value

    def options(self) -> list[dict[str, str]]:
        options: list[dict[str, str]] = []
        entries: Sequence[Mapping[str, Any] | Option] = self.fields.get("options") or ()
        if len(entries) > limits.OPTIONS_LIMIT:
            message = _("A question has at most %(limit)s options.") % {"limit": limits.OPTIONS_LIMIT}
            self.problems["options"].append(message)
            return []
        for option in entries:
            raw = (
                {"label": option.label, "text": option.text, "misconception": option.misconception}
                if isinstance(option, Option)
                else option
            )
            label, text, misconception = (
                str(raw.get(name) or "").replace("\r\n", "\n").strip()
                for name in ("label", "text", "misconception")
            )
            if not label or not text:
                self.problems["options"].append(_("Every option needs a label and a text."))
            for value, limit in (
                (label, limits.LABEL_LIMIT),
                (text, limits.OPTION_TEXT_LIMIT),
                (misconception, limits.OPTION_TEXT_LIMIT),
            ):
                if reason := string_problem(value, limit):
                    self.problems["options"].append(f"{label or '?'}: {reason}.")
            options.append(
                {"label": label, "text": text} | ({"misconception": misconception} if misconception else {})
            )
        return options


def check_fields(fields: Mapping[str, Any]) -> QuestionFields:
    """Check and tidy what a person entered.

    Raises:
        ValidationFailed: with every problem by field.
    """
    checks = _Checks(fields)
    checked = QuestionFields(
        text=checks.string("text", TEXT_LIMIT),
        language=checks.string("language", limits.LANGUAGE_LIMIT).lower(),
        kind=checks.string("kind", limits.LANGUAGE_LIMIT),
        options=checks.options(),
        answer=checks.string("answer", limits.ANSWER_LIMIT),
        solution=checks.string("solution", TEXT_LIMIT),
        grade=checks.string("grade", limits.GRADE_LIMIT),
        status=checks.string("status", limits.LANGUAGE_LIMIT) or Question.Status.READY,
        equation=checks.string("equation", limits.EQUATION_LIMIT),
    )
    problems = checks.problems
    if not checked.text and "text" not in problems:
        problems["text"].append(_("A question needs a text."))
    if "language" not in problems and not LANGUAGE_TAG.fullmatch(checked.language):
        problems["language"].append(_("This is not a language tag such as en or zh."))
    if checked.kind not in Question.Kind.values:
        problems["kind"].append(_("Choose a type of question."))
    if checked.status not in Question.Status.values:
        problems["status"].append(_("Choose a status."))
    _check_options(checked, problems)
    if problems:
        message = " ".join(reason for reasons in problems.values() for reason in reasons)
        raise ValidationFailed(message, problems)
    return checked


def _check_options(checked: QuestionFields, problems: defaultdict[str, list[str]]) -> None:
    if "options" in problems or "kind" in problems:
        return
    labels = [option["label"] for option in checked.options]
    match options_fault(kind=checked.kind, text=checked.text, labels=labels, answer=checked.answer):
        case "unexpected":
            problems["options"].append(_("Only a multiple-choice question has options."))
        case "missing" | "single":
            problems["options"].append(_("A multiple-choice question needs at least two options."))
        case "repeated":
            problems["options"].append(_("Two options have the same label."))
        case "answer":
            problems["answer"].append(_("The answer must be the label of one of the options."))


@dataclass(frozen=True, slots=True)
class TypedText:
    """What somebody types or pastes as a question, as the editor and Paste read it.

    Attributes:
        text: the same with plain maths such as ``1/2 + 1/3`` as LaTeX between dollar signs.
        was_read: there was some.
        warnings: what looks unbalanced in its formulas.
    """

    text: str
    was_read: bool
    warnings: list[str]


def read_typed(text: str) -> TypedText:
    """Read plain maths in a text without formulas, and check the formulas of one that has some."""
    read = mark_plain_maths(text)
    return TypedText(text=read, was_read=read != text, warnings=latex_warnings(text))


_PRICE = re.compile(r"\$ ?\d[\d,.]*+(?![\w^\\{}=+*/$-])(?! ?[\\^_=+*/$-])")
_PAIRS = ((r"\(", r"\)"), (r"\[", r"\]"))


def latex_warnings(text: str) -> list[str]:
    r"""Return what looks unbalanced in the formulas of a text; a warning, because prose may hold such signs too.

    A price is not the beginning of a formula.

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
        warnings.append(_("A formula between $$ and $$ is not closed."))
    elif single.count("$") % 2 and _PRICE.sub("", single).count("$") % 2:
        warnings.append(_("A formula between $ and $ is not closed."))
    for opening, closing in _PAIRS:
        if plain.count(opening) != plain.count(closing):
            warnings.append(
                _("%(opening)s and %(closing)s do not pair up.") % {"opening": opening, "closing": closing}
            )
    braces = plain.replace(r"\{", "").replace(r"\}", "")
    if braces.count("{") != braces.count("}"):
        warnings.append(_("Braces { and } do not pair up."))
    return warnings
