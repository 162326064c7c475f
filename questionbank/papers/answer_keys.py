"""Read a paper's list of answers: one or many per line, ``1-5 BCDAB``, a table, or worked solutions."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, groupby, pairwise

from questionbank.papers.answer_alignment import Answer, aligned, has_label
from questionbank.papers.answer_lists import is_numbered_down, label_of, table_answers
from questionbank.papers.answer_texts import by_parts, concluding, is_working, short_answer
from questionbank.papers.marks import GAP, read_mark
from questionbank.papers.paper_lines import Line, full_text, row_cells
from questionbank.papers.phrases import ANSWER, KEY_TITLE, SECTION, SOLUTION
from questionbank.papers.points import POINTS
from questionbank.papers.tasks import truth_of

_LETTERS = r"[A-K](?:\s?(?:[,、/&+和]|and|und|et)?\s?[A-K]){0,4}"
_LETTER = re.compile(
    rf"(?:ANS(?:WER)?[.:]?\s*|(?i:option|choice)\s+)?[(（\[]?({_LETTERS}|[a-h])(?:[)）\]]"
    rf"|(?![A-Za-z0-9]))\s*(?:$"
    rf"|[.:：;,，。)】–—-]\s*|(?=[(（\[\d$\u2003\u4e00-\u9fff])|\s+(?=PTS|DIF|REF|\d))"
)
_MARKS_GIVEN = re.compile(r"(?<=\S)(?:\s+\[\d{1,2}\]|(?:\s+[MAB][1-3])+|\s+\((?:[MABC][1-3]\b[^()]{0,30})+\))\s*$")
_EXAMVIEW = re.compile(r"\s*(?:PTS|DIF|REF|OBJ|NAT|STA|TOP|KEY|MSC|NOT|LOC):.*")
_TRUTH = re.compile(r"(\w{4,8}|[√×✓✗对错TF])\s*[.,:;。，；：]\s*(?=\S)")
TITLE_AND_LIST = re.compile(
    r"^\W*(?:(?:the )?answers?(?: key)?|(?:answer )?keys?|correct answers|solutions|lösungen|réponses|corrigé"
    r"|respuestas|soluciones|soluzioni|risposte|gabarito|antworten|antwoorden|odpowiedzi|answers? (?:to"
    r"|for) [^:\d?]{1,40}|[^\W\d_a-zA-Z]{0,4}答案)"
    r"\**(?:\s*[:：]\s*(?=.)|\s+(?=(?:(?:es|ex|aufg|nr|q)\.?\s?)?\d{1,3}\s?[-.):A-E]))",
    re.IGNORECASE,
)
"""Beginning of a list of answers on the same line as its title."""
_SAID_RIGHT = re.compile(
    r"(?:(?:choice|option|answer)\s+)?[(]?([A-K])[)]? is (?:the )?(?:correct|right)"
    r"(?: (?:answer|choice|option))?[.:]?\s*|"
    r"(?:the )?(?:correct |right )?answer is [(]?([A-K])[)]?[.:]\s*",
    re.IGNORECASE,
)
_EMPHASIS = re.compile(r"\*\*|(?<!\S)\*(?=[^\s*])|(?<=[^\s*])\*(?!\S)")
_LAST_COLUMN = re.compile(r"(?<=\S)[\u2003\t]\s*\d{1,2}\s*$")
_TICKS = re.compile(r"\s*[✓✔]+(?=\s|$)")
_NUMBERED_CELL = re.compile(r"(\d{1,3})\s?[.):]\s+\S")
_FEWEST_POINTS = 3
_SHORT = 100  # characters; longer answers count as working


@dataclass(slots=True)
class KeyEntry:
    """An entry in a list of answers.

    Attributes:
        number: the question's number.
        lines: indices of its lines.
        parts: answers by the letter of the part.
        slot: the question's index; -1 if only the list names the question.
        raw: its complete text; `others`: other answers given to the same question.
        name: number as printed, if it has several levels: "4.2".
    """

    number: int
    lines: list[int] = field(default_factory=list)
    answer: str = ""
    solution: list[str] = field(default_factory=list)
    parts: dict[str, str] = field(default_factory=dict)
    slot: int = -1
    raw: list[str] = field(default_factory=list)
    others: list[str] = field(default_factory=list)
    name: str = ""


def key_entries(lines: Iterable[tuple[int, Line]], numbers: Sequence[int], names: Sequence[str]) -> list[KeyEntry]:
    """Return the entries of a list of answers, in order.

    Args:
        lines: lines with their place in the document.
        numbers: the questions' numbers, in order.
        names: the questions' numbers as printed.
    """
    entries: list[KeyEntry] = []
    block: list[tuple[list[int], str]] = []
    texts = [(place, line, _EMPHASIS.sub("", full_text(line))) for place, line in _without_bare_numbers(lines)]
    for is_table, group in groupby(texts, lambda each: row_cells(each[2]) is not None):
        if is_table:
            rows, numbered = _parted([(place, row_cells(text) or []) for place, _, text in group])
            entries += _placed(_of_table(rows), numbers, names)
            block += [([at], cell) for at, cell in sorted(numbered, key=_number_of)]
            continue
        for place, line, text in group:
            if line.is_joined and block and block[-1][1]:
                block[-1] = ([*block[-1][0], place], f"{block[-1][1]}{GAP}{text}")
            else:
                block.append(([place], "" if _is_name(line, text) else TITLE_AND_LIST.sub("", text, count=1)))
    said = _without_column(aligned([text for _, text in block], numbers, names))
    return _merged([*entries, *(_entry(answer, block) for answer in said)])


def _without_bare_numbers(lines: Iterable[tuple[int, Line]]) -> list[tuple[int, Line]]:
    """Drop lines such as "1" before "1(a) 5"."""
    return [
        (place, line)
        for (place, line), (_, following) in pairwise([*lines, (0, Line(""))])
        if line.text or not (line.number and following.number.startswith(line.number))
    ]


def _parted(rows: Sequence[tuple[int, list[str]]]) -> tuple[list[tuple[int, list[str]]], list[tuple[int, str]]]:
    """Separate a table's rows from rows in which each cell holds a number and an answer; the latter by cell."""
    whole: list[tuple[int, list[str]]] = []
    numbered: list[tuple[int, str]] = []
    for place, cells in rows:
        said = [(place, cell) for cell in cells if cell]
        if len(cells) > 1 and all(_NUMBERED_CELL.match(cell) for _, cell in said):
            numbered += said
        else:
            whole.append((place, cells))
    return whole, numbered


def _is_name(line: Line, text: str) -> bool:
    """Return whether a line of a list is a section title."""
    is_name = line.heading or SECTION.fullmatch(text) or KEY_TITLE.fullmatch(text)
    return bool(is_name) and not has_label(text)


def _number_of(cell: tuple[int, str]) -> int:
    match = _NUMBERED_CELL.match(cell[1])
    return int(match[1]) if match else 0


def _without_column(answers: Sequence[Answer]) -> list[Answer]:
    """Remove the column of points if most answers end with one."""
    behind = [answer for answer in answers if answer.pieces and _LAST_COLUMN.search(answer.pieces[-1][1])]
    if len(behind) * 3 < len(answers) * 2 or len(behind) < _FEWEST_POINTS:
        return [*answers]
    return [
        replace(answer, pieces=tuple((line, _LAST_COLUMN.sub("", text)) for line, text in answer.pieces))
        for answer in answers
    ]


def _entry(answer: Answer, block: Sequence[tuple[list[int], str]]) -> KeyEntry:
    """Return the entry for an answer: its letter, its parts, its working."""
    entry = KeyEntry(answer.number, slot=answer.slot)
    for line in answer.lines:
        entry.lines += [place for place in block[line][0] if place not in entry.lines]
    entry.raw = pieces = [text for _, text in answer.pieces]
    if answer.part and not pieces:
        pieces, part = [answer.part], ""  # "1b": the option of question 1
    else:
        part = answer.part
    texts = [f"({part}) {pieces[0]}", *pieces[1:]] if part else pieces
    for start in range(len(texts)):
        label = SOLUTION.match(texts[start])
        said = [texts[start][label.end() :] if label else texts[start], *texts[start + 1 :]]
        parts = by_parts("\n".join(map(_without_points, said)))
        if parts and (len(parts) > 1 or start == 0):
            if not any(parts.values()):  # "3. (1)": the number of an option
                texts = [*parts]
                break
            entry.parts |= parts
            texts = texts[:start]
            break
    for text in texts:
        _say(entry, text)
    return entry


def _placed(entries: Iterable[KeyEntry], numbers: Sequence[int], names: Sequence[str]) -> Iterator[KeyEntry]:
    """Assign each entry of a table to the question with its number, preferably one after the previous entry's."""
    labels = [read_mark(name).label for name in names]
    last = -1
    taken: set[int] = set()
    for entry in entries:
        named = [slot for slot, number in enumerate(numbers) if number == entry.number]
        if entry.name:
            named = _of_levels(entry, labels) or named
        behind = (slot for slot in named if slot > last or (slot == last and entry.parts))
        free = (slot for slot in named if slot not in taken or entry.parts)
        entry.slot = next(chain(behind, free, reversed(named)), -1)
        if entry.slot >= 0:
            last = entry.slot
            taken.add(last)
        yield entry


def _of_levels(entry: KeyEntry, labels: Sequence[str]) -> list[int]:
    """Return the questions labelled "4.2.1" like the entry, or else "4.2", where the entry becomes a part."""
    named = [slot for slot, label in enumerate(labels) if label == entry.name]
    above = [slot for slot, label in enumerate(labels) if label and entry.name.startswith(f"{label}.")]
    if named or not above:
        return named
    entry.parts, entry.answer = {entry.name: entry.answer}, ""
    return above[-1:]


def pairs_named(entry: KeyEntry) -> str:
    """Return an entry's pairs for a matching question: "1-B, 2-A"; a single letter is the one for its own row."""
    text = ", ".join(entry.raw) or entry.answer
    return f"{entry.number}-{text}" if re.fullmatch(r"[(]?[A-Za-z][)]?", text) else text


def _concluded(entry: KeyEntry) -> KeyEntry:
    """Use the last line as the answer if all lines of an entry are steps of an equation."""
    steps = [entry.answer, *entry.solution]
    if len(steps) > 1 and all("=" in step for step in steps) and len(steps[-1]) <= _SHORT:
        entry.answer, entry.solution = steps[-1], steps
    return entry


def _merged(entries: Iterable[KeyEntry]) -> list[KeyEntry]:
    """Merge the entries that belong to the same question."""
    merged: dict[tuple[int, int], KeyEntry] = {}
    for entry in map(_concluded, entries):
        first = merged.setdefault((entry.slot, entry.number if entry.slot < 0 else 0), entry)
        if first is entry:
            continue
        first.lines += [line for line in entry.lines if line not in first.lines]
        first.raw += entry.raw
        for letter, answer in entry.parts.items():
            before = first.parts.get(letter, "")
            first.parts[letter] = f"{before}\n{answer}" if before and answer not in before else answer
        if not first.answer:
            first.answer = entry.answer
        elif entry.answer and first.answer not in entry.answer:
            (first.others if len(entry.answer) < _SHORT else first.solution).append(entry.answer)
        first.solution += entry.solution
    return [*merged.values()]


def _say(entry: KeyEntry, text: str) -> None:
    """Add a line to an entry: its letter, its answer, or a step of its solution."""
    text = _without_points(text)
    if not entry.answer and len(parts := by_parts(text)) > 1:
        entry.parts |= parts
        return
    if label := ANSWER.match(text):
        found, _, worked = text[label.end() :].partition("【")
        if entry.answer:  # what looked like the answer was working
            entry.solution.insert(0, entry.answer)
        entry.answer = _named(found)[0] or found.strip()
        if worked:
            _say(entry, f"【{worked}")
        return
    if label := SOLUTION.match(text):
        entry.solution.append(text[label.end() :].strip())
        return
    letter, worked = _named(text)
    if not entry.answer and not entry.solution and letter:
        entry.answer = letter
        if worked:
            entry.solution.append(worked)
    elif not entry.answer and not entry.solution and len(text) <= _SHORT:
        entry.answer = text
    else:
        entry.solution.append(text)


def _named(text: str) -> tuple[str, str]:
    """Return the letters or truth value at the start of a text, and the rest."""
    text = text.strip()
    if truth_of(text):
        return text.strip(" ."), ""
    if (match := _TRUTH.match(text)) and truth_of(match[1]):
        return match[1], text[match.end() :].strip()
    if match := _SAID_RIGHT.match(text):
        return (match[1] or match[2]).upper(), text[match.end() :].strip()
    match = _LETTER.match(text)
    if match is None:
        return "", text
    letters = ", ".join(re.findall(r"[A-K]", match[1].upper().replace("AND", "").replace("ET", "")))
    return letters, _EXAMVIEW.sub("", text[match.end() :]).strip()


def _without_points(text: str) -> str:
    match = POINTS.search(text)
    if match and match.end() == len(text) and match.start() > 0:
        text = text[: match.start()]
    return short_answer(_TICKS.sub("", _MARKS_GIVEN.sub("", text)).strip() or text)


def _of_table(rows: list[tuple[int, list[str]]]) -> Iterator[KeyEntry]:
    """Yield the entries of a table with numbers above or beside the answers."""
    rows = [(line, cells) for line, cells in rows if any(cell.strip("-:= ") for cell in cells)]
    place = 0
    beside: list[tuple[int, list[str]]] = []
    if is_numbered_down([cells for _, cells in rows]):
        beside, rows = rows, []
    while place < len(rows):
        line, cells = rows[place]
        labels = [
            (column, (label.number, label.part)) for column, cell in enumerate(cells) if (label := label_of(cell))
        ]
        below = rows[place + 1][1] if place + 1 < len(rows) else []
        place += 1
        if not _are_over(labels, cells, below):
            beside.append((line, cells))
            continue
        for column, (number, part) in labels:
            answer = below[column]
            if answer and part:
                yield KeyEntry(number, [line, rows[place][0]], parts={part: answer})
            elif answer:
                entry = KeyEntry(number, [line, rows[place][0]], raw=[answer])
                _say(entry, answer)
                yield entry
        place += 1
    yield from _beside(beside)


def _are_over(labels: Sequence[tuple[int, tuple[int, str]]], cells: Sequence[str], below: Sequence[str]) -> bool:
    """Return whether a row holds the numbers of the answers in the row below, rather than a number and its answer."""
    columns = [column for column, _ in labels]
    numbers = [number for _, (number, _part) in labels]
    if len(labels) < 2 or len(below) != len(cells) or numbers != sorted(numbers):
        return False
    if columns not in ([*range(len(columns))], [*range(1, len(columns) + 1)]):
        return False
    if len(columns) < len([cell for cell in cells if cell]) - 1:
        return False
    first = label_of(below[columns[0]])
    if len(labels) == 2 and (numbers[1] - numbers[0] > 1 or (first and first.number == numbers[0] + 1)):
        return False
    return len(below) > 4 or any(below[column] and not below[column].isdigit() for column in columns)


def _beside(rows: Sequence[tuple[int, list[str]]]) -> Iterator[KeyEntry]:
    """Yield the entries of a table with numbers beside answers."""
    block = [([line], "") for line, _ in rows]
    for said in table_answers([cells for _, cells in rows]):
        label = said.label
        pieces = tuple((said.rows[0], text) for text in said.texts)
        if len(pieces) == 1 and not label.part:
            entry = KeyEntry(label.number, raw=said.texts)
            _say(entry, said.texts[0])
        else:
            entry = _entry(Answer(-1, label.number, label.part, pieces, said.rows[0]), block)
        entry.lines = [rows[row][0] for row in said.rows]
        entry.name = label.name if "." in label.name else ""
        is_named = bool(_named(said.texts[0])[0]) if said.texts else False
        if len(said.texts) > 1 and not (entry.parts or is_named or any(map(ANSWER.match, said.texts))):
            last = said.texts[-1] if is_working(said.texts[-1]) else ""
            entry.answer, entry.solution = concluding(said.texts) or last, said.texts
        entry.solution = [*entry.solution, *said.notes]
        yield entry
