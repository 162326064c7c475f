"""Run a command that the kernel kills when its parent ends: `die_with_parent.py PARENT_PID NICENESS COMMAND ...`.

A supervisor that is itself killed with kill -9 can no longer stop its children. Run as a script, by
path, without site-packages: it costs some 20 ms and imports nothing of ours.
"""

import ctypes
import os
import signal
import sys
from collections.abc import Sequence
from contextlib import suppress

_PR_SET_PDEATHSIG = 1


def dying_with_us(command: Sequence[str], *, niceness: int = 0) -> list[str]:
    """Return the command line of a command that ends when this process ends, however that ends."""
    return [sys.executable, "-I", "-S", __file__, str(os.getpid()), str(niceness), *command]


def give_way(niceness: int) -> None:
    """Leave the processors to others where they want them, the more the higher the number; 0 changes nothing."""
    os.nice(niceness)
    if niceness and os.getsid(0) == os.getpid():  # kernels may share processors out among sessions first
        with suppress(OSError), open("/proc/self/autogroup", "w") as group:  # noqa: PTH123 - starts quickly
            group.write(str(niceness))


def main(parent: int, niceness: int, command: list[str]) -> None:
    """Ask the kernel for the signal, then become the command."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:  # it ended before we asked
        sys.exit(1)
    give_way(niceness)
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # Python ignores it, and a command would inherit that
    try:
        os.execvp(command[0], command)  # noqa: S606
    except OSError as error:
        sys.exit(f"{command[0]}: {error.strerror}")


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:])
