"""Textual-CL's question reordering: the question moves to the front, and numbers take new slots with it.

"Textual Enhanced Contrastive Learning" (2022), section 3.1.1. The equation keeps its numbers; slots follow from the
order of the text, so the prototype equation changes by itself if the question has a number. Torch-free.
"""

from __future__ import annotations

from dataclasses import replace

from analytics.language.table import language_named
from analytics.languages import primary_language
from analytics.records import ProblemRecord
from analytics.text.clauses import split_sentences


def reorder_question(problem: ProblemRecord) -> ProblemRecord | None:
    """Return the problem with its question first; None if the last sentence is no question, or the only one.

    >>> reorder_question(ProblemRecord("1", "Ann has 7 pens. How many are left if 2 break?")).text
    'How many are left if 2 break? Ann has 7 pens.'
    >>> reorder_question(ProblemRecord("2", "小明有5个苹果，吃了2个，还剩多少个？", "zh")).text
    '还剩多少个？小明有5个苹果，吃了2个。'
    >>> reorder_question(ProblemRecord("3", "There are 3 bags of 4 sweets. Find the number of sweets")).text
    'Find the number of sweets. There are 3 bags of 4 sweets.'
    >>> reorder_question(ProblemRecord("4", "Mr. Li has 7 pens. How many more must he buy from Mr. Wu?")).text
    'How many more must he buy from Mr. Wu? Mr. Li has 7 pens.'
    """
    language = language_named(primary_language(problem.language))
    shapes = language.question_shapes
    text = problem.text.strip()
    ends = [sentence.end for sentence in split_sentences(text)]
    ends += [match.end() for match in shapes.PART_END.finditer(text)]
    start = max((end for end in ends if end < len(text)), default=0)
    if not start:
        return None
    story, question = text[:start].strip(), text[start:].strip()
    if not shapes.QUESTION.search(question):
        return None
    if question[-1] not in "?？.。!！":
        question += shapes.FULL_STOP if shapes.ORDER.match(question) else shapes.QUESTION_MARK
    if story[-1] in "，,；":
        story = f"{story[:-1]}{shapes.FULL_STOP}"
    return replace(problem, text=f"{question}{language.space}{story}")
