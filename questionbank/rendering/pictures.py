"""Pictures in texts, ``![description](name)``, and their URLs on pages."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from analytics.text.pictures import PICTURE

ADDRESS = re.compile(r"/pictures/[0-9a-f]{64}")
"""Path of an attached picture; texts can show pictures from no other URL."""


def picture_names(texts: Iterable[str]) -> dict[str, None]:
    """Return the names of the pictures in some texts, in order.

    >>> list(picture_names(["A ![graph](a.png) and ![]()", "![](b.png)"]))
    ['a.png', 'b.png']
    """
    names = (match["name"].strip() for text in texts if "](" in text for match in PICTURE.finditer(text))
    return {name: None for name in names if name}


def is_picture(text: str) -> bool:
    """Return whether a text consists of a picture only."""
    return PICTURE.fullmatch(text.strip()) is not None


def with_addresses(text: str, pictures: Iterable[Mapping[str, str]]) -> str:
    """Replace the names of attached pictures in a text by their URLs."""
    if "](" not in text:
        return text
    addresses = {picture["name"]: f"/pictures/{picture['sha256']}" for picture in pictures if picture.get("sha256")}
    return PICTURE.sub(
        lambda match: (
            f"![{match['alt']}]({addresses.get(match['name'].strip(), '')})"
            if match["name"].strip() in addresses
            else match[0]
        ),
        text,
    )
