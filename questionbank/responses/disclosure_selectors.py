"""What could be found out about single pupils by comparing figures, so that these figures are withheld."""

from __future__ import annotations

from django.db import connection

from questionbank.models import ResponseSet
from questionbank.responses.figures import FEWEST_PUPILS

_NEARLY_SAME = """
    WITH mine AS (
        SELECT question_id, person, score, choice FROM questionbank_response
        WHERE response_set_id = %(set)s AND attempt = 1
    ), theirs AS (
        SELECT response_set_id, question_id, person, score, choice FROM questionbank_response
        WHERE response_set_id < %(set)s AND attempt = 1 AND question_id IN (SELECT question_id FROM mine)
    ), compared AS (
        SELECT theirs.response_set_id, question_id, count(*) AS size, count(mine.person) AS same
        FROM theirs LEFT JOIN mine USING (question_id, person, score, choice) GROUP BY 1, 2
    )
    SELECT DISTINCT question_id FROM compared
    JOIN questionbank_responseset earlier ON earlier.id = response_set_id
    JOIN (SELECT question_id, count(*) AS own_size FROM mine GROUP BY 1) counted USING (question_id)
    WHERE same > 0 AND earlier.removed + size + own_size - 2 * same BETWEEN 1 AND %(fewest)s - 1
"""


def nearly_repeated_questions(*, response_set: ResponseSet) -> set[int]:
    """Return the questions whose responses an earlier set has too, but for fewer than five pupils.

    Their figures in the two sets would differ by what these pupils answered. Pupils who were deleted from the earlier
    set are still in its figures.
    """
    with connection.cursor() as cursor:
        cursor.execute(_NEARLY_SAME, {"set": response_set.pk, "fewest": FEWEST_PUPILS})
        return {row[0] for row in cursor.fetchall()}


def is_frozen(response_set: ResponseSet) -> bool:
    """Return whether a set keeps its figures although pupils were deleted: new ones would tell what these answered."""
    return 0 < response_set.removed < FEWEST_PUPILS
