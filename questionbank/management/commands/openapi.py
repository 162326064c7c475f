"""Write the schema of the API."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any, ClassVar

from django.conf import settings

from questionbank.api.v1 import openapi_schema
from questionbank.core.storage import written_aside
from questionbank.management.base import BankCommand


class Command(BankCommand):
    """The schema depends on the program alone, not on the bank."""

    help = "Write the OpenAPI schema of the API to a file."
    servers: ClassVar[tuple[str, ...]] = ()
    needs_bank = False

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("path", nargs="?", type=Path, default=settings.BASE_DIR / "docs" / "openapi.json")

    def handle(self, *args: Any, path: Path, **options: Any) -> None:
        text = json.dumps(openapi_schema(), indent=1, ensure_ascii=False) + "\n"
        with written_aside(path) as file:
            file.write(text.encode())
        self.stderr.write(f"The schema is in {path}.")
