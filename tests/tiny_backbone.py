"""A tiny random encoder, built in code, so that tests need no weights."""

from __future__ import annotations

import string

import torch
from tokenizers import Tokenizer
from tokenizers.models import WordPiece
from tokenizers.normalizers import BertNormalizer
from tokenizers.pre_tokenizers import BertPreTokenizer
from tokenizers.processors import TemplateProcessing
from transformers import BertConfig, BertModel

from analytics.backbone.backbone import Backbone, weights_sha256

_SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]


def tiny_backbone(*, dimension: int = 32, layers: int = 2, max_tokens: int = 64, seed: int = 0) -> Backbone:
    """Return a random BERT with a WordPiece vocabulary of single ASCII characters.

    Text in any other script is entirely unknown to it, as tests of `unknown_share` need.
    """
    characters = string.ascii_lowercase + string.digits + string.punctuation
    pieces = [*_SPECIAL, *characters, *(f"##{character}" for character in characters)]
    tokenizer = Tokenizer(WordPiece({piece: index for index, piece in enumerate(pieces)}, unk_token="[UNK]"))
    tokenizer.normalizer = BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = BertPreTokenizer()
    tokenizer.post_processor = TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    tokenizer.enable_truncation(max_tokens)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = BertModel(
            BertConfig(
                vocab_size=len(pieces),
                hidden_size=dimension,
                num_hidden_layers=layers,
                num_attention_heads=2,
                intermediate_size=2 * dimension,
                max_position_embeddings=max_tokens,
                initializer_range=0.2,  # the usual 0.02 leaves a net this small almost blind to its input
            )
        )
    return Backbone(
        name=f"tiny-bert-{dimension}",
        model=model.eval(),
        tokenizer=tokenizer,
        dimension=dimension,
        max_tokens=max_tokens,
        pad_id=0,
        unknown_id=1,
        weights_hash=weights_sha256(model),
    )
