"""A million responses: figures of each set, and the model with the figures over all sets.

    python -m tests.bench.responses [--pupils 20000] [--questions 5000] [--each 50] [--stored]

Pupils are simulated as for the demo bank (docs/demo-bank.md): a test of 50 questions each, half of the questions with
four options. The sets of 500 pupils have given tests of their own; the texts tell difficulties to 0.6 units.

The aims: the model within 60 s and all other figures within 20 s of one processor's time, within 600 MB.
With `--stored` the marks are files that are imported into a bank, a job computes the figures, and the pages of
questions with responses are timed beside those of questions without. The aims: all of it within 60 s and 20 s, and at
most 30 ms more for a page.
"""

from __future__ import annotations

import csv
import random
import resource
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from questionbank.responses.figures import UNKNOWN, Expected, OptionShown, SetResponses, bank_results, set_results
from tests.bench.bank import open_bank
from tests.bench.benchmark import aim, in_turns, read_options, timed
from tests.response_matrix import responses_of

PUPILS_OF_A_SET = 500
MOST_IMPORT, MOST_FIGURES, MOST_PAGE_MS = 60, 20, 30


def main() -> int:
    """Print a table."""
    options = read_options(pupils=20_000, questions=5_000, each=50, stored=False)
    if options.stored:
        open_bank(questions=2 * options.questions, data=options.data, var=options.keep, has_vectors=False)
        return measure_stored(options.pupils, options.questions, options.each)
    rng = np.random.default_rng(1)
    slope, location = np.exp(rng.normal(0, 0.25, options.questions)), rng.normal(0, 0.9, options.questions)
    guess = np.where(np.arange(options.questions) % 2, 0.2, 0.0)
    sets = []
    for _set in range(max(options.pupils // PUPILS_OF_A_SET, 1)):
        asked = np.sort(rng.choice(options.questions, options.each, replace=False))
        ability = rng.normal(0, 1, PUPILS_OF_A_SET)[:, None]
        chance = guess[asked] + (1 - guess[asked]) / (1 + np.exp(-slope[asked] * (ability - location[asked])))
        responses = responses_of((rng.random(chance.shape) < chance).astype(float))
        choices = np.where(responses.score == 1, 0, rng.integers(1, 4, len(responses.score)))
        choices[guess[asked][responses.question] == 0] = UNKNOWN
        sets.append(SetResponses(asked, responses, choices, counts_unreached=False, year=2025))
    shown = [OptionShown(label, float(label == "A")) for label in "ABCD"]
    keyed = {int(number): shown for number in np.flatnonzero(guess)}
    percent = 100 / (1 + np.exp(-0.85 * location - rng.normal(0, 0.6, options.questions)))
    expected = {
        number: Expected((float(value), float(value) - 30, float(value) + 30), "simulated")
        for number, value in enumerate(percent)
    }
    print(f"{sum(len(data.responses.score) for data in sets):,} responses in {len(sets)} sets")
    own = _spent(lambda: [set_results(data, keyed) for data in sets])
    print(f"figures of each set: {own[0]:.1f} s of processor time, {own[1]:.1f} s")
    results: dict = {}
    whole = _spent(lambda: results.update(bank_results(sets, keyed, expected)))
    print(f"model and figures over all sets: {whole[0]:.1f} s of processor time, {whole[1]:.1f} s")
    found = np.array([results[number].figures["difficulty"] for number in sorted(results)])
    truth = location[sorted(results)]
    print(f"correlation with the true difficulty: {np.corrcoef(found, truth)[0, 1]:.3f}")
    print(f"largest memory: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")
    return 0


def measure_stored(pupils: int, asked: int, each: int) -> int:
    """Print how long files of marks take to be imported, the job of the figures, and the pages of questions."""
    from questionbank.models import Question, ResponseSet
    from questionbank.responses.statistics_services import run_statistics
    from questionbank.similar.predictions import text_difficulties
    from tests.worker.jobs import Reporter

    numbers = list(Question.objects.filter(status="ready").order_by("pk").values_list("pk", flat=True)[: 2 * asked])
    ResponseSet.objects.all().delete()
    rng = np.random.default_rng(1)
    location = rng.normal(0, 0.9, asked)
    with tempfile.TemporaryDirectory() as scratch:
        paths = [
            write_marks(Path(scratch) / f"{number}.csv", numbers[:asked], location, each, rng)
            for number in range(max(pupils // PUPILS_OF_A_SET, 1))
        ]
        seconds, rows = timed(lambda: sum(import_marks(path) for path in paths))
    print(f"{rows:,} responses in {len(paths)} files imported: {seconds:.1f} s")
    figures, _result = timed(lambda: run_statistics(Reporter(), text_estimates=text_difficulties))
    print(f"the job of all figures and the model: {figures:.1f} s")
    print(f"largest memory: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")
    aim(f"imported within {MOST_IMPORT} s", seconds <= MOST_IMPORT)
    aim(f"figures within {MOST_FIGURES} s", figures <= MOST_FIGURES)
    measure_pages({"with responses": numbers[:asked], "without": numbers[asked:]})
    return 0


def write_marks(path: Path, numbers: list[int], location: np.ndarray, each: int, rng: np.random.Generator) -> Path:
    """Write a file of marks, a pupil per row, and return its path."""
    chosen = np.sort(rng.choice(len(numbers), each, replace=False))
    ability = rng.normal(0, 1, PUPILS_OF_A_SET)[:, None]
    right = rng.random((PUPILS_OF_A_SET, each)) < 1 / (1 + np.exp(-(ability - location[chosen])))
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["pupil", "question", "score"])
        for pupil, marks in enumerate(right):
            writer.writerows(
                (f"{path.stem}-{pupil}", numbers[place], int(mark)) for place, mark in zip(chosen, marks, strict=True)
            )
    return path


def import_marks(path: Path) -> int:
    """Import a file of marks as its page does, and return the number of responses."""
    from questionbank.responses.set_services import SetDetails, responses_import, responses_plan, responses_read

    plan = responses_plan(table=responses_read(path=path), user=None)
    responses_import(plan=plan, details=SetDetails(title=path.stem), user=None)
    return len(plan.rows)


def measure_pages(groups: dict[str, list[int]]) -> None:
    """Print how long the pages of each group of questions take, of pages that nobody has opened before."""
    from django.test import Client

    from questionbank.models import User

    reader = Client()
    reader.force_login(User.objects.filter(username="bench").first() or User.objects.create_superuser("bench"))
    chance = random.Random(1)
    pages = {name: iter(chance.sample(numbers, 120)) for name, numbers in groups.items()}

    def open_page(name: str) -> int:
        return reader.get(f"/questions/{next(pages[name])}/").status_code

    ways = {name: lambda name=name: open_page(name) for name in pages}  # type: ignore[misc]
    in_turns(ways, 20)
    seconds, statuses = in_turns(ways, 100)
    assert set(statuses.values()) == {200}, statuses
    medians = {name: 1000 * statistics.median(spent) for name, spent in seconds.items()}
    print("a question's page, median:", ", ".join(f"{name} {median:.0f} ms" for name, median in medians.items()))
    more = medians["with responses"] - medians["without"]
    aim(f"{more:.0f} ms <= {MOST_PAGE_MS} ms more with responses", more <= MOST_PAGE_MS)


def _spent(work: Callable[[], object]) -> tuple[float, float]:
    """Return the seconds of processor time, and of the clock."""
    began, clock = time.process_time(), time.perf_counter()
    work()
    return time.process_time() - began, time.perf_counter() - clock


if __name__ == "__main__":
    sys.exit(main())
