"""Temml in an embedded V8: one isolate per process that renders formulas.

The isolate is created with the first formula, so that a forked process has its own; a fork never uses its parent's.
Only one thread runs it at a time. A call that exceeds its time or memory limit is stopped, and the next call gets a new
isolate. If the library cannot be loaded (another processor, musl), formulas are shown as their source, and the health
page reports it.
"""

from __future__ import annotations

import atexit
import ctypes
import json
import logging
import os
import re
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from analytics.text.characters import TEXT_MACROS

if TYPE_CHECKING:
    from py_mini_racer import MiniRacer

logger = logging.getLogger(__name__)

SECONDS = 0.4  # per call; a formula takes a tenth of a millisecond
MEGABYTES = 96  # limit of V8's heap, at which a call is stopped
# V8 protects its code pages with the processor's memory protection keys, which belong to the thread that initialised
# V8: on processors that have them, closing an isolate from another thread causes a segmentation fault.
_FLAGS = ("--no-memory-protection-keys",)
_ATTEMPTS = 4  # when a busy machine did not schedule the call in time
_FOLDER = Path(__file__).parent / "temml"
_SCRIPTS = ("temml.min.js", "mhchem.min.js", "school.js")
_COMMAND = re.compile(r'"\\\\([a-zA-Z]+)\*?"')
_WORD_LIST = re.compile(r'"((?:[a-zA-Z]+ ){4,}[a-zA-Z]*)"')  # names of operators and of double-struck letters


class Refused(Exception):
    """Temml does not understand the formula, or rendering it takes too long."""


class Unavailable(Exception):
    """This machine cannot run the engine."""


class _Engine:
    """The isolate of this process."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._isolate: MiniRacer | None = None
        self._failures: tuple[type[Exception], ...] = ()
        self._problem = ""
        os.register_at_fork(after_in_child=self._forget)
        atexit.register(self._close)  # later its thread is gone, and closing would wait forever

    def _forget(self) -> None:
        """Abandon the parent process's isolate: its thread does not exist in this process, so it cannot be freed."""
        self._lock = threading.Lock()
        if self._isolate is not None:
            ctypes.pythonapi.Py_IncRef(ctypes.py_object(self._isolate))
            self._isolate = None

    def _close(self) -> None:
        with self._lock:
            if self._isolate is not None:
                self._isolate.close()
                self._isolate = None

    def call(self, function: str, *arguments: object) -> str:
        with self._lock:
            isolate = self._isolate or self._start()
            code = f"{function}({','.join(json.dumps(argument) for argument in arguments)})"
            text = self._evaluate(isolate, code)
        if text.startswith("!"):
            raise Refused(text[1:])
        return text

    def _evaluate(self, isolate: MiniRacer, code: str) -> str:
        for _attempt in range(_ATTEMPTS):
            began = time.process_time()
            try:
                return str(isolate.eval(code, timeout_sec=SECONDS))
            except TimeoutError:
                if time.process_time() - began > SECONDS / 2:  # otherwise the machine was too busy to run it
                    self._replace(isolate)
                    break
            except self._failures:
                self._replace(isolate)
                break
        logger.warning("A formula was given up: it takes too long or too much memory.")
        raise Refused("it takes too long or too much memory")

    def _replace(self, isolate: MiniRacer) -> None:
        """Close an isolate with a heap that a stopped call may have filled, so that the next formula would fail too."""
        self._isolate = None
        with suppress(*self._failures):
            isolate.eval("0")  # returns once V8 has stopped the call; closing earlier logs an error
        isolate.close()

    def _start(self) -> MiniRacer:
        if self._problem:
            raise Unavailable(self._problem)
        try:
            from py_mini_racer import (  # loaded with the first formula, not at start
                DEFAULT_V8_FLAGS,
                JSEvalException,
                MiniRacer,
                init_mini_racer,
            )

            init_mini_racer(flags=(*DEFAULT_V8_FLAGS, *_FLAGS), ignore_duplicate_init=True)
            with ThreadPoolExecutor(1) as elsewhere:  # in a thread with an event loop it would take that for its own
                isolate = elsewhere.submit(MiniRacer).result()
        except Exception as error:  # noqa: BLE001 - a missing wheel, library or processor feature, by any name
            self._problem = f"{type(error).__name__}: {error}"
            logger.error("Formulas are shown as their source: %s", error)
            raise Unavailable(self._problem) from None
        self._failures = (JSEvalException,)
        isolate.eval("var window = this, self = this;")
        for name in _SCRIPTS:
            isolate.eval((_FOLDER / name).read_text(encoding="utf-8"))
        isolate.eval(f"defineCharacters({json.dumps(TEXT_MACROS)})")
        isolate.set_hard_memory_limit(MEGABYTES * 2**20)
        self._isolate = isolate
        return isolate

    def problem(self) -> str:
        with self._lock:
            try:
                self._isolate or self._start()
            except Unavailable as error:
                return str(error)
        return ""


_ENGINE = _Engine()


def call(function: str, *arguments: object) -> str:
    """Call a JavaScript function of ``temml/school.js`` and return its result.

    Raises:
        Refused: the function rejects its arguments, or takes too long.
        Unavailable: the engine does not run on this machine.
    """
    return _ENGINE.call(function, *arguments)


@cache
def engine_commands() -> frozenset[str]:
    """Return the names of the commands known to the engine, as listed in its scripts."""
    scripts = "".join((_FOLDER / name).read_text(encoding="utf-8") for name in _SCRIPTS)
    lists = _WORD_LIST.findall(scripts)
    return frozenset([*_COMMAND.findall(scripts), *(name for words in lists for name in words.split())])


def engine_problem() -> str:
    """Return why formulas cannot be rendered on this machine; "" if they can."""
    return _ENGINE.problem()
