"""Extra negative: a thing that is counted is replaced in some places and stays in others.

ParaQD, Table 3, second example: 20 apples become 20 hats, and then it is asked for the apples.
"""

from __future__ import annotations

import random

from analytics.paraphrase.operators.consistent_renaming import rename_thing, things_in
from analytics.paraphrase.words.editing import apply_edits


def apply(question: str, rng: random.Random) -> str | None:
    """Rename a thing in some of its places; None where no thing stands twice."""
    things = things_in(question)
    repeated = [thing for thing, matches in things.items() if len(matches) > 1]
    if not repeated:
        return None
    thing = rng.choice(repeated)
    edits = rename_thing(thing, things, rng)
    return apply_edits(question, rng.sample(edits, rng.randint(1, len(edits) - 1)))
