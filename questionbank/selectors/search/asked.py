"""What a search asks for: the filters that its words name, the concept, the terms; and which questions it counts."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from functools import reduce
from operator import or_

from questionbank.selectors.search.concept_search import ConceptNames, Named, concept_names, tagged
from questionbank.selectors.search.conditions import Condition, among, any_of, holding
from questionbank.selectors.search.filters import ANY_STATUS, SearchFilters, passing
from questionbank.selectors.search.query import ParsedQuery, parse_query, quoted
from questionbank.selectors.search.query_filters import ReadFilter, read_filters
from questionbank.selectors.search.spelling import vocabulary
from questionbank.selectors.search.term_search import terms_conditions
from questionbank.selectors.search.terms import Terms, terms_of
from questionbank.selectors.search.text_search import phrase_condition, shape_condition, text_condition

TOPIC = "topic"
"""What the whole query is the name of; it can be taken off like a filter that words name."""


@dataclass(frozen=True, slots=True)
class AskedSearch:
    """One search, as its pages share it.

    Attributes:
        typed: the query with the words that name filters, which `parsed` lacks.
        given: the page's filters, without those that were read.
        terms: what a search of a few words asks for, part by part; None where it is read as a whole.
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
    order: str = ""
    page_size: int = 0

    @property
    def key(self) -> tuple[object, ...]:
        return (self.typed, self.given, self.order, self.page_size, self.exact, sorted(self.off))


def asked_search(query: str, filters: SearchFilters, *, exact: bool, off: Collection[str]) -> AskedSearch:
    """Read a query: the filters that it names, then what is left of it."""
    parsed = _parsed(query, exact=exact)
    typed, corrected = parsed.text, parsed.corrected
    given = filters
    read: tuple[ReadFilter, ...] = ()
    named = _named(parsed)
    if parsed.sort in ("words", "question") and not exact and not (named.is_exact and named.concepts):
        reading = read_filters(corrected or typed, filters, off=off)
        filters, read = reading.filters, reading.read
        if reading.text != (corrected or typed):
            parsed = _parsed(reading.text, exact=False)
            named = _named(parsed)
    if TOPIC in off or (named.is_exact and not named.concepts and not _any_holds(named, filters)):
        named = Named()  # of a name that no question has, the words still find something
    if parsed.is_number and filters.status == SearchFilters().status:
        filters = replace(filters, status=ANY_STATUS)  # a question that is named is meant, draft or retired
    return AskedSearch(
        typed=typed,
        parsed=parsed,
        named=named,
        given=given,
        filters=filters,
        read=read,
        off=frozenset(off),
        exact=exact,
        corrected=corrected or parsed.corrected,
        terms=(
            terms_of(
                parsed.tokens,
                ConceptNames() if TOPIC in off else concept_names(),
                vocabulary(),
                is_prose=len(parsed.prose) == len(parsed.tokens),
            )
            if parsed.sort == "words" and not named.is_exact
            else None
        ),
    )


def _any_holds(named: Named, filters: SearchFilters) -> bool:
    condition = phrase_condition(named.phrases)
    return condition is not None and bool((passing(filters) & condition).ids("LIMIT 1"))


def _parsed(query: str, *, exact: bool) -> ParsedQuery:
    return parse_query(query, vocabulary(), exact=exact, names=concept_names().words)


def _named(parsed: ParsedQuery) -> Named:
    """Return what the query names; "3/4 of 20" names what it is about."""
    if parsed.concept:
        return replace(concept_names().named(parsed.concept), phrases=())
    return Named() if parsed.formulas else concept_names().named(parsed.corrected or parsed.text)


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
