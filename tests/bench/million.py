"""Every page of a bank of a million questions: median and p95, and which statements grow with the bank.

    python -m tests.bench.million [--vectors] [--bank-size N] [--seed-rows N] [--repeats N] [--keep FOLDER] [--explain]
        [--importing ROWS]

`--seed-rows` rows are imported from the public sets; the rest are copies of them with a number behind the text, made
by the database, with the same words, concepts and equations. `--vectors` gives them vectors
(`tests.bench.million_vectors`; `--encoded` questions are read by the encoders) and prints what their indexes take.
Times are the server's, of one client; each address is opened once to load what the process keeps, and then `--repeats`
times. Searches are those of `tests.bench.search`, each opened once: none is warm. "Processor" is what the page uses of
a core, in the site's process and in PostgreSQL's: it tells pages apart where other programs are busy. `--explain`
prints the statements of over 50 ms. `--importing` imports so many new questions meanwhile, in a process of its own; a
page that was opened after it had ended has a star.

The aim is a p95 of 200 ms for every page. It is printed, and missing it is no error: other programs may have been busy.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from tests.bench.bank import import_rows, set_up
from tests.bench.benchmark import BASE_DIR, read_options
from tests.bench.imports import write_rows
from tests.bench.million_vectors import fill_vectors

AIM = 200  # milliseconds
COPIES_FROM = 10_000_000  # the first id of a copy
PAGES = {  # that take no argument
    "paste": "/paste/",
    "lists": "/lists/",
    "import": "/import/",
    "jobs": "/jobs/",
    "models": "/models/",
    "changes": "/changes/",
    "map": "/map/",
    "health": "/health/details/",
    "people": "/people/",
    "review": "/review/",
}
SLOW_STATEMENT = 0.05  # seconds


def main() -> int:
    """Print a table."""
    options = read_options(
        bank_size=1_000_000,
        seed_rows=60_000,
        vectors=False,
        encoded=20_000,
        repeats=20,
        searches=200,
        explain=False,
        importing=0,
    )
    set_up(options.keep / f"bank-{options.bank_size}")
    fill(options.bank_size, options.seed_rows, options.data)
    if options.vectors:
        fill_vectors(options.encoded)
    from questionbank.models import Question

    print(f"bank: {Question.objects.count():,} questions; load {os.getloadavg()[0]:.1f}", flush=True)
    slow: Counter[str] = Counter()
    print(f"{'milliseconds':34}{'n':>5}{'first':>9}{'p50':>9}{'p95':>9}{'processor':>11}{'p95':>9}")
    with importing(options.importing, options.data) as is_idle:
        missed = [
            name
            for name, addresses in pages(options.searches, options.repeats)
            if not measure(name, addresses, slow if options.explain else None, is_idle)
        ]
    for statement, milliseconds in slow.most_common(12):
        print(f"\n{milliseconds:,} ms in all: {statement}")
    print(f"aim: p95 of every page within {AIM} ms:", f"MISSED by {', '.join(missed)}" if missed else "reached")
    return 0


def fill(bank_size: int, seed_rows: int, data: Path) -> None:
    """Import some questions, and copy them until there are enough."""
    from django.db import connection
    from django.db.models import Max

    from questionbank.bank.search_index import facet_counts_settle, vocabulary_refresh
    from questionbank.models import Question

    if Question.objects.count() >= bank_size:
        return
    began = time.perf_counter()
    if not Question.objects.exists():
        import_rows(seed_rows, data)
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT max(id) FROM questionbank_question WHERE import_run_id IS NOT NULL AND id < %s", [COPIES_FROM]
        )
        seed: int = cursor.fetchone()[0]
        while (present := Question.objects.count()) < bank_size:
            cursor.execute("DROP INDEX IF EXISTS question_search")  # building it once is quicker
            place = max(COPIES_FROM, Question.objects.aggregate(last=Max("pk"))["last"] + 1)
            copy_questions(place, seed, bank_size - present)
            facet_counts_settle()
            print(f"{Question.objects.count():,} after {time.perf_counter() - began:.0f} s", flush=True)
        cursor.execute("CREATE INDEX IF NOT EXISTS question_search ON questionbank_question USING gin (search_vector)")
        cursor.execute("VACUUM ANALYZE")
    vocabulary_refresh()
    print(f"filled: {time.perf_counter() - began:.0f} s", flush=True)


@contextmanager
def importing(rows: int, data: Path) -> Iterator[Callable[[], bool]]:
    """Import so many new questions by the command of the bank; gives whether it has ended."""
    if not rows:
        yield lambda: False
        return
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch) / "questions.jsonl.gz"
        write_rows(path, rows, data, note=f" (import of {time.time():.0f})")
        command = [sys.executable, "manage.py", "import_questions", str(path), "--skip-invalid", "--no-embed"]
        command += ["--source", "import", "--hierarchy", "bench"]
        began = time.perf_counter()
        process = subprocess.Popen(command, cwd=BASE_DIR)
        try:
            yield lambda: process.poll() is not None
            process.wait()
            print(f"import: {time.perf_counter() - began:.0f} s, exit code {process.returncode}")
        finally:
            process.kill()


def copy_questions(place: int, seed: int, most: int) -> None:
    """Copy the imported questions, with what belongs to them, to the ids from `place` on."""
    from django.db import connection, transaction

    from questionbank.models import Question, QuestionEquation, QuestionTag

    new = {  # column -> what a copy has there
        "id": f"q.id + {place}",
        "text": f"q.text || ' ({place})'",
        "source_id": f"q.source_id || '-{place}'",
        "content_hash": f"sha256(q.content_hash || '{place}'::bytea)",
        "submission": "NULL",
    }
    with transaction.atomic(), connection.cursor() as cursor:
        columns = [field.column for field in Question._meta.concrete_fields if not field.generated]
        cursor.execute(
            f"INSERT INTO questionbank_question ({', '.join(columns)})"
            f" SELECT {', '.join(new.get(column, f'q.{column}') for column in columns)} FROM questionbank_question q"
            f" WHERE id <= {seed} ORDER BY id LIMIT {most}"
        )
        for model in (QuestionTag, QuestionEquation):
            columns = [field.column for field in model._meta.concrete_fields if field.column != "id"]
            values = [f"q.{column}" for column in columns if column != "question_id"]
            names = ", ".join(column for column in columns if column != "question_id")
            cursor.execute(
                f"INSERT INTO {model._meta.db_table} (question_id, {names})"
                f" SELECT q.question_id + {place}, {', '.join(values)} FROM {model._meta.db_table} q"
                f" JOIN questionbank_question c ON c.id = q.question_id + {place} WHERE q.question_id <= {seed}"
            )
    with connection.cursor() as cursor:
        cursor.execute("SELECT setval('questionbank_question_id_seq', max(id)) FROM questionbank_question")


def pages(searches: int, repeats: int) -> Iterator[tuple[str, list[str]]]:
    """Yield each page's name and the addresses at which it is opened, one after the other."""
    from questionbank.models import KnowledgeConcept, KnowledgeHierarchy, Question
    from tests.bench.search import address_of
    from tests.bench.search import searches as searched

    rng = random.Random(7)
    ids = rng.sample(list(Question.objects.order_by("pk").values_list("pk", flat=True)), repeats)
    solve(ids)
    concepts = list(KnowledgeConcept.objects.order_by("?").values_list("pk", flat=True)[:repeats])
    roots = KnowledgeConcept.objects.filter(depth=1).values_list("pk", flat=True)
    hierarchy = KnowledgeHierarchy.objects.get()
    for name, addresses in {
        "home": ["/"] * repeats,
        "concept tree": [f"/concepts/?hierarchy={hierarchy.pk}"] * repeats,
        "concept": [f"/concepts/{pk}/" for pk in concepts],
        "concept, of the most questions": [f"/concepts/{pk}/" for pk in roots],
        "question": [f"/questions/{pk}/" for pk in ids],
        "similar questions": [f"/questions/{pk}/similar/wording/" for pk in ids],
        "browse": ["/questions/"] * repeats,
        **{f"browse, {order}": [f"/questions/?order={order}"] * repeats for order in ("easiest", "answered")},
    }.items():
        yield name, addresses
    for name, address in PAGES.items():
        yield name, [address] * repeats
    kinds: dict[str, list[str]] = {}
    for sort, query, filters in searched(timed=searches):
        kinds.setdefault(f"search: {sort}", []).append(address_of(query, filters))
    yield from kinds.items()


def solve(ids: list[int]) -> None:
    """Have the solvers look at questions, as the bank's jobs do with each one after an import."""
    from questionbank.jobs.resume_services import block_ranges, blocks_plan
    from questionbank.registry.artifact_selectors import artifact_champions
    from worker.blocks import do_block
    from worker.solver.jobs import SolveBlocks

    for artifact in artifact_champions(capability="solver"):
        job = SolveBlocks(artifact)
        blocks_plan(job=job.name, ranges=block_ranges(sorted(ids), 1))
        while do_block(job):
            pass
        blocks_plan(job=job.name, ranges=())


def measure(name: str, addresses: list[str], slow: Counter[str] | None, is_idle: Callable[[], bool]) -> bool:
    """Open the addresses one after the other and print a row; False where it misses the aim."""
    from django.db import connection

    from tests.bench.search import client_of

    client = client_of("admin")
    seconds, used = [], []
    for address in addresses:
        with connection.execute_wrapper(partial(note, slow)) if slow is not None else nullcontext():
            began, processor = time.perf_counter(), processor_seconds()
            response = client.get(address, follow=False)
            seconds.append(time.perf_counter() - began)
            used.append(processor_seconds() - processor)
        if response.status_code != 200:
            raise SystemExit(f"{address} answered {response.status_code}.")
    milliseconds = 1000 * np.array(seconds)
    later = milliseconds[1:] if len(milliseconds) > 1 else milliseconds  # what the process keeps is loaded
    p95 = float(np.quantile(later, 0.95))
    processor, most = 1000 * np.quantile(used[1:] or used, [0.5, 0.95])
    times = f"{milliseconds[0]:9.0f}{np.median(later):9.0f}{p95:9.0f}{processor:11.0f}{most:9.0f}"
    print(f"{name:34}{len(later):5}{times}{' *' if is_idle() else ''}", flush=True)
    return p95 <= AIM


def processor_seconds() -> float:
    """Return the processor time so far of this process and of its connection's in PostgreSQL."""
    from django.db import connection

    backend = Path(f"/proc/{connection.connection.info.backend_pid}/schedstat")
    return time.process_time() + int(backend.read_text().split()[0]) / 1e9


def note(slow: Counter[str], execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
    """Add the time of a slow statement to its sum."""
    began = time.perf_counter()
    try:
        return execute(sql, params, many, context)
    finally:
        if (seconds := time.perf_counter() - began) > SLOW_STATEMENT:
            slow[" ".join(str(sql).split())[:600]] += round(1000 * seconds)


if __name__ == "__main__":
    sys.exit(main())
