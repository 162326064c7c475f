"""The list of answers of a paper: one a line, many on a line, ``1-5 BCDAB``, a table, or worked solutions."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from questionbank.documents.key_rows import full_text, listed_answers, one_by_one, row_cells
from questionbank.documents.marks import read_mark, take_mark
from questionbank.documents.paper import Line
from questionbank.documents.part_answers import lettered_answers, short_answer
from questionbank.documents.phrases import ANSWER, BONUS, POINTS, POINTS_ALONE, SECTION, SOLUTION, truth_of

_LETTERS = r"[A-K](?:\s?(?:[,、/&+和]|and|und|et)?\s?[A-K]){0,4}"
_LETTER = re.compile(
    rf"(?:ANS(?:WER)?[.:]?\s*|(?i:option|choice)\s+)?[(（\[]?({_LETTERS}|[a-h])(?:[)）\]]|(?![A-Za-z0-9]))\s*(?:$"
    rf"|[.:：;,，。)】–—-]\s*|(?=[(（\[\d$\u2003\u4e00-\u9fff=])|\s+(?=PTS|DIF|REF|\d))"
)
_NUMBER = re.compile(r"(?:Q(?:n|uestion)?\.?|No\.?|第)?\s?(\d{1,3})\s?[.)、．题]?", re.IGNORECASE)
_MARKS_GIVEN = re.compile(r"(?<=\S)(?:\s+\[\d{1,2}\]|(?:\s+[MAB][1-3])+)\s*$")
_RESULT = re.compile(r"\$?[A-Za-z]\s*=\s*[^=,，;；\n]{1,20}?\$?\s*[.。．]?")
_EXAMVIEW = re.compile(r"\s*(?:PTS|DIF|REF|OBJ|NAT|STA|TOP|KEY|MSC|NOT|LOC):.*")
_TRUTH = re.compile(r"(\w{4,8}|[√×✓✗对错TF])\s*[.,:;。，；：]\s*(?=\S)")
TITLE_AND_LIST = re.compile(
    r"\W*(?:(?:the )?answers?(?: key)?|(?:answer )?keys?|correct answers|solutions|lösungen|réponses|corrigé"
    r"|respuestas|soluciones|(?:参考|标准)?答案)(?:\s*[:：]\s*(?=.)|\s+(?=\d{1,3}\s?[-.):A-E]))",
    re.IGNORECASE,
)
"""Begins a list of answers that stands on the line of its title."""
_COMPOUND = re.compile(
    r"(?:Q(?:uestion)?\.?\s?)?(\d{1,3})\s?[.)]?\s?(?:[(]([a-h])[)]|([a-h])[.)]?)\s*(?:[(]([ivx]{1,4})[)]"
    r"|([ivx]{1,4})[.)]?)?"
)
BONUS_NUMBER = -1
"""Stands for the number of a question that is called a bonus."""
_SHORT = 100  # characters of an answer; what is longer is worked


@dataclass(slots=True)
class KeyEntry:
    """What a list of answers says of one question.

    Attributes:
        number: of the question; 0 for the next one in order.
        lines: that say it.
        parts: answers by the letters of parts.
    """

    number: int
    lines: list[int] = field(default_factory=list)
    answer: str = ""
    solution: list[str] = field(default_factory=list)
    parts: dict[str, str] = field(default_factory=dict)


def key_entries(lines: Iterable[tuple[int, Line]], *, by_words: bool = False) -> list[KeyEntry]:
    """Return what lines of a list of answers say, in their order.

    Args:
        by_words: questions are called "Exercise 1"; what is numbered below is parts of them.
    """
    entries: list[KeyEntry] = []
    rows: list[tuple[int, list[str]]] = []
    part = series = ""
    for place, line in one_by_one(lines, by_words=by_words):
        cells = row_cells(line.text) if not line.number else None
        if cells is not None:
            rows.append((place, cells))
            continue
        entries += _of_table(rows)
        rows = []
        text = TITLE_AND_LIST.sub("", full_text(line), count=1)
        listed = [KeyEntry(number, [place], answer) for number, answer in listed_answers(text)]
        if listed:
            entries += listed
            part = ""
            continue
        mark = read_mark(line.number)
        if mark is None and (bonus := BONUS.match(line.text)) and bonus.end() < len(line.text):
            entries.append(KeyEntry(BONUS_NUMBER, [place]))
            _say(entries[-1], line.text[bonus.end() :])
            continue
        begins = mark is not None and mark.kind in ("digits", "word", "levels")
        if (
            mark is not None
            and begins
            and not (
                entries
                and series
                and series != mark.series
                and (mark.series == "digits()" or (by_words and series == "word"))
            )
        ):
            entries.append(KeyEntry(mark.value, [place]))
            part, series = "", mark.series
            _say(entries[-1], line.text)
        elif (
            entries
            and mark is not None
            and mark.kind in ("lower", "roman", "digits", "upper")
            and not line.heading
        ):
            entries[-1].lines.append(place)
            if mark.roman and part in {*"abcdefgh"}:  # "(ii)" within "(a)"
                line = replace(line, text=f"({mark.label}) {line.text}")
            else:
                part = mark.label.lower()
            said, before = _without_points(line.text), entries[-1].parts.get(part)
            entries[-1].parts[part] = f"{before}\n{said}" if before else said
            if not line.text and not entries[-1].answer:  # "3. (1)": the number of an option
                entries[-1].answer = entries[-1].parts.popitem()[0]
        elif entries and line.text and not line.heading and not SECTION.fullmatch(full_text(line)):
            entries[-1].lines.append(place)
            _say(entries[-1], full_text(line))
    return _merged([*entries, *_of_table(rows)])


def _concluded(entry: KeyEntry) -> KeyEntry:
    """Return an entry whose lines are steps of an equation with the last one as its answer."""
    steps = [entry.answer, *entry.solution]
    if len(steps) > 1 and all("=" in step for step in steps) and len(steps[-1]) <= _SHORT:
        entry.answer, entry.solution = steps[-1], steps
    return entry


def _merged(entries: Iterable[KeyEntry]) -> list[KeyEntry]:
    """Return entries, those of a question's parts as one."""
    merged: list[KeyEntry] = []
    for entry in map(_concluded, entries):
        last = merged[-1] if merged else None
        if (
            last is None
            or last.number != entry.number
            or not entry.parts
            or not (last.parts or not last.answer)
        ):
            merged.append(entry)
            continue
        last.lines += [line for line in entry.lines if line not in last.lines]
        for letter, answer in entry.parts.items():
            last.parts[letter] = f"{last.parts[letter]}\n{answer}" if letter in last.parts else answer
    return merged


def _say(entry: KeyEntry, text: str) -> None:
    """Add a line to an entry: its letter, its answer, or a step of its solution."""
    text = _without_points(text)
    if not text:
        return
    if not entry.answer and (parts := lettered_answers(text)):
        entry.parts |= parts
        return
    if label := ANSWER.match(text):
        found, _, worked = text[label.end() :].partition("【")
        if entry.answer:  # what seemed to be the answer was the working
            entry.solution.insert(0, entry.answer)
        entry.answer = _named(found)[0] or found.strip()
        if worked:
            _say(entry, f"【{worked}")
        return
    if label := SOLUTION.match(text):
        worked = text[label.end() :].strip()
        number, rest = take_mark(worked)
        mark = read_mark(number)
        if (
            mark is not None
            and mark.value == 1
            and mark.series in ("lower()", "digits()")
            and not entry.parts
        ):
            entry.parts[mark.label.lower()] = rest
        elif not entry.answer and _RESULT.fullmatch(worked):  # "解：x=2"
            entry.answer = short_answer(worked)
        else:
            entry.solution.append(worked)
        return
    letter, worked = _named(text)
    if not entry.answer and not entry.solution and letter:
        entry.answer = letter
        if worked:
            entry.solution.append(worked)
    elif not entry.answer and not entry.solution and len(text) <= _SHORT:
        nested, rest = take_mark(text)
        mark = read_mark(nested)
        if mark is not None and mark.kind in ("lower", "roman") and mark.value == 1:
            entry.parts[mark.label.lower()] = rest
        else:
            entry.answer = text
    else:
        entry.solution.append(text)


def _named(text: str) -> tuple[str, str]:
    """Return the letters, or the truth value, that a text begins with, and what follows."""
    text = text.strip()
    if truth_of(text):
        return text.strip(" ."), ""
    if (match := _TRUTH.match(text)) and truth_of(match[1]):
        return match[1], text[match.end() :].strip()
    match = _LETTER.match(text)
    if match is None:
        return "", text
    letters = ", ".join(re.findall(r"[A-K]", match[1].upper().replace("AND", "").replace("ET", "")))
    return letters, _EXAMVIEW.sub("", text[match.end() :]).strip()


def _without_points(text: str) -> str:
    match = POINTS.search(text)
    if match and match.end() == len(text) and match.start() > 0:
        text = text[: match.start()]
    return short_answer(_MARKS_GIVEN.sub("", text).strip())


def _of_table(rows: list[tuple[int, list[str]]]) -> Iterator[KeyEntry]:
    """Yield what a table says: numbers over answers, or numbers beside them."""
    rows = [(line, cells) for line, cells in rows if any(cell.strip("-:= ") for cell in cells)]
    place = 0
    while place < len(rows):
        line, cells = rows[place]
        labels = [(column, label) for column, cell in enumerate(cells) if (label := _labelled(cell))]
        below = rows[place + 1][1] if place + 1 < len(rows) else []
        if _are_over(labels, cells, below):
            for column, (number, part) in labels:
                answer = below[column]
                if answer and part:
                    yield KeyEntry(number, [line, rows[place + 1][0]], parts={part: answer})
                elif answer:
                    yield KeyEntry(number, [line, rows[place + 1][0]], _named(answer)[0] or answer)
            place += 2
            continue
        place += 1
        yield from _beside(line, cells)


def _labelled(cell: str) -> tuple[int, str] | None:
    """Return the number of a question, and the letter of a part, that a cell holds and nothing else."""
    if match := _NUMBER.fullmatch(cell.strip()):
        return int(match[1]), ""
    if match := _COMPOUND.fullmatch(cell.strip()):
        return int(match[1]), match[2] or match[3]
    return None


def _are_over(
    labels: Sequence[tuple[int, tuple[int, str]]], cells: Sequence[str], below: Sequence[str]
) -> bool:
    """Return whether a row holds the numbers of the answers below it, rather than a number and its answer."""
    columns = [column for column, _ in labels]
    numbers = [number for _, (number, _part) in labels]
    if len(labels) < 2 or len(below) != len(cells) or numbers != sorted(numbers):
        return False
    if columns not in ([*range(len(columns))], [*range(1, len(columns) + 1)]):
        return False
    if len(columns) < len([cell for cell in cells if cell]) - 1:
        return False
    first = _labelled(below[columns[0]])
    if len(labels) == 2 and (numbers[1] - numbers[0] > 1 or (first and first[0] == numbers[0] + 1)):
        return False
    return len(below) > 4 or any(below[column] and not below[column].isdigit() for column in columns)


def _beside(line: int, cells: list[str]) -> Iterator[KeyEntry]:
    pairs: list[tuple[str, str]] = list(zip(cells[::2], cells[1::2], strict=False))
    if len(pairs) < 2 or not all(_NUMBER.fullmatch(number) or not number for number, _ in pairs):
        pairs = pairs[:1]
    for number, answer in pairs:
        if compound := _COMPOUND.fullmatch(number):
            letter = compound[2] or compound[3]
            roman = compound[4] or compound[5]
            part = KeyEntry(
                int(compound[1]), [line], parts={letter: f"({roman}) {answer}" if roman else answer}
            )
            yield part
            continue
        match = _NUMBER.fullmatch(number)
        mark = read_mark(f"{match[1]}.") if match else read_mark(number)
        if mark is None or mark.kind not in ("digits", "word") or not answer:
            continue
        entry = KeyEntry(mark.value, [line])
        _say(entry, answer)
        if len(pairs) == 1:
            entry.solution += [cell for cell in cells[2:] if cell and not POINTS_ALONE.fullmatch(cell)]
        yield entry
