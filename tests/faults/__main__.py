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
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress

from tests.faults.instance import QUEUES, Instance, broken_invariants, running_instance, wait_for
from tests.faults.load import Readers

QUESTIONS = 3_000  # of a round's import
SLOWEST_SECONDS = 120.0  # until everything is done after a round's faults


def kill(name: str) -> Callable[[Instance, random.Random], None]:
    """kill -9 of a program or a server."""

    def fault(instance: Instance, chance: random.Random) -> None:
        pid = instance.server(name) if name in ("postgres", "redis") else instance.program(name)
        if pid is not None:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    return fault


def stall(name: str) -> Callable[[Instance, random.Random], None]:
    """SIGSTOP of a program or a server; nobody but Kindred continues it."""

    def fault(instance: Instance, chance: random.Random) -> None:
        pid = instance.server(name) if name in ("postgres", "redis") else instance.program(name)
        if pid is not None:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGSTOP)

    return fault


def restart_postgres(instance: Instance, chance: random.Random) -> None:
    """An orderly restart, up to three times."""
    for _restart in range(chance.randint(1, 3)):
        instance.restart_postgres()
        time.sleep(chance.uniform(0, 2))


def kill_supervisor(instance: Instance, chance: random.Random) -> None:
    """The whole installation but its servers ends at once, and is started again."""
    assert instance.supervisor is not None
    instance.supervisor.kill()
    instance.supervisor.wait()
    instance.start()


def kill_backup(instance: Instance, chance: random.Random) -> None:
    """A backup that is killed; the next one clears up."""
    folder = instance.folder / "backups"
    folder.mkdir(exist_ok=True)
    name = f"bank-{chance.randrange(10**9)}.tar"
    backup = instance.command("backup", str(folder / name))
    with suppress(subprocess.TimeoutExpired):
        backup.communicate(timeout=chance.uniform(1, 6))
    backup.kill()
    backup.communicate()


def hostile(instance: Instance, chance: random.Random) -> None:
    """Parameters that nobody types."""
    values = [
        "%00",
        "9" * 5_000,
        "%F0%9F%92%A9" * 50,
        "%27%22%3E%3Cscript%3E",
        "-1",
        "1e309",
        "%FF%FE",
        "[]" * 2_000,
    ]
    for _request in range(20):
        path = chance.choice(["/questions/", "/concepts/", "/jobs/", "/review/"])
        name = chance.choice(["q", "page", "hierarchy", "concept", "status", "sort", "language"])
        status, _headers = instance.get(f"{path}?{name}={chance.choice(values)}")
        if status == 500:
            raise AssertionError(f"{path} answered 500 to {name}")


FAULTS: dict[str, Callable[[Instance, random.Random], None]] = {
    **{f"kill {name}": kill(name) for name in ("web", "beat", *(f"worker-{queue}" for queue in QUEUES))},
    **{f"kill {name}": kill(name) for name in ("postgres", "redis")},
    **{f"stall {name}": stall(name) for name in ("web", "beat", "worker-default", "postgres", "redis")},
    "restart postgres": restart_postgres,
    "kill supervisor": kill_supervisor,
    "kill backup": kill_backup,
    "hostile parameters": hostile,
}


def round_of(instance: Instance, seed: int, imports: dict[int, int]) -> tuple[str, float, Readers]:
    """Do one round; returns its faults, the seconds that everything took after them, and what readers met."""
    chance = random.Random(seed)
    chosen = chance.sample(sorted(FAULTS), chance.randint(1, 2))
    job = instance.import_questions(QUESTIONS, mark=f"round {seed}")
    imports[job] = QUESTIONS
    with Readers(instance) as readers:
        for name in chosen:
            time.sleep(chance.uniform(0, 3))
            FAULTS[name](instance, chance)
        done = wait_for(lambda: not instance.unfinished(), "the jobs", instance.log, SLOWEST_SECONDS)
        wait_for(lambda: instance.get("/questions/")[0] == 200, "the site", instance.log)
    return " and ".join(chosen), done, readers


def problems_of(instance: Instance, readers: Readers, imports: dict[int, int]) -> list[str]:
    """What is wrong after a round."""
    problems = broken_invariants(instance, imported=sum(imports.values()), imports=list(imports))
    if readers.statuses[500]:
        problems.append(f"pages that answered 500: {readers.statuses[500]}")
    if readers.without_retry_after:
        problems.append(f"503 without Retry-After: {readers.without_retry_after}")
    return problems


def main() -> int:
    """Run the rounds; exit code 1 where one fails."""
    parser = argparse.ArgumentParser(prog="python -m tests.faults", description=__doc__)
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    failed = 0
    with running_instance() as instance:
        imports: dict[int, int] = {}
        for seed in range(arguments.seed, arguments.seed + arguments.rounds):
            try:
                faults, seconds, readers = round_of(instance, seed, imports)
                problems = problems_of(instance, readers, imports)
            except AssertionError as error:
                faults, seconds, problems, readers = "", 0.0, [str(error)], Readers(instance)
            met = ", ".join(f"{count} x {status}" for status, count in sorted(readers.statuses.items()))
            print(f"seed {seed}: {faults}; done after {seconds:.0f} s; pages: {met}", flush=True)  # noqa: T201
            for problem in problems:
                print(f"  FAILED (--rounds 1 --seed {seed}): {problem}", flush=True)  # noqa: T201
            failed += bool(problems)
        backups = instance.folder / "backups"
        backups.mkdir(exist_ok=True)
        code, _said, complained = instance.finish("backup", str(backups / "last.tar"))
        left = [path.name for path in backups.iterdir() if path.name.startswith(".")]
        if code or left:
            print(f"  FAILED: the last backup left {left}: {complained}")  # noqa: T201
            failed += 1
    print(f"{failed} of {arguments.rounds} rounds failed")  # noqa: T201
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
