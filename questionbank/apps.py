"""The one Django app of Kindred."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from django.apps import AppConfig

if TYPE_CHECKING:
    from questionbank.core.capability_contract import BankCapability


class QuestionBankConfig(AppConfig):
    """The bank's models, services, selectors, pages and commands."""

    name = "questionbank"
    verbose_name = "Question bank"

    def ready(self) -> None:
        from questionbank.core.capability_contract import BANK_CAPABILITIES
        from questionbank.operations import checks  # noqa: F401 - registers the system checks
        from questionbank.people import middleware  # noqa: F401 - receives log-ins

        BANK_CAPABILITIES.load = _bank_table


def _bank_table() -> Mapping[str, BankCapability]:
    from questionbank.capabilities.table import TABLE  # takes half a second, which most commands can avoid

    return TABLE
