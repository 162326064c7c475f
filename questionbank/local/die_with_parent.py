"""Run a command that the kernel kills when its parent exits: `die_with_parent.py PARENT_PID NICENESS COMMAND ...`.

A supervisor killed with kill -9 can no longer stop its children. Run as a script, by path, without site-packages: it
takes about 20 ms and imports nothing of ours.
"""

import ctypes
import os
import signal
import sys
from collections.abc import Sequence
from contextlib import suppress

_PR_SET_PDEATHSIG = 1


def dying_with_us(command: Sequence[str], *, niceness: int = 0) -> list[str]:
    """Wrap a command so that it ends when this process ends, for whatever reason."""
    return [sys.executable, "-I", "-S", __file__, str(os.getpid()), str(niceness), *command]


def give_way(niceness: int) -> None:
    """Lower the CPU priority, more so for a higher number; 0 changes nothing."""
    os.nice(niceness)
    if niceness and os.getsid(0) == os.getpid():  # kernels may first share processors among sessions
        with suppress(OSError), open("/proc/self/autogroup", "w") as group:  # noqa: PTH123 - starts quickly
            group.write(str(niceness))


def main(parent: int, niceness: int, command: list[str]) -> None:
    """Request the signal from the kernel, then execute the command."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:  # it exited before the request
        sys.exit(1)
    give_way(niceness)
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # Python ignores it, and the command would inherit that
    try:
        os.execvp(command[0], command)  # noqa: S606
    except OSError as error:
        sys.exit(f"{command[0]}: {error.strerror}")


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:])
