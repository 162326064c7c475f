"""Ranking questions by the words and formula tokens that they share with a query.

PostgreSQL's full-text search finds them; word rarity determines their order, which neither `ts_rank` nor `ts_rank_cd`
takes into account. To stay fast in a large bank, candidates come from the rarest words alone, as many as a budget
allows; more common words only affect the order.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from analytics.text.formula_shape import shape_tokens
from questionbank.search.conditions import Condition, fetch, holding, rows_of_any
from questionbank.search.query import quoted
from questionbank.search.spelling import Vocabulary

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
