"""Sending web hooks: each host is looked up once, and the connection goes to the very address that was checked.

So a name that means another address a moment later leads nowhere else. Redirects are not followed, proxies of the
environment are not used, and a receiver can neither keep us waiting nor make us read more than the beginning of its
response.
"""

from __future__ import annotations

import asyncio
import re
import socket
import time
from ipaddress import ip_address
from urllib.parse import SplitResult, urlsplit

import httpx2
import structlog

from questionbank.core.public_addresses import Address
from questionbank.hooks.services import (
    PRIVATE,
    Answer,
    Message,
    default_port,
    deliveries_claim,
    delivery_record,
    hook_events_announce,
    host_header,
    is_allowed,
)

logger = structlog.get_logger(__name__)

SECONDS = 15.0  # for the look-up, the connection and the response together
ROUNDS_SECONDS = 45.0  # mail waits for the same workers
KEPT = 500  # characters of a response
_READ = 4_096  # bytes of a response
_UNSHOWN = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")


class _Refused(Exception):
    """The host has a private address."""


def hooks_deliver() -> int:
    """Announce what happened, and send what is due for a while; return how many messages were delivered."""
    while hook_events_announce():
        pass
    delivered, began = 0, time.monotonic()
    while time.monotonic() - began < ROUNDS_SECONDS and (messages := deliveries_claim()):
        for message, answer in zip(messages, asyncio.run(_send_all(messages)), strict=True):
            delivery_record(delivery=message.delivery, answer=answer)
            delivered += not answer.error
            if answer.error:
                logger.warning("hook_not_delivered", delivery=message.delivery.pk, status=answer.status)
    return delivered


async def _send_all(messages: list[Message]) -> list[Answer]:
    return await asyncio.gather(*map(_send, messages))


async def _send(message: Message) -> Answer:
    """Send a message, and return what came of it, whatever that is."""
    try:
        async with asyncio.timeout(SECONDS):
            return await _post(message)
    except (TimeoutError, httpx2.TimeoutException):
        return Answer(error="The receiver did not answer in time.")
    except _Refused:
        return Answer(error=PRIVATE)
    except (socket.gaierror, UnicodeError):
        return Answer(error="The name of the host is unknown.")
    except (httpx2.HTTPError, OSError) as error:
        return Answer(error=f"The receiver could not be reached: {str(error).strip() or type(error).__name__}"[:300])


async def _post(message: Message) -> Answer:
    parts = urlsplit(message.address)
    addresses = await _allowed_addresses(parts)
    timeout = httpx2.Timeout(SECONDS, connect=SECONDS / 3)  # so that there is time for another address
    async with httpx2.AsyncClient(timeout=timeout, follow_redirects=False, trust_env=False) as client:
        for address in addresses:
            try:
                return await _post_to(client, address, parts, message)
            except (httpx2.ConnectError, httpx2.ConnectTimeout):
                if address == addresses[-1]:
                    raise
    raise AssertionError("a look-up finds an address or fails")


async def _allowed_addresses(parts: SplitResult) -> list[Address]:
    """Look a host up, once."""
    loop = asyncio.get_running_loop()
    port = parts.port or default_port(parts)
    found = await loop.getaddrinfo(parts.hostname, port, type=socket.SOCK_STREAM)
    addresses = list(dict.fromkeys(ip_address(place[0]) for *_kind, place in found))
    if not all(map(is_allowed, addresses)):
        raise _Refused
    return addresses


async def _post_to(client: httpx2.AsyncClient, address: Address, parts: SplitResult, message: Message) -> Answer:
    host = f"[{address}]" if address.version == 6 else str(address)
    url = httpx2.URL(
        scheme=parts.scheme,
        host=host,
        port=parts.port or default_port(parts),
        raw_path=(parts.path or "/").encode() + (f"?{parts.query}".encode() if parts.query else b""),
    )
    headers = {"host": host_header(parts), "user-agent": "Kindred", "accept-encoding": "identity", **message.headers}
    # The certificate is checked against the name, and the server learns for which name we come.
    names = {"sni_hostname": parts.hostname}
    async with client.stream("POST", url, content=message.body, headers=headers, extensions=names) as response:
        beginning = b""
        async for piece in response.aiter_raw():
            beginning += piece
            if len(beginning) >= _READ:
                break
        return Answer(response.status_code, _shown(beginning), _problem(response.status_code))


def _shown(beginning: bytes) -> str:
    return _UNSHOWN.sub("�", beginning[:_READ].decode(errors="replace"))[:KEPT]


def _problem(status: int) -> str:
    if 200 <= status < 300:
        return ""
    if 300 <= status < 400:
        return f"The receiver redirects ({status}); enter the address to which it leads."
    return f"The receiver answered {status}."
