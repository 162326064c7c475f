"""Differences between kept and written Moodle XML items: the bytes of pictures, and predictions.

Predicted concepts and difficulty are tags, marked so that nobody mistakes them for labels.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Callable

from analytics.records import PredictedLabels
from questionbank.formats.item_pictures import base64_bytes
from questionbank.formats.xml_writing import element, joined

_FILE = re.compile(rb"(<file\b[^>]*>)([^<]*)(</file>)")
KEPT = "sha256:"
PREDICTED = "Kindred predicts: "
_TAG = rb"<tag>\s*<text>(?:<!\[CDATA\[)?Kindred predicts: [^<>\]]*(?:\]\]>)?</text>\s*</tag>"
_BEGIN, _END = b"<tags><!-- Kindred -->", b"</tags>"
_OURS = re.compile(rb"%s(?:%s)*%s|%s" % (_BEGIN, _TAG, _END, _TAG))


def without_pictures(data: bytes, kept: frozenset[str]) -> bytes:
    """Replace the attached pictures of an item by their hashes."""

    def replaced(match: re.Match[bytes]) -> bytes:
        picture = base64_bytes(match[2])
        digest = hashlib.sha256(picture or b"").hexdigest()
        return match[1] + f"{KEPT}{digest}".encode() + match[3] if digest in kept else match[0]

    return _FILE.sub(replaced, data) if b"<file" in data else data


def with_pictures(data: bytes, get: Callable[[str], bytes | None]) -> bytes:
    """Replace the hashes in an item by the pictures."""

    def replaced(match: re.Match[bytes]) -> bytes:
        digest = match[2].decode(errors="replace").strip()
        picture = get(digest.removeprefix(KEPT)) if digest.startswith(KEPT) else None
        return match[0] if picture is None else match[1] + base64.b64encode(picture) + match[3]

    return _FILE.sub(replaced, data) if b"sha256:" in data else data


def with_predictions(item: bytes, predicted: PredictedLabels | None) -> bytes:
    """Return a ``<question>`` element with its predictions as tags, replacing earlier ones."""
    if predicted is None:
        return item
    said = [f"{' > '.join(path)} ({probability:.0%})" for path, probability in predicted.concepts]
    if predicted.difficulty is not None:
        said.append(f"difficulty {predicted.difficulty:.0f} of 100")
    tags = joined(element("tag", element("text", PREDICTED + one)) for one in said).encode()
    item = without_predictions(item)
    before, end, after = item.rpartition(_END)
    if end:
        return before + tags + end + after
    before, end, after = item.rpartition(b"</question>")
    return before + _BEGIN + tags + _END + end + after if tags else item


def without_predictions(item: bytes) -> bytes:
    """Undo `with_predictions` on a ``<question>`` element, byte for byte."""
    return _OURS.sub(b"", item) if PREDICTED.encode() in item else item
