r"""HTML in texts, as learning platforms export it, made into our notation: lines, LaTeX between dollar signs, signs.

A tag is one whose name HTML has and whose inside is written as attributes are; one of a single letter also needs its
closing tag behind it. So ``a<b`` and ``if a<b and c>d`` stay as they are, and nothing between formula delimiters is
taken for a tag.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable

from analytics.text.formulas import segment_text

_BREAKS = {"br": "\n", "hr": "\n"}
_PARAGRAPHS = frozenset(
    "p div section article header footer blockquote pre h1 h2 h3 h4 h5 h6 table thead tbody tfoot ul ol dl"
    " fieldset form center figure figcaption".split()
)
_TABLE_LINES = frozenset("tr dt dd caption".split())
_INLINE = frozenset(
    "a abbr b big code em font i ins kbd label mark q s samp small span strike strong tt u var nobr wbr bdi bdo cite"
    " dfn del time body html head title meta link col colgroup".split()
)
_DROPPED = frozenset("script style noscript template".split())
_MEDIA = {
    "img": "image", "svg": "image", "canvas": "image", "picture": "image", "map": "image",
    "iframe": "embedded page", "embed": "embedded page", "object": "embedded page", "applet": "embedded page",
    "video": "video", "audio": "audio", "source": "", "track": "", "param": "", "area": "",
}  # fmt: skip
_KNOWN = (
    {*_BREAKS}
    | _PARAGRAPHS
    | _TABLE_LINES
    | _INLINE
    | _DROPPED
    | {*_MEDIA}
    | {"sub", "sup", "li", "td", "th", "math"}
)
HTML_NAMES = frozenset(
    {
        *_KNOWN,
        *"main aside nav address details summary legend input button select option textarea optgroup".split(),
    }
)
_ATTRIBUTE = r"""\s+[a-zA-Z_:][-\w:.]*(?:\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'<>=`]+))?"""
_NAME = r"[a-zA-Z][a-zA-Z0-9]*"
_TAG = re.compile(rf"<(/?)({_NAME})((?:{_ATTRIBUTE})*)\s*/?>")
_VALUED = re.compile(r"""[-\w:.]+\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'<>=`]+)""")
_DECLARATION = re.compile(r"<!doctype[^<>]*>|<!\[CDATA\[|\]\]>", re.IGNORECASE)
_LIKELY_TAG = re.compile(r"<[/!a-zA-Z]")
_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[a-zA-Z][a-zA-Z0-9]{1,31});")
_SUPERSCRIPTS = str.maketrans("0123456789+-−=()n", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ⁿ")
_SUBSCRIPTS = str.maketrans("0123456789+-−=()", "₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎")
_RAISED = re.compile(r"[0-9+\-−]+|n")
_LOWERED = re.compile(r"[0-9+\-−]+")
_SCRIPT = re.compile(r"<(su[bp])(?:\s[^<>]*)?>([^<>]{1,200})</\1\s*>", re.IGNORECASE)
_BASE = re.compile(r"(?:[A-Za-z0-9]{1,20}|\))$")
_SOURCE = re.compile(r"<annotation\b[^<>]*tex[^<>]*>([^<>]*)</annotation>", re.IGNORECASE)
_ALTTEXT = re.compile(r"""alttext\s*=\s*"([^"]*)\"""")
_ALT = re.compile(r"""\b(?:alt|title)\s*=\s*(?:"([^"]*)"|'([^']*)')""", re.IGNORECASE)


def html_to_text(text: str) -> tuple[str, list[str]]:
    r"""Return a text without HTML, and what of it went or stayed; the text itself where it holds none.

    >>> html_to_text(r"<p>Solve <b>for</b> \(x\):&nbsp; \(x+1 &lt; 5\)</p>")
    ('Solve for \\(x\\): \\(x+1 < 5\\)', [])
    >>> html_to_text("3 cm<sup>2</sup><br>a<sub>n+1</sub>"), html_to_text("If a<b and c>d, is $x<y>z$?")[0]
    (('3 cm²\n$a_{n+1}$', []), 'If a<b and c>d, is $x<y>z$?')
    """
    if "<" not in text and "&" not in text:
        return text, []
    said: list[str] = []
    if _LIKELY_TAG.search(text):
        text = _without_tags(text, said)
    if "&" in text:
        has_blanks = "&nbsp;" in text
        text = _ENTITY.sub(_entity, text)
        text = re.sub(" {2,}", " ", text) if has_blanks else text
    return text, list(dict.fromkeys(said))


def _entity(match: re.Match[str]) -> str:
    sign = html.unescape(match.group())
    if sign == "\xa0":
        return " "
    return sign if sign.isprintable() and len(sign) <= 2 else match.group()


def _without_tags(text: str, said: list[str]) -> str:
    tags = _Tags(text)
    if not tags.are_there and "<!--" not in text:
        return text
    text = _BLANK.sub("____", text)
    text = _DECLARATION.sub("", _replace_parts(text, "<!--", "-->", lambda _part: ""))
    for name in _DROPPED:
        text = _replace_parts(text, f"<{name}", f"</{name}>", lambda _part: _dropped(said))
    text = _replace_parts(text, "<math", "</math>", lambda part: _math(part, said))
    pieces: list[str] = []
    for segment in segment_text(text):
        is_prose = segment.kind == "text"
        pieces.append(
            _prose(segment.source, tags, said) if is_prose else _IN_FORMULA.sub(" ", segment.source)
        )
    lines = [_LINE_END.sub("", line) for line in "".join(pieces).replace(_KEPT, "<").split("\n")]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()


_BLANK = re.compile(r"<u(?:\s[^<>]*)?>(?:&nbsp;|&#160;|\xa0|[ _]){2,80}</u\s*>", re.IGNORECASE)
_KEPT = "\ufdd0"  # stands for a < that is no tag's; no character of a text
_LINE_END = re.compile(r"(?: \|)?[ \t]+$")
_IN_FORMULA = re.compile(r"<br\s*/?>|</?span[^<>]*>", re.IGNORECASE)


class _Tags:
    """Which of the things that look like tags in a text are tags.

    Args:
        text: all of it, for a tag may be closed behind a formula.
    """

    def __init__(self, text: str) -> None:
        found = [(bool(match[1]), match[2].lower()) for match in _TAG.finditer(text)]
        closed = {name for is_closing, name in found if is_closing}
        self._paired = closed & {name for is_closing, name in found if not is_closing}
        self.are_there = any(self.takes(match) for match in _TAG.finditer(text))

    def takes(self, match: re.Match[str]) -> bool:
        name = match[2].lower()
        if name not in _KNOWN or not _FLAGS.issuperset(_VALUED.sub("", match[3]).lower().split()):
            return False
        return name in self._paired or (len(name) > 1 and name not in _WORDS)


_FLAGS = frozenset("hidden disabled checked controls allowfullscreen nowrap noshade compact open".split())
_WORDS = frozenset(
    ("em", "tt", "map", "time", "mark", "label", "form", "object", "source", "area", "center", "code")
)


def _replace_parts(text: str, opening: str, closing: str, replace: Callable[[str], str]) -> str:
    """Return a text with each part from `opening` to the next `closing` replaced, in one pass."""
    lower = text.lower()
    pieces: list[str] = []
    end = 0
    while (start := lower.find(opening, end)) >= 0 and (stop := lower.find(closing, start)) >= 0:
        pieces += [text[end:start], replace(text[start : stop + len(closing)])]
        end = stop + len(closing)
    return "".join([*pieces, text[end:]])


def without_comments(text: str) -> str:
    """Return HTML without its comments; one that is never closed stays."""
    return _replace_parts(text, "<!--", "-->", lambda _part: "") if "<!--" in text else text


def _dropped(said: list[str]) -> str:
    said.append("a script or style sheet was left out")
    return ""


def _math(source: str, said: list[str]) -> str:
    latex = _SOURCE.search(source) or _ALTTEXT.search(source)
    if latex:
        return f"${html.unescape(latex[1]).strip()}$"
    said.append("a formula in MathML stays as its source")
    return source.replace("<", _KEPT)


def _prose(source: str, tags: _Tags, said: list[str]) -> str:
    source = _with_scripts(source)
    numbering: list[int] = []

    def replaced(match: re.Match[str]) -> str:
        return _replacement(match, numbering, said) if tags.takes(match) else match.group()

    # Line breaks of the source between two tags are the export's, not the text's.
    return _TAG.sub(replaced, re.sub(r">[ \t]*\r?\n\s{0,80}<", "><", source))


def _with_scripts(source: str) -> str:
    """Return a text with its sub- and superscripts as signs where Unicode has them, else as LaTeX."""
    pieces: list[str] = []
    end = 0
    for match in _SCRIPT.finditer(source):
        where, body = match[1].lower(), html.unescape(match[2]).strip()
        before = source[end : match.start()]
        end = match.end()
        pieces.append(before)
        pieces.append(raised_or_lowered(where, body, pieces))
    return "".join([*pieces, source[end:]])


def raised_or_lowered(where: str, body: str, before: list[str]) -> str:
    """Return what stands raised (``sup``) or lowered (``sub``), as signs or as LaTeX.

    Args:
        before: the pieces of text before it; a base that goes into the formula is taken from the last.
    """
    body = body.strip()
    form, table = (_RAISED, _SUPERSCRIPTS) if where == "sup" else (_LOWERED, _SUBSCRIPTS)
    if form.fullmatch(body):
        return body.translate(table)
    if where == "sup" and body.lower() in ("st", "nd", "rd", "th", "er", "e", "o", "a"):
        return body  # 1st, 2e
    base = _BASE.search(before[-1][-20:]) if before else None
    letters = base[0] if base else ""
    if letters:
        before[-1] = before[-1][: -len(letters)]
    return f"${letters}{'^' if where == 'sup' else '_'}{{{body.strip('$')}}}$"


def _replacement(match: re.Match[str], numbering: list[int], said: list[str]) -> str:
    is_closing, name = bool(match[1]), match[2].lower()
    if name in _BREAKS:
        return _BREAKS[name]
    if name in ("ol", "ul"):
        if is_closing and numbering:
            numbering.pop()
        elif not is_closing:
            numbering.append(0 if name == "ol" else -1)
        return "\n"
    if name == "li":
        if is_closing:
            return ""
        if numbering and numbering[-1] >= 0:
            numbering[-1] += 1
            return f"\n{numbering[-1]}. "
        return "\n- "
    if name in ("td", "th"):
        return " | " if is_closing else ""
    if name in _TABLE_LINES:
        return "\n" if not is_closing else ""
    if name in _PARAGRAPHS:
        return "\n" if is_closing else "\n\n" if name in ("p", "blockquote") else "\n"
    if name in ("sub", "sup"):
        return "" if is_closing else {"sub": "_", "sup": "^"}[name]
    if name in _MEDIA:
        return "" if is_closing else _media(match, _MEDIA[name], said)
    return ""


def _media(match: re.Match[str], what: str, said: list[str]) -> str:
    if not what:
        return ""
    alt = _ALT.search(match[3] or "")
    name = " ".join(html.unescape(alt[1] or alt[2] or "").split()) if alt else ""
    article = "an" if what[0] in "aeiou" else "a"
    said.append(f"{article} {what} was left out; [{what}] stands in its place")
    return f"[{what}] ({name})" if name else f"[{what}]"  # the mark of a figure that the bank does not hold
