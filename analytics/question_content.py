"""What grading a question needs besides its readable text: accepted answers, pairs, blanks, parts, feedback, pictures.

`text`, `options`, `answer` and `solution` stay the question that people, search and models read; `QuestionContent`
is next to them. As JSON (`as_json`, `content_of`) it leaves out whatever is empty.
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
"""The setting that names the picture of the question as its paper prints it: shown to teachers, not a part of it."""
PARTS_DEEP = 2  # levels: parts may have parts, and no more
ANSWER_LINES = "answer_lines"
"""The setting that says how many lines to write on a question or a part has in its source."""


@dataclass(frozen=True, slots=True)
class Option:
    """One answer choice of a multiple-choice question.

    Attributes:
        weight: the share of the points that it gives, -1 to 1; None where only the question's answer says what is
            right.
        feedback: for a student who chooses it.
    """

    label: str
    text: str
    misconception: str = ""
    weight: float | None = None
    feedback: str = ""


def option_text(option: Option | Mapping[str, Any]) -> str:
    """Return the text of an option, as a record or as JSON holds it."""
    return option.text if isinstance(option, Option) else str(option.get("text", ""))


@dataclass(frozen=True, slots=True)
class AcceptedAnswer:
    """An answer that is typed.

    Attributes:
        weight: the share of the points that it gives, 0 to 1; 0 is an expected wrong answer, with its feedback.
        tolerance: how far a number may be off, counted as `tolerance_kind` says.
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
    """What belongs together; without `left`, a choice on the right that belongs to nothing."""

    left: str
    right: str


@dataclass(frozen=True, slots=True)
class Blank:
    """A gap in the text, where ``[[1]]``, ``[[2]]`` and so on are.

    Attributes:
        kind: ``"short"``, ``"number"`` or ``"choice"`` (a drop-down).
        points: its share of the question's, relative to the other gaps.
        style: how its source shows it.
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
    """A picture that texts of the question name: ``![its description](name)``.

    Attributes:
        sha256: of its bytes, in hexadecimal; empty where nobody has attached it.
        width: in points (1/72 inch), as its source prints it; 0 where that is not known.
    """

    name: str
    sha256: str = ""
    width: float = 0.0


@dataclass(frozen=True, slots=True)
class Stimulus:
    """What several questions share, such as a text or a table: their texts begin with it."""

    title: str = ""
    text: str = ""


@dataclass(frozen=True, slots=True)
class Section:
    """The section of a paper or quiz in which a question stands; worksheets print it above its questions."""

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
        points: what a right answer gives.
        tags: words that its source files it under, besides its concepts.
        settings: named settings of its source, such as shuffle, case, penalty, numbering.
        stimulus: what it shares with other questions.
        section: where it stands in its source.
        original: SHA-256 of the item that an opaque question was read from, in hexadecimal: what it is, as far as we
            can tell.
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
    """Return a content, or a part of one, as JSON holds it, without what is empty or as usual.

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
    """Return the content that JSON holds.

    Raises:
        ValueError: it is no such content; the message says where.

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
    """Return what JSON holds as a dataclass, checked by the types of its fields."""
    if not isinstance(found, dict):
        raise ValueError(f"{where} must be an object")
    hints = _hints(kind)
    if unknown := [name for name in found if name not in hints]:
        raise ValueError(f"{where} has no {str(unknown[0])[:40]!r}")
    depth += kind is QuestionPart
    if depth > PARTS_DEEP:
        raise ValueError(f"parts are more than {PARTS_DEEP} levels deep")
    values = {
        name: _value(hints[name], value, f"{where}.{name}", depth)
        for name, value in found.items()
        if value is not None
    }
    missing = [
        name for name, default in _defaults(kind) if default is dataclasses.MISSING and name not in values
    ]
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
            _value(get_args(hint)[0], item, f"{where}[{place}]", depth)
            for place, item in enumerate(value, start=1)
        )
    if not isinstance(value, dict) or not all(
        isinstance(name, str) and isinstance(setting, str) for name, setting in value.items()
    ):
        raise ValueError(f"{where} must be an object of strings")
    return dict(value)


def content_texts(content: QuestionContent) -> Iterator[str]:
    """Yield the texts that students read: they may hold formulas and name pictures."""
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
    """Return what a right answer gives: its own points, else the sum of its parts'; None where neither says.

    >>> parts = tuple(QuestionPart(text, content=QuestionContent(points=2.0)) for text in "ab")
    >>> total_points(QuestionContent(parts=parts)), total_points(QuestionContent())
    (4.0, None)
    """
    if content.points is not None:
        return content.points
    stated = [points for part in content.parts if (points := total_points(part.content)) is not None]
    return sum(stated) if stated else None


def asked_parts(content: QuestionContent) -> Iterator[str]:
    """Yield what of a content tells one question from another that has the same text and options."""
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
    """Return the SHA-256 of the parts of a question, in order.

    Compatibility forms are unified (NFKC) and blanks collapsed, so that a full-width bracket or another
    line break makes no other question; case counts, because x and X are two variables.
    """
    # The unit separator is a blank to split(), so no part can hold it.
    joined = "\x1f".join(" ".join(unicodedata.normalize("NFKC", part).split()) for part in parts)
    return hashlib.sha256(joined.encode("utf-8")).digest()


def own_text(text: str, content: QuestionContent) -> str:
    r"""Return the text of a question without what it shares with others; all of it where it does not begin with that.

    >>> own_text("A farm.\n\nHow many cows?", QuestionContent(stimulus=Stimulus(text="A farm.")))
    'How many cows?'
    """
    shared = content.stimulus.text
    rest = text.removeprefix(shared).lstrip() if shared else ""
    return rest if rest and len(rest) < len(text) else text
