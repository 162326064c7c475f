"""What a search asks for: the filters that its words name, the concept, the terms; and which questions it counts."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from functools import reduce
from operator import or_

from analytics.languages import primary_language
from questionbank.bank.facet_counts import facet_cube
from questionbank.models import Question
from questionbank.search.concept_search import ConceptNames, Named, concept_names, tagged
from questionbank.search.conditions import Condition, among, any_of, holding
from questionbank.search.filters import ANY_STATUS, SearchFilters, passing
from questionbank.search.query import ParsedQuery, parse_query, quoted
from questionbank.search.query_filters import MOST_WORDS, TRANSLATION, ReadFilter, read_filters, read_source
from questionbank.search.spelling import vocabulary
from questionbank.search.term_search import terms_conditions
from questionbank.search.terms import Terms, terms_of, wanted_direction
from questionbank.search.text_search import phrase_condition, shape_condition, text_condition
from questionbank.search.topics import Translated, translated

TOPIC = "topic"
"""What the whole query is the name of; it can be taken off like a filter that words name."""
ENOUGH_IN_LANGUAGE = 100  # ready questions in a language from which a search in it is not translated,
ENOUGH_SHARE = 0.1  # and such a share of a small bank


@dataclass(frozen=True, slots=True)
class AskedSearch:
    """One search, as its pages share it.

    Attributes:
        typed: the query with the words that name filters, which `parsed` lacks.
        given: the page's filters, without those that were read.
        terms: what a search of a few words asks for, part by part; None where it is read as a whole.
        language: that it was translated from; empty where it was searched for as typed.
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
        """The school years that the words name, as US grades."""
        return next((one.years for one in self.read if one.years), None)

    @property
    def key(self) -> tuple[object, ...]:
        return (self.typed, self.given, self.order, self.page_size, self.exact, sorted(self.off))


@dataclass(frozen=True, slots=True)
class _Reading:
    """What was read in a query."""

    names: ConceptNames
    parsed: ParsedQuery
    named: Named
    filters: SearchFilters
    read: tuple[ReadFilter, ...] = ()
    corrected: str = ""
    language: str = ""


def asked_search(query: str, filters: SearchFilters, *, exact: bool, off: Collection[str]) -> AskedSearch:
    """Read a query: the source that it names, its topics in English, other filters, then what is left of it."""
    names, words = concept_names(), vocabulary()
    source = None
    if not exact and not names.named(query).is_whole:
        source = read_source(query, filters, words, off=off)
    text, narrowed = (source.text, source.filters) if source else (query, filters)
    reading = _read(text, narrowed, names, exact=exact, off=off)
    parsed, named, filters_read = reading.parsed, reading.named, reading.filters
    if named.is_whole and wanted_direction(parsed.tokens):
        named = replace(
            named, phrases=(), is_whole=False
        )  # "decimals to fractions", of "Fractions and decimals"
    if TOPIC in off or (named.is_exact and not named.concepts and not _any_holds(named, filters_read)):
        named = Named()  # of a name that no question has, the words still find something
    if parsed.is_number and filters_read.status == SearchFilters().status:
        filters_read = replace(filters_read, status=ANY_STATUS)  # a named question is meant, draft or retired
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


def _read(
    query: str, filters: SearchFilters, names: ConceptNames, *, exact: bool, off: Collection[str]
) -> _Reading:
    """Read the topics of a query in English, the filters that it names, and what is left of it."""
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
    """Return the query with its topics in English, where the bank has few questions in the language that it is in."""
    if len(query.split()) > MOST_WORDS:
        return None
    foreign = translated(query, vocabulary(), names.words)
    if foreign is None or names.has(query):
        return None
    cube = facet_cube()
    ready = cube.equal("status", Question.Status.READY)
    in_language = sum(
        count
        for language, count in cube.by_value("language", ready)
        if primary_language(language) == foreign.language
    )
    enough = min(ENOUGH_IN_LANGUAGE, ENOUGH_SHARE * cube.total(ready))
    return foreign if not in_language or in_language < enough else None


def _any_holds(named: Named, filters: SearchFilters) -> bool:
    condition = phrase_condition(named.phrases)
    return condition is not None and bool((passing(filters) & condition).ids("LIMIT 1"))


def _parsed(query: str, names: ConceptNames, *, exact: bool) -> ParsedQuery:
    return parse_query(query, vocabulary(), exact=exact, names=names.words)


def _named(parsed: ParsedQuery, names: ConceptNames) -> Named:
    """Return what the query names; "3/4 of 20" names what it is about."""
    if parsed.concept:
        return replace(names.named(parsed.concept), phrases=())
    return Named() if parsed.formulas else names.named(parsed.corrected or parsed.text)


def asked_condition(asked: AskedSearch, passed: Condition, *, are_many: bool = False) -> Condition:
    """Return what those of the questions that passed the filters fulfil which a search counts.

    Args:
        are_many: collecting them would take long: PostgreSQL looks at one question after another.
    """
    conditions = asked_conditions(asked)
    if not conditions:
        return Condition("FALSE")
    return passed & (reduce(or_, conditions) if are_many else any_of(conditions, passed))


def asked_conditions(asked: AskedSearch) -> list[Condition]:
    """Return the conditions of which each question fulfils one that a search counts."""
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
    """Return the conditions of which questions fulfil one that are tagged with what the query names.

    Where it is one of several things that a concept's name lists, their words name it as well.
    """
    whole = [match.node for match in asked.named.concepts if not match.is_one_of_several]
    several = [match.node for match in asked.named.concepts if match.is_one_of_several]
    conditions = [tagged(whole)] if whole else []
    if several and (words := _any_name(asked)):
        conditions.append(tagged(several) & words)
    return conditions


def _any_name(asked: AskedSearch) -> Condition | None:
    """Return what questions fulfil that hold all words of one of the names of what the query names."""
    names = [" & ".join(map(quoted, phrase)) for phrase in asked.named.phrases if phrase]
    return holding(" | ".join(f"({name})" for name in names)) if names else None
