"""A finding: what a paraphrase lost, added or changed, with its location and a description."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Literal

from analytics.paraphrase.words.entities import EntityMention
from analytics.paraphrase.words.reading import Quantity, Word
from analytics.text.units import UnitMention

Kind = Literal["number", "unit", "entity", "comparison", "target", "wording"]
Change = Literal["lost", "added", "changed"]
Span = tuple[int, int]
"""Start and end in a text, in characters."""


@dataclass(frozen=True, slots=True)
class Words:
    """Words at a span of a text."""

    start: int
    end: int
    text: str

    @classmethod
    def at(cls, span: Span, text: str) -> Words:
        """Return the words at a span of a text."""
        return cls(*span, text[slice(*span)])


Mention = Words | Word | Quantity | EntityMention | UnitMention


@dataclass(frozen=True, slots=True)
class Finding:
    """A difference in content between a paraphrase and its original.

    Attributes:
        original: its span in the original; None if nothing there corresponds.
        paraphrase: its span in the paraphrase; None if nothing there corresponds.
        sentence: description of the finding.
        before, after: the words at those spans.
        is_serious: whether the answer may change; other findings are only worth a look.
    """

    kind: Kind
    change: Change
    sentence: str
    original: Span | None = None
    paraphrase: Span | None = None
    before: str = ""
    after: str = ""
    is_serious: bool = True

    @classmethod
    def of(
        cls, kind: Kind, sentence: str, original: Mention | None, paraphrase: Mention | None, *, is_serious: bool = True
    ) -> Finding:
        """Return a finding with spans in both texts, or in only one of them."""
        return cls(
            kind,
            "lost" if paraphrase is None else "added" if original is None else "changed",
            sentence,
            original=(original.start, original.end) if original else None,
            paraphrase=(paraphrase.start, paraphrase.end) if paraphrase else None,
            before=original.text if original else "",
            after=paraphrase.text if paraphrase else "",
            is_serious=is_serious,
        )

    @classmethod
    def lost(cls, kind: Kind, mention: Mention, *, is_serious: bool = True) -> Finding:
        """Return a finding for content that only the original has."""
        return cls.of(kind, f"{mention.text} is missing.", mention, None, is_serious=is_serious)

    @classmethod
    def added(cls, kind: Kind, mention: Mention, *, is_serious: bool = True) -> Finding:
        """Return a finding for content that only the paraphrase has."""
        return cls.of(kind, f"{mention.text} was added.", None, mention, is_serious=is_serious)

    def as_dict(self) -> dict[str, object]:
        """Return the finding as plain values."""
        return asdict(self)
