"""Worksheets as LaTeX for the class `exam`, in an archive with their pictures.

Formulas keep their authors' source, with macros expanded and only commands that are known to be harmless. Everything
else is generated from the page's HTML with its characters escaped, so that no text can be a command. The file is meant
for LuaLaTeX or XeLaTeX, which read Unicode.
"""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterable, Sequence

from questionbank.formats.latex.structure import FormulaWriter
from questionbank.formats.pictures import SUFFIXES, is_picture
from questionbank.formulas import FormulaRefused
from questionbank.rendering import render_inline
from questionbank.worksheets.printing.html import TextWriter
from questionbank.worksheets.printing.markup import POINTS_A_PIXEL, Element, check_sheets, read_markup
from questionbank.worksheets.sheet import (
    Labels,
    PaperSize,
    Sheet,
    SheetItem,
    SheetSection,
    labels_for,
    option_label,
    points_text,
    same_numbers_line,
    sheet_details,
)

_INNER = {"question": "part", "part": "subpart", "subpart": "subsubpart", "subsubpart": "subsubpart"}
_DATE = (1980, 1, 1, 0, 0, 0)
_SPECIAL = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "%": r"\%", "_": r"\_",
    "^": r"\textasciicircum{}", "~": r"\textasciitilde{}", "\u00a0": "~", "<": r"\textless{}", ">": r"\textgreater{}",
    "|": r"\textbar{}", "[": "{[}", "]": "{]}", '"': r"\textquotedbl{}", "`": r"\textasciigrave{}",
}  # fmt: skip
_COMMANDS = {
    "strong": "textbf", "em": "emph", "u": "underline", "s": "sout", "sub": "textsubscript", "sup": "textsuperscript",
    "code": "texttt",
}  # fmt: skip
_NARROW = 180.0  # width in points of a picture that fits anywhere, even in one of two columns
_LATEX_PICTURES = frozenset({"image/png", "image/jpeg"})
_INSIDE = {  # replacements inside a formula
    "align": "aligned", "alignat": "alignedat", "flalign": "aligned", "eqnarray": "aligned", "gather": "gathered",
    "multline": "gathered", "equation": "gathered",
}  # fmt: skip
_DISPLAYS = re.compile(rf"\\begin\{{(?:{'|'.join(_INSIDE)})\*?\}}")  # starts a display formula
_ENVIRONMENT = re.compile(rf"\\(begin|end)\{{({'|'.join(_INSIDE)})\*?\}}")
_ESCAPED_TWICE = re.compile(r"\\textbackslash(?:\{\})?\s*\\?([$%&#])")
_TEXT_SIGNS = {r"\textbackslash": r"\backslash", r"\textbar": "|", r"\textless": "<", r"\textgreater": ">"}
_TEXT_SIGN = re.compile(r"\\text(?:backslash|bar|less|greater)(?![A-Za-z])(?:\{\})?")
_PREAMBLE = r"""% Compile with LuaLaTeX or XeLaTeX.
\documentclass[11pt,PAPER]{exam}
\usepackage{iftex,fontspec,amsmath,amssymb,cancel,xcolor,graphicx,multicol,multirow,array}
\usepackage[normalem]{ulem}
CHINESE\providecommand{\lt}{<}
\providecommand{\gt}{>}
\providecommand{\longdiv}[1]{\overline{\smash{)}\,#1}}
\providecommand{\overparen}[1]{\overset{\frown}{#1}}
\pagestyle{foot}
\cfoot{\thepage}
\pointsinrightmargin
\begin{document}
"""


def worksheet_latex(sheets: Sequence[Sheet]) -> bytes:
    """Return worksheets as a ZIP archive: `worksheet.tex` and the pictures that it names.

    Raises:
        PrintingRefused: there is nothing to print, or too much.
    """
    check_sheets(sheets)
    pictures: dict[str, bytes] = {}
    body = "\\clearpage\n".join(_SheetWriter(sheet, pictures).document() for sheet in sheets)
    preamble = _PREAMBLE.replace("PAPER", "letterpaper" if sheets[0].paper is PaperSize.LETTER else "a4paper")
    preamble = preamble.replace(
        "CHINESE", "\\usepackage{ctex}\n" if re.search("[\u3000-\u30ff\u3400-\u9fff\uff00-\uff60]", body) else ""
    )
    files = {"worksheet.tex": f"{preamble}{body}\\end{{document}}\n".encode(), **pictures}
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, data in files.items():
            archive.writestr(zipfile.ZipInfo(name, _DATE), data, zipfile.ZIP_DEFLATED)
    return buffer.getvalue()


class _SheetWriter:
    def __init__(self, sheet: Sheet, pictures: dict[str, bytes]) -> None:
        self._sheet = sheet
        self._labels: Labels = labels_for(sheet.language)
        self._pictures = pictures
        self._texts = TextWriter(sheet)
        self._formulas = FormulaWriter()

    def document(self) -> str:
        sheet, labels = self._sheet, self._labels
        title = _escaped(sheet.title) + (f" -- {labels.key}" if sheet.shows_key else "")
        details = r" \quad ".join(sheet_details(sheet, _escaped, r"\underline{\hspace{2em}}"))
        parts = [
            rf"\setcounter{{page}}{{1}}\noindent{{\Large\bfseries {title}}}\hfill {details}\par\medskip\hrule\medskip"
        ]
        if sheet.has_name_field and not sheet.shows_key:
            parts.append(
                rf"\noindent {labels.name} \underline{{\hspace{{18em}}}}"
                rf"\hfill {labels.group} \underline{{\hspace{{5em}}}}"
                rf"\hfill {labels.date} \underline{{\hspace{{6em}}}}\par\medskip"
            )
        if not sheet.shows_key:
            parts.append(self._emphasised(sheet.instructions))
        if line := same_numbers_line(sheet):
            parts.append(rf"{{\small {_escaped(line)}\par}}")
        if sheet.columns == 2:
            parts.append(r"\begin{multicols}{2}")
        parts += map(self._section, sheet.sections)
        if sheet.columns == 2:
            parts.append(r"\end{multicols}")
        return "\n".join(filter(None, parts)) + "\n"

    def _emphasised(self, text: str) -> str:
        return rf"{{\itshape {self._text(text)}\par}}" if text.strip() else ""

    def _section(self, section: SheetSection) -> str:
        heading = rf"\section*{{{self._line(section.heading)}}}" if section.heading else ""
        if self._sheet.shows_key and not section.key_items:
            return heading
        if self._sheet.shows_key:
            inner = "\n".join(map(self._answer, section.key_items))
            return f"{heading}\n\\begin{{description}}\n{inner}\n\\end{{description}}"
        inner = "\n".join(self._question(item, "question") for item in section.items)
        parts = [heading, self._emphasised(section.instructions), rf"\begin{{questions}}{inner}", r"\end{questions}"]
        return "\n".join(filter(None, parts))

    def _question(self, item: SheetItem, command: str) -> str:
        stimulus = f"\\uplevel{{{self._text(item.stimulus)}}}\n" if item.stimulus.strip() else ""
        points = "" if item.points_beside is None else f"[{points_text(item.points_beside)}]"
        number = re.fullmatch(r"[1-9]\d{0,3}", item.number)
        # The class counts questions; a number it would not produce replaces it.
        if number and command == "question":
            counted = f"\n\\setcounter{{question}}{{{int(number[0]) - 1}}}\n\\question{points} "
        else:
            counted = f"\n\\{command}{points} "
        parts = [f"{stimulus}{counted}{self._text(item.text)}"]
        if item.matches:
            rows = max(len(item.options), len(item.matches))
            left = [
                rf"{_escaped(option_label(label))} {self._line(text)} \underline{{\hspace{{2em}}}}"
                for label, text in item.options
            ]
            right = [f"{_escaped(option_label(label))} {self._line(text)}" for label, text in item.matches]
            cells = (f"{''.join(left[row : row + 1])} & {''.join(right[row : row + 1])} \\\\" for row in range(rows))
            parts.append(
                "\\par\n\\begin{tabular}{p{0.45\\linewidth}p{0.45\\linewidth}}\n"
                + "\n".join(cells)
                + "\n\\end{tabular}"
            )
        elif len(item.options) > 1 and all(is_picture(text) for _, text in item.options):
            boxes = [
                rf"\begin{{minipage}}[t]{{0.48\linewidth}}{_escaped(option_label(label))} {self._text(text)}"
                r"\end{minipage}"
                for label, text in item.options
            ]
            rows = ("\\hfill\n".join(boxes[start : start + 2]) for start in range(0, len(boxes), 2))
            parts.append("\\par\\medskip\n" + "\n\n".join(rows))
        elif item.options:
            items = "\n".join(
                rf"\item[{{{_escaped(option_label(label))}}}] {self._text(text)}" for label, text in item.options
            )
            parts.append(f"\\begin{{itemize}}\n{items}\n\\end{{itemize}}")
        if item.parts:
            inner = _INNER[command]
            written = "".join(self._question(part, inner) for part in item.parts)
            parts.append(f"\\begin{{{inner}s}}{written}\n\\end{{{inner}s}}")
        if item.points_below is not None:
            parts.append(rf"\par\hfill [{self._labels.total}: {points_text(item.points_below)}]")
        if item.answer_lines > 0:
            parts.append(rf"\fillwithlines{{{min(item.answer_lines, 200) * 8.5:g}mm}}")
        return "\n".join(parts)

    def _answer(self, item: SheetItem) -> str:
        answer = rf"\emph{{{self._labels.unknown}}}" if item.lacks_answer else self._text(item.answer)
        parts = [rf"\item[{{{_escaped(item.number)}}}] {answer}"]
        if self._sheet.shows_solutions and item.solution.strip():
            parts.append(rf"\par\textbf{{{self._labels.solution}}}\par {self._text(item.solution)}")
        if item.parts:
            inner = "\n".join(map(self._answer, item.parts))
            parts.append(f"\\begin{{description}}\n{inner}\n\\end{{description}}")
        return "\n".join(parts)

    # -- texts -----------------------------------------------------------------------------------------------------

    def _text(self, text: str) -> str:
        """Return a text as LaTeX; its definitions are local to it."""
        self._formulas = FormulaWriter(text)
        return self._blocks(self._texts.tree(text)).strip()

    def _line(self, text: str) -> str:
        self._formulas = FormulaWriter(text)
        return self._inline(read_markup(render_inline(text)))

    def _blocks(self, element: Element) -> str:
        return "\n\n".join(
            filter(
                None, (_escaped(child) if isinstance(child, str) else self._block(child) for child in element.children)
            )
        )

    def _block(self, element: Element) -> str:
        tag, classes = element.tag, element.classes
        if "formula-display" in classes:
            return "\n".join(self._display(child) for child in element.elements)
        if tag == "table":
            return self._table(element)
        if "parts" in classes:
            items = ((item.elements[0].text(), self._blocks(item.elements[1])) for item in element.elements)
            return _listed("itemize", (rf"\item[{{{_escaped(label)}}}] {body}" for label, body in items))
        if tag in {"ul", "ol"}:
            name = "enumerate" if tag == "ol" else "itemize"
            return _listed(name, (rf"\item {self._inline(item)}" for item in element.elements))
        if tag == "pre":
            return (
                "\\begin{flushleft}\\ttfamily "
                + "\\\\\n".join(_escaped(line) or "~" for line in element.text().split("\n"))
                + "\\end{flushleft}"
            )
        if tag in {"div", "details"}:
            return self._blocks(element)
        return self._inline(element)

    def _display(self, element: Element) -> str:
        if element.tag != "math":
            return self._inline(Element("", {}, [element]))
        try:
            latex = self._formula(element)
        except FormulaRefused:
            return _shown(element)
        return latex if _DISPLAYS.match(latex) else rf"\[{_begun(latex)}\]"

    def _formula(self, math: Element) -> str:
        """Return a formula for TeX, with text-mode sign commands replaced by their formula-mode equivalents.

        Raises:
            FormulaRefused: it may not be included in the file.
        """
        latex = self._formulas.write(_ESCAPED_TWICE.sub(r"\\\1", _source(math)))
        return _TEXT_SIGN.sub(lambda match: f"{_TEXT_SIGNS[match[0].removesuffix('{}')]} ", latex)

    def _table(self, table: Element) -> str:
        rows = [
            [(int(cell.attributes.get("colspan", "1")), self._inline(cell)) for cell in row.iterate("td")]
            for row in table.iterate("tr")
        ]
        columns = max((sum(span for span, _ in row) for row in rows), default=1)
        lines = " \\\\ \\hline\n".join(
            " & ".join(text if span == 1 else rf"\multicolumn{{{span}}}{{|c|}}{{{text}}}" for span, text in row)
            for row in rows
        )
        head = f"\\par\\medskip\\begin{{tabular}}{{{'|c' * columns}|}}\\hline\n"
        return f"{head}{lines} \\\\ \\hline\n\\end{{tabular}}\\medskip"

    def _inline(self, element: Element) -> str:
        return "".join(
            _escaped(child) if isinstance(child, str) else self._inline_element(child) for child in element.children
        )

    def _inline_element(self, element: Element) -> str:
        tag = element.tag
        if tag == "math":
            try:
                return f"${_begun(self._formula(element))}$"
            except FormulaRefused:
                return _shown(element)
        if tag in _COMMANDS:
            return rf"\{_COMMANDS[tag]}{{{self._inline(element)}}}"
        if tag == "br":
            return "\\\\\n"
        if tag == "img":
            return self._picture(element)
        if "answer-blank" in element.classes:
            return r"\underline{\hspace{4em}}"
        return self._inline(element)

    def _picture(self, image: Element) -> str:
        name, media_type, data = self._texts.picture(image)
        if media_type not in _LATEX_PICTURES:
            return _escaped(f"[The picture {name} is of a type that LaTeX cannot show: {media_type}.]")
        file = next((file for file, known in self._pictures.items() if known == data), "")
        if not file:
            file = f"pictures/picture-{len(self._pictures) + 1}{SUFFIXES[media_type]}"
            self._pictures[file] = data
        points = int(image.attributes.get("width", 0)) * POINTS_A_PIXEL
        width = f"{points:g}bp" if 0 < points < _NARROW else r"\linewidth"
        return rf"\includegraphics[width={width},height=85mm,keepaspectratio]{{{file}}}"


def _listed(name: str, items: Iterable[str]) -> str:
    inner = "\n".join(items)
    return f"\\begin{{{name}}}\n{inner}\n\\end{{{name}}}"


def _source(math: Element) -> str:
    return math.attributes.get("data-latex", "").strip() or math.text()


def _shown(math: Element) -> str:
    """Return the source of a formula as text, which executes nothing."""
    return rf"\texttt{{{_escaped(f'${_source(math)}$')}}}"


def _begun(latex: str) -> str:
    """Return a formula with display environments replaced by those allowed inside a formula."""
    return _ENVIRONMENT.sub(lambda match: rf"\{match[1]}{{{_INSIDE[match[2]]}}}", latex)


def _escaped(text: str) -> str:
    return "".join(_SPECIAL.get(character, character) for character in text).replace("--", "-{}-")
