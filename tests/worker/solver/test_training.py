"""Solver runs on a tiny backbone: trained on the bank, compared, promoted, and the bank solved by it."""

from __future__ import annotations

import numpy as np
import pytest
from django.core.management import call_command
from django.db import connection
from safetensors.numpy import load_file

from analytics.records import ProblemRecord
from analytics.solver.served import DECODER_NAME
from analytics.solver.targets import solver_example, value_of
from questionbank.capabilities.solver import SolverInBank
from questionbank.core.errors import ValidationFailed
from questionbank.jobs import run_services as runs
from questionbank.jobs.resume_services import block_ranges, blocks_plan
from questionbank.models import ModelArtifact, ModelComparison, Question, QuestionSolution, Run, WorkBlock
from questionbank.operations.backups import bank_is_empty
from questionbank.registry.artifact_selectors import artifact_folder
from questionbank.registry.artifact_services import artifact_promote
from questionbank.registry.lifecycle_services import comparison_request
from questionbank.registry.serving import ServedSolver
from questionbank.solving.services import solve_after_promotion, solve_request_missing, unsolved_questions
from questionbank.training.services import training_request
from questionbank.training.solver import solver_material, solver_report
from questionbank.training.start import completed_settings
from tests.factories import asked_of
from tests.questionbank.scripted_solver import ScriptedSolver, served
from tests.questionbank.small_bank import write_question
from tests.questionbank.story_bank import add_problems
from tests.worker.jobs import done
from worker.blocks import do_block
from worker.solver import jobs
from worker.solver.jobs import solver_figures
from worker.tasks import capability_task, compare_models, help_with_job, train_model

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_files", "one_connection")]


@pytest.fixture
def backbone(tiny_folder) -> str:
    return tiny_folder(64)


def tiny_settings(backbone: str, *, max_steps: int) -> dict[str, str]:
    """Of a training that takes a second."""
    return {
        "backbone": backbone, "batch_size": "8", "max_steps": str(max_steps), "measured": "0", "max_tokens": "64",
        "mixed_precision": "no", "device": "cpu",
    }  # fmt: skip


def test_the_parts_share_no_problem_and_keep_what_cannot_be_read_out(db):
    made = add_problems(120)
    write_question("Two and 3 more: how many is that?", equation="2+(3")
    Question.objects.filter(pk=made[0].pk).update(language="de")
    Question.objects.filter(pk=made[1].pk).update(source="Sums test")
    material = solver_material("en")
    problems = material.problems
    parts = [{row.text for row in own} for own in (problems.learned, problems.validation, problems.held_out)]
    assert sum(map(len, parts)) + problems.left_out == 118
    assert not parts[0] & parts[1] | parts[0] & parts[2] | parts[1] & parts[2]
    assert (material.with_equation, material.foreign, material.unreadable, material.test_items) == (121, 1, 1, 1)
    report = solver_report()
    english, chinese = report.tables[0].rows
    assert (english.cells[0], english.cells[-1], chinese.cells[0]) == (len(parts[0]), 1, 0)
    assert len(report.advice) == 2


def test_a_run_trains_a_candidate_on_the_equations_of_the_bank(db, backbone):
    add_problems(60)
    run = training_request(capability="solver", settings=tiny_settings(backbone, max_steps=3), send=False)
    done(run)
    model = ModelArtifact.objects.get()
    assert (model.capability, model.scope, model.state) == ("solver", "en", ModelArtifact.State.CANDIDATE)
    assert model.manifest["metrics"]["test"]["problems"] == len(solver_material("en").problems.held_out)


class TestComparison:
    def figures(self, candidate: dict[str, str], champion: dict[str, str], count: int = 40):
        rows = [f"Ann has {number} pens and gets 3 more of them. How many has she?" for number in range(10, 10 + count)]
        suite = [ProblemRecord(str(number), text, "en", f"{number}+3") for number, text in enumerate(rows, start=10)]
        found = {}
        for role, told in (("candidate", candidate), ("champion", champion)):
            equations = {row.text: [(told.get(row.id, row.equation), 0.9)] for row in suite}
            found[role] = ScriptedSolver(equations).solve(suite)
        return solver_figures(suite, found)

    def test_a_worse_candidate_is_called_worse_and_its_lost_problems_are_listed(self):
        figures = self.figures({str(number): f"{number}-3" for number in range(10, 30)}, {})
        (metric,) = figures["metrics"]
        assert (metric["candidate"], metric["champion"], metric["worse"]) == (0.5, 1.0, True)
        assert (figures["suite"]["won"], figures["suite"]["missed"]) == (0, 20)
        assert figures["changed_problems"][0]["candidate"] == "10-3"

    def test_a_problem_with_only_an_answer_is_won_and_lost_like_one_with_an_equation(self):
        problems = (("24", "6*4", "6+4"), ("10 eggs", "6*4", "6+4"), ("0.67", "4/6", "6/4"), ("many", "6*4", "6+4"))
        suite = [
            ProblemRecord(
                str(number), f"A box holds 6 eggs. How many eggs do 4 boxes of kind {number} hold?", answer=answer
            )
            for number, (answer, _candidate, _champion) in enumerate(problems, start=1)
        ]
        solutions = {
            role: ScriptedSolver(
                {
                    row.text: [(equations[place], 0.9)]
                    for row, (_answer, *equations) in zip(suite, problems, strict=True)
                }
            ).solve(suite)
            for place, role in enumerate(("candidate", "champion"))
        }
        figures = solver_figures(suite, solutions)
        assert figures["suite"] == {
            "questions": 4, "with_equation": 0, "answer_only": 4, "won": 2, "lost": 0, "gained": 0, "missed": 1,
            "seed": 0,
        }  # fmt: skip
        changed = [(row["equation"], row["answer"], row["is_won"]) for row in figures["changed_problems"]]
        assert changed == [("", "24", True), ("", "10 eggs", False), ("", "0.67", True)]

    def test_a_job_compares_on_questions_with_an_equation_and_with_an_answer_only(self, db, monkeypatch):
        add_problems(60)
        held_out = solver_material("en").problems.held_out
        asked = held_out[0]
        question = Question.objects.get(pk=asked.id)
        question.equation.delete()
        options = [{"label": "A", "text": "1"}, {"label": "B", "text": "$13$ of them"}]
        Question.objects.filter(pk=asked.id).update(kind="choice", options=options, answer="B")
        champion, knowing = served({}), ScriptedSolver({asked.text: [("10+3", 0.9)]})
        candidate = ModelArtifact.objects.create(
            capability="solver", scope="en", name="knowing", state="candidate", location="new", checksum="1" * 64,
            manifest={},
        )  # fmt: skip
        solvers = {champion.artifact: champion, candidate: ServedSolver(knowing, candidate)}
        monkeypatch.setattr(jobs, "solver_of", solvers.__getitem__)
        run = comparison_request(candidate=candidate, user=None)
        done(run, compare_models)
        figures = ModelComparison.objects.get().figures
        assert figures["suite"]["with_equation"] == len(held_out) - 1
        assert (figures["suite"]["answer_only"], figures["suite"]["won"], figures["suite"]["missed"]) == (1, 1, 0)
        assert figures["changed_problems"][0]["answer"] == "$13$ of them"

    def test_another_equation_of_the_same_value_is_no_change(self):
        figures = self.figures({"12": "3+12"}, {})
        assert figures["changed_problems"] == []
        assert not figures["metrics"][0]["worse"]


class TestSolving:
    @pytest.fixture
    def solver(self, db, monkeypatch):
        problems = add_problems(5)
        equations = {problem.text: [(problem.equation.expression, 0.75)] for problem in problems[:3]}
        solver = served(equations)
        monkeypatch.setattr(jobs, "solver_in_use", lambda _artifact, **_options: solver)
        return solver

    def test_every_question_is_looked_at_once(self, solver):
        run = solve_request_missing()
        done(run, capability_task("solve"))
        assert run.result == {"solved": 3, "not_solved": 2}
        kept = QuestionSolution.objects.exclude(alternatives=[])
        assert {row.probability for row in kept} == {0.75}
        assert all(row.graph_key == row.question.equation.graph_key for row in kept)
        for row in kept:
            example = solver_example(ProblemRecord("", row.question.text, "en", row.question.equation.expression))
            assert row.alternatives[0]["value"] == value_of(example.tokens, example.values)
        assert solve_request_missing() is None

    def test_a_roll_back_of_probes_does_not_wait_while_solutions_are_stored(self, solver, monkeypatch):
        store, other = jobs.solution_store, connection.copy()
        free = {}

        def look(**values):
            with other.cursor() as cursor:
                for name in ("serving", "serving/probes", "serving/solver", "serving/analogy"):
                    cursor.execute("SELECT pg_try_advisory_lock(hashtext(%s))", [f"kindred/{name}"])
                    free[name] = cursor.fetchone()[0]
                cursor.execute("SELECT pg_advisory_unlock_all()")
            return store(**values)

        monkeypatch.setattr(jobs, "solution_store", look)
        done(solve_request_missing(), capability_task("solve"))
        other.close()
        assert free == {"serving": True, "serving/probes": True, "serving/solver": False, "serving/analogy": False}

    def test_a_worker_is_soon_free_where_the_language_model_is_asked(self, solver, monkeypatch):
        monkeypatch.setattr(jobs, "SECOND_OPINIONS", 2)
        monkeypatch.setattr(jobs, "ASKED_BATCH", 1)
        done(solve_request_missing(), capability_task("solve"))
        assert list(
            WorkBlock.objects.filter(job__startswith="solve/").order_by("first").values_list("size", flat=True)
        ) == [1, 1, 3]

    def test_one_job_waits_at_most_and_none_without_a_solver(self, solver):
        assert solve_request_missing() is not None
        assert solve_request_missing() is None
        ModelArtifact.objects.update(state=ModelArtifact.State.ARCHIVED)
        Run.objects.all().delete()
        assert solve_request_missing() is None

    def test_a_solver_that_is_promoted_asks_for_a_job_only_where_it_finds_something_to_solve(self, solver):
        assert solve_after_promotion() == f"Word problems are solved again by job {Run.objects.get(kind='solve').pk}."
        Question.objects.all().delete()
        Run.objects.all().delete()
        assert solve_after_promotion() == ""
        assert bank_is_empty()  # so a backup can be restored into a new bank

    def test_each_question_is_solved_by_the_solver_of_its_language(self, solver, monkeypatch):
        first, second, third, *_rest = Question.objects.order_by("pk")
        chinese = served({second.text: [(second.equation.expression, 0.5)]}, "zh")
        solvers = {artifact.pk: own for own in (solver, chinese) for artifact in [own.artifact]}
        monkeypatch.setattr(jobs, "solver_in_use", lambda artifact, **_options: solvers[artifact.pk])
        Question.objects.filter(pk=second.pk).update(language="zh-Hans")
        Question.objects.filter(pk=third.pk).update(language="de")
        run = solve_request_missing()
        capability_task("solve")(run.pk)
        kept = {row.question_id: row for row in QuestionSolution.objects.all()}
        assert {number for number, row in kept.items() if row.artifact == chinese.artifact} == {second.pk}
        assert kept[second.pk].probability == 0.5
        assert kept[first.pk].artifact == kept[third.pk].artifact == solver.artifact
        assert not unsolved_questions(solver.artifact).exists()
        artifact_archive_all("en")
        assert set(unsolved_questions(chinese.artifact)) == set(Question.objects.exclude(pk=second.pk))

    def test_a_job_that_solves_nothing_says_so(self, solver):
        solver.solver.equations = {}
        run = solve_request_missing()
        capability_task("solve")(run.pk)
        run.refresh_from_db()
        assert run.result == {"solved": 0, "not_solved": Question.objects.count()}

    def test_nothing_is_kept_of_a_solver_that_serves_no_more(self, solver, monkeypatch):
        ids = list(Question.objects.order_by("pk").values_list("pk", flat=True))
        job = jobs.SolveBlocks(solver.artifact)
        blocks_plan(job=job.name, ranges=block_ranges(ids, 2))
        monkeypatch.setattr(jobs, "artifact_champion", lambda **_which: None)
        assert do_block(job)
        assert not QuestionSolution.objects.exists()
        assert not do_block(job)  # another plan will name the solver that serves now

    def test_a_helper_solves_what_the_run_would(self, solver):
        run = solve_request_missing()
        runs.run_start(run_id=run.pk, worker="one")
        ids = list(Question.objects.order_by("pk").values_list("pk", flat=True))
        name = jobs.SolveBlocks(solver.artifact).name
        blocks_plan(job=name, ranges=block_ranges(ids, 2))
        assert help_with_job(run.pk, name) == -(-len(ids) // 2)
        assert not unsolved_questions(solver.artifact).exists()


def artifact_archive_all(scope: str) -> None:
    ModelArtifact.objects.filter(scope=scope).update(state=ModelArtifact.State.ARCHIVED)


def test_a_chinese_solver_learns_from_chinese_problems_on_an_encoder_that_reads_them(db, backbone):
    made = add_problems(60)
    chosen = training_request(capability="solver", answers={"language": "zh"}, send=False)
    assert asked_of(chosen) == {"language": "zh", "set": {"backbone": "multilingual-e5-small"}}
    chosen.delete()
    settings = tiny_settings(backbone, max_steps=2)
    run = training_request(capability="solver", settings=settings, answers={"language": "zh"}, send=False)
    train_model(run.pk)
    run.refresh_from_db()
    assert "No ready question in Chinese" in run.error
    Question.objects.filter(pk__in=[question.pk for question in made[:40]]).update(language="zh")
    assert run.title == "Train the solver for Chinese problems"
    with pytest.raises(ValidationFailed, match="“fr” cannot be chosen; the choices are en, zh"):
        training_request(capability="solver", answers={"language": "fr"}, send=False)
    again = training_request(capability="solver", settings=settings, answers={"language": "zh"}, send=False)
    train_model(again.pk)
    model = ModelArtifact.objects.get()
    assert (model.scope, model.manifest["extra"]["languages"]) == ("zh", ["zh"])
    assert "--language zh" in model.manifest["extra"]["command"]
    artifact_promote(artifact=model)
    with pytest.raises(ValidationFailed, match="no model is in use"):
        training_request(capability="solver", settings={"backbone": "in use"}, answers={"language": "en"}, send=False)
    further = training_request(
        capability="solver", settings={"backbone": "in use"}, answers={"language": "zh"}, send=False
    )
    assert further.parameters["start"] == model.pk


def test_the_page_of_a_comparison_leaves_deleted_questions_out(db):
    question = add_problems(1)[0]
    rows = [{"question": question.pk}, {"question": question.pk + 1}]
    jobs = ModelComparison(figures={"changed_problems": rows})
    assert SolverInBank().shown(jobs) == {"changed_problems": rows[:1]}


def test_the_command_trains_the_solver_in_use_further_unless_a_backbone_is_named(
    db, backbone, no_default_models, capsys
):
    add_problems(60)
    tiny = ("max_steps=2", "batch_size=8", "measured=0", "max_tokens=64", "mixed_precision=no", "device=cpu")
    common = [word for setting in tiny for word in ("--set", setting)]
    call_command("train", "solver", "--set", f"backbone={backbone}", *common)
    first = ModelArtifact.objects.get()
    assert "trained further" not in capsys.readouterr().out
    artifact_promote(artifact=first)
    call_command("train", "solver", *common)
    assert "The model in use is trained further" in capsys.readouterr().out
    second = ModelArtifact.objects.exclude(pk=first.pk).get()
    assert second.manifest["config"] == first.manifest["config"] | {
        "backbone": f"model {first.pk}", "epochs": 5, "learning_rate": 2e-5, "decoder_learning_rate": 2e-4,
    }  # fmt: skip
    assert second.manifest["extra"]["constants"] == first.manifest["extra"]["constants"]
    assert "--set 'backbone=model" in second.manifest["extra"]["command"]
    assert completed_settings(capability="solver", settings={}, scope="zh") == {}
    assert completed_settings(capability="analogy", settings={}) == {}


def test_the_command_of_a_training_from_the_plain_encoder_names_it(db):
    run = training_request(capability="solver", send=False)
    assert asked_of(run) == {"language": "en", "set": {"backbone": "all-MiniLM-L6-v2"}}


def test_a_solver_is_trained_further_with_its_decoder(db, backbone):
    add_problems(60)
    settings = tiny_settings(backbone, max_steps=2)
    with pytest.raises(ValidationFailed, match="no model is in use"):
        training_request(capability="solver", settings={"backbone": "in use"}, send=False)
    train_model(training_request(capability="solver", settings=settings, send=False).pk)
    first = ModelArtifact.objects.get()
    artifact_promote(artifact=first)
    still = {"learning_rate": "1e-8", "decoder_learning_rate": "1e-8"}
    train_model(
        training_request(capability="solver", settings={**settings, **still, "backbone": "in use"}, send=False).pk
    )
    second = ModelArtifact.objects.exclude(pk=first.pk).get()
    assert second.name.startswith("tiny-solver-")
    decoders = [load_file(artifact_folder(artifact) / DECODER_NAME) for artifact in (first, second)]
    assert decoders[0].keys() == decoders[1].keys()
    for name, weights in decoders[0].items():
        np.testing.assert_allclose(weights, decoders[1][name], atol=1e-3)
