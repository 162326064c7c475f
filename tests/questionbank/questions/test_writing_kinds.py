"""Each kind of question in the editor and on its page, without JavaScript."""

from __future__ import annotations

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from analytics.question_content import content_of
from questionbank.models import Question
from tests.pictures import png
from tests.questionbank.questions.test_writing_views import NEW

OPTIONS = {"option_label": list("ABC"), "option_text": ["$4$", "$5$", "$2+2$"], "option_misconception": [""] * 3}
ACCEPTED = {
    "accepted_text": ["3.14", "3"], "accepted_weight": ["", "50%"], "accepted_tolerance": ["0.01", ""],
    "accepted_unit": ["cm", ""], "accepted_feedback": ["", "Too rough"],
}  # fmt: skip


@pytest.mark.parametrize(
    ("sent", "answer", "shown"),
    [
        ({"kind": "choice", "answer": "A, C", **OPTIONS}, "A, C", []),
        (
            {"kind": "choice", "answer": "", **OPTIONS, "option_weight": ["50%", "-50%", "50"]},
            "A, C",
            ["-50%"],
        ),
        ({"kind": "true_false", "answer": "false"}, "False", ["True or false?"]),
        ({"kind": "short", "answer": "", "accepted_text": ["hypotenuse"]}, "hypotenuse", ["hypotenuse"]),
        ({"kind": "number", "answer": "", "accepted_text": ["7.25"]}, "7.25", ["7.25"]),
        ({"kind": "number", "answer": "", **ACCEPTED}, "3.14 cm", ["± 0.01", "Too rough"]),
        ({"kind": "short", "answer": "x = 2"}, "x = 2", []),
        (
            {"kind": "matching", "answer": "", "pair_left": ["two", ""], "pair_right": ["2", "1"]},
            "1-b",
            ["two"],
        ),
        (
            {"kind": "matching", "answer": "", "pair_left": ["1 + 1", "2 + 2"], "pair_right": ["2", "4"]},
            "1-b, 2-a",
            ["1-b, 2-a"],
        ),
        ({"kind": "ordering", "answer": "", **OPTIONS}, "A, B, C", ["C, B, A", "A. $2+2$"]),
        (
            {"kind": "blanks", "answer": "", "text": "2 + 2 = [[1]], which is [[2]].",
             "blank_answers": ["4; four", "even"], "blank_choices": ["", "odd; even"]},
            "4; even",
            ["odd / even", "(1)&nbsp;<span class"],
        ),
        ({"kind": "description", "answer": ""}, "", []),
    ],
)  # fmt: skip
def test_each_kind_is_written_shown_and_comes_back_to_the_editor(bank, as_teacher, sent, answer, shown):
    extra = {"title": "A title", "hints": "Think.\nDraw.", "feedback_right": "Well done.", "tags": "easy, new"}
    response = as_teacher.post(reverse("question_create"), NEW | extra | sent, follow=True)
    assert response.redirect_chain, response.context["form"].errors
    question = Question.objects.latest("pk")
    assert (question.kind, question.answer) == (sent["kind"], answer)
    page = response.content.decode()
    assert [text for text in (*shown, "A title", "Draw.", "Well done.") if text not in page] == []
    editor = as_teacher.get(reverse("question_edit", args=[question.pk]))
    form = editor.context["form"]
    again = {name: form[name].value() or "" for name in form.fields if name not in ("concepts", "pictures")}
    for kind, rows in form._rows.items():
        for row in rows:
            for name, value in row.items():
                again.setdefault(f"{kind}_{name}", []).append(value)
    before = content_of(question.content), question.options
    as_teacher.post(reverse("question_edit", args=[question.pk]), again | {"action": "save"})
    question.refresh_from_db()
    assert (content_of(question.content), question.options) == before
    assert question.version == 2


def test_a_changed_answer_wins_over_weights(bank, as_teacher):
    sent = {"kind": "choice", "answer": "", **OPTIONS, "option_weight": ["100%", "0", "50%"]}
    as_teacher.post(reverse("question_create"), NEW | sent)
    question = Question.objects.latest("pk")
    assert question.answer == "A, C"
    as_teacher.post(reverse("question_edit", args=[question.pk]), NEW | sent | {"answer": "B", "version": "1"})
    question.refresh_from_db()
    assert (question.answer, question.options[0].get("weight")) == ("B", None)


def test_a_picture_is_put_in_and_shown(bank, as_teacher):
    upload = SimpleUploadedFile("my graph.png", png(7))
    response = as_teacher.post(reverse("question_create"), NEW | {"pictures": upload}, follow=True)
    question = Question.objects.latest("pk")
    assert question.text.endswith("![](my-graph.png)")
    assert not question.needs_figure
    (picture,) = content_of(question.content).pictures
    assert f'src="/pictures/{picture.sha256}"' in response.content.decode()
    assert as_teacher.get(f"/pictures/{picture.sha256}").content == png(7)


@pytest.mark.parametrize(
    ("sent", "sentence"),
    [
        ({"kind": "choice", **OPTIONS, "option_weight": ["much", "", ""]}, "is not a weight"),
        ({"kind": "matching"}, "needs its pairs"),
        ({"kind": "short", "answer": "leg", "accepted_text": ["hypotenuse"]}, "which say &#x27;hypotenuse&#x27;"),
        ({"kind": "true_false", "answer": "perhaps"}, "must be True or False"),
        ({"pictures": SimpleUploadedFile("a.svg", b"<svg/>")}, "SVG picture"),
    ],
)
def test_what_is_wrong_is_said(bank, as_teacher, sent, sentence):
    before = Question.objects.count()
    response = as_teacher.post(reverse("question_create"), NEW | {"answer": ""} | sent)
    assert sentence in response.content.decode()
    assert Question.objects.count() == before
