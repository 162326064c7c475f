"""A question's text with its tables in columns and its parts in a list, and its beginning as a title.

`questionbank.rendering` renders prose and formulas; this module adds the structure that
`analytics.text.question_layout` finds. A title, such as "Solve x² − 6x − 16 = 0", is shown without markup: in a
window's title bar, a list of bookmarks, the text of a link. So formulas are written on one line, from the same MathML
that the page shows: powers as superscript digits where Unicode has them, fractions with a slash, matrices in rows.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache, partial
from html import escape
from xml.etree.ElementTree import Element, ParseError, fromstring

from analytics.analysed_text import is_invented
from analytics.question_content import QuestionContent, own_text
from analytics.text.question_layout import Block, text_blocks
from questionbank.formats.kinds import part_label
from questionbank.rendering import render_inline, render_question

_FEWEST_ITEMS = 2
_WIDE_TABLE = 6  # from this many columns, a table may be wider than a small screen


@lru_cache(maxsize=2_048)
def render_laid_out(text: str) -> str:
    """Return a question's text as HTML blocks; never raises, like `render_question`."""
    return "".join(_render(block) for block in text_blocks(text))


def render_excerpt(text: str, limit: int = 0) -> str:
    r"""Return a text as one line of HTML, like `render_inline`; a table is reduced to its cells, row by row.

    >>> render_excerpt("Find y.\n\n| x | 1 |\n|---|---|\n| y | 2 |")
    'Find y. x, 1; y, 2 '
    """
    if "\n" in text and ("|" in text or "\t" in text):
        text = "".join(map(_cells_or_text, text_blocks(text)))
    return render_inline(text, limit)


def _cells_or_text(block: Block) -> str:
    if block.kind != "table":
        return block.text
    return "\n" + "; ".join(", ".join(filter(None, row)) for row in block.rows) + "\n"


def _render(block: Block) -> str:
    if block.kind == "table":
        return _table(block.rows)
    if block.kind == "parts":
        items = (
            f'<li><span class="part-label">{escape(label)}</span><div>{render_laid_out(text)}</div></li>'
            for label, text in block.parts
        )
        return f'<ol class="parts">{"".join(items)}</ol>'
    return "".join(_with_lists(block.text))


def _with_lists(text: str) -> Iterator[str]:
    """Yield prose, and the lists in it: at least two lines that begin with ``- ``, or with ``1. `` and so on."""
    prose: list[str] = []
    lines = text.split("\n")
    place = 0
    while place < len(lines):
        items, numbers = _items(lines[place:])
        if len(items) < _FEWEST_ITEMS or "".join(prose).count("$") % 2:
            prose.append(lines[place])
            place += 1
            continue
        if any(line.strip() for line in prose):
            yield render_question("\n".join(prose))
        prose = []
        tag = "ol" if numbers else "ul"
        inner = "".join(f"<li>{render_inline(item)}</li>" for item in items)
        yield f'<{tag} class="question-list">{inner}</{tag}>'
        place += len(items)
    if any(line.strip() for line in prose):
        yield render_question("\n".join(prose))


def _items(lines: Sequence[str]) -> tuple[list[str], bool]:
    """Return the items of the list that begins here, and whether they are numbered starting from 1."""
    items: list[str] = []
    is_numbered = lines[0].startswith("1. ")
    for place, line in enumerate(lines, start=1):
        mark = f"{place}. " if is_numbered else "- "
        if not line.startswith(mark) or line.count("$") % 2:
            break
        items.append(line.removeprefix(mark))
    return items, is_numbered


def _table(rows: Sequence[Sequence[str]]) -> str:
    lines = ("".join(f"<td>{render_inline(cell)}</td>" for cell in row) for row in rows)
    body = "".join(f"<tr>{cells}</tr>" for cells in lines)
    # A table wider than the screen scrolls, which requires keyboard focus.
    is_wide = len(rows[0]) >= _WIDE_TABLE
    focus = ' tabindex="0" role="group" aria-label="table"' if is_wide else ""
    return f'<div class="table-scroll"{focus}><table class="question-table"><tbody>{body}</tbody></table></div>'


LONGEST_TITLE = 80
_RAISED = str.maketrans("0123456789+−-=()ni°∘′", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ⁿⁱ°°′")
_LOWERED = str.maketrans("0123456789+−-=()aeoxhklmnpst", "₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎ₐₑₒₓₕₖₗₘₙₚₛₜ")
_SPACED = frozenset("=<>≤≥≠≈≡∼≅+−±∓×÷·∈∉∪∩⊂⊆→⇒⟹⇔⩽⩾∧∨∣")
_SIMPLE = re.compile(r"[\w.′!°⁰¹²³⁴-⁹ⁿₐ-ₜ₀-₉]*|\([^()]*\)")
_SIGNS = frozenset("+−±∓")
_JOIN = "\x00"  # a negative space, as in "10,\\!000"
_BLANKS = re.compile(r"\s+")
_TAGS = re.compile(r"<[^>]*>")
_OVER = {"→": "\u20d7", "¯": "\u0304", "^": "\u0302", "ˆ": "\u0302", "~": "\u0303", "˙": "\u0307"}


def opening_text(text: str, content: QuestionContent) -> str:
    r"""Return the text of a question for titles and links: its own text, then its parts with their letters.

    >>> from analytics.question_content import QuestionPart
    >>> parts = QuestionContent(parts=(QuestionPart("Expand $2(x+1)$."), QuestionPart("Factorise $x^2-1$.")))
    >>> opening_text("Work out.", parts), opening_text("Answer each part.", parts)
    ('Work out. (a) Expand $2(x+1)$. (b) Factorise $x^2-1$.', 'Expand $2(x+1)$. (b) Factorise $x^2-1$.')
    """
    own = "" if is_invented(text) else own_text(text, content)
    parts = [opening_text(part.text, part.content) for part in content.parts]
    lettered = [f"({part_label(place)}) {part}" for place, part in enumerate(parts) if part]
    if not own and lettered:
        own = lettered.pop(0).partition(" ")[2]
    return " ".join(filter(None, [own, *lettered])) or text


@lru_cache(maxsize=4_096)
def question_title(text: str, limit: int = LONGEST_TITLE) -> str:
    r"""Return the beginning of a question in at most `limit` characters.

    >>> question_title(r"Solve $x^2 - 6x - 16 = 0$ for $x \le \frac{1}{2}$.")
    'Solve x² − 6x − 16 = 0 for x ≤ 1/2.'
    >>> question_title(r"A rope of $6\frac{1}{6}$ m")
    'A rope of 6 1/6 m'
    """
    html = render_excerpt(text, 2 * limit).replace("&nbsp;", " ")
    try:
        title = _of(fromstring(f"<mrow>{html}</mrow>"))  # noqa: S314 - nh3 has just written it
    except ParseError:
        title = _TAGS.sub("", html)
    title = _BLANKS.sub(" ", title.replace(f" {_JOIN}", "").replace(_JOIN, "")).strip()
    if len(title) <= limit:
        return title
    cut = title[: limit - 1]
    blank = cut.rfind(" ")
    return (cut[:blank] if blank > limit // 2 else cut).rstrip(" ,.;:=+−") + "…"


def _of(element: Element) -> str:
    """Convert an element to text."""
    parts = [_of(child) for child in element]
    if element.tag == "mo":
        return _operator(element)
    if _is_negative_space(element):
        return _JOIN
    write = _WRITTEN.get(element.tag)
    return write(parts) if write else _row(element, parts)


def _is_negative_space(element: Element) -> bool:
    if element.tag == "mspace":
        return element.get("width", "").startswith("-")
    return element.tag == "mrow" and element.get("class", "").startswith("kern-")


def _row(element: Element, parts: list[str]) -> str:
    """Return the element's own text with its children's text in place."""
    inner = element.text or ""
    for index, (child, part) in enumerate(zip(element, parts, strict=True)):
        is_sign = index == 0 and child.tag == "mo" and child.text in _SIGNS  # first, so a sign even without `form`
        if child.tag == "mfrac" and inner[-1:].isdigit():  # a mixed number: 6 1/6
            inner += " "
        inner += (part.strip() if is_sign else part) + (child.tail or "")
    return inner


def _operator(element: Element) -> str:
    text = element.text or ""
    if text == ",":
        return ", "
    return f" {text} " if text in _SPACED and element.get("form") is None else text


def _grouped(text: str) -> str:
    text = text.strip()
    return text if _SIMPLE.fullmatch(text) else f"({text})"


def _raised(text: str) -> str:
    raised = text.replace(" ", "").translate(_RAISED)
    return raised if all(character in "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿⁱ°′″" for character in raised) else "^" + _grouped(text)


def _lowered(text: str) -> str:
    lowered = text.replace(" ", "").translate(_LOWERED)
    return lowered if all("ₐ" <= letter <= "ₜ" or "₀" <= letter <= "₎" for letter in lowered) else "_" + _grouped(text)


def _with_limits(tag: str, parts: list[str]) -> str:
    base, *limits = parts
    mark = _OVER.get(limits[0].strip()) if tag == "mover" else None
    if mark is not None:
        return "".join(letter + mark for letter in base)
    lower = limits[0] if tag != "mover" else ""
    upper = limits[-1] if tag != "munder" else ""
    return base + (_lowered(lower) if lower.strip(" ⏟") else "") + (_raised(upper) if upper.strip(" ⏞⌢") else "")


_WRITTEN: dict[str, Callable[[list[str]], str]] = {  # element -> function that writes it from its parts
    "mspace": lambda _parts: " ",
    "mfrac": lambda parts: f"{_grouped(parts[0])}/{_grouped(parts[1])}",
    "msqrt": lambda parts: "√" + _grouped("".join(parts)),
    "mroot": lambda parts: f"{_raised(parts[1])}√{_grouped(parts[0])}",
    "msup": lambda parts: parts[0] + _raised(parts[-1]),
    "msub": lambda parts: parts[0] + _lowered(parts[1]),
    "msubsup": lambda parts: parts[0] + _lowered(parts[1]) + _raised(parts[-1]),
    **{tag: partial(_with_limits, tag) for tag in ("mover", "munder", "munderover")},
    "mtable": lambda parts: "; ".join(part.strip() for part in parts),
    "mtr": lambda parts: " ".join(part.strip() for part in parts),
}
