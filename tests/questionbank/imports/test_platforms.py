"""Files of Moodle, Canvas and QTI into the bank and out again, over the database."""

from __future__ import annotations

import io
import zipfile

import pytest
from django.core.files.storage import storages
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from analytics.question_content import content_of
from questionbank.bank.question_selectors import questions_sharing_text
from questionbank.bank.question_services import question_update
from questionbank.imports.export_services import export_file
from questionbank.imports.options import ImportOptions
from questionbank.imports.services import import_file
from questionbank.models import Attachment, Question, QuestionOriginal, Run
from tests.factories import QuestionFactory
from tests.questionbank.formats.canvas_sample import BANK, GRAPH, QUIZ, package
from tests.questionbank.formats.moodle_sample import SAMPLE
from tests.questionbank.formats.qti_sample import ITEMS, SIGN, package_of_three
from tests.questionbank.formats.qti_sample import package as qti_package
from tests.questionbank.formats.test_canvas import items_of
from tests.questionbank.formats.test_moodle_xml import elements

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_attachments", "own_uploads")]


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "bank.xml"
    path.write_text(SAMPLE, encoding="utf-8")
    return path


def test_a_dry_run_keeps_nothing(file):
    report = import_file(path=file, options=ImportOptions(dry_run=True))
    assert (report.created, report.read_as, report.concepts_created) == (11, "Moodle XML", 3)
    assert not Question.objects.exists()
    assert storages["attachments"].listdir("")[0] == [] if storages["attachments"].exists("") else True


def test_a_bank_goes_in_and_out_as_it_was(file, tmp_path):
    report = import_file(path=file, embed=False)
    assert (report.created, report.refused_count) == (11, 0)
    assert (Attachment.objects.count(), QuestionOriginal.objects.count()) == (2, 11)
    graph = Question.objects.get(source_id="alg-001")
    assert (graph.kind, graph.answer, graph.needs_figure) == ("choice", "A", False)
    assert Question.objects.filter(draws_numbers=True, kind="opaque").count() == 2
    out = tmp_path / "out.xml"
    written, losses = export_file(path=out, format="moodle-xml", filters={})
    assert (written, bool(losses)) == (11, False)
    assert elements(out.read_bytes()) == elements(SAMPLE)
    assert import_file(path=out, embed=False).created == 0


def test_a_change_by_a_person_is_in_the_file_and_the_rest_is_as_it_was(file, tmp_path, admin_person):
    import_file(path=file, embed=False)
    graph = Question.objects.get(source_id="alg-001")
    fields = {
        name: getattr(graph, name) for name in ("text", "language", "kind", "options", "answer", "grade", "status")
    }
    question_update(
        user=admin_person, question=graph, version=1, concepts=[tag.concept for tag in graph.tags.all()],
        solution="New.", **fields,
    )  # fmt: skip
    graph.refresh_from_db()
    assert content_of(graph.content).hints == ("Think.",)  # what the editor did not send stays
    out = tmp_path / "out.xml"
    export_file(path=out, format="moodle-xml", filters={})
    expected = SAMPLE.replace("<![CDATA[<p>See <b>page</b> 3.</p>]]>", "<![CDATA[<p>New.</p>]]>")
    assert elements(out.read_bytes()) == elements(expected)


def test_a_page_says_what_the_format_cannot_hold_before_the_download(file, client, admin_person):
    import_file(path=file, embed=False)
    client.force_login(admin_person)
    address = reverse("selection_export", args=["csv"]) + "?all=1"
    page = client.get(address)
    assert "The pictures: 1 question" in page.content.decode()
    sent = client.get(address + "&confirmed=1")
    assert sent["Content-Disposition"].endswith('.csv"')
    whole = client.get(reverse("selection_export", args=["moodle-xml"]) + "?all=1")
    assert whole["Content-Type"].startswith("application/xml")
    assert b"".join(whole.streaming_content).count(b"<question type=") == 14
    QuestionFactory(kind="parts")
    assert (
        "Questions in parts: 1"
        in client.get(reverse("selection_export", args=["moodle-xml"]) + "?all=1").content.decode()
    )


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


def test_a_package_of_qti_goes_in_and_out_as_it_was(tmp_path):
    path, out = tmp_path / "bags.zip", tmp_path / "out.zip"
    path.write_bytes(qti_package())
    report = import_file(path=path, embed=False)
    assert (report.created, report.refused_count, report.source) == (len(ITEMS), 0, "bags")
    assert (Attachment.objects.count(), QuestionOriginal.objects.count()) == (1, len(ITEMS))
    assert Question.objects.get(draws_numbers=True).source_id == "drawn"
    written, losses = export_file(path=out, format="qti21", filters={})
    assert (written, bool(losses)) == (len(ITEMS), False)
    archive = zipfile.ZipFile(out)
    for name, xml in ITEMS.items():
        assert elements(archive.read(f"Items/{name}.xml")) == elements(xml.replace("&nbsp;", "&#160;"))
    assert archive.read("Items/images/the sign.png") == SIGN
    again = import_file(path=out, options=ImportOptions(source="bags", update=True), embed=False)
    assert (again.created, again.known.updated, again.known.unchanged) == (0, 0, len(ITEMS))


def test_questions_with_the_same_text_are_shown_with_it_and_lead_to_each_other(client, admin_person, tmp_path):
    path, out = tmp_path / "farm.zip", tmp_path / "out.zip"
    path.write_bytes(package_of_three())
    import_file(path=path, embed=False)
    cows, legs = Question.objects.order_by("pk")
    assert questions_sharing_text(question=cows, user=admin_person) == [legs]
    client.force_login(admin_person)
    page = client.get(reverse("question_detail", args=[cows.pk])).content.decode()
    assert "<title>How many cows?" in page
    assert page.index('class="shared-text') < page.index("How many cows?", page.index('class="shared-text'))
    assert "1 other question about" in page
    assert reverse("question_detail", args=[legs.pk]) in page
    Question.objects.filter(pk=cows.pk).update(text="How many cows?")
    assert questions_sharing_text(question=Question.objects.get(pk=cows.pk), user=admin_person) == []
    assert export_file(path=out, format="qti3", filters={})[0] == 2
    assert elements(zipfile.ZipFile(out).read("items/legs.xml"))
