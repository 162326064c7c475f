"""One finding: what a paraphrase lost, added or changed, where, and in words."""

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
    """Words at a place of a text."""

    start: int
    end: int
    text: str

    @classmethod
    def at(cls, span: Span, text: str) -> Words:
        """Return the words at a place of a text."""
        return cls(*span, text[slice(*span)])


Mention = Words | Word | Quantity | EntityMention | UnitMention


@dataclass(frozen=True, slots=True)
class Finding:
    """What a paraphrase does not say as its original does.

    Attributes:
        original: its place in the original; None if nothing there corresponds.
        paraphrase: its place in the paraphrase; None if nothing there corresponds.
        sentence: the finding in words.
        before, after: the words at those places.
        is_serious: the answer may change; a finding that is not serious is worth a look.
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
        cls,
        kind: Kind,
        sentence: str,
        original: Mention | None,
        paraphrase: Mention | None,
        *,
        is_serious: bool = True,
    ) -> Finding:
        """Return a finding at a place in both texts, or of what one of them alone says."""
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
        """Return a finding of what the original alone says."""
        return cls.of(kind, f"{mention.text} is missing.", mention, None, is_serious=is_serious)

    @classmethod
    def added(cls, kind: Kind, mention: Mention, *, is_serious: bool = True) -> Finding:
        """Return a finding of what the paraphrase alone says."""
        return cls.of(kind, f"{mention.text} was added.", None, mention, is_serious=is_serious)

    def as_dict(self) -> dict[str, object]:
        """Return the finding as plain values."""
        return asdict(self)
