"""Keeping the counts of `FacetCount` short."""

from __future__ import annotations

from django.db import connection

_KEY = "status, language, kind, source, grade, difficulty, concepts"
_SETTLE = f"""
    WITH repeated AS (
        SELECT array_agg(id) AS ids FROM questionbank_facetcount GROUP BY {_KEY} HAVING count(*) > 1
    ), gone AS (
        DELETE FROM questionbank_facetcount WHERE id IN (SELECT unnest(ids) FROM repeated) RETURNING *
    ), kept AS (
        INSERT INTO questionbank_facetcount ({_KEY}, questions)
        SELECT {_KEY}, sum(questions) FROM gone GROUP BY {_KEY} HAVING sum(questions) <> 0
        RETURNING id
    )
    SELECT (SELECT count(*) FROM gone) - (SELECT count(*) FROM kept)
"""  # noqa: S608 - names of this module


def facet_counts_settle() -> int:
    """Sum up the rows of each combination of values; returns how many rows that saves.

    Safe while questions are saved: rows that are added meanwhile stay as they are.
    """
    with connection.cursor() as cursor:
        cursor.execute(_SETTLE)
        return int(cursor.fetchone()[0])
