"""The passage that two texts share: the words side by side that say most, as both spell them."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from difflib import SequenceMatcher
from itertools import pairwise

from analytics.language.zh.language import CHINESE
from analytics.text.empty_words import EMPTY_WORDS, ONLY_IN_PHRASES
from analytics.text.question_tasks import MATHEMATICS, UNITS
from analytics.text.tokens import search_tokens

Passage = tuple[str, ...]

LONGEST = 12  # words of a passage that are quoted
LEAST_WORTH = {2: 2.5, 3: 1.5}  # by the number of words; 3 means 3 or more
MOST_WORDS = 400  # of a text

_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_CLAUSE_END = re.compile(r"[^\w\s'’-]+|\d+|\n|_+")
# How an answer is written says nothing of what is asked.
_ANSWER_FORMAT = re.compile(
    r"(?:^|(?<=[.?!:;()\n]))\s*(?:please )?"
    r"(?:(?:express|give|enter|write|round|leave|state|type|simplify|use|note|hint|if|make|when|separate|submit)\b"
    r"[^.?!\n]{0,120}?\banswers?\b|(?:do not|don['’]t|never) (?:use|round|include|enter|write|simplify)\b"
    r"|(?:if|when) (?:needed|necessary|there)\b)[^.?!\n]*[.?!]?",
    re.IGNORECASE,
)
_BOUNDARY = "\0"  # between clauses; no passage crosses it
_ENDS = frozenset(  # words that are not quoted at an end of a passage
    str.split(
        "a an the of and or to in on at is are was were be been it its this that these those for with by from as if"
        " then than so but into has have had will can he she they his her their you your we s t one two three four"
        " five six seven eight nine ten"
        " 的 了 是 在 和 有 把 将 从 与 被 着 也 就 那么 这 个"
    )
)
_ASKING = frozenset(
    str.split("how what which who whose where why find calculate determine evaluate solve 求")
)
_CHINESE_ASKING = frozenset(str.split("多少 几 怎样 哪个"))
_BEFORE_ASKING = frozenset(str.split("in by for at on to of about with"))
_SHORT_TERMS = frozenset(str.split("sum arc sin cos tan log set odd ray die age tax lcm gcd hcf net"))
_COUNTED = re.compile(r"[一两几每这那各某第].{1,2}")  # Chinese counting words: one, some, each of something


def passage_words(prose: str) -> list[str]:
    """Return the words of a text without formulas in order, with a mark between clauses."""
    words: list[str] = []
    for clause in _CLAUSE_END.split(_ANSWER_FORMAT.sub("\n", prose)):
        for match in _WORD.finditer(clause.casefold()):
            words += _cut(match[0]) if CHINESE.marks.search(match[0]) else [match[0]]
        words.append(_BOUNDARY)
        if len(words) > MOST_WORDS:
            break
    return words


def shared_passage(
    first: Sequence[str], second: Sequence[str], rarity: Callable[[str], float], *, of_task: bool = False
) -> Passage:
    """Return the shared passage that says most; empty if no passage says anything.

    Args:
        rarity: how rare a search token is in the bank.
        of_task: only passages that ask something, or have a word of mathematics: things of a story set no task.
    """
    shared = {*pairwise(first)} & {*pairwise(second)}
    if not any(map(_may_say, shared)):  # much quicker than to look for passages
        return ()
    matcher = SequenceMatcher(None, first, second, autojunk=False)
    best: tuple[float, Passage] = (0.0, ())
    for block in matcher.get_matching_blocks():
        for run in _runs(first[block.a : block.a + block.size]):
            worth = _worth(run, rarity) if not of_task or asks(run) or _has_mathematics(run) else 0.0
            if worth > best[0]:
                best = worth, run
    return best[1]


def _may_say(pair: tuple[str, str]) -> bool:
    """Return whether a passage that says something may hold these two words side by side."""
    return _BOUNDARY not in pair and any(_tells(token) for word in pair for token in search_tokens(word)[:1])


def asks(passage: Passage) -> bool:
    """Return whether a passage begins with a word that asks, or has a Chinese one."""
    first = passage[1] if passage[0] in _BEFORE_ASKING and len(passage) > 1 else passage[0]
    return first in _ASKING or not _CHINESE_ASKING.isdisjoint(passage)


def _has_mathematics(run: Passage) -> bool:
    return any(token in MATHEMATICS for word in run for token in search_tokens(word)[:1])


def _runs(words: Sequence[str]) -> list[Passage]:
    """Return the stretches of words between boundaries, without little words at their ends."""
    runs: list[Passage] = []
    run: list[str] = []
    for word in [*words, _BOUNDARY]:
        if word != _BOUNDARY:
            run.append(word)
            continue
        while run and _is_end(run[0]) and not asks(tuple(run[:2])):
            run.pop(0)
        run = run[:LONGEST]
        while run and _is_end(run[-1]):
            run.pop()
        if len(run) > 1:
            runs.append(tuple(run))
        run = []
    return runs


def _is_end(word: str) -> bool:
    return word in _ENDS or _COUNTED.fullmatch(word) is not None


def _worth(run: Passage, rarity: Callable[[str], float]) -> float:
    """Return how much a passage says, 0 where it says too little to be named."""
    tokens = [token for word in run for token in search_tokens(word)[:1]]
    if not any(map(_tells, tokens)) or not _is_term(run, tokens):
        return 0.0
    worth = sum(max(0.0, rarity(token) - 1) for token in tokens if token not in EMPTY_WORDS)
    worth += 0.2 * len(run)
    return worth if worth >= LEAST_WORTH[min(len(run), max(LEAST_WORTH))] else 0.0


def _is_term(run: Passage, tokens: Sequence[str]) -> bool:
    """Return whether a passage asks something or has two words that name something: "m wide" has one."""
    if asks(run) or any(map(CHINESE.marks.search, tokens)):
        return True
    naming = {token for token in tokens if len(token) > 2 and token not in EMPTY_WORDS and token not in UNITS}
    return len(naming - _ENDS) > 1


def _tells(token: str) -> bool:
    if CHINESE.marks.search(token):
        return len(token) > 1 and token not in EMPTY_WORDS and not _COUNTED.fullmatch(token)
    is_long = len(token) > 3 or token in _SHORT_TERMS
    return is_long and token not in EMPTY_WORDS and token not in ONLY_IN_PHRASES


def _cut(run: str) -> list[str]:
    import rjieba  # loading its dictionary takes a quarter of a second, which most commands never need

    return list(rjieba.cut(run))
