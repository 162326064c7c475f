"""What grading a question needs besides its readable text: accepted answers, pairs, blanks, parts, feedback, pictures.

`text`, `options`, `answer` and `solution` remain what people, search and models read; `QuestionContent`
complements them. Its JSON form (`as_json`, `content_of`) omits empty fields.
"""

from __future__ import annotations

import dataclasses
import hashlib
import math
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from functools import cache
from typing import Any, get_args, get_type_hints

PRINTED = "printed"
"""Setting that names the picture of the question as printed on its paper; shown to teachers only."""
PARTS_DEEP = 2  # levels of nesting: parts may have parts, but no deeper
ANSWER_LINES = "answer_lines"
"""Setting with the number of lines to write on that a question or part has in its source."""


@dataclass(frozen=True, slots=True)
class Option:
    """One answer choice of a multiple-choice question.

    Attributes:
        weight: the share of the points that it gives, -1 to 1; None if only the question's answer determines
            what is correct.
        feedback: feedback for a student who chooses it.
    """

    label: str
    text: str
    misconception: str = ""
    weight: float | None = None
    feedback: str = ""


def option_text(option: Option | Mapping[str, Any]) -> str:
    """Return the text of an option, given as a record or as JSON."""
    return option.text if isinstance(option, Option) else str(option.get("text", ""))


@dataclass(frozen=True, slots=True)
class AcceptedAnswer:
    """A typed answer that counts as correct or expected.

    Attributes:
        weight: the share of the points that it gives, 0 to 1; 0 for an expected wrong answer with feedback.
        tolerance: how far a number may be off, interpreted according to `tolerance_kind`.
        tolerance_kind: ``"absolute"``, ``"relative"`` (a share of the value) or ``"digits"`` (significant ones).
    """

    text: str
    weight: float = 1.0
    feedback: str = ""
    tolerance: float | None = None
    tolerance_kind: str = "absolute"
    unit: str = ""


@dataclass(frozen=True, slots=True)
class MatchingPair:
    """Two matching items; without `left`, a right-hand choice that matches nothing."""

    left: str
    right: str


@dataclass(frozen=True, slots=True)
class Blank:
    """A gap in the text, marked ``[[1]]``, ``[[2]]`` and so on.

    Attributes:
        kind: ``"short"``, ``"number"`` or ``"choice"`` (a drop-down).
        points: its share of the question's points, relative to the other gaps.
        style: its presentation in the source.
    """

    kind: str = "short"
    accepted: tuple[AcceptedAnswer, ...] = ()
    options: tuple[Option, ...] = ()
    points: float = 1.0
    style: str = ""


@dataclass(frozen=True, slots=True)
class Feedback:
    """Feedback to students after their answer."""

    general: str = ""
    right: str = ""
    partly: str = ""
    wrong: str = ""


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture that the question's texts reference as ``![its description](name)``.

    Attributes:
        sha256: SHA-256 of its bytes, in hexadecimal; empty if it is not attached.
        width: printed width in its source, in points (1/72 inch); 0 if unknown.
    """

    name: str
    sha256: str = ""
    width: float = 0.0


@dataclass(frozen=True, slots=True)
class Stimulus:
    """Material that several questions share, such as a text or a table; their texts begin with it."""

    title: str = ""
    text: str = ""


@dataclass(frozen=True, slots=True)
class Section:
    """The section of a paper or quiz that a question belongs to; worksheets print it above its questions."""

    heading: str = ""
    instructions: str = ""


@dataclass(frozen=True, slots=True)
class QuestionPart:
    """A question within a question."""

    text: str
    kind: str = "open"
    options: tuple[Option, ...] = ()
    answer: str = ""
    content: QuestionContent = field(default_factory=lambda: EMPTY)


@dataclass(frozen=True, slots=True)
class QuestionContent:
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
    points: float | None = None
    accepted: tuple[AcceptedAnswer, ...] = ()
    pairs: tuple[MatchingPair, ...] = ()
    blanks: tuple[Blank, ...] = ()
    parts: tuple[QuestionPart, ...] = ()
    feedback: Feedback = Feedback()
    hints: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    settings: Mapping[str, str] = field(default_factory=dict, hash=False)
    pictures: tuple[Picture, ...] = ()
    original: str = ""
    stimulus: Stimulus = Stimulus()
    section: Section = Section()

    def __bool__(self) -> bool:
        return self != EMPTY


EMPTY: QuestionContent = QuestionContent()


def as_json(value: Any) -> Any:
    """Serialize a content, or a part of one, to JSON values, without empty and default fields.

    >>> as_json(QuestionContent(title="Sums", accepted=(AcceptedAnswer("3"),)))
    {'title': 'Sums', 'accepted': [{'text': '3'}]}
    """
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {
            name: as_json(part)
            for name, default in _defaults(value.__class__)
            if (part := getattr(value, name)) != default
        }
    if isinstance(value, tuple):
        return [as_json(item) for item in value]
    return dict(value) if isinstance(value, Mapping) else value


def content_of(found: object) -> QuestionContent:
    """Parse a content from JSON values.

    Raises:
        ValueError: it is not a valid content; the message says where.

    >>> content_of({"accepted": [{"text": "3", "tolerance": 0.5}]}).accepted[0].tolerance
    0.5
    """
    content = _read(QuestionContent, found, "grading", 0)
    assert isinstance(content, QuestionContent)  # noqa: S101
    return content


@cache
def _defaults(kind: type) -> list[tuple[str, Any]]:
    defaults: list[tuple[str, Any]] = []
    for column in fields(kind):
        if column.default_factory is not dataclasses.MISSING:
            defaults.append((column.name, column.default_factory()))
        else:
            defaults.append((column.name, column.default))
    return defaults


@cache
def _hints(kind: type) -> dict[str, Any]:
    return get_type_hints(kind)


def _read(kind: type, found: object, where: str, depth: int) -> Any:
    """Parse JSON values into a dataclass, checked against the types of its fields."""
    if not isinstance(found, dict):
        raise ValueError(f"{where} must be an object")
    hints = _hints(kind)
    if unknown := [name for name in found if name not in hints]:
        raise ValueError(f"{where} has no {str(unknown[0])[:40]!r}")
    depth += kind is QuestionPart
    if depth > PARTS_DEEP:
        raise ValueError(f"parts are more than {PARTS_DEEP} levels deep")
    values = {
        name: _value(hints[name], value, f"{where}.{name}", depth) for name, value in found.items() if value is not None
    }
    missing = [name for name, default in _defaults(kind) if default is dataclasses.MISSING and name not in values]
    if missing:
        raise ValueError(f"{where} has no {missing[0]}")
    return kind(**values)


def _value(hint: Any, value: object, where: str, depth: int) -> Any:
    if dataclasses.is_dataclass(hint) and isinstance(hint, type):
        return _read(hint, value, where, depth)
    if hint is str:
        if not isinstance(value, str):
            raise ValueError(f"{where} must be a string")
        return value
    if hint is float or float in get_args(hint):
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            raise ValueError(f"{where} must be a finite number")
        return float(value)
    if getattr(hint, "__origin__", None) is tuple:
        if not isinstance(value, list | tuple):
            raise ValueError(f"{where} must be a list")
        return tuple(
            _value(get_args(hint)[0], item, f"{where}[{place}]", depth) for place, item in enumerate(value, start=1)
        )
    if not isinstance(value, dict) or not all(
        isinstance(name, str) and isinstance(setting, str) for name, setting in value.items()
    ):
        raise ValueError(f"{where} must be an object of strings")
    return dict(value)


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
