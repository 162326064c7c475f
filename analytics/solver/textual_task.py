"""What the training loop runs for Textual-CL: writing equations and the contrast on [CLS], at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from torch import Tensor

from analytics.errors import DataError
from analytics.losses.multiple_negatives import MultipleNegativesRankingLoss
from analytics.solver.config import SolverConfig
from analytics.solver.model import SolverModel
from analytics.solver.reading import ReadProblem
from analytics.solver.solving_task import SolvingTask
from analytics.solver.targets import SolverExample
from analytics.solver.textual_pairs import TextualTriple
from analytics.training.device import sent
from analytics.training.stages import Step


class TextualTask(SolvingTask):
    """Textual-CL's joint loss (section 3.3).

    An anchor's [CLS] must be nearer to its positive's than to the positives and negatives of the whole batch. Positives
    and negatives are read by themselves, so that an anchor that is its own positive differs from it by dropout.

    Args:
        model, config, held_out: as for `SolvingTask`.
        pool: problems; those to learn to solve come first.
        solved: how many of them.
        triples: rows of the pool, at most one for each problem that is solved.

    Raises:
        DataError: fewer problems than a batch, or no triple.
    """

    def __init__(
        self,
        model: SolverModel,
        pool: Sequence[SolverExample],
        solved: int,
        triples: Sequence[TextualTriple],
        config: SolverConfig,
        held_out: Callable[[], Mapping[str, float]] | None = None,
    ) -> None:
        super().__init__(model, pool[:solved], config, held_out)
        if not triples:
            raise DataError("The contrast needs problems with different equations.")
        self.pool_read: list[ReadProblem] = [*self.read, *model.reader.read(pool[solved:])]
        self.triples = {triple.anchor: triple for triple in triples}
        self.contrast = MultipleNegativesRankingLoss(1 / config.temperature)

    def losses(self, batch: np.ndarray, _step: Step) -> Mapping[str, Tensor]:
        """Return L_solver + alpha L_cl.

        The paper's L_solver is a sum over the nodes of an equation and ours their mean, so alpha is divided by the
        mean number of nodes: the two then have the paper's proportion.
        """
        rows = batch.tolist()
        read = self.model.batch([self.read[row] for row in rows])
        states = self.model.states(read)
        decoded = self.model.decode(self.model.memory(states, read), [self.examples[row] for row in rows])
        writing = -decoded.log_probabilities.mean()
        anchors = [place for place, row in enumerate(rows) if row in self.triples]
        if not anchors:
            return {"loss": writing, "loss_equation": writing, "loss_contrast": writing.detach() * 0}
        triples = [self.triples[rows[place]] for place in anchors]
        pairs = self._summaries(
            [triple.positive for triple in triples] + [triple.negative for triple in triples]
        )
        contrast = self.contrast(
            states[sent(np.array(anchors), states.device), 0], pairs[: len(triples)], pairs[len(triples) :]
        )
        nodes = len(decoded.log_probabilities) / len(rows)
        loss = writing + self.config.textual_weight / nodes * contrast
        return {"loss": loss, "loss_equation": writing, "loss_contrast": contrast}

    def _summaries(self, rows: Sequence[int]) -> Tensor:
        """Return the states (rows, width) of [CLS]."""
        batch = self.model.batch([self.pool_read[row] for row in rows])
        return self.model.states(batch)[:, 0]
