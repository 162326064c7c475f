"""Pictures of a question over the API."""

from __future__ import annotations

import pytest

from questionbank.models import Attachment, Question
from tests.factories import QuestionFactory
from tests.pictures import png
from tests.questionbank.api_client import Program

pytestmark = pytest.mark.usefixtures("own_attachments")


@pytest.fixture
def program(teacher) -> Program:
    return Program(teacher)


@pytest.fixture
def path(program, teacher) -> str:
    return f"/questions/{QuestionFactory(text='How long is $a$?', created_by=teacher).pk}"


def test_a_picture_is_added_listed_read_and_taken_away(program, path) -> None:
    added = program.upload(f"{path}/attachments", png(), "a triangle.png")
    assert added.status_code == 201
    assert added.json()["text"] == "How long is $a$?\n\n![](a-triangle.png)"
    assert added["Location"].endswith("/attachments/a-triangle.png")
    (picture,) = program("GET", f"{path}/attachments").json()
    assert (picture["name"], picture["media_type"], picture["is_named"]) == ("a-triangle.png", "image/png", True)
    read = program("GET", f"{path}/attachments/a-triangle.png")
    assert (read.content, read["Content-Type"]) == (png(), "image/png")
    assert program("DELETE", f"{path}/attachments/a-triangle.png").status_code == 409
    program("PATCH", path, {"text": "How long is $a$?"})
    assert not program("GET", f"{path}/attachments").json()[0]["is_named"]
    assert program("DELETE", f"{path}/attachments/a-triangle.png").status_code == 200
    assert program("GET", f"{path}/attachments").json() == []
    assert program("GET", f"{path}/attachments/a-triangle.png").status_code == 404


def test_a_picture_of_the_same_name_is_replaced_and_the_text_keeps_its_place(program, path) -> None:
    program("PATCH", path, {"text": "![the triangle](a.png) How long is $a$?"})
    for shade in (0, 9):
        changed = program.upload(f"{path}/attachments", png(shade), "a.png").json()
    assert changed["text"] == "![the triangle](a.png) How long is $a$?"
    assert program("GET", f"{path}/attachments/a.png").content == png(9)
    assert len(program("GET", f"{path}/attachments").json()) == 1


def test_a_change_of_pictures_is_a_version(program, path) -> None:
    etag = program("GET", path)["ETag"]
    program.upload(f"{path}/attachments", png(), "a.png", If_Match=etag)
    assert program("GET", path).json()["version"] == 2
    assert program.upload(f"{path}/attachments", png(), "b.png", If_Match=etag).status_code == 412
    assert program("DELETE", f"{path}/attachments/a.png", If_Match=etag).status_code == 412
    assert len(program("GET", f"{path}/versions").json()) == 1


@pytest.mark.parametrize(
    ("content", "name"), [(b"", "a.png"), (b"<svg></svg>", "a.svg"), (b"MZ program", "a.png"), (png()[:20], "a.png")]
)
def test_what_is_no_picture_is_refused(program, path, content, name) -> None:
    refused = program.upload(f"{path}/attachments", content, name)
    assert refused.status_code == 422
    assert list(refused.json()["error"]["fields"]) == ["file"]
    assert not Attachment.objects.exists()


def test_a_file_over_the_limit_or_that_is_no_form_is_refused(program, path, settings) -> None:
    settings.REVIEW_UPLOAD_MAX_BYTES = 10
    assert program.upload(f"{path}/attachments", png(), "a.png").status_code == 413
    assert program("POST", f"{path}/attachments", {}).status_code == 415


def test_a_question_has_up_to_20_pictures(program, path) -> None:
    for number in range(20):
        assert program.upload(f"{path}/attachments", png(number), f"{number}.png").status_code == 201
    assert program.upload(f"{path}/attachments", png(20), "20.png").status_code == 422
    assert program.upload(f"{path}/attachments", png(21), "3.png").status_code == 201


def test_pictures_of_others_are_read_and_their_drafts_are_not(program, path, admin_person, reviewer) -> None:
    program.upload(f"{path}/attachments", png(), "a.png")
    other = Program(reviewer)
    assert other("GET", f"{path}/attachments/a.png").status_code == 200
    assert other.upload(f"{path}/attachments", png(), "b.png").status_code == 403
    assert other("DELETE", f"{path}/attachments/a.png").status_code == 403
    Question.objects.update(status="draft")
    assert other("GET", f"{path}/attachments/a.png").status_code == 404
    assert other("GET", f"{path}/attachments").status_code == 404
