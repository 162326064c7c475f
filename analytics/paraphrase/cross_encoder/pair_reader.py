"""A transformer that reads both texts of a pair together, and says of each word whether it changed the sense.

A cross-encoder (Nogueira and Cho, 2019; the CrossEncoder of sentence-transformers): ``[CLS] question [SEP] paraphrase
[SEP]``. A layer gives each token the log-odds that it says something else than the other text; the pair's log-odds of
being valid are read from the first state, the mean state and the mean of the states weighted by those log-odds, so that
one changed word is seen among a hundred.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import nn

from analytics.backbone.pooling import mean_pool

_WIDTH = 192


class PairReader(nn.Module):
    """Transformer and head.

    Attributes:
        transformer: a Hugging Face encoder with two token types.
        separator: token id that ends a text.
    """

    def __init__(self, transformer: Any, dimension: int, separator: int) -> None:
        super().__init__()
        self.transformer = transformer
        self.separator = separator
        self.words = nn.Linear(dimension, 1)
        self.head = nn.Sequential(nn.Linear(3 * dimension, _WIDTH), nn.GELU(), nn.Linear(_WIDTH, 1))

    def forward(
        self, input_ids: torch.Tensor, attention_mask: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Read pairs.

        Args:
            input_ids: (pairs, tokens), both texts with their separators.
            attention_mask: (pairs, tokens), 1 for a token and 0 for padding.

        Returns:
            Log-odds that each pair is valid (pairs,), and that each token changes the sense (pairs, tokens).
        """
        ends = (input_ids == self.separator).long()
        segments = (ends.cumsum(1) - ends).clamp(max=1) * attention_mask
        states = self.transformer(
            input_ids=input_ids, attention_mask=attention_mask, token_type_ids=segments
        ).last_hidden_state.float()
        words = self.words(states).squeeze(-1)
        weights = words.masked_fill(attention_mask == 0, -1e4).softmax(1).unsqueeze(-1)
        pooled = torch.cat(
            [states[:, 0], mean_pool(states, attention_mask), (weights * states).sum(1)], dim=1
        )
        return self.head(pooled).squeeze(-1), words
