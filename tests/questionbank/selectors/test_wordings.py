"""A question in all its wordings."""

from __future__ import annotations

import pytest

from questionbank.selectors.questions.wordings import wording_ids
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
