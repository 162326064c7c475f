"""Forms that show the problems found by a service, and forms with a file.

A handler drops oversized files while they arrive, so that no request fills the disk.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import gettempdir
from typing import Any, ClassVar

from django import forms
from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.core.files.uploadhandler import FileUploadHandler, StopUpload
from django.http import HttpRequest
from django.template.defaultfilters import filesizeformat

from questionbank.core.errors import KindredError, ServiceUnavailable, ValidationFailed
from questionbank.core.storage import has_space
from questionbank.core.wording import number_text


def _say_bounds(field: forms.Field) -> None:
    """Set error messages that state the bounds of a number or the maximum length of a text."""
    if isinstance(field, forms.CharField) and field.max_length is not None:
        said = f"Use at most {field.max_length:,} characters; this has %(show_value)d."
        field.error_messages.setdefault("max_length", said)
    if not isinstance(field, forms.IntegerField | forms.FloatField):
        return
    low, high = (None if bound is None else number_text(bound) for bound in (field.min_value, field.max_value))
    if low is not None and high is not None:
        wanted = f"Enter a number from {low} to {high}."
    else:
        wanted = f"Enter {high} or a smaller number." if low is None else f"Enter {low} or a larger number."
    field.error_messages |= {"min_value": wanted, "max_value": wanted}


class ServiceForm(forms.Form):
    """A form whose fields are named like the fields of the service's problems.

    Attributes:
        main_field: the field beside which problems without a field are shown; by default they are shown above the form.
        refusal: why a service refused the whole request, if the view collects such errors.
    """

    main_field: ClassVar[str | None] = None
    refusal = ""

    def full_clean(self) -> None:
        """Check the fields; a value out of bounds is refused with a message that states the bounds."""
        for field in self.fields.values():
            _say_bounds(field)
        super().full_clean()

    def add_problems(self, error: ValidationFailed) -> None:
        """Put each problem beside its field, and problems without a field above the form."""
        for name, problems in (error.fields or {"": [str(error)]}).items():
            self.add_error(name if name in self.fields else self.main_field, problems)

    @contextmanager
    def takes_problems(self, *refusals: type[KindredError]) -> Iterator[None]:
        """Show the problems a service finds in the form; errors of the types in `refusals` become its `refusal`."""
        try:
            yield
        except ValidationFailed as error:
            self.add_problems(error)
        except refusals as error:
            self.refusal = str(error)

    @property
    def status(self) -> int:
        """Status code of the page with the form: 409 after a refusal, 422 if something is wrong, else 200."""
        return 409 if self.refusal else 422 if self.errors else 200


TAKES_FILES = {
    "import_create": "IMPORT_UPLOAD_MAX_BYTES",
    "document_create": "DOCUMENT_UPLOAD_MAX_BYTES",
    "review_upload": "REVIEW_UPLOAD_MAX_BYTES",
    "question_create": "REVIEW_UPLOAD_MAX_BYTES",
    "question_edit": "REVIEW_UPLOAD_MAX_BYTES",
    # In the API, an address is named after its first operation.
    "create_import": "IMPORT_UPLOAD_MAX_BYTES",
    "create_paper": "DOCUMENT_UPLOAD_MAX_BYTES",
    "create_attachment": "REVIEW_UPLOAD_MAX_BYTES",
    "check_paraphrase_file": "REVIEW_UPLOAD_MAX_BYTES",
    "create_response_set": "REVIEW_UPLOAD_MAX_BYTES",
    "response_upload": "REVIEW_UPLOAD_MAX_BYTES",
}
"""URL names of the views that accept files, with the setting that limits each."""

FORM_ALLOWANCE = 1024 * 1024  # for the other fields of the form and the multipart framing


class LimitedUploadHandler(FileUploadHandler):
    """Drop the request's files if its page accepts none or its body is too large; runs before Django's handlers.

    The body is still read to the end, so that the browser gets a response instead of a broken connection.
    """

    _too_large = False
    _disk_is_full = False

    def handle_raw_input(
        self,
        input_data: Any,
        META: Any,  # noqa: N803 - named by Django
        content_length: int,
        boundary: Any,
        encoding: Any = None,
    ) -> None:
        match = self.request.resolver_match if self.request is not None else None
        name = match.url_name if match is not None else None
        setting = TAKES_FILES.get(name or "", "IMPORT_UPLOAD_MAX_BYTES")
        self._too_large = name not in TAKES_FILES or content_length > getattr(settings, setting) + FORM_ALLOWANCE
        folders = (Path(settings.VAR_DIR), Path(gettempdir()))  # where files are stored, and where they are received
        self._disk_is_full = not all(has_space(folder, content_length) for folder in folders)

    def new_file(self, *args: Any, **kwargs: Any) -> None:
        super().new_file(*args, **kwargs)
        if self._too_large and self.request is not None:
            self.request.upload_was_too_large = True  # type: ignore[attr-defined]
            raise StopUpload(connection_reset=False)
        if self._disk_is_full and self.request is not None:
            self.request.disk_is_full = True  # type: ignore[attr-defined]
            raise StopUpload(connection_reset=False)

    def receive_data_chunk(self, raw_data: bytes, start: int) -> bytes:
        return raw_data

    def file_complete(self, file_size: int) -> None:
        return None


def was_too_large(request: HttpRequest) -> bool:
    """Return whether the request's file was dropped because of its size.

    Raises:
        ServiceUnavailable: it was dropped because the disk is full.
    """
    if getattr(request, "disk_is_full", False):
        raise ServiceUnavailable(
            "The server’s disk is nearly full, so the file was not kept. Tell an admin, and upload it again later."
        )
    return getattr(request, "upload_was_too_large", False)


class FileForm(ServiceForm):
    """A form with a file of limited size.

    Args:
        too_large: whether the file was dropped during the upload because of its size.

    Attributes:
        limit: name of the setting with the limit.
    """

    limit: ClassVar[str] = "IMPORT_UPLOAD_MAX_BYTES"

    file = forms.FileField(
        label="File", allow_empty_file=True, widget=forms.FileInput, error_messages={"required": "Choose a file first."}
    )

    def __init__(self, *args: Any, too_large: bool = False, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._too_large = too_large

    def clean_file(self) -> UploadedFile:
        """Refuse an empty or oversized file."""
        file: UploadedFile = self.cleaned_data["file"]
        if not file.size:
            raise forms.ValidationError("This file is empty.")
        if file.size > getattr(settings, self.limit):
            raise forms.ValidationError(self._too_large_message())
        return file

    def add_error(self, field: str | None, error: Any) -> None:
        """Report that the file was too large, rather than missing, if it was dropped during the upload."""
        if field == "file" and self._too_large:
            error = forms.ValidationError(self._too_large_message())
        super().add_error(field, error)

    def _too_large_message(self) -> str:
        limit = filesizeformat(getattr(settings, self.limit))
        return f"This file is larger than {limit}. Compress it with gzip, or split it."
