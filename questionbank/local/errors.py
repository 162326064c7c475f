"""Errors of the embedded servers; every message is one sentence that can be shown to a user.

EmbeddedError           a kind of questionbank.core.errors.ServiceUnavailable
└── AlreadyRunning      another `make run` holds this VAR_DIR
"""

from questionbank.core.errors import ServiceUnavailable


class EmbeddedError(ServiceUnavailable):
    """An embedded server or a supervised process cannot do what was requested."""


class AlreadyRunning(EmbeddedError):
    """Another supervisor already runs in this VAR_DIR."""
