"""Find what a paraphrase lost, added or changed, described in words and located in both texts.

The rules for formulas, names and what a question asks for are here, and the table of all rules.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from analytics.paraphrase.findings.numbers import number_findings, unit_findings
from analytics.paraphrase.findings.pair import Finding, Pair, Words, read_pair
from analytics.paraphrase.findings.replaced import replaced_findings
from analytics.paraphrase.words.entities import EntityMention, find_entities
from analytics.paraphrase.words.reading import Reading, Word
from analytics.paraphrase.words.wording import GENERIC, STOP_WORDS, canonical, overlaps, rows_of, stem
from analytics.text.formulas import Segment, formula_segments
from analytics.text.meaning import same_meaning
from analytics.text.numbers import find_numbers

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


_MOST = 8  # maximum number of formulas in a text to compare


def weigh_formulas(pair: Pair, findings: Sequence[Finding]) -> list[Finding]:
    """Return the findings without those inside equivalent formulas.

    A formula with a different meaning is itself a finding, unless another finding inside it already covers
    it. Formulas are compared in order, if both texts have the same number of them.
    """
    settled = list(findings)
    formulas = [formula_segments(text.text) for text in (pair.original, pair.paraphrase)]
    if len(formulas[0]) != len(formulas[1]) or len(formulas[0]) > _MOST:
        return settled
    for old, new in zip(*formulas, strict=True):
        if old.body == new.body:
            continue
        meaning = same_meaning(old.body, new.body)
        if meaning == "same":
            settled = [finding for finding in settled if not _is_within(finding, old, new)]
        elif meaning == "different" and not any(
            finding.is_serious and finding.original and overlaps(*finding.original, [(old.start, old.end)])
            for finding in settled
        ):
            sentence = f"{old.source} became {new.source}, which means something else."
            words = [Words(formula.start, formula.end, formula.source) for formula in (old, new)]
            settled.append(Finding.of("number", sentence, *words))
    return settled


def _is_within(finding: Finding, old: Segment, new: Segment) -> bool:
    """Return whether everything that a finding refers to is inside a formula in each text."""
    places = ((finding.original, old), (finding.paraphrase, new))
    return any(span for span, _ in places) and all(
        span is None or (formula.start <= span[0] and span[1] <= formula.end) for span, formula in places
    )


_SEXES = frozenset({"woman", "man"})
_PEOPLE = _SEXES | {"other"}
_ARTICLE = re.compile(r"\b(?:the|an?|each|every|per)\s$", re.IGNORECASE)


def name_findings(pair: Pair) -> list[Finding]:
    """Return names that were lost, added, or replaced in only some places."""
    original, paraphrase = pair.original, pair.paraphrase
    first, new = _first_mentions(original), _first_mentions(paraphrase)
    before, after = ({name: _count(name, text) for name in first} for text in (original, paraphrase))
    lost = [mention for name, mention in first.items() if not after[name]]
    fewer = [mention for name, mention in first.items() if 0 < after[name] < before[name]]
    people, new_people = ([each for each in text.values() if each.category in _SEXES] for text in (first, new))
    findings: list[Finding] = []
    for mention in new.values():
        if _is_known(mention, original):
            continue
        renamed = next((name for name in lost if _alike(name, mention)), None)
        if renamed is not None:
            lost.remove(renamed)
            continue
        old = next((name for name in fewer if _alike(name, mention)), None)
        if old is not None:
            sentence = f"“{old.text}” became “{mention.text}” in one place and stayed “{old.text}” in another."
            findings.append(Finding.of("entity", sentence, old, mention))
        else:
            is_serious = (
                mention.category != "label"
                and not (mention.category in _SEXES and not people and len(new_people) == 1)
                and not (mention.category == "other" and _ARTICLE.search(paraphrase.text, 0, mention.start))
            )
            findings.append(Finding.added("entity", mention, is_serious=is_serious))
    findings += [
        Finding.lost("entity", mention, is_serious=len(people) > 1 or mention.category == "label") for mention in lost
    ]
    return findings


def _first_mentions(reading: Reading) -> dict[str, EntityMention]:
    first: dict[str, EntityMention] = {}
    for mention in reading.entities:
        first.setdefault(mention.text, mention)
    return first


def _is_known(mention: EntityMention, reading: Reading) -> bool:
    """Return whether a text contains a name, or a capitalised word of a longer one: Santa Claus, Santa."""
    if mention.text.isupper():
        return bool(reading.mentions(mention.text))
    if _count(mention.text, reading):
        return True
    capitalised = {word.text for word in reading.words if word.text[0].isupper()}
    return " " in mention.text and not capitalised.isdisjoint(mention.text.split())


def _count(name: str, reading: Reading) -> int:
    """Return how often a text contains a name; for "Mr. Stone", "Stone" counts too."""
    return len(reading.mentions(name) or (reading.mentions(name.split()[-1]) if " " in name else ()))


def _alike(mention: EntityMention, other: EntityMention) -> bool:
    """Return whether two names may replace one another."""
    return mention.category == other.category or {mention.category, other.category} <= _PEOPLE


RULES: tuple[Callable[[Pair], list[Finding]], ...] = (
    number_findings,
    unit_findings,
    name_findings,
    replaced_findings,
    target_findings,
)
"""All checks, in order; once a place has a serious finding, no more are reported for it."""

_WORD = re.compile(r"\S+")

# Texts are compared only up to here, so that no pair takes long. The longest of 136,000 public questions has
# 4,794 characters.
_LONGEST = 5_000  # characters
_MOST_NUMBERS = 100  # aligning is quadratic in them
_MOST_NAMES = 100  # pairing names is too
_SHORT = 2 * _MOST_NAMES  # characters; shorter texts cannot exceed the limits


def find_changes(original: str, paraphrase: str) -> list[Finding]:
    """Compare a question with its paraphrase; an empty list means that there are no findings.

    Overlong texts are compared only at their beginnings, and a finding reports where the comparison ends.

    >>> [finding.sentence for finding in find_changes("Zoe rode 30 kilometres.", "Zoe rode some kilometres.")]
    ['30 became some.']
    """
    if original == paraphrase:
        return []
    end, new_end = _end_of_reading(original), _end_of_reading(paraphrase)
    findings = _changes(original[:end], paraphrase[:new_end])
    findings.sort(key=lambda finding: (not finding.is_serious, (finding.original or finding.paraphrase or (0, 0))[0]))
    if original[end:] != paraphrase[new_end:]:
        places = (
            match and Words.at(match.span(), match.string)
            for match in (_WORD.search(original, end), _WORD.search(paraphrase, new_end))
        )
        sentence = "The texts are too long to be compared from here on."
        findings.append(Finding.of("wording", sentence, *places, is_serious=False))
    return findings


def _end_of_reading(text: str) -> int:
    """Return where comparison of a text stops because it has too many characters, numbers or names; usually its end."""
    end = min(len(text), _LONGEST)
    if end <= _SHORT:
        return end
    numbers = find_numbers(text[:end])
    if len(numbers) > _MOST_NUMBERS:
        end = numbers[_MOST_NUMBERS].start
    names: set[str] = set()
    for mention in find_entities(text[:end]):
        names.add(mention.text)
        if len(names) > _MOST_NAMES:
            return mention.start
    return end


def _changes(original: str, paraphrase: str) -> list[Finding]:
    pair = read_pair(original, paraphrase)
    findings: list[Finding] = []
    for rule in RULES:
        serious = [finding for finding in findings if finding.is_serious]
        findings += [finding for finding in rule(pair) if not _is_reported(finding, serious)]
    return weigh_formulas(pair, findings)


def _is_reported(finding: Finding, reported: list[Finding]) -> bool:
    """Return whether a finding, or its span in the original, has already been reported."""
    places = [other.original for other in reported if other.original]
    if finding.kind != "target" and finding.original and overlaps(*finding.original, places):
        return True
    return any(finding.sentence == other.sentence for other in reported)
