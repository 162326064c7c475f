"""Training and calibration data of a scorer, and the sequence-to-sequence models that help to make it.

Triplets are made of most questions, pairs of a fixed held-out tenth. They are computed once and cached next to the
checkpoint of a training run. For the operators that need one, any Hugging Face sequence-to-sequence model can be
named by folder or hub id: MarianMT (f1), Pegasus (f9), T5 (f_a, f_b, f_e) and any other supported by
`load_generator`. They use plain beam search: the paper's diverse beam search was removed from transformers in version
5.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import astuple, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
from transformers import PreTrainedModel, PreTrainedTokenizerBase

from analytics.backbone.bert import load_generator
from analytics.configuration import training_settings
from analytics.errors import ArtifactError, DataError
from analytics.paraphrase.config import ParaphraseConfig
from analytics.paraphrase.metrics import roc_auc
from analytics.paraphrase.operators.catalog import Apply, select_operators, with_functions
from analytics.paraphrase.operators.stand_ins import BackTranslation, PassiveByModels, Reconstruction, WeakParaphraser
from analytics.paraphrase.pair_files import Material
from analytics.paraphrase.triplets import Triplet, make_triplets, triplet_pairs, wording_distance
from analytics.records import ParaphrasePair
from analytics.splits import KeptOut, is_held_out, linked_texts, masked_text
from analytics.training.checkpoint import kept_or_made
from analytics.training.context import DEFAULT_CONTEXT, TrainingContext

_BATCH = 16


class TransformersSequenceModel:
    """A sequence-to-sequence model with its tokenizer.

    Args:
        name: display name.
        max_tokens: longer inputs and outputs are truncated.
    """

    def __init__(
        self, name: str, model: PreTrainedModel, tokenizer: PreTrainedTokenizerBase, *, max_tokens: int = 256
    ) -> None:
        self.name, self.model, self.tokenizer = name, model.eval(), tokenizer
        positions = getattr(model.config, "max_position_embeddings", None) or max_tokens
        self.max_tokens = min(max_tokens, positions - 1)

    def generate(self, texts: Sequence[str], *, beams: int = 1, outputs: int = 1) -> list[list[str]]:
        """Return the best outputs for each text, best first.

        Raises:
            ValueError: more outputs than beams.
        """
        if outputs > beams:
            raise ValueError(f"{beams} beams cannot give {outputs} outputs.")
        written: list[list[str]] = []
        for start in range(0, len(texts), _BATCH):
            batch = self.tokenizer(
                list(texts[start : start + _BATCH]),
                return_tensors="pt",
                padding=True,
                truncation=True,
                max_length=self.max_tokens,
                return_token_type_ids=False,
            ).to(self.model.device)
            with torch.inference_mode():
                ids = self.model.generate(
                    **batch,
                    num_beams=beams,
                    num_return_sequences=outputs,
                    do_sample=False,
                    max_new_tokens=self.max_tokens,
                )
            decoded = self.tokenizer.batch_decode(ids, skip_special_tokens=True)
            written += [decoded[at : at + outputs] for at in range(0, len(decoded), outputs)]
        return written


def load_sequence_model(name_or_path: str, *, device: str = "auto", max_tokens: int = 256) -> TransformersSequenceModel:
    """Load a model from a folder, or by its hub id if there is no such folder.

    Raises:
        BackboneError: the folder is missing or contains no such model, or the hub does not provide it.
    """
    generator = load_generator(name_or_path, "sequence-to-sequence", device=device)
    return TransformersSequenceModel(generator.name, generator.model, generator.tokenizer, max_tokens=max_tokens)


def training_functions(config: ParaphraseConfig) -> dict[str, Apply]:
    """Load the models that a configuration names for f1 and f9, as a mapping from operator name to function.

    Raises:
        BackboneError: a model cannot be loaded.
    """
    functions: dict[str, Apply] = {}
    if config.translator_there and config.translator_back:
        forward = load_sequence_model(config.translator_there, device=config.device)
        back = load_sequence_model(config.translator_back, device=config.device)
        functions["back_translation"] = BackTranslation(forward, back).apply
    if config.weak_paraphraser:
        model = load_sequence_model(config.weak_paraphraser, device=config.device)
        functions["weak_paraphraser"] = WeakParaphraser(model, prefix=config.weak_prefix).apply
    return functions


def functions_for_test_sets(
    *, passive: str = "", grammar: str = "", reconstruction: str = "", weak_question: str = "", device: str = "auto"
) -> dict[str, Apply]:
    """Load the named models of the test operators f_a, f_b and f_e; the others keep their stand-ins.

    Raises:
        BackboneError: a model cannot be loaded.
    """
    functions: dict[str, Apply] = {}
    if passive:
        corrector = load_sequence_model(grammar, device=device) if grammar else None
        functions["passive_voice"] = PassiveByModels(load_sequence_model(passive, device=device), corrector).apply
    if reconstruction:
        functions["reconstruction"] = Reconstruction(load_sequence_model(reconstruction, device=device)).apply
    if weak_question:
        model = load_sequence_model(weak_question, device=device)
        functions["weak_question"] = WeakParaphraser(model, prefix="paraphrase: ", shortest=0.2).apply
    return functions


_CALIBRATED_QUESTIONS = 500


@dataclass(frozen=True)
class Prepared:
    """All data of a training run, computed once and cached next to its checkpoint.

    Attributes:
        triplets: the encoder's training data.
        pairs: labelled pairs of the held-out questions, for the verdict.
        kept_out: number of questions and given pairs left out because a test set contains them.
    """

    triplets: list[Triplet]
    pairs: list[ParaphrasePair]
    kept_out: int


@dataclass(frozen=True)
class TripletReport:
    """Statistics of a set of triplets.

    Attributes:
        positive_farther: share of the triplets with the positive farther from the question than the negative.
        distance_auc: how well closeness alone separates positives from negatives; 0.5 means not at all.
    """

    triplets: int
    questions: int
    positive_farther: float
    distance_auc: float
    positives: dict[str, int]
    negatives: dict[str, int]


def report_triplets(triplets: Sequence[Triplet]) -> TripletReport:
    """Compute statistics of triplets, including how much closeness of wording alone gives away.

    Raises:
        DataError: there are no triplets.
    """
    if not triplets:
        raise DataError("There are no triplets.")
    near = [-wording_distance(triplet.anchor, triplet.positive) for triplet in triplets]
    far = [-wording_distance(triplet.anchor, triplet.negative) for triplet in triplets]
    return TripletReport(
        triplets=len(triplets),
        questions=len({triplet.anchor for triplet in triplets}),
        positive_farther=sum(positive < negative for positive, negative in zip(near, far, strict=True)) / len(triplets),
        distance_auc=roc_auc([1] * len(near) + [0] * len(far), near + far),
        positives=dict(Counter(triplet.positive_operator for triplet in triplets).most_common()),
        negatives=dict(Counter(triplet.negative_operator for triplet in triplets).most_common()),
    )


def prepare(
    questions: Sequence[str],
    config: ParaphraseConfig,
    *,
    given: Sequence[ParaphrasePair] = (),
    kept_out: KeptOut | None = None,
    context: TrainingContext = DEFAULT_CONTEXT,
) -> Prepared:
    """Make the training triplets, and the pairs for the verdict.

    Progress is reported before each training question.

    Raises:
        Cancelled: the context requested it.
        BackboneError: a model for an operator cannot be loaded.
    """
    kept_out = kept_out or KeptOut()
    usable, left_out = kept_out.split(dict.fromkeys(questions))
    labelled = [pair for pair in given if pair.label is not None]
    allowed = [pair for pair in labelled if not kept_out.holds(pair.original) and not kept_out.holds(pair.paraphrase)]
    is_apart = set_apart(allowed)
    make = partial(
        make_triplets,
        operators=with_functions(
            select_operators(extra=config.extra_operators, without=config.left_out()), training_functions(config)
        ),
        count=config.triplets_per_question,
        far_share=config.far_share,
        seed=config.seed,
        cancel=context.cancel,
    )
    triplets = make(
        [text for text in usable if not is_apart(text)],
        given=[pair for pair in allowed if not is_apart(pair.original)],
        progress=context.progress_of("Making triplets"),
    )
    apart = [text for text in usable if is_apart(text)]
    chosen = np.random.default_rng(config.seed).permutation(len(apart))[:_CALIBRATED_QUESTIONS]
    # If the findings had selected the positives, they could not be weighed against the score.
    made = make([apart[row] for row in sorted(chosen)], check_positives=False)
    given_apart = [pair for pair in allowed if is_apart(pair.original)]
    pairs = {pair.texts: pair for pair in (*triplet_pairs(made), *given_apart)}
    context.check("Training was stopped while its triplets were made.")
    return Prepared(triplets, list(pairs.values()), left_out + len(labelled) - len(allowed))


def set_apart(given: Sequence[ParaphrasePair]) -> Callable[[str], bool]:
    """Return a predicate for held-out questions; texts linked by labelled pairs are held out together or not at all."""
    linked = linked_texts(pair.texts for pair in given)
    return lambda text: is_held_out(linked.get(masked_text(text), text))


def prepared_material(material: Material, config: ParaphraseConfig, context: TrainingContext) -> Prepared:
    """Return the data prepared by a stopped training of the same material, or prepare it."""
    identity = json.dumps(
        [
            training_settings(config),
            list(material.questions),
            [astuple(pair) for pair in material.given],
            sorted(material.kept_out.keys),
        ]
    )
    make = partial(
        prepare, material.questions, config, given=material.given, kept_out=material.kept_out, context=context
    )
    return kept_or_prepared(context.checkpoints, identity, make)


def kept_or_prepared(folder: Path | None, identity: str, make: Callable[[], Prepared]) -> Prepared:
    """Return a stopped training's cached data, or compute and cache it.

    Args:
        folder: folder of the checkpoint; None disables caching.
        identity: identifies settings, questions and exclusions; cached data of others is ignored.
        make: computes the data.

    Raises:
        ArtifactError: the cached data cannot be read.
    """
    if folder is None:
        return make()
    path = folder / f"triplets-{hashlib.sha256(identity.encode()).hexdigest()[:16]}.json.gz"
    body = kept_or_made(path, lambda: _as_rows(make()))
    try:
        return Prepared(
            [Triplet(*row) for row in body["triplets"]],
            [ParaphrasePair(*row) for row in body["pairs"]],
            body["kept_out"],
        )
    except (TypeError, KeyError) as error:
        raise ArtifactError(f"{path} cannot be read; remove it to start over.") from error


def _as_rows(prepared: Prepared) -> dict[str, Any]:
    return {
        "triplets": [astuple(triplet) for triplet in prepared.triplets],
        "pairs": [astuple(pair) for pair in prepared.pairs],
        "kept_out": prepared.kept_out,
    }
