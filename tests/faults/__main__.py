"""`make faults`: seeded faults against a real instance, and invariants from SQL after every round.

    python -m tests.faults [--rounds 40] [--seed N]

A round asks for an import, lets one or two faults happen while it and the computing of vectors run and people read
pages, waits until nothing runs any more, and checks. A failing round prints its seed; `--rounds 1 --seed` of it repeats
the same faults.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import time
from collections.abc import Mapping, Sequence

import django

from tests.faults.instance import Instance, Skipped, broken_invariants, running_instance, wait_for
from tests.faults.load import Readers
from tests.faults.table import FAULTS, Fault, wait_for_the_site

QUESTIONS = 1_000  # of a round's import
SLOWEST_SECONDS = 120.0  # until everything is done after a round's faults


def round_of(
    instance: Instance,
    seed: int,
    imports: dict[int, int],
    *,
    faults: Mapping[str, Fault] = FAULTS,
    questions: int = QUESTIONS,
) -> tuple[str, float, Readers]:
    """Do one round; returns its faults, the seconds that everything took after them, and what readers met."""
    chance = random.Random(seed)
    chosen = chance.sample(sorted(faults), min(len(faults), chance.randint(1, 2)))
    job = instance.import_questions(questions, mark=f"round {seed}")
    imports[job] = questions
    named = []
    with Readers(instance) as readers:
        for name in chosen:
            time.sleep(chance.uniform(0, 3))
            try:
                faults[name](instance, chance)
                named.append(name)
            except Skipped as reason:
                named.append(f"{name} (skipped: {reason})")
        done = wait_for(lambda: not instance.unfinished(), "the jobs", instance.log, SLOWEST_SECONDS)
        wait_for_the_site(instance)
    return " and ".join(named), done, readers


def problems_of(instance: Instance, readers: Readers, imports: dict[int, int]) -> list[str]:
    """Return what is wrong after a round."""
    problems = broken_invariants(instance, imported=sum(imports.values()), imports=list(imports))
    if readers.statuses[500]:
        problems.append(f"pages that answered 500: {readers.statuses[500]}")
    if readers.without_retry_after:
        problems.append(f"503 without Retry-After: {readers.without_retry_after}")
    return problems


def campaign(seeds: Sequence[int], until: float) -> tuple[int, int]:
    """Run a round for each seed while there is time; returns how many ran, and how many failed.

    After a failed round the next ones get a new instance: what is broken would fail them too.
    """
    ran = failed = 0
    while ran < len(seeds) and time.monotonic() < until:
        with running_instance() as instance:
            imports: dict[int, int] = {}
            problems: list[str] = []
            while not problems and ran < len(seeds) and time.monotonic() < until:
                seed = seeds[ran]
                ran += 1
                problems = run_round(instance, seed, imports)
                failed += bool(problems)
            if not problems:
                failed += bool(broken_backup(instance))
    return ran, failed


def run_round(instance: Instance, seed: int, imports: dict[int, int]) -> list[str]:
    """Run a round and print what became of it; returns its problems."""
    began = time.monotonic()
    try:
        faults, seconds, readers = round_of(instance, seed, imports)
        problems = problems_of(instance, readers, imports)
    except AssertionError as error:
        faults, seconds, problems, readers = "", 0.0, [str(error)], Readers(instance)
    met = ", ".join(f"{count} x {status}" for status, count in sorted(readers.statuses.items()))
    took = time.monotonic() - began
    print(f"seed {seed}: {faults}; {took:.0f} s, {seconds:.0f} s after them; pages: {met}", flush=True)  # noqa: T201
    for problem in problems:
        print(f"  FAILED (--rounds 1 --seed {seed}): {problem}", flush=True)  # noqa: T201
    return problems


def broken_backup(instance: Instance) -> str:
    """Return what the last backup left behind or complained of, printed; empty where all is well."""
    backups = instance.folder / "backups"
    backups.mkdir(exist_ok=True)
    code, _said, complained = instance.finish("backup", str(backups / "last.tar"))
    left = [path.name for path in backups.iterdir() if path.name.startswith(".")]
    if not code and not left:
        return ""
    print(f"  FAILED: the last backup left {left}: {complained}", flush=True)  # noqa: T201
    return complained or "leftovers"


def main() -> int:
    """Run the rounds; exit code 1 where one fails or the time is over before all have run."""
    parser = argparse.ArgumentParser(prog="python -m tests.faults", description=__doc__)
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--minutes", type=float, default=60.0, help="after which no round begins")
    arguments = parser.parse_args()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")  # for the site's addresses
    django.setup()
    began = time.monotonic()
    seeds = range(arguments.seed, arguments.seed + arguments.rounds)
    ran, failed = campaign(seeds, began + 60 * arguments.minutes)
    minutes = (time.monotonic() - began) / 60
    print(f"{failed} of {ran} rounds failed; {len(seeds) - ran} did not run; {minutes:.1f} minutes")  # noqa: T201
    return 1 if failed or ran < len(seeds) else 0


if __name__ == "__main__":
    sys.exit(main())
