"""`manage.py solve`: file in, file out."""

from __future__ import annotations

import json
from io import StringIO

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from questionbank.registry import artifact_services as artifacts
from questionbank.registry import serving
from tests.questionbank.scripted_solver import served

pytestmark = pytest.mark.django_db

BOXES = "A box holds 6 eggs. How many eggs are there in 4 boxes?"
EGGS = "一盒有6个鸡蛋，4盒有多少个？"
SHARED = "Seven friends share 3 cakes. How much does each of them get?"
ODD = "A number is 5 minus 5, and 8 is divided by it. What is the result of this?"


@pytest.fixture(autouse=True)
def nothing_is_installed(monkeypatch):
    monkeypatch.setattr(artifacts, "artifact_install_default", lambda report=None: None)


def run(tmp_path, lines: list[str], *arguments: str) -> tuple[list[dict], str]:
    source, target = tmp_path / "problems.jsonl", tmp_path / "solutions.jsonl"
    source.write_text("\n".join(lines), encoding="utf-8")
    err = StringIO()
    call_command("solve", "--input", str(source), "--output", str(target), *arguments, stderr=err)
    return [json.loads(line) for line in target.read_text(encoding="utf-8").splitlines()], err.getvalue()


def test_each_problem_has_an_answer_or_a_reason(tmp_path, monkeypatch):
    solver = served({BOXES: [("6*4", 0.9), ("6+4", 0.05)], SHARED: [("3/7", 0.8)], ODD: [("8/(5-5)", 0.4)]})
    monkeypatch.setattr(serving, "solver_of", lambda _artifact: solver)
    texts = [BOXES, SHARED, ODD, "Why is a square a rectangle?"]
    rows, err = run(tmp_path, [json.dumps({"id": number, "text": text}) for number, text in enumerate(texts)])
    assert [row["id"] for row in rows] == [0, 1, 2, 3]
    boxes, shared, odd, none = rows
    assert (boxes["equation"], boxes["prototype"], boxes["answer"], boxes["exact"]) == ("6*4", "N0*N1", 24.0, "24")
    assert boxes["steps"] == ["6 * 4 = 24"]
    assert boxes["alternatives"] == [{"equation": "6+4", "prototype": "N0+N1", "answer": 10.0, "probability": 0.05}]
    assert "reason" not in boxes
    assert (shared["exact"], round(shared["answer"], 4)) == ("3/7", 0.4286)
    assert odd["answer"] is None
    assert "no value" in odd["reason"]
    assert none["answer"] is none["equation"] is none["probability"] is None
    assert "no number" in none["reason"]
    assert "4 solutions" in err


def test_without_a_solver_it_says_what_to_do(tmp_path):
    with pytest.raises(CommandError, match="no solver yet"):
        run(tmp_path, [json.dumps({"text": BOXES})])
    with pytest.raises(CommandError, match="no model with the number 99"):
        run(tmp_path, [json.dumps({"text": BOXES})], "--model", "99")


def test_lines_that_cannot_be_read_are_named_and_the_others_done(tmp_path, monkeypatch):
    solver = served({BOXES: [("6*4", 0.9)]})
    monkeypatch.setattr(serving, "solver_of", lambda _artifact: solver)
    with pytest.raises(CommandError, match="1 of 2 lines"):
        run(tmp_path, [json.dumps({"text": BOXES}), "{"])
    assert json.loads((tmp_path / "solutions.jsonl").read_text())["answer"] == 24.0


def test_each_problem_is_solved_by_the_solver_of_its_language(tmp_path, monkeypatch):
    solvers = [served({BOXES: [("6*4", 0.9)]}), served({EGGS: [("6*4", 0.8)]}, "zh")]
    monkeypatch.setattr(serving, "solver_of", {solver.artifact: solver for solver in solvers}.__getitem__)
    lines = [
        json.dumps({"id": "b", "text": EGGS, "language": "zh-Hans"}),
        json.dumps({"id": "a", "text": BOXES, "language": "en"}),
    ]
    chinese, english = run(tmp_path, lines)[0]
    assert (chinese["answer"], chinese["probability"]) == (24.0, 0.8)
    assert (english["answer"], english["probability"]) == (24.0, 0.9)
