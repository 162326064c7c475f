"""Contents of a QTI package: the items that its manifest and tests refer to, and what both state about them."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from urllib.parse import unquote

from questionbank.formats.archives import Members
from questionbank.formats.limits import CONCEPT_NAME_LIMIT, HEADING_LIMIT
from questionbank.formats.qti.metadata import MANIFEST, SECTIONED, TOOL, Around, without_observed
from questionbank.formats.qti.texts import qti_tree
from questionbank.formats.xml_nodes import BadXml, Node, as_utf8, parse

_ITEM = re.compile(rb"<(?:[\w.-]+:)?(?:assessmentItem|qti-assessment-item)[\s>]")
_TEST = re.compile(rb"<(?:[\w.-]+:)?(?:assessmentTest|assessmentSection|qti-assessment-(?:test|section))[\s>]")
_LARGEST = 400_000  # elements of a manifest, not counting metadata
_PLAIN_TITLE = re.compile(
    r"(?:(?:assessment[ _-]?)?(?:questions|fragen|test|section|abschnitt|sektion|test ?part|part|teil|partie)"
    r"[ _-]*\d*|\d+)?",
    re.IGNORECASE,
)
_SIGNS = str.maketrans(">;", "＞；")


@dataclass(slots=True)
class Listed:
    """An item of a package.

    Attributes:
        around: what the package states about it.
        files: paths of its files.
        lost: rules in its test that are not kept.
    """

    around: Around
    files: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()


@dataclass(slots=True)
class Contents:
    """Contents of a package.

    Attributes:
        missing: path of each missing item or test -> what refers to it.
        faults: parts of a test that cannot be read.
        lost: rules of tests, parts and sections that are not kept, as in "section “Sums” shuffles its questions".
    """

    items: list[Listed] = field(default_factory=list)
    missing: dict[str, str] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)
    tests: int = 0


def manifest_folder(names: Sequence[str]) -> str | None:
    """Return the folder of the manifest in an archive, "" for the root; None if there is no manifest."""
    found = [name for name in names if name.rpartition("/")[2].lower() == MANIFEST]
    return posixpath.dirname(min(found, key=len)) if found else None


def is_item(beginning: bytes) -> bool:
    """Return whether a file is an item, by its beginning."""
    return _ITEM.search(beginning.replace(b"\0", b"")) is not None


def contents(members: Members, names: Sequence[str], *, has_manifest: bool) -> Contents:
    """Return the contents of a package.

    Raises:
        BadXml: its manifest cannot be read.
    """
    found = Contents()
    resources = _resources(members) if has_manifest else [_Resource("", name) for name in names]
    by_identifier = {resource.identifier: resource for resource in resources if resource.identifier}
    listed: dict[str, Listed] = {}
    tests: list[str] = []
    looked_at: set[str] = set()
    for resource in resources:
        if not resource.path.lower().endswith((".xml", ".qti")) and "item" not in resource.kind:
            continue
        name = members.name(resource.path)
        if not name:
            if "item" in resource.kind or "test" in resource.kind:
                found.missing.setdefault(resource.path, "its manifest")
            continue
        if name in looked_at:
            continue
        looked_at.add(name)
        beginning = members.beginning(resource.path)
        if is_item(beginning):
            files = tuple(dict.fromkeys(_files(resource, by_identifier, set())))
            listed.setdefault(name, Listed(Around(resource.path, without_observed(resource.metadata)), files))
        elif _TEST.search(beginning.replace(b"\0", b"")):
            tests.append(resource.path)
    in_order: dict[str, Listed] = {}
    for path in dict.fromkeys(tests):
        _read_test(path, members, listed, in_order, found)
    found.items = [*(in_order | listed).values()]
    return found


@dataclass(slots=True)
class _Resource:
    identifier: str
    path: str
    kind: str = ""
    metadata: str = ""
    files: tuple[str, ...] = ()
    dependencies: tuple[str, ...] = ()


def _resources(members: Members) -> list[_Resource]:
    data = as_utf8(members.read(MANIFEST) or b"")
    root = parse(data, kept_whole=("metadata",), elements_limit=_LARGEST)
    found = []
    for resources in root.children("resources"):
        for node in resources.children("resource"):
            base = posixpath.join(root.get("xml:base"), resources.get("xml:base"), node.get("xml:base"))
            files = [posixpath.join(base, file.get("href")) for file in node.children("file")]
            path = node.get("href") or (node.children("file")[0].get("href") if files else "")
            metadata = node.find("metadata")
            found.append(
                _Resource(
                    node.get("identifier"),
                    posixpath.join(base, path),
                    node.get("type").lower(),
                    _with_spaces(data, metadata).decode() if metadata is not None else "",
                    tuple(files),
                    tuple(child.get("identifierref") for child in node.children("dependency")),
                )
            )
    return found


def _with_spaces(data: bytes, node: Node, *, has_default: bool = True) -> bytes:
    """Return an element with added declarations of the namespace prefixes it inherits.

    Args:
        has_default: whether to declare the default namespace too.
    """
    piece = data[node.start : node.end]
    tag = data[node.start : node.inner]
    needed = "".join(
        f' {name}="{value}"'
        for name, value in node.spaces.items()
        if f"{name}=".encode() not in tag and (has_default if name == "xmlns" else f"{name[6:]}:".encode() in piece)
    ).encode()
    name = re.match(rb"<[\w:.-]+", piece)
    return piece[: name.end()] + needed + piece[name.end() :] if name and node.inner != node.end else b""


def _files(resource: _Resource, by_identifier: dict[str, _Resource], seen: set[str]) -> Iterator[str]:
    yield from (path for path in resource.files if path != resource.path)
    for identifier in resource.dependencies:
        other = by_identifier.get(identifier)
        if other is not None and identifier not in seen:
            seen.add(identifier)
            yield from other.files or (other.path,)
            yield from _files(other, by_identifier, seen)


# -- tests ---------------------------------------------------------------------------------------------------------


def _read_test(
    path: str, members: Members, listed: dict[str, Listed], in_order: dict[str, Listed], found: Contents
) -> None:
    try:
        data = as_utf8(members.read(path) or b"")
        root = qti_tree(data)
    except BadXml as error:
        found.faults.append(f"the test {path.rpartition('/')[2][:60]!r} {error}; its sections are not read")
        return
    found.tests += 1
    reading = _Test(members, listed, in_order, found)
    place = _Place(_names(root, ()), is_ours=root.get("toolName") == TOOL)
    reading.section(root, data, posixpath.dirname(path), place)


@dataclass(frozen=True, slots=True)
class _Place:
    path: tuple[str, ...]
    shared: tuple[str, ...] = ()
    section: str = ""
    is_ours: bool = False

    def inside(self, node: Node) -> _Place:
        """Return the place inside a section or part of a test."""
        path = _names(node, self.path)
        return replace(self, path=path, section=path[-1] if path != self.path else self.section)

    def section_of(self, ref: Node) -> str:
        """Return an item's section; in our own tests, sections are concepts unless the item is marked otherwise."""
        is_section = not self.is_ours or SECTIONED in ref.get("category").split()
        return self.section[:HEADING_LIMIT] if is_section else ""


def _names(node: Node, around: tuple[str, ...]) -> tuple[str, ...]:
    """Return a section's concept path below that of its parent; generic titles do not count."""
    title = " ".join(node.get("title").translate(_SIGNS).split())[:CONCEPT_NAME_LIMIT]
    if node.name == "testPart" or _PLAIN_TITLE.fullmatch(title) or title == node.get("identifier") or title in around:
        return around
    return (*around, title)


_TIMING = ("itemSessionControl", "timeLimits", "weight")
_KINDS = {"testPart": "part", "assessmentSection": "section"}
_RULES = {
    "timeLimits": "limits the time",
    "ordering": "shuffles its questions",
    "selection": "draws some of its questions",
    "itemSessionControl": "says how often students may answer and what they see then",
    "preCondition": "is only shown under a condition",
    "branchRule": "jumps to other questions depending on the answers",
}


def _rules(node: Node, kind: str, kept: frozenset[str] = frozenset()) -> Iterator[str]:
    """Yield the delivery rules of a test, a part, a section or an item, except those that are kept."""
    named = f"{kind} “{(node.get('title') or node.get('identifier'))[:60]}” " if kind else ""
    for rule in node.children(*(name for name in _RULES if name not in kept)):
        if rule.name == "ordering" and rule.get("shuffle") != "true":
            continue
        longest = f" to {rule.get('maxTime')} seconds" if rule.get("maxTime") else ""
        yield f"{named}{_RULES[rule.name]}{longest}"


@dataclass(slots=True)
class _Test:
    members: Members
    listed: dict[str, Listed]
    in_order: dict[str, Listed]
    found: Contents
    seen: set[str] = field(default_factory=set)  # files of sections; each is read once

    def section(self, node: Node, data: bytes, folder: str, place: _Place) -> None:
        """Record the items of a test, a part or a section."""
        rubrics = tuple(
            _with_spaces(data, rubric, has_default=False).decode()
            for rubric in node.children("rubricBlock")
            if "candidate" in rubric.get("view", "candidate").split()
        )
        inner = replace(place, shared=(*place.shared, *rubrics))
        self.found.lost += _rules(node, _KINDS.get(node.name, "test"))
        for child in node.children():
            if child.name in ("testPart", "assessmentSection"):
                self.section(child, data, folder, inner.inside(child))
            elif child.name == "assessmentSectionRef":
                self._other_file(child, folder, inner)
            elif child.name == "assessmentItemRef":
                self._item(child, data, folder, inner)

    def _other_file(self, ref: Node, folder: str, place: _Place) -> None:
        path = posixpath.join(folder, unquote(ref.get("href")))
        name = self.members.name(path)
        data = self.members.read(path) if name not in self.seen else None
        if not name:
            self.found.missing.setdefault(path, "its test")
        self.seen.add(name)
        if data is None:
            return
        try:
            utf8 = as_utf8(data)
            root = qti_tree(utf8)
        except BadXml as error:
            self.found.faults.append(f"the section {path[:60]!r} {error}; it is not read")
            return
        self.section(root, utf8, posixpath.dirname(path), place.inside(root))

    def _item(self, ref: Node, data: bytes, folder: str, place: _Place) -> None:
        path = posixpath.normpath(posixpath.join(folder, ref.get("href")))
        name = self.members.name(path)
        if not name:
            self.found.missing.setdefault(path, "its test")
            return
        item = self.listed.setdefault(name, Listed(Around(path)))
        if name not in self.in_order:
            self.in_order[name] = item
            kept = [child for child in ref.children(*_TIMING) if b":" not in data[child.start : child.inner]]
            timing = b"".join(data[child.start : child.end] for child in kept).decode()
            item.around = replace(item.around, shared=place.shared, timing=timing, section=place.section_of(ref))
            item.lost = tuple(_rules(ref, "", frozenset(child.name for child in kept)))
        if place.path and place.path not in item.around.concepts:
            item.around = replace(item.around, concepts=(*item.around.concepts, place.path))
