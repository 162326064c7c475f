r"""Our text as XHTML in items of QTI: formulas in MathML, which keeps its LaTeX, and pictures by their addresses."""

from __future__ import annotations

import re
from collections.abc import Callable
from html import escape, unescape

from questionbank.formats.html_writing import text_html
from questionbank.formats.qti.words import MATH
from questionbank.formats.xml_text import legal
from questionbank.formulas import FormulaRefused, formula_mathml

Address = Callable[[str], str]
_FORMULA = re.compile(r"\\\(([^<>]+?)\\\)|\$\$([^<>]+?)\$\$")
_VOID = re.compile(r"<(br|img|hr)\b([^<>]*?)/?>")
_ONE_PARAGRAPH = re.compile(r"<p>((?:(?!<p>|<ul>|<ol>|<table>).)*)</p>", re.DOTALL)
_MATH_TAG = re.compile(r"<math\b[^<>]*>(.*)</math>", re.DOTALL)
_OF_PAGES = re.compile(r"""\s(?:class|style|data-[\w-]+)="[^"]*\"""")


def block_html(text: str, address: Address) -> str:
    """Return a text as blocks; where our notation has no HTML, the text stands in paragraphs as it is."""
    text = legal(text)
    html = text_html(text, address)
    if html is None:
        lines = (escape(part, quote=False).replace("\n", "<br>") for part in text.split("\n\n"))
        html = "".join(f"<p>{part}</p>" for part in lines)
    html = _VOID.sub(r"<\1\2/>", html).replace("\r", "&#13;")
    return _FORMULA.sub(_formula, html)


def flow_html(text: str, address: Address) -> str:
    """Return a text for a choice: without a paragraph around it where it has one alone."""
    html = block_html(text, address)
    alone = _ONE_PARAGRAPH.fullmatch(html)
    return alone[1] if alone else html


def _formula(match: re.Match[str]) -> str:
    source = match[1] or match[2]
    latex, is_block = unescape(source), match[2] is not None
    try:
        drawn = _MATH_TAG.fullmatch(formula_mathml(latex, display=is_block))
    except FormulaRefused:
        drawn = None
    if drawn is None:
        return match[0]
    display = ' display="block"' if is_block else ""
    inner = _OF_PAGES.sub("", drawn[1])
    note = f'<annotation encoding="application/x-tex">{escape(latex, quote=False)}</annotation>'
    return f'<math xmlns="{MATH}"{display}><semantics><mrow>{inner}</mrow>{note}</semantics></math>'
