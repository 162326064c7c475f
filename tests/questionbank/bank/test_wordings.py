"""A question in all its wordings."""

from __future__ import annotations

import pytest

from questionbank.bank.question_selectors import story_ids, wording_ids
from questionbank.models import ProblemVariant
from tests.questionbank.small_bank import add_question

pytestmark = pytest.mark.django_db


def test_all_wordings_are_those_of_the_original_whichever_is_asked_for(django_assert_num_queries):
    original = add_question("How much is 3 + 4?")
    wordings = [add_question(f"What is 3 + 4, {end}?", paraphrase_of=original) for end in ("please", "then")]
    add_question("How much is 5 + 4?")
    expected = {question.pk for question in (original, *wordings)}
    for question in (original, wordings[0]):
        with django_assert_num_queries(1):
            assert set(wording_ids(question.pk)) == expected
    assert wording_ids(0) == []


def test_a_reversed_version_tells_the_same_story_and_a_similar_problem_another():
    asked, reverse, similar, orphan = (add_question(f"How much is 3 + {number}?") for number in range(4))
    kinds = ProblemVariant.Kind
    for question, kind, added in (
        (asked, kinds.REVERSED, reverse),
        (asked, kinds.SIMILAR, similar),
        (None, kinds.REORDERED, orphan),
    ):
        ProblemVariant.objects.create(
            question=question, kind=kind, added=added, state="accepted", text="5 and 2?", equation="5+2", answer="7"
        )
    assert set(story_ids(asked.pk)) == set(story_ids(reverse.pk)) == {asked.pk, reverse.pk}
    assert story_ids(similar.pk) == [similar.pk]
    assert story_ids(orphan.pk) == [orphan.pk]
