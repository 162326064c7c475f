"""An upload handler that keeps no file larger than the limit, so that no request fills the disk."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.files.uploadhandler import FileUploadHandler, StopUpload
from django.http import HttpRequest

__all__ = ["LimitedUploadHandler", "was_too_large"]

FORM_ALLOWANCE = 1024 * 1024  # what the other fields of the form and the multipart frame may take


class LimitedUploadHandler(FileUploadHandler):
    """Stands before Django's handlers; drops the request's files where its body is too large.

    The body is still read to its end, so that the browser gets an answer instead of a broken connection.
    """

    _too_large = False

    def handle_raw_input(
        self,
        input_data: Any,
        META: Any,  # noqa: N803 - Django's name
        content_length: int,
        boundary: Any,
        encoding: Any = None,
    ) -> None:
        self._too_large = content_length > settings.IMPORT_UPLOAD_MAX_BYTES + FORM_ALLOWANCE

    def new_file(self, *args: Any, **kwargs: Any) -> None:
        super().new_file(*args, **kwargs)
        if self._too_large and self.request is not None:
            self.request.upload_was_too_large = True  # type: ignore[attr-defined]
            raise StopUpload(connection_reset=False)

    def receive_data_chunk(self, raw_data: bytes, start: int) -> bytes:
        return raw_data

    def file_complete(self, file_size: int) -> None:
        return None


def was_too_large(request: HttpRequest) -> bool:
    """Whether the request's file was dropped for its size."""
    return getattr(request, "upload_was_too_large", False)
