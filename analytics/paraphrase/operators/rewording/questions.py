"""Rules of the rule paraphraser on what is asked: the same quantity, asked for in other words."""

from __future__ import annotations

import random
import re

from analytics.language.en.verb_forms import VERBS, past_of, third_person
from analytics.paraphrase.words.editing import lower_first, upper_first
from analytics.text.clauses import split_sentences

_NOUNS = r"(?P<what>(?:more |fewer |total |extra )?[a-z][a-z'’ -]{1,40}?)"
_DO = r"(?P<do>did|does|do|will|would|can|could|should|must)"
_SUBJECT = (
    r"(?P<who>(?:the |his |her |their |each |a |an )?[A-Za-z'’]+(?: and (?:the |his |her )?[A-Za-z]+)?"
    r"|the [a-z]+ [a-z]+)"
)
_ASK = ("Find", "Determine", "Calculate", "Work out")
_AUXILIARY = frozenset({"will", "would", "can", "could", "should", "must"})

_HOW_MANY_DO = re.compile(rf"^How many {_NOUNS} {_DO} {_SUBJECT} (?P<verb>[a-z]+)(?P<rest>[^?]*)\?$")
_HOW_MANY_BE_THERE = re.compile(rf"^How many {_NOUNS} (?P<be>are|were) there(?P<rest> [^?]*)?\?$")
_HOW_MUCH_MONEY = re.compile(rf"^How much money {_DO} {_SUBJECT} (?P<verb>[a-z]+)(?P<rest>[^?]*)\?$")
_HOW_MUCH_DO = re.compile(
    rf"^How much {_DO} {_SUBJECT} (?P<verb>spend|pay|earn|make|cost|weigh|save)(?P<rest>[^?]*)\?$"
)
_WHAT_IS = re.compile(r"^What (?:is|was|are|were|will be) (?P<what>(?:the|his|her|their|its) [^?]+)\?$")
_TEMPLATES = (
    (
        re.compile(
            r"^(?:Find|Determine|Calculate|Compute|Work out)"
            r" (?P<what>(?:the|his|her|their|its) (?![^?.]*(?:\band\b|,|\bare\b))[^?.]+)[?.]$"
        ),
        "What is {what}?",
    ),
    (
        re.compile(r"^How long (?P<do>will|did|does|would) it take (?P<who>[^?]+?) to (?P<rest>[^?]+)\?$"),
        "How much time {do} {who} need to {rest}?",
    ),
    (
        re.compile(
            r"^How old (?P<be>is|was) (?P<who>[A-Z][a-z]+|the [a-z]+)(?P<rest>(?: (?:now|today|in \d[^?]*))?)\?$"
        ),
        "What {be} the age of {who}{rest}?",
    ),
)
"""What has one other wording -> that."""

_HOW_FAR = re.compile(
    rf"^How far {_DO} {_SUBJECT} (?P<verb>travel|walk|run|drive|go|ride|swim|jump)(?P<rest>[^?]*)\?$"
)

_ATTRIBUTE = {"cost": "is the cost of", "weigh": "is the weight of"}


def reword_question(text: str, rng: random.Random) -> str | None:
    """Ask for the same quantity in other words; None where the question has none of the known forms."""
    sentences = [clause for clause in split_sentences(text) if clause.is_question]
    for sentence in reversed(sentences):
        body = re.sub(r"\s+([?.])$", r"\1", sentence.text.strip())
        lead = re.match(
            r"^(?P<lead>(?:If|When|Given that|After) [^?]*, )(?P<asked>(?:how|what|find)\b[^?]*[?.])$", body
        )
        asked = upper_first(lead["asked"]) if lead else body
        new = _reworded(asked, rng)
        if new is not None:
            if lead:
                new = lead["lead"] + lower_first(new)
            start = sentence.start
            return text[:start] + new + text[start + len(sentence.text.rstrip()) :]
    return None


def _reworded(asked: str, rng: random.Random) -> str | None:
    for form in (_how_many_do, _how_many_there, _how_much, _what_is, _how_far):
        if (new := form(asked, rng)) is not None:
            return new
    matches = ((pattern.match(asked), template) for pattern, template in _TEMPLATES)
    return next((template.format_map(match.groupdict("")) for match, template in matches if match), None)


def _what(quantity: str, rng: random.Random, be: str = "is") -> str:
    """Ask for a quantity by name."""
    if rng.random() < 0.5:
        return f"{rng.choice(_ASK)} {quantity}."
    return f"What {be} {quantity}?"


def _clause(match: re.Match[str]) -> str:
    """Return the clause that a question contains: "did Ann buy today" -> "Ann bought today"."""
    do = match["do"]
    verb = match["verb"]
    who = match["who"]
    if do in _AUXILIARY:
        return f"{who} {do} {verb}{match['rest']}"
    if do == "did":
        return f"{who} {past_of(verb)}{match['rest']}"
    return f"{who} {third_person(verb) if do == 'does' else verb}{match['rest']}"


def _how_many_do(asked: str, rng: random.Random) -> str | None:
    match = _HOW_MANY_DO.match(asked)
    if (
        match is None
        or not (match["do"] in _AUXILIARY or match["verb"] in VERBS)
        or match["who"] in {"be", "have"}  # "can be filled": nobody is named
        or re.search(r"\bthan\b|\beach\b", match["rest"])
        or match["what"].startswith(("more", "fewer"))
    ):
        return None
    noun = match["what"].removeprefix("total ")
    total = "total number" if match["what"].startswith("total ") else "number"
    if (
        match["verb"] == "have"
        and match["do"] == "does"
        and match["rest"].strip() == "left"
        and rng.random() < 0.5
    ):
        return f"How many {noun} remain with {match['who']}?"
    return _what(f"the {total} of {noun} that {_clause(match)}", rng)


def _how_many_there(asked: str, rng: random.Random) -> str | None:
    match = _HOW_MANY_BE_THERE.match(asked)
    if (
        match is None
        or match["what"].startswith(("more", "fewer"))
        or re.search(r"\bthan\b", match["rest"] or "")
    ):
        return None
    total = match["what"].startswith("total ")
    noun = match["what"].removeprefix("total ")
    quantity = f"the {'total ' if total else ''}number of {noun}{match['rest'] or ''}"
    return _what(quantity, rng, "is" if match["be"] == "are" else "was")


def _how_much(asked: str, rng: random.Random) -> str | None:
    match = _HOW_MUCH_MONEY.match(asked)
    if match is not None and match["verb"] in VERBS:
        return _what(f"the amount of money that {_clause(match)}", rng)
    match = _HOW_MUCH_DO.match(asked)
    if match is None or re.search(r"\bthan\b|\bmore\b", match["rest"]):
        return None
    if match["verb"] in _ATTRIBUTE:
        name = "cost" if match["verb"] == "cost" else "weight"
        if match["do"] in _AUXILIARY or match["rest"].strip():
            return None
        return _what(f"the {name} of {match['who']}", rng)
    return _what(f"the amount that {_clause(match)}", rng)


def _what_is(asked: str, rng: random.Random) -> str | None:
    match = _WHAT_IS.match(asked)
    return f"{rng.choice(_ASK)} {match['what']}." if match else None


def _how_far(asked: str, rng: random.Random) -> str | None:
    match = _HOW_FAR.match(asked)
    if match is None or re.search(r"\bthan\b|\bfrom\b", match["rest"]):
        return None
    return _what(f"the distance that {_clause(match)}", rng)
