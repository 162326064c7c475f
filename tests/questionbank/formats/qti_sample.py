# ruff: noqa: E501 - items as other systems write them
"""Items of QTI 2.1, 2.2 and 3.0 in the shapes in which other systems write them, and packages of them, made here."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping

from tests.pictures import png

SIGN = png(4, 3)
_XSI = 'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"'
_RIGHT = '<responseProcessing template="http://www.imsglobal.org/question/qti_v2p1/rptemplates/match_correct"/>'
_MAP = '<responseProcessing template="http://www.imsglobal.org/question/qti_v2p1/rptemplates/map_response"/>'
_SCORE = '<outcomeDeclaration identifier="SCORE" cardinality="single" baseType="float"/>'


def item(
    name: str,
    declared: str,
    body: str,
    more: str = _RIGHT,
    *,
    title: str = "",
    attributes: str = "",
    version: str = "2p1",
) -> str:
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<!-- made by hand -->\n'
        f'<assessmentItem xmlns="http://www.imsglobal.org/xsd/imsqti_v{version}" {_XSI}\n'
        f'    identifier="{name}" title="{title or name}" adaptive="false" timeDependent="false"{attributes}>\n'
        f"  {declared}\n  {_SCORE}\n  <itemBody>\n    {body}\n  </itemBody>\n  {more}\n</assessmentItem>\n"
    )


def declared(
    *correct: str, cardinality: str = "single", base: str = "identifier", more: str = "", name: str = "RESPONSE"
) -> str:
    values = "".join(f"\n      <value>{value}</value>" for value in correct)
    right = f"<correctResponse>{values}\n    </correctResponse>" if correct else ""
    return f'<responseDeclaration identifier="{name}" cardinality="{cardinality}" baseType="{base}">{right}{more}</responseDeclaration>'


def choices(*texts: str, tag: str = "simpleChoice", more: str = "") -> str:
    return "\n".join(f'<{tag} identifier="C{place}"{more}>{text}</{tag}>' for place, text in enumerate(texts, start=1))


_LUGGAGE = item(
    "luggage",
    declared("C1"),
    """<p>Look at the sign.</p>
    <p>
      <img src="images/the%20sign.png" alt="Never leave bags alone"/>
    </p>
    <choiceInteraction responseIdentifier="RESPONSE" shuffle="false" maxChoices="1">
      <prompt>What does it <strong>say</strong>?</prompt>
      """
    + choices("Keep your bags with you.", "Do not let <em>others</em> mind them.", "Leave your bags alone.")
    + "</choiceInteraction>",
    title="Bags",
    attributes=' xml:lang="en-GB"',
)
_WATER = item(
    "water",
    declared("C1", "C3", cardinality="multiple", more='<mapping lowerBound="0" upperBound="2" defaultValue="-2">'
             '<mapEntry mapKey="C1" mappedValue="1"/><mapEntry mapKey="C3" mappedValue="1"/>'
             '<mapEntry mapKey="C2" mappedValue="-1"/></mapping>'),
    '<choiceInteraction responseIdentifier="RESPONSE" shuffle="true" maxChoices="0"><prompt>Which elements form water?'
    f'</prompt>{choices("Hydrogen", "Helium", "Oxygen", "Carbon")}</choiceInteraction>',
    _MAP,
)  # fmt: skip
_TRUE = item(
    "wahr",
    declared("C2"),
    f'<div class="grid-row"><div class="col-12"><choiceInteraction responseIdentifier="RESPONSE" maxChoices="1"'
    f' shuffle="false"><prompt>Ist 9 prim?</prompt>{choices("Wahr", "Falsch")}</choiceInteraction></div></div>',
    attributes=' xml:lang="de-DE" label="wahr" toolName="TAO" toolVersion="3.4"',
    version="2p2",
)
_ORDER = item(
    "grandprix",
    declared("C3", "C1", "C2", cardinality="ordered"),
    '<orderInteraction responseIdentifier="RESPONSE" shuffle="true"><prompt>Sort by size.</prompt>'
    + choices("0.5", "$2^1$", "0.05")
    + "</orderInteraction>",
)


def _sets(*texts: tuple[str, ...], most: tuple[int, int] = (1, 4)) -> str:
    number = iter(range(1, 100))
    return "".join(
        "<simpleMatchSet>"
        + "".join(
            f'<simpleAssociableChoice identifier="C{next(number)}" matchMax="{limit}">{text}</simpleAssociableChoice>'
            for text in group
        )
        + "</simpleMatchSet>"
        for group, limit in zip(texts, most, strict=True)
    )


_PAIRS = {"base": "directedPair", "cardinality": "multiple"}
_MATCH = item(
    "shakespeare",
    declared("C1 C4", "C2 C3", **_PAIRS),
    '<matchInteraction responseIdentifier="RESPONSE" shuffle="true" maxAssociations="4"><prompt>Who is in which play?'
    f"</prompt>{_sets(('Prospero', 'Lysander'), ('A Dream', 'The Tempest', 'Romeo'))}</matchInteraction>",
    _RIGHT,
)
_SWAPPED = item(
    "drag",
    declared("C1 C4", "C3 C5", **_PAIRS),
    '<matchInteraction responseIdentifier="RESPONSE" shuffle="true" maxAssociations="0">'
    f"{_sets(('one', 'three', 'two'), ('1', '2'), most=(1, 1))}</matchInteraction>",
)
_MANY = item(
    "many",
    declared("C1 C3", "C1 C4", "C2 C3", **_PAIRS),
    '<matchInteraction responseIdentifier="RESPONSE" shuffle="true" maxAssociations="0"><prompt>Tick what holds.</prompt>'
    f"{_sets(('4', '9'), ('square', 'even', 'odd'))}</matchInteraction>",
)
_ASSOCIATE = item(
    "rivals",
    declared("C1 C3", "C2 C4", base="pair", cardinality="multiple"),
    '<associateInteraction responseIdentifier="RESPONSE" shuffle="true" maxAssociations="3"><prompt>Who are rivals?</prompt>'
    + choices("Antonio", "Capulet", "Prospero", "Montague", tag="simpleAssociableChoice", more=' matchMax="1"')
    + "</associateInteraction>",
)
_GAP_MATCH = item(
    "gaps",
    declared("C1 G1", "C3 G2", **_PAIRS),
    '<gapMatchInteraction responseIdentifier="RESPONSE" shuffle="false"><prompt>Fill in.</prompt>'
    + choices("winter", "autumn", "summer", tag="gapText", more=' matchMax="1"')
    + '<blockquote><p>Now is the <gap identifier="G1"/> of our discontent<br/>made glorious <gap identifier="G2"/>.</p>'
    "</blockquote></gapMatchInteraction>",
)
_ENTRY = item(
    "york",
    declared("York", base="string", more='<mapping defaultValue="0"><mapEntry mapKey="York" mappedValue="1"/>'
             '<mapEntry mapKey="york" mappedValue="0.5"/></mapping>'),
    "<p>Made glorious by this sun of <textEntryInteraction responseIdentifier=\"RESPONSE\" expectedLength=\"15\"/>;<br/>and"
    " so on.</p>",
    _MAP,
)  # fmt: skip
_INLINE = item(
    "inline",
    declared("C2"),
    '<p>And the winner is <inlineChoiceInteraction responseIdentifier="RESPONSE" shuffle="false">'
    f"{choices('Gloucester', 'York', tag='inlineChoice')}</inlineChoiceInteraction>&nbsp;!</p>",
)
_NUMBER = item(
    "pi",
    declared("3.14", base="float"),
    '<p>What is <m:math xmlns:m="http://www.w3.org/1998/Math/MathML"><m:mfrac><m:mi>π</m:mi><m:mn>1</m:mn></m:mfrac>'
    '</m:math>?</p><p><textEntryInteraction responseIdentifier="RESPONSE"/></p>',
    "<responseProcessing><responseCondition><responseIf><equal toleranceMode=\"absolute\" tolerance=\"0.01 0.01\">"
    '<variable identifier="RESPONSE"/><correct identifier="RESPONSE"/></equal><setOutcomeValue identifier="SCORE">'
    '<baseValue baseType="float">2</baseValue></setOutcomeValue></responseIf></responseCondition></responseProcessing>',
)  # fmt: skip
_CUSTOM = item(
    "custom",
    declared(),
    '<choiceInteraction responseIdentifier="RESPONSE" shuffle="false" maxChoices="1"><prompt><![CDATA[<b>2 + 2</b> =]]>'
    f"</prompt>{choices('3', '4')}</choiceInteraction>",
    '<responseProcessing><responseCondition><responseIf><match><variable identifier="RESPONSE"/><baseValue'
    ' baseType="identifier">C2</baseValue></match><setOutcomeValue identifier="SCORE"><baseValue baseType="float">1'
    "</baseValue></setOutcomeValue></responseIf></responseCondition></responseProcessing>",
)
_ESSAY = item(
    "essay",
    declared(base="string"),
    '<p>Prove it.</p><extendedTextInteraction responseIdentifier="RESPONSE" expectedLines="9"/>'
    '<rubricBlock view="scorer tutor"><p>By contradiction.</p></rubricBlock>',
    "",
)
_FEEDBACK = item(
    "feedback",
    declared("C1") + '<outcomeDeclaration identifier="FEEDBACK" cardinality="single" baseType="identifier"/>',
    '<choiceInteraction responseIdentifier="RESPONSE" shuffle="false" maxChoices="1"><prompt>2 &lt; 3?</prompt>'
    '<simpleChoice identifier="C1">Yes, it is<feedbackInline outcomeIdentifier="FEEDBACK" identifier="C1" showHide="show">'
    '   Good.</feedbackInline></simpleChoice><simpleChoice identifier="C2">Never</simpleChoice></choiceInteraction>',
    '<responseProcessing><responseCondition><responseIf><match><variable identifier="RESPONSE"/><correct identifier='
    '"RESPONSE"/></match><setOutcomeValue identifier="SCORE"><baseValue baseType="float">1</baseValue></setOutcomeValue>'
    '<setOutcomeValue identifier="MODAL"><baseValue baseType="identifier">f1</baseValue></setOutcomeValue></responseIf>'
    '<responseElse><setOutcomeValue identifier="MODAL"><baseValue baseType="identifier">f2</baseValue></setOutcomeValue>'
    "</responseElse></responseCondition></responseProcessing>"
    '<modalFeedback outcomeIdentifier="MODAL" identifier="f1" showHide="show"><p>Right!</p></modalFeedback>'
    '<modalFeedback outcomeIdentifier="MODAL" identifier="f2" showHide="show">Not so.</modalFeedback>'
    '<modalFeedback outcomeIdentifier="SOLUTIONMODAL" identifier="solution" showHide="show"><p>Count.</p></modalFeedback>',
)
_COMPOSITE = item(
    "composite",
    declared("C1", name="R1") + declared("7", base="integer", name="R2") + declared(base="string", name="R3"),
    '<p>A farm has 3 cows and 4 hens.</p><choiceInteraction responseIdentifier="R1" shuffle="false" maxChoices="1">'
    f"<prompt>What are there more of?</prompt>{choices('hens', 'cows')}</choiceInteraction>"
    '<p>How many animals? <textEntryInteraction responseIdentifier="R2"/></p>'
    '<extendedTextInteraction responseIdentifier="R3"><prompt>Explain.</prompt></extendedTextInteraction>',
)
_HOTSPOT = item(
    "hotspot",
    declared("A"),
    '<hotspotInteraction responseIdentifier="RESPONSE" maxChoices="1"><prompt>Click on Glasgow.</prompt><object'
    ' type="image/png" width="4" height="3" data="images/the%20sign.png">Map</object><hotspotChoice shape="circle"'
    ' coords="1,1,1" identifier="A"/></hotspotInteraction>',
)
_DRAWN = item(
    "drawn",
    declared(base="integer") + '<templateDeclaration identifier="A" cardinality="single" baseType="integer"/>'
    '<templateProcessing><setTemplateValue identifier="A"><randomInteger min="1" max="9"/></setTemplateValue>'
    "</templateProcessing>",
    '<p>What is <printedVariable identifier="A"/> + 1?</p><p><textEntryInteraction responseIdentifier="RESPONSE"/></p>',
)
_READ = item("read", "", "<p>Read this &amp; think.</p>", "")
_STIMULUS = """<?xml version="1.0" encoding="utf-8"?>
<qti-assessment-stimulus xmlns="http://www.imsglobal.org/xsd/imsqtiasi_v3p0" identifier="s1" title="The farm">
  <qti-stimulus-body><p>A farm has <b>3</b> cows.</p></qti-stimulus-body>
</qti-assessment-stimulus>
"""
_THREE = """<?xml version="1.0" encoding="utf-8"?>
<qti-assessment-item xmlns="http://www.imsglobal.org/xsd/imsqtiasi_v3p0" identifier="{name}" title="{name}"
    adaptive="false" time-dependent="false" xml:lang="en">
  <qti-response-declaration identifier="RESPONSE" cardinality="{cardinality}" base-type="identifier">
    <qti-correct-response>{correct}</qti-correct-response></qti-response-declaration>
  <qti-outcome-declaration identifier="SCORE" cardinality="single" base-type="float" normal-maximum="3"/>
  <qti-assessment-stimulus-ref identifier="s1" href="../stimuli/S1.xml" title="Farm"/>
  <qti-item-body>
    <qti-choice-interaction response-identifier="RESPONSE" max-choices="{most}" class="qti-orientation-vertical">
      <qti-prompt>{prompt}</qti-prompt>
      <qti-simple-choice identifier="A" fixed="true">three</qti-simple-choice>
      <qti-simple-choice identifier="B">four<qti-feedback-inline outcome-identifier="F" show-hide="show"
        identifier="B">No</qti-feedback-inline></qti-simple-choice>
    </qti-choice-interaction>
  </qti-item-body>
  <qti-response-processing template="https://purl.imsglobal.org/spec/qti/v3p0/rptemplates/match_correct.xml"/>
</qti-assessment-item>
"""
COWS = _THREE.format(
    name="cows", cardinality="single", correct="<qti-value>A</qti-value>", most=1, prompt="How many cows?"
)
LEGS = _THREE.format(
    name="legs", cardinality="multiple", correct="<qti-value>A</qti-value><qti-value>B</qti-value>", most=0,
    prompt="How many <i>legs</i> can a table have?",
)  # fmt: skip
ITEMS = {
    "luggage": _LUGGAGE, "water": _WATER, "wahr": _TRUE, "grandprix": _ORDER, "shakespeare": _MATCH, "drag": _SWAPPED,
    "many": _MANY, "rivals": _ASSOCIATE, "gaps": _GAP_MATCH, "york": _ENTRY, "inline": _INLINE, "pi": _NUMBER,
    "custom": _CUSTOM, "essay": _ESSAY, "feedback": _FEEDBACK, "composite": _COMPOSITE, "hotspot": _HOTSPOT,
    "drawn": _DRAWN, "read": _READ,
}  # fmt: skip
_METADATA = (
    "<metadata><imsmd:lom><imsmd:general><imsmd:title><imsmd:langstring>Bags</imsmd:langstring></imsmd:title>"
    "<imsmd:keyword><imsmd:langstring xml:lang=\"en\">signs</imsmd:langstring></imsmd:keyword></imsmd:general>"
    "<imsmd:educational><imsmd:difficulty><imsmd:source/><imsmd:value><imsmd:langstring>easy</imsmd:langstring>"
    "</imsmd:value></imsmd:difficulty></imsmd:educational></imsmd:lom></metadata>"
)  # fmt: skip


def manifest(
    paths: Mapping[str, str], kind: str = "imsqti_item_xmlv2p1", more: str = "", metadata: str = _METADATA
) -> str:
    resources = "".join(
        f'<resource identifier="{name}" type="{kind}" href="{path}">{metadata if not place else ""}<file href="{path}"/></resource>\n'
        for place, (name, path) in enumerate(paths.items())
    )
    return (
        '<?xml version="1.0"?><manifest xmlns="http://www.imsglobal.org/xsd/imscp_v1p1" identifier="m"'
        ' xmlns:imsmd="http://www.imsglobal.org/xsd/imsmd_v1p2"><metadata><schema>QTIv2.1 Package</schema></metadata>'
        f"<organizations/><resources>{resources}{more}</resources></manifest>"
    )


TEST = (
    f'<assessmentTest xmlns="http://www.imsglobal.org/xsd/imsqti_v2p1" {_XSI} identifier="t" title="Test"><testPart'
    ' identifier="p" navigationMode="linear" submissionMode="individual"><assessmentSection identifier="s" title="Signs &gt; 1"'
    ' visible="true"><assessmentItemRef identifier="r1" href="items/luggage.xml"/></assessmentSection><assessmentSection'
    ' identifier="s2" title="Section 2" visible="true"><rubricBlock view="candidate"><p>Water is wet.</p></rubricBlock>'
    '<assessmentItemRef identifier="r2" href="items/water.xml"/></assessmentSection></testPart></assessmentTest>'
)


def archive(files: Mapping[str, str | bytes]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as packed:
        for name, data in files.items():
            packed.writestr(name, data)
    return stream.getvalue()


def package(items: Mapping[str, str] = ITEMS, **more: str | bytes) -> bytes:
    """A package of QTI 2, whose manifest names its files in capitals of its own."""
    paths = {name: f"Items/{name}.xml" for name in items}
    test = '<resource identifier="test" type="imsqti_test_xmlv2p1" href="test.xml"><file href="test.xml"/></resource>'
    files = {f"items/{name}.xml": data for name, data in items.items()}
    return archive(
        {
            "imsmanifest.xml": manifest(paths, more=test),
            "test.xml": TEST,
            **files,
            "items/images/the sign.png": SIGN,
            **more,
        }
    )


def package_of_three() -> bytes:
    """A package of QTI 3 whose items share a text."""
    paths = {"cows": "items/cows.xml", "legs": "items/legs.xml"}
    return archive(
        {"imsmanifest.xml": manifest(paths, "imsqti_item_xmlv3p0", metadata=""), "items/cows.xml": COWS,
         "items/legs.xml": LEGS, "stimuli/s1.xml": _STIMULUS}
    )  # fmt: skip
