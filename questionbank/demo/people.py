"""The demo's log-ins, one a role; they exist, and are shown on the log-in page, only where `DEMO=1`."""

from __future__ import annotations

DEMO_PEOPLE: tuple[tuple[str, str, str], ...] = (  # username, password, role
    ("teacher", "count-on-me", "teacher"),
    ("reviewer", "second-look", "reviewer"),
    ("admin", "keep-it-running", "admin"),
)
