"""Changes to the order of a question's clauses that keep its purpose.

QuesCo (Ning et al., AAAI 2023), "Structure Augmentation": clause shuffling and useless clause insertion. The
clause that asks stays last, and sub-questions "(1) ...", "(a) ..." stay where they are with all that follows.
"""

from __future__ import annotations

import random
import re

from analytics.text.clauses import split_clauses

_SUBQUESTION = re.compile(r"^\s*[(（](?:\d|[a-e]|[ivIV]{1,3})[)）]")
# A clause with the mark and blanks that follow it; the mark stays where it is when clauses move.
_MARK = re.compile(r"[\s.,;:?!。，；：？！]*$")
_LONGEST = 12  # more clauses than this are a text, not a question's conditions


def shuffle_clauses(text: str, rng: random.Random) -> str | None:
    """Put the conditions in another order; marks stay in place. None where there are fewer than two."""
    conditions, rest = _conditions(text)
    bodies = [body for body, _mark in conditions]
    if not 2 <= len(bodies) <= _LONGEST or len(set(bodies)) < 2:
        return None
    shuffled = list(bodies)
    while shuffled == bodies:
        rng.shuffle(shuffled)
    return "".join(body + mark for body, (_old, mark) in zip(shuffled, conditions, strict=True)) + rest


def insert_clause(text: str, rng: random.Random) -> str | None:
    """Repeat one condition at a random place among the conditions. None where there is no condition."""
    conditions, rest = _conditions(text)
    if not 1 <= len(conditions) <= _LONGEST:
        return None
    body, mark = rng.choice(conditions)
    repeated = list(conditions)
    repeated.insert(rng.randint(0, len(conditions)), (body, mark or ", "))
    return "".join(body + mark for body, mark in repeated) + rest


def _conditions(text: str) -> tuple[list[tuple[str, str]], str]:
    """Return the clauses before the one that asks, as (body, mark), and the unchanged rest of the text."""
    clauses = split_clauses(text)
    questions = [index for index, clause in enumerate(clauses) if clause.is_question]
    # Without a question mark or word, the last one asks.
    end = questions[-1] if questions else len(clauses) - 1
    for index, clause in enumerate(clauses[:end]):
        if _SUBQUESTION.match(clause.text) or (index > 0 and clause.is_question):
            end = index
            break
    conditions = []
    for clause in clauses[:end]:
        match = _MARK.search(clause.text)
        cut = match.start() if match else len(clause.text)
        conditions.append((clause.text[:cut], clause.text[cut:]))
    return conditions, text[clauses[end].start :] if 0 <= end < len(clauses) else ""
