"""The solver in memory: encoder, reader and tree decoder; training, decoding, saving and loading."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import Tensor, nn

from analytics.artifacts import Manifest, artifact_read
from analytics.backbone.backbone import Backbone
from analytics.backbone.export import export_trained
from analytics.errors import ArtifactError
from analytics.inference.encode import batches_by_length
from analytics.records import ProblemRecord
from analytics.solver.beam import ArrayDecoder, Hypothesis, beam_search
from analytics.solver.decoder import DecodedTrees, GoalDrivenTreeDecoder, Memory, TreeBatch
from analytics.solver.plausibility import plausible_first
from analytics.solver.served import DECODER_NAME, without_solution
from analytics.solver.solution import Solution, alternatives
from analytics.solver.targets import ProblemBatch, ReadProblem, SolverExample, TextReader, Vocabulary, solver_example
from analytics.training.device import autocast, sent

_BATCH = 32  # problems
_SAMPLED = 256  # problems, or up to twice as many


class SolverModel:
    """An encoder with a goal-driven tree decoder: `analytics.solver.solution.ProblemSolver`.

    Args:
        backbone: the encoder; longer problems are truncated to its `max_tokens`.
        vocabulary: the constants.
        dropout, drop_states: settings of the decoder.
        mask_numbers: see `TextReader`.
    """

    name = "in memory"

    def __init__(
        self,
        backbone: Backbone,
        vocabulary: Vocabulary,
        *,
        dropout: float = 0.5,
        drop_states: bool = True,
        mask_numbers: bool = True,
    ) -> None:
        self.backbone, self.vocabulary, self.mask_numbers = backbone, vocabulary, mask_numbers
        self.reader = TextReader(backbone.tokenizer, backbone.pad_id, mask_numbers=mask_numbers)
        self.decoder = GoalDrivenTreeDecoder(
            backbone.dimension, len(vocabulary.constants), dropout, drop_states=drop_states
        ).to(backbone.device)

    @property
    def device(self) -> torch.device:
        """Device that it computes on."""
        return self.backbone.device

    def modules(self) -> dict[str, nn.Module]:
        """Return the trained modules."""
        return {"encoder": self.backbone.model, "decoder": self.decoder}

    @contextmanager
    def evaluating(self) -> Iterator[None]:
        """Compute without dropout inside the block, even in the middle of training."""
        was_training = {name: module.training for name, module in self.modules().items()}
        for module in self.modules().values():
            module.eval()
        try:
            yield
        finally:
            for name, module in self.modules().items():
                module.train(was_training[name])

    def batch(self, problems: Sequence[ReadProblem]) -> ProblemBatch[Tensor]:
        """Collate problems into a batch on the model's device."""
        return ProblemBatch(*(sent(values, self.device) for values in self.reader.arrays(problems)))

    def states(self, batch: ProblemBatch[Tensor]) -> Tensor:
        """Return the encoder's states (problems, tokens, width)."""
        return self.backbone.token_states(batch.ids, batch.mask)

    @torch.no_grad()
    def encoded(
        self, read: Sequence[ReadProblem], dtype: torch.dtype = torch.float32
    ) -> Iterator[tuple[np.ndarray, ProblemBatch[Tensor], Tensor]]:
        """Yield rows of problems of similar length, their batch and its states, computed without dropout."""
        with self.evaluating():
            for rows in batches_by_length([len(problem.ids) for problem in read], texts=_BATCH):
                batch = self.batch([read[row] for row in rows])
                with autocast(self.device, dtype):
                    states = self.states(batch)
                yield rows, batch, states

    def sample_states(self, examples: Sequence[SolverExample]) -> Tensor:
        """Return the token states (tokens, width) of a sample of the problems, computed without dropout."""
        encoded = self.encoded(self.reader.read(examples))
        return torch.cat([states[batch.mask.bool()] for _rows, batch, states in encoded])

    def memory(self, states: Tensor, batch: ProblemBatch[Tensor]) -> Memory:
        """Return the decoder's inputs, in float32 whatever the encoder's precision."""
        with torch.autocast(states.device.type, enabled=False):
            return self.decoder.read(states.float(), batch.mask, batch.slot_weights, batch.slot_readings)

    def decode(self, memory: Memory, examples: Sequence[SolverExample]) -> DecodedTrees:
        """Decode the targets of a batch."""
        trees = [[self.vocabulary.candidates(token, example) for token in example.tokens] for example in examples]
        candidates = len(self.vocabulary.symbols) + memory.leaves.shape[1] - self.decoder.constants
        with torch.autocast(self.device.type, enabled=False):
            decoded: DecodedTrees = self.decoder(memory, TreeBatch.of(trees, candidates, self.device))
        return decoded

    def search(
        self,
        examples: Sequence[SolverExample],
        *,
        beam: int = 3,
        most_tokens: int = 45,
        dtype: torch.dtype = torch.float32,
    ) -> list[list[Hypothesis]]:
        """Return the most probable trees of each problem, in the given order.

        The encoder computes on its device. The search needs a few rows at each of dozens of nodes, with
        decisions on the host in between, so it runs on the CPU; a GPU would only add waiting.
        """
        hypotheses: list[list[Hypothesis]] = [[] for _example in examples]
        weights = {name: tensor.cpu().numpy() for name, tensor in self.decoder.state_dict().items()}
        decoder = ArrayDecoder(weights, self.decoder.constants)
        for rows, batch, states in self.encoded(self.reader.read(examples), dtype):
            arrays = ProblemBatch(*(tensor.cpu().numpy() for tensor in batch))
            scorer = decoder.scorer(states.float().cpu().numpy(), arrays)
            trees = beam_search(scorer, width=beam, most_tokens=most_tokens)
            for row, row_hypotheses in zip(rows, trees, strict=True):
                hypotheses[row] = row_hypotheses
        return hypotheses

    def solve(self, problems: Sequence[ProblemRecord], *, beam: int = 3, most_tokens: int = 45) -> list[list[Solution]]:
        """Return the solutions of each problem like a served solver, but without a confidence."""
        examples = [solver_example(without_solution(problem)) for problem in problems]
        hypotheses = self.search(examples, beam=beam, most_tokens=most_tokens)
        return [
            plausible_first(example.problem.text, alternatives(example, trees, self.vocabulary))
            for example, trees in zip(examples, hypotheses, strict=True)
        ]

    def unsolvable_reason(self, _problem: ProblemRecord) -> str:
        """Return an empty reason: everything can be tried."""
        return ""


def round_decoder(model: SolverModel) -> None:
    """Round the decoder's weights to half precision, the storage format."""
    with torch.no_grad():
        for tensor in (*model.decoder.parameters(), *model.decoder.buffers()):
            tensor.copy_(tensor.half().float())


def save_solver(
    model: SolverModel, folder: Path, about: Manifest, *, write_more: Callable[[Path], None] | None = None
) -> Manifest:
    """Write the artifact of a solver: files for serving, weights for PyTorch, and the adapter.

    `analytics.solver.served.load_solver` serves it; training that starts from it needs PyTorch.

    Args:
        model: the solver, with adapters merged; its decoder is rounded to half precision.
        folder: the artifact's folder, written atomically.
        about: manifest with the details of its training.
        write_more: writes further files into the folder.

    Raises:
        ArtifactError: the folder cannot be written.
    """
    round_decoder(model)

    def write_decoder(aside: Path) -> None:
        weights = {
            name: tensor.detach().to("cpu", torch.float16).contiguous()
            for name, tensor in model.decoder.state_dict().items()
        }
        save_file(weights, aside / DECODER_NAME)
        if write_more is not None:
            write_more(aside)

    return export_trained(model.backbone, folder, about, output="states", write_more=write_decoder)


def solver_extra(model: SolverModel, *, most_tokens: int = 45) -> dict[str, object]:
    """Return the manifest fields needed to load a solver."""
    return {
        "constants": list(model.vocabulary.constants),
        "mask_numbers": model.mask_numbers,
        "most_tokens": most_tokens,
    }


def sampled(examples: Sequence[SolverExample]) -> Sequence[SolverExample]:
    """Return a few hundred of the problems, evenly spaced: enough for statistics of the encoder's states."""
    return examples[:: max(1, len(examples) // _SAMPLED)]


def begin_with(model: SolverModel, folder: Path, examples: Sequence[SolverExample]) -> None:
    """Initialise the decoder from a solver's folder; constants are matched by name.

    If the folder has no decoder, the new one is standardized on the encoder's states.

    Args:
        model: its decoder is changed in place.
        folder: folder of an encoder or a solver.
        examples: the training problems.

    Raises:
        ArtifactError: the decoder cannot be read, or is for an encoder of another width.
    """
    if not (folder / DECODER_NAME).is_file():
        model.decoder.standardize(model.sample_states(sampled(examples)))
        return
    before = solver_before(folder).get("constants", ())
    weights = _read_decoder(folder)
    embeddings = weights.pop("constant_embeddings.weight")
    constant_embeddings = model.decoder.state_dict()["constant_embeddings.weight"].clone()
    place_of = {constant: place for place, constant in enumerate(model.vocabulary.constants)}
    try:
        for place, constant in enumerate(before):
            if constant in place_of:
                constant_embeddings[place_of[constant]] = embeddings[place]
        model.decoder.load_state_dict({**weights, "constant_embeddings.weight": constant_embeddings})
    except (RuntimeError, IndexError) as error:
        raise ArtifactError(f"The decoder in {folder} does not fit the encoder: {error}") from error


def solver_before(folder: Path) -> Mapping[str, Any]:
    """Return the `solver_extra` from the manifest of a solver's folder; empty if it contains no solver."""
    return artifact_read(folder).extra if (folder / DECODER_NAME).is_file() else {}


def _read_decoder(folder: Path) -> dict[str, Tensor]:
    try:
        return {name: tensor.float() for name, tensor in load_file(folder / DECODER_NAME).items()}
    except (SafetensorError, OSError) as error:
        raise ArtifactError(f"The decoder in {folder} cannot be read: {error}") from error
