"""Importing responses: matching, writing, figures, deleting, and who may do it."""

from __future__ import annotations

from datetime import UTC, date, datetime, time
from pathlib import Path

import pytest
from django.apps import apps
from django.core.files.storage import storages

from questionbank.bank.difficulty_selectors import counted_percent
from questionbank.core.errors import Conflict, ImportRefused, NotAllowed
from questionbank.models import ColumnChoice, ItemStatistics, Question, Response, ResponseSeries, ResponseSet
from questionbank.responses.matching_selectors import match_questions
from questionbank.responses.response_table import person_hash
from questionbank.responses.set_services import (
    ImportPlan,
    SetDetails,
    prepared_forget,
    prepared_get,
    prepared_keep,
    response_set_delete,
    responses_import,
    responses_plan,
    responses_read,
)
from questionbank.responses.statistics_services import set_statistics_compute
from questionbank.responses.table_cells import QuestionReference
from tests.factories import QuestionFactory
from tests.questionbank.responses.conftest import waiting_figures_compute


def plan_of(path: Path, text: str = "", **given) -> ImportPlan:
    if text:
        path.write_text(text, encoding="utf-8")
    return responses_plan(table=responses_read(path=path), user=None, **given)


def imported(path: Path, user=None, **details) -> ResponseSet:
    return responses_import(plan=plan_of(path), details=SetDetails("Test 3", **details), user=user)


def test_a_table_of_letters_is_marked_by_the_banks_key(questions, letters):
    response_set = imported(letters, class_label="7b")
    assert (response_set.people, response_set.responses.count()) == (7, 28)
    first = response_set.responses.filter(question=questions[0])
    assert sorted((row.choice, row.score) for row in first) == [("A", 0.0)] * 2 + [("B", 1.0)] * 5
    assert {bytes(row.person).hex() for row in first} >= {person_hash("ada lovelace")}
    assert {row.version for row in first} == {questions[0].version}


def test_an_import_computes_the_figures_of_its_set_and_a_job_those_of_all_sets(questions, letters):
    response_set = imported(letters)
    assert not ItemStatistics.objects.filter(response_set=None).exists()
    waiting_figures_compute()
    assert response_set.figures["people"] == 7
    own = ItemStatistics.objects.get(question=questions[0], response_set=response_set)
    overall = ItemStatistics.objects.get(question=questions[0], response_set=None)
    assert own.figures["facility"] == pytest.approx(5 / 7)
    assert own.figures["guess"] == pytest.approx(1 / 3)
    assert [sum(option["thirds"]) for option in own.options] == [2, 5, 0]
    assert overall.figures.keys() >= {"facility", "difficulty", "difficulty_error", "slope", "sets", "percent"}
    assert ItemStatistics.objects.count() == 8
    questions[0].refresh_from_db()
    combined = questions[0].combined
    assert combined["responses"] == 7
    assert combined["low"] < combined["percent"] < combined["high"]
    assert questions[0].difficulty_percent == counted_percent(questions[0], combined)


def test_planning_writes_nothing(questions, letters):
    plan = plan_of(letters)
    assert [match.how for match in plan.matches] == ["identifier"] * 4
    assert (plan.people, len(plan.rows), plan.problems, plan.unmatched) == (7, 28, [], [])
    assert not Response.objects.exists()


def test_questions_are_found_by_number_text_and_place(questions):
    first, second, third, fourth = questions
    by_number = QuestionReference(str(first.pk), id=str(first.pk))
    by_text = QuestionReference("4711: …", id="4711", text="WHAT is the area of\n  triangle number 2 ?")
    by_place = QuestionReference("Q. 2", position=2)
    unknown = QuestionReference("Volume")
    matches = match_questions([by_number, by_text, by_place, unknown], user=None, order=[fourth.pk, third.pk])
    assert [(match.question and match.question.id, match.how) for match in matches] == [
        (first.pk, "number in the bank"),
        (second.pk, "text"),
        (third.pk, "place in the test"),
        (None, "not in the bank"),
    ]


def test_numbers_of_a_test_are_never_numbers_of_the_bank(questions):
    Question.objects.filter(pk=questions[0].pk).update(source_id="")
    references = [QuestionReference(f"Q{number}", position=number) for number in (1, 2, 3)]
    assert {match.question for match in match_questions(references, user=None)} == {None}


def test_a_question_chosen_by_hand_comes_first_and_0_leaves_one_out(questions, letters):
    plan = plan_of(letters, chosen={0: questions[3].pk, 3: 0})
    assert [match.question and match.question.id for match in plan.matches] == [
        questions[3].pk,
        questions[1].pk,
        questions[2].pk,
        None,
    ]


def test_an_identifier_of_two_questions_is_not_guessed(questions, letters):
    QuestionFactory(text="Another one of another set?", source="Others", source_id="t-1")
    plan = plan_of(letters)
    assert [match.how for match in plan.unmatched] == ["2 questions have this identifier"]


def test_a_letter_that_is_no_option_is_reported_by_line(questions, letters):
    plan = plan_of(letters, "Name,t-1,t-2\nAda,F,A\nBen,B,A\n")
    assert [str(problem) for problem in plan.problems] == [
        f"line 2: t-1: “F” is not an option of question {questions[0].pk}"
    ]
    assert len(plan.rows) == 3


def test_empty_cells_count_as_wrong_where_most_are_filled(questions, letters):
    full = plan_of(letters, "Name,t-1,t-2\nA,B,A\nB,B,\nC,B,A\n")
    sparse = plan_of(letters, "Name,t-1,t-2,t-3,t-4\nA,B,,,\nB,,A,,\nC,,,C,\n")
    assert (full.is_filled, sparse.is_filled) == (True, False)


def test_only_the_first_attempt_counts(questions, letters):
    rows = "".join(f"P{n},t-1,A,1\nP{n},t-1,B,2\n" for n in range(6))
    letters.write_text("pupil,question,response,attempt\n" + rows, encoding="utf-8")
    response_set = imported(letters)
    assert response_set.responses.count() == 12
    assert ItemStatistics.objects.get(response_set=response_set).figures["facility"] == 0.0


def test_fewer_than_five_pupils_have_no_figures(questions, letters):
    letters.write_text("Name,t-1,t-2\nA,B,A\nB,A,A\nC,B,A\nD,B,B\n", encoding="utf-8")
    response_set = imported(letters)
    assert (response_set.responses.count(), response_set.figures) == (8, {})
    assert not ItemStatistics.objects.exists()


def test_a_file_without_known_questions_is_refused(db, letters):
    with pytest.raises(ImportRefused, match="No question of this file is in the bank"):
        imported(letters)


def test_a_reviewer_may_not_import(questions, letters, reviewer):
    with pytest.raises(NotAllowed):
        imported(letters, reviewer)


def test_what_waits_for_its_import_holds_hashes_instead_of_names(questions, letters, teacher):
    stored = prepared_keep(table=responses_read(path=letters), user=teacher)
    table = prepared_get(stored)
    assert table == responses_read(path=letters)
    assert {len(row.person) for row in table.rows} == {32}
    prepared_forget(stored)
    assert not storages["uploads"].exists(stored)
    with pytest.raises(Conflict):
        prepared_get(stored)


def changed(question: Question, **fields: object) -> None:
    """Save an edit that begins a new series."""
    for name, value in {**fields, "version": question.version + 1}.items():
        setattr(question, name, value)
    question.save()
    ResponseSeries.objects.create(question=question, version=question.version)


def test_responses_to_a_question_before_it_was_changed_do_not_count_for_it(questions, letters):
    before = imported(letters)
    changed(questions[0], answer="A")
    waiting_figures_compute()
    set_statistics_compute(response_set=before)
    overall = ItemStatistics.objects.filter(response_set=None)
    assert set(overall.values_list("question", flat=True)) == {question.pk for question in questions[1:]}
    own = ItemStatistics.objects.get(question=questions[0], response_set=before)
    assert (own.version, own.options, own.figures["facility"]) == (1, [], pytest.approx(5 / 7))
    letters.write_text("Name,t-1,t-2\n" + "".join(f"P{n},A,B\n" for n in range(6)), encoding="utf-8")
    imported(letters)
    waiting_figures_compute()
    overall = ItemStatistics.objects.get(question=questions[0], response_set=None)
    assert (overall.people, overall.version, overall.figures["facility"]) == (6, 2, 1.0)


YESTERDAY, TODAY = date(2026, 3, 1), date(2026, 3, 2)


def edited(question: Question, **fields: object) -> None:
    """Save an edit that begins no series, on the second day."""
    for name, value in {**fields, "version": question.version + 1}.items():
        setattr(question, name, value)
    question.save()
    history = apps.get_model("questionbank", "QuestionEvent")._default_manager
    history.update(pgh_created_at=datetime.combine(TODAY, time(12), tzinfo=UTC))


def dated(path: Path, day: date) -> ResponseSet:
    """Import a file of a test that was written on a day."""
    return responses_import(plan=plan_of(path, day=day), details=SetDetails("Test 3", day=day), user=None)


@pytest.fixture
def answered_before(questions):
    """Four questions, of which the first three were edited on the second day: options, key, a typing mistake."""
    first, second, third, _fourth = questions
    edited(first, options=[{"label": label, "text": f"another {label}"} for label in "ABC"], answer="C")
    edited(second, answer="B")
    edited(third, text=third.text.replace("triangle", "triangel"))
    return questions


def test_a_test_of_an_earlier_day_counts_for_the_questions_of_that_day(answered_before, letters):
    response_set = dated(letters, YESTERDAY)
    waiting_figures_compute()
    versions = dict(response_set.responses.order_by().values_list("question", "version").distinct())
    assert list(versions.values()) == [1, 1, 1, 1]
    first, second, third, fourth = answered_before
    assert {row.question_id: row.version for row in ResponseSeries.objects.all()} == {first.pk: 2, second.pk: 2}
    overall = ItemStatistics.objects.filter(response_set=None)
    assert {row.question_id for row in overall} == {third.pk, fourth.pk}
    own = {row.question_id: row.figures["facility"] for row in response_set.item_statistics.all()}
    assert own[first.pk] == pytest.approx(5 / 7), "marked by the answer of that day, B"
    assert own[second.pk] == pytest.approx(3 / 7), "only the key was corrected, to B"


def test_a_test_of_the_day_of_an_edit_or_without_a_day_counts_for_the_question_as_it_is(answered_before, letters):
    for response_set in (dated(letters, TODAY), imported(letters)):
        first = response_set.responses.filter(question=answered_before[0])
        assert {row.version for row in first} == {2}
        assert not ResponseSeries.objects.exists()


def test_an_edit_that_a_person_took_as_the_same_question_begins_no_series_later(questions, letters):
    imported(letters)
    edited(questions[0], answer="A")
    dated(letters, YESTERDAY)
    assert not ResponseSeries.objects.exists()


def matched(path: Path, text: str, **given: object) -> list[tuple[int | None, str]]:
    """Return question and reason of each column of a file."""
    plan = plan_of(path, text, **given)
    return [(match.question and match.question.id, match.how) for match in plan.matches]


AREA = "Name,Area,Q2\n" + "".join(f"P{n},A,B\n" for n in range(6))


def chosen_by_hand(path: Path, chosen: dict[int, int]) -> None:
    plan = plan_of(path, AREA, chosen=chosen)
    responses_import(plan=plan, details=SetDetails("Test 3"), user=None)


def test_a_question_chosen_for_a_header_is_proposed_for_the_next_file(questions, tmp_path):
    first, second, third, _fourth = questions
    chosen_by_hand(tmp_path / "Spring.csv", {0: first.pk, 1: second.pk})
    again = [(first.pk, "chosen for the last such file"), (second.pk, "chosen for the last such file")]
    assert matched(tmp_path / "Spring (1).csv", AREA) == again
    assert matched(tmp_path / "Spring.csv", AREA, order=[third.pk, third.pk])[1] == (third.pk, "place in the test")
    other = matched(tmp_path / "Summer.csv", AREA)
    assert other == [again[0], (None, "not in the bank")], "Q2 is another question in another test"
    chosen_by_hand(tmp_path / "Spring.csv", {0: third.pk, 1: 0})
    assert matched(tmp_path / "Spring.csv", AREA) == [(third.pk, again[0][1]), (None, "not in the bank")]
    Question.objects.filter(pk=third.pk).update(status="retired")
    assert matched(tmp_path / "Spring.csv", AREA)[0] == (None, "not in the bank")


def test_a_choice_is_remembered_by_the_import_alone_and_by_a_hash(questions, tmp_path):
    path = tmp_path / "Spring.csv"
    assert matched(path, AREA, chosen={0: questions[0].pk, 1: 0})[1] == (None, "left out by you")
    assert not ColumnChoice.objects.exists()
    chosen_by_hand(path, {0: questions[0].pk})
    assert [len(bytes(row.column)) for row in ColumnChoice.objects.all()] == [16]


def table_without(path: Path, lines: int) -> Path:
    """Return a copy of a file without its last lines."""
    shorter = path.with_name("shorter.csv")
    kept = path.read_text(encoding="utf-8").splitlines()
    shorter.write_text("\n".join(kept[: len(kept) - lines]) + "\n", encoding="utf-8")
    return shorter


def test_no_pupils_answers_follow_from_two_sets_that_differ_by_this_pupil(questions, letters):
    whole = imported(letters)
    waiting_figures_compute()
    before = dict(ItemStatistics.objects.filter(response_set=None).values_list("question", "people"))
    part = imported(table_without(letters, 1))
    assert (whole.figures["people"], part.figures, part.withheld) == (7, {}, [q.pk for q in questions])
    assert not ItemStatistics.objects.filter(response_set=part).exists()
    waiting_figures_compute()
    assert dict(ItemStatistics.objects.filter(response_set=None).values_list("question", "people")) == before
    response_set_delete(response_set=whole, user=None)
    set_statistics_compute(response_set=part)
    waiting_figures_compute()
    assert part.figures == {}
    assert not ItemStatistics.objects.exists()


def test_another_class_and_another_test_of_the_same_class_are_shown(questions, letters):
    imported(letters)
    letters.write_text(letters.read_text(encoding="utf-8").replace(",B", ",C"), encoding="utf-8")
    again = imported(letters)
    letters.write_text("Name,t-1\n" + "".join(f"P{n},B\n" for n in range(6)), encoding="utf-8")
    other = imported(letters)
    assert (again.withheld, other.withheld) == ([questions[2].pk, questions[3].pk], [])
    assert other.figures["people"] == 6


def test_variants_have_figures_of_their_own_from_five_pupils_on(questions, letters):
    rows = [f"P{n},{'AB'[n % 2]},{'BA'[n % 2]},A\n" for n in range(10)]
    letters.write_text("Name,Variant,t-1,t-2\n" + "".join(rows), encoding="utf-8")
    own = ItemStatistics.objects.get(question=questions[0], response_set=imported(letters))
    assert own.variants == [{"name": "A", "people": 5, "facility": 1.0}, {"name": "B", "people": 5, "facility": 0.0}]
    letters.write_text("Name,Variant,t-1,t-2\n" + "".join(rows[:9]), encoding="utf-8")
    assert not ItemStatistics.objects.filter(response_set=imported(letters)).exclude(variants=[]).exists()
