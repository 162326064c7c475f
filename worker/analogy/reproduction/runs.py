"""Training and measuring the arms of Learning by Analogy's tables, by set, fold and seed.

A part's test problems look for exemplars among the problems that it is learned from. There is no generator: a way of
finding exemplars is measured by their graphs, and by retrieve-and-apply.
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import Any

import numpy.typing as npt

from analytics.analogy.config import AnalogyConfig
from analytics.analogy.examples import read_graphs, with_positive
from analytics.analogy.retrieve_and_apply import Filled
from analytics.analogy.train import train_retriever
from analytics.backbone.bert import encode_bulk, load_backbone
from analytics.catalog import CAPABILITIES, resolve
from analytics.configuration import config_to_dict
from analytics.errors import DataError
from analytics.problem_files import Problems
from worker.analogy.arms import Arm as Similarities
from worker.analogy.arms import bound_arm, random_arm, tfidf_arm, vector_arm
from worker.analogy.figures import Columns, QuestionSet, figures_of, measure_arm
from worker.analogy.reproduction.arms import ARMS, REWRITTEN, SETS
from worker.analogy.rewriting import RuleRewriter, rewritten_pairs
from worker.reproduction.problem_sets import part_names, part_problems
from worker.reproduction.runs import Run, RunResult, Say, question_numbers, run_missing
from worker.reproduction.trained import trained_folder, wanted_runs

__all__ = ["TWINS", "Plan", "reproduce_analogy"]

TWINS = {"with_twins": True, "without_twins": False}
"""Whether problems that differ from a question in numbers alone may be its exemplars."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What shall be run.

    Attributes:
        arms: keys of `ARMS`.
        seeds: of training.
        sets: to train on, as `part_names` takes them.
        measured: sets that every arm is measured on beside the part that it was trained on.
        problems: learn from so many of each set at most, and ask so many; 0 for all.
        k: exemplars of a question.
        config: what all arms share; an arm's own settings come on top.
    """

    arms: Sequence[str]
    seeds: Sequence[int]
    sets: Sequence[str]
    measured: Sequence[str] = ()
    problems: int = 0
    k: int = 8
    config: AnalogyConfig = field(default_factory=AnalogyConfig)


def reproduce_analogy(data: Path, output: Path, plan: Plan, *, say: Say = lambda _line: None) -> list[Path]:
    """Run what is missing of a plan; a training that was stopped goes on from its checkpoint.

    Args:
        data: the folder that holds a folder for each public set.
        output: gets ``SET/fold-N/ARM/seed-N`` for each run, or ``SET/ARM/seed-N``.
        plan: what to run.
        say: told what happens, a line at a time.

    Returns:
        The folders of the runs, in order.

    Raises:
        DataError: an arm or a set is unknown or missing, or a folder holds a run with other settings.
    """
    measured = [part for chosen in plan.measured for part in part_names(chosen, SETS)]
    parts = [part for chosen in plan.sets for part in part_names(chosen, SETS)]
    return run_missing(
        output,
        wanted_runs(plan.arms, ARMS, parts=parts, seeds=plan.seeds),
        lambda run, seed: _settings(plan, measured, run, seed),
        config_to_dict(AnalogyConfig()),
        lambda run: _run(run, plan, data),
        say,
    )


def _settings(plan: Plan, measured: Sequence[str], run: str, seed: int) -> dict[str, Any]:
    """Return what identifies a run; equal settings give equal figures."""
    part, _, arm = run.rpartition("/")
    arm_settings = ARMS[arm].settings
    encoder = {"backbone": plan.config.backbone, "max_tokens": plan.config.max_tokens}
    config = (
        encoder if arm_settings is None else config_to_dict(replace(plan.config, seed=seed, **arm_settings))
    )
    return {
        "arm": arm,
        "part": part,
        "measured": list(dict.fromkeys((part, *measured))),
        "seed": seed,
        "problems": plan.problems,
        "k": plan.k,
        "config": config,
    }


def _run(run: Run, plan: Plan, data: Path) -> RunResult:
    part: str = run.settings["part"]
    problems = part_problems(data, part, SETS, most=plan.problems)
    folder: Path | None = None
    notes: dict[str, Any] = {}
    if ARMS[run.settings["arm"]].settings is not None:
        config = AnalogyConfig(**run.settings["config"])
        folder, notes = trained_folder(
            run,
            config,
            lambda folder, context: train_retriever(
                _to_learn(problems, run.settings["arm"], config), config, folder, context
            ),
        )
    sets: dict[str, Any] = {}
    outcomes: dict[str, npt.NDArray[Any]] = {}
    for name in run.settings["measured"]:
        asked = problems if name == part else part_problems(data, name, SETS, most=plan.problems)
        questions = _questions(asked)
        run.say(
            f"{len(questions.parts[0][0]):,} questions of {name}, {len(questions.parts[0][1]):,} exemplars"
        )
        similarities = _similarities(run.settings["arm"], questions, folder, plan.config)
        sets[name] = _counts(asked, questions)
        rows = questions.parts[0][0].tolist()
        outcomes[f"{name}/question"] = question_numbers(
            [questions.examples[row].problem.text for row in rows]
        )
        filled: dict[int, Filled] = {}
        for word, twins in TWINS.items():
            columns = measure_arm(questions, similarities, plan.k, filled, twins=twins)
            sets[name][word] = figures_of(columns)
            outcomes |= {f"{name}/{word}/{key}": values for key, values in _arrays(columns).items()}
    shutil.rmtree(run.folder / "model", ignore_errors=True)
    return RunResult(notes, sets, outcomes)


def _to_learn(problems: Problems, arm: str, config: AnalogyConfig) -> Problems:
    """Return what an arm learns from: the part's problems, or pairs of them and their rewritings."""
    if arm != REWRITTEN:
        return replace(problems, test=())
    pairs = rewritten_pairs(problems.learned, RuleRewriter(), seed=config.seed)
    return Problems(tuple(chain.from_iterable(pairs)), problems.validation)


def _questions(problems: Problems) -> QuestionSet:
    """Return the test problems that have a graph, asked of those learned from.

    Raises:
        DataError: there are none.
    """
    asked, _without = read_graphs(problems.test)
    corpus, _without = read_graphs(problems.learned)
    if not asked or not corpus:
        raise DataError("No test problem has a graph, or no problem that is learned from has one.")
    return QuestionSet.of(asked, corpus)


def _counts(problems: Problems, questions: QuestionSet) -> dict[str, Any]:
    """Return what Table 1 says of a set, as far as graphs go."""
    asked, corpus = questions.parts[0]
    learned = [questions.examples[row] for row in corpus]
    return {
        "questions": len(asked),
        "questions_without_graph": len(problems.test) - len(asked),
        "questions_with_twin": questions.twin_share,
        "corpus": len(corpus),
        "corpus_without_graph": len(problems.learned) - len(corpus),
        "corpus_with_positive": len(with_positive(learned, "graph")),
    }


def _similarities(
    arm: str, questions: QuestionSet, folder: Path | None, config: AnalogyConfig
) -> Similarities:
    texts = [example.problem.text for example in questions.examples]
    if folder is not None:
        return vector_arm(resolve(CAPABILITIES["analogy"].load)(folder).encode(texts))
    if arm == "random":
        return random_arm()
    if arm == "tfidf":
        return tfidf_arm(texts)
    if arm == "bound":
        return bound_arm(questions.examples)
    backbone = load_backbone(config.backbone, max_tokens=config.max_tokens, device=config.device)
    return vector_arm(encode_bulk(backbone, texts))


def _arrays(columns: Columns) -> dict[str, npt.NDArray[Any]]:
    return {
        **columns.values,
        "similarity": columns.similarities,
        "graph_similarity": columns.graph_similarities,
    }
