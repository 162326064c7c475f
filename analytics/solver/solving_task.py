"""Training tasks of a solver: writing equations, Pattern-CL's triples, and Textual-CL's contrast."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from analytics.errors import DataError
from analytics.losses import MultipleNegativesRankingLoss, TripletLoss
from analytics.solver.config import SolverConfig
from analytics.solver.decoder import DecodedTrees
from analytics.solver.model import SolverModel
from analytics.solver.patterns import PatternTriple
from analytics.solver.targets import ReadProblem, SolverExample
from analytics.solver.textual_pairs import TextualTriple
from analytics.training.device import inference_dtype, sent
from analytics.training.stages import Step, Task, decay_groups, length_grouped_batches

_RAMP = 0.05, 0.3  # shares of the steps on triples, between which the contrast ramps up to full weight


class SolvingTask(Task):
    """Learns to write the equations of all problems.

    Args:
        model: trained in place.
        examples: problems with equations that the model's vocabulary can express.
        config: the configuration.
        held_out: computes accuracy on held-out problems.

    Raises:
        DataError: there are fewer problems than a batch.
    """

    def __init__(
        self,
        model: SolverModel,
        examples: Sequence[SolverExample],
        config: SolverConfig,
        held_out: Callable[[], Mapping[str, float]] | None = None,
    ) -> None:
        if len(examples) < config.batch_size:
            raise DataError(
                f"Training needs at least {config.batch_size} problems with an equation, there are {len(examples)}."
            )
        self.model, self.examples, self.config, self.held_out = model, examples, config, held_out
        self.read = model.reader.read(examples)
        self.lengths = [len(problem.ids) for problem in self.read]
        self.cached: list[Tensor] | None = None
        if config.freeze_encoder:
            dtype = inference_dtype(model.device) if config.mixed_precision else torch.float32
            self.cached = _states(model, self.read, dtype)

    def modules(self) -> Mapping[str, nn.Module]:
        return self.model.modules()

    def parameter_groups(self) -> Sequence[Mapping[str, Any]]:
        """Return the encoder's parameters at their own learning rate, unless frozen, and the decoder's at another."""
        encoder = [] if self.config.freeze_encoder else decay_groups(self.model.backbone.model.parameters())
        decoder = decay_groups(self.model.decoder.parameters())
        return [*encoder, *(group | {"lr": self.config.decoder_learning_rate} for group in decoder)]

    def decoded(self, rows: Sequence[int]) -> DecodedTrees:
        """Decode the targets of some of the problems."""
        batch = self.model.batch([self.read[row] for row in rows])
        if self.cached is None:
            states = self.model.states(batch)
        else:
            states = nn.utils.rnn.pad_sequence([self.cached[row] for row in rows], batch_first=True).float()
        return self.model.decode(self.model.memory(states, batch), [self.examples[row] for row in rows])

    def losses(self, batch: np.ndarray, _step: Step) -> Mapping[str, Tensor]:
        """Return the negative mean log-probability per node (Pattern-CL, Eq. 3)."""
        decoded = self.decoded(batch.tolist())
        return {"loss": -decoded.log_probabilities.mean()}


class PatternTask(SolvingTask):
    """Pattern-CL's first stage, on triples.

    The goals of the anchor's root, of the positive's node with the same structure, and of the negative's root are
    compared by cosine (Eq. 1), while the equations of all three are learned (Eq. 4).

    Args:
        model, examples, config, held_out: as for `SolvingTask`.
        triples: rows of the problems.

    Raises:
        DataError: there are fewer triples than a batch.
    """

    def __init__(
        self,
        model: SolverModel,
        examples: Sequence[SolverExample],
        triples: Sequence[PatternTriple],
        config: SolverConfig,
        held_out: Callable[[], Mapping[str, float]] | None = None,
    ) -> None:
        super().__init__(model, examples, config, held_out)
        if len(triples) < config.batch_size:
            raise DataError(
                f"The contrast needs at least {config.batch_size} triples of problems, there are {len(triples)}."
            )
        self.triples = triples
        self.lengths = [self.lengths[triple.anchor] for triple in triples]
        self.contrast = TripletLoss(config.margin)

    def batches(self, epoch: int) -> Iterator[np.ndarray]:
        """Yield the numbers of triples, batched by the length of their anchors."""
        rng = np.random.default_rng((self.config.seed, 1, epoch))
        return length_grouped_batches(self.lengths, self.config.batch_size, rng)

    def losses(self, batch: np.ndarray, step: Step) -> Mapping[str, Tensor]:
        """Return the losses of writing the equations, and of the contrast with this step's weight."""
        triples = [self.triples[number] for number in batch]
        rows = list(
            dict.fromkeys(row for triple in triples for row in (triple.anchor, triple.positive, triple.negative))
        )
        decoded = self.decoded(rows)
        first = np.cumsum([0, *(len(self.examples[row].tokens) for row in rows)])
        root = {row: int(first[place]) for place, row in enumerate(rows)}

        def goals(places: list[int]) -> Tensor:
            return decoded.goals[sent(np.array(places), decoded.goals.device)]

        contrast = self.contrast(
            goals([root[triple.anchor] for triple in triples]),
            goals([root[triple.positive] + triple.node for triple in triples]),
            goals([root[triple.negative] for triple in triples]),
        )
        writing = -decoded.log_probabilities.mean()
        weight = self.config.contrast_weight * ramp(step, *_RAMP)
        return {"loss": writing + weight * contrast, "loss_equation": writing, "loss_contrast": contrast}


def ramp(step: Step, begins: float, ends: float) -> float:
    """Return 0 until a share of the steps, then rise linearly to 1 at another share.

    >>> [ramp(Step(number, 100), 0.1, 0.3) for number in (0, 10, 20, 30, 99)]
    [0.0, 0.0, 0.5, 1.0, 1.0]
    """
    done = step.number / step.total
    if done >= ends:
        return 1.0
    if done <= begins:
        return 0.0
    return round((done - begins) / (ends - begins), 12)


def _states(model: SolverModel, read: Sequence[ReadProblem], dtype: torch.dtype) -> list[Tensor]:
    """Return half-precision states (tokens, width) of each problem, from a frozen encoder in evaluation mode."""
    model.backbone.model.eval().requires_grad_(False)
    states: list[Tensor] = [torch.empty(0)] * len(read)
    for rows, _batch, encoded in model.encoded(read, dtype):
        for row, problem_states in zip(rows, encoded.half(), strict=True):
            states[row] = problem_states[: len(read[row].ids)].clone()
    return states


class TextualTask(SolvingTask):
    """Textual-CL's joint loss (section 3.3).

    An anchor's [CLS] must be nearer to its positive's than to the positives and negatives of the whole batch.
    Positives and negatives are encoded separately, so that an anchor that is its own positive differs from it
    by dropout.

    Args:
        model, config, held_out: as for `SolvingTask`.
        pool: problems; those to be solved come first.
        solved: number of problems to be solved.
        triples: rows of the pool, at most one per solved problem.

    Raises:
        DataError: there are fewer problems than a batch, or no triples.
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

        The paper's L_solver is a sum over the nodes of an equation and ours is their mean, so alpha is
        divided by the mean number of nodes, which restores the paper's proportion.
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
        pairs = self._summaries([triple.positive for triple in triples] + [triple.negative for triple in triples])
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
