"""Rules of the rule paraphraser on clauses and sentences: their order, and how they are joined."""

from __future__ import annotations

import random
import re

from analytics.paraphrase.words.editing import apply_edits, lower_first, upper_first
from analytics.paraphrase.words.entities import find_entities, first_words
from analytics.text.clauses import split_sentences

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
    """Move the condition of a question: "If A, how B?" and "How B if A?"."""
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
        if (
            preposition in {"in", "inside"}
            and verb in {"are", "is"}
            and place.split()[0] in {"the", "a", "each"}
        ):
            simple = re.match(r"(?:the|a|each) \w+$", place)
            if simple and not place.endswith("s") and rng.random() < 0.6:
                new = f"{upper_first(place)} {rng.choice(('contains', 'holds'))} {match['what']}."
        return apply_edits(text, [(sentence.start, sentence.start + len(body), new)])
    return None


def join_sentences(text: str, rng: random.Random) -> str | None:
    """Join two short statements that follow one another by "and" or a semicolon."""
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
        first.text.rstrip().removesuffix(".").rstrip()
        + link
        + lower_first(second.text.rstrip(), first_words(text))
    )
    return apply_edits(text, [(first.start, second.start + len(second.text.rstrip()), joined)])


def question_first(text: str, _rng: random.Random) -> str | None:
    """Ask first, and give the facts behind: "How many ...? Tom has ...". Only where the question names its subject."""
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
