"""Several people, workers or windows at the same moment, each on a connection of its own."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from django.db import connection

from questionbank.core.errors import KindredError


def at_once(function: Callable[[Any], Any], arguments: Iterable[Any]) -> list[Any]:
    """Call a function with all arguments at the same time; return what each call returns, or the error it refuses with.

    The test needs `@pytest.mark.django_db(transaction=True)`.
    """
    everybody = list(arguments)
    barrier = threading.Barrier(len(everybody))

    def call(argument: Any) -> Any:
        barrier.wait()
        try:
            return function(argument)
        except KindredError as error:
            return error
        finally:
            connection.close()

    with ThreadPoolExecutor(len(everybody)) as pool:
        return list(pool.map(call, everybody))
