"""A package of Canvas in and out of the bank again, through the page."""

from __future__ import annotations

import io
import zipfile

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from questionbank.imports.export_services import export_file
from questionbank.imports.options import ImportOptions
from questionbank.imports.services import import_file
from questionbank.models import Attachment, Question, QuestionOriginal, Run
from tests.questionbank.formats.canvas_sample import BANK, GRAPH, QUIZ, package
from tests.questionbank.formats.test_canvas import items_of
from tests.questionbank.formats.test_moodle_xml import elements

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_attachments", "own_uploads")]


def test_a_package_goes_in_and_out_as_it_was(tmp_path):
    path, out = tmp_path / "quiz.zip", tmp_path / "out.zip"
    path.write_bytes(package())
    report = import_file(path=path, embed=False)
    assert (report.created, report.refused_count, report.source) == (13, 0, "quiz")
    assert (Attachment.objects.count(), QuestionOriginal.objects.count()) == (1, 13)
    assert Question.objects.filter(tags__concept__name="Sums ＞ 1").count() == 12
    written, losses = export_file(path=out, format="canvas", filters={})
    assert (written, bool(losses)) == (13, False)
    archive = zipfile.ZipFile(out)
    assert [elements(item) for item in items_of(archive)] == [elements(item) for item in (*QUIZ, *BANK)]
    assert archive.read("Uploaded Media/my graph.png") == GRAPH
    again = import_file(path=out, options=ImportOptions(source="quiz", update=True), embed=False)
    assert (again.created, again.known.updated, again.known.unchanged) == (0, 0, 13)


def test_a_package_is_uploaded_and_checked_without_a_page_of_columns(client, admin_person):
    client.force_login(admin_person)
    file = SimpleUploadedFile("quiz.zip", package())
    response = client.post(reverse("import_create"), {"file": file})
    assert response["Location"] == reverse("run_detail", args=[Run.objects.get().pk])
    broken = SimpleUploadedFile("quiz.zip", io.BytesIO(package()).getvalue()[:-30])
    assert "is damaged" in client.post(reverse("import_create"), {"file": broken}).content.decode()
