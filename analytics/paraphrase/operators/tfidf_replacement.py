"""f_c, a test operator: the words that say most are replaced by random words of the vocabulary.

ParaQD (Gupta et al., 2022), section 4.2: words of *high* TF-IDF, so that the question loses its meaning.
"""

from __future__ import annotations

import math
import random
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from functools import lru_cache

from analytics.paraphrase.words.editing import apply_edits, formula_spans, overlaps
from analytics.paraphrase.words.wording import STOP_WORDS, words

_WORD = re.compile(r"(?<![\\\w])[A-Za-z]{3,}(?![\w'’])")


class TfidfReplacement:
    """Replaces the words of highest TF-IDF.

    Args:
        texts: where document frequencies and the vocabulary come from.
        share: of a question's words that are replaced, at least one and at most four.
    """

    never: Set[str] = STOP_WORDS
    """Words that are neither replaced nor put in."""

    def __init__(self, texts: Iterable[str], share: float = 0.12) -> None:
        self.share = share
        self.frequency: Counter[str] = Counter()
        self.documents = 0
        for text in texts:
            self.frequency.update(set(words(text)))
            self.documents += 1
        self.vocabulary = sorted(word for word in self.frequency if len(word) > 2 and word not in self.never)

    def apply(self, question: str, rng: random.Random) -> str | None:
        """Replace one to four words; None where the question or the vocabulary has none."""
        formulas = formula_spans(question)
        places = [match for match in _WORD.finditer(question) if not overlaps(*match.span(), formulas)]
        counts = Counter(match[0].lower() for match in places if match[0].lower() not in self.never)
        if not counts or len(self.vocabulary) < 2:
            return None
        weight = {
            word: count * math.log((1 + self.documents) / (1 + self.frequency[word]))
            for word, count in counts.items()
        }
        most = min(max(1, round(self.share * len(places))), 4)
        new = {word: self._new_word(word, rng) for word in self._chosen(weight, most, rng)}
        chosen = {word: match for match in reversed(places) if (word := match[0].lower()) in new}
        return apply_edits(question, [(*match.span(), new[word]) for word, match in chosen.items()])

    def _chosen(self, weight: Mapping[str, float], most: int, _rng: random.Random) -> Sequence[str]:
        """Return the words that are replaced, of a question's words with their TF-IDF."""
        return sorted(weight, key=lambda word: (-weight[word], word))[:most]

    def _new_word(self, word: str, rng: random.Random) -> str:
        """Return what stands in a word's place."""
        while (drawn := rng.choice(self.vocabulary)) == word:
            pass
        return drawn


@lru_cache(maxsize=1)
def _by_common_words() -> TfidfReplacement:
    """Return the stand-in where no texts are given: a list of a thousand common English words, each a document."""
    from faker.providers.lorem.en_US import Provider

    return TfidfReplacement(Provider.word_list)


def apply(question: str, rng: random.Random) -> str | None:
    """Replace the words that are rarest in English at large."""
    return _by_common_words().apply(question, rng)
