"""What a printed PDF says, and what the page of the same text says, as characters that can be compared."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter

import pypdfium2

from questionbank.rendering.titles import render_laid_out
from questionbank.worksheets.printing.markup import Element, read_markup

_SAME = str.maketrans({
    "⋅": "·", "∣": "|", "ˆ": "^", "˜": "~", "‾": "¯", "⏜": "⌢",
    "′": "'", "’": "'", "‘": "'", "“": '"', "”": '"', "∗": "*", "∼": "~", "△": "Δ", "∆": "Δ", "⁄": "/", "∘": "°",
    "‖": "∥", "∖": "\\", "ϵ": "ε", "ϕ": "φ", "ℓ": "l", "∶": ":", "➝": "→", "⟶": "→", "˙": ".", "⋯": "…",
})  # fmt: skip
_DRAWN = frozenset("-‐‑–—\ufffe√_¯^~→⌢⏟⏞•←↔⟵⎵⎴°'.…·")
"""Characters that are drawn as lines, accents and marks, that fonts compose of others, and hyphens, which the reader of
PDF files leaves out at the end of a line."""


_NUMBERED = re.compile(r"\[U\+([0-9A-F]{4,6})\]")
"""A character that no font of this machine has."""


def pdf_text(pdf: bytes) -> list[str]:
    """Return the text of each page."""
    document = pypdfium2.PdfDocument(pdf)
    try:
        texts = []
        for page in document:
            reader = page.get_textpage()
            texts.append(_NUMBERED.sub(lambda match: chr(int(match[1], 16)), reader.get_text_range()))
            reader.close()
            page.close()
        return texts
    finally:
        document.close()


def page_text(text: str) -> str:
    """Return what a page says for a text, with the sources of formulas that it cannot draw."""
    return shown_text(read_markup(render_laid_out(text)))


def shown_text(element: Element) -> str:
    """Return the text of an element, with a blank between its parts."""
    if element.tag == "mphantom":
        return ""
    if element.tag == "ol" and "parts" not in element.classes:  # a browser numbers them
        return " ".join(f"{number} {shown_text(item)}" for number, item in enumerate(element.elements, start=1))
    return " ".join(child if isinstance(child, str) else shown_text(child) for child in element.children)


def characters(text: str) -> Counter[str]:
    """Return how often each character stands in a text, however a font or an alphabet writes it."""
    plain = unicodedata.normalize("NFKD", unicodedata.normalize("NFKC", text.translate(_SAME)).translate(_SAME))
    return Counter(
        character
        for character in plain
        if not character.isspace()
        and character not in _DRAWN
        and unicodedata.category(character) not in {"Mn", "Cc", "Cf", "Co", "Sk"}
    )


def words(text: str) -> list[str]:
    """Return the words of three letters or more, sorted; a hyphen at the end of a line parts none."""
    return sorted(re.findall(r"[^\W\d_]{3,}", unicodedata.normalize("NFKC", text)))
