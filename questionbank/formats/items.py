"""A question under construction by a reader: its fields, what was lost, and its source item.

Fields without a place in another system's format are JSON beside the item, which others ignore and we read. In GIFT and
LaTeX they are in comments before a question: ``[id:7] [tag:easy]`` and ``kindred: {"grade": "7"}``.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import fields, replace
from itertools import count
from typing import Any

from analytics.analysed_text import UNTITLED
from analytics.json_lines import TEXT_LIMIT
from analytics.question_content import AcceptedAnswer, MatchingPair, Option, QuestionContent, as_json, content_of
from analytics.records import Original, QuestionRecord
from questionbank.core.errors import LineProblem, LineWarning
from questionbank.formats.fields import FieldProblems, exported_path, read_question
from questionbank.formats.html_reading import PictureName, html_to_our_text
from questionbank.formats.limits import ID_LIMIT, POINTS_LIMIT
from questionbank.formats.pictures import ItemPictures, Put
from questionbank.formats.rows import record_warnings
from questionbank.formats.seam import Entry, ReadContext

_ID = re.compile(r"\[id:((?:[^\]\\]|\\.)*)\]")
_TAG = re.compile(r"\[tag:((?:[^\]\\]|\\.)*)\]")
_OURS = re.compile(r"\W*kindred:\s*(\{.*\})\s*")
_NOT_OURS = frozenset({"original", "content", "source", "predicted", "observed"})
_OUR_FIELDS = tuple(sorted({column.name for column in fields(QuestionRecord)} - _NOT_OURS))
_COMPARED = (*_OUR_FIELDS, "content", "source")
_TEXTS = frozenset({"text", "options", "answer", "solution", "content"})
_GUESSED = frozenset({"language", "kind"})  # from the texts, if a file does not state them


def lost_fields(record: QuestionRecord, again: QuestionRecord) -> str:
    """Return the fields that differ when a question is read again, as JSON; empty if none differ.

    If a text is among them, the fields guessed from texts are included too: a guess from the text read back may differ
    from a guess from this one.
    """
    names = {name for name in _COMPARED if getattr(record, name) != getattr(again, name)}
    if names & _TEXTS:
        names |= _GUESSED
    lost = {name: as_json(getattr(record, name)) for name in _COMPARED if name in names}
    if "concepts" in lost:
        lost["concepts"] = [exported_path(path) for path in record.concepts]
    return json.dumps(lost, ensure_ascii=True) if lost else ""


def read_ours(source: str, row: dict[str, Any]) -> None:
    """Put the fields written by `lost_fields` into a row; anything else changes nothing."""
    try:
        found = json.loads(source)
        content = content_of(found["content"]) if "content" in found else row["grading"]
    except (ValueError, RecursionError, TypeError):
        return
    row |= {name: value for name, value in found.items() if name in _OUR_FIELDS}
    if "source" in found:
        row["set"] = found["source"]
    row["grading"] = content


def mark_comments(record: QuestionRecord, sign: str, lost: str = "") -> Iterator[str]:
    """Yield the comments before a question.

    Args:
        sign: start of a comment.
        lost: the fields that the format has no place for, as JSON.
    """
    marks = [f"[id:{_bracketed(record.id)}]"] if record.id else []
    marks += [f"[tag:{_bracketed(tag)}]" for tag in record.content.tags]
    if lost:
        yield f"{sign} kindred: {lost}"
    if marks:
        yield f"{sign} {' '.join(marks)}"


def read_marks(comments: Iterable[str]) -> tuple[str, tuple[str, ...], str]:
    """Return the identifier, the tags and our fields (as JSON) from comments; each is empty if absent."""
    ours, others = "", []
    for line in comments:
        if found := _OURS.fullmatch(line):
            ours = found[1]
        else:
            others.append(line)
    said = "\n".join(others)
    identifier = _ID.search(said)
    tags = tuple(dict.fromkeys(_unbracketed(tag) for tag in _TAG.findall(said)))
    return _unbracketed(identifier[1]) if identifier else "", tags, ours


def _bracketed(text: str) -> str:
    return re.sub(r"([\]\\])", r"\\\1", " ".join(text.split()))


def _unbracketed(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text).strip()


_OF_ANY = ("text", "id", "concepts", "language", "grade", "stage")
Find = Callable[[str], bytes | None]
"""Returns a file that an item refers to, or None."""


def numbered_gaps(mark: re.Pattern[str], text: str) -> str:
    """Replace another system's gap marks by ours, numbered in order.

    >>> numbered_gaps(re.compile("_+"), "One is __, two is __.")
    'One is [[1]], two is [[2]].'
    """
    numbers = count(1)
    return mark.sub(lambda _mark: f"[[{next(numbers)}]]", text)


class ItemReading:
    """An item being read.

    Attributes:
        said: (field, reason) of what was lost or looks wrong.
        row: our fields, in the form that `read_question` takes.
        content: fields of `QuestionContent`, except settings and pictures.
        ours: fields that the format has no place for, as written by `lost_fields`.
    """

    def __init__(self, put: Put) -> None:
        self.put = put
        self.said: list[tuple[str, str]] = []
        self.row: dict[str, Any] = {"kind": "open", "text": "", "answer": "", "options": [], "solution": ""}
        self.content: dict[str, Any] = {}
        self.settings: dict[str, str] = {}
        self.pictures = ItemPictures(put, self.say)
        self.ours = ""

    def say(self, field: str, reason: str) -> None:
        self.said.append((field, reason))

    def picture(self, address: str, field: str) -> str:
        """Return our name of a picture that the item refers to."""
        return self.pictures.elsewhere(address, field)

    def html(
        self, source: str, field: str, picture_name: PictureName | None = None, *, breaks_lines: bool = False
    ) -> str:
        """Convert HTML to our text, recording what was left out."""
        name = picture_name or (lambda address: self.picture(address, field))
        text, went = html_to_our_text(source, picture_name=name, breaks_lines=breaks_lines)
        for what in went:
            self.say(field, f"{field}: {what}")
        return text

    def show(self, text: str, title: str) -> None:
        """Set the question's text, truncated if too long, or its title if there is no text."""
        self.row["text"] = text[:TEXT_LIMIT].strip() or title or UNTITLED
        if len(text) > TEXT_LIMIT:
            what = f"the text is longer than {TEXT_LIMIT:,} characters; the bank shows its beginning"
            self.say("text", what)

    def accept(self, accepted: Iterable[AcceptedAnswer]) -> bool:
        """Set the answers that a typed answer is compared with; return whether there are any."""
        answers = tuple(answer for answer in accepted if answer.text)
        if len(answers) == 1 and answers[0] == AcceptedAnswer(answers[0].text):
            self.row["answer"] = answers[0].text
        else:
            self.content["accepted"] = answers
        return bool(answers)

    def weigh(self, options: Sequence[Option], *, is_single: bool, adds_up: bool = True) -> None:
        """Set the options of a choice question; drop the weights if a single option earns all points."""
        right = [option for option in options if (option.weight or 0) > 0]
        takes_points = any((option.weight or 0) < 0 for option in options)
        is_plain = len(right) == 1 and right[0].weight == 1 and not takes_points
        if is_plain and is_single:
            self.row["answer"] = right[0].label
            options = [replace(option, weight=None) for option in options]
        elif is_single or len(right) <= 1:
            self.settings["single"] = "true" if is_single else "false"
        total = sum(option.weight or 0 for option in right)
        if adds_up and right and not is_plain and not is_single and abs(total - 1) > 0.01:
            self.say("options", f"the weights of the right options add up to {total:.0%}")
        if not right and options:
            self.say("options", "no option is right")
        self.row |= {"kind": "choice", "options": [*options]}

    def full_row(self) -> dict[str, Any]:
        """Return the fields of the question, including those added by our own writer."""
        points = self.content.get("points")
        if points is not None and not 0 <= points <= POINTS_LIMIT:
            reason = f"it gives {points:g} points, which is not between 0 and {POINTS_LIMIT:,}: they are left out"
            self.say("grading", reason)
            self.content["points"] = None
        pictures = self.pictures.as_content()
        row = {**self.row, "grading": QuestionContent(**self.content, settings=self.settings, pictures=pictures)}
        if self.ours:
            read_ours(self.ours, row)
        return row

    def record(self, type: str, digest: str) -> QuestionRecord:
        """Return the record of the row, or else an opaque question, which can only be exported as it came.

        Args:
            type: what the item's format calls its kind of question.
            digest: SHA-256 of the item.

        Raises:
            FieldProblems: not even an opaque question can be made.
        """
        is_kept = self.row["kind"] == "opaque"
        if is_kept:
            self.settings["type"] = type or "unknown"
            self.content["original"] = digest
        row = self.full_row()
        try:
            return read_question(row)
        except FieldProblems as error:
            if is_kept:
                raise
            self.say("kind", f"the question is kept as another type, because {error}")
        content: QuestionContent = row["grading"]
        kept = QuestionContent(
            title=content.title,
            tags=content.tags,
            pictures=content.pictures,
            stimulus=content.stimulus,
            settings={"type": type or "unknown"},
            original=digest,
        )
        fields = {name: row[name] for name in _OF_ANY if name in row}
        return read_question(fields | {"kind": "opaque", "grading": kept})


def with_others(pairs: Iterable[MatchingPair], offered: Iterable[str]) -> tuple[MatchingPair, ...]:
    """Append the right-hand choices that match nothing to the pairs."""
    asked = tuple(pairs)
    used = {pair.right for pair in asked}
    return (*asked, *(MatchingPair("", text) for text in dict.fromkeys(offered) if text not in used))


def item_entries(
    line: int, read: Callable[[], tuple[QuestionRecord, list[tuple[str, str]]]], place: str = ""
) -> Iterator[tuple[int, Entry]]:
    """Yield an item's warnings and then its record, or its problem if it cannot be kept at all.

    Args:
        read: returns the record and (field, reason) warnings; raises `FieldProblems`.
        place: position of the item in its file, for people.
    """
    where = f" ({place})" if place else ""
    try:
        record, said = read()
    except FieldProblems as error:
        yield line, LineProblem(line, f"{error}{where}", error.problems[0][0], tuple(error.problems))
        return
    if record.kind == "opaque" and not any(field == "kind" for field, _reason in said):
        type = record.content.settings.get("type", "unknown")
        said = [
            *said,
            ("kind", f"a question of the type {type[:60]!r} cannot be taken apart: it is kept as another type"),
        ]
    for field, reason in dict.fromkeys([*said, *record_warnings(record)]):
        yield line, LineWarning(line, reason, field)
    yield line, record


class Item(ItemReading):
    """One question of a text file, being read.

    Args:
        place: its position in the file, for people.
        find: returns a file that the question refers to, or None.
    """

    def __init__(self, format: str, context: ReadContext, *, place: str = "", find: Find = lambda _name: None) -> None:
        super().__init__(context.attachments.put)
        self._format, self._place, self._find = format, place, find

    def picture(self, address: str, field: str = "text") -> str:
        address = address.strip()
        name = address.rpartition("/")[2]
        if "://" in address or address.startswith("data:"):
            return self.pictures.elsewhere(address, field)
        return self.pictures.shown(self._find(address), field, name)

    def entries(self, line: int, data: str, preamble: str = "") -> Iterator[tuple[int, Entry]]:
        """Yield the warnings and the question, or a problem if it cannot be kept at all.

        Args:
            data: source of the item; `preamble` is the text before it that belongs to it.
        """
        source = data.encode("utf-8", "replace")
        original = Original(self._format, source, preamble.encode())

        def read() -> tuple[QuestionRecord, list[tuple[str, str]]]:
            return replace(self._read(hashlib.sha256(source).hexdigest()), original=original), self.said

        yield from item_entries(line, read, self._place)

    def _read(self, digest: str) -> QuestionRecord:
        self.show(self.row["text"].strip(), str(self.content.get("title", "")).strip())
        self.row["id"] = str(self.row.get("id", "")).strip()[:ID_LIMIT]
        options = self.row["options"]
        if self.row["kind"] == "choice" and not self.row["answer"] and not any(one.weight for one in options):
            self.say("options", "no option is right")
        return self.record(self._format, digest)
