"""Pasting a question."""

from __future__ import annotations

import pytest
from django.urls import reverse

from questionbank.models import Question

LETTER = "Please remember to bring your PE kit on Thursday, the bus leaves at 8:45."
PASTED = r"Solve the equation $7x + 2 = 30$ for $x$."


def test_a_pasted_question_is_looked_at_and_not_saved(bank, as_teacher) -> None:
    response = as_teacher.post(reverse("paste"), {"text": PASTED, "action": "look"})
    page = response.content.decode()
    assert response.status_code == 200
    assert "Linear equations" in page
    assert "Estimated" in page
    first = response.context["columns"][0].hits[0]
    assert {first.question, *(copy.question for copy in first.copies)} == set(bank.questions[:3])
    assert Question.objects.count() == len(bank.questions)


def test_htmx_gets_the_result_alone(bank, as_teacher) -> None:
    response = as_teacher.post(reverse("paste"), {"text": PASTED}, headers={"HX-Request": "true"})
    page = response.content.decode()
    assert 'id="paste-result"' in page
    assert "<html" not in page
    assert "HX-Request" in response["Vary"]


def test_htmx_with_an_empty_box_gets_an_empty_result(bank, as_teacher) -> None:
    response = as_teacher.post(reverse("paste"), {"text": " "}, headers={"HX-Request": "true"})
    assert response.status_code == 200
    assert "Similar questions" not in response.content.decode()


def test_a_letter_is_no_mathematics_and_gets_neither_concept_nor_difficulty_nor_answer(bank, as_teacher) -> None:
    response = as_teacher.post(reverse("paste"), {"text": LETTER, "action": "look"})
    page = response.content.decode()
    assert "This does not look like a mathematics question." in page
    assert "Linear equations" not in page
    assert "Estimated" not in page
    assert "Difficulty</h2>" not in page
    assert response.context["solved"] is None
    assert "Save to the bank" in page


def test_an_exact_duplicate_is_named(bank, as_teacher) -> None:
    response = as_teacher.post(reverse("paste"), {"text": bank.questions[3].text})
    page = response.content.decode()
    assert "This exact question is already in the bank" in page
    assert reverse("question_detail", args=[bank.questions[3].pk]) in page


def test_saving_takes_the_ticked_concepts_along(bank, as_teacher, teacher) -> None:
    response = as_teacher.post(
        reverse("paste"),
        {
            "text": PASTED,
            "language": "en",
            "status": "draft",
            "answer": "4",
            "concepts": [bank.linear.pk],
            "action": "save",
        },
    )
    question = Question.objects.latest("pk")
    assert response["Location"] == reverse("question_detail", args=[question.pk])
    assert (question.text, question.status, question.created_by) == (PASTED, "draft", teacher)
    assert [tag.concept for tag in question.tags.all()] == [bank.linear]


def test_saving_with_a_wrong_field_shows_everything_again(bank, as_teacher) -> None:
    response = as_teacher.post(
        reverse("paste"), {"text": PASTED, "language": "en", "status": "nonsense", "action": "save"}
    )
    assert response.status_code == 422
    assert "Select a valid choice" in response.content.decode()
    assert Question.objects.count() == len(bank.questions)


def test_a_reviewer_may_look_but_not_save(bank, as_reviewer) -> None:
    looked = as_reviewer.post(reverse("paste"), {"text": PASTED, "action": "look"})
    assert "Save to the bank" not in looked.content.decode()
    saved = as_reviewer.post(reverse("paste"), {"text": PASTED, "language": "en", "status": "ready", "action": "save"})
    assert saved.status_code == 403


def test_a_chinese_question_is_recognised(bank, as_teacher) -> None:
    response = as_teacher.post(reverse("paste"), {"text": "解方程 $2x+3=11$，求 $x$ 的值。"})
    assert response.context["language"] == "zh"
    assert 'lang="zh"' in response.content.decode()


def test_htmx_is_told_what_is_wrong_with_a_text(bank, as_teacher) -> None:
    response = as_teacher.post(reverse("paste"), {"text": "x" * 20_001}, headers={"HX-Request": "true"})
    assert "Use at most 20,000 characters" in response.content.decode()


def test_plain_maths_and_broken_latex_are_treated_as_in_the_editor(bank, as_teacher) -> None:
    for typed, said in (("Work out 1/2 + 1/3.", "Write it as LaTeX"), ("Find $x.", "is not closed")):
        pasted = as_teacher.post(reverse("paste"), {"text": typed}).content.decode()
        edited = as_teacher.post(reverse("question_preview"), {"text": typed}).content.decode()
        assert said in pasted, typed
        assert said in edited, typed
    for page in (reverse("paste"), reverse("question_create")):
        sent = {"text": "Work out 1/2 + 1/3.", "action": "read_maths"}
        response = as_teacher.post(page, sent)
        assert response.context["form"]["text"].value() == r"Work out $\frac{1}{2} + \frac{1}{3}$."
        assert "Write it as LaTeX" not in response.content.decode()


@pytest.mark.parametrize(
    "story",
    [
        "A rope is 5 1/2 m long. A piece of 2 3/4 m is cut off. How long is the rest?",
        "Mia uses 1 1/2 cups of flour and 3/4 cup of milk. How many cups is that?",
        "It is 3 1/3 miles to school.",
        "On 3/4/2024 a shop sold 12 pens, from 7:45 am - 9:10 pm.",
    ],
)
def test_a_story_with_mixed_numbers_dates_or_times_stays_as_it_was_typed(bank, as_teacher, story) -> None:
    response = as_teacher.post(reverse("paste"), {"text": story})
    assert response.context["read_as"] == ""
    assert "Write it as LaTeX" not in response.content.decode()


CHOICE = "Which of these is prime?\nA) 4  B) 6\nC) 7  D) 9\nAnswer: C"


def test_options_of_a_paste_are_saved_as_options_with_the_right_one(bank, as_teacher) -> None:
    response = as_teacher.post(reverse("paste"), {"text": CHOICE})
    page = response.content.decode()
    assert "4 options" in page
    assert 'name="answer" value="C" form="paste-form"' in page.replace("\n", " ").replace("             ", "")
    assert response.context["save_form"]["answer"].value() == "C"
    sent = {"text": CHOICE, "language": "en", "suggested_language": "en", "status": "ready", "action": "save"}
    as_teacher.post(reverse("paste"), sent | {"answer": "C", "suggested_answer": "C"})
    question = Question.objects.latest("pk")
    assert (question.kind, question.text, question.answer) == ("choice", "Which of these is prime?", "C")
    assert [option["text"] for option in question.options] == ["4", "6", "7", "9"]
    doubled = as_teacher.post(reverse("paste"), {"text": CHOICE})
    assert list(doubled.context["same"]) == [question]


@pytest.mark.parametrize(
    ("text", "answer", "saved"),
    [
        ("True or false: the sum of two odd numbers is odd.", "false", ("true_false", "False")),
        ("The number 51 is prime. T / F", "F", ("true_false", "False")),
        ("判断对错：0.5大于0.45。", "对", ("true_false", "True")),
        ("True or false: 9 is odd.", "It depends", ("open", "It depends")),
        ("Is 7 a factor of 21?", "yes", ("open", "yes")),
    ],
)
def test_a_statement_to_decide_on_is_saved_as_true_or_false(
    bank, as_teacher, text: str, answer: str, saved: tuple[str, str]
) -> None:
    as_teacher.post(reverse("paste"), {"text": text, "answer": answer, "status": "ready", "action": "save",
                                       "language": "zh" if "判" in text else "en"})  # fmt: skip
    question = Question.objects.latest("pk")
    assert (question.text, question.kind, question.answer) == (text, *saved)


def test_a_person_can_choose_another_option_or_keep_the_text_whole(bank, as_teacher) -> None:
    sent = {"text": CHOICE, "language": "en", "status": "ready", "suggested_answer": "C", "action": "save"}
    as_teacher.post(reverse("paste"), sent | {"answer": "D"})
    assert Question.objects.latest("pk").answer == "D"
    as_teacher.post(reverse("paste"), sent | {"answer": "7", "whole": "on"})
    question = Question.objects.latest("pk")
    assert (question.kind, question.text, question.answer, question.options) == ("open", CHOICE, "7", [])


def test_what_a_person_chose_outlives_the_next_look(bank, as_teacher) -> None:
    sent = {"text": CHOICE, "language": "zh", "suggested_language": "en", "answer": "", "suggested_answer": "C"}
    form = as_teacher.post(reverse("paste"), sent).context["save_form"]
    assert (form["language"].value(), form["suggested_language"].value()) == ("zh", "en")
    assert (form["answer"].value(), form["suggested_answer"].value()) == ("", "C")


def test_what_was_suggested_for_one_text_gives_way_to_the_next(bank, as_teacher) -> None:
    sent = {"text": "Work out 3 + 4.", "answer": "C", "suggested_answer": "C", "suggested_language": "und"}
    form = as_teacher.post(reverse("paste"), sent | {"language": "und"}).context["save_form"]
    assert (form["answer"].value(), form["language"].value()) == ("", "en")


def test_parts_and_tables_are_shown_as_such_and_stored_in_the_text(bank, as_teacher) -> None:
    text = "Speeds:\nTime\tWay\n1\t5\n2\t10\na) Draw the graph.\nb) How far is it in 4 h?"
    page = as_teacher.post(reverse("paste"), {"text": text}).content.decode()
    assert "<td>Time</td><td>Way</td>" in page
    assert '<span class="part-label">b)</span><div><p>How far is it in 4 h?</p></div>' in page
    as_teacher.post(reverse("paste"), {"text": text, "language": "en", "status": "ready", "action": "save"})
    question = Question.objects.latest("pk")
    assert (question.kind, question.text) == ("open", text)
    detail = as_teacher.get(reverse("question_detail", args=[question.pk])).content.decode()
    assert "<td>Time</td><td>Way</td>" in detail


@pytest.mark.parametrize(
    ("text", "language", "tag"),
    [
        ("Anna kauft 3 Hefte zu je 2 Euro. Wie viel Geld bezahlt sie?", "German", "de"),
        ("Paul a 12 billes et en donne 5 à Marie. Combien lui en reste-t-il ?", "French", "fr"),
        ("Resuelve la ecuación 2x + 3 = 11.", "Spanish", "es"),
        ("Решите уравнение 2x + 3 = 11.", "Russian", "ru"),
    ],
)
def test_a_language_that_no_model_knows_is_compared_by_wording_alone(bank, as_teacher, text, language, tag) -> None:
    response = as_teacher.post(reverse("paste"), {"text": text})
    page = response.content.decode()
    assert (
        f"This text seems to be in {language}. Concepts and difficulty are predicted in English and Chinese only"
        in page
    )
    assert (response.context["prediction"], response.context["solved"]) == (None, None)
    assert [column.lens for column in response.context["columns"]] == ["wording"]
    assert response.context["save_form"]["language"].value() == tag
    saved = {"text": text, "language": tag, "suggested_language": tag, "status": "ready", "action": "save"}
    as_teacher.post(reverse("paste"), saved)
    assert Question.objects.latest("pk").language == tag


def test_the_language_that_a_person_chose_counts_and_a_doubt_is_said(bank, as_teacher) -> None:
    sent = {"text": "Paul a 12 billes et en donne 5 à Marie.", "language": "en", "suggested_language": "und"}
    response = as_teacher.post(reverse("paste"), sent)
    assert response.context["language"] == "en"
    assert response.context["prediction"] is not None
    assert "seems to be in French. It is read as English, as you chose." in response.content.decode()


def test_what_can_be_read_as_mathematics_keeps_its_blanks(bank, as_teacher) -> None:
    page = as_teacher.post(reverse("paste"), {"text": "Work out 1/2 + 1/3 of it, then 5 x 3."}).content.decode()
    box = page.split("This can be read as mathematics:")[1].split("</p>")[0]
    assert 'class="typed-text">Work out <math' in box
    assert "</math> of it, then " in box
