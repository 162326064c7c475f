"""Loading models and the engine of formulas when a process begins to serve pages, so that nobody waits.

English first, then each other language that has a solver of its own. The models of a second language take about 0.45 GB
a process, whether they are loaded now or by the first question in it; without its solver in use they are not loaded.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import partial
from threading import Thread

from django.db import DatabaseError, connection
from django.urls import get_resolver

from questionbank.errors import KindredError
from questionbank.rendering import render_inline
from questionbank.selectors.registry.artifacts import language_champion
from questionbank.selectors.serving import served_scorer, served_solver, serving
from questionbank.selectors.similar.predictions import predict
from questionbank.selectors.similar.similarity import similar_by_lens
from questionbank.selectors.solving.solutions import text_solved

logger = logging.getLogger(__name__)

_QUESTIONS = {
    "en": "A box holds 6 eggs. How many eggs are there in 4 boxes?",
    "zh": "一盒有6个鸡蛋，4盒一共有多少个鸡蛋？",
}
_PAIR = (  # a unit and a formula, whose readers take seconds to load
    "A rope is 1.5 m long. How long are $x + 2$ such ropes?",
    "A rope is 150 cm long. How long are $2 + x$ such ropes?",
)


def warm_up_beside() -> None:
    """Warm up in a background thread. A request that needs an unloaded model waits for the one being loaded."""
    Thread(target=_warm_up_and_disconnect, name="warm-up", daemon=True).start()


def _warm_up_and_disconnect() -> None:
    try:
        warm_up()
    finally:
        connection.close()


def warm_up() -> None:
    """Solve, compare and classify a sample question a language, and score a pair of texts.

    A model that fails to load is left to the requests.
    """
    render_inline("$x$")  # starts the engine that draws formulas
    _ = get_resolver().url_patterns  # imports all pages, those that read test papers too
    for language, text in _QUESTIONS.items():
        for step in (_solve, _compare, _classify):
            _try(partial(_in_its_language, step), text, language)
    _try(_score, *_PAIR)


def _try(step: Callable[[str, str], None], first: str, second: str) -> None:
    try:
        step(first, second)
    except (KindredError, DatabaseError) as error:
        logger.info("A model was not loaded beforehand: %s", error)


def _in_its_language(step: Callable[[str, str], None], text: str, language: str) -> None:
    if language == "en" or _has_solver(language):
        step(text, language)


def _has_solver(language: str) -> bool:
    solver = language_champion(capability="solver", language=language)
    return solver is not None and solver.scope == language


def _solve(text: str, language: str) -> None:
    text_solved(text, language, served_solver(language))


def _compare(text: str, language: str) -> None:
    similar_by_lens(asked=text, language=language, serving=serving(), k=1)


def _classify(text: str, language: str) -> None:
    predict(text=text, language=language, serving=serving())


def _score(original: str, paraphrase: str) -> None:
    served = served_scorer()
    if served is not None:
        served.scorer.score([(original, paraphrase)])
