"""Streaming exports of questions, preceded by a page that shows what the format cannot hold."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import chain, islice

from django.contrib import messages
from django.http import HttpRequest, HttpResponseBase, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.utils.http import urlencode

from analytics.records import QuestionRecord
from questionbank.formats import WRITTEN
from questionbank.imports.export_services import (
    ExportLosses,
    export_losses,
    export_pieces,
    with_figures,
    with_predictions,
)
from questionbank.registry.serving import serving

LOOKED_AT = 2_000  # questions checked before the file is sent
MOST_WITH_PREDICTIONS = 2_000  # questions whose texts are encoded within the request


@dataclass(frozen=True, slots=True)
class Exported:
    """The questions to export.

    Attributes:
        records: returns an iterator over all (id, record) pairs.
        stem: the file's name without its extension.
        back: label and URL of the page from which the export was started.
    """

    records: Callable[[], Iterable[tuple[int, QuestionRecord]]]
    count: int
    stem: str
    back: tuple[str, str]


def export_links(count: int, address: Callable[[str], str]) -> dict[str, list[tuple[str, str]]]:
    """Return (label, URL) of an export in each format, without and with predictions.

    Args:
        count: number of questions.
        address: returns the download URL for a format's name.
    """
    are_offered = count <= MOST_WITH_PREDICTIONS and bool(serving().sets)
    return {
        "exports": [(format.label, address(name)) for name, format in WRITTEN.items()],
        "predicted_exports": [
            (format.label, f"{address(name)}{'&' if '?' in address(name) else '?'}predicted=1")
            for name, format in WRITTEN.items()
            if format.takes_predictions and are_offered
        ],
    }


def questions_file(request: HttpRequest, exported: Exported, *, format: str) -> HttpResponseBase:
    """Return questions as a download, preceded by a page with what the format cannot hold, if anything.

    Raises:
        NotFound: there is no such format.
    """
    records = with_figures(exported.records(), user=request.user)
    if "predicted" in request.GET and format in WRITTEN and WRITTEN[format].takes_predictions:
        if exported.count > MOST_WITH_PREDICTIONS:
            messages.warning(request, f"Predictions go with up to {MOST_WITH_PREDICTIONS:,} questions. Select fewer.")
            return redirect(exported.back[1])
        records = with_predictions(records)
    if "confirmed" not in request.GET:
        losses = export_losses(records=islice(exported.records(), LOOKED_AT), format=format)
        if losses:
            return render(request, "imports/losses.html", _context(request, exported, losses, format))
    pieces = export_pieces(records=(record for _pk, record in records), format=format)
    first = next(pieces, b"")
    chosen = WRITTEN[format]
    ending = chosen.ending(first)
    media_type = chosen.media_type if ending == chosen.suffixes[0] else "application/zip"
    response = StreamingHttpResponse(chain([first], pieces), content_type=f"{media_type}; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{chosen.file_name(exported.stem, ending)}"'
    return response


def _context(request: HttpRequest, exported: Exported, losses: ExportLosses, format: str) -> dict[str, object]:
    def named(counts: Counter[str]) -> list[tuple[str, int, list[tuple[int, str]], int]]:
        found = counts.most_common()
        return [(what, count, losses.first[what], count - len(losses.first[what])) for what, count in found]

    pairs = [(name, value) for name, values in request.GET.lists() for value in values]
    return {
        "format": WRITTEN[format],
        "losses": losses,
        "refused": named(losses.refused),
        "lost": named(losses.lost),
        "is_part": losses.questions == LOOKED_AT,
        "nothing_left": sum(losses.refused.values()) == losses.questions < LOOKED_AT,
        "address": f"?{urlencode([*pairs, ('confirmed', '1')])}",
        "back": exported.back,
    }
