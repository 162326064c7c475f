r"""Question files in LaTeX's exam document class.

Comments before a question hold what LaTeX has no place for: ``% [id:7] [tag:easy]`` and ``% kindred: {"grade": "7"}``.
An unchanged question is exported as it came, with the text before it, unless it contains commands that are not known to
be harmless to anyone who compiles the file (`structure`): then it is rewritten.
"""

from __future__ import annotations

import re
import tempfile
import zipfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from posixpath import normpath

from analytics.records import QuestionRecord
from questionbank.core.errors import LineProblem
from questionbank.formats.archives import Folder, file_pieces, opened_folder
from questionbank.formats.fields import FieldProblems, read_question
from questionbank.formats.items import Find, Item, lost_fields, mark_comments, read_marks
from questionbank.formats.latex.exam import FOOT, FORMAT, HEAD, KEPT, Slice, fill_item, slices, write_question
from questionbank.formats.latex.prose import latex_text, text_latex
from questionbank.formats.latex.structure import Macros, defined_commands, is_portable, without_comments
from questionbank.formats.pictures import SUFFIXES, PictureRefused, read_picture
from questionbank.formats.seam import (
    ANOTHER_TYPE,
    Attachments,
    CannotHold,
    Entry,
    NoAttachments,
    ReadContext,
    is_as_read,
    not_held,
)

_INCLUDES = re.compile(
    r"\\(?:input|include|verbatiminput|lstinputlisting|import|subfile)(?![A-Za-z])\s*\{?\s*([^{}\s]{1,100})"
)
_GRAPHIC = re.compile(r"\\includegraphics\*?\s*(?:\[[^\[\]]{0,500}\])?\s*\{([^{}\n]{1,300})\}")
_PICTURES = (".png", ".jpg", ".jpeg", ".gif", ".webp")
_EDGE = re.compile(r"\\(begin|end)\s*\{([^{}\n]*)\}")
_COMMENT_LINE = re.compile(r"^[ \t]*%.*$", re.MULTILINE)
_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")
_CHINESE = re.compile("[\u3400-\u9fff]")


# -- reading ---------------------------------------------------------------------------------------------------------


def read_latex(path: Path, context: ReadContext) -> Iterator[tuple[int, Entry]]:
    """Yield the entries of each question in a document or an archive of documents, by line."""
    with opened_folder(path) as folder:
        names = [name for name in folder.names if name.lower().endswith((".tex", ".ltx"))] or folder.names[:1]
        lines = 0
        for number, name in enumerate(names, start=1):
            try:
                source = folder.text(name)
            except ValueError as error:
                yield lines + 1, LineProblem(lines + 1, f"{name[-80:]} {error}")
                continue
            place = name if len(names) > 1 else ""
            clean = without_comments(source)
            document = _Document(context, Macros(clean, KEPT), place, _graphics(folder, name))
            yield from document.entries(source, clean, lines)
            lines += source.count("\n") + 1
            if context.progress is not None:
                context.progress(number, len(names))


def _graphics(folder: Folder, name: str) -> Find:
    """Return a function that finds a picture, with or without its suffix, which LaTeX lets authors omit."""

    def find(wanted: str) -> bytes | None:
        for ending in ("", *_PICTURES):
            if (data := folder.near(name, wanted + ending)) is not None:
                return data
        return None

    return find


@dataclass(frozen=True, slots=True)
class _Document:
    """What reading a question needs from its document."""

    context: ReadContext
    macros: Macros
    place: str = ""
    find: Find = lambda _name: None

    def entries(self, source: str, clean: str, lines: int) -> Iterator[tuple[int, Entry]]:
        line, counted = lines + 1, 0
        for found in slices(clean):
            line += source.count("\n", counted, found.start)
            counted = found.start
            before = source[found.before : found.start]
            yield from self.item(found, before).entries(line, source[found.start : found.end], before)

    def item(self, found: Slice, before: str) -> Item:
        item = Item(FORMAT, self.context, place=self.place, find=self.find)

        def text(latex: str, field: str) -> str:
            if "{tikzpicture}" in latex or "{pspicture}" in latex:
                item.say(field, f"{field}: a drawing in LaTeX is not drawn; its source stands in its place")
            for match in _INCLUDES.finditer(latex):
                item.say(field, f"{field}: the file {match[1]!r} that it includes is not read")
            return latex_text(self.macros.expand(latex), lambda name: item.picture(name, field))

        fill_item(item, found, text)
        comments = [line for line in before.split("\n")[-20:] if line.lstrip().startswith("%")]
        identifier, tags, item.ours = read_marks(comments)
        item.row["id"] = identifier or item.row.get("id", "")
        item.content["tags"] = tuple(dict.fromkeys([*item.content.get("tags", ()), *tags]))
        return item


# -- writing ---------------------------------------------------------------------------------------------------------


def write_latex(records: Iterable[QuestionRecord], attachments: Attachments) -> Iterator[bytes]:
    """Yield a document, or a ZIP archive if there are pictures; omit what LaTeX cannot hold."""
    with tempfile.TemporaryFile() as body, tempfile.TemporaryFile() as packed:
        pictures = _PictureFiles(attachments)
        head = ""
        defined: frozenset[str] = frozenset()
        is_first = True
        for record in records:
            try:
                before, item = _written(record, pictures, defined)
            except CannotHold:
                continue
            defined |= defined_commands(before)
            if is_first and "\\documentclass" in before:
                head, before = before, ""
            is_first = False
            body.write((_balanced(before) + item).encode("utf-8", "replace"))
        if not head:
            pieces = (piece.decode("utf-8", "ignore") for piece in file_pieces(body))
            is_chinese = any(map(_CHINESE.search, pieces))
            head = HEAD.replace("CHINESE", "\\usepackage{ctex}\n" if is_chinese else "")
        if not pictures.files:
            yield head.encode()
            yield from file_pieces(body)
            yield FOOT.encode()
            return
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
            with archive.open("questions.tex", "w") as document:
                document.write(head.encode())
                document.writelines(file_pieces(body))
                document.write(FOOT.encode())
            for name, digest in pictures.files.items():
                archive.writestr(name, attachments.get(digest) or b"")
        yield from file_pieces(packed)


def _written(record: QuestionRecord, pictures: _PictureFiles, defined: frozenset[str]) -> tuple[str, str]:
    """Return the text before a question, and the question.

    Args:
        defined: commands that the file has defined so far.
    """
    original = record.original
    before = ""
    if original is not None and original.format == FORMAT:
        before = original.preamble.decode()
        before = before if is_portable(before, defined) else ""
        source = original.data.decode()
        is_kept = is_portable(source, defined | defined_commands(before))
        if is_kept and is_as_read(record) and pictures.placed(record, source):
            return before, source
        if is_kept and record.kind == "opaque":
            pictures.named(record, is_original=True)
            return before, source
    comments, item = _item(record, pictures.named(record))
    head = before if "\\documentclass" in before else ""  # its macros are needed by other questions
    return "\n".join([head, "", *comments, ""]), item + "\n"


def _item(record: QuestionRecord, picture_file: Callable[[str], str], *, is_ours: bool = True) -> tuple[list[str], str]:
    """Return the comments before a question, and the question.

    Args:
        is_ours: whether to add the comment that holds what LaTeX has no place for.

    Raises:
        CannotHold: the question is one that we cannot parse.
    """
    if record.kind == "opaque":
        raise CannotHold(ANOTHER_TYPE)
    item = write_question(record, lambda text: text_latex(text, picture_file))
    lost = lost_fields(record, _again(record, [*mark_comments(record, "%")], item)) if is_ours else ""
    comments = [*mark_comments(record, "%", lost)]
    return comments, item


def _again(record: QuestionRecord, comments: list[str], item: str) -> QuestionRecord:
    """Return the record of a written question when read back; pictures keep their hashes."""
    source = "\n".join([*comments, ""]) + item
    clean = without_comments(source)
    found = slices(clean)
    if len(found) != 1:
        return QuestionRecord("", "")
    document = _Document(ReadContext(NoAttachments()), Macros("", ()))
    read = document.item(found[0], source[: found[0].start])
    hashes = {picture.name: picture.sha256 for picture in record.content.pictures}
    try:
        again = read_question(read.full_row())
    except FieldProblems:
        return QuestionRecord("", "")
    pictures = tuple(replace(one, sha256=hashes.get(one.name, "")) for one in again.content.pictures)
    return replace(again, content=replace(again.content, pictures=pictures))


def latex_losses(record: QuestionRecord, _attachments: Attachments) -> list[str]:
    """Return what plain LaTeX loses of a question; we restore it from a comment."""
    original = record.original
    if original is not None and original.format == FORMAT and is_portable(original.data.decode()):
        if record.kind == "opaque":
            return [] if not original.fields or is_as_read(record) else ["changes made in the bank"]
        if is_as_read(record):
            return []
    comments, item = _item(record, lambda name: name, is_ours=False)
    return not_held(record, _again(record, comments, item))


class _PictureFiles:
    """The pictures of a document, each with a unique file name."""

    def __init__(self, attachments: Attachments) -> None:
        self._attachments = attachments
        self.files: dict[str, str] = {}  # name -> hash

    def named(self, record: QuestionRecord, *, is_original: bool = False) -> Callable[[str], str]:
        """Add the pictures of a question; return a function from names in its text to file names."""
        names: dict[str, str] = {}
        for picture in record.content.pictures:
            data = self._attachments.get(picture.sha256) if picture.sha256 else None
            if data is not None:
                name = picture.name if is_original else _file_name(picture.name, data)
                stem, dot, ending = name.rpartition(".")
                again = 1
                while self.files.get(name, picture.sha256) != picture.sha256:
                    again += 1
                    name = f"{stem}-{again}{dot}{ending}"
                self.files[name] = picture.sha256
                names[picture.name] = name
        return lambda name: names.get(name, name)

    def placed(self, record: QuestionRecord, source: str) -> bool:
        """Add a question's pictures at the paths in its source; return False if a path is taken or unsafe."""
        places = {}
        for match in _GRAPHIC.finditer(source):
            address = normpath(match[1].strip())
            places[PurePosixPath(address).stem] = address
        wanted: dict[str, str] = {}
        for picture in record.content.pictures:
            if not picture.sha256 or self._attachments.get(picture.sha256) is None:
                continue
            name = PurePosixPath(picture.name)
            place = places.get(name.stem, picture.name)
            place += "" if place.lower().endswith(_PICTURES) else name.suffix
            if place.startswith(("/", "..")) or self.files.get(place, picture.sha256) != picture.sha256:
                return False
            wanted[place] = picture.sha256
        self.files |= wanted
        return True


def _file_name(name: str, data: bytes) -> str:
    try:
        ending = SUFFIXES[read_picture(data).media_type]
    except PictureRefused:
        ending = ".png"
    plain = _UNSAFE.sub("-", name).strip("-.") or "picture"
    return plain if plain.lower().endswith(_PICTURES) else f"{plain}{ending}"


def _balanced(before: str) -> str:
    """Return the text before a question; only its comments if its environments or braces are unbalanced."""
    depth = lowest = 0
    plain = without_comments(before)
    for match in _EDGE.finditer(plain):
        depth += 1 if match[1] == "begin" else -1
        lowest = min(lowest, depth)
    is_next_list = depth == 0 and re.fullmatch(
        r"\\end\{questions\}.*\\begin\{questions\}", plain.strip(" \n\t\0"), re.DOTALL
    )
    if ((depth or lowest) and not is_next_list) or plain.count("{") != plain.count("}"):
        return "\n".join(["", *_COMMENT_LINE.findall(before), ""])
    return before
