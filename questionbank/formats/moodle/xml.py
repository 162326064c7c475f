"""Moodle XML files: a ``<quiz>`` of questions, each belonging to the category that precedes it.

Every item's bytes are kept with the text before it, so that it can be exported as it came.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from defusedxml.ElementTree import fromstring

from analytics.question_content import AcceptedAnswer, Option
from analytics.records import Original, QuestionRecord
from questionbank.core.errors import LineWarning
from questionbank.formats.fields import exported_path
from questionbank.formats.items import item_entries
from questionbank.formats.moodle.plain_texts import GAP_LISTS
from questionbank.formats.moodle.reading import (
    read_element,
    with_pictures,
    with_predictions,
    without_pictures,
    without_predictions,
)
from questionbank.formats.moodle.templates import STACK
from questionbank.formats.moodle.words import FORMAT, category_of, category_path, known_grade
from questionbank.formats.moodle.writing import write_element
from questionbank.formats.pictures import Put, hash_of
from questionbank.formats.seam import Attachments, CannotHold, ConceptRow, Entry, ReadContext, is_as_read, not_held
from questionbank.formats.xml_nodes import Node, XmlItem, parse, xml_items
from questionbank.formats.xml_writing import element

HEAD = b'<?xml version="1.0" encoding="UTF-8"?>\n<quiz>'
PREAMBLE_LIMIT = 200  # pieces: categories without questions, and the text between them
_SAME = 5e-6  # rounding error of shares written with five digits
FOOT = b"\n</quiz>\n"


def read_moodle_xml(path: Path, context: ReadContext) -> Iterator[tuple[int, Entry]]:
    """Yield the entries of each question, by its first line."""
    category: tuple[str, ...] = ()
    preamble: list[bytes] = []
    seen: set[tuple[str, ...]] = set()
    for item in xml_items(
        path, root="quiz", item="question", unpacked_limit=context.unpacked_limit, progress=context.progress
    ):
        preamble.append(item.preamble)
        if item.attributes.get("type", "").strip() == "category":
            category = _category(item.data)
            preamble = [*preamble[-PREAMBLE_LIMIT:], item.data]
            if category and category not in seen:
                seen.add(category)
                yield item.line, ConceptRow(item.line, "", category[-1], "", category)
            continue
        if item.attributes.get("type", "").strip() == "random":  # draws questions from its category
            preamble = [*preamble[-PREAMBLE_LIMIT:], item.data]
            yield (
                item.line,
                LineWarning(item.line, "a random question has no content of its own and is left out", "kind"),
            )
            continue
        yield from _entries(context.attachments.put, item, category, b"".join(preamble))
        preamble = []


def _entries(put: Put, item: XmlItem, category: tuple[str, ...], preamble: bytes) -> Iterator[tuple[int, Entry]]:
    data = without_predictions(item.data)  # predictions are not part of the question

    def read() -> tuple[QuestionRecord, list[tuple[str, str]]]:
        record, said = read_element(data, put, (category,) if category else ())
        kept = frozenset(picture.sha256 for picture in record.content.pictures if picture.sha256)
        return replace(record, original=Original(FORMAT, without_pictures(data, kept), preamble)), said

    yield from item_entries(item.line, read)


@lru_cache(maxsize=1_000)
def _category(data: bytes) -> tuple[str, ...]:
    item = fromstring(data, forbid_dtd=True)
    found = item.findtext("category/text")
    return category_path(found if found is not None else item.findtext("category") or "")


def write_moodle_xml(records: Iterable[QuestionRecord], attachments: Attachments) -> Iterator[bytes]:
    """Yield the file in pieces; omit questions that Moodle XML cannot hold, as reported by `export_losses`."""
    yield HEAD
    category: tuple[str, ...] = ()
    for record in records:
        original = record.original
        preamble = original.preamble if original is not None and original.format == FORMAT else b""
        stated = _last_category(preamble)
        record = _filed_under(_with_exported_names(record), stated)
        try:
            item = with_predictions(_item(record, attachments), record.predicted)
        except CannotHold:
            continue
        wanted = record.concepts[0] if record.concepts else ()
        if stated != wanted and wanted != category:
            preamble = _category_item(wanted) + (preamble if stated is None else b"\n")
        category = wanted
        yield preamble or b"\n\n"
        yield item
    yield FOOT


def _with_exported_names(record: QuestionRecord) -> QuestionRecord:
    """Return a record with its concepts named as in files, so that they read back the same."""
    return replace(record, concepts=tuple(tuple(exported_path(path)) for path in record.concepts))


def _filed_under(record: QuestionRecord, category: tuple[str, ...] | None) -> QuestionRecord:
    """Return a record with its category as the first concept, and the others sorted by name."""
    if len(record.concepts) < 2:
        return record
    first = category if category in record.concepts else record.concepts[0]
    others = sorted(path for path in record.concepts if path != first)
    return replace(record, concepts=(first, *others))


def _item(record: QuestionRecord, attachments: Attachments) -> bytes:
    original = record.original
    if original is None or original.format != FORMAT:
        return write_element(record, attachments.get)
    item = original.data
    if not is_as_read(record) or len(record.concepts) > 1:
        is_other = record.kind == "opaque"
        before, _said = read_element(original.data, hash_of, record.concepts[:1], is_other=is_other)
        if before.kind != record.kind or _is_replaced(before, record):
            return write_element(record, attachments.get)
        before = replace(_filed_under(before, record.concepts[0] if record.concepts else None), id=record.id)
        # Settings cannot be removed in the bank, but older imports may not have read all of them.
        stated = {**before.content.settings, **record.content.settings}
        record = replace(record, content=replace(record.content, settings=stated))
        if before.source == "":
            before = replace(before, source=record.source)
        was, is_now = (write_element(one, attachments.get, opaque=True) for one in (before, record))
        item = _patched(item, was, is_now)
    return with_pictures(item, attachments.get)


def _patched(original: bytes, before: bytes, now: bytes) -> bytes:
    """Replace only those elements of an item that differ between `before` and `now`; all other bytes stay.

    Many of Moodle's question types hold more than our fields, and only Moodle can write those parts.

    Args:
        before, now: the record written as it was read, and as it is now.
    """
    there, old, new = map(_by_name, (original, before, now))
    end = max((child.end for children in there.values() for child in children), default=original.rfind(b"</"))
    edits: list[tuple[int, int, bytes]] = []
    for name in {**old, **new}:
        has = there[name]
        sources = [before[child.start : child.end] for child in old[name]]
        pieces = [now[child.start : child.end] for child in new[name]]
        if sources == pieces:
            continue
        if len(sources) == len(pieces) == len(has):
            triples = zip(has, sources, pieces, strict=True)
            edits += [(child.start, child.end, piece) for child, source, piece in triples if source != piece]
        elif has:
            edits.append((has[0].start, has[0].end, b"\n".join(pieces)))
            edits += [(child.start, child.end, b"") for child in has[1:]]
        else:
            edits.append((end, end, b"".join(b"\n" + piece for piece in pieces)))
    for start, end, piece in sorted(edits, reverse=True):
        original = original[:start] + piece + original[end:]
    return original


def _by_name(item: bytes) -> dict[str, list[Node]]:
    found: dict[str, list[Node]] = defaultdict(list)
    for child in parse(item).children():
        found[child.name].append(child)
    return found


def _is_replaced(before: QuestionRecord, record: QuestionRecord) -> bool:
    """Return whether an edited question must be rewritten because its original type cannot hold the edit."""
    type, is_apart = before.content.settings.get("type"), before.kind != "opaque"
    return type in GAP_LISTS or (type == STACK and is_apart and _asked(before) != _asked(record))


def _asked(record: QuestionRecord) -> tuple[object, ...]:
    options = [(option.text, option.weight, option.feedback) for option in record.options]
    return record.kind, record.text, record.answer, options, record.content.blanks, record.content.accepted


def _last_category(preamble: bytes) -> tuple[str, ...] | None:
    """Return the last category in a preamble; None if it names none."""
    if b"<question" not in preamble:
        return None
    quiz = fromstring(b"<quiz>" + preamble + b"</quiz>", forbid_dtd=True)
    categories = [question.findtext("category/text") or "" for question in quiz.iterfind("question")]
    return category_path(categories[-1]) if categories else None


def _category_item(path: tuple[str, ...]) -> bytes:
    category = element("category", element("text", category_of(path)))
    return f"\n{element('question', category, type='category')}\n".encode()


def moodle_losses(record: QuestionRecord, attachments: Attachments) -> list[str]:
    """Return what Moodle XML cannot hold of a question."""
    record = _with_exported_names(record)
    original = record.original
    if original is not None and original.format == FORMAT:
        if is_as_read(record):
            return []
        if record.content.settings.get("type") == STACK and record.kind != "opaque":
            before, _said = read_element(original.data, hash_of, record.concepts[:1])
            if before.kind != record.kind or _is_replaced(before, record):
                return ["how STACK grades and comments on answers: the question was changed in the bank"]
        is_other = record.kind == "opaque"
        again, _said = read_element(_item(record, attachments), hash_of, record.concepts[:1], is_other=is_other)
        kept = replace(again.content, original=record.content.original)
        again = replace(again, source=record.source, content=kept)
    else:
        again, _said = read_element(write_element(record, attachments.get), hash_of, record.concepts[:1])
    graded, changed = _with_known_grades(record)
    return changed + not_held(graded, again)


def _with_known_grades(record: QuestionRecord) -> tuple[QuestionRecord, list[str]]:
    """Return a record with the nearest weights that Moodle knows, and messages about those it changed."""
    weighed: list[Option | AcceptedAnswer] = [*record.options, *record.content.accepted]
    weights = {one.weight: known_grade(one.weight) for one in weighed if one.weight is not None}
    other = {weight: known for weight, known in weights.items() if abs(weight - known) > _SAME}
    if not other:
        return record, []
    options = tuple(
        one if one.weight is None else replace(one, weight=other.get(one.weight, one.weight)) for one in record.options
    )
    accepted = tuple(replace(one, weight=other.get(one.weight, one.weight)) for one in record.content.accepted)
    content = replace(record.content, accepted=accepted)
    named = ", ".join(f"{known * 100:.7g} % for {weight * 100:.7g} %" for weight, known in other.items())
    return replace(record, options=options, content=content), [f"weights that Moodle does not know: {named}"]
