"""Ranking questions by the words, formula tokens and terms that they share with a query.

PostgreSQL's full-text search finds them; word rarity determines their order, which neither `ts_rank` nor `ts_rank_cd`
takes into account. To stay fast in a large bank, candidates come from the rarest words alone, as many as a budget
allows; more common words only affect the order. A search of a few words ranks by terms (`questionbank.search.terms`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from analytics.text.formulas import shape_tokens
from questionbank.search.concept_search import is_tagged, tagged
from questionbank.search.filters import Condition, fetch, holding, rows_of_any
from questionbank.search.query import Vocabulary, quoted, vocabulary
from questionbank.search.terms import Phrase, Terms, Word

CANDIDATE_BUDGET = 3000  # total rows that the words' posting lists may have
FROM_ONE_WORD = 1500  # a word in more questions contributes no candidates on its own
RESCORED = 150  # candidates that are compared with the query word by word
TYPICAL_WORDS = 100  # tokens of a long question; a text much longer than the query ranks slightly lower
MOST_TOKENS = 16  # the rarest of a query's tokens; a long question has more
ENOUGH = 20  # with this many questions containing every word, no others are offered
SAME_SHAPE = 400  # questions with a formula of the query's shape that are considered
COMPARED_SHAPES = 80  # of those, the ones with the most query tokens
ASSUMED_COUNT = 50  # for a token without statistics
LEAST_HELD = 1 / 3  # share of the query's weight; a question with less is not a match


@dataclass(frozen=True, slots=True)
class TextRanking:
    """Questions by descending score.

    Attributes:
        ids: at most `RESCORED`, without those that contain less than `LEAST_HELD` of the query's weight.
        held: share of the query's weight that the first question contains; 1 if it contains every token.
        complete: how many of the first ids contain every token.
    """

    ids: list[int] = field(default_factory=list)
    held: float = 0.0
    complete: int = 0


def rank_by_text(tokens: Sequence[str], passed: Condition, vocabulary: Vocabulary) -> TextRanking:
    """Rank the questions that passed and contain all tokens or, if these are few, those with the rarest."""
    tokens = list(dict.fromkeys(tokens))
    if not tokens:
        return TextRanking()
    counts = token_counts(tokens, vocabulary)
    rarest = _rarest(tokens, counts)
    leading = leading_tokens(rarest, counts)
    weights = {token: vocabulary.rarity(token) for token in rarest}
    every = " & ".join(map(quoted, rarest))
    rows = _scored(passed, leading, rarest, weights, every)
    held = rows[0][2] / sum(weights.values()) if rows else 0.0
    rows = [row for row in rows if row[1] or row[2] >= LEAST_HELD * sum(weights.values())]
    complete = [pk for pk, has_all, _held in rows if has_all]
    if len(complete) >= ENOUGH:
        return TextRanking(complete, held, len(complete))
    return TextRanking([pk for pk, *_ in rows], held, len(complete))


def text_condition(tokens: Sequence[str], vocabulary: Vocabulary) -> Condition | None:
    """Return the condition that a question contains all tokens; None without tokens."""
    rarest = _rarest(list(dict.fromkeys(tokens)), token_counts(tokens, vocabulary))
    return holding(" & ".join(map(quoted, rarest))) if rarest else None


def token_counts(tokens: Iterable[str], vocabulary: Vocabulary) -> dict[str, int]:
    """Return the approximate number of questions that contain each token."""
    return {token: vocabulary.count(token) or ASSUMED_COUNT for token in tokens}


def _rarest(tokens: Sequence[str], counts: dict[str, int]) -> list[str]:
    return sorted(tokens, key=lambda token: counts[token])[:MOST_TOKENS]


def rank_by_phrases(phrases: Sequence[Sequence[str]], passed: Condition) -> TextRanking:
    """Rank the questions that contain one of the phrases, word for word, preferring short texts."""
    query = _any_phrase(phrases)
    if not query:
        return TextRanking()
    nearness = Condition("ts_rank_cd(search_vector, to_tsquery('simple', %s), 1)", (query,))
    ids = _ordered(passed & holding(query), FROM_ONE_WORD, nearness, RESCORED)
    return TextRanking(ids, 1.0 if ids else 0.0, len(ids))


def phrase_condition(phrases: Sequence[Sequence[str]]) -> Condition | None:
    """Return the condition that a question contains one of the phrases."""
    query = _any_phrase(phrases)
    return holding(query) if query else None


def _any_phrase(phrases: Sequence[Sequence[str]]) -> str:
    return " | ".join(f"({' <-> '.join(map(quoted, phrase))})" for phrase in phrases if phrase)


def shape_condition(formulas: Sequence[str]) -> Condition | None:
    """Return the condition that a question contains formulas of the same shapes as all of these."""
    shapes = shape_tokens(formulas)
    return holding(" & ".join(map(quoted, shapes))) if shapes else None


def rank_by_shapes(formulas: Sequence[str], tokens: Sequence[str], passed: Condition) -> list[int]:
    """Return questions with a formula of the same shape as one of these, those with the most tokens first."""
    shapes = shape_tokens(formulas)
    if not shapes:
        return []
    compared = [holding(quoted(token)) for token in tokens[:MOST_TOKENS]]
    held = Condition(
        " + ".join(f"({token.sql})::int" for token in compared) or "0",
        tuple(value for token in compared for value in token.parameters),
    )
    return _ordered(passed & holding(" | ".join(map(quoted, shapes))), SAME_SHAPE, held, COMPARED_SHAPES)


def _ordered(wanted: Condition, looked_at: int, score: Condition, limit: int) -> list[int]:
    """Return the best of the first `looked_at` questions by a score, an SQL expression on their rows."""
    scored = wanted.select(f"id, {score.sql} AS score", end=f"LIMIT {looked_at}")
    query = f"SELECT id FROM ({scored}) AS matching ORDER BY score DESC, id DESC LIMIT {limit}"  # noqa: S608 - ours
    return [int(row[0]) for row in fetch(query, [*score.parameters, *wanted.parameters])]


def leading_tokens(rarest: Sequence[str], counts: Mapping[str, int]) -> list[str]:
    """Return the rarest tokens within the budget, and the very rarest in any case."""
    leading: list[str] = []
    spent = 0
    for token in rarest:
        spent += counts[token]
        if leading and (spent > CANDIDATE_BUDGET or counts[token] > FROM_ONE_WORD):
            break
        leading.append(token)
    return leading


def best_candidates(branches: Sequence[tuple[Sequence[Condition], float]]) -> Condition:
    """Return a common table expression `candidate`, for a WITH clause, of the ids with the most weight.

    Args:
        branches: alternatives of conditions with a weight each; a question gains the weight if it fulfils any of them.
            `FROM_ONE_WORD` questions are taken from each branch.
    """
    rows = [(rows_of_any(wanted, limit=FROM_ONE_WORD), weight) for wanted, weight in branches]
    found = " UNION ALL ".join(
        f"SELECT id, %s::float8 AS weight FROM ({wanted.sql}) AS branch"  # noqa: S608 - ours
        for wanted, _weight in rows
    )
    query = (
        f"candidate AS MATERIALIZED (SELECT id, sum(weight) AS part FROM ({found}) AS found"  # noqa: S608 - ours
        f" GROUP BY id ORDER BY part DESC, id DESC LIMIT {RESCORED})"
    )
    return Condition(query, tuple(value for wanted, weight in rows for value in (weight, *wanted.parameters)))


def _scored(
    passed: Condition, leading: Sequence[str], rarest: Sequence[str], weights: dict[str, float], every: str
) -> list[tuple[int, bool, float]]:
    """Return candidates with whether they contain every token, and the weight of those they contain, best first."""
    # Questions with every token come first: if all words are common, no single one would lead to them.
    branches = [([passed & holding(every)], sum(weights.values()))]
    if len(rarest) > 1:
        branches += [([passed & holding(quoted(token))], weights[token]) for token in leading]
    candidate = best_candidates(branches)
    # Added to the sum of the weights: a short text with the words is more about them than a long one, and adjacent
    # words count for more than separate ones.
    query = f"""
        WITH {candidate.sql}, scored AS (
            SELECT c.id, {" + ".join(["(q.search_vector @@ to_tsquery('simple', %s))::int * %s::float8"] * len(rarest))}
                AS held, length(q.search_vector) AS words,
                ts_rank_cd(q.search_vector, to_tsquery('simple', %s)) AS nearness,
                q.search_vector @@ to_tsquery('simple', %s) AS has_all
            FROM candidate c JOIN questionbank_question q ON q.id = c.id
        )
        SELECT id, has_all, held FROM scored
        ORDER BY has_all DESC, held * held / (%s + words) * (1 + 3 * nearness) DESC, id DESC
    """  # noqa: S608 - only numbers of ours; what was typed is in the parameters
    parameters = list(candidate.parameters)
    for token in rarest:
        parameters += [quoted(token), weights[token]]
    parameters += [every, every, float(TYPICAL_WORDS)]
    return [(int(pk), bool(has_all), float(held)) for pk, has_all, held in fetch(query, parameters)]


LOOKED_THROUGH = 50_000  # index entries that all phrases of a search together may read
LEADING_CONCEPTS = 3  # most concepts named by words that contribute candidates, rarest words first
BY_NAME = 0.7  # factor on a word's weight if only a synonym or a concept matches
BY_TOPIC = 0.4  # factor if only a concept with questions on the word's topic matches
NAME_BONUS, PAIR_BONUS = (1.0, 0.25)  # factor on a phrase's weight: the bonus for words that are together
TAG_BONUS = 1.0  # the bonus for being tagged with a concept of exactly this name


@dataclass(frozen=True, slots=True)
class TermRanking(TextRanking):
    """A text ranking with the share of the search's weight that each question contains."""

    shares: Mapping[int, float] = field(default_factory=dict)


def rank_by_terms(terms: Terms, passed: Condition) -> TermRanking:
    """Rank the questions with all words, in their text or tags, before those with some."""
    conditions = terms_conditions(terms)
    if not conditions:
        return TermRanking()
    most = sum(word.weight for word in terms.words) or 1.0
    known = sum(word.weight for word in terms.words if not word.is_unknown) or most
    scored: list[tuple[int, bool, float, int]] = []
    shares: dict[int, float] = {}
    for row in _rows(terms, passed, conditions):
        weight, is_complete = _held_weight(terms, row)
        if weight < LEAST_HELD * known:
            continue
        shares[row.id] = weight / most
        score = (weight + _gained(terms, row)) ** 2 / (TYPICAL_WORDS + row.length) * (1 + 3 * row.nearness)
        scored.append((row.direction, is_complete, score, row.id))
    scored.sort(reverse=True)
    ids = [pk for *_order, pk in scored]
    complete = sum(is_complete for _direction, is_complete, *_ in scored)
    return TermRanking(ids, shares[ids[0]] if ids else 0.0, complete, shares)


def _held_weight(terms: Terms, row: _Row) -> tuple[float, bool]:
    """Return the weight of the words that a question contains, and whether these are all."""
    weight, is_complete = 0.0, True
    for word, has_word in zip(terms.words, row.words, strict=True):
        held = [place for place in word.phrases if terms.phrases[place].is_name and row.phrases[place]]
        if has_word:
            weight += word.weight
        elif any(row.said[place] or not terms.phrases[place].is_topic for place in held):
            weight += word.weight * BY_NAME
        else:
            weight += word.weight * (BY_TOPIC if held else 0.0)
            is_complete = False
    return weight, is_complete


def _gained(terms: Terms, row: _Row) -> float:
    """Return a question's bonus for words that are together, and for concepts with this name."""
    gained = 0.0
    for phrase, is_held, is_tagged_so in zip(terms.phrases, row.phrases, row.tags, strict=True):
        if is_held:
            gained += phrase.weight * (NAME_BONUS if phrase.is_name else PAIR_BONUS)
        if is_tagged_so and phrase.is_concept:
            gained += phrase.weight * TAG_BONUS
    return gained


def terms_conditions(terms: Terms) -> list[Condition]:
    """Return conditions such that a question with every word fulfils at least one; empty without words.

    A search for turning one thing into another does not match questions that ask for the reverse.

    The first condition uses the full-text index alone, each of the others starts from the questions tagged with what a
    word names: for a condition that joins words and tags by OR, PostgreSQL would collect every word's questions. If
    more questions are tagged, all start from those that contain the rarest word, or are tagged with what it names.
    """
    if not terms.words:
        return []
    said = {word: _said(word, terms) for word in terms.words}
    rarest = min(terms.words, key=lambda word: word.looked_through)
    tags_of_others = sum(phrase.tags for word in terms.words if word is not rarest for phrase in _names(word, terms))
    if tags_of_others > rarest.looked_through:
        conditions, leading = [_with_others(holding(said[rarest]), rarest, said, terms)], [rarest]
    else:
        conditions, leading = [holding(" & ".join(f"({query})" for query in said.values()))], [*terms.words]
    tags = [(word, nodes) for word in leading if (nodes := _nodes(word, terms))]
    conditions += [_with_others(tagged(nodes), word, said, terms) for word, nodes in tags]
    if terms.direction:
        not_reverse = holding(f"({terms.direction.wanted}) | !({terms.direction.reverse})")
        conditions = [condition & not_reverse for condition in conditions]
    return conditions


def _with_others(condition: Condition, word: Word, said: Mapping[Word, str], terms: Terms) -> Condition:
    """Return the condition extended to require every word other than the given one."""
    for other in terms.words:
        if other is not word:
            condition &= _held(other, said[other], terms)
    return condition


def _said(word: Word, terms: Terms) -> str:
    names = [f"({phrase.query})" for phrase in _names(word, terms)]
    return " | ".join([word.query, *names])


def _held(word: Word, said: str, terms: Terms) -> Condition:
    nodes = _nodes(word, terms)
    # Checked question by question for those tagged with another word.
    return holding(said) | is_tagged(nodes) if nodes else holding(said)


def _nodes(word: Word, terms: Terms) -> list[str]:
    return [node for phrase in _names(word, terms) for node in phrase.nodes]


def _names(word: Word, terms: Terms) -> list[Phrase]:
    return [terms.phrases[place] for place in word.phrases if terms.phrases[place].is_name]


def _branches(
    terms: Terms, passed: Condition, conditions: Sequence[Condition]
) -> list[tuple[Sequence[Condition], float]]:
    """Return the sources of candidates with their weights: phrases, rare words, all words, the rarest concepts.

    A common word is not a source on its own, nor are adjacent common words.
    """
    counts = token_counts((word.token for word in terms.words), vocabulary())
    leading = leading_tokens(sorted(counts, key=lambda token: counts[token]), counts)
    said: dict[str, float] = defaultdict(float)  # a word may be a name as well
    for part in _quickly_found(terms.phrases) + [word for word in terms.words if word.token in leading]:
        said[part.query] += part.weight
    named = sorted((phrase for phrase in terms.phrases if phrase.nodes), key=lambda phrase: -phrase.weight)
    return [
        *(([passed & holding(query)], weight) for query, weight in said.items()),
        ([passed & one for one in conditions], sum(word.weight for word in terms.words)),
        *(([passed & tagged(part.nodes)], part.weight) for part in named[:LEADING_CONCEPTS]),
    ]


def _quickly_found(phrases: Iterable[Phrase]) -> list[Phrase | Word]:
    """Return the phrases that are sources of candidates: those with rare words first, within the lookup budget."""
    found: list[Phrase | Word] = []
    spent = 0
    for phrase in sorted(phrases, key=lambda phrase: phrase.looked_through):
        spent += phrase.looked_through
        if spent > LOOKED_THROUGH:
            break
        found.append(phrase)
    return found


@dataclass(frozen=True, slots=True)
class _Row:
    """A candidate: how near the words are, and which phrases, concepts of phrases and words it contains.

    Attributes:
        said: which phrases its text contains.
        phrases: which phrases its text or its tags contain.
        direction: 1 if it asks for the conversion that the search wants, -1 for the reverse, otherwise 0.
    """

    id: int
    length: int
    said: list[bool]
    phrases: list[bool]
    tags: list[bool]
    words: list[bool]
    nearness: float
    direction: int


def _rows(terms: Terms, passed: Condition, conditions: Sequence[Condition]) -> list[_Row]:
    """Return the most likely candidates."""
    candidate = best_candidates(_branches(terms, passed, conditions))
    never = Condition("FALSE")
    tags = [is_tagged(phrase.nodes) if phrase.nodes else never for phrase in terms.phrases]
    phrases = [holding(phrase.query) for phrase in terms.phrases]
    words = [holding(word.query) for word in terms.words]
    towards = terms.direction
    turned = [holding(towards.wanted), holding(towards.reverse)] if towards else [never, never]
    every = " & ".join(f"({word.query})" for word in terms.words)
    arrays = ", ".join(
        f"ARRAY[{', '.join(condition.sql for condition in conditions)}]::boolean[]"
        for conditions in (phrases, tags, words, turned)
    )
    query = f"""
        WITH {candidate.sql}
        SELECT id, length(search_vector), {arrays}, ts_rank_cd(search_vector, to_tsquery('simple', %s))
        FROM candidate JOIN questionbank_question USING (id)
    """  # noqa: S608 - only numbers of ours; what was typed is in the parameters
    parts = (candidate, *phrases, *tags, *words, *turned)
    parameters = [value for part in parts for value in part.parameters]
    rows = fetch(query, [*parameters, every])
    return [
        _Row(
            int(pk),
            int(length),
            said_phrases,
            [said or tagged_so for said, tagged_so in zip(said_phrases, tags_held, strict=True)],
            tags_held,
            words_held,
            float(nearness),
            int(is_wanted) - int(is_reverse),
        )
        for pk, length, said_phrases, tags_held, words_held, (is_wanted, is_reverse), nearness in rows
    ]
