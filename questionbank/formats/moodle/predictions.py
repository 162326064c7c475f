"""Predicted concepts and difficulty as tags of a Moodle question, marked so that nobody takes them for labels."""

from __future__ import annotations

import re

from analytics.records import PredictedLabels
from questionbank.formats.xml_text import xml_text

PREFIX = "Kindred predicts: "
_TAG = rb"<tag>\s*<text>(?:<!\[CDATA\[)?Kindred predicts: [^<>\]]*(?:\]\]>)?</text>\s*</tag>"
_BEGIN, _END = b"<tags><!-- Kindred -->", b"</tags>"
_OURS = re.compile(rb"%s(?:%s)*%s|%s" % (_BEGIN, _TAG, _END, _TAG))


def with_predictions(item: bytes, predicted: PredictedLabels | None) -> bytes:
    """Return a ``<question>`` element with tags that say what is predicted, in the place of earlier ones."""
    if predicted is None:
        return item
    said = [f"{' > '.join(path)} ({probability:.0%})" for path, probability in predicted.concepts]
    if predicted.difficulty is not None:
        said.append(f"difficulty {predicted.difficulty:.0f} of 100")
    tags = "".join(f"<tag><text>{xml_text(PREFIX + one)}</text></tag>" for one in said).encode()
    item = without_predictions(item)
    before, end, after = item.rpartition(_END)
    if end:
        return before + tags + end + after
    before, end, after = item.rpartition(b"</question>")
    return before + _BEGIN + tags + _END + end + after if tags else item


def without_predictions(item: bytes) -> bytes:
    """Return a ``<question>`` element as it was before `with_predictions`, byte for byte."""
    return _OURS.sub(b"", item) if PREFIX.encode() in item else item
