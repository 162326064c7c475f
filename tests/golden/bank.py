"""The demo bank that parts ask: set up once for each state of the product, copied for each part."""

from __future__ import annotations

import hashlib
import logging
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

BASE_DIR = Path(__file__).resolve().parents[2]
BANKS = BASE_DIR / "var" / "golden-banks"
_PRODUCT = ("analytics", "questionbank", "worker", "templates", "manage.py")


def product_digest() -> str:
    """Return a digest of the product's files: two trees with the same one make the same bank."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", *_PRODUCT],
        cwd=BASE_DIR, capture_output=True, check=True, text=True,
    )  # fmt: skip
    found = hashlib.sha256()
    for name in sorted(filter(None, listed.stdout.split("\0"))):
        if (path := BASE_DIR / name).is_file():
            found.update(name.encode() + b"\0" + path.read_bytes())
    return found.hexdigest()[:12]


def make_bank() -> Path:
    """Return the folder of this product's demo bank; makes it if there is none, and deletes those of other states."""
    folder = BANKS / product_digest()
    if (folder / "complete").exists():
        return folder
    sys.stderr.write("Setting up the demo bank of this tree (2 to 8 minutes) ...\n")
    shutil.rmtree(BANKS, ignore_errors=True)
    folder.mkdir(parents=True)
    environment = {
        **os.environ,
        **fixed_environment(folder),
        "DEMO": "1",
        "DJANGO_SETTINGS_MODULE": "questionbank.settings",
    }
    command = [sys.executable, "manage.py", "prepare"]
    subprocess.run(command, cwd=BASE_DIR, env=environment, check=True, stdout=subprocess.DEVNULL)
    (folder / "complete").touch()
    return folder


def fixed_environment(var_dir: Path) -> dict[str, str]:
    """Return the environment in which two processes compute the same."""
    return {
        "VAR_DIR": str(var_dir),
        "TEST_VAR_DIR": str(var_dir),
        "DJANGO_SETTINGS_MODULE": "tests.settings",
        "HF_HUB_OFFLINE": "1",
        "OMP_NUM_THREADS": "1",
        "PYTHONHASHSEED": "0",
        "PYTHONPATH": str(BASE_DIR),
        "TZ": "UTC",
    }


def open_copy(part: str) -> None:
    """Set Django up with a copy of the bank of `VAR_DIR`, so that no part sees what another has changed."""
    from tests.golden import product

    product.start_servers(Path(os.environ["VAR_DIR"]))
    import django
    import psycopg
    from django.conf import settings

    database = settings.DATABASES["default"]
    copy = f"golden_{part}"
    with psycopg.connect(host=database["HOST"], user=database["USER"], dbname="postgres", autocommit=True) as server:
        server.execute(f"DROP DATABASE IF EXISTS {copy}")
        server.execute(f"CREATE DATABASE {copy} TEMPLATE {database['NAME']}")
    database["NAME"] = copy
    settings.ALLOWED_HOSTS = ["testserver"]
    django.setup()
    logging.disable(logging.WARNING)  # a line per request
    time.monotonic = lambda: 1e6  # what a process checks again after some seconds it must check never or always
