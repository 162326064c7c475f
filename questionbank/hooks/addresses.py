"""Which addresses web hooks may have: none that leads into the network of the school or to this machine itself."""

from __future__ import annotations

import re
import socket
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from urllib.parse import SplitResult, urlsplit

from django.conf import settings

from questionbank.core.errors import ValidationFailed
from questionbank.models.hook import LONGEST_ADDRESS

PRIVATE = "Kindred sends nothing to private addresses. An admin can allow a network with HOOK_NETWORKS."
_WRITTEN = re.compile(r"[!-\[\]-~]+")  # ASCII without spaces and backslashes, which parsers read differently
_NAT64 = IPv6Network("64:ff9b::/96")
_UNICAST = IPv6Network("2000::/3")  # every public address

Address = IPv4Address | IPv6Address


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
    literal = _literal(host)
    return PRIVATE if literal is not None and not is_allowed(literal) else ""


def _literal(host: str) -> Address | None:
    """Return the address that a host stands for without a look-up: ``127.0.0.1``, ``0x7f.1``, ``localhost``."""
    if host.rstrip(".") == "localhost" or host.rstrip(".").endswith(".localhost"):
        return IPv4Address("127.0.0.1")
    try:
        found = socket.getaddrinfo(host, None, flags=socket.AI_NUMERICHOST)
    except (OSError, UnicodeError):  # a name; what is no valid name has no address later either
        return None
    return ip_address(found[0][4][0])


def is_allowed(address: Address) -> bool:
    """Return whether Kindred sends to an address: it is public, or `HOOK_NETWORKS` lists it."""
    return _is_public(address) or any(address in network for network in settings.HOOK_NETWORKS)


def _is_public(address: Address) -> bool:
    if isinstance(address, IPv6Address):
        embedded = _embedded(address)
        if embedded is not None:
            return _is_public(embedded)
        if address not in _UNICAST:
            return False
    return address.is_global and not address.is_multicast


def _embedded(address: IPv6Address) -> IPv4Address | None:
    """Return the IPv4 address to which a translator or tunnel would forward."""
    if address in _NAT64:
        return IPv4Address(int(address) & 0xFFFFFFFF)
    return address.ipv4_mapped or address.sixtofour or (address.teredo[1] if address.teredo else None)


def host_header(parts: SplitResult) -> str:
    """Return the ``Host`` of a request to an address, without a port that the scheme implies."""
    host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname or ""
    return host if parts.port in (None, default_port(parts)) else f"{host}:{parts.port}"


def default_port(parts: SplitResult) -> int:
    """Return the port that an address's scheme implies."""
    return 443 if parts.scheme == "https" else 80
