"""Workbooks: what cells show, which sheet is read, what goes out comes back; hostile ones are refused."""

from __future__ import annotations

import datetime
import io
import stat
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from openpyxl import Workbook, load_workbook

from analytics.question_content import Option
from analytics.records import QuestionRecord
from questionbank.core.errors import ImportRefused, LineProblem, LineWarning
from questionbank.formats import read, write
from questionbank.formats.catalog import FORMATS, layout_of
from questionbank.formats.seam import CannotHold, NoAttachments
from tests.questionbank.formats.files import saved

_DAY = datetime.datetime(2026, 3, 4)


def workbook(path: Path, *sheets: tuple[str, list[list[object]]], change: Callable[[Workbook], None] = id) -> Path:
    book = Workbook()
    book.remove(book.active)
    for name, rows in sheets:
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
    change(book)
    book.save(path)
    return path


def entries(path: Path, kind: type = QuestionRecord, **options) -> list:
    return [entry for _line, entry in read(path, **options) if isinstance(entry, kind)]


@pytest.mark.parametrize(
    ("value", "format", "shown"),
    [
        (7.0, "General", "7"),
        (0.1 + 0.2, "General", "0.3"),
        (12345678901, "#,##0", "12345678901"),
        (3.1, "0.00", "3.10"),
        (3.14159, "0.00", "3.14159"),
        (0.75, "0%", "75%"),
        (0.125, "0%", "12.5%"),
        (0.75, "# ?/?", "3/4"),
        (1.5, "# ?/?", "1 1/2"),
        (-0.5, "# ?/?", "-1/2"),
        (7, "000", "007"),
        (True, "General", "TRUE"),
        (_DAY, "d-mmm", "4-Mar"),
        (_DAY, "dd/mm/yyyy", "04/03/2026"),
        (_DAY, '[$-407]d. mmmm yyyy;@', "4. March 2026"),
        (datetime.datetime(2026, 3, 4, 15, 5), "h:mm AM/PM", "3:05 PM"),
        ("=1+1", "@", "=1+1"),
        ("a_x000D_\nb", "General", "a\r\nb"),
    ],
)  # fmt: skip
def test_a_cell_is_read_as_it_is_shown(tmp_path, value, format, shown):
    def text(book):
        cell = book["Bank"]["B2"]
        cell.number_format = format
        if isinstance(value, str):
            cell.data_type = "s"

    path = workbook(tmp_path / "a.xlsx", ("Bank", [["Question", "Answer"], ["Why?", value]]), change=text)
    assert entries(path)[0].answer == shown


def test_the_first_visible_sheet_with_questions_is_read_and_others_are_named(tmp_path):
    head = ["Question", "Answer"]
    rows = [["Bank of year 7"], [], head, ["1 + 1?", 2]]
    path = workbook(
        tmp_path / "a.xlsx",
        ("Old", [head, ["Secret?", 1]]),
        ("Notes", [["Ask Ana."]]),
        ("Bank", rows),
        ("More", [head, ["2 + 2?", 4]]),
        change=lambda book: setattr(book["Old"], "sheet_state", "hidden"),
    )
    file = read(path)
    assert [(line, entry.text) for line, entry in file] == [(4, "1 + 1?")]
    assert file.notes == ["The sheets 'Notes', 'More', 'Old' (hidden) are not read."]
    assert (file.label, file.layout.header_line) == ("Excel (XLSX)", 3)
    chosen = read(path, layout=layout_of(path, sheet="More"))
    assert [entry.text for _line, entry in chosen] == ["2 + 2?"]
    with pytest.raises(ImportRefused, match="no sheet 'Less'; it has Notes, Bank, More, Old"):
        layout_of(path, sheet="Less")


def test_merged_cells_count_for_each_row_and_formulas_without_a_value_are_named(tmp_path):
    rows = [["Topic", "Question", "Answer"], ["Sums", "1 + 1?", "=1+1"], [None, "2 + 2?", "#N/A"], ["", "3?", 3]]
    path = workbook(tmp_path / "a.xlsx", ("Bank", rows), change=lambda book: book["Bank"].merge_cells("A2:A3"))
    assert [record.concepts for record in entries(path)] == [(("Sums",),), (("Sums",),), ()]
    assert [(warning.line, warning.reason.partition(";")[0]) for warning in entries(path, LineWarning)] == [
        (2, "answer is a formula that has never been calculated"),
        (3, "answer is an error of the spreadsheet, #N/A"),
        (3, "concepts comes from the merged cell above"),
    ]


_ODS = """<office:document-content xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0"
 xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0"
 xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"
 xmlns:style="urn:oasis:names:tc:opendocument:xmlns:style:1.0"><office:automatic-styles>
 <style:style style:name="h"><style:table-properties table:display="false"/></style:style></office:automatic-styles>
 <office:body><office:spreadsheet>
 <table:table table:name="Old" table:style-name="h"><table:table-row><table:table-cell office:value-type="string">
 <text:p>Question</text:p></table:table-cell></table:table-row></table:table><table:table table:name="Bank">{rows}
 <table:table-row table:number-rows-repeated="1048000"><table:table-cell table:number-columns-repeated="16384"/>
 </table:table-row></table:table></office:spreadsheet></office:body></office:document-content>"""


def _ods(path: Path, *rows: str) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        archive.writestr("META-INF/manifest.xml", "<manifest/>")
        body = "".join(f"<table:table-row>{row}</table:table-row>" for row in rows)
        archive.writestr("content.xml", _ODS.format(rows=body))
    return path


def _ods_cell(text: str, attributes: str = 'office:value-type="string"') -> str:
    return f"<table:table-cell {attributes}><text:p>{text}</text:p></table:table-cell>"


def test_an_opendocument_sheet_is_read_as_it_is_shown(tmp_path):
    head = "".join(map(_ods_cell, ("Question", "Answer", "Topic")))
    number = 'office:value-type="float" office:value='
    path = _ods(
        tmp_path / "a.ods",
        head,
        _ods_cell("a<text:s text:c='2'/>b") + _ods_cell("2,5", f'{number}"2.5"')
        + _ods_cell("Sums", 'office:value-type="string" table:number-rows-spanned="2"'),
        _ods_cell("c") + _ods_cell("3/4", f'{number}"0.75"') + "<table:covered-table-cell/>",
        _ods_cell("d") + _ods_cell("80 %", 'office:value-type="percentage" office:value="0.8"'),
    )  # fmt: skip
    found = entries(path)
    assert [(record.text, record.answer, record.concepts) for record in found] == [
        ("a  b", "2.5", (("Sums",),)),
        ("c", "3/4", (("Sums",),)),
        ("d", "80%", ()),
    ]
    assert read(path).notes == ["The sheet 'Old' (hidden) is not read."]


_TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=30).filter(str.strip)


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(
        st.builds(
            QuestionRecord,
            id=st.uuids().map(str),
            text=_TEXTS.filter(lambda text: "<" not in text and "&" not in text and "\b" not in text),
            options=st.just(()) | st.just((Option("A", "-1"), Option("B", "@x"), Option("C", "_x0041_"))),
            difficulty=st.floats(1, 5),
            difficulty_scale=st.just("1-5"),
            language=st.just("en"),
        ).map(lambda record: replace(record, kind="choice", answer="A") if record.options else record),
        min_size=1,
        max_size=3,
    )
)
def test_a_workbook_that_we_wrote_gives_the_questions_back(tmp_path, records):
    records = [record for record in records if "\f" not in record.text and "____" not in record.text]
    path = tmp_path / "out.xlsx"
    write(records, path, "xlsx")
    if records:
        assert entries(path) == records


def test_text_stays_text_and_what_no_cell_holds_is_refused(tmp_path):
    record = QuestionRecord("=1+1", "=HYPERLINK(1)", answer="3/4", difficulty=3.0, difficulty_scale="1-5")
    path = tmp_path / "out.xlsx"
    write([record, replace(record, solution="x" * 32_768)], path, "xlsx")
    (_head, row) = load_workbook(path)["Questions"].iter_rows()
    assert {cell.value: (cell.data_type, cell.number_format) for cell in row if cell.value} == {
        "=1+1": ("s", "@"), "=HYPERLINK(1)": ("s", "@"), "3/4": ("s", "@"), "en": ("s", "@"), "open": ("s", "@"),
        3: ("n", "General"), "1-5": ("s", "@"),
    }  # fmt: skip
    with pytest.raises(CannotHold, match="32,767 characters"):
        FORMATS["xlsx"].losses(replace(record, solution="x" * 32_768), NoAttachments())


# -- hostile files ------------------------------------------------------------------------------------------------


def _archive(*members: tuple[str | zipfile.ZipInfo, bytes]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members:
            archive.writestr(name, data)
    return stream.getvalue()


def _link() -> zipfile.ZipInfo:
    info = zipfile.ZipInfo("link")
    info.external_attr = (stat.S_IFLNK | 0o777) << 16
    return info


_BOOK = ("xl/workbook.xml", b"<workbook/>")
_LAUGHS = b'<!DOCTYPE a [<!ENTITY b "cc">]><office:document-content xmlns:office="o">&b;</office:document-content>'


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (_archive(_BOOK), "not a proper workbook; open it in its program and save it again"),
        (_archive(_BOOK)[:-30], "damaged: it cannot be unpacked"),
        (_archive(_BOOK, ("../../etc/passwd", b"x")), "leads out of the archive"),
        (_archive(_BOOK, (_link(), b"/etc/passwd")), "is a link"),
        (_archive(_BOOK, ("xl/sharedStrings.xml", b" " * (40 << 20))), "unpacks to"),
        (_archive(_BOOK, ("xl/worksheets/a.xml", b"<row>" + b"<c/>" * 5_000_000)), "not a proper workbook"),
        (_archive(("content.xml", _LAUGHS), ("META-INF/manifest.xml", b"")), "not a proper workbook"),
        (_archive(("content.xml", b"\1"), ("META-INF/manifest.xml", b"encryption-data")), "by a password"),
        (_archive(("xl/workbook.bin", b"")), "XLSB"),
        (b"\xd0\xcf\x11\xe0" + b"\0" * 600 + "EncryptedPackage".encode("utf-16-le"), "protected by a password"),
        (b"\xd0\xcf\x11\xe0" + b"\0" * 600 + "Workbook".encode("utf-16-le"), "Save As, Excel Workbook"),
        (b"text,answer\n1?,2\n", None),
    ],
)
def test_a_file_that_is_no_workbook_is_refused_with_a_sentence(tmp_path, data, message):
    path = saved(tmp_path, data, "bank.xlsx")
    if message is None:  # a CSV file with another ending
        assert entries(path)[0].text == "1?"
        with pytest.raises(ImportRefused, match="is not an Excel or OpenDocument workbook"):
            entries(path, format="xlsx")
        return
    with pytest.raises(ImportRefused, match=message) as refused:
        entries(path)
    assert str(refused.value).count("\n") == 0


def test_two_members_of_one_name_and_a_sheet_without_an_end_are_refused(tmp_path):
    path = tmp_path / "bank.xlsx"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("xl/workbook.xml", "")
        with pytest.warns(UserWarning, match="Duplicate"):
            archive.writestr("xl/workbook.xml", "")
    with pytest.raises(ImportRefused, match="two files in it have the name"):
        entries(path)
    far = workbook(
        tmp_path / "far.xlsx",
        ("Bank", [["Question"], ["1?"]]),
        change=lambda book: book["Bank"].__setitem__("XFD1048576", "far"),
    )
    assert [(line, type(entry)) for line, entry in read(far)] == [(2, QuestionRecord), (1_048_576, LineProblem)]
