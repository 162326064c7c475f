"""The pages on what a question computes."""

from __future__ import annotations

from dataclasses import replace

import pytest
from django.urls import reverse

from analytics.language_model.equations import WrittenEquation
from analytics.solver.rules.solver import RuleSolver
from analytics.solver.second_opinion import SecondOpinionSolver
from questionbank.bank.history_selectors import question_history
from questionbank.bank.question_selectors import question_get
from questionbank.models import Question, QuestionEquation, Run
from questionbank.registry.language_model_selectors import packaged_model_folder
from questionbank.similar import insight
from questionbank.solving import solutions
from questionbank.solving.services import solution_store
from questionbank.solving.solutions import SolvedText
from tests.questionbank.scripted_solver import ScriptedSolver, served
from tests.questionbank.small_bank import write_question
from worker.reporting import run_here
from worker.solver import jobs

pytestmark = pytest.mark.django_db

TEXT = "A box holds 6 eggs. How many eggs are there in 4 boxes?"


@pytest.fixture
def solver(monkeypatch):
    solver = served({TEXT: [("6*4", 0.9), ("6+4", 0.05)]})
    monkeypatch.setattr(solutions, "served_solver", lambda _language: solver)
    return solver


@pytest.fixture
def solver_with_rules(monkeypatch, solver):
    with_rules = replace(solver, solver=RuleSolver(solver.solver))
    monkeypatch.setattr(solutions, "served_solver", lambda _language: with_rules)


@pytest.fixture
def problem(bank, solver) -> Question:
    return write_question(TEXT, answer="24")


def test_a_question_shows_its_solution_and_lets_a_teacher_accept_it(as_teacher, problem):
    page = as_teacher.get(reverse("question_detail", args=[problem.pk])).content.decode()
    assert "90% likely to be right" in page
    assert 'id="number-0"></span>6</mark>' in page
    assert "The published answer is the same: 24" in page
    assert '<a href="#number-1">' in page
    assert "Accept the equation" in page
    accepted = {"equation": "6*4", "version": problem.version}
    response = as_teacher.post(reverse("question_equation", args=[problem.pk]), accepted, follow=True)
    assert response.redirect_chain[0] == (reverse("question_detail", args=[problem.pk]), 302)
    assert QuestionEquation.objects.get(question=problem).set_by == "person"
    page = response.content.decode()
    assert "Equation saved." in page
    assert "by an equation that a person entered" in page
    assert "The solver finds the same answer" in page
    assert "Accept the equation" not in page
    QuestionEquation.objects.filter(question=problem).update(set_by="import")
    page = as_teacher.get(reverse("question_detail", args=[problem.pk])).content.decode()
    assert "by the equation from its source" in page
    assert reverse("question_computed_alike", args=[problem.pk]) in page


def test_a_solution_that_contradicts_the_published_answer_is_folded_away(as_teacher, problem):
    Question.objects.filter(pk=problem.pk).update(answer="25")
    page = as_teacher.get(reverse("question_detail", args=[problem.pk])).content.decode()
    assert "differs from the published answer" in page
    assert "The published answer: 25" in page
    assert "likely to be right" not in page
    assert "Accept the equation" not in page
    assert "?equation=" not in page


def test_a_reviewer_sees_the_solution_and_cannot_accept_it(as_reviewer, problem):
    page = as_reviewer.get(reverse("question_detail", args=[problem.pk])).content.decode()
    assert "90% likely to be right" in page
    assert "Accept the equation" not in page


def test_a_question_that_is_no_word_problem_shows_nothing(as_teacher, bank, solver):
    page = as_teacher.get(reverse("question_detail", args=[bank.questions[0].pk])).content.decode()
    assert "solved-heading" not in page


@pytest.mark.parametrize(("kind", "is_said"), [("open", True), ("parts", True), ("blanks", False)])
def test_a_question_that_an_equation_could_answer_or_that_asks_several_things_is_said_to_be_unsolved(
    as_teacher, problem, monkeypatch, kind, is_said
):
    unsolved = SolvedText((), "The text does not ask a question.", (), "solver")
    monkeypatch.setattr(insight, "solved_or_none", lambda *_of_question: unsolved)
    Question.objects.filter(pk=problem.pk).update(kind=kind)
    page = as_teacher.get(reverse("question_detail", args=[problem.pk])).content.decode()
    assert ("does not ask a question" in page, "solved-heading" in page) == (is_said, is_said)


def test_a_pasted_problem_is_solved(as_teacher, bank, solver):
    page = as_teacher.post(reverse("paste"), {"text": TEXT}).content.decode()
    assert "90% likely to be right" in page
    assert "Accept the equation" not in page


def test_a_division_with_a_remainder_ends_with_its_rounding(as_teacher, problem, solver):
    text = "A class of 28 pupils goes by car, 5 in a car. How many cars are needed?"
    Question.objects.filter(pk=problem.pk).update(text=text, answer="6")
    QuestionEquation.objects.create(question=problem, expression="28/5", set_by="person", graph_key="/(s0,s1)")
    page = as_teacher.get(reverse("question_detail", args=[problem.pk])).content.decode()
    assert "<strong>6</strong>" in page.split("solved-answer")[1]
    assert "5.6 rounded up: <strong>6</strong>" in page
    assert "Equation and answer disagree" not in page


@pytest.mark.parametrize(
    ("probability", "sentence"),
    [
        (0.7, ""),
        (0.5, ""),
        (0.4999, "as likely to be wrong as right"),
        (0.4951, "as likely to be wrong as right"),
        (0.44, "more likely to be wrong than right"),
    ],
)
def test_the_words_agree_with_the_probability_that_is_shown(as_teacher, problem, solver, probability, sentence):
    solver.solver.equations = {TEXT: [("6*4", probability)]}
    page = as_teacher.get(reverse("question_detail", args=[problem.pk])).content.decode()
    assert ("The solver is unsure" in page) == bool(sentence)
    assert sentence in page
    assert ("No reliable solution" in page) == bool(sentence)


def test_a_rules_solution_names_the_rule_and_shows_the_remainder(as_teacher, bank, solver_with_rules):
    text = "29 cookies are shared equally among 4 children. How many cookies are left over?"
    page = as_teacher.post(reverse("paste"), {"text": text}).content.decode()
    assert "Solved by a rule" in page
    assert "By a rule for remainders." in page
    assert "29 ÷ 4 leaves a remainder: <strong>1</strong>" in page


def test_a_short_question_that_a_rule_answers_is_solved(as_teacher, bank, solver_with_rules):
    page = as_teacher.post(reverse("paste"), {"text": "What percent of 80 is 20?"}).content.decode()
    assert "<strong>25</strong>" in page.split("solved-answer")[1]


def test_the_equation_of_a_twin_is_shown_with_its_source_while_that_is_in_the_bank(as_teacher, problem, solver):
    twin = Question.objects.exclude(pk=problem.pk).first()
    (solution,) = solver.solver._solutions(TEXT)[:1]
    twin_solution = replace(solution, probability=0.98, twin=str(twin.pk))
    solution_store(question=problem, artifact=solver.artifact, solutions=[twin_solution])
    page = as_teacher.get(reverse("question_detail", args=[problem.pk])).content.decode()
    assert f'<a href="{reverse("question_detail", args=[twin.pk])}">question {twin.pk}</a>' in page
    assert "the same text with other numbers" in page
    assert "Solved by the model" not in page
    Question.objects.filter(pk=twin.pk).update(status="retired")
    page = as_teacher.get(reverse("question_detail", args=[problem.pk])).content.decode()
    assert "the same text with other numbers" not in page
    assert "98% likely to be right" in page


@pytest.mark.parametrize(
    ("data", "status"),
    [
        ({"equation": "6*", "version": "1"}, 422),
        ({"equation": "6/0", "version": "1"}, 422),
        ({"equation": "24", "version": "1"}, 422),
        ({"equation": "6*4", "version": "x"}, 422),
        ({"equation": "6*4", "version": "99"}, 409),
        ({}, 422),
    ],
)
def test_a_wrong_equation_comes_back_with_a_sentence(as_teacher, problem, data, status):
    response = as_teacher.post(reverse("question_equation", args=[problem.pk]), data)
    assert response.status_code == status
    assert not QuestionEquation.objects.filter(question=problem).exists()


def test_what_is_computed_alike_is_listed_with_where_the_equation_is_from(as_teacher, problem, solver):
    address = reverse("question_computed_alike", args=[problem.pk])
    assert "is not known" in as_teacher.get(address).content.decode()
    solution_store(question=problem, artifact=solver.artifact, solutions=solver.solver._solutions(TEXT))
    page = as_teacher.get(address).content.decode()
    assert "No other question" in page
    assert "The solver’s equation:" in page


def test_an_equation_is_removed_and_the_history_says_who_wrote_what(as_teacher, problem):
    address = reverse("question_equation", args=[problem.pk])
    for equation, version in (("6*4", 1), ("4*6", 2), ("", 3)):
        as_teacher.post(address, {"equation": equation, "version": str(version)})
    assert not QuestionEquation.objects.filter(question=problem).exists()
    entries = question_history(question=question_get(question_id=problem.pk))
    assert [(entry.who, entry.changes[0].before, entry.changes[0].after) for entry in entries] == [
        ("teacher", "4*6", ""), ("teacher", "6*4", "4*6"), ("teacher", "", "6*4"),
    ]  # fmt: skip


def test_a_guess_is_accepted_only_where_it_can_be_seen(as_teacher, problem, solver):
    solver.solver.equations = {TEXT: [("6*4", 0.2)]}
    page = as_teacher.get(reverse("question_detail", args=[problem.pk])).content.decode()
    folded = page[page.index("Show the solver’s guess") :]
    assert page.count("Accept the equation") == 1
    assert folded.index("Accept the equation") < folded.index("Correct the equation")


@pytest.fixture
def language_model(settings, tmp_path):
    """The packaged model is ready, as far as pages look."""
    settings.VAR_DIR = tmp_path
    folder = packaged_model_folder()
    folder.mkdir(parents=True)
    (folder / "config.json").write_text("{}")


def asked(client, text: str = TEXT) -> Run:
    client.post(reverse("second_opinion_ask"), {"text": text})
    return Run.objects.get(kind="opinion")


def test_a_typed_problem_gets_the_answer_of_the_job_once_it_is_ready(as_teacher, solver, language_model, monkeypatch):
    pasted = as_teacher.post(reverse("paste"), {"text": TEXT, "action": "look"}).content.decode()
    assert "Ask the language model too" in pasted
    run = asked(as_teacher)
    address = reverse("second_opinion", args=[run.pk])
    waiting = as_teacher.get(address, headers={"HX-Request": "true"}).content.decode()
    assert 'hx-trigger="every 2s"' in waiting
    assert "90% likely" in waiting
    champion = replace(solver, solver=ScriptedSolver({TEXT: [("6+4", 0.7)]}))
    monkeypatch.setattr(jobs, "language_champion", lambda **_wanted: champion.artifact)
    monkeypatch.setattr(jobs, "solver_in_use", lambda _artifact, **_with: champion)
    run.result = run_here(run, jobs.opinion_run)
    run.state = Run.State.SUCCEEDED
    run.save()
    ready = as_teacher.get(address, headers={"HX-Request": "true"}).content.decode()
    assert "hx-trigger" not in ready
    assert "70% likely" in ready
    assert "gave no answer, so this is the solver’s alone" in " ".join(ready.split())
    assert "A second opinion" in as_teacher.get(address).content.decode()  # a whole page without JavaScript


class Writer:
    """Writes one equation about everything, or nothing."""

    def __init__(self, equation: str) -> None:
        self.equation = equation

    def write(self, _prompts, texts, **_options):
        written = [WrittenEquation(self.equation, -0.1)] if self.equation else []
        return [written for _text in texts]


@pytest.mark.parametrize(
    ("equation", "sentence"),
    [
        ("6*4", "model disagrees with the solver. It answers 6*4 = 24; the solver alone answers 6+4 = 10."),
        ("4+6", "The language model agrees with the solver: 4+6 = 10."),
        ("", "The language model gave no answer, so this is the solver’s alone."),
    ],
)  # fmt: skip
def test_it_is_said_what_the_language_model_answers_and_whether_it_agrees(
    as_teacher, solver, language_model, monkeypatch, equation, sentence
):
    run = asked(as_teacher)
    own = ScriptedSolver({TEXT: [("6+4", 0.6)]})
    champion = replace(solver, solver=RuleSolver(SecondOpinionSolver(own, Writer(equation))))
    monkeypatch.setattr(jobs, "language_champion", lambda **_wanted: champion.artifact)
    monkeypatch.setattr(jobs, "solver_in_use", lambda _artifact, **_with: champion)
    result = run_here(run, jobs.opinion_run)
    Run.objects.filter(pk=run.pk).update(result=result, state=Run.State.SUCCEEDED)
    page = " ".join(as_teacher.get(reverse("second_opinion", args=[run.pk])).content.decode().split())
    assert sentence in page
    assert ("and the language model. Check it" in page) is bool(equation)


def test_a_second_opinion_is_offered_where_it_could_change_the_answer(as_teacher, solver_with_rules, language_model):
    for text in ("What percent of 80 is 20?", "How are you?"):
        page = as_teacher.post(reverse("paste"), {"text": text, "action": "look"}).content.decode()
        assert "Ask the language model too" not in page


def test_nobody_else_sees_the_solution_of_a_typed_text(as_teacher, solver, language_model, client, reviewer):
    run = asked(as_teacher)
    client.force_login(reviewer)
    assert client.get(reverse("second_opinion", args=[run.pk])).status_code == 404


def test_a_failed_second_opinion_leaves_the_answer_and_says_why(as_teacher, solver, language_model):
    run = asked(as_teacher)
    Run.objects.filter(pk=run.pk).update(state=Run.State.FAILED, error="The worker stopped.")
    page = as_teacher.get(reverse("second_opinion", args=[run.pk])).content.decode()
    assert "There is no second opinion: The worker stopped." in page
    assert "90% likely" in page
