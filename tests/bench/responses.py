"""A million responses: figures of each set, and the model with the figures over all sets.

    python -m tests.bench.responses [--pupils 20000] [--questions 5000] [--each 50]

Pupils are simulated as for the demo bank (docs/demo-bank.md): a test of 50 questions each, half of the questions with
four options. The sets of 500 pupils have given tests of their own; the texts tell difficulties to 0.6 units.

The aims: the model within 60 s and all other figures within 20 s of one processor's time, within 600 MB.
"""

from __future__ import annotations

import resource
import sys
import time
from collections.abc import Callable

import numpy as np

from analytics.responses.table import Responses
from questionbank.responses.figures import UNKNOWN, Expected, OptionShown, SetResponses, bank_results, set_results
from tests.bench.benchmark import read_options

PUPILS_OF_A_SET = 500


def main() -> int:
    """Print a table."""
    options = read_options(pupils=20_000, questions=5_000, each=50)
    rng = np.random.default_rng(1)
    slope, location = np.exp(rng.normal(0, 0.25, options.questions)), rng.normal(0, 0.9, options.questions)
    guess = np.where(np.arange(options.questions) % 2, 0.2, 0.0)
    sets = []
    for _set in range(max(options.pupils // PUPILS_OF_A_SET, 1)):
        asked = np.sort(rng.choice(options.questions, options.each, replace=False))
        ability = rng.normal(0, 1, PUPILS_OF_A_SET)[:, None]
        chance = guess[asked] + (1 - guess[asked]) / (1 + np.exp(-slope[asked] * (ability - location[asked])))
        responses = Responses.from_matrix((rng.random(chance.shape) < chance).astype(float))
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


def _spent(work: Callable[[], object]) -> tuple[float, float]:
    """Return the seconds of processor time, and of the clock."""
    began, clock = time.process_time(), time.perf_counter()
    work()
    return time.process_time() - began, time.perf_counter() - clock


if __name__ == "__main__":
    sys.exit(main())
