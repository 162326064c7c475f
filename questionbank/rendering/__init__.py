r"""Question text as safe HTML: prose, answer blanks, pictures, tables, and formulas as MathML.

Whatever a question contains, the result is built from an allow-list: prose is escaped, formulas come from
:mod:`questionbank.formulas` or are shown as their escaped source, and nh3 sanitizes the whole once more. Pages
therefore need no JavaScript to show mathematics. Results are cached by content, because lists render the same questions
repeatedly.
"""

from __future__ import annotations

from contextlib import suppress
from functools import lru_cache
from html import escape

import nh3

from questionbank.formulas import FORMULA_CLASSES, MATHML_ATTRIBUTES
from questionbank.rendering.html_text import Blocks, Line, LineIsFull, without_html
from questionbank.rendering.texts import Scope, render_text

__all__ = ["render_inline", "render_question"]

LONGEST_TEXT = 60_000


@lru_cache(maxsize=2_048)
def render_question(text: str) -> str:
    """Return a question's text as HTML blocks: paragraphs, display formulas, tables.

    Never raises: a formula that cannot be rendered is shown as its source.
    """
    if len(text) > LONGEST_TEXT:
        return f"<pre>{escape(text)}</pre>"
    blocks = Blocks()
    render_text(without_html(text), blocks, Scope())
    return _cleaner().clean("".join(blocks.finish()))


@lru_cache(maxsize=4_096)
def render_inline(text: str, limit: int = 0) -> str:
    """Return a text as one line of HTML, cut after about `limit` characters (0: no limit), never within a formula."""
    line = Line(limit)
    with suppress(LineIsFull):
        render_text(without_html(text[:LONGEST_TEXT]), line, Scope())
    return _cleaner().clean("".join(line.finish()))


# -- the last gate ------------------------------------------------------------------------------------------------

_GROUP = {"role": {"group", "img"}, "tabindex": {"0"}}
_TAGS = set(str.split("p br div span strong em u s sup sub code pre details summary table tbody tr td img ul ol li"))
_CLASSES = {
    "span": {"answer-blank", "image-placeholder", "formula-scroll", "nowrap"},
    "div": {"formula-display", "table-scroll", "image-placeholder"},
    "code": {"formula-source"},
    "details": {"diagram-source"},
    "table": {"question-table"},
    "img": {"question-picture"},
    **{tag: set(FORMULA_CLASSES) for tag, names in MATHML_ATTRIBUTES.items() if "class" in names},
}


@lru_cache(maxsize=1)
def _cleaner() -> nh3.Cleaner:
    """Return an nh3 cleaner that allows only what this package and :mod:`questionbank.formulas` write."""
    attributes: dict[str, set[str]] = {tag: set(names) - {"class"} for tag, names in MATHML_ATTRIBUTES.items()}
    attributes |= {"span": {"aria-label"}, "div": {"aria-label"}, "td": {"colspan"}, "img": {"src", "alt"}}
    return nh3.Cleaner(
        tags=set(MATHML_ATTRIBUTES) | _TAGS,
        clean_content_tags=set(),
        attributes=attributes,
        tag_attribute_values={"span": _GROUP, "div": _GROUP},
        allowed_classes=_CLASSES,
        link_rel=None,
        url_schemes=set(),
    )
