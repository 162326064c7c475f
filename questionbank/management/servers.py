"""Which embedded servers a command needs, started before it runs."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import django
from django.core.management import get_commands, load_command_class
from django.core.management.base import CommandError


def start_servers_for(command: str, arguments: Sequence[str]) -> None:
    """Start what `command` needs and is not given by `DATABASE_URL` or `REDIS_URL`.

    A command says so in its attribute `servers`; Django's own get PostgreSQL. Unknown commands and wrong
    arguments start nothing: Django reports them. With `--help` the process ends here.
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
