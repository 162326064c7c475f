"""Each kind of question in the bank: shown, searched, opened in the editor, printed, retired and restored."""

from __future__ import annotations

from dataclasses import replace

import pytest
from django.urls import reverse

from analytics.question_content import content_of
from questionbank.formats.jsonl import write_jsonl_line
from questionbank.formats.kinds import KINDS
from questionbank.models import Question
from questionbank.services.imports import import_file
from questionbank.services.worksheets import worksheet_add, worksheet_create
from tests.questionbank.formats.test_qti import ALL_KINDS

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("kind", KINDS)
def test_a_kind_is_shown_searched_edited_printed_and_restored(kind, tmp_path, as_teacher, teacher):
    record = next(record for record in ALL_KINDS if record.kind == kind)
    record = replace(record, text=f"{record.text} Wombats.")
    path = tmp_path / "bank.jsonl"
    path.write_text(write_jsonl_line(record) + "\n", encoding="utf-8")
    import_file(path=path, embed=False, user=teacher)
    question = Question.objects.get()
    before = question.kind, question.answer, question.options, question.content
    assert (question.kind, content_of(question.content)) == (kind, record.content)
    page = as_teacher.get(reverse("question_detail", args=[question.pk]))
    assert page.status_code == 200
    assert "Wombats" in page.content.decode()
    found = as_teacher.get(reverse("question_list"), {"q": "wombats"}).content.decode()
    assert reverse("question_detail", args=[question.pk]) in found
    assert as_teacher.get(reverse("question_edit", args=[question.pk])).status_code == 200
    worksheet = worksheet_create(user=teacher, name="Friday")
    added = worksheet_add(user=teacher, worksheet=worksheet, questions=[question])
    assert bool(added.number) == (kind != "opaque")  # which only its own system can ask
    download = reverse("worksheet_download", args=[worksheet.pk])
    printed = b"".join(as_teacher.post(download, {"format": "html"}))
    assert (b"Wombats" in printed) == (kind != "opaque")
    as_teacher.post(reverse("question_retire", args=[question.pk]))
    as_teacher.post(reverse("question_restore", args=[question.pk]))
    question.refresh_from_db()
    assert question.status == "ready"
    assert (question.kind, question.answer, question.options, question.content) == before
