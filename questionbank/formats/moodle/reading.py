"""Read one Moodle XML question into a record; what we cannot parse is kept as an opaque question.

https://docs.moodle.org/en/Moodle_XML_format; written by Moodle's `qformat_xml` (3.9 to 4.5). A kept item is exported
with the same bytes except for its pictures, and for predictions, which are tags that nobody can mistake for labels.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Callable, Iterator
from urllib.parse import unquote
from xml.etree.ElementTree import Element, ParseError

from defusedxml import DefusedXmlException
from defusedxml.ElementTree import fromstring

from analytics.question_content import AcceptedAnswer, Blank, Feedback, MatchingPair
from analytics.records import PredictedLabels, QuestionRecord
from questionbank.formats.fields import FieldProblems
from questionbank.formats.html_reading import (
    one_language,
    plain_wiris,
    with_dollars,
    with_named_pictures,
    with_wiris_formulas,
)
from questionbank.formats.items import ItemReading
from questionbank.formats.kinds import COMPUTED, lettered
from questionbank.formats.limits import ANSWER_LIMIT, ID_LIMIT, OPTION_TEXT_LIMIT, default_title
from questionbank.formats.moodle.plain_texts import GAP_LISTS, cloze_faults, read_cloze, read_gap_list
from questionbank.formats.moodle.templates import (
    BRACED,
    STACK,
    WIRIS,
    draws,
    read_stack,
    template_answer,
    variable_names,
    with_placeholders,
    with_wiris_placeholders,
)
from questionbank.formats.moodle.words import ALL_OR_NOTHING, OUR_TAG, SETTINGS, TYPES
from questionbank.formats.pictures import Put, base64_bytes
from questionbank.formats.written_numbers import exact_share, finite_number, plain
from questionbank.formats.xml_writing import element, joined

_FILE = re.compile(rb"(<file\b[^>]*>)([^<]*)(</file>)")
KEPT = "sha256:"
PREDICTED = "Kindred predicts: "
_TAG = rb"<tag>\s*<text>(?:<!\[CDATA\[)?Kindred predicts: [^<>\]]*(?:\]\]>)?</text>\s*</tag>"
_BEGIN, _END = b"<tags><!-- Kindred -->", b"</tags>"
_OURS = re.compile(rb"%s(?:%s)*%s|%s" % (_BEGIN, _TAG, _END, _TAG))


def without_pictures(data: bytes, kept: frozenset[str]) -> bytes:
    """Replace the attached pictures of an item by their hashes."""

    def replaced(match: re.Match[bytes]) -> bytes:
        picture = base64_bytes(match[2])
        digest = hashlib.sha256(picture or b"").hexdigest()
        return match[1] + f"{KEPT}{digest}".encode() + match[3] if digest in kept else match[0]

    return _FILE.sub(replaced, data) if b"<file" in data else data


def with_pictures(data: bytes, get: Callable[[str], bytes | None]) -> bytes:
    """Replace the hashes in an item by the pictures."""

    def replaced(match: re.Match[bytes]) -> bytes:
        digest = match[2].decode(errors="replace").strip()
        picture = get(digest.removeprefix(KEPT)) if digest.startswith(KEPT) else None
        return match[0] if picture is None else match[1] + base64.b64encode(picture) + match[3]

    return _FILE.sub(replaced, data) if b"sha256:" in data else data


def with_predictions(item: bytes, predicted: PredictedLabels | None) -> bytes:
    """Return a ``<question>`` element with its predictions as tags, replacing earlier ones."""
    if predicted is None:
        return item
    said = [f"{' > '.join(path)} ({probability:.0%})" for path, probability in predicted.concepts]
    if predicted.difficulty is not None:
        said.append(f"difficulty {predicted.difficulty:.0f} of 100")
    tags = joined(element("tag", element("text", PREDICTED + one)) for one in said).encode()
    item = without_predictions(item)
    before, end, after = item.rpartition(_END)
    if end:
        return before + tags + end + after
    before, end, after = item.rpartition(b"</question>")
    return before + _BEGIN + tags + _END + end + after if tags else item


def without_predictions(item: bytes) -> bytes:
    """Undo `with_predictions` on a ``<question>`` element, byte for byte."""
    return _OURS.sub(b"", item) if PREDICTED.encode() in item else item


def read_element(
    data: bytes, put: Put, concepts: tuple[tuple[str, ...], ...] = (), *, is_other: bool = False
) -> tuple[QuestionRecord, list[tuple[str, str]]]:
    """Return the record of a ``<question>`` element, and (field, reason) of what was lost or looks wrong.

    Args:
        put: stores a picture.
        is_other: whether the bank has it as opaque, from a time when we could parse fewer types.

    Raises:
        FieldProblems: the question cannot be kept at all.
    """
    try:
        element = fromstring(data, forbid_dtd=True)
    except (ParseError, DefusedXmlException) as error:
        raise FieldProblems([("question", f"the question is not well-formed XML: {error}")]) from error
    reading = _Reading(element, put, data, is_other=is_other)
    reading.read(concepts)
    return reading.record(reading.type, reading.digest()), reading.said


class _Reading(ItemReading):
    """A question being read."""

    def __init__(self, element: Element, put: Put, data: bytes, *, is_other: bool = False) -> None:
        super().__init__(put)
        self.element, self._is_other = element, is_other
        self.type = element.get("type", "").strip().lower()
        if self.type.endswith(WIRIS) and not draws(element):
            self.type = self.type.removesuffix(WIRIS)
        self._data = data
        self._has_title = False  # whether the name was not derived from the text by us

    # -- the whole -------------------------------------------------------------------------------------------------

    def read(self, concepts: tuple[tuple[str, ...], ...]) -> None:
        element, row = self.element, self.row
        row["kind"] = TYPES.get(self.type, "opaque")
        self._read_settings()
        text = self._asked()
        kind = row["kind"]
        old_picture = element.findtext("image_base64")
        if old_picture and (digest := self.pictures.keep(base64_bytes(old_picture), "text", "image")):
            text = f"{text}\n\n![]({self.pictures.name('picture', digest)})"
        if reader := _READERS.get(TYPES.get(self.type, "")):
            reader(self)
        title = self._plain("name")
        self.show(text, title)
        row["solution"] = self.rich(element.find("generalfeedback"), "solution")
        row["id"] = (element.findtext("idnumber") or "").strip()[:ID_LIMIT]
        row["concepts"] = [list(path) for path in concepts]
        tags = self._tags()
        self.content |= {
            "title": "" if title == default_title(row["text"]) and not self._has_title else title[:1_000],
            "points": finite_number(element.findtext("defaultgrade") or element.findtext("defaultmark")),
            "feedback": Feedback(
                "",
                self.rich(element.find("correctfeedback"), "feedback"),
                self.rich(element.find("partiallycorrectfeedback"), "feedback"),
                self.rich(element.find("incorrectfeedback"), "feedback"),
            ),
            "hints": tuple(filter(None, (self.rich(hint, "hints") for hint in element.iterfind("hint")))),
            "tags": tags,
        }
        if kind == "opaque":
            if self.type in BRACED:
                row["text"] = with_placeholders(row["text"], variable_names(element, self.type))
            elif self.type.endswith(WIRIS):
                row["text"] = with_wiris_placeholders(row["text"])
            if computed := template_answer(element, self.type):
                self.settings[COMPUTED] = computed
            names = (self._file(file, "text") for file in element.iterfind("file"))
            row["text"] += "".join(f"\n\n![]({name})" for name in names if name)

    def _asked(self) -> str:
        """Return the text, reading its gaps, which may change the question's kind."""
        blanks: list[Blank] = []

        def without_gaps(source: str) -> str:
            html, found = read_cloze(source, lambda html: self._our_text(html, "html", "blanks"))
            blanks.extend(found)
            return html

        is_cloze = self.row["kind"] == "blanks" and self.type not in GAP_LISTS
        text = self.rich(self.element.find("questiontext"), "text", without_gaps if is_cloze else str)
        if self.type in GAP_LISTS:
            read = read_gap_list(self.element, text, lambda html: self._our_text(html, "html", "blanks"))
            if read is None:
                self.row["kind"] = "opaque"
                return text
            text, self.content["blanks"] = read
            self.settings["type"] = self.type
        elif self.type == STACK and not self._is_other:
            text = self._fixed(text) or text
        elif is_cloze:
            self.content["blanks"] = tuple(blanks)
            for fault in cloze_faults(text, blanks):
                self.say("blanks", fault)
        return text

    def digest(self) -> str:
        kept = frozenset(self.pictures.by_name.values())
        return hashlib.sha256(without_pictures(self._data, kept)).hexdigest()

    def _read_settings(self) -> None:
        for name, (setting, nothing) in SETTINGS.items():
            value = self.element.findtext(name)
            if value is not None and (value := _plain_number(value)) not in nothing:
                self.settings[setting] = value[:200]

    def _tags(self) -> tuple[str, ...]:
        """Return the tags; those written by us become fields again."""
        row = self.row
        tags: list[str] = []
        for tag in self.element.iterfind("tags/tag"):
            text = " ".join((tag.findtext("text") or "").split())
            if text.startswith(PREDICTED):  # not a label but a model's prediction
                continue
            if not text.startswith(OUR_TAG):
                tags.append(text[:1_000])
                continue
            name, _equals, value = text.removeprefix(OUR_TAG).partition("=")
            if name == "concept":
                row["concepts"].append([part.strip() for part in value.split(" > ")])
            elif name in ("difficulty", "facility", "responses"):
                number = finite_number(value)
                row[name] = int(number) if name == "responses" and number is not None else number
            elif name == "numbers":
                row[name] = value.split("; ")
            elif name == "kind":
                row["kind"] = value
            elif name == "title":
                self._has_title = True
            elif name in ("language", "grade", "stage", "equation", "difficulty_scale", "set"):
                row[name] = value
        return tuple(dict.fromkeys(filter(None, tags)))

    # -- texts -----------------------------------------------------------------------------------------------------

    def rich(self, element: Element | None, field: str, changed: Callable[[str], str] = str) -> str:
        """Return our text of an element with text, format and files, applying `changed` to its source first."""
        if element is None:
            return ""
        source = element.findtext("text")
        if source is None:
            source = element.text or ""
        names = {_file_name(file): self._file(file, field) for file in element.iterfind("file")}
        return self._our_text(changed(source), element.get("format", "html"), field, names)

    def _our_text(self, source: str, format: str, field: str, names: dict[str, str] | None = None) -> str:
        found = names or {}

        def picture_name(address: str) -> str:
            return self._picture_name(address, field, found)

        source, went = one_language(with_wiris_formulas(source))
        for what in went:
            self.say(field, f"{field}: {what}")
        if format in ("plain_text", "plain"):
            return source.replace("\r\n", "\n")
        if format == "markdown":
            text = source.replace("\r\n", "\n").strip()
            return with_named_pictures(with_dollars(text), picture_name)
        return self.html(source, field, picture_name, breaks_lines=format == "moodle_auto_format")

    def _plain(self, name: str) -> str:
        element = self.element.find(name)
        if element is None:
            return ""
        text = element.findtext("text")
        plain = " ".join((text if text is not None else element.text or "").split())
        return self._our_text(plain, "html" if 'class="multilang"' in plain else "plain_text", name)

    # -- pictures --------------------------------------------------------------------------------------------------

    def _file(self, file: Element, field: str) -> str:
        """Store a file that is a picture; return our name of it, or ""."""
        name = _file_name(file)
        content = (file.text or "").strip()
        if content.startswith(KEPT):
            return self.pictures.name(name, content.removeprefix(KEPT))
        digest = self.pictures.keep(base64_bytes(content), field, name)
        return self.pictures.name(name, digest) if digest else ""

    def _picture_name(self, address: str, field: str, names: dict[str, str]) -> str:
        address = address.strip()
        if "@@PLUGINFILE@@" in address:
            name = unquote(address.partition("@@PLUGINFILE@@")[2].partition("?")[0]).rpartition("/")[2]
            if names.get(name):
                return names[name]
            if name not in names:
                self.say(field, f"{field} names the picture {name[:60]!r}, which is not in the file")
            return self.pictures.missing(name)
        return self.pictures.elsewhere(address, field)

    # -- kinds -----------------------------------------------------------------------------------------------------

    def answers(self) -> Iterator[tuple[Element, float, str]]:
        """Yield each answer with its weight (-1 to 1) and feedback."""
        for answer in self.element.iterfind("answer"):
            weight = max(-1.0, min(1.0, (finite_number(answer.get("fraction")) or 0.0) / 100))
            yield answer, exact_share(weight), self.rich(answer.find("feedback"), "feedback")

    def choice(self) -> None:
        options = lettered(
            (self.rich(answer, "options")[:OPTION_TEXT_LIMIT], weight, feedback[:OPTION_TEXT_LIMIT])
            for answer, weight, feedback in self.answers()
        )
        if self.type == ALL_OR_NOTHING:
            self.settings["type"] = self.type
        stated = self.element.findtext("single", "true").strip().lower()
        is_single = self.type != ALL_OR_NOTHING and stated in ("true", "1")
        self.weigh(options, is_single=is_single, adds_up=self.type != ALL_OR_NOTHING)

    def _fixed(self, text: str) -> str:
        """Read a STACK question with constant answers; return its text, or "" if it is not one."""
        read = read_stack(self.element, text, lambda html: self._our_text(html, "html", "options"))
        if read is None:
            return ""
        text, blanks, is_single = read
        self.settings["type"] = self.type
        if len(blanks) > 1:
            self.row["kind"], self.content["blanks"] = "blanks", blanks
        elif blanks[0].options:
            self.weigh(blanks[0].options, is_single=is_single)
        else:
            self.row["kind"] = blanks[0].kind
            self.accept(blanks[0].accepted)
        return text

    def true_false(self) -> None:
        accepted = []
        for answer, weight, feedback in self.answers():
            word = (answer.findtext("text") or answer.text or "").strip().lower()
            name = "True" if word in ("true", "wahr", "vrai", "verdadero", "1") else "False"
            accepted.append(AcceptedAnswer(name, max(0.0, weight), feedback))
        self.row["answer"] = next((answer.text for answer in accepted if answer.weight > 0), "")
        if any(answer.feedback for answer in accepted):
            self.content["accepted"] = tuple(accepted)

    def number(self) -> None:
        unit = self._units()
        accepted = []
        for answer, weight, feedback in self.answers():
            text = (answer.findtext("text") or "").strip()
            tolerance = finite_number(answer.findtext("tolerance")) or None
            own = unit if text != "*" else ""
            accepted.append(AcceptedAnswer(text, max(0.0, weight), feedback, tolerance, unit=own))
        self.accept(accepted)

    def _units(self) -> str:
        """Return the unit of the answers; alternative units with factors go into a setting."""
        units = []
        for unit in self.element.iterfind("units/unit"):
            factor = finite_number(unit.findtext("multiplier"))
            if name := " ".join((unit.findtext("unit_name") or "").split())[:100]:
                units.append((name, 1.0 if factor is None else factor))
        if len(units) > 1 or any(factor != 1 for _name, factor in units):
            self.settings["units"] = "; ".join(f"{plain(factor)} {name}" for name, factor in units)
        return next((name for name, factor in units if factor == 1), units[0][0] if units else "")

    def short(self) -> None:
        self.accept(
            AcceptedAnswer(plain_wiris((answer.findtext("text") or "").strip()), max(0.0, weight), feedback)
            for answer, weight, feedback in self.answers()
        )

    def matching(self) -> None:
        self.content["pairs"] = tuple(
            MatchingPair(self.rich(part, "pairs"), " ".join((part.findtext("answer/text") or "").split()))
            for part in self.element.iterfind("subquestion")
        )

    def ordering(self) -> None:
        texts = (self.rich(answer, "options") for answer in self.element.iterfind("answer"))
        self.row["options"] = [*lettered((text, None, "") for text in texts)]

    def open(self) -> None:
        self.row["answer"] = self.rich(self.element.find("graderinfo"), "answer")[:ANSWER_LIMIT]
        if template := self.rich(self.element.find("responsetemplate"), "template"):
            self.settings["template"] = template


_READERS: dict[str, Callable[[_Reading], None]] = {
    "choice": _Reading.choice,
    "true_false": _Reading.true_false,
    "number": _Reading.number,
    "short": _Reading.short,
    "matching": _Reading.matching,
    "ordering": _Reading.ordering,
    "open": _Reading.open,
}


def _plain_number(text: str) -> str:
    text = text.strip()
    return f"{float(text):g}" if re.fullmatch(r"\d+\.0+", text) else text


def _file_name(file: Element) -> str:
    """Return a file's base name, without any folders, which may be careless or hostile."""
    return file.get("name", "").replace("\\", "/").rpartition("/")[2]
