"""Questions as a file that is written while it is sent."""

from __future__ import annotations

from collections.abc import Iterable

from django.http import StreamingHttpResponse

from analytics.records import QuestionRecord
from questionbank.formats import FORMATS
from questionbank.services.exports import export_lines


def questions_file(records: Iterable[QuestionRecord], *, format: str, stem: str) -> StreamingHttpResponse:
    """Return questions as a file to keep.

    Args:
        stem: the file's name without its ending.

    Raises:
        NotFound: there is no such format.
    """
    lines = export_lines(records=records, format=format)
    response = StreamingHttpResponse(lines, content_type=f"{FORMATS[format].media_type}; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{stem}{FORMATS[format].suffixes[0]}"'
    return response
