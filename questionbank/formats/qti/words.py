"""Names in the versions of QTI, shared by reading and writing.

Reader and writer use the names of QTI 2; QTI 3 prefixes its element names with ``qti-`` and hyphenates them. 1EdTech
Question and Test Interoperability: Assessment, Section and Item Information Model 2.1 (2012), 2.2, 3.0 (2022).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

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
"""Category of an item placed in its own section by our test; all other sections of our tests are concepts."""
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
    "customInteraction": "an interaction of its own program",
    "portableCustomInteraction": "an interaction of its own program",
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
