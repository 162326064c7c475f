"""Figures of a retrieval method on one set, per question, and their bootstrap intervals.

The exemplars are measured by their graphs, by retrieve-and-apply, and by the answers that a language model gives from
them: the paper's generator (Yang et al., "Learning by Analogy", Eq. 3 and section 3.1). Every method is evaluated on
the same questions; a prompt that was answered before is not sent again.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from analytics.analogy.examples import AnalogyExample
from analytics.analogy.exemplars import (
    CorpusGraphs,
    LikelyGraphs,
    PromptSettings,
    answer_format,
    few_shot_messages,
    few_shot_prompt,
    is_exact_match,
    parse_answer,
)
from analytics.analogy.graphs import (
    GraphSimilarities,
    edit_similarity,
    integer_codes,
    ndcg,
    problem_numbers,
    readable_text_graph,
)
from analytics.analogy.retrieve_and_apply import Filled, Neighbour, apply_graphs
from analytics.errors import DataError
from analytics.expression.evaluate import answers_agree
from analytics.json_lines import read_objects
from analytics.language_model.protocol import AskOptions, LanguageModel
from analytics.metrics import pearson
from analytics.recalling_solver import likely_graphs
from analytics.text.fingerprints import story_key
from worker.bootstrap import middle, resample_counts

if TYPE_CHECKING:
    from questionbank.similar.file_results import SolverWith  # imports Django

Rows = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

Arm = Callable[[Rows, Rows], Floats]
"""Maps rows of questions and rows of their corpus to similarities (questions, corpus)."""


def random_arm() -> Arm:
    """Return an arm with random similarities."""

    def similarities(questions: Rows, corpus: Rows) -> Floats:
        return np.random.default_rng(0).random((len(questions), len(corpus)))

    return similarities


def vector_arm(vectors: npt.NDArray[np.float32]) -> Arm:
    """Return an arm with the cosines of unit vectors (examples, dimension)."""

    def similarities(questions: Rows, corpus: Rows) -> Floats:
        return (vectors[questions] @ vectors[corpus].T).astype(np.float64)

    return similarities


def solver_arm(
    examples: Sequence[AnalogyExample], stories: Rows, vectors: npt.NDArray[np.float32], solver_with: SolverWith
) -> Arm:
    """Return an arm that combines cosines with the graphs a solver predicts for the questions (`CorpusGraphs`).

    Args:
        examples, vectors: those of all problems.
        stories: story number of each problem, equal for problems that differ only in numbers; such copies of a question
            are not recalled.
        solver_with: returns the solver, which recalls the rest of the corpus.
    """
    by_cosine = vector_arm(vectors)
    text_graphs = [readable_text_graph(example.problem) for example in examples]
    # An arm is called twice: with and without copies as exemplars.
    graphs_by_questions: dict[bytes, list[LikelyGraphs]] = {}

    def solved(questions: Rows, corpus: Rows) -> list[LikelyGraphs]:
        key = questions.tobytes()
        if key not in graphs_by_questions:
            recalled = corpus[~np.isin(stories[corpus], stories[questions])]
            solver = solver_with([examples[row].problem for row in recalled])
            graphs_by_questions[key] = likely_graphs(solver, [examples[row].problem for row in questions])
        return graphs_by_questions[key]

    def similarities(questions: Rows, corpus: Rows) -> Floats:
        likely = solved(questions, corpus)
        graphs = CorpusGraphs([text_graphs[row] for row in corpus])
        cosines = by_cosine(questions, corpus)
        return np.stack([graphs.scores(row, row_graphs) for row, row_graphs in zip(cosines, likely, strict=True)])

    return similarities


def tfidf_arm(texts: Sequence[str]) -> Arm:
    """Return an arm with cosines of TF-IDF vectors of words and word pairs, fitted on all texts without labels."""
    from sklearn.feature_extraction.text import TfidfVectorizer

    words = r"(?u)\b\w+\b"
    weights = TfidfVectorizer(ngram_range=(1, 2), token_pattern=words).fit_transform(texts)

    def similarities(questions: Rows, corpus: Rows) -> Floats:
        cosines: Floats = np.asarray((weights[questions] @ weights[corpus].T).todense(), dtype=np.float64)
        return cosines

    return similarities


def bound_arm(examples: Sequence[AnalogyExample]) -> Arm:
    """Return the upper bound by true graphs: same equation first, then same graph, then similar graphs."""
    graphs = [example.graph.graph for example in examples]
    equations = np.array([example.graph.prototype for example in examples], dtype=object)

    def similarities(questions: Rows, corpus: Rows) -> Floats:
        graph_similarities = GraphSimilarities([graphs[row] for row in corpus])
        alike = np.stack([graph_similarities.of(graphs[row]) for row in questions])
        same = equations[questions][:, None] == equations[corpus][None, :]
        return (alike + same) / 2

    return similarities


COLUMNS = ("same_equation", "same_graph", "edit_similarity", "ndcg", "apply_nearest", "apply_vote")
"""Means over questions; `pearson` is over the pairs of a question with each of its exemplars.

In nDCG and `pearson`, graph similarity is the paper's, by Levenshtein distance; `edit_similarity` is by tree edit
distance.
"""

_RESAMPLES = 1_000


@dataclass(frozen=True)
class QuestionSet:
    """Questions with the corpus of each: a published fold against the others, or a test file against the rest.

    Attributes:
        examples: all examples.
        parts: (rows of questions, rows of their corpus).
    """

    examples: tuple[AnalogyExample, ...]
    parts: tuple[tuple[Rows, Rows], ...]

    @classmethod
    def of(cls, asked: Sequence[AnalogyExample], corpus: Sequence[AnalogyExample]) -> QuestionSet:
        """Return a set in which all questions share one corpus."""
        rows = np.arange(len(asked) + len(corpus))
        return cls((*asked, *corpus), ((rows[: len(asked)], rows[len(asked) :]),))

    @cached_property
    def stories(self) -> Rows:
        """A number for each text, equal for texts that differ only in numbers."""
        return integer_codes(story_key(example.problem.text) for example in self.examples)

    @cached_property
    def graph_similarities(self) -> tuple[GraphSimilarities, ...]:
        """The graph similarities of each part's corpus."""
        graphs = [example.graph.graph for example in self.examples]
        return tuple(GraphSimilarities([graphs[row] for row in corpus]) for _rows, corpus in self.parts)

    @property
    def twin_share(self) -> float:
        """The share of the questions with a copy in their corpus that differs only in numbers."""
        stories = self.stories
        twinned = [np.isin(stories[rows], stories[corpus]) for rows, corpus in self.parts]
        return float(np.concatenate(twinned).mean())


@dataclass(frozen=True, slots=True)
class Columns:
    """Measurements, one row per question.

    Attributes:
        values: by name from `COLUMNS` or `ANSWER_COLUMNS`; NaN where not measured.
        exemplars: (questions, k) rows of the exemplars, nearest first, padded with -1.
        similarities: (questions, k) similarities to them, padded with NaN.
        graph_similarities: (questions, k) similarities of their graphs.
    """

    values: Mapping[str, Floats]
    exemplars: Rows
    similarities: Floats
    graph_similarities: Floats


def measure_arm(questions: QuestionSet, arm: Arm, k: int, filled: dict[int, Filled], *, twins: bool) -> Columns:
    """Evaluate one retrieval method.

    Args:
        questions: questions with their corpora.
        arm: returns similarities.
        k: exemplars per question; twice as many vote.
        filled: results of retrieve-and-apply by question row, reused and added to.
        twins: whether problems that differ from the question only in numbers may be exemplars.
    """
    values: dict[str, list[float]] = {name: [] for name in COLUMNS}
    exemplars, similarities, alike = [], [], []
    stories = questions.stories
    for (rows, corpus), graph_similarities in zip(questions.parts, questions.graph_similarities, strict=True):
        scores = arm(rows, corpus)
        if not twins:
            scores = np.where(stories[rows][:, None] == stories[corpus][None, :], -np.inf, scores)
        for row, row_scores in zip(rows.tolist(), scores, strict=True):
            possible = np.isfinite(row_scores)
            order = np.argsort(-row_scores, kind="stable")[: 2 * k]
            order = order[possible[order]]
            gains = graph_similarities.of(questions.examples[row].graph.graph)
            figures = _question_figures(questions.examples, row, corpus[order], row_scores[order], k, filled)
            figures["ndcg"] = ndcg(gains[order[:k]], gains[possible])
            for name in COLUMNS:
                values[name].append(figures[name])
            exemplars.append(_padded(corpus[order[:k]], k, -1))
            similarities.append(_padded(row_scores[order[:k]], k, np.nan))
            alike.append(_padded(gains[order[:k]], k, np.nan))
    return Columns(
        {name: np.array(column) for name, column in values.items()},
        np.array(exemplars).reshape(-1, k),
        np.array(similarities).reshape(-1, k),
        np.array(alike).reshape(-1, k),
    )


def _padded(values: npt.NDArray[Any], k: int, fill: float) -> npt.NDArray[Any]:
    return np.pad(values, (0, k - len(values)), constant_values=fill)


def _question_figures(
    examples: Sequence[AnalogyExample], row: int, near: Rows, similarities: Floats, k: int, filled: dict[int, Filled]
) -> dict[str, float]:
    question = examples[row]
    hits = [examples[neighbour].graph for neighbour in near[:k]]
    figures = {
        "same_equation": sum(graph.prototype == question.graph.prototype for graph in hits) / k,
        "same_graph": sum(graph.graph == question.graph.graph for graph in hits) / k,
        "edit_similarity": sum(_edit_similarity(question.graph, graph) for graph in hits) / k,
    }
    numbers = problem_numbers(question.problem)
    neighbours = [
        Neighbour(examples[neighbour].graph, float(similarity), int(neighbour))
        for neighbour, similarity in zip(near, similarities, strict=True)
    ]
    kept = filled.setdefault(row, {})
    value = question.value
    for name, voters in (("apply_nearest", neighbours[:1]), ("apply_vote", neighbours)):
        answers = apply_graphs(voters, numbers, filled=kept, most=1)
        figures[name] = float(bool(answers) and answers_agree(answers[0].value, value))
    return figures


_edit_similarity = lru_cache(maxsize=100_000)(edit_similarity)  # several methods find the same exemplars


def figures_of(columns: Columns, baseline: Columns | None = None) -> dict[str, list[float]]:
    """Return each figure with the bounds of its 95 % bootstrap interval over questions.

    Args:
        columns: those of an arm.
        baseline: those of another arm on the same questions; if given, differences from it are returned.
    """
    count = len(columns.similarities)
    # The first row weights every question once: it gives the figure itself.
    drawn = resample_counts(count, resamples=_RESAMPLES)
    weights = np.array([np.ones(count), *drawn], dtype=np.float64)
    if baseline is None:
        figures = {name: _means(column, weights) for name, column in columns.values.items()}
        figures["pearson"] = np.array([_correlation(columns, row) for row in weights])
    else:
        figures = {
            name: _means(column, weights) - _means(baseline.values[name], weights)
            for name, column in columns.values.items()
            if name in baseline.values
        }
    return {name: [float(values[0]), *middle(values[1:])] for name, values in figures.items()}


def _means(column: Floats, weights: Floats) -> Floats:
    """Return the mean of the measured values, for each row of weights; NaN if all of them have weight 0."""
    measured = np.isfinite(column)
    counts = weights[:, measured].sum(axis=1)
    means = np.full(len(weights), np.nan)
    return np.divide(weights[:, measured] @ column[measured], counts, out=means, where=counts > 0)


def _correlation(columns: Columns, weights: Floats) -> float:
    present = np.isfinite(columns.similarities)
    each = np.repeat(weights[:, None], columns.similarities.shape[1], axis=1)[present]
    return pearson(columns.similarities[present], columns.graph_similarities[present], each)


ANSWER_COLUMNS = ("exact_match", "right_number")
"""Whether an answer is right by the paper's measure, and whether its number is right in any notation;
NaN for questions outside the sample.

If numbers of exemplars are given, the number is appended: ``exact_match@4``.
"""

ANSWER_OPTIONS = AskOptions(temperature=0.0, max_tokens=1024)
_TOGETHER = 64  # prompts sent together; their answers are stored before the next are sent


@dataclass
class MeasuredGenerator:
    """A language model whose answers are evaluated.

    Attributes:
        model: the language model.
        questions: number of questions per set to send to it.
        kept: file with its answers, read first and appended to; None to keep them only in this object.
        shown: numbers of exemplars to show with a question, 0 for none; empty for all that were found.
        most_tokens: maximum tokens per answer.
        prompts_sent: number of prompts that it answered.
        problem: why it is no longer queried; empty while it works.
    """

    model: LanguageModel
    questions: int
    kept: Path | None = None
    shown: tuple[int, ...] = ()
    most_tokens: int = 1024
    prompts_sent: int = 0
    problem: str = ""
    _answers: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.kept is not None and self.kept.is_file():
            self._answers = {row["prompt"]: row["answer"] for _number, row in read_objects(self.kept)}

    def with_answers(self, questions: QuestionSet, columns: Columns) -> Columns:
        """Return the measurements of one retrieval method with `ANSWER_COLUMNS` added.

        Args:
            questions: the model gets a sample of these, the same one for every method.
            columns: measurements with the exemplars.

        Raises:
            LanguageModelError: the model cannot be reached, or refuses.
            DataError: no problem of the set has an answer that a prompt could show.
        """
        examples = questions.examples
        rows = np.concatenate([part for part, _corpus in questions.parts]).tolist()
        corpus = np.unique(np.concatenate([corpus for _part, corpus in questions.parts])).tolist()
        written = PromptSettings(answers=answer_format([examples[row].problem for row in corpus]))
        sample = _sample(len(rows), self.questions)
        found = columns.exemplars.shape[1]
        values = dict(columns.values)
        for shown in self.shown or (found,):
            prompts = {}
            for place in sample:
                near = [examples[row].problem for row in columns.exemplars[place, :shown].tolist() if row >= 0]
                try:
                    prompts[place] = few_shot_prompt(examples[rows[place]].problem.text, near, written)
                except DataError:  # too long for any answer: counts as wrong
                    continue
            answers = self._answers_to(list(prompts.values()), written.answers)
            by_place = dict(zip(prompts, answers, strict=True))
            names = [f"{name}@{shown}" if self.shown else name for name in ANSWER_COLUMNS]
            exact, right = (values.setdefault(name, np.full(len(rows), np.nan)) for name in names)
            for place in sample:
                question, answer = examples[rows[place]], by_place.get(place, "")
                exact[place] = is_exact_match(
                    answer, written.answers, published=question.problem.answer, value=question.value
                )
                right[place] = answers_agree(parse_answer(answer, written.answers), question.value)
        return replace(columns, values=values)

    def report(self) -> dict[str, Any]:
        """Return the facts needed to interpret its figures."""
        return {
            "name": self.model.name,
            "host": self.model.host,
            "questions": self.questions,
            "prompts_sent": self.prompts_sent,
            "problem": self.problem,
        }

    def _answers_to(self, prompts: Sequence[str], answers: str) -> list[str]:
        """Return an answer per prompt; empty, and so wrong, if the model has none or the prompt is too long for it."""
        keys = [hashlib.sha256(f"{self.model.name}\n{answers}\n{prompt}".encode()).hexdigest() for prompt in prompts]
        by_key = dict(zip(keys, prompts, strict=True))
        new = [key for key in by_key if key not in self._answers]
        options = replace(ANSWER_OPTIONS, max_tokens=self.most_tokens)
        for start in range(0, len(new), _TOGETHER):
            batch = new[start : start + _TOGETHER]
            conversations = [few_shot_messages(by_key[key], answers) for key in batch]
            for key, answer in zip(batch, self.model.ask_all(conversations, options), strict=True):
                self._keep(key, answer)
                self.prompts_sent += 1
        return [self._answers[key] for key in keys]

    def _keep(self, key: str, answer: str) -> None:
        self._answers[key] = answer
        if self.kept is not None:
            self.kept.parent.mkdir(parents=True, exist_ok=True)
            with self.kept.open("a", encoding="utf-8") as file:
                file.write(json.dumps({"prompt": key, "answer": answer}, ensure_ascii=False) + "\n")


@contextmanager
def opened_generator(questions: int, **options: Any) -> Iterator[MeasuredGenerator | None]:
    """Yield the configured language model; None without a model, without questions to send, or without Django.

    Args:
        questions, options: see `MeasuredGenerator`.

    Raises:
        BackboneError, LanguageModelError: the model cannot be loaded, or its URL is invalid.
    """
    django = sys.modules.get("django.conf")  # its settings name the model
    if questions < 1 or django is None or not django.settings.configured:
        yield None
        return
    from questionbank.registry.language_model_selectors import configured_language_model
    from worker.language_models import open_language_model

    if configured_language_model() is None:
        yield None
        return
    with open_language_model() as model:
        yield MeasuredGenerator(model, questions, **options)


def _sample(count: int, most: int) -> list[int]:
    """Return the indices of `most` questions, sampled with a fixed seed, or of all if there are fewer."""
    return sorted(np.random.default_rng(0).permutation(count)[:most].tolist())
