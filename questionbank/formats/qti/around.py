"""What a package says of one of its items, kept with the item, so that both go back as they came."""

from __future__ import annotations

import base64
import json
import re
from dataclasses import dataclass, field, fields

from questionbank.formats.written_numbers import finite_number

_WEIGHT = re.compile(r"""<(?:[\w.-]+:)?(?:qti-)?weight\b[^>]*?\svalue\s*=\s*["']([\d.]+)""")


@dataclass(frozen=True, slots=True)
class Around:
    """What stands around an item, as JSON in the item's `Original`.

    Attributes:
        path: of the item's file, below the manifest's folder.
        metadata: the element with what the manifest says of it.
        files: what the item needs beside its pictures, by their paths.
        shared: elements that its section shows before it.
        timing: elements with its time, attempts and weight in its test.
        section: the title of its section in its test.
    """

    path: str = ""
    metadata: str = ""
    files: dict[str, bytes] = field(default_factory=dict)
    concepts: tuple[tuple[str, ...], ...] = ()
    shared: tuple[str, ...] = ()
    timing: str = ""
    section: str = ""

    def as_bytes(self) -> bytes:
        found = {column.name: getattr(self, column.name) for column in fields(self)}
        found["files"] = {path: base64.b64encode(data).decode() for path, data in self.files.items()}
        return json.dumps(
            {name: value for name, value in found.items() if value}, ensure_ascii=False
        ).encode()

    def points(self, points: float | None) -> float | None:
        """Return the points of an item in its test, which may weigh it."""
        weight = _WEIGHT.search(self.timing)
        factor = finite_number(weight[1]) if weight else None
        return points if not factor or factor == 1 else (points or 1.0) * factor


def read_around(data: bytes) -> Around:
    """Return what `Around.as_bytes` wrote."""
    found = json.loads(data) if data else {}
    found["files"] = {path: base64.b64decode(piece) for path, piece in found.get("files", {}).items()}
    found["concepts"] = tuple(tuple(path) for path in found.get("concepts", ()))
    found["shared"] = tuple(found.get("shared", ()))
    return Around(**found)
