"""The solver in memory: encoder, reader, tree decoder; how it is trained, decodes, is saved and loaded."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import Tensor, nn

from analytics.artifacts import artifact_read
from analytics.backbone.backbone import Backbone
from analytics.backbone.bert import load_backbone
from analytics.backbone.sources import ADAPTER_FOLDER, BACKBONE_FOLDER
from analytics.backbone.tiny import save_backbone
from analytics.errors import ArtifactError
from analytics.records import ProblemRecord
from analytics.solver.beam import Hypothesis, beam_search
from analytics.solver.decoder import DecodedTrees, GoalDrivenTreeDecoder, Memory
from analytics.solver.reader import ProblemBatch, ProblemReader, ReadProblem
from analytics.solver.solution import Solution, solution_of
from analytics.solver.targets import SolverExample, Vocabulary, solver_example
from analytics.solver.trees import TreeBatch
from analytics.training.device import autocast

__all__ = ["DECODER_NAME", "SolverModel", "load_solver", "save_solver", "solver_extra"]

DECODER_NAME = "decoder.safetensors"


class SolverModel:
    """An encoder with a goal-driven tree decoder.

    Args:
        backbone: the encoder; its `max_tokens` cuts longer problems.
        vocabulary: the constants.
        dropout: of the decoder.
        mask_numbers: see `ProblemReader`.

    Attributes:
        write_adapter: writes the low-rank adapter that was trained and merged into a folder; None without one.
    """

    write_adapter: Callable[[Path], None] | None = None

    def __init__(
        self, backbone: Backbone, vocabulary: Vocabulary, *, dropout: float = 0.5, mask_numbers: bool = True
    ) -> None:
        self.backbone, self.vocabulary, self.mask_numbers = backbone, vocabulary, mask_numbers
        self.reader = ProblemReader.of(backbone, mask_numbers=mask_numbers)
        self.decoder = GoalDrivenTreeDecoder(backbone.dimension, len(vocabulary.constants), dropout).to(
            backbone.device
        )

    @property
    def device(self) -> torch.device:
        """Where it computes."""
        return self.backbone.device

    def modules(self) -> dict[str, nn.Module]:
        """What is trained."""
        return {"encoder": self.backbone.model, "decoder": self.decoder}

    def states(self, batch: ProblemBatch) -> Tensor:
        """(problems, tokens, width) of the encoder."""
        return self.backbone.token_states(batch.ids, batch.mask)

    def memory(self, states: Tensor, batch: ProblemBatch) -> Memory:
        """What the decoder reads; in float32 whatever the encoder computes in."""
        with torch.autocast(self.device.type, enabled=False):
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

    @torch.inference_mode()
    def search(
        self,
        examples: Sequence[SolverExample],
        *,
        beam: int = 3,
        most_tokens: int = 45,
        batch_size: int = 32,
        dtype: torch.dtype = torch.float32,
    ) -> list[list[Hypothesis]]:
        """Return the likeliest trees of each problem, in the order given; batches hold problems of about one length."""
        found: list[list[Hypothesis]] = [[] for _example in examples]
        was_training = {name: module.training for name, module in self.modules().items()}
        for module in self.modules().values():
            module.eval()
        try:
            read = self.reader.read(examples)
            for rows in _by_length(read, batch_size):
                batch = self.reader.batch([read[row] for row in rows], self.device)
                with autocast(self.device, dtype):
                    states = self.states(batch)
                memory = self.memory(states, batch)
                trees = beam_search(self.decoder, memory, width=beam, most_tokens=most_tokens)
                for row, own in zip(rows, trees, strict=True):
                    found[row] = own
        finally:
            for name, module in self.modules().items():
                module.train(was_training[name])
        return found

    def solve(
        self, problems: Sequence[ProblemRecord], *, beam: int = 3, most_tokens: int = 45
    ) -> list[list[Solution]]:
        """Return the solutions of each problem, those with a value first, each group by probability."""
        examples = [solver_example(_without_equation(problem)) for problem in problems]
        found = self.search(examples, beam=beam, most_tokens=most_tokens)
        return [
            sorted(
                (self._solution(example, tree) for tree in trees), key=lambda solution: solution.value is None
            )
            for example, trees in zip(examples, found, strict=True)
        ]

    def _solution(self, example: SolverExample, hypothesis: Hypothesis) -> Solution:
        tokens = [self.vocabulary.token(candidate) for candidate in hypothesis.candidates]
        return solution_of(tokens, example.values, math.exp(hypothesis.log_probability))


def _without_equation(problem: ProblemRecord) -> ProblemRecord:
    return ProblemRecord(problem.id, problem.text, problem.language)


def _by_length(read: Sequence[ReadProblem], size: int) -> Iterator[list[int]]:
    order = sorted(range(len(read)), key=lambda row: -len(read[row].ids))
    for start in range(0, len(order), size):
        yield order[start : start + size]


def save_solver(model: SolverModel) -> Callable[[Path], None]:
    """Return what writes the encoder and the decoder into a model folder."""

    def write(folder: Path) -> None:
        save_backbone(model.backbone, folder / BACKBONE_FOLDER)
        if model.write_adapter is not None:
            model.write_adapter(folder / ADAPTER_FOLDER)
        weights = {
            name: tensor.detach().cpu().contiguous() for name, tensor in model.decoder.state_dict().items()
        }
        save_file(weights, folder / DECODER_NAME)

    return write


def solver_extra(model: SolverModel) -> dict[str, object]:
    """Return what a manifest must say so that `load_solver` can build the model."""
    return {
        "constants": list(model.vocabulary.constants),
        "mask_numbers": model.mask_numbers,
        "max_tokens": model.backbone.max_tokens,
        "backbone": model.backbone.name,
    }


def load_solver(folder: Path, *, device: str = "auto") -> SolverModel:
    """Load what `save_solver` wrote, in evaluation mode.

    Raises:
        ArtifactError: the folder is damaged, or of another capability.
        BackboneError: the encoder cannot be loaded.
    """
    manifest = artifact_read(folder)
    if manifest.capability != "solver":
        raise ArtifactError(f"{folder} holds a model for {manifest.capability}, not for solving.")
    extra = manifest.extra
    backbone = load_backbone(str(folder / BACKBONE_FOLDER), max_tokens=extra["max_tokens"], device=device)
    model = SolverModel(backbone, Vocabulary(tuple(extra["constants"])), mask_numbers=extra["mask_numbers"])
    try:
        model.decoder.load_state_dict(load_file(folder / DECODER_NAME))
    except (SafetensorError, OSError, RuntimeError) as error:
        raise ArtifactError(f"The decoder in {folder} cannot be read: {error}") from error
    for module in model.modules().values():
        module.eval()
    return model
