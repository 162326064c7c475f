"""All wordings of a question, the original and its paraphrases, and other questions with the same story."""

from __future__ import annotations

from typing import Any

from django.db import connection

from questionbank.models import ProblemVariant

_SAME_STORY = (ProblemVariant.Kind.REVERSED.value, ProblemVariant.Kind.REORDERED.value)

# Raw SQL: every question's page runs this, and Django takes several times as long to build the query as the database
# to answer it.
_WORDINGS = """
    SELECT id FROM questionbank_question, (
        SELECT coalesce(paraphrase_of_id, id) AS original FROM questionbank_question WHERE id = ANY(%s)
    ) AS asked
    WHERE id = original OR paraphrase_of_id = original
"""
_STORY = f"""
    WITH wordings AS ({_WORDINGS}), variants AS (
        SELECT question_id, added_id FROM questionbank_problemvariant
        WHERE added_id IS NOT NULL AND kind = ANY(%s) AND (
            question_id IN (SELECT id FROM wordings) OR added_id IN (SELECT id FROM wordings)
        )
    )
    SELECT id FROM wordings UNION SELECT added_id FROM variants
    UNION SELECT question_id FROM variants WHERE question_id IS NOT NULL
"""  # noqa: S608 - no user input; a variant may outlive the question it was written from


def wording_ids(question_id: int) -> list[int]:
    """Return the ids of a question, of its original, and of all rewordings of either, with one query.

    The list is empty if there is no such question.
    """
    return _ids(_WORDINGS, [[question_id]])


def story_ids(*question_ids: int) -> list[int]:
    """Return the ids of some questions, of all their wordings, and of the questions made from the same stories.

    A reversed version of a problem reveals its answer.
    """
    return _ids(_STORY, [list(question_ids), list(_SAME_STORY)])


def _ids(query: str, parameters: list[Any]) -> list[int]:
    with connection.cursor() as cursor:
        cursor.execute(query, parameters)
        return [pk for (pk,) in cursor.fetchall()]
