"""The reader of a backbone in PyTorch: problems as tensors. How texts are read is in `analytics.solver.reading`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from analytics.backbone.backbone import Backbone
from analytics.solver.reading import ReadProblem, TextReader
from analytics.training.device import sent


@dataclass(frozen=True, slots=True)
class ProblemBatch:
    """Problems as tensors: ids and mask (problems, tokens); `Memory` says what slots need."""

    ids: Tensor
    mask: Tensor
    slot_weights: Tensor
    slot_readings: Tensor

    def to(self, device: torch.device) -> ProblemBatch:
        """Return the same on another device."""
        return ProblemBatch(
            sent(self.ids, device),
            sent(self.mask, device),
            sent(self.slot_weights, device),
            sent(self.slot_readings, device),
        )


class ProblemReader(TextReader):
    """Reads problems for an encoder, and puts them into batches of tensors."""

    @classmethod
    def of(cls, backbone: Backbone, *, mask_numbers: bool = True) -> ProblemReader:
        """Return the reader of an encoder."""
        return cls(backbone.tokenizer, backbone.pad_id, mask_numbers=mask_numbers)

    def batch(self, problems: Sequence[ReadProblem], device: torch.device) -> ProblemBatch:
        """Put problems into one batch."""
        arrays = self.arrays(problems)
        fields = (arrays.ids, arrays.mask, arrays.slot_weights, arrays.slot_readings)
        return ProblemBatch(*map(torch.from_numpy, fields)).to(device)
