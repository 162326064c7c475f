"""What is doubtful about a question, alone and beside its neighbours: sentences for whoever reviews it."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence, Set
from dataclasses import replace

from questionbank.documents import phrases
from questionbank.documents.directions import directs
from questionbank.documents.drafts import Draft, Item
from questionbank.documents.key_rows import full_text
from questionbank.documents.marks import read_mark
from questionbank.documents.numbering import formulas
from questionbank.documents.paper import FoundQuestion, Line, Role

_ADDRESSES = re.compile(
    r"\b(?:(?-i:me|my|us)|your?s?|mich|mir|moi|vous|votre)\b|\b(?:the board|in class|notebook)$",
    re.IGNORECASE,
)
"""Speaks to whoever reads an answer rather than to give it."""
_NUMBERS_LEFT = re.compile(r"\n\s*(?:Q\s?)?\d{1,3}[.)、．]\s+\S")

UNREAD_SIGNS = (
    "Some signs of its text could not be read with certainty. Compare it with the question as printed."
)


def neighbour_doubts(
    found: Sequence[FoundQuestion], drafts: Sequence[Draft], *, names_answers: bool = False
) -> Iterator[FoundQuestion]:
    """Yield the questions with all of their doubts.

    Args:
        names_answers: a title, table or list names answers, and none came from it.
    """
    has_answers = names_answers or any(_has_answer(question) for question in found)
    counts = Counter(len(question.record.options) for question in found if question.record.options)
    usual = counts.most_common(1)[0][0] if counts else 0
    alike: dict[tuple[str, tuple[str, ...]], list[int]] = defaultdict(list)
    for place, draft in enumerate(drafts):
        alike[draft.number.strip(" .()"), draft.headings].append(place)
    for place, (question, draft) in enumerate(zip(found, drafts, strict=True)):
        doubts = [
            *question.doubts,
            *_own(question, draft, has_answers=has_answers),
            *_numbers(place, drafts),
            *_twins(place, draft, alike[draft.number.strip(" .()"), draft.headings]),
            *(() if _are_settled(draft.options) else _number_of_options(place, found, usual, counts)),
        ]
        yield replace(question, doubts=tuple(dict.fromkeys(doubts)))


def _are_settled(items: Sequence[Item]) -> bool:
    """Return whether a person has said what one of several lines is, and so has looked at all of them."""
    return any(item.is_settled for item in items)


def _has_answer(question: FoundQuestion) -> bool:
    record = question.record
    return bool(record.answer or record.solution or record.content.accepted)


def with_lines_left(
    questions: Sequence[FoundQuestion], lines: Sequence[Line], roles: Sequence[Role], settled: Set[int]
) -> Iterator[FoundQuestion]:
    """Yield the questions, each with a doubt for the lines below it that no question takes."""
    used = {line for question in questions for line in question.lines}
    starts = [min(question.lines, default=0) for question in questions]
    left: dict[int, list[str]] = {}
    for place in left_over(lines, roles, used):
        above = [number for number, start in enumerate(starts) if start < place]
        if above and roles[place] is Role.NOTHING and place not in settled:
            left.setdefault(above[-1], []).append(full_text(lines[place]))
    for number, question in enumerate(questions):
        below = left.get(number)
        if below:
            said = f"The line “{_shown(below[0])}” below is in no question. If it belongs to one, say what it is."
            question = replace(question, doubts=(*question.doubts, said))
        yield question


def with_unread_signs(
    questions: Sequence[FoundQuestion], lines: Sequence[Line], settled: Set[int]
) -> Iterator[FoundQuestion]:
    """Yield the questions, each with a doubt if signs of its lines could not be read."""
    for question in questions:
        if any(lines[place].is_uncertain and place not in settled for place in question.lines):
            question = replace(question, doubts=(*question.doubts, UNREAD_SIGNS))
        yield question


def _own(question: FoundQuestion, draft: Draft, *, has_answers: bool) -> Iterator[str]:
    record = question.record
    if draft.is_headless and not draft.stem.is_settled:
        yield "It begins with an option, a part or an answer. Say which line asks, or join it with the question above."
    is_asked = has_answers and not phrases.PROOF.search(record.text)
    if not _has_answer(question) and (
        is_asked or record.options or record.kind in ("true_false", "matching")
    ):
        if not any(
            "none of the options" in doubt or "but the options are" in doubt for doubt in question.doubts
        ):
            yield "No answer was found. Say which line gives it, or import the question without."
    elif record.options and not record.answer:
        yield "No option is marked as the answer. Say which one is right."
    elif record.kind == "parts" and has_answers:
        missing = sum(not part.answer for part in record.content.parts)
        if missing > 0:
            yield f"{missing} of the {len(record.content.parts)} parts have no answer. Say which lines give them."
    elif record.solution and not record.answer and not phrases.PROOF.search(record.text):
        yield "There is a worked solution, but no answer. Say which line of it is the answer."
    texts = "\n".join([record.text, record.solution, *(option.text for option in record.options)])
    texts += "\n".join(part.text for part in record.content.parts)
    said = [record.answer, *(part.answer for part in record.content.parts)]
    if remark := next((answer for answer in said if _ADDRESSES.search(answer)), ""):
        yield f"“{_shown(remark)}” speaks to somebody. Is it the answer?"
    if not record.options and record.kind == "open" and re.fullmatch("[A-K]", record.answer):
        yield f"The answer is {record.answer}, but there are no options. Say which lines are options."
    first = read_mark(draft.parts[0].number) if draft.parts else None
    if first is not None and first.value > 1 and first.roman != 1 and not draft.parts[0].is_settled:
        yield f"The first part is {draft.parts[0].number} Say where the parts before it begin."
    if len(record.content.parts) == 1 and not draft.parts[0].is_settled:
        yield "The question has a single part. Is another one part of the text?"
    if phrases.IMAGE_LOST.search(texts):
        yield "A picture could not be kept; [image] stands in its place."
    if phrases.FORMULA_LOST.search(texts):
        yield "A formula could not be read; [formula] stands in its place."
    if phrases.MATCHING.search(record.text) and "|" in record.text and record.kind != "matching":
        yield "It asks to match, but no answer says which belong together. Write it as “1-B, 2-A”."
    if draft.stem.is_settled:
        return
    if _NUMBERS_LEFT.search(record.text):
        yield "A line of the text has a number of its own. If it begins another question, say so."
    if not (
        has_answers or record.options or record.content.parts or record.content.points or _asks(record.text)
    ):
        yield "Nothing in it asks for an answer. Leave it out if it is no question."
    if 0 < len(record.text) < 6 and not record.content.parts:
        yield "The text is unusually short. Is there more of it above or below?"


def _asks(text: str) -> bool:
    """Return whether a sentence of a text asks, or leaves a place to answer in."""
    is_task = any(map(phrases.TASK.match, re.split(r"[.!。;:\n]\s*", text.replace("*", ""))))
    return is_task or re.search(r"[?？=]|选|[（(]\s*[）)]|__", text) is not None


def _shown(text: str) -> str:
    return text if len(text) <= 60 else f"{text[:60]}…"


def _numbers(place: int, drafts: Sequence[Draft]) -> Iterator[str]:
    """Yield where the numbers of questions do not count on."""
    draft = drafts[place]
    before = drafts[place - 1] if place else None
    after = drafts[place + 1] if place + 1 < len(drafts) else None
    if draft.value < 0 or draft.stem.is_settled:
        return
    if before is not None and draft.value and before.value > 0:
        if draft.number == before.number:
            yield f"The number {draft.value} stands twice. Join this with the question above if it belongs to that."
        elif draft.value == 1 and before.value > 1 and draft.headings == before.headings:
            yield "The numbers begin again at 1 without a heading. Are these parts of the question above, or rules?"
    if after is not None and draft.value and not after.stem.is_settled and after.value > draft.value + 1:
        missing = draft.value + 1
        what = (
            f"question {missing}"
            if after.value == missing + 1
            else f"questions {missing} to {after.value - 1}"
        )
        yield f"The next number is {after.value}. If {what} is in this one, say where it begins."
    if not draft.value and any(other.value for other in drafts):
        yield "It has no number, though others have. Join it with the question above if it belongs to that."


def _twins(place: int, draft: Draft, alike: Sequence[int]) -> Iterator[str]:
    """Yield that another question, or a part, has the number of this one: one of them may be the answer."""
    if draft.stem.is_settled:
        return
    if draft.value > 0 and len(alike) == 2 and alike[1] - alike[0] > 1:
        where = "below" if place == alike[0] else "above"
        yield f"The number {draft.value} stands {where} as well. Does one of the two answer the other?"
    first = read_mark(draft.parts[0].number) if draft.parts else None
    if first is not None and first.series == draft.series and first.value < draft.value:
        yield "Its parts are numbered as the questions are. Are they parts, or answers of the questions above?"


def _number_of_options(
    place: int, found: Sequence[FoundQuestion], usual: int, counts: Counter[int]
) -> Iterator[str]:
    options = len(found[place].record.options)
    total = sum(counts.values())
    if options and usual and options != usual and counts[usual] * 5 >= total * 4 and total > 2:
        yield f"It has {options} options; most others have {usual}. Is a line missing, or one too many?"
    beside = [
        len(other.record.options)
        for other in (*found[max(0, place - 1) : place], *found[place + 1 : place + 2])
    ]
    if (
        not options
        and len(beside) == 2
        and all(beside)
        and found[place].record.kind not in ("true_false", "matching")
        and (not _has_answer(found[place]) or phrases.OFFERS_CHOICE.search(found[place].record.text))
    ):
        yield "It has no options, but the questions before and after it have. Say which lines are options."


# -- what is left over --------------------------------------------------------------------------------------------


def left_over(lines: Sequence[Line], roles: Sequence[Role], used: set[int]) -> list[int]:
    """Return the lines below the first question that say something and that nothing takes.

    What stands directly below a heading is its instructions, unless it is numbered.
    """
    left = []
    is_headed = True
    given = formulas(lines)
    for place, (line, role) in enumerate(zip(lines, roles, strict=True)):
        if role is Role.NOTHING or role is Role.KEY:
            is_taken = (
                place in used or place in given or (is_headed and role is Role.NOTHING and not line.number)
            )
            if not is_taken and place > min(used, default=place) and _says(line):
                left.append(place)
        else:
            is_headed = role is Role.HEADING
    return left


def _says(line: Line) -> bool:
    text = full_text(line).replace("*", "")
    patterns = (phrases.NOISE, phrases.GRADES, phrases.SECTION, phrases.KEY_TITLE)
    is_small = phrases.is_answer_space(text) or phrases.tells_points(text)
    is_title = line.heading or any(pattern.fullmatch(text) for pattern in patterns)
    label = phrases.ANSWER.match(text)
    is_blank = label is not None and phrases.is_left_blank(text[label.end() :])
    return not (is_small or is_title or is_blank or directs(text)) and any(map(str.isalpha, text))
