"""A tiny random encoder, built in code, for tests and for trying out a capability without weights."""

from __future__ import annotations

import string
from pathlib import Path

import torch
from tokenizers import Tokenizer
from tokenizers.models import WordPiece
from tokenizers.normalizers import BertNormalizer
from tokenizers.pre_tokenizers import BertPreTokenizer
from tokenizers.processors import TemplateProcessing
from transformers import BertConfig, BertModel, PreTrainedTokenizerFast

from analytics.backbone.backbone import Backbone, save_head, weights_sha256
from analytics.backbone.bert import no_progress_bars

_SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]


def tiny_backbone(*, dimension: int = 32, layers: int = 2, max_tokens: int = 64, seed: int = 0) -> Backbone:
    """Return a random BERT with a WordPiece vocabulary of single ASCII characters.

    Text in any other script is entirely unknown to it, as tests of `unknown_share` need.
    """
    characters = string.ascii_lowercase + string.digits + string.punctuation
    pieces = [*_SPECIAL, *characters, *(f"##{character}" for character in characters)]
    tokenizer = Tokenizer(
        WordPiece({piece: index for index, piece in enumerate(pieces)}, unk_token="[UNK]")  # noqa: S106
    )
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


def save_backbone(backbone: Backbone, folder: Path) -> None:
    """Save an encoder as a folder that `load_backbone` and transformers can load."""
    folder.mkdir(parents=True, exist_ok=True)
    with no_progress_bars():
        backbone.model.save_pretrained(folder)
    save_head(backbone, folder)
    special = {
        f"{name}_token": token
        for name in ("pad", "unk", "cls", "sep", "mask")
        for token in (f"[{name.upper()}]", f"<{name}>")
        if backbone.tokenizer.token_to_id(token) is not None
    }
    PreTrainedTokenizerFast(tokenizer_object=backbone.tokenizer, **special).save_pretrained(folder)
