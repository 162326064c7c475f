"""The exam of suggesting concepts: labelled questions, by the model, by probes on the encoder in use, and by both."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from analytics.catalog import main_lens
from analytics.concept_paths import PathTree
from analytics.language_model.concepts import pick_concepts
from analytics.language_model.protocol import LanguageModel
from analytics.probes.fitting import concept_probe
from analytics.question_files import QuestionRow, read_rows
from analytics.records import ConceptPath
from questionbank.registry.language_model_services import ExamOutcome
from questionbank.registry.serving import serving
from worker.exam.contract import Array, Example, UseExam, at, compared, figures_of, folds, mean, verdict_of
from worker.reporting import RunReporter

WEIGHTS = (0.0, 0.5, 1.0, 2.0, 3.0, 4.0, 6.0, 8.0)
"""How much a picked concept gains, added to the logarithm of its probability; half as much if it is not the first."""

_FILES = ("*/concepts.jsonl", "*/concepts.jsonl.gz", "conceptmath/*.jsonl.gz")
_MOST_ASKED = 300  # questions of a set
_MOST_LEARNED = 2_000  # questions of a set that the probes learn from
_FEWEST_LEARNED = 50
_PENALTY = 30.0
_LEARNED = (
    "Kindred’s own concepts are those of probes that learned from questions of the set that were not asked about."
)
_FLOOR = 1e-4  # of a probability


class ConceptsExam(UseExam):
    """Suggesting concepts."""

    use = "concepts"
    measure = "Questions whose first suggested concept is right, of all questions"
    answer_tokens = 40

    def examples(self, folder: Path) -> list[Example]:
        """Return labelled questions of ``SET/concepts.jsonl`` and of the files of ConceptMath.

        The format is that of question files, with ``concepts``.
        """
        files = sorted({file for pattern in _FILES for file in folder.glob(pattern)})
        found = []
        for file in files:
            rows = _rows(file)
            name = file.parent.name if file.name.startswith("concepts.") else file.name.partition(".")[0]
            places = range(0, len(rows), max(1, len(rows) // _MOST_ASKED))[:_MOST_ASKED]
            found += [Example(name, {"file": str(file), "place": place}) for place in places]
        return found

    def prompt(self, example: Example) -> str:
        return json.dumps([_row(example).text, _hierarchy(Path(example.data["file"]))])

    def ask(self, model: LanguageModel, example: Example) -> dict[str, Any]:
        found = pick_concepts(model, _row(example).text, _hierarchy(Path(example.data["file"])))
        return {"paths": found.paths or [], "reason": found.reason, "unusable": float(found.is_unusable)}

    def outcome(
        self, examples: Sequence[Example], answers: Sequence[Mapping[str, Any]], reporter: RunReporter
    ) -> ExamOutcome:
        picked = [[tuple(path) for path in answer["paths"]] for answer in answers]
        own = _own_scores(examples, reporter)
        truths = [_row(example).paths for example in examples]
        alone = np.array(
            [bool(paths) and paths[0] in truth for paths, truth in zip(picked, truths, strict=True)], float
        )
        kindred = rights(own, picked, truths, 0.0)
        both = np.zeros(len(examples))
        for measured in folds([example.source for example in examples]):
            fitted, places = np.flatnonzero(~measured), np.flatnonzero(measured)
            weight = fit_weight(at(fitted, own), at(fitted, picked), at(fitted, truths))
            both[places] = rights(at(places, own), at(places, picked), at(places, truths), weight)
        arms = compared(mean, alone, kindred, both)
        return ExamOutcome(
            verdict_of(arms[-1:], len(examples)),
            figures_of(self, examples, answers, arms, [_LEARNED]),
            {"picked": fit_weight(own, picked, truths)},
        )


Scores = Mapping[ConceptPath, float]


def rights(
    own: Sequence[Scores],
    picked: Sequence[Sequence[ConceptPath]],
    truths: Sequence[Sequence[ConceptPath]],
    weight: float,
) -> Array:
    """Return 1 for each question whose likeliest concept is right if picked ones gain `weight`, otherwise 0."""
    found = np.zeros(len(own))
    for place, (scores, paths, truth) in enumerate(zip(own, picked, truths, strict=True)):
        together = dict(scores)
        for rank, path in enumerate(paths):
            together[path] = together.get(path, float(np.log(_FLOOR))) + weight / (1 if rank == 0 else 2)
        found[place] = bool(together) and max(together, key=lambda path: together[path]) in truth
    return found


def fit_weight(
    own: Sequence[Scores], picked: Sequence[Sequence[ConceptPath]], truths: Sequence[Sequence[ConceptPath]]
) -> float:
    """Return the weight with which most questions are right; of equal ones the smallest."""
    return max(WEIGHTS, key=lambda weight: (rights(own, picked, truths, weight).sum(), -weight))


def _own_scores(examples: Sequence[Example], reporter: RunReporter) -> list[Scores]:
    """Return the logarithms of the probabilities by probes that learned from the questions that are not asked about.

    A question of a set with too few others has none.
    """
    scores: list[Scores] = [{} for _ in examples]
    encoder = serving().encoder(main_lens().word)
    for number, file in enumerate(files := list(dict.fromkeys(example.data["file"] for example in examples)), 1):
        reporter.check()
        reporter.progress(number, len(files), f"Kindred learns the concepts of set {number:,} of {len(files):,}")
        places = [place for place, example in enumerate(examples) if example.data["file"] == file]
        asked = {_row(examples[place]).text for place in places}
        learned = [row for row in _rows(Path(file)) if row.text not in asked]
        learned = learned[:: max(1, len(learned) // _MOST_LEARNED)][:_MOST_LEARNED]
        if len(learned) < _FEWEST_LEARNED:
            continue
        tree = PathTree.of(path for row in learned for path in row.paths)
        vectors = encoder.encode([row.text for row in learned])
        probe = concept_probe(vectors, tree.targets([row.paths for row in learned]), tree, penalty=_PENALTY)
        logits = probe.logits(encoder.encode([_row(examples[place]).text for place in places]))
        logs = logits - np.logaddexp.reduce(logits, axis=1, keepdims=True)
        for place, row in zip(places, np.maximum(logs, np.log(_FLOOR)), strict=True):
            scores[place] = dict(zip(tree.paths, row.tolist(), strict=True))
    return scores


@lru_cache(maxsize=16)
def _rows(file: Path) -> tuple[QuestionRow, ...]:
    return tuple(row for row in read_rows(file) if row.paths)


@lru_cache(maxsize=16)
def _hierarchy(file: Path) -> tuple[ConceptPath, ...]:
    return tuple(sorted({path for row in _rows(file) for path in row.paths}))


def _row(example: Example) -> QuestionRow:
    return _rows(Path(example.data["file"]))[example.data["place"]]
