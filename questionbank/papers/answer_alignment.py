"""Find where each question's answer begins in a list of answers, by aligning its numbers with the questions'.

Anything that may be a question's number ("1.", "Q8", "4 ", "zu 3:", "7(a)") is a label with a weight: high at the start
of a line and before a sign, low within a sentence. The alignment chooses the labels with the greatest total weight that
name questions in order, so the 2 in "1. 2 cm" is not a label unless nothing else fits.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from analytics.text.formulas import formula_segments
from questionbank.papers.answer_texts import by_parts
from questionbank.papers.marks import GAP
from questionbank.papers.phrases import BONUS

BONUS_NUMBER = -1
"""Number used for a bonus question."""
_LABEL = re.compile(
    r"(?:^|(?<=[\s;,，；。.|·:：(（\[#、\u2003])(?<!\d[.,:])|(?<=[\u4e00-\u9fff)）]))"
    r"(?P<word>(?:(?:zu|ad|ans(?:wer)?(?: to)?|q(?:n|uestion)?|no|nr|aufgabe|frage|exercice|ejercicio|pregunta|problem"
    r"|ex|es|ej|zad|task|réponse|respuesta|lösung|solution|第)(?![a-z])[.\s]{0,2}|(?-i:[A-Z])(?=\d)))?"
    r"(?P<number>\d{1,3})(?!\d|/\S)"
    r"(?:[.)-]?[\s\u2003]{0,2}[(（](?P<part>[a-h]|[ivx]{1,4})[)）][.)]?"
    r"|(?:[.-][\s\u2003]{0,2}|\s)(?P<behind>(?-i:[a-h]))[.)](?=\s)|(?P<bare_part>(?-i:[a-h]))(?=[.):\s]|$)[.):]?"
    r"|(?P<sign>\s?(?:[.)）、．:：=题\]ºª|]{1,2}|[.…]{2,}|/(?=\s))(?!\d)|[.、．:：|](?=\d)|…{1,2}(?=\d)|\s?(?:[-–—=]>?|→)(?=[\s(（]?[A-KT](?![a-z])|\s)|[-–](?=[(（]?[\d$√])"
    r"|(?=[\s\u2003,]|$)|(?=[A-H√×](?![A-Za-z]))))",
    re.IGNORECASE,
)
_BREAK = re.compile(r"\s[–—]\s*$|[;,，；。·|/:：\t\u2003]\s*$|\s{2,}$")
_OPERATOR = re.compile(
    r"\s*(?:[×·+*/=<>÷−^-](?=\s)|(?![A-KTF]\b)[a-zA-Z°%]{1,3}\b(?!\s*[=<>])|(?-i:[a-z]{4,})|[分%°℃€£$])"
)
_LETTER = re.compile(r"\s*[(（]?(?:[A-K]{1,5}|[a-h]|T|F|True|False|[√×✓✗对错])[)）]?\s*(?:$|[\s;,，；。.|·/\u2003])")
_EMPTY = re.compile(r"[\s;,，；。.|·/()（）\u2003]*")
_RANGE = re.compile(
    r"(?<!\d)(\d{1,3})\s*[-–—~～至到]\s*(\d{1,3})\s*(?:题)?\s*[.:：、)]?\s*((?:[A-HTF√×对错][\s,，、]*)+)(?=\d|[;；.。]|$)"
)
_SEQUENCE = re.compile(r"[A-H](?:[\s,;，、]*[A-H]){3,}")
_SECTION_NAME = re.compile(
    r"[一二三四五六七八九十]{1,2}[、.．].{0,20}|[^\d$]{1,40}[:：]|[A-Z]|(?:section|part|teil) \w+", re.IGNORECASE
)
"""Text that may come before the first answer on a line."""
_ALONE = re.compile(r"(?:[^\W\d_]{1,8}\s?)?\d{1,2}")
_LEAST = 0.5  # minimum weight of a label: a number within a sentence falls below it
_WEIGHTS = {"start": (1.0, 3.0), "break": (0.9, 1.9), "sentence": (0.2, 1.2)}
"""Weight of a number by its position in a line: without a sign after it, and with one."""
_DECIMAL_SIGNS = (".", ":", "：", "-", "–")
_AT_START = 3  # weight of a number with a sign at the start of a line
_SEEN = 150  # how many earlier labels to consider as predecessors
_AGAIN = 6.0  # cost of restarting the numbering


@dataclass(frozen=True, slots=True)
class Label:
    """Possible question number: its position and its weight."""

    line: int
    start: int
    end: int
    number: int
    part: str = ""
    weight: float = 0.0
    name: str = ""


@dataclass(frozen=True, slots=True)
class Answer:
    """A list's answer to one question.

    Attributes:
        slot: index among the given questions; -1 if only the list names the question.
        pieces: pairs of a text's index and the part of the answer in that text.
    """

    slot: int
    number: int
    part: str
    pieces: tuple[tuple[int, str], ...]
    line: int = 0

    @property
    def lines(self) -> list[int]:
        """The indices of the texts that contain the answer."""
        return [self.line, *(line for line, _ in self.pieces if line != self.line)]


def expanded(text: str) -> str:
    """Expand ranges and rows of letters so that each letter has its own number.

    >>> expanded("1-3 BCD  4. A"), expanded("B C D A")
    ('1. B  2. C  3. D  4. A', '1. B  2. C  3. D  4. A')
    """

    def counted(match: re.Match[str]) -> str:
        first, letters = int(match[1]), re.findall(r"[A-HTF√×对错]", match[3])
        if int(match[2]) - first + 1 != len(letters):
            return match[0]
        return "  ".join(f"{number}. {letter}" for number, letter in enumerate(letters, start=first)) + "  "

    if _SEQUENCE.fullmatch(text.strip()):
        return "  ".join(f"{place}. {letter}" for place, letter in enumerate(re.findall("[A-H]", text), start=1))
    return re.sub(r" {3,}", "  ", _RANGE.sub(counted, text)).rstrip()


def listed_numbers(text: str) -> list[int]:
    """Return the question numbers that one text lists answers to, if it lists more than one.

    >>> listed_numbers("1. B  2. C"), listed_numbers("1b 2c 3d"), listed_numbers("1. B because 2 < 3")
    ([1, 2], [1, 2, 3], [])
    """
    labels = _labels(0, expanded(text))
    numbers = sorted({label.number for label in labels if label.number > 0})
    chosen = [label for label, _ in _chain(labels, [expanded(text)], numbers, [""] * len(numbers))]
    is_list = len(chosen) > 1 and all(label.weight >= 0.9 for label in chosen[1:])
    return [label.number for label in chosen] if is_list and chosen[0].start < 40 else []


def has_label(text: str) -> bool:
    """Return whether anything in a text is likely to be a question number.

    >>> has_label("Multiple choice: 3 B"), has_label("Section A (10 marks)")
    (True, False)
    """
    return any(label.weight >= 1.5 for label in _labels(0, expanded(text)))


def aligned(texts: Sequence[str], numbers: Sequence[int], names: Sequence[str]) -> list[Answer]:
    """Return the answers that the texts give to the questions, in the order of the texts.

    Args:
        texts: texts of the lines; empty for a section heading.
        numbers: question numbers in order; sections may restart the numbering.
        names: the questions' names as printed: "B1", "Exercise 2".
    """
    texts = [expanded(text) for text in texts]
    for place, text in enumerate(texts[:-1]):
        if _ALONE.fullmatch(text):  # "1" above "1a. 5" or "(a) 5"
            texts[place] = (
                "" if texts[place + 1].startswith(text) else f"{text}." if by_parts(texts[place + 1]) else text
            )
    labels = [label for line, text in enumerate(texts) for label in _labels(line, text)]
    first = {label.number for label in labels if label.start == 0 and label.weight >= _AT_START}
    is_counted_once = len({*numbers}) == len(numbers) > _AT_START
    if is_counted_once and 5 * len(first & {*numbers}) >= 4 * len(numbers):  # "3. 60 : 3 = 20"
        labels = [label for label in labels if label.start == 0 or label.number not in first]
    slots, known, printed = _with_missing(numbers, names, labels, texts)
    chain = _chain(labels, texts, slots, printed, again=0.5 if _is_shuffled(labels, slots) else _AGAIN)
    answers = []
    for place, (label, slot) in enumerate(chain):
        following = chain[place + 1][0] if place + 1 < len(chain) else None
        answers.append(
            Answer(known[slot], label.number, label.part, tuple(_pieces(texts, label, following)), label.line)
        )
    return answers


def _with_missing(
    numbers: Sequence[int], names: Sequence[str], labels: Sequence[Label], texts: Sequence[str]
) -> tuple[list[int], list[int], list[str]]:
    """Add the questions that only the list names; return numbers, indices (-1 if added) and names.

    A question is added if its number starts a line, or if it follows directly on the last answer: "7. 81; 8. 10".
    """
    slots, known, printed = [*numbers], [*range(len(numbers))], [*names]
    present = {*numbers}
    last = max(numbers, default=0)
    missing = {
        label.number
        for label in labels
        if (label.start == 0 and label.weight >= 3)
        or (
            label.number == last + 1
            and label.weight >= 1.9
            and texts[label.line][: label.start].rstrip().endswith((";", "；"))
        )
    }
    for number in sorted(missing):
        if number not in present and number > 0:
            at = next((at for at, other in enumerate(slots) if other > number), len(slots))
            slots.insert(at, number)
            known.insert(at, -1)
            printed.insert(at, "")
    return slots, known, printed


def _labels(line: int, text: str) -> list[Label]:
    return sorted(_found_labels(line, text), key=lambda label: label.start)


def _found_labels(line: int, text: str) -> Iterator[Label]:
    yield from _bonus_labels(line, text)
    formulas = [(segment.start, segment.end) for segment in formula_segments(text)]
    for match in _LABEL.finditer(text):
        start = match.start()
        if any(begin < start < stop for begin, stop in formulas):
            continue
        label = _label(line, match)
        if label is not None:
            yield label


def _bonus_labels(line: int, text: str) -> Iterator[Label]:
    for start in (0, *(gap.end() for gap in re.finditer(r"[\u2003\t;]\s*|\s(?=[A-Z])", text))):
        if (bonus := BONUS.match(text, start)) and (start == 0 or bonus[0].rstrip().endswith(":")):
            yield Label(line, start, bonus.end(), BONUS_NUMBER, weight=3.0)


def _label(line: int, match: re.Match[str]) -> Label | None:
    """Return a number as a label; None for a value or if the weight is too low."""
    start, end = match.span()
    place = _place(match.string[:start])
    part = (match["part"] or match["bare_part"] or match["behind"] or "").lower()
    is_signed = bool(part or (match["sign"] or "").strip())
    word = _word(match, stands_out=is_signed or place != "sentence")
    behind = match.string[end:]
    is_bare = not (is_signed or word or place == "break")
    if is_bare and _is_value(place, behind):
        return None
    weight = _WEIGHTS[place][is_signed]
    if match["sign"] in _DECIMAL_SIGNS and behind[:1].isdigit():
        weight -= 0.6  # "1.5" may be a number
    weight += 1.0 * bool(_LETTER.match(behind)) + 1.2 * bool(word)
    if weight < _LEAST:
        return None
    name = re.sub(r"[^a-z]", "", word.lower())
    return Label(line, 0 if place == "start" else start, end, int(match["number"]), part, weight, name)


def _place(before: str) -> str:
    """Return a number's position in a line, a key of `_WEIGHTS`, from the text before it."""
    if not before.strip(" *(（[#"):
        return "start"
    return "break" if _BREAK.search(before) else "sentence"


def _word(match: re.Match[str], *, stands_out: bool) -> str:
    """Return the word before a number that names what it counts."""
    word = (match["word"] or "").strip()
    is_letter = len(word) == 1 and word.upper() != "Q"
    return "" if is_letter and not stands_out else word  # "room M4" in a sentence


def _is_value(place: str, behind: str) -> bool:
    """Return whether the text after a bare number makes it a value: "3 cm", "3 + 4", or a number alone."""
    return _OPERATOR.match(behind) is not None or (place == "start" and not behind.strip())


def _chain(
    labels: Sequence[Label], texts: Sequence[str], slots: Sequence[int], names: Sequence[str], *, again: float = _AGAIN
) -> list[tuple[Label, int]]:
    """Return the chain of labels with the greatest weight that names the slots in order, each with its slot."""
    places: dict[int, list[int]] = defaultdict(list)
    for slot, number in enumerate(slots):
        places[number].append(slot)
    states: list[tuple[Label, int, float, int]] = []  # label, slot, score, state before
    for label in labels:
        for slot in places.get(label.number, ()):
            best, before = -min(0.2 * slot, 2.0), -1
            for place in range(len(states) - 1, max(-1, len(states) - _SEEN), -1):
                earlier, at, score, _ = states[place]
                if score <= best or earlier is label:
                    continue
                if at == slot:
                    cost = _cost_of_part(earlier, label)
                elif slot > at:
                    cost = min(0.7 * (slot - at - 1), 4.0) + _cost_of_gap(texts, earlier, label)
                else:
                    cost = _again(texts, earlier, label, again) + _cost_of_gap(texts, earlier, label)
                if score - cost > best:
                    best, before = score - cost, place
            states.append((label, slot, best + label.weight + _fit_of_name(label.name, names[slot]), before))
    chain: list[tuple[Label, int]] = []
    place = max(range(len(states)), key=lambda place: states[place][2], default=-1)
    while place >= 0:
        label, slot, _, before = states[place]
        chain.append((label, slot))
        place = before
    return chain[::-1]


def _is_shuffled(labels: Sequence[Label], slots: Sequence[int]) -> bool:
    """Return whether each line begins with a different question's number, out of order."""
    numbers = [label.number for label in labels if label.start == 0 and label.weight >= 3]
    is_each_once = len({*numbers}) == len(numbers) > 2 and len({*slots}) == len(slots)
    return is_each_once and numbers != sorted(numbers)


def _fit_of_name(name: str, printed: str) -> float:
    """Return how well the word before a number fits the question's name as printed: "B1" is not in section A."""
    printed = re.sub(r"[^a-z]", "", printed.lower())
    if not name or not printed:
        return 0.0
    return 1.5 if name == printed else -2.0 * (len(name) == len(printed) == 1)


def _cost_of_part(earlier: Label, label: Label) -> float:
    """Return the cost of another label for the same question: none if it names the next part."""
    is_next = label.part and earlier.part and label.part != earlier.part
    return 0.0 if is_next and (label.start == 0 or label.weight >= 1.5) else 99.0


def _cost_of_gap(texts: Sequence[str], earlier: Label, label: Label) -> float:
    """Return the cost of a label without an answer before the next label."""
    is_empty = not earlier.part and all(_EMPTY.fullmatch(text) for _, text in _pieces(texts, earlier, label))
    return 2.5 * is_empty


def _again(texts: Sequence[str], label: Label, following: Label, cost: float) -> float:
    """Return the cost of going back to an earlier question: low just below a section name."""
    if label.line == following.line:
        return 99.0
    before = texts[following.line][: following.start].strip()
    is_section = _SECTION_NAME.fullmatch(before) is not None or not texts[following.line - 1]
    return min(1.4, cost) if is_section else cost


def _pieces(texts: Sequence[str], label: Label, following: Label | None) -> Iterator[tuple[int, str]]:
    """Yield the text between two labels, line by line."""
    last = following.line if following is not None else len(texts) - 1
    for line in range(label.line, last + 1):
        begin = label.end if line == label.line else 0
        end = following.start if following is not None and line == following.line else len(texts[line])
        text = re.sub(r"\s[/–—]$", "", texts[line][begin:end].strip(" ;,，；·|\t" + GAP))
        if begin == 0 and end < len(texts[line]) and _SECTION_NAME.fullmatch(text):
            continue
        if text:
            yield line, text
