"""The demo's logins, one per role; they exist, and are shown on the login page, only if `DEMO=1`."""

from __future__ import annotations

DEMO_PEOPLE: tuple[tuple[str, str, str], ...] = (  # username, password, role
    ("teacher", "count-on-me", "teacher"),
    ("reviewer", "second-look", "reviewer"),
    ("admin", "keep-it-running", "admin"),
)
