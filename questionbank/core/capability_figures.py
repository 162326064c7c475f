"""The figures of a comparison of two models, as written by its job and stored as JSON.

Each capability has its own subclass of `Figures`; comparisons made by earlier versions may lack keys that are
`NotRequired`. Questions are given by id.
"""

from __future__ import annotations

from typing import NotRequired, TypedDict


class Metric(TypedDict):
    """One metric of both models.

    ``difference`` is candidate - champion, ``low`` and ``high`` its 95 % paired bootstrap interval over questions,
    rounded to four digits. ``worse``: the whole interval lies on the wrong side of 0. ``may_favour``
    (false if being better does not count for the candidate) and ``decides`` come only from earlier versions; now
    `analytics.capability.Capability.is_decisive` determines what decides.
    """

    name: str
    label: str
    higher_is_better: bool
    questions: int
    candidate: float
    champion: float
    difference: float
    low: float
    high: float
    worse: bool
    may_favour: NotRequired[bool]
    decides: NotRequired[bool]
    measure: NotRequired[str]
    suite: NotRequired[str]


class Suite(TypedDict):
    """The fixed questions on which both were measured, and those that only the champion (``lost``) can read.

    ``train_questions``: the questions that probes, neighbours or exemplars came from; ``fewest``: minimum number of
    questions; ``loses_...``: predicted by the champion but not by the candidate; ``seen_by_champion``: an earlier
    version trained the champion on the suite, which only favours it; ``won``: solved only by the candidate, ``missed``:
    only by the champion; the other keys count questions by what is known of them.
    """

    questions: int
    lost: int
    gained: int
    seed: int
    left_out: NotRequired[int]
    train_questions: NotRequired[int]
    difficulties: NotRequired[int]
    fewest: NotRequired[int]
    loses_concepts: NotRequired[bool]
    loses_difficulty: NotRequired[bool]
    seen_by_champion: NotRequired[bool]
    pairs: NotRequired[int]
    suites: NotRequired[list[PairSuite]]
    with_equation: NotRequired[int]
    answer_only: NotRequired[int]
    won: NotRequired[int]
    missed: NotRequired[int]


class Figures(TypedDict):
    """The keys of every comparison."""

    suite: Suite
    metrics: list[Metric]


class ChangedNeighbours(TypedDict):
    """The nearest questions of a question for each model, and the share that both lists contain."""

    question: int
    overlap: float
    candidate: list[int]
    champion: list[int]


class EncoderFigures(Figures):
    """``changed``: ascending by overlap of the ten nearest questions."""

    changed: list[ChangedNeighbours]


class AnalogyFigures(Figures):
    """``changed``: as for encoders, with the eight nearest."""

    changed: list[ChangedNeighbours]


class NamedConcept(TypedDict):
    """A model's most probable concept."""

    path: list[str]
    probability: float
    right: bool


class ChangedConcept(TypedDict):
    """A question for which the models name different concepts; ``tagged``: its own."""

    question: int
    tagged: list[list[str]]
    candidate: NamedConcept
    champion: NamedConcept


class ProbesFigures(Figures):
    """The figures of the probes of one hierarchy."""

    changed_concepts: list[ChangedConcept]


class PairSuite(TypedDict):
    """The labelled pairs of one source."""

    name: str
    pairs: int
    questions: int


class ChangedPair(TypedDict):
    """A pair with each scorer's probability that it is valid."""

    original: str
    paraphrase: str
    label: bool | int | None
    suite: NotRequired[str]
    candidate: float
    champion: float


class ParaphraseFigures(Figures):
    """Metrics also have ``suite`` and ``measure``; ``changed_pairs``: largest changes first."""

    changed_pairs: list[ChangedPair]


class ChangedProblem(TypedDict):
    """A problem that only one of the two solvers solves, with both equations."""

    question: int
    text: str
    equation: str
    answer: str
    is_won: bool
    candidate: str
    champion: str


class SolverFigures(Figures):
    """The figures of two solvers for one language."""

    changed_problems: list[ChangedProblem]
