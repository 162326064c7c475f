"""One finding: what a paraphrase lost, added or changed, where, and in words."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Literal, Protocol

__all__ = ["Change", "Finding", "Kind", "Mention", "Span", "Words"]

Kind = Literal["number", "unit", "entity", "comparison", "negation", "target", "wording"]
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


@dataclass(frozen=True, slots=True)
class Finding:
    """What a paraphrase does not say as its original does.

    Attributes:
        original: where it stands in the original; None where nothing there corresponds.
        paraphrase: where it stands in the paraphrase; None where nothing there corresponds.
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
        one: Mention,
        other: Mention,
        *,
        is_serious: bool = True,
    ) -> Finding:
        """Return a finding that has a place in both texts."""
        return cls(
            kind,
            change,
            sentence,
            original=(one.start, one.end),
            paraphrase=(other.start, other.end),
            before=one.text,
            after=other.text,
            is_serious=is_serious,
        )

    @classmethod
    def lost(cls, kind: Kind, one: Mention, *, more: str = "", is_serious: bool = True) -> Finding:
        """Return a finding of what the original alone says; `more` stands behind "is missing"."""
        sentence = f"{one.text} is missing{more}."
        return cls(
            kind, "lost", sentence, original=(one.start, one.end), before=one.text, is_serious=is_serious
        )

    @classmethod
    def added(cls, kind: Kind, one: Mention, *, more: str = "", is_serious: bool = True) -> Finding:
        """Return a finding of what the paraphrase alone says; `more` stands behind "was added"."""
        sentence = f"{one.text} was added{more}."
        return cls(
            kind, "added", sentence, paraphrase=(one.start, one.end), after=one.text, is_serious=is_serious
        )

    def as_dict(self) -> dict[str, object]:
        """Return the finding as plain values."""
        return asdict(self)
