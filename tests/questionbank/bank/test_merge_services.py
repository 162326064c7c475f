"""Merging duplicates: what moves, what stays, what is refused, and an undo that restores every row."""

from __future__ import annotations

import json
from datetime import date, timedelta

import pytest
from django.db import connection
from django.utils import timezone

from analytics.errors import Cancelled
from questionbank.bank.bulk_selectors import left_out_of, merge_of, merge_outcome
from questionbank.bank.bulk_services import (
    MERGED_AT_ONCE,
    MergePair,
    bulk_change_undo_request,
    questions_merge,
    run_bulk_change,
)
from questionbank.bank.change_selectors import change_page
from questionbank.bank.list_services import question_list_add, question_list_create, question_list_remove
from questionbank.bank.question_selectors import questions_matching
from questionbank.bank.question_services import question_restore, question_retire, question_update
from questionbank.bank.search_index import facet_counts_settle
from questionbank.core.errors import Conflict, NotAllowed, ValidationFailed
from questionbank.imports.undo_selectors import import_undo_plan
from questionbank.jobs import run_services as runs
from questionbank.models import (
    BulkChange,
    ColumnChoice,
    ItemStatistics,
    LanguageModelExclusion,
    ParaphrasePair,
    ProblemVariant,
    Question,
    QuestionList,
    QuestionListItem,
    QuestionTag,
    QuestionUse,
    Response,
    ResponseSet,
    ReviewDecision,
    ReviewGuideline,
    Run,
    School,
    Worksheet,
    WorksheetItem,
)
from questionbank.people.permissions import viewing_as
from questionbank.questions.api import present_fields
from questionbank.responses.shown_figures import question_responses
from questionbank.similar.duplicate_selectors import compared_questions
from questionbank.worksheets.selectors import worksheet_rows
from questionbank.worksheets.services import worksheet_add, worksheet_create, worksheet_use
from tests.questionbank.small_bank import add_concept, add_question, add_questions, add_set, store_vectors
from tests.worker.jobs import Reporter

pytestmark = pytest.mark.django_db

PAIRS = 200
_NOT_THE_BANK = ("event", "_context", "bulkchange", "bulkchangeitem", "_run", "runlog", "facetcount", "migrations")
_FACETS = """
    SELECT to_jsonb(f) - 'id' - 'questions', sum(questions) FROM questionbank_facetcount f
    GROUP BY 1 HAVING sum(questions) <> 0 ORDER BY 1
"""


def rows_of_every_table() -> dict[str, list[str]]:
    """Each row as JSON, without history, jobs and the changes themselves; and the counts of facets."""
    tables = [name for name in connection.introspection.table_names() if not name.endswith(_NOT_THE_BANK)]
    found = {}
    with connection.cursor() as cursor:
        for table in tables:
            cursor.execute(f"SELECT to_jsonb(t) FROM {connection.ops.quote_name(table)} t")
            found[table] = sorted(json.dumps(row, sort_keys=True) for (row,) in cursor.fetchall())
        cursor.execute(_FACETS)
        found["facets"] = [str(row) for row in cursor.fetchall()]
    return found


def merge(user, *numbers: tuple[int, int]) -> BulkChange:
    return questions_merge(user=user, pairs=[MergePair(*pair) for pair in numbers])


def undo(user, change: BulkChange) -> BulkChange:
    return bulk_change_undo_request(user=user, change=BulkChange.objects.get(pk=change.pk))


@pytest.fixture
def twins(teacher):
    """Two questions that ask the same, and their two concepts."""
    algebra, geometry = add_concept("Algebra"), add_concept("Geometry")
    kept = add_question("How much is $2 + 3$?", created_by=teacher, concepts=[algebra])
    merged = add_question("How much is $2+3$ ?", created_by=teacher, concepts=[algebra, geometry])
    return merged, kept


def place(question_list: QuestionList, *questions: Question) -> None:
    for position, question in enumerate(questions, start=1):
        QuestionListItem.objects.create(question_list=question_list, question=question, position=position, points=2)


def on_sheet(worksheet: Worksheet, *questions: Question) -> None:
    for position, question in enumerate(questions, start=1):
        WorksheetItem.objects.create(worksheet=worksheet, question=question, position=position, points=2)


@pytest.fixture
def near_copies(teacher, admin_person):
    """Two hundred pairs with rows in every table that names questions."""
    concepts = [add_concept("Algebra", f"Topic {n}") for n in range(5)]
    questions = add_questions(
        {
            "text": f"How much is ${n // 2} + 3${'' if n % 2 else ' '}?",
            "created_by": teacher,
            "grade": str(5 + n % 3),
            "difficulty": n % 5,
            "difficulty_scale": "0-4",
            "status": "draft" if n % 40 == 39 else "ready",
            "equation": f"{n // 2}+3",
            "concepts": [concepts[n % 5], concepts[(n // 2) % 5]] if n % 5 != (n // 2) % 5 else [concepts[n % 5]],
        }
        for n in range(2 * PAIRS)
    )
    pairs = [(questions[n + 1], questions[n]) for n in range(0, 2 * PAIRS, 2)]  # merged, kept
    store_vectors(add_set("wording"), questions)
    everything = [question for pair in pairs for question in pair]
    question_list_of_all = QuestionList.objects.create(owner=teacher, name="Both of each")
    place(question_list_of_all, *everything[:120])
    place(QuestionList.objects.create(owner=admin_person, name="Duplicates"), *(merged for merged, _kept in pairs[:50]))
    on_sheet(Worksheet.objects.create(owner=teacher, name="Both"), *everything[:80])
    on_sheet(Worksheet.objects.create(owner=admin_person, name="One"), *(merged for merged, _kept in pairs[50:80]))
    handed_out = Worksheet.objects.create(owner=teacher, name="Handed out")
    on_sheet(handed_out, *everything[:20])
    guideline = ReviewGuideline.objects.create(version=1, text="Be fair.")
    response_set = ResponseSet.objects.create(owner=teacher, title="Test", layout="Table")
    for n, (merged, kept) in enumerate(pairs):
        if n < 10:
            QuestionUse.objects.create(
                question=merged, worksheet=handed_out, worksheet_name="Handed out", day=date(2026, 5, 4)
            )
            QuestionUse.objects.create(question=kept, worksheet=None, worksheet_name="Gone", day=date(2026, 5, 4))
        if n % 4 == 0:
            pair = ParaphrasePair.objects.create(
                question=merged, original=merged.text, paraphrase=f"What do {n} and 3 make?", source="typed"
            )
            ReviewDecision.objects.create(
                pair=pair, reviewer=admin_person, guideline=guideline, verdict="accept", seconds=1
            )
            ProblemVariant.objects.create(question=merged, text=f"{n} + 4?", equation=f"{n}+4", answer=str(n + 4))
            ColumnChoice.objects.create(column=n.to_bytes(16, "big"), question=merged)
            LanguageModelExclusion.objects.create(question=merged, excluded_by=teacher)
            add_question(f"{n} and 3 are?", paraphrase_of=merged)
        if n % 8 == 0:
            LanguageModelExclusion.objects.create(question=kept)
        for question in (merged, kept):
            Response.objects.create(
                response_set=response_set, question=question, person=b"p" * 16, version=1, score=n % 2
            )
            ItemStatistics.objects.create(
                question=question, response_set=response_set, version=1, people=7, figures={"facility": 0.5}
            )
    return pairs


def test_two_hundred_near_copies_are_merged_and_the_undo_restores_every_row(near_copies, admin_person):
    before = rows_of_every_table()
    change = merge(admin_person, *((merged.pk, kept.pk) for merged, kept in near_copies))
    assert (change.applied_at, change.run.kind) == (None, Run.Kind.CHANGE)
    assert rows_of_every_table() == before  # until the job has run
    run = runs.run_start(run_id=change.run.pk, worker="here")
    assert run_bulk_change(run, Reporter()) == {"changed": PAIRS, "kept": 0}
    runs.run_succeed(run=run, result={})

    merged = [question.pk for question, _kept in near_copies]
    assert Question.objects.filter(status="retired", merged_into__isnull=False, pk__in=merged).count() == PAIRS
    assert not QuestionListItem.objects.filter(question__in=merged).exists()
    assert set(WorksheetItem.objects.filter(question__in=merged).values_list("worksheet__name", flat=True)) == {
        "Handed out"
    }
    assert Response.objects.filter(question__in=merged).count() == PAIRS  # both series are kept
    assert ReviewDecision.objects.exclude(pair__question__in=merged).count() == PAIRS / 4
    changed = {name for name, rows in rows_of_every_table().items() if rows != before[name]}
    assert changed >= {
        f"questionbank_{name}"
        for name in "question questiontag questionlistitem worksheetitem questionuse paraphrasepair problemvariant"
        " columnchoice languagemodelexclusion".split()
    } | {"facets"}

    undone = undo(admin_person, change)
    run_bulk_change(Run.objects.get(pk=undone.run.pk), Reporter())
    undone.refresh_from_db()
    after = rows_of_every_table()
    assert {name: (rows, before[name]) for name, rows in after.items() if rows != before[name]} == {}
    assert (undone.kept, undone.undone_by) == ([], admin_person)
    facet_counts_settle()
    assert rows_of_every_table()["facets"] == before["facets"]


def test_the_question_that_is_kept_gets_concepts_places_and_paraphrases(twins, teacher, admin_person):
    merged, kept = twins
    other = add_question("Why?")
    mine = QuestionList.objects.create(owner=teacher, name="Mine")
    place(mine, other, merged)
    both = QuestionList.objects.create(owner=admin_person, name="Both")
    place(both, merged, other, kept)
    sheet = Worksheet.objects.create(owner=teacher, name="Sheet")
    on_sheet(sheet, kept, merged)
    original = ParaphrasePair.objects.create(question=merged, original=merged.text, paraphrase="Add!", source="typed")
    rewording = add_question("Add 2 and 3.", paraphrase_of=merged)

    change = merge(teacher, (merged.pk, kept.pk))

    merged.refresh_from_db()
    assert (merged.status, merged.merged_into, merged.version) == ("retired", kept, 2)
    assert sorted(kept.tags.values_list("concept__name", flat=True)) == ["Algebra", "Geometry"]
    assert list(mine.items.values_list("question", "position", "points")) == [(other.pk, 1, 2), (kept.pk, 2, 2)]
    assert list(both.items.values_list("question", flat=True)) == [other.pk, kept.pk]
    assert list(sheet.items.values_list("question", flat=True)) == [kept.pk]
    original.refresh_from_db()
    rewording.refresh_from_db()
    assert (original.question, rewording.paraphrase_of) == (kept, kept)
    assert kept not in questions_matching(filters={"status": "retired"})

    outcome = merge_outcome(change=change)
    assert (outcome.kept, outcome.tags, outcome.lists, outcome.worksheets) == ({merged.pk: kept.pk}, 1, 1, 0)
    assert outcome.doubled == ["Both", "Sheet"]
    with viewing_as(teacher):
        assert merge_outcome(change=change).doubled == ["Sheet"]  # the other list is the admin's own
    assert left_out_of(worksheet=sheet, questions=[kept.pk]) == [(merged.pk, kept.pk)]
    assert merge_of(question=merged) == change
    assert (
        change_page(kind="bulk")
        .entries[0]
        .what.endswith(f"Merge duplicates: question {merged.pk} into question {kept.pk}")
    )
    assert not undo(teacher, change).kept
    assert merge_of(question=merged) is None
    assert left_out_of(worksheet=sheet, questions=[kept.pk]) == []


def test_a_worksheet_that_was_handed_out_keeps_and_prints_the_question_that_pupils_saw(twins, teacher):
    merged, kept = twins
    sheet = worksheet_create(user=teacher, name="Friday")
    worksheet_add(user=teacher, worksheet=sheet, questions=[merged])
    worksheet_use(user=teacher, worksheet=sheet, question_ids=[merged.pk])
    change = merge(teacher, (merged.pk, kept.pk))
    [row] = worksheet_rows(worksheet=sheet, user=teacher)
    assert (row.question, row.left_out) == (merged, "")
    assert list(QuestionUse.objects.values_list("question", flat=True)) == [kept.pk]  # a search leaves it out next time
    assert merge_outcome(change=change).printed == 1
    unused = worksheet_create(user=teacher, name="Monday")
    worksheet_add(user=teacher, worksheet=unused, questions=[Question.objects.get(pk=merged.pk)])
    assert not unused.items.exists()


def test_pupils_responses_stay_with_the_question_that_they_saw(twins, teacher):
    merged, kept = twins
    for question in twins:
        for title in ("one", "two"):
            response_set = ResponseSet.objects.get_or_create(owner=teacher, title=title, layout="Table")[0]
            ItemStatistics.objects.create(
                question=question, response_set=response_set, version=1, people=9, figures={"facility": 0.5}
            )
    merge(teacher, (merged.pk, kept.pk))
    shown = question_responses(kept, merged=[merged.pk])
    assert [figures.question for _set, figures, _facility in shown.sets] == [kept, kept]
    assert [figures.question for _set, figures, _facility in shown.merged] == [merged, merged]
    assert question_responses(merged).sets


def refused(user, *pairs, match: str, error=Conflict) -> None:
    before = rows_of_every_table()
    with pytest.raises(error, match=match):
        questions_merge(user=user, pairs=[MergePair(*pair) for pair in pairs])
    assert rows_of_every_table() == before
    assert not BulkChange.objects.filter(undone_at=None, applied_at=None).exists()


def test_no_question_is_merged_into_itself_twice_or_in_a_circle(twins, teacher):
    one, two = (question.pk for question in twins)
    three = add_question("How much is $2 + 3$ ??", created_by=teacher).pk
    refused(teacher, (one, one), match=f"Question {one} cannot be merged into itself", error=ValidationFailed)
    refused(teacher, (one, two), (one, three), match="into one question only", error=ValidationFailed)
    refused(teacher, (one, two), (two, one), match="cannot be both merged and kept", error=ValidationFailed)
    refused(teacher, (one, two), (two, three), match="cannot be both merged and kept", error=ValidationFailed)
    refused(teacher, (one, 10**9), match=f"There is no question {10**9}", error=ValidationFailed)
    merge(teacher, (one, two))
    refused(teacher, (two, one), match="the question to keep is merged into another itself")
    refused(teacher, (one, three), match="merged into another question already")


@pytest.mark.parametrize(
    ("kept", "match"),
    [
        ({"status": "retired"}, "the question to keep is retired"),
        ({"status": "draft"}, "the question to keep is a draft"),
        ({"text": "Find {a} + {b}."}, "draws its numbers"),
    ],
)
def test_a_question_is_kept_only_if_it_can_take_the_place_of_the_other(teacher, kept, match):
    merged = add_question("How much is $2 + 3$?", created_by=teacher)
    other = add_question(**{"text": "How much is $2 + 3$?", "created_by": teacher, **kept})
    refused(teacher, (merged.pk, other.pk), match=match)


def test_an_original_is_not_merged_into_its_paraphrase(twins, teacher):
    merged, kept = twins
    Question.objects.filter(pk=kept.pk).update(paraphrase_of=merged)
    refused(teacher, (merged.pk, kept.pk), match="is a paraphrase of the other; keep the original")
    assert merge(teacher, (kept.pk, merged.pk)).changed == 1


def test_a_question_is_kept_only_if_the_same_people_see_it(twins, teacher, admin_person):
    merged, kept = twins
    Question.objects.filter(pk=merged.pk).update(visibility="private")
    refused(teacher, (merged.pk, kept.pk), match="not visible to the same people")
    refused(admin_person, (kept.pk, merged.pk), match="not visible to the same people")
    Question.objects.filter(pk=kept.pk).update(visibility="private")
    assert merge(teacher, (merged.pk, kept.pk)).changed == 1


def test_what_other_schools_wrote_about_a_merged_question_moves_too(twins, teacher):
    """The person who merges sees neither another school's rewording nor the similar problem that it belongs to."""
    merged, kept = twins
    school = School.objects.create(name="Another school", slug="another")
    rewording = add_question("Add 2 and 3.", paraphrase_of=merged, visibility="school", school=school)
    before = rows_of_every_table()
    with viewing_as(teacher):
        assert not Question.objects.filter(pk=rewording.pk).exists()
        change = merge(teacher, (merged.pk, kept.pk))
    assert Question.objects.get(pk=rewording.pk).paraphrase_of == kept
    with viewing_as(teacher):
        undo(teacher, change)
    assert {name for name, rows in rows_of_every_table().items() if rows != before[name]} == set()


def test_teachers_merge_their_own_questions_and_admins_any(twins, teacher, reviewer, admin_person):
    merged, kept = twins
    Question.objects.filter(pk=kept.pk).update(created_by=admin_person)
    refused(teacher, (merged.pk, kept.pk), match="only questions that they wrote themselves", error=NotAllowed)
    refused(reviewer, (merged.pk, kept.pk), match="cannot be merged", error=NotAllowed)
    change = merge(admin_person, (merged.pk, kept.pk))
    with pytest.raises(NotAllowed):
        undo(teacher, change)


def test_questions_that_somebody_changed_since_they_were_compared_are_not_merged(twins, teacher):
    merged, kept = twins
    question_update(user=teacher, question=kept, version=1, **present_fields(kept) | {"grade": "7"})
    refused(teacher, (merged.pk, kept.pk, 1, 1), match="somebody changed one of them in the meantime")
    assert merge(teacher, (merged.pk, kept.pk, 1, 2)).changed == 1


def test_a_job_leaves_out_what_somebody_changed_after_it_was_requested(near_copies, admin_person):
    change = merge(admin_person, *((merged.pk, kept.pk) for merged, kept in near_copies[: MERGED_AT_ONCE + 1]))
    question_retire(user=None, question=near_copies[0][1])
    merged = near_copies[1][0]
    question_update(user=None, question=merged, version=1, **present_fields(merged) | {"grade": "9"})
    reporter = Reporter()
    reporter.stop = True
    with pytest.raises(Cancelled):
        run_bulk_change(change.run, reporter)
    run_bulk_change(change.run, Reporter())
    change.refresh_from_db()
    assert change.changed == MERGED_AT_ONCE - 1
    assert change.refused == {"Somebody changed one of them in the meantime; compare them again.": 2}


def test_a_merged_question_is_not_changed_until_the_merge_is_undone(twins, teacher, admin_person):
    merged, kept = twins
    change = merge(teacher, (merged.pk, kept.pk))
    merged.refresh_from_db()
    for write in (
        lambda: question_restore(user=teacher, question=merged),
        lambda: question_update(user=teacher, question=merged, version=2, **present_fields(merged)),
    ):
        with pytest.raises(Conflict, match=f"was merged into question {kept.pk}"):
            write()
    undo(teacher, change)
    assert question_update(user=teacher, question=merged, version=1, **present_fields(kept)).version == 2


def test_a_chain_of_merges_is_undone_from_its_end(twins, teacher):
    merged, kept = twins
    before = rows_of_every_table()
    last = add_question("What is $2 + 3$?", created_by=teacher)
    question_list = question_list_create(user=teacher, name="Friday")
    question_list_add(user=teacher, question_list=question_list, questions=[merged])
    first, second = merge(teacher, (merged.pk, kept.pk)), merge(teacher, (kept.pk, last.pk))
    assert list(question_list.items.values_list("question", flat=True)) == [last.pk]
    with pytest.raises(Conflict, match=f"Question {kept.pk} was merged into question {last.pk} since"):
        undo(teacher, first)
    undo(teacher, second)
    undo(teacher, first)
    assert list(question_list.items.values_list("question", flat=True)) == [merged.pk]
    last.delete()
    question_list.delete()
    assert {name for name, rows in rows_of_every_table().items() if rows != before[name]} == set()


def test_the_undo_leaves_what_was_changed_since(twins, teacher):
    merged, kept = twins
    lists = [question_list_create(user=teacher, name=f"List {n}") for n in range(4)]
    for question_list in lists:
        question_list_add(user=teacher, question_list=question_list, questions=[merged])
    question_list_add(user=teacher, question_list=lists[3], questions=[kept])
    change = merge(teacher, (merged.pk, kept.pk))
    question_list_remove(user=teacher, question_list=lists[0], question_id=kept.pk)
    question_list_add(user=teacher, question_list=lists[1], questions=[merged])
    lists[2].delete()
    question_list_remove(user=teacher, question_list=lists[3], question_id=kept.pk)
    question_list_add(user=teacher, question_list=lists[3], questions=[add_question("Why?")])
    QuestionTag.objects.filter(question=kept).delete()
    assert undo(teacher, change).kept == []
    connection.check_constraints()
    assert [set(each.items.values_list("question", flat=True)) for each in (lists[0], lists[1])] == [
        set(), {kept.pk, merged.pk},
    ]  # fmt: skip
    assert list(lists[3].items.values_list("question", flat=True))[-1] == merged.pk  # its place is taken
    merged.refresh_from_db()
    assert (merged.status, merged.merged_into) == ("ready", None)


def test_the_undo_of_an_import_keeps_a_question_that_others_were_merged_into(teacher):
    run = Run.objects.create(kind=Run.Kind.IMPORT, state=Run.State.SUCCEEDED, requested_by=teacher)
    merged, kept = (add_question(text, created_by=teacher, import_run=run) for text in ("Why?", "Why ?"))
    merge(teacher, (merged.pk, kept.pk))
    assert import_undo_plan(run=run).kept == {merged.pk: ["edited"], kept.pk: ["merged"]}


def test_questions_are_compared_with_the_first_of_them(twins, teacher):
    merged, kept = twins
    Question.objects.filter(pk=merged.pk).update(grade="7", text="How much is $2 + 4$?")
    place(QuestionList.objects.create(owner=teacher, name="Mine"), merged)
    first, other = compared_questions([kept, Question.objects.get(pk=merged.pk)])
    assert not any(piece.differs for piece in first.wording)
    assert [piece.text for piece in other.wording if piece.differs] == ["4"]
    assert {field.name for field in other.fields if field.differs} == {"grade", "concepts"}
    assert (first.lists, other.lists) == (0, 1)


def test_a_merge_takes_a_moment_of_its_own(twins, teacher):
    """The row says when it was changed, and says again what it said before once the merge is undone."""
    merged, kept = twins
    earlier = timezone.now() - timedelta(days=3)
    Question.objects.filter(pk=merged.pk).update(updated_at=earlier, visible_since=earlier)
    change = merge(teacher, (merged.pk, kept.pk))
    merged.refresh_from_db()
    assert merged.updated_at > earlier
    undo(teacher, change)
    merged.refresh_from_db()
    assert (merged.updated_at, merged.visible_since) == (earlier, earlier)
