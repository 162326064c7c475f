"""How much of a text a tokenizer knows."""

from __future__ import annotations

from collections.abc import Sequence

from tokenizers import Tokenizer

__all__ = ["UNKNOWN_SHARE_LIMIT", "unknown_token_share"]

UNKNOWN_SHARE_LIMIT = 0.1
"""Above it an encoder does not know a language, and its vectors should not be used for it."""


def unknown_token_share(tokenizer: Tokenizer, unknown_id: int, texts: Sequence[str]) -> float:
    """Share of the texts' tokens that the vocabulary lacks; 0 where there are no tokens."""
    encodings = tokenizer.encode_batch_fast(list(texts), add_special_tokens=False)
    total = sum(len(encoding.ids) for encoding in encodings)
    unknown = sum(encoding.ids.count(unknown_id) for encoding in encodings)
    return unknown / total if total else 0.0
