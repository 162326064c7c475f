"""Two processes that train together, as torchrun would start them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def run_two(module: str, folder: Path) -> None:
    """Run ``python -m MODULE FOLDER`` twice at once, and wait until both have ended well."""
    started = [
        subprocess.Popen(
            [sys.executable, "-m", module, str(folder)],
            cwd=ROOT,
            env={**os.environ, "RANK": str(rank), "WORLD_SIZE": "2", "OMP_NUM_THREADS": "1"},
            stderr=subprocess.PIPE,
            text=True,
        )
        for rank in range(2)
    ]
    try:
        for process in started:
            _, errors = process.communicate(timeout=600)
            assert process.returncode == 0, errors
    finally:
        for process in started:
            process.kill()
