"""PrairieLearn's questions: folders with ``info.json`` and ``question.html``, whose elements ``pl-...`` are answers.

``server.py`` draws numbers and is never run; what it gives stays a placeholder.
https://prairielearn.readthedocs.io/en/latest/elements/
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Any

from analytics.question_content import AcceptedAnswer, Blank, MatchingPair
from questionbank.formats.computed_answers import assigned, computed_answer
from questionbank.formats.folders import Folder
from questionbank.formats.items import (
    GAP,
    LONGEST,
    Item,
    concept_of,
    has_placeholder,
    placeholder,
    with_others,
)
from questionbank.formats.kinds import lettered
from questionbank.formats.written_numbers import finite_number

INFO, SERVER, ASSESSMENT = "info.json", "server.py", "infoAssessment.json"
_DEEPEST = 100
_MUSTACHE = re.compile(r"\{\{\{?\s*([#^/!&>]?)\s*([^{}]{0,200}?)\s*\}\}\}?")
_STATED = re.compile(
    r"""data\s*\[\s*["']correct_answers["']\s*\]\s*\[\s*["'](?P<name>[\w-]{1,100})["']\s*\]\s*=\s*"""
    r"""(?:(?P<number>[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)|(?P<q>["'])(?P<text>[^"'\n]{0,300})(?P=q))\s*$""",
    re.MULTILINE,
)
_COMPUTED = re.compile(
    r"""^[ \t]*data\s*\[\s*["']correct_answers["']\s*\]\s*\[\s*["'](?P<name>[\w-]{1,100})["']\s*\]\s*="""
    r"""\s*(?P<value>[^\n]{1,400}?)[ \t]*$""",
    re.MULTILINE,
)
_ASSIGNED = re.compile(
    r"^[ \t]*(?P<name>[A-Za-z_]\w*)[ \t]*=[ \t]*(?P<value>[^=\n][^\n]{0,400}?)[ \t]*$", re.MULTILINE
)
_TYPED = frozenset({
    "pl-number-input", "pl-integer-input", "pl-symbolic-input", "pl-string-input", "pl-big-o-input",
    "pl-units-input", "pl-matrix-component-input", "pl-matrix-input",
})  # fmt: skip
_CHOSEN = frozenset({"pl-multiple-choice", "pl-checkbox", "pl-dropdown"})
_ELEMENTS = _TYPED | _CHOSEN | {
    "pl-matching", "pl-order-blocks", "pl-rich-text-editor", "pl-file-editor", "pl-file-upload", "pl-drawing",
    "pl-threejs", "pl-sketch", "pl-excalidraw", "pl-image-capture",
}  # fmt: skip
_ASKS = re.compile(
    r"<pl-(?:[a-z-]+-input|question-panel|multiple-choice|checkbox|dropdown|matching|order-blocks)\b"
)
_HIDDEN = frozenset(
    {"pl-submission-panel", "pl-file-download", "pl-external-grader-variables", "pl-external-grader-results"}
)
_COMPUTED_OUTPUT = frozenset(
    {"pl-variable-output", "pl-matrix-latex", "pl-python-variable", "pl-graph", "pl-dataframe"}
)
_TEXTS = {"pl-answer-panel", "pl-solution-panel", "pl-hint"}


@dataclass(slots=True)
class _Element:
    """An element of PrairieLearn's, and where it stands in the source."""

    name: str
    attributes: dict[str, str]
    start: int
    inner: int
    end_of_inner: int = -1
    end: int = -1
    children: list[_Element] = field(default_factory=list)


def is_prairielearn(beginning: str, name: str) -> bool:
    """Return whether a file is a question's text, or says what a question is."""
    if name.endswith(INFO):
        return all(re.search(rf'"(?:{key})"\s*:', beginning) for key in ("uuid", "topic|title"))
    return _ASKS.search(beginning) is not None


def read_question_folder(source: str, item: Item, folder: Folder, name: str) -> None:
    """Fill an item from a question, and the files beside it. Raises ValueError where it is none."""
    place = name.rpartition("/")[0]
    beside = f"{place}/" if place else ""
    for other in (INFO, SERVER):
        if f"{beside}{other}" in folder:
            item.files[f"{beside}{other}"] = folder.text(f"{beside}{other}")

    def find(wanted: str) -> bytes | None:
        below = f"{beside}clientFilesQuestion/{wanted}"
        return folder.read(below) if below in folder else folder.near(name, wanted)

    item.find = find
    item.content["points"] = _points(folder, place, item)
    _filed(item, _info(item.files.get(f"{beside}{INFO}", "{}")))
    _Question(source, item, item.files.get(f"{beside}{SERVER}", "")).read()


def _points(folder: Folder, place: str, item: Item) -> float | None:
    """Return what the first assessment of an archive gives for the question in a folder; it goes back with it."""
    for name in folder.names:
        if name.rpartition("/")[2] == ASSESSMENT:
            source = folder.text(name)
            for zone in _info(source).get("zones") or ():
                for asked in zone.get("questions") or () if isinstance(zone, dict) else ():
                    if isinstance(asked, dict) and asked.get("id") and place.endswith(str(asked["id"])):
                        item.files[name] = source
                        points = asked.get("autoPoints", asked.get("points", asked.get("maxPoints")))
                        return finite_number(
                            str(points[0] if isinstance(points, list) and points else points)
                        )
    return None


def _info(source: str) -> dict[str, Any]:
    try:
        info = json.loads(source)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"has an {INFO} beside it that is no JSON") from error
    return info if isinstance(info, dict) else {}


def _filed(item: Item, info: dict[str, Any]) -> None:
    tags = info.get("tags") or info.get("tag") or []
    names = [tags] if isinstance(tags, str) else tags if isinstance(tags, list) else []
    item.row["id"] = str(info.get("uuid") or "")
    item.row["concepts"] = concept_of([str(info.get("topic") or "")])
    item.content["title"] = str(info.get("title") or "")[:1_000]
    item.content["tags"] = tuple(dict.fromkeys(str(tag)[:100] for tag in names if str(tag).strip()))[:50]


class _Elements(HTMLParser):
    """Finds PrairieLearn's elements in a text, and where they stand."""

    def __init__(self, source: str) -> None:
        super().__init__(convert_charrefs=False)
        self._lines = [0]
        for line in source.splitlines(keepends=True):
            self._lines.append(self._lines[-1] + len(line))
        self.found: list[_Element] = []
        self._open: list[_Element] = []
        self.feed(source)
        self.close()
        for element in self._open:
            element.end_of_inner = element.end = len(source)

    def _place(self) -> int:
        line, column = self.getpos()
        return self._lines[line - 1] + column

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if not tag.startswith("pl-") and tag != "markdown":
            return
        start = self._place()
        inner = start + len(self.get_starttag_text() or "")
        element = _Element(tag, {name: value or "" for name, value in attrs}, start, inner)
        (self._open[-1].children if self._open else self.found).append(element)
        if len(self._open) < _DEEPEST:
            self._open.append(element)
        else:
            element.end_of_inner = element.end = element.inner

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        if any(element.name == tag for element in self._open):
            while self._open:
                element = self._open.pop()
                element.end_of_inner = self._place()
                element.end = element.end_of_inner + (len(tag) + 3 if element.name == tag else 0)
                if element.inner > element.end_of_inner:  # <pl-input ... />
                    element.end_of_inner = element.end = element.inner
                if element.name == tag:
                    return


class _Question:
    def __init__(self, source: str, item: Item, server: str) -> None:
        self._source, self._item = source, item
        self._server = server[:LONGEST]
        self._stated = {
            match["name"]: match["number"] or match["text"] or "" for match in _STATED.finditer(self._server)
        }
        self._answers: list[_Element] = []
        self._is_computed = False

    def read(self) -> None:
        item = self._item
        elements = _Elements(self._source).found
        item.row["text"] = item.html(self._html(0, len(self._source), elements), "text")
        if len(self._answers) == 1:
            _READERS.get(self._answers[0].name, _Question._other)(self, self._answers[0])
            self._close_gap(self._answers[0])
        elif self._answers and all(one.name in _TYPED | _CHOSEN for one in self._answers):
            item.row["kind"] = "blanks"
            item.content["blanks"] = tuple(map(self._blank, self._answers))
        elif self._answers:
            item.is_drawn = True
            item.say("kind", "a question with several answers of these types is kept as another type")
        options = [option.text for option in item.row["options"]]
        item.is_drawn = item.is_drawn or any(map(has_placeholder, [item.row["text"], *options]))
        item.computed = self._computed()
        if self._is_computed and not item.is_drawn:
            item.say("answer", f"the answer is computed by {SERVER}, which is not run")

    def _close_gap(self, element: _Element) -> None:
        """Leave the gap of the only answer where it stands within a sentence, or has words of its own."""
        text = self._item.row["text"]
        is_typed = element.name in _TYPED
        if not (is_typed and (element.attributes.get("label") or element.attributes.get("suffix"))):
            text = re.sub(r"\s*\[\[1\]\]\s*$", "", text)
        shown = GAP if is_typed or element.name == "pl-dropdown" else ""
        self._item.row["text"] = text.replace("[[1]]", shown)

    def _computed(self) -> str:
        """Return what the server gives as the right answers of the elements that state none."""
        values = assigned(_ASSIGNED, self._server)
        graded = {name: values.get(value, value) for name, value in assigned(_COMPUTED, self._server).items()}
        asked = (element.attributes for element in self._answers if element.name in _TYPED)
        stated = (one.get("correct-answer") or one.get("answers-name", "") for one in asked)
        return computed_answer((_MUSTACHE.sub(lambda match: match[2], text) for text in stated), graded)

    # -- texts -----------------------------------------------------------------------------------------------------

    def _inside(self, element: _Element) -> str:
        return self._html(element.inner, element.end_of_inner, element.children)

    def _text(self, element: _Element, place: str) -> str:
        return self._item.html(self._inside(element), place)

    def _html(self, start: int, end: int, elements: list[_Element]) -> str:
        """Return a stretch of the source with the elements in it as HTML, or as gaps."""
        pieces, done = [], start
        for element in elements:
            if element.start < done:
                continue
            pieces += [_values(self._source[done : element.start]), self._shown(element)]
            done = max(element.end, element.inner)
        return "".join([*pieces, _values(self._source[done:end])])

    def _shown(self, element: _Element) -> str:
        name, attributes = element.name, element.attributes
        if name in _HIDDEN:
            return ""
        if name in _TEXTS:
            self._beside(element)
            return ""
        if name in _ELEMENTS:
            self._answers.append(element)
            before, behind = (_values(attributes.get(key, "")) for key in ("label", "suffix"))
            return f" {before} [[{len(self._answers)}]] {behind} "
        if name == "pl-figure":
            address = attributes.get("file-name", "") or attributes.get("file-generated-name", "")
            computed = attributes.get("type") == "dynamic"
            source = placeholder(address) if computed else _values(address)
            return f'<p><img src="{source}" alt="{_values(attributes.get("alt", ""))}"></p>'
        if name == "markdown":
            source = self._inside(element).strip()
            source = re.sub(r"\n(?=[-*] |[0-9]+[.] )", "<br>", re.sub(r"\n[ \t]*\n", "</p><p>", source))
            return f"<p>{source}</p>"
        if name == "pl-code":
            return f"<pre>{self._inside(element)}</pre>"
        if name in _COMPUTED_OUTPUT:
            stated = attributes.get("params-name", "") or attributes.get("params-name-matrix", "")
            return placeholder(stated or name)
        return self._inside(element)

    def _beside(self, element: _Element) -> None:
        text = self._text(element, "solution")
        if element.name == "pl-hint":
            self._item.content["hints"] = (*self._item.content.get("hints", ()), text)
        elif text:
            self._item.row["solution"] = f"{self._item.row['solution']}\n\n{text}".strip()

    # -- answers ---------------------------------------------------------------------------------------------------

    def _options(self, element: _Element) -> list[tuple[str, bool, str]]:
        found = [
            (
                self._text(child, "options"),
                _is_true(child.attributes.get("correct")),
                self._item.html(_values(child.attributes.get("feedback", "")), "feedback"),
            )
            for child in element.children
            if child.name == "pl-answer"
        ]
        for name in ("all-of-the-above", "none-of-the-above"):
            stated = element.attributes.get(name, "false").lower()
            if stated not in ("false", "", "0"):
                found.append((name.replace("-", " ").capitalize(), stated == "correct", ""))
        return found

    def _choice(self, element: _Element) -> None:
        self._item.choose(self._options(element), is_single=element.name != "pl-checkbox")
        self._item.is_drawn = not self._item.row["options"]

    def _accepted(self, element: _Element) -> tuple[AcceptedAnswer, ...]:
        attributes = element.attributes
        text = attributes.get("correct-answer") or self._stated.get(attributes.get("answers-name", ""), "")
        text = self._item.html(_values(text), "answer")
        if not text or has_placeholder(text):
            return ()
        kind, tolerance = _tolerance(attributes) if element.name == "pl-number-input" else ("absolute", None)
        kind = kind if tolerance else "absolute"
        return (AcceptedAnswer(text, tolerance=tolerance or None, tolerance_kind=kind),)

    def _typed(self, element: _Element) -> None:
        accepted = self._accepted(element)
        is_number = element.name in ("pl-number-input", "pl-integer-input")
        self._item.typed(accepted, "number" if is_number else "short")
        self._is_computed = not accepted

    def _blank(self, element: _Element) -> Blank:
        if element.name in _CHOSEN:
            options = self._options(element)
            share = 1 / max(sum(is_right for _text, is_right, _said in options), 1)
            weighted = ((text, share * is_right, said) for text, is_right, said in options)
            style = "MULTIRESPONSE" if element.name == "pl-checkbox" else ""
            return Blank("choice", (), lettered(weighted), style=style)
        is_number = element.name in ("pl-number-input", "pl-integer-input")
        return Blank("number" if is_number else "short", self._accepted(element))

    def _matching(self, element: _Element) -> None:
        rights: dict[str, str] = {}
        asked: list[tuple[str, str]] = []
        for child in element.children:
            text = self._text(child, "pairs")
            if child.name == "pl-option":
                rights[child.attributes.get("name") or text] = " ".join(text.split())
            elif child.name == "pl-statement":
                asked.append((text, child.attributes.get("match", "")))
        pairs = [MatchingPair(text, rights.get(match, match)) for text, match in asked]
        self._item.row["kind"] = "matching"
        self._item.content["pairs"] = with_others(pairs, rights.values())

    def _order(self, element: _Element) -> None:
        blocks = (child for child in element.children if child.name == "pl-answer")
        texts = [(self._text(child, "options"), child.attributes) for child in blocks]
        right = [pair for pair in texts if _is_true(pair[1].get("correct", "true"))]
        is_ordered = all("depends" not in attributes for _text, attributes in right)
        if any("ranking" in attributes for _text, attributes in right):
            right.sort(key=lambda pair: finite_number(pair[1].get("ranking")) or 0)
        self._item.row["kind"] = "ordering"
        shown = right if is_ordered and len(right) == len(texts) else texts
        self._item.row["options"] = [*lettered((text, None, "") for text, _more in shown)]
        if shown is texts:
            self._item.is_drawn = True
            self._item.say(
                "kind", "some blocks belong nowhere or in any order, so it is kept as another type"
            )

    def _other(self, element: _Element) -> None:
        is_open = element.name in ("pl-rich-text-editor", "pl-file-editor", "pl-file-upload")
        self._item.is_drawn = not is_open


def _tolerance(attributes: dict[str, str]) -> tuple[str, float | None]:
    """Return kind and size of what a number may be off; by default a hundredth of it, as PrairieLearn grades."""
    comparison = attributes.get("comparison", "relabs")
    if comparison == "sigfig":
        return "digits", finite_number(attributes.get("digits", "2"))
    if comparison == "decdig":
        places = finite_number(attributes.get("digits", "2"))
        return "absolute", None if places is None else 0.5 * 10 ** -max(0.0, min(places, 15.0))
    share = finite_number(attributes.get("rtol", "0.01"))
    return ("relative", share) if share else ("absolute", finite_number(attributes.get("atol")))


def _values(source: str) -> str:
    """Return a text with placeholders for what the server gives."""

    def shown(match: re.Match[str]) -> str:
        sign, name = match[1], match[2]
        return placeholder(name.removeprefix("params.")) if sign in ("", "&") else ""

    return _MUSTACHE.sub(shown, source)


def _is_true(value: str | None) -> bool:
    return (value or "").strip().lower() in ("true", "1", "t", "yes")


_READERS: dict[str, Callable[[_Question, _Element], None]] = {
    **dict.fromkeys(_TYPED, _Question._typed),
    **dict.fromkeys(_CHOSEN, _Question._choice),
    "pl-matching": _Question._matching,
    "pl-order-blocks": _Question._order,
}
