"""LaTeX of the class exam: read as teachers write it, kept, written back."""

from __future__ import annotations

import zipfile
from dataclasses import replace

import pytest

from analytics.question_content import Option, Picture, QuestionContent, QuestionPart
from analytics.records import QuestionRecord
from questionbank.core.errors import LineWarning, ValidationFailed
from questionbank.formats import WRITTEN, read, write
from questionbank.formats.catalog import sniff
from questionbank.formats.latex.prose import latex_text, text_latex
from tests.cases import each_case
from tests.pictures import png
from tests.questionbank.formats.files import named
from tests.questionbank.formats.test_moodle_xml import Pictures, questions

EXAM = r"""\documentclass[12pt,addpoints]{exam}
\newcommand{\R}{\mathbb{R}}
\newcommand{\fr}[2]{\frac{#1}{#2}}
\begin{document}
% \question not one
\begin{questions}

\question[5] Solve $x^2 = 4$ in $\R$. % note
  Give \textbf{all} solutions, 5\% off.
\begin{solution}[2in]
  $x=\pm 2$.
\end{solution}
\question[2\half]
Which is $\fr{1}{2}$?
\begin{choices}
 \choice $0.25$
 \CorrectChoice $0.5$ % right
\end{choices}

\section*{Part B}
\uplevel{For the next.}
\titledquestion{Lines}[10] Consider \includegraphics[width=3cm]{line}.
\begin{parts}
  \part[2] Find the slope \fillin[3][1in].
  \part Which?
    \begin{checkboxes}
      \choice a
      \CorrectChoice b
      \CorrectChoice c
    \end{checkboxes}
    \begin{solution} Because. \end{solution}
\end{parts}
\vspace{\stretch{1}}
\question It is \fillin[42].
\question
\begin{tabular}{|c|c|}\hline a & $b$ \\ \hline 1 & 2 \\ \hline\end{tabular}
\answerline[7]
\end{questions}
\end{document}
"""


def test_an_exam_is_read(tmp_path):
    archive = tmp_path / "exam.zip"
    with zipfile.ZipFile(archive, "w") as writer:
        writer.writestr("exam/main.tex", EXAM)
        writer.writestr("exam/pictures/line.png", png())
    pictures = Pictures()
    solve, half, lines, gap, table = questions(archive, pictures)
    assert solve.text == r"Solve $x^2 = 4$ in $\mathbb{R}$. Give **all** solutions, 5% off."
    assert (solve.solution, solve.content.points) == (r"$x=\pm 2$.", 5)
    assert (half.text, half.answer, half.content.points) == (r"Which is $\frac{1}{2}$?", "B", 2.5)
    assert lines.text == "For the next.\n\nConsider ![](line)."
    assert pictures.has(lines.content.pictures[0].sha256)
    assert (lines.content.title, lines.concepts, lines.solution) == ("Lines", (("Part B",),), "(b) Because.")
    assert [(part.text, part.kind, part.answer) for part in lines.content.parts] == [
        ("Find the slope [[1]].", "blanks", "3"),
        ("Which?", "choice", "B, C"),
    ]
    assert (gap.kind, gap.answer) == ("blanks", "42")
    assert (table.kind, table.text, table.answer) == ("number", "| a | $b$ |\n| 1 | 2 |", "7")


def test_an_unchanged_file_goes_back_as_it_came(tmp_path):
    path = named(tmp_path, "a.tex", EXAM)
    assert sniff(path).name == "exam"
    written = b"".join(WRITTEN["exam"].write(questions(path), Pictures())).decode()
    last = r"\end{questions}"
    assert written.split(last)[0].split() == EXAM.split(last)[0].split()


@each_case("latex", "a_question_with_commands_that_could_read_or_run_is_written_anew")
def test_a_question_with_commands_that_could_read_or_run_is_written_anew(tmp_path, hostile, left):
    source = EXAM.replace(r"It is \fillin[42].", f"It is \\fillin[42]. {hostile}")
    path = named(tmp_path, "a.tex", source)
    written = b"".join(WRITTEN["exam"].write(questions(path), Pictures())).decode()
    code = "\n".join(line for line in written.split("\n") if not line.startswith("% kindred"))
    assert left not in code.replace(r"\newcommand{\R}{\mathbb{R}}", "").replace(r"\newcommand{\fr}", "")
    assert r"\question[5] Solve $x^2 = 4$ in $\R$. % note" in code  # the others stay as they came


def test_a_file_that_a_question_includes_is_named_and_not_read(tmp_path):
    path = named(tmp_path, "a.tex", EXAM.replace(r"It is \fillin[42].", r"See \input{/etc/passwd}"))
    warnings = [entry.reason for _line, entry in read(path) if isinstance(entry, LineWarning)]
    assert any("'/etc/passwd' that it includes is not read" in reason for reason in warnings)


def test_a_changed_question_is_written_anew_and_the_others_stay(tmp_path):
    records = questions(named(tmp_path, "a.tex", EXAM))
    changed = [replace(records[0], solution="Since 5% < 6."), *records[1:]]
    again = _written(tmp_path / "b.tex", changed, "exam")
    assert [record.text for record in again] == [record.text for record in changed]
    assert (again[0].solution, again[1].options) == ("Since 5% < 6.", records[1].options)


def _written(path, records, format, pictures=None):
    write(records, path, format, pictures)
    return [replace(record, original=None) for record in questions(path, pictures)]


def test_parts_are_written(tmp_path):
    part = QuestionPart("Which is 5% of $x$?", "choice", (Option("A", "1"), Option("B", "2")), "B")
    inner = QuestionPart("", "parts", content=QuestionContent(parts=(QuestionPart("b?", answer="3"),)), answer="(a) 3")
    content = QuestionContent(parts=(part, replace(inner, text="More.")), points=2.0)
    record = QuestionRecord("1", "A & B", kind="parts", content=content, answer="(a) B; (b) (a) 3", source="Book")
    assert _written(tmp_path / "bank.tex", [record], "exam") == [record]


def test_an_unchanged_question_finds_its_picture_where_its_source_names_it(tmp_path):
    source = EXAM.replace("{line}", "{img/line.png}")
    with zipfile.ZipFile(tmp_path / "exam.zip", "w") as writer:
        writer.writestr("exam/quiz.tex", source)
        writer.writestr("exam/img/line.png", png())
    pictures = Pictures()
    write(questions(tmp_path / "exam.zip", pictures), tmp_path / "bank.zip", "exam", pictures)
    with zipfile.ZipFile(tmp_path / "bank.zip") as archive:
        assert "img/line.png" in archive.namelist()
        assert b"{img/line.png}" in archive.read("questions.tex")


def test_a_document_with_pictures_is_an_archive(tmp_path):
    pictures = Pictures()
    content = QuestionContent(pictures=(Picture("my graph.png", pictures.put(png(7))),))
    record = QuestionRecord("1", "What is ![a graph](my graph.png)?", source="Book", content=content)
    with pytest.raises(ValidationFailed, match=r"ends in \.zip"):
        write([record], tmp_path / "bank.tex", "exam", pictures)
    assert _written(tmp_path / "bank.zip", [record], "exam", pictures) == [record]
    with zipfile.ZipFile(tmp_path / "bank.zip") as archive:
        assert archive.namelist() == ["questions.tex", "my-graph.png"]


@pytest.mark.parametrize(
    ("text", "latex"),
    [
        (r"Is $\def\textless{\input{/etc/passwd}}1$ less?", "Is $1$ less?"),
        (r"$\input{/etc/passwd}$", r"\texttt{\textdollar{}\textbackslash{}input\{/etc/passwd\}\textdollar{}}"),
        (r"![a](}\input{/etc/passwd})", r"\includegraphics[alt={a},width=0.5\linewidth]{--input-/etc/passwd-}"),
        (r"[a](https://b}\input{/etc/passwd})", r"\href{https://binput/etc/passwd}{a}"),
    ],
)
def test_no_text_is_a_command(text, latex):
    assert text_latex(text, str) == latex


@each_case("latex", "a_text_is_the_same_after_latex")
def test_a_text_is_the_same_after_latex(text):
    assert latex_text(text_latex(text, str), str) == text


@each_case("latex", "latex_becomes_our_text")
def test_latex_becomes_our_text(latex, text):
    assert latex_text(latex, str) == text
