"""What a search asks for: the filters that its words name, its concept and terms; and which questions match.

Words such as "grade 3", "in Chinese" or "easy" name filters; they stay search words if the bank cannot filter by them
or nothing but a concept's name was typed. School years without a question, several of them, and names of exams ("GCSE")
do not filter: the nearest grades rank first.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from operator import or_

from analytics.languages import primary_language
from analytics.text.tokens import search_tokens
from questionbank.bank.school_grades import SchoolYears, grade_name, named_years, school_year
from questionbank.bank.search_index import facet_cube
from questionbank.core.wording import language_name
from questionbank.models import Question
from questionbank.search.concept_search import ConceptNames, Named, concept_names, tagged
from questionbank.search.filters import (
    ANY_STATUS,
    Condition,
    SearchFilters,
    among,
    any_of,
    filtered_questions,
    holding,
    passing,
)
from questionbank.search.query import ParsedQuery, Vocabulary, is_english, parse_query, quoted, vocabulary
from questionbank.search.terms import Terms, terms_of, wanted_direction
from questionbank.search.text_search import phrase_condition, shape_condition, terms_conditions, text_condition
from questionbank.search.topics import Translated, translated

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
    for named in _filters_named(text):
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


def _filters_named(text: str) -> Iterable[ReadFilter]:
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


_VALUES: Mapping[str, Callable[[str], tuple[dict[str, object], str]]] = {  # fields and label for each value
    "kind": lambda value: ({"kind": value}, str(Question.Kind(value).label)),
    "task": lambda value: ({"task": value}, TASK_NAMES[value]),
    "language": lambda value: ({"language": value}, language_name(value)),
    "difficulty": lambda value: (
        ({"difficulty_max": EASY}, f"Difficulty up to {EASY:g} %")
        if value == "easy"
        else ({"difficulty_min": HARD}, f"Difficulty from {HARD:g} %")
    ),
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


TOPIC = "topic"
"""The name matched by the whole query; it can be removed like a filter that words name."""
ENOUGH_IN_LANGUAGE = 100  # ready questions in a language from which a search in it is not translated,
ENOUGH_SHARE = 0.1  # or such a share in a small bank


@dataclass(frozen=True, slots=True)
class AskedSearch:
    """One search, as shared by its pages.

    Attributes:
        typed: the query including the words that name filters, which `parsed` lacks.
        given: the page's filters, without those found in the query.
        terms: the terms of a search of a few words; None if the query is handled as a whole.
        language: the language it was translated from; empty if it was searched for as typed.
    """

    typed: str
    parsed: ParsedQuery
    named: Named
    given: SearchFilters
    filters: SearchFilters
    read: tuple[ReadFilter, ...]
    off: frozenset[str]
    exact: bool
    corrected: str
    terms: Terms | None = None
    language: str = ""
    order: str = ""
    page_size: int = 0

    @property
    def years(self) -> tuple[int, int] | None:
        """The school years that the query names, as US grades."""
        return next((one.years for one in self.read if one.years), None)

    @property
    def key(self) -> tuple[object, ...]:
        return (self.typed, self.given, self.order, self.page_size, self.exact, sorted(self.off))


@dataclass(frozen=True, slots=True)
class _Reading:
    """The result of reading a query."""

    names: ConceptNames
    parsed: ParsedQuery
    named: Named
    filters: SearchFilters
    read: tuple[ReadFilter, ...] = ()
    corrected: str = ""
    language: str = ""


def asked_search(query: str, filters: SearchFilters, *, exact: bool, off: Collection[str]) -> AskedSearch:
    """Parse a query: the source it names, its topics translated to English, other filters, then the remaining text."""
    names, words = concept_names(), vocabulary()
    source = None
    if not exact and not names.named(query).is_whole:
        source = read_source(query, filters, words, off=off)
    text, narrowed = (source.text, source.filters) if source else (query, filters)
    reading = _read(text, narrowed, names, exact=exact, off=off)
    parsed, named, filters_read = reading.parsed, reading.named, reading.filters
    if named.is_whole and wanted_direction(parsed.tokens):
        named = replace(named, phrases=(), is_whole=False)  # "decimals to fractions", from "Fractions and decimals"
    if TOPIC in off or (named.is_exact and not named.concepts and not _any_holds(named, filters_read)):
        named = Named()  # if no question is tagged with that name, its words may still match
    if parsed.is_number and filters_read.status == SearchFilters().status:
        filters_read = replace(filters_read, status=ANY_STATUS)  # drafts and retired questions too
    return AskedSearch(
        typed=query.replace("\x00", " ").strip(),
        parsed=parsed,
        named=named,
        given=filters,
        filters=filters_read,
        read=(*(source.read if source else ()), *reading.read),
        off=frozenset(off),
        exact=exact,
        corrected=reading.corrected,
        language=reading.language,
        terms=(
            terms_of(
                parsed.tokens,
                ConceptNames() if TOPIC in off else reading.names,
                words,
                is_prose=len(parsed.prose) == len(parsed.tokens),
            )
            if parsed.sort == "words" and not named.is_exact
            else None
        ),
    )


def _read(query: str, filters: SearchFilters, names: ConceptNames, *, exact: bool, off: Collection[str]) -> _Reading:
    """Translate the topics of a query to English, and extract the filters that it names from the rest."""
    foreign = None if exact or TRANSLATION in off else _translated(query, names)
    if foreign:
        query, names = foreign.text, names.with_synonyms(foreign.names)
    parsed = _parsed(query, names, exact=exact or foreign is not None)
    text, corrected = parsed.corrected or parsed.text, parsed.corrected
    named = _named(parsed, names)
    read: tuple[ReadFilter, ...] = ()
    if parsed.sort in ("words", "question") and not exact and not (named.is_exact and named.concepts):
        reading = read_filters(text, filters, off=off)
        filters, read = reading.filters, reading.read
        if reading.text != text:
            parsed = _parsed(reading.text, names, exact=foreign is not None)
            named = _named(parsed, names)
    if foreign:
        label = f"In English: {parsed.text or foreign.text}"
        read = (ReadFilter(TRANSLATION, foreign.text, label), *read)
    language = foreign.language if foreign else ""
    return _Reading(names, parsed, named, filters, read, corrected or parsed.corrected, language)


def _translated(query: str, names: ConceptNames) -> Translated | None:
    """Return the query with its topics in English if the bank has few questions in the query's language."""
    if len(query.split()) > MOST_WORDS:
        return None
    foreign = translated(query, vocabulary(), names.words)
    if foreign is None or names.has(query):
        return None
    cube = facet_cube()
    ready = cube.equal("status", Question.Status.READY)
    in_language = sum(
        count for language, count in cube.by_value("language", ready) if primary_language(language) == foreign.language
    )
    enough = min(ENOUGH_IN_LANGUAGE, ENOUGH_SHARE * cube.total(ready))
    return foreign if not in_language or in_language < enough else None


def _any_holds(named: Named, filters: SearchFilters) -> bool:
    condition = phrase_condition(named.phrases)
    return condition is not None and bool((passing(filters) & condition).ids("LIMIT 1"))


def _parsed(query: str, names: ConceptNames, *, exact: bool) -> ParsedQuery:
    return parse_query(query, vocabulary(), exact=exact, names=names.words)


def _named(parsed: ParsedQuery, names: ConceptNames) -> Named:
    """Return the concept that the query names; for "3/4 of 20", the concept that it is an example of."""
    if parsed.concept:
        return replace(names.named(parsed.concept), phrases=())
    return Named() if parsed.formulas else names.named(parsed.corrected or parsed.text)


def asked_condition(asked: AskedSearch, passed: Condition, *, are_many: bool = False) -> Condition:
    """Return the condition for the matches of a search among questions that passed the filters.

    Args:
        are_many: whether collecting them would take long, so that PostgreSQL should check one question after another.
    """
    conditions = asked_conditions(asked)
    if not conditions:
        return Condition("FALSE")
    return passed & (reduce(or_, conditions) if are_many else any_of(conditions, passed))


def asked_conditions(asked: AskedSearch) -> list[Condition]:
    """Return conditions such that a question matches the search if it fulfils any of them."""
    parsed, named, terms = asked.parsed, asked.named, asked.terms
    if parsed.is_number:
        return [among([parsed.number])]
    if named.is_whole:
        conditions = [*tagged_conditions(asked), phrase_condition(named.phrases)]
        if not named.is_exact and terms:
            conditions += terms_conditions(terms)
    else:
        conditions = [*terms_conditions(terms)] if terms else [text_condition(parsed.tokens, vocabulary())]
        if parsed.sort == "formula":
            conditions.append(shape_condition(parsed.formulas))
    if parsed.number:
        conditions.append(among([parsed.number]))
    return [condition for condition in conditions if condition is not None]


def tagged_conditions(asked: AskedSearch) -> list[Condition]:
    """Return conditions such that a question is tagged with what the query names if it fulfils any of them.

    If a concept's name lists several things and the query is one of them, its words must occur too.
    """
    whole = [match.node for match in asked.named.concepts if not match.is_one_of_several]
    several = [match.node for match in asked.named.concepts if match.is_one_of_several]
    conditions = [tagged(whole)] if whole else []
    if several and (words := _any_name(asked)):
        conditions.append(tagged(several) & words)
    return conditions


def _any_name(asked: AskedSearch) -> Condition | None:
    """Return the condition that a question contains all words of one of the names that the query stands for."""
    names = [" & ".join(map(quoted, phrase)) for phrase in asked.named.phrases if phrase]
    return holding(" | ".join(f"({name})" for name in names)) if names else None
