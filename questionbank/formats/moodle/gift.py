"""GIFT files: questions separated by blank lines, with ``$CATEGORY:`` and comments between them.

What GIFT has no place for is in a comment before the question, ``// kindred: {"grade": "7"}``: other systems ignore it,
we read it. An unchanged question that came from GIFT is exported as it came, including comments.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from analytics.analysed_text import UNTITLED
from analytics.question_content import AcceptedAnswer, Blank, Option
from analytics.records import Original, QuestionRecord
from questionbank.core.errors import LineProblem, LineWarning
from questionbank.formats.fields import FieldProblems, read_question
from questionbank.formats.html_text import text_html
from questionbank.formats.items import item_entries, lost_fields, mark_comments, read_marks
from questionbank.formats.kinds import accepted_answers, best_answers, blank_answer, option_weights, right_options
from questionbank.formats.limits import default_title
from questionbank.formats.lines import ENCODINGS, decode_text, file_encoding, read_lines
from questionbank.formats.moodle.gift_items import GAP, GiftItem
from questionbank.formats.moodle.words import category_of, category_path
from questionbank.formats.pictures import Put, hash_of
from questionbank.formats.seam import (
    ANOTHER_TYPE,
    Attachments,
    CannotHold,
    ConceptRow,
    Entry,
    ReadContext,
    is_as_read,
    not_held,
)
from questionbank.formats.written_numbers import decimal_text

FORMAT = "gift"
ITEM_LIMIT = 1_000_000  # characters
_CATEGORY = re.compile(r"\s*\$CATEGORY:(.*)")
_TITLE = re.compile(r"\s*::[^:\n]")
_ESCAPED = re.compile(r"\\.")
_MARK = re.compile(r"\[\[\d{1,3}\]\]")
_RESERVED = re.compile(r"[\\~=#{}:]")
_WITH_GAP = frozenset({"choice", "number", "short"})  # kinds whose braces may be within the text
_KINDS = frozenset({"choice", "true_false", "number", "short", "matching", "description", "open"})


def is_gift(beginning: str, name: str) -> bool:
    """Return whether a file is in GIFT format, by its name or its first question."""
    if name.endswith((".gift", ".gift.txt")):
        return True
    if name.endswith((".csv", ".tsv", ".json", ".jsonl", ".ndjson", ".xml")):
        return False
    first = r"((//|\$CATEGORY:)[^\n]*\n\s*)*(::[^:\n]+::|[^{}\n]+\{\s*[=~T#F])"
    return re.match(first, beginning) is not None or beginning.startswith("$CATEGORY:")


# -- reading ------------------------------------------------------------------------------------------------------


def read_gift(path: Path, context: ReadContext) -> Iterator[tuple[int, Entry]]:
    """Yield the entries of each question, by its first line."""
    encoding = file_encoding(path)
    if encoding != "utf-8":
        context.notes.append(f"Read as {ENCODINGS[encoding]}.")
    put = context.attachments.put
    category: tuple[str, ...] = ()
    last = ""  # title of the preceding description, which may be the beginning of a question
    before: list[str] = []  # comments and category before a question
    item = _Question()
    seen = set()
    for number, line in _lines(path, encoding, context):
        if isinstance(line, LineProblem):
            yield number, line
            continue
        if not line.strip():
            if item.lines:
                yield from _torn(item.start, item.lines, last)
                last = "" if item.opened or not _TITLE.match(item.lines[0]) else item.lines[0]
                yield from _entries(item.start, before, item.lines, category, put)
                before, item = [], _Question()
            before.append(line)
        elif not item.lines and (found := _CATEGORY.match(line)):
            category = category_path(found[1])
            before.append(line)
            if category and category not in seen:
                seen.add(category)
                yield number, ConceptRow(number, "", category[-1], "", category)
        elif not item.lines and line.lstrip().startswith("//"):
            before.append(line)
        else:
            if item.is_whole and _TITLE.match(line):  # no empty line between two questions
                yield from _entries(item.start, before, item.lines, category, put)
                before, item = [], _Question()
            item.add(number, line)
            if item.length > ITEM_LIMIT:
                yield (item.start, LineProblem(item.start, f"the question has more than {ITEM_LIMIT:,} characters"))
                item = _Question()
    if item.lines:
        yield from _torn(item.start, item.lines, last)
        yield from _entries(item.start, before, item.lines, category, put)


class _Question:
    """The lines of a question being read."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.start = self.length = self.opened = self._closed = 0

    def add(self, number: int, line: str) -> None:
        self.start = self.start or number
        self.length += len(line)
        signs = _ESCAPED.sub("", line)
        self.opened += signs.count("{")
        self._closed += signs.count("}")
        self.lines.append(line)

    @property
    def is_whole(self) -> bool:
        """Whether the answers have begun and all braces are closed."""
        return 0 < self.opened == self._closed


def _torn(line: int, lines: list[str], title: str) -> Iterator[tuple[int, Entry]]:
    """Yield a warning if an empty line may have split a question: a title before it, untitled answers after it."""
    if title and not _TITLE.match(lines[0]) and "{" in "".join(lines):
        reason = f"an empty line ends a question in GIFT; if this belongs to {title.strip()[:60]!r}, remove that line"
        yield line, LineWarning(line, reason, "text")


def _lines(path: Path, encoding: str, context: ReadContext) -> Iterator[tuple[int, str | LineProblem]]:
    for number, line in read_lines(path, progress=context.progress, unpacked_limit=context.unpacked_limit):
        if isinstance(line, LineProblem):
            yield number, line
            continue
        try:
            text = decode_text(line.rstrip(b"\r\n"), encoding)
        except ValueError as error:
            yield number, LineProblem(number, str(error))
            continue
        for piece in re.split(r"\r", text):
            yield number, piece


def _entries(
    line: int, before: list[str], lines: list[str], category: tuple[str, ...], put: Put
) -> Iterator[tuple[int, Entry]]:
    original = Original(FORMAT, "\n".join(lines).encode(), "\n".join(before).encode())

    def read() -> tuple[QuestionRecord, list[tuple[str, str]]]:
        record, said = item_record(before, lines, (category,) if category else (), put)
        return replace(record, original=original), said

    yield from item_entries(line, read)


def item_record(
    before: list[str], lines: list[str], concepts: tuple[tuple[str, ...], ...], put: Put
) -> tuple[QuestionRecord, list[tuple[str, str]]]:
    """Return the record of a question and its preceding comments, and (field, reason) of what was lost.

    Args:
        put: stores a picture.

    Raises:
        FieldProblems: the question is invalid.
    """
    item = GiftItem(put)
    item.read("\n".join(line for line in lines if not line.lstrip().startswith("//")))
    row, content = item.row, item.content
    row["concepts"] = [list(path) for path in concepts]
    if content["title"] == default_title(row["text"]):
        content["title"] = ""
    comments = (line for line in before if line.lstrip().startswith("//"))
    row["id"], content["tags"], item.ours = read_marks(comments)
    row["id"] = row["id"][:200]
    row["text"] = row["text"] or content["title"] or UNTITLED
    return read_question(item.full_row()), item.said


# -- writing ------------------------------------------------------------------------------------------------------


def write_gift(records: Iterable[QuestionRecord], _attachments: Attachments) -> Iterator[bytes]:
    """Yield the file in pieces; omit opaque questions that came in another format."""
    category: tuple[str, ...] = ()
    is_first = True
    for record in records:
        try:
            before, item, stated = _item(record)
        except CannotHold:
            continue
        wanted = record.concepts[0] if record.concepts else ()
        if stated is not None and stated in (*record.concepts, ()):
            wanted = stated
        elif wanted != category:
            yield f"\n$CATEGORY: {category_of(wanted)}\n".encode()
            is_first = False
        category = wanted
        yield _apart(before, item, is_first=is_first).encode()
        is_first = False


def _apart(before: str, item: str, *, is_first: bool) -> str:
    """Return a question and the text before it, separated by empty lines, which alone end a question.

    Comments and categories kept from different files need not begin with an empty line.
    """
    lines = before.split("\n")
    if not is_first and lines[0].strip():
        lines.insert(0, "")
    apart: list[str] = []
    for line in (*lines, item):
        if apart and _CATEGORY.match(apart[-1]) and line.strip():
            apart.append("")
        apart.append(line)
    return "\n".join(apart) + "\n"


def _item(record: QuestionRecord) -> tuple[str, str, tuple[str, ...] | None]:
    """Return the text before a question, the question, and the category that this text names."""
    original = record.original
    if original is not None and original.format == FORMAT:
        before = original.preamble.decode()
        found = [category_path(match[1]) for line in before.split("\n") if (match := _CATEGORY.match(line))]
        is_kept = is_as_read(record) and len(record.concepts) < 2
        if is_kept and (not found or found[-1] in (*record.concepts, ())):
            return before, original.data.decode(), found[-1] if found else None
    comments, item = item_text(record)
    return "\n".join(["", *comments]), item, None


def item_text(record: QuestionRecord, *, is_ours: bool = True) -> tuple[list[str], str]:
    """Return the comments before a question, and the question.

    Args:
        is_ours: whether to add the comment that holds what GIFT has no place for.

    Raises:
        CannotHold: the question is one that we cannot parse.
    """
    if record.kind == "opaque":
        raise CannotHold(ANOTHER_TYPE)
    item = _Writing(record).text()
    lost = lost_fields(record, _again(record, [*mark_comments(record, "//")], item)) if is_ours else ""
    comments = [*mark_comments(record, "//", lost)]
    return comments, item


def _again(record: QuestionRecord, comments: list[str], item: str) -> QuestionRecord:
    try:
        return item_record(comments, item.split("\n"), record.concepts[:1], hash_of)[0]
    except FieldProblems:
        return QuestionRecord("", "")


def gift_losses(record: QuestionRecord, _attachments: Attachments) -> list[str]:
    """Return what other systems lose of a question in GIFT; we restore it from a comment."""
    original = record.original
    lost = ["the pictures"] if any(picture.sha256 for picture in record.content.pictures) else []
    if original is not None and original.format == FORMAT:
        return [] if is_as_read(record) else lost
    comments, item = item_text(record, is_ours=False)
    asked = _with_missing_word(record)
    if record.content.blanks and asked.kind == "open":
        lost.append(f"the gaps with their answers: GIFT holds one gap a question, so students see {GAP}")
    return [*dict.fromkeys(lost + not_held(asked, _again(record, comments, item)))]


class _Writing:
    def __init__(self, record: QuestionRecord) -> None:
        self.record = _with_missing_word(record)
        self.content = self.record.content

    def text(self) -> str:
        record = self.record
        title = _escaped(self.content.title or default_title(record.text))
        answers = self._answers()
        general = f"####{self._rich(record.solution)}" if record.solution and answers is not None else ""
        braces = "" if answers is None else f"{{{answers}{general}}}"
        text = self._rich(record.text)
        before, gap, after = text.partition(GAP)
        if answers and record.kind in _WITH_GAP and gap and after.strip() and GAP not in after:
            return f"::{title}::{before}{braces}{after}"
        return f"::{title}::{text}{braces}"

    def _rich(self, text: str) -> str:
        html = text_html(text)
        return f"[html]{_escaped(html)}" if html is not None else f"[plain]{_escaped(text)}"

    def _answers(self) -> str | None:
        record, content = self.record, self.content
        kind = record.kind if record.kind in _KINDS else "open"
        accepted = accepted_answers(content, record.answer)
        if kind == "description":
            return None
        if kind == "true_false" and record.answer:
            said = {answer.text: self._said(answer.feedback) for answer in content.accepted}
            right = said.get(record.answer, "")
            wrong = said.get("False" if record.answer == "True" else "True", "")
            return record.answer.upper() + (f"{wrong or '#'}{right or '#'}" if wrong or right else "")
        if kind == "choice" and record.options:
            weights = option_weights(record.options, record.answer)
            credited = sum(weight > 0 for weight in weights)
            is_single = content.settings.get("single", "true" if credited <= 1 else "false") == "true"
            return _listed(
                f"{_mark(weight, is_single=is_single)}{self._rich(option.text)}{self._said(option.feedback)}"
                for option, weight in zip(record.options, weights, strict=True)
            )
        if kind == "matching":
            return _listed(f"={self._rich(pair.left)} -> {_escaped(pair.right)}" for pair in content.pairs)
        if kind == "number" and accepted:
            return "#" + _listed(
                f"={_percent(one.weight)}{_escaped(one.text)}:{decimal_text(one.tolerance or 0)}"
                f"{self._said(one.feedback)}"
                for one in accepted
            )
        if kind == "short" and accepted:
            return _listed(f"={_percent(one.weight)}{_escaped(one.text)}{self._said(one.feedback)}" for one in accepted)
        return ""

    def _said(self, feedback: str) -> str:
        return f"#{self._rich(feedback)}" if feedback else ""


def _listed(answers: Iterable[str]) -> str:
    return "".join(f"\n\t{answer}" for answer in answers) + "\n"


def _mark(weight: float, *, is_single: bool) -> str:
    if is_single:
        return "=" if weight == 1 else f"~{_percent(weight)}" if weight else "~"
    return f"~%{weight * 100:.7g}%"


def _percent(weight: float) -> str:
    return "" if weight == 1 else f"%{weight * 100:.7g}%"


def _escaped(text: str) -> str:
    return _RESERVED.sub(lambda match: f"\\{match[0]}", text).replace("\r", "").replace("\n", "\\n")


# -- gaps: a single gap is a missing word, with its answers in its place
# -------------------------------------------------


def _with_missing_word(record: QuestionRecord) -> QuestionRecord:
    """Convert a question with one gap to the gap's kind, with several gaps to an open one; leave others alone."""
    if record.kind != "blanks":
        return record
    content, text = record.content, _MARK.sub(GAP, record.text)
    if not content.blanks:
        is_one = bool(record.answer) and text.count(GAP) < 2
        return replace(record, kind="short" if is_one else "open", text=text)
    rest = replace(record, text=text, content=replace(content, blanks=()))
    if len(content.blanks) > 1 or text.count(GAP) != 1:
        return replace(rest, kind="open", answer="")
    blank = content.blanks[0]
    return _choice(rest, blank) if blank.options else _typed(rest, blank)


def _typed(record: QuestionRecord, blank: Blank) -> QuestionRecord:
    kind = "number" if blank.kind == "number" else "short"
    answer = blank_answer(blank)
    if blank.accepted == (AcceptedAnswer(answer),):
        return replace(record, kind=kind, answer=answer)
    answer = "; ".join(one.text for one in best_answers(blank.accepted))
    return replace(record, kind=kind, answer=answer, content=replace(record.content, accepted=blank.accepted))


def _choice(record: QuestionRecord, blank: Blank) -> QuestionRecord:
    right = right_options(blank.options)
    is_plain = len(right) == 1 and all(
        option.weight == (option.label in right) or option.weight is None for option in blank.options
    )
    weights = [None if is_plain else option.weight or 0.0 for option in blank.options]
    options = tuple(
        Option(option.label, option.text, "", weight, option.feedback)
        for option, weight in zip(blank.options, weights, strict=True)
    )
    return replace(record, kind="choice", options=options, answer=", ".join(right))
