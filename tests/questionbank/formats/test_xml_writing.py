"""Elements as text: what is escaped, and what is markup already."""

from __future__ import annotations

from xml.etree.ElementTree import fromstring

import pytest

from questionbank.formats.xml_writing import Markup, block, element, joined, opening

HOSTILE = "<a href=\"x\" b='y'>&amp;]]> 1\r2\n3\t4 \0\x0b\ufffe"


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        (element("br"), "<br/>"),
        (element("text", ""), "<text></text>"),
        (element("p", "1 < 2 & ", element("b", "x")), "<p>1 &lt; 2 &amp; <b>x</b></p>"),
        (element("p", Markup("<i>kept</i>")), "<p><i>kept</i></p>"),
        (element("file", name="a", class_="b", size=3), '<file name="a" class="b" size="3"/>'),
        (element("choices", shuffle=True, label=None), '<choices shuffle="true"/>'),
        (opening("section", title='"T"'), '<section title="&quot;T&quot;">'),
        (block("tags", element("tag"), "<"), "<tags>\n<tag/>\n&lt;\n</tags>"),
        (joined(["a", Markup("<b/>")], "\n"), "a\n<b/>"),
    ],
)  # fmt: skip
def test_an_element_is_written(written, expected):
    assert isinstance(written, Markup)
    assert written == expected


def test_any_text_is_read_back_but_for_what_xml_cannot_hold():
    root = fromstring(element("root", HOSTILE, value=HOSTILE))
    held = HOSTILE.replace("\0", "\ufffd").replace("\x0b", "\ufffd").replace("\ufffe", "\ufffd")
    assert (root.text, root.get("value")) == (held, held)
