"""Test papers: put in, reviewed step by step, imported. What is read is typed text, so that no program is needed."""

from __future__ import annotations

import re
from datetime import timedelta
from html import escape, unescape

import pytest
from django.core.files.storage import storages
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from analytics.question_content import asked_parts, content_of
from analytics.records import QuestionRecord
from questionbank.bank.attachment_services import attachments_sweep
from questionbank.core.errors import DocumentRefused
from questionbank.formats import FORMATS
from questionbank.formats.seam import NoAttachments
from questionbank.models import (
    Attachment,
    DocumentDraft,
    KnowledgeConcept,
    Question,
    QuestionList,
    Run,
    WorkerHeartbeat,
)
from questionbank.papers import services as document_drafts
from questionbank.papers.documents import read_text
from questionbank.papers.import_services import run_document_import
from questionbank.papers.line_roles import ROLE_REASONS
from questionbank.papers.paper_lines import Document, roles_from_json
from questionbank.papers.selectors import document_review
from questionbank.papers.services import old_drafts, run_document_read
from tests.pictures import png
from tests.questionbank.imports.test_jobs import Reporter
from tests.questionbank.page_bank import TEXTS
from tests.questionbank.papers.pdf_files import black, line, written_pdf

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_attachments", "own_uploads")]

PAPER = f"""1. Which number is $2 + 3$?
A. 4
B. 5
Answer: B
2. How many sides does a hexagon have?
A. 6
B. 8
3. {TEXTS[3]}
Answer: 4
"""
SUMS = "\n".join(f"{number}. How much is ${number} + 1$?" for number in range(1, 101))


def put_in(client: Client, **data) -> DocumentDraft:
    response = client.post(reverse("document_create"), data)
    assert response.status_code == 302
    return DocumentDraft.objects.latest("pk")


def address(draft: DocumentDraft, name: str = "document_review", *arguments) -> str:
    return reverse(name, args=[draft.pk, *arguments])


def act(client: Client, draft: DocumentDraft, do: str, line: str = "", **data):
    return client.post(address(draft), {"do": do, "line": line, **data})


def words(response) -> str:
    text = re.sub(r"<math.*?</math>|<[^>]*>", " ", response.content.decode())
    return re.sub(r"\s+", " ", unescape(text))


def shown(client: Client, draft: DocumentDraft, query: str = "") -> str:
    return words(client.get(address(draft) + query))


def key_of(draft: DocumentDraft, beginning: str) -> str:
    """The key of the line with that text."""
    return str(next(place for place, line in enumerate(draft.lines) if line["text"].startswith(beginning)))


def read_by_a_worker(draft: DocumentDraft) -> DocumentDraft:
    run = draft.read_run
    result = run_document_read(run, Reporter())
    Run.objects.filter(pk=run.pk).update(state="succeeded", result=result)
    draft.refresh_from_db()
    return draft


def import_by_a_worker(draft: DocumentDraft) -> dict:
    draft.refresh_from_db()
    result = run_document_import(draft.import_run, Reporter())
    Run.objects.filter(pk=draft.import_run_id).update(state="succeeded", result=result)
    draft.refresh_from_db()
    return result


def test_a_line_says_why_it_has_its_role_until_a_person_sets_it(bank, as_teacher):
    draft = put_in(as_teacher, text=PAPER)
    reasons = [re.escape(escape(ROLE_REASONS[rule])) for rule in roles_from_json(draft.roles)[1]]
    assert all(reasons)
    first = rf'data-role="question".*?title="{reasons[0]}"'
    assert re.search(first, as_teacher.get(address(draft)).content.decode(), re.DOTALL)
    act(as_teacher, draft, "role:heading", line="0")
    (line,) = re.findall(r'id="line-0".*?</li>', as_teacher.get(address(draft)).content.decode(), re.DOTALL)
    assert "title=" not in line


# -- putting a paper in -------------------------------------------------------------------------------------------


def test_pasted_text_is_read_at_once_and_nothing_is_in_the_bank(bank, as_teacher):
    before = Question.objects.count()
    draft = put_in(as_teacher, text=PAPER)
    assert draft.state == "ready"
    page = shown(as_teacher, draft)
    assert "3 questions found , 1 to check" in page
    assert "Import 3 questions" in page
    assert Question.objects.count() == before
    assert draft.name in words(as_teacher.get(reverse("document_create")))


def test_a_file_is_read_by_a_worker_and_the_page_says_so_where_there_is_none(bank, as_teacher):
    draft = put_in(as_teacher, file=SimpleUploadedFile("Last year.txt", PAPER.encode()))
    assert (draft.state, draft.read_run.kind, draft.read_run.queue) == ("reading", "read", "light")
    assert "Last year" not in str(draft.read_run)  # everybody sees the jobs
    assert "No worker is running" in shown(as_teacher, draft)
    WorkerHeartbeat.objects.create(name="here", queues="default,light", seen_at=timezone.now())
    waiting = as_teacher.get(address(draft), headers={"HX-Request": "true"}).content.decode()
    assert "No worker" not in waiting
    assert 'hx-trigger="every 1s"' in waiting
    draft = read_by_a_worker(draft)
    assert "3 questions found" in shown(as_teacher, draft)
    assert storages["uploads"].listdir("")[1] == []


def test_a_document_that_is_refused_says_why_and_a_job_that_failed_too(bank, as_teacher, monkeypatch):
    def refuse(path, name):
        raise DocumentRefused("Save it as .docx first.")

    monkeypatch.setattr(document_drafts, "read_document", refuse)
    draft = read_by_a_worker(put_in(as_teacher, file=SimpleUploadedFile("old.doc", b"x")))
    assert "cannot be read. Save it as .docx first." in shown(as_teacher, draft)
    failed = put_in(as_teacher, file=SimpleUploadedFile("other.docx", b"x"))
    Run.objects.filter(pk=failed.read_run_id).update(state="failed", error="Its worker died 3 times.")
    assert "Its worker died 3 times." in shown(as_teacher, failed)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        ({}, "Choose a document, or paste its text below."),
        ({"text": "  "}, "Choose a document, or paste its text below."),
        ({"file": SimpleUploadedFile("a.docx", b"")}, "This file is empty."),
        ({"file": SimpleUploadedFile("a.docx", b"x" * 101)}, "This file is larger than 100"),
        ({"text": SUMS}, "The document has 100 questions. Split it into parts of at most 8."),
    ],
)
def test_what_cannot_be_a_paper_is_refused(bank, as_teacher, settings, monkeypatch, data, reason):
    settings.DOCUMENT_UPLOAD_MAX_BYTES = 100
    monkeypatch.setattr(document_drafts, "MOST_QUESTIONS", 8)
    response = as_teacher.post(reverse("document_create"), data)
    assert response.status_code == 422
    assert reason in words(response).replace("\xa0", " ")
    assert not DocumentDraft.objects.exists()


def test_a_text_without_questions_shows_its_lines_and_the_marks(bank, as_teacher):
    draft = put_in(as_teacher, text="Dear parents,\nthere is no school on Friday.")
    page = shown(as_teacher, draft)
    assert "No question was found." in page
    assert "there is no school on Friday." in page
    assert "How questions are recognised" in page
    act(as_teacher, draft, "role:question", "1")
    assert "1 question found" in shown(as_teacher, draft)


def test_the_import_page_takes_documents_and_the_paste_page_offers_the_review(bank, as_admin):
    for name in ("test.docx", "test.txt"):
        response = as_admin.post(
            reverse("import_create"), {"file": SimpleUploadedFile(name, PAPER.encode()), "format": "auto"}
        )
        assert response.url == address(DocumentDraft.objects.latest("pk"))
    assert "This text seems to hold 3 questions." in words(
        as_admin.post(reverse("paste"), {"text": PAPER, "action": "look"})
    )
    assert "seems to hold" not in words(as_admin.post(reverse("paste"), {"text": TEXTS[0], "action": "look"}))


# -- the review ---------------------------------------------------------------------------------------------------


def test_every_step_is_undone_and_redone_and_a_new_step_ends_what_could_be_redone(bank, as_teacher):
    draft = put_in(as_teacher, text=PAPER)
    second = key_of(draft, "How many sides")

    def texts() -> list[str]:
        return re.findall(r"Question \d+ \((\d+)\.\)", shown(as_teacher, draft))

    response = act(as_teacher, draft, "role:more", second)
    assert response.url.endswith(f"?line={second}#line-{second}")  # the chosen line stays chosen
    assert texts() == ["1", "3"]
    act(as_teacher, draft, "undo", second)
    assert texts() == ["1", "2", "3"]
    act(as_teacher, draft, "redo", second)
    assert texts() == ["1", "3"]
    act(as_teacher, draft, "undo", second)
    act(as_teacher, draft, "role:right option", key_of(draft, "6"))
    act(as_teacher, draft, "redo", second)  # there is nothing to redo
    page = shown(as_teacher, draft)
    assert "3 questions found ." in page
    assert "Answer: A" in page


def test_a_text_is_changed_and_a_row_with_a_mark_becomes_a_line(bank, as_teacher):
    draft = put_in(as_teacher, text=PAPER)
    key = key_of(draft, "How many sides")
    editing = act(as_teacher, draft, "edit", key)
    assert "<textarea" in editing.content.decode()
    assert DocumentDraft.objects.get(pk=draft.pk).corrections == []
    act(as_teacher, draft, f"text:{key}", key, text="2. How many sides does an octagon have?\n3. What is $\\pi$?")
    page = shown(as_teacher, draft)
    assert "4 questions found" in page
    assert "octagon" in page
    assert act(as_teacher, draft, f"text:{key}", key, text=" ").status_code == 422
    act(as_teacher, draft, "undo")
    assert "hexagon" in shown(as_teacher, draft)


@pytest.mark.parametrize(
    ("do", "line", "reason"),
    [
        ("role:question", "", "Choose a line first."),
        ("role:poem", "0", "There is no such role."),
        ("text:77", "0", "no longer there"),
        ("role:option", "77", "no longer there"),
        ("out:77", "0", "no longer there"),
    ],
)
def test_a_step_that_cannot_be_done_says_why_and_changes_nothing(bank, as_teacher, do, line, reason):
    draft = put_in(as_teacher, text=PAPER)
    response = act(as_teacher, draft, do, line, text="x")
    assert response.status_code == 422
    assert reason in words(response)
    assert DocumentDraft.objects.get(pk=draft.pk).corrections == []


def test_worst_first_shows_what_is_doubtful_before_the_rest(bank, as_teacher):
    draft = put_in(as_teacher, text=PAPER)
    order = re.findall(r"Question (\d) \(", shown(as_teacher, draft, "?order=worst"))
    assert order == ["2", "1", "3"]
    act(as_teacher, draft, f"out:{key_of(draft, 'How many')}")
    page = shown(as_teacher, draft, "?order=worst")
    assert re.findall(r"Question (\d) \(", page) == ["1", "3", "2"]
    assert "1 left out" in page
    assert "Import 2 questions" in page


def test_a_long_paper_is_shown_in_pages_and_a_chosen_line_on_its_own(bank, as_teacher):
    draft = put_in(as_teacher, text=SUMS)
    assert re.findall(r"Question (\d+) \(", shown(as_teacher, draft, "?page=3"))[0] == "81"
    assert "Page 2 of 3" in shown(as_teacher, draft, f"?line={key_of(draft, 'How much is $50')}")
    assert "Page 1 of 3" in shown(as_teacher, draft, "?page=nonsense")


def test_the_bank_s_outlook_stands_beside_each_question_with_and_without_javascript(bank, as_teacher):
    draft = put_in(as_teacher, text=PAPER)
    part = words(as_teacher.get(address(draft, "document_outlook", key_of(draft, TEXTS[3][:12]))))
    assert f"Already in the bank: Question {bank.questions[3].pk}" in part
    assert "Probably" in part
    assert f"Already in the bank: Question {bank.questions[3].pk}" in shown(as_teacher, draft, "?known=1")
    assert as_teacher.get(address(draft, "document_outlook", "99")).status_code == 404


def test_the_outlook_says_what_is_not_mathematics(bank, as_teacher):
    draft = put_in(as_teacher, text="1. Who wrote the play Macbeth?\n2. Solve $3x = 12$.")
    part = words(as_teacher.get(address(draft, "document_outlook", key_of(draft, "Who wrote"))))
    assert "This does not look like a mathematics question." in part
    assert "Probably" not in part


# -- the import ---------------------------------------------------------------------------------------------------


def test_an_import_takes_what_is_not_left_out_and_a_list_keeps_the_paper_s_order(bank, as_teacher, teacher):
    draft = put_in(as_teacher, text=PAPER)
    act(as_teacher, draft, "role:right option", key_of(draft, "6"))
    response = as_teacher.post(address(draft, "document_import"), {"source": "Spring test"})
    assert response.url == address(draft)
    assert "Importing the questions." in shown(as_teacher, draft)
    assert act(as_teacher, draft, "undo").status_code == 422  # what is being imported stays as it is
    as_teacher.post(address(draft, "document_import"))  # a double click
    assert Run.objects.filter(kind="import").count() == 1
    result = import_by_a_worker(draft)
    assert (result["created"], result["duplicates"], result["places"]) == (2, 1, [1, 2, 3])
    first, second = Question.objects.filter(import_run=draft.import_run).order_by("pk")
    assert (first.source, first.kind, first.answer, first.created_by) == ("Spring test", "choice", "B", teacher)
    assert (second.kind, second.answer) == ("choice", "A")
    page = shown(as_teacher, draft)
    assert "What was imported" in page
    assert "Undo this import" in page
    response = as_teacher.post(address(draft, "document_list"), {"name": "Friday"})
    made = QuestionList.objects.get(name="Friday")
    assert response.url == reverse("list_detail", args=[made.pk])
    listed = list(made.items.values_list("question_id", flat=True))
    assert listed == [first.pk, second.pk, bank.questions[3].pk]
    again = as_teacher.post(address(draft, "document_list"), {"name": "Friday"})
    assert again.url == address(draft)
    assert "You already have a list with this name." in shown(as_teacher, draft)


def test_left_out_questions_stay_out_and_an_import_of_nothing_is_refused(bank, as_teacher):
    draft = put_in(as_teacher, text=PAPER)
    keys = [key_of(draft, text) for text in ("Which number", "Find the area", "How many")]
    for key in keys:
        act(as_teacher, draft, f"out:{key}")
    as_teacher.post(address(draft, "document_import"))
    assert "No question is left to import." in shown(as_teacher, draft)
    assert not Run.objects.filter(kind="import").exists()
    act(as_teacher, draft, f"in:{keys[0]}")
    as_teacher.post(address(draft, "document_import"))
    assert import_by_a_worker(draft)["places"] == [1]


@pytest.mark.parametrize(
    ("role", "created", "tags"), [("teacher", 0, ["Circles", None]), ("admin", 1, ["Circles", "Numbers"])]
)
def test_headings_tag_questions_and_only_who_may_edit_concepts_makes_new_ones(
    bank, client, teacher, admin_person, role, created, tags
):
    client.force_login({"teacher": teacher, "admin": admin_person}[role])
    draft = put_in(client, text="circles\n1. What is $\\pi$?\nNumbers\n2. What is $\\sqrt{2}$?")
    for heading in ("circles", "Numbers"):
        act(client, draft, "role:heading", key_of(draft, heading))
    before = KnowledgeConcept.objects.count()
    client.post(address(draft, "document_import"), {"hierarchy": "School", "with_headings": "on"})
    result = import_by_a_worker(draft)
    assert KnowledgeConcept.objects.count() - before == created == result["concepts_created"]
    questions = Question.objects.filter(import_run=draft.import_run).order_by("pk")
    names = [next((tag.concept.name for tag in question.tags.all()), None) for question in questions]
    assert names == tags
    if role == "teacher":
        assert "'Numbers' is not a concept of the hierarchy" in shown(client, draft)


def test_pictures_come_along_and_stay_while_the_paper_does(bank, as_teacher, monkeypatch):
    lines = read_text("1. What is shown? ![graph](graph.png) ![](formula.wmf)").lines
    read = Document(lines, {"graph.png": png(), "formula.wmf": b"\xd7\xcd\xc6\x9a"}, ("2 old formulas.",))
    monkeypatch.setattr(document_drafts, "read_document", lambda path, name: read)
    draft = read_by_a_worker(put_in(as_teacher, file=SimpleUploadedFile("a.docx", b"x")))
    page = shown(as_teacher, draft)
    assert "2 old formulas." in page
    assert "The picture formula.wmf cannot be shown" in page
    picture = Attachment.objects.get()
    assert picture.pk in as_teacher.get(address(draft)).content.decode()
    Attachment.objects.update(used_at=timezone.now() - timedelta(days=5))
    assert attachments_sweep() == 0
    as_teacher.post(address(draft, "document_import"))
    import_by_a_worker(draft)
    question = Question.objects.get(import_run=draft.import_run)
    assert question.content["pictures"][0] == {"name": f"{picture.pk[:12]}.png", "sha256": picture.pk}
    assert question.needs_figure  # the other one is missing


def test_a_scan_is_refused_before_it_is_kept(bank, as_teacher):
    scan = written_pdf(["q 595 0 0 842 0 0 cm /I Do Q"], images={"I": black(60, 80)})
    response = as_teacher.post(reverse("document_create"), {"file": SimpleUploadedFile("scan.pdf", scan)})
    assert response.status_code == 422
    assert "This PDF holds no text: it is a scan" in words(response)
    assert not DocumentDraft.objects.exists()
    assert not Run.objects.exists()


def test_questions_of_a_pdf_stand_beside_their_pictures_and_keep_them_where_they_are_doubtful(bank, as_teacher):
    page = (
        line("1. Work out 3 + 4. [2]")
        + line("2. Cats and dogs and their friends.", y=600)
        + line("3. Add 2 and 5. [1]", y=500)
    )
    draft = read_by_a_worker(put_in(as_teacher, file=SimpleUploadedFile("a.pdf", written_pdf([page]))))
    whole = Attachment.objects.get()
    shown_page = as_teacher.get(address(draft)).content.decode()
    assert shown_page.count(f'<image href="/pictures/{whole.pk}" width="1190" height="1684"/>') == 3
    Attachment.objects.update(used_at=timezone.now() - timedelta(days=5))
    assert attachments_sweep() == 0
    as_teacher.post(address(draft, "document_import"))
    import_by_a_worker(draft)
    plain, doubtful, _last = Question.objects.filter(import_run=draft.import_run).order_by("pk")
    assert "pictures" not in plain.content
    (picture,) = doubtful.content["pictures"]
    cut = Attachment.objects.get(pk=picture["sha256"])
    assert cut.height < 60 < cut.width < 1190
    page = as_teacher.get(reverse("question_detail", args=[doubtful.pk])).content.decode()
    assert f'<img src="/pictures/{cut.pk}" alt="The question as its paper prints it"' in page
    same = content_of({**doubtful.content, "pictures": [], "settings": {}})
    assert [*asked_parts(content_of(doubtful.content))] == [*asked_parts(same)]


def test_an_import_that_was_done_is_not_done_again(bank, as_teacher):
    draft = put_in(as_teacher, text=PAPER)
    as_teacher.post(address(draft, "document_import"))
    import_by_a_worker(draft)
    with pytest.raises(Exception, match="imported already"):
        run_document_import(draft.import_run, Reporter())


# -- files that are no papers, and papers that are no files ------------------------------------------------------

DATA = ("moodle-xml", "gift", "csv", "xlsx", "qti21", "canvas", "jsonl")


def file_of(name: str) -> SimpleUploadedFile:
    """A file of one question in a format."""
    question = QuestionRecord("1", "How much is 2 + 3?", kind="number", answer="5")
    data = b"".join(FORMATS[name].write([question], NoAttachments()))
    return SimpleUploadedFile(f"set{FORMATS[name].suffixes[0]}", data)


@pytest.mark.parametrize("name", DATA)
def test_a_file_of_questions_given_as_a_paper_is_checked_as_an_import(bank, as_admin, name):
    file = file_of(name)
    response = as_admin.post(reverse("document_create"), {"file": file}, follow=True)
    assert f"{file.name} is a file of questions ({FORMATS[name].label})" in words(response)
    assert not DocumentDraft.objects.exists()
    is_laid_out = response.redirect_chain[0][0].startswith(reverse("import_columns"))
    run = Run.objects.filter(kind="import").last()
    assert is_laid_out or (run.parameters["name"], run.parameters["dry_run"]) == (file.name, True)


def test_a_teacher_s_file_of_questions_becomes_drafts(bank, as_teacher):
    as_teacher.post(reverse("document_create"), {"file": file_of("moodle-xml")})
    run = Run.objects.get(kind="import")
    assert (run.parameters["dry_run"], run.parameters["status"]) == (True, "draft")


def test_pasted_data_is_recognised_too(bank, as_admin):
    text = file_of("moodle-xml").read().decode()
    response = as_admin.post(reverse("document_create"), {"text": text}, follow=True)
    assert "The pasted text is a file of questions (Moodle XML)" in words(response)
    assert Run.objects.get(kind="import").parameters["name"] == "pasted.xml"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.txt", "What is 2 + 3?\nA. 4\nB. 5\nANSWER: B\n"),
        ("a.tex", "\\documentclass{exam}\\begin{document}\\begin{questions}\\question What?\\end{questions}"),
        ("a.txt", "Question,Answer\nHow much is 2 + 3?,5\n"),
    ],
)
def test_what_may_be_a_paper_is_read_as_one(bank, as_admin, name, text):
    put_in(as_admin, file=SimpleUploadedFile(name, text.encode()))


def test_a_paper_given_as_a_file_of_questions_is_reviewed(bank, as_admin):
    file = SimpleUploadedFile("test.docx", b"PK")
    response = as_admin.post(reverse("import_create"), {"file": file}, follow=True)
    assert "test.docx is read as a test paper" in words(response)
    assert DocumentDraft.objects.get().name == "test.docx"


# -- whose it is, and its end -------------------------------------------------------------------------------------


def test_nobody_else_sees_a_paper_or_undoes_its_import(bank, as_teacher, admin_person, django_user_model):
    draft = put_in(as_teacher, text=PAPER)
    as_teacher.post(address(draft, "document_import"))
    import_by_a_worker(draft)
    run = draft.import_run
    other = django_user_model.objects.create_user("other", password="correct horse battery")
    other.groups.set(draft.owner.groups.all())
    stranger = Client()
    stranger.force_login(other)
    for name in ("document_review", "document_import", "document_list", "document_delete"):
        method = "get" if name == "document_review" else "post"
        assert getattr(stranger, method)(address(draft, name)).status_code == 404
    assert draft.name not in words(stranger.get(reverse("document_create")))
    assert stranger.get(reverse("import_undo", args=[run.pk])).status_code == 403
    assert as_teacher.post(reverse("import_undo", args=[run.pk])).status_code == 302
    assert Run.objects.filter(kind="undo", requested_by=draft.owner).count() == 1


def test_a_paper_is_deleted_by_its_owner_or_after_a_week_and_its_questions_stay(bank, as_teacher):
    kept, old, _untouched = (put_in(as_teacher, text=PAPER) for _ in range(3))
    as_teacher.post(address(old, "document_import"))
    import_by_a_worker(old)
    number = Question.objects.count()
    DocumentDraft.objects.exclude(pk=kept.pk).update(updated_at=timezone.now() - timedelta(days=8))
    assert old_drafts(timezone.now() - timedelta(days=7)).delete()[0] >= 2
    assert as_teacher.get(address(old)).status_code == 404
    assert as_teacher.post(address(kept, "document_delete")).url == reverse("document_create")
    assert not DocumentDraft.objects.exists()
    assert Question.objects.count() == number


def test_the_points_of_a_question_and_its_parts_are_corrected_and_undone(bank, as_teacher):
    text = "1. Find x. (2 marks)\n2. Take f.\n(a) Find y. (1 mark)\n(b) Find z.\n"
    draft = put_in(as_teacher, text=text)
    assert "1 of its 2 parts give no points" in shown(as_teacher, draft)
    key = key_of(draft, "Take f")
    before = {f"points-before-{key}": ["1", "1", ""]}
    act(as_teacher, draft, "points", **before, **{f"points-{key}": ["4", "1", "2,5"]})
    draft.refresh_from_db()
    items = document_review(draft).items
    assert [item.points for item in items] == [(2,), (4, 1, 2.5)]
    assert "the paper says 4" in shown(as_teacher, draft)
    act(as_teacher, draft, "undo")
    draft.refresh_from_db()
    assert document_review(draft).items[1].points == (1, 1, None)


@pytest.mark.parametrize("typed", ["-1", "1e9", "two", "1001"])
def test_points_that_cannot_be_are_refused_in_one_sentence(bank, as_teacher, typed):
    draft = put_in(as_teacher, text=PAPER)
    response = act(as_teacher, draft, "points", **{"points-before-0": "", "points-0": typed})
    assert response.status_code == 422
    assert "Points are a number from 0 to 1,000" in words(response)
    draft.refresh_from_db()
    assert not draft.corrections


def test_a_line_can_be_given_to_what_follows_and_rows_are_drawn_as_tables(bank, as_teacher):
    draft = put_in(as_teacher, text="1. Find x.\n| 1 | 2 |\nA box holds 5 pens.\n2. How many are left?\n")
    act(as_teacher, draft, "role:below", key_of(draft, "A box"))
    draft.refresh_from_db()
    second = document_review(draft).items[1]
    assert second.record.text == "A box holds 5 pens.\nHow many are left?"
    assert as_teacher.get(address(draft)).content.decode().count("question-table") == 1
