"""Pictures of questions, as they were put in."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse

from questionbank.models import Attachment
from questionbank.selectors.questions.pictures import picture_bytes
from questionbank.views.access import page_for


@page_for("read")
def picture(_request: HttpRequest, sha256: str) -> HttpResponse:
    """Show a picture; its address is its hash, so it never changes."""
    attachment = Attachment.objects.filter(pk=sha256).first()
    data = picture_bytes(sha256) if attachment is not None else None
    if attachment is None or data is None:
        raise Http404
    response = HttpResponse(data, content_type=attachment.media_type)
    response["Cache-Control"] = "private, max-age=31536000, immutable"
    return response
