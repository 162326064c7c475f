"""The pages of worksheets."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone
from pytest_django.asserts import assertContains

from questionbank.bank.list_services import question_list_add, question_list_create
from questionbank.models import Question, QuestionUse, Worksheet
from questionbank.people.owned import row_show
from questionbank.worksheets.print_selectors import FILES, WorksheetFile
from questionbank.worksheets.services import worksheet_add, worksheet_create, worksheet_update
from tests.factories import QuestionFactory, UserFactory

EXTRAS = {"pdf": "typst", "word": "pypandoc"}  # packages that write a kind of file


@pytest.fixture(autouse=True)
def printed(monkeypatch) -> list:
    """Sheets that were sent to the printer, which writes nothing here."""
    sent: list = []

    def write(sheets) -> bytes:
        sent.append(list(sheets))
        return b"%PDF"

    file = WorksheetFile("PDF", ".pdf", "application/pdf", write)
    monkeypatch.setattr("questionbank.worksheets.print_selectors.FILES", {"pdf": file})
    return sent


@pytest.fixture
def worksheet(teacher, bank) -> Worksheet:
    made = worksheet_create(user=teacher, name="Friday test")
    worksheet_add(user=teacher, worksheet=made, questions=bank.questions[:4])
    return worksheet_update(user=teacher, worksheet=made, versions=2)


def page(client, name: str, *arguments: object, **data: object) -> str:
    return client.get(reverse(name, args=arguments), data).content.decode()


def test_a_list_becomes_a_worksheet_without_what_cannot_be_printed(as_teacher, teacher, bank) -> None:
    question_list = question_list_create(user=teacher, name="Friday")
    opaque = QuestionFactory(text="Drag the words.", kind="opaque")
    template, other = (QuestionFactory(text=f"Simplify $(5myvar1)^{power}$.") for power in (2, 3))
    questions = [bank.questions[2], bank.questions[0], opaque, template, other]
    question_list_add(user=teacher, question_list=question_list, questions=questions, with_templates=True)
    assert "Make a worksheet" in page(as_teacher, "list_detail", question_list.pk)
    for name in ("Friday", "Friday (2)"):
        response = as_teacher.post(reverse("worksheet_from_list", args=[question_list.pk]), follow=True)
        worksheet = Worksheet.objects.get(name=name)
        order = [item.question_id for item in worksheet.items.all()]
        assert order == [bank.questions[2].pk, bank.questions[0].pk]
        shown = response.content.decode()
        assert f"Question {opaque.pk} has a type that only its source can show" in shown
        assert shown.count("their numbers, so a worksheet leaves them out.") == 1
        assert f"Questions {template.pk} and {other.pk} draw their numbers" in shown
        assert worksheet.source_list == question_list


def test_a_worksheet_has_as_many_questions_in_the_index_as_on_its_page(as_teacher, teacher, worksheet) -> None:
    told, retired = QuestionFactory(kind="description", text="Use a ruler."), QuestionFactory()
    drafted = QuestionFactory(status="draft", created_by=teacher)
    worksheet_add(user=teacher, worksheet=worksheet, questions=[told, retired, drafted])
    Question.objects.filter(pk=retired.pk).update(status="retired")
    Question.objects.filter(pk=drafted.pk).update(created_by=UserFactory())
    worksheet_create(user=teacher, name="Empty")
    assert "<strong>4</strong> questions" in page(as_teacher, "worksheet_edit", worksheet.pk)
    assert re.search(r"\s4 questions\s", page(as_teacher, "worksheet_index"))
    assert re.search(r"\s0 questions\s", page(as_teacher, "worksheet_index"))


def test_rows_are_moved_saved_and_removed_without_javascript(as_teacher, worksheet) -> None:
    items = list(worksheet.items.all())
    address = reverse("worksheet_item", args=[worksheet.pk, items[0].pk])
    response = as_teacher.post(address, {"points": "2.5", "answer_lines": "3", "position": "2"})
    assert response["Location"].endswith(f"#item-{items[0].pk}")
    moved = worksheet.items.get(pk=items[0].pk)
    assert (moved.position, moved.points, moved.answer_lines) == (2, 2.5, 3)
    as_teacher.post(address, {"points": "", "answer_lines": "3", "action": "save"})
    assert worksheet.items.get(pk=items[0].pk).points is None
    wrong = as_teacher.post(address, {"points": "-1", "answer_lines": "3"}, follow=True)
    assert "This was not saved" in wrong.content.decode()
    as_teacher.post(address, {"action": "remove"})
    assert [item.position for item in worksheet.items.all()] == [1, 2, 3]


def test_a_section_takes_in_what_is_below_it_and_all_questions_get_the_same_points(as_teacher, worksheet) -> None:
    as_teacher.post(reverse("worksheet_section", args=[worksheet.pk]), {"heading": "Part two"})
    section = worksheet.items.last()
    as_teacher.post(
        reverse("worksheet_item", args=[worksheet.pk, section.pk]), {"heading": "Part <b>", "position": "3"}
    )
    as_teacher.post(reverse("worksheet_items", args=[worksheet.pk]), {"points": "2", "answer_lines": ""})
    shown = page(as_teacher, "worksheet_detail", worksheet.pk)
    assert "Part &lt;b&gt;" in shown
    assert "Total: 8 points" in shown
    assert [len(row.is_section * "s") for row in worksheet.items.all()] == [0, 0, 1, 0, 0]
    empty = as_teacher.post(reverse("worksheet_section", args=[worksheet.pk]), {"heading": " "})
    assertContains(empty, "Enter a heading", status_code=422)


def test_a_section_begins_behind_the_row_that_one_was_in(as_teacher, worksheet) -> None:
    first, second, *_others = worksheet.items.all()
    address = reverse("worksheet_section", args=[worksheet.pk])
    for heading, after in (("Behind", second.pk), ("Top", 0), ("End", "")):
        as_teacher.post(address, {"heading": heading, "after": after})
    order = [item.heading or item.pk for item in worksheet.items.all()]
    assert order[:4] == ["Top", first.pk, second.pk, "Behind"]
    assert order[-1] == "End"
    wrong = as_teacher.post(address, {"heading": "Nowhere", "after": "999999"})
    assertContains(wrong, "Select a valid choice", status_code=422)


def test_lines_for_all_leave_out_what_is_ticked_and_points_of_parts_follow_or_are_named(
    as_teacher, teacher, worksheet
) -> None:
    parts = [{"text": text, "content": {"points": points}} for text, points in (("First", 2), ("Second", 1))]
    ticked = QuestionFactory(
        kind="choice", options=[{"label": "A", "text": "1"}, {"label": "B", "text": "2"}], answer="A"
    )
    of_parts = QuestionFactory(text="A bag.", kind="parts", content={"parts": parts})
    worksheet_add(user=teacher, worksheet=worksheet, questions=[ticked, of_parts])
    as_teacher.post(reverse("worksheet_items", args=[worksheet.pk]), {"points": "6", "answer_lines": "3"})
    assert worksheet.items.get(question=ticked).answer_lines == 0
    item = worksheet.items.get(question=of_parts)
    assert (item.points, item.answer_lines) == (6, 3)
    assert "points of its parts: 4 + 2" in page(as_teacher, "worksheet_edit", worksheet.pk)
    assert page(as_teacher, "worksheet_detail", worksheet.pk).count("[Total: 6]") == 1
    as_teacher.post(reverse("worksheet_item", args=[worksheet.pk, item.pk]), {"points": "4"})
    assert "parts, 2 + 1, do not fit 4 points" in page(as_teacher, "worksheet_edit", worksheet.pk)


def test_questions_are_ordered_by_difficulty_within_their_sections(as_teacher, teacher) -> None:
    made = worksheet_create(user=teacher, name="Ordered")
    shared = {"stimulus": {"text": "A farm has 12 cows."}}
    hard, easy, cows, legs = (
        QuestionFactory(text=text, difficulty=value, difficulty_scale="1-5", content=content)
        for text, value, content in (
            ("Hard?", 5, {}),
            ("Easy?", 1, {}),
            ("A farm has 12 cows.\n\nHow many cows?", 4, shared),
            ("A farm has 12 cows.\n\nHow many legs?", 2, shared),
        )
    )
    worksheet_add(user=teacher, worksheet=made, questions=[hard, cows, legs])
    as_teacher.post(reverse("worksheet_section", args=[made.pk]), {"heading": "Part two"})
    worksheet_add(user=teacher, worksheet=made, questions=[easy])
    as_teacher.post(reverse("worksheet_by_difficulty", args=[made.pk]))
    assert [item.question_id for item in made.items.all()] == [cows.pk, legs.pk, hard.pk, None, easy.pk]


def test_downloads_for_students_count_as_used_and_keys_do_not(as_teacher, worksheet, bank, printed) -> None:
    download = reverse("worksheet_download", args=[worksheet.pk])
    response = as_teacher.post(download, {"format": "pdf", "contents": "solutions", "version": "B"})
    assert response["Content-Disposition"] == 'attachment; filename="friday-test-b-solutions.pdf"'
    assert not QuestionUse.objects.exists()
    (sheet,) = printed[-1]
    assert (sheet.version, sheet.shows_key, sheet.shows_solutions) == ("B", True, True)
    kept = "no confirmed equation gives its answer"
    assert sheet.same_numbers.endswith(f"({kept})")
    assert f"same numbers as version A: {kept}" in page(as_teacher, "worksheet_detail", worksheet.pk, version="B")
    as_teacher.post(download, {"format": "pdf", "contents": "students", "version": "all"})
    assert [sheet.version for sheet in printed[-1]] == ["A", "B"]
    as_teacher.post(download, {"format": "pdf", "contents": "students", "version": "all"})
    assert QuestionUse.objects.count() == 4
    question = bank.questions[0]
    assert "Friday test" in page(as_teacher, "question_detail", question.pk)
    found = page(as_teacher, "question_list", q="equation", used="not_year")
    assert f"Question {question.pk}<" not in found
    assert f"Question {question.pk}<" in page(as_teacher, "question_list", q="equation", used="year")
    as_teacher.post(reverse("worksheet_uses", args=[worksheet.pk]), {"day": str(timezone.localdate())})
    assert not QuestionUse.objects.exists()


def test_what_is_retired_or_deleted_since_is_left_out_and_said(as_teacher, worksheet, bank, printed) -> None:
    bank.questions[0].status = "retired"
    bank.questions[0].save()
    gone = bank.questions[1].pk
    bank.questions[1].delete()
    for shown in (page(as_teacher, "worksheet_detail", worksheet.pk), page(as_teacher, "worksheet_edit", worksheet.pk)):
        assert f"Question {bank.questions[0].pk} is retired." in shown
        assert f"Question {gone} was deleted." in shown
    as_teacher.post(reverse("worksheet_download", args=[worksheet.pk]), {"format": "pdf"})
    items = [item for section in printed[-1][0].sections for item in section.items]
    assert [item.number for item in items] == ["1", "2"]


def test_a_change_after_the_paper_was_handed_out_is_said(as_teacher, worksheet, bank) -> None:
    as_teacher.post(reverse("worksheet_download", args=[worksheet.pk]), {"format": "pdf"})
    assert "may not fit" not in page(as_teacher, "worksheet_detail", worksheet.pk)
    QuestionUse.objects.update(day=timezone.localdate() - timedelta(days=3))
    old = timezone.now() - timedelta(days=5)
    Worksheet.objects.update(updated_at=old)
    Question.objects.exclude(pk=bank.questions[1].pk).update(updated_at=old)
    shown = page(as_teacher, "worksheet_detail", worksheet.pk)
    assert "Questions were changed" in " ".join(shown.split())
    assert "may not fit the paper" in shown
    Question.objects.update(updated_at=old)
    assert "may not fit" not in page(as_teacher, "worksheet_detail", worksheet.pk)


def test_worksheets_are_private_until_they_are_shared(as_teacher, teacher, bank) -> None:
    colleague = UserFactory()
    worksheet = worksheet_create(user=colleague, name="Theirs")
    draft = QuestionFactory(text="A secret draft", status="draft", created_by=colleague)
    worksheet_add(user=colleague, worksheet=worksheet, questions=[draft, bank.questions[0]])
    detail = reverse("worksheet_detail", args=[worksheet.pk])
    assert as_teacher.get(detail).status_code == 404
    row_show(user=colleague, row=worksheet, visible_to="all")
    shown = as_teacher.get(detail).content.decode()
    assert "secret" not in shown
    assert "somebody else’s draft" in shown
    assert "Theirs" in page(as_teacher, "worksheet_index")
    for name in ("worksheet_edit", "worksheet_layout", "worksheet_delete", "worksheet_fill_up"):
        assert as_teacher.get(reverse(name, args=[worksheet.pk])).status_code == 404
    assert as_teacher.post(reverse("worksheet_section", args=[worksheet.pk]), {"heading": "x"}).status_code == 404
    assert as_teacher.post(reverse("worksheet_download", args=[worksheet.pk]), {"format": "pdf"}).status_code == 200


def test_filling_up_adds_unlike_questions_and_says_when_there_are_too_few(as_teacher, teacher, bank) -> None:
    worksheet = worksheet_create(user=teacher, name="Friday")
    fill_up = reverse("worksheet_fill_up", args=[worksheet.pk])
    data = {"number": "5", "concepts": [bank.linear.pk], "used": "not_year"}
    found = as_teacher.post(fill_up, {**data, "action": "find_concept", "concept_query": "circ"}).content.decode()
    assert "Circles" in found
    assert "Linear equations" in found
    shown = as_teacher.post(fill_up, data, follow=True).content.decode()
    assert "more such questions" in shown
    assert {item.question_id for item in worksheet.items.all()} <= {q.pk for q in bank.questions[:3]}
    assert worksheet.items.count() >= 1
    assert as_teacher.post(fill_up, {"number": "0"}).status_code == 422


def test_the_layout_page_says_what_is_wrong_and_keeps_the_rest(as_teacher, teacher, worksheet) -> None:
    worksheet_create(user=teacher, name="Taken")
    layout = reverse("worksheet_layout", args=[worksheet.pk])
    data = {"name": "Taken", "title": "<script>x</script>", "columns": "2", "paper": "us-letter", "versions": "4"}
    assertContains(as_teacher.post(layout, data), "already have a worksheet", status_code=422)
    as_teacher.post(layout, {**data, "name": "Mine"})
    worksheet.refresh_from_db()
    assert (worksheet.columns, worksheet.paper, worksheet.versions) == (2, "us-letter", 4)
    shown = page(as_teacher, "worksheet_detail", worksheet.pk, version="D", contents="key")
    assert "<script>x" not in shown
    seed = worksheet.seed
    as_teacher.post(reverse("worksheet_draw", args=[worksheet.pk]))
    worksheet.refresh_from_db()
    assert worksheet.seed != seed


def test_the_expected_mark_says_what_it_rests_on(as_teacher, worksheet, bank) -> None:
    shown = page(as_teacher, "worksheet_mark", worksheet.pk)
    assert "Expected mark" in shown
    assert "4 published" in shown
    for question in bank.questions:
        question.difficulty = question.difficulty_percent = None
        question.save()
    assert "nothing is known about the difficulty" in page(as_teacher, "worksheet_mark", worksheet.pk)


def test_numbers_that_are_no_questions_are_refused_and_the_limit_is_said(
    as_teacher, worksheet, bank, monkeypatch
) -> None:
    add = reverse("worksheet_add", args=[worksheet.pk])
    for wrong in ("x", "999999", ""):
        assert as_teacher.post(add, {"numbers": wrong}).status_code == 422
    both = ", ".join(str(question.pk) for question in bank.questions[3:5])
    assertContains(
        as_teacher.post(add, {"numbers": both}, follow=True),
        "1 question was added at the end. 1 was on the worksheet already.",
    )
    worksheet.items.last().delete()
    monkeypatch.setattr("questionbank.worksheets.services.LONGEST_WORKSHEET", 4)
    response = as_teacher.post(add, {"numbers": f"{bank.questions[4].pk}"})
    assertContains(response, "A worksheet holds up to 4 questions", status_code=422)


def test_an_empty_worksheet_is_said_to_be_empty(as_teacher, teacher, bank) -> None:
    worksheet = worksheet_create(user=teacher, name="Empty")
    assert "nothing to print" in page(as_teacher, "worksheet_detail", worksheet.pk)
    assert "This worksheet is empty" in page(as_teacher, "worksheet_edit", worksheet.pk)
    as_teacher.post(reverse("worksheet_delete", args=[worksheet.pk]))
    assert not Worksheet.objects.exists()


@pytest.mark.parametrize("format", list(FILES))
def test_every_kind_of_file_is_written(as_teacher, teacher, bank, monkeypatch, format: str) -> None:
    if format in EXTRAS:
        pytest.importorskip(EXTRAS[format], reason="the extra documents is not installed")
    monkeypatch.setattr("questionbank.worksheets.print_selectors.FILES", FILES)
    worksheet = worksheet_create(user=teacher, name="Friday <b>$x$</b> & test")
    worksheet_add(user=teacher, worksheet=worksheet, questions=bank.questions)
    response = as_teacher.post(
        reverse("worksheet_download", args=[worksheet.pk]), {"format": format, "contents": "solutions"}
    )
    assert response.status_code == 200
    assert response.content[:4] in (b"%PDF", b"PK\x03\x04", b"<!do")
    assert response["Content-Disposition"].endswith(FILES[format].suffix + '"')
