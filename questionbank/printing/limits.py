"""What is too little or too much to print."""

from __future__ import annotations

from collections.abc import Sequence

from questionbank.errors import PrintingRefused
from questionbank.worksheets.sheet import Sheet, SheetItem

MOST_QUESTIONS = 2_000  # of all worksheets of a file
MOST_CHARACTERS = 4_000_000


def check_sheets(sheets: Sequence[Sheet]) -> None:
    """Check that there is something to print, and not too much.

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
