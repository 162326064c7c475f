"""The stand-in of f_a, a test operator: rules put plain statements in the passive.

ParaQD (Gupta et al., 2022), section 4.2: "Ann bought 5 pens at the shop." -> "5 pens were bought by Ann at the shop.".
Like the paper's models, it fails at times: it is for test sets that people label.
"""

from __future__ import annotations

import random
import re

from analytics.paraphrase.words.editing import lower_first, tidy, upper_first
from analytics.paraphrase.words.tables import words_of
from analytics.text.clauses import split_sentences

_PARTICIPLES = dict(pair.split(":") for pair in words_of("participles"))
_SUBJECT = (
    r"(?P<subject>(?:The|A|An|Each|Every|His|Her|Their) [a-z]+(?: [a-z]+)?|[A-Z][a-z]+(?: and [A-Z][a-z]+)?"
    r"|He|She|They|We|I)"
)
_OBJECT = (
    r"(?P<object>(?:\$?\d[\d,./]*|the|a|an|some|his|her|their|two|three|four|five|six|seven|eight|nine|ten)\b"
    r"[^.,;]*?)"
)
_REST = r"(?P<rest>(?: (?:at|in|on|for|from|to|with|per|each|every|yesterday|today|last|this)\b[^.]*)?)"
_STATEMENT = re.compile(
    rf"^{_SUBJECT} (?P<verb>{'|'.join([*_PARTICIPLES, *words_of('regular_participles')])}) {_OBJECT}{_REST}\.\s*$"
)
_ANOTHER_VERB = re.compile(r"\b(?:and|but|which|who|that) (?!\$?\d|the |an? |his |her )")
_BY = {"He": "him", "She": "her", "They": "them", "We": "us", "I": "me"}
_SINGULAR = re.compile(r"^(?:a|an|one|1)\b|^(?:the|his|her)\s(?!.*s$)", re.IGNORECASE)


def apply(question: str, _rng: random.Random) -> str | None:
    """Put every plain statement in the passive; None where there is none."""
    parts: list[str] = []
    changed = False
    for sentence in split_sentences(question):
        match = _STATEMENT.match(sentence.text)
        if match is None or _ANOTHER_VERB.search(match["object"]):
            parts.append(sentence.text)
            continue
        changed = True
        parts.append(_passive(match) + " ")
    return tidy("".join(parts)) if changed else None


def _passive(match: re.Match[str]) -> str:
    verb = match["verb"]
    present = verb.endswith("s") and verb in _PARTICIPLES
    singular = _SINGULAR.match(match["object"]) is not None
    be = {(True, True): "is", (True, False): "are", (False, True): "was", (False, False): "were"}[
        present, singular
    ]
    subject = match["subject"]
    agent = _BY.get(subject) or (lower_first(subject) if " " in subject and "and" not in subject else subject)
    return f"{upper_first(match['object'])} {be} {_PARTICIPLES.get(verb, verb)} by {agent}{match['rest']}."
