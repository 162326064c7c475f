"""A test paper read by the school's language model as well: where it differs, the review shows both."""

from __future__ import annotations

import json
import re
from html import unescape

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from analytics.errors import LanguageModelError
from questionbank.core.database import database_now
from questionbank.models import DocumentDraft, LanguageModelUse, Run
from questionbank.papers import second_reading_services
from questionbank.papers.documents import read_text
from questionbank.papers.paper_lines import Line, Role
from questionbank.papers.question_assembly import assemble, guess_roles, read_lines
from questionbank.papers.review_selectors import second_reading
from questionbank.papers.second_reading_services import pointed_reading, run_second_reading, shown_lines
from questionbank.papers.selectors import document_review
from questionbank.papers.services import document_draft_paste, document_draft_upload, run_document_read
from tests.language_model_server import language_model_server, said
from tests.questionbank.api_client import Program
from tests.questionbank.imports.test_jobs import Reporter
from tests.questionbank.papers.pointing import perfect, stretches_of
from tests.scripted_model import ScriptedModel

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_attachments", "own_uploads")]

PAPER = """Name: Anna Example
1. Which number is $2 + 3$?
A. 4
*B. 5
2. A box holds 12 eggs. How many eggs do 3 boxes hold?
Think of it as rows.
Answer: 36
3. Name a prime number.
"""
RULES = [Role.NOTHING, Role.QUESTION, Role.OPTION, Role.RIGHT_OPTION, Role.QUESTION, Role.MORE, Role.ANSWER,
         Role.QUESTION]  # fmt: skip
OTHERWISE = [*RULES[:5], Role.NOTHING, *RULES[6:]]  # "Think of it as rows." is in no question


@pytest.fixture
def switched_on(db) -> LanguageModelUse:
    return LanguageModelUse.objects.create(
        use="papers", verdict="passed", name="large", host="models.school.example", switched_on_at=database_now()
    )


@pytest.fixture
def model(monkeypatch, switched_on) -> ScriptedModel:
    """The model that passed; a test sets its script."""
    scripted = ScriptedModel(perfect(OTHERWISE))
    scripted.name, scripted.host = switched_on.name, switched_on.host
    monkeypatch.setattr(second_reading_services, "language_model_for", lambda _use: scripted)
    return scripted


def read_by_the_model(draft: DocumentDraft) -> DocumentDraft:
    assert draft.model_run is not None
    try:
        result = run_second_reading(draft.model_run, Reporter())
    except LanguageModelError as error:
        Run.objects.filter(pk=draft.model_run_id).update(state="failed", error=str(error))
    else:
        Run.objects.filter(pk=draft.model_run_id).update(state="succeeded", result=result)
    return DocumentDraft.objects.select_related("model_run").get(pk=draft.pk)


def shown(client, draft: DocumentDraft) -> str:
    page = client.get(reverse("document_review", args=[draft.pk])).content.decode()
    return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]*>", " ", page)))


def act(client, draft: DocumentDraft, do: str):
    return client.post(reverse("document_review", args=[draft.pk]), {"do": do, "line": "0"})


def test_rules_read_the_paper_of_these_tests_as_it_says():
    assert guess_roles(read_text(PAPER).lines) == RULES


def test_without_a_model_nothing_is_asked_or_shown(teacher, as_teacher):
    draft = document_draft_paste(text=PAPER, user=teacher)
    assert draft.model_run is None
    assert "language model" not in shown(as_teacher, draft)
    assert "Have " not in as_teacher.get(reverse("document_create")).content.decode()


def test_the_reading_arrives_beside_the_rules_which_stay(model, teacher, as_teacher):
    draft = document_draft_paste(text=PAPER, user=teacher)
    assert not model.asked  # pasting waits for nobody
    before = document_review(draft)
    assert "The language model reads this paper too." in shown(as_teacher, draft)
    draft = read_by_the_model(draft)
    assert document_review(draft).items == before.items
    page = shown(as_teacher, draft)
    assert "large at models.school.example reads 1 place differently." in page
    assert page.count("large at models.school.example reads this differently") == 1
    (place,) = second_reading(draft).places.values()
    assert place.roles == (("5", "nothing"),)
    assert place.items[0].record.text == "A box holds 12 eggs. How many eggs do 3 boxes hold?"


def test_a_person_takes_one_reading_and_can_undo_it(model, teacher, as_teacher):
    draft = read_by_the_model(document_draft_paste(text=PAPER, user=teacher))
    (holder,) = second_reading(draft).places
    act(as_teacher, draft, f"reading:{holder}")
    draft.refresh_from_db()
    assert document_review(draft).items[1].record.text == "A box holds 12 eggs. How many eggs do 3 boxes hold?"
    assert second_reading(draft).places == {}
    page = shown(as_teacher, draft)
    assert "Read with large at models.school.example" in page
    assert "reads this paper in the same way" in page
    act(as_teacher, draft, "undo")
    draft.refresh_from_db()
    assert "Think of it as rows." in document_review(draft).items[1].record.text
    assert len(second_reading(draft).places) == 1
    assert act(as_teacher, draft, "reading:77").status_code == 422


def test_what_a_person_has_set_stays_when_the_whole_reading_is_taken(model, teacher, as_teacher):
    draft = read_by_the_model(document_draft_paste(text=PAPER, user=teacher))
    model_roles = [Role(role) for role in draft.model_reading["roles"]]
    assert model_roles == OTHERWISE
    as_teacher.post(reverse("document_review", args=[draft.pk]), {"do": "role:solution", "line": "5"})
    as_teacher.post(reverse("document_review", args=[draft.pk]), {"do": "role:heading", "line": "7"})
    draft.refresh_from_db()
    assert second_reading(draft).places == {}
    act(as_teacher, draft, "undo")
    act(as_teacher, draft, "undo")
    act(as_teacher, draft, "reading:")
    draft.refresh_from_db()
    assert "Think of it as rows." not in document_review(draft).items[1].record.text


def test_a_place_holds_whole_questions_of_both_readings(model, teacher):
    joined = [*RULES[:4], Role.MORE, Role.MORE, *RULES[6:]]  # question 2 goes on with option B of question 1
    model._script = perfect(joined)
    draft = read_by_the_model(document_draft_paste(text=PAPER, user=teacher))
    ((holder, place),) = second_reading(draft).places.items()
    assert holder == "1"
    assert len(place.items) == 1
    assert place.roles == (("4", "more"),)


def test_the_document_says_which_option_is_right_not_the_model(model, teacher):
    draft = read_by_the_model(document_draft_paste(text=PAPER, user=teacher))
    roles = draft.model_reading["roles"]
    assert [roles[2], roles[3]] == ["option", "right option"]
    bold = [Line("Which is even?", "1."), Line("3", "A."), Line("4", "B.", is_marked=True), Line("5", "C.")]
    reading = pointed_reading(bold, ["question", "option", "option", "option"])
    assert reading.roles == [Role.QUESTION, Role.OPTION, Role.RIGHT_OPTION, Role.OPTION]


def test_it_is_one_more_whole_reading_compared_by_its_questions():
    lines = read_text(PAPER).lines
    rules = read_lines(lines)
    assert pointed_reading(lines, [str(role).removeprefix("right ") for role in RULES]).coherence == rules.coherence
    assert pointed_reading(lines, ["nothing"] * 7 + ["question"]).coherence < rules.coherence


def test_a_reading_that_is_likelier_by_the_exam_is_shown_open_and_still_not_taken(
    model, switched_on, teacher, as_teacher
):
    text = "1. How much is 23 plus 45?\n68\n2. How much is 50 plus 12?\n62\n3. How much is 9 plus 9?\n18"
    model._script = perfect([Role.QUESTION, Role.ANSWER] * 3)
    for margin, is_likelier in ((0.5, True), (100.0, False)):
        LanguageModelUse.objects.filter(pk=switched_on.pk).update(weights={"margin": margin})
        draft = read_by_the_model(document_draft_paste(text=text, user=teacher))
        assert draft.model_reading["is_likelier"] is is_likelier
        assert ("its reading is the better one" in shown(as_teacher, draft)) is is_likelier
        assert document_review(draft).items[0].record.answer == ""


def test_names_of_pupils_are_not_sent(model, teacher):
    read_by_the_model(document_draft_paste(text=PAPER, user=teacher))
    ((messages, _options),) = model.asked
    assert "Anna" not in messages[-1].content
    assert "1| (name field)" in messages[-1].content
    assert "How many eggs" in messages[-1].content


@pytest.mark.parametrize(
    "line",
    [
        "Name: Li Wei",
        "Student's name ____ Ben",
        "Nom : Durand   Classe : 3B",
        "Schülerin: Mia",
        "Nom et prénom : A. B.",
        "姓名：王伟",
    ],
)
def test_a_field_for_a_name_is_not_sent_in_any_language(line):
    assert shown_lines([Line(line)])[0].text == "(name field)"


@pytest.mark.parametrize("line", ["Name three prime numbers: 2, 3 and …", "Nombre de côtés d'un hexagone ?", "Find x."])
def test_a_line_that_asks_is_sent(line):
    assert shown_lines([Line(line)])[0].text == line


def test_a_person_may_keep_a_paper_from_being_sent(model, teacher, as_teacher):
    page = as_teacher.get(reverse("document_create")).content.decode()
    assert "Have large at models.school.example read it too" in page
    as_teacher.post(reverse("document_create"), {"text": PAPER})
    assert DocumentDraft.objects.latest("pk").model_run is None
    as_teacher.post(reverse("document_create"), {"text": PAPER, "may_be_sent": "on"})
    assert DocumentDraft.objects.latest("pk").model_run is not None


def test_a_program_may_keep_a_paper_from_being_sent(model, teacher):
    program = Program(teacher)
    kept = program("POST", "/papers/text", {"text": PAPER, "may_be_sent": False}).json()
    assert (kept["may_be_sent"], kept["model_run"]) == (False, None)
    uploaded = program.upload("/papers?may_be_sent=false", PAPER.encode(), "a.txt").json()
    draft = DocumentDraft.objects.get(pk=uploaded["id"])
    run_document_read(draft.read_run, Reporter())
    draft.refresh_from_db()
    assert (draft.state, draft.model_run) == ("ready", None)
    sent = program("POST", "/papers/text", {"text": PAPER}).json()
    assert (sent["may_be_sent"], sent["model_run"]) == (True, DocumentDraft.objects.latest("pk").model_run_id)
    assert sent["model_run"] is not None


def test_a_paper_uploaded_while_no_model_was_on_is_not_sent_later(teacher):
    assert Program(teacher)("POST", "/papers/text", {"text": PAPER, "may_be_sent": True}).json()["may_be_sent"] is False


def test_an_uploaded_paper_is_read_by_the_rules_first(model, teacher):
    draft = document_draft_upload(upload=SimpleUploadedFile("a.txt", PAPER.encode()), name="a.txt", user=teacher)
    assert draft.model_run is None
    run_document_read(draft.read_run, Reporter())
    draft.refresh_from_db()
    assert draft.state == "ready"
    assert not model.asked
    assert read_by_the_model(draft).model_reading["roles"]


def test_an_unusable_reading_is_said_and_the_rules_stay(model, teacher, as_teacher):
    model._script = {"stretches": [{"first": 1, "last": 99, "role": "question"}]}
    draft = read_by_the_model(document_draft_paste(text=PAPER, user=teacher))
    assert "roles" not in draft.model_reading
    page = shown(as_teacher, draft)
    assert "The reading of large cannot be used: it names line 99, and the last line is 8." in page
    assert "What you see is read by rules." in page


def test_a_server_that_is_gone_fails_the_job_and_leaves_the_review(model, teacher, as_teacher):
    model._script = LanguageModelError("The language model at models.school.example cannot be reached: refused.")
    draft = read_by_the_model(document_draft_paste(text=PAPER, user=teacher))
    page = shown(as_teacher, draft)
    assert (
        "The language model at models.school.example cannot be reached: refused. What you see is read by rules." in page
    )
    assert len(document_review(draft).items) == 3
    model._script = perfect(OTHERWISE)
    assert read_by_the_model(draft).model_reading["roles"]  # the job is started again


def test_a_paper_larger_than_the_window_is_read_in_pieces_and_the_page_says_so(model, settings, teacher, as_teacher):
    settings.LANGUAGE_MODEL_WINDOW = 2048
    text = "\n".join(f"{number}. How much is {number} times 12, and why is it so?" for number in range(1, 81))
    roles = [Role.QUESTION] * 80
    model._script = perfect(roles)
    draft = read_by_the_model(document_draft_paste(text=text, user=teacher))
    assert draft.model_reading["pieces"] == len(model.asked) > 2
    assert f"so it read {len(model.asked)} pieces" in shown(as_teacher, draft)


def test_a_deleted_paper_or_a_use_switched_off_ends_the_job(monkeypatch, model, teacher):
    draft = document_draft_paste(text=PAPER, user=teacher)
    monkeypatch.setattr(second_reading_services, "language_model_for", lambda _use: None)
    assert run_second_reading(draft.model_run, Reporter()) == {}
    run = draft.model_run
    draft.delete()
    assert run_second_reading(run, Reporter()) == {}
    assert not model.asked


def test_a_real_server_is_asked_for_a_schema_and_its_answer_is_used(settings, switched_on, teacher):
    lines = read_text(PAPER).lines
    with language_model_server() as server:
        settings.LANGUAGE_MODEL_URL, settings.LANGUAGE_MODEL_NAME = server.url, switched_on.name
        LanguageModelUse.objects.update(host="127.0.0.1", checked_at=database_now())
        server.answers = [(200, said(f"```json\n{json.dumps({'stretches': stretches_of(OTHERWISE)})}\n```"), {})]
        draft = read_by_the_model(document_draft_paste(text=PAPER, user=teacher))
        ((_path, _key, body),) = server.asked
    assert draft.model_reading["roles"] == OTHERWISE
    assert body["response_format"]["json_schema"]["schema"]["required"] == ["stretches"]
    assert len(assemble(lines, OTHERWISE).questions) == 3
