"""Asking every model in use once when a process begins to serve pages, so that nobody waits for models to load."""

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
    """Do it in a thread; requests that come meanwhile wait only for the model that they need."""
    Thread(target=_warm_up_and_disconnect, name="warm-up", daemon=True).start()


def _warm_up_and_disconnect() -> None:
    try:
        warm_up()
    finally:
        connection.close()


def warm_up() -> None:
    """Have a question compared, solved, and its concepts predicted; what cannot be done is left to the requests."""
    try:
        models = serving()
        text_solved(_QUESTION, "en", served_solver("en"))
        similar_by_lens(asked=_QUESTION, language="en", serving=models, k=1)
        predict(text=_QUESTION, language="en", serving=models)
    except (KindredError, DatabaseError) as error:
        logger.info("Not every model was loaded beforehand: %s", error)
