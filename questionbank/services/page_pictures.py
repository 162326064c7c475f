"""Cutting a question's picture out of the kept pictures of its document's pages."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress

from questionbank.documents.passages import FoundItem
from questionbank.documents.pdf.pictures import PagePicture, cut_out
from questionbank.documents.regions import page_name
from questionbank.formats.pictures import PictureRefused
from questionbank.selectors.questions.pictures import picture_bytes
from questionbank.services.attachments import AttachmentStore


def keep_printed(items: Iterable[FoundItem], pictures: Mapping[str, str]) -> dict[int, str]:
    """Keep a picture of each question that may have been read wrongly, as it is printed.

    Args:
        pictures: SHA-256 by name, as a draft has them: those of pages among them.

    Returns:
        The SHA-256 of its picture by a question's place; none for a question of a document without pages.
    """
    store = AttachmentStore()
    kept: dict[int, str] = {}
    opened: dict[int, PagePicture | None] = {}
    for item in items:
        if not item.areas or not (item.found.doubts or item.is_uncertain):
            continue
        for number in {area[0] for area in item.areas} - opened.keys():
            data = picture_bytes(pictures.get(page_name(number)) or "none")
            opened[number] = PagePicture(data) if data else None
        cut = cut_out([(page, area) for area in item.areas if (page := opened[area[0]]) is not None])
        with suppress(PictureRefused):
            if cut:
                kept[item.place] = store.put(cut)
        opened = {number: page for number, page in opened.items() if number >= item.areas[-1][0]}
    store.save()
    return kept
