"""What does not depend on the run: normalised text, records as JSON, files as text, and short differences."""

from __future__ import annotations

import dataclasses
import enum
import gzip
import hashlib
import io
import json
import re
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from difflib import unified_diff
from pathlib import Path
from typing import Any

_MONTH = r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*\.?"
_CLOCK = r"\d{1,2}(?::\d{2}){1,2}(?:\.\d+)?(?: ?[ap]\.?m\.?)?"
_UNIT = r"(?:second|minute|hour|day|week|month)s?"
_RULES = [
    (re.compile(pattern), replacement)
    for pattern, replacement in (
        (r'(name="csrfmiddlewaretoken" value=|nonce=|"X-CSRFToken": ?)"[^"]*"', r'\1"TOKEN"'),
        (r"'nonce-[^']+'", "'nonce-TOKEN'"),
        (r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b", "UUID"),
        (r"([\w-]{4,}(?::|%3A))[0-9A-Za-z]{6}(?::|%3A)[\w-]{43}", r"\1SIGNED"),
        (r"\b[0-9a-z]{6,7}-[0-9a-f]{32}\b", "KEY"),
        (r"(/[\w./-]+)\.[0-9a-f]{12}(\.(?:css|js|svg|png|woff2))", r"\1\2"),
        (r"\b20\d\d-?\d\d-?\d\d[T ]\d\d:?\d\d(?::?\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?", "TIME"),
        (r"(Connections\s*</dt>\s*<dd>)\d+", r"\1N"),
        (r"(<time\b[^>]*>)[^<]*", r"\1TIME\n"),
        (rf"\b\d{{1,2}} {_MONTH},? {_CLOCK}", "TIME"),
        (rf"\b\d{{1,2}} {_MONTH} 20\d\d(?:,? (?:at )?{_CLOCK})?", "TIME"),
        (rf"\b{_MONTH} \d{{1,2}}, 20\d\d(?:,? (?:at )?{_CLOCK})?", "TIME"),
        (r"\b20(?:2[5-9]|3\d)-\d\d-\d\d\b", "DATE"),
        (rf"\b(?:{_CLOCK}|noon|midnight) (?:today|yesterday)", "TIME"),
        (rf"\b(?:today|yesterday|Today|Yesterday),? (?:at )?{_CLOCK}", "TIME"),
        (rf"\b\d+(?:\.\d+)? {_UNIT}(?:, \d+ {_UNIT})? ago|\b(?:just now|now ago|an? {_UNIT} ago)", "AGO"),
        (r"\"seconds\": [\d.]+", '"seconds": DURATION'),
        (r"\b\d+\.\d min left|\bin \d+(?:\.\d+)? (?:s|ms|seconds?)\b", "DURATION"),
    )
]


def normalised(text: str, *folders: Path) -> str:
    """Return a text without tokens, times, hashes in names of static files, and the paths of some folders."""
    for folder in folders:
        text = text.replace(str(folder), "FOLDER")
    for rule, replacement in _RULES:
        text = rule.sub(replacement, text)
    return text


def html_lines(html: str) -> str:
    """Return HTML with one tag per line, so that a difference is short."""
    lines = (" ".join(line.split()) for line in html.replace("<", "\n<").splitlines())
    return "\n".join(filter(None, lines)) + "\n"


def plain(value: Any) -> Any:
    """Return a value as JSON can hold it; of records, only the fields that are not at their defaults."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = {
            field.name: getattr(value, field.name) for field in dataclasses.fields(value) if _is_set(field, value)
        }
        return plain(fields)
    if isinstance(value, enum.Enum):
        return value.value
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, set | frozenset):
        return sorted(map(plain, value), key=str)
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, bytes):
        return digest(value)
    return value if value is None or isinstance(value, str | int | float | bool) else str(value)


def _is_set(field: dataclasses.Field[Any], value: Any) -> bool:
    found = getattr(value, field.name)
    if field.default_factory is not dataclasses.MISSING:
        return bool(found != field.default_factory())
    return field.default is dataclasses.MISSING or bool(found != field.default)


def as_json(value: Any) -> str:
    """Return a value as indented JSON."""
    return json.dumps(plain(value), ensure_ascii=False, indent=1, sort_keys=True) + "\n"


def rounded(value: Any) -> Any:
    """Return a value of JSON with six significant digits in each fraction."""
    if isinstance(value, float):
        return float(f"{value:.6g}")
    if isinstance(value, dict):
        return {key: rounded(item) for key, item in value.items()}
    return [rounded(item) for item in value] if isinstance(value, list) else value


def digest(data: bytes) -> str:
    """Return what stands for bytes that are not a text."""
    return f"{len(data)} bytes, sha256 {hashlib.sha256(data).hexdigest()}"


def file_text(data: bytes) -> str:
    """Return a file as text: the members of an archive, a text as it is, a digest of everything else."""
    if data.startswith(b"\x1f\x8b"):
        return file_text(gzip.decompress(data))
    if data.startswith(b"PK\x03\x04"):
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return "".join(f"--- {name}\n{file_text(archive.read(name))}\n" for name in archive.namelist())
    try:
        return data.decode()
    except UnicodeDecodeError:
        return digest(data) + "\n"


CONTEXT, LINES_COMPARED, WIDTH = 2, 400, 200


def difference(before: str, now: str, *, lines: int) -> Iterator[str]:
    """Yield at most so many lines of a unified diff of two texts; nothing if they are equal.

    What both have in common at their beginning and end is left out first, so a large text takes no longer than a
    small one.
    """
    old, new = before.splitlines(), now.splitlines()
    start = _common(old, new)
    end = min(_common(old[::-1], new[::-1]), len(old) - start, len(new) - start)
    first, end = max(start - CONTEXT, 0), max(end - CONTEXT, 0)
    old, new = (text[first : len(text) - end][:LINES_COMPARED] for text in (old, new))
    found = list(unified_diff(old, new, n=CONTEXT, lineterm=""))[2:]
    removed, added = ([line for line in found if line[0] == sign] for sign in "-+")
    shared = {}
    for one, other in zip(removed, added, strict=False):
        shared[one] = shared[other] = _common(one[1:], other[1:])
    for line in found[:lines]:
        yield f"(from line {first + 1}) {line}" if line.startswith("@@") else _cut(line, shared.get(line, 0))
    if len(found) > lines:
        yield "..."
    if not found and before != now:
        yield "only line ends differ"


def _common(first: Sequence[str], second: Sequence[str]) -> int:
    pairs = enumerate(zip(first, second, strict=False))
    return next((place for place, (one, other) in pairs if one != other), min(len(first), len(second)))


def _cut(line: str, shared: int) -> str:
    """Return a long line from shortly before the first character that is not shared with the line it replaces."""
    if len(line) <= WIDTH:
        return line
    start = max(shared - WIDTH // 4, 0)
    return f"{line[0]}{'...' if start else ''}{line[start + 1 :][:WIDTH]}... ({len(line):,} characters)"
