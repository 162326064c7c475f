"""Questions as a file that is written while it is sent, behind a page that says what its format cannot hold."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import chain, islice

from django.http import HttpRequest, HttpResponseBase, StreamingHttpResponse
from django.shortcuts import render
from django.utils.http import urlencode

from analytics.records import QuestionRecord
from questionbank.formats import WRITTEN
from questionbank.services.exports import export_losses, export_pieces

LOOKED_AT = 2_000  # questions that are checked before the file is sent


def questions_file(
    request: HttpRequest, records: Callable[[], Iterable[QuestionRecord]], *, format: str, stem: str
) -> HttpResponseBase:
    """Return questions as a file to keep; first a page with what the format cannot hold, where there is something.

    Args:
        records: returns the questions, from the first one on.
        stem: the file's name without its ending.

    Raises:
        NotFound: there is no such format.
    """
    if "confirmed" not in request.GET:
        losses = export_losses(records=islice(records(), LOOKED_AT), format=format)
        if losses:
            address = f"?{urlencode([*_pairs(request), ('confirmed', '1')])}"
            context = {
                "format": WRITTEN[format],
                "losses": losses,
                "refused": losses.refused.most_common(),
                "lost": losses.lost.most_common(),
                "is_part": losses.questions == LOOKED_AT,
                "nothing_left": sum(losses.refused.values()) == losses.questions < LOOKED_AT,
                "address": address,
            }
            return render(request, "exports/losses.html", context)
    pieces = export_pieces(records=records(), format=format)
    first = next(pieces, b"")
    chosen = WRITTEN[format]
    ending = chosen.ending(first)
    media_type = chosen.media_type if ending == chosen.suffixes[0] else "application/zip"
    response = StreamingHttpResponse(chain([first], pieces), content_type=f"{media_type}; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{stem}{ending}"'
    return response


def _pairs(request: HttpRequest) -> list[tuple[str, str]]:
    return [(name, value) for name, values in request.GET.lists() for value in values]
