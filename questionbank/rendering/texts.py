"""Mixed text as HTML: figures, formulas, tables, drawn values, and prose with its macros and blanks."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from html import escape

from analytics.text.characters import PICTURE, replace_text_macros
from analytics.text.formulas import Segment, segment_text
from analytics.text.plain_maths import bare_formulas, is_bare_formula
from questionbank.formats.pictures import ADDRESS
from questionbank.formulas import LONGEST_DEFINITIONS, FormulaRefused, formula_mathml, split_definitions
from questionbank.rendering.html_text import Blocks, Line

_WIDE_TABLE = 6  # from this many columns, a table may be wider than a small screen
TABLE = re.compile(r"\\begin\s*\{tabular[*x]?\}\s*(?:\[[a-z]*\]\s*)?(?=\{)")
_END_OF_TABLE = re.compile(r"\\end\s*\{tabular[*x]?\}\s*$")
_TABLE_MARK = re.compile(
    r"\\\\(?:\[[^\]]{0,20}\]|\s*\[\s*-?[\d.]+\s*(?:pt|em|ex|cm|mm|in)\s*\])?|\\newline\b|\\(?:hline|toprule|midrule|bottomrule)(?![a-z])|\\cline\s*\{[^{}]*\}"
    r"|\\noalign\s*\{[^{}]*\}|\\&|&"
)
_SPAN = re.compile(r"\\multicolumn\s*\{(\d{1,2})\}\s*\{[^{}]*\}\s*\{(.*)\}$", re.DOTALL)


def table_html(source: str, start: int, cell_html: Callable[[str], str]) -> str:
    """Return a ``tabular`` as an HTML table.

    Args:
        source: the environment.
            start: where its columns begin.
            cell_html: renders a cell's text.
    """
    body = _END_OF_TABLE.sub("", source[_closing_brace(source, start) + 1 :])
    rows = [row for row in _cells(body) if any(cell.strip() for cell in row)]
    html: list[str] = []
    for row in rows:
        html.append("<tr>")
        for cell in row:
            span = _SPAN.match(cell.strip())
            content = cell_html(span[2] if span else cell.strip())
            html.append(f'<td colspan="{int(span[1])}">' if span else "<td>")
            html.append(f"{content}</td>")
        html.append("</tr>")
    columns = max((len(row) for row in rows), default=0)
    focus = ' tabindex="0" role="group" aria-label="table"' if columns >= _WIDE_TABLE else ""
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
    r"""Return whether a rule follows an unfinished row: some banks lost the ``\\\\`` before it."""
    return mark.startswith((r"\h", r"\c", r"\t", r"\m", r"\b")) and any(cell.strip() for cell in row)


_LONGEST = 40  # characters of an expression that is shown
_MARK = re.compile(r"\{([@#])(?P<name>(?:(?!\1\})[^\n]){1,300}?)\1\}")
_INPUT = re.compile(r"\[\[ ?input ?:[^\]\n]{1,100}\]\]")
_FEEDBACK = re.compile(r"\[\[ ?(?:validation|feedback) ?:[^\]\n]{1,100}\]\]")
_SPECIAL = re.compile(r"[\\{}_^#%&$~]")
_LATEX = {"\\": r"\textbackslash ", "^": r"\textasciicircum ", "~": r"\textasciitilde "}


def drawn_names(texts: Iterable[str]) -> list[str]:
    """Return the distinct names of the drawn values in some texts.

    >>> drawn_names(["Solve ${@a@} x = {@b@}$.", "{@a@}"])
    ['a', 'b']
    """
    return list(dict.fromkeys(_name(match) for text in texts for match in _MARK.finditer(text)))


def with_drawn_names(text: str) -> str:
    r"""Return a text with its drawn values replaced by names that prose and formulas can show.

    >>> with_drawn_names("Solve ${@a_1@} x = 2$ for {@name@}. [[input:ans1]] [[validation:ans1]]")
    'Solve $\\text{‹a\\_1›} x = 2$ for ‹name›. ____ '
    """
    if "{@" not in text and "{#" not in text and "[[" not in text:
        return text
    text = _FEEDBACK.sub("", _INPUT.sub("____", text))
    return "".join(
        _MARK.sub(lambda match: f"‹{_name(match)}›", segment.source)
        if segment.kind == "text"
        else _MARK.sub(_in_formula, segment.source)
        for segment in segment_text(text)
    )


def _name(match: re.Match[str]) -> str:
    name = " ".join(match["name"].split())
    return name if len(name) <= _LONGEST else f"{name[: _LONGEST - 1]}…"


def _in_formula(match: re.Match[str]) -> str:
    shown = _SPECIAL.sub(lambda sign: _LATEX.get(sign[0], f"\\{sign[0]}"), _name(match))
    return rf"\text{{‹{shown}›}}"


_BOXED_FORMULA = 24  # characters of source from which a formula is occasionally wider than a small screen
_LONG_FORMULA = 45  # from which it often is
_TAG = re.compile(r"\\tag(?![a-zA-Z])")


@dataclass(slots=True)
class Scope:
    """State local to one text: the macros defined so far."""

    definitions: str = ""

    def define(self, definitions: str) -> None:
        """Add definitions, unless they would exceed the maximum length."""
        if len(self.definitions) + len(definitions) <= LONGEST_DEFINITIONS:
            self.definitions += definitions


# -- figures, formulas, tables ------------------------------------------------------------------------------------

_FIGURE = re.compile(
    r"\[asy\]|!\[|\\begin\s?\{(?P<drawing>asy|tikzpicture|pspicture|picture)\}"
    r"|\\includegraphics\s?(?:\[[^\]\n]*\])?\s?\{[^{}\n]*\}"
)


def render_text(text: str, out: Line, scope: Scope) -> None:
    """Write a text into `out`."""
    text = with_drawn_names(text)
    start = 0
    for figure_start, figure_end, image in _figures(text):
        _render_mixed(text[start:figure_start], out, scope)
        if image is not None:
            _render_image(image, out, scope)
        elif isinstance(out, Blocks):
            source = escape(text[figure_start:figure_end], quote=False)
            summary = "<summary>Drawing instructions</summary>"
            out.block(f'<details class="diagram-source">{summary}<pre>{source}</pre></details>')
        else:
            out.markup('<span class="image-placeholder">[figure]</span>', 10)
        start = figure_end
    _render_mixed(text[start:], out, scope)


def _figures(text: str) -> Iterator[tuple[int, int, re.Match[str] | str | None]]:
    """Yield (start, end, kind) of each figure: a named picture, "" for one by a command, None for a drawing."""
    done = 0
    unclosed: set[str] = set()
    for match in _FIGURE.finditer(text):
        if match.start() < done:
            continue
        if match[0] == "![":
            image = PICTURE.match(text, match.start())
            if image:
                done = image.end()
                yield match.start(), done, image
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


def _render_image(image: re.Match[str] | str, out: Line, scope: Scope) -> None:
    """Render an attached picture; for any other, a note that the text has one, and its description."""
    description, name = (image, "") if isinstance(image, str) else (image["alt"], image["name"])
    if ADDRESS.fullmatch(name):
        alternative = escape(" ".join(description.split()))
        out.markup(f'<img class="question-picture" src="{name}" alt="{alternative}">', 10)
        return
    label = "[picture]"
    if isinstance(out, Blocks) and "\\begin" in description:
        inner = Blocks()
        _render_mixed(description, inner, scope)
        out.block(f'<div class="image-placeholder">{label}{"".join(inner.finish())}</div>')
        return
    inner_html = _line_html(description, scope).strip()
    if "://" in name:  # a picture from another site, which pages do not load
        inner_html = f"{inner_html} ({escape(name.strip())})".strip()
    separator = " " if inner_html else ""
    out.markup(f'<span class="image-placeholder">{label}{separator}{inner_html}</span>', 10 + len(description))


def _render_mixed(text: str, out: Line, scope: Scope) -> None:
    if is_bare_formula(text) and _render_bare(text.strip(), out, scope):
        return
    for segment in segment_text(text):
        if segment.kind == "text":
            _render_prose(segment.source, out, scope)
        else:
            _render_formula(segment, out, scope)


def _render_formula(segment: Segment, out: Line, scope: Scope) -> None:
    table = TABLE.match(segment.body.strip())
    if table and isinstance(out, Blocks):
        cell_html = partial(_line_html, scope=scope)
        out.block(table_html(segment.body.strip(), table.end(), cell_html))
        return
    if table:
        out.markup("[table]", 10)
        return
    blocks = out if isinstance(out, Blocks) and (segment.display or _TAG.search(segment.body)) else None
    html = _formula_html(segment, scope, display=blocks is not None)
    width = len(segment.body)
    # A formula wider than the screen scrolls, which requires keyboard focus; one that fits should not take focus.
    focus = ' tabindex="0" role="group" aria-label="formula"' if width > _LONG_FORMULA else ""
    if not html:
        return
    if blocks is not None:
        blocks.block(f'<div class="formula-display"{focus}>{html}</div>')
    elif width > _BOXED_FORMULA and isinstance(out, Blocks):
        out.markup(f'<span class="formula-scroll"{focus}>{html}</span>', width)
    else:
        out.markup(html, max(width // 2, 1))


def _formula_html(segment: Segment, scope: Scope, *, display: bool) -> str:
    """Return a formula, or its source if it cannot be rendered; "" if it only defines macros."""
    own, rest = split_definitions(segment.body)
    try:
        html = formula_mathml(segment.body, display=display, definitions=scope.definitions) if rest.strip() else ""
    except FormulaRefused:
        html = f'<code class="formula-source">{escape(segment.source, quote=False)}</code>'
    scope.define(own)
    return html


def _line_html(text: str, scope: Scope) -> str:
    line = Line()
    render_text(text, line, scope)
    return "".join(line.finish())


def _render_bare(latex: str, out: Line, scope: Scope) -> bool:
    """Render LaTeX without dollar signs; return whether that was possible."""
    try:
        formula_mathml(latex, definitions=scope.definitions)
    except FormulaRefused:
        return False
    _render_formula(Segment("formula", latex, latex, 0, len(latex)), out, scope)
    return True


# -- prose --------------------------------------------------------------------------------------------------------

_SPACES = r"(?:[\s~]|\\[ ,;:!>]|\\q?quad(?![a-zA-Z])|\\hspace\*?\s?\{[^{}]*\}|\\h?phantom\s?\{[^{}]*\}|\\?_)*"
_PROSE = re.compile(
    r"(?P<paragraph>\n(?:[^\S\n]*\n)+\s*)"
    r"|(?P<line>\n[^\S\n]*|\\\\(?![a-zA-Z])[^\S\n]*\n?)"
    r"|(?P<gap>\[\[(?P<number>[0-9]{1,3})\]\])"
    rf"|(?P<blank>~?\\u(?:nder)?line\s?\{{{_SPACES}\}}~?|(?:\\_|_){{2,}}|\\(?:hrulefill|dotfill)(?![a-zA-Z])(?:\{{\}})?"
    r"|\\(?:make|frame)?box\s?\[[^\]]*\]\s?(?:\[[a-z]\])?\{\s*(?:\\hrulefill\s*)?\}"
    r"|\\rule\s?(?:\[[^\]]*\])?\{[^{}]*\}\{[^{}]*\}|\\fillin(?:\[[^\]]*\])?(?:\{[^{}]*\})?(?![a-zA-Z]))"
    r"|(?P<image>\[image\])"
    r"|\$\$(?P<words>[^$\\\n]{0,200})\$\$"
    r"|(?P<space>\\(?:hfill|hfil|break|large|Large|LARGE|huge|small|footnotesize|normalsize|(?:small|med|big)skip|newpage"
    r"|[hv]space\*?\s?\{[^{}]*\}|(?:label|require)\s?\{[^{}]*\})(?![a-zA-Z])\s?)"
    r"|\\(?P<style>textbf|emph|textit|underline|uline|sout|textsuperscript|textsubscript|textsc|textsf|texttt|textrm|textnormal"
    r"|text|mbox|hbox|fbox|(?:raisebox|textcolor|colorbox)\s?\{[^{}]*\})\s?\{"
    r"|\\item(?![a-zA-Z])\s*(?P<item>)"
    r"|(?P<nothing>\\(?:begin|end)\s?\{(?:enumerate|itemize|center)\}(?:\[[^\]]{0,40}\])?)"
    r"|(?P<macro>\\[a-zA-Z]+(?:\{\}| )?|\\[{}%&#_$])"
    r"|(?P<brace>[{}])"
    r"|\*\*(?P<strong>[^*\n]{1,400})\*\*"
    r"|(?<![\w*])\*(?P<em>[^\s*](?:[^*\n]{0,400}[^\s*])?)\*(?![\w*])"
    r"|(?<!`)`(?P<code>[^`'\n]{1,200})`(?!`)"
)
_STYLES = {
    "textbf": "strong",
    "emph": "em",
    "textit": "em",
    "underline": "u",
    "uline": "u",
    "sout": "s",
    "textsuperscript": "sup",
    "textsubscript": "sub",
}


def _render_prose(text: str, out: Line, scope: Scope) -> None:
    definitions, text = split_definitions(text)
    scope.define(definitions)
    start = 0
    for formula_start, formula_end in bare_formulas(text):
        _render_words(text[start:formula_start], out, scope)
        if not _render_bare(text[formula_start:formula_end], out, scope):
            _render_words(text[formula_start:formula_end], out, scope)
        start = formula_end
    _render_words(text[start:], out, scope)


def _render_words(text: str, out: Line, scope: Scope) -> None:  # noqa: C901 - a branch for each kind
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
        elif kind in {"blank", "gap"}:
            if kind == "gap":
                out.text(f"({match['number']})\u00a0")
            out.markup('<span class="answer-blank" role="img" aria-label="answer blank">____</span>', 4)
        elif kind == "image":
            out.markup('<span class="image-placeholder">[picture]</span>', 8)
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
        elif kind == "code" and is_bare_formula(match["code"]) and _render_bare(match["code"], out, scope):
            continue
        elif kind in {"strong", "em", "code"}:
            out.open(kind)
            out.text(match[kind] if kind == "code" else replace_text_macros(match[kind]))
            out.close()
    if start < len(text):
        out.text(replace_text_macros(text[start:]))
