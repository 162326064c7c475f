"""Which addresses web hooks may have: none that leads into the network of the school or to this machine itself."""

from __future__ import annotations

import re
from urllib.parse import SplitResult, urlsplit

from django.conf import settings

from questionbank.core.errors import ValidationFailed
from questionbank.core.public_addresses import Address, is_public, literal_address
from questionbank.models.hook import LONGEST_ADDRESS

PRIVATE = "Kindred sends nothing to private addresses. An admin can allow a network with HOOK_NETWORKS."
_WRITTEN = re.compile(r"[!-\[\]-~]+")  # ASCII without spaces and backslashes, which parsers read differently


def checked_address(address: str) -> str:
    """Return an address to which a web hook may lead, as far as can be seen without looking its host up.

    Raises:
        ValidationFailed: the problem of the field ``address``.
    """
    address = address.strip()
    problem = _problem(address)
    if problem:
        raise ValidationFailed.beside("address", problem)
    return address


def _problem(address: str) -> str:
    if len(address) > LONGEST_ADDRESS:
        return f"Use at most {LONGEST_ADDRESS:,} characters."
    if not _WRITTEN.fullmatch(address):
        return "Write the address in ASCII, percent-encoded, such as https://example.org/kindred."
    try:
        parts = urlsplit(address)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        host, port = "", None
    if not host or port == 0 or parts.scheme not in ("https", "http"):
        return "Enter an address that begins with https:// or http://."
    if "@" in parts.netloc or parts.fragment:
        return "Leave out the user name, the password and the part after #."
    literal = literal_address(host)
    return PRIVATE if literal is not None and not is_allowed(literal) else ""


def is_allowed(address: Address) -> bool:
    """Return whether Kindred sends to an address: it is public, or `HOOK_NETWORKS` lists it."""
    return is_public(address) or any(address in network for network in settings.HOOK_NETWORKS)


def host_header(parts: SplitResult) -> str:
    """Return the ``Host`` of a request to an address, without a port that the scheme implies."""
    host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname or ""
    return host if parts.port in (None, default_port(parts)) else f"{host}:{parts.port}"


def default_port(parts: SplitResult) -> int:
    """Return the port that an address's scheme implies."""
    return 443 if parts.scheme == "https" else 80
