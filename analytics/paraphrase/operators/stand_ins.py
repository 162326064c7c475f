"""Operators that need a sequence-to-sequence model, and rules that stand in for them. Torch-free.

ParaQD (Gupta et al., 2022), sections 3.2, 3.3 and 4.2: f1, f9, f_a, f_b and f_e. As no weights are downloaded by
default, rules replace the models of f9, f_a and f_b. Like the paper's models, those for test operators sometimes
fail; people label their output. `analytics.paraphrase.preparing` loads models.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol

from rapidfuzz.distance import Levenshtein

from analytics.paraphrase.operators.rule_paraphraser import reword
from analytics.paraphrase.words.entities import first_words
from analytics.paraphrase.words.wording import (
    apply_edits,
    formula_spans,
    lower_first,
    overlaps,
    tidy,
    upper_first,
    words_of,
)
from analytics.text.clauses import Clause, split_clauses, split_sentences
from analytics.text.numbers import find_numbers


class SequenceModel(Protocol):
    """Generates texts from texts."""

    def generate(self, texts: Sequence[str], *, beams: int = 1, outputs: int = 1) -> list[list[str]]:
        """Return the best outputs for each text, best first; `outputs` is at most `beams`."""
        ...


def farthest(text: str, candidates: Sequence[str]) -> list[str]:
    """Sort candidates by normalised Levenshtein distance from a text, farthest first."""
    return sorted(candidates, key=lambda candidate: (-Levenshtein.normalized_distance(text, candidate), candidate))


def first_different(text: str, candidates: Sequence[str]) -> str | None:
    """Return the first non-empty candidate that differs in more than whitespace."""
    words = text.split()
    return next(
        (candidate.strip() for candidate in candidates if candidate.strip() and candidate.split() != words), None
    )


@dataclass(frozen=True)
class BackTranslation:
    """f1: translate into another language and back, sentence by sentence, choosing the most different result.

    Attributes:
        forward: translates from the question's language.
        back: translates back into it.
        beams: beam width in both directions; on the way back the `outputs` best are compared.
    """

    forward: SequenceModel
    back: SequenceModel
    beams: int = 8
    outputs: int = 2

    def apply(self, question: str, _rng: random.Random) -> str | None:
        """Return the back-translation; None if nothing changes or nothing comes back."""
        sentences = [clause.text.strip() for clause in split_sentences(question) if clause.text.strip()]
        if not sentences:
            return None
        foreign = [outputs[0] for outputs in self.forward.generate(sentences, beams=self.beams)]
        returned = self.back.generate(foreign, beams=max(self.beams, self.outputs), outputs=self.outputs)
        chosen = [
            next((candidate for candidate in farthest(sentence, outputs) if candidate.strip()), sentence)
            for sentence, outputs in zip(sentences, returned, strict=True)
        ]
        return first_different(question, [" ".join(sentence.strip() for sentence in chosen)])


@dataclass(frozen=True)
class WeakParaphraser:
    """f9 and f_e: the most different output that still has a minimum share of the question's length.

    Attributes:
        prefix: prompt prefix for the model ("paraphrase: ").
        shortest: minimum share of the question's words; shorter outputs are skipped.
    """

    model: SequenceModel
    prefix: str = ""
    beams: int = 10
    outputs: int = 2
    shortest: float = 0.5

    def apply(self, question: str, _rng: random.Random) -> str | None:
        """Return the model's output; None if all are too short or equal the question."""
        if not question.strip():
            return None
        [outputs] = self.model.generate([self.prefix + question], beams=self.beams, outputs=self.outputs)
        words = question.split()
        for output in farthest(question, outputs):
            if len(output.split()) > self.shortest * len(words) and output.split() != words:
                return output.strip()
        return None


@dataclass(frozen=True)
class PassiveByModels:
    """f_a with models: one changes the voice, sentence by sentence, and one corrects the grammar."""

    voice: SequenceModel
    grammar: SequenceModel | None = None

    def apply(self, question: str, _rng: random.Random) -> str | None:
        """Put the question in the passive; None if the models change nothing."""
        sentences = [sentence.text.strip() for sentence in split_sentences(question)]
        changed = [outputs[0] for outputs in self.voice.generate(sentences)] if sentences else []
        if self.grammar is not None and changed:
            changed = [outputs[0] for outputs in self.grammar.generate(changed)]
        return first_different(question, [" ".join(changed)])


@dataclass(frozen=True)
class Reconstruction:
    """f_b, after Rotom: a model trained to undo the corruption rewrites the question."""

    model: SequenceModel
    prefix: str = ""

    def apply(self, question: str, rng: random.Random) -> str | None:
        """Corrupt the question and let the model restore it; None if the result is the original."""
        if not question.strip():
            return None
        [outputs] = self.model.generate([self.prefix + corrupt(question, rng)], beams=4, outputs=2)
        return first_different(question, outputs)


def corrupt(question: str, rng: random.Random, share: float = 0.1) -> str:
    """Swap, delete and replace words, but never numbers; the model of f_b is trained to undo this.

    Replacements are other words of the question.

    Args:
        share: probability of each change at each word.
    """
    words = question.split()
    others = [word for word in words if not _has_digit(word)]
    kept = [word for word in words if _has_digit(word) or rng.random() >= share]
    kept = [rng.choice(others) if not _has_digit(word) and rng.random() < share else word for word in kept]
    for index in range(len(kept) - 1):
        if rng.random() < share:
            kept[index], kept[index + 1] = kept[index + 1], kept[index]
    return " ".join(kept)


def _has_digit(word: str) -> bool:
    return any(character.isdigit() for character in word)


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
