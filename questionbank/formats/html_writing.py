r"""Our text as HTML for learning platforms: the inverse of `html_reading`.

Formulas are written as ``\( \)`` and ``$$ $$``, which MathJax reads. A text that would not survive the round trip is
written without emphasis, lists and tables; `text_html` returns None if even that fails.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from html import escape
from urllib.parse import quote

from analytics.text.formulas import segment_text
from analytics.text.pictures import PICTURE
from questionbank.formats.html_reading import html_to_our_text

PictureAddress = Callable[[str], str]

_ITEM = re.compile(r"(?:-|(\d{1,3})\.) (.+)")
_ROW = re.compile(r"\| (.*) \|")
_MARKS = re.compile(
    r"(?P<picture>!\[(?:[^\[\]]|\[[^\[\]]*\])*\]\([^()\n]*\))"
    r"|\*\*(?P<strong>[^*\n]+)\*\*"
    r"|(?<![\w*])\*(?P<em>[^\s*](?:[^*\n]*[^\s*])?)\*(?![\w*])"
    r"|\[(?P<words>[^\[\]\n]+)\]\((?P<address>(?:https?|mailto):[^()\s]+)\)"
)


def text_html(text: str, picture_address: PictureAddress = quote) -> str | None:
    """Return HTML that `html_to_our_text` reads back as the same text; None if there is no such HTML.

    Args:
        picture_address: returns the address of a picture by its name.
    """
    if not text:
        return ""
    names: dict[str, str] = {}

    def address(name: str) -> str:
        there = picture_address(name)
        names[there] = name
        return there

    for write in (_rich, _plain):
        html = write(text, address)
        if html_to_our_text(html, picture_name=lambda there: names.get(there, there))[0] == text:
            return html
    return None


def _plain(text: str, _address: PictureAddress) -> str:
    paragraphs = (escape(part, quote=False).replace("\n", "<br>") for part in text.split("\n\n"))
    return "".join(f"<p>{part}</p>" for part in paragraphs)


def _rich(text: str, address: PictureAddress) -> str:
    pieces: list[str] = []
    kept: list[str] = []
    for block in re.split(r"\n{2,}", _protected(text, kept)):
        lines = block.split("\n")
        items, rows = [_ITEM.fullmatch(line) for line in lines], [_ROW.fullmatch(line) for line in lines]
        if all(items):
            tag = "ol" if items[0] and items[0][1] else "ul"
            inner = "".join(f"<li>{_inline(match[2], address)}</li>" for match in items if match)
            pieces.append(f"<{tag}>{inner}</{tag}>")
        elif all(rows):
            cells = ([_inline(cell, address) for cell in match[1].split(" | ")] for match in rows if match)
            inner = "".join(f"<tr><td>{'</td><td>'.join(row)}</td></tr>" for row in cells)
            pieces.append(f"<table><tbody>{inner}</tbody></table>")
        else:
            pieces.append(f"<p>{'<br>'.join(_inline(line, address) for line in lines)}</p>")
    return re.sub("\ufdd0(\\d+)\ufdd1", lambda match: kept[int(match[1])], "".join(pieces))


def _inline(text: str, address: PictureAddress) -> str:
    pieces: list[str] = []
    end = 0
    for match in _MARKS.finditer(text):
        pieces.append(escape(text[end : match.start()], quote=False))
        end = match.end()
        if match["picture"]:
            picture = PICTURE.fullmatch(match["picture"])
            assert picture is not None  # noqa: S101 - the same form
            pieces.append(f'<img src="{escape(address(picture["name"]))}" alt="{escape(picture["alt"])}">')
        elif match["words"]:
            pieces.append(f'<a href="{escape(match["address"])}">{escape(match["words"], quote=False)}</a>')
        else:
            tag = match.lastgroup
            pieces.append(f"<{tag}>{escape(match[tag or 0], quote=False)}</{tag}>")
    return "".join([*pieces, escape(text[end:], quote=False)])


# -- formulas are protected while the rest is written ------------------------------------------------------------------

_KEPT = "\ufdd0{}\ufdd1"


def _protected(text: str, kept: list[str]) -> str:
    pieces = []
    for segment in segment_text(text):
        if segment.kind == "text":
            pieces.append(segment.source)
            continue
        source = segment.source
        if source.startswith("$") and not source.startswith("$$") and "\\)" not in source:
            source = rf"\({segment.body}\)"
        pieces.append(_KEPT.format(len(kept)))
        kept.append(escape(source, quote=False))
    return "".join(pieces)
