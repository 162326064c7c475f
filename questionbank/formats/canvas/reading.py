"""Read one QTI 1.2 item into a record; what we cannot parse is kept as an opaque question.

IMS Question & Test Interoperability 1.2 with the question types of Canvas (Instructure), Common Cartridge and
Blackboard, as in their exports.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator
from urllib.parse import unquote
from xml.etree.ElementTree import Element, ParseError

from defusedxml import DefusedXmlException
from defusedxml.ElementTree import fromstring

from analytics.question_content import AcceptedAnswer, Blank, Feedback, MatchingPair
from analytics.records import QuestionRecord
from questionbank.formats.canvas.words import (
    EITHER,
    FILE_BASE,
    KEPT,
    KINDS,
    OF_BLACKBOARD,
    OF_PROFILES,
    OURS,
    number_of,
)
from questionbank.formats.fields import FieldProblems
from questionbank.formats.items import ItemReading, with_others
from questionbank.formats.kinds import COMPUTED, computed_answer, lettered, option_label
from questionbank.formats.limits import ID_LIMIT, OPTION_TEXT_LIMIT
from questionbank.formats.mathml_latex import mathml_to_latex
from questionbank.formats.moodle.words import category_path
from questionbank.formats.pictures import Put
from questionbank.formats.written_numbers import finite_number

Find = Callable[[str], bytes | None]
"""Returns a file of the package by its path in an item, or None."""
_AROUND_TEXT = frozenset(
    {"material", "flow", "flow_mat", "mat_extension", "solution", "solutionmaterial", "hint", "hintmaterial"}
)
_BLACKBOARD_FILE = re.compile(r"xid-\d{1,20}(?:_\d{1,5})?")
_PICTURES = ("matimage", "matapplication")
_BRACKETED = re.compile(r"\[(\w{1,60})\]")
_PREFIXES = re.compile(rb"(</?)[A-Za-z_][\w.-]*:(?=[A-Za-z_])")
_BASE = re.compile(r"(?:\$|%24)IMS[-_]CC[-_]FILEBASE(?:\$|%24)/?(?P<path>[^?#]*)")
_KEPT_PATH = re.compile(rf"{KEPT}(?P<digest>[0-9a-f]{{64}})/(?P<path>[^?#]*)")
_OWN_FEEDBACK = frozenset({"general_fb", "solution", "correct_fb", "correct", "general_incorrect_fb", "incorrect"})
_NO_TITLE = frozenset({"", "question"})


def _element(data: bytes) -> Element:
    """Parse an item, dropping namespaces. Raises `FieldProblems`."""
    try:
        element = fromstring(_PREFIXES.sub(rb"\1", data), forbid_dtd=True)
    except (ParseError, DefusedXmlException) as error:
        raise FieldProblems([("question", f"the question is not well-formed XML: {error}")]) from error
    for part in element.iter():
        part.tag = part.tag.rpartition("}")[2]
    return element


def read_item(
    data: bytes, put: Put, find: Find, concepts: tuple[tuple[str, ...], ...] = ()
) -> tuple[QuestionRecord, list[tuple[str, str]], dict[str, str]]:
    """Return an item's record, (field, reason) of what was lost or looks wrong, and picture hashes by path.

    Args:
        put: stores a picture.
        find: returns a file of the package.

    Raises:
        FieldProblems: the item cannot be kept at all.
    """
    reading = _Reading(_element(data), put, find)
    reading.read(concepts)
    return reading.record(reading.type, hashlib.sha256(data).hexdigest()), reading.said, reading.hashes


class _Reading(ItemReading):
    """An item being read."""

    def __init__(self, element: Element, put: Put, find: Find) -> None:
        super().__init__(put)
        self.element = element
        self.hashes: dict[str, str] = {}  # path in the package -> hash
        self._find = find
        self._metadata = dict(self._fields())
        theirs = (element.findtext("itemmetadata/bbmd_questiontype") or "").strip()
        self.is_blackboard = bool(theirs)
        self.type = (
            self._metadata.get("question_type", "")
            or OF_PROFILES.get(self._metadata.get("cc_profile", ""), "")
            or OF_BLACKBOARD.get(theirs.lower(), theirs.lower())
        )
        self._feedback: dict[str, str] = {}

    def _fields(self) -> Iterator[tuple[str, str]]:
        for field in self.element.iterfind("itemmetadata/qtimetadata/qtimetadatafield"):
            yield (field.findtext("fieldlabel") or "").strip(), field.findtext("fieldentry") or ""

    # -- the whole -------------------------------------------------------------------------------------------------

    def read(self, concepts: tuple[tuple[str, ...], ...]) -> None:
        row, kind = self.row, KINDS.get(self.type, "opaque")
        row["kind"] = kind
        self._feedback = {
            feedback.get("ident", ""): self.material(feedback, "feedback")
            for feedback in self.element.iterfind("itemfeedback")
        }
        asked = self._block("QUESTION_BLOCK")
        text = self.material(self.element.find("presentation") if asked is None else asked, "text")
        if self.type == "categorization_question":
            self._groups()
        elif kind in _READERS:
            text = _READERS[kind](self, text) or text
        text = "\n\n".join(filter(None, (text, *self._said(kind))))
        text = self._template(text)
        title = " ".join((self.element.get("title") or "").split())
        self.show(text, title)
        theirs = self.element.findtext("itemmetadata/bbmd_asi_object_id")
        row["id"] = (self.element.get("ident") or theirs or "").strip()[:ID_LIMIT]
        row["concepts"] = [list(path) for path in concepts]
        if hints := [text for ident, text in self._feedback.items() if ident in self._marked("hint") and text]:
            self.content["hints"] = tuple(hints)
        said = (self._feedback.get(name, "") for name in ("general_fb", "solution", *self._general()))
        row["solution"] = "\n\n".join(filter(None, said))
        if category := self._metadata.get("cc_question_category"):
            row["concepts"] = [list(category_path(category.replace("/", "//")))]
        self.content |= {
            "title": "" if title.lower() in _NO_TITLE else title[:1_000],
            "points": finite_number(
                self._metadata.get("points_possible")
                or self._metadata.get("cc_weighting")
                or self.element.findtext("itemmetadata/qmd_absolutescore_max")
            ),
            "feedback": Feedback(
                right=self._feedback.get("correct_fb") or self._feedback.get("correct", ""),
                wrong=self._feedback.get("general_incorrect_fb") or self._feedback.get("incorrect", ""),
            ),
        }
        self.ours = self._metadata.get(OURS, "")

    def _template(self, text: str) -> str:
        """Mark the variables in the text of a question with random numbers; record how it is graded."""
        calculated = self.element.find("itemproc_extension/calculated")
        if calculated is None:
            return text
        formulas = [formula.text or "" for formula in calculated.iterfind("formulas/formula")]
        theirs = calculated.findtext("formula") or ""  # Blackboard's, in MathML
        if computed := computed_answer([*formulas, mathml_to_latex(theirs) or theirs]):
            self.settings[COMPUTED] = computed
        names = {variable.get("name", "") for variable in calculated.iterfind("vars/var")}
        return _BRACKETED.sub(lambda match: f"{{@{match[1]}@}}" if match[1] in names else match[0], text)

    # -- texts -----------------------------------------------------------------------------------------------------

    def material(self, parent: Element | None, field: str) -> str:
        """Return our text of the materials in an element, except those inside responses."""
        found = _materials(parent) if parent is not None else ()
        return "\n\n".join(filter(None, (self._our_text(text, field) for text in found)))

    def _block(self, name: str) -> Element | None:
        """Return the part of Blackboard's presentation with this name."""
        return next((flow for flow in self.element.iter("flow") if flow.get("class") == name), None)

    def _said(self, kind: str) -> Iterator[str]:
        """Yield the picture to click on, and the choices of a question that we cannot parse."""
        for spot in self.element.iter("render_hotspot"):
            yield self.material(spot, "text")
        if kind == "opaque":
            said = (self.material(label, "text") for label in self.element.iter("response_label"))
            yield "\n".join(f"- {text}" for text in dict.fromkeys(said) if text)

    def _marked(self, name: str) -> list[str]:
        """Return the identifiers of Common Cartridge hints or solutions, which nothing else displays."""
        found = self.element.iterfind("itemfeedback")
        return [feedback.get("ident", "") for feedback in found if feedback.find(name) is not None]

    def _general(self) -> Iterator[str]:
        """Yield the identifiers of feedback shown for any answer; report that other feedback is left out."""
        shown: dict[str, Element] = {}
        for condition in self.element.iterfind("resprocessing/respcondition"):
            shown |= {one.get("linkrefid", ""): condition for one in condition.iterfind("displayfeedback")}
        for ident, text in self._feedback.items():
            if not text or ident in (*_OWN_FEEDBACK, *self._marked("hint")) or ident.endswith("_fb"):
                continue
            shows = shown.get(ident)
            is_shown = shows is not None and shows.find("conditionvar/other") is not None
            if is_shown or ident in self._marked("solution"):
                yield ident
            else:
                self.say("feedback", f"a feedback stays with the original: {text[:60]!r}")

    def _our_text(self, mattext: Element, field: str) -> str:
        if mattext.tag in _PICTURES:
            return f"![]({self.picture(mattext.get('uri', ''), field)})" if mattext.get("uri") else ""
        source = "".join(mattext.itertext())
        is_html = mattext.tag == "mat_formattedtext" or mattext.get("texttype") == "text/html"
        if not is_html:
            return source.replace("\r\n", "\n").strip()
        return self.html(source, field)

    def picture(self, address: str, field: str) -> str:
        address = address.strip()
        if kept := _KEPT_PATH.match(address):
            path, digest = unquote(kept["path"]), kept["digest"]
            self.hashes[kept["path"]] = digest
            return self.pictures.name(path.rpartition("/")[2], digest)
        if based := _BASE.match(address):
            path = unquote(based["path"])
            shown = self.pictures.shown(self._find(path), field, path.rpartition("/")[2])
            if digest := self.pictures.by_name.get(shown, ""):
                self.hashes[based["path"]] = digest
            return shown
        if named := _BLACKBOARD_FILE.search(address):  # the text has csfiles/home_dir/__xid-8123_1.png
            return self.pictures.shown(self._find(named[0]), field, named[0])
        return self.pictures.elsewhere(address, field)

    # -- answers ---------------------------------------------------------------------------------------------------

    def scored(self) -> Iterator[Element]:
        for condition in self.element.iterfind("resprocessing/respcondition"):
            score = condition.find("setvar")
            variables = condition.find("conditionvar")
            if variables is not None and self._gives_points(condition, score):
                yield variables

    def _gives_points(self, condition: Element, score: Element | None) -> bool:
        if score is None:  # Blackboard implicitly gives points for each pair and typed answer
            is_for_each = self.type in ("matching_question", "short_answer_question", "numerical_question")
            return self.is_blackboard and is_for_each and condition.get("title") != "incorrect"
        is_best = (score.text or "").strip() == "SCORE.max" and condition.get("title") != "incorrect"
        return is_best or (finite_number(score.text) or 0) > 0

    def right(self) -> list[tuple[str, str]]:
        """Return (response, identifier) for everything that earns points, without forbidden choices."""
        equal = (equal for variables in self.scored() for equal in _positive(variables))
        return [(one.get("respident", ""), (one.text or "").strip()) for one in equal]

    def right_idents(self) -> list[str]:
        return [ident for _response, ident in self.right()]

    def labels(self) -> list[tuple[str, str]]:
        """Return identifier and text of each option of the first response."""
        response = next(self.element.iter("response_lid"), None)
        return self._labels(response) if response is not None else []

    def _labels(self, response: Element, field: str = "options") -> list[tuple[str, str]]:
        return [(label.get("ident", ""), self.material(label, field)) for label in response.iter("response_label")]

    def choice(self, _text: str) -> None:
        labels = self.labels()
        right = set(self.right_idents())
        options = (
            (
                EITHER.get(text, text)[:OPTION_TEXT_LIMIT],
                None,
                self._feedback.get(f"{ident}_fb", "")[:OPTION_TEXT_LIMIT],
            )
            for ident, text in labels
        )
        self.row["options"] = [*lettered(options)]
        named = [option_label(place) for place, (ident, _text) in enumerate(labels) if ident in right]
        self.row["answer"] = ", ".join(named)
        if not named and labels:
            self.say("options", "no option is right")
        if self.type == "multiple_answers_question" and len(named) <= 1:
            self.settings["single"] = "false"
        elif self.type == "multiple_choice_question" and len(named) > 1:
            self.settings["single"] = "true"

    def true_false(self, _text: str) -> None:
        right = set(self.right_idents())
        accepted = []
        for place, (ident, text) in enumerate(self.labels()):
            word = {"true": "True", "false": "False"}.get(text.strip().lower(), "False" if place else "True")
            accepted.append(AcceptedAnswer(word, float(ident in right), self._feedback.get(f"{ident}_fb", "")))
            if ident in right:
                self.row["answer"] = word
        if any(answer.feedback for answer in accepted):
            self.content["accepted"] = tuple(accepted)

    def short(self, _text: str) -> None:
        self._typed([AcceptedAnswer(text) for text in self.right_idents()])

    def _typed(self, accepted: list[AcceptedAnswer]) -> None:
        if not self.accept(accepted):
            self.say("answer", "the question accepts no answer")

    def number(self, _text: str) -> None:
        self._typed([answer for variables in self.scored() if (answer := number_of(variables))])

    def blanks(self, text: str) -> str:
        right = self.right()
        is_choice = self.type == "multiple_dropdowns_question"
        blanks: list[Blank] = []
        for place, response in enumerate(self._responses("response_lid", "response_str"), start=1):
            name = self.material(response, "blanks") or (response.get("ident") or "").removeprefix("response_")
            labels = self._labels(response, "blanks")
            if is_choice:
                here = [ident for group, ident in right if group == response.get("ident")]
                options = ((option, ident in here, self._feedback.get(f"{ident}_fb", "")) for ident, option in labels)
                blanks.append(Blank("choice", (), lettered(options), style=name))
            else:
                accepted = tuple(
                    AcceptedAnswer(answer, feedback=self._feedback.get(f"{ident}_fb", ""))
                    for ident, answer in labels
                    if answer
                ) or tuple(map(AcceptedAnswer, self._compared_with(response.get("ident", ""))))
                blanks.append(Blank("short", accepted, style=name))
            before, mark, after = text.partition(f"[{name}]")
            text = f"{before}[[{place}]]{after}" if mark else f"{text} [[{place}]]"
            if not mark:
                self.say("text", f"the text does not name the gap {name[:40]!r}; it was added at the end")
        self.content["blanks"] = tuple(blanks)
        return text

    def matching(self, _text: str) -> None:
        wanted = dict(self.right())
        pairs: list[MatchingPair] = []
        choices: dict[str, str] = {}
        rights = self._block("RIGHT_MATCH_BLOCK")
        offered = [self.material(flow, "pairs") for flow in rights.iterfind("flow")] if rights is not None else []
        around = {child: parent for parent in self.element.iter("flow") for child in parent}
        for response in self._responses("response_lid"):
            labels = dict(self._labels(response, "pairs"))
            if offered:
                labels = dict(zip(labels, offered, strict=False))
            choices |= labels
            ident = wanted.get(response.get("ident", ""), "")
            if ident not in labels:
                self.say("pairs", "a pair has no right choice")
            left = self.material(response, "pairs") or self.material(around.get(response), "pairs")
            row = around.get(around.get(response, response))
            if not left and row is not None and len([*row.iter("response_lid")]) == 1:
                left = self.material(row, "pairs")  # Blackboard's, next to the response's block
            pairs.append(MatchingPair(left, labels.get(ident, "")))
        self.content["pairs"] = with_others(pairs, choices.values())

    def _groups(self) -> None:
        """Read which items belong to which group."""
        right = self.right()
        pairs: list[MatchingPair] = []
        others: dict[str, str] = {}
        for response in self._responses("response_lid"):
            labels = dict(self._labels(response, "pairs"))
            name = self.material(response, "pairs")
            here = [ident for group, ident in right if group == response.get("ident") and ident in labels]
            pairs += [MatchingPair(labels[ident], name) for ident in here]
            others |= labels
        for text in {*others.values()} - {pair.left for pair in pairs}:
            self.say("pairs", f"{text[:60]!r} belongs to no group; it stays with the original")
        self.content["pairs"] = tuple(pairs)

    def ordering(self, _text: str) -> None:
        labels = dict(self.labels())
        order = [ident for ident in self.right_idents() if ident in labels]
        order += [ident for ident in labels if ident not in order]
        self.row["options"] = [*lettered((labels[ident], None, "") for ident in order)]

    def _responses(self, *names: str) -> Iterator[Element]:
        return (part for part in self.element.iter() if part.tag in names)

    def _compared_with(self, response: str) -> list[str]:
        """Return the values that response processing accepts for a response."""
        equal = (part for variables in self.scored() for part in variables.iter("varequal"))
        return [(part.text or "").strip() for part in equal if part.get("respident") == response]

    def open(self, _text: str) -> None:
        if self.type == "file_upload_question":
            self.settings["type"] = self.type


_READERS: dict[str, Callable[[_Reading, str], str | None]] = {
    "choice": _Reading.choice,
    "true_false": _Reading.true_false,
    "short": _Reading.short,
    "number": _Reading.number,
    "blanks": _Reading.blanks,
    "matching": _Reading.matching,
    "ordering": _Reading.ordering,
    "open": _Reading.open,
}


def _materials(parent: Element) -> Iterator[Element]:
    """Yield the elements with text, except those within a response."""
    for part in parent:
        if part.tag in ("mattext", "mat_formattedtext", *_PICTURES):
            yield part
        elif part.tag in _AROUND_TEXT:
            yield from _materials(part)


def _positive(variables: Element) -> Iterator[Element]:
    """Yield the equalities that a condition requires, not those that it negates."""
    for part in variables:
        if part.tag in ("varequal", "varsubstring"):
            yield part
        elif part.tag in ("and", "or"):
            yield from _positive(part)


def with_hashes(data: bytes, hashes: dict[str, str]) -> bytes:
    """Return an item whose picture paths are prefixed with hashes."""

    def replaced(match: re.Match[str]) -> str:
        digest = hashes.get(match["path"])
        return f"{KEPT}{digest}/{match['path']}" if digest else match[0]

    return _ADDRESS.sub(replaced, data.decode()).encode() if hashes else data


def with_paths(data: bytes, place: Callable[[str, str], str]) -> bytes:
    """Return an item whose pictures have their paths in the package.

    Args:
        place: returns the new path, given the item's path and the hash.
    """
    return _KEPT_ADDRESS.sub(
        lambda match: f"{FILE_BASE}/{place(match['path'], match['digest'])}", data.decode()
    ).encode()


_ADDRESS = re.compile(r"(?:\$|%24)IMS[-_]CC[-_]FILEBASE(?:\$|%24)/?(?P<path>[^?#\"'<>&\s]*)")
_KEPT_ADDRESS = re.compile(rf"{KEPT}(?P<digest>[0-9a-f]{{64}})/(?P<path>[^?#\"'<>&\s]*)")
