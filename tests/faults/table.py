"""The faults of a round: each happens to a running instance, and nobody but Kindred mends what it did.

A fault that is impossible on this machine raises `Skipped` with the reason.
"""

from __future__ import annotations

import os
import random
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from urllib.parse import urlencode

import redis

from questionbank.core.locations import postgres_location, redis_location
from questionbank.local.server import is_alive, is_stopped
from tests.faults.instance import QUEUES, Instance, Skipped, administer, wait_for
from tests.faults.machine import second_machine, wrong_clock
from tests.hostile import SKIPPED, VALUES, addresses
from tests.pooler import admit, pgbouncer, running_pooler

Fault = Callable[[Instance, random.Random], None]

_GROUPS = Path("/sys/fs/cgroup")
POOLED_SECONDS = 10.0
SLOW_CLIENTS = 24  # three for each thread of the site
PARAMETERS = (
    "q", "page", "cursor", "hierarchy", "concept", "concepts", "status", "order", "language", "difficulty_min",
    "owner", "id", "state", "kind", "grade", "source", "seed", "long", "_selected_action",
)  # fmt: skip


def _signal(pids: Iterable[int], which: signal.Signals) -> None:
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, which)


def kill(name: str) -> Fault:
    """kill -9 of a program, a server, or the process of a worker that does a job."""

    def fault(instance: Instance, chance: random.Random) -> None:
        family = instance.family("worker-default")[1:] if name == "job" else instance.family(name)
        if not family:
            raise Skipped(f"there is no process of {name}")
        _signal(family[:1], signal.SIGKILL)

    return fault


def stall(*names: str, with_children: bool = True) -> Fault:
    """SIGSTOP of programs or servers and of their children, until the supervisor has all go on."""

    def fault(instance: Instance, chance: random.Random) -> None:
        stopped = []
        for name in names:
            family = instance.family("worker-default")[1:] if name == "job" else instance.family(name)
            stopped += family if with_children else family[:1]
        if not stopped:
            raise Skipped(f"there is no process of {' or '.join(names)}")
        _signal(stopped, signal.SIGSTOP)
        wait_for(lambda: not any(map(is_stopped, stopped)), "what was stopped to go on", instance.log)

    return fault


def hang_connections(instance: Instance, chance: random.Random) -> None:
    """Every connection to PostgreSQL that is open stays so and answers nothing; new ones work."""
    backends = [
        pid for (pid,) in instance.sql("SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend'")
    ]
    _signal(backends, signal.SIGSTOP)
    wait_for(lambda: not any(map(is_stopped, backends)), "connections to go on", instance.log)


def stall_behind_pooler(instance: Instance, chance: random.Random) -> None:
    """Everything goes through PgBouncer, and PostgreSQL does not answer for ten seconds.

    Raises:
        Skipped: PgBouncer is not installed.
    """
    if pgbouncer() is None:
        raise Skipped("PgBouncer is not installed")
    database, folder = postgres_location(instance.var_dir), instance.folder / "pooler"
    folder.mkdir(exist_ok=True)
    admit(database.home)
    administer(database, "SELECT pg_reload_conf()")
    with running_pooler(folder, str(database.socket_directory)) as port:
        address = f"postgres://{database.user}@127.0.0.1:{port}/{database.database}"
        instance.environment["DATABASE_POOLER_URL"] = address
        instance.restart()
        try:
            time.sleep(chance.uniform(0, 3))
            server = instance.family("postgres")
            _signal(server, signal.SIGSTOP)
            time.sleep(POOLED_SECONDS)
            _signal(server, signal.SIGCONT)
            wait_for_the_site(instance)
        finally:
            del instance.environment["DATABASE_POOLER_URL"]
    instance.restart()


def empty_redis(instance: Instance, chance: random.Random) -> None:
    """All messages, locks and counters are gone, up to three times."""
    for _time in range(chance.randint(1, 3)):
        with (
            suppress(redis.RedisError),
            redis.Redis(unix_socket_path=str(redis_location(instance.var_dir).socket_path)) as client,
        ):
            client.flushall()
        time.sleep(chance.uniform(0, 2))


def lose_power(instance: Instance, chance: random.Random) -> None:
    """Everything is killed at once, and started again."""
    instance.lose_power()
    instance.start()


def wrong_second_machine(instance: Instance, chance: random.Random) -> None:
    """For some seconds a second machine works whose clock is ten minutes off; its `beat` is the second one."""
    with second_machine(instance, wrong_clock(chance.choice([-10, 10]))):
        time.sleep(chance.uniform(8, 15))


def silent_connections(instance: Instance, chance: random.Random) -> None:
    """A second machine's connections stay open and never answer again; it finds that out, and works on."""
    beats = "SELECT count(*) FROM questionbank_workerheartbeat WHERE name LIKE 'second@%%' AND seen_at > %s"
    with second_machine(instance) as proxy:
        long_ago = "2000-01-01"
        wait_for(lambda: instance.value(beats, long_ago), "a second worker", instance.log)
        time.sleep(chance.uniform(0, 5))
        proxy.fall_silent()
        silent_since = instance.value("SELECT clock_timestamp() + interval '5 seconds'")
        wait_for(lambda: instance.value(beats, silent_since), "the second worker to come back", instance.log)


@contextmanager
def little_memory(pid: int, *, spare: int) -> Iterator[None]:
    """Put a process into a control group in which it may take hardly more than so many bytes.

    Raises:
        Skipped: no such group can be made here.
    """
    is_unified = (_GROUPS / "cgroup.procs").exists()
    parent = _GROUPS if is_unified else _GROUPS / "memory"
    limit = "memory.max" if is_unified else "memory.limit_in_bytes"
    group = parent / f"kindred-faults-{os.getpid()}"
    try:
        group.mkdir()
        (group / limit).write_text(str(1_000_000 + spare))
        (group / "cgroup.procs").write_text(str(pid))
    except OSError as error:
        with suppress(OSError):
            group.rmdir()
        raise Skipped(f"no control group can be made here: {error}") from error
    try:
        yield
    finally:
        with suppress(OSError):
            (parent / "cgroup.procs").write_text(str(pid))
        for _attempt in range(50):
            with suppress(OSError):
                group.rmdir()
                break
            time.sleep(0.1)


def end_for_memory(instance: Instance, chance: random.Random) -> None:
    """The kernel kills the process of a job because it takes more memory than it may."""
    pids = instance.family("worker-default")[1:]
    if not pids:
        raise Skipped("there is no process of a job")
    with little_memory(pids[0], spare=chance.choice([0, 4_000_000])):
        deadline = time.monotonic() + 15
        while is_alive(pids[0]) and time.monotonic() < deadline:
            time.sleep(0.2)


def damaged_models(instance: Instance, chance: random.Random) -> None:
    """The files of every model are damaged while the site starts again, and put right later; pages answer meanwhile."""
    files = [path for path in (instance.var_dir / "artifacts").rglob("*") if path.is_file()]
    if not files:
        raise Skipped("there are no models")
    kept = {path: path.read_bytes() for path in files}
    for path, content in kept.items():
        path.write_bytes(content[: len(content) // 2] + b"damage" + content[len(content) // 2 + 6 :])
    try:
        kill("web")(instance, chance)
        wait_for_the_site(instance)
        pages_answer(instance, ["/questions/?q=apples", "/models/", "/health/details/"])
    finally:
        for path, content in kept.items():
            if path.exists():
                path.write_bytes(content)
        kill("web")(instance, chance)


def damaged_vectors(instance: Instance, chance: random.Random) -> None:
    """Vectors that are nothing but zeros, or of another length; the pages that compare answer."""
    chosen = instance.sql(
        "SELECT id, question_id FROM questionbank_questionembedding WHERE vector IS NOT NULL ORDER BY random() LIMIT 6"
    )
    if not chosen:
        raise Skipped("there are no vectors")
    ids = ", ".join(str(pk) for pk, _question in chosen)
    kept = f"questionbank_questionembedding WHERE id IN ({ids})"
    before = instance.sql(f"SELECT id, vector::text FROM {kept}")
    instance.sql(
        f"UPDATE questionbank_questionembedding SET vector = (SELECT array_agg(0.0) FROM generate_series(1,"
        f" vector_dims(vector::vector)))::halfvec WHERE id IN ({ids}) RETURNING id"
    )
    try:
        pages_answer(instance, [f"/questions/{question}/" for _pk, question in chosen])
        kinships = ("wording", "purpose", "structure")
        pages_answer(instance, [f"/questions/{question}/similar/{k}/" for _pk, question in chosen for k in kinships])
    finally:
        for pk, vector in before:
            instance.sql(
                "UPDATE questionbank_questionembedding SET vector = %s::halfvec WHERE id = %s RETURNING id", vector, pk
            )


def pages_answer(instance: Instance, paths: Iterable[str]) -> None:
    """Read pages, which may be missing or wait, and must not fail.

    Raises:
        AssertionError: one answers 500.
    """
    broken = [path for path in paths if instance.get(path)[0] == 500]
    assert not broken, f"pages that answered 500: {broken}\n{instance.log()}"


def restore_under_load(instance: Instance, chance: random.Random) -> None:
    """The bank goes back to a backup while people and jobs work; jobs that the backup holds go on."""
    folder = instance.folder / "backups"
    folder.mkdir(exist_ok=True)
    backup = folder / f"restored-{chance.randrange(10**9)}.tar"
    code, _said, complained = instance.finish("backup", str(backup))
    assert code == 0, complained
    instance.is_restored = True
    code, _said, complained = instance.finish("restore", "--force", str(backup))
    assert code == 0, complained
    instance.open_session()
    backup.unlink()


def restart_postgres(instance: Instance, chance: random.Random) -> None:
    """An orderly restart, up to three times."""
    for _restart in range(chance.randint(1, 3)):
        instance.restart_postgres()
        time.sleep(chance.uniform(0, 2))


def kill_supervisor(instance: Instance, chance: random.Random) -> None:
    """The whole installation but its servers ends at once, and is started again."""
    instance.restart()


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


def full_disk(instance: Instance, chance: random.Random) -> None:
    """For some seconds the disk of files, database and logs has hardly a byte left."""
    disk = instance.disk()
    disk.shrink(spare=chance.choice([0, 1_000_000, 3_000_000]))
    try:
        time.sleep(chance.uniform(2, 8))
    finally:
        disk.grow()


def slow_clients(instance: Instance, chance: random.Random) -> None:
    """Clients who trickle headers or bodies for some seconds; the site answers others meanwhile."""
    head = f"POST /accounts/login/ HTTP/1.1\r\nHost: 127.0.0.1:{instance.port}\r\n"
    body = "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 5000\r\n\r\nlogin="
    with ExitStack() as stack:
        clients = []
        for number in range(SLOW_CLIENTS):
            with suppress(OSError):
                address = ("127.0.0.1", instance.port)
                client = stack.enter_context(socket.create_connection(address, timeout=2))
                client.sendall((head + (body if number % 2 else "")).encode())
                clients.append((client, b"x" if number % 2 else b"X-Slow: 1\r\n"))
        ends = time.monotonic() + chance.uniform(2, 6)
        is_answered = False
        while not is_answered or time.monotonic() < ends:
            for client, piece in clients:
                with suppress(OSError):
                    client.sendall(piece)
            is_answered = is_answered or instance.get("/questions/", timeout=5)[0] == 200
            if time.monotonic() > ends + 120:
                raise AssertionError(f"slow clients keep the site from answering\n{instance.log()}")
            time.sleep(0.2)


def hostile_parameters(instance: Instance, chance: random.Random) -> None:
    """Values that nobody types, sent to any address."""
    here = sorted({path for name, path in addresses() if name not in SKIPPED})
    broken = []
    for _request in range(20):
        path, name, value = chance.choice(here), chance.choice(PARAMETERS), chance.choice(VALUES)
        status, _headers = instance.get(f"{path}?{urlencode({name: value[:1500]})}")
        if status == 500:
            broken.append((path, name, value[:12]))
    if broken:
        raise AssertionError(f"pages that answered 500: {broken}\n{instance.log()}")


def wait_for_the_site(instance: Instance) -> None:
    """Wait until pages answer again."""
    wait_for(lambda: instance.get("/questions/")[0] == 200, "the site", instance.log)


_PROGRAMS = ("web", *(f"worker-{queue}" for queue in QUEUES))
FAULTS: Mapping[str, Fault] = {
    **{f"kill {name}": kill(name) for name in (*_PROGRAMS, "job", "postgres", "redis")},
    "full disk": full_disk,
    "hostile parameters": hostile_parameters,
    "restart postgres": restart_postgres,
    "slow clients": slow_clients,
    **{f"stall {name}": stall(name) for name in (*_PROGRAMS, "job", "postgres", "redis")},
    "stall everything": stall(*_PROGRAMS, "redis"),
    "hang connections": hang_connections,
    "stall postgres behind pooler": stall_behind_pooler,
    "empty redis": empty_redis,
    "lose power": lose_power,
    "second machine with a wrong clock": wrong_second_machine,
    "silent connections": silent_connections,
    "end for memory": end_for_memory,
    "damaged models": damaged_models,
    "damaged vectors": damaged_vectors,
    "restore under load": restore_under_load,
    "kill backup": kill_backup,
    "kill supervisor": kill_supervisor,
}
