"""Assembling the pieces of a text into one line of HTML, or into paragraphs and blocks."""

from __future__ import annotations

import re
from html import escape

_ENDLESS = 10**9
_BRACE = "}"


_CLOSING = re.compile(r"[.,;:!?)\]’”]+")


class Line:
    """Collects inline HTML: text, formulas, and styles that open and close."""

    def __init__(self, limit: int = 0) -> None:
        self._parts: list[str] = []
        self._closers: list[str] = []
        self._room = limit or _ENDLESS

    def text(self, text: str) -> None:
        closing = _CLOSING.match(text)
        if closing and len(text) <= self._room and self._parts and self._parts[-1].endswith("</math>"):
            # Browsers would otherwise wrap the full stop after a formula.
            self._parts[-1] = f'<span class="nowrap">{self._parts[-1]}{escape(closing[0])}</span>'
            self._room -= len(closing[0])
            text = text[closing.end() :]
        if len(text) > self._room:
            cut = text[: self._room]
            blank = cut.rfind(" ")
            whole_words = cut[:blank] if blank > self._room // 2 else cut
            self._parts.append(escape(whole_words.rstrip(), quote=False) + "…")
            raise LineIsFull
        self._room -= len(text)
        self._parts.append(escape(text, quote=False))

    def markup(self, html: str, width: int) -> None:
        """Add markup that must not be cut."""
        if width > self._room and self._parts:
            self._parts.append("…")
            raise LineIsFull
        self._room -= min(width, self._room)
        self._parts.append(html)

    def open(self, tag: str) -> None:
        if tag:
            self._parts.append(f"<{tag}>")
        self._closers.append(f"</{tag}>" if tag else "")

    def open_brace(self) -> None:
        self.text("{")
        self._closers.append(_BRACE)

    def close(self) -> None:
        """Close the innermost style; an unmatched brace is written as text."""
        closer = self._closers.pop() if self._closers else _BRACE
        if closer == _BRACE:
            self.text("}")
        else:
            self._parts.append(closer)

    def _all_closers(self) -> list[str]:
        return [closer for closer in reversed(self._closers) if closer != _BRACE]

    def line_break(self) -> None:
        self.text(" ")

    def paragraph(self) -> None:
        self.text(" ")

    def finish(self) -> list[str]:
        return [*self._parts, *self._all_closers()]


class Blocks(Line):
    """Collects paragraphs and blocks."""

    def __init__(self) -> None:
        super().__init__()
        self._blocks: list[str] = []

    def line_break(self) -> None:
        if self._parts:
            self._parts.append("<br>")

    def paragraph(self) -> None:
        while self._parts and self._parts[-1] in {"<br>", " "}:
            self._parts.pop()
        inner = "".join([*self._parts, *self._all_closers()]).strip()
        if inner:
            self._blocks.append(f"<p>{inner}</p>")
        self._parts = []
        self._closers = [closer if closer == _BRACE else "" for closer in self._closers]

    def block(self, html: str) -> None:
        self.paragraph()
        self._blocks.append(html)

    def finish(self) -> list[str]:
        self.paragraph()
        return self._blocks


class LineIsFull(Exception):
    """The excerpt is long enough."""
