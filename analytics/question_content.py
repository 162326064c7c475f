"""What grading a question needs besides its readable text: accepted answers, pairs, blanks, parts, feedback, pictures.

`text`, `options`, `answer` and `solution` remain what people, search and models read; `QuestionContent`
complements them. Its JSON form (`as_json`, `content_of`) omits empty fields.
"""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, is_dataclass
from functools import cache
from typing import Annotated, Any, TypeVar

from pydantic import AllowInfNan, ConfigDict, FailFast, Strict, TypeAdapter, ValidationError

PRINTED = "printed"
"""Setting that names the picture of the question as printed on its paper; shown to teachers only."""
PARTS_DEEP = 2  # levels of nesting: parts may have parts, but no deeper
ANSWER_LINES = "answer_lines"
"""Setting with the number of lines to write on that a question or part has in its source."""

Item = TypeVar("Item")
Number = Annotated[float, Strict(), AllowInfNan(False)]
Several = Annotated[tuple[Item, ...], FailFast()]  # a long list of mistakes takes no time


class ClosedRecord:
    """Base of dataclasses whose JSON may hold no fields but their own."""

    __slots__ = ()
    __pydantic_config__ = ConfigDict(extra="forbid")


@dataclass(frozen=True, slots=True)
class Option(ClosedRecord):
    """One answer choice of a multiple-choice question.

    Attributes:
        weight: the share of the points that it gives, -1 to 1; None if only the question's answer determines
            what is correct.
        feedback: feedback for a student who chooses it.
    """

    label: str
    text: str
    misconception: str = ""
    weight: Number | None = None
    feedback: str = ""


def option_text(option: Option | Mapping[str, Any]) -> str:
    """Return the text of an option, given as a record or as JSON."""
    return option.text if isinstance(option, Option) else str(option.get("text", ""))


@dataclass(frozen=True, slots=True)
class AcceptedAnswer(ClosedRecord):
    """A typed answer that counts as correct or expected.

    Attributes:
        weight: the share of the points that it gives, 0 to 1; 0 for an expected wrong answer with feedback.
        tolerance: how far a number may be off, interpreted according to `tolerance_kind`.
        tolerance_kind: ``"absolute"``, ``"relative"`` (a share of the value) or ``"digits"`` (significant ones).
    """

    text: str
    weight: Number = 1.0
    feedback: str = ""
    tolerance: Number | None = None
    tolerance_kind: str = "absolute"
    unit: str = ""


@dataclass(frozen=True, slots=True)
class MatchingPair(ClosedRecord):
    """Two matching items; without `left`, a right-hand choice that matches nothing."""

    left: str
    right: str


@dataclass(frozen=True, slots=True)
class Blank(ClosedRecord):
    """A gap in the text, marked ``[[1]]``, ``[[2]]`` and so on.

    Attributes:
        kind: ``"short"``, ``"number"`` or ``"choice"`` (a drop-down).
        points: its share of the question's points, relative to the other gaps.
        style: its presentation in the source.
    """

    kind: str = "short"
    accepted: Several[AcceptedAnswer] = ()
    options: Several[Option] = ()
    points: Number = 1.0
    style: str = ""


@dataclass(frozen=True, slots=True)
class Feedback(ClosedRecord):
    """Feedback to students after their answer."""

    general: str = ""
    right: str = ""
    partly: str = ""
    wrong: str = ""


@dataclass(frozen=True, slots=True)
class Picture(ClosedRecord):
    """A picture that the question's texts reference as ``![its description](name)``.

    Attributes:
        sha256: SHA-256 of its bytes, in hexadecimal; empty if it is not attached.
        width: printed width in its source, in points (1/72 inch); 0 if unknown.
    """

    name: str
    sha256: str = ""
    width: Number = 0.0


@dataclass(frozen=True, slots=True)
class Stimulus(ClosedRecord):
    """Material that several questions share, such as a text or a table; their texts begin with it."""

    title: str = ""
    text: str = ""


@dataclass(frozen=True, slots=True)
class Section(ClosedRecord):
    """The section of a paper or quiz that a question belongs to; worksheets print it above its questions."""

    heading: str = ""
    instructions: str = ""


@dataclass(frozen=True, slots=True)
class QuestionPart(ClosedRecord):
    """A question within a question."""

    text: str
    kind: str = "open"
    options: Several[Option] = ()
    answer: str = ""
    content: QuestionContent = field(default_factory=lambda: EMPTY)


@dataclass(frozen=True, slots=True)
class QuestionContent(ClosedRecord):
    """Everything about a question that its readable fields do not hold.

    Attributes:
        points: points for a correct answer.
        tags: its source's tags, besides its concepts.
        settings: named settings of its source, such as shuffle, case, penalty, numbering.
        stimulus: material that it shares with other questions.
        section: its section in the source.
        original: SHA-256 of the item that an opaque question was read from, in hexadecimal; its only known
            identity.
    """

    title: str = ""
    points: Number | None = None
    accepted: Several[AcceptedAnswer] = ()
    pairs: Several[MatchingPair] = ()
    blanks: Several[Blank] = ()
    parts: Several[QuestionPart] = ()
    feedback: Feedback = Feedback()
    hints: Several[str] = ()
    tags: Several[str] = ()
    settings: Mapping[str, str] = field(default_factory=dict, hash=False)
    pictures: Several[Picture] = ()
    original: str = ""
    stimulus: Stimulus = Stimulus()
    section: Section = Section()

    def __bool__(self) -> bool:
        return self != EMPTY


EMPTY: QuestionContent = QuestionContent()


def as_json(value: Any) -> Any:
    """Serialize a dataclass, such as a content or a part of one, to JSON values, without empty and default fields.

    >>> as_json(QuestionContent(title="Sums", accepted=(AcceptedAnswer("3"),)))
    {'title': 'Sums', 'accepted': [{'text': '3'}]}
    """
    if is_dataclass(value) and not isinstance(value, type):
        return _adapter(value.__class__).dump_python(value, mode="json", exclude_defaults=True, warnings=False)
    return [as_json(item) for item in value] if isinstance(value, tuple) else value


def content_of(found: object) -> QuestionContent:
    """Parse a content from JSON values; null means that a field is absent.

    Raises:
        ValueError: it is not a valid content; the message says where.

    >>> content_of({"accepted": [{"text": "3", "tolerance": 0.5}]}).accepted[0].tolerance
    0.5
    """
    adapter = _adapter(QuestionContent)
    try:
        try:
            content = adapter.validate_python(found)
        except ValidationError:  # without nulls it may be valid
            content = adapter.validate_python(_without_nulls(found))
    except ValidationError as error:
        raise ValueError(_reason(error)) from error
    if _depth(content.parts) > PARTS_DEEP:
        raise ValueError(_TOO_DEEP)
    return content


@cache
def _adapter(kind: type) -> TypeAdapter[Any]:
    return TypeAdapter(kind)


def _without_nulls(found: object, levels: int = 30) -> object:
    """Return JSON values without the nulls in objects, except in settings and below more levels than a content has."""
    if isinstance(found, dict) and levels:
        stated = {name: value for name, value in found.items() if value is not None}
        return {
            name: value if name == "settings" else _without_nulls(value, levels - 1) for name, value in stated.items()
        }
    return [_without_nulls(item, levels - 1) for item in found] if isinstance(found, list) and levels else found


def _depth(parts: Iterable[QuestionPart]) -> int:
    return max((1 + _depth(part.content.parts) for part in parts), default=0)


_TOO_DEEP = f"parts are more than {PARTS_DEEP} levels deep"
_MUST_BE = {
    "string_type": "a string",
    "float_type": "a finite number",
    "finite_number": "a finite number",
    "tuple_type": "a list",
    "dict_type": "an object of strings",
    "dataclass_type": "an object",
}


def _reason(error: ValidationError) -> str:
    """Return where a content is wrong and why: an unknown field, or else the first of pydantic's errors."""
    errors = error.errors(include_url=False, include_context=False, include_input=False)
    first = next((one for one in errors if one["type"] == "unexpected_keyword_argument"), errors[0])
    kind, place = first["type"], [*first["loc"]]
    if kind == "recursion_depth_exceeded":
        return _TOO_DEEP
    if "settings" in place[:-1]:
        kind, place = "dict_type", place[: place.index("settings") + 1]
    last = place.pop() if kind in ("missing", "unexpected_keyword_argument") else ""
    where = "grading" + "".join(f"[{part + 1}]" if isinstance(part, int) else f".{part}" for part in place)
    match kind:
        case "missing":
            return f"{where} has no {last}"
        case "unexpected_keyword_argument":
            return f"{where} has no {str(last)[:40]!r}"
    return f"{where} must be {_MUST_BE.get(kind, 'of another type')}"


def content_texts(content: QuestionContent) -> Iterator[str]:
    """Yield the texts that students read; they may contain formulas and reference pictures."""
    for pair in content.pairs:
        yield from (pair.left, pair.right)
    for blank in content.blanks:
        yield from (option.text for option in blank.options)
    for part in content.parts:
        yield part.text
        yield from (option.text for option in part.options)
        yield from content_texts(part.content)
    feedback = content.feedback
    yield from (feedback.general, feedback.right, feedback.partly, feedback.wrong, *content.hints)
    yield from (answer.feedback for answer in content.accepted)


def total_points(content: QuestionContent) -> float | None:
    """Return the points for a correct answer: its own, or else the sum over its parts; None if neither is known.

    >>> parts = tuple(QuestionPart(text, content=QuestionContent(points=2.0)) for text in "ab")
    >>> total_points(QuestionContent(parts=parts)), total_points(QuestionContent())
    (4.0, None)
    """
    if content.points is not None:
        return content.points
    stated = [points for part in content.parts if (points := total_points(part.content)) is not None]
    return sum(stated) if stated else None


def asked_parts(content: QuestionContent) -> Iterator[str]:
    """Yield the fields of a content that distinguish questions with equal text and options."""
    for picture in content.pictures:
        if picture.name == content.settings.get(PRINTED):
            continue
        yield f"picture {picture.sha256 or picture.name}"
    for pair in content.pairs:
        yield f"pair {pair.left}"
        yield f"with {pair.right}"
    for blank in content.blanks:
        yield f"blank {blank.kind}"
        yield from (option.text for option in blank.options)
        yield from (answer.text for answer in blank.accepted)
    for part in content.parts:
        yield f"part {part.kind} {part.text}"
        yield from (option.text for option in part.options)
        yield from asked_parts(part.content)
    if content.original:
        yield f"item {content.original}"


def content_digest(parts: Iterable[str]) -> bytes:
    """Return the SHA-256 over the parts of a question, in order.

    Text is NFKC-normalised and whitespace collapsed, so that a full-width bracket or a different line break
    does not change the digest; case is significant, because x and X are different variables.
    """
    # split() treats the unit separator as whitespace, so no part can contain it.
    joined = "\x1f".join(" ".join(unicodedata.normalize("NFKC", part).split()) for part in parts)
    return hashlib.sha256(joined.encode("utf-8")).digest()


def own_text(text: str, content: QuestionContent) -> str:
    r"""Return a question's text without its shared stimulus, or the whole text if it does not begin with that.

    >>> own_text("A farm.\n\nHow many cows?", QuestionContent(stimulus=Stimulus(text="A farm.")))
    'How many cows?'
    """
    shared = content.stimulus.text
    rest = text.removeprefix(shared).lstrip() if shared else ""
    return rest if rest and len(rest) < len(text) else text
