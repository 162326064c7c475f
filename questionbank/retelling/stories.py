"""Problems with a given computational graph, drawn from the demo bank's patterns: another story altogether.

Each pattern that draws word problems gives text, equation and answer together. Its phrasings are sorted by the graph of
their equation once a process; a draw is kept only if its own graph is the wanted one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from random import Random

from analytics.solver.targets import problem_graph_key
from questionbank.demo.pattern import Item, Pattern
from questionbank.demo.strands import ALL_PATTERNS
from questionbank.demo.wording import Draw, Unsuitable
from questionbank.retelling.problem import RetoldProblem

__all__ = ["graphs_with_stories", "stories"]

_DRAWS = 6  # of each pattern, to learn which graphs it has
_TRIES = 12  # of each pattern, for one problem
_BLANK = "____"


@cache
def graphs_with_stories() -> Mapping[str, tuple[Pattern, ...]]:
    """Return patterns by the graphs of the problems that they draw."""
    patterns: dict[str, dict[str, Pattern]] = {}
    for pattern in ALL_PATTERNS:
        for draw in range(_DRAWS):
            item = _item(pattern, Random(f"{pattern.slug}/{draw}"))
            if item is None:
                continue
            if not item.equation:
                break  # it draws no word problems
            for text in item.ask:
                key = problem_graph_key(text, item.equation)
                patterns.setdefault(key, {})[pattern.slug] = pattern
    return {key: tuple(by_slug.values()) for key, by_slug in patterns.items() if key}


def stories(graph_key: str, seed: str) -> Iterator[RetoldProblem]:
    """Yield problems with a graph, each pattern in turn, always the same ones for a seed."""
    patterns = list(graphs_with_stories().get(graph_key, ()))
    rng = Random(seed)
    rng.shuffle(patterns)
    for _turn in range(_TRIES):
        for pattern in patterns:
            item = _item(pattern, rng)
            if item is None:
                continue
            texts = [
                text
                for text in item.ask
                if _BLANK not in text and problem_graph_key(text, item.equation) == graph_key
            ]
            if texts:
                yield RetoldProblem(rng.choice(texts), item.equation, item.answer, "another story")


def _item(pattern: Pattern, rng: Random) -> Item | None:
    try:
        return pattern.make(Draw(rng))
    except Unsuitable:
        return None
