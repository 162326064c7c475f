"""Starting the embedded servers that a command needs before it runs."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import django
from django.core.management import get_commands, load_command_class
from django.core.management.base import CommandError


def start_servers_for(command: str, arguments: Sequence[str]) -> None:
    """Start the servers that `command` needs and that `DATABASE_URL` or `REDIS_URL` do not provide.

    A command lists them in its attribute `servers`; Django's own commands get PostgreSQL. Unknown commands and invalid
    arguments start nothing: Django reports them. With `--help` the process exits here.
    """
    django.setup()
    from questionbank import local as embedded
    from questionbank.core.env import environment, var_dir
    from questionbank.core.errors import KindredError

    app_name = get_commands().get(command)
    if app_name is None:
        return
    instance = load_command_class(app_name, command) if isinstance(app_name, str) else app_name
    try:
        instance.create_parser("manage.py", command).parse_args(arguments)
    except CommandError:
        return
    required = set(getattr(instance, "servers", ("postgres",)))
    if environment("DATABASE_URL"):
        required.discard("postgres")
    if environment("REDIS_URL"):
        required.discard("redis")
    try:
        if required:
            embedded.ensure(var_dir(), services=required)
    except (KindredError, embedded.EmbeddedError) as error:
        sys.exit(f"Error: {error}")
