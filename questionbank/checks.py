"""System checks: what an installation must have."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.core.checks import CheckMessage, Error, Tags, register
from django.db import connections
from django.db.utils import OperationalError
from django.template import TemplateDoesNotExist
from django.template.loader import get_template

from analytics.capability import Capability
from analytics.catalog import CAPABILITIES, lenses
from analytics.configuration import field_specs
from questionbank.capabilities.catalog import BANK_CAPABILITIES
from questionbank.capabilities.contract import BankCapability

PGVECTOR_MINIMUM = (0, 8, 4)


def parse_version(version: str) -> tuple[int, ...]:
    """Turn ``"0.8.5"`` into ``(0, 8, 5)``."""
    return tuple(int(part) for part in version.split("."))


@register(Tags.database)
def check_pgvector(databases: Sequence[str] | None = None, **kwargs: Any) -> list[CheckMessage]:
    """Refuse a server without pgvector, or with one older than `PGVECTOR_MINIMUM`."""
    problems: list[CheckMessage] = []
    wanted = ".".join(map(str, PGVECTOR_MINIMUM))
    for alias in databases or ():
        try:
            with connections[alias].cursor() as cursor:
                cursor.execute("SELECT default_version FROM pg_available_extensions WHERE name = 'vector'")
                row = cursor.fetchone()
        except OperationalError:
            continue  # not reachable: whoever needs it says so
        if row is None:
            problems.append(
                Error(
                    "This PostgreSQL server has no pgvector extension.",
                    hint=f"Install pgvector {wanted} or later on the server.",
                    id="questionbank.E001",
                )
            )
        elif parse_version(row[0]) < PGVECTOR_MINIMUM:
            problems.append(
                Error(
                    f"pgvector {row[0]} is too old: Kindred needs {wanted} or later.",
                    hint="Upgrade the package on the server, then run ALTER EXTENSION vector UPDATE.",
                    id="questionbank.E002",
                )
            )
    return problems


def capability_problems() -> list[str]:
    """Say in sentences what is missing behind the rows of the tables of `analytics` and of the bank."""
    problems = [
        f"The lens {lens.word!r} has no stand-in {lens.stand_in!r}."
        for lens in lenses().values()
        if lens.stand_in and lens.stand_in not in lenses()
    ]
    for word, row in BANK_CAPABILITIES.items():
        if word not in CAPABILITIES:
            problems.append(f"The capability {word!r} has no row in analytics/catalog.py.")
            continue
        capability = CAPABILITIES[word]
        problems += [
            f"The capability {word!r} has no template {path}."
            for path in row.template_paths
            if not _exists(path)
        ]
        if (row.lens is None) != (capability.lens is None):
            problems.append(
                f"The capability {word!r} has a lens in one of its rows and no lens in the other."
            )
        problems += _form_problems(word, row, capability)
    return problems


def _form_problems(word: str, row: BankCapability, capability: Capability[Any]) -> list[str]:
    if row.training is None:
        return []
    names = {spec.name for spec in field_specs(capability.config)}
    quick = row.training.quick.settings if row.training.quick else {}
    named = [*quick, *(name for group in row.training.groups for name in group.fields)]
    return [
        f"The form of the capability {word!r} names the setting {name!r}, which its configuration has not."
        for name in named
        if name not in names
    ]


def _exists(path: str) -> bool:
    try:
        get_template(path)
    except TemplateDoesNotExist:
        return False
    return True


@register("capabilities")
def check_capabilities(**kwargs: Any) -> list[CheckMessage]:
    """Refuse a capability that lacks a template, or whose form names no setting."""
    return [Error(problem, id="questionbank.E003") for problem in capability_problems()]
