# ruff: noqa: E501 - tables of what is filled in
"""Each kind of question, by the pages alone: written, edited in one field, shown, searched, printed, retired, restored.

Forms are sent as browsers without JavaScript send them: an input of one line loses line ends, a text area gets others.
"""

from __future__ import annotations

import io
import zipfile
from dataclasses import replace
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from lxml import html

from analytics.question_content import (
    AcceptedAnswer,
    Blank,
    MatchingPair,
    Option,
    Picture,
    QuestionContent,
    QuestionPart,
)  # fmt: skip
from questionbank.bank.attachment_services import attachment_add
from questionbank.formats.jsonl import write_jsonl_line
from questionbank.formats.kinds import KINDS
from questionbank.imports.services import import_file
from questionbank.models import Question, QuestionOriginal
from questionbank.worksheets.services import worksheet_add, worksheet_create
from tests.pictures import png
from tests.questionbank.formats.moodle_sample import SAMPLE
from tests.questionbank.formats.qti_sample import package
from tests.questionbank.formats.test_qti import ALL_KINDS

pytestmark = pytest.mark.django_db

Sent = dict[str, Any]
FIELDS = ("text", "language", "kind", "options", "answer", "solution", "grade", "status", "difficulty", "source")
PART = {"part_kind": ["choice", "number"], "part_text": ["Which is even?\n$x$ or not?", "How many?"],
        "part_options": ["$3$\n$4$", ""], "part_answer": ["B", "2"], "part_points": ["1.5", ""]}  # fmt: skip
OPTIONS = {"option_label": ["A", "B"], "option_text": ["three", "four"]}
# kind -> what is filled in, the answer, and one cell that is changed later with what then differs
BY_FORM: dict[str, tuple[Sent, str, Sent, set[str]]] = {
    "choice": ({**OPTIONS, "answer": "B"}, "B", {"option_feedback": ["", "Well done"]}, {"options.1.feedback"}),
    "true_false": ({"answer": "True"}, "True", {"answer": "False"}, {"answer"}),
    "number": ({"accepted_text": ["3.14"], "accepted_tolerance": ["1%"], "accepted_unit": ["cm"]}, "3.14 cm",
               {"accepted_tolerance": ["2%"]}, {"content.accepted.0.tolerance"}),
    "short": ({"answer": "York"}, "York", {"answer": "york"}, {"answer"}),
    "matching": ({"pair_left": ["two", ""], "pair_right": ["2", "1"]}, "1-b",
                 {"pair_right": ["2", "0"]}, {"content.pairs.1.right"}),
    "ordering": (OPTIONS, "A, B", {"option_text": ["three", "five"]}, {"options.1.text"}),
    "blanks": ({"blank_answers": ["4; four", "even"], "blank_choices": ["", "odd; even"]}, "4; even",
               {"blank_answers": ["4; vier", "even"]}, {"content.blanks.0.accepted.1.text"}),
    "parts": (PART, "(a) B; (b) 2", {"part_points": ["1.5", "2"]}, {"content.parts.1.content"}),
    "open": ({}, "", {"solution": "By induction."}, {"solution"}),
    "description": ({}, "", {"grade": "8"}, {"grade"}),
}  # fmt: skip


def form_of(client: Client, address: str) -> Sent:
    """What a browser sends of the editor on a page, if nobody touches it."""
    page = html.fromstring(client.get(address).content.decode())
    sent: Sent = {}
    for field in page.get_element_by_id("question-form").xpath(".//input|.//textarea|.//select"):
        values: list[str] = []
        if field.tag == "select":
            values = field.xpath("./option[@selected]/@value") or field.xpath("./option[1]/@value")
            values = values if field.get("multiple") is None else field.xpath("./option[@selected]/@value")
        elif field.tag == "textarea":
            values = [(field.text or "").removeprefix("\n").replace("\n", "\r\n")]
        elif field.get("type") in ("checkbox", "radio"):
            values = [field.get("value", "on")] if field.get("checked") is not None else []
        elif field.get("type") != "file":
            values = [(field.get("value") or "").replace("\n", "")]
        sent.setdefault(field.get("name"), []).extend(values)
    return sent


def send(client: Client, address: str, sent: Sent, changes: Sent | None = None) -> Any:
    """Save the editor with some inputs filled; rows are filled from the first on."""
    for name, values in (changes or {}).items():
        values = values if isinstance(values, list) else [values]
        assert len(sent[name]) >= len(values), f"the form has no {name}"
        sent[name] = [*values, *sent[name][len(values) :]]
    response = client.post(address, sent | {"action": "save"}, follow=True)
    assert response.redirect_chain, response.context["form"].errors
    return response


def held(question: Question) -> dict[str, object]:
    """All that a question holds, by paths such as content.blanks.0.points."""
    question = Question.objects.get(pk=question.pk)
    found: dict[str, object] = {}

    def add(path: str, value: object) -> None:
        inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
        if not inner and value not in ({}, []):
            found[path] = value
        for name, part in inner:
            add(f"{path}.{name}", part)

    for name in (*FIELDS, "content"):
        add(name, getattr(question, name))
    original = QuestionOriginal.objects.filter(question=question).values_list("data", "preamble").first()
    return found | {"original": original and [*map(bytes, original)]}


def differing(before: dict[str, object], after: dict[str, object]) -> set[str]:
    return {path for path in {**before, **after} if before.get(path) != after.get(path)}


def is_found(client: Client, question: Question) -> bool:
    found = client.get(reverse("question_list"), {"q": "wombats"}).content.decode()
    return reverse("question_detail", args=[question.pk]) in found


@pytest.mark.parametrize("kind", BY_FORM)
def test_a_kind_is_written_edited_shown_searched_retired_and_taken_back(kind, as_teacher):
    fill, answer, change, changed = BY_FORM[kind]
    create = reverse("question_create")
    empty = form_of(as_teacher, create)
    for name, values in fill.items():  # a row more for each that is filled
        while isinstance(values, list) and len(empty[name]) < len(values):
            row = name.partition("_")[0]
            page = as_teacher.post(create, empty | {"action": f"add_{row}"}).content.decode()
            assert page.count(f'name="{name}"') > len(empty[name])
            for column in [column for column in empty if column.startswith(f"{row}_")]:
                empty[column].append("")
    text = "Wombats count: [[1]] and [[2]]." if kind == "blanks" else "How do wombats count?"
    send(as_teacher, create, empty, {"text": text, "kind": kind, **fill})
    question = Question.objects.get()
    assert (question.kind, question.answer, question.text) == (kind, answer, text)
    edit, detail = (reverse(f"question_{name}", args=[question.pk]) for name in ("edit", "detail"))
    before = held(question)
    send(as_teacher, edit, form_of(as_teacher, edit))
    assert differing(before, held(question)) == set()
    page = send(as_teacher, edit, form_of(as_teacher, edit), change).content.decode()
    found = differing(before, held(question))
    assert found
    assert {path for path in found if not any(path.startswith(one) for one in changed)} == set()
    assert "Wombats" in page or "wombats" in page
    assert is_found(as_teacher, question)
    as_teacher.post(reverse("question_retire", args=[question.pk]))
    assert not is_found(as_teacher, question)
    as_teacher.post(reverse("question_restore", args=[question.pk]))
    assert is_found(as_teacher, question)
    buttons = html.fromstring(as_teacher.get(detail).content.decode()).xpath("//form[contains(@action, '/revert/')]")
    (button,) = buttons  # only the edit can be taken back
    as_teacher.post(button.get("action"), dict(button.form_values()))
    assert differing(before, held(question)) == set()
    stale = as_teacher.post(button.get("action"), dict(button.form_values()))
    assert stale.status_code == 409
    assert differing(before, held(question)) == set()


_NESTED = QuestionContent(parts=(QuestionPart("Deep?", "number", (), "4", QuestionContent(hints=("Think.",))),))
_RICH = [  # what no cell of the editor shows as it is
    replace(next(one for one in ALL_KINDS if one.kind == "choice"), id="thirds", options=(
        Option("A", "one\ntwo", "slip", 0.333333, "Yes\n\n- a\n- b"), Option("B", "b", "", 0.142857143), Option("C", "c"))),
    replace(ALL_KINDS[4], id="gaps", content=QuestionContent(blanks=(
        Blank("number", (AcceptedAnswer("2; 3", tolerance=0.5, feedback="Near"), AcceptedAnswer("4", 0.25)), (), 3.0, "NUMERICAL"),
        Blank("choice", (), (Option("A", "even", "", 0.9, "Good"), Option("B", "odd", "", -0.5)), 2.0, "MCV")))),
    replace(ALL_KINDS[0], id="deep", content=QuestionContent(
        parts=(QuestionPart("Two.", "parts", (), "(a) 4", _NESTED), QuestionPart("Pairs.", "matching", (), "1-a", QuestionContent(
            points=1.5, pairs=(MatchingPair("1", "one"),))), QuestionPart("Which?", "choice", (Option("A", "x", "", 1.0, "Yes"),
            Option("B", "y\nz", "", -0.5)), "A")),
        hints=("One.\nTwo.", "Three."), tags=("a, b", "c"), settings={"penalty": "0.3"})),
]  # fmt: skip


@pytest.mark.parametrize("source", ["ours", "moodle", "qti"])
def test_of_an_imported_question_only_the_edited_field_differs(source, tmp_path, as_teacher, teacher):
    """All kinds, with what no input shows as it is: rounded weights, texts of several lines, originals, hidden pictures."""
    path = tmp_path / {"ours": "bank.jsonl", "moodle": "bank.xml", "qti": "bank.zip"}[source]
    if source == "ours":
        picture = Picture("hidden.png", attachment_add(data=png(7)))
        opaque = replace(ALL_KINDS[-1], content=replace(ALL_KINDS[-1].content, pictures=(picture,)))
        lines = map(write_jsonl_line, [*ALL_KINDS[:-1], opaque, *_RICH])
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    else:
        path.write_bytes(SAMPLE.encode() if source == "moodle" else package())
    import_file(path=path, embed=False, user=teacher)
    kinds = set()
    for question in Question.objects.order_by("pk"):
        edit = reverse("question_edit", args=[question.pk])
        before = held(question)
        send(as_teacher, edit, form_of(as_teacher, edit), {"grade": "12"})
        assert differing(before, held(question)) == {"grade"}, question.text
        kinds.add(question.kind)
    if source == "ours":
        assert kinds == {*KINDS}


def test_a_changed_cell_leaves_the_rest_of_its_row_and_its_neighbours(tmp_path, as_teacher, teacher):
    path = tmp_path / "bank.jsonl"
    path.write_text("\n".join(map(write_jsonl_line, _RICH)) + "\n", encoding="utf-8")
    import_file(path=path, embed=False, user=teacher)
    changes = {
        "thirds": ({"option_text": ["one\r\ntwo", "b", "d"]}, {"options.2.text"}),
        "gaps": ({"blank_choices": ["", "even; uneven"]}, {"content.blanks.1.options.1.text"}),
        "deep": (
            {"part_options": ["", "", "x\r\nw"], "part_text": ["Three."]},
            {"content.parts.2.options.1.text", "content.parts.0.text"},
        ),
    }
    for name, (change, changed) in changes.items():
        question = Question.objects.get(source_id=name)
        before, edit = held(question), reverse("question_edit", args=[question.pk])
        send(as_teacher, edit, form_of(as_teacher, edit), change)
        assert differing(before, held(question)) == changed


@pytest.mark.parametrize(
    ("kind", "sent", "sentence"),
    [
        ("description", {"answer": "4"}, "A description has no answer"),
        ("matching", {"pair_left": ["two"], "pair_right": ["2"], "answer": "1-b"}, "The answer follows from"),
        ("parts", {}, "needs its parts"),
        ("parts", {"part_text": ["Which?"], "part_kind": ["choice"], "part_answer": ["A"]}, "at least two options"),
        ("parts", {"part_text": ["Which?"], "part_points": ["many"]}, "is not a number of points"),
        ("opaque", {}, "Select a valid choice"),
    ],
)
def test_what_a_kind_cannot_hold_is_said_and_nothing_is_saved(kind, sent, sentence, as_teacher):
    create = reverse("question_create")
    form = form_of(as_teacher, create)
    response = as_teacher.post(create, form | {"text": "Why?", "kind": kind, "action": "save", **sent})
    assert sentence in html.fromstring(response.content.decode()).text_content()
    assert not Question.objects.exists()


def test_what_can_be_edited_of_a_question_of_another_type_is_said(tmp_path, as_teacher, teacher):
    path = tmp_path / "bank.zip"
    path.write_bytes(package())
    import_file(path=path, embed=False, user=teacher)
    question = Question.objects.get(source_id="hotspot")
    edit = reverse("question_edit", args=[question.pk])
    assert "QTI 2.1 file gets the original" in as_teacher.get(edit).content.decode()
    send(as_teacher, edit, form_of(as_teacher, edit), {"text": question.text.replace("Glasgow", "Perth")})
    address = reverse("selection_export", args=["qti21"])
    warned = as_teacher.get(address, {"id": question.pk}).content.decode()
    assert "The wording as it is in the bank: 1 question" in warned
    response = as_teacher.get(address, {"id": question.pk, "confirmed": "1"})
    item = zipfile.ZipFile(io.BytesIO(b"".join(response))).read("Items/hotspot.xml").decode()
    assert "Click on Glasgow." in item
    assert '<hotspotChoice shape="circle" coords="1,1,1" identifier="A"/>' in item


def test_all_kinds_are_printed_and_only_their_own_system_asks_the_others(tmp_path, as_teacher, teacher):
    path = tmp_path / "bank.jsonl"
    records = [replace(one, text=f"{one.text} Wombat {number}.") for number, one in enumerate(ALL_KINDS)]
    path.write_text("\n".join(map(write_jsonl_line, records)) + "\n", encoding="utf-8")
    import_file(path=path, embed=False, user=teacher)
    worksheet = worksheet_create(user=teacher, name="Friday")
    added = worksheet_add(user=teacher, worksheet=worksheet, questions=list(Question.objects.order_by("pk")))
    assert added.number == len(records) - 1
    download = reverse("worksheet_download", args=[worksheet.pk])
    files = {form: b"".join(as_teacher.post(download, {"format": form})) for form in ("html", "pdf", "word")}
    document = zipfile.ZipFile(io.BytesIO(files["word"])).read("word/document.xml").decode()
    for number in range(len(records)):
        assert (f"Wombat {number}." in files["html"].decode()) == (number < len(records) - 1)
        assert (f"Wombat {number}." in html.fromstring(document.encode()).text_content()) == (number < len(records) - 1)
    assert files["pdf"].startswith(b"%PDF")
