"""What is kept of log lines."""

from __future__ import annotations

import logging

__all__ = ["WithoutRefusals"]

_FAULT = 500  # statuses from here on are ours


class WithoutRefusals(logging.Filter):
    """Take the trace from lines about requests that were refused, such as "Forbidden": no fault is behind it."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Let every line pass."""
        if getattr(record, "status_code", _FAULT) < _FAULT:
            record.exc_info = None
        return True
