"""What is kept of log lines."""

from __future__ import annotations

import logging
import sys

from questionbank.outage import outage_of

__all__ = ["WithoutOutages", "WithoutRefusals"]

_FAULT = 500  # statuses from here on are ours


class WithoutRefusals(logging.Filter):
    """Take the trace from lines about requests that were refused, such as "Forbidden": no fault is behind it."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Let every line pass."""
        if getattr(record, "status_code", _FAULT) < _FAULT:
            record.exc_info = None
        return True


class WithoutOutages(logging.Filter):
    """Replace the trace by the reason where a server is away or the disk is full: hundreds of requests meet that."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Let every line pass."""
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
