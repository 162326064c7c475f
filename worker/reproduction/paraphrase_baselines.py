"""The baselines of ParaQD's section 4.3: augmentations not made for word problems, and SSMBA's reconstruction."""

from __future__ import annotations

import random
import re
from bisect import bisect
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence, Set
from functools import partial
from itertools import accumulate
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from analytics.backbone.backbone import Backbone
from analytics.backbone.bert import encode_bulk, load_backbone
from analytics.encoder.config import EncoderConfig
from analytics.encoder.examples import EncoderExample, examples_hash
from analytics.encoder.train import MaskedLanguageHead, MaskedLanguageTask, mask_tokens
from analytics.paraphrase.config import ParaphraseConfig
from analytics.paraphrase.operators.catalog import Apply, operator, with_functions
from analytics.paraphrase.operators.words import TfidfReplacement
from analytics.paraphrase.preparing import training_functions
from analytics.paraphrase.scorer import cosines
from analytics.paraphrase.triplets import Triplet
from analytics.paraphrase.words.wording import Edit, apply_edits
from analytics.records import ParaphrasePair
from analytics.training.context import Callback, TrainingContext
from analytics.training.device import inference_dtype, pick_device, seed_everything
from analytics.training.loop import train_loop
from analytics.training.stages import LoopSettings

_EPOCHS = 2
_LEARNING_RATE = 3e-4  # the head starts from random weights
_LIKELIEST = 10
_BATCH = 64
_SPECIAL = re.compile(r"\[\w+\]|<\S+>")  # such as [PAD] and <mask>


class Reconstructor:
    """Masks 15 % of a text's tokens, as in BERT's training, and replaces them with samples of the likeliest tokens.

    Args:
        backbone: returns each token's state.
        head: scores every token of the vocabulary.
        mask_id: id of the mask token.
    """

    def __init__(self, backbone: Backbone, head: MaskedLanguageHead, mask_id: int) -> None:
        self.backbone, self.head, self.mask_id = backbone, head.eval(), mask_id
        backbone.model.eval()
        size = len(head.embeddings)
        self.pieces = [backbone.tokenizer.id_to_token(number) or "" for number in range(size)]
        marks = ("▁", "Ġ")  # these start a word; WordPiece marks continuations instead
        marked = any(piece.startswith(marks) for piece in self.pieces)
        self.begins = torch.tensor(
            [piece.startswith(marks) if marked else not piece.startswith("##") for piece in self.pieces]
        )
        self.texts = [piece.removeprefix("##").lstrip("▁Ġ") for piece in self.pieces]
        self.allowed = torch.tensor([bool(text) and not _SPECIAL.fullmatch(text) for text in self.texts])

    def reconstruct(self, texts: Sequence[str], seed: int) -> list[str]:
        """Corrupt and reconstruct each text; deterministic for the same texts and seed."""
        generator = torch.Generator().manual_seed(seed)
        made: list[str] = []
        for start in range(0, len(texts), _BATCH):
            made += self._reconstruct(texts[start : start + _BATCH], generator)
        return made

    @torch.inference_mode()
    def _reconstruct(self, texts: Sequence[str], generator: torch.Generator) -> list[str]:
        ids, mask = self.backbone.batch(texts)
        hidden, targets = mask_tokens(ids, mask, mask_id=self.mask_id, vocabulary=len(self.pieces), generator=generator)
        states = self.backbone.model(input_ids=hidden, attention_mask=mask).last_hidden_state
        rows, columns = (targets >= 0).nonzero(as_tuple=True)
        new = self._draw(self.head(states[rows, columns]).float().cpu(), ids[rows, columns].cpu(), generator)
        edits: list[dict[int, Edit]] = [{} for _text in texts]  # by start: bytes of one character share it
        spans = [encoding.offsets for encoding in self.backbone.tokenizer.encode_batch(list(texts))]
        for row, column, number in zip(rows.tolist(), columns.tolist(), new.tolist(), strict=True):
            start, end = spans[row][column]
            word = self.texts[number]
            edits[row][start] = (start, end, word.capitalize() if texts[row][start].isupper() else word)
        return [apply_edits(text, text_edits.values()) for text, text_edits in zip(texts, edits, strict=True)]

    def _draw(self, scores: Tensor, old: Tensor, generator: torch.Generator) -> Tensor:
        """Return a token for each position: one that starts a word where the old one did, else a continuation."""
        fits = self.allowed & (self.begins[None, :] == self.begins[old][:, None])
        best = scores.masked_fill(~fits, -torch.inf).topk(_LIKELIEST, dim=1)
        drawn = torch.multinomial(best.values.softmax(dim=1), 1, generator=generator)
        return best.indices.gather(1, drawn).squeeze(1)


def train_reconstructor(
    questions: Sequence[str],
    config: ParaphraseConfig,
    *,
    checkpoints: Path | None = None,
    callbacks: Sequence[Callback] = (),
) -> Reconstructor:
    """Train the head, and the encoder below it, to predict masked words of the questions.

    Args:
        questions: training questions.
        config: backbone, batch size, device, seed, and limit of steps.
        checkpoints: folder of the checkpoint; training resumes from one that it contains.
        callbacks: called with progress.

    Raises:
        DataError: too few questions, an encoder without a mask token, or a checkpoint of another training.
        BackboneError: the encoder cannot be loaded.
    """
    seed_everything(config.seed)
    settings = EncoderConfig(
        objective="masked-language",
        backbone=config.backbone,
        batch_size=config.batch_size,
        max_steps=config.max_steps,
        max_tokens=config.max_tokens,
        seed=config.seed,
    )
    examples = [EncoderExample(text) for text in questions]
    backbone = load_backbone(config.backbone, max_tokens=config.max_tokens, device=config.device)
    task = MaskedLanguageTask(backbone, examples, settings)
    device = pick_device(config.device)
    train_loop(
        task,
        LoopSettings(
            epochs=_EPOCHS,
            max_steps=config.max_steps,
            learning_rate=_LEARNING_RATE,
            warmup_share=config.warmup_share,
            dtype=inference_dtype(device) if config.mixed_precision else torch.float32,
            checkpoint_every=config.checkpoint_every,
        ),
        device=device,
        context=TrainingContext(checkpoints=checkpoints, callbacks=tuple(callbacks)),
        identity=f"{settings} {examples_hash(examples)}",
    )
    return Reconstructor(backbone, task.head, task.mask_id)


BASELINES = ("back-translation", "uda", "ssmba")

Augment = Callable[[Sequence[str], int], Sequence[str | None]]
"""Maps questions and the number of the draw to the augmented texts, None if unchanged."""

Made = Mapping[str, Sequence[tuple[str, str]]]
"""Maps each question to its augmented texts, each with the name of its augmenter."""


class UninformativeReplacement(TfidfReplacement):
    """UDA's replacement (Xie et al., NeurIPS 2020): words of low TF-IDF become other uninformative words."""

    never = frozenset()

    def __init__(self, texts: Sequence[str], share: float = 0.12) -> None:
        super().__init__(texts, share)
        self._common = list(accumulate(self.frequency[word] for word in self.vocabulary))

    def _chosen(self, weight: Mapping[str, float], most: int, rng: random.Random) -> Sequence[str]:
        """Draw words, with higher probability the further a word's TF-IDF is below the question's highest."""
        highest = max(weight.values())
        keys = {word: rng.random() ** (1 / (highest - value + 1e-9)) for word, value in weight.items()}
        return sorted(keys, key=lambda word: (-keys[word], word))[:most]

    def _new_word(self, word: str, rng: random.Random) -> str:
        """Draw another word, weighted by the number of questions with it."""
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
        questions: training questions.
        config: number of augmentations per question, models to replace stand-ins, seed.
        labelled_by: pairs to choose the threshold of pseudo-labels on; without them there are no pseudo-labels.
        checkpoints: checkpoint folder of the reconstruction's training.
        callbacks: called with progress.

    Raises:
        DataError: too few questions.
        BackboneError: a model cannot be loaded.
    """
    questions = list(dict.fromkeys(questions))  # sets overlap
    augmenters = _augmenters(name, questions, config, checkpoints, callbacks)
    made: defaultdict[str, list[tuple[str, str]]] = defaultdict(list)
    for draw in range(config.triplets_per_question):
        kind, augment = augmenters[draw % len(augmenters)]
        for question, text in zip(questions, augment(questions, draw), strict=True):
            made[question].append((text or question, kind))
    invalid = _called_invalid(made, config, labelled_by) if labelled_by else set()
    rng = random.Random(config.seed)  # noqa: S311 - sampling, not security
    return [
        triplet
        for question, augmentations in made.items()
        for triplet in _triplets_of(question, augmentations, invalid, questions, rng)
    ]


def best_threshold(labels: Sequence[int], scores: Sequence[float]) -> float:
    """Return the best score threshold for calling a pair valid: the one that maximises the sum of both recalls.

    >>> best_threshold([0, 0, 1, 1], [0.1, 0.6, 0.5, 0.9])
    0.5
    """
    truth, values = np.asarray(labels), np.asarray(scores)
    candidates = np.unique(values)
    gained = [
        (values[truth == 1] >= threshold).mean() - (values[truth == 0] >= threshold).mean() for threshold in candidates
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
    """Apply an operator to many questions."""

    def augment(questions: Sequence[str], draw: int) -> list[str | None]:
        return [apply(text, random.Random(f"{seed}:{draw}:{text}")) for text in questions]  # noqa: S311

    return augment


def _called_invalid(
    made: Made, config: ParaphraseConfig, labelled_by: Sequence[ParaphrasePair]
) -> set[tuple[str, str]]:
    """Return (question, text) pairs that the untrained encoder calls invalid."""
    encode = partial(encode_bulk, load_backbone(config.backbone, max_tokens=config.max_tokens, device=config.device))
    threshold = best_threshold(
        [int(pair.label or 0) for pair in labelled_by], cosines([pair.texts for pair in labelled_by], encode)
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
