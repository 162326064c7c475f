r"""Layout of a question typed or copied as one text: its options, the correct one, sub-questions and tables.

`question_layout` extracts the options and the answer from a text, for a form or an import. `text_blocks` splits the
rest into prose, tables and lists of parts, for a page. Both return text unchanged, and leave alone what they do not
recognise.

Items are marked ``A)``, ``A.``, ``(A)``, ``a)``, ``A、``, ``Ⓐ``, ``Option A:``, ``i)`` or ``1)``, on lines of their own
or on one line; a list begins with the first label and has no gaps. Checkboxes (``☐``, ``[ ]``) mark items too. A list
contains options if its items are short answers. It contains parts if they are tasks ("b) Find the height."), if the
text before it is an instruction for each ("Simplify:"), or if they are numbered. Rows of a table have the same number
of cells, separated by tabs, by bars, or by the wide gaps of text copied from a PDF file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from analytics.question_content import Option
from analytics.text.formulas import formula_segments, segment_text

_LONGEST = 60_000  # characters of text examined
_MOST_OPTIONS = 10

_MARK = re.compile(
    r"(?<![A-Za-z0-9$\\])(?P<flag>(?<![^\n])[*✓✔☑→]{1,2} ?|[*✓✔☑→]{1,2})?"
    r"(?:(?P<circled>[Ⓐ-Ⓙⓐ-ⓙ])|(?:(?P<word>(?i:option|choice|answer|antwort|réponse|respuesta|risposta|选项)) ?)?"
    r"(?:[(\[（【]\s?(?P<inner>[A-Ja-zＡ-Ｊ]|[ivx]{1,4}|[0-9]{1,2})\s?[)\]）】]"
    r"|(?P<label>[A-Ja-zＡ-Ｊ]|[ivx]{1,4}|[0-9]{1,2})(?P<close>[)）.．、:：]| ?(?<=[A-J] )[:：])))(?P<blank>\s*)"
)
_BOX = re.compile(  # an empty square within a line is a missing number
    r"(?:(?<!\S)(?:(?P<ticked>[☑☒✅])|☐)|(?<![^\n])(?:[□◻⬜]|(?P<full>[■◼])|\[(?:(?P<crossed>[xX✓✔])|\s?)\]|\(\s?\)))"
    r"[ \t]*(?=[^\s+−=<>≤≥×÷·*/-])"
)
_CIRCLED = {chr(0x24B6 + place): letter for place, letter in enumerate("ABCDEFGHIJ")} | {
    chr(0x24D0 + place): letter for place, letter in enumerate("abcdefghij")
}
_ROMAN = ("i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x")
_SAME_CLOSE = str.maketrans("）．：", ").:")
_FULL_WIDTH = str.maketrans("ＡＢＣＤＥＦＧＨＩＪ", "ABCDEFGHIJ")
_CONNECTIVE = re.compile(r"(?:and|or|to|und|oder|et|ou|y|o|e|和|或|与|[,;.、，])*", re.IGNORECASE)
_RIGHT = re.compile(
    r"\s*(?:[*✓✔☑]+|[(\[（](?:correct|right|richtig|juste|correcte|correcta|正确|√)[)\]）]|←)\s*$", re.IGNORECASE
)
_ANSWER = re.compile(
    r"(?:^|\n|\s)\s*(?:\*\*)?(?:[【\[]?(?:正确)?答案[】\]]?|(?:the )?(?:correct |right |richtige |bonne )?"
    r"(?:answer|ans|antwort|lösung|réponse|respuesta|risposta|key)\.?)\s*(?:is\b|ist\b|est\b)?\s*"
    r"(?:(?P<colon>[:：=])|(?=[(（]?[A-Ja-j][)）.]?\s*$)|(?<=[】\]]))\s*(?:\*\*)?(?P<answer>[^\n]{1,200}?)(?:\*\*)?\s*$",
    re.IGNORECASE,
)
_LETTER = re.compile(r"[(（]?(?P<letter>[A-Ja-j])(?:[)）.:]|$)")
_BRACKETED_ANSWER = re.compile(r"(?P<open>[(（])\s*(?P<letter>[A-J])\s*(?P<close>[)）])\s*[.。]?\s*$")
_TASK = re.compile(
    r"\W*(?:find|calculate|work out|compute|determine|show|prove|solve|write|explain|draw|how|what|which|why|when|state"
    r"|express|hence|simplify|expand|factori[sz]e|sketch|estimate|give|complete|evaluate|describe|is|are|does|plot|use"
    r"|verify|deduce|differentiate|integrate|convert|copy|label|name|list|justify|round|measure|construct"
    r"|berechne\w*|bestimm\w*|zeig\w*|wie|was|welche\w*|gib|löse\w*|zeichne\w*|begründe\w*|erkläre\w*"
    r"|calcul\w+|détermin\w+|montr\w+|trouv\w+|résou\w+|quel\w*|combien|justifi\w+"
    r"|calcul\w+|halla|determin\w+|cuánt\w+|resuelv\w+|求|计算|证明|写出|画|判断|解)",
    re.IGNORECASE,
)
_MARKS_GIVEN = re.compile(r"[(\[]\s?[0-9]{1,2}\s?(?:marks?|points?|pts|Punkte?|分)?\s?[)\]]\s*$", re.IGNORECASE)
_TELLS_WHAT_TO_DO = re.compile(r"[:：]\s*$")
_OFFERS_CHOICE = re.compile(
    r"\b(?:which|choose|select|circle|tick|correct|true|welche\w*|wähle|lequel|laquelle|cuál)\b|[？?_]|选|下列|[(（]\s*[)）]",
    re.IGNORECASE,
)
_SHORT_ANSWER = 120  # characters

_TAB, _BAR, _GAP = re.compile(r"\t"), re.compile(r"\|"), re.compile(r"[ \u00a0]{3,}")
_RULE = re.compile(r"[\s|:+=-]*-[\s|:+=-]*")
_FEWEST_ROWS, _LONGEST_ROW = 2, 1_000
_WIDEST_CELL = 40  # characters in most cells separated by gaps


@dataclass(frozen=True, slots=True)
class QuestionLayout:
    """A question's text without its options, and what was extracted from it.

    Attributes:
        text: stem, tables and parts, unchanged.
        options: in order, labelled A, B, C ...
        answer: label of the option marked as correct, or the text after "Answer:"; empty if there is neither.
    """

    text: str
    options: tuple[Option, ...] = ()
    answer: str = ""


@dataclass(frozen=True, slots=True)
class Block:
    """A stretch of text with one kind of layout.

    Attributes:
        text: the stretch, unchanged; joining the blocks gives back the text.
        rows: for a table, its cells of mixed text.
        parts: for a list, (label as typed, text) pairs.
    """

    kind: Literal["prose", "table", "parts"]
    text: str
    rows: tuple[tuple[str, ...], ...] = ()
    parts: tuple[tuple[str, str], ...] = ()


@dataclass(slots=True)
class _Item:
    """A list item: its marker is from `start` to `begin`, its text from `begin` to `end`."""

    form: str
    number: int
    label: str
    start: int
    begin: int
    end: int = 0
    is_flagged: bool = False


def question_layout(text: str) -> QuestionLayout:
    r"""Return a question's text, options and answer.

    >>> layout = question_layout("What is 1/2 + 1/4?\nA) 2/6  B) 3/4 *\nC) 1/8  D) 1")
    >>> layout.text, [option.text for option in layout.options], layout.answer
    ('What is 1/2 + 1/4?', ['2/6', '3/4', '1/8', '1'], 'B')
    >>> question_layout("Work out 3 + 4.\nAnswer: 7")
    QuestionLayout(text='Work out 3 + 4.', options=(), answer='7')
    """
    if len(text) > _LONGEST:
        return QuestionLayout(text)
    body, answer = _without_answer(text)
    option_items = next((items for items in _lists(body) if _are_options(body, items)), None)
    if option_items is None:
        return QuestionLayout(body.strip() if answer else text, (), answer)
    options, flagged = _options(body, option_items)
    stem, after = body[: option_items[0].start].strip(), body[option_items[-1].end :].strip()
    bracketed = _BRACKETED_ANSWER.search(stem)
    letter = _LETTER.match(answer)
    labels = [option.label for option in options]
    right = letter["letter"].upper() if letter else next((o.label for o in options if o.text == answer), "")
    if not answer and len(flagged) == 1:
        right = flagged[0]
    elif not answer and bracketed and bracketed["letter"] in labels:
        right = bracketed["letter"]
        stem = f"{stem[: bracketed.start()]}{bracketed['open']}    {bracketed['close']}"
    if answer and right not in labels:
        after, right = f"{after}\n{text[len(body) :].strip()}".strip(), ""
    return QuestionLayout(f"{stem}\n{after}" if after else stem, tuple(options), right)


def text_blocks(text: str) -> list[Block]:
    r"""Split a text into prose, tables and lists of parts.

    >>> [block.kind for block in text_blocks("Here:\nx\t1\t2\ny\t3\t5\na) Plot it.\nb) What is y at 3?")]
    ['prose', 'table', 'parts']
    """
    if len(text) > _LONGEST or not ("\t" in text or "|" in text or "   " in text or _MARK.search(text)):
        return [Block("prose", text)]
    parts = next((items for items in _lists(text) if _are_parts(text, items)), None)
    if parts is None:
        return list(_with_tables(text))
    last = parts[-1]
    listed = tuple((text[item.start : item.begin].strip(), text[item.begin : item.end].strip()) for item in parts)
    blocks = [*_with_tables(text[: parts[0].start])]
    blocks.append(Block("parts", text[parts[0].start : last.end], parts=listed))
    return [*blocks, *_with_tables(text[last.end :])]


# -- lists -------------------------------------------------------------------------------------------------------------


def _lists(text: str) -> list[list[_Item]]:
    """Return the lists of a text, longest first; each begins with its first label and has no gaps."""
    runs: list[list[_Item]] = []
    open_runs: dict[str, list[_Item]] = {}
    for item in _marks(text):
        run = open_runs.get(item.form)
        if item.number == 1:
            open_runs[item.form] = [item]
            runs.append(open_runs[item.form])
        elif run is not None and run[-1].number == item.number - 1:
            run.append(item)
    runs.append(list(_boxes(text)))
    return sorted((run for run in runs if len(run) > 1 and _set_ends(text, run)), key=len, reverse=True)


def _marks(text: str) -> Iterator[_Item]:
    formulas = [(segment.start, segment.end) for segment in formula_segments(text)]
    for match in _MARK.finditer(text):
        start = match.start()
        if any(begin <= start < end for begin, end in formulas):
            continue
        circled = _CIRCLED.get(match["circled"] or "")
        label = circled or (match["inner"] or match["label"]).translate(_FULL_WIDTH)
        close = "○" if circled else match["close"].strip().translate(_SAME_CLOSE) if match["close"] else "()"
        if match["word"]:
            close = f"{close} after a word"
        starts_line = not text[text.rfind("\n", 0, start) + 1 : start].strip()
        for kind, number in _numbers(label):
            if kind in ("digits", "roman") and not starts_line:
                continue
            begin = match.end() if "\n" not in match["blank"] else match.end() - len(match["blank"])
            yield _Item(f"{kind}{close}", number, label, start, begin, is_flagged=bool(match["flag"]))


def _boxes(text: str) -> Iterator[_Item]:
    """Yield the items next to checkboxes, labelled with the letters that they will have as options."""
    boxes = list(_BOX.finditer(text))
    if len(boxes) > _MOST_OPTIONS:
        return
    for number, match in enumerate(boxes, 1):
        is_ticked = bool(match["ticked"] or match["full"] or match["crossed"])
        label = chr(ord("A") + number - 1)
        yield _Item("upper box", number, label, match.start(), match.end(), is_flagged=is_ticked)


def _numbers(label: str) -> Iterator[tuple[str, int]]:
    """Yield the possible numberings of a label: "i" is a letter and a Roman numeral."""
    if label.isdigit():
        yield "digits", int(label)
    if label in _ROMAN:
        yield "roman", _ROMAN.index(label) + 1
    if len(label) == 1 and label.isalpha() and label <= "z":
        yield ("upper" if label.isupper() else "lower"), ord(label.lower()) - ord("a") + 1


def _set_ends(text: str, run: list[_Item]) -> bool:
    """Set the end of each item; return whether they are items rather than mentions such as "(a) and (b)"."""
    for item, following in pairwise(run):
        item.end = following.start
    last = run[-1]
    on_lines = all("\n" in text[item.begin : item.end] for item in run[:-1])
    stop = re.compile(r"\n\s*\n" if on_lines else r"\n").search(text, last.begin)
    last.end = stop.start() if stop else len(text)
    if any(_CONNECTIVE.fullmatch(text[item.begin : item.end].strip()) for item in run):
        return False
    in_sentence = run[0].form.endswith(".") and not on_lines and len(run) < 3  # "from A. to B. by"
    return not in_sentence


def _are_parts(text: str, run: Sequence[_Item]) -> bool:
    """Return whether items are parts of a question rather than mentions: "with a) base 5 and b) height 3"."""
    stem = text[: run[0].start].strip()
    on_lines = all("\n" in text[item.begin : item.end] for item in run[:-1])
    return (on_lines or not stem or stem[-1] in ".:?!。：？") and not _are_options(text, run)


def _are_options(text: str, run: Sequence[_Item]) -> bool:
    if run[0].form.startswith(("digits", "roman")) or len(run) > _MOST_OPTIONS:
        return False
    stem = text[: run[0].start].strip()
    texts = [text[item.begin : item.end].strip() for item in run]
    tasks = sum(bool(_TASK.match(item) or item.endswith(("?", "？")) or _MARKS_GIVEN.search(item)) for item in texts)
    if not stem or tasks * 2 > len(texts):
        return False
    if run[0].form.startswith("upper"):
        return True
    is_short = all(len(item) <= _SHORT_ANSWER for item in texts)
    return is_short and not tasks and not _TELLS_WHAT_TO_DO.search(stem) and bool(_OFFERS_CHOICE.search(stem))


def _options(text: str, run: Sequence[_Item]) -> tuple[list[Option], list[str]]:
    """Return the options, and the labels of those marked as correct."""
    options, flagged = [], []
    for item in run:
        body = text[item.begin : item.end].strip()
        right = _RIGHT.search(body, max(len(body) - 40, 0))
        label = item.label.upper()
        if right or item.is_flagged:
            flagged.append(label)
            body = body[: right.start()] if right else body
        options.append(Option(label, body.rstrip(";；").strip()))
    return options, flagged


def _without_answer(text: str) -> tuple[str, str]:
    """Return the text before a final line "Answer: ...", and the answer on that line."""
    stripped = text.rstrip()
    start = max(len(stripped) - 240, 0)
    match = _ANSWER.search(stripped, start)
    if match is None or not re.search(r"[^\s_.…?]", match["answer"]) or not stripped[: match.start()].strip():
        return text, ""
    return stripped[: match.start()], match["answer"].strip()


# -- tables ------------------------------------------------------------------------------------------------------------


def _with_tables(text: str) -> Iterator[Block]:
    """Yield prose and tables; lines of a multi-line formula are prose."""
    formulas = [(part.start, part.end) for part in segment_text(text) if part.kind == "formula" and "\n" in part.source]
    prose = ""
    table: list[tuple[str, list[str]]] = []  # lines with their cells
    start = 0
    for line in [*text.splitlines(keepends=True), ""]:
        within = any(begin < start + len(line) and start < end for begin, end in formulas)
        cells = None if within else _cells(line)
        start += len(line)
        if cells is None or not _goes_on(table, cells):
            if _is_table(table):
                yield from ([Block("prose", prose)] if prose else [])
                yield _table(table)
                prose = ""
            else:
                prose += "".join(row for row, _ in table)
            table = []
        if cells is None:
            prose += line
        else:
            table.append((line, cells))
    if prose:
        yield Block("prose", prose)


def _table(lines: Sequence[tuple[str, list[str]]]) -> Block:
    rows = [tuple(cells) for _, cells in lines if cells]
    width = max(map(len, rows))
    filled = tuple(row + ("",) * (width - len(row)) for row in rows)
    return Block("table", "".join(line for line, _ in lines), rows=filled)


def _cells(line: str) -> list[str] | None:
    """Return the cells of a line, never split inside a formula; None if it is not a row, [] for a rule between rows."""
    row = line.strip("\r\n")
    if len(row) > _LONGEST_ROW or not row.strip():
        return None
    masked = row
    for segment in segment_text(row):
        if segment.kind == "formula":
            masked = masked[: segment.start] + "x" * len(segment.source) + masked[segment.end :]
    gap = next((gap for sign, gap in (("|", _BAR), ("\t", _TAB)) if sign in masked), _GAP)
    if gap is _BAR and _RULE.fullmatch(row):
        return []
    edges = [0, *(place for match in gap.finditer(masked) for place in match.span()), len(row)]
    cells = [row[start:end].strip() for start, end in zip(edges[::2], edges[1::2], strict=True)]
    if gap is not _TAB:  # text outside the first and last bars, or before an indented row
        cells = cells[not cells[0] : len(cells) - (not cells[-1])]
    is_barred = gap is not _BAR or " | " in masked
    return cells if len(cells) > 1 and any(cells) and is_barred else None


def _goes_on(table: Sequence[tuple[str, list[str]]], cells: Sequence[str]) -> bool:
    """Return whether a row, or a rule between rows, is as wide as the first row of a table."""
    first = next((row for _, row in table if row), cells)
    return not cells or len(cells) == len(first)


def _is_table(lines: Sequence[tuple[str, list[str]]]) -> bool:
    """Return whether lines are several rows of short cells rather than options."""
    rows = [cells for _, cells in lines if cells]
    cells = [cell for row in rows for cell in row]
    short = sum(len(cell) <= _WIDEST_CELL for cell in cells)
    marked = sum(bool(_MARK.match(cell)) for cell in cells)
    return len(rows) >= _FEWEST_ROWS and short * 2 > len(cells) and marked * 2 < len(cells)
