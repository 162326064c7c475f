"""Moodle's report of statistics: reading it, storing it, and counting it as so many responses."""

from __future__ import annotations

from pathlib import Path

import pytest

from questionbank.core.errors import ImportRefused
from questionbank.models import ItemStatistics, Question, ResponseSet
from questionbank.responses.deletion_services import response_set_delete
from questionbank.responses.import_services import (
    ImportPlan,
    SetDetails,
    responses_import,
    responses_plan,
    responses_read,
)
from questionbank.responses.shown_figures import question_responses
from questionbank.responses.statistics_services import set_statistics_compute
from tests.questionbank.responses.conftest import waiting_figures_compute

HEADER = (
    '"Q#","Question type","Question name","Attempts","Facility index","Standard deviation","Random guess score",'
    '"Intended weight","Effective weight","Discrimination index","Discriminative efficiency"\n'
)
ROWS = (
    '1,"Multiple choice",t-1,30,66.67%,47.95%,33.33%,50.00%,48.10%,35.20%,40.12%\n'
    '2,"Multiple choice",t-2,30,"50,00 %","50,85 %","33,33 %","50,00 %",,-5.20%,-9.12%\n'
)


def plan_of(path: Path, text: str) -> ImportPlan:
    path.write_text(text, encoding="utf-8")
    return responses_plan(table=responses_read(path=path), user=None)


def imported(path: Path, text: str) -> ResponseSet:
    return responses_import(plan=plan_of(path, text), details=SetDetails("Quiz 1"), user=None)


def test_the_report_is_recognised_and_its_questions_found(questions, letters):
    plan = plan_of(letters, HEADER + ROWS)
    assert plan.table.kind == "Moodle’s report of statistics"
    assert [match.question and match.question.id for match in plan.matches] == [q.pk for q in questions[:2]]
    first, second = plan.table.published
    assert (first.people, first.figures["facility"], first.figures["discrimination"]) == (30, 0.6667, 0.352)
    assert (second.figures["facility"], second.figures["efficiency"]) == (0.5, -0.0912)
    assert "effective_weight" not in second.figures


def test_a_question_is_found_by_its_title(questions, letters):
    Question.objects.filter(pk=questions[2].pk).update(content={"title": "Area of a triangle"})
    plan = plan_of(letters, HEADER + '1,"Numerical","Area of a triangle",30,50%,,,,,,\n')
    assert [(match.question and match.question.id, match.how) for match in plan.matches] == [(questions[2].pk, "title")]


def test_figures_count_as_so_many_responses_until_their_set_is_deleted(questions, letters):
    question = questions[0]
    Question.objects.filter(pk=question.pk).update(facility=0.5, responses=10)
    response_set = imported(letters, HEADER + ROWS)
    question.refresh_from_db()
    assert (question.responses, question.facility) == (40, pytest.approx((0.6667 * 30 + 5) / 40))
    assert response_set.people == 30
    set_statistics_compute(response_set=response_set)
    waiting_figures_compute()
    assert ItemStatistics.objects.filter(response_set=response_set).count() == 2
    shown = question_responses(question)
    assert shown is not None
    assert [text for _set, _row, text in shown.sets] == ["67%"]
    response_set_delete(response_set=response_set, user=None)
    question.refresh_from_db()
    assert (question.responses, question.facility) == (10, pytest.approx(0.5))
    second = Question.objects.get(pk=questions[1].pk)
    assert (second.responses, second.facility) == (0, None)


def test_figures_without_a_number_of_attempts_are_shown_and_not_counted(questions, letters):
    response_set = imported(letters, "Question name,Facility index\nt-1,66.67%\n")
    assert "no number of attempts" in plan_of(letters, "Question name,Facility index\nt-1,66.67%\n").table.notes[0]
    assert ItemStatistics.objects.get(response_set=response_set).figures == {"facility": 0.6667}
    assert Question.objects.get(pk=questions[0].pk).responses == 0


def test_rows_that_cannot_be_used_are_listed(questions, letters):
    bad = "3,,t-3,4,50%,,,,,,\n4,,t-4,30,soon,,,,,,\n5,,,30,50%,,,,,,\n6,,t-1,many,50%,,,,,,\n7,,t-2,30,,,,,,,\n"
    plan = plan_of(letters, HEADER + ROWS + bad)
    assert [str(problem) for problem in plan.problems] == [
        "line 4: t-3: figures of fewer than five attempts are not shown",
        "line 5: t-4: “soon” is not a share; write 0.5 or 50%",
        "line 6: the row names no question",
        "line 7: t-1: “many” is not a number of attempts",
        "line 8: the row states no facility",
    ]
    with pytest.raises(ImportRefused):
        plan_of(letters, HEADER + bad)
