"""The baselines of ParaQD's section 4.3: augmentations that know nothing of word problems.

Whatever an augmentation makes is taken for valid, and other questions are the negatives. With pseudo-labels some of
it is taken for invalid. The paper's appendix, which says how it labels, is not at hand: here the untrained encoder
does, at the cosine that tells the validation pairs apart best. Positives and negatives are then filled up as the
published code does it.
"""

from __future__ import annotations

import random
from bisect import bisect
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence, Set
from functools import partial
from itertools import accumulate
from pathlib import Path

import numpy as np

from analytics.backbone.bert import encode_bulk, load_backbone
from analytics.paraphrase.config import ParaphraseConfig
from analytics.paraphrase.operators.catalog import Apply, operator, with_functions
from analytics.paraphrase.operators.tfidf_replacement import TfidfReplacement
from analytics.paraphrase.scoring.scorer import cosines
from analytics.paraphrase.seq2seq import training_functions
from analytics.paraphrase.triplets import Triplet
from analytics.records import ParaphrasePair
from analytics.training.callbacks import Callback
from worker.paraphrase.reproduction.reconstruction import train_reconstructor

BASELINES = ("back-translation", "uda", "ssmba")

Augment = Callable[[Sequence[str], int], Sequence[str | None]]
"""Questions and the number of the draw -> what becomes of each, None where nothing does."""

Made = Mapping[str, Sequence[tuple[str, str]]]
"""Question -> augmented texts, each with the name of what made it."""


class UninformativeReplacement(TfidfReplacement):
    """UDA's replacement (Xie et al., NeurIPS 2020): words of low TF-IDF become others that say as little."""

    never = frozenset()

    def __init__(self, texts: Sequence[str], share: float = 0.12) -> None:
        super().__init__(texts, share)
        self._common = list(accumulate(self.frequency[word] for word in self.vocabulary))

    def _chosen(self, weight: Mapping[str, float], most: int, rng: random.Random) -> Sequence[str]:
        """Draw words: the lower a word's TF-IDF lies below the question's highest, the likelier."""
        highest = max(weight.values())
        keys = {word: rng.random() ** (1 / (highest - value + 1e-9)) for word, value in weight.items()}
        return sorted(keys, key=lambda word: (-keys[word], word))[:most]

    def _new_word(self, word: str, rng: random.Random) -> str:
        """Draw another word by how many questions have it."""
        while (drawn := self.vocabulary[bisect(self._common, rng.random() * self._common[-1])]) == word:
            pass
        return drawn


def baseline_triplets(
    name: str,
    questions: Sequence[str],
    config: ParaphraseConfig,
    *,
    labelled_by: Sequence[ParaphrasePair] = (),
    checkpoints: Path | None = None,
    callbacks: Sequence[Callback] = (),
) -> list[Triplet]:
    """Make the triplets of a baseline.

    Args:
        name: one of `BASELINES`.
        questions: what is learned from.
        config: how many augmentations a question gets, models in place of stand-ins, seed.
        labelled_by: pairs on which the threshold of pseudo-labels is chosen; without them there are none.
        checkpoints: folder for what the reconstruction learns.
        callbacks: told how it goes on.

    Raises:
        DataError: too few questions.
        BackboneError: a model cannot be loaded.
    """
    questions = list(dict.fromkeys(questions))  # sets repeat one another
    augmenters = _augmenters(name, questions, config, checkpoints, callbacks)
    made: defaultdict[str, list[tuple[str, str]]] = defaultdict(list)
    for draw in range(config.triplets_per_question):
        kind, augment = augmenters[draw % len(augmenters)]
        for question, text in zip(questions, augment(questions, draw), strict=True):
            made[question].append((text or question, kind))
    invalid = _called_invalid(made, config, labelled_by) if labelled_by else set()
    rng = random.Random(config.seed)  # noqa: S311 - nothing secret
    return [
        triplet
        for question, augmentations in made.items()
        for triplet in _triplets_of(question, augmentations, invalid, questions, rng)
    ]


def best_threshold(labels: Sequence[int], scores: Sequence[float]) -> float:
    """Return the score from which on a pair is best called valid: where recall of both labels together is highest.

    >>> best_threshold([0, 0, 1, 1], [0.1, 0.6, 0.5, 0.9])
    0.5
    """
    truth, values = np.asarray(labels), np.asarray(scores)
    candidates = np.unique(values)
    gained = [
        (values[truth == 1] >= threshold).mean() - (values[truth == 0] >= threshold).mean()
        for threshold in candidates
    ]
    return float(candidates[int(np.argmax(gained))])


def _augmenters(
    name: str,
    questions: Sequence[str],
    config: ParaphraseConfig,
    checkpoints: Path | None,
    callbacks: Sequence[Callback],
) -> list[tuple[str, Augment]]:
    if name == "ssmba":
        model = train_reconstructor(
            questions, config, checkpoints=checkpoints and checkpoints / "reconstruction", callbacks=callbacks
        )
        return [("reconstruction", lambda texts, draw: model.reconstruct(texts, config.seed + draw))]
    [translation] = with_functions((operator("back_translation"),), training_functions(config))
    augmenters: list[tuple[str, Augment]] = [(translation.name, _each(translation.apply, config.seed))]
    if name == "uda":
        replace = UninformativeReplacement(questions).apply
        augmenters.append(("uninformative_replacement", _each(replace, config.seed)))
    return augmenters


def _each(apply: Apply, seed: int) -> Augment:
    """Return an operator on many questions."""

    def augment(questions: Sequence[str], draw: int) -> list[str | None]:
        return [apply(text, random.Random(f"{seed}:{draw}:{text}")) for text in questions]  # noqa: S311

    return augment


def _called_invalid(
    made: Made, config: ParaphraseConfig, labelled_by: Sequence[ParaphrasePair]
) -> set[tuple[str, str]]:
    """Return question and text of what the untrained encoder calls invalid."""
    encode = partial(
        encode_bulk, load_backbone(config.backbone, max_tokens=config.max_tokens, device=config.device)
    )
    threshold = best_threshold(
        [int(pair.label or 0) for pair in labelled_by],
        cosines([pair.texts for pair in labelled_by], encode),
    )
    texts = ((question, text) for question, augmentations in made.items() for text, _kind in augmentations)
    pairs = list(dict.fromkeys(texts))
    return {pair for pair, score in zip(pairs, cosines(pairs, encode), strict=True) if score < threshold}


def _triplets_of(
    question: str,
    augmentations: Sequence[tuple[str, str]],
    invalid: Set[tuple[str, str]],
    questions: Sequence[str],
    rng: random.Random,
) -> list[Triplet]:
    positives = [augmentation for augmentation in augmentations if (question, augmentation[0]) not in invalid]
    negatives = [augmentation for augmentation in augmentations if (question, augmentation[0]) in invalid]
    positives += rng.choices([*positives, (question, "same_sentence")], k=len(augmentations) - len(positives))
    others = rng.sample(questions, min(len(questions), len(augmentations) - len(negatives) + 1))
    negatives += [(text, "another question") for text in others if text != question]
    return [
        Triplet(question, positive, negative, kind, negative_kind)
        for (positive, kind), (negative, negative_kind) in zip(positives, negatives, strict=False)
    ]
