"""How torch's threads wait. Torch-free, because it must be set before torch is imported.

By default the threads of an OpenMP loop spin while they wait for one another. On a machine with other load (a
database, a web server), spinning takes the processor away from that load, and from the thread that the others
wait for. With passive waiting, encoding was five to ten times as fast on two busy cores (decision 0004).
"""

from __future__ import annotations

import os


def wait_passively() -> None:
    """Make a process's threads yield the processor while they wait; call it at program start.

    It does nothing if ``OMP_WAIT_POLICY`` is already set, and has no effect once torch is imported.
    """
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
