"""What an import knows goes all the way: into the bank, a list, a worksheet, and onto paper."""

from __future__ import annotations

import importlib.util
import io
from collections.abc import Callable
from pathlib import Path

import docx
import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from analytics.question_content import Section
from questionbank.bank.list_services import question_list_add, question_list_create
from questionbank.formats.canvas.package import MANIFEST
from questionbank.imports.services import import_file
from questionbank.models import DocumentDraft, Question, QuestionList, Run, Worksheet
from questionbank.papers.import_services import document_import_request, document_list_create, run_document_import
from questionbank.papers.services import document_draft_upload, run_document_read
from questionbank.worksheets.print_selectors import compose_versions
from questionbank.worksheets.printing.pdf import worksheet_pdf
from questionbank.worksheets.printing.word import worksheet_docx
from questionbank.worksheets.selectors import worksheet_rows
from questionbank.worksheets.services import worksheet_from_list
from questionbank.worksheets.sheet import Sheet
from tests.factories import QuestionFactory
from tests.questionbank.formats.canvas_sample import package as canvas_package
from tests.questionbank.formats.qti_sample import archive, declared, item, manifest
from tests.questionbank.imports.test_jobs import Reporter
from tests.questionbank.papers.word_files import WordFile
from tests.questionbank.worksheets.printing.reading import pdf_text

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.usefixtures("own_attachments", "own_uploads"),
    pytest.mark.skipif(
        any(importlib.util.find_spec(name) is None for name in ("typst", "pypandoc")),
        reason="needs the extra 'documents'",
    ),
]

TIME = "Time: 45 minutes. Answer all questions."
BY_HAND = "Do not use a calculator. Write your answers on the lines."
WITH_ONE = "Show your working. You may use a calculator."
SPACE = "_" * 60
PAPER = (
    ("Section A", 2),
    (BY_HAND, 0),
    ("1. Work out 3.6 + 0.47. (2 marks)", 0),
    (SPACE, 0),
    (SPACE, 0),
    ("2. Simplify 6a + 5a. (0.5 marks)", 0),
    ("Section B", 2),
    (WITH_ONE, 0),
    ("3. A bag holds 5 red and 3 blue counters.", 0),
    ("(a) Find the probability of a red counter. (1 mark)", 0),
    (SPACE, 0),
    ("(b) Find the probability of two blue counters. (3 marks)", 0),
    ("4. Find the mean of 4, 7, 9 and 12. (5 marks)", 0),
)
FIRST, SECOND = Section("Section A", BY_HAND), Section("Section B", WITH_ONE)
WHOLE = {FIRST: [(2, ()), (0.5, ())], SECOND: [(4, (1, 3)), (5, ())]}


def word_paper() -> bytes:
    file = WordFile()
    file.heading("Year 9 algebra", 1)
    for text, level in ((TIME, 0), *PAPER):
        if level:
            file.heading(text, level)
        else:
            file.add(text)
    return file.bytes()


def html_paper() -> bytes:
    lines = (f"<h{level}>{text}</h{level}>" if level else f"<p>{text}</p>" for text, level in PAPER)
    return f"<h1>Year 9 algebra</h1><p>{TIME}</p>{''.join(lines)}".encode()


def latex_paper() -> bytes:
    lines = (rf"\section*{{{text}}}" if level else text.replace("_", r"\_") for text, level in PAPER)
    body = "\n\n".join(lines)
    return (
        rf"\documentclass{{article}}\title{{Year 9 algebra}}\begin{{document}}\maketitle {TIME}"
        f"\n\n{body}\n\\end{{document}}"
    ).encode()


def exam() -> bytes:
    return rf"""\documentclass{{exam}}\begin{{document}}\begin{{questions}}
\section{{Section A}}
\fullwidth{{{BY_HAND}}}
\question[2] Work out 3.6 + 0.47.
\question[\half] Simplify 6a + 5a.
\section{{Section B}}
\fullwidth{{{WITH_ONE}}}
\question[4] A bag holds 5 red and 3 blue counters.
\begin{{parts}}\part[1] Find the probability of a red counter. \part[3] Find the probability of two blue counters.
\end{{parts}}
\question[5] Find the mean of 4, 7, 9 and 12.
\end{{questions}}\end{{document}}
""".encode()


def moodle() -> bytes:
    questions = (
        f'<question type="essay"><name><text>n</text></name><questiontext format="html"><text>{text}</text>'
        "</questiontext>"
        f"<defaultgrade>{points}</defaultgrade></question>"
        for text, points in (("Work out 3.6 + 0.47.", 2), ("Simplify 6a + 5a.", 0.5))
    )
    return f'<?xml version="1.0"?><quiz>{"".join(questions)}</quiz>'.encode()


def canvas() -> bytes:
    def asked(number: int, text: str) -> str:
        return (
            f'<item ident="i{number}" title="Question"><itemmetadata><qtimetadata><qtimetadatafield>'
            "<fieldlabel>question_type</fieldlabel><fieldentry>essay_question</fieldentry></qtimetadatafield>"
            f"<qtimetadatafield><fieldlabel>points_possible</fieldlabel><fieldentry>{number}</fieldentry>"
            "</qtimetadatafield></qtimetadata></itemmetadata>"
            f'<presentation><material><mattext texttype="text/html">{text}</mattext></material></presentation></item>'
        )

    group = (
        '<section ident="g2" title="Section B"><selection_ordering><selection><selection_number>1</selection_number>'
        "<selection_extension><points_per_item>5</points_per_item></selection_extension></selection></selection_ordering>"
        f"{asked(3, 'Find the mean of 4, 7, 9 and 12.')}</section>"
    )
    first = asked(2, "Work out 3.6 + 0.47.")
    quiz = (
        '<?xml version="1.0"?><questestinterop xmlns="http://www.imsglobal.org/xsd/ims_qtiasiv1p2">'
        f'<assessment ident="q1" title="Algebra"><section ident="root_section">{first}{group}</section></assessment>'
        "</questestinterop>"
    )
    meta = f"<quiz><title>Algebra</title><description>&lt;p&gt;{WITH_ONE}&lt;/p&gt;</description></quiz>"
    return canvas_package(**{"q1/q1.xml": quiz.encode(), "q1/assessment_meta.xml": meta.encode(), "bank.xml.qti": b""})


def qti() -> bytes:
    asked = {"sum": (2, "Work out 3.6 + 0.47."), "mean": (5, "Find the mean of 4, 7, 9 and 12.")}
    items = {
        name: item(
            name,
            declared(base="string")
            + '<outcomeDeclaration identifier="MAXSCORE" cardinality="single" baseType="float"><defaultValue>'
            f"<value>{points}</value></defaultValue></outcomeDeclaration>",
            f'<extendedTextInteraction responseIdentifier="RESPONSE"><prompt>{text}</prompt></extendedTextInteraction>',
            "",
        )
        for name, (points, text) in asked.items()
    }
    sections = "".join(
        f'<assessmentSection identifier="s{place}" title="{title}" visible="true">'
        f'<assessmentItemRef identifier="r{place}" href="items/{name}.xml"/></assessmentSection>'
        for place, (title, name) in enumerate((("By hand", "sum"), ("With a calculator", "mean")))
    )
    test = (
        '<assessmentTest xmlns="http://www.imsglobal.org/xsd/imsqti_v2p1" identifier="t" title="Algebra">'
        f'<testPart identifier="p" navigationMode="linear" submissionMode="individual">{sections}</testPart>'
        "</assessmentTest>"
    )
    listed = '<resource identifier="test" type="imsqti_test_xmlv2p1" href="test.xml"><file href="test.xml"/></resource>'
    paths = {name: f"items/{name}.xml" for name in items}
    return archive(
        {
            MANIFEST: manifest(paths, more=listed, metadata=""),
            "test.xml": test,
            **{f"items/{name}.xml": data for name, data in items.items()},
        }
    )


def list_of_paper(name: str, data: bytes, teacher, _folder: Path) -> QuestionList:
    """Import a test paper as its page does, and make a list of it."""
    draft = document_draft_upload(upload=SimpleUploadedFile(name, data), name=name, user=teacher)
    run_document_read(draft.read_run, Reporter())
    draft = DocumentDraft.objects.get(pk=draft.pk)
    run = document_import_request(draft=draft, user=teacher, source="")
    Run.objects.filter(pk=run.pk).update(result=run_document_import(run, Reporter()))
    return document_list_create(draft=DocumentDraft.objects.get(pk=draft.pk), user=teacher, name="Algebra")


def list_of_file(name: str, data: bytes, teacher, folder: Path) -> QuestionList:
    path = folder / name
    path.write_bytes(data)
    import_file(path=path, embed=False)
    made = question_list_create(user=teacher, name="Algebra")
    question_list_add(user=teacher, question_list=made, questions=Question.objects.order_by("pk"))
    return made


def first_version(worksheet: Worksheet) -> Sheet:
    return compose_versions(worksheet, ["A"], rows=worksheet_rows(worksheet=worksheet))[0].sheet


def points_by_section(sheet: Sheet) -> dict[Section, list[tuple[float | None, tuple[float | None, ...]]]]:
    return {
        Section(section.heading, section.instructions): [
            (item.points, tuple(part.points for part in item.parts)) for item in section.items
        ]
        for section in sheet.sections
    }


FORMATS: dict[str, tuple[str, Callable[[], bytes], Callable, dict]] = {
    "Word": ("Year 9.docx", word_paper, list_of_paper, WHOLE),
    "HTML": ("Year 9.html", html_paper, list_of_paper, WHOLE),
    "LaTeX": ("Year 9.tex", latex_paper, list_of_paper, WHOLE),
    "exam": ("exam.tex", exam, list_of_file, WHOLE),
    "Moodle": ("quiz.xml", moodle, list_of_file, {Section(): [(2, ()), (0.5, ())]}),  # it has no sections
    "Canvas": (
        "quiz.zip",
        canvas,
        list_of_file,
        {Section("", WITH_ONE): [(2, ())], Section("Section B", WITH_ONE): [(5, ())]},
    ),
    "QTI": ("test.zip", qti, list_of_file, {Section("By hand"): [(2, ())], Section("With a calculator"): [(5, ())]}),
}


@pytest.mark.parametrize("name", FORMATS)
def test_a_worksheet_of_an_import_has_its_points_parts_sections_and_instructions(name, teacher, tmp_path):
    file_name, data, make_list, expected = FORMATS[name]
    made = make_list(file_name, data(), teacher, tmp_path)
    worksheet, added = worksheet_from_list(user=teacher, question_list=made)
    assert added.refused == []
    sheet = first_version(worksheet)
    assert points_by_section(sheet) == expected
    total = sum(points for items in expected.values() for points, _parts in items)
    assert sheet.total_points == total
    printed = " ".join(" ".join(pdf_text(worksheet_pdf([sheet]))).split())
    document = docx.Document(io.BytesIO(worksheet_docx([sheet])))
    typed = [paragraph.text for paragraph in document.paragraphs]
    for section, items in expected.items():
        assert {section.heading, section.instructions} <= {"", *typed}
        assert all(text in printed for text in (section.heading, section.instructions))
        for points, parts in items:
            assert f"[Total: {points:g}]" in printed if parts else f"[{points:g}]" in printed
            assert all(f"[{part:g}]" in printed for part in parts)
            for said in parts or (points,):
                assert any(text.endswith(f"\t({said:g} point{'s' * (said != 1)})") for text in typed)
    assert f"/ {total:g}" in printed


def test_a_paper_brings_its_rules_and_its_space_to_write(teacher, tmp_path):
    made = list_of_paper("Year 9.docx", word_paper(), teacher, tmp_path)
    worksheet, _added = worksheet_from_list(user=teacher, question_list=made)
    assert worksheet.instructions == TIME
    sheet = first_version(worksheet)
    sums, simplify = sheet.sections[0].items
    counters = sheet.sections[1].items[0]
    assert (sums.answer_lines, simplify.answer_lines) == (2, 0)
    assert [part.answer_lines for part in counters.parts] == [1, 1]


def test_a_list_says_what_its_paper_says_of_a_question_that_the_bank_had_before(teacher, tmp_path):
    QuestionFactory(text="Find the mean of 4, 7, 9 and 12.", content={"points": 1.0}, answer="")
    made = list_of_paper("Year 9.html", html_paper(), teacher, tmp_path)
    worksheet, _added = worksheet_from_list(user=teacher, question_list=made)
    assert points_by_section(first_version(worksheet)) == WHOLE
    assert Question.objects.filter(text__startswith="Find the mean").count() == 1


def test_questions_from_everywhere_bring_points_and_no_sections(teacher):
    questions = [
        QuestionFactory(source=f"paper {place}", content={"points": points, "section": {"heading": "Part A"}})
        for place, points in enumerate((3.0, -1.0, 0.0))
    ]
    made = question_list_create(user=teacher, name="Mixed")
    question_list_add(user=teacher, question_list=made, questions=questions)
    _worksheet, added = worksheet_from_list(user=teacher, question_list=made)
    assert [(item.heading, item.points) for item in Worksheet.objects.get().items.all()] == [
        ("", 3.0),
        ("", None),
        ("", 0.0),
    ]
    assert added.refused == [f"The points of question {questions[1].pk}, which are -1."]
