"""Patterns for true-or-false statements."""

from __future__ import annotations

import re

_TRUE_FALSE = re.compile(
    r"[\s\u2003]*(?:[(\[（]?\s*\b(?:true|t|(?-i:[VWRP])|richtig|wahr|vrai|verdade\w+|vero|prawda|waar)\s*"
    r"(?:/|or|oder|ou|o|\||\u2003| {2,}"
    r"|\s+_*\s*)\s*(?:false|f|falsch|faux|falso|fałsz|onwaar)\b\s*[)\]）]?|\n对还是错)[\s\u2003_.?？]*$",
    re.IGNORECASE,
)
"""Follows a true-or-false statement."""
_EMPHASIS = re.compile(r"\$\\underline\{|\}\$|\*+")
_MARKED_TRUTH = re.compile(
    r"(?P<first>(?:\$\\underline\{|\*{1,2})?[^\W\d_]{1,9}(?:\}\$|\*{1,2})?)"
    r"(?P<between>\s*(?:/|\||or|oder|ou|o)\s*|\s+)"
    r"(?P<second>(?:\$\\underline\{|\*{1,2})?[^\W\d_]{1,9}(?:\}\$|\*{1,2})?)[\s)\]]*$"
)
_WORDS_TRUE = r"(?:True|T|Richtig|Wahr|R|W|Vrai|V|Verdadero|Vero|P|TRUE)"
_LEADING_TRUTH = re.compile(
    rf"(?:\*\*|\$\\underline\{{)?{_WORDS_TRUE}(?:\*\*|\}}\$)?\s*[/|\s]\s*"
    r"(?:\*\*|\$\\underline\{)?(?:False|FALSE|Falsch|Faux|Falso|F)(?:\*\*|\}\$)?\s+(?=\S)"
)
"""Precedes a true-or-false statement: "T / F  9 is odd."."""
_LEADING_ORDER = re.compile(
    r"\W*(?:(?:say|decide|state|write|tell)\b[^.:?]{0,40}\b)?true or false\b|\W*判断对错|\W*判断题", re.IGNORECASE
)
_WHOLE_SENTENCE = re.compile(r"[.!?:;。？！：；…$_)\])]\s*$")
_ASIDE = re.compile(r"[\s\u2003]*[(\[（]|\s*[\t\n\u2003]| {2,}| *(?:True|T|Richtig|Wahr|Vrai|Verdadero|Vero)\s*[/|]")
_GOES_ON = re.compile(
    r"\b(?:is|are|be|if|whether|write|circle|tick|say|either|with|for|ist|sind|ob|est|sont|es|son|è)$", re.IGNORECASE
)
_TRUE = frozenset(
    "true t yes right richtig wahr r w vrai v verdadero verdadeiro vero prawda p waar 对 正确 √ ✓ ✔ 是".split()
)
_FALSE = frozenset("false f no wrong falsch faux falso fałsz onwaar 错 错误 × ✗ x ✕ 否".split())


def truth_of(answer: str) -> str:
    """Return "True" or "False" for a word or sign with that meaning; otherwise empty.

    >>> truth_of("T."), truth_of("错"), truth_of("B")
    ('True', 'False', '')
    """
    word = answer.strip(" .。()（）\u2003").lower()
    return "True" if word in _TRUE else "False" if word in _FALSE else ""


def truth_before(answer: str) -> tuple[str, str]:
    """Return "True" or "False" for the first word of an answer, and the reason after it.

    >>> truth_before("False, take x = 0"), truth_before("T"), truth_before("F is the force")
    (('False', 'take x = 0'), ('True', ''), ('', 'F is the force'))
    """
    match = re.match(r"[\s*(]*(\w+)[\s*)]*(?:[.,;:(（–—-]\s*|$|(?:because|since|as|weil|car|porque)\b)", answer)
    truth = truth_of(match[1]) if match else ""
    if match is None or not truth or (len(match[1]) > 1 and match[1].lower() in ("yes", "no", "right", "wrong")):
        return "", answer
    return truth, answer[match.end() :].strip(" ).")


def chosen_truth(stem: str) -> tuple[str, str]:
    r"""Return a statement followed by plain words for true and false, and which of them was highlighted.

    >>> chosen_truth(r"9 is odd. $\underline{True}$ / False"), chosen_truth("9 is odd. T **F**"), chosen_truth("T / F")
    (('9 is odd. True / False', 'True'), ('9 is odd. T F', 'False'), ('T / F', ''))
    """
    if (leading := _LEADING_TRUTH.match(stem)) and stem[leading.end() :].strip():
        stem = f"{stem[leading.end() :].strip()}\u2003{leading[0].strip(' :.')}"
    match = _MARKED_TRUTH.search(stem)
    if match is None:
        return stem, ""
    words = [_EMPHASIS.sub("", match[name]) for name in ("first", "second")]
    marked = [word for word, name in zip(words, ("first", "second"), strict=True) if word != match[name]]
    if len(marked) != 1 or {truth_of(word) for word in words} != {"True", "False"}:
        return stem, ""
    return f"{stem[: match.start()]}{words[0]}{match['between']}{words[1]}", truth_of(marked[0])


def offers_truth(text: str) -> bool:
    """Return whether a true-or-false statement ends with the words to choose from: "9 is odd. T / F"."""
    plain = chosen_truth(text)[0]
    return statement_of(plain) != plain


def asks_for_truth(text: str) -> bool:
    """Return whether a text is a true-or-false statement, indicated before or after it.

    >>> asks_for_truth("True or false: 9 is odd."), asks_for_truth("9 is odd. T / F"), asks_for_truth("Is 9 odd?")
    (True, True, False)
    """
    return _LEADING_ORDER.match(text) is not None or offers_truth(text)


def statement_of(stem: str) -> str:
    """Return the statement before "true / false", or the whole text if its last sentence continues into these words.

    >>> statement_of("The sum is even. True or false"), statement_of("The sum is even True / False")
    ('The sum is even.', 'The sum is even')
    >>> statement_of("Decide whether each statement is true or false.")
    'Decide whether each statement is true or false.'
    """
    match = _TRUE_FALSE.search(stem)
    if match is None:
        return stem
    before = stem[: match.start()]
    if _WHOLE_SENTENCE.search(before) or (_ASIDE.match(match[0]) and not _GOES_ON.search(before)):
        return before
    return stem
