"""SSMBA's corruption and reconstruction (Ng et al., EMNLP 2020): words are masked and filled in again.

SSMBA fills them with BERT. No masked-language model comes with this project, so a head tied to the embeddings of the
sentence encoder is trained on the questions themselves.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import torch
from torch import Tensor

from analytics.backbone.backbone import Backbone
from analytics.backbone.bert import load_backbone
from analytics.encoder.config import EncoderConfig
from analytics.encoder.examples import EncoderExample, examples_hash
from analytics.encoder.masked_language import MaskedLanguageHead, MaskedLanguageTask, mask_tokens
from analytics.paraphrase.config import ParaphraseConfig
from analytics.paraphrase.words.editing import Edit, apply_edits
from analytics.training.callbacks import Callback
from analytics.training.context import TrainingContext
from analytics.training.device import inference_dtype, pick_device
from analytics.training.loop import train_loop
from analytics.training.seeding import seed_everything
from analytics.training.stages import LoopSettings

_EPOCHS = 2
_LEARNING_RATE = 3e-4  # the head begins at random
_LIKELIEST = 10
_BATCH = 64
_SPECIAL = re.compile(r"\[\w+\]|<\S+>")  # such as [PAD] and <mask>


class Reconstructor:
    """Masks 15 % of a text's tokens, as BERT was trained, and draws others from the likeliest in their places.

    Args:
        backbone: gives each token's state.
        head: scores every token of the vocabulary.
        mask_id: the token that stands for a hidden one.
    """

    def __init__(self, backbone: Backbone, head: MaskedLanguageHead, mask_id: int) -> None:
        self.backbone, self.head, self.mask_id = backbone, head.eval(), mask_id
        backbone.model.eval()
        size = len(head.embeddings)
        self.pieces = [backbone.tokenizer.id_to_token(number) or "" for number in range(size)]
        marks = ("▁", "Ġ")  # in front of a word; WordPiece marks what continues one
        marked = any(piece.startswith(marks) for piece in self.pieces)
        self.begins = torch.tensor(
            [piece.startswith(marks) if marked else not piece.startswith("##") for piece in self.pieces]
        )
        self.texts = [piece.removeprefix("##").lstrip("▁Ġ") for piece in self.pieces]
        self.allowed = torch.tensor([bool(text) and not _SPECIAL.fullmatch(text) for text in self.texts])

    def reconstruct(self, texts: Sequence[str], seed: int) -> list[str]:
        """Corrupt each text and put it together again; the same texts and seed give the same."""
        generator = torch.Generator().manual_seed(seed)
        made: list[str] = []
        for start in range(0, len(texts), _BATCH):
            made += self._reconstruct(texts[start : start + _BATCH], generator)
        return made

    @torch.inference_mode()
    def _reconstruct(self, texts: Sequence[str], generator: torch.Generator) -> list[str]:
        ids, mask = self.backbone.batch(texts)
        hidden, targets = mask_tokens(
            ids, mask, mask_id=self.mask_id, vocabulary=len(self.pieces), generator=generator
        )
        states = self.backbone.model(input_ids=hidden, attention_mask=mask).last_hidden_state
        rows, columns = (targets >= 0).nonzero(as_tuple=True)
        new = self._draw(self.head(states[rows, columns]).float().cpu(), ids[rows, columns].cpu(), generator)
        edits: list[dict[int, Edit]] = [{} for _text in texts]  # by start: bytes of one letter share it
        spans = [encoding.offsets for encoding in self.backbone.tokenizer.encode_batch(list(texts))]
        for row, column, number in zip(rows.tolist(), columns.tolist(), new.tolist(), strict=True):
            start, end = spans[row][column]
            word = self.texts[number]
            edits[row][start] = (start, end, word.capitalize() if texts[row][start].isupper() else word)
        return [apply_edits(text, text_edits.values()) for text, text_edits in zip(texts, edits, strict=True)]

    def _draw(self, scores: Tensor, old: Tensor, generator: torch.Generator) -> Tensor:
        """Return a token for each place: a word where one began, a piece of one where one went on."""
        fits = self.allowed & (self.begins[None, :] == self.begins[old][:, None])
        best = scores.masked_fill(~fits, -torch.inf).topk(_LIKELIEST, dim=1)
        drawn = torch.multinomial(best.values.softmax(dim=1), 1, generator=generator)
        return best.indices.gather(1, drawn).squeeze(1)


def train_reconstructor(
    questions: Sequence[str],
    config: ParaphraseConfig,
    *,
    checkpoints: Path | None = None,
    callbacks: Sequence[Callback] = (),
) -> Reconstructor:
    """Train the head, and the encoder under it, to guess hidden words of the questions.

    Args:
        questions: what is learned from.
        config: backbone, batch, device, seed, and the bound on the steps.
        checkpoints: folder of the checkpoint; where it holds one, training goes on from there.
        callbacks: told of progress.

    Raises:
        DataError: too few questions, an encoder that knows no masked word, or a checkpoint of another training.
        BackboneError: the encoder cannot be loaded.
    """
    seed_everything(config.seed)
    settings = EncoderConfig(
        objective="masked-language",
        backbone=config.backbone,
        batch_size=config.batch_size,
        max_steps=config.max_steps,
        max_tokens=config.max_tokens,
        seed=config.seed,
    )
    examples = [EncoderExample(text) for text in questions]
    backbone = load_backbone(config.backbone, max_tokens=config.max_tokens, device=config.device)
    task = MaskedLanguageTask(backbone, examples, settings)
    device = pick_device(config.device)
    train_loop(
        task,
        LoopSettings(
            epochs=_EPOCHS,
            max_steps=config.max_steps,
            learning_rate=_LEARNING_RATE,
            warmup_share=config.warmup_share,
            dtype=inference_dtype(device) if config.mixed_precision else torch.float32,
            checkpoint_every=config.checkpoint_every,
        ),
        device=device,
        context=TrainingContext(checkpoints=checkpoints, callbacks=tuple(callbacks)),
        identity=f"{settings} {examples_hash(examples)}",
    )
    return Reconstructor(backbone, task.head, task.mask_id)
