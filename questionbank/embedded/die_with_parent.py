"""Run a command that the kernel kills when its parent ends: `die_with_parent.py PARENT_PID COMMAND ...`.

A supervisor that is itself killed with kill -9 can no longer stop its children. Run as a script, by
path, without site-packages: it costs some 20 ms and imports nothing of ours.
"""

import ctypes
import os
import signal
import sys
from collections.abc import Sequence

_PR_SET_PDEATHSIG = 1


def dying_with_us(command: Sequence[str]) -> list[str]:
    """Return the command line of a command that ends when this process ends, however that ends."""
    return [sys.executable, "-I", "-S", __file__, str(os.getpid()), *command]


def main(parent: int, command: list[str]) -> None:
    """Ask the kernel for the signal, then become the command."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:  # it ended before we asked
        sys.exit(1)
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # Python ignores it, and a command would inherit that
    try:
        os.execvp(command[0], command)  # noqa: S606
    except OSError as error:
        sys.exit(f"{command[0]}: {error.strerror}")


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2:])
