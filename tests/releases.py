"""The releases that docs/upgrading.md lists, and how the rows of two banks are compared."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

UPGRADING = Path(__file__).resolve().parent.parent / "docs" / "upgrading.md"
Rows = dict[str, list[dict[str, Any]]]

# What migrations have computed anew: search and vectors of what is read otherwise (0054), and difficulties (0065).
CHANGING = {
    "questionbank_question": {"search_text", "search_vector", "tokens", "difficulty_percent"},
    "questionbank_questionembedding": {"content_hash"},
}
UNCOUNTED = {"questionbank_facetcount", "questionbank_workerheartbeat"}  # sums that are settled, and who is alive
RENAMED = {"blank": "blanks"}  # kinds of questions


@dataclass(frozen=True)
class Release:
    """A row of the table."""

    number: str
    commit: str
    newest: tuple[str, ...]  # names of migrations


def releases() -> list[Release]:
    """Return the releases, oldest first."""
    rows = re.findall(
        r"^\| (\d+\.\d+\.\d+) \| [\d-]+ \| `(\w+)` \| (.+) \|$", UPGRADING.read_text(encoding="utf-8"), re.MULTILINE
    )
    return [Release(number, commit, tuple(re.findall(r"\w+", newest))) for number, commit, newest in reversed(rows)]


def bank_rows() -> dict[str, list[dict[str, Any]]]:
    """Return the rows of the bank's own tables, each in the order of its primary key.

    Earlier releases run this function by its source, so it imports what it needs.
    """
    import json

    from django.db import connection

    rows = {}
    with connection.cursor() as cursor:
        for table in sorted(connection.introspection.table_names(cursor)):
            if table.startswith("questionbank_"):
                key = connection.introspection.get_primary_key_column(cursor, table)
                cursor.execute(f'SELECT to_jsonb(t)::text FROM "{table}" t ORDER BY "{key}"')
                rows[table] = [json.loads(row) for (row,) in cursor.fetchall()]
    return rows


def differences(before: Rows, after: Rows) -> list[str]:
    """Return a sentence for each table that lost rows, or whose rows differ in a column that both have.

    Rows are those that were there before: tables are compared as far as `before` goes.
    """
    found = []
    for table, rows in before.items():
        now = after.get(table, [])[: len(rows)]
        if table in UNCOUNTED or not rows:
            continue
        if len(rows) != len(now):
            found.append(f"{table} has {len(now)} of {len(rows)} rows")
            continue
        columns = (rows[0].keys() & now[0].keys()) - CHANGING.get(table, set())
        changed = {
            name
            for name in columns
            for old, new in zip(rows, now, strict=True)
            if old[name] != new[name] and not (name == "kind" and RENAMED.get(old[name]) == new[name])
        }
        if changed:
            found.append(f"{table} differs in {', '.join(sorted(changed))}")
    return found
