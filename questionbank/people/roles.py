"""The roles of people, and the demo's logins."""

from __future__ import annotations

ROLES = ("teacher", "reviewer", "admin")
ROLE_EXPLANATIONS = {  # role -> what it allows
    "teacher": "Searches and reads the whole bank, writes, imports and edits their own, and tags any question.",
    "reviewer": "Reads the whole bank, and decides whether paraphrases are valid and similar problems good enough.",
    "admin": "Does everything: edits any question and the concepts, trains and promotes models, adds people.",
}
DEMO_PEOPLE = (  # username, password, role; they exist, and are shown on the login page, only if `DEMO=1`
    ("teacher", "count-on-me", "teacher"),
    ("reviewer", "second-look", "reviewer"),
    ("admin", "keep-it-running", "admin"),
)
