"""Write one record as a Moodle XML question: texts in HTML, pictures in base64, our own fields as tags."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Callable, Iterator
from urllib.parse import quote
from xml.sax.saxutils import escape

from analytics.languages import detect_language
from analytics.question_content import AcceptedAnswer
from analytics.records import QuestionRecord
from questionbank.formats.fields import exported_path
from questionbank.formats.html_text import text_html
from questionbank.formats.kinds import accepted_answers, option_weights
from questionbank.formats.limits import default_title
from questionbank.formats.moodle.plain_texts import write_cloze
from questionbank.formats.moodle.templates import without_placeholders
from questionbank.formats.moodle.words import OF_KIND, OUR_TAG, SETTINGS, TYPE_OF_KIND, known_grade
from questionbank.formats.pictures import picture_names
from questionbank.formats.seam import ANOTHER_TYPE, CannotHold
from questionbank.formats.written_numbers import PLAIN_NUMBER, decimal_text
from questionbank.formats.xml_writing import Markup, block, element, legal

Get = Callable[[str], bytes | None]
"""Returns a picture by its SHA-256."""

_GAP = re.compile(r"\[\[\d+\]\]")
_TYPED_LIMIT = 255  # Moodle's limit in characters for a typed answer


def write_element(record: QuestionRecord, get: Get, *, opaque: bool = False) -> bytes:
    """Return the ``<question>`` element of a record.

    Args:
        get: returns a picture by its hash.
        opaque: write what we know about an opaque question, so that its original can be patched.

    Raises:
        CannotHold: Moodle has no equivalent.
    """
    if record.kind == "opaque" and not opaque:
        raise CannotHold(ANOTHER_TYPE)
    if record.kind == "parts":
        raise CannotHold("questions in parts")
    return _Writing(record, get).question().encode()


class _Writing:
    def __init__(self, record: QuestionRecord, get: Get) -> None:
        self.record, self.content = record, record.content
        self._get = get
        self._hashes = {picture.name: picture.sha256 for picture in self.content.pictures if picture.sha256}
        self.type, self.is_ours = _type_of(record)

    def question(self) -> Markup:
        return block("question", *self._parts(), type=self.type)

    def _parts(self) -> Iterator[Markup]:
        record, content = self.record, self.content
        yield element("name", element("text", content.title or default_title(record.text)))
        text = without_placeholders(record.text, self.type)
        yield self.rich("questiontext", text, is_question=True)
        yield self.rich("generalfeedback", record.solution)
        if content.points is not None:
            yield element("defaultgrade", f"{content.points:.7f}")
        yield element("idnumber", record.id)
        yield from (element(name, value) for name, value in self._settings().items())
        yield from _KINDS.get(self.type, _Writing.nothing)(self)
        feedback = content.feedback
        said = [("correctfeedback", feedback.right), ("partiallycorrectfeedback", feedback.partly)]
        said += [("incorrectfeedback", feedback.wrong), *(("hint", hint) for hint in content.hints)]
        yield from (self.rich(name, text) for name, text in said if text)
        tags = [*content.tags, *self._own_tags()]
        if tags:
            yield block("tags", *(element("tag", element("text", tag)) for tag in tags))

    def _settings(self) -> dict[str, str]:
        stated = dict(OF_KIND.get(self.record.kind, {})) if self.record.kind != "opaque" else {}
        for name, (setting, _nothing) in SETTINGS.items():
            if setting in self.content.settings:
                stated[name] = self.content.settings[setting]
        return stated

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

    def rich(
        self, name: str, text: str, *more: Markup, is_question: bool = False, fraction: str | None = None
    ) -> Markup:
        """Return an element with a text as HTML and its pictures."""
        html = text_html(text, lambda name: f"@@PLUGINFILE@@/{quote(name)}" if name in self._hashes else name)
        form = "html" if html is not None else "plain_text"
        if is_question and self.type == "cloze" and html is not None:
            html = write_cloze(html, self.content.blanks, lambda part: text_html(part) or escape(part))
        said = element("text", _text_or_cdata(html if html is not None else text))
        return element(name, said, *self._files(text), *more, fraction=fraction, format=form)

    def _files(self, text: str) -> Iterator[Markup]:
        for name in picture_names([text]):
            picture = self._get(self._hashes[name]) if name in self._hashes else None
            if picture is not None:
                yield Markup("\n")
                yield element("file", b64encode(picture).decode(), name=name, path="/", encoding="base64")

    def _choice(self, text: str, weight: float, feedback: str) -> Markup:
        return self.rich("answer", text, self.rich("feedback", feedback), fraction=_percent(known_grade(weight)))

    def _typed(self, text: str, weight: float, feedback: str, *more: Markup) -> Markup:
        inner = (element("text", text), self.rich("feedback", feedback), *more)
        return element("answer", *inner, fraction=_percent(known_grade(weight)), format="moodle_auto_format")

    # -- kinds -----------------------------------------------------------------------------------------------------

    def nothing(self) -> Iterator[Markup]:
        yield from ()

    def choice(self) -> Iterator[Markup]:
        options = list(self.record.options)
        weights = option_weights(options, self.record.answer)
        right = sum(weight > 0 for weight in weights)
        yield element("single", self.content.settings.get("single", "true" if right <= 1 else "false"))
        for option, weight in zip(options, weights, strict=True):
            yield self._choice(option.text, weight, option.feedback)

    def true_false(self) -> Iterator[Markup]:
        feedback = {answer.text: answer.feedback for answer in self.content.accepted}
        for word in ("True", "False"):
            yield self._typed(word.lower(), float(self.record.answer == word), feedback.get(word, ""))

    def number(self) -> Iterator[Markup]:
        accepted = accepted_answers(self.content, self.record.answer)
        for answer in accepted:
            margin = element("tolerance", decimal_text(answer.tolerance or 0))
            yield self._typed(answer.text, answer.weight, answer.feedback, margin)
        unit = next((answer.unit for answer in accepted if answer.unit), "")
        if units := self.content.settings.get("units", f"1 {unit}" if unit else ""):
            pairs = (stated.partition(" ") for stated in units.split("; "))
            inner = ((element("multiplier", factor), element("unit_name", name)) for factor, _blank, name in pairs)
            yield element("units", *(element("unit", *unit) for unit in inner))

    def short(self) -> Iterator[Markup]:
        for answer in accepted_answers(self.content, self.record.answer):
            yield self._typed(answer.text, answer.weight, answer.feedback)

    def matching(self) -> Iterator[Markup]:
        for pair in self.content.pairs:
            yield self.rich("subquestion", pair.left, element("answer", element("text", pair.right)))

    def ordering(self) -> Iterator[Markup]:
        for place, option in enumerate(self.record.options, start=1):
            yield self.rich("answer", option.text, fraction=str(place))

    def open(self) -> Iterator[Markup]:
        if self.record.answer:
            yield self.rich("graderinfo", self.record.answer)
        if template := self.content.settings.get("template"):
            yield self.rich("responsetemplate", template)


_KINDS: dict[str, Callable[[_Writing], Iterator[Markup]]] = {
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


def _text_or_cdata(text: str) -> str:
    """Return a text as it is, or as a CDATA section if it holds HTML."""
    if "<" in text or "&" in text or ">" in text:
        return Markup(f"<![CDATA[{legal(text).replace(']]>', ']]]]><![CDATA[>')}]]>")
    return text


def _percent(weight: float) -> str:
    """Return a share as Moodle writes it, with at most five decimals.

    >>> _percent(1 / 3), _percent(1.0), _percent(-0.5)
    ('33.33333', '100', '-50')
    """
    return f"{weight * 100:.5f}".rstrip("0").rstrip(".")
