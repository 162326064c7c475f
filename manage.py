#!/usr/bin/env python
"""Kindred's command line; it starts the embedded servers that a command needs."""

from __future__ import annotations

import os
import sys

# Commands that touch neither database nor broker.
WITHOUT_SERVERS = {
    "", "help", "--help", "-h", "version", "--version", "check", "collectstatic",
    "diffsettings", "findstatic", "startapp",
}  # fmt: skip


def main() -> None:
    """Run one command."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "questionbank.settings")
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")  # why: analytics/training/context.py
    command = sys.argv[1] if len(sys.argv) > 1 else ""
    if command == "serve":  # runs for as long as the site, and without Django
        from questionbank.serve import main as serve

        sys.exit(serve(sys.argv[2:]))
    if command in ("version", "--version"):
        from questionbank.core.migrations import release

        sys.stdout.write(f"Kindred {release()}\n")
        return
    from django.core.management import execute_from_command_line

    if command not in WITHOUT_SERVERS or "--database" in sys.argv:
        from questionbank.management.servers import start_servers_for

        start_servers_for(command, sys.argv[2:])
    execute_from_command_line(sys.argv)


if __name__ == "__main__":
    main()
