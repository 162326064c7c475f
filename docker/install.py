"""`install.py ARGUMENTS`: `pip install`, by uv where it can be had, which takes a fraction of the time.

uv reads none of pip's settings, so it is given those that say where packages come from. Where it cannot be installed,
or fails, pip installs.
"""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from importlib.util import find_spec

PIP = (sys.executable, "-m", "pip")
UV = "uv==0.13.9"

# A setting of pip -> uv's option.
OPTIONS = {
    "index-url": "--default-index",
    "extra-index-url": "--index",
    "find-links": "--find-links",
    "constraint": "--constraint",
    "trusted-host": "--allow-insecure-host",
}


def main(arguments: list[str]) -> int:
    """Install, and return the exit code."""
    if _has_uv():
        settings = pip_settings(_output(*PIP, "config", "list"))
        command = [sys.executable, "-m", "uv", "pip", "install", "--python", sys.executable]
        # as pip chooses: the newest version, wherever it is
        command += ["--index-strategy", "unsafe-best-match", *uv_options(settings), *arguments]
        environment = {**os.environ, **({"SSL_CERT_FILE": settings["cert"]} if "cert" in settings else {})}
        if subprocess.run(command, env=environment, check=False).returncode == 0:
            return 0
        sys.stderr.write("uv failed, so pip installs the packages: it takes some minutes.\n")
    return subprocess.run([*PIP, "install", "--quiet", "--no-compile", *arguments], check=False).returncode


def pip_settings(listed: str) -> dict[str, str]:
    """Return pip's settings by name from `pip config list`; those of the environment overrule files."""
    settings = {}
    lines = [line.partition("=") for line in listed.splitlines()]
    for section in ("global.", "install.", ":env:."):
        for key, _, value in lines:
            if key.startswith(section):
                settings[key.removeprefix(section)] = str(ast.literal_eval(value))
    return settings


def uv_options(settings: dict[str, str]) -> list[str]:
    """Return uv's options for pip's settings; of some there may be several values."""
    return [
        word for name, option in OPTIONS.items() for value in settings.get(name, "").split() for word in (option, value)
    ]


def _has_uv() -> bool:
    """Return whether uv is installed, after trying to install it."""
    if find_spec("uv") is None:
        command = [*PIP, "install", "--quiet", "--no-compile", UV]
        return subprocess.run(command, stderr=subprocess.DEVNULL, check=False).returncode == 0
    return True


def _output(*command: str) -> str:
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False).stdout


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
