"""What each process of a running instance holds after some use; also how much memory a benchmark takes.

    python -m tests.bench.memory [--var FOLDER] [--pages 200] [--pastes 20] [--rest SECONDS]

Measures the instance that runs on the folder (the checkout's `var/` by default), as `make run` starts it. A teacher
reads pages of every kind and pastes texts with numbers that the bank does not know. Then the table lists the
proportional set size of each process (PSS: its own memory, and its share of what it maps together with others) and its
private memory. Aims: 1.6 GB PSS for all processes, 350 MB private for a web process.
"""

from __future__ import annotations

import json
import os
import random
import re
import resource
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from tests.bench.benchmark import BASE_DIR, aim, read_options

if TYPE_CHECKING:
    from tests.bench.load import Site

MOST_IN_ALL, MOST_PRIVATE = 1600.0, 350.0  # MB
SESSION = "memory".ljust(32, "x")
CLIENTS = 4  # so that every web process gets its share
LOG_IN = """
import sys
import django; django.setup()
from questionbank.models import User
from tests.faults.sessions import open_session
open_session(User.objects.get(username="teacher"), key=sys.argv[1])
"""


@dataclass(frozen=True, slots=True)
class Memory:
    """MB of a process, or of several."""

    proportional: float
    private: float

    @classmethod
    def of(cls, pid: int) -> Memory:
        """Read what a process holds.

        Raises:
            OSError: it has ended.
        """
        text = Path(f"/proc/{pid}/smaps_rollup").read_text()
        parts = {name: int(size) / 1000 for name, size in re.findall(r"^(\w+): +(\d+) kB", text, re.MULTILINE)}
        return cls(parts["Pss"], parts["Private_Clean"] + parts["Private_Dirty"])


def main() -> int:
    """Print a table; the exit code is 1 where an answer is an error."""
    options = read_options(var=BASE_DIR / "var", pages=200, pastes=20, rest=5.0)
    site = running_site(options.var)
    failed = use(site, options.pages, options.pastes)
    time.sleep(options.rest)
    used = f"after {options.pages} pages and {options.pastes} pastes"
    print(f"{used:36}{'PSS MB':>10}{'private MB':>12}")
    rows = memory_by_process(site)
    for name, memory in rows:
        print(f"{name:36}{memory.proportional:10.0f}{memory.private:12.0f}")
    in_all = sum(memory.proportional for _name, memory in rows)
    print(f"{'all':36}{in_all:10.0f}")
    web = max((memory.private for name, memory in rows if name.startswith("web ")), default=0.0)
    aim(f"all processes {in_all:.0f} MB at most {MOST_IN_ALL:.0f} MB", in_all <= MOST_IN_ALL)
    aim(f"private memory of a web process {web:.0f} MB at most {MOST_PRIVATE:.0f} MB", web <= MOST_PRIVATE)
    if failed:
        print(f"errors: {failed}")
    return int(bool(failed))


def running_site(var: Path) -> Site:
    """Return the instance that runs on a folder, with an open session (`SESSION`) of the demo's teacher."""
    from tests.bench.load import Site

    try:
        running = json.loads((var / "serve.lock").read_text())
        Memory.of(running["pid"])
    except (OSError, ValueError):
        raise SystemExit(f"No instance runs on {var}: start it, or name its folder with --var.") from None
    environment = {**os.environ, "VAR_DIR": str(var), "DJANGO_SETTINGS_MODULE": "questionbank.settings"}
    subprocess.run([sys.executable, "-c", LOG_IN, SESSION], cwd=BASE_DIR, env=environment, check=True)
    return Site(running["port"], var, running["pid"])


def use(site: Site, pages: int, pastes: int) -> list[tuple[str, int]]:
    """Read pages of every kind and paste texts; returns the requests that were answered by an error."""
    from tests.bench.load import Browser
    from tests.bench.soak import KINSHIPS, bank

    chance = random.Random(1)
    with bank(site) as server:
        questions = server.execute(
            "SELECT id, text FROM questionbank_question WHERE status = 'ready' ORDER BY md5(id::text) LIMIT 400"
        ).fetchall()
        concepts = server.execute(
            "SELECT concept_id FROM questionbank_questiontag GROUP BY 1 ORDER BY count(*) DESC, 1 LIMIT 100"
        ).fetchall()

    def words(text: str) -> str:
        return " ".join(re.findall(r"[^\W\d_]{3,}", text)[:4])

    addresses: list[Callable[[], str]] = [
        lambda: "/",
        lambda: f"/questions/?{urlencode({'q': words(chance.choice(questions)[1])})}",
        lambda: f"/questions/?concept={chance.choice(concepts)[0]}",
        lambda: f"/questions/{chance.choice(questions)[0]}/",
        lambda: f"/questions/{chance.choice(questions)[0]}/similar/{chance.choice(KINSHIPS)}/",
        lambda: f"/concepts/{chance.choice(concepts)[0]}/",
        lambda: "/lists/",
        lambda: f"/questions/{chance.choice(questions)[0]}/",
    ]
    requests: list[tuple[str, dict[str, str] | None]] = [
        (addresses[number % len(addresses)](), None) for number in range(pages)
    ]
    for _paste in range(pastes):
        text = re.sub(r"\d", lambda _: str(chance.randint(1, 9)), chance.choice(questions)[1])
        requests.insert(chance.randrange(len(requests) + 1), ("/paste/", {"text": text, "action": "look"}))

    def send(request: tuple[str, dict[str, str] | None]) -> tuple[str, int]:
        path, form = request
        return path, Browser(site, SESSION).send("GET" if form is None else "POST", path, form)[0]

    with ThreadPoolExecutor(CLIENTS) as clients:
        return [answer for answer in clients.map(send, requests) if not 200 <= answer[1] < 400]


def memory_by_process(site: Site) -> list[tuple[str, Memory]]:
    """Return what each process holds, by the name of its program or server; a server's processes count as one."""
    from questionbank.local import SERVICES
    from tests.faults.instance import children_of, programs_of

    names = {pid: name for name, pid in programs_of(site.supervisor).items()}
    rows = [("serve", Memory.of(site.supervisor))]
    for parent in children_of(site.supervisor):
        held = _held(parent)
        rows += [(f"{names.get(parent, 'other')} {pid}", memory) for pid, memory in held.items()]
    for name, service in SERVICES.items():
        parent = service.status(site.var_dir)
        held = _held(parent) if parent else {}
        sums = (sum(getattr(memory, field) for memory in held.values()) for field in ("proportional", "private"))
        rows.append((name, Memory(*sums)))
    return rows


def _held(parent: int) -> dict[int, Memory]:
    """Return what a process and all that descend from it hold."""
    from tests.faults.instance import children_of

    held = {}
    with suppress(OSError):  # it has ended
        held[parent] = Memory.of(parent)
    for child in children_of(parent):
        held |= _held(child)
    return held


def peak_megabytes(of: int = resource.RUSAGE_SELF) -> float:
    """Return the most memory that this process, or the largest of its children that have ended, has held so far."""
    return resource.getrusage(of).ru_maxrss / 1024


@contextmanager
def peak_of_server() -> Iterator[list[int]]:
    """Watch this connection's process of PostgreSQL: the list's one figure is the most MB that it held, buffers too."""
    from django.db import connection

    status = Path(f"/proc/{connection.connection.info.backend_pid}/status")
    peak, is_done = [0], threading.Event()

    def watch() -> None:
        while not is_done.wait(0.5):
            fields = dict(line.split(":", 1) for line in status.read_text().splitlines())
            peak[0] = max(peak[0], int(fields["VmRSS"].split()[0]) // 1024)

    watching = threading.Thread(target=watch, daemon=True)
    watching.start()
    try:
        yield peak
    finally:
        is_done.set()
        watching.join()


def build_index(name: str, index: str, build: Callable[[], object]) -> None:
    """Build an index and print what that takes."""
    from django.db import connection

    began = time.perf_counter()
    with peak_of_server() as peak:
        build()
    seconds = time.perf_counter() - began
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_relation_size(%s) >> 20, current_setting('maintenance_work_mem')", [index])
        megabytes, allowed = cursor.fetchone()
    print(
        f"{name}: indexed in {seconds:.0f} s, {megabytes:,} MB; the server's process held {peak[0]:,} MB with its"
        f" buffers, maintenance_work_mem {allowed}",
        flush=True,
    )


if __name__ == "__main__":
    sys.exit(main())
