# ruff: noqa: T201 - a benchmark prints
"""How much the import of other sets changes the predictions of the demo's questions: nothing, or it fails.

Before and after ASDiv and MATH come in, with their vectors, their models and a second training of the demo's, every
demo question is predicted with the bank's defaults. The bank is kept in a `VAR_DIR` of its own.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from tests.bench.bank import KEPT_IN, SHARED_DATA, encode_bank, set_up

ALLOWED = 0.02  # of a probability, and of the difficulty as a share of its scale
OTHERS = {"asdiv": "all", "math": "train"}  # set -> file


def main() -> int:
    """Import, predict, import more, predict again; 1 where a prediction changed by more than is allowed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=SHARED_DATA)
    parser.add_argument("--var", type=Path, default=KEPT_IN)
    arguments = parser.parse_args()
    set_up(arguments.var / "hierarchies")
    from django.core.management import call_command

    from questionbank.services.imports import import_file
    from questionbank.services.setup import demo_bank_install

    demo_bank_install(report=print)
    encode_bank()
    before = predictions()
    for name, file in OTHERS.items():
        path = arguments.data / name / f"{file}.jsonl.gz"
        report = import_file(path=path, source=name, hierarchy=name, skip_invalid=True, embed=False)
        print(f"{name}: {report.created:,} questions imported", flush=True)
    call_command("embed_questions", verbosity=0)
    train_all()
    after = predictions()
    return compare(before, after)


def train_all() -> None:
    """What a worker does after an import, and the demo's model once more by hand."""
    from questionbank.demo.hierarchy import HIERARCHY_NAME
    from questionbank.models import KnowledgeHierarchy, Run
    from questionbank.services.training import probes_request, probes_request_missing
    from worker.running import run_here
    from worker.training import train_run

    requested = probes_request_missing()
    again = probes_request(hierarchy=KnowledgeHierarchy.objects.get(name=HIERARCHY_NAME))
    waiting = Run.objects.filter(pk__in=[run.pk for run in (*requested, again) if run is not None])
    for run in waiting.order_by("pk"):
        result = run_here(run, train_run)
        print(f"{run.title}: serves {result['serves']}", flush=True)


def predictions() -> dict[int, dict[str, float]]:
    """Of every demo question the probabilities of its five first paths and the difficulty, 0 to 1."""
    from questionbank.demo.hierarchy import HIERARCHY_NAME
    from questionbank.models import Question
    from questionbank.selectors.questions.predictions import predict_many
    from questionbank.selectors.serving import serving

    rows = list(
        Question.objects.filter(tags__concept__hierarchy__name=HIERARCHY_NAME).order_by("pk").distinct()
    )
    predicted = predict_many(
        texts=[row.text for row in rows], languages=[row.language for row in rows], serving=serving()
    )
    return {
        row.pk: {" > ".join(concept.path): concept.probability for concept in one.concepts}
        | ({"difficulty": one.difficulty.percent / 100} if one.difficulty else {})
        for row, one in zip(rows, predicted, strict=True)
    }


def compare(before: dict[int, dict[str, float]], after: dict[int, dict[str, float]]) -> int:
    """Print the largest change of any figure, which is the whole figure where one is missing."""
    changes = [
        abs(before[question].get(name, 0.0) - after[question].get(name, 0.0))
        for question in before
        for name in {*before[question], *after[question]}
    ]
    largest = max(changes)
    print(f"{len(before):,} demo questions, {len(changes):,} figures: largest change {largest:.4f}")
    print(f"changed by more than {ALLOWED}: {sum(change > ALLOWED for change in changes):,}")
    return int(largest > ALLOWED)


if __name__ == "__main__":
    sys.exit(main())
