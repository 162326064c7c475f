"""Operators that need a sequence-to-sequence model, loaded by `seq2seq`: f1, f9, f_a, f_b and f_e. Torch-free.

ParaQD (Gupta et al., 2022), sections 3.2, 3.3 and 4.2. If no models are configured, the stand-ins in the
catalog are used.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from rapidfuzz.distance import Levenshtein

from analytics.text.clauses import split_sentences


class SequenceModel(Protocol):
    """Generates texts from texts."""

    def generate(self, texts: Sequence[str], *, beams: int = 1, outputs: int = 1) -> list[list[str]]:
        """Return the best outputs for each text, best first; `outputs` is at most `beams`."""
        ...


def farthest(text: str, candidates: Sequence[str]) -> list[str]:
    """Sort candidates by normalised Levenshtein distance from a text, farthest first."""
    return sorted(candidates, key=lambda candidate: (-Levenshtein.normalized_distance(text, candidate), candidate))


def first_different(text: str, candidates: Sequence[str]) -> str | None:
    """Return the first non-empty candidate that differs in more than whitespace."""
    words = text.split()
    return next(
        (candidate.strip() for candidate in candidates if candidate.strip() and candidate.split() != words), None
    )


@dataclass(frozen=True)
class BackTranslation:
    """f1: translate into another language and back, sentence by sentence, choosing the most different result.

    Attributes:
        forward: translates from the question's language.
        back: translates back into it.
        beams: beam width in both directions; on the way back the `outputs` best are compared.
    """

    forward: SequenceModel
    back: SequenceModel
    beams: int = 8
    outputs: int = 2

    def apply(self, question: str, _rng: random.Random) -> str | None:
        """Return the back-translation; None if nothing changes or nothing comes back."""
        sentences = [clause.text.strip() for clause in split_sentences(question) if clause.text.strip()]
        if not sentences:
            return None
        foreign = [outputs[0] for outputs in self.forward.generate(sentences, beams=self.beams)]
        returned = self.back.generate(foreign, beams=max(self.beams, self.outputs), outputs=self.outputs)
        chosen = [
            next((candidate for candidate in farthest(sentence, outputs) if candidate.strip()), sentence)
            for sentence, outputs in zip(sentences, returned, strict=True)
        ]
        return first_different(question, [" ".join(sentence.strip() for sentence in chosen)])


@dataclass(frozen=True)
class WeakParaphraser:
    """f9 and f_e: the most different output that still has a minimum share of the question's length.

    Attributes:
        prefix: prompt prefix for the model ("paraphrase: ").
        shortest: minimum share of the question's words; shorter outputs are skipped.
    """

    model: SequenceModel
    prefix: str = ""
    beams: int = 10
    outputs: int = 2
    shortest: float = 0.5

    def apply(self, question: str, _rng: random.Random) -> str | None:
        """Return the model's output; None if all are too short or equal the question."""
        if not question.strip():
            return None
        [outputs] = self.model.generate([self.prefix + question], beams=self.beams, outputs=self.outputs)
        words = question.split()
        for output in farthest(question, outputs):
            if len(output.split()) > self.shortest * len(words) and output.split() != words:
                return output.strip()
        return None


@dataclass(frozen=True)
class PassiveByModels:
    """f_a with models: one changes the voice, sentence by sentence, and one corrects the grammar."""

    voice: SequenceModel
    grammar: SequenceModel | None = None

    def apply(self, question: str, _rng: random.Random) -> str | None:
        """Put the question in the passive; None if the models change nothing."""
        sentences = [sentence.text.strip() for sentence in split_sentences(question)]
        changed = [outputs[0] for outputs in self.voice.generate(sentences)] if sentences else []
        if self.grammar is not None and changed:
            changed = [outputs[0] for outputs in self.grammar.generate(changed)]
        return first_different(question, [" ".join(changed)])


@dataclass(frozen=True)
class Reconstruction:
    """f_b, after Rotom: a model trained to undo the corruption rewrites the question."""

    model: SequenceModel
    prefix: str = ""

    def apply(self, question: str, rng: random.Random) -> str | None:
        """Corrupt the question and let the model restore it; None if the result is the original."""
        if not question.strip():
            return None
        [outputs] = self.model.generate([self.prefix + corrupt(question, rng)], beams=4, outputs=2)
        return first_different(question, outputs)


def corrupt(question: str, rng: random.Random, share: float = 0.1) -> str:
    """Swap, delete and replace words, but never numbers; the model of f_b is trained to undo this.

    Replacements are other words of the question.

    Args:
        share: probability of each change at each word.
    """
    words = question.split()
    others = [word for word in words if not _has_digit(word)]
    kept = [word for word in words if _has_digit(word) or rng.random() >= share]
    kept = [rng.choice(others) if not _has_digit(word) and rng.random() < share else word for word in kept]
    for index in range(len(kept) - 1):
        if rng.random() < share:
            kept[index], kept[index + 1] = kept[index + 1], kept[index]
    return " ".join(kept)


def _has_digit(word: str) -> bool:
    return any(character.isdigit() for character in word)
