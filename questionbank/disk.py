"""Free space on the disk, asked before work that would fill it."""

from __future__ import annotations

import shutil
from pathlib import Path

from django.template.defaultfilters import filesizeformat

from questionbank.errors import ServiceUnavailable

RESERVE = 200_000_000  # bytes that stay free: PostgreSQL, Redis and the logs need some


def free_bytes(folder: Path) -> int:
    """Return the bytes free where a folder is, or would be made."""
    existing = next(path for path in (folder.absolute(), *folder.absolute().parents) if path.exists())
    return shutil.disk_usage(existing).free


def has_space(folder: Path, needed: int) -> bool:
    """Tell whether `needed` bytes can be written and the reserve stays."""
    return free_bytes(folder) >= needed + RESERVE


def require_space(folder: Path, needed: int, *, what: str, remedy: str = "") -> None:
    """Check before work that writes about `needed` bytes.

    Args:
        what: the work, as the sentence begins: "The import".
        remedy: what to do, for people who cannot free the disk themselves.

    Raises:
        ServiceUnavailable: there is not enough space; the sentence says how much there is and is needed.
    """
    if not has_space(folder, needed):
        sentence = "%(what)s needs about %(needed)s of free disk space in %(folder)s; %(free)s are free."
        raise ServiceUnavailable(
            f"{sentence} {remedy}".strip()
            % {
                "what": what,
                "needed": filesizeformat(needed + RESERVE),
                "folder": folder,
                "free": filesizeformat(free_bytes(folder)),
            }
        )
