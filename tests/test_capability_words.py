"""A capability's word decides nothing outside the three tables and the packages behind them (decision 48)."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from analytics.catalog import CAPABILITIES, lenses
from questionbank.core.capability_contract import BANK_CAPABILITIES
from worker.catalog import WORKER_CAPABILITIES

BASE_DIR = Path(__file__).resolve().parent.parent
WORDS = frozenset(CAPABILITIES)
TABLES = ("analytics/catalog.py", "questionbank/capabilities/table.py", "worker/table.py")
LENSES = frozenset(lenses())


def is_a_capabilitys_own(path: str) -> bool:
    """Whether a file is one of the tables, or belongs to a capability's package."""
    folders = [f"analytics/{word}/" for word in WORDS] + [f"worker/{word}/" for word in WORDS]
    modules = [f"questionbank/capabilities/{word}.py" for word in WORDS]
    return path in (*TABLES, *modules) or path.startswith(tuple(folders))


def word_of(node: ast.expr, words: frozenset[str] = WORDS) -> str:
    """The word that an expression is, or that a tuple or set of constants holds."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value in words:
        return node.value
    if isinstance(node, ast.Tuple | ast.List | ast.Set):
        return next(filter(None, (word_of(item, words) for item in node.elts)), "")
    return ""


def branches(tree: ast.Module, words: frozenset[str] = WORDS) -> Iterator[tuple[int, str]]:
    """Lines on which one of the words decides: a comparison, a table by word, a `match`.

    ``"paraphrase" in row`` asks whether a row has a column. A table with other keys too, or one that is handed to a
    function (the problems of a form, by field), is no table by word.
    """
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    arguments = {id(value) for call in calls for value in (*call.args, *(word.value for word in call.keywords))}
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare):
            sides = list(zip([node.left, *node.comparators], node.ops, node.comparators, strict=False))
            for left, operator, right in sides:
                asked = [left, right] if isinstance(operator, ast.Eq | ast.NotEq) else [right]
                if word := next(filter(None, (word_of(side, words) for side in asked)), ""):
                    yield node.lineno, word
        elif isinstance(node, ast.Dict) and id(node) not in arguments:
            keys = [word_of(key, words) for key in node.keys if key is not None]
            if keys and all(keys):
                yield node.lineno, keys[0]
        elif isinstance(node, ast.MatchValue) and (word := word_of(node.value, words)):
            yield node.lineno, word


@pytest.mark.parametrize(
    ("packages", "words"),
    [(("analytics", "questionbank", "worker"), WORDS), (("questionbank", "worker"), LENSES)],
    ids=["of a capability", "of a lens"],
)
def test_no_code_decides_by_the_word(packages, words):
    problems = []
    for package in packages:
        for path in sorted((BASE_DIR / package).rglob("*.py")):
            name = path.relative_to(BASE_DIR).as_posix()
            if "/migrations/" in name or is_a_capabilitys_own(name):
                continue
            source = path.read_text(encoding="utf-8")
            if any(f'"{word}"' in source for word in words):  # as ruff quotes a constant
                lines = branches(ast.parse(source), words)
                problems += [f"{name}:{line} decides by {word!r}" for line, word in lines]
    assert problems == []


def test_no_template_decides_by_a_capabilitys_word():
    pattern = re.compile(r"""{%\s*(?:if|elif)\b[^%]*["'](""" + "|".join(WORDS) + r""")["'][^%]*%}""")
    problems = [
        f"{path.relative_to(BASE_DIR)}: {match[0]}"
        for path in sorted((BASE_DIR / "templates").rglob("*.html"))
        for match in pattern.finditer(path.read_text(encoding="utf-8"))
    ]
    assert problems == []


@pytest.mark.parametrize(
    "source",
    [
        'if word == "encoder": pass',
        'if word not in ("paraphrase", "solver"): pass',
        'TABLE = {"encoder": 1, "probes": 2}',
        'TABLE = {("train", "probes"): 2}',
        'match word:\n    case "encoder":\n        pass',
    ],
)
def test_the_search_sees_each_kind_of_branch(source):
    assert list(branches(ast.parse(source)))


@pytest.mark.parametrize(
    "source",
    [
        'if "paraphrase" in row: pass',
        'rows = {"original": 1, "paraphrase": 2}',
        'champion = artifact_champion(capability="encoder")',
        'raise ValidationFailed(problem, {"paraphrase": [problem]})',
    ],
)
def test_a_column_or_an_argument_is_no_branch(source):
    assert not list(branches(ast.parse(source)))


def test_the_three_tables_name_the_same_capabilities():
    assert list(CAPABILITIES) == list(BANK_CAPABILITIES) == list(WORKER_CAPABILITIES)
