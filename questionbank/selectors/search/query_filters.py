"""Filters that the words of a search name: "grade 3", "multiple choice", "word problems", "in Chinese", "easy".

What the bank can't filter by stays words: a grade that no question has, a kind of task that it does not hold. So do
words of a concept's name, where that is all that was typed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace

from analytics.language.zh.numbers import chinese_value
from questionbank.models import Question
from questionbank.selectors.questions.facet_cube import facet_cube
from questionbank.selectors.search.filters import SearchFilters, filtered_questions
from questionbank.wording import language_name

_UNKNOWN_GRADES_APART = 99
READ_FILTERS = ("grade", "kind", "task", "language", "difficulty")
TASK_NAMES = {"word_problem": "Word problem", "true_false": "True or false"}
MOST_WORDS = 12  # a longer text is a question, whose words are its own
EASY, HARD = 40.0, 60.0  # per cent

_ENGLISH_NUMBERS = {
    name: number
    for number, names in enumerate(
        str.split(
            "one/first two/second three/third four/fourth five/fifth six/sixth seven/seventh eight/eighth nine/ninth"
            " ten/tenth eleven/eleventh twelve/twelfth"
        ),
        1,
    )
    for name in names.split("/")
}
_CHINESE_STAGES = {"小": 0, "初": 6, "高": 9}  # school years before its first
_NAMED = "|".join(_ENGLISH_NUMBERS)
_GRADE = re.compile(
    rf"\b(?:(?P<word>grade|year|yr|class|klasse|std)s?\.?[ -]*(?P<after>\d{{1,2}}|{_NAMED})\b"
    r"(?!\s*(?:[-–/]|to)\s*\d|[.,]\d|\s*(?:old|ago|later)\b)"
    rf"|(?P<before>\d{{1,2}}(?:st|nd|rd|th)|{_NAMED})[ -]+(?P<word2>grade)(?:r|rs|s)?\b)"
    r"|\b[YyGg](?P<short>1[0-3]|[1-9])\b(?=\s+[A-Za-z]{3})"
    r"|(?P<chinese>\d{1,2}|十[一二]?|[一二三四五六七八九])\s*年级"
    r"|(?P<stage>[小初高])(?P<in_stage>[一二三四五六])",
    re.IGNORECASE,
)
_GRADE_OF_BANK = re.compile(r"(?P<word>[^\W\d]*)\W*(?P<number>\d{1,2})\D*")
_PHRASES: tuple[tuple[str, str, re.Pattern[str]], ...] = tuple(
    (name, value, re.compile(pattern, re.IGNORECASE))
    for name, value, pattern in (
        ("kind", "choice", r"\bmultiple[ -]choices?\b|\bmcqs?\b|(?:单项|多项)?选择题|[单多]选题"),
        (
            "kind",
            "blanks",
            r"\bfill(?:ing)?[ -]in(?:[ -]the)?[ -](?:blanks?|gaps?)\b|\bgap[ -]fill\b|\bcloze\b|填空题?",
        ),
        (
            "kind",
            "open",
            r"\bopen[ -](?:ended|answers?|response)\b|\bfree[ -]response\b|\bshort[ -]answers?\b|解答题|简答题",
        ),
        ("task", "word_problem", r"\b(?:word|story)[ -]problems?\b|应用题|文字题"),
        ("task", "true_false", r"\btrue(?:\s*(?:or|and|/)\s*|[ -])false\b|\bt/f\b|判断题|对错题"),
        ("language", "zh", r"\bin chinese\b|中文(?:题目?)?"),
        ("language", "en", r"\bin english\b|英文(?:题目?)?"),
        ("difficulty", "easy", r"^(?:very )?eas(?:y|ier)\b(?! to)|^简单的?|基础题"),
        ("difficulty", "hard", r"^(?:very )?(?:hard|harder|difficult|challenging)\b(?! to)|^难题?|^较?难的"),
    )
)
_GOES_WITH = r"(?:questions?|problems?|exercises?|tasks?|items?|students?|pupils?|kids|maths?|level|based)"
_LEFT_OVER = re.compile(  # next to what was taken out
    rf"(?:^|(?<=\s))(?:{_GOES_WITH}|for|in|on|at|about|of|with|and|the|as|a|an|involving|using)(?=\s|$)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class ReadFilter:
    """A filter that words of a search named.

    Attributes:
        name: of `READ_FILTERS`.
    """

    name: str
    words: str
    label: str
    values: Mapping[str, object] = field(default_factory=dict, hash=False)


@dataclass(frozen=True, slots=True)
class FilteredQuery:
    """A search without the words that name filters.

    Attributes:
        text: what is left to search for; empty where all words named filters.
    """

    text: str
    filters: SearchFilters
    read: tuple[ReadFilter, ...] = ()


def read_filters(text: str, filters: SearchFilters, *, off: Collection[str] = ()) -> FilteredQuery:
    """Take the words out of a search that name filters which the bank has.

    A filter that the page has already, and one that was taken off, is not set; the words that name it go.
    """
    rest, set_filters = text, filters
    read: list[ReadFilter] = []
    if len(text.split()) > MOST_WORDS or text.endswith(("?", "？")):
        return FilteredQuery(text, filters)
    for name, found, values, label in _named(text):
        if name in {one.name for one in read} or not filtered_questions(SearchFilters(**values)).exists():  # type: ignore[arg-type]
            continue
        rest = rest.replace(found, "\n", 1)
        if name in off or any(getattr(filters, key) != getattr(SearchFilters(), key) for key in values):
            continue
        set_filters = replace(set_filters, **values)  # type: ignore[arg-type]
        read.append(ReadFilter(name, found, label, values))
    return FilteredQuery(text if rest == text else _tidied(rest), set_filters, tuple(read))


def grades_apart(grade: str, other: str) -> int:
    """Return how many grades lie between two; many where one has no number."""
    numbers = [re.search(r"\d+", one) for one in (grade, other)]
    return (
        abs(int(numbers[0][0]) - int(numbers[1][0])) if numbers[0] and numbers[1] else _UNKNOWN_GRADES_APART
    )


def _named(text: str) -> Iterable[tuple[str, str, dict[str, object], str]]:
    """Yield each filter that is named: its name, the words, the fields of `SearchFilters`, the label."""
    for match in _GRADE.finditer(text):
        if grade := _grade_of_bank(match):
            yield "grade", match[0], {"grade": grade}, f"Grade {grade}" if grade[:1].isdigit() else grade
    for name, value, pattern in _PHRASES:
        if found := pattern.search(text):
            yield name, found[0], *_VALUES[name](value)


def _difficulty(value: str) -> tuple[dict[str, object], str]:
    if value == "easy":
        return {"difficulty_max": EASY}, f"Difficulty up to {EASY:g} %"
    return {"difficulty_min": HARD}, f"Difficulty from {HARD:g} %"


_VALUES: Mapping[str, Callable[[str], tuple[dict[str, object], str]]] = {  # fields and label of a value
    "kind": lambda value: ({"kind": value}, str(Question.Kind(value).label)),
    "task": lambda value: ({"task": value}, TASK_NAMES[value]),
    "language": lambda value: ({"language": value}, language_name(value)),
    "difficulty": _difficulty,
}


def _grade_of_bank(match: re.Match[str]) -> str:
    """Return the bank's own name of a grade, empty where no question has it; of several the commonest."""
    number, word = _number(match), (match["word"] or match["word2"] or "").casefold()
    if match["short"]:
        word = "year" if match[0][0] in "yY" else "grade"
    cube = facet_cube()
    same: list[tuple[bool, bool, int, str]] = []  # of the same word, without a word, how many
    for value, count in cube.by_value("grade", cube.equal("status", Question.Status.READY)):
        parts = _GRADE_OF_BANK.fullmatch(value.strip())
        if count and parts and int(parts["number"]) == number:
            same.append((parts["word"].casefold() == word, not parts["word"], count, value))
        elif count and (chinese := _GRADE.fullmatch(value.strip())) and _number(chinese) == number:
            same.append((False, False, count, value))
    return max(same)[-1] if same else ""


def _number(match: re.Match[str]) -> int:
    if match["stage"]:
        return _CHINESE_STAGES[match["stage"]] + _chinese_number(match["in_stage"])
    said = (match["after"] or match["before"] or match["short"] or match["chinese"]).casefold()
    digits = re.match(r"\d+", said)
    return int(digits[0]) if digits else _ENGLISH_NUMBERS.get(said) or _chinese_number(said)


def _chinese_number(numerals: str) -> int:
    return int(chinese_value(numerals) or 0)


def _tidied(rest: str) -> str:
    """Return what is left of a search without the little words next to the gaps."""
    pieces = [" ".join(piece.split()) for piece in rest.split("\n")]
    for place, piece in enumerate(pieces):
        while (shorter := _without_edge(piece, place, len(pieces))) != piece:
            piece = shorter
        pieces[place] = piece
    return " ".join(piece for piece in pieces if piece)


def _without_edge(piece: str, place: int, count: int) -> str:
    words = piece.strip(" ,;:-–").split(" ")
    if place > 0 and words and _LEFT_OVER.fullmatch(words[0]):
        words = words[1:]
    if place < count - 1 and words and _LEFT_OVER.fullmatch(words[-1]):
        words = words[:-1]
    return " ".join(words)
