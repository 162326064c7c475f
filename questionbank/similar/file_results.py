"""Results for questions in files, as plain values: vectors, predictions, similar questions and worked exemplars."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from django.utils.text import Truncator

from analytics.analogy.exemplars import Exemplar, ExemplarCorpus, LikelyGraphs
from analytics.analogy.graphs import problem_graph, readable_text_graph
from analytics.analogy.retriever import ServedRetriever, load_retriever
from analytics.catalog import lenses, main_lens
from analytics.errors import DataError
from analytics.inference.encode import UNKNOWN_SHARE_LIMIT, HashedNgramEncoder, OnnxEncoder
from analytics.recalling_solver import likely_graphs, recalling
from analytics.records import ProblemRecord
from analytics.solver.solution import ProblemSolver
from analytics.text.fingerprints import story_key
from analytics.text.numbers import find_numbers
from questionbank.core.errors import ImportRefused, LineProblem, ServiceUnavailable, ValidationFailed
from questionbank.core.wording import counted
from questionbank.formats.answer_files import InputProblem, InputQuestion, read_input_problems, read_input_questions
from questionbank.registry.artifact_selectors import artifact_numbered, lens_champion
from questionbank.registry.serving import Serving, retriever_of
from questionbank.similar.predictions import PredictedDifficulty, QuestionPrediction, predict_many
from questionbank.similar.similarity import SimilarHit
from questionbank.solving.solution_files import SolverByLanguage, solver_by_name

_SOME_NOT_MATHEMATICS = "Some texts do not look like mathematics questions: they get no concept and no difficulty."
_SHOWN = 100  # characters of a question in a table


def lens_help() -> str:
    """Return the help text for a command's option ``--lens``: “purpose (by default), structure or wording”."""
    main = main_lens().word
    *others, last = (word for word in lenses() if word != main)
    return f"{', '.join([f'{main} (by default)', *others])} or {last}"


def check_lens(name: str) -> str:
    """Return the name if it is that of a lens.

    Raises:
        ValidationFailed: there is no such lens.
    """
    if name in lenses():
        return name
    lens_names = ", ".join(lenses())
    raise ValidationFailed(f"There is no lens “{name}”; use one of {lens_names}.")


def question_vectors(
    questions: Sequence[InputQuestion], *, lens: str, serving: Serving, notices: set[str]
) -> list[dict[str, Any]]:
    """Return ``{id, vector}`` per question; if another lens replaced it, ``lens`` names that lens.

    The vector is None if the lens does not support such a text, or no model knows its language. Messages for the
    user are added to `notices`.
    """
    row = lenses()[lens]
    rows: dict[int, dict[str, Any]] = {}
    by_language: dict[str, list[int]] = {}
    for index, question in enumerate(questions):
        if not row.takes(question.text):
            rows[index] = {"id": question.id, "vector": None}
            notices.add("Some texts have no vector: under this lens only word problems are compared.")
            continue
        by_language.setdefault(question.language, []).append(index)
    for language, indices in by_language.items():
        texts = [questions[index].text for index in indices]
        served = serving.for_language(language)
        if lens in served.sets and not (row.stand_in or served.serves(lens, language, texts)):
            rows |= {index: {"id": questions[index].id, "vector": None} for index in indices}
            notices.add("Some texts have no vector: the model does not know their language.")
            continue
        embedding_set, encoder, notice = served.lens_for(lens, language, texts)
        for index, vector in zip(indices, encoder.encode(texts), strict=True):
            values = [round(float(value), _DIGITS) for value in vector]
            rows[index] = {"id": questions[index].id, "vector": values}
            if notice:
                rows[index]["lens"] = embedding_set.lens
        notices.update({notice} - {""})
    return [rows[index] for index in range(len(questions))]


def question_predictions(
    questions: Sequence[InputQuestion], *, hierarchy: str | None, serving: Serving, notices: set[str]
) -> list[dict[str, Any]]:
    """Return ``{id, concepts, difficulty}`` per question, and add messages for the user to `notices`.

    A text that does not look like mathematics has no concepts, no difficulty, and a ``notice`` that says so.
    """
    predictions = predict_many(
        texts=[question.text for question in questions],
        languages=[question.language for question in questions],
        serving=serving,
        hierarchy=hierarchy,
    )
    notices.update(
        prediction.notice if prediction.is_mathematics else _SOME_NOT_MATHEMATICS
        for prediction in predictions
        if prediction.notice
    )
    return [
        {"id": question.id, **prediction_fields(prediction)}
        for question, prediction in zip(questions, predictions, strict=True)
    ]


def prediction_fields(prediction: QuestionPrediction) -> dict[str, Any]:
    """Return ``{concepts, difficulty}`` of a text, and a ``notice`` if it does not look like mathematics."""
    return {
        "concepts": [
            {"path": list(concept.path), "probability": round(concept.probability, _DIGITS)}
            for concept in prediction.concepts
        ],
        "difficulty": _difficulty(prediction.difficulty),
        **({} if prediction.is_mathematics else {"notice": prediction.notice}),
    }


def _difficulty(estimate: PredictedDifficulty | None) -> dict[str, Any] | None:
    if estimate is None:
        return None
    figures = {"value": estimate.value, "low": estimate.low, "high": estimate.high}
    return {name: round(value, _DIGITS) for name, value in figures.items()} | {"scale": estimate.scale}


def hit_fields(hit: SimilarHit) -> dict[str, Any]:
    """Return ``{id, text, concepts, score, reason, copies}`` of a similar question; copies are ids."""
    return {
        "id": hit.question.pk,
        "text": hit.question.analysed_text,
        "concepts": [list(path) for path in hit.concepts],
        "score": hit.score,
        "reason": hit.reason,
        "copies": [copy.question.pk for copy in hit.copies],
    }


def hit_lines(hits: Sequence[SimilarHit]) -> Iterator[str]:
    """Yield similar questions as a table for a terminal."""
    for hit in hits:
        text = Truncator(" ".join(hit.question.analysed_text.split())).chars(_SHOWN)
        yield f"{hit.score:6.3f}  {hit.question.pk:>8}  {text}"
        copies = f" (and {len(hit.copies)} with other numbers)" if hit.copies else ""
        if hit.reason or copies:
            yield f"{'':18}{hit.reason}{copies}"


SolverWith = Callable[[Sequence[ProblemRecord]], ProblemSolver]
"""Returns a solver that recalls these solved problems in addition to those stored in a retriever."""

_DIGITS = 6
_COMPUTATIONS = ("equation", "program", "calculations")  # what a graph can be read from


def retriever_by_name(model: str, languages: Iterable[str]) -> ServedRetriever | None:
    """Return the retriever with this number or in this folder; for ``"default"`` the one in use, if any.

    Args:
        languages: of the problems; ``"default"`` selects the retriever for the most common one.

    Raises:
        NotFound: there is no retriever with this number and no such folder.
        ArtifactError: the folder contains no retriever.
        ServiceUnavailable: the files of a registered retriever are missing or damaged.
    """
    if model == "default":
        commonest = Counter(languages).most_common(1)
        champion = lens_champion(capability="analogy", language=commonest[0][0] if commonest else "en")
        return None if champion is None else retriever_of(champion)
    if Path(model).is_dir():
        return load_retriever(Path(model))
    return retriever_of(artifact_numbered(capability="analogy", number=model))


def exemplar_solver(model: str, retriever: ServedRetriever | None) -> SolverWith | None:
    """Return a factory of the solver that helps to choose exemplars; None for ``"none"``.

    Args:
        model: as for `solver_by_name`, or ``"none"``.
        retriever: recalls similar problems for a named solver; the solvers in use have a retriever of their own.

    Raises:
        NotFound, ArtifactError, ServiceUnavailable: as for `solver_by_name`.
    """
    if model == "none":
        return None
    solver = solver_by_name(model)
    if model == "default":
        return lambda solved: SolverByLanguage(solved=solved)
    return lambda solved: solver if retriever is None else recalling(solver, retriever, solved=solved)


def without_copies(corpus: Sequence[InputProblem], questions: Path) -> list[ProblemRecord]:
    """Return the problems of a corpus that do not differ from some question of a file only in their numbers.

    Raises:
        ImportRefused: the file cannot be read.
    """
    entries = read_input_questions(questions)
    question_keys = {story_key(entry.text) for entry in entries if not isinstance(entry, LineProblem)}
    return [entry.problem for entry in corpus if story_key(entry.problem.text) not in question_keys]


def read_corpus(path: Path, report: Callable[[str], object]) -> list[InputProblem]:
    """Return the problems of a file; each line that cannot be read is passed to `report`.

    Raises:
        ImportRefused: the file cannot be read, or contains no readable problem.
    """
    problems: list[InputProblem] = []
    for entry in read_input_problems(path):
        if isinstance(entry, LineProblem):
            report(f"{path.name}: {entry}")
        else:
            problems.append(entry)
    if not problems:
        raise ImportRefused(f"The corpus {path.name} contains no problems.")
    return problems


class FileCorpus:
    """The problems of a file with their graphs and vectors, searched for exemplars.

    Args:
        notices: messages for the user are added to it.
        solver: proposes the graphs that a question may have; if None, the retriever alone ranks.
    """

    def __init__(
        self,
        problems: Sequence[InputProblem],
        encoder: ServedRetriever | OnnxEncoder,
        notices: set[str],
        solver: ProblemSolver | None = None,
    ) -> None:
        self._ids = [entry.id for entry in problems]
        self._texts = [entry.problem.text for entry in problems]
        self._encoder, self._notices, self._solver = encoder, notices, solver
        self._numberless = 0  # questions
        self._graphs: list[str | None] = []
        unreadable = 0
        for entry in problems:
            try:
                graph = problem_graph(entry.problem)
                is_unreadable = graph is None and any(name in _COMPUTATIONS for name in entry.unreadable)
            except DataError:
                graph, is_unreadable = None, True
            unreadable += is_unreadable
            self._graphs.append(None if graph is None else graph.graph)
        if not any(self._graphs):
            notices.add(
                "No problem of the corpus has an equation that can be read, so exemplars are chosen by text alone"
                " and have no graph."
            )
        if unreadable:
            one, several = "its problem has no graph.", "their problems have no graph."
            cannot = "of the corpus cannot be read:"
            notices.add(counted(unreadable, f"equation {cannot} {one}", f"equations {cannot} {several}"))
        text_graphs = [] if solver is None else [readable_text_graph(entry.problem) for entry in problems]
        self._corpus = ExemplarCorpus(self._texts, encoder.encode(self._texts), text_graphs)
        self._by_wording: ExemplarCorpus | None = None

    def exemplars(self, questions: Sequence[InputQuestion], k: int) -> list[dict[str, Any]]:
        """Return ``{"id", "exemplars": [{"id", "score", "graph"}, ...]}`` per question, the most similar first.

        The question itself and copies with other numbers are never exemplars. A question in a script that the
        retriever cannot read is compared by its wording.
        """
        if k > len(self._texts):
            self._notices.add(f"The corpus has only {len(self._texts)} problems: no question gets more exemplars.")
        self._count_numberless(questions)
        strange = [self._encoder.unknown_share([question.text]) > UNKNOWN_SHARE_LIMIT for question in questions]
        by_row: dict[int, list[Exemplar]] = {}
        for is_strange, find in ((False, self._by_retriever), (True, self._by_words)):
            rows = [row for row, flag in enumerate(strange) if flag is is_strange]
            if rows:
                hits = find([questions[row] for row in rows], k)
                by_row.update(zip(rows, hits, strict=True))

        def fields(hit: Exemplar) -> dict[str, Any]:
            score = round(hit.score, _DIGITS)
            return {"id": self._ids[hit.row], "score": score, "graph": self._graphs[hit.row]}

        return [
            {"id": question.id, "exemplars": [fields(hit) for hit in by_row[row]]}
            for row, question in enumerate(questions)
        ]

    def _count_numberless(self, questions: Sequence[InputQuestion]) -> None:
        """Maintain a single notice that counts the questions without numbers in this and earlier batches."""
        count = sum(not find_numbers(question.text) for question in questions)
        if count:
            self._notices.discard(_numberless_notice(self._numberless))
            self._numberless += count
            self._notices.add(_numberless_notice(self._numberless))

    def _by_retriever(self, questions: Sequence[InputQuestion], k: int) -> list[list[Exemplar]]:
        texts = [question.text for question in questions]
        likely: list[LikelyGraphs] | None = None
        if self._solver is not None:
            problems = [ProblemRecord(str(question.id), question.text, question.language) for question in questions]
            try:
                likely = likely_graphs(self._solver, problems)
            except ServiceUnavailable as error:  # its files are missing
                self._solver = None
                self._notices.add(f"Some exemplars are chosen without a solver: {error}")
        return self._corpus.retrieve(texts, self._encoder.encode(texts), k, likely=likely)

    def _by_words(self, questions: Sequence[InputQuestion], k: int) -> list[list[Exemplar]]:
        texts = [question.text for question in questions]
        self._notices.add(
            "Some questions are in a script that the retriever cannot read: they are compared by wording."
        )
        encoder = HashedNgramEncoder()
        if self._by_wording is None:
            self._by_wording = ExemplarCorpus(self._texts, np.asarray(encoder.encode(self._texts)))
        return self._by_wording.retrieve(texts, np.asarray(encoder.encode(texts)), k)


def _numberless_notice(count: int) -> str:
    return counted(
        count,
        "question has no numbers to compute with: its exemplars are only similar in wording or meaning.",
        "questions have no numbers to compute with: their exemplars are only similar in wording or meaning.",
    )
