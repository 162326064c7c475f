"""Reject bad rewordings: broken English, or the question itself with a word replaced. Torch-free.

The language check knows constructions that result from rewriting words without parsing the sentence, such as
"at a quickly rate" and "receives paid". It is not a parser: it may miss a mistake, but rarely flags a correct
sentence.
"""

from __future__ import annotations

import re
from collections import Counter

from rapidfuzz.distance import Levenshtein

from analytics.paraphrase.words.wording import SYNONYMS

_BREAKAGES = re.compile(
    r"""
    \ban?\s(?!(?:family|daily|weekly|monthly|yearly|hourly|friendly|only|early|likely|lovely|assembly|supply|ally|fly|jelly
        |reply|belly|bully|holy|rally|lily|july|doily|silly|ugly|italy|sicily|emily|kelly|sally|molly|billy)\b)
        \w{3,}ly\s(?:rate|speed|pace|train|car|runner|reader|trip|journey|number|walk|ride)\b  # at a quickly rate
    | \b(?:receiv|obtain|acquir)(?:es?|ed|ing)\s(?:paid|home|up|to|there|older|larger|smaller|colder|warmer|bigger)\b
    | \b(?<!is\s)(?<!are\s)(?<!was\s)(?<!were\s)(?<!be\s)(?:requires?|required)\sto\b          # requires to buy
    | \bwish(?:es|ed)?\s(?:\d|an?\b|the\b|some\b)                                              # wishes 3 apples
    | \b(?:double|one\shalf|one\sthird)\sas\s(?:many|much)\b
    | \b(?:needs?|adds?|added|must|want(?:s|ed)?)\b[^.?]{0,30}\bfor\smaking\b
    | \bin\sthe\send\sof\b | \balso\sto\b(?=\sthe)
    | \b(?:per|each)\s(?:day|week|month|year|hour)\s(?:he|she|they|it|we|I)\b(?!\s(?:is|was))
    | \bthere\sexists\s(?:\d|one|two|three)\b
    | \bthe\scount\sof\b
    | \bcompletes?\s(?:in|\d|after|with)\b
    | \bthe\s(?:begin|construct|purchas(?:es)?)\b
    | \b(?:has|have|had)\s(?:began|chose|drove|ate|took|gave|went|wrote)\b
    | \bwill\s(?:had|has|were|was)\b | \bdoes\s(?:has|had)\b
    | ,?\s(?:and|;)\s(?:find|calculate|determine|write|work\sout|round|give|simplify)\s(?:this|your)\b
    | \b(?!(?:that|had|is|1|2|3|4|5|6|7|8|9)\b)(\w+)\s\1\b                                     # the the
    | \ba\s(?=[aeio][a-z]{2})(?!(?:one|once|eu|uni|use|usual|ewe)) | \ban\s(?=[bcdfgjklmnpqrstvwyz][a-z]{2})
    | \s[,.;?!](?=\s|$) | [,;]\s*[.?!] | \.\s*\?
    """,
    re.IGNORECASE | re.VERBOSE,
)

_ASKED = re.compile(
    r"\b(?:what(?:'s| is| was| are| were| will be)|find|determine|calculate|compute|work out|evaluate)\b", re.IGNORECASE
)
_LONG_FORMS = (
    (re.compile(r"n't\b"), " not"),
    (re.compile(r"\b(it|that|he|she|there)'s\b"), r"\1 is"),
    (re.compile(r"'re\b"), " are"),
    (re.compile(r"'ll\b"), " will"),
    (re.compile(r"\bcan not\b"), "cannot"),
    (re.compile(r"\bis equal to\b"), "equals"),
    (re.compile(r"\b(?:in total|in all|all together)\b"), "altogether"),
)
_WORD = re.compile(r"\$[^$]*\$|[^\W_]+(?:['’][^\W_]+)*|[%£€°]")
_ALIKE = {word: row[0] for row in SYNONYMS for word in row} | {"total": "sum", "every": "each", "per": "each"}
_FEWEST = 3  # minimum words that a rewording must change
_MOVED = 3  # words that must move for the order to count as different, which is worth as many words
_SAME_WORD = 0.34  # weight of a changed word that is a synonym in the same place


def breakages(text: str, original: str = "") -> list[str]:
    """Return the language errors in a text that its original does not have.

    >>> breakages("It fills at a quickly rate."), breakages("She gets paid 5 dollars.")
    (['a quickly rate'], [])
    """
    original_breakages = {match[0].lower() for match in _BREAKAGES.finditer(original)}
    return [match[0] for match in _BREAKAGES.finditer(text) if match[0].lower() not in original_breakages]


def usefulness(question: str, rewording: str) -> float:
    """Score how much of a question a rewording changes, from 0; trivial rewordings score 0.

    A rewording is trivial if it replaces "What is" by "Find", expands contractions or swaps a synonym or two:
    no pupil would call it a different wording. The score counts words added or removed; a synonym counts as a
    third of a word, and a different order as three words.

    >>> usefulness("What is the sum of 3 and 4?", "Find the sum of 3 and 4.")
    0.0
    """
    before, after = _words(question), _words(rewording)
    keys, new_keys = ([_ALIKE.get(word, word) for word in words] for words in (before, after))
    counts, new_counts = Counter(keys), Counter(new_keys)
    changed = float(max((counts - new_counts).total(), (new_counts - counts).total()))
    exchanged = sum((Counter(before) - Counter(after)).values()) - (counts - new_counts).total()
    is_moved = Levenshtein.distance(keys, new_keys) >= changed + _MOVED
    value = changed + _SAME_WORD * max(0, exchanged) + _MOVED * is_moved
    return value if value >= _FEWEST else 0.0


def _words(text: str) -> list[str]:
    """Return the words of a text, with contractions expanded, without those that only ask."""
    text = text.replace("’", "'")
    for pattern, long in _LONG_FORMS:
        text = pattern.sub(long, text)
    return [match[0].lower() for match in _WORD.finditer(_ASKED.sub(" ", text))]
