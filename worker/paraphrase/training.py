"""Training a paraphrase scorer on the bank: questions and reviewers' decisions -> triplets -> a candidate."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import astuple
from functools import partial
from typing import Any

from analytics.errors import DataError
from analytics.paraphrase.config import ParaphraseConfig
from analytics.paraphrase.operators.catalog import select_operators
from analytics.paraphrase.pair_files import Material
from analytics.paraphrase.train import train_scorer
from analytics.paraphrase.triplets import make_triplets, triplet_pairs
from analytics.records import ParaphrasePair
from analytics.training.checkpoint import kept_or_made
from questionbank.training.scorer import ScorerMaterial, scorer_material
from worker.candidates import Beginning, Train, parts_text, train_candidate
from worker.reporting import RunReporter

_MATERIAL_NAME = "material.json.gz"
_VALIDATED = 200  # maximum number of validation questions
_FEWEST_VALIDATED = 10  # with fewer, choosing the best weights would be a matter of luck


def train_scorer_run(reporter: RunReporter) -> dict[str, Any]:
    """Execute a training run: `train_candidate`, with ``{"hierarchies": [names] or absent, "decisions": bool}``."""

    def begin(beginning: Beginning) -> Train:
        read = partial(_read_material, reporter, beginning.config)
        kept = kept_or_made(beginning.folder / _MATERIAL_NAME, read)
        material = Material(
            questions=tuple(kept["questions"]),
            given=tuple(ParaphrasePair(*row) for row in kept["given"]),
            validation=tuple(ParaphrasePair(*row) for row in kept["validation"]),
            decided=tuple(ParaphrasePair(*row) for row in kept.get("decided", ())),
        )
        return partial(train_scorer, material, beginning.config, start=beginning.start)

    return train_candidate(reporter, "paraqd", begin)


def _read_material(reporter: RunReporter, config: ParaphraseConfig) -> dict[str, list[Any]]:
    parameters = reporter.run.parameters
    reporter.progress(0, 0, "Reading the questions")
    material = scorer_material(hierarchies=parameters.get("hierarchies"), decisions=parameters.get("decisions", True))
    _log_material(reporter, material)
    questions, decided = material.questions, material.decided
    if not questions.learned and not decided.learned:
        raise DataError("The bank has no ready question in English to learn from.")
    if not questions.held_out:
        raise DataError("None of the bank's questions is held out, so the score cannot be set: add questions.")
    validation = _validation(material, config)
    if not validation:
        reporter.log("Too few questions to measure with while it trains: the last weights are kept.")
    learned = list(questions.learned)
    most = config.max_steps * config.batch_size
    if 0 < most < len(learned):  # more than the steps can use
        learned = random.Random(config.seed).sample(learned, most)  # noqa: S311 - nothing secret
    return {
        # Held-out questions are included: the score's threshold is set on them, and the training itself removes them.
        "questions": [*learned, *questions.held_out],
        "given": [astuple(pair) for pair in (*decided.learned, *decided.held_out)],
        "validation": [astuple(pair) for pair in validation],
        # Without the held-out ones, on which scorers are compared.
        "decided": [astuple(pair) for pair in (*decided.learned, *decided.validation)],
    }


def _validation(material: ScorerMaterial, config: ParaphraseConfig) -> Sequence[ParaphrasePair]:
    """Return pairs made by the training operators, and decided ones; empty if there are too few to choose by."""
    questions = material.questions.validation[:_VALIDATED]
    if len(questions) < _FEWEST_VALIDATED:
        return []
    made = make_triplets(questions, select_operators(), count=2, seed=config.seed, check_positives=False)
    pairs = [*triplet_pairs(made), *material.decided.validation]
    return pairs if {pair.label for pair in pairs} == {0, 1} else []


def _log_material(reporter: RunReporter, material: ScorerMaterial) -> None:
    questions, decided = material.questions, material.decided
    left_out = ((material.repeated, "exact duplicates"), (material.test_items, "from a test split"))
    reporter.log(
        f"{material.english:,} of {material.ready:,} ready questions are in English: {parts_text(questions, left_out)}"
    )
    valid = sum(pair.label == 1 for pair in decided.learned)
    reporter.log(
        f"Reviewers' decisions: {valid:,} valid and {len(decided.learned) - valid:,} invalid pairs are learned from,"
        f" {len(decided.validation):,} measure meanwhile, {len(decided.held_out):,} are held out,"
        f" {decided.left_out:,} left out."
    )
