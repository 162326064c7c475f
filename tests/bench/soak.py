"""A school's day at a steady rate, for minutes or hours: what each page takes, and what grows meanwhile.

    python -m tests.bench.soak [--rate 30] [--minutes 10] [--questions N] [--settle MINUTES] [--keep FOLDER]

Requests are due at random moments, whether or not the site keeps up, and a request's time counts from when it was due.
They are those of teachers (searches new and seen, questions with those similar, concepts, lists, worksheets, pasted
texts, now and then something saved) and reviewers. First the jobs that a new bank asks for (its questions are solved)
may end, `--settle` minutes at most. After a minute that is not counted, what each process holds in the
first minute is compared with the last. The aims: no 5xx; p99 at most 1 s; no process over 5 % larger. Missing one is no
error, because other programs may have been busy; the table says how busy. The exit code is 1 where an answer is an
error.
"""

from __future__ import annotations

import os
import random
import re
import statistics
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, fields
from functools import partial
from itertools import cycle
from pathlib import Path
from queue import SimpleQueue
from uuid import uuid4

import django
import lxml.html
import numpy as np
import psycopg

from tests.bench.benchmark import aim, read_options
from tests.bench.load import Browser, Site, prepare_bank, reviewing, serving, session_of

TEACHERS, REVIEWERS = 40, 4  # each has one request at a time
LIST_LENGTH = 8
WARM_UP = MINUTE = 60.0
LOOK_SECONDS = 10.0
MOST_SECONDS, MOST_GROWTH, LEAST_GROWTH = 1.0, 1.05, 5.0  # s; times; MB, below which nothing has grown
KINSHIPS = ("wording", "purpose", "structure")
REVIEW = "review, decide"


@dataclass(frozen=True, slots=True)
class School:
    """What teachers have in common: the site, and what they ask for."""

    site: Site
    new: Iterator[str]  # addresses of searches
    seen: list[str]
    questions: list[tuple[int, str]]
    concepts: list[int]


class Teacher:
    """Somebody with a list, a worksheet of it and a question of their own.

    Raises:
        SystemExit: one of these is refused.
    """

    def __init__(self, school: School, number: int) -> None:
        self.school, self.chance = school, random.Random(number)
        self._browser = Browser(school.site, session_of("teacher", number))
        self.list = self._made("/lists/", {"name": f"Soak {uuid4()}"})
        for pk, _text in self.chance.sample(school.questions, LIST_LENGTH):
            self._made("/lists/add/", self._listed(pk))
        self.worksheet = self._made(f"/worksheets/from-list/{self.list}/", {})
        self.own = self._made("/questions/new/", self._written())

    def _made(self, path: str, form: dict[str, str]) -> int:
        status, page = self._browser.send("POST", path, form)
        number = re.search(r"/(\d+)/", self._browser.location)
        if status != 302 or number is None:
            raise SystemExit(f"{path} answered {status}: {page[-3000:]}")
        return int(number[1])

    def _listed(self, question: int) -> dict[str, str]:
        return {"question": str(question), "existing": str(self.list), "with_templates": "on"}

    def _written(self) -> dict[str, str]:
        from questionbank.questions.writing_views import fingerprint

        text = f"{self.text()} ({uuid4()})"
        return {
            "action": "save", "text": text, "kind": "open", "language": "en", "status": "ready", "answer": "7",
            "seen_doubles": fingerprint(text), "submission": str(uuid4()),
        }  # fmt: skip

    def question(self) -> int:
        """Return a question of the bank."""
        return self.chance.choice(self.school.questions)[0]

    def concept(self) -> int:
        """Return a concept that has questions."""
        return self.chance.choice(self.school.concepts)

    def text(self) -> str:
        """Return a question with numbers that the bank does not know."""
        return re.sub(r"\d", lambda _: str(self.chance.randint(1, 9)), self.chance.choice(self.school.questions)[1])

    def get(self, path: Callable[[Teacher], str]) -> int:
        """Read a page."""
        return self._browser.send("GET", path(self))[0]

    def paste(self) -> int:
        """Ask what the bank knows about a text."""
        return self._browser.send("POST", "/paste/", {"text": self.text(), "action": "look"})[0]

    def put_on_list(self) -> int:
        """Add a question to the list, and the next time take it off."""
        question = self.question()
        status, _page = self._browser.send("POST", "/lists/add/", self._listed(question))
        if 200 <= status < 400:
            path = f"/lists/{self.list}/questions/{question}/"
            status, _page = self._browser.send("POST", path, {"action": "remove"})
        return status

    def write(self) -> int:
        """Save a new question."""
        return self._browser.send("POST", "/questions/new/", self._written())[0]

    def change(self) -> int:
        """Open the question of one's own and save it with another text."""
        path = f"/questions/{self.own}/edit/"
        status, page = self._browser.send("GET", path)
        if status != 200:
            return status
        forms = lxml.html.fromstring(page).forms
        form = next(
            dict(form.form_values()) for form in forms if "submission" in form.fields or "version" in form.fields
        )
        return self._browser.send("POST", path, {**form, **self._written()})[0]


def _page(path: Callable[[Teacher], str]) -> Callable[[Teacher], int]:
    return lambda teacher: teacher.get(path)


PAGES: Mapping[str, tuple[int, Callable[[Teacher], int]]] = {  # how often, and what is done
    "home": (8, _page(lambda t: "/")),
    "search, new": (14, _page(lambda t: next(t.school.new))),
    "search, seen": (12, _page(lambda t: t.chance.choice(t.school.seen))),
    "browse": (10, _page(lambda t: f"/questions/?concept={t.concept()}&difficulty_min={t.chance.randrange(50)}")),
    "question": (18, _page(lambda t: f"/questions/{t.question()}/")),
    "similar": (9, _page(lambda t: f"/questions/{t.question()}/similar/{t.chance.choice(KINSHIPS)}/")),
    "concept": (5, _page(lambda t: f"/concepts/{t.concept()}/")),
    "concept tree": (3, _page(lambda t: "/concepts/")),
    "lists": (3, _page(lambda t: "/lists/")),
    "list": (4, _page(lambda t: f"/lists/{t.list}/?answers={t.chance.randrange(2)}")),
    "worksheets": (2, _page(lambda t: "/worksheets/")),
    "worksheet": (3, _page(lambda t: f"/worksheets/{t.worksheet}/")),
    "paste": (3, Teacher.paste),
    "put on a list and off": (1, Teacher.put_on_list),
    "write": (1, Teacher.write),
    "change": (1, Teacher.change),
}
REVIEWS = 4  # of so many requests as the weights above add up to


@dataclass(frozen=True, slots=True)
class Answer:
    """One request: its page, when it was due, the seconds until it was answered, and its status."""

    page: str
    due: float
    seconds: float
    status: int


class Arrivals:
    """Requests that come at a steady rate; the first person who is free does them.

    Attributes:
        answers: to all requests so far.
    """

    def __init__(self, school: School) -> None:
        self.answers: list[Answer] = []
        self._waiting: dict[str, SimpleQueue[tuple[str, float]]] = {}
        for number in range(TEACHERS):
            teacher = Teacher(school, number)
            self._begin("teacher", {page: partial(act, teacher) for page, (_, act) in PAGES.items()})
        for number in range(REVIEWERS):
            steps = reviewing(school.site, number)
            self._begin("reviewer", {REVIEW: lambda steps=steps: next(steps)()})

    def _begin(self, role: str, requests: Mapping[str, Callable[[], int]]) -> None:
        waiting = self._waiting.setdefault(role, SimpleQueue())

        def work() -> None:
            while True:
                page, due = waiting.get()
                status = requests[page]()
                self.answers.append(Answer(page, due, time.perf_counter() - due, status))

        threading.Thread(target=work, daemon=True).start()

    def come(self, rate: float, seconds: float, chance: random.Random) -> None:
        """Let requests come for so long, so many a second on average; what is not answered then is waited for."""
        pages = [*PAGES, REVIEW]
        weights = [*(weight for weight, _act in PAGES.values()), REVIEWS]
        due = time.perf_counter()
        ends, before, came = due + seconds, len(self.answers), 0
        while (due := due + chance.expovariate(rate)) < ends:
            time.sleep(max(0.0, due - time.perf_counter()))
            [page] = chance.choices(pages, weights)
            self._waiting["reviewer" if page == REVIEW else "teacher"].put((page, due))
            came += 1
        while len(self.answers) < before + came:
            time.sleep(0.1)


@dataclass(frozen=True, slots=True)
class Held:
    """What a program or server holds with its children.

    Attributes:
        memory: MB of its own and its part of what it shares; without the buffers that PostgreSQL's processes share.
    """

    memory: float = 0
    files: int = 0
    threads: int = 0
    processes: int = 0

    @classmethod
    def by(cls, pids: list[int]) -> Held:
        """Add up what processes hold."""
        kilobytes = files = threads = 0
        for pid in pids:
            with suppress(OSError):  # it has ended
                folder = Path(f"/proc/{pid}")
                parts = dict(re.findall(r"^(\w+): +(\d+) kB", (folder / "smaps_rollup").read_text(), re.MULTILINE))
                kilobytes += int(parts["Pss"]) - int(parts["Pss_Shmem"])
                files += len(list((folder / "fd").iterdir()))
                threads += len(list((folder / "task").iterdir()))
        return cls(kilobytes / 1000, files, threads, len(pids))


class Watch:
    """Looks at an instance every few seconds.

    Attributes:
        held: what each program and server held, with the time.
    """

    def __init__(self, site: Site) -> None:
        self.held: list[tuple[float, dict[str, Held]]] = []
        self._site = site
        threading.Thread(target=self._look, daemon=True).start()

    def _look(self) -> None:
        while True:
            now = time.perf_counter()
            processes = self._site.processes()
            self.held.append((now, {name: Held.by(pids) for name, pids in processes.items()}))
            time.sleep(LOOK_SECONDS)

    def during(self, name: str, begin: float, end: float) -> Held:
        """Return the medians of what a program held meanwhile."""
        there = [held[name] for at, held in self.held if begin <= at <= end and name in held] or [Held()]
        return Held(*(statistics.median(getattr(held, f.name) for held in there) for f in fields(Held)))


@contextmanager
def bank(site: Site) -> Iterator[psycopg.Connection]:
    """A connection to the bank's server."""
    from questionbank.core.locations import postgres_location

    location = postgres_location(site.var_dir)
    address = {"host": str(location.socket_directory), "dbname": location.database, "user": location.user}
    with psycopg.connect(**address, autocommit=True) as server:
        yield server


def school_of(site: Site, addresses: list[str]) -> School:
    """Choose what is asked for."""
    with bank(site) as server:
        questions = server.execute(
            "SELECT id, text FROM questionbank_question WHERE status = 'ready' AND language = 'en'"
            " AND import_run_id IS NOT NULL ORDER BY md5(id::text) LIMIT 3000"
        ).fetchall()
        concepts = server.execute(
            "SELECT concept_id FROM questionbank_questiontag GROUP BY 1 ORDER BY count(*) DESC LIMIT 200"
        ).fetchall()
    few = len(addresses) // 50
    return School(site, cycle(addresses[few:]), addresses[:few], questions, [pk for (pk,) in concepts])


def stored(site: Site) -> dict[str, tuple[int, float]]:
    """Return rows and MB of every table, of Redis (keys), and MB of the folders of `VAR_DIR`."""
    import redis

    from questionbank.core.locations import redis_location

    with bank(site) as server:
        tables = server.execute(
            "SELECT relname, n_tup_ins - n_tup_del, pg_total_relation_size(relid) / 1e6 FROM pg_stat_user_tables"
        ).fetchall()
    kept = {name.removeprefix("questionbank_"): (rows, float(size)) for name, rows, size in tables}
    with redis.Redis(unix_socket_path=str(redis_location(site.var_dir).socket_path)) as client:
        kept["(Redis)"] = (client.dbsize(), client.info("memory")["used_memory"] / 1e6)
    for folder in site.var_dir.iterdir():
        if folder.is_dir() and folder.name not in ("postgres", "redis"):
            sizes = [path.stat().st_size for path in folder.rglob("*") if path.is_file()]
            kept[f"({folder.name}/)"] = (len(sizes), sum(sizes) / 1e6)
    return kept


def busy_seconds() -> float:
    """Return the processor time that all programs of the machine have used."""
    user, nice, system, _idle, _wait, *interrupts = map(
        int, Path("/proc/stat").read_text().splitlines()[0].split()[1:9]
    )
    return (user + nice + system + sum(interrupts)) / os.sysconf("SC_CLK_TCK")


def settle(site: Site, minutes: float) -> None:
    """Wait until no job waits or runs, and say where some still do."""
    deadline = time.monotonic() + 60 * minutes
    statement = "SELECT count(*) FROM questionbank_run WHERE state IN ('queued', 'running')"
    with bank(site) as server:
        while unfinished := server.execute(statement).fetchone()[0]:
            if time.monotonic() > deadline:
                print(f"unfinished jobs while this is measured: {unfinished}")
                return
            time.sleep(1)


def main() -> int:
    """Print tables."""
    options = read_options(questions=20_000, rate=30.0, minutes=10.0, settle=20.0)
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")  # for the mark of a text that was looked at
    django.setup()
    addresses = prepare_bank(options.questions, options.data, options.keep)
    seconds = 60 * options.minutes
    pairs = int(options.rate * (seconds + WARM_UP) * REVIEWS / 100) + 200
    with serving(options.keep / f"bank-{options.questions}", TEACHERS, REVIEWERS, pairs) as site:
        arrivals, chance = Arrivals(school_of(site, addresses)), random.Random(1)
        settle(site, options.settle)
        arrivals.come(options.rate, WARM_UP, chance)
        watch, before, kept = Watch(site), len(arrivals.answers), stored(site)
        used, busy, own = site.processor_seconds(), busy_seconds(), time.process_time()
        began = time.perf_counter()
        arrivals.come(options.rate, seconds, chance)
        ended = time.perf_counter()
        used, busy, own = site.processor_seconds() - used, busy_seconds() - busy, time.process_time() - own
        answers, kept_later = arrivals.answers[before:], stored(site)
        names = list(watch.held[-1][1])
        first = {name: watch.during(name, began, began + MINUTE) for name in names}
        last = {name: watch.during(name, ended - MINUTE, ended) for name in names}
    print_pages(answers)
    cores = (os.cpu_count() or 1) * (ended - began)
    print(f"{len(answers) / (ended - began):.1f} requests a second for {(ended - began) / 60:.1f} minutes")
    print(
        f"processors: site and PostgreSQL {used / cores:.0%} ({1000 * used / len(answers):.0f} ms a request),"
        f" this program {own / cores:.0%}, the whole machine {busy / cores:.0%};"
        f" load at the end {', '.join(f'{load:.1f}' for load in os.getloadavg())}\n"
    )
    print_growth(first, last)
    for name, (rows, size) in sorted(kept_later.items()):
        rows_before, size_before = kept.get(name, (0, 0.0))
        if rows != rows_before or size - size_before >= 0.1:
            print(f"{name:44}{rows - rows_before:+8} rows or files{size - size_before:+10.1f} MB")
    statuses = Counter(answer.status for answer in answers)
    errors = sum(count for status, count in statuses.items() if not 200 <= status < 400)
    p99 = float(np.quantile([answer.seconds for answer in answers], 0.99))
    aim("no answer is an error", not errors)
    aim(f"p99 {p99:.2f} s at most {MOST_SECONDS:.0f} s", p99 <= MOST_SECONDS)
    grown = [
        name
        for name, then in first.items()
        if last[name].memory > max(MOST_GROWTH * then.memory, then.memory + LEAST_GROWTH)
    ]
    aim(f"memory flat{''.join(f', but {name}' for name in grown)}", not grown)
    return 1 if errors else 0


def print_pages(answers: list[Answer]) -> None:
    """One line a page, and one for all."""
    print(f"\n{'':24}{'n':>8}{'p50 s':>8}{'p95 s':>8}{'p99 s':>8}{'max s':>8}  statuses")
    for name in [*PAGES, REVIEW, "all"]:
        chosen = [answer for answer in answers if name in (answer.page, "all")]
        times = np.array([answer.seconds for answer in chosen] or [np.nan])
        quantiles = "".join(f"{np.quantile(times, q):8.2f}" for q in (0.5, 0.95, 0.99, 1.0))
        statuses = sorted(Counter(answer.status for answer in chosen).items())
        print(f"{name:24}{len(chosen):8}{quantiles}  {', '.join(f'{n} x {status}' for status, n in statuses)}")


def print_growth(first: Mapping[str, Held], last: Mapping[str, Held]) -> None:
    """One line a program or server: the first minute's medians against the last's."""
    print(f"{'first minute -> last':24}{'MB':>20}{'files':>14}{'threads':>14}{'processes':>14}")
    for name, then in first.items():
        now = last[name]
        pairs = ((then.files, now.files), (then.threads, now.threads), (then.processes, now.processes))
        counts = "".join(f"{f'{a:.0f} -> {b:.0f}':>14}" for a, b in pairs)
        print(f"{name:24}{f'{then.memory:.0f} -> {now.memory:.0f}':>20}{counts}")


if __name__ == "__main__":
    sys.exit(main())
