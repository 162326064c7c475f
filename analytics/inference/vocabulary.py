"""How much of a text a tokenizer's vocabulary covers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from tokenizers import Encoding, Tokenizer

UNKNOWN_SHARE_LIMIT = 0.1
"""Share above which an encoder does not know a language, and its vectors should not be used for it."""


def unknown_token_share(tokenizer: Tokenizer, unknown_id: int, texts: Sequence[str]) -> float:
    """Return the share of the texts' tokens that the vocabulary lacks; 0 if there are no tokens.

    Unknown symbols, such as emoji, do not count: they reveal nothing about the language.
    """
    encodings = tokenizer.encode_batch(list(texts), add_special_tokens=False)
    total = sum(len(encoding.ids) for encoding in encodings)
    unknown = sum(unknown_words(encoding, unknown_id, text) for encoding, text in zip(encodings, texts, strict=True))
    return unknown / total if total else 0.0


def known_languages(texts: Iterable[tuple[str, str]], unknown_share: Callable[[Sequence[str]], float]) -> set[str]:
    """Return the languages that an encoder knows.

    Args:
        texts: pairs of a language and a text in that language.
        unknown_share: function that returns the share of the texts' tokens that the encoder's vocabulary
            lacks.
    """
    by_language: dict[str, list[str]] = {}
    for language, text in texts:
        by_language.setdefault(language, []).append(text)
    return {language for language, own in by_language.items() if unknown_share(own) <= UNKNOWN_SHARE_LIMIT}


def unknown_words(encoding: Encoding, unknown_id: int, text: str) -> int:
    """Return the number of unknown tokens in a text that contain a letter or a digit."""
    return sum(
        any(map(str.isalnum, text[start:end]))
        for token, (start, end) in zip(encoding.ids, encoding.offsets, strict=True)
        if token == unknown_id
    )
