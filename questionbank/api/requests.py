"""What happens to every request before its operation: strict parsing, and the checks of an uploaded file.

Responses to requests with an ``Idempotency-Key`` are kept, and sent again.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Callable
from datetime import timedelta
from functools import wraps
from typing import Any, NoReturn

from django.conf import settings
from django.db import connection, transaction
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from ninja.files import UploadedFile
from ninja.parser import Parser

from questionbank.api.access import SAFE, Caller, admitted
from questionbank.api.contract import LONGEST_IDEMPOTENCY_KEY
from questionbank.api.errors import ApiProblem
from questionbank.core.errors import KindredError, ValidationFailed
from questionbank.core.forms import was_too_large
from questionbank.models import ApiRequest

DEEPEST = 60  # levels of lists and objects in a body
_LARGEST_EXACT = 2**53  # beyond it, a float stands for several integers
KEPT_FOR = timedelta(hours=24)
_KEPT_HEADERS = ("Content-Type", "ETag", "Location")
_UNSTORABLE = re.compile("[\0\ud800-\udfff]")
_PRINTABLE = re.compile(r"[\x21-\x7e]+")

Run = Callable[..., HttpResponse]


class StrictParser(Parser):
    """JSON as the standard defines it: no repeated names, no NaN, and no text that PostgreSQL cannot store."""

    def parse_body(self, request: HttpRequest) -> Any:
        """Return the values of a body.

        Raises:
            ApiProblem: the body is not JSON (400, 415).
            ValidationFailed: it is JSON that no operation takes.
        """
        if request.content_type != "application/json":
            raise ApiProblem(415)
        try:
            value = json.loads(
                request.body, object_pairs_hook=_without_repeats, parse_constant=_refuse_constant, parse_float=_finite
            )
        except (UnicodeDecodeError, RecursionError, json.JSONDecodeError) as error:
            raise ApiProblem(400, "The body is not valid JSON.") from error
        except ValueError as error:  # a number with thousands of digits
            raise ApiProblem(400, "The body holds a number that is too long.") from error
        _check_texts(value)
        return value


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _value in pairs]
        repeated = next(name for name in names if names.count(name) > 1)
        raise ValidationFailed.beside(repeated[:100], "This name occurs twice in one object.")
    return found


def _refuse_constant(name: str) -> NoReturn:
    raise ValidationFailed(f"{name} is not a number in JSON.")


def _finite(text: str) -> float | int:
    number = float(text)
    if math.isinf(number):
        raise ValidationFailed(f"{text[:20]} is too large a number.")
    is_whole = number.is_integer() and abs(number) <= _LARGEST_EXACT
    return int(number) if is_whole else number  # 2.0 is an integer in JSON Schema


def _check_texts(value: Any) -> None:
    """Refuse NUL characters, halves of surrogate pairs, and nesting that no resource has."""
    level = [value]
    for _depth in range(DEEPEST):
        if not level:
            return
        inner: list[Any] = []
        for part in level:
            if isinstance(part, dict):
                inner += [*part, *part.values()]
            elif isinstance(part, list):
                inner += part
            elif isinstance(part, str) and _UNSTORABLE.search(part):
                raise ValidationFailed("A text contains a character that cannot be stored.")
        level = inner
    raise ValidationFailed(f"The body has more than {DEEPEST} levels.")


def checked(run: Run) -> Run:
    """Refuse query parameters that the operation does not know, and make every write one transaction.

    A response that is an error undoes what the operation changed before.

    Args:
        run: the bound method `run` of an operation of django-ninja.
    """
    operation = run.__self__  # type: ignore[attr-defined]
    known = {
        name
        for model in operation.models
        if model.__ninja_param_source__ == "query"
        for name in model.__ninja_flatten_map__
    }

    @wraps(run)
    def checked_run(request: HttpRequest, **path: Any) -> HttpResponse:
        try:
            operation.auth_callbacks[0](request)
            if unknown := sorted(set(request.GET) - known):
                raise ValidationFailed.of({name[:100]: ["There is no such parameter."] for name in unknown})
            if request.method in SAFE:
                return run(request, **path)
            with transaction.atomic():
                response = once(request, lambda: run(request, **path))
                transaction.set_rollback(response.status_code >= 400)
                return response
        except KindredError as error:
            return operation.api.on_exception(request, error)

    return checked_run


def once(request: HttpRequest, run: Callable[[], HttpResponse]) -> HttpResponse:
    """Run a write and keep its response if it has an ``Idempotency-Key``, or return the kept response.

    Errors are not kept, and nor is a response with a secret.

    Raises:
        ValidationFailed: the key is too long, or came with another request.
        ApiProblem: the first request is still running (409).
    """
    key = request.headers.get("Idempotency-Key")
    if key is None:
        return run()
    if len(key) > LONGEST_IDEMPOTENCY_KEY or not _PRINTABLE.fullmatch(key):
        message = f"Use 1 to {LONGEST_IDEMPOTENCY_KEY} printable ASCII characters without spaces."
        raise ValidationFailed.beside("Idempotency-Key", message)
    caller, fingerprint = admitted(request), _fingerprint(request)
    _lock(caller, key)
    ApiRequest.objects.filter(created_at__lt=timezone.now() - KEPT_FOR).delete()
    kept = ApiRequest.objects.filter(user=caller.user, key=key).first()
    if kept is not None:
        return _kept_response(kept, fingerprint)
    response = run()
    if response.status_code < 400 and not getattr(request, "response_is_secret", False):
        ApiRequest.objects.create(
            user=caller.user,
            key=key,
            fingerprint=fingerprint,
            status=response.status_code,
            headers={name: response[name] for name in _KEPT_HEADERS if name in response},
            body=response.content,
        )
    return response


def _fingerprint(request: HttpRequest) -> str:
    described = f"{request.method} {request.get_full_path()} {request.content_type} {request.headers.get('If-Match')}\n"
    digest = hashlib.sha256(described.encode())
    if request.content_type != "multipart/form-data":
        digest.update(request.body)
        return digest.hexdigest()
    for name, file in sorted(request.FILES.items()):
        digest.update(f"{name} {file.name}\n".encode())
        for piece in file.chunks():
            digest.update(piece)
        file.seek(0)
    return digest.hexdigest()


def _lock(caller: Caller, key: str) -> None:
    name = f"kindred/api-request/{caller.user.pk}/{key}"
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_xact_lock(hashtextextended(%s, 0))", [name])
        if not cursor.fetchone()[0]:
            raise ApiProblem(409, "The first request with this Idempotency-Key is still running.", code="still_running")


def _kept_response(kept: ApiRequest, fingerprint: str) -> HttpResponse:
    if kept.fingerprint != fingerprint:
        raise ValidationFailed.beside("Idempotency-Key", "This key was used for another request.")
    response = HttpResponse(bytes(kept.body), status=kept.status, headers=kept.headers)
    response["Idempotent-Replayed"] = "true"
    return response


def received_file(request: HttpRequest, file: UploadedFile | None, *, limit: str) -> UploadedFile:
    """Return the uploaded file.

    Args:
        limit: name of the setting with the largest size, as in `questionbank.core.forms.TAKES_FILES`.

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
