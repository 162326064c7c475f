"""How much of a text a tokenizer knows."""

from __future__ import annotations

from collections.abc import Sequence

from tokenizers import Encoding, Tokenizer

UNKNOWN_SHARE_LIMIT = 0.1
"""Above it an encoder does not know a language, and its vectors should not be used for it."""


def unknown_token_share(tokenizer: Tokenizer, unknown_id: int, texts: Sequence[str]) -> float:
    """Return the share of the texts' tokens that the vocabulary lacks; 0 where there are no tokens.

    Unknown signs, such as emoji, do not count: they say nothing about the language.
    """
    encodings = tokenizer.encode_batch(list(texts), add_special_tokens=False)
    total = sum(len(encoding.ids) for encoding in encodings)
    unknown = sum(
        unknown_words(encoding, unknown_id, text) for encoding, text in zip(encodings, texts, strict=True)
    )
    return unknown / total if total else 0.0


def unknown_words(encoding: Encoding, unknown_id: int, text: str) -> int:
    """Return the number of a text's tokens that the vocabulary lacks and that have a letter or a digit."""
    return sum(
        any(map(str.isalnum, text[start:end]))
        for token, (start, end) in zip(encoding.ids, encoding.offsets, strict=True)
        if token == unknown_id
    )
