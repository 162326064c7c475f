"""Log filters, and a processor that removes secrets which must never be logged."""

from __future__ import annotations

import logging
import re
import sys
from collections.abc import MutableMapping
from typing import Any

from questionbank.core.outage import outage_of

_RESET_KEY = re.compile(r"(/password/reset/key/)(?!done/|[0-9A-Za-z]+-set-password\b)[^\s/?#\"'<>\\]+")
_FAULT = 500  # statuses from here on are our fault


class WithoutRefusals(logging.Filter):
    """Remove the traceback from lines about refused requests, such as "Forbidden", which are not faults."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Return True; no line is dropped."""
        if getattr(record, "status_code", _FAULT) < _FAULT:
            record.exc_info = None
        return True


class WithoutOutages(logging.Filter):
    """If a server is down or the disk is full, log the reason instead of the same traceback many times."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Return True; no line is dropped."""
        event = record.msg if isinstance(record.msg, dict) else None  # structlog's
        traced = event.get("exc_info") if event is not None else record.exc_info
        error = sys.exc_info()[1] if traced is True else traced[1] if isinstance(traced, tuple) else traced
        outage = outage_of(error) if isinstance(error, BaseException) else None
        if outage is not None:
            reason = f"{type(error).__name__}: {str(error).strip().splitlines()[0] if str(error).strip() else outage}"
            if event is not None:
                record.msg = {**event, "exc_info": None, "reason": reason}
            else:
                record.exc_info, record.msg = None, f"{record.msg} ({reason.replace('%', '%%')})"
        return True


def without_reset_keys(_logger: Any, _method: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """Remove the key from every password-reset URL; anyone who reads it in the logs could choose the password.

    A structlog processor; it runs before the renderer, so that it also sees the text of tracebacks.
    """
    return {name: _without_key(value) for name, value in event.items()}


def _without_key(value: Any) -> Any:
    if isinstance(value, str):
        return _RESET_KEY.sub(r"\1...", value)
    if isinstance(value, dict):
        return {name: _without_key(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_without_key(inner) for inner in value]
    return value
