"""Packages of QTI in and out of the bank again, and the text that their questions share on its page."""

from __future__ import annotations

import zipfile

import pytest
from django.urls import reverse

from questionbank.bank.question_selectors import questions_sharing_text
from questionbank.imports.export_services import export_file
from questionbank.imports.options import ImportOptions
from questionbank.imports.services import import_file
from questionbank.models import Attachment, Question, QuestionOriginal
from tests.questionbank.formats.qti_sample import ITEMS, SIGN, package, package_of_three
from tests.questionbank.formats.test_moodle_xml import elements

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_attachments", "own_uploads")]


def test_a_package_goes_in_and_out_as_it_was(tmp_path):
    path, out = tmp_path / "bags.zip", tmp_path / "out.zip"
    path.write_bytes(package())
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
