"""Loading the models that an English question needs when a process begins to serve pages, so that nobody waits."""

from __future__ import annotations

import logging
from threading import Thread

from django.db import DatabaseError, connection

from questionbank.errors import KindredError
from questionbank.selectors.questions.predictions import predict
from questionbank.selectors.questions.solutions import text_solved
from questionbank.selectors.serving import served_solver, serving
from questionbank.selectors.similar.similarity import similar_by_lens

__all__ = ["warm_up", "warm_up_beside"]

logger = logging.getLogger(__name__)

_QUESTION = "A box holds 6 eggs. How many eggs are there in 4 boxes?"


def warm_up_beside() -> None:
    """Warm up in a background thread. A request that needs an unloaded model waits for the one being loaded."""
    Thread(target=_warm_up_and_disconnect, name="warm-up", daemon=True).start()


def _warm_up_and_disconnect() -> None:
    try:
        warm_up()
    finally:
        connection.close()


def warm_up() -> None:
    """Solve, compare and classify a sample question; a model that fails to load is left to the requests."""
    for step in (_solve, _compare, _classify):
        try:
            step()
        except (KindredError, DatabaseError) as error:
            logger.info("A model was not loaded beforehand: %s", error)


def _solve() -> None:
    text_solved(_QUESTION, "en", served_solver("en"))


def _compare() -> None:
    similar_by_lens(asked=_QUESTION, language="en", serving=serving(), k=1)


def _classify() -> None:
    predict(text=_QUESTION, language="en", serving=serving())
