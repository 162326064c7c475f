"""What is missing behind the rows of the tables of capabilities; `manage.py check` says it."""

from __future__ import annotations

from typing import Any

from django.template import TemplateDoesNotExist
from django.template.loader import get_template

from analytics.capability import Capability
from analytics.catalog import CAPABILITIES, lenses
from analytics.configuration import field_specs
from questionbank.capabilities.contract import BankCapability
from questionbank.capabilities.rows import BANK_CAPABILITIES


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
    named = [*quick, *" ".join(row.training.groups.values()).split()]
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
