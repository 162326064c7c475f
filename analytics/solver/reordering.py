"""Textual-CL's question reordering: the question moves to the front, and numbers take new slots with it.

"Textual Enhanced Contrastive Learning" (2022), section 3.1.1. The equation keeps its numbers; slots follow from the
order of the text, so the prototype equation changes by itself where the question has a number. Torch-free.
"""

from __future__ import annotations

import re
from dataclasses import replace

from analytics.languages import primary_language
from analytics.records import ProblemRecord
from analytics.text.clauses import split_sentences

_SEMICOLON = re.compile(r";\s+")
_CHINESE_END = re.compile(r"(?:[。！？；，?]|[.．,](?!\d))\s*")
_ENGLISH_QUESTION = re.compile(
    r"\b(?:how|what|which|who|when|where|find|calculate|determine)\b", re.IGNORECASE
)
_ENGLISH_ORDER = re.compile(r"(?:find|calculate|determine)\b", re.IGNORECASE)
_CHINESE_QUESTION = re.compile(r"多少|几|什么|哪|求|[?？]")


def reorder_question(problem: ProblemRecord) -> ProblemRecord | None:
    """Return the problem with its question first; None where the last sentence is no question, or the only one.

    >>> reorder_question(ProblemRecord("1", "Ann has 7 pens. How many are left if 2 break?")).text
    'How many are left if 2 break? Ann has 7 pens.'
    >>> reorder_question(ProblemRecord("2", "小明有5个苹果，吃了2个，还剩多少个？", "zh")).text
    '还剩多少个？小明有5个苹果，吃了2个。'
    >>> reorder_question(ProblemRecord("3", "There are 3 bags of 4 sweets. Find the number of sweets")).text
    'Find the number of sweets. There are 3 bags of 4 sweets.'
    >>> reorder_question(ProblemRecord("4", "Mr. Li has 7 pens. How many more must he buy from Mr. Wu?")).text
    'How many more must he buy from Mr. Wu? Mr. Li has 7 pens.'
    """
    is_chinese = primary_language(problem.language) == "zh"
    text = problem.text.strip()
    start = _last_start(text, is_chinese=is_chinese)
    if not start:
        return None
    story, question = text[:start].strip(), text[start:].strip()
    if not (_CHINESE_QUESTION if is_chinese else _ENGLISH_QUESTION).search(question):
        return None
    if question[-1] not in "?？.。!！":
        question += _end_mark(question, is_chinese)
    if not is_chinese:
        return replace(problem, text=f"{question} {story}")
    if story[-1] in "，,；":
        story = f"{story[:-1]}。"
    return replace(problem, text=question + story)


def _last_start(text: str, *, is_chinese: bool) -> int:
    """Return where the last sentence begins; of a Chinese text the last clause."""
    if is_chinese:
        ends = [match.end() for match in _CHINESE_END.finditer(text)]
    else:
        ends = [sentence.end for sentence in split_sentences(text)]
        ends += [match.end() for match in _SEMICOLON.finditer(text)]
    return max((end for end in ends if end < len(text)), default=0)


def _end_mark(question: str, is_chinese: bool) -> str:
    if is_chinese:
        return "？"
    return "." if _ENGLISH_ORDER.match(question) else "?"
