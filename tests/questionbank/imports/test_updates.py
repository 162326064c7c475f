"""Importing a file again: new, changed, unchanged, vanished; edited questions wait for a choice; undo gives back."""

from __future__ import annotations

import json
from itertools import pairwise

import pytest
from django.urls import reverse

from questionbank.bank.bulk_services import MergePair, bulk_change_undo_request, questions_merge
from questionbank.bank.question_services import question_update
from questionbank.core.errors import Conflict
from questionbank.imports.options import ImportOptions
from questionbank.imports.pipeline import SOMEBODY_ELSES
from questionbank.imports.report import ReasonGroups
from questionbank.imports.services import import_file
from questionbank.imports.undo_services import run_import_undo
from questionbank.imports.updates import import_conflicts_of, import_conflicts_settle
from questionbank.models import ImportUpdate, Question, QuestionOriginal, QuestionTag, Run
from tests.questionbank.formats.moodle_sample import SAMPLE
from tests.worker.jobs import Reporter

pytestmark = pytest.mark.django_db

FIRST = [
    {"id": "a", "text": "1 + 1?", "answer": "2", "concepts": [["Sums"]]},
    {"id": "b", "text": "2 + 2?", "answer": "4", "grade": "7", "concepts": [["Sums"]]},
    {"text": "3 + 3?", "answer": "6", "solution": "Count."},
    {"id": "gone", "text": "0?"},
]
SECOND = [
    {"id": "a", "text": "1 + 1?", "answer": "2", "concepts": [["Sums"]]},
    {"id": "b", "text": "2 + 2 = ?", "answer": "four", "grade": "7", "concepts": [["Sums", "Small"]]},
    {"text": "3 + 3?", "answer": "6", "solution": "Count on."},
    {"id": "new", "text": "5 + 5?"},
]


@pytest.fixture
def load(tmp_path):
    def imported(rows, user=None, **options):
        path = tmp_path / "bank.jsonl"
        path.write_text("\n".join(json.dumps(row) for row in rows))
        chosen = ImportOptions(**({"update": True} | options))
        return import_file(path=path, embed=False, options=chosen, user=user)

    return imported


def edit(question, person, **changes):
    names = ("text", "language", "kind", "options", "answer", "solution", "grade", "status")
    fields = {name: getattr(question, name) for name in names} | changes
    concepts = [tag.concept for tag in question.tags.all()]
    return question_update(user=person, question=question, version=question.version, concepts=concepts, **fields)


def undo(run):
    return run_import_undo(Run(kind=Run.Kind.UNDO, parameters={"import": run.pk}), Reporter())


def latest() -> Run:
    return Run.objects.filter(kind=Run.Kind.IMPORT).latest("pk")


def state():
    rows = Question.objects.order_by("pk").prefetch_related("tags__concept")
    return [
        (row.source_id, row.text, row.answer, row.solution, row.grade, [t.concept.name for t in row.tags.all()])
        for row in rows
    ]


def test_an_export_that_was_edited_updates_questions_without_an_identifier(load):
    load([{"text": "3 + 3?", "answer": "6"}, {"text": "4 + 4?", "answer": "8"}], source="sums")
    numbers = list(Question.objects.order_by("pk").values_list("pk", flat=True))
    edited = [
        {"id": str(numbers[0]), "text": "3 + 3 = ?", "answer": "6"},
        {"id": str(numbers[1]), "text": "4 + 4?", "answer": "8"},
        {"id": "9" * 18, "text": "5 + 5?", "answer": "10"},
    ]
    again = load(edited, source="sums")
    assert (again.created, again.known.updated) == (1, 1)
    assert state()[:2] == [("", "3 + 3 = ?", "6", "", "", []), ("", "4 + 4?", "8", "", "", [])]
    assert load(edited, source="others").known.updated == 0  # numbers of another set mean nothing


def test_the_same_file_again_changes_nothing(load):
    load(FIRST)
    before = state()
    again = load(FIRST)
    assert (again.created, again.duplicates, again.known.unchanged, again.known.changes) == (0, 0, 4, [])
    assert state() == before
    assert {question.version for question in Question.objects.all()} == {1}


def test_changed_items_get_a_new_version_and_undo_gives_back_the_former_one(load):
    load(FIRST)
    before, hashes = state(), list(Question.objects.order_by("pk").values_list("content_hash", flat=True))
    dry = load(SECOND, dry_run=True)
    assert state() == before
    report = load(SECOND)
    for known in (dry.known, report.known):
        assert (known.updated, known.unchanged, known.vanished, known.conflicts) == (2, 1, 1, 0)
        assert known.vanished_questions == [Question.objects.get(source_id="gone").pk]
        assert known.changes[0]["differences"] == [
            ("question", "2 + 2?", "2 + 2 = ?"),
            ("answer", "4", "four"),
            ("concepts", "Sums", "Sums > Small"),
        ]
    assert (dry.created, report.created) == (1, 1)
    assert state() == [
        ("a", "1 + 1?", "2", "", "", ["Sums"]),
        ("b", "2 + 2 = ?", "four", "", "7", ["Small"]),
        ("", "3 + 3?", "6", "Count on.", "", []),
        ("gone", "0?", "", "", "", []),
        ("new", "5 + 5?", "", "", "", []),
    ]
    assert Question.objects.get(source_id="b").version == 2
    done = undo(latest())
    assert (done["restored"], done["removed"]) == (2, 1)
    assert state() == before
    assert list(Question.objects.order_by("pk").values_list("content_hash", flat=True)) == hashes
    assert load(SECOND).known.updated == 2  # what was undone counts as nobody's edit


def test_what_a_file_has_no_column_for_stays(load, tmp_path):
    load(FIRST)
    path = tmp_path / "bank.csv"
    path.write_text("id,text\na,1 + 1?\nb,2 + 2 = ?\n")
    report = import_file(path=path, options=ImportOptions(update=True), embed=False)
    assert [change["differences"] for change in report.known.changes] == [[("question", "2 + 2?", "2 + 2 = ?")]]
    row = Question.objects.get(source_id="b")
    assert (row.text, row.answer, row.grade, row.tags.count()) == ("2 + 2 = ?", "4", "7", 1)


def test_without_the_choice_a_changed_item_is_a_new_question_and_the_report_says_so(load):
    load(FIRST)
    report = load(SECOND, update=False)
    assert (report.created, report.changed_elsewhere, report.known) == (2, 1, None)


@pytest.mark.parametrize("take", [True, False])
def test_a_question_edited_in_both_places_waits_for_a_choice(load, teacher, admin_person, take):
    load(FIRST)
    question = edit(Question.objects.get(source_id="b"), admin_person, text="Two plus two?")
    assert load(FIRST).known.conflicts == 0  # the file says what it said
    report = load(SECOND)
    assert (report.known.updated, report.known.conflicts) == (1, 1)
    question.refresh_from_db()
    assert (question.text, question.version) == ("Two plus two?", 2)
    run = latest()
    assert import_conflicts_settle(run=run, user=admin_person, take=take, question=question.pk) == 1
    with pytest.raises(Conflict):
        import_conflicts_settle(run=run, user=admin_person, take=take)
    question.refresh_from_db()
    assert question.text == ("2 + 2 = ?" if take else "Two plus two?")
    assert load(SECOND).known.changes == []  # what was decided is not asked again
    assert load([{**SECOND[1], "answer": "IV"}]).known.conflicts == (0 if take else 1)
    if take:
        assert undo(run)["kept"] >= 1  # changed since
        ImportUpdate.objects.filter(run=latest()).delete()


def test_a_question_that_was_merged_meanwhile_waits_until_the_merge_is_undone(load, admin_person):
    load(FIRST)
    question = edit(Question.objects.get(source_id="b"), admin_person, text="Two plus two?")
    load(SECOND)
    run = latest()
    pair = MergePair(question.pk, Question.objects.get(source_id="a").pk)
    merge = questions_merge(user=admin_person, pairs=[pair])
    with pytest.raises(Conflict, match="no longer wait"):
        import_conflicts_settle(run=run, user=admin_person, take=True)
    assert not import_conflicts_of(run=run).exists()
    assert bulk_change_undo_request(user=admin_person, change=merge).kept == []
    assert import_conflicts_settle(run=run, user=admin_person, take=True) == 1


@pytest.mark.parametrize("update", [True, False])
def test_a_teacher_s_import_leaves_the_questions_of_others_as_they_are(load, teacher, admin_person, update):
    load(FIRST)
    own = load([{"id": "mine", "text": "9 + 9?"}], user=teacher, source="bank")
    before = {row.pk: row for row in Question.objects.all()}
    tags = QuestionTag.objects.count()
    sums = [{"text": text, "concepts": [["Sums"]]} for text in ("3 + 3?", "7 + 7?")]
    rows = [*SECOND, {"id": "mine", "text": "9 + 9 = ?"}, *sums]
    expected = load(rows, user=teacher, dry_run=True, update=update)
    done = load(rows, user=teacher, update=update)
    assert own.created == 1
    for report in (expected, done):
        (warning, *_others) = [each for each in report.warnings.ordered() if each.field == "id"]
        assert (warning.reason, warning.lines) == (SOMEBODY_ELSES, [2])
        assert (report.known.updated if update else report.changed_elsewhere) == 1
    for pk, row in before.items():
        now = Question.objects.get(pk=pk)
        assert (now.text, now.version) == (row.text, row.version) or (update and row.created_by == teacher)
    assert QuestionTag.objects.count() == tags + 1  # of the new question alone
    assert not ImportUpdate.objects.exclude(question__created_by=teacher).exists()


def test_a_draft_of_somebody_else_is_no_question_of_the_bank(load, teacher, admin_person):
    load([FIRST[0]], user=teacher, status="draft")
    report = load([FIRST[0]], user=admin_person)
    assert (report.created, report.known.updated) == (1, 0)
    assert set(Question.objects.values_list("status", "created_by")) == {
        ("draft", teacher.pk),
        ("ready", admin_person.pk),
    }


def test_a_retired_question_stays_retired(load, admin_person):
    load(FIRST)
    Question.objects.filter(source_id="b").update(status="retired")
    report = load(SECOND)
    assert (report.known.kept_retired, Question.objects.filter(source_id="b").count()) == (1, 1)


def test_a_moodle_item_is_updated_with_its_original(tmp_path, own_attachments):
    path = tmp_path / "bank.xml"
    path.write_text(SAMPLE)
    import_file(path=path, embed=False)
    path.write_text(SAMPLE.replace("See <b>page</b> 3.", "See page 9."))
    report = import_file(path=path, options=ImportOptions(update=True), embed=False)
    assert (report.created, report.known.updated, report.known.unchanged) == (0, 1, 10)
    question = Question.objects.get(solution="See page 9.")
    assert b"See page 9." in bytes(question.original.data)
    assert undo(latest())["restored"] == 1
    assert b"page</b> 3" in bytes(QuestionOriginal.objects.get(question=question).data)
    first = Run.objects.filter(kind=Run.Kind.IMPORT).earliest("pk")
    assert undo(first)["removed"] == 10  # all but the one with a history


@pytest.mark.parametrize("update", [True, False])
def test_a_merged_question_without_an_identifier_is_not_created_again(load, admin_person, update):
    rows = [{"text": f"{text}?", "answer": "1/2"} for text in ("Half of 1", "Half of one", "One half")]
    load(rows)
    numbers = list(Question.objects.order_by("pk").values_list("pk", flat=True))
    for merged, kept in pairwise(numbers):
        questions_merge(user=admin_person, pairs=[MergePair(merged, kept)])
    again = load([{"text": "Half of 1?", "answer": "0.5", "concepts": [["Fractions"]]}, rows[1]], update=update)
    assert (again.created, {link.question for link in again.links}) == (0, {numbers[2]})
    assert set(QuestionTag.objects.values_list("question", flat=True)) == {numbers[2]}
    assert load([{"text": "Half of 1?", "answer": "2"}], update=False).created == 1  # another question
    Question.objects.filter(pk=numbers[2]).update(status="retired")
    assert load(rows[:1], update=False).created == 1


def test_an_import_from_moodle_is_undone_with_its_originals(tmp_path, own_attachments):
    path = tmp_path / "bank.xml"
    path.write_text(SAMPLE)
    import_file(path=path, embed=False)
    assert undo(latest())["removed"] == 11
    assert not QuestionOriginal.objects.exists()


def test_the_page_shows_both_versions_and_takes_one(load, client, admin_person):
    load(FIRST)
    edit(Question.objects.get(source_id="b"), admin_person, text="Two plus two?")
    load(SECOND)
    client.force_login(admin_person)
    page = client.get(reverse("run_detail", args=[latest().pk])).content.decode()
    here = reverse("import_conflicts", args=[latest().pk])
    assert here in page
    assert "Edited here" in page
    page = client.get(here).content.decode()
    assert "Two plus two?" in page
    assert "2 + 2 = ?" in page
    client.post(here, {"choice": "take"})
    assert Question.objects.get(source_id="b").text == "2 + 2 = ?"
    assert "waits for a choice" in client.get(here).content.decode()


def test_the_same_mistake_in_many_lines_is_one_sentence_with_value_and_count():
    groups = ReasonGroups()
    for line in range(2, 2_002):
        groups.add(line, "difficulty", f"difficulty '{line % 3},5x' is not a number")
    groups.add(7, "text", "text is missing")
    (first, second) = groups.ordered()
    assert str(first) == (
        "2,000 lines: difficulty '2,5x' is not a number (also '0,5x', '1,5x'); first in lines 2, 3, 4, 5, 6"
    )
    assert str(second) == "line 7: text is missing"


def test_numbers_and_formulas_do_not_make_other_reasons():
    groups = ReasonGroups()
    for n in range(50):
        groups.add(n, "", f"not JSON: expecting value at column {n}")
        groups.add(n, "formula", rf"The formula $\frac{{{n}}}{{$ cannot be drawn.")
    assert [group.count for group in groups.ordered()] == [50, 50]


def test_many_reasons_end_in_one_that_says_so():
    groups = ReasonGroups()
    for n in range(1_000):
        groups.add(n, "f" * (n + 1), "is wrong")
    assert len(groups.ordered()) == 201
    assert groups.ordered()[0].count == 800
