"""A manifest's metadata of an item (Learning Object Metadata, IEEE 1484.12), and its other context in a package."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field, fields

from analytics.records import ConceptPath, ObservedFigures, PredictedLabels, QuestionRecord
from questionbank.formats.fields import concept_path, exported_path
from questionbank.formats.qti.words import CATALOG, LOM
from questionbank.formats.scales import scale_percent
from questionbank.formats.written_numbers import finite_number
from questionbank.formats.xml_nodes import BadXml, Node, as_utf8, parse
from questionbank.formats.xml_writing import Markup, element

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
    """Return an item's manifest metadata without the figures of responses, which are counted where they come from."""
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
