"""Write one record as a Moodle XML question: texts in HTML, pictures in base64, our own fields as tags."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Callable, Iterator
from urllib.parse import quote
from xml.sax.saxutils import escape, quoteattr

from analytics.question_content import AcceptedAnswer
from analytics.records import QuestionRecord
from analytics.text.tokens import detect_language
from questionbank.formats.derived_answer import accepted_answers
from questionbank.formats.fields import exported_path
from questionbank.formats.html_writing import text_html
from questionbank.formats.kinds import option_weights
from questionbank.formats.moodle.cloze import write_cloze
from questionbank.formats.moodle.templates import without_placeholders
from questionbank.formats.moodle.words import OF_KIND, OUR_TAG, SETTINGS, TYPE_OF_KIND, known_grade
from questionbank.formats.naming import default_title
from questionbank.formats.seam import ANOTHER_TYPE, CannotHold
from questionbank.formats.written_numbers import PLAIN_NUMBER, decimal_text
from questionbank.formats.xml_nodes import legal, xml_text
from questionbank.rendering.pictures import picture_names

Get = Callable[[str], bytes | None]
"""Returns a picture by its SHA-256."""

_GAP = re.compile(r"\[\[\d+\]\]")
_TYPED_LIMIT = 255  # Moodle's limit in characters for a typed answer


def write_element(record: QuestionRecord, get: Get, *, opaque: bool = False) -> bytes:
    """Return the ``<question>`` element of a record.

    Args:
        get: returns a picture by its hash.
        opaque: write what we know of an opaque question, to patch its original with.

    Raises:
        CannotHold: Moodle has no equivalent.
    """
    if record.kind == "opaque" and not opaque:
        raise CannotHold(ANOTHER_TYPE)
    if record.kind == "parts":
        raise CannotHold("questions in parts")
    return "\n".join(_Writing(record, get).lines()).encode()


class _Writing:
    def __init__(self, record: QuestionRecord, get: Get) -> None:
        self.record, self.content = record, record.content
        self._get = get
        self._hashes = {picture.name: picture.sha256 for picture in self.content.pictures if picture.sha256}
        self.type, self.is_ours = _type_of(record)

    def lines(self) -> Iterator[str]:
        record, content = self.record, self.content
        yield f"<question type={quoteattr(self.type)}>"
        yield f"<name><text>{xml_text(content.title or default_title(record.text))}</text></name>"
        text = without_placeholders(record.text, self.type)
        yield self.rich("questiontext", text, is_question=True)
        yield self.rich("generalfeedback", record.solution)
        if content.points is not None:
            yield f"<defaultgrade>{content.points:.7f}</defaultgrade>"
        yield f"<idnumber>{xml_text(record.id)}</idnumber>"
        yield from self._settings()
        yield from _KINDS.get(self.type, _Writing.nothing)(self)
        feedback = content.feedback
        said = [("correctfeedback", feedback.right), ("partiallycorrectfeedback", feedback.partly)]
        said += [("incorrectfeedback", feedback.wrong), *(("hint", hint) for hint in content.hints)]
        yield from (self.rich(name, text) for name, text in said if text)
        tags = [*content.tags, *self._own_tags()]
        if tags:
            yield "<tags>"
            yield from (f"<tag><text>{xml_text(tag)}</text></tag>" for tag in tags)
            yield "</tags>"
        yield "</question>"

    def _settings(self) -> Iterator[str]:
        stated = dict(OF_KIND.get(self.record.kind, {})) if self.record.kind != "opaque" else {}
        for name, (setting, _nothing) in SETTINGS.items():
            if setting in self.content.settings:
                stated[name] = self.content.settings[setting]
        yield from (f"<{name}>{xml_text(value)}</{name}>" for name, value in stated.items())

    def _own_tags(self) -> Iterator[str]:
        record = self.record
        fields = {
            "kind": record.kind if self.is_ours else "",
            "title": "yes" if record.content.title == default_title(record.text) else "",
            "language": record.language if record.language != detect_language(record.text) else "",
            "grade": record.grade,
            "stage": record.stage,
            "equation": record.equation,
            "numbers": "" if ";" in "".join(record.numbers) else "; ".join(record.numbers),
            "difficulty": "" if record.difficulty is None else repr(record.difficulty),
            "difficulty_scale": record.difficulty_scale,
            "facility": "" if record.facility is None else repr(record.facility),
            "responses": str(record.responses or ""),
            "set": record.source,
        }
        yield from (f"{OUR_TAG}{name}={value}" for name, value in fields.items() if value)
        for path in record.concepts[1:]:
            yield f"{OUR_TAG}concept={' > '.join(exported_path(path))}"

    # -- texts -----------------------------------------------------------------------------------------------------

    def rich(self, name: str, text: str, *, attributes: str = "", is_question: bool = False) -> str:
        return f"<{name}{attributes} {self.inner(text, is_question=is_question)}</{name}>"

    def inner(self, text: str, *, is_question: bool = False) -> str:
        """Return attributes and content of an element with text, following the name in its tag."""
        html = text_html(text, lambda name: f"@@PLUGINFILE@@/{quote(name)}" if name in self._hashes else name)
        form = "html" if html is not None else "plain_text"
        if is_question and self.type == "cloze" and html is not None:
            html = write_cloze(html, self.content.blanks, lambda part: text_html(part) or escape(part))
        return f'format="{form}">{_element_text(html if html is not None else text)}{self._files(text)}'

    def _files(self, text: str) -> str:
        files = []
        for name in picture_names([text]):
            picture = self._get(self._hashes[name]) if name in self._hashes else None
            if picture is not None:
                data = b64encode(picture).decode()
                files.append(f'\n<file name={quoteattr(name)} path="/" encoding="base64">{data}</file>')
        return "".join(files)

    def _answer(self, inner: str, weight: float, feedback: str, *, attributes: str = "", more: str = "") -> str:
        return (
            f'<answer fraction="{_percent(known_grade(weight))}"{attributes} {inner}'
            f"{self.rich('feedback', feedback)}{more}</answer>"
        )

    # -- kinds -----------------------------------------------------------------------------------------------------

    def nothing(self) -> Iterator[str]:
        yield from ()

    def choice(self) -> Iterator[str]:
        options = list(self.record.options)
        weights = option_weights(options, self.record.answer)
        right = sum(weight > 0 for weight in weights)
        is_single = self.content.settings.get("single", "true" if right <= 1 else "false")
        yield f"<single>{is_single}</single>"
        for option, weight in zip(options, weights, strict=True):
            yield self._answer(self.inner(option.text), weight, option.feedback)

    def true_false(self) -> Iterator[str]:
        feedback = {answer.text: answer.feedback for answer in self.content.accepted}
        for word in ("True", "False"):
            inner = f'format="moodle_auto_format"><text>{word.lower()}</text>'
            weight = 1.0 if self.record.answer == word else 0.0
            yield self._answer(inner, weight, feedback.get(word, ""))

    def number(self) -> Iterator[str]:
        accepted = accepted_answers(self.content, self.record.answer)
        for answer in accepted:
            more = f"<tolerance>{decimal_text(answer.tolerance or 0)}</tolerance>"
            yield self._answer(_plain_inner(answer.text), answer.weight, answer.feedback, more=more)
        unit = next((answer.unit for answer in accepted if answer.unit), "")
        units = self.content.settings.get("units", f"1 {unit}" if unit else "")
        pairs = [stated.partition(" ") for stated in units.split("; ")] if units else []
        inner = "".join(
            f"<unit><multiplier>{xml_text(factor)}</multiplier><unit_name>{xml_text(name)}</unit_name></unit>"
            for factor, _blank, name in pairs
        )
        if inner:
            yield f"<units>{inner}</units>"

    def short(self) -> Iterator[str]:
        for answer in accepted_answers(self.content, self.record.answer):
            yield self._answer(_plain_inner(answer.text), answer.weight, answer.feedback)

    def matching(self) -> Iterator[str]:
        for pair in self.content.pairs:
            inner = self.inner(pair.left)
            yield f"<subquestion {inner}<answer><text>{xml_text(pair.right)}</text></answer></subquestion>"

    def ordering(self) -> Iterator[str]:
        for place, option in enumerate(self.record.options, start=1):
            yield f'<answer fraction="{place}" {self.inner(option.text)}</answer>'

    def open(self) -> Iterator[str]:
        if self.record.answer:
            yield self.rich("graderinfo", self.record.answer)
        if template := self.content.settings.get("template"):
            yield self.rich("responsetemplate", template)


_KINDS: dict[str, Callable[[_Writing], Iterator[str]]] = {
    "multichoice": _Writing.choice,
    "truefalse": _Writing.true_false,
    "numerical": _Writing.number,
    "shortanswer": _Writing.short,
    "matching": _Writing.matching,
    "ordering": _Writing.ordering,
    "essay": _Writing.open,
}


def _type_of(record: QuestionRecord) -> tuple[str, bool]:
    """Return Moodle's type of a question, and whether its kind must be stated in a tag."""
    kind, content = record.kind, record.content
    if kind == "opaque":
        return content.settings.get("type", "opaque"), False
    if kind == "blanks" and content.blanks and len(_GAP.findall(record.text)) == len(content.blanks):
        return "cloze", False
    if kind == "number" and all(
        PLAIN_NUMBER.fullmatch(answer.text) or answer.text == "*"
        for answer in content.accepted or (AcceptedAnswer(record.answer),)
    ):
        return "numerical", False
    if kind == "true_false" and not record.answer:
        return "essay", True
    if kind in ("open", "blanks", "number") and PLAIN_NUMBER.fullmatch(record.answer) and not content.blanks:
        return "numerical", True
    if kind in ("blanks", "number", "short") or (kind == "choice" and not record.options):
        texts = [answer.text for answer in content.accepted] or [record.answer]
        is_typed = all(0 < len(text) <= _TYPED_LIMIT and "\n" not in text for text in texts)
        return ("shortanswer", kind != "short") if is_typed else ("essay", True)
    return TYPE_OF_KIND[kind], False


def _plain_inner(text: str) -> str:
    return f'format="moodle_auto_format"><text>{xml_text(text)}</text>'


def _element_text(text: str) -> str:
    if not text:
        return "<text></text>"
    if "<" in text or "&" in text or ">" in text:
        return f"<text><![CDATA[{legal(text).replace(']]>', ']]]]><![CDATA[>')}]]></text>"
    return f"<text>{xml_text(text)}</text>"


def _percent(weight: float) -> str:
    """Return a share as Moodle writes it, with at most five decimals.

    >>> _percent(1 / 3), _percent(1.0), _percent(-0.5)
    ('33.33333', '100', '-50')
    """
    return f"{weight * 100:.5f}".rstrip("0").rstrip(".")
