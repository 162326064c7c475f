"""Writing and editing questions."""

from __future__ import annotations

import re

import pytest
from django.urls import reverse
from pytest_django.asserts import assertContains

from questionbank.models import Question, QuestionTag

NEW = {
    "text": r"What is $\frac{1}{2} + \frac{1}{3}$?",
    "kind": "open",
    "language": "en",
    "grade": "6",
    "answer": r"$\frac{5}{6}$",
    "solution": "",
    "equation": "",
    "status": "ready",
    "action": "save",
}


def test_a_question_is_saved_and_shown(bank, as_teacher, teacher) -> None:
    response = as_teacher.post(reverse("question_create"), NEW | {"concepts": [bank.fraction.pk]}, follow=True)
    question = Question.objects.latest("pk")
    assert response.redirect_chain[-1][0] == reverse("question_detail", args=[question.pk])
    assert (question.text, question.grade, question.created_by) == (NEW["text"], "6", teacher)
    assert [tag.concept for tag in question.tags.all()] == [bank.fraction]


def test_options_come_as_rows_and_empty_ones_are_ignored(bank, as_teacher) -> None:
    rows = {
        "option_label": ["A", "B", "C"],
        "option_text": ["$1$", "$2$", ""],
        "option_misconception": ["", "forgot the sign", ""],
    }
    as_teacher.post(reverse("question_create"), NEW | rows | {"kind": "choice", "answer": "A"})
    assert Question.objects.latest("pk").options == [
        {"label": "A", "text": "$1$"},
        {"label": "B", "text": "$2$", "misconception": "forgot the sign"},
    ]


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"text": " "}, "This field is required."),
        ({"kind": "choice"}, "at least two options"),
        (
            {"kind": "choice", "answer": "Z", "option_label": ["A", "B"], "option_text": ["1", "2"],
             "option_misconception": ["", ""]},
            "must be the label of an option",
        ),
        ({"option_label": ["A"], "option_text": ["1"], "option_misconception": [""]}, "Only multiple-choice"),
        ({"concepts": ["999999"]}, "not one of the available choices"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_beside_the_field_and_nothing_is_saved(bank, as_teacher, changes, sentence) -> None:
    before = Question.objects.count()
    assertContains(as_teacher.post(reverse("question_create"), NEW | changes), sentence, status_code=422)
    assert Question.objects.count() == before


@pytest.mark.parametrize(
    ("changes", "place", "sentence"),
    [
        ({"kind": "matching", "pair_left": ["half"], "pair_right": [""]}, "pair", "Every pair needs its right side."),
        ({"kind": "number", "accepted_text": ["2"], "accepted_tolerance": ["a"]}, "accepted", "“a” is not a tolerance"),
        ({"kind": "parts", "part_text": ["Why?"], "part_points": ["x"]}, "part", "“x” is not a number of points."),
        ({"kind": "ordering"}, "option", "An ordering question needs at least two options."),
        ({"option_label": ["A"], "option_text": ["1"]}, "option", "Only multiple-choice and ordering questions"),
    ],
)  # fmt: skip
def test_what_is_wrong_in_a_row_is_said_once_above_the_form_and_once_beside_the_rows(
    bank, as_teacher, changes, place, sentence
) -> None:
    response = as_teacher.post(reverse("question_create"), NEW | {"answer": ""} | changes)
    assertContains(response, sentence, count=2, status_code=422)
    above, rows = response.content.decode().split(f'id="id_{place}"')
    assert f'<a href="#id_{place}">' in above
    assert sentence in rows


def test_a_near_duplicate_is_named_once_before_it_is_saved(bank, as_teacher) -> None:
    almost = NEW | {"text": bank.questions[0].text + " "}
    first = as_teacher.post(reverse("question_create"), almost)
    page = first.content.decode()
    assert "nearly the same" in page
    assert reverse("question_detail", args=[bank.questions[0].pk]) in page
    assert Question.objects.count() == len(bank.questions)
    as_teacher.post(reverse("question_create"), almost | {"seen_doubles": first.context["seen_doubles"]})
    assert Question.objects.count() == len(bank.questions) + 1


def test_the_preview_renders_what_is_being_written(bank, as_teacher) -> None:
    response = as_teacher.post(
        reverse("question_preview"),
        NEW | {"option_label": ["A"], "option_text": [r"$\sqrt{2}$"], "option_misconception": [""]},
        headers={"HX-Request": "true"},
    )
    page = response.content.decode()
    assert "<mfrac>" in page
    assert "<msqrt>" in page
    assert "<html" not in page


def test_the_preview_warns_of_a_formula_that_is_not_closed(bank, as_teacher) -> None:
    response = as_teacher.post(reverse("question_preview"), NEW | {"text": "If $x = 2, then?"})
    assert "is not closed" in response.content.decode()


def test_the_preview_button_shows_the_form_again_without_complaints(bank, as_teacher) -> None:
    response = as_teacher.post(reverse("question_create"), {"text": "$x^2$", "action": "preview"})
    page = response.content.decode()
    assert response.status_code == 200
    assert "<msup>" in page
    assert "This field is required" not in page


def test_add_an_option_works_without_javascript(bank, as_teacher) -> None:
    rows = {"option_label": list("ABCD"), "option_text": ["1", "2", "3", "4"], "option_misconception": [""] * 4}
    response = as_teacher.post(reverse("question_create"), NEW | rows | {"action": "add_option"})
    assert [row["label"] for row in response.context["form"].rows] == list("ABCDE")


def test_concepts_are_found_by_name_and_the_chosen_ones_stay(bank, as_teacher) -> None:
    response = as_teacher.post(
        reverse("concept_choices"),
        {"concept_query": "equations linear", "concepts": [bank.circle.pk]},
        headers={"HX-Request": "true"},
    )
    assert [choice.id for choice in response.context["found_concepts"]] == [bank.linear.pk]
    assert [choice.id for choice in response.context["chosen_concepts"]] == [bank.circle.pk]


def test_the_edit_form_holds_what_the_question_has(bank, as_teacher) -> None:
    form = as_teacher.get(reverse("question_edit", args=[bank.questions[0].pk])).context["form"]
    assert form["text"].value() == bank.questions[0].text
    assert form["version"].value() == 1
    assert form.chosen == [bank.linear.pk]


def test_a_language_that_the_form_does_not_offer_survives_an_edit(bank, as_teacher) -> None:
    question = bank.questions[0]
    Question.objects.filter(pk=question.pk).update(language="fr")
    as_teacher.post(reverse("question_edit", args=[question.pk]), NEW | {"language": "fr", "version": "1"})
    question.refresh_from_db()
    assert (question.language, question.version) == ("fr", 2)


def test_an_edit_keeps_concepts_added_since_the_form_was_opened(bank, as_teacher) -> None:
    question = bank.questions[0]
    address = reverse("question_edit", args=[question.pk])
    form = as_teacher.get(address).context["form"]
    as_teacher.post(
        reverse("question_concepts", args=[question.pk]),
        {"action": "save", "concepts": [bank.linear.pk, bank.circle.pk], "seen": str(bank.linear.pk)},
    )
    sent = {"concepts": [bank.linear.pk], "seen_concepts": form["seen_concepts"].value(), "version": "1"}
    as_teacher.post(address, NEW | sent)
    assert set(question.tags.values_list("concept_id", flat=True)) == {bank.linear.pk, bank.circle.pk}


def test_two_editors_get_both_versions_and_nothing_is_lost(bank, as_teacher) -> None:
    question = bank.questions[0]
    address = reverse("question_edit", args=[question.pk])
    as_teacher.post(address, NEW | {"text": "Theirs, saved first: $1+1$?", "version": "1"})
    response = as_teacher.post(address, NEW | {"text": "Mine, typed meanwhile: $2+2$?", "version": "1"})
    page = response.content.decode()
    assert response.status_code == 409
    assert "Theirs, saved first" in page
    assert "Mine, typed meanwhile" in page
    question.refresh_from_db()
    assert question.text.startswith("Theirs")

    sent = dict(response.context["sent"]) | {"version": response.context["question"].version}
    as_teacher.post(address, sent)
    question.refresh_from_db()
    assert question.text.startswith("Mine")


def test_a_form_that_is_sent_twice_makes_one_question(bank, as_teacher) -> None:
    page = as_teacher.get(reverse("question_create")).content.decode()
    submission = re.search(r'name="submission" value="([0-9a-f-]+)"', page)[1]
    before = Question.objects.count()
    places = {as_teacher.post(reverse("question_create"), NEW | {"submission": submission})["Location"] for _ in "ab"}
    assert len(places) == 1
    assert Question.objects.count() == before + 1


def test_a_pasted_question_is_saved_once(bank, as_teacher) -> None:
    text = "What is $17 \\cdot 23$?"
    page = as_teacher.post(reverse("paste"), {"text": text}).content.decode()
    submission = re.search(r'name="submission" value="([0-9a-f-]+)"', page)[1]
    sent = {"text": text, "language": "en", "status": "ready", "action": "save", "submission": submission}
    assert {as_teacher.post(reverse("paste"), sent).status_code for _ in "abc"} == {302}
    assert Question.objects.filter(text=text).count() == 1


def test_a_draft_is_its_author_s_and_the_admins(bank, client, teacher, admin_person, django_user_model) -> None:
    draft = bank.questions[0]
    draft.status, draft.created_by = Question.Status.DRAFT, teacher
    draft.save()
    colleague = django_user_model.objects.create_user("colleague")
    colleague.groups.add(*teacher.groups.all())
    for name in ("question_detail", "question_concepts", "question_edit"):
        for person, status in ((teacher, 200), (admin_person, 200), (colleague, 404)):
            client.force_login(person)
            assert client.get(reverse(name, args=[draft.pk])).status_code == status
    client.force_login(colleague)
    assert client.get(reverse("list_add"), {"question": draft.pk}).status_code == 404
    pasted = client.post(reverse("paste"), {"text": draft.text}).content.decode()
    assert f"/questions/{draft.pk}/" not in pasted


def test_tags_changed_by_somebody_else_meanwhile_are_shown_before_they_are_overwritten(bank, as_teacher) -> None:
    question = bank.questions[0]
    page = reverse("question_concepts", args=[question.pk])
    seen = re.search(r'name="seen" value="([0-9,]*)"', as_teacher.get(page).content.decode())[1]
    question.tags.all().delete()
    QuestionTag.objects.create(question=question, concept=bank.fraction)
    response = as_teacher.post(page, {"action": "save", "seen": seen, "concepts": [bank.linear.pk]})
    assertContains(response, "Somebody else has just changed the concepts", status_code=409)
    assert [tag.concept for tag in question.tags.all()] == [bank.fraction]
    seen = re.search(r'name="seen" value="([0-9,]*)"', response.content.decode())[1]
    assert as_teacher.post(page, {"action": "save", "seen": seen, "concepts": [bank.linear.pk]}).status_code == 302


def test_a_question_with_twelve_options_keeps_them_all_in_the_editor(bank, as_teacher) -> None:
    options = [{"label": letter, "text": f"choice {place}"} for place, letter in enumerate("ABCDEFGHIJKL")]
    Question.objects.filter(pk=bank.questions[0].pk).update(kind="choice", options=options, answer="L")
    form = as_teacher.get(reverse("question_edit", args=[bank.questions[0].pk])).context["form"]
    assert [row["text"] for row in form.rows][:12] == [option["text"] for option in options]
    sent = {**NEW, "kind": "choice", "answer": "L", "version": "1"}
    sent |= {
        "option_label": [option["label"] for option in options],
        "option_text": [option["text"] for option in options],
        "option_misconception": [""] * 12,
    }
    assert as_teacher.post(reverse("question_edit", args=[bank.questions[0].pk]), sent).status_code == 302
    bank.questions[0].refresh_from_db()
    assert bank.questions[0].options == options
