"""What a question asks for, in both texts of a pair."""

from __future__ import annotations

import re
from dataclasses import dataclass

from analytics.paraphrase.findings.exchanges import find_exchanges
from analytics.paraphrase.findings.finding import Finding, Span
from analytics.paraphrase.findings.pair import Pair
from analytics.paraphrase.words.reading import Reading, Word
from analytics.paraphrase.words.wording import GENERIC, STOP_WORDS, canonical, stem
from analytics.text.clauses import Clause

_COUNTED = re.compile(
    r"\b(?:how many|(?:the |total )?(?:number|count|amount|quantity) of"
    r"|how much(?= [a-z]+ (?:did|does|do|will|is|was|are|were|would|can|has|have|should|must)\b))\s+",
    re.IGNORECASE,
)
_NO_NOUN = STOP_WORDS | frozenset(
    str.split("is are was were will there total extra additional different possible ways left")
)
_BEFORE_NOUN = frozenset(str.split("more fewer total extra additional different possible the of"))
_ATTRIBUTES = {
    key: name
    for name, words in {
        "average": "average mean",
        "total": "total altogether sum together combined overall add adding",
        "left": "left remain remaining remainder leftover still rest",
        "area": "area",
        "perimeter": "perimeter",
        "volume": "volume",
        "percent": "percent percentage %",
        "ratio": "ratio proportion",
        "fraction": "fraction",
        "difference": "difference subtract subtracting",
        "product": "product multiply multiplied multiplying",
        "probability": "probability likelihood chance probable likely",
        "speed": "speed fast rate",
        "distance": "distance far",
        "age": "age old",
        "profit": "profit gain",
        "interest": "interest",
        "length": "length long",
        "width": "width wide breadth",
        "height": "height tall high",
        "weight": "weight weigh heavy mass",
        "cost": "cost price pay spend charge worth",
        "change": "change",
        "radius": "radius",
        "diameter": "diameter",
    }.items()
    for word in words.split()
    for key in {word, stem(word)}
}
# Asked for behind "how" alone: "twice as high as" asks for no height.
_AFTER_HOW = frozenset({"fast", "probable", "likely", "far", "old", "long", "wide", "tall", "high", "heavy"})
_SAME_BEGINNING = 4  # letters: attended, attendees
_LOOSE = frozenset({"total", "left", "cost", "length", "speed", "distance", "change"})
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
_BROKEN = re.compile(
    r"\b(?:(?P<open>the|a|an|and|or|than|many|much|how|his|their|(?<!to )do|does|did|(?:number|amount|total) of)"
    r"|(?P<stranded>of|in|to|for|at|by|with|is|are|her))\s*[.?]?\s*$",
    re.IGNORECASE,
)
_STRANDED = re.compile(r"\s*(?:which|what)\b.*\?\s*$", re.IGNORECASE)  # which number is 15 a quarter of?
_UNFINISHED = re.compile(
    r"\b(?:what|which|who|that|if|of|in|into|to|for|at|by|with|on|from|per|plus|between|among|after|before|is|are|was|were"
    r"|be|been|has|had|would|will|can|all|do|does|did|Mrs?|[a-z]+,)\.?\s*$"
)
_CLOSED = re.compile(r"[.?!…:][\s\"'”’)]*$")
_HOW_MUCH_MORE = re.compile(
    r"\bby how (?:much|many)\b|\b(?:more|less|fewer|\w+er)\b.*\bthan\b|\bexceed", re.IGNORECASE
)
_GROUP = re.compile(
    r"\b(?:they|them|their|both|all|together|altogether|total|each|everyone|we|and|than)\b", re.IGNORECASE
)
_GROUP_ASKED = re.compile(
    r"\b(?:do|did|will|are|were|have|can) (?:they|both|all)\b(?: [a-z]+)?", re.IGNORECASE
)
_JOINED_NAMES = re.compile(r"\b[A-Z][a-z]+ and [A-Z][a-z]+\b")
_TAKES_AWAY = re.compile(
    r"\bt(?:ake|akes|aken|aking|ook)\b[^.?!]*\b(?:away|from)\b|\bminus\b|\bsubtract|\bless\b", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class _Target:
    span: Span
    text: str
    counted: str  # key of the noun that "how many" counts, "" if there is none
    counted_word: str
    counts: bool  # asks "how many" or "the number of"
    attributes: frozenset[str]
    words: tuple[Word, ...]


_BEHIND_VERBS = frozenset({"no", "a", "an", "any"})


def target_findings(pair: Pair) -> list[Finding]:
    """Return whether the question went missing, breaks off, or asks for something else.

    Who asks for boys in place of girls asks for the same, where all boys became girls and all girls boys.
    """
    original, paraphrase = pair.original, pair.paraphrase
    before, after = _target(original), _target(paraphrase)
    if before is None:
        return []
    if after is None:
        return [
            Finding(
                "target", "lost", "The question is missing.", original=before.span, before=before.text.strip()
            )
        ]
    findings: list[Finding] = []
    if _breaks_off(before.text, after.text):
        findings.append(_changed(before, after, "The question breaks off.", change_to="lost"))
    swapped = [exchange.keys for exchange in find_exchanges(pair) if exchange.is_throughout]
    if {before.counted, after.counted} not in swapped:
        findings += _counted(original, paraphrase, before, after, pair.is_near_copy)
    lost = before.attributes - after.attributes
    gained = after.attributes - before.attributes
    said = {_ATTRIBUTES.get(word.key) or _ATTRIBUTES.get(word.text.lower()) for word in paraphrase.words}
    if "%" in paraphrase.text or "per cent" in paraphrase.text:
        said.add("percent")
    if _HOW_MUCH_MORE.search(after.text) or _TAKES_AWAY.search(paraphrase.text):
        said.add("difference")
    for name in sorted(lost):
        instead = sorted(gained - _LOOSE) if name not in _LOOSE else []
        if name in said and not instead:
            continue
        if name in _LOOSE:
            continue
        sentence = (
            f"The question asks for the {instead[0]}, not the {name}."
            if instead
            else f"“{name}” is no longer asked for."
        )
        findings.append(_changed(before, after, sentence))
    return findings + _group_asked(pair, before, after)


def _breaks_off(before: str, after: str) -> bool:
    """Return whether a question ends in the middle.

    "will be left with?" does not, if nothing stood behind the "with".
    """
    if _CLOSED.search(before) and not _CLOSED.search(after) and _UNFINISHED.search(after):
        return True
    match = _BROKEN.search(after)
    if match is None or _BROKEN.search(before):
        return False
    stranded = match["stranded"]
    if stranded and _STRANDED.match(after):
        return False
    return stranded is None or re.search(rf"\b{stranded}\s+\w", before, re.IGNORECASE) is not None


def _target(reading: Reading) -> _Target | None:
    asked: list[Clause] = [
        clause for clause in reading.sentences if clause.is_question or _ASKS.search(clause.text)
    ]
    if not asked:
        return None
    sentence = asked[-1]
    text = sentence.text
    words = tuple(word for word in reading.words if sentence.start <= word.start < sentence.end)
    match = next(reversed(list(_COUNTED.finditer(text))), None)
    noun = _noun_behind(words, sentence.start + match.end(), reading.text) if match else None
    attributes = {
        name
        for last, word in zip((None, *words), words, strict=False)
        if (name := _ATTRIBUTES.get(word.text.lower()) or _ATTRIBUTES.get(word.key))
        and (word.text.lower() not in _AFTER_HOW or (last and last.key == "how"))
    }
    if re.search(r"\bin all\b", text, re.IGNORECASE):
        attributes.add("total")
    end = sentence.start + len(text.rstrip())
    return _Target(
        (sentence.start, end),
        text,
        noun.key if noun else "",
        noun.text if noun else "",
        match is not None,
        frozenset(attributes),
        words,
    )


def _noun_behind(words: tuple[Word, ...], place: int, text: str) -> Word | None:
    """Return the head of the noun phrase that begins at a place: its last word before a verb or a small word."""
    noun = None
    at = place
    for word in words:
        if word.start < place:
            continue
        if noun is not None and not noun.text.endswith("s") and word.text.lower() in _BEHIND_VERBS:
            return None  # "how many use no bus": what is counted is not said again
        if re.search(r"[.,;:?!()]", text[at : word.start]) or (
            noun is not None and word.text.lower() in _NO_NOUN
        ):
            break
        at = word.end
        if word.text.lower() in _NO_NOUN:
            if word.text.lower() in _BEFORE_NOUN:
                continue
            break
        if noun is not None and noun.text.endswith("s"):
            break  # the plural is the head: "how many pens cost"
        noun = word
    return noun


def _counted(
    original: Reading, paraphrase: Reading, before: _Target, after: _Target, is_near_copy: bool
) -> list[Finding]:
    if not before.counted:
        return []
    if after.counted == before.counted:
        return []
    if before.counted in {word.key for word in after.words} and not (
        original.is_close_to(paraphrase)
        and any(after.counted in quantity.nouns for quantity in original.quantities)
        and _is_given(paraphrase, after, before.counted)
    ):
        return []
    if after.counted:
        if after.counted not in original.keys and before.counted not in paraphrase.keys:
            return []  # renamed throughout
        if before.counted in paraphrase.keys or after.counted in original.keys:
            sentence = f"The question asks for {after.counted_word} instead of {before.counted_word}."
            return [
                _changed(
                    before,
                    after,
                    sentence,
                    was=before.counted_word,
                    now=after.counted_word,
                    is_serious=_are_two_things(original, paraphrase, before, after, is_near_copy),
                )
            ]
    if not after.counts:
        return []
    if before.counted in paraphrase.keys:
        return []
    sentence = f"The question no longer says what is counted: {before.counted_word} is missing."
    return [
        _changed(
            before,
            after,
            sentence,
            was=before.counted_word,
            change_to="lost",
        )
    ]


def _is_given(paraphrase: Reading, after: _Target, counted: str) -> bool:
    """Return whether a question says how many there are of what the original asks for: "How many men in four days?"."""
    return any(
        counted in {*quantity.nouns, canonical(quantity.unit_text)}
        for quantity in paraphrase.quantities
        if after.span[0] <= quantity.start < after.span[1]
    )


def _are_two_things(
    original: Reading, paraphrase: Reading, before: _Target, after: _Target, is_near_copy: bool
) -> bool:
    """Return whether both texts tell what both questions count apart: pens and cups, not workers and employees."""
    return (
        after.counted in original.keys
        and before.counted in paraphrase.keys
        and (is_near_copy or not {before.counted, after.counted} & GENERIC)
        and before.counted[:_SAME_BEGINNING] != after.counted[:_SAME_BEGINNING]
    )


def _group_asked(pair: Pair, before: _Target, after: _Target) -> list[Finding]:
    """Return whether the question asks for a group where the original asks for one person: they, Tom and Ann."""
    names = [name for name in _names_in(pair.original, before) if pair.paraphrase.names.of(name)]
    if len(names) != 1 or _GROUP.search(before.text):
        return []
    now = _names_in(pair.paraphrase, after)
    match = _JOINED_NAMES.search(after.text) if names[0] in now else _GROUP_ASKED.search(after.text)
    if match is None:
        return []
    sentence = f"The question asks for a group (“{match[0]}”), not for {names[0]} alone."
    return [_changed(before, after, sentence, was=names[0], now=match[0])]


def _names_in(reading: Reading, target: _Target) -> list[str]:
    """Return the names in a question, each once."""
    start, end = target.span
    return list(dict.fromkeys(name.text for name in reading.entities if start <= name.start < end))


def _changed(
    before: _Target,
    after: _Target,
    sentence: str,
    *,
    was: str = "",
    now: str = "",
    is_serious: bool = True,
    change_to: str = "changed",
) -> Finding:
    return Finding(
        "target",
        "lost" if change_to == "lost" else "changed",
        sentence,
        original=before.span,
        paraphrase=after.span,
        before=was or before.text.strip(),
        after=now or after.text.strip(),
        is_serious=is_serious,
    )
