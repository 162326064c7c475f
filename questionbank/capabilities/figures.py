"""The figures of a comparison of two models, as its job writes them and as they are kept (JSON).

Those of each capability are its own subclass of `Figures`; comparisons of earlier versions may lack what is
`NotRequired`. A question is an id.
"""

from __future__ import annotations

from typing import NotRequired, TypedDict


class Metric(TypedDict):
    """One measure of both models.

    ``difference`` is candidate - champion, ``low`` and ``high`` its 95 % paired bootstrap interval over questions,
    rounded to four digits. ``worse``: all of the interval lies on the wrong side of 0. ``may_favour``
    (false where being better does not count for the candidate) and ``decides`` are said by earlier versions only; now
    `analytics.capability.Capability.is_decisive` says what decides.
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

    ``train_questions``: those that probes, neighbours or exemplars came from; ``fewest``: how many questions there must
    be; ``loses_...``: the champion predicts them and the candidate does not; ``seen_by_champion``: an earlier version
    trained it on the suite, which only favours it; ``won``: only the candidate solves them, ``missed``: only the
    champion; the others by what is known of them.
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
    """What every comparison has."""

    suite: Suite
    metrics: list[Metric]


class ChangedNeighbours(TypedDict):
    """The nearest questions of one question by either model, and the share of them that both name."""

    question: int
    overlap: float
    candidate: list[int]
    champion: list[int]


class EncoderFigures(Figures):
    """``changed``: those with the smallest overlap of their ten nearest questions first."""

    changed: list[ChangedNeighbours]


class AnalogyFigures(Figures):
    """``changed``: as for encoders, of the eight nearest."""

    changed: list[ChangedNeighbours]


class NamedConcept(TypedDict):
    """The concept that a model names first."""

    path: list[str]
    probability: float
    right: bool


class ChangedConcept(TypedDict):
    """A question that both models name different concepts for; ``tagged``: its own."""

    question: int
    tagged: list[list[str]]
    candidate: NamedConcept
    champion: NamedConcept


class ProbesFigures(Figures):
    """Those of the probes of one hierarchy."""

    changed_concepts: list[ChangedConcept]


class PairSuite(TypedDict):
    """The labelled pairs of one source."""

    name: str
    pairs: int
    questions: int


class ChangedPair(TypedDict):
    """A pair with the probability of being valid by either scorer."""

    original: str
    paraphrase: str
    label: bool | int | None
    suite: NotRequired[str]
    candidate: float
    champion: float


class ParaphraseFigures(Figures):
    """Metrics also name their ``suite`` and ``measure``; ``changed_pairs``: the largest changes first."""

    changed_pairs: list[ChangedPair]


class ChangedProblem(TypedDict):
    """A problem that only one of two solvers solves, with the equation of either."""

    question: int
    text: str
    equation: str
    answer: str
    is_won: bool
    candidate: str
    champion: str


class SolverFigures(Figures):
    """Those of two solvers of one language."""

    changed_problems: list[ChangedProblem]
