"""f7: one to three names are replaced by others of the same category, or deleted, so that the text contradicts itself.

ParaQD (Gupta et al., 2022), section 3.3 and Table 3: a name that is replaced everywhere is a valid paraphrase.
So a name is replaced in some of its mentions only, or by a name that another already has, or it is deleted; where
two names merely change places throughout, others are drawn.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

from analytics.paraphrase.words.editing import Edit, apply_edits, formula_spans, overlaps, tidy
from analytics.paraphrase.words.entities import EntityMention, another_name, find_entities

_MOST = 3
_TRIES = 8


def apply(question: str, rng: random.Random) -> str | None:
    """Replace or delete 1 to min(3, k) of the k names; None where there is none, or only a renaming was drawn."""
    formulas = formula_spans(question)
    mentions: dict[str, list[EntityMention]] = {}
    for mention in find_entities(question):
        if not overlaps(mention.start, mention.end, formulas):
            mentions.setdefault(mention.text, []).append(mention)
    if not mentions:
        return None
    names = list(mentions)
    for _ in range(_TRIES):
        edits: list[Edit] = []
        for name in rng.sample(names, rng.randint(1, min(_MOST, len(names)))):
            edits += _edits(question, mentions[name], names, rng)
        if not _is_renaming(mentions, edits):
            return tidy(apply_edits(question, edits)) or None
    return None


def _is_renaming(mentions: Mapping[str, Sequence[EntityMention]], edits: Sequence[Edit]) -> bool:
    """Return whether every name has one name afterwards and no two have the same, as where two names change places."""
    new = {start: text for start, _end, text in edits}
    named = {
        name: {new.get(mention.start, name) for mention in entity_mentions}
        for name, entity_mentions in mentions.items()
    }
    used = [text for texts in named.values() for text in texts]
    return "" not in used and len(used) == len(set(used)) == len(named)


def _edits(question: str, mentions: list[EntityMention], names: list[str], rng: random.Random) -> list[Edit]:
    name = mentions[0].text
    new = another_name(mentions[0], names, rng)
    others = [other for other in names if other != name]
    ways = ["delete"]
    if new is not None and len(mentions) > 1:
        ways += ["replace in places"] * 2
    if others and len(mentions) == 1:
        ways.append("confuse")
    way = rng.choice(ways)
    if way == "delete":
        chosen, new = mentions, ""
    elif way == "confuse":
        chosen, new = mentions, rng.choice(others)
    else:
        chosen = rng.sample(mentions, rng.randint(1, len(mentions) - 1))
    return [(mention.start, _end(question, mention, new or ""), new or "") for mention in chosen]


def _end(question: str, mention: EntityMention, new: str) -> int:
    """Return the end of a deletion: a possessive s goes with its name."""
    tail = question[mention.end : mention.end + 2]
    return mention.end + 2 if not new and tail in {"'s", "’s"} else mention.end
