"""PostgreSQL and Redis that install with pip and start by themselves.

Plain Python without Django. Importing starts nothing; `ensure(var_dir)` starts what is missing, and
whoever uses a server last stops it at exit. Linux only: elsewhere set DATABASE_URL and REDIS_URL.
Why it is so: docs/decisions/0002-embedded-servers.md.

    locations.py            where everything lies: a function of VAR_DIR
    folders.py              making these folders safely
    postgres.py redis.py    start, stop, status of one server
    server.py               a detached process that any other process finds again
    ownership.py lock.py    who uses a server: ensure, release
    supervisor.py child.py  keeps the child processes of `manage.py serve` running
    programs.py             which child processes these are
    caretaker.py            what else it looks after
    preparation.py          who loads beforehand waits until the installation is prepared
    machine.py              how much memory there is
    instance.py             one supervisor a VAR_DIR
"""

from questionbank.local.errors import AlreadyRunning, EmbeddedError
from questionbank.local.ownership import SERVICES, ensure, needs_embedded, release

__all__ = ["SERVICES", "AlreadyRunning", "EmbeddedError", "ensure", "needs_embedded", "release"]
