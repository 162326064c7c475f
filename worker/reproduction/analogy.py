"""Training and evaluating the arms of Learning by Analogy's tables, by set, fold and seed.

The exemplars of a part's test problems are searched among its training problems. A retrieval method is
evaluated by their graphs, by retrieve-and-apply and, if a language model is configured, by its answers.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any

import numpy.typing as npt

from analytics.analogy.examples import AnalogyConfig, read_graphs, with_positive
from analytics.analogy.retrieve_and_apply import Filled
from analytics.analogy.train import train_retriever
from analytics.artifacts import file_sha256
from analytics.backbone.bert import encode_bulk, load_backbone
from analytics.catalog import ANALOGY
from analytics.configuration import config_from_strings, named_values
from analytics.errors import DataError
from analytics.question_files import Problems, read_problems
from worker.analogy.figures import Arm as Similarities
from worker.analogy.figures import (
    Columns,
    MeasuredGenerator,
    QuestionSet,
    bound_arm,
    figures_of,
    measure_arm,
    opened_generator,
    random_arm,
    tfidf_arm,
    vector_arm,
)
from worker.analogy.rewriting import RuleRewriter, rewritten_pairs
from worker.reproduction.analogy_tables import ARMS, REWRITTEN, REWRITTEN_BY_MODEL, SETS, TWINS, analogy_tables
from worker.reproduction.runs import (
    PROBLEM_SETS,
    Plan,
    Run,
    RunResult,
    Say,
    part_names,
    part_problems,
    question_numbers,
    run_missing,
    set_backbone,
    trained_folder,
    wanted_runs,
)

_READ_NOTHING = ("random", "tfidf", "bound")  # arms without an encoder


@dataclass(frozen=True)
class AnalogyPlan(Plan):
    """The runs to execute.

    Attributes:
        k: exemplars per question.
        generator: a language model that answers questions from the exemplars.
        pairs: file of pairs rewritten by a language model, for the arm `REWRITTEN_BY_MODEL`.
    """

    k: int = 8
    generator: MeasuredGenerator | None = None
    pairs: Path | None = None


def analogy_paper_tables(output: Path, options: Mapping[str, Any], say: Say) -> str:
    """Train and evaluate the arms chosen by the options, and return the tables of everything run into the folder."""
    config = config_from_strings(AnalogyConfig, named_values(options["set"]))
    arms = [arm for arm in ARMS if arm != REWRITTEN_BY_MODEL or options["pairs"]]
    defaults = Plan(arms, [config.seed], list(PROBLEM_SETS))
    with opened_generator(options["ask"], kept=output / "answers.jsonl") as generator:
        plan = AnalogyPlan.of(options, config, defaults, generator=generator, pairs=options["pairs"])
        reproduce_analogy(options["data"], output, plan, say=say)
    return analogy_tables(output)


def reproduce_analogy(data: Path, output: Path, plan: AnalogyPlan, *, say: Say = lambda _line: None) -> list[Path]:
    """Run the missing parts of a plan, into ``SET/fold-N/ARM/seed-N`` or ``SET/ARM/seed-N``.

    Raises:
        DataError: an arm or a set is unknown or missing, or a folder holds a run with other settings.
    """
    measured = [part for chosen in plan.measured_on for part in part_names(chosen, SETS)]
    parts = [part for chosen in plan.trained_on for part in part_names(chosen, SETS)]
    return run_missing(
        output,
        wanted_runs(plan.arms, ARMS, parts=parts, seeds=plan.seeds),
        lambda run, seed: _settings(plan, measured, run, seed),
        plan.config,
        lambda run: _run(run, plan, data),
        say,
    )


def _settings(plan: AnalogyPlan, measured: Sequence[str], run: str, seed: int) -> dict[str, Any]:
    """Return the settings that identify a run; equal settings give equal figures."""
    part, _, arm = run.rpartition("/")
    shared = replace(plan.config, seed=seed, backbone=set_backbone(SETS[part.partition("/")[0]], plan.config.backbone))
    settings = {
        "arm": arm,
        "part": part,
        "measured": list(dict.fromkeys((part, *measured))),
        "seed": seed,
        "problems": plan.questions,
        "k": plan.k,
        "config": ARMS[arm].config(shared, encoder=["backbone", "max_tokens"]),
    }
    if arm == REWRITTEN_BY_MODEL and plan.pairs is not None and plan.pairs.is_file():
        settings["pairs"] = file_sha256(plan.pairs)
    if plan.generator is not None:
        settings["generator"] = {"name": plan.generator.model.name, "questions": plan.generator.questions}
    return settings


def _run(run: Run, plan: AnalogyPlan, data: Path) -> RunResult:
    part: str = run.settings["part"]
    config = replace(plan.config, **run.settings["config"])
    asked = {
        name: part_problems(data, name, SETS, most=plan.questions)
        for name in dict.fromkeys((part, *run.settings["measured"]))
    }
    problems = asked[part]
    if run.settings["arm"] not in _READ_NOTHING:
        _refuse_unknown_languages(asked, config)
    folder: Path | None = None
    notes: dict[str, Any] = {}
    if ARMS[run.settings["arm"]].settings is not None:
        folder, notes = trained_folder(
            run,
            config,
            lambda folder, context: train_retriever(
                _to_learn(problems, run.settings["arm"], config, plan.pairs), config, folder, context
            ),
        )
    sets: dict[str, Any] = {}
    outcomes: dict[str, npt.NDArray[Any]] = {}
    for name in run.settings["measured"]:
        questions = _questions(asked[name])
        run.say(f"{len(questions.parts[0][0]):,} questions of {name}, {len(questions.parts[0][1]):,} exemplars")
        similarities = _similarities(run.settings["arm"], questions, folder, config)
        sets[name] = _counts(asked[name], questions)
        rows = questions.parts[0][0].tolist()
        outcomes[f"{name}/question"] = question_numbers([questions.examples[row].problem.text for row in rows])
        filled: dict[int, Filled] = {}
        for word, twins in TWINS.items():
            columns = measure_arm(questions, similarities, plan.k, filled, twins=twins)
            if plan.generator is not None:
                run.say(f"{plan.generator.model.name} answers questions of {name}")
                columns = plan.generator.with_answers(questions, columns)
                sets[name]["generator"] = plan.generator.model.name
            sets[name][word] = figures_of(columns)
            outcomes |= {f"{name}/{word}/{key}": values for key, values in _arrays(columns).items()}
    shutil.rmtree(run.folder / "model", ignore_errors=True)
    return RunResult(notes, sets, outcomes)


def _refuse_unknown_languages(asked: Mapping[str, Problems], config: AnalogyConfig) -> None:
    """Reject sets that a run's encoder cannot read, before it is trained.

    Raises:
        DataError: names the set and the reason.
    """
    backbone = load_backbone(config.backbone, max_tokens=config.max_tokens, device=config.device)
    for name, problems in asked.items():
        for part in (problems.learned, problems.test):
            try:
                backbone.refuse_unknown_language([problem.text for problem in part])
            except DataError as error:
                raise DataError(f"{name} cannot be measured. {error}") from error


def _to_learn(problems: Problems, arm: str, config: AnalogyConfig, pairs: Path | None) -> Problems:
    """Return an arm's training problems: the part's problems, or pairs of problems and their rewritings.

    Raises:
        DataError: the file of pairs is missing or cannot be read.
    """
    if arm == REWRITTEN:
        by_rules = rewritten_pairs(problems.learned, RuleRewriter(), seed=config.seed)
        return Problems(tuple(chain.from_iterable(by_rules)), problems.validation)
    if arm == REWRITTEN_BY_MODEL:
        if pairs is None:
            raise DataError(f"The arm {arm} needs --pairs: a file that `rewrite_problems --by model` has written.")
        of_pairs = replace(problems, learned=read_problems(pairs).learned)
        return replace(of_pairs.without_leaks(), test=())
    return replace(problems, test=())


def _questions(problems: Problems) -> QuestionSet:
    """Return the test problems that have a graph, with the training problems as their corpus.

    Raises:
        DataError: no test or no training problem has a graph.
    """
    asked, _without = read_graphs(problems.test)
    corpus, _without = read_graphs(problems.learned)
    if not asked or not corpus:
        raise DataError("No test problem has a graph, or no problem that is learned from has one.")
    return QuestionSet.of(asked, corpus)


def _counts(problems: Problems, questions: QuestionSet) -> dict[str, Any]:
    """Return the graph-related figures of Table 1 for a set."""
    asked, corpus = questions.parts[0]
    learned = [questions.examples[row] for row in corpus]
    return {
        "questions": len(asked),
        "questions_without_graph": len(problems.test) - len(asked),
        "questions_with_twin": questions.twin_share,
        "corpus": len(corpus),
        "corpus_without_graph": len(problems.learned) - len(corpus),
        "corpus_with_positive": len(with_positive(learned)),
    }


def _similarities(arm: str, questions: QuestionSet, folder: Path | None, config: AnalogyConfig) -> Similarities:
    texts = [example.problem.text for example in questions.examples]
    if folder is not None:
        return vector_arm(ANALOGY.load(folder).encode(texts))
    if arm == "random":
        return random_arm()
    if arm == "tfidf":
        return tfidf_arm(texts)
    if arm == "bound":
        return bound_arm(questions.examples)
    backbone = load_backbone(config.backbone, max_tokens=config.max_tokens, device=config.device)
    return vector_arm(encode_bulk(backbone, texts))


def _arrays(columns: Columns) -> dict[str, npt.NDArray[Any]]:
    return {**columns.values, "similarity": columns.similarities, "graph_similarity": columns.graph_similarities}
