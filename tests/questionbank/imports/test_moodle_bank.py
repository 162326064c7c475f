"""A Moodle bank in and out again: pictures, originals, changes by people."""

from __future__ import annotations

import pytest
from django.core.files.storage import storages
from django.urls import reverse

from analytics.question_content import content_of
from questionbank.bank.question_services import question_update
from questionbank.imports.export_services import export_file
from questionbank.imports.options import ImportOptions
from questionbank.imports.services import import_file
from questionbank.models import Attachment, Question, QuestionOriginal
from tests.factories import QuestionFactory
from tests.questionbank.formats.moodle_sample import SAMPLE
from tests.questionbank.formats.test_moodle_xml import elements

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_attachments")]


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
