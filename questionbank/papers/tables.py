"""Tables of a paper: rows of questions under a header, layouts read cell by cell, and tables of data.

A table with a header that names columns like our CSV gives one question per row, written as the lines of a typed test.
A layout table (options in two columns, a number beside its question) is read cell by cell. Any other table becomes rows
between bars, our notation for tables in texts.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

from questionbank.formats.columns import OPTION_COLUMNS, guess_fields
from questionbank.papers.answer_lists import is_answer_table, is_key_header
from questionbank.papers.marks import COUNTING_KINDS, GAP, cuts, read_mark, take_mark
from questionbank.papers.paragraphs import Paragraph, Rich
from questionbank.papers.phrases import ANSWER_COLUMN, KEY_TITLE
from questionbank.papers.points import POINTS_COLUMN
from questionbank.papers.tasks import offers_truth, truth_of

Cell = list[Paragraph]
_PAIRED = frozenset(
    {"a", "b", "list 1", "list 2", "list i", "list ii", "column a", "column b", "column i", "column ii"}
)
_POINTS_CELL = re.compile(r"[\[(/_\s]*(?P<points>\d{1,2}(?:[.,]5)?|\d?[½¼¾])[\])\s]*", re.IGNORECASE)
_PROSE = 12  # characters; minimum of a cell that counts as prose
_UNTICKED = " ☐□○_()[]"
_LONG_CELL = 60  # characters: prose rather than data


def table_paragraphs(rows: Sequence[Sequence[Cell]], above: Sequence[Paragraph]) -> list[Paragraph]:
    """Return the paragraphs of a table, which depend on those above it."""
    if _gives_answers(rows, above):
        return _rows([row for row in rows if any(row)], GAP)
    table = [_with_marks_joined(row) for row in rows if any(row)]
    if not table:
        return []
    if questions := _under_header(table):
        return questions
    if truths := _truth_columns(table[0]):
        return _statements(table[1:], truths, above)
    if is_key_header([_cell_text(cell) for cell in table[0]]):
        return _rows(table)
    if len(table) > 1 and all(map(_offers_truth, table)):
        return [Paragraph(_row_rich([*row[0], *row[1]], GAP), row[0][0].number) for row in table]
    if _is_layout(table):
        return _cell_by_cell(table)
    if options := _lettered_rows(table):
        return options
    if _numbers_stand_apart(table):
        return [_joined_row(row) for row in table]
    return _rows(table)


def _gives_answers(rows: Sequence[Sequence[Cell]], above: Sequence[Paragraph]) -> bool:
    """Return whether a table is a list of answers, or a marking scheme, for the questions above it."""
    numbers = []
    for paragraph in above:
        mark = read_mark(paragraph.number or take_mark(paragraph.rich.text)[0])
        if mark.kind in COUNTING_KINDS:
            numbers.append(mark.label)
    titles = [f"{paragraph.number} {paragraph.rich.our_text()}".strip() for paragraph in above[-3:]]
    texts = [[_cell_text(cell, GAP) for cell in row] for row in rows if any(row)]
    return is_answer_table(texts, numbers, is_titled=any(map(KEY_TITLE.fullmatch, titles)))


def _rows(table: Sequence[Sequence[Cell]], between: str = " ") -> list[Paragraph]:
    """Return a table as rows between bars, the paragraphs of a cell joined by `between`."""
    texts = ([_cell_text(cell, between) for cell in row] for row in table)
    return [Paragraph.of(f"| {' | '.join(cells)} |", is_row=True) for cells in texts]


def _with_marks_joined(row: Sequence[Cell]) -> list[Cell]:
    """Return a row with each cell that contains only a mark such as "a." joined to the next cell."""
    joined: list[Cell] = []
    cells = list(row)
    while cells:
        cell = cells.pop(0)
        mark, rest = take_mark(_cell_text(cell))
        known = read_mark(mark)
        is_mark = not rest and known.kind in ("upper", "lower", "roman") and not mark[0].isdigit()
        is_beside = cells and cells[0] and not cells[0][0].number and not _is_bare_mark(cells[0])
        if is_mark and is_beside:
            first, *more = cells.pop(0)
            cell = [Paragraph(first.rich, mark), *more]
        joined.append(cell)
    return joined


def _is_bare_mark(cell: Cell) -> bool:
    mark, rest = take_mark(_cell_text(cell))
    return bool(mark) and not rest


def _cell_text(cell: Cell, between: str = " ") -> str:
    """Return a cell's text, its paragraphs and lines joined by `between`."""
    lines = []
    for part in cell:
        first, *more = _lines(part.rich) if between == GAP else [part.rich]
        lines += [f"{part.number} {first.our_text()}", *(rich.our_text() for rich in more)]
    text = between.join(" ".join(line.split()) for line in lines if line.strip())
    return text.replace("|", "\\vert " if "$" in text else "/")


def _lines(rich: Rich) -> list[Rich]:
    """Return the lines of a paragraph; at least one."""
    ends = [*(match.start() for match in re.finditer("\n", rich.text)), len(rich.text)]
    return [rich[start:end] for start, end in zip([0, *(end + 1 for end in ends)], ends, strict=False)]


def _truth_columns(header: Sequence[Cell]) -> dict[int, str]:
    """Return the columns to tick for true and false, with their meaning; empty unless both exist."""
    found = {column: truth_of(_cell_text(cell).strip("*")) for column, cell in enumerate(header)}
    truths = {column: truth for column, truth in found.items() if truth and column}
    return truths if sorted(truths.values()) == ["False", "True"] else {}


def _statements(
    rows: Sequence[Sequence[Cell]], truths: Mapping[int, str], above: Sequence[Paragraph]
) -> list[Paragraph]:
    """Return true-or-false statements, with an answer if exactly one column is ticked or highlighted.

    Unnumbered statements are the parts of a question above.
    """
    asked = [read_mark(_number_of([part])) for part in above[-3:]]
    are_parts = any(mark.kind in COUNTING_KINDS for mark in asked)
    found = []
    for place, row in enumerate(rows):
        cells = [cell for column, cell in enumerate(row) if column not in truths]
        text = [_joined_row(cells)] if len(cells) > 1 else [*cells[0]]
        if are_parts and text and not _number_of(text):
            text[0] = replace(text[0], number=f"({chr(ord('a') + place)})")
        if text:
            last = Rich(text[-1].rich.text, text[-1].rich.looks)
            last.add("\u2003True / False")
            text[-1] = replace(text[-1], rich=last)
        beside = {column: row[column] for column in truths if column < len(row) and row[column]}
        empty = {column for column, cell in beside.items() if _cell_text(cell).strip(_UNTICKED) == ""}
        beside = {column: cell for column, cell in beside.items() if column not in empty}
        chosen = {column for column, cell in beside.items() if cell[0].rich.common_look}
        ticked = [truths[column] for column in chosen or beside]
        found += [*text, *([Paragraph.of(f"Answer: {ticked[0]}")] if len(ticked) == 1 else [])]
    return found


# -- a column of points -------------------------------------------------------------------------------------------


def _points_column(table: Sequence[Sequence[Cell]]) -> int:
    """Return the column with the rows' points, found by its header and by numbers beside prose; -1 if there is none."""
    titles = [column for column, cell in enumerate(table[0]) if POINTS_COLUMN.fullmatch(_cell_text(cell).strip("*"))]
    for column in titles:
        cells = [_cell_text(row[column]) for row in table[1:] if column < len(row) and row[column]]
        beside = [
            _cell_text(cell)
            for row in table[1:]
            for at, cell in enumerate(row)
            if at != column and not _is_bare_mark(cell)
        ]
        is_prose = sum(len(text) > _PROSE for text in beside) * 2 >= len(table) - 1
        if cells and is_prose and all(map(_POINTS_CELL.fullmatch, cells)):
            return column
    return -1


def _with_points(row: Sequence[Cell], column: int) -> list[Cell]:
    """Return a row with its points in square brackets after its longest text, or as a total below several parts."""
    cells = [cell for at, cell in enumerate(row) if at != column]
    match = _POINTS_CELL.fullmatch(_cell_text(row[column])) if column < len(row) else None
    if match is None or not any(cells):
        return cells
    at = max(range(len(cells)), key=lambda place: len(_cell_text(cells[place])))
    *before, last = cells[at]
    if before and _begins_item([last]):
        cells[at] = [*cells[at], Paragraph.of(f"[Total: {match['points']} marks]")]
    else:
        cells[at] = [*before, replace(last, rich=last.rich + _plain(f" [{match['points']}]"))]
    return cells


def _plain(text: str) -> Rich:
    return Rich(text, bytes(len(text)))


# -- questions under a header -------------------------------------------------------------------------------------


def _under_header(table: Sequence[Sequence[Cell]]) -> list[Paragraph]:
    """Return the questions of a table with a header that describes its columns; empty for any other table."""
    points = _points_column(table)
    if points >= 0:
        table = [_with_points(row, points) for row in table]
    if (fields := _question_columns(table)) is not None:
        return _questions(table, fields)
    if points < 0:
        return []
    return [part for row in table[1:] for part in _numbered_row([cell for cell in row if cell])]


def _numbered_row(row: Sequence[Cell]) -> list[Paragraph]:
    """Return a row that asks something; its number may be in a cell of its own."""
    mark = _cell_text(row[0]) if len(row) > 1 else ""
    if not mark or (not mark.isdigit() and not _is_bare_mark(row[0])):
        return [part for cell in row for part in cell]
    first, *more = [part for cell in row[1:] for part in cell]
    number = f"{mark}." if mark.isdigit() else mark
    asked = [Paragraph(number=number), first] if first.number else [Paragraph(first.rich, number)]
    return [*asked, *more]


def _question_columns(table: Sequence[Sequence[Cell]]) -> tuple[str, ...] | None:
    """Return the content of each column in a table of questions; None for any other table."""
    if len(table) < 2:
        return None
    names = [_cell_text(cell) for cell in table[0]]
    names = ["Answer" if ANSWER_COLUMN.fullmatch(name) else name for name in names]
    fields = guess_fields(names, [_cell_text(cell) for cell in table[1]])
    tells = {*fields} & {"answer", "solution", "options", *OPTION_COLUMNS}
    texts = [_cell_text(row[fields.index("text")]) for row in table[1:] if "text" in fields and len(row) == len(names)]
    is_prose = any(len(text) > 12 and not text.isdigit() for text in texts)
    return fields if tells and is_prose else None


def _questions(table: Sequence[Sequence[Cell]], fields: Sequence[str]) -> list[Paragraph]:
    """Return each row as the lines of a typed question."""
    found: list[Paragraph] = []
    concept = ""
    for place, row in enumerate(table[1:], start=1):
        cells = dict(zip(fields, row, strict=False))
        number = _cell_text(cells["id"]) if "id" in cells else str(place)
        number = number.rstrip(".)") if number.rstrip(".)").isdigit() else str(place)
        if "concepts" in cells and (named := _cell_text(cells["concepts"])) and named != concept:
            concept = named
            found.append(Paragraph.of(concept, heading=2))
        text, *more = cells["text"] or [Paragraph()]
        mark, rest = ("", "") if "id" in cells else take_mark(f"{text.number} {text.rich.text}".strip())
        if (own := read_mark(mark)).kind == "digits":
            number, text = str(own.value), Paragraph(text.rich[max(0, len(text.rich.text) - len(rest)) :])
        found += [Paragraph(text.rich, f"{number}."), *more]
        for letter in OPTION_COLUMNS:
            if cells.get(letter):
                found.append(Paragraph(_row_rich(cells[letter]), f"{letter}."))
        found += cells.get("options", [])
        for name, words in (("answer", "Answer"), ("solution", "Solution")):
            if cells.get(name):
                found.append(Paragraph.of(f"{words}: {_cell_text(cells[name])}"))
    return found


# -- layouts ------------------------------------------------------------------------------------------------------


def _begins_item(cell: Cell) -> bool:
    """Return whether a cell contains a mark and the text that it marks."""
    if not cell:
        return False
    first = cell[0]
    if first.number:
        return bool(first.rich.text.strip()) or len(cell) > 1
    mark, rest = take_mark(first.rich.text)
    known = read_mark(mark)
    return known.series not in ("", "bullet", "digits-") and bool(rest or len(cell) > 1)


def _is_layout(table: Sequence[Sequence[Cell]]) -> bool:
    cells = [cell for row in table for cell in row if cell]
    if len(cells) == 1:
        return True
    width = max(map(len, table))
    if width == 2 and _is_matching(table):
        return False
    items = sum(map(_begins_item, cells))
    if items * 2 > len(cells) or (items and len(table) == 1):
        return True
    holds_items = sum(len(cell) > 1 and any(_begins_item([part]) for part in cell) for cell in cells)
    is_prose = all(len(cell) > 1 or len(_cell_text(cell)) > _LONG_CELL for cell in cells)
    return (holds_items > 0 and (len(table) == 1 or holds_items * 2 >= len(cells))) or (len(table) == 1 and is_prose)


def _is_matching(table: Sequence[Sequence[Cell]]) -> bool:
    """Return whether a two-column table pairs numbered items with lettered ones."""
    header = {" ".join(_cell_text(cell).lower().split()) for cell in table[0]}
    if header <= _PAIRED and len(table) > 2:
        return True
    sides = []
    for column in (0, 1):
        marks = [_number_of(row[column]) for row in table if len(row) > column and row[column]]
        sides.append({mark.kind for mark in map(read_mark, marks) if mark})
    return len(table) > 2 and sides[0] == {"digits"} and sides[1] in ({"upper"}, {"lower"})


def _number_of(cell: Cell) -> str:
    return cell[0].number or take_mark(cell[0].rich.text)[0]


def _cell_by_cell(table: Sequence[Sequence[Cell]]) -> list[Paragraph]:
    by_rows = [part for row in table for cell in row for part in cell]
    columns = range(max(map(len, table)))
    by_columns = [part for column in columns for row in table if column < len(row) for part in row[column]]
    return by_columns if _disorder(by_columns) < _disorder(by_rows) else by_rows


def _disorder(paragraphs: Sequence[Paragraph]) -> int:
    """Return how many marks do not follow the mark before them."""
    marks = [read_mark(part.number or take_mark(part.rich.text)[0]) for part in paragraphs]
    values = [(mark.series, mark.value) for mark in marks if mark]
    return sum(before[0] == after[0] and after[1] not in (before[1] + 1, 1) for before, after in pairwise(values))


def _numbers_stand_apart(table: Sequence[Sequence[Cell]]) -> bool:
    """Return whether the first column contains only marks, and the second the text that they mark."""
    if any(len(row) < 2 for row in table):
        return False
    first = [_cell_text(row[0]) for row in table if row[0]]
    bare = sum(
        text.rstrip(".)").isdigit()
        or (not take_mark(text)[1] and bool(take_mark(text)[0]))
        or bool((mark := read_mark(text)) and mark.label == text)
        for text in first
    )
    is_lettered = _are_letters([row[0] for row in table if row[0]])
    texts = [_cell_text(row[1]) for row in table if row[0]]
    is_prose = sum(len(text) > 12 or bool(cuts(text)) for text in texts) * 2 >= len(texts)
    return bool(first) and (is_lettered or (bare * 3 >= len(first) * 2 and is_prose))


def _are_letters(cells: Sequence[Cell]) -> bool:
    """Return whether the cells are A, B, C and so on."""
    letters = [_cell_text(cell).strip("*.()").upper() for cell in cells]
    return len(letters) > 1 and letters == [chr(ord("A") + place) for place in range(len(letters))]


def _lettered_rows(table: Sequence[Sequence[Cell]]) -> list[Paragraph]:
    """Return the options of a table in which the letters of each row of options are in the row above or below it."""
    for letters, options in ((table[::2], table[1::2]), (table[1::2], table[::2])):
        named = [letter for row in letters for letter in row if letter]
        if len(letters) == len(options) and _are_letters(named):
            return [
                Paragraph(_looking_like(letter, _row_rich(cell)), f"{_cell_text(letter).strip('().').upper()}.")
                for above, below in zip(letters, options, strict=True)
                for letter, cell in zip(above, below, strict=False)
                if letter
            ]
    return []


def _looking_like(letter: Cell, option: Rich) -> Rich:
    """Return an option, highlighted if its letter is."""
    look = letter[0].rich.common_look if letter else 0
    return Rich(option.text, bytes(own | look for own in option.looks))


def _joined_row(row: Sequence[Cell]) -> Paragraph:
    number, *rest = row
    mark = _cell_text(number)
    if not any(rest):  # a spanning row, such as a section's name
        return number[0] if len(number) == 1 else Paragraph(_row_rich(number))
    if mark and (mark.isdigit() or (len(mark) == 1 and mark.isalpha())):
        mark += "."
    return Paragraph(_row_rich([part for cell in rest for part in cell]), mark)


def _offers_truth(row: Sequence[Cell]) -> bool:
    """Return whether a row contains a numbered statement beside "T F"; one of the two may be highlighted."""
    texts = [_cell_text(cell) for cell in row]
    return len(row) == 2 and _begins_item(row[0]) and bool(texts[1]) and offers_truth(" ".join([".", texts[1]]))


def _row_rich(parts: Sequence[Paragraph], between: str = "\n") -> Rich:
    """Join paragraphs into one."""
    rich = Rich()
    for part in parts:
        if rich.text:
            rich.add(between)
        text = part.rich
        if part.number:
            rich.add(f"{part.number} ")
        rich.text, rich.looks = rich.text + text.text, rich.looks + text.looks
    return rich
