"""The one Django app of Kindred."""

from __future__ import annotations

from django.apps import AppConfig


class QuestionBankConfig(AppConfig):
    """Models, services, selectors, pages and commands of the bank."""

    name = "questionbank"
    verbose_name = "Question bank"

    def ready(self) -> None:
        from questionbank import checks  # noqa: F401 - registers the system checks
        from questionbank.capabilities.catalog import BANK_CAPABILITIES
        from questionbank.capabilities.table import TABLE

        BANK_CAPABILITIES.update(TABLE)
