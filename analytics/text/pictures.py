"""Pictures referenced in texts: ``![description](name)``."""

from __future__ import annotations

import re

PICTURE = re.compile(r"!\[(?P<alt>(?:[^\[\]]|\[[^\[\]]*\])*)\]\((?P<name>[^()\n]*)\)")


def blank_names(text: str) -> str:
    """Return a text with its picture names blanked out, because they are not wording; offsets stay the same.

    >>> blank_names("How long is a? ![2 sides](image1.png)")
    'How long is a? ![2 sides](          )'
    """
    if "](" not in text:
        return text
    return PICTURE.sub(lambda match: f"![{match['alt']}]({' ' * len(match['name'])})", text)
