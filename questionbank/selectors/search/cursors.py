"""Opaque page cursors: signed, and good for the one search that they came from."""

from __future__ import annotations

import hashlib
from typing import Any

from django.core import signing

from questionbank.errors import ValidationFailed

_SALT = "questionbank.cursor"
_LONGEST = 500


def cursor_pack(place: list[Any], search: object) -> str:
    """Return a cursor for a place in the results of `search`, whose `repr` tells searches apart."""
    return signing.dumps([_fingerprint(search), *place], salt=_SALT)


def cursor_unpack(cursor: str, search: object) -> list[Any]:
    """Return the place that a cursor points to.

    Raises:
        ValidationFailed: it is malformed, or belongs to another search.
    """
    try:
        fingerprint, *place = signing.loads(cursor[: _LONGEST + 1], salt=_SALT)
    except (signing.BadSignature, ValueError, TypeError) as error:
        raise ValidationFailed("This page of results is not known; search again.") from error
    if fingerprint != _fingerprint(search):
        raise ValidationFailed("This page belongs to another search; search again.")
    return place


def _fingerprint(search: object) -> str:
    return hashlib.blake2b(repr(search).encode(), digest_size=6).hexdigest()
