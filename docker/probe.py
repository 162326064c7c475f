"""Health of one container: `probe.py wait | web | worker-default | worker-light | worker-train | beat`.

Exit code 0 or 1 with one sentence. It starts neither Django nor Celery, so that asking twice a minute
costs little.

    wait      until database and Redis answer, for two minutes at most
    web       the site answers /health/ with 200
    worker-*  the worker of this machine wrote its heartbeat within 45 seconds
    beat      the clock saved its schedule within ten minutes
"""

from __future__ import annotations

import http.client
import socket
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import psycopg
import redis

from questionbank.core.env import databases, environment, var_dir

WAIT_SECONDS = 120.0
SILENT_AFTER_SECONDS = 45
SCHEDULE_SAVED_WITHIN = 600.0  # it is saved every three minutes
TIMEOUT = 3


def main(role: str) -> None:
    """Exit with a sentence where the role is not healthy."""
    if role == "wait":
        wait_for_servers()
    elif role == "web":
        check_site()
    elif role.startswith("worker-"):
        check_worker(role.removeprefix("worker-"))
    elif role == "beat":
        check_clock()
    else:
        sys.exit(f"There is no role {role}.")


def connect() -> psycopg.Connection:
    """A connection to the bank's database."""
    found = databases()["default"]
    names = {"NAME": "dbname", "USER": "user", "PASSWORD": "password", "HOST": "host", "PORT": "port"}
    address = {names[key]: found[key] for key in names if found.get(key)}
    tls = {key: value for key, value in found["OPTIONS"].items() if key.startswith("ssl")}
    return psycopg.connect(**address, **tls, connect_timeout=TIMEOUT)


def wait_for_servers() -> None:
    """Wait until database and Redis take connections."""
    if not environment("DATABASE_URL") or not environment("REDIS_URL"):
        sys.exit("DATABASE_URL and REDIS_URL must be set.")
    deadline = time.monotonic() + WAIT_SECONDS
    while True:
        try:
            connect().close()
            with redis.Redis.from_url(
                environment("REDIS_URL"), socket_connect_timeout=TIMEOUT, socket_timeout=TIMEOUT
            ) as client:
                client.ping()
        except (psycopg.OperationalError, redis.RedisError) as error:
            if time.monotonic() > deadline:
                sys.exit(f"The servers did not answer within {WAIT_SECONDS:.0f} seconds: {error}")
            time.sleep(0.5)
        else:
            return


def check_site() -> None:
    """Ask the site how it is, under the name by which it lets itself be called."""
    allowed = environment("ALLOWED_HOSTS") or ["localhost"]
    connection = http.client.HTTPConnection("127.0.0.1", environment("PORT"), timeout=2 * TIMEOUT)
    try:
        connection.request("GET", "/health/", headers={"Host": allowed[0].lstrip(".*") or "localhost"})
        status = connection.getresponse().status
    except (OSError, http.client.HTTPException) as error:
        sys.exit(f"The site does not answer: {error}")
    if status != http.client.OK:
        sys.exit(f"The site answers {status}.")


def check_worker(queue: str) -> None:
    """Look for the heartbeat of this machine's worker for `queue`."""
    try:
        with connect() as connection:
            row = connection.execute(
                "SELECT 1 FROM questionbank_workerheartbeat"
                " WHERE name = %s AND seen_at > now() - make_interval(secs => %s)",
                [f"{queue}@{socket.gethostname()}", SILENT_AFTER_SECONDS],
            ).fetchone()
    except psycopg.Error as error:
        sys.exit(f"The database does not answer: {error}")
    if row is None:
        sys.exit(f"The worker for {queue} wrote no heartbeat for {SILENT_AFTER_SECONDS} seconds.")


def check_clock() -> None:
    """Look when the clock last saved its schedule."""
    saved = [path.stat().st_mtime for path in var_dir().glob("celerybeat-schedule*")]
    if not saved or time.time() - max(saved) > SCHEDULE_SAVED_WITHIN:
        sys.exit("The clock has not saved its schedule lately.")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) == 2 else "")
