"""Values that nobody types, and every address of the site to send them to.

`test_parameters.py` sends them to every parameter of every address, `make faults` to a real instance.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from django.urls import URLPattern, URLResolver, get_resolver

NUL = "a\0b"
DIGITS = "9" * 5000  # more than Python turns into a number
JUNK = "-1e999' \"<٣>"
VALUES = (NUL, DIGITS, JUNK)
SKIPPED = frozenset({"account_logout"})  # ends the session of all that follow


def addresses(
    patterns: Sequence[URLPattern | URLResolver] | None = None, prefix: str = "/", namespace: str = ""
) -> Iterator[tuple[str, str]]:
    """Yield name and a sample path of every address of the site, the admin's included."""
    for pattern in get_resolver().url_patterns if patterns is None else patterns:
        here = prefix + _sample(str(pattern.pattern))
        if isinstance(pattern, URLPattern):
            yield f"{namespace}{pattern.name or ''}", here
        elif isinstance(pattern, URLResolver):
            inner = f"{namespace}{pattern.namespace}:" if pattern.namespace else namespace
            yield from addresses(pattern.url_patterns, here, inner)


def _sample(pattern: str) -> str:
    """A path that fits a pattern: 1 for whatever it takes."""
    text = re.sub(r"<(?:\w+:)?\w+>", "1", re.sub(r"\(\?P<\w+>([^()|]+)[^()]*\)", _first_choice, pattern))
    return re.sub(r"\\(.)", r"\1", text).removeprefix("^").removesuffix("$").removesuffix("\\Z")


def _first_choice(group: re.Match[str]) -> str:
    return group[1] if re.fullmatch(r"\w+", group[1]) else "1"
