"""What any kind of document is read as, before its paragraphs are cut into lines."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from questionbank.documents.blocks import BlockReader
from questionbank.documents.paragraphs import Paragraph

ELSEWHERE = "not in the file and not fetched. Insert them into the document."
CHANGED = "The document has tracked changes. It is read as if all of them were accepted."
PROTECTED = "The document is protected by a password. Save a copy without a password and read that."


def counted(count: int, one: str, many: str) -> str:
    """Return the form of a sentence for a number.

    >>> counted(1, "1 picture is", "{} pictures are"), counted(2, "1 picture is", "{} pictures are")
    ('1 picture is', '2 pictures are')
    """
    return one if count == 1 else many.format(f"{count:,}")


@dataclass(slots=True)
class Source:
    """A document's paragraphs and pictures.

    Attributes:
        pictures: their bytes by the names that the text has for them.
        notices: sentences on what could not be read.
        picture_widths: in points, by the same names, of pictures that state one.
        lost_pictures: how many pictures could not be kept.
        pages: the pictures of its pages, where it has pages; empty for one that could not be drawn.
    """

    paragraphs: list[Paragraph]
    pictures: dict[str, bytes] = field(default_factory=dict)
    notices: list[str] = field(default_factory=list)
    lost_pictures: int = 0
    picture_widths: dict[str, float] = field(default_factory=dict)
    pages: list[bytes] = field(default_factory=list)


def title_paragraphs(reader: BlockReader, meta: Mapping[str, Any]) -> Iterator[Paragraph]:
    """Yield what pandoc keeps apart from the text: title, subtitle, authors, date, abstract."""
    for name in ("title", "subtitle", "author", "date", "abstract"):
        value = meta.get(name)
        values = value["c"] if value is not None and value["t"] == "MetaList" else [value]
        for one in values:
            if one is not None and one["t"] == "MetaInlines":
                paragraphs = reader.paragraphs([{"t": "Para", "c": one["c"]}])
            elif one is not None and one["t"] == "MetaBlocks":
                paragraphs = reader.paragraphs(one["c"])
            else:
                continue
            if name == "title":
                for paragraph in paragraphs:
                    paragraph.heading = 1
            yield from paragraphs
