r"""HTML in texts that may hold some, and our text as HTML for learning platforms.

`html_to_text` reads texts from tables and JSON. A tag must have a name that HTML knows and well-formed attributes; a
single-letter tag also needs its closing tag. So ``a<b`` and ``if a<b and c>d`` stay as they are, and nothing between
formula delimiters is taken for a tag.

`text_html` is the inverse of `html_reading`. Formulas are written as ``\( \)`` and ``$$ $$``, which MathJax reads. A
text that would not survive the round trip is written without emphasis, lists and tables, or refused with None.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable
from html import escape
from urllib.parse import quote

from analytics.text.characters import PICTURE
from analytics.text.formulas import segment_text
from questionbank.formats.html_reading import (
    HTML_NAMES,
    HtmlReader,
    between,
    html_to_our_text,
    tidy_lines,
    without_comments,
)
from questionbank.formats.mathml_latex import mathml_to_latex

_RARE = frozenset(  # outside of web pages, these are words between < and >
    "main aside nav address details summary legend input button select option textarea optgroup".split()
)
_PAIRED = frozenset("em tt map time mark label form object source area center code".split())
_FLAGS = frozenset("hidden disabled checked controls allowfullscreen nowrap noshade compact open".split())
_ATTRIBUTE = r"""\s+[a-zA-Z_:][-\w:.]*(?:\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'<>=`]+))?"""
_ENTITY = r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[a-zA-Z][a-zA-Z0-9]{1,31});"
_TAG = re.compile(rf"<(?P<closing>/?)(?P<name>[a-zA-Z][a-zA-Z0-9]*)(?P<inner>(?:{_ATTRIBUTE})*)\s*/?>")
_SIGN = re.compile(rf"{_TAG.pattern}|<|&(?!{_ENTITY[1:]})")
_VALUED = re.compile(r"""[-\w:.]+\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'<>=`]+)""")
_DECLARATION = re.compile(r"<!doctype[^<>]*>|<!\[CDATA\[|\]\]>", re.IGNORECASE)
_BLANK = re.compile(r"<u(?:\s[^<>]*)?>(?:&nbsp;|&#160;|\xa0|[ _]){2,80}</u\s*>", re.IGNORECASE)
_IN_FORMULA = re.compile(r"<br\s*/?>|</?span[^<>]*>", re.IGNORECASE)
_BETWEEN_TAGS = re.compile(r">[ \t]*\r?\n\s{0,80}<")  # line breaks of the export, not of the text


def html_to_text(text: str) -> tuple[str, list[str]]:
    r"""Return a text without HTML, and what was removed or kept as source; the text itself if it has no HTML.

    >>> html_to_text(r"<p>Solve <b>for</b> \(x\):&nbsp; \(x+1 &lt; 5\)</p>")
    ('Solve for \\(x\\): \\(x+1 < 5\\)', [])
    >>> html_to_text("3 cm<sup>2</sup><br>a<sub>n+1</sub>"), html_to_text("If a<b and c>d, is $x<y>z$?")[0]
    (('3 cm²\n$a_{n+1}$', []), 'If a<b and c>d, is $x<y>z$?')
    """
    if "<" not in text and "&" not in text:
        return text, []
    went: list[str] = []
    tags = _Tags(text)
    has_blanks = "&nbsp;" in text
    has_tags = tags.are_there or "<!--" in text
    text = _without_tags(text, tags, went) if has_tags else re.sub(_ENTITY, _entity, text)
    return re.sub(" {2,}", " ", text) if has_blanks else text, list(dict.fromkeys(went))


def _entity(match: re.Match[str]) -> str:
    sign = html.unescape(match.group())
    if sign == "\xa0":
        return " "
    return sign if sign.isprintable() and len(sign) <= 2 else match.group()


class _Tags:
    """Decides which of the things that look like tags in a text are tags.

    Args:
        text: the whole text, since a tag may be closed after a formula.
    """

    def __init__(self, text: str) -> None:
        found = [*_TAG.finditer(text)]
        closed = {match["name"].lower() for match in found if match["closing"]}
        self._paired = closed & {match["name"].lower() for match in found if not match["closing"]}
        self.are_there = any(map(self.takes, found))

    def takes(self, match: re.Match[str]) -> bool:
        name = match["name"].lower()
        if name not in HTML_NAMES - _RARE or not _FLAGS.issuperset(_VALUED.sub("", match["inner"]).lower().split()):
            return False
        return name in self._paired or (len(name) > 1 and name not in _PAIRED)


def _without_tags(text: str, tags: _Tags, went: list[str]) -> str:
    def dropped(_source: str) -> str:
        went.append("a script or style sheet was left out")
        return ""

    def formula(inner: str) -> str:
        source = f"<math{inner}</math>"
        if latex := mathml_to_latex(source):
            return f"${latex}$"
        went.append("a formula in MathML could not be converted and stays as its source")
        return source.replace("<", "&lt;")

    def literal(sign: re.Match[str]) -> str:
        return sign[0].replace("&", "&amp;").replace("<", "&lt;")

    def escaped(sign: re.Match[str]) -> str:
        return sign[0] if sign["name"] and tags.takes(sign) else literal(sign)

    text = _DECLARATION.sub("", without_comments(_BLANK.sub("____", text)))
    for name in ("script", "style"):
        text = between(text, f"<{name}", f"</{name}>", dropped)
    text = between(text, "<math", "</math>", formula)
    pieces = [
        _SIGN.sub(escaped, _BETWEEN_TAGS.sub("><", segment.source))
        if segment.kind == "text"
        else _SIGN.sub(literal, _IN_FORMULA.sub(" ", segment.source))
        for segment in segment_text(text)
    ]
    reader = HtmlReader(str, breaks_lines=True, is_plain=True)
    plain = tidy_lines(reader.text("".join(pieces))).strip()
    went += reader.went
    return plain


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
