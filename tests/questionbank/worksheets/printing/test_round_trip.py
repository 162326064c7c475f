"""Word -> bank -> Word -> bank: what our own papers bring comes back from a worksheet as the same questions."""

from __future__ import annotations

import pytest
from django.core.files.base import ContentFile

from questionbank.bank.list_services import question_list_add, question_list_create
from questionbank.models import DocumentDraft, Question
from questionbank.papers.import_services import document_import_request, run_document_import
from questionbank.papers.pandoc import pandoc_path
from questionbank.papers.services import document_draft_upload, run_document_read
from questionbank.worksheets.print_selectors import compose_versions
from questionbank.worksheets.printing.word import worksheet_docx
from questionbank.worksheets.selectors import worksheet_rows
from questionbank.worksheets.services import worksheet_from_list
from tests.questionbank.imports.test_jobs import Reporter
from tests.questionbank.papers.papers import papers

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.skipif(not pandoc_path(), reason="needs the extra 'documents'"),
    pytest.mark.usefixtures("own_attachments"),
]


def brought(data: bytes, name: str, user) -> list[Question]:
    """Return the questions that are new in the bank once a file has been read and imported."""
    known = set(Question.objects.values_list("pk", flat=True))
    draft = document_draft_upload(upload=ContentFile(data), name=name, user=user)
    run_document_read(draft.read_run, Reporter())
    draft = DocumentDraft.objects.get(pk=draft.pk)
    draft.import_run = document_import_request(draft=draft, user=user, source=name)
    run_document_import(draft.import_run, Reporter())
    return list(Question.objects.exclude(pk__in=known).order_by("pk"))


PAPERS = {  # between them they have every question of our papers
    "automatic.docx", "question.docx", "answers.docx", "pictures.docx", "solutions.docx", "chinese.docx",
    "german.docx", "french.docx", "quiz.txt",
}  # fmt: skip


def test_our_papers_come_back_from_word_as_the_same_questions(teacher):
    questions = [new for paper in papers() if paper.name in PAPERS for new in brought(paper.data, paper.name, teacher)]
    chosen = question_list_create(user=teacher, name="All papers")
    question_list_add(user=teacher, question_list=chosen, questions=questions)
    worksheet, _added = worksheet_from_list(user=teacher, question_list=chosen)
    rows = worksheet_rows(worksheet=worksheet, user=teacher)
    (paper,) = compose_versions(worksheet, ["A"], rows=rows)
    (key,) = compose_versions(worksheet, ["A"], key=True, solutions=True, rows=rows)
    package = worksheet_docx([paper.sheet, key.sheet])
    others = brought(package, "worksheet.docx", teacher)
    assert len(questions) > 35
    assert [other.text for other in others] == ["What is $2^{5}$?"]  # which a typed paper writes $2^5$
