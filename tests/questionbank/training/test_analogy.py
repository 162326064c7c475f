"""What a retriever of analogous problems would learn from, and what an admin is told of it."""

from __future__ import annotations

import pytest

from analytics.splits import is_held_out
from questionbank.core.errors import ValidationFailed
from questionbank.models import ModelArtifact, Question, QuestionEquation, QuestionSolution
from questionbank.training.analogy import analogy_material, analogy_report, predicted_problems, problems_sharing_a_graph
from questionbank.training.services import training_request
from tests.factories import asked_of
from tests.questionbank.small_bank import add_concept, add_set
from tests.questionbank.story_bank import add_story, story

pytestmark = pytest.mark.django_db

LONELY = "Ann buys 4 bags of 6 figs, eats 5 and shares the rest with 2 friends. How many does each get?"


@pytest.fixture(autouse=True)
def nothing_is_sent(monkeypatch) -> None:
    monkeypatch.setattr("questionbank.core.task_queue._send", lambda run: None)


@pytest.fixture
def stories(db) -> list[Question]:
    return [add_story(*story(number)) for number in range(90)]


def solve(question: Question, *, probability: float, equation: str) -> None:
    key = QuestionEquation.objects.exclude(graph_key="").values_list("graph_key", flat=True).first()
    QuestionSolution.objects.create(
        question=question,
        content_hash=question.content_hash,
        alternatives=[{"equation": equation}],
        probability=probability,
        graph_key=key,
    )


def texts(entries) -> set[str]:
    return {entry.problem.text for entry in entries}


def test_the_parts_share_no_problem_and_count_what_is_left_out(stories):
    add_story("Two and 3 more birds sit there: how many birds is that?", "2+(3")
    add_story(story(0)[0], story(0)[1])
    Question.objects.filter(pk=stories[1].pk).update(language="de")
    Question.objects.filter(pk=stories[2].pk).update(source="Sums test")
    add_story("Nobody has written an equation for these 7 birds and 2 cats yet.")
    material = analogy_material(left_out=["de"])
    problems = material.problems
    parts = [texts(part) for part in (problems.learned, problems.validation, problems.held_out)]
    assert sum(map(len, parts)) + problems.left_out == 88
    assert not parts[0] & parts[1] | parts[0] & parts[2] | parts[1] & parts[2]
    assert all(is_held_out(text) for text in parts[2])
    assert not any(is_held_out(text) for text in parts[0] | parts[1])
    assert (material.ready, material.with_equation) == (93, 92)
    left_out = (material.foreign, material.unreadable, material.repeated, material.test_items)
    assert left_out == (1, 1, 1, 1)
    assert material.languages == {"en": 91, "de": 1}


def test_only_questions_of_a_hierarchy_are_taken_where_some_are_named(stories):
    concept = add_concept("Number", hierarchy="School")
    tagged = [add_story(*story(number), concepts=[concept]) for number in range(90, 100)]
    material = analogy_material(hierarchies=["School"])
    assert (material.ready, material.with_equation) == (10, 10)
    assert problems_sharing_a_graph(hierarchies=["School"]) == len(tagged)
    assert problems_sharing_a_graph() == 100


def test_the_solvers_equations_are_learned_from_only_when_asked_for_and_never_measured_with(stories):
    guessed = [add_story(story(number)[0]) for number in range(100, 160)]
    for question in guessed:
        solve(question, probability=0.9, equation="2+11")
    unsure = add_story("Ann has 3 hats and 9 caps. How many things is that in all?")
    solve(unsure, probability=0.4, equation="3+9")
    edited = add_story("Ben has 3 hats and 8 caps. How many things is that in all?")
    solve(edited, probability=0.9, equation="3+8")
    Question.objects.filter(pk=edited.pk).update(content_hash=bytes(32))
    assert predicted_problems() == 60
    plain, asked = analogy_material(), analogy_material(predicted=True)
    assert plain.predicted == ()
    assert plain.learned == plain.problems.learned
    assert asked.problems.held_out == plain.problems.held_out
    assert 0 < len(asked.predicted) < 60
    assert texts(asked.predicted) <= {question.text for question in guessed}
    assert not any(is_held_out(text) for text in texts(asked.predicted))
    assert {entry.problem.equation for entry in asked.predicted} == {"2+11"}


class TestReport:
    def test_it_counts_problems_with_a_positive_and_those_that_are_dropped(self, stories):
        before = analogy_report()
        assert before.count("with_positive") == len(analogy_material().problems.learned)
        assert before.count("without_positive") == 0
        assert "3 computations are shared" in before.introduction
        assert not is_held_out(LONELY)
        add_story(LONELY, "(4*6-5)/2")
        report = analogy_report()
        assert (report.count("with_positive"), report.count("without_positive")) == (before.count("with_positive"), 1)
        assert report.introduction.startswith("91 of 91 have an equation.")
        assert "3 computations are shared" in report.introduction

    def test_languages_that_the_encoder_does_not_know_are_left_out_and_shown(self, stories):
        add_set("purpose", unknown_shares={"en": 0.01, "zh": 0.8})
        for number in range(2, 6):
            text = f"小明有{number}支笔，又买了{number + 3}支笔，他现在一共有几支笔？"
            add_story(text, f"{number}+{number + 3}", language="zh")
        report = analogy_report()
        english, chinese = report.tables[0].rows
        assert (english.label, english.is_left_out) == ("English", False)
        assert english.cells == (90, report.count("with_positive"), 0, 0.01)
        assert (chinese.label, chinese.cells, chinese.is_left_out) == ("Chinese", (4, 0, 0, 0.8), True)
        assert any("4 problems are in a language" in sentence for sentence in report.advice)

    def test_it_says_how_many_are_missing(self):
        for number in range(0, 9, 3):
            add_story(*story(number))
        report = analogy_report()
        batch, suite = report.advice
        assert f"{16 - report.count('with_positive')} more are needed" in batch
        assert "held-out question" in suite

    def test_few_problems_are_too_few_to_learn_much(self, stories):
        report = analogy_report()
        assert f"{500 - report.count('with_positive')} more are needed" in report.advice[0]

    def test_an_accepted_equation_is_counted_at_once(self, stories):
        question = add_story("Fay has 8 pears and 6 plums in a bowl. How many fruits are there?")
        assert analogy_report().introduction.startswith("90 of 91 have an equation.")
        QuestionEquation.objects.create(
            question=question, expression="8+6", set_by=QuestionEquation.SetBy.PERSON, graph_key="+(s0,s1)"
        )
        after = analogy_report().introduction
        assert after.startswith("91 of 91 have an equation. In the whole bank, people entered or accepted 1.")


class TestRequest:
    def test_a_training_that_could_not_fill_a_batch_is_refused_with_what_is_missing(self, stories):
        assert asked_of(training_request(capability="analogy", send=False)) == {"set": {}, "known_only": True}
        with pytest.raises(ValidationFailed, match="a batch needs 128: 38 more are needed"):
            training_request(capability="analogy", settings={"batch_size": "128"}, send=False)
        with pytest.raises(ValidationFailed, match="batch_size") as caught:
            training_request(capability="analogy", settings={"batch_size": "1"}, send=False)
        assert "batch_size" in caught.value.fields

    def test_the_solvers_equations_may_fill_it(self, db):
        with pytest.raises(ValidationFailed, match="16 more are needed"):
            training_request(capability="analogy", send=False)
        run = training_request(capability="analogy", answers={"known_only": False}, send=False)
        assert run.parameters["known_only"] is False

    @pytest.mark.parametrize(("slots", "setting"), [(True, "yes"), (False, "no")])
    def test_a_retriever_that_is_trained_further_reads_numbers_as_before(self, stories, slots, setting):
        model = ModelArtifact.objects.create(
            capability="analogy", name="r", state="champion", location="r", manifest={"extra": {"slot_text": slots}}
        )
        run = training_request(capability="analogy", settings={"backbone": "in use", "slot_text": "yes"}, send=False)
        assert run.parameters["set"] == {"backbone": f"model {model.pk}", "slot_text": setting}
        assert run.parameters["start"] == model.pk
