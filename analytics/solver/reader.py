"""A word problem as an encoder reads it: token ids, and which tokens make each number's state.

Digits say little about what is computed and differ in every problem. So a number may be replaced by the encoder's
mask token (Pattern-CL replaces it by a token of its own), and its state is the mean over its tokens.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from tokenizers import Tokenizer
from torch import Tensor

from analytics.backbone.backbone import Backbone, padded_batch
from analytics.solver.targets import SolverExample
from analytics.text.number_slots import READINGS, NumberSlot

__all__ = ["ProblemBatch", "ProblemReader", "ReadProblem"]

_DIGITS = re.compile(r"[\d.,]*\d")
_MASKS = ("[MASK]", "<mask>")


@dataclass(frozen=True, slots=True)
class ReadProblem:
    """A problem's tokens.

    Attributes:
        ids: with the encoder's special tokens; cut at its limit.
        slots: for each slot the places of its tokens, none where the text was cut in front of it.
        readings: for each slot a number of `READINGS`.
    """

    ids: tuple[int, ...]
    slots: tuple[tuple[int, ...], ...]
    readings: tuple[int, ...]

    @property
    def is_whole(self) -> bool:
        """Whether every number was read."""
        return all(self.slots)


@dataclass(frozen=True, slots=True)
class ProblemBatch:
    """Problems as tensors: ids and mask (problems, tokens); `Memory` says what slots need."""

    ids: Tensor
    mask: Tensor
    slot_weights: Tensor
    slot_readings: Tensor


class ProblemReader:
    """Reads problems for an encoder.

    Args:
        tokenizer: of the encoder; it truncates.
        pad_id: token id that fills a batch.
        mask_numbers: replace every number by the mask token, where the vocabulary has one.
    """

    def __init__(self, tokenizer: Tokenizer, pad_id: int, *, mask_numbers: bool = True) -> None:
        self.tokenizer, self.pad_id = tokenizer, pad_id
        known = (tokenizer.token_to_id(token) for token in _MASKS)
        self.mask_id = (
            next((number for number in known if number is not None), None) if mask_numbers else None
        )

    @classmethod
    def of(cls, backbone: Backbone, *, mask_numbers: bool = True) -> ProblemReader:
        """Return the reader of an encoder."""
        return cls(backbone.tokenizer, backbone.pad_id, mask_numbers=mask_numbers)

    def read(self, examples: Sequence[SolverExample]) -> list[ReadProblem]:
        """Read problems, in the order given."""
        encodings = self.tokenizer.encode_batch([example.problem.text for example in examples])
        return [
            self._read(example.problem.text, example.slots, encoding.ids, encoding.offsets)
            for example, encoding in zip(examples, encodings, strict=True)
        ]

    def _read(
        self,
        text: str,
        slots: Sequence[NumberSlot],
        ids: Sequence[int],
        offsets: Sequence[tuple[int, int]],
    ) -> ReadProblem:
        number_of = _number_characters(text, slots) if self.mask_id is not None else {}
        kept: list[int] = []
        spans: list[tuple[int, int]] = []
        before = -1
        for number, (start, end) in zip(ids, offsets, strict=True):
            own = next((number_of[place] for place in range(start, end) if place in number_of), -1)
            if own >= 0 and own == before:  # a further piece of the same number
                spans[-1] = (spans[-1][0], end)
                continue
            before = own
            kept.append(number if own < 0 or self.mask_id is None else self.mask_id)
            spans.append((start, end))
        places = tuple(
            tuple(place for place, (start, end) in enumerate(spans) if start < slot.end and end > slot.start)
            for slot in slots
        )
        return ReadProblem(tuple(kept), places, tuple(READINGS.index(slot.reading) for slot in slots))

    def batch(self, problems: Sequence[ReadProblem], device: torch.device) -> ProblemBatch:
        """Put problems into one batch."""
        ids, mask = padded_batch([problem.ids for problem in problems], self.pad_id)
        most = max(1, *(len(problem.slots) for problem in problems))
        weights = np.zeros((len(problems), most, ids.shape[1]), dtype=np.float32)
        readings = np.zeros((len(problems), most), dtype=np.int64)
        for row, problem in enumerate(problems):
            readings[row, : len(problem.readings)] = problem.readings
            for slot, places in enumerate(problem.slots):
                if places:
                    weights[row, slot, list(places)] = 1 / len(places)
        return ProblemBatch(
            ids.to(device),
            mask.to(device),
            torch.from_numpy(weights).to(device),
            torch.from_numpy(readings).to(device),
        )


def _number_characters(text: str, slots: Sequence[NumberSlot]) -> dict[int, int]:
    """For each character of a number, which number it belongs to: runs of digits, or whole number words."""
    owner: dict[int, int] = {}
    for slot in slots:
        if slot.start in owner:
            continue
        digits = list(_DIGITS.finditer(text, slot.start, slot.end))
        stretches = [match.span() for match in digits] or [(slot.start, slot.end)]
        for start, end in stretches:
            owner.update(dict.fromkeys(range(start, end), start))
    return owner
