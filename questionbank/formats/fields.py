"""Build a `QuestionRecord` from the fields of one line, reporting every problem.

The fields are those of JSON Lines; CSV is first converted to the same shape, so both obey one set of rules.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from analytics.json_lines import TEXT_LIMIT, string_problem
from analytics.languages import detect_language
from analytics.question_content import EMPTY, Option, QuestionContent, as_json, content_of
from analytics.records import ConceptPath, QuestionRecord
from questionbank.formats import limits
from questionbank.formats.kinds import KINDS, derived_answer, options_fault
from questionbank.formats.scales import AS_PUBLISHED, SCALES, scale_names, scale_of_id
from questionbank.formats.written_numbers import decimal_text

LANGUAGE_TAG = re.compile(r"[a-z]{2,3}(-[a-z0-9]{2,8})*", re.IGNORECASE)
_TYPE_NAMES = {
    type(None): "null",
    bool: "true or false",
    int: "a number",
    float: "a number",
    str: "a string",
    list: "a list",
    dict: "an object",
}
_PATH_SIGNS = ">;"
_PATH_SIGNS_IN_FILES = str.maketrans(_PATH_SIGNS, "＞；")
_SHOWN = 40  # characters of a wrong value that are repeated in a message


@dataclass(frozen=True, slots=True)
class FileScale:
    """The difficulty scale of a file: stated by the importer, or inferred from the name of its data set.

    A value outside a stated scale is refused; a value outside an inferred scale is kept as published.
    """

    stated: str = ""
    likely: str = ""


UNKNOWN_SCALE = FileScale()


class FieldProblems(Exception):
    """The problems of one line: `problems` holds at least one (field, reason) pair."""

    def __init__(self, problems: Iterable[tuple[str, str]]) -> None:
        self.problems = list(problems)
        super().__init__("; ".join(reason for _, reason in self.problems))


class Fields:
    """Extracts typed values from a line and collects problems.

    Attributes:
        problems: (field, reason) pairs.
    """

    def __init__(self, row: Mapping[str, Any]) -> None:
        self.row = row
        self.problems: list[tuple[str, str]] = []

    def refuse(self, name: str, reason: str) -> None:
        self.problems.append((name, f"{name} {reason}"))

    def string(self, name: str, limit: int, *, number_allowed: bool = False) -> str:
        value = self.row.get(name)
        if value is None:
            return ""
        if number_allowed and type(value) in (int, float):
            if value in (math.inf, -math.inf):  # 1e999; files cannot contain NaN
                self.refuse(name, "must be a finite number")
                return ""
            value = decimal_text(value)
        if type(value) is not str:
            self.refuse(name, f"must be a string, not {_type_name(value)}")
            return ""
        reason = string_problem(value, limit)
        if reason:
            self.refuse(name, reason)
            return ""
        return value

    def number(self, name: str) -> float | None:
        value = self.row.get(name)
        if value is None:
            return None
        if type(value) not in (int, float):
            self.refuse(name, f"must be a number, not {_type_name(value)}")
            return None
        try:
            value = float(value)
        except OverflowError:
            value = math.inf
        if not math.isfinite(value):
            self.refuse(name, "must be a finite number")
            return None
        return value

    def items(self, name: str, limit: int) -> list[Any]:
        value = self.row.get(name)
        if value is None:
            return []
        if type(value) is not list:
            self.refuse(name, f"must be a list, not {_type_name(value)}")
            return []
        if len(value) > limit:
            self.refuse(name, f"has {len(value):,} items, more than {limit:,}")
            return []
        return value


def _type_name(value: object) -> str:
    return _TYPE_NAMES.get(type(value), "something else")


def _shown(value: str) -> str:
    return repr(value if len(value) <= _SHOWN else value[:_SHOWN] + "…")


def read_question(row: Mapping[str, Any], *, scale: FileScale = UNKNOWN_SCALE) -> QuestionRecord:
    """Build the record from one line.

    Args:
        row: the fields, as in JSON Lines; unknown fields are ignored, null means absent. Options may be records.
        scale: the difficulty scale of the whole file, for lines that name none.

    Raises:
        FieldProblems: one or more fields are invalid.
    """
    fields = Fields(row)
    identifier = fields.string("id", limits.ID_LIMIT, number_allowed=True)
    text = fields.string("text", TEXT_LIMIT)
    if not fields.problems and not text.strip():
        fields.refuse("text", "is missing" if row.get("text") is None else "is empty")
    options = _options(fields)
    answer = fields.string("answer", limits.ANSWER_LIMIT)
    numbers = _numbers(fields)
    difficulty, difficulty_scale = _difficulty(fields, identifier, scale)
    facility, responses = _observed(fields)
    content = _content(fields)
    kind = _kind(fields, text, options, answer)
    answer = derived_answer(kind=kind, options=options, answer=answer, content=content)
    record = QuestionRecord(
        id=identifier,
        text=text,
        language=_language(fields, text),
        kind=kind,
        options=options,
        answer=answer,
        solution=fields.string("solution", TEXT_LIMIT),
        equation=_equation(fields, text, numbers, answer, options),
        numbers=numbers,
        concepts=_concept_paths(fields),
        difficulty=difficulty,
        difficulty_scale=difficulty_scale,
        grade=fields.string("grade", limits.GRADE_LIMIT, number_allowed=True),
        stage=fields.string("stage", limits.STAGE_LIMIT),
        source=fields.string("set", limits.SET_LIMIT),
        responses=responses,
        facility=facility,
        content=content,
    )
    if fields.problems:
        raise FieldProblems(fields.problems)
    return record


def read_identifier(row: Mapping[str, Any]) -> str:
    """Return the `id` of a line that is not a question, as text; empty if it has none.

    Raises:
        FieldProblems: it is neither a string nor a finite number, or too long.
    """
    fields = Fields(row)
    identifier = fields.string("id", limits.ID_LIMIT, number_allowed=True)
    if fields.problems:
        raise FieldProblems(fields.problems)
    return identifier


def _language(fields: Fields, text: str) -> str:
    tag = fields.string("language", TEXT_LIMIT).strip()
    if not tag:
        return detect_language(text)
    if len(tag) > limits.LANGUAGE_LIMIT or not LANGUAGE_TAG.fullmatch(tag):
        fields.refuse("language", f"{_shown(tag)} is not a language tag such as en or zh")
    return tag.lower()


def _kind(fields: Fields, text: str, options: tuple[Option, ...], answer: str) -> str:
    kind = fields.string("kind", TEXT_LIMIT).strip().lower()
    if not kind:
        kind = "choice" if options else "blanks" if "____" in text else "open"
    if kind not in KINDS:
        fields.refuse("kind", f"{_shown(kind)} is not one of {', '.join(KINDS)}")
        return kind
    labels = [option.label for option in options]
    match options_fault(kind=kind, text=text, labels=labels, answer=answer):
        case "unexpected":
            fields.refuse("kind", f"is {kind}, but the question has options")
        case "missing" if not fields.problems:
            fields.refuse("kind", f"is {kind}, but the question has no options")
        case "repeated":
            twice = next(label for label in labels if labels.count(label) > 1)
            fields.refuse("options", f"have the label {_shown(twice)} twice")
        case "answer":
            fields.refuse("answer", f"{_shown(answer)} is not the label of an option")
    return kind


def _options(fields: Fields) -> tuple[Option, ...]:
    options: list[Option] = []
    for place, item in enumerate(fields.items("options", limits.OPTIONS_LIMIT), start=1):
        if isinstance(item, Option):
            item = asdict(item)
        if type(item) is not dict:
            fields.refuse("options", f"must be objects with label and text, but item {place} is {_type_name(item)}")
            return ()
        inner = Fields(item)
        label = inner.string("label", limits.LABEL_LIMIT).strip()
        text = inner.string("text", limits.OPTION_TEXT_LIMIT)
        misconception = inner.string("misconception", limits.OPTION_TEXT_LIMIT)
        weight = inner.number("weight")
        feedback = inner.string("feedback", limits.OPTION_TEXT_LIMIT)
        if weight is not None and not -1 <= weight <= 1:
            inner.refuse("weight", f"{weight:g} is not between -1 and 1")
        if not inner.problems and not label:
            inner.refuse("label", "is missing")
        if not inner.problems and not text.strip():
            inner.refuse("text", "is missing")
        if inner.problems:
            fields.refuse("options", f"item {place}: {inner.problems[0][1]}")
            return ()
        options.append(Option(label, text, misconception, weight, feedback))
    return tuple(options)


def _content(fields: Fields) -> QuestionContent:
    found = fields.row.get("grading")
    if found is None or isinstance(found, QuestionContent):
        return found or EMPTY
    try:
        content = content_of(found)
    except ValueError as error:
        fields.refuse("grading", str(error).removeprefix("grading "))
        return EMPTY
    if reason := content_problem(content):
        fields.refuse("grading", reason)
        return EMPTY
    return content


def content_problem(content: QuestionContent) -> str:
    """Return why the bank cannot hold a question's content; empty if it can."""
    if not content:
        return ""
    values: list[Any] = [asdict(content)]
    while values:
        value = values.pop()
        if isinstance(value, str):
            if reason := string_problem(value, TEXT_LIMIT):
                return f"has a text that {reason}"
        elif isinstance(value, dict):
            values += [*value, *value.values()]
        elif isinstance(value, tuple):
            values += value
    size = len(json.dumps(as_json(content), ensure_ascii=False))
    if size > limits.CONTENT_LIMIT:
        return f"has {size:,} characters, more than {limits.CONTENT_LIMIT:,}"
    return ""


def _numbers(fields: Fields) -> tuple[str, ...]:
    numbers = fields.items("numbers", limits.NUMBERS_LIMIT)
    for place, item in enumerate(numbers, start=1):
        is_text = type(item) is str
        reason = string_problem(item, limits.ANSWER_LIMIT) if is_text else f"is {_type_name(item)}, not a string"
        if reason:
            fields.refuse("numbers", f"item {place} {reason}")
            return ()
    return tuple(numbers)


def _equation(fields: Fields, text: str, numbers: tuple[str, ...], answer: str, options: tuple[Option, ...]) -> str:
    """Return the equation of a line, or else one computed from its program or calculations.

    If neither can be used, the line is still valid: the question simply gets no equation.
    """
    equation = fields.string("equation", limits.EQUATION_LIMIT)
    program, calculations = fields.row.get("program"), fields.row.get("calculations")
    if equation or fields.problems or not (program or calculations):
        return equation
    # imported here because both load numpy, which the demo generator and most files do not need
    from analytics.text.meaning import number_of_answer
    from questionbank.formats.kinds import derived_equation

    if options:
        answer = next((option.text for option in options if option.label == answer), "")
    return derived_equation(
        text,
        program=program if type(program) is str and not string_problem(program, TEXT_LIMIT) else "",
        calculations=_calculations(calculations),
        numbers=numbers,
        published=number_of_answer(answer),
    )


def _calculations(value: object) -> list[str]:
    if type(value) is not list or len(value) > limits.NUMBERS_LIMIT:
        return []
    is_text = all(type(item) is str and not string_problem(item, limits.ANSWER_LIMIT) for item in value)
    return value if is_text else []


def _concept_paths(fields: Fields) -> tuple[ConceptPath, ...]:
    """Return the concept paths of a line, with names stripped and duplicate paths dropped."""
    paths: dict[ConceptPath, None] = {}
    for item in fields.items("concepts", limits.CONCEPTS_LIMIT):
        if type(item) is not list:
            fields.refuse("concepts", f"must be a list of paths, each a list of names, but one is {_type_name(item)}")
            return ()
        path, reason = concept_path(item)
        if reason:
            fields.refuse("concepts", reason)
            return ()
        paths[path] = None
    return tuple(paths)


def concept_name_problem(name: str) -> str:
    """Return why a concept cannot have this name; empty if it can.

    >>> concept_name_problem("x > 3"), concept_name_problem("Sums")
    ('contains the sign >, which separates concepts in files', '')
    """
    sign = next((sign for sign in _PATH_SIGNS if sign in name), "")
    if sign:
        return f"contains the sign {sign}, which separates concepts in files"
    return string_problem(name, limits.CONCEPT_NAME_LIMIT)


def exported_path(path: ConceptPath) -> list[str]:
    """Return the path for a file; names older than the ban on > and ; get the full-width characters instead.

    >>> exported_path(("Algebra", "x > 3; y"))
    ['Algebra', 'x ＞ 3； y']
    """
    return [name.translate(_PATH_SIGNS_IN_FILES) for name in path]


def concept_path(names: list[Any]) -> tuple[ConceptPath, str]:
    """Check one path; return it with whitespace normalised, and what is wrong with it (or nothing).

    A concept may have the same name as its parent, as in TAL-SCQ5K; a repeat further up would make it its own ancestor.
    """
    if not names:
        return (), "contain an empty path"
    if len(names) > limits.CONCEPT_DEPTH_LIMIT:
        return (), f"contain a path of {len(names)} levels, more than {limits.CONCEPT_DEPTH_LIMIT}"
    path: list[str] = []
    for name in names:
        if type(name) is not str:
            return (), f"must be names, but one is {_type_name(name)}"
        tidy = " ".join(name.split())
        if not tidy:
            return (), "contain an empty name"
        reason = concept_name_problem(tidy)
        if reason:
            return (), f"contain a name that {reason}"
        if tidy in path and tidy != path[-1]:
            return (), f"contain a cycle: {' > '.join([*path, tidy])} returns to {_shown(tidy)}"
        path.append(tidy)
    return tuple(path), ""


def _difficulty(fields: Fields, identifier: str, file_scale: FileScale) -> tuple[float | None, str]:
    value = fields.number("difficulty")
    named = fields.string("difficulty_scale", TEXT_LIMIT).strip()
    if named and named not in scale_names():
        fields.refuse("difficulty_scale", f"{_shown(named)} is not one of {', '.join(scale_names())}")
        return None, ""
    if value is None:
        return None, ""
    stated = named or file_scale.stated
    if stated:
        if not _is_on_scale(value, stated):
            fields.refuse("difficulty", f"{value:g} is outside the scale {stated}")
        return value, stated
    likely = file_scale.likely or scale_of_id(identifier)
    return value, likely if likely and _is_on_scale(value, likely) else AS_PUBLISHED


def _is_on_scale(value: float, scale: str) -> bool:
    bounds = SCALES.get(scale)
    return bounds is None or bounds.low <= value <= bounds.high


def _observed(fields: Fields) -> tuple[float | None, int]:
    facility = fields.number("facility")
    if facility is not None and not 0 <= facility <= 1:
        fields.refuse("facility", f"{facility:g} is not a share between 0 and 1")
        facility = None
    responses = fields.row.get("responses")
    if responses is None:
        responses = 0
    if type(responses) is not int or not 0 <= responses <= limits.RESPONSES_LIMIT:
        fields.refuse("responses", "must be a whole number, zero or more")
        responses = 0
    elif facility is not None and responses == 0 and not fields.problems:
        fields.refuse("facility", "needs the number of responses that it is based on")
    elif facility is None and responses and not fields.problems:
        fields.refuse("responses", "need the facility (the share of correct responses)")
    return facility, responses
