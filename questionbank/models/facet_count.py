# ruff: noqa: S608 - SQL of names of this module alone
"""Number of questions for each combination of the values that a search filters by, maintained by the database.

Counting a million questions at every search takes a second, so triggers on `Question` and `QuestionTag` record
what each statement adds to and removes from each combination of values. Rows are only inserted, so that two people
who save at once never wait for each other; `bank.search_index` merges rows from time to time.
"""

from __future__ import annotations

import pgtrigger
from django.contrib.postgres.fields import ArrayField
from django.db import models

from questionbank.models.visibility import EVERYBODY


class FacetCount(models.Model):
    """Number of questions added to a combination of values; negative if removed.

    Attributes:
        difficulty: floor(p) + ceil(p) for p per cent, so that a bound in whole per cent is a bound on integers.
        concepts: ids of all concepts with which the questions are tagged, ascending.
        audience: who sees the questions (`questionbank.models.visibility`).
    """

    status = models.CharField(max_length=12)
    language = models.CharField(max_length=12)
    kind = models.CharField(max_length=12)
    source = models.CharField(max_length=120)
    grade = models.CharField(max_length=40)
    difficulty = models.SmallIntegerField(null=True)
    concepts = ArrayField(models.BigIntegerField(), default=list)
    audience = models.BigIntegerField(null=True, default=EVERYBODY, db_default=EVERYBODY)
    questions = models.IntegerField()

    def __str__(self) -> str:
        return f"{self.questions}: {self.status}, {self.language}, {self.kind}, {self.source}, {self.grade}"


_INSERT = """
    INSERT INTO questionbank_facetcount
        (status, language, kind, source, grade, difficulty, concepts, audience, questions)
    SELECT status, language, kind, source, grade,
        floor(difficulty_percent) + ceil(difficulty_percent), concepts, audience, sum(sign)
"""
_TAGS_OF_QUESTION = """
    CROSS JOIN LATERAL (
        SELECT coalesce(array_agg(t.concept_id ORDER BY t.concept_id), '{}') AS concepts
        FROM questionbank_questiontag t WHERE t.question_id = changed.id
    ) tagged
"""
_GROUPED = " GROUP BY 1, 2, 3, 4, 5, 6, 7, 8 HAVING sum(sign) <> 0; RETURN NULL;"
_VALUES = "status, language, kind, source, grade, difficulty_percent, audience"
_COLUMNS = f"id, {_VALUES}"


def _question_function(changed: str) -> str:
    return f"{_INSERT} FROM ({changed}) changed {_TAGS_OF_QUESTION} {_GROUPED}"


def question_triggers() -> list[pgtrigger.Trigger]:
    """Return triggers that count inserted, updated and deleted questions."""
    same = " AND ".join(f"o.{name} IS NOT DISTINCT FROM n.{name}" for name in _VALUES.split(", "))
    columns = ", ".join(f"{{row}}.{name}" for name in _COLUMNS.split(", "))
    changed = " UNION ALL ".join(
        f"SELECT {columns.format(row=row)}, {sign} AS sign"
        f" FROM old_rows o JOIN new_rows n USING (id) WHERE NOT ({same})"
        for row, sign in (("n", 1), ("o", -1))
    )
    return [
        _trigger("count_insert", pgtrigger.Insert, _question_function(f"SELECT {_COLUMNS}, 1 AS sign FROM new_rows")),
        _trigger("count_update", pgtrigger.Update, _question_function(changed)),
        _trigger("count_delete", pgtrigger.Delete, _question_function(f"SELECT {_COLUMNS}, -1 AS sign FROM old_rows")),
    ]


def _tag_function(*, is_new: bool, is_old: bool) -> str:
    """Move each question whose tags changed from its previous set of concepts to the current one.

    The questions are locked first: otherwise a concurrent update of a question would count it with the tags that it
    had before.
    """
    touched = " UNION ".join(
        f"SELECT DISTINCT question_id FROM {rows}"
        for rows, is_wanted in (("new_rows", is_new), ("old_rows", is_old))
        if is_wanted
    )
    present = (
        "SELECT w.question_id, t.concept_id FROM touched w LEFT JOIN questionbank_questiontag t USING (question_id)"
    )
    former = f"({present}" + (" EXCEPT SELECT question_id, concept_id FROM new_rows)" if is_new else ")")
    if is_old:
        former += " UNION SELECT question_id, concept_id FROM old_rows"
    former += " UNION SELECT question_id, NULL::bigint FROM touched"
    sets = " UNION ALL ".join(
        f"""
        SELECT question_id, {sign} AS sign,
            coalesce(array_agg(concept_id ORDER BY concept_id) FILTER (WHERE concept_id IS NOT NULL), '{{}}')
                AS concepts
        FROM ({pairs}) pairs GROUP BY question_id
        """
        for pairs, sign in ((present, 1), (former, -1))
    )
    return f"""
        PERFORM 1 FROM questionbank_question WHERE id IN ({touched}) ORDER BY id FOR NO KEY UPDATE;
        WITH touched AS MATERIALIZED ({touched})
        {_INSERT} FROM ({sets}) sets JOIN questionbank_question q ON q.id = sets.question_id {_GROUPED}
    """


def tag_triggers() -> list[pgtrigger.Trigger]:
    """Return triggers that recount questions when their tags change."""
    return [
        _trigger("count_insert", pgtrigger.Insert, _tag_function(is_new=True, is_old=False)),
        _trigger("count_update", pgtrigger.Update, _tag_function(is_new=True, is_old=True)),
        _trigger("count_delete", pgtrigger.Delete, _tag_function(is_new=False, is_old=True)),
    ]


def _trigger(name: str, operation: pgtrigger.Operation, function: str) -> pgtrigger.Trigger:
    is_new, is_old = operation is not pgtrigger.Delete, operation is not pgtrigger.Insert
    return pgtrigger.Trigger(
        name=name,
        level=pgtrigger.Statement,
        when=pgtrigger.After,
        operation=operation,
        referencing=pgtrigger.Referencing(
            **({"new": "new_rows"} if is_new else {}), **({"old": "old_rows"} if is_old else {})
        ),
        func=" ".join(function.split()),
    )
