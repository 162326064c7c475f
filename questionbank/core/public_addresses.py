"""Which addresses are public: none that leads into the network of the school or to this machine itself."""

from __future__ import annotations

import socket
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address

_NAT64 = IPv6Network("64:ff9b::/96")
_UNICAST = IPv6Network("2000::/3")  # every public address

Address = IPv4Address | IPv6Address


def literal_address(host: str) -> Address | None:
    """Return the address that a host stands for without a look-up: ``127.0.0.1``, ``0x7f.1``, ``localhost``."""
    if host.rstrip(".") == "localhost" or host.rstrip(".").endswith(".localhost"):
        return IPv4Address("127.0.0.1")
    try:
        found = socket.getaddrinfo(host, None, flags=socket.AI_NUMERICHOST)
    except (OSError, UnicodeError):  # a name; what is no valid name has no address later either
        return None
    return ip_address(found[0][4][0])


def is_public(address: Address) -> bool:
    """Return whether an address belongs to the internet at large."""
    if isinstance(address, IPv6Address):
        embedded = _embedded(address)
        if embedded is not None:
            return is_public(embedded)
        if address not in _UNICAST:
            return False
    return address.is_global and not address.is_multicast


def is_public_host(host: str) -> bool:
    """Return whether all addresses of a host are public; looks its name up.

    Raises:
        OSError: the name is not known.
    """
    literal = literal_address(host)
    if literal is not None:
        return is_public(literal)
    try:
        found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except UnicodeError as error:
        raise OSError("it is no valid name") from error
    return all(is_public(ip_address(place[0])) for *_kind, place in found)


def _embedded(address: IPv6Address) -> IPv4Address | None:
    """Return the IPv4 address to which a translator or tunnel would forward."""
    if address in _NAT64:
        return IPv4Address(int(address) & 0xFFFFFFFF)
    return address.ipv4_mapped or address.sixtofour or (address.teredo[1] if address.teredo else None)
