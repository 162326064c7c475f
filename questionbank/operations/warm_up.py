"""Loading models and the formula engine when a process starts serving pages, so that no request waits.

Only what the bank needs is loaded: the models of each language with questions, English first. Models of another
language are loaded with its first text; `questionbank.registry.serving` unloads unused ones.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from threading import Thread

from django.db import DatabaseError, connection
from django.urls import get_resolver

from analytics.languages import primary_language
from questionbank.bank.vector_selectors import bank_languages
from questionbank.core.errors import KindredError
from questionbank.registry.artifact_selectors import language_champion
from questionbank.registry.serving import served_scorer, served_solver, serving
from questionbank.rendering import render_inline
from questionbank.similar.predictions import predict
from questionbank.similar.similarity import similar_by_lens
from questionbank.solving.solutions import text_solved

logger = logging.getLogger(__name__)

_QUESTIONS = {
    "en": "A box holds 6 eggs. How many eggs are there in 4 boxes?",
    "zh": "一盒有6个鸡蛋，4盒一共有多少个鸡蛋？",
}
_PAIR = (  # contains a unit and a formula, whose parsers take seconds to load
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
    """Solve, compare and classify a sample question per language of the bank, and score a pair of texts.

    If a model fails to load, a later request loads it.
    """
    render_inline("$x$")  # starts the formula engine
    _ = get_resolver().url_patterns  # imports all views, including those that read test papers
    languages = _languages()
    for language in languages:
        for step in (_solve, _compare, _classify):
            _try(step, _QUESTIONS[language], language)
    if "en" in languages:
        _try(_score, *_PAIR)


def _languages() -> list[str]:
    """Return the languages whose models the bank needs; English covers all without a solver of their own."""
    try:
        present = {primary_language(language) for language in bank_languages()} or {"en"}
        others = [
            language for language in _QUESTIONS if language != "en" and language in present and _has_solver(language)
        ]
    except DatabaseError:
        return []
    return [*(["en"] if present - set(others) else []), *others]


def _try(step: Callable[[str, str], None], first: str, second: str) -> None:
    try:
        step(first, second)
    except (KindredError, DatabaseError) as error:
        logger.info("A model was not loaded beforehand: %s", error)


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
