"""A worksheet after use: typing in a class's marks, and how its questions did."""

from __future__ import annotations

import pytest
from django.core.files.storage import storages
from django.urls import reverse

from questionbank.models import ResponseSet, Worksheet, WorksheetItem
from tests.factories import QuestionFactory

pytestmark = pytest.mark.usefixtures("own_uploads")
MARKS = (("Ada", "2", "1"), ("Ben", "1,5", "0"), ("Cem", "0", "1"), ("Dora", "2", ""), ("Emil", "1", "1"))


@pytest.fixture
def worksheet(teacher) -> Worksheet:
    """A worksheet with a section of two questions."""
    worksheet = Worksheet.objects.create(owner=teacher, name="Fractions", versions=2)
    items = [(None, "Part 2", None), (QuestionFactory(text="How much is half of 8?"), "", 2.0)]
    items += [(QuestionFactory(text="How much is a third of 9?"), "", 1.0)]
    for position, (question, heading, points) in enumerate(items, start=1):
        WorksheetItem.objects.create(
            worksheet=worksheet, position=position, question=question, heading=heading, points=points
        )
    return worksheet


def questions(worksheet: Worksheet) -> list[int]:
    return list(worksheet.items.exclude(question=None).order_by("position").values_list("question", flat=True))


def test_marks_are_typed_in_checked_and_imported_for_the_worksheet(as_teacher, worksheet):
    address = reverse("worksheet_marks", args=[worksheet.pk])
    page = as_teacher.get(address).content.decode()
    assert 'aria-label="Pupil 10, question 2"' in page
    cells = [cell for row in MARKS for cell in row]
    preview = as_teacher.post(address, {"cell": cells, "action": "check"})
    assert preview.status_code == 302
    shown = as_teacher.get(preview.url).content.decode()
    assert "All questions are matched." in shown
    assert 'value="Fractions"' in shown
    as_teacher.post(preview.url, {"title": "Fractions", "class_label": "7b", "action": "import"})
    stored = ResponseSet.objects.get()
    assert (stored.worksheet, stored.people, stored.layout) == (worksheet, 5, "Marks typed in")
    first = stored.responses.filter(question=questions(worksheet)[0]).values_list("score", "variant")
    assert sorted(first) == [(0.0, "A"), (0.5, "A"), (0.75, "A"), (1.0, "A"), (1.0, "A")]
    after = as_teacher.get(reverse("worksheet_after_use", args=[worksheet.pk])).content.decode()
    assert "65%" in after  # (2 + 1.5 + 0 + 2 + 1) of 10
    assert "Share of the marks by question" in after
    assert storages["uploads"].listdir("")[1] == []


def test_columns_follow_the_version_and_rows_can_be_pasted(as_teacher, worksheet):
    worksheet.mixes_questions = True
    worksheet.save()
    for seed in range(1, 30):
        Worksheet.objects.filter(pk=worksheet.pk).update(seed=seed)
        page = as_teacher.get(reverse("worksheet_marks", args=[worksheet.pk]), {"version": "B"}).content.decode()
        places = [page.index(reverse("question_detail", args=[number])) for number in questions(worksheet)]
        if places[0] > places[1]:
            break
    address = f"{reverse('worksheet_marks', args=[worksheet.pk])}?version=B"
    pasted = "\n".join("\t".join((name, second, first)) for name, first, second in MARKS)
    preview = as_teacher.post(address, {"pasted": pasted, "action": "check"})
    as_teacher.post(preview.url, {"title": "Fractions", "action": "import"})
    first = ResponseSet.objects.get().responses.filter(question=questions(worksheet)[0])
    assert sorted(first.values_list("score", "variant")) == [
        (0.0, "B"), (0.5, "B"), (0.75, "B"), (1.0, "B"), (1.0, "B"),
    ]  # fmt: skip


def test_more_rows_keep_what_was_typed(as_teacher, worksheet):
    sent = {"cell": ["Ada", "2", "1"], "action": "more", "pasted": "Ben\t1\t1"}
    page = as_teacher.post(reverse("worksheet_marks", args=[worksheet.pk]), sent).content.decode()
    assert 'value="Ada"' in page
    assert 'aria-label="Pupil 11"' in page
    assert "Ben\t1\t1" in page


def test_nothing_typed_is_refused_in_a_sentence(as_teacher, worksheet):
    response = as_teacher.post(reverse("worksheet_marks", args=[worksheet.pk]), {"cell": ["", "", ""]})
    assert response.status_code == 422
    assert "No row can be read: write a pupil and the marks in each." in response.content.decode()


def test_a_worksheet_that_nobody_wrote_says_what_to_do(as_teacher, worksheet):
    assert "No responses yet" in as_teacher.get(reverse("worksheet_after_use", args=[worksheet.pk])).content.decode()
    unknown = as_teacher.get(reverse("worksheet_marks", args=[worksheet.pk]), {"version": "Z"})
    assert unknown.status_code == 404
