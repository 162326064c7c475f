"""Places of a paraphrase where a word must be missing: "the in", "a of", "her." """

from __future__ import annotations

import re

from analytics.paraphrase.findings.finding import Finding
from analytics.paraphrase.findings.pair import Pair

_GAP = re.compile(
    r"\b(?:(?P<article>the|an?|his|their|its|every)\s*(?:(?=[.?!,;](?:\s|$))"
    r"|\s(?=(?:of|in|to|at|for|is|are|was|were|and|than|from|has|have|had|did|does|do|will|if|how)\b))"
    r"|(?P<of>of)\s(?=(?:of|to|is|are|was|were|and|than|has|have|had|did|does|do|will|if)\b))",
    re.IGNORECASE,
)


def gap_findings(pair: Pair) -> list[Finding]:
    """Return where a word is missing after an article, a possessive or "of", unless the original has the gap too.

    A question may end with "of", and "of" may stand before a question word: "what 20 is a third of", "of how many".
    """
    original_gaps = {_key(match) for match in _GAP.finditer(pair.original.text)}
    findings = []
    for match in _GAP.finditer(pair.paraphrase.text):
        if _key(match) in original_gaps or match[1] == "A":  # a label: "A and B"
            continue
        findings.append(
            Finding(
                "wording",
                "lost",
                f"A word is missing after “{match[0].strip()}”.",
                paraphrase=(match.start(), match.start() + len(match[0].strip())),
                after=match[0].strip(),
                is_serious=False,
            )
        )
    return findings


def _key(match: re.Match[str]) -> str:
    behind = match.string[match.end() :].split(maxsplit=1)
    return f"{match[0].strip().lower()} {behind[0].lower() if behind else ''}"
