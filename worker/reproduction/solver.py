"""Training and evaluating the arms of Pattern-CL's and Textual-CL's tables, by set, fold and seed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from analytics.analogy.retriever import load_retriever
from analytics.atomic_file import write_text
from analytics.backbone.bert import encode_bulk, load_backbone, recurrent_backbone
from analytics.backbone.sources import MULTILINGUAL_BACKBONE
from analytics.configuration import config_from_strings, named_values
from analytics.errors import DataError
from analytics.question_files import Problems
from analytics.recalling_solver import recalling
from analytics.solver.config import SolverConfig
from analytics.solver.model import SolverModel
from analytics.solver.solution import ProblemSolver
from analytics.solver.train import FittedSolver, fit_problems
from worker.reproduction.runs import (
    PROBLEM_SETS,
    Plan,
    Run,
    RunResult,
    Say,
    part_names,
    part_problems,
    question_numbers,
    run_context,
    run_missing,
    set_backbone,
    wanted_runs,
)
from worker.reproduction.solver_figures import (
    CASE_ARMS,
    COSINES,
    PlacedProblems,
    case_table,
    draw_cases,
    kept_moments,
    known,
    moment,
    moment_observer,
    prototype_map,
    readable,
    representation_tables,
)
from worker.reproduction.solver_representation import centre_cosines, clustering_index, contrasting_pairs, layer_states
from worker.reproduction.solver_tables import ARMS, MULTILINGUAL, RECALLING, RECURRENT, solver_tables
from worker.solver.evaluation import Outcome, figures_of, outcomes_of, retrieval_solvers, term_vectors

_LEARNED = 3_000  # training problems whose clustering is evaluated


@dataclass(frozen=True)
class SolverPlan(Plan):
    """The runs to execute.

    Attributes:
        retriever: folder of the retriever that the arm `RECALLING` queries; it searches its own and the training
            problems.
        moments: number of evenly spaced moments of each training at which its encoder is measured, including the end; 0
            for only the end.
        is_represented: whether to measure the encoders' representations too.
    """

    retriever: Path | None = None
    moments: int = 0
    is_represented: bool = True


def solver_paper_tables(output: Path, options: Mapping[str, Any], say: Say) -> str:
    """Train and evaluate the arms chosen by the options, and return the tables of everything run into the folder."""
    config = config_from_strings(SolverConfig, named_values(options["set"]))
    arms = [arm for arm in ARMS if arm != RECALLING or options["retriever"]]
    plan = SolverPlan.of(
        options,
        config,
        Plan(arms, [config.seed], list(PROBLEM_SETS)),
        retriever=options["retriever"],
        moments=options["moments"],
        is_represented=not options["skip_representation"],
    )
    reproduce_solver(options["data"], output, plan, say=say)
    draw_cases(output)
    return f"{solver_tables(output)}\n{representation_tables(output)}\n\n{case_table(output)}\n"


def reproduce_solver(data: Path, output: Path, plan: SolverPlan, *, say: Say = lambda _line: None) -> list[Path]:
    """Run the missing parts of a plan, into ``SET/fold-N/ARM/seed-N`` or ``SET/ARM/seed-N``.

    Raises:
        DataError: an arm or a set is unknown or missing, a folder holds a run with other settings, or there is no
            retriever for the arm that needs one.
    """
    if RECALLING in plan.arms and plan.retriever is None:
        raise DataError(f"The arm {RECALLING} needs --retriever, the folder of a retriever.")
    parts = [part for chosen in plan.trained_on for part in part_names(chosen)]

    @lru_cache(maxsize=2)  # the arms of a part share its problems
    def problems(part: str) -> Problems:
        return part_problems(data, part, most=plan.questions)

    wanted = wanted_runs(plan.arms, ARMS, parts=parts, seeds=plan.seeds)
    return run_missing(
        output,
        [(run, seed) for run, seed in wanted if run.rpartition("/")[2] not in MULTILINGUAL or _foreign(run)],
        lambda run, seed: _settings(plan, run, seed),
        plan.config,
        lambda run: _run(run, plan, problems),
        say,
    )


def _settings(plan: SolverPlan, run: str, seed: int) -> dict[str, Any]:
    """Return the settings that identify a run; equal settings give equal figures."""
    part, _, arm = run.rpartition("/")
    config = ARMS[arm].config(replace(plan.config, seed=seed, backbone=_backbone(plan, part, arm)))
    settings = {"arm": arm, "part": part, "seed": seed, "problems": plan.questions, "config": config}
    if arm == RECALLING:
        settings["retriever"] = str(plan.retriever)
    if plan.moments and _is_represented(arm):
        settings["moments"] = plan.moments
    return settings


def _is_represented(arm: str) -> bool:
    """Return whether an arm's representation is measured."""
    return ARMS[arm].trains and arm not in (RECALLING, RECURRENT)


def _backbone(plan: SolverPlan, part: str, arm: str = "") -> str:
    """Return the encoder that a set's arms are trained from: the named one, else the set's own."""
    problem_set = PROBLEM_SETS[part.partition("/")[0]]
    encoder_set = replace(problem_set, backbone=MULTILINGUAL_BACKBONE) if arm in MULTILINGUAL else problem_set
    return set_backbone(encoder_set, plan.config.backbone)


def _run(run: Run, plan: SolverPlan, problems_of: Callable[[str], Problems]) -> RunResult:
    arm = run.settings["arm"]
    problems = problems_of(run.settings["part"])
    if arm in MULTILINGUAL:
        foreign = problems_of(_foreign(run.settings["part"]))
        problems = replace(problems, learned=(*problems.learned, *foreign.learned))
    run.say(f"{len(problems.learned):,} problems to learn from, {len(problems.test):,} to test with")
    notes: dict[str, Any] = {}
    model: SolverModel | None = None
    if not ARMS[arm].trains:
        backbone = load_backbone(_backbone(plan, run.settings["part"]), device=plan.config.device)
        frozen = partial(encode_bulk, backbone)
        solver: ProblemSolver = retrieval_solvers(frozen)[arm.replace("-", "_")](problems.learned)
    else:
        fitted = _fitted(run, problems)
        model, notes = fitted.model, fitted.metrics
        solver = model
    if arm == RECALLING and plan.retriever is not None:
        solver = recalling(solver, load_retriever(plan.retriever), solved=problems.learned)
    outcomes = outcomes_of(solver, problems.test, problems.learned, beam=plan.config.beam)
    figures: dict[str, Any] = {"test": figures_of(outcomes)}
    arrays = _arrays(outcomes)
    if (
        model is not None
        and plan.is_represented
        and _is_represented(arm)
        and (measured := measure_representation(model, problems, _title(run))) is not None
    ):
        figures["representation"] = measured.figures | _moments(run, measured, notes, figures["test"])
        arrays[f"test/{COSINES}"] = measured.cosines
        write_text(run.folder / "prototypes.svg", measured.picture)
        if arm in CASE_ARMS:
            measured.placed.save(run.folder)
    return RunResult(notes, figures, arrays)


def _title(run: Run) -> str:
    return f"{ARMS[run.settings['arm']].title} on {run.settings['part']}"


def _moments(
    run: Run, measured: Representation, training: Mapping[str, Any], test: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the moments measured during the training, and its end; empty unless requested."""
    count = run.settings.get("moments", 0)
    if not count:
        return {}
    index = measured.figures["clustering"]["test_by_layer"][-1]
    end = moment(1.0, training["steps"], index, test["answer_accuracy"])
    return {"moments": [*kept_moments(run, count), end]}


def _foreign(run: str) -> str:
    """Return the set in another language that multilingual arms are also trained on.

    Empty if the run's set has none.
    """
    return PROBLEM_SETS[run.partition("/")[0]].foreign


def _fitted(run: Run, problems: Problems) -> FittedSolver:
    """Return the trained solver, which is evaluated in memory and not stored as an artifact."""
    config = SolverConfig(**run.settings["config"])
    count = run.settings.get("moments", 0)
    own_encoder = partial(recurrent_backbone, max_tokens=config.max_tokens, device=config.device)
    return fit_problems(
        replace(problems, test=()),
        config,
        run_context(run),
        start=own_encoder if run.settings["arm"] == RECURRENT else "",
        observer=moment_observer(run, problems.test, count, _title(run)) if count else None,
    )


def _arrays(outcomes: Sequence[Outcome]) -> dict[str, np.ndarray]:
    return {
        "test/problem": question_numbers([outcome.problem.text for outcome in outcomes]),
        "test/id": np.array([outcome.problem.id for outcome in outcomes]),
        "test/equation": np.array([outcome.equation for outcome in outcomes]),
        "test/prototype": np.array([outcome.prototype for outcome in outcomes]),
        "test/is_equation_right": np.array([outcome.is_equation_right for outcome in outcomes]),
        "test/is_answer_right": np.array([outcome.is_answer_right for outcome in outcomes]),
        "test/probability": np.array([outcome.probability for outcome in outcomes]),
        "test/operators": np.array([outcome.operators for outcome in outcomes]),
        "test/is_twin": np.array([outcome.is_twin for outcome in outcomes]),
    }


@dataclass(frozen=True, slots=True)
class Representation:
    """Measurements of an encoder.

    Attributes:
        figures: clustering of training and test problems by layer, and cosines of the two kinds of pairs by layer.
        cosines: (test problems,) to the centre of the prototype equation; NaN if no other problem has it, or if the
            equation cannot be parsed.
        picture: SVG of the test problems of the most frequent prototype equations.
        placed: at most about 3,000 of the training problems, and all test problems, whose equation can be parsed.
    """

    figures: dict[str, Any]
    cosines: npt.NDArray[np.float64]
    picture: str
    placed: PlacedProblems


def measure_representation(model: SolverModel, problems: Problems, title: str) -> Representation | None:
    """Measure the encoder of a solver; None if no equation of a test problem can be parsed.

    Args:
        model: the trained solver.
        problems: its training and test problems.
        title: printed above the picture.
    """
    rows, examples, prototypes = readable(problems.test)
    if not examples:
        return None
    states = layer_states(model, examples)
    top = states.first[-1]
    sample = readable(problems.learned[:: max(1, len(problems.learned) // _LEARNED)])
    learned = layer_states(model, sample.examples).first[-1]
    pairs = contrasting_pairs(term_vectors(examples)[0], prototypes)
    figures = {
        "clustering": {
            "training": known(clustering_index(learned, sample.prototypes)),
            "test_by_layer": [known(clustering_index(layer, prototypes)) for layer in states.first],
        },
        "pairs": {
            name: {"pairs": len(rows), "cosine_by_layer": [known(_mean_cosine(layer, rows)) for layer in states.words]}
            for name, rows in zip(("similar_wording", "same_prototype"), pairs, strict=True)
        },
    }
    cosines = np.full(len(problems.test), np.nan)
    cosines[rows] = centre_cosines(top, prototypes)
    placed = PlacedProblems(
        states=np.concatenate([learned, top]),
        prototypes=np.array([*sample.prototypes, *prototypes]),
        rows=np.array([-1] * len(learned) + rows),
    )
    return Representation(figures, cosines, prototype_map(top, prototypes, title), placed)


def _mean_cosine(vectors: npt.NDArray[np.float32], pairs: npt.NDArray[np.int64]) -> float:
    left, right = vectors[pairs[:, 0]], vectors[pairs[:, 1]]
    lengths = np.linalg.norm(left, axis=1) * np.linalg.norm(right, axis=1)
    cosines = (left * right).sum(axis=1) / np.maximum(lengths, 1e-12)
    return float(cosines.mean()) if len(cosines) else float("nan")
