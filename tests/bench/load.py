"""Throughput and latency of a real instance: teachers who search, and reviewers who decide, without think time.

    python -m tests.bench.load [--questions N] [--seconds N] [--teachers N] [--reviewers N] [--keep FOLDER]
    python -m tests.bench.load --var FOLDER

`manage.py serve` runs on a bank of the public sets; the searches are those of `tests.bench.search`, one page each, by
GET. A reviewer's step is the page of the next pair and the decision on it. What the clients use of the processors is
part of the figures: everything runs on one machine. The aims, on two cores: 30 searches a second; the reviewers'
requests within 2 seconds at p95. They are printed, and missing them is no error: other programs may have been busy.

With `--var`, one teacher opens pages of questions, one after the other, of the instance that runs on the folder. The
aims are 100 ms at the median and 200 ms at p95 for the page; the table also has its similar questions, which a browser
asks for afterwards, and the whole page, which a browser without scripts gets.
"""

from __future__ import annotations

import http.client
import json
import os
import re
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from html import unescape
from itertools import cycle
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import numpy as np

from tests.bench.benchmark import BASE_DIR, aim, read_options
from tests.serving import serve_command, serve_environment

LEAST_SEARCHES, MOST_SECONDS = 30.0, 2.0  # a second; at p95
WARM_UP = 5.0  # seconds of searches that are not measured: models are loaded, formulas rendered once
START_SECONDS = 300
PAGES = {
    "a question's page": "/questions/{}/",
    "its similar questions": "/questions/{}/similar/",
    "both, without scripts": "/questions/{}/?whole=1",
}
PAGES_EACH, WARM_UP_PAGES = 60, 60

# In a process with the tests' settings: the bank, and the searches as addresses.
BUILD = """
import json, random, sys
from pathlib import Path
from typing import Any
from tests.bench.bank import open_bank
questions, data, var, output = sys.argv[1:]
open_bank(questions=int(questions), data=Path(data), var=Path(var))
from tests.bench.search import address_of, searches
addresses = [address_of(query, filters) for _sort, query, filters in searches(timed=2000)]
random.Random(7).shuffle(addresses)
Path(output).write_text(json.dumps(addresses))
"""


def main() -> int:
    """Print a table; the exit code is 1 where an answer is an error."""
    options = read_options(questions=20_000, seconds=30.0, teachers=20, reviewers=50, var="")
    if options.var:
        return measure_pages(Path(options.var))
    addresses = prepare_bank(options.questions, options.data, options.keep)
    var = options.keep / f"bank-{options.questions}"
    pairs = int(60 * options.seconds)
    following = cycle(addresses)
    with serving(var, options.teachers, options.reviewers, pairs) as site:
        measure(WARM_UP, options.teachers, lambda number: searching(site, number, following))
        used = site.processor_seconds()
        searched = measure(options.seconds, options.teachers, lambda number: searching(site, number, following))
        used = site.processor_seconds() - used
        reviewed = measure(options.seconds, options.reviewers, lambda number: reviewing(site, number))
    print(f"\n{'':44}{'n':>6}{'a second':>10}{'p50 s':>8}{'p95 s':>8}{'errors':>8}")
    print_row(f"searches, {options.teachers} teachers", searched)
    print_row(f"requests of {options.reviewers} reviewers", reviewed)
    each = 1000 * used / max(1, len(searched.seconds))
    print(f"processor time of the site and PostgreSQL: {each:.0f} ms a search")
    print(f"load of the machine at the end: {', '.join(f'{load:.1f}' for load in os.getloadavg())}")
    aim(f"{LEAST_SEARCHES:.0f} searches a second", searched.finished / searched.lasted >= LEAST_SEARCHES)
    p95 = float(np.quantile(reviewed.seconds or [np.inf], 0.95))
    aim(f"reviewers' p95 at most {MOST_SECONDS:.0f} s", p95 <= MOST_SECONDS)
    return 1 if searched.errors or reviewed.errors else 0


def measure_pages(var: Path) -> int:
    """Print how long a question's page, its similar questions, and both together take; returns the exit code."""
    from tests.bench.memory import SESSION, running_site
    from tests.bench.soak import bank

    site = running_site(var)
    with bank(site) as server:
        rows = server.execute(
            "SELECT id FROM questionbank_question WHERE status = 'ready' ORDER BY md5(id::text) LIMIT %s",
            [len(PAGES) * PAGES_EACH + WARM_UP_PAGES],
        )
        chosen = [pk for (pk,) in rows]
    browser = Browser(site, SESSION, cookies="; scripts=1", headers={"HX-Request": "true"})
    seconds: dict[str, list[float]] = {name: [] for name in PAGES}
    statuses: Counter[int] = Counter()
    for number, pk in enumerate(chosen):
        name = list(PAGES)[number % len(PAGES)]  # each its own questions: none is helped by what another has kept
        began = time.perf_counter()
        status, _page = browser.send("GET", PAGES[name].format(pk))
        if number >= WARM_UP_PAGES:
            seconds[name].append(time.perf_counter() - began)
            statuses[status] += 1
    for name, times in seconds.items():
        median, p95 = 1000 * np.quantile(times, [0.5, 0.95])
        print(f"{name:36}{median:7.0f} ms median{p95:7.0f} ms p95")
        if name == next(iter(PAGES)):
            aim("a question's page in 100 ms (200 at p95)", bool(median <= 100 and p95 <= 200))
    print(f"load of the machine at the end: {', '.join(f'{load:.1f}' for load in os.getloadavg())}")
    return int(set(statuses) != {200})


def prepare_bank(questions: int, data: Path, keep: Path) -> list[str]:
    """Build the bank where it is missing; returns the addresses of the searches."""
    output = keep / f"searches-{questions}.json"
    keep.mkdir(parents=True, exist_ok=True)
    words = [sys.executable, "-c", BUILD, str(questions), str(data), str(keep), str(output)]
    subprocess.run(words, cwd=BASE_DIR, check=True)
    return list(json.loads(output.read_text()))


def prepare_people(*, teachers: int, reviewers: int, pairs: int) -> None:
    """Create people with open sessions, and pairs that nobody has decided; runs in the command `prepare`."""
    from django.contrib.auth.models import Group
    from django.db import transaction

    from questionbank.models import ParaphrasePair, Question, ReviewLease, User
    from questionbank.review.guideline_services import guideline_current, guideline_read
    from questionbank.review.pair_services import PairInput, pairs_create
    from tests.faults.sessions import open_session

    with transaction.atomic():
        for role, count in (("teacher", teachers), ("reviewer", reviewers)):
            for number in range(count):
                person, _ = User.objects.get_or_create(username=f"load-{role}-{number}")
                person.groups.add(Group.objects.get(name=role))
                if role == "reviewer":
                    guideline_read(reviewer=person, version=guideline_current().version)
                open_session(person, key=session_of(role, number))
    ReviewLease.objects.filter(reviewer__username__startswith="load-").delete()
    missing = pairs - ParaphrasePair.objects.filter(state="waiting").count()
    if missing > 0:
        last = ParaphrasePair.objects.count()
        texts = Question.objects.filter(language="en", status="ready").order_by("pk")
        rows = texts.values_list("text", flat=True)[last : last + missing]
        pairs_create(
            pairs=[PairInput(text, f"Tell me: {text[:1].lower()}{text[1:]}") for text in rows],
            source=ParaphrasePair.Source.UPLOAD,
            user=None,
            batch="load",
            opinions=1,
            request_scores=False,
        )


def session_of(role: str, number: int) -> str:
    """Return the key of somebody's session."""
    return f"load{role}{number}".ljust(32, "x")


@dataclass(frozen=True, slots=True)
class Site:
    """The instance under load."""

    port: int
    var_dir: Path
    supervisor: int

    def processes(self) -> dict[str, list[int]]:
        """Return the process ids of each program and server, its own first."""
        from questionbank.local import SERVICES
        from tests.faults.instance import children_of, programs_of

        servers = {name: service.status(self.var_dir) for name, service in SERVICES.items()}
        parents = {**programs_of(self.supervisor), **servers}
        return {name: [pid, *children_of(pid)] for name, pid in parents.items() if pid is not None}

    def processor_seconds(self) -> float:
        """User and system time so far of the site's processes and of PostgreSQL's, whose ended backends count."""
        ticks = 0
        for name, (parent, *children) in self.processes().items():
            if name in ("web", "postgres"):
                ticks += sum(_ticks(parent)[:4]) + sum(sum(_ticks(pid)[:2]) for pid in children)
        return ticks / os.sysconf("SC_CLK_TCK")


def _ticks(pid: int) -> list[int]:
    """Return a process's user and system time and that of its children that ended; empty where it has ended."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2].split()
    except OSError:
        return []
    return [int(field) for field in fields[11:15]]


@contextmanager
def serving(var: Path, teachers: int, reviewers: int, pairs: int) -> Iterator[Site]:
    """A running `manage.py serve` on the bank."""
    from questionbank.local import SERVICES
    from questionbank.local.die_with_parent import dying_with_us
    from questionbank.local.instance import free_port

    port = free_port(18200)
    setup = f"prepare_people(teachers={teachers}, reviewers={reviewers}, pairs={pairs})"
    command = serve_command(f"from tests.bench.load import prepare_people; {setup}")
    with (var / "load.log").open("w") as log:
        supervisor = subprocess.Popen(
            dying_with_us(command), cwd=BASE_DIR, env=serve_environment(var, port), stdout=log, stderr=log
        )
    site = Site(port, var, supervisor.pid)
    try:
        deadline = time.monotonic() + START_SECONDS
        while "Kindred is ready" not in (var / "load.log").read_text():
            if supervisor.poll() is not None or time.monotonic() > deadline:
                raise SystemExit(f"Kindred did not start:\n{(var / 'load.log').read_text()}")
            time.sleep(0.2)
        yield site
    finally:
        supervisor.terminate()
        supervisor.wait()
        for service in SERVICES.values():
            service.stop(var)


@dataclass
class Measured:
    """What the clients of one measurement met.

    Attributes:
        seconds: of each request, those too that were answered after the end: the slowest must not be left out.
        finished: requests answered before the end.
    """

    seconds: list[float] = field(default_factory=list)
    finished: int = 0
    statuses: Counter[int] = field(default_factory=Counter)
    lasted: float = 0.0

    @property
    def errors(self) -> int:
        """Answers that are neither a page nor a redirect."""
        return sum(count for status, count in self.statuses.items() if not 200 <= status < 400)


def measure(seconds: float, people: int, behaviour: Callable[[int], Iterator[Callable[[], int]]]) -> Measured:
    """Let people do their steps one after the other until the time is over; a step returns its HTTP status."""
    measured, ended = Measured(), threading.Event()

    def act(number: int) -> None:
        for step in behaviour(number):
            began = time.perf_counter()
            status = step()
            measured.seconds.append(time.perf_counter() - began)
            measured.statuses[status] += 1
            if ended.is_set():
                return
            measured.finished += 1

    threads = [threading.Thread(target=act, args=(number,), daemon=True) for number in range(people)]
    began = time.perf_counter()
    for thread in threads:
        thread.start()
    time.sleep(seconds)
    ended.set()
    measured.lasted = time.perf_counter() - began
    for thread in threads:
        thread.join(timeout=60)
    return measured


class Browser:
    """One person's connection, which stays open as a browser's does.

    Attributes:
        location: where the last answer leads; empty where it is a page.
    """

    def __init__(
        self, site: Site, session: str, *, cookies: str = "", headers: Mapping[str, str] | None = None
    ) -> None:
        token = "t" * 32
        cookies = f"sessionid={session}; csrftoken={token}{cookies}"
        self._headers = {"Cookie": cookies, "X-CSRFToken": token, **(headers or {})}
        self._connection = http.client.HTTPConnection("127.0.0.1", site.port, timeout=60)
        self.location = ""

    def send(self, method: str, path: str, fields: dict[str, str] | None = None) -> tuple[int, str]:
        """Return the status and the body of an answer; 0 where there was none."""
        headers, body = dict(self._headers), None
        if fields is not None:
            headers["Content-Type"] = "application/x-www-form-urlencoded"
            body = urlencode(fields)
        try:
            answer = self._answer(method, path, body, headers)
            page = answer.read().decode("utf-8", "replace")
        except (OSError, http.client.HTTPException):
            self._connection.close()
            return 0, ""
        self.location = answer.getheader("Location") or ""
        return answer.status, page

    def _answer(self, *request: Any) -> http.client.HTTPResponse:
        """Send a request, again where the site has just closed a connection that was open for long."""
        is_new = self._connection.sock is None
        try:
            self._connection.request(*request)
            return self._connection.getresponse()
        except ConnectionError:
            self._connection.close()
            if is_new:
                raise
            self._connection.request(*request)
            return self._connection.getresponse()


def searching(site: Site, number: int, following: Iterator[str]) -> Iterator[Callable[[], int]]:
    """Search after search; all teachers take theirs from one list, so that none comes twice until it ends."""
    browser = Browser(site, session_of("teacher", number))
    while True:
        yield lambda: browser.send("GET", next(following))[0]


def reviewing(site: Site, number: int) -> Iterator[Callable[[], int]]:
    """Yield the page of the next pair, the decision on it, and so on."""
    browser = Browser(site, session_of("reviewer", number))
    page = ""

    def read() -> int:
        nonlocal page
        status, page = browser.send("GET", "/review/")
        return status

    def decide() -> int:
        form = re.search(r'action="(/review/\d+/decide/)"', page)
        if form is None:
            return 0
        text = re.search(r'<textarea[^>]*name="text"[^>]*>([^<]*)', page)
        fields = {"decision": "accept", "text": unescape(text[1].removeprefix("\n")) if text else ""}
        return browser.send("POST", form[1], fields)[0]

    while True:
        yield read
        yield decide


def print_row(name: str, measured: Measured) -> None:
    """One line of the table."""
    seconds = np.array(measured.seconds or [np.nan])
    print(
        f"{name:44}{len(measured.seconds):6}{measured.finished / measured.lasted:10.1f}"
        f"{np.median(seconds):8.2f}{np.quantile(seconds, 0.95):8.2f}{measured.errors:8}"
    )
    if measured.errors:
        print(f"  answers: {dict(sorted(measured.statuses.items()))}")


if __name__ == "__main__":
    sys.exit(main())
