"""What a search asks for: the filters that its words name, its concept and terms; and which questions match."""

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
