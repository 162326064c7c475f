"""Labelled pairs from the demo patterns: the phrasings of one draw say the same, those of another draw do not.

A rule paraphraser stays near the wording that it is given; the phrasings of a pattern were written independently of
one another, so they show a scorer what a far rewording is.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from analytics.records import ParaphrasePair
from questionbank.demo.pattern import Item, Pattern
from questionbank.demo.strands import ALL_PATTERNS
from questionbank.demo.wording import Draw, Unsuitable

__all__ = ["generate_pairs"]

_MOST_ATTEMPTS = 200


def generate_pairs(seed: int = 2026, draws: int = 5) -> list[ParaphrasePair]:
    """Return the same pairs for the same seed: of each draw, one phrasing with each other one, and with other draws.

    Args:
        seed: names every pattern's random stream.
        draws: of each pattern, fewer where it has fewer.
    """
    return [pair for pattern in ALL_PATTERNS for pair in _pairs(pattern, seed, draws)]


def _pairs(pattern: Pattern, seed: int, draws: int) -> Iterator[ParaphrasePair]:
    rng = Random(f"{seed}/paraphrases/{pattern.slug}")
    items = _items(pattern, rng, draws)
    for turn, item in enumerate(items, start=1):
        place = rng.randrange(len(item.ask))
        original = item.ask[place]
        same = [text for text in dict.fromkeys(item.ask) if text != original]
        for text in same:
            yield _pair(pattern, turn, "phrasing", original, text, 1)
        for variant in rng.sample(items, min(2, len(items))):
            text = variant.ask[min(place, len(variant.ask) - 1)]
            if variant.answer != item.answer and text != original and text not in same:
                yield _pair(pattern, turn, "other_numbers", original, text, 0)


def _items(pattern: Pattern, rng: Random, draws: int) -> list[Item]:
    items: dict[tuple[str, ...], Item] = {}
    for _ in range(_MOST_ATTEMPTS):
        if len(items) == draws:
            break
        try:
            item = pattern.make(Draw(rng))
        except Unsuitable:
            continue
        items.setdefault(item.ask, item)
    return list(items.values())


def _pair(
    pattern: Pattern, turn: int, operator: str, original: str, paraphrase: str, label: int
) -> ParaphrasePair:
    return ParaphrasePair(f"demo-{pattern.slug}-{turn}", original, paraphrase, label, operator)
