"""Masked-language modelling on the bank's questions: DAPT, the baseline of domain-adaptive pre-training.

Gururangan et al. (ACL 2020), with BERT's masking (Devlin et al., 2019): 15 % of the tokens are predicted, of
which 80 % are masked, 10 % replaced and 10 % unchanged. The head is tied to the token embeddings, because a
sentence encoder comes without one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import cast

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy, gelu

from analytics.backbone.backbone import Backbone
from analytics.encoder.config import EncoderConfig
from analytics.encoder.examples import EncoderExample
from analytics.errors import DataError
from analytics.training.stages import Step, Task, length_grouped_batches

_IGNORED = -100
_SHARE = 0.15  # of the tokens are predicted


class MaskedLanguageHead(nn.Module):
    """Map token states to scores for every token: BERT's transform, then the transposed embedding table.

    Args:
        embeddings: (tokens, hidden), shared with the encoder.
    """

    def __init__(self, embeddings: nn.Parameter) -> None:
        super().__init__()
        hidden = embeddings.shape[1]
        self.transform = nn.Linear(hidden, hidden)
        self.norm = nn.LayerNorm(hidden)
        self.embeddings = embeddings
        self.bias = nn.Parameter(torch.zeros(len(embeddings)))

    def forward(self, states: Tensor) -> Tensor:
        """Map (tokens to predict, hidden) to (tokens to predict, vocabulary)."""
        return self.norm(gelu(self.transform(states))) @ self.embeddings.T + self.bias


def mask_tokens(
    ids: Tensor, mask: Tensor, *, mask_id: int, vocabulary: int, generator: torch.Generator
) -> tuple[Tensor, Tensor]:
    """Return the masked input and the targets to predict.

    Args:
        ids: (batch, tokens); the first and last token of a row are never predicted.
        mask: (batch, tokens), 0 at padding.
        mask_id: id of the mask token.
        vocabulary: size of the vocabulary from which replacements are drawn.
        generator: random generator.

    Returns:
        Masked ids, and targets (batch, tokens) that are -100 where no token is to be predicted.
    """
    inner = mask.bool().clone()
    inner[:, 0] = False
    inner[torch.arange(len(ids)), mask.sum(dim=1) - 1] = False
    draw = torch.rand(ids.shape, generator=generator).to(ids.device)
    chosen = inner & (draw < _SHARE)
    targets = torch.where(chosen, ids, torch.full_like(ids, _IGNORED))
    how = torch.rand(ids.shape, generator=generator).to(ids.device)
    others = torch.randint(vocabulary, ids.shape, generator=generator).to(ids.device)
    hidden = torch.where(chosen & (how < 0.8), torch.full_like(ids, mask_id), ids)
    return torch.where(chosen & (how >= 0.9), others, hidden), targets


class MaskedLanguageTask(Task):
    """Predicts masked tokens.

    Args:
        backbone: trained in place.
        examples: the questions; only their texts are used.
        config: the configuration.
        held_out: computes held-out metrics of the encoder.

    Raises:
        DataError: too few questions, or the vocabulary has no mask token.
    """

    def __init__(
        self,
        backbone: Backbone,
        examples: Sequence[EncoderExample],
        config: EncoderConfig,
        held_out: Callable[[], Mapping[str, float]] | None = None,
    ) -> None:
        mask_id = backbone.tokenizer.token_to_id("[MASK]")
        if mask_id is None:
            mask_id = backbone.tokenizer.token_to_id("<mask>")
        if mask_id is None:
            raise DataError(f"The encoder {backbone.name} has no token for a masked word.")
        if len(examples) < config.batch_size:
            raise DataError(f"Pre-training needs at least {config.batch_size} questions, there are {len(examples)}.")
        self.backbone, self.config, self.mask_id = backbone, config, mask_id
        self.texts = [example.text for example in examples]
        self.held_out = held_out
        table = cast(nn.Parameter, backbone.model.get_input_embeddings().weight)
        table.requires_grad_(not config.freeze_embeddings)
        self.vocabulary = table.shape[0]
        self.head = MaskedLanguageHead(table).to(backbone.device)
        self.lengths = [len(encoding.ids) for encoding in backbone.tokenizer.encode_batch_fast(self.texts)]

    def modules(self) -> Mapping[str, nn.Module]:
        return {"transformer": self.backbone.model, "head": self.head}

    def batches(self, epoch: int) -> Iterator[np.ndarray]:
        """Yield row numbers, preceded by a seed for the masks."""
        rng = np.random.default_rng((self.config.seed, epoch))
        for index, rows in enumerate(length_grouped_batches(self.lengths, self.config.batch_size, rng)):
            yield np.concatenate([[(self.config.seed * 7919 + epoch) * 1_000_003 + index], rows])

    def losses(self, batch: np.ndarray, _step: Step) -> Mapping[str, Tensor]:
        """Return the cross-entropy of the masked tokens."""
        generator = torch.Generator().manual_seed(int(batch[0]))
        ids, mask = self.backbone.batch([self.texts[row] for row in batch[1:]])
        hidden, targets = mask_tokens(ids, mask, mask_id=self.mask_id, vocabulary=self.vocabulary, generator=generator)
        states = self.backbone.model(input_ids=hidden, attention_mask=mask).last_hidden_state
        chosen = targets != _IGNORED
        if not chosen.any():  # a batch of very short questions
            return {"loss": 0.0 * states.sum()}
        return {"loss": cross_entropy(self.head(states[chosen]).float(), targets[chosen])}
