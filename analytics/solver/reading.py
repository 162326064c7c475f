"""A word problem as encoder input: token ids, and which tokens make up each number's state. Torch-free.

Digits say little about the computation and differ in every problem. So a number may be replaced by the
encoder's mask token (Pattern-CL uses a token of its own), and its state is the mean over its tokens.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, NamedTuple, TypeVar

import numpy as np
from tokenizers import Encoding, Tokenizer

from analytics.length_batches import padded_arrays
from analytics.solver.targets import SolverExample
from analytics.text.number_slots import READINGS, NumberSlot

_DIGITS = re.compile(r"[\d.,]*\d")
_MASKS = ("[MASK]", "<mask>")

Array = TypeVar("Array")


@dataclass(frozen=True, slots=True)
class ReadProblem:
    """A problem's tokens.

    Attributes:
        ids: token ids with the encoder's special tokens, truncated to its limit.
        slots: the indices of each slot's tokens, empty if the text was truncated before it.
        readings: for each slot an index into `READINGS`.
    """

    ids: tuple[int, ...]
    slots: tuple[tuple[int, ...], ...]
    readings: tuple[int, ...]

    @property
    def is_whole(self) -> bool:
        """Whether every number was read."""
        return all(self.slots)


class ProblemBatch(NamedTuple, Generic[Array]):
    """Problems as NumPy or PyTorch arrays.

    Attributes:
        ids, mask: (problems, tokens).
        slot_weights: (problems, slots, tokens) the share of each token in a slot's state.
        slot_readings: (problems, slots) indices into `READINGS`.
    """

    ids: Array
    mask: Array
    slot_weights: Array
    slot_readings: Array


class TextReader:
    """Converts problems to encoder input.

    Args:
        tokenizer: the encoder's tokenizer, with truncation.
        pad_id: token id used for padding.
        mask_numbers: replace every number by the mask token, if the vocabulary has one.
    """

    def __init__(self, tokenizer: Tokenizer, pad_id: int, *, mask_numbers: bool = True) -> None:
        self.tokenizer, self.pad_id = tokenizer, pad_id
        mask_ids = (tokenizer.token_to_id(token) for token in _MASKS)
        self.mask_id = next((number for number in mask_ids if number is not None), None) if mask_numbers else None

    def read(self, examples: Sequence[SolverExample]) -> list[ReadProblem]:
        """Convert problems, in the given order."""
        encodings = self.tokenizer.encode_batch([example.problem.text for example in examples])
        return [self.read_encoding(example, encoding) for example, encoding in zip(examples, encodings, strict=True)]

    def read_encoding(self, example: SolverExample, encoding: Encoding) -> ReadProblem:
        """Convert a problem whose text the tokenizer has already encoded."""
        text, slots = example.problem.text, example.slots
        number_of = _number_characters(text, slots) if self.mask_id is not None else {}
        kept: list[int] = []
        spans: list[tuple[int, int]] = []
        before = -1
        for number, (start, end) in zip(encoding.ids, encoding.offsets, strict=True):
            slot_number = next((number_of[place] for place in range(start, end) if place in number_of), -1)
            if slot_number >= 0 and slot_number == before:  # another piece of the same number
                spans[-1] = (spans[-1][0], end)
                continue
            before = slot_number
            kept.append(number if slot_number < 0 or self.mask_id is None else self.mask_id)
            spans.append((start, end))
        places = tuple(
            tuple(place for place, (start, end) in enumerate(spans) if start < slot.end and end > slot.start)
            for slot in slots
        )
        return ReadProblem(tuple(kept), places, tuple(READINGS.index(slot.reading) for slot in slots))

    def arrays(self, problems: Sequence[ReadProblem]) -> ProblemBatch[np.ndarray]:
        """Collate problems into a batch."""
        ids, mask = padded_arrays([problem.ids for problem in problems], self.pad_id)
        most = max(1, *(len(problem.slots) for problem in problems))
        weights = np.zeros((len(problems), most, ids.shape[1]), dtype=np.float32)
        readings = np.zeros((len(problems), most), dtype=np.int64)
        for row, problem in enumerate(problems):
            readings[row, : len(problem.readings)] = problem.readings
            for slot, places in enumerate(problem.slots):
                if places:
                    weights[row, slot, list(places)] = 1 / len(places)
        return ProblemBatch(ids, mask, weights, readings)


def _number_characters(text: str, slots: Sequence[NumberSlot]) -> dict[int, int]:
    """Map each character of a number to the number it belongs to: a run of digits, or a whole number word."""
    owner: dict[int, int] = {}
    for slot in slots:
        if slot.start in owner:
            continue
        digits = list(_DIGITS.finditer(text, slot.start, slot.end))
        stretches = [match.span() for match in digits] or [(slot.start, slot.end)]
        for start, end in stretches:
            owner.update(dict.fromkeys(range(start, end), start))
    return owner
