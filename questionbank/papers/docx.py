"""Read DOCX: the package's other parts, and the text with the help of `questionbank.papers.word`."""

from __future__ import annotations

from collections.abc import Iterator
from posixpath import dirname, join, normpath
from typing import Any
from xml.etree import ElementTree as ET  # for writing only; input is parsed by defusedxml

from questionbank.core.errors import DocumentRefused
from questionbank.papers.blocks import BlockReader
from questionbank.papers.packages import DAMAGED, PAGES_LIMIT, Package, picture_name
from questionbank.papers.pandoc import document_blocks
from questionbank.papers.paragraphs import Paragraph
from questionbank.papers.source import CHANGED, ELSEWHERE, Source, counted, title_paragraphs
from questionbank.papers.word import WordFacts, WordText
from questionbank.papers.word_numbering import Counters, Styles

_RELATIONSHIPS = "{http://schemas.openxmlformats.org/package/2006/relationships}"
_PROPERTIES = "{http://schemas.openxmlformats.org/officeDocument/2006/extended-properties}"


def read_docx(package: Package) -> Source:
    """Return the paragraphs and pictures of a Word document.

    Raises:
        DocumentRefused: If the document is damaged or too long.
    """
    body = _body_name(package)
    _check_pages(package)
    folder = dirname(body)
    relations = _relations(package, join(folder, "_rels", f"{body.rpartition('/')[2]}.rels"))
    kept = package.pictures(f"{folder}/media/")
    pictures = {picture_name(name): data for name, data in kept.items()}
    by_id = {
        name: picture_name(target)
        for name, (target, is_external) in relations.items()
        if not is_external and target.rpartition("media/")[2] in kept
    }
    root = package.xml(body)
    if root is None:
        raise DocumentRefused(DAMAGED)
    styles_root = package.xml(join(folder, "styles.xml"))
    word = WordText(
        Styles(styles_root),
        Counters(package.xml(join(folder, "numbering.xml"))),
        by_id,
        frozenset(name for name, (_target, is_external) in relations.items() if is_external),
    )
    word.rewrite(root)
    parts = {body: ET.tostring(root, encoding="utf-8", xml_declaration=True)}
    if styles_root is not None:
        parts[join(folder, "styles.xml")] = ET.tostring(styles_root, encoding="utf-8", xml_declaration=True)
    meta, blocks = document_blocks(package.with_parts(parts, without=f"{folder}/media/"), "docx")
    reader = BlockReader(lambda address: picture_name(address) if picture_name(address) in pictures else "")
    paragraphs: list[Paragraph] = [*title_paragraphs(reader, meta), *reader.paragraphs(blocks)]
    has_macros = any(name.lower().endswith("vbaproject.bin") for name in package.names)
    return Source(
        paragraphs,
        pictures,
        [*_notices(word.facts, has_macros=has_macros)],
        lost_pictures=reader.lost_pictures,
        picture_widths=reader.picture_widths,
    )


def _body_name(package: Package) -> str:
    root = package.xml("_rels/.rels")
    for relation in root if root is not None else ():
        if (relation.get("Type") or "").endswith("/officeDocument"):
            name = normpath((relation.get("Target") or "").lstrip("/"))
            if name in package.names:
                return name
    return "word/document.xml"


def _relations(package: Package, name: str) -> dict[str, tuple[str, bool]]:
    """Return a part's relationships by id: the target, and whether it is outside the file."""
    root = package.xml(name)
    return {
        relation.get("Id") or "": (relation.get("Target") or "", relation.get("TargetMode") == "External")
        for relation in (root.iter(f"{_RELATIONSHIPS}Relationship") if root is not None else ())
    }


def _check_pages(package: Package) -> None:
    root: Any = package.xml("docProps/app.xml")
    pages = (root.findtext(f"{_PROPERTIES}Pages") if root is not None else "") or ""
    if pages.isdigit() and int(pages) > PAGES_LIMIT:
        raise DocumentRefused(
            f"The document has {int(pages):,} pages, more than {PAGES_LIMIT:,}. Split it into smaller documents."
        )


def _notices(facts: WordFacts, *, has_macros: bool) -> Iterator[str]:
    if has_macros:
        yield "The document contains macros. They were not run and are left out."
    if facts.has_changes:
        yield CHANGED
    if facts.has_comments:
        yield "The document has comments. They are left out."
    if facts.old_formulas:
        lost = facts.old_formulas - facts.kept_formulas
        yield " ".join(
            [
                counted(facts.old_formulas, "1 formula was", "{} formulas were"),
                "made with an old formula editor (Equation Editor 3, MathType or EQ fields) and cannot be read.",
                *(
                    [counted(facts.kept_formulas, "1 is", "{} are") + " kept as a picture."]
                    if facts.kept_formulas
                    else []
                ),
                *([f"[formula] stands in place of {lost}."] if lost else []),
                "In Word, convert them to equations (double-click one, or use MathType's Convert Equations)"
                " and read the document again.",
            ]
        )
    if facts.objects:
        objects = counted(
            facts.objects, "1 embedded object, such as a spreadsheet,", "{} embedded objects, such as spreadsheets,"
        )
        yield f"{objects} cannot be read. Paste tables or pictures instead."
    if facts.drawings:
        drawings = counted(facts.drawings, "1 drawing made in Word", "{} drawings made in Word")
        yield f"{drawings} cannot be read; [image] stands there. Save drawings as PNG pictures and insert those."
    if facts.external:
        yield counted(facts.external, "1 picture is", "{} pictures are") + f" {ELSEWHERE}"
