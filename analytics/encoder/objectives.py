"""Objectives besides the contrast: concepts, the order of difficulty, and tasks independent of stories.

Not in QuesCo. A frozen linear layer already predicts a concept better than nearest neighbours do; learning
both jointly lets the neighbours catch up (decision 0020). Task contrast is described in
`analytics.encoder.task_grids`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn
from torch.nn.functional import linear, log_softmax, normalize, softplus

from analytics.backbone.backbone import Backbone
from analytics.encoder.config import EncoderConfig
from analytics.encoder.examples import EncoderExample
from analytics.encoder.task_grids import GridBatches, GridQuestion, read_grids
from analytics.inference.vocabulary import known_languages
from analytics.losses.hierarchical_contrast import HierarchicalContrastLoss
from analytics.training.distributed import process_number

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
