"""Every error that `analytics` raises on purpose.

AnalyticsError
├── ConfigurationError      a configuration field is out of bounds; lists every problem at once
├── DataError               a record cannot be used (wrong type, empty text, too few examples)
├── ArtifactError           a model folder is missing, incomplete or of another format version
│   └── ChecksumError       weights differ from their recorded SHA-256
├── BackboneError           a pretrained encoder cannot be found or loaded
├── EngineError             an engine is not installed, does not respond, or differs between machines
├── LanguageModelError      a language model cannot be reached or rejects the request
├── LatexError              a formula cannot be read with certainty
└── Cancelled               a training run was asked to stop; its last checkpoint is usable
"""

from __future__ import annotations

from collections.abc import Sequence


class AnalyticsError(Exception):
    """Base of all errors that `analytics` raises on purpose."""


class ConfigurationError(AnalyticsError):
    """One or more configuration fields are wrong; `problems` lists them all."""

    def __init__(self, problems: Sequence[str]) -> None:
        self.problems = tuple(problems)
        super().__init__("; ".join(self.problems))


class DataError(AnalyticsError):
    """A record, or a set of them, cannot be used."""


class ArtifactError(AnalyticsError):
    """A model folder is missing, incomplete or of another format version."""


class ChecksumError(ArtifactError):
    """Weights differ from their recorded SHA-256."""


class BackboneError(AnalyticsError):
    """A pretrained encoder cannot be found or loaded."""


class EngineError(AnalyticsError):
    """An engine is not installed, does not respond, or differs between machines."""


class LanguageModelError(AnalyticsError):
    """A language model cannot be reached or rejects the request."""


class LatexError(AnalyticsError):
    """A formula cannot be read with certainty."""


class Cancelled(AnalyticsError):
    """A training run was asked to stop; its last checkpoint is usable."""


def first_line(error: BaseException) -> str:
    r"""Return the first line of another program's error message, or the error's type if it has no message.

    >>> first_line(OSError("no route\nto the host")), first_line(ValueError())
    ('no route', 'ValueError')
    """
    return (str(error).strip() or type(error).__name__).splitlines()[0]
