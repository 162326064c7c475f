"""A large bank for benchmarks: imported, encoded and indexed once, kept in a `VAR_DIR` of its own.

Questions come from the public data sets where they are at hand (repeats of the sets get a number behind the
text where they run out), else they are generated. Stopped and started again it goes on where it was.
"""

from __future__ import annotations

import logging
import os
import tempfile
import time
from pathlib import Path

from tests.bench.imports import write_rows


def set_up(var: Path) -> None:
    """Set Django up with a database of its own in the folder, migrated, with the default models."""
    os.environ["TEST_VAR_DIR"] = str(var)
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
    import django

    django.setup()
    from django.conf import settings
    from django.core.management import call_command

    from questionbank import local as embedded
    from questionbank.registry.artifact_services import artifact_install_default

    settings.ALLOWED_HOSTS = ["testserver"]
    logging.disable(logging.INFO)  # a line a request would drown the tables
    embedded.ensure(settings.VAR_DIR, services={"postgres"})
    call_command("migrate", verbosity=0, interactive=False)
    artifact_install_default(report=print)


def encode_bank(lens: str = "") -> None:
    """Encode and index what is pending, and print how large the bank is.

    Args:
        lens: word of the only lens whose vectors are needed; all lenses if empty.
    """
    from django.core.management import call_command
    from django.db import connection

    from questionbank.models import EmbeddingSet, Question

    pending = EmbeddingSet.objects.filter(is_current=True).exclude(state="ready").order_by("pk")
    began = time.perf_counter()
    if models := list((pending.filter(lens=lens) if lens else pending).values_list("artifact", flat=True)):
        for model in models:  # without one, for the set of n-grams, all sets are built
            call_command("embed_questions", model=model, verbosity=0)
        print(f"encoded and indexed: {time.perf_counter() - began:.0f} s", flush=True)
        with connection.cursor() as cursor:
            cursor.execute("VACUUM ANALYZE")
    print(f"bank: {Question.objects.filter(status='ready').count():,} ready questions", flush=True)


def open_bank(*, questions: int, data: Path, var: Path, has_vectors: bool = True, lens: str = "") -> None:
    """Set Django up with a bank of at least so many ready questions.

    Args:
        has_vectors: whether all of them have vectors and indexes, which takes most of the time.
        lens: as for `encode_bank`.
    """
    set_up(var / f"bank-{questions}")
    from questionbank.models import Question

    if not Question.objects.exists():
        import_rows(int(1.2 * questions), data)  # about a tenth of the sets are repeats
    if has_vectors:
        encode_bank(lens)


def import_rows(count: int, data: Path) -> None:
    """Import so many rows of the public sets, or generated ones."""
    from questionbank.imports.options import ImportOptions
    from questionbank.imports.services import import_file

    began = time.perf_counter()
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch) / "questions.jsonl.gz"
        origin = write_rows(path, count, data)
        import_file(path=path, options=ImportOptions(source="bench", hierarchy="bench", skip_invalid=True), embed=False)
    print(f"imported ({origin}): {time.perf_counter() - began:.0f} s", flush=True)
