"""Whether both texts of a pair are solved alike."""

from __future__ import annotations

import pytest
from django.urls import reverse

from questionbank.models import ParaphrasePair
from questionbank.review.evidence_services import pairs_solved
from questionbank.review.selectors import _solved_columns
from tests.questionbank.scripted_solver import served

pytestmark = pytest.mark.django_db

ORIGINAL = "A box holds 6 eggs. How many eggs are there in 4 boxes?"
SAME = "There are 6 eggs in every box. How many of them are in 4 boxes?"
OTHER = "There are 6 eggs in a box and 4 outside of it. How many eggs is that?"


def pair(paraphrase: str) -> ParaphrasePair:
    return ParaphrasePair(original=ORIGINAL, paraphrase=paraphrase)


def test_equal_answers_agree_and_others_do_not():
    solver = served({ORIGINAL: [("6*4", 0.9)], SAME: [("4*6", 0.8)], OTHER: [("6+4", 0.7)]})
    same, mismatch = pairs_solved([pair(SAME), pair(OTHER)], lambda _language: solver)
    assert same["agree"] is True
    assert same["paraphrase"] == {"equation": "4*6", "answer": "24", "probability": 0.8}
    assert mismatch["agree"] is False
    assert mismatch["original"]["answer"] == "24"


@pytest.mark.parametrize("told", [{ORIGINAL: [("6*4", 0.9)]}, {ORIGINAL: [("6*4", 0.9)], SAME: [("4*6", 0.2)]}])
def test_what_is_not_solved_or_uncertain_says_nothing_about_agreement(told):
    solver = served(told)
    (evidence,) = pairs_solved([pair(SAME)], lambda _language: solver)
    assert evidence["agree"] is None


def test_texts_that_are_no_word_problems_and_no_solver_give_nothing():
    solver = served({})
    assert pairs_solved([pair("What is $x^2$?")], lambda _language: solver) == [None]
    assert pairs_solved([pair(SAME)], lambda _language: None) == [None]


def test_each_pair_is_solved_by_the_solver_of_its_language():
    english, chinese = served({ORIGINAL: [("6*4", 0.9)], SAME: [("4*6", 0.8)]}), served({}, "zh")
    foreign = ParaphrasePair(original=ORIGINAL, paraphrase=SAME, language="zh")
    solvers = {"en": english, "zh": chinese}
    first, second, third = pairs_solved([foreign, pair(SAME), foreign], solvers.__getitem__)
    assert first == third
    assert (first["original"], first["agree"]) == (None, None)
    assert second["agree"] is True


def test_reviewers_read_both_equations_and_the_export_has_them(client, reviewer):
    evidence = {
        "solver": "tiny",
        "original": {"equation": "6*4", "answer": "24", "probability": 0.9},
        "paraphrase": {"equation": "6+4", "answer": "10", "probability": 0.7},
        "agree": False,
    }
    kept = ParaphrasePair.objects.create(
        original=ORIGINAL, paraphrase=OTHER, source=ParaphrasePair.Source.TYPED, solved=evidence
    )
    client.force_login(reviewer)
    page = client.get(reverse("review_pair", args=[kept.pk])).content.decode()
    assert "The solver finds different answers for the two texts." in page
    assert "<code>6+4</code> = 10" in page
    assert _solved_columns(kept) == (False, "6*4 = 24", "6+4 = 10")
    assert _solved_columns(pair(SAME)) == (None, "", "")


def test_equations_of_which_the_solver_is_unsure_are_folded_away(client, reviewer):
    guess = {"equation": "6-4", "answer": "2", "probability": 0.2}
    kept = ParaphrasePair.objects.create(
        original=ORIGINAL,
        paraphrase=SAME,
        source=ParaphrasePair.Source.TYPED,
        solved={"solver": "tiny", "original": guess, "paraphrase": guess, "agree": None},
    )
    client.force_login(reviewer)
    page = client.get(reverse("review_pair", args=[kept.pk])).content.decode()
    unsure = page.index("The solver is too unsure of these texts")
    folded = page.index("<details", unsure)
    assert unsure < folded < page.index("<code>6-4</code>") < page.index("</details>", folded)
