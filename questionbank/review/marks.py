"""Splitting a text into pieces at its findings, so that a page can mark each place in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from questionbank.models import ParaphrasePair
from questionbank.review.pair_services import pair_findings
from questionbank.review.score_files import unread_reason

KIND_NAMES: dict[str, str] = {  # kind of a finding -> its readable name; a literal table
    "number": "number",
    "unit": "unit",
    "entity": "name or thing",
    "comparison": "relation or meaning",
    "target": "what is asked",
    "wording": "wording",
}


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a text; `kind` and `change` are empty if it has no finding."""

    text: str
    kind: str = ""
    change: str = ""
    is_serious: bool = False

    @property
    def label(self) -> str:
        return f"{KIND_NAMES.get(self.kind, self.kind)}: {self.change}"


def marked_pieces(text: str, findings: Sequence[Mapping[str, Any]], side: str) -> list[Piece]:
    """Split `text` at the findings' spans on this `side` (`original` or `paraphrase`).

    If two spans overlap, the serious one is marked, else the first; a span outside the text is ignored.
    """
    spans = []
    for finding in sorted(findings, key=lambda finding: not finding.get("is_serious", True)):
        span = finding.get(side)
        if not span or not 0 <= span[0] < span[1] <= len(text):
            continue
        start, end = span
        if all(end <= other_start or start >= other_end for other_start, other_end, _finding in spans):
            spans.append((start, end, finding))
    pieces, at = [], 0
    for start, end, finding in sorted(spans, key=lambda span: span[0]):
        if at < start:
            pieces.append(Piece(text[at:start]))
        pieces.append(Piece(text[start:end], finding["kind"], finding["change"], bool(finding.get("is_serious", True))))
        at = end
    if at < len(text):
        pieces.append(Piece(text[at:]))
    return pieces


def pair_pieces(pair: ParaphrasePair) -> dict[str, Any]:
    """Return the context of `review/_pair.html` for a pair, without findings while the assessment is hidden."""
    findings = [] if pair.is_machine_hidden else pair_findings(pair)
    return {
        "original": marked_pieces(pair.original, findings, "original"),
        "paraphrase": marked_pieces(pair.paraphrase, findings, "paraphrase"),
        "has_formulas": "$" in pair.original + pair.paraphrase,
        "findings": [
            {**finding, "kind_name": KIND_NAMES.get(finding["kind"], finding["kind"])} for finding in findings
        ],
        "no_number": unread_reason(pair),
    }
