"""A bidirectional GRU trained from scratch: the encoder of GTS, a baseline without pretraining.

Xie and Sun, "A Goal-Driven Tree-Structured Neural Model for Math Word Problems" (IJCAI 2019), section 3.1. It
reads the default encoder's tokens instead of words, and is only trained and evaluated, never served.
"""

from __future__ import annotations

from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence
from transformers import PreTrainedConfig, PreTrainedModel
from transformers.modeling_outputs import BaseModelOutput

from analytics.backbone.backbone import Backbone, weights_sha256
from analytics.backbone.bert import load_backbone
from analytics.training.device import pick_device

_LAYERS = 2
_DROPOUT = 0.5  # of the embeddings, and between the layers


class _RecurrentConfig(PreTrainedConfig):
    model_type = "recurrent"


class RecurrentEncoder(PreTrainedModel):
    """Token embeddings and a GRU in both directions, whose states are added.

    Args:
        vocabulary: number of tokens.
        width: width of the states.
        embedding: width of the token embeddings.
    """

    config_class = _RecurrentConfig

    def __init__(self, vocabulary: int, *, width: int = 512, embedding: int = 128) -> None:
        super().__init__(_RecurrentConfig())
        self.embeddings = nn.Embedding(vocabulary, embedding)
        self.dropout = nn.Dropout(_DROPOUT)
        self.gru = nn.GRU(embedding, width, _LAYERS, batch_first=True, bidirectional=True, dropout=_DROPOUT)

    def forward(self, input_ids: Tensor, attention_mask: Tensor) -> BaseModelOutput:
        """Return states (texts, tokens, width); states after the end of a text are zero.

        Args:
            input_ids: (texts, tokens).
            attention_mask: (texts, tokens) 1 for tokens, before the padding.
        """
        embedded = self.dropout(self.embeddings(input_ids))
        lengths = attention_mask.sum(dim=1).cpu()
        packed = pack_padded_sequence(embedded, lengths, batch_first=True, enforce_sorted=False)
        states, _lengths = pad_packed_sequence(self.gru(packed)[0], batch_first=True, total_length=input_ids.shape[1])
        forward, backward = states.chunk(2, dim=2)
        return BaseModelOutput(last_hidden_state=forward + backward)


def recurrent_backbone(*, max_tokens: int = 256, device: str = "auto", width: int = 512) -> Backbone:
    """Return a GRU with random weights, drawn from torch's generator, and the default encoder's tokenizer.

    Raises:
        BackboneError: the default encoder is not installed.
    """
    default = load_backbone(max_tokens=max_tokens, device="cpu")
    model = RecurrentEncoder(default.tokenizer.get_vocab_size(), width=width)
    return Backbone(
        name="gru",
        model=model.train().to(pick_device(device)),
        tokenizer=default.tokenizer,
        dimension=width,
        max_tokens=default.max_tokens,
        pad_id=default.pad_id,
        unknown_id=default.unknown_id,
        weights_hash=weights_sha256(model),
    )
