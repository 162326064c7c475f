"""Limits on what can be printed."""

from __future__ import annotations

from collections.abc import Sequence

from questionbank.core.errors import PrintingRefused
from questionbank.formats.pictures import PictureFacts, PictureRefused, read_picture
from questionbank.worksheets.sheet import Sheet, SheetItem

MOST_QUESTIONS = 2_000  # in all worksheets of a file
MOST_CHARACTERS = 4_000_000
_LONGEST_SIDE = 20_000  # pixels of a picture


def check_sheets(sheets: Sequence[Sheet]) -> None:
    """Check that there is something to print, but not too much.

    Raises:
        PrintingRefused: there is no question, or there are too many.
    """
    items = [item for sheet in sheets for section in sheet.sections for item in section.items]
    if not items:
        raise PrintingRefused("There is no question to print. Add questions to the worksheet first.")
    if len(items) > MOST_QUESTIONS:
        raise PrintingRefused(
            f"These are {len(items):,} questions; {MOST_QUESTIONS:,} can be printed at a time. Print fewer versions."
        )
    if sum(map(_characters, items)) > MOST_CHARACTERS:
        raise PrintingRefused("The texts are too long to print at a time. Print fewer questions.")


def _characters(item: SheetItem) -> int:
    texts = (item.text, item.answer, item.solution, item.stimulus)
    entries = (text for _, text in (*item.options, *item.matches))
    return sum(map(len, (*texts, *entries))) + sum(map(_characters, item.parts))


def check_picture(data: bytes) -> PictureFacts:
    """Return the facts about a picture from its first bytes; nothing is decoded.

    Raises:
        PictureRefused: it is not a printable picture.
    """
    facts = read_picture(data)
    if max(facts.width, facts.height) > _LONGEST_SIDE:
        raise PictureRefused(f"has {facts.width:,} by {facts.height:,} pixels")
    return facts


def not_printed(name: str, refusal: PictureRefused, alternative: str) -> str:
    """Return the replacement for a picture: why it is missing, and what it shows."""
    return f"[Not printed: the picture {name} {refusal}.]" + (f" {alternative}" if alternative else "")
