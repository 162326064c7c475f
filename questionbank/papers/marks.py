"""The marks that number a paper's lines: ``1.``, ``Question 2``, ``(a)``, ``*B.``, ``第3题``, ``[x]``.

A mark has a series (`Mark.series`) but no meaning: `questionbank.papers.line_roles` decides whether ``a)`` is an option
or a part.
"""

from __future__ import annotations

import itertools
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from analytics.text.formulas import formula_segments
from questionbank.papers.phrases import TASK

GAP = "\u2003"
"""Replaces a tab or several spaces in a paragraph until it is cut into lines."""

_QUESTION_WORDS = (
    "question|ques|quest|qn|problem|prob|exercise|exercice|exo|aufgabe|frage|item|task|ejercicio|pregunta"
    "|problema"
    "|problème|esercizio|quesito|domanda|exercício|pergunta|questão|opgave|vraag|zadanie|zad|uppgift"
    "|oppgave|tehtävä"
    "|soru|câu|bài|úloha|příklad|feladat|вопрос|задача|задание|問題?|问题|題|题|문제?|number|nr|no|n[°º]|num|ex|es"
    "|ej|sum"
)
_PREFIX = (  # blank for the student's answer before the number: "____ 1.", "( B ) 1."
    r"(?:(?P<blank>_{1,30}[ ]?(?P<written>TRUE|FALSE|True|False|[A-Ha-hTF])?[ ]?_{1,30}"
    r"|[(（][\s\u2003]{0,30}(?P<given>[A-HTF√×✓✗對对错]?)[\s\u2003]{0,30}[)）])"
    r"[\s\u2003]*(?=[0-9０-９]{1,3}(?:\s?[.)．、]|[ ][A-Z])|[A-Ha-h][.)]))?"
)
_MARK = re.compile(
    _PREFIX + r"(?P<flag>(?:\*{1,2}|[✓✔☑✅→√]|=?>|[(\[]?[xX][)\]]|[xX](?=\s))[ ]?"
    r"(?=[(（\[]?[A-Za-z0-9Ａ-Ｊ]{1,4}\s?[.)）\]、．:：]))?"
    r"(?:"
    r"(?P<word>(?i:" + _QUESTION_WORDS + r")|[Qq]|[#№])(?:[ .#°-]{0,3}|[ .](?i:no|nr|number|n[°º])[ .:]{0,2})"
    r"(?P<of_word>(?:[0-9]{1,2}\.)?[0-9０-９]{1,3}[a-h]?)\*?"
    r"(?P<word_end>\.[-–—](?=\s)|[ ]?[.:)、．：]|[ ]?[-–—](?=\s)|(?=\s*[(（\[]?\s*$)"
    r"|(?=[\s\u2003]+[(（\[A-ZÀ-ÖØ-Ý$¿†‡*\u4e00-\u9fff])"
    r"|(?=\u2003))"
    r"|(?P<coded>[A-Z][0-9]{1,2})(?P<coded_end>[.)](?=[\s\u2003])|(?=[\s\u2003]+[A-ZÀ-ÖØ-Ý]))"
    r"|(?P<before_word>[0-9]{1,3})\.?[ ]?(?i:aufgabe|frage|übung|exercice|problem|question)\b[ ]?(?:[.:]"
    r"|(?=[\s(\[]|$))"
    r"|第\s?(?P<ordinal>[0-9０-９]{1,3}|[一二三四五六七八九十]{1,3})\s?[题題](?:\s?[.:、．：])?"
    r"|[★☆†]?(?P<digits>[0-9０-９]{1,3})[★☆*]?"
    r"(?P<digits_end>\.?\s?[)）、．]|\.[-–—](?=\s)|\s?\.(?![0-9]"
    r"|\s?[0-9]+\s?[)）]|\(?[a-h][.)]|[a-h]\s)|°\)|[ºª](?=\s)"
    r"|[/:：](?=\s)"
    r"|\s?[-–—](?=\s[A-Z]))"
    r"|(?P<compound>(?:(?i:Q|question)[ ]?)?[0-9]{1,2}(?:[ ]|[.-](?=\(?[a-h]\b))?(?:\((?P<of_part>[a-h])\)"
    r"|(?P<part>[a-h])(?:(?P<part_end>[.)])(?![a-z])|(?=\u2003)"
    r"|(?=[ ][A-Z]))))"
    r"|(?P<box>\[[ ]?[*xX✓✔]?[ ]?\]|[(（][ ]?[*xX✓✔]?[ ]?[)）](?=\s)|[☐☑☒□■◻◼○◯●◉])(?=[\s\u2003\w$])"
    r"|[(（\[【](?P<in_digits>[0-9０-９]{1,3})\.?[)）\]】]"
    r"|(?P<levels>[1-9][0-9]?(?:\.[1-9][0-9]?)+)(?:[.)](?!\d)|(?=\u2003|[ ][A-ZÀ-Ý]))"
    r"|(?P<circled>[①-⑳])"
    r"|(?P<named>(?i:part|partie|teil)[ ])?(?:(?P<letter>[A-Pa-pＡ-Ｊ]|[q-z](?=\s?[)）]))(?P<letter_end>\.?\s?[)）、．]"
    r"|\.(?![A-Za-z]\.)|[ ]?[:：](?=[\s\u2003$]|\S))"
    r"|[(（\[【]\s?(?P<in_letter>[A-Pa-zＡ-Ｊ])\.?\s?[)）\]】]\.?)"
    r"|(?P<ring>[Ⓐ-Ⓟⓐ-ⓟ])"
    r"|(?P<roman>[ivx]{1,5}|[IVX]{1,5})(?P<roman_end>[.)）])(?![A-Za-z]\.)"
    r"|[(（\[](?P<in_roman>[ivx]{1,5}|[IVX]{1,5})[)）\]]"
    r"|(?P<han>[一二三四五六七八九十]{1,3})[、．.]"
    r"|[(（](?P<in_han>[一二三四五六七八九十]{1,3})[)）]"
    r"|(?P<bullet>[-–—•·‣▪◦*])(?=[\s\u2003])"
    r"|[*★☆†]?(?P<bare>[0-9]{1,2})[*★☆]?(?=[ ]?\u2003\s?[^\W\d_]|[ ](?:[A-ZÀ-ÖØ-Ý]|[\u4e00-\u9fff])|[\u2003 ]+[$(“‘\"!]"
    r"|\u2003?$)"
    r"|(?P<bare_letter>[A-K])(?=\u2003)"
    r")"
)
_TICKED = frozenset("*xX✓✔☑☒■◼●◉")
_HAN = {sign: value for value, sign in enumerate("一二三四五六七八九", start=1)}
_ROMAN = {"i": 1, "v": 5, "x": 10}
_NEEDS_BLANK = re.compile(r"[a-z]\.$")
_BOUNDARY = re.compile(r"^|(?<=[\s\u2003,;，；。.?？!！:：)）])(?=\S)|(?<=[\u4e00-\u9fff])(?=[(（①-⑳])")
"""Position before a possible mark within a paragraph."""
COUNTING_KINDS = frozenset({"digits", "word", "levels"})
"""Kinds of marks that may number questions: "3.", "Exercise 3", "3.1"."""
_SERIES = frozenset({"box", "digits", "upper", "lower", "roman", "Roman"})
_CONNECTIVE = re.compile(r"[\s\u2003]*(?:and|or|to|und|oder|et|ou|和|或|与|[,;.、，&+-])+[\s\u2003]*", re.IGNORECASE)
_BLANK = re.compile(r"[\s\u2003]*")


@dataclass(frozen=True, slots=True)
class Mark:
    """A parsed mark.

    Attributes:
        series: marks of the same series count together, such as ``"digits."``, ``"lower()"``, ``"word"``, ``"box"``.
        value: its number, from 1; 0 for a box or a bullet.
        label: as students write it: ``"3"``, ``"B"``, ``"iv"``.
        is_flagged: whether a star or a tick precedes it, or its box is ticked.
        answer: answer written before the number: "( B ) 1."
        roman: its value as a Roman numeral; 0 if it cannot be one.
    """

    series: str
    value: int
    label: str
    is_flagged: bool = False
    answer: str = ""
    roman: int = 0

    def __bool__(self) -> bool:
        return self is not NO_MARK

    @property
    def kind(self) -> str:
        """The kind of mark: ``word``, ``digits``, ``levels``, ``upper``, ``lower``, ``roman``, ``han``, ``box`` ..."""
        return self.series.rstrip(".)(]}-○")


NO_MARK = Mark("", 0, "")
"""Stands for the mark of a line without one; it is false."""


def take_mark(text: str) -> tuple[str, str]:
    """Return the mark at the start of a paragraph, as printed, and the rest.

    >>> take_mark("*B. 12 cm"), take_mark("Question 3: Solve"), take_mark("1.5 m of rope")
    (('*B.', '12 cm'), ('Question 3:', 'Solve'), ('', '1.5 m of rope'))
    """
    match = _MARK.match(text)
    if match is None or not match[0].strip():
        return "", text
    rest = text[match.end() :]
    if _NEEDS_BLANK.search(match[0]) and rest[:1].isalpha() and rest[0].isascii():
        return "", text  # "e.g."
    if (match["letter_end"] or "").strip() in (":", "：") and match["letter"].islower() and not match["named"]:
        return "", text  # "a: b = 2 : 3"
    if (
        match["roman"]
        and match["roman_end"] == "."
        and match["roman"] in ("I", "V", "X")
        and not rest[:1].isspace()
        and rest[:1] != GAP
    ):
        return "", text
    return match[0].strip(), rest.strip(" \t" + GAP)


def read_mark(number: str) -> Mark:
    """Parse a mark; `NO_MARK` if it is not one.

    >>> read_mark("*B."), read_mark("(iv)").roman, read_mark("第3题").value
    (Mark(series='upper.', value=2, label='B', is_flagged=True, answer='', roman=0), 4, 3)
    """
    match = _MARK.match(number + " ") or _MARK.match(number + GAP) or _MARK.match(number + " A")
    if match is None or not number:
        return NO_MARK
    mark = _mark(match)
    given = (match["written"] or match["given"] or "").strip()
    return replace(mark, is_flagged=mark.is_flagged or bool(match["flag"]), answer=given)


def _mark(match: re.Match[str]) -> Mark:
    found = {name: unicodedata.normalize("NFKC", value) for name, value in match.groupdict().items() if value}
    return next(mark for read in _READERS if (mark := read(found)))


def _question(found: Mapping[str, str]) -> Mark | None:
    """Read the number of a question: "Question 2.3", "B1", "3. Aufgabe", "第3题"."""
    if number := found.get("of_word") or found.get("before_word"):
        return Mark("word", int(number.rpartition(".")[2].rstrip("abcdefgh")), number)
    if number := found.get("coded"):
        return Mark("word" if "coded_end" in found else "word-", int(number[1:]), number)
    if number := found.get("ordinal"):
        value = int(number) if number.isdigit() else han_number(number)
        return Mark("word", value, str(value))
    return None


def _part(found: Mapping[str, str]) -> Mark | None:
    """Read the letter of a part after the number of its question: "1(a)", "1b."."""
    if letter := found.get("of_part") or found.get("part"):
        shape = _close(found["part_end"]) if "part_end" in found else "()"
        return Mark(f"lower{shape}", _place_of(letter), letter)
    return None


def _digits(found: Mapping[str, str]) -> Mark | None:
    """Read a number in digits: "1.", "(1)", "4.2.1", "①", "1 "."""
    if number := found.get("digits"):
        return Mark(f"digits{_close(found['digits_end'])}", int(number), number)
    if number := found.get("levels"):
        return Mark(f"levels{'.' * number.count('.')}", int(number.rpartition(".")[2]), number)
    for name, series in (("in_digits", "digits()"), ("circled", "digits○"), ("bare", "digits-")):
        if number := found.get(name):
            return Mark(series, int(number), number)
    return None


def _letter(found: Mapping[str, str]) -> Mark | None:
    """Read a letter, which may also be a Roman numeral: "B.", "(b)", "Ⓑ", "B "."""
    for name, shape in (("letter", ""), ("in_letter", "()"), ("bare_letter", "-"), ("ring", "○")):
        if letter := found.get(name):
            case = "upper" if letter.isupper() else "lower"
            series = case + (shape or _close(found["letter_end"]))
            return Mark(series, _place_of(letter), letter, roman=_ROMAN.get(letter.lower(), 0))
    return None


def _roman(found: Mapping[str, str]) -> Mark | None:
    """Read a Roman numeral: "iv.", "(IV)"."""
    if numeral := found.get("roman") or found.get("in_roman"):
        value = roman_number(numeral)
        shape = "()" if "in_roman" in found else _close(found["roman_end"])
        case = "Roman" if numeral.isupper() else "roman"
        return Mark(f"{case}{shape}", value, numeral, roman=value)
    return None


def _han(found: Mapping[str, str]) -> Mark | None:
    """Read a Chinese number: "三、", "（三）"."""
    if number := found.get("han") or found.get("in_han"):
        return Mark("han" if "han" in found else "han()", han_number(number), number)
    return None


def _sign(found: Mapping[str, str]) -> Mark | None:
    """Read a mark without a number: "[x]", "•"."""
    if box := found.get("box"):
        return Mark("box", 0, "", is_flagged=bool(_TICKED & {*box}))
    if bullet := found.get("bullet"):
        return Mark("bullet", 0, "", is_flagged=bullet == "*")
    return None


_READERS = (_question, _part, _digits, _letter, _roman, _han, _sign)
"""Tried in order; the first one to return a mark wins."""


def _place_of(letter: str) -> int:
    return ord(letter.lower()) - ord("a") + 1


def _close(end: str) -> str:
    end = unicodedata.normalize("NFKC", end).strip()
    return ")" if ")" in end else "-" if end == "-" else "."


def han_number(text: str) -> int:
    """Return a Chinese number up to 99.

    >>> han_number("三"), han_number("十二"), han_number("二十")
    (3, 12, 20)
    """
    tens, ten, ones = text.rpartition("十")
    return (_HAN.get(tens, 1) * 10 if ten else 0) + _HAN.get(ones, 0)


def roman_number(text: str) -> int:
    """Return a Roman numeral up to about XX.

    >>> roman_number("iv"), roman_number("XII")
    (4, 12)
    """
    values = [_ROMAN[sign] for sign in text.lower()]
    return sum(-value if value < max(values[place:]) else value for place, value in enumerate(values))


def take_compound(text: str) -> tuple[str, str, str]:
    """Split a question's number and a part's mark off a text; both are empty unless the text begins with both.

    >>> take_compound("1(a) Find x."), take_compound("Find x.")
    (('1', '(a)', 'Find x.'), ('', '', 'Find x.'))
    """
    match = _MARK.match(text)
    if match is None or not match["compound"]:
        return "", "", text
    letter = match["of_part"] or match["part"]
    return (
        match["compound"][: match["compound"].index(letter)].rstrip(" (.-"),
        f"({letter})",
        text[match.end() :].strip(" " + GAP),
    )


# -- several on one line ------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Place:
    """A mark within a paragraph: its series, its number, and whether it follows a wide gap."""

    series: str
    value: int
    start: int
    end: int
    is_wide: bool


def cuts(text: str) -> list[int]:
    """Return where to cut a paragraph with several options, parts or answers; empty if it is a single line.

    >>> text = "What is 2 + 2? (A) 3 (B) 4 (C) 5"
    >>> [text[place:] for place in cuts(text)]
    ['(A) 3 (B) 4 (C) 5', '(B) 4 (C) 5', '(C) 5']
    """
    best: list[_Place] = []
    for run in _runs(text):
        if _are_items(text, run) and (len(run), -run[0].start) > (len(best), -best[0].start if best else 0):
            best = run
    if best:
        return [place.start for place in best if text[: place.start].strip(" " + GAP)]
    number, rest = take_mark(text)
    mark = read_mark(number)
    is_numbered = mark.kind not in ("", "bullet", "box")  # "• A. 9" is one line
    return [len(text) - len(rest)] if is_numbered and begins_part(rest) else []


def begins_part(text: str) -> bool:
    """Return whether a text begins with the mark of a first part or option: "1. (a) Find x."."""
    mark = read_mark(take_mark(text)[0])
    is_first = 1 in (mark.value, mark.roman)
    return is_first and mark.series not in ("digits.", "digits-", "upper-", "word", "upper.")


def _runs(text: str) -> Iterator[list[_Place]]:
    """Yield maximal runs of consecutive marks of the same series."""
    open_runs: dict[str, list[_Place]] = {}
    for place in _places(text):
        run = open_runs.get(place.series)
        step = place.value - run[-1].value if run is not None else 0
        are_columns = place.is_wide and place.series[:5] in ("upper", "lower") and 0 < step < 4
        if run is not None and (step == 1 or place.value == 0 or are_columns):
            run.append(place)
            continue
        if run is not None and place.value != 1:
            continue
        if run is not None:
            yield run
        if place.value <= 1 or not text[: place.start].strip(" " + GAP):
            open_runs[place.series] = [place]
    yield from open_runs.values()


def _places(text: str) -> Iterator[_Place]:
    formulas = [(segment.start, segment.end) for segment in formula_segments(text)]
    for boundary in _BOUNDARY.finditer(text):
        start = boundary.end()
        match = _MARK.match(text, start)
        if match is not None and match["blank"]:  # "(C) 5.2": an option rather than an answer blank
            match = _MARK.match(match["blank"].strip() + " ")
        if match is not None and start and " " in (match["compound"] or ""):
            continue  # "(a) 90 (b) 150": an answer before a part
        if match is None or any(begin < start < end for begin, end in formulas):
            continue
        mark = _mark(match)
        before = text[:start]
        is_wide = not before.strip(" " + GAP) or before.endswith((GAP, "  ", "\n"))
        needs_gap = mark.series.endswith("-") or (
            mark.kind == "digits" and mark.series[-1] in ".)" and mark.series != "digits()"
        )
        if mark.kind not in _SERIES or (needs_gap and not is_wide):
            continue
        yield _Place(mark.series, mark.value, start, start + len(match[0]), is_wide)
        if mark.roman and mark.kind in ("lower", "upper"):
            yield _Place(
                mark.series.replace("lower", "roman").replace("upper", "Roman"),
                mark.roman,
                start,
                start + len(match[0]),
                is_wide,
            )


def _are_items(text: str, run: Sequence[_Place]) -> bool:
    """Return whether marks begin items rather than being mentioned: "the sides (a) and (b)", "from A. to B."."""
    between = [text[place.end : following.start] for place, following in itertools.pairwise(run)]
    if len(run) < 2 or _are_in_passing(between):
        return False
    first, before = run[0], text[: run[0].start].strip(" " + GAP)
    if not take_mark(before)[1] or all(place.is_wide for place in run[1:]):
        return True
    behind_end = re.search(r"[.:?？。：!)）]\s*$", before) is not None
    if first.series.startswith(("digits", "roman")) and first.value == 1:
        return behind_end or (first.series == "roman()" and _are_in_task(text, between))
    if len(run) > 2:
        return True
    are_said = first.value == 1 and behind_end and _are_sentences(text, run)
    return first.series.endswith(")") and (first.is_wide or are_said)


def _are_in_passing(between: Sequence[str]) -> bool:
    """Return whether the text between marks shows that a sentence mentions them: "and", or sometimes no text."""
    are_blank = [_BLANK.fullmatch(part) is not None for part in between]
    return any(map(_CONNECTIVE.fullmatch, between)) or (any(are_blank) and not all(are_blank))


def _are_in_task(text: str, between: Sequence[str]) -> bool:
    """Return whether marks number the things that a task asks for: "Find (i) the area (ii) the perimeter"."""
    is_named = any(re.search(r"\b(?:and|or)\s*$", part) for part in between)
    return TASK.match(text) is not None and not is_named


def _are_sentences(text: str, run: Sequence[_Place]) -> bool:
    """Return whether each mark is followed by something like a sentence rather than a lower-case word."""
    return all(re.match(r"\s*[^\W_a-z]|\s*\$", text[place.end :]) for place in run)
