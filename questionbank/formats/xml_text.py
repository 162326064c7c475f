"""Texts as XML holds them."""

from __future__ import annotations

import re
from xml.sax.saxutils import escape

_FORBIDDEN = re.compile("[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")


def legal(text: str) -> str:
    """Return a text without the characters that XML cannot hold."""
    return _FORBIDDEN.sub("\ufffd", text)


def xml_text(text: str) -> str:
    r"""Return a text as an element holds it.

    >>> xml_text("1 < 2\0")
    '1 &lt; 2\ufffd'
    """
    return escape(legal(text)).replace("\r", "&#13;")


def attribute_text(text: str) -> str:
    """Return a text as an attribute between double quotes holds it."""
    return xml_text(text).replace('"', "&quot;").replace("\n", "&#10;")
