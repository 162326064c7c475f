"""The list of answers of a paper: one a line, many on a line, ``1-5 BCDAB``, a table, or worked solutions."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from analytics.text.formulas import formula_segments
from questionbank.documents.marks import read_mark, take_mark
from questionbank.documents.paper import Line
from questionbank.documents.part_answers import lettered_answers, short_answer
from questionbank.documents.phrases import ANSWER, BONUS, POINTS, POINTS_ALONE, SECTION, SOLUTION, truth_of

_LETTERS = r"[A-K](?:\s?(?:[,、/&+和]|and|und|et)?\s?[A-K]){0,4}"
_RANGE = re.compile(
    r"(\d{1,3})\s*[-–—~～至到]\s*(\d{1,3})\s*(?:题)?\s*[.:：、)]?\s*((?:[A-HTF√×对错][\s,，、]*)+)(?=\d|[;；.。]|$)"
)
_PAIR = re.compile(
    r"(?:Q(?:uestion)?\.?\s?)?(\d{1,3})\s*(?:[.)）、．:：=]|[-–—]>?|→)?[\s\u2003]*"
    r"[(（\[]?([A-K]{1,5}|[a-h]|True|False|TRUE|FALSE|T|F|√|×|✓|✗|对|错)[)）\]]?(?=[\s\u2003,;，；.|]"
    r"|$)[\s\u2003,;，；.|]*"
)
_LETTER = re.compile(
    rf"(?:ANS(?:WER)?[.:]?\s*|(?i:option|choice)\s+)?[(（\[]?({_LETTERS}|[a-h])(?:[)）\]]|(?![A-Za-z0-9]))\s*(?:$"
    rf"|[.:：;,，。)】–—-]\s*|(?=[(（\[\d$\u2003\u4e00-\u9fff=])|\s+(?=PTS|DIF|REF|\d))"
)
_SEQUENCE = re.compile(r"[A-H](?:[\s,;，、]*[A-H]){3,}")
_NUMBER = re.compile(r"(?:Q(?:n|uestion)?\.?|No\.?|第)?\s?(\d{1,3})\s?[.)、．题]?", re.IGNORECASE)
_EXAMVIEW = re.compile(r"\s*(?:PTS|DIF|REF|OBJ|NAT|STA|TOP|KEY|MSC|NOT|LOC):.*")
_BARE_ENTRY = re.compile(r"(\d{1,3})\s+(?=\S)")
_TRUTH = re.compile(r"(\w{4,8}|[√×✓✗对错TF])\s*[.,:;。，；：]\s*(?=\S)")
TITLE_AND_LIST = re.compile(
    r"\W*(?:(?:the )?answers?(?: key)?|(?:answer )?keys?|correct answers|solutions|lösungen|réponses|corrigé"
    r"|respuestas|soluciones|(?:参考|标准)?答案)\s*[:：]\s*(?=.)",
    re.IGNORECASE,
)
"""Begins a list of answers that stands on the line of its title."""
_COMPOUND = re.compile(
    r"(?:Q(?:uestion)?\.?\s?)?(\d{1,3})\s?[.)]?\s?(?:[(]([a-h])[)]|([a-h])[.)]?)\s*(?:[(]([ivx]{1,4})[)]"
    r"|([ivx]{1,4})[.)]?)?"
)
BONUS_NUMBER = -1
"""Stands for the number of a question that is called a bonus."""
_FIRST_COUNTED = re.compile(
    r"(?:[^\d$]{1,40}[:：]|[^\W\d_]{2,20}(?:\s[A-Z])?)?\s*(?P<mark>\d{1,3}\s?[.)、．:：])(?P<gap>\s*)(?=\S)"
)
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
    for place, line in _one_by_one(lines):
        cells = row_cells(line.text) if not line.number else None
        if cells is not None:
            rows.append((place, cells))
            continue
        entries += _of_table(rows)
        rows = []
        bare = _BARE_ENTRY.match(line.text) if not line.number and not line.heading else None
        if bare and entries and int(bare[1]) == entries[-1].number + 1:  # "5 75": no sign behind the number
            line = replace(line, number=f"{bare[1]}.", text=line.text[bare.end() :])
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
        if mark is not None and mark.series == "digits-" and not line.text and entries:
            continue  # the marks that the answer above gives
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
            part = mark.label.lower()
            entries[-1].parts[part] = _without_points(line.text)
            if not line.text and not entries[-1].answer:  # "3. (1)": the number of an option
                entries[-1].answer = entries[-1].parts.popitem()[0]
        elif entries and line.text and not line.heading and not SECTION.fullmatch(full_text(line)):
            entries[-1].lines.append(place)
            _say(entries[-1], full_text(line))
    return _merged([*entries, *_of_table(rows)])


def _one_by_one(lines: Iterable[tuple[int, Line]]) -> Iterator[tuple[int, Line]]:
    """Yield lines, those with several short answers cut before each number that counts on: "1. 5 2. 12 cm"."""
    for place, line in lines:
        text = full_text(line)
        pieces = counted_answers(text) if not listed_answers(text) else []
        if not pieces:
            yield place, line
        for number, answer in pieces:
            yield place, replace(line, number=number, text=answer)


def counted_answers(text: str) -> list[tuple[str, str]]:
    """Return the numbers and answers of a line that lists several, perhaps behind a section's name; else nothing.

    >>> counted_answers("1.3000 2.80 3.A"), counted_answers("二、填空题：7．4；8．-2"), counted_answers("1. 2.5 cm")
    ([('1.', '3000'), ('2.', '80'), ('3.', 'A')], [('7．', '4'), ('8．', '-2')], [])
    """
    first = _FIRST_COUNTED.match(text)
    if first is None:
        return []
    formulas = [(segment.start, segment.end) for segment in formula_segments(text)]
    is_tight = not first["gap"]
    found: list[tuple[str, str]] = []
    mark, begin = first["mark"], first.end()
    while True:
        number = int(re.match(r"\d+", mark)[0])  # type: ignore[index]
        following = re.compile(
            rf"[\s;,，；。.]\s*(?P<mark>{number + 1}\s?{re.escape(mark[-1])})(?P<gap>\s*)(?=\S)"
        )
        match = next(
            (
                match
                for match in following.finditer(text, begin)
                if (is_tight or match["gap"])
                and text[begin : match.start()].strip()
                and not any(start < match.start() < end for start, end in formulas)
            ),
            None,
        )
        answer = text[begin : match.start() if match else len(text)].strip(" ;,，；\u2003")
        found.append((mark, answer))
        if match is None:
            break
        mark, begin = match["mark"], match.end()
    if len(found) < (3 if is_tight and first["mark"].endswith(".") else 2):
        return []
    return [] if max(len(answer) for _, answer in found) > _SHORT else found


def _merged(entries: Iterable[KeyEntry]) -> list[KeyEntry]:
    """Return entries, those of a question's parts as one."""
    merged: list[KeyEntry] = []
    for entry in entries:
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


def full_text(line: Line) -> str:
    """Return a line as it stands, its number before its text."""
    return f"{line.number} {line.text}".strip()


def row_cells(text: str) -> list[str] | None:
    """Return the cells of a row of a table in our notation; None where a text is none."""
    if not (text.startswith("|") and text.endswith("|") and len(text) > 2):
        return None
    return [cell.strip() for cell in text[1:-1].split("|")]


def listed_answers(text: str) -> list[tuple[int, str]]:
    """Return the answers that one line lists, by the numbers of their questions; empty where it does something else.

    >>> listed_answers("1-3 BCD  4. A"), listed_answers("1. B  2. C"), listed_answers("1. B because 2 < 3")
    ([(1, 'B'), (2, 'C'), (3, 'D'), (4, 'A')], [(1, 'B'), (2, 'C')], [])
    """
    found: list[tuple[int, str]] = []
    rest = text.strip()
    while rest:
        if match := _RANGE.match(rest):
            first, last = int(match[1]), int(match[2])
            letters = re.findall(r"[A-HTF√×对错]", match[3])
            if last - first + 1 != len(letters):
                return []
            found += zip(range(first, last + 1), letters, strict=True)
            rest = rest[match.end() :].lstrip(" \u2003;；.。,，")
        elif match := _PAIR.match(rest):
            found.append((int(match[1]), ", ".join(match[2].upper()) if len(match[2]) < 4 else match[2]))
            rest = rest[match.end() :]
        else:
            break
    if not rest:
        return found
    return [(0, letter) for letter in re.findall("[A-H]", text)] if _SEQUENCE.fullmatch(text.strip()) else []


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
    return short_answer(text.strip())


def _of_table(rows: list[tuple[int, list[str]]]) -> Iterator[KeyEntry]:
    """Yield what a table says: numbers over answers, or numbers beside them."""
    place = 0
    while place < len(rows):
        line, cells = rows[place]
        numbers = [
            (column, int(match[1])) for column, cell in enumerate(cells) if (match := _NUMBER.fullmatch(cell))
        ]
        below = rows[place + 1][1] if place + 1 < len(rows) else []
        counts = [number for _, number in numbers]
        is_over = (
            len(counts) > 1
            and counts == sorted({*counts})
            and [column for column, _ in numbers] in ([*range(len(numbers))], [*range(1, len(numbers) + 1)])
            and len(numbers) >= len([cell for cell in cells if cell]) - 1
        )
        if (
            is_over
            and len(below) == len(cells)
            and any(
                (below[column] and not below[column].isdigit()) or len(below) > 4 for column, _ in numbers
            )
        ):
            for column, number in numbers:
                if below[column]:
                    yield KeyEntry(
                        number, [line, rows[place + 1][0]], _named(below[column])[0] or below[column]
                    )
            place += 2
            continue
        place += 1
        yield from _beside(line, cells)


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
