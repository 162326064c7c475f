"""Ranks by concepts, and objectives besides the contrast: concepts, order of difficulty, tasks independent of stories.

The objectives are not in QuesCo. A frozen linear layer already predicts a concept better than nearest neighbours do;
learning both jointly lets the neighbours catch up (decision 0020). Task contrast learns from the grids of
`analytics.encoder.examples`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn
from torch.nn.functional import linear, log_softmax, normalize, softplus

from analytics.backbone.backbone import Backbone
from analytics.concept_paths import NO_CONCEPT, UNDEFINED
from analytics.encoder.config import EncoderConfig
from analytics.encoder.examples import EncoderExample, GridBatches, GridQuestion, read_grids
from analytics.inference.encode import known_languages
from analytics.losses import HierarchicalContrastLoss
from analytics.training.distributed import process_number

_MOST_IN_A_TABLE = 4_096  # distinct paths: 16 MB; with more, ranks are computed per batch

_BLOCK = 1_024  # keys at once, so that intermediate results stay in the cache
_NOWHERE = 255
"""Larger than any rank, so that the minimum ignores it; becomes `UNDEFINED` when read as signed."""


class RankTable:
    """The concepts of all training questions, for looking up ranks without synchronising with the host.

    QuesCo (Ning et al., AAAI 2023), Eq. 1 and 3, between a batch and all keys of a queue in one kernel;
    `analytics.concept_paths.kh_distance` computes the distance of two questions. Many questions have the same
    concepts, so ranks are computed once for each distinct path and then looked up.

    Args:
        numbers: (questions, paths, levels) as returned by `analytics.concept_paths.encode_paths`.
        hierarchies: (questions,), `analytics.concept_paths.UNDEFINED` for a question without concepts.
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


_SCALE = 20.0  # of cosines before the softmax, so that a probability of 0.99 is reachable among 100 concepts
_TASK_TEMPERATURE = 0.1


class JointHeads(nn.Module):
    """A softmax over the concepts of each level of each hierarchy, and one value for difficulty.

    Both read unit vectors, so that what they learn is reflected in cosines.

    Args:
        examples: the training questions; their concepts are the classes.
        hidden: length of a representation.
        levels: deeper parts of a path are ignored.
    """

    def __init__(self, examples: Sequence[EncoderExample], hidden: int, levels: int) -> None:
        super().__init__()
        nodes: dict[tuple[str, int], dict[tuple[str, ...], int]] = {}
        self.targets: list[dict[tuple[str, int], list[int]]] = []
        for example in examples:
            example_targets: dict[tuple[str, int], list[int]] = {}
            for path in example.paths:
                for level in range(1, min(len(path), levels) + 1):
                    numbers = nodes.setdefault((example.hierarchy, level), {})
                    number = numbers.setdefault(tuple(path[:level]), len(numbers))
                    if number not in example_targets.setdefault((example.hierarchy, level), []):
                        example_targets[example.hierarchy, level].append(number)
            self.targets.append(example_targets)
        self.parts: dict[tuple[str, int], slice] = {}
        start = 0
        for key, numbers in nodes.items():
            self.parts[key] = slice(start, start + len(numbers))
            start += len(numbers)
        self.difficulties = np.array(
            [np.nan if row.difficulty is None else row.difficulty for row in examples], dtype=np.float64
        )
        self.sources = np.unique([row.hierarchy for row in examples], return_inverse=True)[1].reshape(-1)
        self.concepts = nn.Parameter(0.05 * torch.randn(max(start, 1), hidden))
        self.difficulty = nn.Linear(hidden, 1)

    def losses(self, rows: np.ndarray, representations: Tensor) -> Mapping[str, Tensor]:
        """Return the two terms for a batch.

        Args:
            rows: (batch,) rows of the examples.
            representations: (batch, hidden), unnormalised.

        Returns:
            ``loss_concepts``, the cross-entropy averaged over questions and levels, and ``loss_difficulty``,
            the logistic loss over pairs within a hierarchy that differ in difficulty.
        """
        unit = normalize(representations.float(), dim=1)
        return {"loss_concepts": self._concepts(rows, unit), "loss_difficulty": self._difficulty(rows, unit)}

    def _concepts(self, rows: np.ndarray, unit: Tensor) -> Tensor:
        weights = normalize(self.concepts.float(), dim=1)
        total, count = unit.new_zeros(()), 0
        for key, part in self.parts.items():
            places = [place for place, row in enumerate(rows) if key in self.targets[row]]
            if not places or part.stop - part.start < 2:
                continue
            shares = unit.new_zeros(len(places), part.stop - part.start)
            for line, place in enumerate(places):
                columns = self.targets[rows[place]][key]
                shares[line, columns] = 1 / len(columns)
            logits = _SCALE * linear(unit[places], weights[part])
            total = total - (shares * log_softmax(logits, dim=1)).sum()
            count += len(places)
        return total / max(count, 1)

    def _difficulty(self, rows: np.ndarray, unit: Tensor) -> Tensor:
        difficulties, sources = self.difficulties[rows], self.sources[rows]
        is_harder = difficulties[:, None] > difficulties[None, :]  # NaN compares false
        harder = is_harder & (sources[:, None] == sources[None, :])
        if not harder.any():
            return unit.new_zeros(())
        scores = self.difficulty(unit).squeeze(1) * _SCALE
        gaps = scores[:, None] - scores[None, :]
        weights = torch.from_numpy(harder / harder.sum()).to(
            gaps
        )  # masking would wait for the device to count the result
        return (softplus(-gaps) * weights).sum()


class TaskContrast:
    """Task contrast: each question of a grid against all others in the drawn grids.

    Args:
        questions: the questions of the grids.
        grids: number of grids drawn per step.
        seed: seed of the draws.

    Raises:
        DataError: there are fewer grids than `grids`.
    """

    def __init__(self, questions: Sequence[GridQuestion], *, grids: int, seed: int) -> None:
        self.batches, self.seed = GridBatches(questions, grids), seed
        self.loss = HierarchicalContrastLoss(1, _TASK_TEMPERATURE)

    def draw(self, step: int) -> npt.NDArray[np.int64]:
        """Return the rows of a step's grids, which differ between processes."""
        return self.batches.draw((self.seed, step, process_number()))

    def texts(self, rows: npt.NDArray[np.int64]) -> list[str]:
        """Return the texts of some rows."""
        return [self.batches.texts[row] for row in rows]

    def __call__(self, rows: npt.NDArray[np.int64], vectors: Tensor) -> Tensor:
        """Return the loss of the questions' vectors, (rows, dimension), which need not be normalised."""
        unit = normalize(vectors.float(), dim=1)
        ranks = torch.from_numpy(self.batches.ranks(rows)).to(unit.device)
        return self.loss(unit @ unit.T, ranks)


def task_contrast(backbone: Backbone, config: EncoderConfig, *, grids: int) -> TaskContrast | None:
    """Return the task contrast of the packaged grids in the languages that a backbone knows.

    None if `task_weight` is 0, or the backbone knows no language of the grids.

    Args:
        grids: maximum number of grids drawn per step.
    """
    if not config.task_weight:
        return None
    questions = read_grids()
    texts = [(question.language, question.text) for question in questions]
    known = known_languages(texts, backbone.unknown_share)
    questions = [question for question in questions if question.language in known]
    if not questions:
        return None
    most = len({question.grid for question in questions})
    return TaskContrast(questions, grids=min(grids, most), seed=config.seed)
