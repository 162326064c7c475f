"""Moodle's report of statistics: reading it, storing it, and counting it as so many responses."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from openpyxl import Workbook

from questionbank.core.errors import ImportRefused
from questionbank.models import ItemStatistics, Question, ResponseSet, School
from questionbank.people.permissions import viewing_as
from questionbank.responses.set_services import (
    ImportPlan,
    SetDetails,
    response_set_delete,
    responses_import,
    responses_plan,
    responses_read,
)
from questionbank.responses.shown_figures import question_responses
from questionbank.responses.statistics_services import bank_statistics_request, options_of, set_statistics_compute
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


def test_figures_of_questions_that_moved_to_another_school_are_taken_back_too(questions, letters, teacher):
    response_set = imported(letters, HEADER + ROWS)
    ResponseSet.objects.filter(pk=response_set.pk).update(owner=teacher)
    question, number = questions[0], questions[0].pk
    Question.objects.filter(pk=number).update(
        visibility="school",
        school=School.objects.create(name="Lakeside", slug="lakeside"),
        combined={"percent": 50.0, "low": 40.0, "high": 60.0, "responses": 30},
    )
    with viewing_as(teacher):
        assert not Question.objects.filter(pk=number).exists()
        assert list(options_of([number])) == [number]
        bank_statistics_request(outdated=[number])
        response_set_delete(response_set=ResponseSet.objects.get(pk=response_set.pk), user=teacher)
    question.refresh_from_db()
    assert (question.responses, question.facility, question.combined) == (0, None, None)


def test_figures_without_a_number_of_attempts_are_shown_and_not_counted(questions, letters):
    response_set = imported(letters, "Question name,Facility index\nt-1,66.67%\n")
    assert "no number of attempts" in plan_of(letters, "Question name,Facility index\nt-1,66.67%\n").table.notes[0]
    assert ItemStatistics.objects.get(response_set=response_set).figures == {"facility": 0.6667}
    assert Question.objects.get(pk=questions[0].pk).responses == 0


QUIZ = (
    '"Quiz name","Course name","Open the quiz","Number of complete graded first attempts",'
    '"Average grade of first attempts","Standard deviation (for first attempts)","Error ratio (for first attempts)",'
    '"Median grade (for first attempts)","Score distribution skewness (for first attempts)",'
    '"Score distribution kurtosis (for first attempts)","Coefficient of internal consistency (for first attempts)",'
    '"Standard error (for first attempts)"\n'
    '"Quiz 1","Mathematics","Monday, 2 March 2026, 9:00 AM",30,58.33%,24.10%,71.00%,60.00%,-0.20,0.40,49.59%,17.11%\n'
)
ANALYSIS = '"Part of question","Response","Partial credit","Count","Frequency"\n1,"a triangle",100.00%,20,66.67%\n'


def test_a_full_report_is_read_without_the_tables_around_that_of_the_questions(questions, letters):
    table = plan_of(letters, QUIZ + HEADER + ROWS + ANALYSIS + ANALYSIS).table
    assert [(row.people, row.figures["facility"]) for row in table.published] == [(30, 0.6667), (30, 0.5)]
    assert table.problems == []
    assert table.notes == ["Another table begins in line 6; the file is not read from there on."]


def test_the_sheet_of_the_questions_is_found_in_a_full_report_as_a_workbook(questions, tmp_path):
    book = Workbook()
    for place, (name, text) in enumerate({"Quiz information": QUIZ, "Quiz structure analysis": HEADER + ROWS}.items()):
        sheet = book.create_sheet(name, place)
        for row in csv.reader(text.splitlines()):
            sheet.append(row)
    del book["Sheet"]
    path = tmp_path / "completestats.xlsx"
    book.save(path)
    table = responses_read(path=path)
    assert [row.figures["facility"] for row in table.published] == [0.6667, 0.5]
    assert table.notes == ["Sheets that are not read: Quiz information."]


@pytest.mark.parametrize(
    "header",
    [
        '"F#","Typ der Frage","Name der Frage",Versuche,Leichtigkeitsindex,Standardabweichung,'
        '"Zufällig angenommene Punktezahl","Beabsichtigte Gewichtung","Effektive Gewichtung",Trennschärfeindex,'
        "Trennschärfe-Effizienz\n",
        '"Q#","Tipo de pregunta","Nombre de la pregunta",Intentos,"Índice de facilidad","Desviación estándar",'
        '"Calificación aleatoria estimada","Peso estimado","Peso efectivo","Índice de Discriminación",'
        '"Eficiencia discriminativa"\n',
        '"No Q","Type de question","Nom de question",Tentatives,"Indice de facilité","Écart type",'
        '"Score de réponses au hasard","Pondération désirée","Coefficient effectif","Indice de discrimination",'
        '"Efficience discriminatoire"\n',
    ],
    ids=["German", "Spanish", "French"],
)
def test_other_languages_name_the_same_figures(questions, letters, header):
    in_english, translated = (plan_of(letters, names + ROWS).table.published for names in (HEADER, header))
    assert translated == in_english


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
