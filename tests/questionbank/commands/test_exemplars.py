"""`manage.py exemplars`: file in, file out."""

from __future__ import annotations

import json
from io import StringIO

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from questionbank.core.errors import ServiceUnavailable
from questionbank.formats import answer_files as files
from questionbank.registry import artifact_services as artifacts
from questionbank.registry.artifact_services import artifact_promote, artifact_register
from questionbank.similar import file_results
from tests.questionbank.scripted_solver import ScriptedSolver

pytestmark = pytest.mark.django_db

CORPUS = [
    {"id": "sum", "text": "Tom has 3 pens and 4 cups.", "equation": "3+4"},
    {"id": 2, "text": "Ann had 9 pies and ate 5.", "program": "subtract(n0,n1)|", "numbers": ["9", "5"]},
    {"id": "steps", "text": "Each of 2 bags holds 8 nuts.", "calculations": ["2*8=16"], "equation": None},
    {"id": "plain", "text": "A shop sold 8 cars, then 2."},
    {"id": "broken", "text": "Of 7 birds 6 flew away.", "equation": "7 minus 6"},
]


@pytest.fixture(autouse=True)
def nothing_is_installed(monkeypatch):
    monkeypatch.setattr(artifacts, "artifact_install_default", lambda report=None: None)


@pytest.fixture(scope="module")
def retriever_folder(tmp_path_factory):
    from analytics.artifacts import Manifest
    from analytics.backbone.export import export_onnx
    from tests.tiny_backbone import tiny_backbone

    folder = tmp_path_factory.mktemp("retriever") / "model"
    about = Manifest(capability="analogy", name="tiny-analogy", extra={"slot_text": True})
    export_onnx(tiny_backbone(), folder, about=about)
    return folder


def write(path, rows) -> str:
    path.write_text("\n".join(row if isinstance(row, str) else json.dumps(row) for row in rows))
    return str(path)


def run(tmp_path, questions, corpus, *arguments: str) -> tuple[list[dict], str]:
    err = StringIO()
    target = tmp_path / "exemplars.jsonl"
    call_command(
        "exemplars",
        *("--input", write(tmp_path / "problems.jsonl", questions)),
        *("--corpus", write(tmp_path / "corpus.jsonl", corpus)),
        *("--output", str(target)),
        *arguments,
        stderr=err,
    )
    return [json.loads(line) for line in target.read_text().splitlines()], err.getvalue()


def test_each_problem_has_its_nearest_with_their_graphs(tmp_path, retriever_folder):
    questions = [{"id": "a", "text": "Tom has 30 pens and 40 cups."}, {"text": "Which one?"}]
    rows, err = run(tmp_path, questions, CORPUS, "--model", str(retriever_folder), "--k", "9")
    first, second = rows
    assert (first["id"], second["id"]) == ("a", "2")
    assert {hit["id"] for hit in first["exemplars"]} == {2, "steps", "plain", "broken"}  # not its own copy
    assert len(second["exemplars"]) == 5
    scores = [hit["score"] for hit in second["exemplars"]]
    assert scores == sorted(scores, reverse=True)
    graphs = {hit["id"]: hit["graph"] for hit in second["exemplars"]}
    assert graphs == {"sum": "+(s0,s1)", 2: "+(-s0,s1)", "steps": "*(s0,s1)", "plain": None, "broken": None}
    assert "1 equation of the corpus cannot be read" in err
    assert "1 question has no numbers to compute with" in err
    assert "No problem of the corpus" not in err
    assert "only 5 problems" in err
    assert "Exemplars of 2 problems" in err


def test_the_retriever_in_use_is_taken_and_a_strange_script_is_compared_by_wording(tmp_path, retriever_folder):
    artifact_promote(artifact=artifact_register(folder=retriever_folder))
    corpus = [*CORPUS, {"id": "zh", "text": "小明有三支铅笔和四个杯子，一共几个？", "equation": "3+4"}]
    rows, err = run(tmp_path, [{"id": 1, "text": "小红有五支铅笔和六个杯子，一共几个？"}], corpus, "--k", "2")
    assert rows[0]["exemplars"][0]["id"] == "zh"
    assert "compared by wording" in err


def test_bad_lines_and_repeated_ids_of_the_corpus_are_named_and_the_others_used(tmp_path, retriever_folder):
    corpus = [CORPUS[0], CORPUS[0], "{", {"id": "x"}, {"id": "y", "text": 5}, CORPUS[3]]
    with pytest.raises(CommandError, match="4 lines of the corpus"):
        run(tmp_path, [{"id": 1, "text": "How many?"}], corpus, "--model", str(retriever_folder))
    (row,) = map(json.loads, (tmp_path / "exemplars.jsonl").read_text().splitlines())
    assert {hit["id"] for hit in row["exemplars"]} == {"sum", "plain"}


def test_a_solution_of_the_wrong_type_is_counted_and_its_problem_found_by_its_text(tmp_path, retriever_folder):
    corpus = [
        {"id": "a", "text": "Ann had 9 pies and ate 5.", "equation": 5},
        {"id": "b", "text": "Ben had 8 figs and ate 2.", "calculations": "8-2=6"},
        {"id": "c", "text": "Cem had 7 nuts and ate 1.", "program": ["subtract(n0,n1)"]},
        {"id": "d", "text": "Dan had 6 eggs and ate 4.", "program": {}, "equation": "6-4", "answer": 2},
        {"id": "e", "text": "Eve had 5 buns and ate 3.", "equation": "5\u00003"},
        {"id": "f", "text": "Fay had 4 plums and ate 3.", "answer": 1},  # has no equation, and none that is wrong
    ]
    question = [{"id": 1, "text": "Gus had 12 limes and ate 7."}]
    (row,), err = run(tmp_path, question, corpus, "--model", str(retriever_folder))
    graphs = {hit["id"]: hit["graph"] for hit in row["exemplars"]}
    assert graphs == {**dict.fromkeys("abcef"), "d": "+(-s0,s1)"}
    assert "4 equations of the corpus cannot be read" in err
    assert "No problem of the corpus" not in err
    assert "no numbers" not in err


def test_a_corpus_without_equations_and_questions_without_numbers_are_told_once(
    tmp_path, retriever_folder, monkeypatch
):
    monkeypatch.setattr(files, "BATCH", 2)
    questions = [{"id": number, "text": text} for number, text in enumerate(["Why?", EGGS, "When?", "Where?"])]
    rows, err = run(tmp_path, questions, [CORPUS[3], CORPUS[4]], "--model", str(retriever_folder))
    assert [len(row["exemplars"]) for row in rows] == [2] * 4
    assert err.count("No problem of the corpus has an equation that can be read, so exemplars") == 1
    assert err.count("no numbers") == 1
    assert "3 questions have no numbers to compute with" in err


@pytest.mark.parametrize(
    ("corpus", "arguments", "message"),
    [
        ([{"id": "x"}], (), "contains no problems"),
        ([""], (), "is empty"),
        (CORPUS, ("--k", "0"), "at least 1"),
        (CORPUS, ("--model", "77"), "has no model with the number 77"),
        (CORPUS, ("--model", "no-folder"), "the number no-folder, and there is no such folder"),
    ],
)
def test_what_cannot_be_done_is_one_sentence_and_nothing_is_written(
    tmp_path, retriever_folder, corpus, arguments, message
):
    with pytest.raises(CommandError, match=message):
        run(tmp_path, [{"id": 1, "text": "?"}], corpus, *(arguments or ("--model", str(retriever_folder))))
    assert not (tmp_path / "exemplars.jsonl").exists()


EGGS = "Of 12 eggs 5 broke, how many are whole?"


def scripted(monkeypatch, solver) -> list[list[str]]:
    """Let the solver with the number 5 be this one; returns what it is told to recall, equation by equation."""
    recalled: list[list[str]] = []

    def recalling(solver, _retriever, *, solved):
        recalled.append([problem.equation for problem in solved])
        return solver

    monkeypatch.setattr(file_results, "solver_by_name", lambda _name: solver)
    monkeypatch.setattr(file_results, "recalling", recalling)
    return recalled


def test_a_solver_moves_problems_up_that_are_computed_alike(tmp_path, retriever_folder, monkeypatch):
    recalled = scripted(monkeypatch, ScriptedSolver({EGGS: [("12-5", 0.9)]}))
    questions = [{"id": 1, "text": EGGS}, {"id": 2, "text": "Nothing to count."}]
    arguments = ("--model", str(retriever_folder), "--k", "5")
    plain, _err = run(tmp_path, questions, CORPUS, *arguments, "--solver", "none")
    assert recalled == []
    helped, _err = run(tmp_path, questions, CORPUS, *arguments, "--solver", "5")
    before, after = ([hit["id"] for hit in rows[0]["exemplars"]] for rows in (plain, helped))
    assert after[0] == 2  # Ann had 9 pies and ate 5
    assert [name for name in before if name != 2] == after[1:]
    assert all(-1 <= hit["score"] <= 1 for hit in helped[0]["exemplars"])
    unsolved = [[hit["id"] for hit in rows[1]["exemplars"]] for rows in (plain, helped)]
    assert unsolved[0] == unsolved[1]


def test_the_solver_does_not_recall_a_question_or_its_copy_from_the_corpus(tmp_path, retriever_folder, monkeypatch):
    recalled = scripted(monkeypatch, ScriptedSolver({}))
    copy = [{"id": 1, "text": "Tom has 30 pens and 40 cups."}]
    run(tmp_path, copy, CORPUS, "--model", str(retriever_folder), "--solver", "5")
    ((*equations,),) = recalled
    assert "3+4" not in equations
    assert "7 minus 6" in equations


class BrokenSolver(ScriptedSolver):
    """Its files are missing."""

    def solve(self, problems, *, beam=3):
        raise ServiceUnavailable("The files are missing.")


def test_without_a_solver_the_retriever_alone_chooses_and_says_so(tmp_path, retriever_folder, monkeypatch):
    question = [{"id": 1, "text": EGGS}]
    model = ("--model", str(retriever_folder))
    plain, _err = run(tmp_path, question, CORPUS, *model, "--solver", "none")
    rows, err = run(tmp_path, question, CORPUS, *model)
    assert rows == plain
    assert "chosen without a solver: There is no solver yet" in err
    with pytest.raises(CommandError, match="no model with the number 77"):
        run(tmp_path, question, CORPUS, *model, "--solver", "77")
    scripted(monkeypatch, BrokenSolver({}))
    rows, err = run(tmp_path, question, CORPUS, *model, "--solver", "5")
    assert rows == plain
    assert "without a solver: The files are missing" in err
