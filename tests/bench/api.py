"""The speed of the API: lists, single questions, predictions, an import beside the command's, and a shared key's rate.

    python -m tests.bench.api [--questions N] [--rounds N] [--rows N] [--clients N] [--keep FOLDER]
        [--without-vectors]

Requests go through the whole application in this process, without a network. Beside the seconds stand those of the
processor, which count what this process computes and not what others on the machine take.
The aims: a list of 100 at p95 <= 60 ms, a single question at p95 <= 25 ms, 200 texts a second predicted, an import
within 10 % of the command's time. They are printed, and missing them is no error: other programs may have been busy.
Encoding a large bank takes most of the time; without its vectors nothing is predicted, and all else is measured.
The gate: clients that share a key get its rate within 2 %.
"""

from __future__ import annotations

import json
import logging
import os
import random
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from tests.bench.bank import open_bank
from tests.bench.benchmark import aim, gate, read_options
from tests.bench.imports import write_rows

MOST_LIST_MS, MOST_ONE_MS, LEAST_TEXTS, MOST_IMPORT, MOST_RATE = 60, 25, 200, 1.10, 0.02
BATCH = 256
RATE = 600
TEXTS = ("Solve ${}x + 7 = 31$.", "How much is {} % of 80?", "A bus has {} seats and 12 are taken. How many are free?")


def main() -> int:
    """Print a table; the exit code is 1 where the gate is missed."""
    options = read_options(questions=100_000, rounds=200, rows=5_000, clients=50, without_vectors=False)
    has_vectors = not options.without_vectors
    open_bank(questions=options.questions, data=options.data, var=options.keep, has_vectors=has_vectors)
    from django.conf import settings

    from questionbank import local as embedded
    from questionbank.models import Question, User

    logging.disable(logging.WARNING)  # a line for each refused request
    embedded.ensure(settings.VAR_DIR, services={"redis"})  # jobs are sent there; no worker takes them

    owner = User.objects.filter(username="bench").first() or User.objects.create_superuser("bench")
    numbers = list(Question.objects.filter(status="ready").values_list("pk", flat=True)[: options.questions])
    chance = random.Random(1)
    send = caller(owner, "bench", 6_000)
    cursors = ["", *walk(send, 20)]
    lists = latencies(lambda: send("GET", f"/questions?limit=100&cursor={chance.choice(cursors)}"), options.rounds)
    filtered = latencies(lambda: send("GET", "/questions?limit=100&language=en&difficulty_min=30"), options.rounds)
    single = latencies(lambda: send("GET", f"/questions/{chance.choice(numbers)}"), options.rounds)
    print(f"{'':24}{'median ms':>10}{'p95 ms':>10}{'processor ms':>14}")
    for name, (wall, processor) in (("a list of 100", lists), ("filtered", filtered), ("a single question", single)):
        print(f"{name:24}{at(wall, 0.5):10.1f}{at(wall, 0.95):10.1f}{at(processor, 0.5):14.1f}", flush=True)
    aim(f"a list of 100 at p95 <= {MOST_LIST_MS} ms", max(at(lists[0], 0.95), at(filtered[0], 0.95)) <= MOST_LIST_MS)
    aim(f"a single question at p95 <= {MOST_ONE_MS} ms", at(single[0], 0.95) <= MOST_ONE_MS)
    if has_vectors:
        predicted(send)
    imported(owner, options.rows, options.data)
    return shared_key(owner, options.clients)


def caller(owner: Any, name: str, rate: int) -> Callable[..., Any]:
    """Return a function that sends a request with a new key and returns the response."""
    from django.test import Client

    from questionbank.api.key_services import api_key_create, api_key_revoke
    from questionbank.models import ApiKey

    for old in ApiKey.objects.filter(owner=owner, name=name, revoked_at=None):
        api_key_revoke(user=None, key_id=old.pk)
    _key, secret = api_key_create(user=owner, name=name, scopes=ApiKey.Scope.values, rate_limit=rate)

    def send(method: str, path: str, body: Any = None, *, expected: tuple[int, ...] = (200,)) -> Any:
        headers = {"Authorization": f"Bearer {secret}"}
        data = b"" if body is None else json.dumps(body).encode()
        response = Client().generic(method, f"/api/v1{path}", data, "application/json", headers=headers)
        assert response.status_code in expected, response.content[:500]
        return response

    send.secret = secret  # type: ignore[attr-defined]
    return send


def walk(send: Callable[..., Any], pages: int) -> list[str]:
    """Return the cursors of the first pages of the list of all questions."""
    cursors: list[str] = []
    for _page in range(pages):
        following = send("GET", f"/questions?limit=100&cursor={cursors[-1] if cursors else ''}").json()["next"]
        if following is None:
            break
        cursors.append(following)
    return cursors


def latencies(work: Callable[[], object], rounds: int) -> tuple[list[float], list[float]]:
    """Return the milliseconds of each call, and those of this process's processor time, sorted."""
    wall, processor = [], []
    for _warm_up in range(5):
        work()
    for _round in range(rounds):
        began, computed = time.perf_counter(), time.process_time()
        work()
        wall.append(1e3 * (time.perf_counter() - began))
        processor.append(1e3 * (time.process_time() - computed))
    return sorted(wall), sorted(processor)


def at(times: list[float], share: float) -> float:
    """Return the time that a share of the calls needed at most."""
    return times[min(len(times) - 1, int(share * len(times)))]


def predicted(send: Callable[..., Any]) -> None:
    """Print how many texts a second the packaged probes predict in batches, none of them twice."""
    from questionbank.registry.serving import serving

    hierarchy = next(iter(serving().probe_artifacts))
    batches = [
        {"hierarchy": hierarchy, "texts": [_text(BATCH * turn + number) for number in range(BATCH)]}
        for turn in range(5)
    ]
    send("POST", "/predict", batches.pop())
    began, computed = time.perf_counter(), time.process_time()
    for batch in batches:
        assert send("POST", "/predict", batch).json()["items"][0]["concepts"]
    wall, processor, texts = time.perf_counter() - began, time.process_time() - computed, BATCH * len(batches)
    print(f"predict: {texts / wall:.0f} texts/s; {texts / processor:.0f} for each second of a processor", flush=True)
    aim(f"{LEAST_TEXTS} texts a second", texts / wall >= LEAST_TEXTS)


def _text(number: int) -> dict[str, str]:
    return {"text": TEXTS[number % len(TEXTS)].format(number + 2), "language": "en"}


def imported(owner: Any, rows: int, data: Path) -> None:
    """Print how long an import over the API takes, its job included, beside the command's; every file is new."""
    from questionbank.imports.options import ImportOptions
    from questionbank.imports.services import import_file

    ways: dict[str, list[tuple[float, float]]] = {"the command": [], "the API": []}
    with tempfile.TemporaryDirectory() as scratch:
        for turn in range(6):
            name = list(ways)[turn % 2]
            path = Path(scratch) / f"{turn}.jsonl.gz"
            write_rows(path, rows, data, note=f" [{time.time_ns()}]")
            began, computed = time.perf_counter(), processor_seconds()
            if name == "the API":
                import_over_the_api(owner, path)
            else:
                import_file(path=path, options=ImportOptions(source="bench", hierarchy="bench", skip_invalid=True))
            ways[name].append((time.perf_counter() - began, processor_seconds() - computed))
    print(f"an import of {rows:,} questions, the fastest of {len(ways['the API'])}:")
    for name, times in ways.items():
        print(f"   {name:12} {min(times)[0]:.2f} s, processor {min(spent for _wall, spent in times):.2f} s", flush=True)
    ratio = min(ways["the API"])[0] / min(ways["the command"])[0]
    aim(f"the API's import takes {ratio:.2f} <= {MOST_IMPORT} of the command's time", ratio <= MOST_IMPORT)


def processor_seconds() -> float:
    """Return the processor time of this process and of those that have read files for it."""
    return sum(os.times()[:4])


def import_over_the_api(owner: Any, path: Path) -> None:
    """Send a file and do the job that the API asks for, as a worker does."""
    from django.core.files.uploadedfile import SimpleUploadedFile
    from django.test import Client

    from questionbank.imports.services import run_import
    from questionbank.jobs.run_services import run_start, run_succeed
    from tests.worker.jobs import Reporter

    headers = {"Authorization": f"Bearer {caller(owner, 'importer', 600).secret}"}
    file = SimpleUploadedFile(path.name, path.read_bytes())
    address = "/api/v1/imports?dry_run=false&source=bench&hierarchy=bench&skip_invalid=true"
    response = Client().post(address, {"file": file}, headers=headers)
    assert response.status_code == 202, response.content[:500]
    run = run_start(run_id=response.json()["id"], worker="bench")
    run_succeed(run=run, result=run_import(run, Reporter()))


def shared_key(owner: Any, clients: int) -> int:
    """Print how many requests clients get through together in one minute; returns the exit code."""
    from django.db import connection

    send = caller(owner, "shared", RATE)
    time.sleep(60 - time.time() % 60)  # the rate counts by the minute
    ends = time.monotonic() + 50

    def use(_client: int) -> int:
        served = 0
        while time.monotonic() < ends:
            if send("GET", "/me", expected=(200, 429)).status_code == 429:
                break
            served += 1
        connection.close()
        return served

    with ThreadPoolExecutor(clients) as pool:
        served = sum(pool.map(use, range(clients)))
    print(f"{clients} clients with one key of {RATE} requests a minute: {served} were answered")
    return gate("the rate is kept within 2 %", abs(served - RATE) <= MOST_RATE * RATE)


if __name__ == "__main__":
    sys.exit(main())
