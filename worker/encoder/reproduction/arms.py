"""The arms of QuesCo's tables; see arms.toml."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from worker.reproduction import arms


@dataclass(frozen=True, slots=True)
class Arm(arms.Arm):
    """One line of a table.

    Attributes:
        vectors: ``encoder``, or ``tfidf`` for vectors of word counts.
    """

    vectors: str = "encoder"


ARMS = arms.read_arms(Path(__file__).parent, Arm)
"""What `reproduce encoder --arms` takes."""
