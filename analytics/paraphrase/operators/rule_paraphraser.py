"""The offline stand-in for f1, back-translation: a rule-based paraphraser that preserves a question's mathematics.

No weights are downloaded by default, so it replaces the translation models until they are configured. Every
rule preserves numbers, units, names and relations: clause order, joined sentences, contractions, a curated
list of synonyms, and reworded questions. It makes no passives and neither replaces nor deletes random words:
the test operators do that (f_a, f_c, f_d).
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from functools import lru_cache

from analytics.language.en.words import VERBS, past_of, third_person
from analytics.paraphrase.words.entities import find_entities, first_words
from analytics.paraphrase.words.wording import (
    Edit,
    apply_edits,
    formula_spans,
    lower_first,
    pairs_of,
    patterns_of,
    tidy,
    upper_first,
)
from analytics.text.clauses import split_sentences

Rule = Callable[[str, random.Random], str | None]

_CONDITION_FIRST = re.compile(
    r"^(?:If|When|Suppose that|Given that|Since) (?P<condition>[^,?]+), (?:then )?(?P<rest>[^,?]+)\?\s*$"
)
_CONDITION_LAST = re.compile(r"^(?P<rest>[^,?]+?),? if (?P<condition>[^,?]+)\?\s*$")
_ADJUNCT = re.compile(
    r"^(?P<adjunct>(?:In|On|At|During|After|Before|For|By|Every|Each|Last|Yesterday|Today|This)\b"
    r"(?! (?:addition|total|all|first|least|most|which|what|how|that|average))[^,.?]{2,40}|Yesterday|Today),"
    r" (?P<rest>[^.?,;]+)\.\s*$"
)
_THERE = re.compile(
    r"^There (?:are|were|is|was) (?P<what>[^,.?]{3,60}?)"
    r" (?P<where>(?:in|on|at|inside) (?:the|a|an|each|his|her|their|[A-Z])[^,.?]*)\.\s*$"
)
_POINTS_BACK = re.compile(
    r"\b(?:then|now|left|the|that|this|these|those|one|ones|both|others?|so|such|more)\b"
    r"|^How (?:many|much) (?:did|does|do|is|are|was|were|will|would|can|could|remains?)\b",
    re.IGNORECASE,
)
_PRONOUN = re.compile(r"\b(?:he|she|it|they|his|her|their|its|them|him)\b", re.IGNORECASE)
_STATEMENT = re.compile(r"^[A-Z0-9][^?!:;]*\.\s*$")
_HAS_AND = re.compile(r",|\band\b|\bif\b|\bthen\b|\bbut\b", re.IGNORECASE)
_ASKED = re.compile(r"^(?:How|What|Find|Calculate|Determine)\b")
_OPENER = re.compile(
    r"^(?:If|Then|So|But|And|However|After|Suppose|Given|Assuming|Now|Later|Next|Each|Therefore|Let|Take|Use|Choose"
    r"|Find|Calculate|Compute|Determine|Work|Write|Give|Round|Show|Express|Simplify|Solve|Draw|State|Estimate|Evaluate"
    r"|Convert|Prove|List|Name|Complete|Factorise|Factor|Expand|Differentiate|Integrate|Add|Subtract|Multiply|Divide"
    r"|Sketch|Explain|Describe|Decide|Make|Check|Verify|Rearrange|Put|Order|Arrange|Form|Fill|Identify|Sort)\b"
)


def move_condition(text: str, _rng: random.Random) -> str | None:
    """Move the condition of a question between "If A, how B?" and "How B if A?"."""
    sentences = split_sentences(text)
    names = first_words(text)
    for sentence in sentences:
        body = sentence.text.rstrip()
        if match := _CONDITION_FIRST.match(body):
            if _PRONOUN.search(match["rest"]) and find_entities(match["condition"]):
                continue  # the name would come after its pronoun
            new = f"{upper_first(match['rest'])} if {lower_first(match['condition'], names)}?"
        elif match := _CONDITION_LAST.match(body):
            if _PRONOUN.search(match["condition"]) and find_entities(match["rest"]):
                continue
            new = f"If {match['condition']}, {lower_first(match['rest'], names)}?"
        else:
            continue
        return apply_edits(text, [(sentence.start, sentence.start + len(body), new)])
    return None


def move_adjunct(text: str, rng: random.Random) -> str | None:
    """Move "On Monday, ..." to the end of its sentence."""
    sentences = [clause for clause in split_sentences(text) if _ADJUNCT.match(clause.text.rstrip())]
    if not sentences:
        return None
    sentence = rng.choice(sentences)
    body = sentence.text.rstrip()
    match = _ADJUNCT.match(body)
    if match is None or (_PRONOUN.search(match["rest"].split()[0]) and find_entities(match["adjunct"])):
        return None
    new = f"{upper_first(match['rest'])} {lower_first(match['adjunct'], first_words(text))}."
    return apply_edits(text, [(sentence.start, sentence.start + len(body), new)])


def existential(text: str, rng: random.Random) -> str | None:
    """Turn "There are 5 pens in the box." into "In the box, there are 5 pens." or "The box holds 5 pens."."""
    for sentence in split_sentences(text):
        body = sentence.text.rstrip()
        match = _THERE.match(body)
        if match is None or re.search(r" (?:in|on|at|inside|that|who|which) ", match["what"]):
            continue
        verb = body.split()[1]
        preposition, _, place = match["where"].partition(" ")
        new = f"{upper_first(match['where'])}, there {verb} {match['what']}."
        if preposition in {"in", "inside"} and verb in {"are", "is"} and place.split()[0] in {"the", "a", "each"}:
            simple = re.match(r"(?:the|a|each) \w+$", place)
            if simple and not place.endswith("s") and rng.random() < 0.6:
                new = f"{upper_first(place)} {rng.choice(('contains', 'holds'))} {match['what']}."
        return apply_edits(text, [(sentence.start, sentence.start + len(body), new)])
    return None


def join_sentences(text: str, rng: random.Random) -> str | None:
    """Join two short consecutive statements by "and" or a semicolon."""
    sentences = split_sentences(text)
    pairs = [
        index
        for index in range(len(sentences) - 1)
        if _STATEMENT.match(sentences[index].text)
        and _STATEMENT.match(sentences[index + 1].text)
        and not (sentences[index].is_question or sentences[index + 1].is_question)
        and not _HAS_AND.search(sentences[index].text + sentences[index + 1].text)
        and not _OPENER.match(sentences[index + 1].text)
        and not _OPENER.match(sentences[index].text)
        and len(sentences[index].text) + len(sentences[index + 1].text) < 160
    ]
    if not pairs:
        return None
    first, second = sentences[(at := rng.choice(pairs))], sentences[at + 1]
    link = rng.choice((", and ", " and ", "; "))
    joined = (
        first.text.rstrip().removesuffix(".").rstrip() + link + lower_first(second.text.rstrip(), first_words(text))
    )
    return apply_edits(text, [(first.start, second.start + len(second.text.rstrip()), joined)])


def question_first(text: str, _rng: random.Random) -> str | None:
    """Put the question before the facts: "How many ...? Tom has ...", if the question names its subject."""
    sentences = split_sentences(text)
    if (
        len(sentences) < 2
        or not _ASKED.match(sentences[-1].text)
        or any(sentence.is_question for sentence in sentences[:-1])
    ):
        return None
    asked = sentences[-1].text.strip()
    if _PRONOUN.search(asked) or _POINTS_BACK.search(asked):
        return None
    facts = text[: sentences[-1].start].rstrip()
    return f"{asked} {facts}" if asked[-1] in ".?" else None


_CONTRACTED = dict(pairs_of("contractions"))
_EXPANDED = {short.lower(): long for long, short in _CONTRACTED.items() if long not in {"can not", "i am"}} | {
    "i'm": "I am"
}
_AMOUNT = r"(?= (?:[$£€]?\d|an? |the |some |several |another ))"
_SYNONYMS = pairs_of("rewordings")
_BEHIND = {
    "buy": _AMOUNT,
    "buys": _AMOUNT,
    "needs": _AMOUNT,
    "finishes": r"(?= (?:the|his|her|their|a) )",
    "finished": r"(?= (?:the|his|her|their|a) )",
    "constant": r"(?= (?:speed|pace|rate)\b)",
    "shop": r"(?= (?:sells|sold|has|had|buys|bought|offers)\b)",
    "whole": r"(?= (?:class|journey|trip|day|week|school|box|bag|group)\b)",
}
_MOST_SYNONYMS = 5


def replace_synonyms(text: str, rng: random.Random) -> str | None:
    """Replace words by synonyms consistently; None if there are none."""
    table, pattern = _synonyms()
    matches = list(pattern.finditer(text))
    chosen = {
        word: rng.choice(table[word]) for word in sorted({match[0].lower() for match in matches}) if rng.random() < 0.75
    }
    chosen = dict(list(chosen.items())[:_MOST_SYNONYMS])
    edits: list[Edit] = []
    for match in matches:
        new = chosen.get(match[0].lower())
        if new is not None and not _is_name(match):
            edits.append((match.start(), match.end(), upper_first(new) if match[0][0].isupper() else new))
    return apply_edits(text, edits) if edits else None


def _is_name(match: re.Match[str]) -> bool:
    """Return whether a capitalised word is inside a sentence ("Big Apple Town")."""
    before = match.string[: match.start()].rstrip()
    return match[0][0].isupper() and bool(before) and before[-1] not in ".?!\"'"


def replace_phrases(text: str, rng: random.Random) -> str | None:
    """Replace set phrases by other words; None if there are none."""
    changed = text
    for pattern, choices in rng.sample(_compiled(), len(_compiled())):
        if rng.random() < 0.6 and pattern.search(changed):
            changed = pattern.sub(rng.choice(choices), changed)
    return changed if changed != text else None


def contract(text: str, rng: random.Random) -> str | None:
    """Contract ("do not" -> "don't"), or expand contractions; None if neither applies."""
    table = rng.choice((_CONTRACTED, _EXPANDED))
    pattern = re.compile(rf"\b(?:{'|'.join(table)})\b", re.IGNORECASE)

    def write(match: re.Match[str]) -> str:
        new = table[match[0].lower()]
        return upper_first(new) if match[0][0].isupper() else new

    changed = pattern.sub(write, text.replace("’t", "'t"))
    return changed if changed != text else None


@lru_cache(maxsize=1)
def _synonyms() -> tuple[dict[str, tuple[str, ...]], re.Pattern[str]]:
    table: dict[str, tuple[str, ...]] = {}
    for word, synonym in _SYNONYMS:
        table[word] = (*table.get(word, ()), synonym)
    words = "|".join(rf"{word}\b{_BEHIND.get(word, '')}" for word, _synonym in _SYNONYMS)
    return table, re.compile(rf"\b(?:{words})", re.IGNORECASE)


@lru_cache(maxsize=1)
def _compiled() -> list[tuple[re.Pattern[str], list[str]]]:
    return [(re.compile(pattern), choices) for pattern, *choices in patterns_of("phrases")]


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
"""Maps a phrase to its only other wording."""

_HOW_FAR = re.compile(rf"^How far {_DO} {_SUBJECT} (?P<verb>travel|walk|run|drive|go|ride|swim|jump)(?P<rest>[^?]*)\?$")

_ATTRIBUTE = {"cost": "is the cost of", "weigh": "is the weight of"}


def reword_question(text: str, rng: random.Random) -> str | None:
    """Ask for the same quantity in other words; None if the question has none of the known forms."""
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
    """Turn a question clause into a statement: "did Ann buy today" -> "Ann bought today"."""
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
        or match["who"] in {"be", "have"}  # "can be filled": the agent is not named
        or re.search(r"\bthan\b|\beach\b", match["rest"])
        or match["what"].startswith(("more", "fewer"))
    ):
        return None
    noun = match["what"].removeprefix("total ")
    total = "total number" if match["what"].startswith("total ") else "number"
    if match["verb"] == "have" and match["do"] == "does" and match["rest"].strip() == "left" and rng.random() < 0.5:
        return f"How many {noun} remain with {match['who']}?"
    return _what(f"the {total} of {noun} that {_clause(match)}", rng)


def _how_many_there(asked: str, rng: random.Random) -> str | None:
    match = _HOW_MANY_BE_THERE.match(asked)
    if match is None or match["what"].startswith(("more", "fewer")) or re.search(r"\bthan\b", match["rest"] or ""):
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


_RULES: tuple[tuple[Rule, float], ...] = (
    (reword_question, 0.7),
    (replace_synonyms, 0.7),
    (replace_phrases, 0.7),
    (contract, 0.5),
    (existential, 0.4),
    (move_condition, 0.5),
    (move_adjunct, 0.5),
    (join_sentences, 0.4),
    (question_first, 0.15),
)
"""Maps a rule to the probability with which it is tried, in order."""


def reword(question: str, rng: random.Random, *, strength: float = 1.0) -> str | None:
    """Reword a question; None if no rule applies.

    Args:
        strength: multiplies the probability of each rule; with 10, every applicable rule is used.
    """
    changed = question
    for rule, probability in _RULES:
        if rng.random() < probability * strength:
            changed = _outside_formulas(rule, changed, rng)
    if _same(changed, question):
        for rule, _ in rng.sample(_RULES, len(_RULES)):
            changed = _outside_formulas(rule, question, rng)
            if not _same(changed, question):
                break
    changed = tidy(changed)
    return None if not changed or _same(changed, question) else changed


def _same(first: str, second: str) -> bool:
    return first.split() == second.split()


def _outside_formulas(rule: Rule, text: str, rng: random.Random) -> str:
    """Apply a rule unless it would touch a formula."""
    changed = rule(text, rng)
    if changed is None:
        return text
    formulas = [text[start:end] for start, end in formula_spans(text)]
    kept = [changed[start:end] for start, end in formula_spans(changed)]
    return changed if sorted(kept) == sorted(formulas) else text
