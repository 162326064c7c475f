# ruff: noqa: E501 - content models on a line each
"""What the schemas of QTI 2.1, 2.2 and 3.0 and of content packages 1.1/1.2 demand of what we write.

No Python package carries the schemas; these are their rules from the specifications: content models as regular
expressions over the names of children, required attributes and their values, what is declared before it is used, and
that manifest, test, items and files name each other. Names of version 3 are read as those of 2.
"""

from __future__ import annotations

import posixpath
import re
import zipfile
from collections import Counter
from collections.abc import Iterator
from urllib.parse import unquote
from xml.etree.ElementTree import Element

from defusedxml.ElementTree import fromstring

from questionbank.formats.qti.metadata import VERSIONS, attribute_name, element_name

EXPRESSION = (
    "(?:variable|correct|baseValue|mapResponse|match|equal|equalRounded|stringMatch|member|contains|and|or|not|isNull|sum|product"
    "|subtract|divide|multiple|ordered|gte|gt|lte|lt|null|substring|patternMatch|fieldValue|index|anyN|roundTo|mapResponsePoint)"
)
_RULE = "(?:setOutcomeValue|responseCondition|lookupOutcomeValue|exitResponse|responseProcessingFragment)"
_PRE = "preCondition* branchRule* itemSessionControl? timeLimits?"
MODELS = {
    "assessmentItem": "responseDeclaration* outcomeDeclaration* templateDeclaration* templateProcessing? assessmentStimulusRef* stylesheet* itemBody? responseProcessing? modalFeedback*",
    "responseDeclaration": "defaultValue? correctResponse? mapping? areaMapping?", "outcomeDeclaration": "defaultValue? matchTable?",
    "correctResponse": "value+", "defaultValue": "value+", "mapping": "mapEntry+", "value": "", "mapEntry": "",
    "choiceInteraction": "prompt? simpleChoice+", "orderInteraction": "prompt? simpleChoice+", "matchInteraction": "prompt? simpleMatchSet simpleMatchSet",
    "simpleMatchSet": "simpleAssociableChoice*", "inlineChoiceInteraction": "inlineChoice+", "extendedTextInteraction": "prompt?",
    "uploadInteraction": "prompt?", "textEntryInteraction": "", "responseProcessing": f"{_RULE}*",
    "responseCondition": "responseIf responseElseIf* responseElse?", "responseIf": f"{EXPRESSION} {_RULE}*", "responseElseIf": f"{EXPRESSION} {_RULE}*",
    "responseElse": f"{_RULE}*", "setOutcomeValue": EXPRESSION, "not": EXPRESSION, "isNull": EXPRESSION, "baseValue": "", "variable": "", "correct": "",
    "mapResponse": "", "match": f"{EXPRESSION} {EXPRESSION}", "equal": f"{EXPRESSION} {EXPRESSION}", "stringMatch": f"{EXPRESSION} {EXPRESSION}",
    "member": f"{EXPRESSION} {EXPRESSION}", "sum": f"{EXPRESSION}+", "product": f"{EXPRESSION}+", "and": f"{EXPRESSION}+", "or": f"{EXPRESSION}+",
    "gte": f"{EXPRESSION} {EXPRESSION}", "gt": f"{EXPRESSION} {EXPRESSION}", "lt": f"{EXPRESSION} {EXPRESSION}",
    "assessmentTest": "outcomeDeclaration* timeLimits? stylesheet* testPart+ outcomeProcessing? testFeedback*",
    "testPart": f"{_PRE} assessmentSection+ testFeedback*", "assessmentSection": f"{_PRE} selection? ordering? rubricBlock* (?:assessmentSection|assessmentItemRef|assessmentSectionRef)*",
    "assessmentItemRef": f"{_PRE} variableMapping* weight* templateDefault*", "assessmentStimulus": "stylesheet* stimulusBody",
    "manifest": "metadata? organizations resources", "resources": "resource*", "resource": "metadata? file* dependency*", "file": "metadata?", "dependency": "",
    "ul": "li*", "ol": "li*", "tr": "(?:td|th)+", "table": "caption? col* colgroup* thead? tfoot? tbody+", "thead": "tr+", "tbody": "tr+",
}  # fmt: skip
ATTRIBUTES = {  # those that must be there
    "assessmentItem": "identifier title adaptive timeDependent", "responseDeclaration": "identifier cardinality baseType",
    "outcomeDeclaration": "identifier cardinality", "choiceInteraction": "responseIdentifier shuffle maxChoices",
    "orderInteraction": "responseIdentifier shuffle", "matchInteraction": "responseIdentifier shuffle maxAssociations",
    "simpleChoice": "identifier", "simpleAssociableChoice": "identifier matchMax", "inlineChoice": "identifier",
    "inlineChoiceInteraction": "responseIdentifier shuffle", "textEntryInteraction": "responseIdentifier",
    "extendedTextInteraction": "responseIdentifier", "uploadInteraction": "responseIdentifier", "mapEntry": "mapKey mappedValue",
    "baseValue": "baseType", "variable": "identifier", "correct": "identifier", "mapResponse": "identifier", "setOutcomeValue": "identifier",
    "modalFeedback": "outcomeIdentifier identifier showHide", "feedbackInline": "outcomeIdentifier identifier showHide", "rubricBlock": "view",
    "img": "src alt", "equal": "toleranceMode", "stringMatch": "caseSensitive", "assessmentStimulusRef": "identifier href",
    "assessmentTest": "identifier title", "testPart": "identifier navigationMode submissionMode", "assessmentSection": "identifier title visible",
    "assessmentItemRef": "identifier href", "assessmentStimulus": "identifier title", "manifest": "identifier", "resource": "identifier type",
    "file": "href", "dependency": "identifierref", "a": "href",
}  # fmt: skip
_BOOLEAN = {"true", "false"}
VALUES = {
    "cardinality": {"single", "multiple", "ordered", "record"}, "showHide": {"show", "hide"}, "shuffle": _BOOLEAN, "adaptive": _BOOLEAN,
    "baseType": {"identifier", "boolean", "integer", "float", "string", "point", "pair", "directedPair", "duration", "file", "uri"},
    "timeDependent": _BOOLEAN, "caseSensitive": _BOOLEAN, "visible": _BOOLEAN, "toleranceMode": {"exact", "absolute", "relative"},
    "navigationMode": {"linear", "nonlinear"}, "submissionMode": {"individual", "simultaneous"},
    "view": {"author", "candidate", "proctor", "scorer", "testConstructor", "tutor"},
}  # fmt: skip
ANSWERED = {  # interaction -> base types and cardinalities that the specification binds it to
    "choiceInteraction": ("identifier", "single multiple"), "orderInteraction": ("identifier", "ordered"),
    "matchInteraction": ("directedPair", "single multiple"), "inlineChoiceInteraction": ("identifier", "single"),
    "textEntryInteraction": ("string integer float", "single"), "extendedTextInteraction": ("string integer float", "single multiple ordered"),
    "uploadInteraction": ("file", "single"),
}  # fmt: skip
_INLINE = {
    *"a abbr b br cite code dfn em feedbackInline i img inlineChoiceInteraction kbd math object printedVariable q samp small span strong sub sup textEntryInteraction tt var".split()
}
_BLOCK = {
    *"p div ul ol dl table blockquote h1 h2 h3 h4 h5 h6 hr pre rubricBlock feedbackBlock math choiceInteraction orderInteraction matchInteraction extendedTextInteraction uploadInteraction".split()
}
_STATIC = (_INLINE | _BLOCK) - {name for name in _INLINE | _BLOCK if name.endswith("Interaction")} - {"rubricBlock"}
INSIDE = {  # what may stand right in an element
    "itemBody": _BLOCK, "p": _INLINE, "prompt": _STATIC & (_INLINE | {"math"}), "simpleChoice": _STATIC, "simpleAssociableChoice": _STATIC,
    "inlineChoice": {"feedbackInline", "printedVariable", "math"}, "modalFeedback": _STATIC | {"contentBody"}, "feedbackInline": _STATIC & _INLINE, "rubricBlock": _STATIC | {"contentBody"},
    "stimulusBody": _STATIC, "strong": _INLINE, "em": _INLINE, "h1": _INLINE, "li": _INLINE | _BLOCK, "td": _INLINE | _BLOCK,
}  # fmt: skip
_NO_TEXT = {name for name, model in MODELS.items() if model and name not in ("value",)} | {"itemBody"}
_IDENTIFIER = re.compile(r"[^\W\d][\w.-]*")
_MATHML = "{http://www.w3.org/1998/Math/MathML}"
_CP = {
    "imscp": "http://www.imsglobal.org/xsd/imscp_v1p1",
    "qti3": "http://www.imsglobal.org/xsd/qti/qtiv3p0/imscp_v1p1",
}


def name_of(node: Element) -> str:
    return element_name(node.tag.rpartition("}")[2])


def attributes_of(node: Element) -> dict[str, str]:
    return {attribute_name(key): value for key, value in node.attrib.items()}


def nodes_of(root: Element) -> Iterator[Element]:
    """Every element of a document that is no MathML nor metadata."""
    yield root
    for child in root:
        if child.tag.startswith(_MATHML):
            yield child
        elif not child.tag.endswith("}lom"):
            yield from nodes_of(child)


def structure_faults(root: Element) -> Iterator[str]:
    """Order and number of children, required attributes and their values, text where none may stand, double ids."""
    for node in nodes_of(root):
        name, attributes = name_of(node), attributes_of(node)
        children = [name_of(child) for child in node]
        model = MODELS.get(name)
        if model is not None and not re.fullmatch(_pattern(model), "".join(f"{child} " for child in children)):
            yield f"{name} holds {' '.join(children)[:200]}, not {model}"
        if missing := {*ATTRIBUTES.get(name, "").split()} - {*attributes}:
            yield f"{name} lacks {missing}"
        for key, value in attributes.items():
            if key in VALUES and not {*value.split()} <= VALUES[key]:
                yield f"{name} has {key}={value!r}"
            is_free = (  # a string there
                key == "identifier"
                and name in ("assessmentItem", "assessmentTest")
                and node.tag.rpartition("}")[2] != "qti-assessment-item"
            )
            if (
                not is_free
                and key in ("identifier", "responseIdentifier", "outcomeIdentifier", "identifierref")
                and not _IDENTIFIER.fullmatch(value)
            ):
                yield f"{name} has {key}={value!r}, which is no identifier"
        if name in INSIDE and (wrong := {*children} - INSIDE[name]):
            yield f"{wrong} in {name}"
        texts = [node.text or "", *(child.tail or "" for child in node)]
        if name in _NO_TEXT and "".join(texts).strip():
            yield f"text stands right in {name}"
    ids = Counter(node.get("id") for node in root.iter() if node.get("id"))
    yield from (f"the id {one} stands {count} times" for one, count in ids.items() if count > 1)


def _pattern(model: str) -> str:
    """A content model as a regular expression over names, each with a blank behind it."""
    pieces = re.findall(r"(\(\?:[^()]*\)|[A-Za-z]+)([*+?]?)", model)
    return "".join(f"(?:(?:{names.removeprefix('(?:').removesuffix(')')}) ){how}" for names, how in pieces)


def item_faults(data: bytes, namespace: str = "") -> list[str]:
    """What of an item breaks the rules: its structure, namespaces, and what it uses but does not declare."""
    root = fromstring(data)
    found = [*structure_faults(root)]
    own = root.tag.partition("}")[0][1:]
    if (namespace and own != namespace) or "imsqti" not in own:
        found.append(f"the namespace is {own}")
    location = root.get("{http://www.w3.org/2001/XMLSchema-instance}schemaLocation", "").split()
    if own not in location[::2]:
        found.append(f"schemaLocation does not name {own}")
    nodes = [(name_of(node), attributes_of(node), node) for node in nodes_of(root)]
    found += [
        f"{node.tag} stands in another namespace"
        for _name, _a, node in nodes
        if not node.tag.startswith((f"{{{own}}}", _MATHML))
    ]
    responses = {a["identifier"]: (a, node) for name, a, node in nodes if name == "responseDeclaration"}
    outcomes = {a["identifier"]: a for name, a, _node in nodes if name == "outcomeDeclaration"}
    declared = [*responses, *outcomes]
    if len(declared) != len({*declared}):
        found.append("an identifier is declared twice")
    found += _answers(nodes, responses)
    for name, a, _node in nodes:
        if name == "variable" and a["identifier"] not in declared:
            found.append(f"{a['identifier']} is not declared")
        if name in ("correct", "mapResponse"):
            need = "correctResponse" if name == "correct" else "mapping"
            of = responses.get(a["identifier"])
            if of is None or need not in map(name_of, of[1]):
                found.append(f"{name} asks {a['identifier']}, which has no {need}")
        if name == "setOutcomeValue" and a["identifier"] not in outcomes:
            found.append(f"the outcome {a['identifier']} is not declared")
        if "outcomeIdentifier" in a and outcomes.get(a["outcomeIdentifier"], {}).get("baseType") != "identifier":
            found.append(f"the outcome {a['outcomeIdentifier']} is no declared identifier")
        if name == "responseProcessing" and (template := a.get("template", "")):
            need = "mapping" if "map_response" in template else "correctResponse"
            of = responses.get("RESPONSE")
            if of is None or need not in map(name_of, of[1]) or "SCORE" not in outcomes:
                found.append(f"the template {template} asks RESPONSE for a {need} and sets SCORE")
    return found


def _answers(
    nodes: list[tuple[str, dict[str, str], Element]], responses: dict[str, tuple[dict[str, str], Element]]
) -> Iterator[str]:
    """Yield what is wrong between interactions, their choices and what is declared right."""
    asked = Counter(a["responseIdentifier"] for _name, a, _node in nodes if "responseIdentifier" in a)
    if asked.keys() != responses.keys() or any(count > 1 for count in asked.values()):
        yield f"asked for are {dict(asked)}, declared {[*responses]}"
    for name, a, node in nodes:
        if name not in ANSWERED or a.get("responseIdentifier") not in responses:
            continue
        declared, response = responses[a["responseIdentifier"]]
        types, cardinalities = ANSWERED[name]
        if declared["baseType"] not in types.split() or declared["cardinality"] not in cardinalities.split():
            yield f"{name} is answered by {declared}"
        choices = [
            attributes_of(one)["identifier"]
            for one in node.iter()
            if name_of(one).endswith("Choice") and one is not node
        ]
        if len(choices) != len({*choices}):
            yield f"two choices of {name} have the same identifier"
        values = [(one.text or "").strip() for part in response if name_of(part) == "correctResponse" for one in part]
        keys = [attributes_of(one)["mapKey"] for part in response if name_of(part) == "mapping" for one in part]
        if declared["cardinality"] == "single" and len(values) > 1:
            yield f"one answer is asked for, {values} are right"
        if name == "choiceInteraction" and (a["maxChoices"] == "1") != (declared["cardinality"] == "single"):
            yield f"maxChoices is {a['maxChoices']} of a {declared['cardinality']} response"
        if declared["baseType"] in ("identifier", "directedPair"):
            wrong = {one for value in [*values, *keys] for one in value.split()} - {*choices}
            if wrong:
                yield f"{wrong} are no choices of {name}"
        if declared["baseType"] in ("float", "integer"):
            wrong = {
                one for one in [*values, *keys] if not re.fullmatch(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?", one)
            }
            if wrong:
                yield f"{wrong} are no numbers"
        if declared["baseType"] == "directedPair" and any(len(value.split()) != 2 for value in [*values, *keys]):
            yield f"{values} are no pairs"
        if len(keys) != len({*keys}):
            yield f"{keys} are mapped twice"


def package_faults(packed: zipfile.ZipFile, version: str, *, own: bool = True) -> list[str]:
    """What of a package breaks the rules: manifest, test, items, and what they name.

    Args:
        own: whether all items are ours; others are as their systems wrote them.
    """
    found: list[str] = []
    names = packed.namelist()
    if len(names) != len({one.casefold() for one in names}):
        found.append("two files have the same name but for capitals")
    root = fromstring(packed.read("imsmanifest.xml"))
    found += structure_faults(root)
    if root.tag != f"{{{_CP['qti3' if version == 'qti3' else 'imscp']}}}manifest":
        found.append(f"the manifest is {root.tag}")
    stated = [(name_of(one), one.text) for one in root[0]]
    if [name for name, _text in stated[:2]] != ["schema", "schemaversion"] or not all(text for _name, text in stated):
        found.append(f"the manifest says {stated}")
    resources = [node for node in root.iter() if name_of(node) == "resource"]
    identifiers = [node.get("identifier") for node in (root, *resources)]
    if len(identifiers) != len({*identifiers}):
        found.append("two resources have the same identifier")
    listed: set[str] = set()
    for resource in resources:
        files = [unquote(one.get("href", "")) for one in resource if name_of(one) == "file"]
        listed |= {*files}
        if unquote(resource.get("href", "")) not in files:
            found.append(f"{resource.get('identifier')} does not list its own file")
        if not re.fullmatch(rf"imsqti_(?:item|test)_xml{VERSIONS[version].resource}", resource.get("type", "")):
            found.append(f"a resource has the type {resource.get('type')}")
        wanted = {one.get("identifierref") for one in resource if name_of(one) == "dependency"}
        found += [f"no resource {one}" for one in wanted - {*identifiers}]
    if listed != {*names} - {"imsmanifest.xml"}:
        found.append(
            f"listed but missing {listed - {*names}}, there but not listed {({*names} - listed) - {'imsmanifest.xml'}}"
        )
    test = fromstring(packed.read("test.xml"))
    found += structure_faults(test)
    refs = [node for node in test.iter() if name_of(node) == "assessmentItemRef"]
    hrefs = {unquote(node.get("href", "")) for node in refs}
    items = {unquote(one.get("href", "")) for one in resources if "_item_" in one.get("type", "")}
    if hrefs != items or len(refs) != len(hrefs):
        found.append(f"the test names {hrefs ^ items} alone")
    parts = Counter(a["identifier"] for node in nodes_of(test) if "identifier" in (a := attributes_of(node)))
    found += [f"{one} stands twice in the test" for one, count in parts.items() if count > 1]
    for path in items:
        data = packed.read(path)
        if own:
            found += [f"{path}: {fault}" for fault in item_faults(data)]
        found += [
            f"{path} names {one}, which is not there" for one in _named(fromstring(data), path) if one not in names
        ]
    return found


def _named(root: Element, path: str) -> Iterator[str]:
    """Yield the files that an item names: pictures, objects, stimuli, style sheets."""
    for node in nodes_of(root):
        a, name = attributes_of(node), name_of(node)
        address = a.get(
            {"img": "src", "object": "data", "assessmentStimulusRef": "href", "stylesheet": "href"}.get(name, "?"), ""
        )
        if address and "://" not in address and not address.startswith("data:"):
            yield posixpath.normpath(posixpath.join(posixpath.dirname(path), unquote(address)))
