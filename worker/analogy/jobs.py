"""Jobs of the retriever of analogous problems, and those that have a language model answer or write problems.

A retriever is trained on the bank's questions with an equation and compared with the champion on the held-out ones,
which no training ever uses (`questionbank.training.questions`). Both search their exemplars among the other questions
with an equation. Measured are the share of the eight nearest with the same graph, and the normalised discounted gain of
their graphs' similarities (`analytics.analogy.graphs`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from analytics.analogy.exemplars import few_shot_messages, parse_answer, uses_numbers_of
from analytics.analogy.graphs import GraphSimilarities, ndcg
from analytics.errors import Cancelled, DataError
from analytics.inference.encode import UNKNOWN_SHARE_LIMIT, nearest_rows
from analytics.language_model.protocol import AskOptions
from analytics.languages import primary_language
from analytics.question_files import Problems
from analytics.splits import split_place
from questionbank.bank.vector_selectors import embedding_set_sample
from questionbank.core.capability_figures import AnalogyFigures, Metric
from questionbank.core.errors import Conflict, NotFound
from questionbank.models import EmbeddingSet, ModelArtifact, Question
from questionbank.problem_writing.problem import problems_of_answer, retelling_request
from questionbank.problem_writing.services import variants_keep, why_not_varied
from questionbank.registry.model_selectors import SMALLEST_SUITE
from questionbank.solving.computations import question_computation
from questionbank.training.analogy import GraphProblem, analogy_material, equation_languages
from worker.analogy.figures import ANSWER_OPTIONS
from worker.comparison import ROLES, SEED, Vectors, changed_neighbours, compared_sets, paired_metric, unreadable
from worker.embedding import set_vectors
from worker.language_models import open_language_model
from worker.reporting import RunReporter

if TYPE_CHECKING:
    from worker.candidates import Beginning, Train


def train_retriever_run(reporter: RunReporter) -> dict[str, Any]:
    """Execute a training run: `train_candidate`, with ``{"known_only": bool, "hierarchies": [names] or absent}``.

    The held-out problems are tested at the end. Equations that only the solver found are used for training if
    ``known_only`` is false, and never for evaluation.
    """
    from analytics.analogy.train import train_retriever  # imports PyTorch, which the other jobs do without
    from worker.candidates import kept_problems, train_candidate

    scope = _scope(reporter)

    def begin(beginning: Beginning) -> Train:
        read = partial(_read_problems, reporter, beginning.start, scope)
        problems = kept_problems(beginning.folder, read)
        return partial(train_retriever, problems, beginning.config, start=beginning.start)

    return train_candidate(reporter, "analogy", begin, scope=scope)


def _scope(reporter: RunReporter) -> str:
    """Return the language of the retriever to train further, if it is for a single language."""
    start = ModelArtifact.objects.filter(pk=reporter.run.parameters.get("start")).first()
    return start.scope if start is not None else ""


def _read_problems(reporter: RunReporter, start: str, scope: str) -> Problems:
    parameters = reporter.run.parameters
    hierarchies = parameters.get("hierarchies")
    reporter.progress(0, 0, "Reading the problems")
    left_out = _left_out_languages(reporter, start, scope, hierarchies)
    material = analogy_material(
        hierarchies=hierarchies, left_out=left_out, predicted=not parameters.get("known_only", True)
    )
    problems = material.problems
    reporter.log(material.described(foreign="in a language that it does not learn"))
    if material.predicted:
        reporter.log(f"{len(material.predicted):,} problems are learned with the equation that the solver found.")
    if not material.learned:
        raise DataError("No ready question has an equation to learn from.")
    parts = (material.learned, problems.validation, problems.held_out)
    return Problems(*(tuple(entry.problem for entry in part) for part in parts))


def _left_out_languages(reporter: RunReporter, start: str, scope: str, hierarchies: list[str] | None) -> list[str]:
    """Return languages that the retriever is not for, or in which the backbone does not know one token in ten."""
    from analytics.backbone.bert import load_backbone

    backbone = load_backbone(start, device="cpu")
    left_out = []
    for language in equation_languages(hierarchies=hierarchies):
        if scope not in ("", primary_language(language)):
            left_out.append(language)
            continue
        share = backbone.unknown_share(embedding_set_sample(language=language))
        if share > UNKNOWN_SHARE_LIMIT:
            left_out.append(language)
            reporter.log(
                f"{backbone.name} does not know {share:.0%} of the tokens in language {language!r}:"
                " its problems are left out.",
                level="warning",
            )
    return left_out


K = 8
LARGEST_SUITE, LARGEST_CORPUS = 2_000, 20_000
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class _Problem:
    """A problem of the bank: its question and its computation."""

    id: int
    language: str
    place: float
    graph_key: str

    @classmethod
    def of(cls, entry: GraphProblem) -> _Problem:
        problem = entry.problem
        return cls(int(problem.id), problem.language, split_place(problem.text), entry.graph_key)


def analogy_comparison_figures(
    reporter: RunReporter, *, candidate: ModelArtifact, champion: ModelArtifact
) -> AnalogyFigures:
    """Evaluate two retrievers, computing missing vectors, which a later promotion reuses."""
    return retriever_figures(reporter, **compared_sets(reporter, candidate=candidate, champion=champion))


def retriever_figures(reporter: RunReporter, *, candidate: EmbeddingSet, champion: EmbeddingSet) -> AnalogyFigures:
    """Evaluate both sets of vectors."""
    reporter.progress(0, 0, "Reading the fixed problems")
    parts = analogy_material().problems
    suite = [_Problem.of(entry) for entry in parts.held_out]
    vectors = {"candidate": set_vectors(candidate), "champion": set_vectors(champion)}
    common = vectors["candidate"].keys() & vectors["champion"].keys()
    asked = _sample([row for row in suite if row.id in common], LARGEST_SUITE)
    corpus = _sample(
        [row for row in map(_Problem.of, (*parts.learned, *parts.validation)) if row.id in common], LARGEST_CORPUS
    )
    metrics: list[Metric] = []
    if len(asked) >= SMALLEST_SUITE and len(corpus) >= K:
        columns = {}
        for role, by_id in vectors.items():
            reporter.check()
            reporter.progress(0, 0, f"Measuring the {role}")
            columns[role] = _columns(asked, corpus, by_id)
        metrics = _metrics([row.id for row in asked], columns)
    reporter.progress(0, 0, "Comparing")
    ids = {row.id for row in suite}
    return {
        "suite": {
            "questions": len(asked),
            "fewest": SMALLEST_SUITE,
            "train_questions": len(corpus),
            "left_out": len(ids - vectors["candidate"].keys() - vectors["champion"].keys()),
            "lost": unreadable(suite, vectors["champion"].keys() - vectors["candidate"].keys(), candidate),
            "gained": unreadable(suite, vectors["candidate"].keys() - vectors["champion"].keys(), champion),
            "seed": SEED,
        },
        "metrics": metrics,
        "changed": changed_neighbours(vectors, sorted(row.id for row in asked), sorted(common), k=K),
    }


def _sample(problems: Sequence[_Problem], size: int) -> list[_Problem]:
    """Return at most `size` problems, always the same ones: chosen by their text."""
    return sorted(problems, key=lambda row: (row.place, row.id))[:size]


def _columns(asked: Sequence[_Problem], corpus: Sequence[_Problem], vectors: Vectors) -> dict[str, Floats]:
    """Return every figure of each query question, (questions,), by name."""
    near = nearest_rows(np.stack([vectors[row.id] for row in asked]), np.stack([vectors[row.id] for row in corpus]), K)
    keys = [row.graph_key for row in corpus]
    graph_similarities = GraphSimilarities(keys)
    same, order = np.zeros(len(asked)), np.zeros(len(asked))
    for place, (question, rows) in enumerate(zip(asked, near, strict=True)):
        gains = graph_similarities.of(question.graph_key)
        same[place] = np.mean([keys[row] == question.graph_key for row in rows])
        order[place] = ndcg(gains[rows], gains)
    return {"same_graph_at_8": same, "ndcg_at_8": order}


def _metrics(questions: Sequence[int], columns: Mapping[str, Mapping[str, Floats]]) -> list[Metric]:
    rng = np.random.default_rng(SEED)
    names = columns["candidate"]
    return [paired_metric(name, questions, [columns[role][name].tolist() for role in ROLES], rng) for name in names]


class WrittenWords:
    """Callback for each piece of an answer: counts its words, and stops the answer if the run was cancelled.

    Raises:
        Cancelled: the run was cancelled.
    """

    def __init__(self, reporter: RunReporter, name: str) -> None:
        self._reporter, self._name, self._text = reporter, name, ""

    def __call__(self, piece: str) -> None:
        if self._reporter.should_stop():
            raise Cancelled
        self._text += piece
        words = len(self._text.split())
        message = f"{self._name} has written {words} words"
        self._reporter.progress(0, 0, message)


_LONGEST_SHOWN = 4000  # characters of an answer


def answer_run(reporter: RunReporter) -> dict[str, Any]:
    """Execute a run of kind ``ask``; `model_answer_request` describes its parameters.

    Returns:
        ``{"language_model", "host", "written", "value", "problem", "prompt_tokens", "answer_tokens"}``: the model's
        text, the number in it (None if there is none), and a sentence if something is wrong with it.

    Raises:
        ValidationFailed: no model is configured any more.
        AnalyticsError: the model cannot be loaded or reached, refuses, or returns no text.
        Cancelled: the run was stopped.
    """
    parameters = reporter.run.parameters
    answers = parameters["answers"]
    with open_language_model() as model:
        reporter.progress(0, 0, f"Asking {model.name}")
        messages = few_shot_messages(parameters["prompt"], answers)
        answer = model.ask(messages, ANSWER_OPTIONS, on_text=WrittenWords(reporter, model.name))
        value = parse_answer(answer.text, answers)
        return {
            "language_model": model.name,
            "host": model.host,
            "written": answer.text.strip()[:_LONGEST_SHOWN],
            "value": value,
            "problem": _problem(answer.text, answers, value, parameters["text"]),
            "prompt_tokens": answer.prompt_tokens,
            "answer_tokens": answer.answer_tokens,
        }


def _problem(written: str, answers: str, value: float | None, question: str) -> str:
    if value is None:
        return "The model's answer gives no number in the format of the prompt."
    if not uses_numbers_of(written, answers, question):
        return (
            "The model's answer uses none of the question's numbers: it may have followed an instruction inside a"
            " text instead."
        )
    return ""


_TOKENS_EACH = 400
_REQUESTS_EACH = 2  # per problem kept: some are rejected


def retell_run(reporter: RunReporter) -> dict[str, Any]:
    """Execute a run of kind ``retell``; `variants_request` describes its parameters.

    Returns:
        ``{"language_model", "host", "replies", "unreadable_replies", "problems_written", "problems_kept"}``: a reply is
        unreadable if it lacks a problem and an equation that can be parsed; problems are kept if they compute the same
        with another story and other numbers, and are new.

    Raises:
        NotFound, Conflict: the question was deleted or retired, or its computation is no longer known.
        ValidationFailed: no model is configured any more.
        AnalyticsError: the model cannot be loaded or reached, refuses, or returns no text.
        Cancelled: the run was stopped.
    """
    parameters = reporter.run.parameters
    question = Question.objects.filter(pk=parameters["question"]).first()
    if question is None:
        raise NotFound("The question was deleted.")
    if reason := why_not_varied(question, by_model=True):
        raise Conflict(reason)
    computation = question_computation(question)
    assert computation is not None  # noqa: S101 - `why_not_varied` has looked
    wanted = parameters["each"]
    replies = unreadable = written = kept = 0
    with open_language_model() as model:
        reporter.progress(0, wanted, f"Asking {model.name}")
        for request in range(_REQUESTS_EACH * wanted):  # one problem per request: an answer has a time limit
            answer = model.ask(
                retelling_request(question.text, computation.equation),
                AskOptions(temperature=0.8, seed=reporter.run.pk + request, max_tokens=_TOKENS_EACH),
                on_text=WrittenWords(reporter, model.name),
            )
            problems = problems_of_answer(answer.text, model.name[:200])
            replies += 1
            unreadable += not problems
            written += len(problems)
            kept += len(
                variants_keep(question=question, problems=problems, each=wanted - kept, user=reporter.run.requested_by)
            )
            if kept == wanted:
                break
        if unreadable:
            reporter.log(_unreadable(unreadable, replies), level="warning")
        return {
            "language_model": model.name,
            "host": model.host,
            "replies": replies,
            "unreadable_replies": unreadable,
            "problems_written": written,
            "problems_kept": kept,
        }


def _unreadable(unreadable: int, replies: int) -> str:
    """Return a sentence on how many replies could not be parsed, and what a reply must contain."""
    return (
        f"Replies that could not be read: {unreadable} of {replies}. A reply must give a problem and its equation in"
        " the form that the prompt asks for."
    )
