"""Ranks between a batch and all keys of a queue, computed on the training device in one kernel.

QuesCo (Ning et al., AAAI 2023), Eq. 1 and 3; `analytics.encoder.khar` computes the distance of two questions.
Many questions have the same concepts, so ranks are computed once for each distinct path and then looked up.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from analytics.encoder.khar import NO_CONCEPT, UNDEFINED

_MOST_IN_A_TABLE = 4_096  # distinct paths: 16 MB; with more, ranks are computed per batch

_BLOCK = 1_024  # keys at once, so that intermediate results stay in the cache
_NOWHERE = 255
"""Larger than any rank, so that the minimum ignores it; becomes `UNDEFINED` when read as signed."""


class RankTable:
    """The concepts of all training questions, for looking up ranks without synchronising with the host.

    Args:
        numbers: (questions, paths, levels) as returned by `analytics.encoder.khar.encode_paths`.
        hierarchies: (questions,), `analytics.encoder.khar.UNDEFINED` for a question without concepts.
        device: device on which ranks are computed.
        farthest: rank of questions that share nothing; by default levels + 1.
    """

    def __init__(
        self,
        numbers: npt.NDArray[np.int64],
        hierarchies: npt.NDArray[np.int64],
        device: torch.device | str = "cpu",
        *,
        farthest: int | None = None,
    ) -> None:
        questions, width, levels = numbers.shape
        self.farthest = levels + 1 if farthest is None else farthest
        is_place = numbers[:, :, :1] != NO_CONCEPT
        is_place[:, 0] = True  # a question in a hierarchy has a slot in it, even without a concept
        owners = np.where(is_place, hierarchies[:, None, None], UNDEFINED)
        described = np.concatenate([owners, numbers], axis=2).reshape(-1, levels + 1)
        paths, path_of = np.unique(described, axis=0, return_inverse=True)
        self._paths = torch.from_numpy(paths.astype(np.int32)).to(device)  # (paths, 1 + levels), the hierarchy first
        self._path_of = torch.from_numpy(path_of.reshape(questions, width)).to(device)
        self._table = self._between(self._paths) if len(paths) <= _MOST_IN_A_TABLE else None  # (paths, paths)

    def ranks(self, rows: Tensor, others: Tensor, *, views: int = 0, out: Tensor | None = None) -> Tensor:
        """Return the rank of every other question for each question of a batch.

        Args:
            rows: (batch,) distinct row numbers, on the table's device.
            others: (others,) row numbers.
            views: number of leading columns of rank 0, one per augmented version of the question.
            out: the ranks of an earlier call, overwritten if they have the same shape: allocating memory of
                this size costs as much as computing the ranks.

        Returns:
            (batch, views + others) int8: 1 (same finest concept) .. levels (only the coarsest shared),
            `farthest` (nothing shared); `UNDEFINED` where the hierarchies differ, one has no concept, or both
            are the same question.
        """
        by_path = self._by_path(rows)  # (paths, batch)
        shape = (len(rows), views + len(others))
        reuses = out is not None and out.shape == shape
        ranks = out.T.view(torch.uint8) if out is not None and reuses else by_path.new_empty(*shape[::-1])
        ranks[:views] = 0
        keys = ranks[views:]
        paths = self._path_of[others]
        for part, part_paths in zip(keys.split(_BLOCK), paths.split(_BLOCK), strict=True):
            torch.index_select(by_path, 0, part_paths[:, 0], out=part)
            for place in range(1, paths.shape[1]):  # the nearest pair of paths of two questions counts
                torch.minimum(part, by_path.index_select(0, part_paths[:, place]), out=part)
        self._leave_out_same(keys, rows, others)
        return ranks.view(torch.int8).T

    def _by_path(self, rows: Tensor) -> Tensor:
        """Return the rank of each path for each question of a batch, (paths, batch); `_NOWHERE` if undefined."""
        anchors = self._path_of[rows]  # (batch, width)
        best: Tensor | None = None
        for place in range(anchors.shape[1]):
            ranks = (
                self._between(self._paths[anchors[:, place]])
                if self._table is None
                else self._table.index_select(1, anchors[:, place])
            )
            best = ranks if best is None else torch.minimum(best, ranks)
        assert best is not None  # noqa: S101 - a question has a slot for one path at least
        return best

    def _between(self, anchors: Tensor) -> Tensor:
        """Return the ranks between all paths and some anchor paths, (paths, anchors) uint8."""
        shared = torch.zeros(len(self._paths), len(anchors), dtype=torch.uint8, device=anchors.device)
        for level in range(1, anchors.shape[1]):
            nodes = self._paths[:, level]
            shared += (nodes[:, None] == anchors[None, :, level]) & (nodes != NO_CONCEPT)[:, None]
        ranks = torch.where(shared > 0, anchors.shape[1] - shared, self.farthest)
        comparable = self._paths[:, 0, None] == anchors[None, :, 0]
        comparable &= (self._paths[:, 0] != UNDEFINED)[:, None]
        return torch.where(comparable, ranks, _NOWHERE).to(torch.uint8)

    def _leave_out_same(self, ranks: Tensor, rows: Tensor, others: Tensor) -> None:
        """Write `_NOWHERE` where a question meets itself; `ranks` is (others, batch)."""
        if not len(others) or not len(rows):
            return
        place_of = torch.full_like(self._path_of[:, 0], -1)
        place_of[rows] = torch.arange(len(rows), device=rows.device)
        places = place_of[others]  # its index in the batch
        cells = ranks.view(-1)
        chosen = torch.arange(len(others), device=rows.device) * len(rows) + places.clamp(min=0)
        cells.put_(chosen, torch.where(places >= 0, _NOWHERE, cells.take(chosen)).to(torch.uint8))
