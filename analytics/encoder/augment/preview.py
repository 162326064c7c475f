"""What the strategies make of one question, worked out in a child process that may be killed.

A page shows it for whatever a person pastes, so nothing here may hang the process that answers pages or take
its memory, whatever a strategy does with a formula; see docs/decisions/. `augmentation_preview` starts
``python -m analytics.encoder.augment.preview``, which reads one request and writes one reply, both JSON.
"""

from __future__ import annotations

import contextlib
import json
import os
import random
import resource
import signal
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from analytics.encoder.augment.pipeline import STRATEGIES, Augmenter
from analytics.errors import DataError
from analytics.text.difference import Piece, text_difference

LONGEST = 6_000  # characters; a question in a book has 300
TIMEOUT_SECONDS = 10.0
_MODULE = "analytics.encoder.augment.preview"
_MEMORY_LIMIT = 2 << 30
_PACKAGE_PARENT = Path(__file__).resolve().parents[3]


@dataclass(frozen=True, slots=True)
class Augmented:
    """A question as it was changed.

    Attributes:
        name: of the strategy; of the whole pipeline, its number counted from 1.
        group: of the strategy; empty for the whole pipeline.
        text: None where the strategy does not apply to the question.
        pieces: what changed; empty where nothing did.
    """

    name: str
    group: str
    text: str | None
    pieces: tuple[Piece, ...]


@dataclass(frozen=True, slots=True)
class Preview:
    """One question under every strategy alone, and several times under all of them together."""

    strategies: tuple[Augmented, ...]
    whole: tuple[Augmented, ...]


def augmentation_preview(
    text: str, *, seed: int, draws: int, timeout: float = TIMEOUT_SECONDS, module: str = _MODULE
) -> Preview:
    """Run `preview` in a child process under limits on memory and time.

    Raises:
        DataError: the text is longer than `LONGEST`, or the strategies took too long or too much.
    """
    if len(text) > LONGEST:
        raise DataError(f"The text has {len(text):,} characters; at most {LONGEST:,} can be shown.")
    path = [str(_PACKAGE_PARENT), *filter(None, [os.environ.get("PYTHONPATH", "")])]
    child = subprocess.Popen(
        [sys.executable, "-m", module],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(path)},
        start_new_session=True,  # so that whatever it starts can be killed with it
    )
    request = json.dumps({"text": text, "seed": seed, "draws": draws}).encode()
    try:
        reply, _nothing = child.communicate(request, timeout=timeout)
    except subprocess.TimeoutExpired:
        reply = b""
    finally:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(child.pid, signal.SIGKILL)
        child.communicate()
    if not reply:
        raise DataError("The strategies could not finish with this text; a shorter one may do.")
    return _read(json.loads(reply))


def preview(text: str, *, seed: int, draws: int) -> Preview:
    """Apply each strategy by itself, and the whole pipeline `draws` times; in this process.

    The same seed gives the same changes, and each strategy its own, whatever the others drew.
    """
    strategies = []
    for strategy in STRATEGIES:
        changed = strategy.apply(text, random.Random(f"{seed}/{strategy.name}"))
        strategies.append(_augmented(strategy.name, strategy.group, text, changed))
    augmenter = Augmenter()
    whole = [
        _augmented(str(number), "", text, augmenter(text, random.Random(f"{seed}/{number}")))
        for number in range(1, draws + 1)
    ]
    return Preview(tuple(strategies), tuple(whole))


def _augmented(name: str, group: str, text: str, changed: str | None) -> Augmented:
    pieces = text_difference(text, changed) if changed is not None and changed != text else []
    return Augmented(name, group, changed, tuple(pieces))


def _read(reply: dict[str, Any]) -> Preview:
    def read(rows: Sequence[dict[str, Any]]) -> tuple[Augmented, ...]:
        return tuple(
            Augmented(
                row["name"], row["group"], row["text"], tuple(Piece(**piece) for piece in row["pieces"])
            )
            for row in rows
        )

    return Preview(read(reply["strategies"]), read(reply["whole"]))


def _main() -> None:
    for kind, limit in (
        (resource.RLIMIT_AS, _MEMORY_LIMIT),
        (resource.RLIMIT_CPU, int(2 * TIMEOUT_SECONDS)),
        (resource.RLIMIT_CORE, 0),
    ):
        with contextlib.suppress(ValueError, OSError):  # not every system has or lets us lower it
            resource.setrlimit(kind, (limit, limit))
    request = json.loads(sys.stdin.buffer.read())
    reply = preview(request["text"], seed=request["seed"], draws=request["draws"])
    sys.stdout.write(json.dumps(asdict(reply)))


if __name__ == "__main__":
    _main()
