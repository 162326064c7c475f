"""Training a paraphrase scorer on the bank, and comparing it with the champion on fixed suites of labelled pairs.

Two suites come from the bank's held-out questions, which no scorer's encoder is trained on: pairs made from them by the
operators for test sets (ParaQD, section 4.2), and reviewers' decided pairs on them. The others have fixed labels by
people: the demo's pairs, and the existing files of the setting `SCORER_SUITES`. Pairs that either scorer
was trained on are left out of these. Both the verdict, which reviewers see first, and the score are evaluated.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import astuple, dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.conf import settings

from analytics.errors import DataError
from analytics.paraphrase.config import ParaphraseConfig
from analytics.paraphrase.metrics import THRESHOLD, pair_metrics
from analytics.paraphrase.operators.catalog import Apply, select_operators, with_functions
from analytics.paraphrase.operators.words import TfidfReplacement
from analytics.paraphrase.pair_files import Material, read_pairs, without_unchanged
from analytics.paraphrase.scorer import PairScore, Scorer
from analytics.paraphrase.triplets import make_test_pairs, make_triplets, triplet_pairs
from analytics.records import ParaphrasePair
from analytics.splits import split_place
from questionbank.core.capability_figures import Metric, PairSuite, ParaphraseFigures
from questionbank.demo.bank import labelled_review_pairs
from questionbank.models import ModelArtifact
from questionbank.registry.model_selectors import SMALLEST_SUITE
from questionbank.registry.serving import scorer_of
from questionbank.training.questions import Parts
from questionbank.training.scorer import ScorerMaterial, scorer_material
from worker.comparison import in_portions, metric_entry
from worker.paraphrase.evaluation import PairResamples, intervals
from worker.paraphrase.jobs import bulk_scorer
from worker.reporting import RunReporter

if TYPE_CHECKING:
    from worker.candidates import Beginning, Train

_MATERIAL_NAME = "material.json.gz"
_VALIDATED = 200  # maximum number of validation questions
_FEWEST_VALIDATED = 10  # with fewer, choosing the best weights would be a matter of luck


def train_scorer_run(reporter: RunReporter) -> dict[str, Any]:
    """Execute a training run: `train_candidate`, with ``{"hierarchies": [names] or absent, "decisions": bool}``."""
    from analytics.paraphrase.train import train_scorer  # imports PyTorch, which a comparison does without
    from analytics.training.checkpoint import kept_or_made
    from worker.candidates import train_candidate

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
        f"{material.english:,} of {material.ready:,} ready questions are in English: {questions.described(left_out)}"
    )
    valid = sum(pair.label == 1 for pair in decided.learned)
    reporter.log(
        f"Reviewers' decisions: {valid:,} valid and {len(decided.learned) - valid:,} invalid pairs are learned from,"
        f" {len(decided.validation):,} measure meanwhile, {len(decided.held_out):,} are held out,"
        f" {decided.left_out:,} left out."
    )


def bank_test_pairs(
    questions: Parts[str], most: int, *, functions: Mapping[str, Apply] | None = None, seed: int = 3407
) -> list[ParaphrasePair]:
    """Return one positive and one negative per held-out question, always the same ones for the same bank.

    Args:
        questions: the bank's questions; f_c weights words by how many training or held-out questions contain them.
        most: maximum number of questions.
        functions: replacements of stand-ins, by operator name.
        seed: seed of the operators' sampling.
    """
    words = TfidfReplacement((*questions.learned, *questions.held_out))
    operators = with_functions(
        select_operators(training=False), {**(functions or {}), "tfidf_replacement": words.apply}
    )
    return make_test_pairs(sorted(questions.held_out, key=split_place)[:most], operators, seed=seed)


SEED = 0
RESAMPLES = 1_000
LARGEST_SUITE = 1_000  # questions from which operators make pairs
CHANGED_SHOWN = 12
MADE, DECIDED, DEMO = "made", "decided", "demo"
MEASURES: Mapping[str, tuple[Callable[[PairScore], float], float]] = {  # value and threshold; a literal table
    # The probability is stretched to [-1, 1], as in `evaluate paraphrase`, so that separations are comparable.
    "verdict": (lambda pair_score: 2 * pair_score.probability - 1, 0.0),
    "score": (lambda pair_score: pair_score.score, THRESHOLD),
}
FIGURES = ("auc", "macro_f1", "separation")

Roles = Mapping[str, Sequence[PairScore | None]]
"""By ``"candidate"`` and ``"champion"``: the score of each pair; None if it cannot read the pair."""


@dataclass(frozen=True, slots=True)
class SuitePair:
    """A labelled pair and the name of the suite that it belongs to."""

    pair: ParaphrasePair
    suite: str


def scorer_comparison_figures(
    reporter: RunReporter, *, candidate: ModelArtifact, champion: ModelArtifact
) -> ParaphraseFigures:
    """Evaluate both scorers.

    Raises:
        ServiceUnavailable: the files of a scorer are missing or damaged.
        DataError: a file of labelled pairs cannot be read.
    """
    reporter.progress(0, 0, "Reading the held-out questions")
    scorers = {"candidate": scorer_of(candidate), "champion": scorer_of(champion)}
    suite, left_out = suite_for([contender.scorer for contender in scorers.values()])
    if left_out:
        reporter.log(f"{left_out:,} labelled pairs are left out: one of the scorers learned from their question.")
    results: dict[str, list[PairScore | None]] = {}
    for role, served in scorers.items():
        scorer = bulk_scorer(served, len(suite), reporter)
        results[role] = in_portions(reporter, role, suite, partial(_scores, scorer))
    reporter.progress(0, 0, "Comparing")
    return scorer_figures(suite, results, left_out=left_out)


def suite_for(scorers: Sequence[Scorer]) -> tuple[list[SuitePair], int]:
    """Return the pairs to evaluate both scorers on, and how many labelled ones either was trained on."""
    labelled = labelled_suites()
    fair = [item for item in labelled if not any(scorer.learned([item.pair.original]) for scorer in scorers)]
    return [*fixed_suite(), *fair], len(labelled) - len(fair)


def fixed_suite() -> list[SuitePair]:
    """Return the pairs of the bank's held-out questions, always the same ones for the same bank and decisions."""
    material = scorer_material()
    made = bank_test_pairs(material.questions, LARGEST_SUITE)
    return [
        *(SuitePair(pair, MADE) for pair in without_unchanged(made)),
        *(SuitePair(pair, DECIDED) for pair in material.decided.held_out),
    ]


def labelled_suites() -> list[SuitePair]:
    """Return the pairs with fixed labels by people: the demo's, and those of the files in the settings.

    Missing files are skipped.

    Raises:
        DataError: a file cannot be read, or contains no labelled pair.
    """
    suites = {DEMO: labelled_review_pairs()}
    for path in map(Path, settings.SCORER_SUITES):
        if path.is_file():
            name = path.name.partition(".")[0]
            suites[name] = [pair for pair in read_pairs(path) if pair.label is not None]
            if not suites[name]:
                raise DataError(f"No pair of {path.name} has a label.")
    return [SuitePair(pair, name) for name, pairs in suites.items() for pair in without_unchanged(pairs)]


def _scores(scorer: Scorer, suite: Sequence[SuitePair]) -> list[PairScore | None]:
    readable = [scorer.knows(*item.pair.texts) for item in suite]
    scores = iter(scorer.score([item.pair.texts for item, can in zip(suite, readable, strict=True) if can]))
    return [next(scores) if can else None for can in readable]


def scorer_figures(suite: Sequence[SuitePair], results: Roles, *, left_out: int = 0) -> ParaphraseFigures:
    """Return the figures of a comparison.

    Args:
        suite: the scored pairs.
        results: both scorers' scores of each pair.
        left_out: number of labelled pairs left out of the suite because a scorer was trained on them.
    """
    triples = list(zip(suite, results["candidate"], results["champion"], strict=True))
    rows = [(item, new, old) for item, new, old in triples if new is not None and old is not None]
    names = dict.fromkeys((MADE, DECIDED, DEMO, *(item.suite for item in suite)))
    metrics: list[Metric] = []
    suites: list[PairSuite] = []
    for name in names:
        suite_rows = [row for row in rows if row[0].suite == name]
        if suite_rows:
            originals = {item.pair.original for item, _new, _old in suite_rows}
            suites.append({"name": name, "pairs": len(suite_rows), "questions": len(originals)})
            metrics += _metrics(name, suite_rows)
    changed = sorted(rows, key=lambda row: -abs(row[1].probability - row[2].probability))
    return {
        "suite": {
            "questions": len({item.pair.original for item, _new, _old in rows}),
            "pairs": len(rows),
            "suites": suites,
            "left_out": left_out,
            "lost": len({item.pair.original for item, new, old in triples if old and not new}),
            "gained": len({item.pair.original for item, new, old in triples if new and not old}),
            "seed": SEED,
        },
        "metrics": sorted(metrics, key=lambda metric: list(MEASURES).index(metric["measure"])),
        "changed_pairs": [
            {
                "original": item.pair.original,
                "paraphrase": item.pair.paraphrase,
                "label": item.pair.label,
                "suite": item.suite,
                "candidate": round(new.probability, 4),
                "champion": round(old.probability, 4),
            }
            for item, new, old in changed[:CHANGED_SHOWN]
        ],
    }


def _metrics(suite: str, rows: Sequence[tuple[SuitePair, PairScore, PairScore]]) -> list[Metric]:
    """Return every figure with the interval of its difference; empty if too few questions are left."""
    originals = [item.pair.original for item, _new, _old in rows]
    labels = [int(item.pair.label or 0) for item, _new, _old in rows]
    questions = len(set(originals))
    if questions < SMALLEST_SUITE or set(labels) != {0, 1}:
        return []
    draws = PairResamples.of(labels, groups=originals, resamples=RESAMPLES, seed=SEED)
    metrics = []
    for measure, (value_of, threshold) in MEASURES.items():
        candidate = [value_of(new) for _item, new, _old in rows]
        champion = [value_of(old) for _item, _new, old in rows]
        bounds = intervals(draws.figures(candidate, threshold=threshold), draws.figures(champion, threshold=threshold))
        new, old = (pair_metrics(labels, values, threshold=threshold) for values in (candidate, champion))
        for figure in FIGURES:
            low, high = bounds[figure]
            first, second = getattr(new, figure), getattr(old, figure)
            values = {"candidate": first, "champion": second, "difference": first - second, "low": low, "high": high}
            entry = metric_entry(f"{measure}_{figure}_{suite}", values, questions=questions)
            metrics.append(entry | {"measure": measure, "suite": suite})
    return metrics
