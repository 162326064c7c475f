"""Words of ordinary English, which are never taken for typing mistakes.

From the word list of pyspellchecker (https://github.com/barrust/pyspellchecker, MIT): 160,000 words, read when one is
first looked up.
"""

from __future__ import annotations

import gzip
import json
from functools import lru_cache
from importlib.resources import files


@lru_cache(maxsize=1)
def _frequencies() -> dict[str, int]:
    packed = files("spellchecker").joinpath("resources/en.json.gz").read_bytes()
    frequencies: dict[str, int] = json.loads(gzip.decompress(packed))
    return frequencies


def is_english(word: str) -> bool:
    """Return whether this is a word of ordinary English, in any of its forms."""
    return word.lower() in _frequencies()
