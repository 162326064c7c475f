"""Write the schema of the API, and the Python client that follows from it."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any, ClassVar

from django.conf import settings

from questionbank.api.python_client import WRITTEN_TO, client_source
from questionbank.api.v1 import openapi_schema
from questionbank.core.storage import written_aside
from questionbank.management.base import BankCommand


class Command(BankCommand):
    """The schema depends on the program alone, not on the bank."""

    help = "Write the OpenAPI schema of the API to a file, and the operations of the Python client."
    servers: ClassVar[tuple[str, ...]] = ()
    needs_bank = False

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("path", nargs="?", type=Path, default=settings.BASE_DIR / "docs" / "openapi.json")
        parser.add_argument("--client", type=Path, default=WRITTEN_TO, help="where the client's operations are written")

    def handle(self, *args: Any, path: Path, client: Path, **options: Any) -> None:
        schema = json.loads(json.dumps(openapi_schema()))
        texts = {path: json.dumps(schema, indent=1, ensure_ascii=False) + "\n", client: client_source(schema)}
        for target, text in texts.items():
            with written_aside(target) as file:
                file.write(text.encode())
        self.stderr.write(f"The schema is in {path}, the client's operations are in {client}.")
