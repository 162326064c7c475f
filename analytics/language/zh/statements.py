"""Reversal of a Chinese problem: the question becomes a statement, and a statement asks for one of its numbers.

Reversed Operation based Data Augmentation (Liu et al., 2021) as described by Textual-CL (2022), section 3.1.2.
A Chinese question has the same word order, so most rewriting replaces 多少 by a number and a number by 多少.
Torch-free.
"""

from __future__ import annotations

import re
from fractions import Fraction

from analytics.language.contract import NotReversibleError, Statement, number_text

_END = re.compile(r"[。！？；，．?!;]+\s*|(?:(?<!\d)[.,]|[.,](?!\d))\s*")
_HINT = re.compile(r"[（(][^()（）]*[\u4e00-\u9fff][^()（）]*[)）]\s*$")  # （得数保留整数）
_LEAD = re.compile(r"^(?:那么|那|请问|试问|试求|问|求|则|请你?算一?算)+[,，：:]?")
_SUPPOSITION = re.compile(r"^(?:如果|假如|假设|若|已知|当)")
_TIME_TAIL = re.compile(r"(?:之后|以后|后|时候|时)$")
_FRAGMENT = re.compile(r"(?:[里中上下内外间的]|之前|以前|前)$")
_ASKING = re.compile(r"百分之几|百分之多少|几分之几|多少|几(?=[^乎何])")
_NO_UNIT = re.compile(r"多[长大远高重久深厚宽快]")
_OPEN = re.compile(r"什么|哪|吗|怎|谁|是否|能不能")
_BARE_EQUALS = re.compile(r"[=＝是为]$")
_MODIFIES = re.compile(r"^[^的，\d]{1,4}的")  # 65吨的砂石: the amount identifies the thing rather than measuring it
_DECIMAL = re.compile(r"^[.．]\d")
_CALCULATION = "：:*/+-=＝×÷^~～()（）"


def statements_of(text: str) -> list[Statement]:
    """Split a problem at its punctuation; the last clause is the question."""
    clauses = []
    start = 0
    stripped = _HINT.sub("", text.strip())
    for mark in _END.finditer(stripped):
        if mark.start() > start:
            clauses.append(Statement(stripped[start : mark.start()].strip(), mark[0].strip(), start))
        start = mark.end()
    if start < len(stripped):
        clauses.append(Statement(stripped[start:].strip(), "？", start))
    return clauses


def answer_statement(question: str, answer: Fraction, _text: str) -> str:
    """Return a question as a statement that contains its answer.

    >>> answer_statement("还剩多少个", Fraction(3), ""), answer_statement("求这个数", Fraction(1, 3), "")
    ('还剩3个', '这个数是(1/3)')

    Raises:
        NotReversibleError: it does not ask for a number, asks for several, or does not give the number's unit.
    """
    question = _HINT.sub("", question).strip()
    body = _LEAD.sub("", question)
    asking = _ASKING.findall(body)
    if len(asking) > 1:
        raise NotReversibleError("the question asks for several numbers")
    if asking:
        return _ASKING.sub(_amount(asking[0], answer), body, count=1)
    if _OPEN.search(body) or not body:
        raise NotReversibleError("the question asks for no number")
    if _NO_UNIT.search(body):
        raise NotReversibleError("the question names no unit")
    if _BARE_EQUALS.search(body):
        return body + number_text(answer, "zh")
    if body != question:  # 求这个数
        return f"{body}是{number_text(answer, 'zh')}"
    raise NotReversibleError("the last clause is not a question")


def _amount(asked: str, answer: Fraction) -> str:
    if asked.startswith("百分"):
        return number_text(answer * 100, "zh") + "%"
    if asked == "几分之几" and answer.denominator == 1:
        raise NotReversibleError("the answer does not fit the question")
    return number_text(answer, "zh")


def asking_question(clause: str, start: int, end: int) -> str:
    """Turn a clause into the question for the number at ``clause[start:end]``.

    >>> asking_question("如果每天看12页", 5, 7), asking_question("是原价的(4/5)", 5, 8)
    ('每天看多少页', '是原价的几分之几')

    Raises:
        NotReversibleError: the number is part of a calculation or a ratio, or the clause is only part of a sentence.
    """
    if clause[:start].endswith("(") and clause[end:].startswith(")"):
        start, end = start - 1, end + 1
    number = clause[start:end]
    before, after = clause[:start], clause[end:]
    if before[-1:] in tuple(_CALCULATION) or after[:1] in tuple(_CALCULATION) or _DECIMAL.match(after):
        raise NotReversibleError("the number is part of a calculation or a ratio")
    if _ASKING.search(before + after) or _OPEN.search(before + after):
        raise NotReversibleError("the clause asks already")
    if number.endswith(("%", "％")):
        question_word = "百分之几"
    elif "/" in number and not number[0].isdigit():
        question_word = "几分之几"
    else:
        question_word = "几" if before.endswith("第") else "多少"
    tail = _TIME_TAIL.sub("", after) if after not in ("时", "小时") and not after.endswith("小时") else after
    if not tail.strip() and question_word == "多少" and not re.search(r"[是有为到=于比]$", before):
        raise NotReversibleError("the number has no unit")
    if question_word == "多少" and (_FRAGMENT.search(tail) or _MODIFIES.search(tail)):
        raise NotReversibleError("the clause is only part of a sentence")
    return _SUPPOSITION.sub("", before) + question_word + tail


def rebuild(statements: list[Statement], place: int, statement: str, question: str) -> str:
    """Replace a clause by the statement, and put the question at the end."""
    clauses = [f"{clause.text}{clause.mark}" for clause in statements[:-1]]
    clauses[place] = statement + statements[place].mark
    story = "".join(clauses)
    return f"{story[:-1]}，{question}？" if story[-1] in "，,；" else f"{story}{question}？"
