"""The names of QTI's versions, and a manifest's metadata of an item (Learning Object Metadata, IEEE 1484.12).

Reader and writer use the names of QTI 2; QTI 3 prefixes its element names with ``qti-`` and hyphenates them. 1EdTech
Question and Test Interoperability: Assessment, Section and Item Information Model 2.1 (2012), 2.2, 3.0 (2022).
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field, fields
from functools import lru_cache

from analytics.records import ConceptPath, ObservedFigures, PredictedLabels, QuestionRecord
from questionbank.formats.fields import concept_path, exported_path
from questionbank.formats.scales import scale_percent
from questionbank.formats.written_numbers import finite_number
from questionbank.formats.xml_nodes import BadXml, Node, as_utf8, parse
from questionbank.formats.xml_writing import Markup, element

MANIFEST = "imsmanifest.xml"
CATALOG = "kindred"
"""Catalogue name of the metadata identifier whose entry holds, as JSON, what QTI has no place for."""
KEPT = "sha256:"
"""Prefix of a picture's hash, before its path, in a kept item."""
STIMULUS_CLASS = "stimulus"
"""Class of a block that several QTI 2 items share."""
TOOL = "Kindred"
"""Tool name in the files we write."""
SECTIONED = "section"
"""Category of an item that our test puts in a section of its own; all other sections stand for concepts."""
MATH = "http://www.w3.org/1998/Math/MathML"
LOM = "http://ltsc.ieee.org/xsd/LOM"


@dataclass(frozen=True, slots=True)
class Version:
    """A version of QTI.

    Attributes:
        name: name of our format.
        label: display name.
        space: XML namespace.
        schema: address of the XML schema.
        package: namespace, schema name and schema version of a manifest.
        resource: suffix of resource types.
        templates: prefix and suffix of the addresses of response processing templates.
    """

    name: str
    label: str
    space: str
    schema: str
    package: tuple[str, str, str]
    resource: str
    templates: tuple[str, str]

    @property
    def is_three(self) -> bool:
        return self.resource.startswith("v3")


_IMS = "http://www.imsglobal.org"
_PACKAGING = f"{_IMS}/xsd/imscp_v1p1"
VERSIONS = {
    version.name: version
    for version in (
        Version(
            "qti21", "QTI 2.1", f"{_IMS}/xsd/imsqti_v2p1", f"{_IMS}/xsd/qti/qtiv2p1/imsqti_v2p1.xsd",
            (_PACKAGING, "QTIv2.1 Package", "1.0.0"), "v2p1", (f"{_IMS}/question/qti_v2p1/rptemplates/", ""),
        ),
        Version(
            "qti22", "QTI 2.2", f"{_IMS}/xsd/imsqti_v2p2", f"{_IMS}/xsd/qti/qtiv2p2/imsqti_v2p2.xsd",
            (_PACKAGING, "QTIv2.2 Package", "1.0.0"), "v2p2", (f"{_IMS}/question/qti_v2p2/rptemplates/", ""),
        ),
        Version(
            "qti3", "QTI 3.0", f"{_IMS}/xsd/imsqtiasi_v3p0",
            "https://purl.imsglobal.org/spec/qti/v3p0/schema/xsd/imsqti_asiv3p0_v1p0.xsd",
            (f"{_IMS}/xsd/qti/qtiv3p0/imscp_v1p1", "QTI Package", "3.0.0"), "v3p0",
            ("https://purl.imsglobal.org/spec/qti/v3p0/rptemplates/", ".xml"),
        ),
    )
}  # fmt: skip

INLINE = frozenset({"textEntryInteraction", "inlineChoiceInteraction"})
OPAQUE = {  # interactions that we cannot parse -> description for messages
    "hotspotInteraction": "a picture to click on",
    "selectPointInteraction": "a picture to click on",
    "graphicOrderInteraction": "a picture to click on",
    "graphicAssociateInteraction": "a picture to click on",
    "graphicGapMatchInteraction": "a picture to drag onto",
    "positionObjectInteraction": "a picture to drag onto",
    "drawingInteraction": "a picture to draw on",
    "mediaInteraction": "a video or a sound",
    "customInteraction": "an interaction with a program of its own",
    "portableCustomInteraction": "an interaction with a program of its own",
}
BLOCK = frozenset(
    "choiceInteraction orderInteraction associateInteraction matchInteraction gapMatchInteraction hottextInteraction"
    " extendedTextInteraction sliderInteraction uploadInteraction".split()
)
INTERACTIONS = INLINE | BLOCK | {*OPAQUE}
WRITTEN = frozenset(  # elements of QTI that we write
    "assessmentItem assessmentTest assessmentStimulus stimulusBody assessmentStimulusRef"
    " responseDeclaration outcomeDeclaration correctResponse defaultValue value mapping mapEntry itemBody"
    " rubricBlock responseProcessing responseCondition responseIf responseElseIf responseElse"
    " setOutcomeValue baseValue variable correct match equal stringMatch sum product mapResponse isNull"
    " and not or multiple modalFeedback contentBody choiceInteraction simpleChoice uploadInteraction"
    " orderInteraction matchInteraction simpleMatchSet simpleAssociableChoice textEntryInteraction"
    " inlineChoice inlineChoiceInteraction extendedTextInteraction feedbackInline feedbackBlock prompt"
    " equalRounded gt testPart assessmentSection assessmentItemRef".split()
)

_TAG = re.compile(r"<(/?)([A-Za-z]+)((?:\s[^<>]*)?)>")
_ATTRIBUTE = re.compile(r'(\s)([a-z]+[A-Z][A-Za-z]*)(=")')


@lru_cache(maxsize=2_000)
def element_name(name: str) -> str:
    """Return the QTI 2 name of an element.

    >>> element_name("qti-text-entry-interaction"), element_name("p")
    ('textEntryInteraction', 'p')
    """
    return _camel(name[4:]) if name.startswith("qti-") else name


@lru_cache(maxsize=2_000)
def attribute_name(name: str) -> str:
    """Return the QTI 2 name of an attribute.

    >>> attribute_name("response-identifier"), attribute_name("data-note"), attribute_name("xml:lang")
    ('responseIdentifier', 'data-note', 'xml:lang')
    """
    return name if name.startswith(("data-", "aria-")) else _camel(name)


def _camel(name: str) -> str:
    first, *others = name.split("-")
    return first + "".join(part[:1].upper() + part[1:] for part in others)


def in_version(xml: str, version: Version) -> str:
    """Convert elements with QTI 2 names to the names of a version.

    >>> in_version('<simpleChoice showHide="show"><p>1</p></simpleChoice>', VERSIONS["qti3"])
    '<qti-simple-choice show-hide="show"><p>1</p></qti-simple-choice>'
    """
    return _TAG.sub(_in_three, xml) if version.is_three else xml


def _in_three(match: re.Match[str]) -> str:
    slash, name, attributes = match.groups()
    if name not in WRITTEN:
        return match[0]
    attributes = _ATTRIBUTE.sub(lambda found: f"{found[1]}{_hyphens(found[2])}{found[3]}", attributes)
    return f"<{slash}qti-{_hyphens(name)}{attributes}>"


def _hyphens(name: str) -> str:
    return re.sub("[A-Z]", lambda match: f"-{match[0].lower()}", name)


_DIFFICULTIES = ("very easy", "easy", "medium", "difficult", "very difficult")
PREDICTED = "Kindred predicts"
_PREDICTED = re.compile(rb"<lom [^<>]*><general><identifier><catalog>Kindred predicts</catalog>.*?</lom>", re.DOTALL)
OBSERVED = "Kindred observed"
_OBSERVED = re.compile(r"<lom [^<>]*><general><identifier><catalog>Kindred observed</catalog>.*?</lom>", re.DOTALL)
_SIGNS = str.maketrans(">;", "＞；")


@dataclass(frozen=True, slots=True)
class Metadata:
    """Metadata of an item.

    Attributes:
        difficulty: 1 (very easy) to 5.
        ours: JSON of the fields that QTI has no place for.
    """

    title: str = ""
    language: str = ""
    keywords: tuple[str, ...] = ()
    difficulty: float | None = None
    concepts: tuple[tuple[str, ...], ...] = ()
    ours: str = ""


NO_METADATA = Metadata()


def read_metadata(data: bytes) -> Metadata:
    """Parse a ``<metadata>`` element; empty if it cannot be read."""
    if not data:
        return NO_METADATA
    try:
        root = parse(_PREDICTED.sub(b"", as_utf8(data)), element=str.lower)
    except BadXml:
        return NO_METADATA
    general = [*root.iter("general")]
    difficulty = next((_text(node.find("value") or node) for node in root.iter("difficulty")), "")
    named = [(_text(node.find("catalog")), node.find("entry")) for node in root.iter("identifier", "catalogentry")]
    return Metadata(
        title=_first(general, "title"),
        language=_first(general, "language"),
        keywords=tuple(dict.fromkeys(filter(None, (_text(word)[:1_000] for word in root.iter("keyword"))))),
        difficulty=_DIFFICULTIES.index(difficulty) + 1.0 if difficulty in _DIFFICULTIES else None,
        concepts=tuple(dict.fromkeys(_paths(root))),
        ours=next((entry.all_text().strip() for catalog, entry in named if catalog == CATALOG and entry), ""),
    )


def _first(general: list[Node], name: str) -> str:
    return next((text for node in general for part in node.children(name) if (text := _text(part))), "")


def _text(node: Node | None) -> str:
    """Return a text in its first language."""
    strings = [*node.iter("string", "langstring")] if node is not None else []
    return strings[0].text() if strings else node.text() if node is not None else ""


def _paths(root: Node) -> Iterator[tuple[str, ...]]:
    for path in root.iter("taxonpath"):
        names = [_text(taxon.find("entry")) for taxon in path.iter("taxon")]
        found, reason = concept_path([name.translate(_SIGNS)[:300] for name in names if name])
        if found and not reason:
            yield found


def write_metadata(record: QuestionRecord, ours: str) -> Markup:
    """Return the ``<lom>`` element of a record.

    Args:
        ours: what QTI has no place for, as JSON.
    """
    content = record.content
    general = [_identifier(CATALOG, ours)] if ours else []
    general += [element("title", _string(content.title))] if content.title else []
    general.append(element("language", record.language))
    general += [element("keyword", _string(tag)) for tag in content.tags]
    percent = scale_percent(record.difficulty, record.difficulty_scale)
    if percent is None and record.facility is not None:
        percent = 100 * (1 - record.facility)
    observed = f"facility {record.facility:.3g} of {record.responses} responses" if record.responses else ""
    parts = [element("general", *general), *_educational("LOMv1.0", percent, observed)]
    parts += [_classification("LOMv1.0", "Kindred", record.concepts)] if record.concepts else []
    return _lom(*parts)


def with_predictions(metadata: str, predicted: PredictedLabels | None) -> str:
    """Return an item's manifest metadata with its predictions, which are ignored when read back.

    They form a separate ``<lom>`` element with sources that identify it.
    """
    if predicted is None:
        return metadata
    said = "" if predicted.difficulty is None else f"difficulty {predicted.difficulty:.0f} of 100"
    lom = _lom(
        element("general", _identifier(PREDICTED, "labels")),
        *_educational(PREDICTED, predicted.difficulty, said),
        *(
            _classification(PREDICTED, PREDICTED, [path], f"probability {probability:.2f}")
            for path, probability in predicted.concepts
        ),
    )
    return _with_lom(_PREDICTED.sub(b"", metadata.encode()).decode(), lom)


def with_observed(metadata: str, observed: ObservedFigures | None) -> str:
    """Return an item's manifest metadata with the figures of the bank's responses."""
    if observed is None:
        return metadata
    figures = {name: value for name, value in asdict(observed).items() if value is not None}
    said = ", ".join(f"{name.replace('_', ' ')} {value:g}" for name, value in figures.items())
    identifier = _identifier(OBSERVED, json.dumps(figures))
    return _with_lom(metadata, _lom(element("general", identifier, *_description(said))))


def without_observed(metadata: str) -> str:
    """Return an item's manifest metadata without response figures, which are counted at their origin."""
    return _OBSERVED.sub("", metadata)


def _with_lom(metadata: str, lom: Markup) -> str:
    head, tag, rest = (metadata or "<metadata></metadata>").rpartition("</")
    return f"{head}{lom}{tag}{rest}"


def ours_alone(ours: str) -> Markup:
    """Return a ``<lom>`` element with the changes since an item was read."""
    return _lom(element("general", _identifier(CATALOG, ours)))


def _lom(*parts: Markup) -> Markup:
    return element("lom", *parts, xmlns=LOM)


def _identifier(catalog: str, entry: str) -> Markup:
    return element("identifier", element("catalog", catalog), element("entry", entry))


def _educational(source: str, percent: float | None, said: str) -> Iterator[Markup]:
    if percent is not None:
        word = _DIFFICULTIES[min(4, max(0, int(percent // 20)))]
        difficulty = element("difficulty", element("source", source), element("value", word))
        yield element("educational", difficulty, *_description(said))


def _classification(source: str, name: str, paths: Iterable[ConceptPath], said: str = "") -> Markup:
    purpose = element("purpose", element("source", source), element("value", "discipline"))
    found = [
        element(
            "taxonPath",
            element("source", _string(name)),
            *(element("taxon", element("entry", _string(part))) for part in exported_path(path)),
        )
        for path in paths
    ]
    return element("classification", purpose, *found, *_description(said))


def _description(said: str) -> Iterator[Markup]:
    if said:
        yield element("description", _string(said))


def _string(text: str) -> Markup:
    return element("string", text)


_WEIGHT = re.compile(r"""<(?:[\w.-]+:)?(?:qti-)?weight\b[^>]*?\svalue\s*=\s*["']([\d.]+)""")


@dataclass(frozen=True, slots=True)
class Around:
    """Context of an item in its package, stored as JSON in the item's `Original`.

    Attributes:
        path: path of the item's file relative to the manifest's folder.
        metadata: its metadata element in the manifest.
        files: the files that the item needs besides its pictures, by path.
        shared: elements that its section displays before it.
        timing: elements with its time limits, attempts and weight in its test.
        section: title of its section in its test.
    """

    path: str = ""
    metadata: str = ""
    files: dict[str, bytes] = field(default_factory=dict)
    concepts: tuple[tuple[str, ...], ...] = ()
    shared: tuple[str, ...] = ()
    timing: str = ""
    section: str = ""

    def as_bytes(self) -> bytes:
        found = {column.name: getattr(self, column.name) for column in fields(self)}
        found["files"] = {path: base64.b64encode(data).decode() for path, data in self.files.items()}
        return json.dumps({name: value for name, value in found.items() if value}, ensure_ascii=False).encode()

    def points(self, points: float | None) -> float | None:
        """Return the points of an item in its test, which may apply a weight."""
        weight = _WEIGHT.search(self.timing)
        factor = finite_number(weight[1]) if weight else None
        return points if not factor or factor == 1 else (points or 1.0) * factor


def read_around(data: bytes) -> Around:
    """Parse what `Around.as_bytes` wrote."""
    found = json.loads(data) if data else {}
    found["files"] = {path: base64.b64decode(piece) for path, piece in found.get("files", {}).items()}
    found["concepts"] = tuple(tuple(path) for path in found.get("concepts", ()))
    found["shared"] = tuple(found.get("shared", ()))
    return Around(**found)
