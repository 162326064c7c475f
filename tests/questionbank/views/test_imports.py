"""Importing through the page: check, then import."""

from __future__ import annotations

import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from questionbank.models import Question, Run
from questionbank.services.import_undo import run_import_undo
from questionbank.services.imports import run_import
from questionbank.services.runs import run_fail, run_start, run_succeed


@pytest.fixture(autouse=True)
def _uploads(settings, tmp_path) -> None:
    settings.STORAGES = {
        **settings.STORAGES,
        "uploads": {
            "BACKEND": "django.core.files.storage.FileSystemStorage",
            "OPTIONS": {"location": tmp_path},
        },
    }


class Reporter:
    """Stands for the worker's."""

    def __init__(self) -> None:
        self.result: dict[str, object] = {}

    def progress(self, done: int, total: int, message: str = "") -> None:
        pass

    def log(self, text: str, level: str = "info") -> None:
        pass

    def should_stop(self) -> bool:
        return False


def upload(client, lines, **fields):
    content = "\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines)
    file = SimpleUploadedFile("mine.jsonl", content.encode())
    return client.post(reverse("import_create"), {"file": file} | fields)


def work(run: Run) -> Run:
    """What a worker does with a run."""
    held = run_start(run_id=run.pk, worker="test")
    reporter = Reporter()
    try:
        run_succeed(run=held, result=run_import(held, reporter))
    except Exception as error:  # noqa: BLE001 - as the worker does
        run_fail(run=held, error=str(error), result=reporter.result)
    run.refresh_from_db()
    return run


GOOD = [{"id": "a", "text": "What is $1+1$?"}, {"id": "b", "text": "What is $2+2$?"}]


def test_an_upload_is_checked_first(db, as_admin) -> None:
    response = upload(as_admin, GOOD)
    run = Run.objects.get()
    assert response["Location"] == reverse("run_detail", args=[run.pk])
    assert run.parameters["dry_run"] is True
    work(run)
    assert Question.objects.count() == 0
    page = as_admin.get(reverse("run_detail", args=[run.pk])).content.decode()
    assert "What an import would do" in page
    assert "Import 2 questions" in page


def test_after_the_check_one_click_imports(db, as_admin) -> None:
    upload(as_admin, GOOD)
    checked = work(Run.objects.get())
    response = as_admin.post(reverse("import_confirm", args=[checked.pk]))
    run = Run.objects.exclude(pk=checked.pk).get(kind="import")
    assert response["Location"] == reverse("run_detail", args=[run.pk])
    work(run)
    assert Question.objects.count() == 2
    assert "Look at these questions" in as_admin.get(response["Location"]).content.decode()


def test_refused_lines_are_listed_with_number_and_reason_and_can_be_left_out(db, as_admin) -> None:
    upload(as_admin, [GOOD[0], "{not json", GOOD[1], {"id": "d", "text": 7}])
    checked = work(Run.objects.get())
    page = as_admin.get(reverse("run_detail", args=[checked.pk])).content.decode()
    assert [problem["line"] for problem in checked.result["refused"]] == [2, 4]
    for problem in checked.result["refused"]:
        assert f'<th class="number" scope="row">{problem["line"]}</th>' in page
    assert "Import 2 questions" not in page
    assert "without the refused lines" in page
    as_admin.post(reverse("import_confirm", args=[checked.pk]), {"skip_invalid": "1"})
    work(Run.objects.exclude(pk=checked.pk).get(kind="import"))
    assert Question.objects.count() == 2


def test_a_file_that_cannot_be_read_at_all_fails_with_one_sentence(db, as_admin) -> None:
    file = SimpleUploadedFile("broken.jsonl.gz", b"\x1f\x8b this is no gzip")
    as_admin.post(reverse("import_create"), {"file": file})
    run = work(Run.objects.get())
    page = as_admin.get(reverse("run_detail", args=[run.pk])).content.decode()
    assert run.error in page
    assert "Traceback" not in page
    assert "Import the rest" not in page


@pytest.mark.parametrize("name", ["mine.jsonl", "mine.csv"])
def test_an_empty_file_is_refused_at_once(db, as_admin, name) -> None:
    response = as_admin.post(reverse("import_create"), {"file": SimpleUploadedFile(name, b"")})
    assert response.status_code == 422
    assert "This file is empty." in response.content.decode()
    assert not Run.objects.exists()


def test_without_a_file_the_form_says_so(db, as_admin) -> None:
    response = as_admin.post(reverse("import_create"), {})
    assert response.status_code == 422
    assert "This field is required." in response.content.decode()


def test_a_file_over_the_limit_is_refused_with_the_limit(db, as_admin, settings) -> None:
    settings.IMPORT_UPLOAD_MAX_BYTES = 100
    response = upload(as_admin, GOOD * 20)
    assert response.status_code == 422
    assert "larger than 100" in response.content.decode()
    assert not Run.objects.exists()


def test_a_file_far_over_the_limit_is_dropped_on_the_way(db, as_admin, settings) -> None:
    settings.IMPORT_UPLOAD_MAX_BYTES = 100
    file = SimpleUploadedFile("large.jsonl", b"x" * 1_200_000)
    response = as_admin.post(reverse("import_create"), {"file": file})
    assert response.status_code == 422
    assert "larger than 100" in response.content.decode()


def test_a_check_whose_file_is_gone_says_so(db, as_admin) -> None:
    run = Run.objects.create(kind="import", state="succeeded", parameters={"upload": "gone", "name": "x"})
    response = as_admin.post(reverse("import_confirm", args=[run.pk]), follow=True)
    assert "upload it again" in response.content.decode()


def test_an_import_is_undone_from_its_page(as_admin, bank) -> None:
    upload(as_admin, [{"text": "How much is 7 + 8?", "concepts": [["Sums"]]}, {"text": "How much is 8 + 9?"}])
    work(Run.objects.get())
    as_admin.post(reverse("import_confirm", args=[Run.objects.get().pk]))
    imported = work(Run.objects.latest("pk"))
    assert Question.objects.count() == 8
    kept = Question.objects.latest("pk")
    kept.status = "retired"
    kept.save()

    here = reverse("import_undo", args=[imported.pk])
    assert here in as_admin.get(reverse("run_detail", args=[imported.pk])).content.decode()
    page = as_admin.get(here).content.decode()
    assert "Remove 1 question" in page
    assert f"Question {kept.pk}" in page
    assert "edited" in page

    response = as_admin.post(here)
    undo = Run.objects.latest("pk")
    assert response["Location"] == reverse("run_detail", args=[undo.pk])
    held = run_start(run_id=undo.pk, worker="test")
    run_succeed(run=held, result=run_import_undo(held, Reporter()))
    assert set(Question.objects.values_list("pk", flat=True)) == {*(q.pk for q in bank.questions), kept.pk}
    page = as_admin.get(reverse("run_detail", args=[undo.pk])).content.decode()
    assert "What was removed" in page
    assert f"Question {kept.pk}" in page
    assert "Undone on" in as_admin.get(reverse("run_detail", args=[imported.pk])).content.decode()
    assert "Nothing to remove" in as_admin.get(here).content.decode()
