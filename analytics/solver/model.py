"""The solver in memory: encoder, reader, tree decoder; how it is trained, decodes, is saved and loaded."""

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
from analytics.length_batches import batches_by_length
from analytics.records import ProblemRecord
from analytics.solver.array_decoder import ArrayDecoder
from analytics.solver.beam import Hypothesis, beam_search
from analytics.solver.decoder import DecodedTrees, GoalDrivenTreeDecoder, Memory
from analytics.solver.plausibility import plausible_first
from analytics.solver.reading import ProblemBatch, ReadProblem, TextReader
from analytics.solver.served import DECODER_NAME, without_solution
from analytics.solver.solution import Solution, alternatives
from analytics.solver.targets import SolverExample, Vocabulary, solver_example
from analytics.solver.trees import TreeBatch
from analytics.training.device import autocast, sent

_BATCH = 32  # problems
_SAMPLED = 256  # problems, or up to twice as many


class SolverModel:
    """An encoder with a goal-driven tree decoder: `analytics.solver.solution.Solver`.

    Args:
        backbone: the encoder; its `max_tokens` cuts longer problems.
        vocabulary: the constants.
        dropout, drop_states: of the decoder.
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
        """Where it computes."""
        return self.backbone.device

    def modules(self) -> dict[str, nn.Module]:
        """Return what is trained."""
        return {"encoder": self.backbone.model, "decoder": self.decoder}

    @contextmanager
    def evaluating(self) -> Iterator[None]:
        """Compute without dropout while the block runs, also in the middle of a training."""
        was_training = {name: module.training for name, module in self.modules().items()}
        for module in self.modules().values():
            module.eval()
        try:
            yield
        finally:
            for name, module in self.modules().items():
                module.train(was_training[name])

    def batch(self, problems: Sequence[ReadProblem]) -> ProblemBatch[Tensor]:
        """Put problems into one batch, on the device that computes."""
        return ProblemBatch(*(sent(values, self.device) for values in self.reader.arrays(problems)))

    def states(self, batch: ProblemBatch[Tensor]) -> Tensor:
        """Return the states (problems, tokens, width) of the encoder."""
        return self.backbone.token_states(batch.ids, batch.mask)

    @torch.no_grad()
    def encoded(
        self, read: Sequence[ReadProblem], dtype: torch.dtype = torch.float32
    ) -> Iterator[tuple[np.ndarray, ProblemBatch[Tensor], Tensor]]:
        """Yield rows of problems of about one length, their batch and its states, computed without dropout."""
        with self.evaluating():
            for rows in batches_by_length([len(problem.ids) for problem in read], texts=_BATCH):
                batch = self.batch([read[row] for row in rows])
                with autocast(self.device, dtype):
                    states = self.states(batch)
                yield rows, batch, states

    def sample_states(self, examples: Sequence[SolverExample]) -> Tensor:
        """Return the states (tokens, width) of the tokens of some problems, computed without dropout."""
        encoded = self.encoded(self.reader.read(examples))
        return torch.cat([states[batch.mask.bool()] for _rows, batch, states in encoded])

    def memory(self, states: Tensor, batch: ProblemBatch[Tensor]) -> Memory:
        """Return what the decoder reads; in float32 whatever the encoder computes in."""
        with torch.autocast(states.device.type, enabled=False):
            return self.decoder.read(states.float(), batch.mask, batch.slot_weights, batch.slot_readings)

    def decode(self, memory: Memory, examples: Sequence[SolverExample]) -> DecodedTrees:
        """Decode the targets of a batch."""
        trees = [
            [self.vocabulary.candidates(token, example) for token in example.tokens] for example in examples
        ]
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
        """Return the most probable trees of each problem, in the order given.

        The encoder computes on its device. The search asks for a few rows at each of dozens of nodes, and the host
        decides between them: it computes on the CPU, which a GPU would only keep waiting.
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

    def solve(
        self, problems: Sequence[ProblemRecord], *, beam: int = 3, most_tokens: int = 45
    ) -> list[list[Solution]]:
        """Return the solutions of each problem as a served solver does, without a confidence."""
        examples = [solver_example(without_solution(problem)) for problem in problems]
        hypotheses = self.search(examples, beam=beam, most_tokens=most_tokens)
        return [
            plausible_first(example.problem.text, alternatives(example, trees, self.vocabulary))
            for example, trees in zip(examples, hypotheses, strict=True)
        ]

    def unsolvable_reason(self, _problem: ProblemRecord) -> str:
        """Return no reason: everything can be tried."""
        return ""


def round_decoder(model: SolverModel) -> None:
    """Round the decoder's weights to half precision, as they are stored."""
    with torch.no_grad():
        for tensor in (*model.decoder.parameters(), *model.decoder.buffers()):
            tensor.copy_(tensor.half().float())


def save_solver(
    model: SolverModel,
    folder: Path,
    about: Manifest,
    *,
    write_more: Callable[[Path], None] | None = None,
) -> Manifest:
    """Write the artifact of a solver: for serving, its weights for PyTorch, and its adapter.

    `analytics.solver.served.load_solver` serves it; a training that begins with it needs PyTorch.

    Args:
        model: adapters merged; the decoder is rounded to half precision.
        folder: the artifact's folder, written whole or not at all.
        about: what the manifest says of its training.
        write_more: puts further files into the folder.

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
    """Return what a manifest must say so that a solver can be loaded."""
    return {
        "constants": list(model.vocabulary.constants),
        "mask_numbers": model.mask_numbers,
        "most_tokens": most_tokens,
    }


def sampled(examples: Sequence[SolverExample]) -> Sequence[SolverExample]:
    """Return some hundred of the problems, evenly spaced: enough to see what an encoder makes of all."""
    return examples[:: max(1, len(examples) // _SAMPLED)]


def begin_with(model: SolverModel, folder: Path, examples: Sequence[SolverExample]) -> None:
    """Take over the decoder of a solver's folder; constants are matched by name.

    Where the folder has none, the new decoder gets the encoder's states.

    Args:
        model: its decoder is changed in place.
        folder: of an encoder or a solver.
        examples: that will be learned from.

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
    """Return the manifest's `solver_extra` of a folder with a solver; empty where the folder holds none."""
    return artifact_read(folder).extra if (folder / DECODER_NAME).is_file() else {}


def _read_decoder(folder: Path) -> dict[str, Tensor]:
    try:
        return {name: tensor.float() for name, tensor in load_file(folder / DECODER_NAME).items()}
    except (SafetensorError, OSError) as error:
        raise ArtifactError(f"The decoder in {folder} cannot be read: {error}") from error
