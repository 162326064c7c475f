"""The demo's people and review queue."""

from __future__ import annotations

import pytest

from analytics.paraphrase.triplets import question_number
from questionbank.demo.bank import labelled_review_pairs, story_pairs
from questionbank.models import ParaphrasePair, Run, User
from questionbank.operations import setup
from questionbank.operations.setup import bank_setup, demo_people_create, demo_people_shut_out, demo_review_install
from questionbank.people.roles import DEMO_PEOPLE
from tests.questionbank.scripted_solver import served
from tests.questionbank.small_bank import write_question

pytestmark = pytest.mark.django_db

REVIEW_PAIRS = [(pair.original, pair.paraphrase) for pair in labelled_review_pairs()]


def active() -> set[str]:
    return set(User.objects.filter(is_active=True).values_list("username", flat=True))


def test_a_start_asks_for_solutions_that_an_update_removed(monkeypatch):
    monkeypatch.setattr(setup, "artifact_install_default", lambda report: None)
    served({})
    bank_setup(demo=False, report=print)
    assert not Run.objects.filter(kind="solve").exists()  # no question is unsolved
    write_question("A box holds 6 eggs. How many eggs are in 4 boxes?")
    for _start in range(2):
        bank_setup(demo=False, report=print)
    assert Run.objects.filter(kind="solve").count() == 1


def test_each_role_has_a_log_in_and_creating_them_again_changes_nothing():
    demo_people_create()
    demo_people_create()
    assert {(person.username, person.groups.get().name) for person in User.objects.all()} == {
        (username, role) for username, _password, role in DEMO_PEOPLE
    }


def test_production_shuts_out_published_passwords_but_nobody_elses():
    demo_people_create()
    teacher = User.objects.get(username="teacher")
    teacher.set_password("a password of my own")
    teacher.save()
    assert sorted(demo_people_shut_out()) == ["admin", "reviewer"]
    assert active() == {"teacher"}
    assert demo_people_shut_out() == []


def test_going_back_to_the_demo_lets_them_in_again():
    demo_people_create()
    demo_people_shut_out()
    demo_people_create()
    assert active() == {username for username, _password, _role in DEMO_PEOPLE}


def test_the_demo_queue_has_pairs_that_no_scorer_learned_from():
    told = []
    assert demo_review_install(report=told.append)
    assert ParaphrasePair.objects.count() == len(REVIEW_PAIRS) == len(set(REVIEW_PAIRS))
    assert f"{len(REVIEW_PAIRS)} paraphrases" in told[0]
    assert len(Run.objects.get(kind="score").parameters["pairs"]) == len(REVIEW_PAIRS)
    assert not demo_review_install(report=told.append)
    assert ParaphrasePair.objects.count() == len(REVIEW_PAIRS)
    learned = {question_number(text) for pair in story_pairs() for text in (pair.original, pair.paraphrase)}
    assert not any(question_number(text) in learned for pair in REVIEW_PAIRS for text in pair)
