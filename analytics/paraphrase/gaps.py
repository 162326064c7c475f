"""Places of a paraphrase where a word must be missing: "the in", "a of", "her." """

from __future__ import annotations

import re

from analytics.paraphrase.finding import Finding
from analytics.paraphrase.reading import Reading

__all__ = ["gap_findings"]

_GAP = re.compile(
    r"\b(?P<small>the|an?|his|their|its|of|every)\s*(?:(?=[.?!,;](?:\s|$))"
    r"|\s(?=(?:of|in|to|at|for|is|are|was|were|and|than|from|has|have|had|did|does|do|will|if|how|that)\b))",
    re.IGNORECASE,
)


def gap_findings(original: Reading, paraphrase: Reading) -> list[Finding]:
    """Return where words are missing behind an article, a possessive or "of", unless the original has it too."""
    known = {_key(match) for match in _GAP.finditer(original.text)}
    findings = []
    for match in _GAP.finditer(paraphrase.text):
        if _key(match) in known or match["small"] == "A":  # a label: "A and B"
            continue
        findings.append(
            Finding(
                "wording",
                "lost",
                f"A word is missing behind “{match['small']}”.",
                paraphrase=match.span("small"),
                after=match["small"],
                is_serious=False,
            )
        )
    return findings


def _key(match: re.Match[str]) -> str:
    behind = match.string[match.end() :].split(maxsplit=1)
    return f"{match['small'].lower()} {behind[0].lower() if behind else ''}"
