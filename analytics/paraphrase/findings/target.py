"""What a question asks for, compared between both texts of a pair."""

from __future__ import annotations

import re
from dataclasses import dataclass

from analytics.paraphrase.findings.finding import Finding, Words
from analytics.paraphrase.findings.pair import Pair
from analytics.paraphrase.words.reading import Reading, Word
from analytics.paraphrase.words.wording import GENERIC, STOP_WORDS, canonical, rows_of, stem

_COUNTED = re.compile(
    r"\b(?:how many|(?:the |total )?(?:number|count|amount|quantity) of"
    r"|how much(?= [a-z]+ (?:did|does|do|will|is|was|are|were|would|can|has|have|should|must)\b))\s+",
    re.IGNORECASE,
)
_NO_NOUN = STOP_WORDS | frozenset(
    str.split("is are was were will there total extra additional different possible ways left")
)
_BEFORE_NOUN = frozenset(str.split("more fewer total extra additional different possible the of"))
_BEHIND_VERBS = frozenset(str.split("no a an any"))
_ATTRIBUTES = {
    key: name for name, *words in rows_of("attributes") for word in (name, *words) for key in (word, stem(word))
}
"""Maps words to the name of what they ask for."""

_AFTER_HOW = frozenset(str.split("probable likely old wide tall high heavy"))
"""Asked for only directly after "how": "twice as high as" does not ask for a height."""

_ASKS = re.compile(
    r"(?:^|[,;:] |\band |\bthen |\bto |\bcan you |\bplease )"
    r"(?:find|calculate|determine|work out|compute|identify|figure out|find out|evaluate|solve|what|how)\b"
    r"|\b(?:know|asked|tell|find out|discover|figure out) (?:what|how|which|who|the)\b"
    r"|\byou (?:(?:will|can|should|must) )?(?:then )?find\b"
    r"|\bto be (?:found|calculated|determined)\b|\bneed(?:s|ed)? to find\b"
    r"|^(?:for|if|when|given|using|with|from|in|at|by|let|take|suppose)\b[^?]*?"
    r"(?:(?<!\bwe )(?<!\bthey )\b(?:calculate|determine|compute|evaluate|work out)|[\d$%)] (?:find|solve))\b"
    r"|^(?:multiply|add|subtract|divide|simplify|convert|round|identify|evaluate)\b",
    re.IGNORECASE,
)
_UNFINISHED = re.compile(
    r"\b(?:what|which|who|that|if|of|in|into|to|for|at|by|with|on|from|per|plus|between|among|after|before|is|are|was|were"
    r"|be|been|has|had|would|will|can|all|do|does|did|the|an?|and|or|than|many|much|how|his|their|her|[a-z]+,)\.?\s*$"
)
_CLOSED = re.compile(r"[.?!…:][\s\"'”’)]*$")
_HOW_MUCH_MORE = re.compile(r"\bby how (?:much|many)\b|\b(?:more|less|fewer|\w+er)\b.*\bthan\b|\bexceed", re.IGNORECASE)
_TAKES_AWAY = re.compile(
    r"\bt(?:ake|akes|aken|aking|ook)\b[^.?!]*\b(?:away|from)\b|\bminus\b|\bsubtract|\bless\b", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class _Target:
    """The last question sentence of a text.

    Attributes:
        counted: what "how many" counts.
        attributes: what else is asked for, by names in `_ATTRIBUTES`.
    """

    sentence: Words
    counted: Word | None
    attributes: frozenset[str]
    keys: frozenset[str]


def target_findings(pair: Pair) -> list[Finding]:
    """Return findings if the question is missing, incomplete, or asks for something else."""
    before, after = _target(pair.original), _target(pair.paraphrase)
    if before is None:
        return []
    if after is None:
        return [Finding.of("target", "The question is missing.", before.sentence, None)]
    places = before.sentence, after.sentence
    findings = []
    was, now = before.sentence.text, after.sentence.text
    if _CLOSED.search(was) and not _CLOSED.search(now) and _UNFINISHED.search(now):
        findings.append(Finding.of("target", "The question breaks off.", *places))
    if before.counted and after.counted and _counts_another(pair, before, after):
        sentence = f"The question asks for {after.counted.text} instead of {before.counted.text}."
        findings.append(Finding.of("target", sentence, *places))
    new = sorted(after.attributes - before.attributes)
    said = _said(pair.paraphrase, now)
    for name in sorted(before.attributes - after.attributes):
        if new:
            sentence = f"The question asks for the {new[0]}, not the {name}."
            findings.append(Finding.of("target", sentence, *places))
        elif name not in said:
            findings.append(Finding.of("target", f"“{name}” is no longer asked for.", *places))
    return findings


def _counts_another(pair: Pair, before: _Target, after: _Target) -> bool:
    """Return whether the questions count different things that both texts mention: pens and cups, not synonyms."""
    if before.counted is None or after.counted is None:
        return False
    old, new = before.counted.key, after.counted.key
    is_given = any(  # "How many men in four days?" for "How many days?"
        old in {*quantity.nouns, canonical(quantity.measure.text if quantity.measure else "")}
        for quantity in pair.paraphrase.quantities
        if after.sentence.start <= quantity.start < after.sentence.end
    )
    changed = {replaced.keys for replaced in pair.replacements if not {old, new}.isdisjoint(replaced.keys)}
    is_throughout = changed == {(old, new), (new, old)} and pair.old_words[old] == pair.new_words[new]
    return (
        old != new
        and (old not in after.keys or is_given)
        and new in pair.old_words
        and old in pair.new_words
        and (pair.is_near_copy or not {old, new} & GENERIC)
        and not is_throughout  # not if all boys became girls and all girls boys
    )


def _said(paraphrase: Reading, question: str) -> set[str]:
    """Return what a paraphrase mentions anywhere, including synonyms."""
    said = {_ATTRIBUTES.get(word.key) or _ATTRIBUTES.get(word.text.lower(), "") for word in paraphrase.words}
    if "%" in paraphrase.text or "per cent" in paraphrase.text:
        said.add("percent")
    if _HOW_MUCH_MORE.search(question) or _TAKES_AWAY.search(paraphrase.text):
        said.add("difference")
    return said


def _target(reading: Reading) -> _Target | None:
    asked = [clause for clause in reading.sentences if clause.is_question or _ASKS.search(clause.text)]
    if not asked:
        return None
    sentence = asked[-1]
    words = [word for word in reading.words if sentence.start <= word.start < sentence.end]
    match = next(reversed(list(_COUNTED.finditer(sentence.text))), None)
    attributes = {
        name
        for last, word in zip((None, *words), words, strict=False)
        if (name := _ATTRIBUTES.get(word.text.lower()) or _ATTRIBUTES.get(word.key))
        and (word.text.lower() not in _AFTER_HOW or (last and last.key == "how"))
    }
    text = sentence.text.rstrip()
    return _Target(
        Words(sentence.start, sentence.start + len(text), text),
        _noun_behind(words, sentence.start + match.end(), reading.text) if match else None,
        frozenset(attributes),
        frozenset(word.key for word in words),
    )


def _noun_behind(words: list[Word], place: int, text: str) -> Word | None:
    """Return the head of the noun phrase that starts at a word: its last word before a verb or a function word."""
    noun = None
    at = place
    for word in words:
        small = word.text.lower()
        if word.start < place:
            continue
        if noun is not None and not noun.text.endswith("s") and small in _BEHIND_VERBS:
            return None  # "how many use no bus": what is counted is not repeated
        if re.search(r"[.,;:?!()]", text[at : word.start]) or (noun is not None and small in _NO_NOUN):
            break
        at = word.end
        if small in _NO_NOUN:
            if small in _BEFORE_NOUN:
                continue
            break
        if noun is not None and noun.text.endswith("s"):
            break  # the plural is the head: "how many pens cost"
        noun = word
    return noun
