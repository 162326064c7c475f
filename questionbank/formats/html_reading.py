r"""HTML to our text; `html_text` has the inverse, and reads texts that may or may not contain HTML.

Paragraphs are separated by an empty line; ``**bold**``, ``*emphasis*``, ``- item``, ``1. item``, table rows between
bars, ``![description](picture)``, ``[words](address)``; formulas between dollar signs. Everything else (scripts,
frames, drawings, colours) is removed; most removals are reported.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from html.parser import HTMLParser
from urllib.parse import unquote

from questionbank.formats.mathml_latex import bare_formula, mathml_to_latex

PictureName = Callable[[str], str]
"""Returns our name of a picture from its address in the HTML, or "" if there is none."""

_BLOCKS = frozenset(
    "p div section article header footer main aside nav blockquote address center figure figcaption form fieldset dl dd"
    " details summary caption legend pre table h1 h2 h3 h4 h5 h6 dt ul ol".split()
)
_TABLE_PARTS = frozenset("table thead tbody tfoot tr colgroup".split())  # in which whitespace has no meaning
_MARKS = {**dict.fromkeys("h1 h2 h3 h4 h5 h6 dt b strong".split(), "**"), **dict.fromkeys(("i", "em"), "*")}
_GONE = {
    "script": "a script", "style": "a style sheet", "svg": "a drawing (SVG)", "iframe": "an embedded page",
    "object": "an embedded object", "embed": "an embedded object", "applet": "an embedded object",
    "video": "a video", "audio": "a sound", "canvas": "a drawing", "noscript": "", "template": "", "head": "",
    "select": "a list of choices", "textarea": "a field for text", "button": "a button",
}  # fmt: skip
_SHOWN_AS = {  # in a text without pictures
    **dict.fromkeys(("img", "svg", "canvas"), "image"),
    **dict.fromkeys(("iframe", "object", "embed", "applet"), "embedded page"),
    "video": "video",
    "audio": "audio",
}
_VOID = frozenset("area base br col embed hr img input link meta param source track wbr".split())
HTML_NAMES = _BLOCKS | _TABLE_PARTS | _MARKS.keys() | _GONE.keys() | _VOID | frozenset(
    "li td th sub sup math a abbr big code font ins kbd label mark q s samp small span strike tt u var nobr bdi bdo"
    " cite dfn del time body html title picture map option optgroup".split()
)  # fmt: skip
_MLANG = re.compile(r"\{mlang\s+([^{}]{1,80}?)\s*\}([^{]*(?:\{(?!mlang)[^{]*)*)\{mlang\}")
_SPACE = re.compile(r"[ \t\r\f\n]+")
_INLINE_TEX = re.compile(r"\\\(((?:[^\\]|\\(?![()])){1,1000}?)\\\)")
# A < that does not begin a tag; escaping these first keeps the parser linear for any text.
_STRAY = re.compile(r"""<(?!/?[a-zA-Z](?:[^<>"']|"[^"]*"|'[^']*'){0,3000}>)""")
_TEX = re.compile(r"\\\((?:[^\\]|\\(?![()])){0,1000}?\\\)|\\\[(?:[^\\]|\\(?![\[\]])){0,1000}?\\\]|\$\$[^$]{0,1000}\$\$")
_PICTURE = re.compile(r"(!\[[^\[\]]*\]\()([^()\s]+)\)")
_DEPTH = 200
_LONGEST = 200_000  # characters; our texts have 50,000 at most
_SUPERSCRIPTS = str.maketrans("0123456789+-−=()n", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ⁿ")
_SUBSCRIPTS = str.maketrans("0123456789+-−=()", "₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎")
_RAISED, _LOWERED = re.compile(r"[0-9+\-−]+|n"), re.compile(r"[0-9+\-−]+")
_BASE = re.compile(r"(?:[A-Za-z0-9]{1,20}|\))$")


def html_to_our_text(
    source: str, *, picture_name: PictureName | None = None, breaks_lines: bool = False
) -> tuple[str, list[str]]:
    r"""Return the text of some HTML, and what was left out.

    Args:
        picture_name: returns our name of a picture; the address is used by default.
        breaks_lines: whether line breaks of the source count, as in Moodle's "auto-format".

    >>> html_to_our_text(r"<p>Solve <b>for</b> \(x\):</p><ul><li>1 &lt; 2</li></ul><script>x()</script>")
    ('Solve **for** $x$:\n\n- 1 < 2', ['a script was left out'])
    """
    if len(source) > _LONGEST:
        text, went = html_to_our_text(source[:_LONGEST], picture_name=picture_name, breaks_lines=breaks_lines)
        return text, [*went, f"what follows {_LONGEST:,} characters was left out"]
    if "<" not in source and "&" not in source and not breaks_lines:
        return tidy_lines(with_dollars(_SPACE.sub(" ", source))), []
    reader = HtmlReader(picture_name or str.strip, breaks_lines=breaks_lines)
    source = _TEX.sub(lambda match: re.sub(r"<(?![a-zA-Z/])", "&lt;", match[0]), without_comments(source))
    return tidy_lines(with_dollars(reader.text(_STRAY.sub("&lt;", source)))), list(dict.fromkeys(reader.went))


def between(source: str, begin: str, end: str, shown: Callable[[str], str]) -> str:
    """Replace what is between two marks, in linear time; an unclosed mark stays."""
    pieces, place, opened = [], 0, -1
    for mark in re.finditer(f"({re.escape(begin)})|{re.escape(end)}", source, re.IGNORECASE):
        if mark[1] and opened < 0:
            opened = mark.start()
        elif not mark[1] and opened >= 0:
            pieces += [source[place:opened], shown(source[opened + len(begin) : mark.start()])]
            place, opened = mark.end(), -1
    return "".join([*pieces, source[place:]])


def without_comments(text: str) -> str:
    """Return HTML without its comments; an unclosed comment stays."""
    return between(text, "<!--", "-->", lambda _comment: "") if "<!--" in text else text


def raised_or_lowered(where: str, body: str, before: list[str]) -> str:
    """Return superscript (``sup``) or subscript (``sub``) text, as Unicode characters or as LaTeX.

    Args:
        before: the preceding pieces of text; the base of a formula is removed from the last piece.
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


def one_language(text: str) -> tuple[str, list[str]]:
    """Return a text without its translations, as marked for Moodle's filter "Multi-Language Content (v2)".

    >>> one_language("{mlang en}Sum{mlang}{mlang de}Summe{mlang} of 2")
    ('Sum of 2', ['the text in another language was left out'])
    """
    if "{mlang " not in text:
        return text, []
    first = _MLANG.search(text)
    kept = _MLANG.sub(lambda match: match[2] if first and match[1] == first[1] else "", text)
    return kept, ["the text in another language was left out"] if len({m[1] for m in _MLANG.finditer(text)}) > 1 else []


def with_dollars(text: str) -> str:
    r"""Replace ``\(x\)`` by ``$x$``, our notation."""
    if r"\(" not in text:
        return text
    return _INLINE_TEX.sub(lambda match: f"${match[1].strip()}$" if "$" not in match[1] else match[0], text)


def with_named_pictures(text: str, picture_name: PictureName) -> str:
    """Return a text whose pictures, ``![description](address)``, are renamed to ours."""
    return _PICTURE.sub(lambda match: f"{match[1]}{picture_name(match[2])})", text)


def tidy_lines(text: str) -> str:
    """Remove trailing whitespace and reduce gaps between paragraphs to one empty line."""
    text = re.sub(r"(?<![ \t])[ \t]+\n", "\n", text.replace("\xa0", " "))
    return re.sub(r"\n{3,}", "\n\n", text).strip(" \n")


class HtmlReader(HTMLParser):
    """Converts HTML to our text.

    Args:
        picture_name: returns our name of a picture.
        breaks_lines: whether line breaks of the source count.
        is_plain: whether to omit emphasis marks and addresses, and to replace pictures by placeholders.
    """

    def __init__(self, picture_name: PictureName, *, breaks_lines: bool = False, is_plain: bool = False) -> None:
        super().__init__(convert_charrefs=True)
        self.went: list[str] = []
        self._picture_name = picture_name
        self._breaks_lines, self._is_plain = breaks_lines, is_plain
        self._parts: list[str] = []
        self._open: list[str] = []
        self._numbers: list[int] = []  # counter of each open list; -1 for bullets
        self._gone = 0  # nesting depth of removed elements
        self._math: list[str] | None = None
        self._cells: list[str] | None = None  # of the current table row
        self._outer: list[list[str]] = []  # text around the current cell, superscript or subscript
        self._links: list[str] = []
        self._marker = "\0"  # of the list item that begins here
        self._languages: list[str] = []

    def text(self, source: str) -> str:
        """Return the text of a source; `went` lists what was left out."""
        self.feed(source)
        self.close()
        while self._outer:
            self._end_cell()
        return "".join(self._parts)

    # -- callbacks of the parser
    # ----------------------------------------------------------------------------------------

    def handle_data(self, data: str) -> None:
        if self._gone:
            return
        if self._math is not None:
            self._math.append(_escaped(data))
            return
        if "pre" not in self._open and not self._breaks_lines:
            data = _SPACE.sub(" ", data)
        if self._at_line_start():
            data = data.lstrip(" ")
        if data and not (data.isspace() and self._open and self._open[-1] in _TABLE_PARTS):
            self._parts.append(data)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = {name: value or "" for name, value in attrs}
        if self._math is not None or tag == "math":
            self._math = self._math if self._math is not None else []
            self._math.append(self.get_starttag_text() or "")
            return
        if tag in _GONE:
            self._leave_out(tag, attributes)
            self._gone += tag not in _VOID
            return
        if self._gone:
            return
        if tag not in HTML_NAMES:
            self._parts.append(self.get_starttag_text() or "")
            return
        is_open = len(self._open) < _DEPTH and tag not in _VOID
        if is_open:
            self._open.append(tag)
        self._begin(tag, attributes, is_open=is_open)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in _VOID:
            self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        if self._gone and "gone" in self._open and tag == "span":
            self._gone -= 1
            self._open.remove("gone")
        elif self._math is not None:
            self._math.append(f"</{tag}>")
            if tag == "math":
                self._end_math()
        elif tag in _GONE:
            self._gone = max(0, self._gone - 1)
        elif not self._gone and tag not in _VOID:
            self._close(tag)

    def _close(self, tag: str) -> None:
        """End an element and its descendants; an unmatched closing tag that HTML does not know stays."""
        if tag in self._open:
            while (opened := self._open.pop()) != tag:
                self._end(opened)
            self._end(tag)
        elif tag not in HTML_NAMES:
            self._parts.append(f"</{tag}>")
        elif tag == "p":
            self._paragraph()

    # -- elements --------------------------------------------------------------------------------------------------

    def _begin(self, tag: str, attributes: dict[str, str], *, is_open: bool) -> None:
        if tag in _BLOCKS or tag == "hr":
            self._paragraph()
        if tag in _MARKS and not self._is_plain:
            self._parts.append(_MARKS[tag])
        elif tag in ("sub", "sup", "td", "th"):
            if is_open:
                self._outer.append(self._parts)
                self._parts = []
        elif tag in ("ul", "ol"):
            self._numbers.append(0 if tag == "ol" else -1)
        elif tag == "tr":
            self._cells = []
        elif tag == "input":
            self._parts.append("____")
        elif tag in _BEGINNINGS:
            _BEGINNINGS[tag](self, attributes)

    def _end(self, tag: str) -> None:
        if tag in _MARKS and not self._is_plain:
            self._close_mark(_MARKS[tag])
        elif tag in ("sub", "sup"):
            inner = "".join(self._parts)
            self._parts = self._outer.pop()
            self._parts.append(raised_or_lowered(tag, inner, self._parts))
        elif tag in ("ul", "ol") and self._numbers:
            self._numbers.pop()
        elif tag == "tr" and self._cells is not None:
            self._fresh_line()
            row = " | ".join(self._cells)
            self._parts.append(f"{row.rstrip(' |')}\n" if self._is_plain else f"| {row} |\n")
            self._cells = None
        elif tag in ("td", "th"):
            self._end_cell()
        elif tag == "a" and self._links and (address := self._links.pop()):
            self._parts.append(f"]({address})")
        if tag in _BLOCKS:
            self._paragraph()

    def _link(self, attributes: dict[str, str]) -> None:
        address = attributes.get("href", "")
        is_shown = address.startswith(("http:", "https:", "mailto:")) and not self._is_plain
        self._links.append(address if is_shown else "")
        self._parts.append("[" if is_shown else "")

    def _span(self, attributes: dict[str, str]) -> None:
        if "multilang" in attributes.get("class", "").split():
            self._languages.append(attributes.get("lang", ""))
            if len({*self._languages}) > 1:
                self._gone += 1
                self._open[-1] = "gone"
                self.went.append("the text in another language was left out")

    def _leave_out(self, tag: str, attributes: dict[str, str]) -> None:
        if self._is_plain and (shown := _SHOWN_AS.get(tag)):
            name = " ".join((attributes.get("alt", "") or attributes.get("title", "")).split())
            if "://" in (address := attributes.get("src", "").strip()):
                name = ", ".join(filter(None, (name, address)))
            self._parts.append(f"[{shown}] ({name})" if name else f"[{shown}]")
            article = "an" if shown[0] in "aeiou" else "a"
            self.went.append(f"{article} {shown} was left out; [{shown}] stands in its place")
        elif _GONE[tag]:
            self.went.append(f"{_GONE[tag]} was left out")

    def _end_cell(self) -> None:
        inner = " ".join("".join(self._parts).split())
        self._parts = self._outer.pop()
        if self._cells is not None and not self._is_plain:
            inner = inner.replace("|", "\\vert " if "$" in inner else "/")
        if self._cells is not None:
            self._cells.append(inner)
        else:
            self._parts.append(inner)

    def _end_math(self) -> None:
        source = "".join(self._math or [])
        self._math = None
        latex = mathml_to_latex(source)
        if latex:
            self._parts.append(f"${latex}$")
        else:
            self._parts.append(source)
            self.went.append("a formula in MathML could not be converted and stays as its source")

    def _picture(self, attributes: dict[str, str]) -> None:
        if latex := _latex_of_picture(attributes):
            self._parts.append(f"${latex.strip()}$")
            return
        if self._is_plain:
            self._leave_out("img", attributes)
            return
        description = " ".join(attributes.get("alt", "").replace("[", "(").replace("]", ")").split())
        self._parts.append(f"![{description}]({self._picture_name(attributes.get('src', ''))})")

    def _item(self, _attributes: dict[str, str]) -> None:
        self._fresh_line()
        indent = "  " * min(8, max(0, len(self._numbers) - 1))
        if self._numbers and self._numbers[-1] >= 0:
            self._numbers[-1] += 1
            self._marker = f"{indent}{self._numbers[-1]}. "
        else:
            self._marker = f"{indent}- "
        self._parts.append(self._marker)

    # -- position in the text
    # -------------------------------------------------------------------------------------------

    def _at_line_start(self) -> bool:
        return not self._parts or self._parts[-1].endswith("\n") or self._parts[-1] is self._marker

    def _last(self, count: int) -> str:
        return "".join(self._parts[-count:])

    def _line(self, _attributes: dict[str, str] | None = None) -> None:
        if self._parts:
            self._parts[-1] = self._parts[-1].rstrip(" ")
            self._parts.append("\n")

    def _fresh_line(self) -> None:
        if self._parts and not self._at_line_start():
            self._line()

    def _paragraph(self) -> None:
        if self._numbers or self._outer:  # in an item or a cell
            self._fresh_line()
        elif self._parts and not self._last(3).endswith("\n\n"):
            self._parts[-1] = self._parts[-1].rstrip(" ")
            self._parts.append("\n" if self._last(3).endswith("\n") else "\n\n")

    def _close_mark(self, mark: str) -> None:
        """Close an emphasis; drop an empty one, and move surrounding whitespace outside it."""
        for place in range(len(self._parts) - 1, -1, -1):
            if self._parts[place] == mark:
                inner = "".join(self._parts[place + 1 :])
                tidy = inner.strip()
                if not tidy or "\n" in tidy:
                    self._parts[place] = ""
                    return
                before, after = inner[: len(inner) - len(inner.lstrip())], inner[len(inner.rstrip()) :]
                self._parts[place:] = [before, mark, tidy, mark + after]
                return


_BEGINNINGS: dict[str, Callable[[HtmlReader, dict[str, str]], None]] = {
    "br": HtmlReader._line,
    "li": HtmlReader._item,
    "img": HtmlReader._picture,
    "a": HtmlReader._link,
    "span": HtmlReader._span,
}
_WIRIS_SIGNS = str.maketrans({"«": "<", "»": ">", "¨": '"', "§": "&", "`": "'"})


_WIRIS = re.compile("«math(?:[^«]|«(?!/?math\\b)){0,10000}«/math»")


def with_wiris_formulas(source: str) -> str:
    """Return HTML with WIRIS formulas, which use characters that need no escaping, converted to LaTeX."""
    if "«math" not in source:
        return source

    def latex(match: re.Match[str]) -> str:
        found = _of_wiris(match[0])
        return f"\\({_escaped(found)}\\)" if found else match[0]

    return _WIRIS.sub(latex, source)


def plain_wiris(text: str) -> str:
    """Return a plain text with WIRIS formulas converted to ours.

    >>> plain_wiris("«math»«mi»x«/mi»«/math»"), plain_wiris("«x»")
    ('$x$', '«x»')
    """
    return _WIRIS.sub(lambda match: f"${latex}$" if (latex := _of_wiris(match[0])) else match[0], text)


def _of_wiris(source: str) -> str:
    return mathml_to_latex(source.translate(_WIRIS_SIGNS))


def _latex_of_picture(attributes: dict[str, str]) -> str:
    """Return the LaTeX of a formula that Canvas or Moodle stores as a picture; empty for other pictures."""
    if latex := attributes.get("data-equation-content"):
        return bare_formula(latex)
    classes = attributes.get("class", "").lower().split()
    if mathml := attributes.get("data-mathml"):  # WIRIS, in characters that need no escaping
        return _of_wiris(mathml)
    _before, named, address = attributes.get("src", "").partition("/equation_images/")
    if "tex" not in classes and "equation_image" not in classes and not named:
        return ""
    latex = re.sub(r"^LaTeX:\s*", "", attributes.get("alt", "") or attributes.get("title", ""))
    return bare_formula(latex or unquote(unquote(address.partition("?")[0])))


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;")
