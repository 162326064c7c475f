"""`manage.py serve` as tests and benchmarks run it: with a bank of their own in the place of the demo bank."""

from __future__ import annotations

import os
import sys
from pathlib import Path

BASE_DIR = Path(__file__).resolve().parents[1]

_PREPARE = """
import sys
import django; django.setup()
from django.conf import settings
from django.core.management import CommandError, call_command
from questionbank.management.commands import prepare

def call(name, **options):
    if name == "setup_bank":
        {setup}
    elif name != "collectstatic" or not (settings.STATIC_ROOT / "staticfiles.json").exists():  # of an earlier start
        call_command(name, **options)

prepare.call_command = call
try:
    call_command("prepare")
except CommandError as error:
    sys.exit(f"Error: {{error}}")
"""
_SERVE = """
import sys
from questionbank import serve
serve.PREPARE = [sys.executable, "-c", {prepare!r}]
sys.exit(serve.main(sys.argv[1:]))
"""


def serve_command(setup: str = "pass") -> list[str]:
    """Return the command of a `manage.py serve` that runs these statements instead of `setup_bank`."""
    return [sys.executable, "-c", _SERVE.format(prepare=_PREPARE.format(setup=setup))]


def serve_environment(var_dir: Path, port: int) -> dict[str, str]:
    """Return the environment of an installation in `var_dir`, with servers of its own."""
    return {
        **{name: value for name, value in os.environ.items() if not name.endswith("_URL")},
        "DJANGO_SETTINGS_MODULE": "questionbank.settings",
        "DEMO": "1",
        "HF_HUB_OFFLINE": "1",
        "VAR_DIR": str(var_dir),
        "PORT": str(port),
        "PYTHONPATH": str(BASE_DIR),
    }
