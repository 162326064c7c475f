"""The pages of lists."""

from __future__ import annotations

import json
import re
import zipfile

import pytest
from django.urls import reverse
from pytest_django.asserts import assertContains

from analytics.records import QuestionRecord
from questionbank.bank.list_services import question_list_add, question_list_create
from questionbank.formats import read
from questionbank.models import QuestionList
from tests.factories import QuestionFactory


def test_a_question_is_added_to_a_new_list_and_one_comes_back(as_teacher, bank) -> None:
    question = bank.questions[0]
    page = reverse("question_detail", args=[question.pk])
    add = reverse("list_add")
    assert f"{add}?question={question.pk}" in as_teacher.get(page).content.decode()
    data = {"question": question.pk, "name": "Friday", "next": page}
    response = as_teacher.post(add, data)
    assert response["Location"] == page
    assert [item.question_id for item in QuestionList.objects.get(name="Friday").items.all()] == [question.pk]


def test_the_last_list_is_one_click_away_and_the_page_says_points_and_section(as_teacher, teacher) -> None:
    content = {
        "parts": [{"text": "Find x.", "content": {"points": 2}}, {"text": "Find y.", "content": {"points": 0.5}}],
        "section": {"heading": "Section B", "instructions": "You may use a calculator."},
    }
    question = QuestionFactory(text="Look at the line.", kind="parts", content=content)
    made = question_list_create(user=teacher, name="Friday")
    address = reverse("question_detail", args=[question.pk])
    shown = as_teacher.get(address).content.decode()
    assert "2.5 points" in shown
    for said in ("2 points", "0.5 points", "Section B", "You may use a calculator."):
        assert said in shown
    [form] = [one for one in shown.split("<form") if "Add to “Friday”" in one]
    sent = dict(re.findall(r'name="(question|existing|next)" value="([^"]*)"', form))
    assert as_teacher.post(reverse("list_add"), sent)["Location"] == address
    assert [item.question_id for item in made.items.all()] == [question.pk]


def test_a_foreign_address_to_go_back_to_is_ignored(as_teacher, bank) -> None:
    data = {"question": bank.questions[0].pk, "name": "Friday", "next": "https://elsewhere.example/"}
    response = as_teacher.post(reverse("list_add"), data)
    assert response["Location"] == reverse("list_detail", args=[QuestionList.objects.get().pk])


def test_a_new_list_needs_a_name(as_teacher, bank) -> None:
    response = as_teacher.post(reverse("list_add"), {"question": bank.questions[0].pk, "name": ""})
    assertContains(response, "Enter a name", status_code=422)


def test_a_typed_name_starts_a_new_list_beside_those_that_exist(as_teacher, teacher, bank) -> None:
    kept = question_list_create(user=teacher, name="Monday")
    question = bank.questions[0].pk
    page = as_teacher.get(reverse("list_add"), {"question": question}).content.decode()
    assert "A new list" in page
    assert page.count('type="radio" name="existing"') == 2
    assert "A name starts a new list" in page
    for chosen, name in (("", "Thursday"), (kept.pk, "Friday")):
        as_teacher.post(reverse("list_add"), {"question": question, "existing": chosen, "name": name})
        assert QuestionList.objects.get(name=name).items.count() == 1
    assert not kept.items.exists()
    as_teacher.post(reverse("list_add"), {"question": question, "existing": kept.pk, "name": ""})
    assert kept.items.count() == 1


def test_unknown_questions_are_not_found(as_teacher, bank) -> None:
    for wrong in ("", "x", "999999", "9" * 5000):
        assert as_teacher.get(reverse("list_add"), {"question": wrong}).status_code == 404


def test_answers_show_only_where_asked_for(as_teacher, teacher, bank) -> None:
    question = bank.questions[0]
    question.answer = "forty-two"
    question.save()
    question_list = question_list_create(user=teacher, name="Friday")
    question_list_add(user=teacher, question_list=question_list, questions=[question])
    page = reverse("list_detail", args=[question_list.pk])
    assert "forty-two" not in as_teacher.get(page).content.decode()
    assert "forty-two" in as_teacher.get(page, {"answers": "1"}).content.decode()


def test_a_list_is_exported_in_its_order(as_teacher, teacher, bank, django_assert_max_num_queries) -> None:
    questions = list(bank.questions[2::-1])
    question_list = question_list_create(user=teacher, name="Friday, week 3")
    page = reverse("list_detail", args=[question_list.pk])
    assert "Export" not in as_teacher.get(page).content.decode()
    question_list_add(user=teacher, question_list=question_list, questions=questions)
    shown = as_teacher.get(page).content.decode()
    assert "JSON Lines" in shown
    assert reverse("list_export", args=[question_list.pk, "csv"]) in shown
    with django_assert_max_num_queries(15):
        response = as_teacher.get(reverse("list_export", args=[question_list.pk, "jsonl"]))
        lines = [json.loads(line) for line in b"".join(response.streaming_content).decode().splitlines()]
    assert [line["text"] for line in lines] == [question.text for question in questions]
    assert response["Content-Disposition"] == 'attachment; filename="friday-week-3.jsonl"'
    assert as_teacher.get(reverse("list_export", args=[question_list.pk, "docx"])).status_code == 404


def test_another_s_list_is_hidden_until_it_is_shared(as_reviewer, teacher, bank) -> None:
    question_list = question_list_create(user=teacher, name="Friday")
    page = reverse("list_detail", args=[question_list.pk])
    assert as_reviewer.get(page).status_code == 404
    question_list.visibility = "all"
    question_list.save()
    assert as_reviewer.get(page).status_code == 200
    assert "Friday" in as_reviewer.get(reverse("list_index")).content.decode()
    assert as_reviewer.get(reverse("list_edit", args=[question_list.pk])).status_code == 404


def test_moving_a_question_comes_back_to_its_place_and_keeps_the_answers(as_teacher, teacher, bank) -> None:
    question_list = question_list_create(user=teacher, name="Friday")
    question_list_add(user=teacher, question_list=question_list, questions=bank.questions[:3])
    moved = bank.questions[0].pk
    address = reverse("list_item", args=[question_list.pk, moved])
    page = reverse("list_detail", args=[question_list.pk])
    response = as_teacher.post(address, {"position": "3", "answers": "1"})
    assert response["Location"] == f"{page}?answers=1#question-{moved}"
    assert list(question_list.items.values_list("question_id", flat=True))[-1] == moved
    for beyond in ("0", "99"):
        assert as_teacher.post(address, {"position": beyond})["Location"] == f"{page}#question-{moved}"
    shown = as_teacher.get(page).content.decode()
    assert f'id="up-{moved}"' in shown  # at an end, too, so that the focus has a place
    assert f'id="handle-{moved}"' in shown


def test_a_removed_question_is_put_back_at_its_place(as_teacher, teacher, bank) -> None:
    question_list = question_list_create(user=teacher, name="Friday")
    question_list_add(user=teacher, question_list=question_list, questions=bank.questions[:3])
    before = list(question_list.items.values_list("question_id", flat=True))
    address = reverse("list_item", args=[question_list.pk, before[1]])
    page = as_teacher.post(address, {"action": "remove", "answers": "1"}, follow=True).content.decode()
    assert f"Question {before[1]} was removed from the list." in page
    assert list(question_list.items.values_list("question_id", flat=True)) == [before[0], before[2]]
    assert '<input type="hidden" name="position" value="2">' in page
    undo = {"action": "put_back", "position": "2", "answers": "1"}
    back = f"{reverse('list_detail', args=[question_list.pk])}?answers=1#question-{before[1]}"
    assert as_teacher.post(address, undo)["Location"] == back
    assert list(question_list.items.values_list("question_id", flat=True)) == before
    again = as_teacher.post(address, {"action": "remove"}) and as_teacher.post(address, {"action": "remove"})
    assert again["Location"] == reverse("list_detail", args=[question_list.pk])  # nothing to undo


def test_a_list_warns_of_missing_figures_and_variables_before_it_is_printed(as_teacher, teacher, bank) -> None:
    figure = QuestionFactory(text="The graph shown below is a parabola. Where is its vertex?")
    template = QuestionFactory(text="Simplify $(5myvar1)^2$.")
    for question in (figure, template):
        question.refresh_from_db()
    question_list = question_list_create(user=teacher, name="Friday")
    page = reverse("list_detail", args=[question_list.pk])
    question_list_add(user=teacher, question_list=question_list, questions=bank.questions[:1])
    assert "before you print" not in as_teacher.get(page).content.decode()
    question_list_add(user=teacher, question_list=question_list, questions=[figure, template], with_templates=True)
    shown = as_teacher.get(page).content.decode()
    assert "before you print" in shown
    assert '<a href="#place-2">2</a>' in shown
    assert '<a href="#place-3">3</a>' in shown


def test_templates_stay_off_a_list_unless_one_insists(as_teacher, bank) -> None:
    template = QuestionFactory(text="Simplify $(5myvar1)^2$.")
    whole = bank.questions[0]
    add = reverse("list_add")
    both = {"question": [whole.pk, template.pk], "name": "Friday"}
    assert "draws its numbers, too" in as_teacher.get(add, {"question": template.pk}).content.decode()
    response = as_teacher.post(add, both, follow=True)
    assert "was left out" in response.content.decode()
    assert [item.question_id for item in QuestionList.objects.get().items.all()] == [whole.pk]
    only = {"question": template.pk, "existing": QuestionList.objects.get().pk, "name": ""}
    assert as_teacher.post(add, only).status_code == 422
    as_teacher.post(add, only | {"with_templates": "on"})
    assert [item.question_id for item in QuestionList.objects.get().items.all()] == [whole.pk, template.pk]


def test_an_export_names_the_questions_that_lose_something_and_has_a_way_back(as_teacher, teacher) -> None:
    parts = [QuestionFactory(text=f"Part {place}", kind="parts") for place in range(12)]
    hinted = QuestionFactory(text="Find $x$.", answer="3", content={"hints": ["Subtract."]})
    question_list = question_list_create(user=teacher, name="Friday")
    question_list_add(user=teacher, question_list=question_list, questions=[*parts, hinted])
    address = reverse("list_export", args=[question_list.pk, "gift"])
    shown = as_teacher.get(address).content.decode()
    assert "The hints: 1 question" in shown
    assert f'<a href="/questions/{hinted.pk}/">Question {hinted.pk}</a>' in shown
    moodle = as_teacher.get(reverse("list_export", args=[question_list.pk, "moodle-xml"])).content.decode()
    assert "Questions in parts: 12 questions" in moodle
    assert moodle.count('">Question ') == 10
    assert "and 2 more" in moodle
    back = reverse("list_detail", args=[question_list.pk])
    assert moodle.count(f'href="{back}"') == 2
    assert "Export anyway" in moodle
    assert as_teacher.get(f"{address}?confirmed=1")["Content-Disposition"] == 'attachment; filename="friday.gift"'
    for format, name in (("qti21", "friday-qti-2.1.zip"), ("canvas", "friday-canvas-qti-1.2.zip")):
        sent = as_teacher.get(reverse("list_export", args=[question_list.pk, format]) + "?confirmed=1")
        assert sent["Content-Disposition"] == f'attachment; filename="{name}"'


def test_a_list_shows_names_for_numbers_that_are_drawn_and_how_the_answer_is_computed(as_teacher, teacher) -> None:
    template = QuestionFactory(
        text="Double ${@a@}$.",
        solution="It is {@b@}.",
        kind="opaque",
        content={"settings": {"computed_answer": "2*$a"}},
    )
    question_list = question_list_create(user=teacher, name="Friday")
    question_list_add(user=teacher, question_list=question_list, questions=[template], with_templates=True)
    pages = [
        as_teacher.get(reverse("list_detail", args=[question_list.pk]), {"answers": "1"}),
        as_teacher.get(reverse("question_detail", args=[template.pk])),
    ]
    for page in pages:
        shown = " ".join(page.content.decode().split())
        assert "<mtext>‹a›</mtext>" in shown
        assert "Its source draws its numbers: <strong>a, b</strong>" in shown
        assert "the system computes it:</span> <code>2*$a</code>" in shown


@pytest.mark.parametrize(("format", "ending"), [("moodle-xml", "xml"), ("qti21", "zip"), ("qti3", "zip")])
def test_predictions_go_along_by_choice_marked_and_come_back_as_no_labels(
    as_teacher, teacher, bank, tmp_path, format, ending
) -> None:
    question_list = question_list_create(user=teacher, name="Friday")
    question_list_add(user=teacher, question_list=question_list, questions=bank.questions[:2])
    address = reverse("list_export", args=[question_list.pk, format])
    assert f"{address}?predicted=1" in as_teacher.get(reverse("list_detail", args=[question_list.pk])).content.decode()
    files = []
    for query in ("confirmed=1", "confirmed=1&predicted=1"):
        path = tmp_path / f"{len(files)}.{ending}"
        path.write_bytes(b"".join(as_teacher.get(f"{address}?{query}").streaming_content))
        files.append(path)
    said = files[1].read_bytes()
    if ending == "zip":
        said = zipfile.ZipFile(files[1]).read("imsmanifest.xml")
        assert b"Kindred predicts" not in zipfile.ZipFile(files[0]).read("imsmanifest.xml")
    assert said.count(b"Kindred predicts") >= 2
    plain, predicted = ([entry for _line, entry in read(path) if isinstance(entry, QuestionRecord)] for path in files)
    assert predicted == plain
