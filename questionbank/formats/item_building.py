"""A question that a reader puts together: what it says, what went, and the item that it was read from."""

from __future__ import annotations

import hashlib
import io
import json
import re
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

from analytics.question_content import AcceptedAnswer, Option, QuestionContent
from analytics.records import Original, QuestionRecord
from questionbank.errors import LineProblem
from questionbank.formats.computed_answers import SETTING
from questionbank.formats.fields import read_question
from questionbank.formats.folders import Folder, opened_folder
from questionbank.formats.item_reading import ItemReading, item_entries
from questionbank.formats.kinds import option_label, options_fault
from questionbank.formats.limits import ID_LIMIT
from questionbank.formats.moodle.words import category_path
from questionbank.formats.originals import fields_digest
from questionbank.formats.own_fields import read_ours
from questionbank.formats.seam import Attachments, CannotHold, Entry, ReadContext
from questionbank.formats.written_numbers import finite_number

GAP = "____"
LONGEST = 300_000  # characters of a file that is one question
_NO_NAME = re.compile(r"[{}$@#\\\s]+")
_DATE = (1980, 1, 1, 0, 0, 0)
Find = Callable[[str], bytes | None]
"""Returns a file that an item names, or None."""


def placeholder(name: str) -> str:
    """Return what stands for a value that the source computes.

    >>> placeholder("$a"), placeholder("params.x")
    ('{@a@}', '{@params.x@}')
    """
    return f"{{@{_NO_NAME.sub(' ', name).strip()[:60] or 'value'}@}}"


def has_placeholder(text: str) -> bool:
    """Return whether a text holds values that its source computes."""
    return "{@" in text


def numbered_gaps(mark: re.Pattern[str], text: str) -> str:
    """Return a text with our gaps in place of another system's marks, numbered in their order.

    >>> numbered_gaps(re.compile("_+"), "One is __, two is __.")
    'One is [[1]], two is [[2]].'
    """
    numbers = count(1)
    return mark.sub(lambda _mark: f"[[{next(numbers)}]]", text)


def concept_of(names: Iterable[str]) -> list[list[str]]:
    """Return the concept path of some names as a row has it; none where none has letters."""
    path = category_path("/".join(name.replace("/", "//") for name in names if name.strip()))
    return [list(path)] if path else []


def lettered(texts: Iterable[tuple[str, bool, str]]) -> list[Option]:
    """Return options with letters from (text, whether it is right, feedback); several right ones share the points."""
    found = list(texts)
    right = sum(is_right for _text, is_right, _feedback in found)
    return [
        Option(
            option_label(place),
            text,
            "",
            (1 / right if is_right else 0.0) if right > 1 else None,
            feedback,
        )
        for place, (text, is_right, feedback) in enumerate(found)
    ]


class Item(ItemReading):
    """One question of a text while it is read.

    Attributes:
        ours: fields that the format has no place for, as `lost_fields` writes them.
        files: texts that belong to the item, by their paths.
        is_drawn: whether its source computes what it says, so that it is kept as another type.
        computed: its answer as the source computes it; it counts where there is no other.
    """

    def __init__(
        self, format: str, context: ReadContext, *, place: str = "", find: Find | None = None
    ) -> None:
        super().__init__(context.attachments.put)
        self.is_drawn = False
        self.computed = ""
        self.ours = ""
        self.files: dict[str, str] = {}
        self._format, self._place, self.find = format, place, find or (lambda _name: None)

    def picture(self, address: str, field: str = "text") -> str:
        """Return our name of a picture that the item names."""
        address = address.strip()
        name = address.rpartition("/")[2]
        if "{@" in address or "://" in address:
            return self.pictures.missing(name)
        return self.pictures.shown(self.find(address), field, name)

    # -- answers ---------------------------------------------------------------------------------------------------

    def choose(self, texts: Iterable[tuple[str, bool, str]], *, is_single: bool = True) -> None:
        """Make it a choice between (text, whether it is right, feedback)."""
        found = list(texts)
        options = lettered(found)
        right = [option for option, (_text, is_right, _said) in zip(options, found, strict=True) if is_right]
        self.row |= {"kind": "choice", "options": options}
        if len(right) == 1:
            self.row["answer"] = right[0].label
            if not is_single:
                self.settings["single"] = "false"
                self.row["options"] = [replace(one, weight=float(one in right)) for one in options]

    def typed(self, accepted: Iterable[AcceptedAnswer], kind: str = "") -> None:
        """Make it a question for a typed answer; for a number where each of them is one."""
        answers = [answer for answer in accepted if answer.text]
        is_number = all(finite_number(one.text) is not None for one in answers)
        self.row["kind"] = kind or ("number" if is_number else "short")
        self.accept(answers)

    # -- the whole -------------------------------------------------------------------------------------------------

    def entries(self, line: int, data: str, preamble: str = "") -> Iterator[tuple[int, Entry]]:
        """Yield the warnings and the question; a problem where it cannot even be kept.

        Args:
            data: the item as the file has it, and what stands before it or belongs to it.
        """
        source = data.encode("utf-8", "replace")
        original = Original(self._format, source, preamble.encode())

        def read() -> tuple[QuestionRecord, list[tuple[str, str]]]:
            return replace(self._read(hashlib.sha256(source).hexdigest()), original=original), self.said

        yield from item_entries(line, read, self._place)

    def _read(self, digest: str) -> QuestionRecord:
        self.show(self.row["text"].strip(), str(self.content.get("title", "")).strip())
        self.row["id"] = str(self.row.get("id", "")).strip()[:ID_LIMIT]
        if self.is_drawn:
            return read_question(self._kept_row(digest))
        if (
            self.row["kind"] == "choice"
            and not self.row["answer"]
            and not any(one.weight for one in self.row["options"])
        ):
            self.say("options", "no option is right")
        self.row = self.full_row()
        return self.record(self.settings.get("type") or self._format, digest)

    def full_row(self) -> dict[str, Any]:
        """Return the fields of the question, and those that our own writer has added."""
        has_answer = self.row["answer"] or self.content.keys() & {"accepted", "blanks", "pairs"}
        content = QuestionContent(
            **self.content,
            settings=self.settings | ({} if has_answer else self._computed()),
            pictures=self.pictures.as_content(),
        )
        row = {**self.row, "grading": content}
        if self.ours:
            read_ours(self.ours, row)
        return row

    def _computed(self) -> dict[str, str]:
        return {SETTING: self.computed} if self.computed else {}

    def _kept_row(self, digest: str) -> dict[str, Any]:
        """Return the fields of a question that we cannot take apart: what people read, and which item it is."""
        kept = {
            name: self.content[name] for name in ("title", "tags", "points", "hints") if name in self.content
        }
        options = [replace(one, weight=None) for one in self.row["options"]]
        labels = [option.label for option in options]
        if options_fault(kind="opaque", text="", labels=labels, answer="") or not all(
            one.text.strip() for one in options
        ):
            options = []
        answer = "" if has_placeholder(self.row["answer"]) else self.row["answer"]
        row = {name: value for name, value in self.row.items() if name not in ("kind", "options", "answer")}
        row["options"] = [Option(one.label, one.text) for one in options[:26]]
        row["kind"] = "opaque"
        row["answer"] = answer
        row["grading"] = QuestionContent(
            **kept,
            settings={"type": self.settings.get("type") or self._format}
            | ({} if answer else self._computed()),
            pictures=self.pictures.as_content(),
            original=digest,
        )
        return row


def read_files(
    path: Path,
    context: ReadContext,
    *,
    format: str,
    endings: tuple[str, ...],
    read: Callable[[str, Item, Folder, str], None],
) -> Iterator[tuple[int, Entry]]:
    """Yield what each file of an archive turns out to be, or the file alone, by its number.

    Args:
        endings: of the files that are questions.
        read: fills an item from a text, given the folder and the file's path in it; raises ValueError where it is none.

    Raises:
        ImportRefused: the archive cannot be read.
    """
    with opened_folder(path) as folder:
        names = [name for name in folder.names if f"/{name.lower()}".endswith(endings)] or folder.names[:1]
        for number, name in enumerate(names, start=1):
            item = Item(format, context, place=name, find=partial(folder.near, name))
            try:
                source = folder.text(name)
                if len(source) > LONGEST:
                    raise ValueError(f"has {len(source):,} characters, more than {LONGEST:,}")
                read(source, item, folder, name)
            except ValueError as error:
                yield number, LineProblem(number, f"{name[-80:]} {error}")
            else:
                yield from item.entries(number, source, _file_preamble(name, item.files))
            if context.progress is not None:
                context.progress(number, len(names))


# -- formats whose questions leave as they came ----------------------------------------------------------------------


def _file_preamble(path: str, files: Mapping[str, str]) -> str:
    """Return what an original remembers of its file: where it stood, and the files that belong to it."""
    return json.dumps({"path": path, "files": dict(files)}, ensure_ascii=False)


def originals_writer(format: str) -> Callable[[Iterable[QuestionRecord], Attachments], Iterator[bytes]]:
    """Return a writer of a ZIP archive of the files that questions were read from, each in its place."""

    def write(records: Iterable[QuestionRecord], attachments: Attachments) -> Iterator[bytes]:
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
            written: set[str] = set()
            for record in records:
                for name, data in _files_of(record, format, attachments):
                    if name not in written:
                        written.add(name)
                        archive.writestr(zipfile.ZipInfo(name, _DATE), data, zipfile.ZIP_DEFLATED)
        yield buffer.getvalue()

    return write


def _files_of(record: QuestionRecord, format: str, attachments: Attachments) -> Iterator[tuple[str, bytes]]:
    original = record.original
    if original is None or original.format != format:
        return
    stated = json.loads(original.preamble)
    path: str = stated["path"]
    folder = path.rpartition("/")[0]
    yield path, original.data
    for name, text in stated["files"].items():
        yield name, text.encode()
    for picture in record.content.pictures:
        data = attachments.get(picture.sha256) if picture.sha256 else None
        if data is not None:
            yield f"{folder}/{picture.name}" if folder else picture.name, data


def originals_losses(label: str, format: str) -> Callable[[QuestionRecord, Attachments], list[str]]:
    """Return what tells of questions that did not come in a format, and of changes since they came."""

    def losses(record: QuestionRecord, _attachments: Attachments) -> list[str]:
        original = record.original
        if original is None or original.format != format:
            raise CannotHold(
                f"questions that did not come from {label}: Kindred gives back what it read and writes no others"
            )
        return (
            []
            if original.fields in (b"", fields_digest(record))
            else ["changes made in the bank: the file has the question as it came"]
        )

    return losses
