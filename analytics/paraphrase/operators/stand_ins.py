"""Rule-based stand-ins for the models of f9, f_a and f_b, as no weights are downloaded by default.

ParaQD (Gupta et al., 2022), sections 3.3 and 4.2. Like the paper's models, those for test operators sometimes
fail; people label their output.
"""

from __future__ import annotations

import random
import re
from fractions import Fraction

from analytics.paraphrase.operators.rule_paraphraser import reword
from analytics.paraphrase.operators.sequence_models import first_different
from analytics.paraphrase.words.editing import apply_edits, formula_spans, lower_first, overlaps, tidy, upper_first
from analytics.paraphrase.words.entities import first_words
from analytics.paraphrase.words.wording import words_of
from analytics.text.clauses import Clause, split_clauses, split_sentences
from analytics.text.numbers import find_numbers

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


def to_passive(question: str, _rng: random.Random) -> str | None:
    """Put every simple statement in the passive (for f_a); None if there is none.

    "Ann bought 5 pens at the shop." -> "5 pens were bought by Ann at the shop.".
    """
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
    be = {(True, True): "is", (True, False): "are", (False, True): "was", (False, False): "were"}[present, singular]
    subject = match["subject"]
    agent = _BY.get(subject) or (lower_first(subject) if " " in subject and "and" not in subject else subject)
    return f"{upper_first(match['object'])} {be} {_PARTICIPLES.get(verb, verb)} by {agent}{match['rest']}."


_SMALL = re.compile(r"\b(?:the|a|an|that|then|also|there|of)\s+(?=[A-Za-z$\d])", re.IGNORECASE)
_NEEDED = re.compile(
    r"\b(?:how many|out|number|half|all|per|what|one|each|\d+%?|third|quarter|some|most|rest)\s$", re.IGNORECASE
)
_AFTER = re.compile(r"(?:hour|day|week|month|year|minute|second|dozen|half|quarter|few|lot|total|third|couple|pair)\b")


def drop_small_words(question: str, rng: random.Random) -> str | None:
    """Drop function words that a reader can restore, and merge two sentences (for f_b): telegraphic, mostly valid.

    None if there is nothing to drop or merge.
    """
    formulas = formula_spans(question)
    small = [
        match
        for match in _SMALL.finditer(question)
        if not overlaps(match.start(), match.end(), formulas)
        and not _NEEDED.search(question[max(match.start() - 12, 0) : match.start()])
        and not _AFTER.match(question, match.end())
    ]
    chosen = [match for match in small if rng.random() < 0.5] or small[:1]
    text = apply_edits(question, [(match.start(), match.end(), "") for match in chosen])
    sentences = split_sentences(text)
    if len(sentences) > 1 and rng.random() < 0.5:
        at = rng.randrange(len(sentences) - 1)
        first = sentences[at].text.rstrip()
        if first.endswith("."):
            joined = f"{first[:-1].rstrip()}, {lower_first(sentences[at + 1].text, first_words(question))}"
            text = text[: sentences[at].start] + joined + text[sentences[at + 1].end :]
    return first_different(question, [tidy(text)])


_PHRASE = re.compile(
    r",?\s+(?:at|for|in|with|by|of|from|after|within|during|and|to|than|plus|on)\s+(?:(?!\b(?:and|if|how|what)\b)[^.,?!;]){0,24}?"
    r"\d[^.,?!;\s]*(?:\s(?!(?:and|if|how|what|is|are|was|were|to|from|in|on|for|he|she|they|it)\b)[A-Za-z]+){0,2}"
)


def summarise(question: str, rng: random.Random) -> str | None:
    """Lose a number or a condition (for f9), as Pegasus does with word problems; None if there is only a question.

    A sentence with a number is dropped, a phrase with a number is cut, or two sentences are merged at the
    cost of a fact.
    """
    ways = [_drop_sentence, _drop_clause, _cut_phrase, _cut_phrase, _run_together]
    rng.shuffle(ways)
    values = _values(question)
    for way in ways:
        summary = way(question, rng)
        if summary is None or not summary.strip() or _values(summary) == values:
            continue
        if rng.random() < 0.6:
            summary = reword(summary, rng) or summary
        return tidy(summary) or None
    return None


def _values(text: str) -> list[Fraction]:
    return sorted(mention.value for mention in find_numbers(text))


def _drop(pieces: list[Clause], rng: random.Random) -> str | None:
    """Drop one of the statements with a number."""
    facts = [piece for piece in pieces if not piece.is_question and find_numbers(piece.text)]
    if not facts or len(pieces) == 1:
        return None
    dropped = rng.choice(facts)
    return "".join(piece.text for piece in pieces if piece is not dropped)


def _drop_sentence(question: str, rng: random.Random) -> str | None:
    return _drop(split_sentences(question), rng)


def _drop_clause(question: str, rng: random.Random) -> str | None:
    return _drop(split_clauses(question), rng)


def _cut_phrase(question: str, rng: random.Random) -> str | None:
    phrases = list(_PHRASE.finditer(question))
    if not phrases:
        return None
    match = rng.choice(phrases)
    return question[: match.start()] + question[match.end() :]


def _run_together(question: str, rng: random.Random) -> str | None:
    """Join the beginning of one statement to the end of the next."""
    pieces = split_sentences(question)
    pairs = [
        index for index in range(len(pieces) - 1) if not (pieces[index].is_question or pieces[index + 1].is_question)
    ]
    if not pairs:
        return None
    at = rng.choice(pairs)
    first, second = pieces[at].text.split(), pieces[at + 1].text.split()
    merged = " ".join([*first[: max(2, 2 * len(first) // 3)], *second[-max(2, 2 * len(second) // 3) :]]) + " "
    return "".join((*(piece.text for piece in pieces[:at]), merged, *(piece.text for piece in pieces[at + 2 :])))
