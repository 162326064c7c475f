"""Filters that the words of a search name: "grade 3", "multiple choice", "word problems", "in Chinese", "easy".

Words that the bank cannot filter by, such as a kind of task that it does not have, stay search words. So do words of a
concept's name, if nothing else was typed. School years without a question, several of them, and names of exams and
schools ("KS3", "GCSE", "Abitur") do not filter: the nearest grades rank first, and the words are not searched for.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from analytics.text.tokens import search_tokens
from questionbank.bank.facet_counts import facet_cube
from questionbank.bank.school_grades import SchoolYears, grade_name, named_years, school_year
from questionbank.core.wording import language_name
from questionbank.models import Question
from questionbank.search.filters import ANY_STATUS, SearchFilters, filtered_questions
from questionbank.search.spelling import Vocabulary, is_english

_UNKNOWN_GRADES_APART = 99
TRANSLATION = "translation"  # can be removed like a filter
READ_FILTERS = ("source", "grade", "level", "kind", "task", "language", "difficulty", TRANSLATION)
TASK_NAMES = {"word_problem": "Word problem", "true_false": "True or false"}
MOST_WORDS = 12  # a longer text is a question rather than a list of filters
EASY, HARD = 40.0, 60.0  # per cent

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
_LEFT_OVER = re.compile(  # words to remove next to a removed filter
    rf"(?:^|(?<=\s))(?:{_GOES_WITH}|for|in|on|at|about|of|with|and|the|as|a|an|involving|using)(?=\s|$)", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class ReadFilter:
    """A filter that words of a search named.

    Attributes:
        name: one of `READ_FILTERS`.
        values: fields of `SearchFilters`; empty if grades are only preferred.
        years: the school years, as US grades, that rank first; None if the words of an exam name none.
    """

    name: str
    words: str
    label: str
    values: Mapping[str, object] = field(default_factory=dict, hash=False)
    years: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class FilteredQuery:
    """A search without the words that name filters.

    Attributes:
        text: the remaining search text; empty if all words named filters.
    """

    text: str
    filters: SearchFilters
    read: tuple[ReadFilter, ...] = ()


def read_filters(text: str, filters: SearchFilters, *, off: Collection[str] = ()) -> FilteredQuery:
    """Extract from a search the words that name filters available in the bank.

    A filter that the page already has, or that was removed, is not set, but its words are still removed.
    """
    rest, set_filters = text, filters
    read: list[ReadFilter] = []
    if len(text.split()) > MOST_WORDS or text.endswith(("?", "？")):
        return FilteredQuery(text, filters)
    for named in _named(text):
        is_read = named.name in {one.name for one in read}
        if named.values and (is_read or not filtered_questions(SearchFilters(**named.values)).exists()):  # type: ignore[arg-type]
            continue
        rest = rest.replace(named.words, "\n", 1)
        if is_read or named.name in off or _is_set(filters, named):
            continue
        set_filters = replace(set_filters, **named.values)  # type: ignore[arg-type]
        read.append(named)
    rest = text if rest == text else _tidied(rest)
    if not rest and text and set_filters == filters:
        return _without_words(text, filters, read)
    return FilteredQuery(rest, set_filters, tuple(read))


def _without_words(text: str, filters: SearchFilters, read: Sequence[ReadFilter]) -> FilteredQuery:
    """Return the result for a search with nothing but school years: the highest of their grades in the bank."""
    for one in read:
        first, last = one.years or (1, 0)
        for year in range(last, first - 1, -1):
            if grade := _grade_of_bank(SchoolYears(one.words, "", year, year)):
                only = ReadFilter("grade", one.words, f"{one.words}: {grade_name(grade)}", {"grade": grade})
                return FilteredQuery("", replace(filters, grade=grade), (only,))
    return FilteredQuery(text, filters)


def read_source(
    text: str, filters: SearchFilters, vocabulary: Vocabulary, *, off: Collection[str] = ()
) -> FilteredQuery | None:
    """Extract the name of a source, under which its questions were imported, from a search; None if it has none.

    A search names a source if it contains the whole name, or consists of words from it: "mock exam june" from "Year 10
    mock exam, June 2024". A one-word name must not be a word of English or of the bank. If several sources match, the
    one with the most questions is chosen.
    """
    words = _words(text)
    if not words or "source" in off or filters.source or len(words) > MOST_WORDS:
        return None
    cube = facet_cube()
    for source, _count in sorted(cube.by_value("source", cube.everything()), key=lambda pair: -pair[1]):
        name = _words(source)
        is_whole = f" {' '.join(name)} " in f" {' '.join(words)} "
        said = name if is_whole else words
        if not name or not (is_whole or set(words) <= set(name)) or not _tells(said, vocabulary):
            continue
        for status in dict.fromkeys((filters.status, ANY_STATUS)):  # imported questions are drafts at first
            values = {"source": source} | ({} if status == filters.status else {"status": status})
            if filtered_questions(replace(filters, **values)).exists():  # type: ignore[arg-type]
                rest = re.sub(r"\W+".join(map(re.escape, said)), "\n", text, count=1, flags=re.IGNORECASE)
                read = ReadFilter("source", " ".join(said), f"Source: {source}", values)
                return FilteredQuery(_tidied(rest), replace(filters, **values), (read,))  # type: ignore[arg-type]
    return None


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.casefold())


def _tells(words: Sequence[str], vocabulary: Vocabulary) -> bool:
    """Return whether words can only be a source's name: several, or one in neither a question nor a dictionary."""
    if len(words) > 1:
        return True
    tokens = search_tokens(words[0])
    return not is_english(words[0]) and not any(map(vocabulary.count, tokens)) and not words[0].isdecimal()


def _is_set(filters: SearchFilters, named: ReadFilter) -> bool:
    """Return whether the page already has the filter that words name; a set grade overrides any school years."""
    keys = named.values or (("grade",) if named.years else ())
    return any(getattr(filters, key) != getattr(SearchFilters(), key) for key in keys)


def grades_apart(grade: str, years: tuple[int, int]) -> int:
    """Return the distance of a grade from the nearest of some school years; a large value if it names no year."""
    year = school_year(grade)
    if year is None:
        return _UNKNOWN_GRADES_APART
    return max(years[0] - year, year - years[1], 0)


def _named(text: str) -> Iterable[ReadFilter]:
    """Yield each named filter."""
    for years in named_years(text):
        yield _of_years(years)
    for name, value, pattern in _PHRASES:
        if found := pattern.search(text):
            values, label = _VALUES[name](value)
            yield ReadFilter(name, found[0], label, values)


def _of_years(named: SchoolYears) -> ReadFilter:
    """Return the filter for one grade that the bank has, otherwise school years to prefer."""
    if named.is_one and (grade := _grade_of_bank(named)):
        return ReadFilter("grade", named.words, grade_name(grade), {"grade": grade}, (named.first, named.last))
    if not named.first:
        return ReadFilter("level", named.words, f"{named.words}: not searched for")
    years = grade_name(str(named.first))
    if named.last > named.first:
        years = f"{years} to {grade_name(str(named.last))}"
    said = f"{named.words}: {years} first" if named.is_level else f"Nearest to {years}"
    return ReadFilter("level", named.words, said, years=(named.first, named.last))


def _difficulty(value: str) -> tuple[dict[str, object], str]:
    if value == "easy":
        return {"difficulty_max": EASY}, f"Difficulty up to {EASY:g} %"
    return {"difficulty_min": HARD}, f"Difficulty from {HARD:g} %"


_VALUES: Mapping[str, Callable[[str], tuple[dict[str, object], str]]] = {  # fields and label for each value
    "kind": lambda value: ({"kind": value}, str(Question.Kind(value).label)),
    "task": lambda value: ({"task": value}, TASK_NAMES[value]),
    "language": lambda value: ({"language": value}, language_name(value)),
    "difficulty": _difficulty,
}


def _grade_of_bank(named: SchoolYears) -> str:
    """Return the bank's own name of a grade, empty if no question has it; preferably the one with the same noun."""
    cube = facet_cube()
    same = [
        (bool(named.word) and named.word in value.casefold(), value.strip().isdigit(), count, value)
        for value, count in cube.by_value("grade", cube.equal("status", Question.Status.READY))
        if count and school_year(value) == named.first
    ]
    return max(same)[-1] if same else ""


def _tidied(rest: str) -> str:
    """Return the remaining search text without function words next to the gaps."""
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
