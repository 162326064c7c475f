"""PostgreSQL and Redis installed with pip and started automatically.

Plain Python without Django. Importing starts nothing; `ensure(var_dir)` starts what is not running, and the last
process to use a server stops it at exit. Linux only; on other systems set DATABASE_URL and REDIS_URL.
Rationale: docs/decisions/0002-embedded-servers.md.

    postgres.py redis.py    start, stop and status of one server
    server.py               a detached process that any other process can find; safe folders
    ownership.py            who uses a server: ensure, release
    supervisor.py           keeps the programs of `manage.py serve` and the servers running
    programs.py             which programs these are, a running one, its log
    instance.py             one supervisor per VAR_DIR, and the machine's memory
"""

from questionbank.core.errors import AlreadyRunning, EmbeddedError
from questionbank.local.ownership import SERVICES, ensure, needs_embedded, release

__all__ = ["SERVICES", "AlreadyRunning", "EmbeddedError", "ensure", "needs_embedded", "release"]
