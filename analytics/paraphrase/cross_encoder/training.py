"""Training a pair reader on our loop: from an encoder's weights, or further from those it has.

    python -m analytics.paraphrase.cross_encoder.training --data FOLDER --output FILE [--steps N] [--begin-with FILE]
        [--checkpoints FOLDER]

Loss: binary cross-entropy of a pair's label, and of each token's "says something else" where a pair's maker knows it.
The files of the folder are those of `analytics.paraphrase.pairs.material`.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import binary_cross_entropy_with_logits

from analytics.backbone.backbone import Backbone, padded_batch
from analytics.backbone.bert import load_backbone
from analytics.command_line import run_command
from analytics.errors import DataError
from analytics.json_lines import read_objects
from analytics.paraphrase.cross_encoder.pair_reader import PairReader
from analytics.paraphrase.cross_encoder.reading import PAIR_TOKENS
from analytics.paraphrase.cross_encoder.weights import load_pair_reader, new_pair_reader, save_pair_reader
from analytics.training.batching import length_grouped_batches
from analytics.training.callbacks import progress_lines
from analytics.training.context import DEFAULT_CONTEXT, TrainingContext
from analytics.training.device import inference_dtype, pick_device
from analytics.training.loop import train_loop
from analytics.training.seeding import seed_everything
from analytics.training.stages import LoopSettings, Step, Task

_UNKNOWN = -1  # of a token of which nobody said whether it changed the sense
_WORDS_WEIGHT, _CHANGED_WEIGHT = 0.5, 3.0
_HEAD_RATE = 1e-3
_CHECKPOINT_EVERY = 50
_FROZEN = ("word_embeddings", "position_embeddings", "pooler")


@dataclass(frozen=True, slots=True)
class TokenPair:
    """A pair in tokens.

    Attributes:
        ids: of both texts with their separators.
        words: for each token 1 if it changes the sense, 0 if not, -1 if unknown.
        label: 1 valid, 0 not.
    """

    ids: tuple[int, ...]
    words: tuple[int, ...]
    label: int


def token_pair(backbone: Backbone, row: Mapping[str, Any]) -> TokenPair | None:
    """Return a row of the material in tokens; None if it is longer than what is read."""
    encoding = backbone.tokenizer.encode(row["a"], row["b"])
    if len(encoding.ids) > PAIR_TOKENS:
        return None
    marks = row.get("m")
    if row["y"] == 1 or marks:
        words = tuple(
            int(
                of is not None
                and any(start < last and first < end for first, last in (marks or ((), ()))[of])
            )
            for (start, end), of in zip(encoding.offsets, encoding.sequence_ids, strict=True)
        )
    else:
        words = (_UNKNOWN,) * len(encoding.ids)
    return TokenPair(tuple(encoding.ids), words, int(row["y"]))


class PairTask(Task):
    """Implements `analytics.training.stages.Task`.

    Args:
        reader: trained in place.
        pairs: what is learned.
        pad_id: token that fills a batch.
        batch_size: pairs in a batch.
        seed: of the batches' order.
        head_rate: learning rate of the head.
    """

    def __init__(
        self,
        reader: PairReader,
        pairs: Sequence[TokenPair],
        *,
        pad_id: int,
        batch_size: int,
        seed: int,
        head_rate: float = _HEAD_RATE,
    ) -> None:
        if len(pairs) < batch_size:
            raise DataError(f"Training needs at least {batch_size} pairs, there are {len(pairs)}.")
        self.reader, self.pairs, self.pad_id = reader, pairs, pad_id
        self.batch_size, self.seed, self.head_rate = batch_size, seed, head_rate
        for name, parameter in reader.transformer.named_parameters():
            parameter.requires_grad_(not any(part in name for part in _FROZEN))

    def modules(self) -> Mapping[str, nn.Module]:
        """Return what a checkpoint holds."""
        return {"reader": self.reader}

    def parameter_groups(self) -> Sequence[Mapping[str, Any]]:
        """Return the transformer at the settings' rate, the head at its own."""
        body = [parameter for parameter in self.reader.transformer.parameters() if parameter.requires_grad]
        head = [*self.reader.words.parameters(), *self.reader.head.parameters()]
        return [{"params": body}, {"params": head, "lr": self.head_rate}]

    def batches_per_epoch(self) -> int:
        """Return the number of batches of an epoch."""
        return len(self.pairs) // self.batch_size

    def batches(self, epoch: int) -> Iterator[list[TokenPair]]:
        """Yield pairs of similar length together."""
        rng = np.random.default_rng([self.seed, epoch])
        lengths = [len(pair.ids) for pair in self.pairs]
        for rows in length_grouped_batches(lengths, self.batch_size, rng):
            yield [self.pairs[row] for row in rows]

    def losses(self, batch: list[TokenPair], _step: Step) -> Mapping[str, Tensor]:
        """Return the loss and its terms."""
        device = next(self.reader.parameters()).device
        ids, mask = (part.to(device) for part in padded_batch([pair.ids for pair in batch], self.pad_id))
        words = torch.full(ids.shape, float(_UNKNOWN), device=device)
        for line, pair in enumerate(batch):
            words[line, : len(pair.words)] = torch.tensor(pair.words, dtype=torch.float32, device=device)
        labels = torch.tensor([float(pair.label) for pair in batch], device=device)
        valid, changed = self.reader(ids, mask)
        of_pairs = binary_cross_entropy_with_logits(valid.float(), labels)
        known = (words >= 0).float()
        of_words = binary_cross_entropy_with_logits(
            changed.float(),
            words.clamp(min=0),
            reduction="none",
            pos_weight=torch.tensor(_CHANGED_WEIGHT, device=device),
        )
        of_words = (of_words * known).sum() / known.sum().clamp(min=1)
        return {"loss": of_pairs + _WORDS_WEIGHT * of_words, "loss_pairs": of_pairs, "loss_words": of_words}

    def after_step(self) -> None:
        """Do nothing: nothing follows."""

    def evaluate(self) -> Mapping[str, float]:
        """Return nothing: what a reader is worth is measured with the verdict."""
        return {}


@dataclass(frozen=True, slots=True)
class ReaderSettings:
    """How a pair reader is trained.

    Attributes:
        steps: optimiser steps.
        learning_rate: of the transformer; a head whose training goes on has the same, a new one a higher one.
    """

    steps: int = 1000
    batch_size: int = 32
    learning_rate: float = 1.5e-4
    seed: int = 3407
    device: str = "auto"


def train_pair_reader(
    backbone: Backbone,
    rows: Sequence[Mapping[str, Any]],
    weights: Path,
    settings: ReaderSettings,
    *,
    begin_with: Path | None = None,
    context: TrainingContext = DEFAULT_CONTEXT,
) -> None:
    """Train a pair reader and write its file: `analytics.paraphrase.cross_encoder.weights`.

    Args:
        backbone: the encoder that it begins with; it is changed in place.
        rows: pairs as `analytics.paraphrase.pairs.material` writes them.
        weights: the file.
        begin_with: a file whose training goes on.
        context: folder of the checkpoint, with which a stopped training is resumed, and callbacks.

    Raises:
        Cancelled: it was asked to stop; the checkpoint is usable.
        DataError: fewer pairs than a batch.
        BackboneError: a file does not fit the encoder.
    """
    seed_everything(settings.seed)
    place = pick_device(settings.device)
    base = {name: value.detach().clone().cpu() for name, value in backbone.model.state_dict().items()}
    backbone.tokenizer.no_truncation()
    reader = load_pair_reader(begin_with, backbone) if begin_with else new_pair_reader(backbone)
    pairs = [pair for row in rows if (pair := token_pair(backbone, row)) is not None]
    task = PairTask(
        reader.to(place).train(),
        pairs,
        pad_id=backbone.pad_id,
        batch_size=settings.batch_size,
        seed=settings.seed,
        head_rate=settings.learning_rate if begin_with else _HEAD_RATE,
    )
    loop = LoopSettings(
        epochs=1 + settings.steps * settings.batch_size // len(pairs),
        max_steps=settings.steps,
        learning_rate=settings.learning_rate,
        warmup_share=0.05,
        clip_norm=1.0,
        dtype=inference_dtype(place),
        checkpoint_every=_CHECKPOINT_EVERY,
    )
    train_loop(task, loop, device=place, context=context)
    save_pair_reader(
        reader.cpu().eval(), base, weights, backbone=backbone.name, backbone_sha256=backbone.weights_hash
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; 0 on success, 1 with one sentence on standard error where it cannot be done."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder of scenes.jsonl and texts.jsonl")
    parser.add_argument("--output", type=Path, required=True)
    parser.add_argument("--steps", type=int, default=1000)
    parser.add_argument("--batch-size", type=int, default=32)
    parser.add_argument("--learning-rate", type=float, default=1.5e-4)
    parser.add_argument("--begin-with", type=Path)
    parser.add_argument("--checkpoints", type=Path, help="a stopped training is resumed from here")
    options = parser.parse_args(arguments)

    def command() -> str:
        files = sorted(path for path in options.data.glob("*.jsonl") if not path.name.startswith("dev"))
        rows = [row for file in files for _, row in read_objects(file)]
        train_pair_reader(
            load_backbone(),
            rows,
            options.output,
            ReaderSettings(options.steps, options.batch_size, options.learning_rate),
            begin_with=options.begin_with,
            context=TrainingContext(
                checkpoints=options.checkpoints,
                callbacks=(progress_lines(lambda line: sys.stderr.write(f"{line}\n")),),
            ),
        )
        return json.dumps({"pairs": len(rows), "steps": options.steps})

    return run_command(command)


if __name__ == "__main__":
    sys.exit(main())
