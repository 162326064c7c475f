"""How much the import of other sets changes the predictions of the demo's questions: nothing, or it fails.

Before and after ASDiv and MATH come in, with their vectors and their models, every demo question is predicted with the
bank's defaults. Then the demo's own model, which the installation brings, is trained again by hand, as no import does:
what that changes is printed too. The bank is kept in the folder `--keep`.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING

from tests.bench.bank import encode_bank, set_up
from tests.bench.benchmark import read_options

if TYPE_CHECKING:
    from questionbank.models import Run

SHOWN = 5  # paths of a question
KNOWN = 60  # paths whose probabilities are compared, so that a path that falls from fifth to sixth place is no change
ALLOWED = 0.02  # of a probability, and of the difficulty as a share of its scale
OTHERS = {"asdiv": "all", "math": "train"}  # set -> file


def main() -> int:
    """Import, predict, import more, predict again; 1 where a prediction changed by more than is allowed."""
    arguments = read_options()
    set_up(arguments.keep / "hierarchies")
    from django.core.management import call_command

    from questionbank.demo.bank import HIERARCHY_NAME
    from questionbank.imports.options import ImportOptions
    from questionbank.imports.services import import_file
    from questionbank.models import KnowledgeHierarchy
    from questionbank.operations.setup import demo_bank_install
    from questionbank.training.services import probes_request, probes_request_missing

    demo_bank_install(report=print)
    encode_bank()
    before = predictions()
    for name, file in OTHERS.items():
        path = arguments.data / name / f"{file}.jsonl.gz"
        report = import_file(
            path=path, options=ImportOptions(source=name, hierarchy=name, skip_invalid=True), embed=False
        )
        print(f"{name}: {report.created:,} questions imported", flush=True)
    call_command("embed_questions", verbosity=0)
    train(probes_request_missing())
    largest = largest_change(before, predictions())
    train([probes_request(hierarchy=KnowledgeHierarchy.objects.get(name=HIERARCHY_NAME))])
    largest_change(before, predictions())
    return int(largest > ALLOWED)


def train(requested: Iterable[Run | None]) -> None:
    """What a worker does with these runs."""
    from worker.reporting import run_here
    from worker.table import TABLE

    for run in filter(None, requested):
        result = run_here(run, TABLE[run.capability].train)
        print(f"{run.title}: serves {result['serves']}", flush=True)


def predictions() -> dict[int, dict[str, float]]:
    """Of every demo question the probabilities of its first paths, the likeliest first, and the difficulty, 0 to 1."""
    from questionbank.demo.bank import HIERARCHY_NAME
    from questionbank.models import Question
    from questionbank.registry.serving import serving
    from questionbank.similar import predictions

    predictions.TOP_CONCEPTS = KNOWN
    rows = list(Question.objects.filter(tags__concept__hierarchy__name=HIERARCHY_NAME).order_by("pk").distinct())
    predicted = predictions.predict_many(
        texts=[row.text for row in rows], languages=[row.language for row in rows], serving=serving()
    )
    return {
        row.pk: {" > ".join(concept.path): concept.probability for concept in prediction.concepts}
        | ({"difficulty": prediction.difficulty.percent / 100} if prediction.difficulty else {})
        for row, prediction in zip(rows, predicted, strict=True)
    }


def largest_change(before: dict[int, dict[str, float]], after: dict[int, dict[str, float]]) -> float:
    """Print the largest change of a figure shown before or after; a path missing on one side counts as 0."""
    changes = [
        abs(before[question].get(name, 0.0) - after[question].get(name, 0.0))
        for question in before
        for name in {*list(before[question])[:SHOWN], *list(after[question])[:SHOWN], "difficulty"}
    ]
    largest = max(changes)
    print(f"{len(before):,} demo questions, {len(changes):,} figures: largest change {largest:.4f}")
    print(f"changed by more than {ALLOWED}: {sum(change > ALLOWED for change in changes):,}", flush=True)
    return largest


if __name__ == "__main__":
    sys.exit(main())
