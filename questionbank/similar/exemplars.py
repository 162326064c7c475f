"""Worked exemplars of a question, stored or pasted, and the answer that they give without a language model.

Implements Yang et al., "Learning by Analogy", Eq. 2, on the bank: nearest neighbours by the retriever if one is in use,
otherwise by meaning, with the probability of the question's graph weighted more than nearness. The number of rows read
does not grow with the bank.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from typing import cast

import numpy as np
import numpy.typing as npt

from analytics.analogy.exemplars import (
    ANSWER_FORMATS,
    PromptSettings,
    answer_format,
    answer_text,
    exemplar_score,
    few_shot_prompt,
    prompt_exemplars,
    prompt_tokens,
)
from analytics.analogy.graphs import ComputationalGraph, graph_similarity
from analytics.analogy.retrieve_and_apply import AppliedAnswer, Neighbour, apply_graphs
from analytics.catalog import ANALOGY, main_lens
from analytics.recalling_solver import applied_solution
from analytics.records import ProblemRecord
from analytics.solver.plausibility import answer_to_count
from analytics.text.fingerprints import story_key
from analytics.text.number_slots import SlotNumbers, slot_places
from analytics.text.question_tasks import is_word_problem
from questionbank.bank.question_selectors import published_answer, story_ids
from questionbank.bank.vector_selectors import nearest, stored_vector
from questionbank.core.capability_catalog import lens_name
from questionbank.models import Question
from questionbank.registry.serving import Serving
from questionbank.solving.computations import Computation, question_computation, same_computation_ids
from questionbank.solving.solutions import SolvedText, computation_shown, solved_computation, solved_graphs

EXEMPLARS = 8
VOTERS = 16
"""Number of nearest problems whose graphs are tried on the question's numbers."""

_NEAREST = 48  # with any graph; some repeat a story, some have neither equation nor answer
_SAME_GRAPH = 300  # with the question's graph, those with a known equation first
_READ = 24  # the nearest of those
_COLUMNS = (
    *("text", "language", "kind", "options", "answer", "solution", "content", "content_hash"),
    *("equation__expression", "equation__graph_key", "equation__question"),
    *(f"machine_solution__{name}" for name in ("graph_key", "probability", "content_hash", "alternatives")),
)
_AGREEMENT = 0.5  # minimum share of the votes for the neighbours to agree
_ENOUGH = 3  # with this many exemplars of known computation, the others can be left out
_LETTER = r"((?i:\b(?:answer|ans|option|choice)\b)(?:\s+(?:is|option|choice))*\s*[:=.–-]?\s*)\(?%s\)?(?![\w'’])"
"""An option's letter in a solution that names the answer: "Answer: C", "ANS-B", "the correct option is D"."""

_MUCH_ALIKE = 0.5  # minimum graph similarity for the reason to mention it

Vector = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class WorkedExemplar:
    """A worked problem that shows how to solve a question.

    Attributes:
        problem: what a prompt uses: published equation, answer and solution.
        similarity: cosine with the question under the lens.
        solved: its worked-out equation, its own or else the solver's; None if neither is known.
    """

    question: Question
    problem: ProblemRecord
    similarity: float
    solved: SolvedText | None
    has_same_graph: bool
    is_predicted: bool
    reason: str


@dataclass(frozen=True, slots=True)
class WorkedExemplars:
    """The exemplars of a question.

    Attributes:
        exemplars: those with the question's graph first, if that is known; then those with a graph that the solver
            finds likely, and the most similar.
        shape: what the question computes, in letters; empty if not known.
        applied: the answer that the nearest problems' graphs give with the question's numbers; None if no graph fits.
            These problems are chosen by similarity alone, so that the question's own equation does not help.
        repeated: number of similar problems left out because they differ from the question, or from an exemplar,
            only in their numbers.
    """

    exemplars: tuple[WorkedExemplar, ...]
    shape: str
    lens: str
    notice: str
    applied: AppliedAnswer | None
    voters: int
    repeated: int = 0

    @property
    def voters_agree(self) -> bool:
        """Whether several voted and the answer has half of their votes; otherwise the page collapses the answer."""
        return self.voters > 1 and self.applied is not None and self.applied.confidence >= _AGREEMENT


@dataclass(frozen=True, slots=True)
class ExemplarPrompt:
    """A few-shot prompt.

    Attributes:
        answers: the format of its answers, one of `ANSWER_FORMATS`.
        lacking: number of exemplars left out because they have no answer in that format.
        tokens: words and signs.
    """

    text: str
    answers: str
    used: int
    lacking: int
    tokens: int


@dataclass(frozen=True)
class _Candidate:
    question: Question
    similarity: float
    computation: Computation | None

    @cached_property
    def story(self) -> str:
        """The key that copies of its text share: `story_key`."""
        return story_key(self.question.analysed_text)

    def computes(self, key: str) -> bool:
        """Return whether its graph has this key."""
        return self.computation is not None and self.computation.key == key

    def score(self, likely: Mapping[str, float]) -> float:
        """Return its ranking score, given the probabilities of the question's graphs."""
        if self.computation is None:
            return exemplar_score(self.similarity, 0.0)
        probability = 1.0 if self.computation.probability is None else self.computation.probability
        return exemplar_score(self.similarity, probability * likely.get(self.computation.key, 0.0))


def question_exemplars(
    *, question: Question, solved: SolvedText | None, serving: Serving, k: int = EXEMPLARS
) -> WorkedExemplars:
    """Return the `k` best exemplars of a stored question, excluding the question itself and versions of its story.

    Args:
        solved: how the question is solved, from `question_solved`.

    Raises:
        ServiceUnavailable: the bank has no vectors yet.
    """
    search = _Search(question.analysed_text, question.language, serving, exclude=story_ids(question.pk))
    return search.exemplars(solved, k, stored=question)


def text_exemplars(*, text: str, language: str, solved: SolvedText | None, serving: Serving) -> WorkedExemplars:
    """Return the best exemplars of a text that is not in the bank.

    Raises:
        ServiceUnavailable: the bank has no vectors yet.
    """
    return _Search(text, language, serving, exclude=[]).exemplars(solved, EXEMPLARS)


class _Search:
    """One search for exemplars, with a fixed number of queries whatever the size of the bank."""

    def __init__(self, text: str, language: str, serving: Serving, *, exclude: list[int]) -> None:
        self._text, self._language, self._exclude = text, language, exclude
        self._serving = serving = serving.for_language(language)
        self._set, self._notice = serving.set_for(_lens(serving, text, language), language, [text])

    def exemplars(self, solved: SolvedText | None, k: int, stored: Question | None = None) -> WorkedExemplars:
        computation = _asked(self._text, solved, stored)
        likely = (
            solved_graphs(self._text, solved)
            if computation is None or computation.is_predicted
            else {computation.key: 1.0}
        )
        vector = self._vector(stored)
        near = dict(self._nearest(vector, None, _NEAREST))
        same: list[int] = []
        if likely:
            best = max(likely, key=likely.__getitem__)
            same = same_computation_ids(key=best, language=self._language, exclude=self._exclude, limit=_SAME_GRAPH)
        near_and_same = self._nearest(vector, same, _READ) if same else []
        candidates = self._read({**near, **dict(near_and_same)})
        voters = _voters(self._stories(candidate for candidate in candidates if candidate.question.pk in near))
        is_single = stored is None or not stored.is_in_parts
        applied = _applied(self._text, voters) if is_single and is_word_problem(self._text) else None
        candidates.sort(key=lambda candidate: -candidate.score(likely))
        if computation is not None:
            candidates.sort(key=lambda candidate: not candidate.computes(computation.key))
        usable = self._usable(candidates, computation, k)
        return WorkedExemplars(
            exemplars=tuple(_exemplar(candidate, computation) for candidate in usable),
            shape=computation.reading if computation else "",
            lens=lens_name(self._set.lens),
            notice=self._notice,
            applied=applied,
            voters=len(voters),
            repeated=self._repeated(candidates, usable),
        )

    def _vector(self, stored: Question | None) -> Vector:
        """Return the stored question's vector if it is up to date, otherwise compute one."""
        if stored is not None:
            vector = stored_vector(embedding_set=self._set, question=stored)
            if vector is not None:
                return vector
        return cast(Vector, self._serving.encoder(self._set.lens).encode([self._text])[0])

    def _nearest(self, vector: Vector, ids: Sequence[int] | None, limit: int) -> list[tuple[int, float]]:
        return nearest(embedding_set=self._set, vector=vector, k=limit, question_ids=ids, exclude=self._exclude)

    def _read(self, similarities: Mapping[int, float]) -> list[_Candidate]:
        """Return the questions, the most similar first."""
        rows = (
            Question.objects.filter(pk__in=similarities, language=self._language)
            .select_related("equation", "machine_solution")
            .only(*_COLUMNS)
        )
        return [
            _Candidate(question, similarities[question.pk], question_computation(question))
            for question in sorted(rows, key=lambda row: (-similarities[row.pk], row.pk))
        ]

    def _stories(self, candidates: Iterable[_Candidate]) -> Iterator[_Candidate]:
        """Yield each story once, without the question's own; lazily, so that no more are read than needed."""
        stories = {story_key(self._text)}
        for candidate in candidates:
            if candidate.story not in stories:
                stories.add(candidate.story)
                yield candidate

    def _repeated(self, candidates: Sequence[_Candidate], shown: Sequence[_Candidate]) -> int:
        """Return how many problems are hidden because the question or a shown problem has the same story."""
        stories = {story_key(self._text), *(candidate.story for candidate in shown)}
        repeated = (candidate for candidate in candidates if candidate.story in stories)
        return sum(map(_is_worked, repeated)) - len(shown)

    def _usable(self, candidates: Sequence[_Candidate], asked: Computation | None, k: int) -> list[_Candidate]:
        """Return the first `k` that are instructive.

        If the computations of the question and of enough candidates are known, candidates with only an answer are left
        out because they teach nothing, even if that leaves fewer exemplars.
        """
        if asked is not None:
            solved_candidates = (candidate for candidate in candidates if candidate.computation is not None)
            computed = list(islice(self._stories(solved_candidates), k))
            if len(computed) >= min(k, _ENOUGH):
                return computed
        return list(islice(self._stories(filter(_is_worked, candidates)), k))


def _asked(text: str, solved: SolvedText | None, stored: Question | None) -> Computation | None:
    """Return what the question computes; for its own equation, this was worked out when it was stored."""
    if stored is not None and solved is not None and solved.known is not None:
        computation = question_computation(stored)
        if computation is not None and not computation.is_predicted:
            return computation
    return solved_computation(text, solved)


def _lens(serving: Serving, text: str, language: str) -> str:
    """Return the retriever's lens if it has vectors and supports such a text, otherwise the main lens."""
    lens = ANALOGY.lens
    compares = lens.word in serving.sets and lens.takes(text) and serving.serves(lens.word, language, [text])
    return lens.word if compares else main_lens().word


def _voters(candidates: Iterable[_Candidate]) -> list[Neighbour]:
    """Return the nearest problems with a readable equation, in the form that retrieve-and-apply expects."""
    voters: list[Neighbour] = []
    for candidate in candidates:
        if len(voters) == VOTERS:
            break
        computation = candidate.computation
        if computation is None or computation.tree is None:
            continue
        graph = ComputationalGraph.of(computation.tree, places=slot_places(computation.slots), key=computation.key)
        voters.append(Neighbour(graph, candidate.similarity, row=candidate.question.pk))
    return voters


def _exemplar(candidate: _Candidate, asked: Computation | None) -> WorkedExemplar:
    computation = candidate.computation
    return WorkedExemplar(
        question=candidate.question,
        problem=_problem(candidate.question),
        similarity=max(0.0, min(1.0, candidate.similarity)),
        solved=computation_shown(computation) if computation else None,
        has_same_graph=asked is not None and candidate.computes(asked.key),
        is_predicted=computation is not None and computation.is_predicted,
        reason=_reason(computation, asked),
    )


def _problem(question: Question) -> ProblemRecord:
    """Return what the source or a person provided; nothing predicted by a model goes into a prompt."""
    equation = getattr(question, "equation", None)
    return ProblemRecord(
        str(question.pk),
        question.analysed_text,
        question.language,
        equation=equation.expression if equation is not None else "",
        answer=published_answer(question),
        solution=_solution(question),
    )


def _solution(question: Question) -> str:
    """Return the solution.

    For a multiple-choice question, the option's letter is removed, because a prompt leaves out the options.
    """
    if question.kind != Question.Kind.CHOICE:
        return question.solution
    answer = published_answer(question)
    if not answer:
        return question.solution
    if "," in question.answer:
        return question.solution
    letter = _LETTER % re.escape(question.answer.strip())
    return re.sub(letter, lambda match: match[1] + answer, question.solution)


def _applied(text: str, voters: Sequence[Neighbour]) -> AppliedAnswer | None:
    """Return the answer of similar problems' graphs with a text's numbers, rounded if the text asks for that."""
    numbers = SlotNumbers.of_text(text)
    answers = apply_graphs(voters, numbers, most=1)
    solution = applied_solution(answers[0], numbers.values) if answers else None
    if solution is None:
        return None
    value = answer_to_count(text, solution).value
    return answers[0] if value is None else replace(answers[0], value=value)


def _is_worked(candidate: _Candidate) -> bool:
    """Return whether it is instructive: it has an equation, a solution or an answer."""
    problem = _problem(candidate.question)
    return candidate.computation is not None or any(answer_text(problem, name) for name in ANSWER_FORMATS)


def _reason(computation: Computation | None, asked: Computation | None) -> str:
    if computation is None:
        return "It is similar and has a known answer; its computation is not known."
    if asked is None:
        return f"It is similar, and its computation is known: {computation.reading}."
    if computation.key == asked.key:
        beginning = "According to the solver's equation, it" if computation.is_predicted else "It"
        return f"{beginning} has the same computation as the question: {asked.reading}."
    differ = f"{computation.reading}; the question's is {asked.reading}."
    if graph_similarity(asked.key, computation.key) >= _MUCH_ALIKE:
        return f"Its computation is nearly the same: {differ}"
    return f"It is similar, but its computation is different: {differ}"


def exemplar_prompt(text: str, exemplars: Sequence[WorkedExemplar], settings: PromptSettings) -> ExemplarPrompt:
    """Return the few-shot prompt built from a question's exemplars.

    If the settings specify no answer format, the one that most exemplars have is used.

    Raises:
        DataError: no exemplar has an answer in the format, or the question alone exceeds the budget.
    """
    problems = [exemplar.problem for exemplar in exemplars]
    answers = settings.answers or answer_format(problems)
    settings = replace(settings, answers=answers)
    written = few_shot_prompt(text, problems, settings)
    return ExemplarPrompt(
        text=written,
        answers=answers,
        used=len(prompt_exemplars(text, problems, settings)),
        lacking=sum(not answer_text(problem, answers) for problem in problems),
        tokens=prompt_tokens(written),
    )
