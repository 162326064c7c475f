"""Creating folders and files of the embedded servers so that nobody else can have tampered with them."""

import os
import pwd
import stat
from pathlib import Path
from typing import BinaryIO

from analytics.atomic_file import written_aside
from questionbank.core.errors import EmbeddedError
from questionbank.core.locations import state_parent


def own_folder(path: Path, mode: int, owner: pwd.struct_passwd | None = None) -> None:
    """Create `path` with exactly `mode`, or check that it is its owner's folder and closed to others.

    Args:
        path: Its parent must exist.
        mode: For a new folder; an existing one is never widened.
        owner: The current user if None.

    Raises:
        EmbeddedError: Something else exists there, or it belongs to somebody else.
    """
    owner_id = os.geteuid() if owner is None else owner.pw_uid
    try:
        path.mkdir(mode=0o700)
    except FileExistsError:
        status = path.lstat()
        if not stat.S_ISDIR(status.st_mode):
            raise EmbeddedError(f"{path} is in the way: it is not a folder.") from None
        if status.st_uid != owner_id:
            raise EmbeddedError(
                f"{path} belongs to {_user_name(status.st_uid)} and not to {_user_name(owner_id)}: "
                "run Kindred as the user who began it, or choose another VAR_DIR."
            ) from None
        path.chmod(stat.S_IMODE(status.st_mode) & mode)
        return
    path.chmod(mode)  # before changing the owner: afterwards we lack permission
    if owner is not None:
        os.chown(path, owner.pw_uid, owner.pw_gid, follow_symlinks=False)


def folder_for(path: Path, mode: int, owner: pwd.struct_passwd | None = None) -> None:
    """Like `own_folder`, but also create missing parents."""
    passage = 0o711 if os.geteuid() == 0 else 0o700
    for parent in reversed(path.parents):
        if parent == state_parent() or state_parent() in parent.parents:
            own_folder(parent, passage)
    path.parent.mkdir(parents=True, exist_ok=True)
    own_folder(path, mode, owner)


def write_file(path: Path, text: str) -> None:
    """Write a file readable by all, via a temporary file, so that no reader sees it incomplete."""
    with written_aside(path, mode=0o644) as file:
        file.write(text.encode())


def open_log(path: Path, *, max_bytes: int = 10_000_000) -> BinaryIO:
    """Open a log readable only by us; one larger than `max_bytes` is first rotated to `<name>.1`."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.exists() and path.stat().st_size > max_bytes:
        path.replace(path.with_name(path.name + ".1"))
    return os.fdopen(os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600), "ab", buffering=0)


def _user_name(user_id: int) -> str:
    try:
        return pwd.getpwuid(user_id).pw_name
    except KeyError:
        return f"user {user_id}"
