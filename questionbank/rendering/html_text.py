"""Convert HTML in a text, as exported by learning platforms, to the mixed text that the renderer reads.

Paragraphs, line breaks, emphasis, scripts, lists and tables are converted; containers (``span``, ``div``) are dropped;
a picture is replaced by its description. Anything else that looks like a tag stays text, including ``a<b`` and
every active element. Entities are decoded. Formulas are left alone. `Line` and `Blocks` assemble the rendered pieces.
"""

from __future__ import annotations

import re
from html import escape, unescape

from analytics.text.formulas import segment_text

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


_STYLES = {
    "b": "textbf", "strong": "textbf", "i": "emph", "em": "emph", "u": "underline", "ins": "underline", "s": "sout",
    "strike": "sout", "del": "sout", "sup": "textsuperscript", "sub": "textsubscript",
}  # fmt: skip
_PARAGRAPHS = frozenset(
    str.split("p div section article blockquote pre h1 h2 h3 h4 h5 h6 hr dl dt dd figcaption caption center")
)
_LISTS = frozenset({"ul", "ol"})
_EMPTY = frozenset({"br", "hr", "img", "input", "wbr", "col"})
_CONTAINERS = frozenset(
    str.split("span font a label small big mark abbr cite q code tt kbd thead tbody tfoot colgroup figure nobr wbr col")
)
_TABLE = frozenset({"table", "tr", "td", "th"})
_BLOCKS = _PARAGRAPHS | _LISTS | {"br", "table"}
_UNCLOSED = frozenset({"li", "tr", "td", "th"})  # HTML allows these to end where the next begins
_NAMES = [*_STYLES, *_PARAGRAPHS, *_LISTS, *_EMPTY, *_CONTAINERS, *_TABLE, "li"]
_TAG = re.compile(
    rf"<(?P<end>/?)(?P<name>{'|'.join(sorted(set(_NAMES), key=len, reverse=True))})(?![a-zA-Z0-9])"
    r"(?P<attributes>(?:\s+[a-zA-Z_:-]{1,40}\s*=\s*(?:\"[^\"]*\"|'[^']*'|[^\s\"'<>=`]+)){0,20})\s*/?>|<!--(?!-?>).*?-->",
    re.IGNORECASE | re.DOTALL,
)
_ENTITY = re.compile(r"&(?:[a-zA-Z][a-zA-Z0-9]{1,30}|#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6});")
_ATTRIBUTE = re.compile(r"([a-zA-Z]+)\s*=\s*(?:\"([^\"]*)\"|'([^']*)')")
_BLANKS = re.compile(r"[ \t\r\f\n]+")


def without_html(text: str) -> str:
    r"""Return a text without HTML.

    >>> without_html("<p>Is 3&nbsp;&lt;&nbsp;4 in cm<sup>2</sup>?</p>").strip()
    'Is 3\xa0<\xa04 in cm\\textsuperscript{2}?'
    >>> without_html("If $a<b$ and b<c, then a<c.")
    'If $a<b$ and b<c, then a<c.'
    """
    if "<" not in text and "&" not in text:
        return text
    reader = _Reader(text)
    for segment in segment_text(text):
        if segment.kind == "text":
            reader.read(segment.source)
        else:
            reader.parts.append(segment.source)
    return reader.finish()


class _Reader:
    def __init__(self, text: str) -> None:
        self.parts: list[str] = []
        names = [(match["name"].lower(), match["end"]) for match in _TAG.finditer(text) if match["name"]]
        self._closed = {name for name, end in names if end}
        self._opened = {name for name, end in names if not end}
        elements = self._opened & (self._closed | _EMPTY)
        self._is_html = not elements.isdisjoint(_BLOCKS)  # then a line break in the source is a space
        self._open: list[tuple[str, str]] = []  # name and closing text
        self._numbers: list[int] = []  # of each open list; -1 for bullets
        self._cells = 0  # in the current row

    def read(self, prose: str) -> None:
        done = 0
        for match in _TAG.finditer(prose):
            self._text(prose[done : match.start()])
            done = match.end()
            name = (match["name"] or "").lower()
            if not name:
                continue
            if not self._is_tag(name, end=bool(match["end"])):
                self._text(match[0])
            elif match["end"]:
                self._close(name)
            else:
                pairs = _ATTRIBUTE.findall(match["attributes"])
                self._begin(name, {key.lower(): first or second for key, first, second in pairs})
        self._text(prose[done:])

    def finish(self) -> str:
        while self._open:
            self.parts.append(self._open.pop()[1])
        return "".join(self.parts)

    def _is_tag(self, name: str, *, end: bool) -> bool:
        """Return whether this counts as a tag: an opening tag must have its closing tag if required, and vice versa."""
        return name in _EMPTY or (name in self._opened if end else name in self._closed or name in _UNCLOSED)

    def _text(self, text: str) -> None:
        if self._is_html:
            text = _BLANKS.sub(" ", text)
        text = _ENTITY.sub(lambda match: unescape(match[0]), text)
        self.parts.append(text.replace("&", r"\&") if self._within("table") else text)

    def _within(self, name: str) -> bool:
        return any(opened == name for opened, _ in self._open)

    def _begin(self, name: str, attributes: dict[str, str]) -> None:  # noqa: C901 - a branch for each element
        if name in _STYLES:
            self._push(name, f"\\{_STYLES[name]}{{", "}")
        elif name in _PARAGRAPHS:
            self.parts.append("\n\n")
        elif name == "br":
            self.parts.append("\n")
        elif name in _LISTS:
            self._numbers.append(0 if name == "ol" else -1)
            self._push(name, "\n", "\n")
        elif name == "li":
            self._item()
        elif name == "img":
            description = attributes.get("alt", "").replace("[", "(").replace("]", ")").strip()
            self.parts.append(f"![{unescape(description)}]()")
        elif name == "input":
            self.parts.append(" ____ ")
        elif name == "table":
            self._cells = 0
            self._push(name, "\n\n\\begin{tabular}{c}", "\\end{tabular}\n\n")
        elif name == "tr":
            self._close("td")
            self.parts.append(r" \\ " if self._cells else "")
            self._cells = 0
        elif name in {"td", "th"}:
            self._close("td")
            self.parts.append(" & " if self._cells else "")
            self._cells += 1
            span = attributes.get("colspan", "1")
            wide = span.isdecimal() and 1 < int(span) < 100
            self._push("td", rf"\multicolumn{{{span}}}{{c}}{{" if wide else "", "}" if wide else "")

    def _push(self, name: str, opening: str, closing: str) -> None:
        self.parts.append(opening)
        self._open.append((name, closing))

    def _item(self) -> None:
        if self._numbers and self._numbers[-1] >= 0:
            self._numbers[-1] += 1
            self.parts.append(f"\n{self._numbers[-1]}. ")
        else:
            self.parts.append("\\item ")

    def _close(self, name: str) -> None:
        if name in _PARAGRAPHS:
            self.parts.append("\n\n")
        name = "td" if name == "th" else name
        if not self._within(name):
            return
        while True:  # closes everything still open inside
            opened, closing = self._open.pop()
            self.parts.append(closing)
            if opened in _LISTS:
                self._numbers.pop()
            if opened == name:
                return
