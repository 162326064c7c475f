"""The file that a request brings, with the limits of the pages."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest
from ninja.files import UploadedFile

from questionbank.api.errors import ApiProblem
from questionbank.core.errors import ValidationFailed
from questionbank.core.upload_forms import was_too_large


def received_file(request: HttpRequest, file: UploadedFile | None, *, limit: str) -> UploadedFile:
    """Return the uploaded file.

    Args:
        limit: name of the setting with the largest size, as in `questionbank.core.upload_forms.TAKES_FILES`.

    Raises:
        ApiProblem: it is too large (413), or the body is not a form (415).
        ValidationFailed: there is none, or it is empty.
    """
    if file is None and request.content_type != "multipart/form-data":
        raise ApiProblem(415, "Send the file as “multipart/form-data”, in the field “file”.")
    if was_too_large(request) or (file is not None and (file.size or 0) > getattr(settings, limit)):
        raise ApiProblem(413)
    if file is None or not file.size:
        raise ValidationFailed.beside("file", "Send a file that is not empty, as multipart/form-data.")
    return file
