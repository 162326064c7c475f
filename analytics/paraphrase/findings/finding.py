"""One finding: what a paraphrase lost, added or changed, where, and in words."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Literal, Protocol

Kind = Literal["number", "unit", "entity", "comparison", "target", "wording"]
Change = Literal["lost", "added", "changed"]
Span = tuple[int, int]
"""Start and end in a text, in characters."""


class Mention(Protocol):
    """Words at a place of a text."""

    @property
    def start(self) -> int:
        """Where they begin."""

    @property
    def end(self) -> int:
        """Where they end."""

    @property
    def text(self) -> str:
        """The words."""


@dataclass(frozen=True, slots=True)
class Words:
    """A `Mention` that nothing more is known of."""

    start: int
    end: int
    text: str

    @property
    def span(self) -> Span:
        """Where they begin and end."""
        return self.start, self.end


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
    def between(
        cls,
        kind: Kind,
        change: Change,
        sentence: str,
        original: Mention,
        paraphrase: Mention,
        *,
        is_serious: bool = True,
    ) -> Finding:
        """Return a finding that has a place in both texts."""
        return cls(
            kind,
            change,
            sentence,
            original=(original.start, original.end),
            paraphrase=(paraphrase.start, paraphrase.end),
            before=original.text,
            after=paraphrase.text,
            is_serious=is_serious,
        )

    @classmethod
    def lost(cls, kind: Kind, mention: Mention, *, more: str = "", is_serious: bool = True) -> Finding:
        """Return a finding of what the original alone says; `more` follows "is missing"."""
        sentence = f"{mention.text} is missing{more}."
        return cls(
            kind,
            "lost",
            sentence,
            original=(mention.start, mention.end),
            before=mention.text,
            is_serious=is_serious,
        )

    @classmethod
    def added(cls, kind: Kind, mention: Mention, *, more: str = "", is_serious: bool = True) -> Finding:
        """Return a finding of what the paraphrase alone says; `more` follows "was added"."""
        sentence = f"{mention.text} was added{more}."
        return cls(
            kind,
            "added",
            sentence,
            paraphrase=(mention.start, mention.end),
            after=mention.text,
            is_serious=is_serious,
        )

    def as_dict(self) -> dict[str, object]:
        """Return the finding as plain values."""
        return asdict(self)
