"""Pictures: kept once, told by their bytes, swept when nothing shows them."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.core.files.storage import storages
from django.urls import reverse
from django.utils import timezone

from analytics.question_content import Picture, QuestionContent, as_json
from questionbank.bank.attachment_services import attachment_add, attachments_sweep
from questionbank.bank.question_selectors import picture_bytes, stored_name
from questionbank.formats.pictures import PictureFacts, PictureRefused, read_picture
from questionbank.models import Attachment, Question
from tests.factories import QuestionFactory
from tests.pictures import png

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_attachments")]


@pytest.mark.parametrize(
    ("data", "facts"),
    [
        (png(), PictureFacts("image/png", 2, 2)),
        (b"GIF89a" + b"\x03\x00\x04\x00rest", PictureFacts("image/gif", 3, 4)),
        (b"\xff\xd8\xff\xe0\x00\x04ab\xff\xc0\x00\x11\x08\x00\x05\x00\x06\x03", PictureFacts("image/jpeg", 6, 5)),
        (b"RIFF....WEBPVP8X" + b"\0" * 8 + b"\x06\0\0\x04\0\0", PictureFacts("image/webp", 7, 5)),
    ],
)
def test_the_type_and_size_are_read_from_the_bytes(data, facts):
    assert read_picture(data) == facts


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"<svg onload='alert(1)'/>", "SVG"),
        (b"MZ\x90", "not a PNG"),
        (b"\x89PNG\r\n\x1a\n", "damaged"),
        (b"\xff\xd8\xff\xe0\x00\x00", "damaged"),
        (png(width=1, height=1)[:16] + b"\0\1\0\0\0\1\0\0" + png()[24:], "pixels"),
    ],
)
def test_what_is_no_picture_is_refused(data, reason):
    with pytest.raises(PictureRefused, match=reason):
        attachment_add(data=data)
    assert not Attachment.objects.exists()


def test_only_pictures_that_no_question_shows_are_swept():
    shown, before, unused = (attachment_add(data=png(shade)) for shade in (1, 2, 3))
    QuestionFactory(content=as_json(QuestionContent(pictures=(Picture("a.png", shown),))))
    changed = QuestionFactory(content=as_json(QuestionContent(pictures=(Picture("b.png", before),))))
    Question.objects.filter(pk=changed.pk).update(content={})  # its history still shows it
    assert attachments_sweep() == 0  # all are young
    Attachment.objects.update(used_at=timezone.now() - timedelta(days=3))
    assert attachments_sweep() == 1
    assert {*Attachment.objects.values_list("pk", flat=True)} == {shown, before}
    assert picture_bytes(shown) == png(1)
    assert storages["attachments"].exists(stored_name(unused))  # a young file, which an import may have put in


def test_a_figure_that_is_attached_is_not_missing():
    text = "Which graph is shown below? ![a line](a.png)"
    missing, attached, half = (
        QuestionFactory(text=f"{text} {place}", content=as_json(QuestionContent(pictures=pictures)))
        for place, pictures in enumerate(((), (Picture("a.png", "5f"),), (Picture("a.png", "5f"), Picture("b.png"))))
    )
    needs = dict(Question.objects.values_list("pk", "needs_figure"))
    assert (needs[missing.pk], needs[attached.pk], needs[half.pk]) == (True, False, True)
    assert len({bytes(row) for row in Question.objects.values_list("content_hash", flat=True)}) == 3


def test_a_picture_is_shown_by_its_hash(client, teacher):
    client.force_login(teacher)
    digest = attachment_add(data=png())
    response = client.get(reverse("picture", args=[digest]))
    assert (response.content, response["Content-Type"]) == (png(), "image/png")
    assert response["X-Content-Type-Options"] == "nosniff"
    assert client.get(reverse("picture", args=["0" * 64])).status_code == 404
