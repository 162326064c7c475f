"""`make faults`: seeded faults against a real instance, and invariants from SQL after every round.

    python -m tests.faults [--rounds 40] [--seed N]

A round asks for an import and for other work (a training, a promotion, a bulk change, an undo, decisions of a
reviewer), lets one or two faults happen while these and the computing of vectors run and people read and write, waits
until nothing runs any more, and checks. A failing round prints its seed; `--rounds 1 --seed` of it repeats
the same faults.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field

import django
import psycopg

from questionbank.core.locations import postgres_location
from tests.faults.instance import Instance, Skipped, administer, broken_invariants, running_instance, wait_for
from tests.faults.people import WORKS, Readers, Work, posts
from tests.faults.table import FAULTS, Fault, wait_for_the_site

QUESTIONS = 600  # of a round's import
HALFWAY = 20  # migrations, of first ones that lose their power
SLOWEST_SECONDS = 240.0  # until everything is done after a round's faults


@dataclass
class Round:
    """What happened in a round, and what is wrong after it."""

    named: list[str] = field(default_factory=list)  # faults and work
    seconds: float = 0.0  # until everything was done after the faults
    statuses: Counter[int] = field(default_factory=Counter)  # of pages that were read
    problems: list[str] = field(default_factory=list)

    @contextmanager
    def noting(self, name: str) -> Iterator[None]:
        """Note something that happens, or why it cannot."""
        try:
            yield
            self.named.append(name)
        except Skipped as reason:
            self.named.append(f"{name} (skipped: {reason})")


def round_of(
    instance: Instance,
    seed: int,
    imports: dict[int, int],
    *,
    faults: Mapping[str, Fault] = FAULTS,
    works: Mapping[str, Work] = WORKS,
    questions: int = QUESTIONS,
) -> Round:
    """Do one round.

    Args:
        imports: job -> questions, of all imports so far; that of the round is added.
        faults: one or two of these happen, all where there are no more than two.
        works: one of these goes on beside an import, people who post and people who read.
    """
    chance, done = random.Random(seed), Round()
    number = chance.randint(1, 2)
    chosen = chance.sample(sorted(faults), number if len(faults) > 2 else len(faults))
    instance.is_restored = False
    with Readers(instance) as readers:
        with ExitStack() as stack:
            checks = [stack.enter_context(posts(instance, chance))]
            work = chance.choice(sorted(works))
            with done.noting(work):
                checks.append(stack.enter_context(works[work](instance, chance)))
            job = instance.import_questions(questions, mark=f"round {seed}")
            imports[job] = questions
            for name in chosen:
                time.sleep(chance.uniform(0, 3))
                with done.noting(name):
                    faults[name](instance, chance)
            if instance.is_restored:
                forget_lost(instance, imports)
            wait_for_the_site(instance)
        done.seconds = wait_for(lambda: not instance.unfinished(), "the jobs", instance.log, SLOWEST_SECONDS)
        wait_for_the_site(instance)
    done.statuses = readers.statuses
    done.problems = broken_invariants(instance, imports) + [problem for check in checks for problem in check()]
    if readers.statuses[500]:
        done.problems.append(f"pages that answered 500: {readers.statuses[500]}")
    if readers.without_retry_after:
        done.problems.append(f"503 without Retry-After: {readers.without_retry_after}")
    return done


def forget_lost(instance: Instance, imports: dict[int, int]) -> None:
    """Forget the imports that were asked for after the backup to which the bank went back."""
    there = {pk for (pk,) in instance.sql("SELECT id FROM questionbank_run WHERE kind = 'import'")}
    for job in set(imports) - there:
        del imports[job]


def campaign(seeds: Sequence[int], until: float) -> tuple[int, int]:
    """Run a round for each seed while there is time; returns how many ran, and how many failed.

    After a failed round the next ones get a new instance: what is broken would fail them too.
    """
    ran = failed = 0
    while ran < len(seeds) and time.monotonic() < until:
        with running_instance(start_through_power_loss) as instance:
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


def start_through_power_loss(instance: Instance) -> None:
    """Start an instance that loses its power during its first migrations, and start it again."""

    def migrations() -> int:
        try:
            return int(instance.value("SELECT count(*) FROM django_migrations"))
        except psycopg.Error:  # there is no server yet, or no table
            return 0

    instance.start(wait=False)
    wait_for(lambda: migrations() > HALFWAY, "the migrations to begin", instance.log)
    instance.lose_power()
    instance.start()
    location = postgres_location(instance.var_dir)  # its disk is memory, of which the log of a bank takes 2 GB
    for statement in ("ALTER SYSTEM SET max_wal_size = '256MB'", "SELECT pg_reload_conf()"):
        administer(location, statement)


def run_round(instance: Instance, seed: int, imports: dict[int, int]) -> list[str]:
    """Run a round and print what became of it; returns its problems."""
    began = time.monotonic()
    try:
        done = round_of(instance, seed, imports)
    except AssertionError as error:
        done = Round(problems=[str(error)])
    met = ", ".join(f"{count} x {status}" for status, count in sorted(done.statuses.items()))
    took = time.monotonic() - began
    print(  # noqa: T201
        f"seed {seed}: {', '.join(done.named)}; {took:.0f} s, {done.seconds:.0f} s after them; pages: {met}", flush=True
    )
    for problem in done.problems:
        print(f"  FAILED (--rounds 1 --seed {seed}): {problem}", flush=True)  # noqa: T201
    return done.problems


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
