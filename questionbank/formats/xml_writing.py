"""XML as text, element by element: everything that is not markup is escaped.

>>> element("p", "1 < 2 ", element("br"), lang="en")
'<p lang="en">1 &lt; 2 <br/></p>'
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from xml.sax.saxutils import escape

DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n'
_FORBIDDEN = re.compile("[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")


class Markup(str):
    """Text that is XML already, so that it is not escaped again."""

    __slots__ = ()


def element(name: str, /, *inner: str, **attributes: object) -> Markup:
    """Return an element; without anything inner, not even an empty text, it is written ``<name/>``.

    Args:
        inner: texts and elements.
        attributes: as for `opening`.
    """
    tag = opening(name, **attributes)
    return Markup(f"{tag}{joined(inner)}</{name}>" if inner else f"{tag[:-1]}/>")


def opening(name: str, /, **attributes: object) -> Markup:
    """Return an opening tag, for elements that are written piece by piece.

    Args:
        attributes: None leaves an attribute out; a trailing underscore of a name is dropped, as in ``class_``.
    """
    stated = ((key.removesuffix("_"), value) for key, value in attributes.items() if value is not None)
    pairs = (f' {key}="{_attribute_text(value)}"' for key, value in stated)
    return Markup(f"<{name}{''.join(pairs)}>")


def block(name: str, /, *inner: str, **attributes: object) -> Markup:
    """Return an element with each inner text or element on its own line."""
    return element(name, joined(["", *inner, ""], "\n"), **attributes)


def joined(pieces: Iterable[str], between: str = "") -> Markup:
    """Return texts and elements in sequence."""
    return Markup(between.join(map(xml_text, pieces)))


def xml_text(text: str) -> Markup:
    r"""Escape a text as element content; markup stays as it is.

    >>> xml_text("1 < 2\0")
    '1 &lt; 2\ufffd'
    """
    return text if isinstance(text, Markup) else Markup(escape(legal(text)).replace("\r", "&#13;"))


def legal(text: str) -> str:
    """Replace the characters that XML cannot hold."""
    return _FORBIDDEN.sub("\ufffd", text)


def _attribute_text(value: object) -> str:
    text = xml_text(str(value).lower() if isinstance(value, bool) else str(value))
    return text.replace('"', "&quot;").replace("\n", "&#10;").replace("\t", "&#9;")


def package_manifest(resources: Iterable[Markup], schema: str, version: str, **attributes: object) -> str:
    """Return the manifest of an IMS content package.

    Args:
        schema, version: name and version of the kind of package.
        attributes: of the root.
    """
    metadata = element("metadata", element("schema", schema), element("schemaversion", version))
    root = block("manifest", metadata, element("organizations"), block("resources", *resources), **attributes)
    return f"{DECLARATION}{root}\n"
