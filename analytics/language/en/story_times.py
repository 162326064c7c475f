"""Stories about one person on several days: "On Sunday Hana read #0 pages" as "Sunday read #0 pages"."""

# ruff: noqa: E501 - one pattern per line

from __future__ import annotations

import re
from functools import lru_cache

_MONTH = "January|February|March|April|May|June|July|August|September|October|November|December"
_TIME = (
    r"(?:(?:[Oo]n )?(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day|[Yy]esterday|[Tt]oday|[Ii]n the (?:morning|afternoon|evening)"
    r"|[Oo]n the (?:first|second|third) day|(?:[Ll]ast|[Tt]his) (?:week|month|year)"
    rf"|[Ii]n (?:{_MONTH}))\b"
)
_SUBJECT = (
    rf"(?P<s>(?!(?:[A-Z][a-z]+day|In|On|{_MONTH})\b)[A-Z][a-z]+|(?:[Aa]n?|[Tt]he) [a-z]+(?: [a-z]+)?|he|she|it|they|we)"
)


@lru_cache(maxsize=1)
def _forms(verbs: str) -> tuple[tuple[re.Pattern[str], str], ...]:
    time, verb = rf"(?P<t>{_TIME})", rf"(?P<v>{verbs})\b"
    end = r"(?=[,.;?]| which| that| and| than| but|$)"
    forms = (
        (rf"\b(?P<c>than|as) (?:{_SUBJECT} (?:(?:{verbs}|did) ))?{time}", r"\g<c> \g<t>"),
        (rf"\b(?P<a>did|does|do) {_SUBJECT} {verb}(?P<w>[^,.;?]*?) {time}{end}", r"\g<a> \g<t> \g<v>\g<w>"),
        (rf"(?:^|(?<=[.,;] )|(?<=and ))(?P<t>{_TIME}),? {_SUBJECT} {verb}", r"\g<t> \g<v>"),
        (rf"\b{_SUBJECT} {verb}(?P<w>(?:(?! than | as )[^,.;?])*?) {time}{end}", r"\g<t> \g<v>\g<w>"),
    )
    return tuple((re.compile(pattern), told) for pattern, told in forms)


def times_as_owners(text: str, verbs: str) -> str:
    """Return a text with its days instead of the person, if there is only one person and more than one day."""
    sentences = re.split(r"[.?!;] ", text)
    is_timed = all(re.search(_TIME, sentence) for sentence in sentences if "#" in sentence)
    is_timed = is_timed and not re.search(r"#\d+ of\b|\b(?:rest|remain\w*|left)\b", text)  # parts of a whole
    if not is_timed or len({time.lower() for time in re.findall(_TIME, text)}) < 2:
        return text
    told, subjects = text, set[str]()
    for pattern, words in _forms(verbs):
        subjects |= {(match["s"] or "it").lower() for match in pattern.finditer(told)}
        told = pattern.sub(words, told)
    names = {re.sub("^(?:an?|the) ", "", subject) for subject in subjects}
    if len(names - {"he", "she", "it", "they", "we"}) > 1:
        return text
    in_all = rf"\b(did|does|do) \w+ (?=(?:{verbs})\b[^,.;?]*\b(?:altogether|in all|in total)\b)"
    told = re.sub(r"(?i)\btoday\b", "the present day", re.sub(in_all, r"\1 they ", told))
    return re.sub(
        rf"(?i)\b[io]n (?=(?:\w+day|{_MONTH}|the (?:morning|afternoon|evening|first|second|third))\b)", "", told
    )
