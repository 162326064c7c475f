"""How much of a text a tokenizer knows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

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


def known_languages(
    texts: Iterable[tuple[str, str]], unknown_share: Callable[[Sequence[str]], float]
) -> set[str]:
    """Return the languages that an encoder knows.

    Args:
        texts: pairs of a language and a text in it.
        unknown_share: of the tokens of some texts, by the encoder's vocabulary.
    """
    by_language: dict[str, list[str]] = {}
    for language, text in texts:
        by_language.setdefault(language, []).append(text)
    return {language for language, own in by_language.items() if unknown_share(own) <= UNKNOWN_SHARE_LIMIT}


def unknown_words(encoding: Encoding, unknown_id: int, text: str) -> int:
    """Return the number of a text's tokens that the vocabulary lacks and that have a letter or a digit."""
    return sum(
        any(map(str.isalnum, text[start:end]))
        for token, (start, end) in zip(encoding.ids, encoding.offsets, strict=True)
        if token == unknown_id
    )
