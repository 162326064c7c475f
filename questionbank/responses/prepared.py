"""Tables of responses without names: keyed hashes of pupils and columns, and the table between preview and import."""

from __future__ import annotations

import gzip
import json
import re
from dataclasses import asdict, astuple, replace
from typing import Any

from django.utils.crypto import salted_hmac

from questionbank.core.errors import LineProblem
from questionbank.responses.column_roles import QuestionReference, reference_of
from questionbank.responses.response_table import PublishedFigures, ResponseRow, ResponseTable

HASH_BYTES = 16
_SALT = "kindred.responses.person"
_COLUMN_SALT = "kindred.responses.column"
_DOWNLOADED_AGAIN = re.compile(r"\s*\(\d+\)$")


def person_hash(person: str) -> str:
    """Return a pupil's keyed hash, in hexadecimal; the key is derived from the installation's secret key."""
    return salted_hmac(_SALT, person, algorithm="sha256").digest()[:HASH_BYTES].hex()


def without_names(table: ResponseTable) -> ResponseTable:
    """Return a table with keyed hashes in place of what identifies the pupils."""
    hashes = {person: person_hash(person) for person in {row.person for row in table.rows}}
    return replace(table, rows=[replace(row, person=hashes[row.person]) for row in table.rows])


def column_hashes(table: ResponseTable) -> list[bytes]:
    """Return a keyed hash for each question of a table, the same for the next file with this layout and header.

    A header that is only a number, such as "Q. 3", means a question of this test: its file must have the same name.
    """
    test = _DOWNLOADED_AGAIN.sub("", table.title)
    hashes = []
    for reference in table.questions:
        header = reference.text or reference.name
        source = [table.kind, test if reference_of(header).position is not None else ""]
        said = json.dumps([*source, " ".join(header.split()).casefold()])
        hashes.append(salted_hmac(_COLUMN_SALT, said, algorithm="sha256").digest()[:HASH_BYTES])
    return hashes


def dump_table(table: ResponseTable) -> bytes:
    """Return a table as bytes."""
    fields: dict[str, Any] = {
        "kind": table.kind,
        "questions": [asdict(question) for question in table.questions],
        "rows": [astuple(row) for row in table.rows],
        "published": [asdict(published) for published in table.published],
        "problems": [(problem.line, problem.reason) for problem in table.problems],
        "notes": table.notes,
        "title": table.title,
        "worksheet": table.worksheet,
        "order": table.order,
    }
    return gzip.compress(json.dumps(fields, ensure_ascii=False).encode(), 3)


def load_table(data: bytes) -> ResponseTable:
    """Return the table from the output of `dump_table`."""
    fields = json.loads(gzip.decompress(data))
    return ResponseTable(
        kind=fields["kind"],
        questions=[QuestionReference(**question) for question in fields["questions"]],
        rows=[ResponseRow(*row) for row in fields["rows"]],
        published=[PublishedFigures(**published) for published in fields["published"]],
        problems=[LineProblem(line, reason) for line, reason in fields["problems"]],
        notes=fields["notes"],
        title=fields["title"],
        worksheet=fields["worksheet"],
        order=fields["order"],
    )
