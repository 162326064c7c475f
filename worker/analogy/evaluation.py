"""`manage.py evaluate analogy`: how often exemplars have the same computation as the question."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from analytics.analogy.examples import AnalogyExample, read_graphs
from analytics.analogy.retrieve_and_apply import Filled
from analytics.analogy.retriever import ServedRetriever
from analytics.artifacts import artifact_read
from analytics.catalog import ANALOGY
from analytics.errors import DataError, LanguageModelError
from analytics.inference.encode import Encode
from analytics.question_files import Problems, read_problems
from questionbank.core.errors import ServiceUnavailable, ValidationFailed
from questionbank.models import ModelArtifact
from questionbank.registry.artifact_selectors import artifact_folder, artifact_numbered
from questionbank.similar.file_results import SolverWith, exemplar_solver, retriever_by_name
from worker.analogy.figures import (
    Arm,
    Columns,
    MeasuredGenerator,
    QuestionSet,
    bound_arm,
    figures_of,
    measure_arm,
    opened_generator,
    random_arm,
    solver_arm,
    tfidf_arm,
    vector_arm,
)


def retriever_bulk_encode(model: str, retriever: ServedRetriever) -> Encode:
    """Return a function that encodes many problems with a retriever.

    Args:
        model: its folder, or the name by which a command selected the registered one.
        retriever: the loaded retriever.
    """
    if Path(model).is_dir():
        return ANALOGY.encode_many(Path(model))
    registered = ModelArtifact.objects.filter(checksum=retriever.checksum).latest("pk")
    return ANALOGY.encode_many(artifact_folder(registered))


_ENDINGS = (".jsonl", ".jsonl.gz")
_OURS, _FROZEN, _WITH_SOLVER = "ours", "frozen", "ours_with_solver"


@dataclass(frozen=True, slots=True)
class MeasuredModels:
    """The models to evaluate in addition to the baselines.

    Attributes:
        retriever: our retriever.
        solver_with: returns a solver, with whose help ours is evaluated too: `solver_arm`.
        fold: the fold that one of them was trained without, so that only its questions are evaluated; -1 for none.
        encode: encodes thousands of texts as the retriever would; by default the retriever does.
        generator: a language model that answers questions from the exemplars.
    """

    retriever: ServedRetriever | None = None
    solver_with: SolverWith | None = None
    fold: int = -1
    encode: Encode | None = None
    generator: MeasuredGenerator | None = None


ModelsFor = Callable[[Sequence[str]], MeasuredModels]
"""Returns the models for a set, given the language of each problem."""


def evaluate_analogy_model(options: Mapping[str, Any]) -> dict[str, Any]:
    """Evaluate the retrievers in use, each on the sets of its language, or the one with the id or folder ``model``.

    They are also evaluated with the help of a solver: ``solver`` selects one in the same way, or is ``"none"``.
    The configured language model answers ``ask`` questions of each set from every method's exemplars: from all, or from
    each of the numbers of exemplars in ``shown``; its answers are stored in the file ``answers``.

    Returns:
        The result of `evaluate_analogy`, and ``"language_model"``: ``{"name", "host", "questions", "prompts_sent",
        "problem"}``; None if no model is configured, or ``ask`` is 0.

    Raises:
        ValidationFailed: the models were trained without different folds.
        NotFound: there is no such retriever, or no such solver.
    """
    named = None if options["model"] == "default" else retriever_by_name(options["model"], ())

    shown = tuple(options.get("shown") or ())
    kept, most = options.get("answers"), options.get("answer_tokens") or 1024
    with opened_generator(options["ask"], kept=kept, shown=shown, most_tokens=most) as generator:

        def models_for(languages: Sequence[str]) -> MeasuredModels:
            retriever = named or retriever_by_name("default", languages)
            if retriever is None:
                return MeasuredModels(generator=generator)
            return MeasuredModels(
                retriever,
                _solver_with(options["solver"], retriever),
                _fold_apart(retriever, options["solver"]),
                retriever_bulk_encode(options["model"], retriever),
                generator,
            )

        figures = evaluate_analogy(options["data"], models_for, k=options["k"])
    return {**figures, "language_model": None if generator is None else generator.report()}


def _solver_with(name: str, retriever: ServedRetriever) -> SolverWith | None:
    """Return the result of `exemplar_solver`, or None if no solver is in use."""
    try:
        return exemplar_solver(name, retriever)
    except ServiceUnavailable:
        if name != "default":
            raise
        return None


def _fold_apart(retriever: ServedRetriever, solver: str) -> int:
    """Return the fold that the retriever or a named solver was trained without; -1 if there is none."""
    configs = [retriever.manifest.config]
    if Path(solver).is_dir():
        configs.append(artifact_read(Path(solver)).config)
    elif solver not in ("default", "none"):
        configs.append(artifact_numbered(capability="solver", number=solver).manifest["config"])
    folds = {int(config.get("fold", -1)) for config in configs} - {-1}
    if len(folds) > 1:
        raise ValidationFailed("The retriever and the solver were trained without different folds.")
    return folds.pop() if folds else -1


def evaluate_analogy(data: Path, models_for: ModelsFor, *, k: int = 8) -> dict[str, Any]:
    """Evaluate retrieval methods on each set in a folder, or on one set.

    Args:
        data: a file, a folder of files, or a folder of such folders.
        models_for: returns the models to evaluate in addition to the baselines.
        k: exemplars per question; twice as many vote for an answer.

    Returns:
        By set and method: the share of the `k` exemplars with the same equation and with the same graph, their
        similarity by tree edit distance, nDCG, the correlation of the method's similarity with that by Levenshtein
        distance, how often retrieve-and-apply is right, by the nearest and by vote, and the generator's exact matches
        and right numbers on its sample of questions; each with its 95 % interval, with and without exemplars that
        differ from the question only in numbers; and the differences of ours from the frozen encoder, and of ours with
        a solver from ours.

    Raises:
        DataError: no set could be evaluated.
    """
    sets: dict[str, Any] = {}
    unusable: dict[str, str] = {}
    for path in _sets(data):
        name = path.name.partition(".")[0] if path.parent == data or path == data else path.parent.name
        try:
            sets[name] = _set_figures(path, models_for, k)
        except DataError as error:
            unusable[name] = str(error)
    if not sets:
        raise DataError(" ".join(unusable.values()) or f"There is no file of problems in {data}.")
    return {"data": data.name, "k": k, "sets": sets, "unusable": unusable}


def _sets(data: Path) -> list[Path]:
    if data.is_file() or any(file.name.endswith(_ENDINGS) for file in data.glob("*")):
        return [data]
    return sorted(
        folder
        for folder in data.glob("*")
        if folder.is_dir() and any(file.name.endswith(_ENDINGS) for file in folder.glob("*"))
    )


def question_set(problems: Problems, fold: int = -1) -> tuple[QuestionSet, int]:
    """Return the questions of a set with their corpora, and how many problems were left out because they have no graph.

    Args:
        problems: if they have folds, each fold is queried against the others; else the test problems, or the
            validation problems, are queried against the rest.
        fold: use only the questions of this fold; -1 for all.

    Raises:
        DataError: there are no questions, or no corpus for them.
    """
    learned, without = read_graphs(problems.learned)
    if any(example.problem.fold is not None for example in learned):
        return _folds(learned, fold), without
    asked, asked_without = read_graphs(problems.test or problems.validation)
    if not asked or not learned:
        raise DataError("A set needs folds, or a file test* or val* or dev* with graphs beside the others.")
    return QuestionSet.of(asked, learned), without + asked_without


def _folds(examples: Sequence[AnalogyExample], only: int) -> QuestionSet:
    folds = np.array([-1 if example.problem.fold is None else example.problem.fold for example in examples])
    asked = [fold for fold in sorted(set(folds.tolist())) if fold >= 0 and only in (-1, fold)]
    parts = tuple((np.flatnonzero(folds == fold), np.flatnonzero((folds != fold) & (folds >= 0))) for fold in asked)
    if not parts or not all(len(corpus) for _rows, corpus in parts):
        raise DataError("There is no such fold, or it is the only one.")
    return QuestionSet(tuple(examples), parts)


def _set_figures(path: Path, models_for: ModelsFor, k: int) -> dict[str, Any]:
    problems = read_problems(path).without_leaks()
    models = models_for([problem.language for problem in problems.learned])
    retriever = models.retriever
    questions, without = question_set(problems, models.fold)
    texts = [example.problem.text for example in questions.examples]
    encode = models.encode or (None if retriever is None else retriever.encode)
    vectors = None if encode is None else encode(texts)
    arms = _arms(questions.examples, texts, vectors)
    if vectors is not None and models.solver_with is not None:
        arms[_WITH_SOLVER] = solver_arm(questions.examples, questions.stories, vectors, models.solver_with)
    filled: dict[int, Filled] = {}
    figures: dict[str, Any] = {
        "model": None if retriever is None else retriever.name,
        "questions": sum(len(rows) for rows, _corpus in questions.parts),
        "corpus": max(len(corpus) for _rows, corpus in questions.parts),
        "left_out_without_graph": without,
        "questions_with_twin": questions.twin_share,
    }
    for name, twins in (("with_twins", True), ("without_twins", False)):
        columns = {
            word: _answered(measure_arm(questions, arm, k, filled, twins=twins), questions, models.generator)
            for word, arm in arms.items()
        }
        figures[name] = {word: figures_of(arm_columns) for word, arm_columns in columns.items()}
        if _OURS in columns:
            figures[name]["ours_less_frozen"] = figures_of(columns[_OURS], columns[_FROZEN])
        if _WITH_SOLVER in columns:
            figures[name]["with_solver_less_ours"] = figures_of(columns[_WITH_SOLVER], columns[_OURS])
    return figures


def _answered(columns: Columns, questions: QuestionSet, generator: MeasuredGenerator | None) -> Columns:
    """Return the columns with the generator's answers added, unless it fails or has failed before."""
    if generator is None or generator.problem:
        return columns
    try:
        return generator.with_answers(questions, columns)
    except (LanguageModelError, DataError) as error:
        generator.problem = str(error)
        return columns


def _arms(
    examples: Sequence[AnalogyExample], texts: Sequence[str], vectors: npt.NDArray[np.float32] | None
) -> dict[str, Arm]:
    from analytics.backbone.bert import encode_bulk, load_backbone

    arms = {
        "random": random_arm(),
        _FROZEN: vector_arm(encode_bulk(load_backbone(), texts)),
        "tfidf": tfidf_arm(texts),
        "bound": bound_arm(examples),
    }
    if vectors is not None:
        arms[_OURS] = vector_arm(vectors)
    return arms
