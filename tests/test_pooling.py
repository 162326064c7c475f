"""Statements that a pool of connections in transaction mode breaks: what they set or hold outlives the transaction."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

BASE_DIR = Path(__file__).resolve().parents[1]

SESSION_STATE = re.compile(
    r"""(?:
        (?:^|;) \s* SET \s+ (?!LOCAL\b|TRANSACTION\b) (?:SESSION\s+)? [a-z_.]+ \s* (?:=|TO\b)
        | RESET \s+ [a-z_]+ | DISCARD \s+ | (?:UN)?LISTEN \s+ \w+ | PREPARE \s+ \w+ \s+ AS
        | DECLARE \s+ \w+ .* CURSOR \s+ WITH \s+ HOLD
        | pg_(?:try_)?advisory_(?:lock|unlock)\w*
        | set_config \( [^)]* ,\s*false\s* \)
        | CREATE \s+ TEMP(?:ORARY)? \s+ TABLE (?! [\s\S]* ON \s+ COMMIT \s+ DROP)
    )""",
    re.VERBOSE,
)

# These never go through a pool.
DIRECT = {
    "questionbank/core/outage.py": "a limit of each connection that serves pages: not set behind a pooler",
    "questionbank/operations/backup_database.py": "in the maintenance database, by commands",
}


def statements(path: Path) -> list[str]:
    """Return the text of all strings but docstrings; what a string of pieces puts in is left out."""
    tree = ast.parse(path.read_text("utf-8"))
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    no_statement = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, documented) and node.body and isinstance(node.body[0], ast.Expr)
    }
    pieces = {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values}
    texts: list[str] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            texts.append("".join(str(part.value) if isinstance(part, ast.Constant) else "{" for part in node.values))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in no_statement | pieces:
            texts.append(node.value)
    return texts


@pytest.mark.parametrize(
    ("statement", "breaks"),
    [
        ("SET statement_timeout = 5", True),
        ("SET maintenance_work_mem = '512MB'", True),
        ("RESET maintenance_work_mem", True),
        ("SELECT pg_advisory_lock(%s)", True),
        ("SELECT pg_try_advisory_lock(%s, %s)", True),
        ("LISTEN runs", True),
        ("CREATE TEMPORARY TABLE staged (id bigint)", True),
        ("CREATE TEMPORARY TABLE staged (id bigint) ON COMMIT DROP", False),
        ("SET LOCAL lock_timeout = '1s'", False),
        ("SELECT pg_advisory_xact_lock(%s)", False),
        ("SELECT set_config('hnsw.ef_search', %s, true)", False),
        ("UPDATE q SET version = 1", False),
        ("ON CONFLICT DO UPDATE SET vector = excluded.vector", False),
        ("Set everything up", False),
    ],
)
def test_session_state_is_recognised(statement, breaks):
    assert bool(SESSION_STATE.search(statement)) == breaks


def test_no_statement_but_those_listed_breaks_behind_a_pool():
    modules = [
        path
        for name in ("questionbank", "worker")
        for path in sorted((BASE_DIR / name).rglob("*.py"))
        if "migrations" not in path.parts
    ]
    found = {
        str(path.relative_to(BASE_DIR))
        for path in modules
        if any(SESSION_STATE.search(text) for text in statements(path))
    }
    assert found == set(DIRECT)
