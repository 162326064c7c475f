"""Whether a question went missing or breaks off. The cross-encoder compares what is asked for (decision 99)."""

from __future__ import annotations

import re

from analytics.paraphrase.findings.finding import Finding
from analytics.paraphrase.findings.pair import Pair
from analytics.paraphrase.words.reading import Reading
from analytics.text.clauses import Clause

_ASKS = re.compile(
    r"(?:^|[,;:] |\band |\bthen |\bto |\bcan you |\bplease )"
    r"(?:find|calculate|determine|work out|compute|identify|figure out|find out|evaluate|solve|what|how)\b"
    r"|\b(?:know|asked|tell|find out|discover|figure out) (?:what|how|which|who|the)\b"
    r"|\byou (?:(?:will|can|should|must) )?(?:then )?find\b"
    r"|\bto be (?:found|calculated|determined)\b|\bneed(?:s|ed)? to find\b"
    r"|^(?:for|if|when|given|using|with|from|in|at|by|let|take|suppose)\b[^?]*?"
    r"(?:(?<!\bwe )(?<!\bthey )\b(?:calculate|determine|compute|evaluate|work out)|[\d$%)] (?:find|solve))\b"
    r"|^(?:multiply|add|subtract|divide|simplify|convert|round|identify|evaluate)\b",
    re.IGNORECASE,
)
_BROKEN = re.compile(
    r"\b(?:(?P<open>the|a|an|and|or|than|many|much|how|his|their|(?<!to )do|does|did|(?:number|amount|total) of)"
    r"|(?P<stranded>of|in|to|for|at|by|with|is|are|her))\s*[.?]?\s*$",
    re.IGNORECASE,
)
_STRANDED = re.compile(r"\s*(?:which|what)\b.*\?\s*$", re.IGNORECASE)  # which number is 15 a quarter of?
_UNFINISHED = re.compile(
    r"\b(?:what|which|who|that|if|of|in|into|to|for|at|by|with|on|from|per|plus|between|among|after|before|is|are|was|were"
    r"|be|been|has|had|would|will|can|all|do|does|did|Mrs?|[a-z]+,)\.?\s*$"
)
_CLOSED = re.compile(r"[.?!…:][\s\"'”’)]*$")


def target_findings(pair: Pair) -> list[Finding]:
    """Return whether the question went missing, or ends in the middle."""
    before, after = _question(pair.original), _question(pair.paraphrase)
    if before is None:
        return []
    place = (before.start, before.start + len(before.text.rstrip()))
    if after is None:
        return [
            Finding("target", "lost", "The question is missing.", original=place, before=before.text.strip())
        ]
    if not _breaks_off(before.text, after.text):
        return []
    return [
        Finding(
            "target",
            "lost",
            "The question breaks off.",
            original=place,
            paraphrase=(after.start, after.start + len(after.text.rstrip())),
            before=before.text.strip(),
            after=after.text.strip(),
        )
    ]


def _question(reading: Reading) -> Clause | None:
    """Return the last sentence that asks something."""
    asked = [clause for clause in reading.sentences if clause.is_question or _ASKS.search(clause.text)]
    return asked[-1] if asked else None


def _breaks_off(before: str, after: str) -> bool:
    """Return whether a question ends in the middle.

    "will be left with?" does not, if nothing stood behind the "with".
    """
    if _CLOSED.search(before) and not _CLOSED.search(after) and _UNFINISHED.search(after):
        return True
    match = _BROKEN.search(after)
    if match is None or _BROKEN.search(before):
        return False
    stranded = match["stranded"]
    if stranded and _STRANDED.match(after):
        return False
    return stranded is None or re.search(rf"\b{stranded}\s+\w", before, re.IGNORECASE) is not None
