"""Convert bodies of QTI items to our text, and our text to XHTML for QTI items."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from html import escape, unescape
from urllib.parse import unquote

from questionbank.formats.html_reading import HTML_NAMES
from questionbank.formats.html_text import text_html
from questionbank.formats.items import ItemReading
from questionbank.formats.mathml_latex import mathml_to_latex
from questionbank.formats.pictures import Put
from questionbank.formats.qti.metadata import (
    BLOCK,
    INLINE,
    INTERACTIONS,
    KEPT,
    MATH,
    OPAQUE,
    STIMULUS_CLASS,
    attribute_name,
    element_name,
)
from questionbank.formats.xml_nodes import BadXml, Cdata, Node, as_utf8, parse
from questionbank.formats.xml_writing import Markup, element, legal
from questionbank.formulas import FormulaRefused, formula_mathml

Find = Callable[[str], bytes | None]
"""Returns a file by its path in an item, or None."""
CUT = "\ufdd2"
_KEPT_PATH = re.compile(rf"{KEPT}(?P<digest>[0-9a-f]{{64}})/(?P<path>.*)", re.DOTALL)
_VOID = frozenset("br hr img input wbr col".split())
_UNSEEN = frozenset({"stylesheet", "catalogInfo", "companionMaterialsInfo", "style", "rt", "rp"})
_PICTURES = re.compile(r"\.(?:png|jpe?g|gif|webp|svg)$", re.IGNORECASE)
_OWN_KIND = "a file of another kind"
_HTML = re.compile(r"</?(?:p|div|span|br|b|i|u|strong|em|img|sub|sup|ul|ol|li|table)\b[^<>]*>", re.IGNORECASE)


@dataclass(slots=True)
class Unseen:
    """Parts of an item that students do not see while they answer.

    Attributes:
        feedback: (identifier, text) of choices and blocks.
        notes: for scorers and tutors.
    """

    feedback: list[tuple[str, str]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    hints: list[str] = field(default_factory=list)
    stimuli: list[tuple[str, str]] = field(default_factory=list)


class Texts(ItemReading):
    """Converts elements of an item to our text.

    Args:
        put: stores a picture.
        find: returns a file that the item refers to.
    """

    def __init__(self, put: Put, find: Find) -> None:
        super().__init__(put)
        self.hashes: dict[str, str] = {}  # address in the item -> hash
        self.named: set[str] = set()  # addresses of all files
        self.unseen = Unseen()
        self.gaps: list[Node] = []
        self.asked: list[Node] = []  # interaction blocks, at the cuts
        self._find = find
        self._deep = 0

    def text(self, node: Node | None, field: str) -> str:
        """Return our text of an element's content."""
        return self.html(self.source(node.pieces), field) if node is not None else ""

    # -- HTML ------------------------------------------------------------------------------------------------------

    def source(self, pieces: Iterable[Node | str]) -> str:
        """Return an element's content as HTML, collecting interactions, feedback and hints."""
        return "".join(self._element(piece) if isinstance(piece, Node) else self._said(piece) for piece in pieces)

    @staticmethod
    def _said(text: str) -> str:
        is_html = isinstance(text, Cdata) and _HTML.search(text)
        return text if is_html else escape(text, quote=False)

    def _element(self, node: Node) -> str:
        name = node.name
        if name in INTERACTIONS:
            return self._interaction(node)
        if name in _ELEMENTS:
            return _ELEMENTS[name](self, node)
        if name in _UNSEEN:
            return ""
        if name == "div" and STIMULUS_CLASS in node.get("class").split():
            self.unseen.stimuli.append((node.get("label"), self.text(node, "text")))
            return ""
        inner = self.source(node.pieces)
        if name not in HTML_NAMES:
            return f"<div>{inner}</div>" if name in ("prompt", "simpleBlock") else inner
        if name in _VOID:
            return f"<{name}{_attributes(node, 'src', 'alt')}>"
        return f"<{name}{_attributes(node, 'href', 'lang')}>{inner}</{name}>"

    def _interaction(self, node: Node) -> str:
        if node.name in INLINE:
            return self._gap(node)
        prompt = f"<div>{self.source(prompt.pieces)}</div>" if (prompt := node.find("prompt")) else ""
        if node.name in BLOCK:
            self.asked.append(node)
            if node.name == "hottextInteraction":
                prompt += self.source(piece for piece in node.pieces if piece is not node.find("prompt"))
            elif node.name == "gapMatchInteraction":
                apart = {"gapText", "gapImg", "prompt"}
                pieces = [p for p in node.pieces if not (isinstance(p, Node) and p.name in apart)]
                prompt += self.source(pieces)
            return f"<div>{CUT}</div>{prompt}<div>{CUT}</div>"
        self.say("kind", f"the question uses {OPAQUE[node.name]}, which cannot be converted")
        inner = self.source(piece for piece in node.pieces if piece is not node.find("prompt"))
        return f"{prompt}<div>{inner}</div>"

    def _gap(self, node: Node) -> str:
        self.gaps.append(node)
        return f"[[{len(self.gaps)}]]"

    def _math(self, node: Node) -> str:
        source = _mathml(node)
        latex = mathml_to_latex(source)
        if not latex:
            return source
        latex = escape(latex, quote=False)
        return f"$${latex}$$" if node.get("display") == "block" else rf"\({latex}\)"

    def _variable(self, node: Node) -> str:
        return f"{{@{escape(node.get('identifier'), quote=False)}@}}"

    def _seen_later(self, node: Node) -> str:
        pieces = content.pieces if (content := node.find("contentBody")) else node.pieces
        identifier = node.get("identifier")
        html = self.source(pieces)
        if node.get("showHide", "show") == "hide":
            return html
        self.unseen.feedback.append((identifier, self.html(html, "feedback")))
        return ""

    def _rubric(self, node: Node) -> str:
        body = content.pieces if (content := node.find("contentBody")) else node.pieces
        views = node.get("view").split()
        if not views or "candidate" in views:
            return f"<div>{self.source(body)}</div>"
        self.unseen.notes.append(self.html(self.source(body), "solution"))
        return ""

    def _hint(self, node: Node) -> str:
        self.unseen.hints.append(self.text(node, "hints"))
        return ""

    def _object(self, node: Node) -> str:
        """Return a picture, or collect another file whose text belongs to the question."""
        address = node.get("data") or node.get("href")
        kind = node.get("type")
        if kind.startswith("image/") or _PICTURES.search(address.partition("?")[0]):
            alternative = node.text() or node.get("alt")
            return f'<img src="{escape(address)}" alt="{escape(alternative)}">'
        is_text = node.name == "include" or kind in ("text/html", "application/xhtml+xml", "text/plain")
        if is_text and (stimulus := self.shared(address)):
            self.unseen.stimuli.append((node.get("title"), stimulus))
            return ""
        self.named.add(address)
        inner = self.source(node.pieces)
        self.say("text", f"the file {address[:60]!r} ({kind or _OWN_KIND}) is not shown; it stays with the original")
        return inner

    def shared(self, address: str) -> str:
        """Return our text of a file that several items share; empty if it cannot be read."""
        self.named.add(address)
        data = self._find(unquote(address))
        if data is None or self._deep:
            self.say("text", f"the text {address[:60]!r}, which the question shows, is not in the file")
            return ""
        try:
            root = qti_tree(as_utf8(data))
        except BadXml as error:
            self.say("text", f"the text {address[:60]!r}, which the question shows, cannot be read: it {error}")
            return ""
        body = next(iter(root.iter("stimulusBody", "body")), root)
        folder = posixpath.dirname(unquote(address))
        inner = Texts(self.put, lambda path: self._find(posixpath.join(folder, path)))
        inner.pictures, inner._deep = self.pictures, 1
        text = inner.text(body, "text")
        self.said += inner.said
        self.named |= {posixpath.join(folder, path) for path in (*inner.hashes, *inner.named)}
        return text

    # -- pictures --------------------------------------------------------------------------------------------------

    def picture(self, address: str, field: str) -> str:
        address = address.strip()
        if kept := _KEPT_PATH.match(address):
            self.hashes[kept["path"]] = kept["digest"]
            return self.pictures.name(unquote(kept["path"]).rpartition("/")[2], kept["digest"])
        if re.match(r"(?:https?:|data:)", address, re.IGNORECASE):
            return self.pictures.elsewhere(address, field)
        path = unquote(address.partition("?")[0].partition("#")[0])
        name = path.replace("\\", "/").rpartition("/")[2]
        data = self._find(path)
        shown = self.pictures.shown(data, field, name)
        if data is not None:
            self.named.add(address)
            if digest := self.pictures.by_name.get(shown, ""):
                self.hashes[address] = digest
        return shown


_ELEMENTS: dict[str, Callable[[Texts, Node], str]] = {
    "gap": Texts._gap,
    "math": Texts._math,
    "printedVariable": Texts._variable,
    "feedbackInline": Texts._seen_later,
    "feedbackBlock": Texts._seen_later,
    "rubricBlock": Texts._rubric,
    "infoControl": Texts._hint,
    "object": Texts._object,
    "include": Texts._object,
    "endAttemptInteraction": lambda _texts, _node: "",
}


def qti_tree(data: bytes) -> Node:
    """Parse a UTF-8 document, using the names of QTI 2. Raises `BadXml`."""
    return parse(data, element=element_name, attribute=attribute_name)


def _attributes(node: Node, *names: str) -> str:
    found = ((name, node.get(name)) for name in names)
    return "".join(f' {name}="{escape(value)}"' for name, value in found if value)


def _mathml(node: Node) -> str:
    """Return a formula as unprefixed MathML, with its alternative text only if that is LaTeX."""
    inner = "".join(
        _mathml(piece) if isinstance(piece, Node) else escape(piece, quote=False)
        for piece in node.pieces
        if not isinstance(piece, Node) or piece.name != "annotation-xml"
    )
    names = ["encoding", "open", "close", "separators", "mathvariant", "linethickness", "notation", "accent"]
    if "\\" in node.get("alttext"):
        names.append("alttext")
    return f"<{node.name}{_attributes(node, *names)}>{inner}</{node.name}>"


# -- pictures in kept items are referred to by hash -------------------------------------------------------------------

_ADDRESS = re.compile(r"""(\b(?:src|data|href|poster)\s*=\s*)("[^"]*"|'[^']*')""")
_KEPT_ADDRESS = re.compile(rf"{KEPT}([0-9a-f]{{64}})/([^\"'<>]*)")


def with_hashes(data: bytes, hashes: dict[str, str]) -> bytes:
    """Return an item whose picture paths are prefixed with hashes."""

    def named(match: re.Match[str]) -> str:
        quote, address = match[2][0], match[2][1:-1]
        digest = hashes.get(unescape(address).strip())
        return f"{match[1]}{quote}{KEPT}{digest}/{address.strip()}{quote}" if digest else match[0]

    return _ADDRESS.sub(named, data.decode()).encode() if hashes else data


def with_paths(data: bytes, place: Callable[[str, str], str]) -> bytes:
    """Return an item whose pictures have their paths in the package.

    Args:
        place: returns the new address, given the item's address and the hash.
    """
    return _KEPT_ADDRESS.sub(lambda match: escape(place(unescape(match[2]), match[1])), data.decode()).encode()


Address = Callable[[str], str]
_FORMULA = re.compile(r"\\\(([^<>]+?)\\\)|\$\$([^<>]+?)\$\$")
_VOID_TAG = re.compile(r"<(br|img|hr)\b([^<>]*?)/?>")
_ONE_PARAGRAPH = re.compile(r"<p>((?:(?!<p>|<ul>|<ol>|<table>).)*)</p>", re.DOTALL)
_MATH_TAG = re.compile(r"<math\b[^<>]*>(.*)</math>", re.DOTALL)
_OF_PAGES = re.compile(r"""\s(?:class|style|data-[\w-]+)="[^"]*\"""")


def block_html(text: str, address: Address) -> Markup:
    """Return a text as block elements; what cannot be expressed in HTML becomes plain paragraphs."""
    text = legal(text)
    html = text_html(text, address)
    if html is None:
        lines = (escape(part, quote=False).replace("\n", "<br>") for part in text.split("\n\n"))
        html = "".join(f"<p>{part}</p>" for part in lines)
    html = _VOID_TAG.sub(r"<\1\2/>", html).replace("\r", "&#13;")
    return Markup(_FORMULA.sub(_formula, html))


def flow_html(text: str, address: Address) -> Markup:
    """Return a text for a choice, without the paragraph element if there is only one."""
    html = block_html(text, address)
    alone = _ONE_PARAGRAPH.fullmatch(html)
    return Markup(alone[1]) if alone else html


def _formula(match: re.Match[str]) -> str:
    source = match[1] or match[2]
    latex, is_block = unescape(source), match[2] is not None
    try:
        drawn = _MATH_TAG.fullmatch(formula_mathml(latex, display=is_block))
    except FormulaRefused:
        drawn = None
    if drawn is None:
        return match[0]
    row = element("mrow", Markup(_OF_PAGES.sub("", drawn[1])))
    note = element("annotation", latex, encoding="application/x-tex")
    return element("math", element("semantics", row, note), xmlns=MATH, display="block" if is_block else None)
