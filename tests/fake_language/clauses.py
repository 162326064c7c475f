"""Where sentences end, and which ask."""

from __future__ import annotations

import re

ABBREVIATIONS = r"ekz\."
ASKS = re.compile(r"\bkiom\b", re.IGNORECASE)
