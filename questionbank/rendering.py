r"""Question text as safe HTML: prose, answer blanks, pictures, tables, and formulas as MathML.

Whatever a question holds, what leaves here is built from an allow-list: prose is escaped, formulas come
from :mod:`questionbank.mathml` or stand as their escaped source, and nh3 goes over the whole once more.
Pages therefore need no JavaScript to show mathematics. Results are cached by content, for lists render the
same questions again and again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from html import escape

import nh3

from analytics.text.bare_latex import bare_formulas, is_bare_formula
from analytics.text.formulas import Segment, segment_text
from analytics.text.textmode import replace_text_macros
from questionbank.mathml import MATHML_ATTRIBUTES, MATHML_TAGS, FormulaRefused, formula_mathml
from questionbank.mathml_tables import TABLE_CLASSES

__all__ = ["ENGLISH_LABELS", "Labels", "render_inline", "render_question"]

LONGEST_TEXT = 60_000
_BOXED_FORMULA = 24  # characters of source beyond which a formula may be wider than a small screen, if rarely
_LONG_FORMULA = 45  # beyond which it often is
_WIDE_TABLE = 6  # columns, likewise


@dataclass(frozen=True, slots=True)
class Labels:
    """What screen readers are told; a page passes its own language's."""

    blank: str = "answer blank"
    image: str = "picture"
    drawing: str = "Drawing instructions"
    figure: str = "figure"
    formula: str = "formula"
    table: str = "table"


ENGLISH_LABELS = Labels()


@lru_cache(maxsize=2_048)
def render_question(text: str, labels: Labels = ENGLISH_LABELS) -> str:
    """Return a question's text as HTML blocks: paragraphs, formulas on lines of their own, tables.

    Never raises: a formula that cannot be shown stands as its source.
    """
    if len(text) > LONGEST_TEXT:
        return f"<pre>{escape(text)}</pre>"
    blocks = _Blocks()
    _render(text, blocks, labels)
    return _cleaner().clean("".join(blocks.finish()))


@lru_cache(maxsize=4_096)
def render_inline(text: str, limit: int = 0, labels: Labels = ENGLISH_LABELS) -> str:
    """Return a text as one line of HTML, cut behind about `limit` characters (0: not at all), never in a formula."""
    line = _Line(limit)
    with suppress(_LineIsFull):
        _render(text[:LONGEST_TEXT], line, labels)
    return _cleaner().clean("".join(line.finish()))


# -- where the pieces go ------------------------------------------------------------------------------------------


_BRACE = "}"


_CLOSING = re.compile(r"[.,;:!?)\]’”]+")


class _Line:
    """Collects inline HTML: text, formulas, and styles that open and close."""

    blocks_allowed = False

    def __init__(self, limit: int = 0) -> None:
        self._parts: list[str] = []
        self._closers: list[str] = []
        self._room = limit or LONGEST_TEXT

    def text(self, text: str) -> None:
        closing = _CLOSING.match(text)
        if closing and len(text) <= self._room and self._parts and self._parts[-1].endswith("</math>"):
            # browsers would begin a line with the full stop of a formula
            self._parts[-1] = f'<span class="nowrap">{self._parts[-1]}{escape(closing[0])}</span>'
            self._room -= len(closing[0])
            text = text[closing.end() :]
        if len(text) > self._room:
            cut = text[: self._room]
            blank = cut.rfind(" ")
            kept = cut[:blank] if blank > self._room // 2 else cut
            self._parts.append(escape(kept.rstrip(), quote=False) + "…")
            raise _LineIsFull
        self._room -= len(text)
        self._parts.append(escape(text, quote=False))

    def markup(self, html: str, width: int) -> None:
        """Add markup that must stay whole."""
        if width > self._room and self._parts:
            self._parts.append("…")
            raise _LineIsFull
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
        """Close the innermost style; a brace that closes none is a brace."""
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


class _Blocks(_Line):
    """Collects paragraphs and blocks."""

    blocks_allowed = True

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


class _LineIsFull(Exception):
    """The excerpt is long enough."""


# -- figures, formulas, tables ------------------------------------------------------------------------------------

_FIGURE = re.compile(
    r"\[asy\]|!\[|\\begin\s?\{(?P<drawing>asy|tikzpicture|pspicture|picture)\}"
    r"|\\includegraphics\s?(?:\[[^\]\n]*\])?\s?\{[^{}\n]*\}"
)
_IMAGE = re.compile(r"!\[(?P<alt>(?:[^\[\]]|\[[^\[\]]*\])*)\]\([^()\n]*\)")
_TABLE = re.compile(r"\\begin\s*\{tabular[*x]?\}\s*(?:\[[a-z]*\]\s*)?(?=\{)")
_END_OF_TABLE = re.compile(r"\\end\s*\{tabular[*x]?\}\s*$")
_TABLE_MARK = re.compile(
    r"\\\\(?:\[[^\]]{0,20}\])?|\\newline\b|\\(?:hline|toprule|midrule|bottomrule)(?![a-z])|\\cline\s*\{[^{}]*\}"
    r"|\\noalign\s*\{[^{}]*\}|\\&|&"
)
_SPAN = re.compile(r"\\multicolumn\s*\{(\d{1,2})\}\s*\{[^{}]*\}\s*\{(.*)\}$", re.DOTALL)


def _render(text: str, out: _Line, labels: Labels) -> None:
    start = 0
    for figure_start, figure_end, image in _figures(text):
        _render_mixed(text[start:figure_start], out, labels)
        if image is not None:
            _render_image(image, out, labels)
        elif isinstance(out, _Blocks):
            source = escape(text[figure_start:figure_end], quote=False)
            summary = f"<summary>{escape(labels.drawing)}</summary>"
            out.block(f'<details class="diagram-source">{summary}<pre>{source}</pre></details>')
        else:
            out.markup(f'<span class="image-placeholder">[{escape(labels.figure)}]</span>', 10)
        start = figure_end
    _render_mixed(text[start:], out, labels)


def _figures(text: str) -> Iterator[tuple[int, int, str | None]]:
    """Yield (start, end, description) of each picture; drawing commands have no description."""
    done = 0
    unclosed: set[str] = set()
    for match in _FIGURE.finditer(text):
        if match.start() < done:
            continue
        if match[0] == "![":
            image = _IMAGE.match(text, match.start())
            if image:
                done = image.end()
                yield match.start(), done, image["alt"]
        elif match[0].startswith(r"\includegraphics"):
            done = match.end()
            yield match.start(), done, ""
        else:
            closing = rf"\end{{{match['drawing']}}}" if match["drawing"] else "[/asy]"
            end = -1 if closing in unclosed else text.find(closing, match.end())
            if end < 0:
                unclosed.add(closing)
                continue
            done = end + len(closing)
            yield match.start(), done, None


def _render_image(description: str, out: _Line, labels: Labels) -> None:
    """Show a picture that the text describes; the picture itself is not in the bank."""
    label = f"[{escape(labels.image)}]"
    if isinstance(out, _Blocks) and "\\begin" in description:
        inner = _Blocks()
        _render_mixed(description, inner, labels)
        out.block(f'<div class="image-placeholder">{label}{"".join(inner.finish())}</div>')
        return
    line = _Line()
    _render_mixed(description, line, labels)
    inner_html = "".join(line.finish()).strip()
    separator = " " if inner_html else ""
    out.markup(
        f'<span class="image-placeholder">{label}{separator}{inner_html}</span>', 10 + len(description)
    )


def _render_mixed(text: str, out: _Line, labels: Labels) -> None:
    if is_bare_formula(text) and _render_bare(text.strip(), out, labels):
        return
    for segment in segment_text(text):
        if segment.kind == "text":
            _render_prose(segment.source, out, labels)
        else:
            _render_formula(segment, out, labels)


def _render_formula(segment: Segment, out: _Line, labels: Labels) -> None:
    table = _TABLE.match(segment.body.strip())
    if table and isinstance(out, _Blocks):
        out.block(_table(segment.body.strip(), table.end(), labels))
        return
    if table:
        out.markup(f"[{escape(labels.table)}]", 10)
        return
    as_block = segment.display and isinstance(out, _Blocks)
    width = len(segment.body)
    try:
        html = formula_mathml(segment.body, display=as_block)
    except FormulaRefused:
        html = f'<code class="formula-source">{escape(segment.source, quote=False)}</code>'
    # A formula wider than the screen scrolls, which needs the keyboard's focus; one that fits would only be in its way.
    focus = (
        f' tabindex="0" role="group" aria-label="{escape(labels.formula)}"' if width > _LONG_FORMULA else ""
    )
    if as_block and isinstance(out, _Blocks):
        out.block(f'<div class="formula-display"{focus}>{html}</div>')
    elif width > _BOXED_FORMULA and isinstance(out, _Blocks):
        out.markup(f'<span class="formula-scroll"{focus}>{html}</span>', width)
    else:
        out.markup(html, max(width // 2, 1))


def _render_bare(latex: str, out: _Line, labels: Labels) -> bool:
    """Show LaTeX that stands without dollar signs; return whether that was possible."""
    try:
        formula_mathml(latex)
    except FormulaRefused:
        return False
    _render_formula(Segment("formula", latex, latex, 0, len(latex)), out, labels)
    return True


def _table(source: str, start: int, labels: Labels) -> str:
    """Return a ``tabular`` as an HTML table; its cells are mixed text."""
    body = _END_OF_TABLE.sub("", source[_closing_brace(source, start) + 1 :])
    rows = [row for row in _cells(body) if any(cell.strip() for cell in row)]
    html: list[str] = []
    for row in rows:
        html.append("<tr>")
        for cell in row:
            span = _SPAN.match(cell.strip())
            content = render_inline(span[2] if span else cell.strip(), 0, labels)
            html.append(f'<td colspan="{int(span[1])}">' if span else "<td>")
            html.append(f"{content}</td>")
        html.append("</tr>")
    columns = max((len(row) for row in rows), default=0)
    focus = (
        f' tabindex="0" role="group" aria-label="{escape(labels.table)}"' if columns >= _WIDE_TABLE else ""
    )
    table = f'<table class="question-table"><tbody>{"".join(html)}</tbody></table>'
    return f'<div class="table-scroll"{focus}>{table}</div>'


def _closing_brace(text: str, start: int) -> int:
    depth = 0
    for index in range(start, len(text)):
        depth += {"{": 1, "}": -1}.get(text[index], 0)
        if depth == 0:
            return index
    return len(text)


def _cells(body: str) -> list[list[str]]:
    """Split the body of a table into rows of cells, never inside a formula."""
    rows: list[list[str]] = [[""]]
    for segment in segment_text(body):
        if segment.kind == "formula":
            rows[-1][-1] += segment.source
            continue
        start = 0
        for mark in _TABLE_MARK.finditer(segment.source):
            rows[-1][-1] += segment.source[start : mark.start()]
            start = mark.end()
            if mark[0] == "&":
                rows[-1].append("")
            elif mark[0].startswith(("\\\\", "\\newline")) or _is_lost_break(mark[0], rows[-1]):
                rows.append([""])
            elif mark[0] == r"\&":
                rows[-1][-1] += mark[0]
        rows[-1][-1] += segment.source[start:]
    return rows


def _is_lost_break(mark: str, row: list[str]) -> bool:
    r"""Return whether a line is drawn behind a row that did not end: some banks lost the ``\\\\`` before it."""
    return mark.startswith((r"\h", r"\c", r"\t", r"\m", r"\b")) and any(cell.strip() for cell in row)


# -- prose --------------------------------------------------------------------------------------------------------

_PROSE = re.compile(
    r"(?P<paragraph>\n(?:[^\S\n]*\n)+\s*)"
    r"|(?P<line>\n[^\S\n]*|\\\\(?![a-zA-Z])[^\S\n]*\n?)"
    r"|(?P<blank>~?\\u(?:nder)?line\s?\{[\s~]*\}~?|(?:\\_|_){2,})"
    r"|(?P<image>\[image\])"
    r"|\$\$(?P<words>[^$\\\n]{0,200})\$\$"
    r"|(?P<space>\\(?:hfill|break|large|Large|small|vspace\*?\s?\{[^{}]*\}|hspace\*?\s?\{[^{}]*\})(?![a-zA-Z])\s?)"
    r"|\\(?P<style>textbf|emph|textit|underline|uline|textsuperscript|textsubscript|text|textrm|textnormal|mbox)\s?\{"
    r"|\\item(?![a-zA-Z])\s*(?P<item>)"
    r"|(?P<nothing>\\(?:begin|end)\s?\{(?:enumerate|itemize|center)\}(?:\[[^\]]{0,40}\])?)"
    r"|(?P<macro>\\[a-zA-Z]+(?:\{\}| )?|\\[{}%&#_$])"
    r"|(?P<brace>[{}])"
    r"|\*\*(?P<strong>[^*\n]{1,400})\*\*"
    r"|(?<!`)`(?P<code>[^`'\n]{1,200})`(?!`)"
)
_STYLES = {
    "textbf": "strong",
    "emph": "em",
    "textit": "em",
    "underline": "u",
    "uline": "u",
    "textsuperscript": "sup",
    "textsubscript": "sub",
}


def _render_prose(text: str, out: _Line, labels: Labels) -> None:
    start = 0
    for formula_start, formula_end in bare_formulas(text):
        _render_words(text[start:formula_start], out, labels)
        if not _render_bare(text[formula_start:formula_end], out, labels):
            _render_words(text[formula_start:formula_end], out, labels)
        start = formula_end
    _render_words(text[start:], out, labels)


def _render_words(text: str, out: _Line, labels: Labels) -> None:
    start = 0
    for match in _PROSE.finditer(text):
        if match.start() > start:
            out.text(replace_text_macros(text[start : match.start()]))
        start = match.end()
        kind = match.lastgroup
        if kind == "paragraph":
            out.paragraph()
        elif kind == "line":
            out.line_break()
        elif kind == "blank":
            out.markup(
                f'<span class="answer-blank" role="img" aria-label="{escape(labels.blank)}">____</span>', 4
            )
        elif kind == "image":
            out.markup(f'<span class="image-placeholder">[{escape(labels.image)}]</span>', 8)
        elif kind == "style":
            out.open(_STYLES.get(match["style"], ""))
        elif kind == "brace":
            out.close() if match[0] == "}" else out.open_brace()
        elif kind == "macro":
            out.text(replace_text_macros(match[0]))
        elif kind == "words":
            out.text(match["words"])  # dollars around words: "$$Wednesday$$"
        elif kind == "item":
            out.line_break()
            out.text("• ")
        elif kind == "code" and is_bare_formula(match["code"]) and _render_bare(match["code"], out, labels):
            continue
        elif kind in {"strong", "code"}:
            out.open(kind)
            out.text(replace_text_macros(match[kind]) if kind == "strong" else match[kind])
            out.close()
    if start < len(text):
        out.text(replace_text_macros(text[start:]))


# -- the last gate ------------------------------------------------------------------------------------------------

_GROUP = {"role": {"group", "img"}, "tabindex": {"0"}}


@lru_cache(maxsize=1)
def _cleaner() -> nh3.Cleaner:
    """Return nh3 with everything that this module and `mathml` write, and nothing else."""
    attributes: dict[str, set[str]] = {tag: set(names) for tag, names in MATHML_ATTRIBUTES.items()}
    attributes |= {"span": {"aria-label"}, "div": {"aria-label"}, "td": {"colspan"}}
    return nh3.Cleaner(
        tags=set(MATHML_TAGS) | _TAGS,
        clean_content_tags=set(),
        attributes=attributes,
        tag_attribute_values={"span": _GROUP, "div": _GROUP},
        allowed_classes=_CLASSES,
        link_rel=None,
    )


_TAGS = set(str.split("p br div span strong em u sup sub code pre details summary table tbody tr td"))
_CLASSES = {
    "span": {"answer-blank", "image-placeholder", "formula-scroll", "nowrap"},
    "div": {"formula-display", "table-scroll", "image-placeholder"},
    "code": {"formula-source"},
    "details": {"diagram-source"},
    "table": {"question-table"},
    **TABLE_CLASSES,
}
