"""What is doubtful about a question, alone and beside its neighbours: sentences for whoever reviews it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from questionbank.documents import phrases
from questionbank.documents.drafts import Draft
from questionbank.documents.key_rows import full_text
from questionbank.documents.paper import FoundQuestion, Line, Role

_LONG_OPTION = 160  # characters of an option that goes on over lines
_LONG_STEM = 1_500
_MARKS_LEFT = re.compile(
    r"(?:^|[\n\t])A[ \t][^\n]{1,80}?\tB[ \t][^\n]{1,80}?\tC[ \t]|"
    r"(?:^|[\s\u2003(])[(（]?A[.)）、．][^\n]{1,200}?[\s\u2003(][(（]?B[.)）、．]"
)
_NUMBERS_LEFT = re.compile(r"\n\s*(?:Q\s?)?\d{1,3}[.)、．]\s+\S")


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
    for place, (question, draft) in enumerate(zip(found, drafts, strict=True)):
        doubts = [
            *question.doubts,
            *_own(question, draft, has_answers=has_answers),
            *_numbers(place, drafts),
            *_number_of_options(place, found, usual, counts),
        ]
        yield replace(question, doubts=tuple(dict.fromkeys(doubts)))


def _has_answer(question: FoundQuestion) -> bool:
    record = question.record
    return bool(record.answer or record.solution or record.content.accepted)


def with_lines_left(
    questions: Sequence[FoundQuestion], lines: Sequence[Line], roles: Sequence[Role]
) -> Iterator[FoundQuestion]:
    """Yield the questions, each with a doubt for the lines below it that no question takes."""
    used = {line for question in questions for line in question.lines}
    starts = [min(question.lines, default=0) for question in questions]
    left: dict[int, list[str]] = {}
    for place in left_over(lines, roles, used):
        above = [number for number, start in enumerate(starts) if start < place]
        if above and roles[place] is Role.NOTHING:
            left.setdefault(above[-1], []).append(full_text(lines[place]))
    for number, question in enumerate(questions):
        below = left.get(number)
        if below:
            said = f"No question takes the line below: “{_shown(below[0])}”."
            question = replace(question, doubts=(*question.doubts, said))
        yield question


def _own(question: FoundQuestion, draft: Draft, *, has_answers: bool) -> Iterator[str]:
    record = question.record
    if draft.is_headless:
        yield "No line asks this question: its first line is an option, a part or an answer."
    is_asked = has_answers and not phrases.PROOF.search(record.text)
    if not _has_answer(question) and (
        is_asked or record.options or record.kind in ("true_false", "matching")
    ):
        yield "No answer was found."
    elif record.options and not record.answer:
        yield "No option is marked as the answer."
    elif record.kind == "parts" and has_answers:
        missing = sum(not part.answer for part in record.content.parts)
        if missing > 0:
            yield f"{missing} of the {len(record.content.parts)} parts have no answer."
    elif record.solution and not record.answer and not phrases.PROOF.search(record.text):
        yield "There is a worked solution, but no line says which of it is the answer."
    texts = "\n".join(
        [
            record.text,
            record.solution,
            *(o.text for o in record.options),
            *(p.text for p in record.content.parts),
        ]
    )
    if len(record.content.parts) == 1:
        yield "The question has a single part."
    if phrases.IMAGE_LOST.search(texts):
        yield "A picture could not be kept; [image] stands in its place."
    if phrases.FORMULA_LOST.search(texts):
        yield "A formula could not be read; [formula] stands in its place."
    for item in draft.options[-1:]:
        if len(item.lines) > 1 and (len(item.text) > _LONG_OPTION or len(item.lines) > 3):
            yield f"Text follows the last option and is read as part of it: “{_shown(item.texts[1])}”."
    if _MARKS_LEFT.search(record.text):
        yield "The text holds A and B that are not read as options."
    if _NUMBERS_LEFT.search(record.text):
        yield "The text holds a line with a number of its own; it may be another question."
    if len(draft.stem.text) > _LONG_STEM:
        yield "The text is unusually long; it may hold more than one question."
    if not (
        has_answers or record.options or record.content.parts or record.content.points or _asks(record.text)
    ):
        yield "Nothing in the text asks for an answer. Is it a question?"
    if record.text and len(record.text) < 6 and not record.content.parts:
        yield "The text is unusually short."
    if phrases.MATCHING.search(record.text) and "|" in record.text and record.kind != "matching":
        yield "The table seems to be one to match, but no answer says which belong together."


def _asks(text: str) -> bool:
    """Return whether a sentence of a text asks, or leaves a place to answer in."""
    sentences = re.split(r"[.!。;:\n]\s*", text.replace("*", ""))
    return bool(
        re.search(r"[?？=]|选|[（(]\s*[）)]", text)
        or phrases.BLANK.search(text)
        or any(phrases.TASK.match(sentence) for sentence in sentences)
    )


def _shown(text: str) -> str:
    return text if len(text) <= 60 else f"{text[:60]}…"


def _numbers(place: int, drafts: Sequence[Draft]) -> Iterator[str]:
    """Yield where the numbers of questions do not count on."""
    draft = drafts[place]
    before = drafts[place - 1] if place else None
    after = drafts[place + 1] if place + 1 < len(drafts) else None
    if draft.value < 0:
        return
    if before is not None and draft.value and before.value > 0:
        if draft.value == before.value:
            yield f"The number {draft.value} stands twice."
        elif draft.value == 1 and before.value > 1 and draft.headings == before.headings:
            yield "The numbers begin again at 1, but no heading stands above."
        elif draft.value != before.value + 1 and draft.value != 1:
            yield f"The numbers skip from {before.value} to {draft.value}."
    if after is not None and draft.value and after.value > draft.value + 1:
        missing = draft.value + 1
        what = (
            f"question {missing}"
            if after.value == missing + 1
            else f"questions {missing} to {after.value - 1}"
        )
        yield f"The next number is {after.value}; {what} may be part of this question."
    if not draft.value and any(other.value for other in drafts):
        yield "The question has no number, though others have."


def _number_of_options(
    place: int, found: Sequence[FoundQuestion], usual: int, counts: Counter[int]
) -> Iterator[str]:
    options = len(found[place].record.options)
    total = sum(counts.values())
    if options and usual and options != usual and counts[usual] * 5 >= total * 4 and total > 2:
        yield f"The question has {options} options; most others have {usual}."
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
        yield "The question has no options, but the questions before and after it have."


# -- what is left over --------------------------------------------------------------------------------------------


def left_over(lines: Sequence[Line], roles: Sequence[Role], used: set[int]) -> list[int]:
    """Return the lines below the first question that say something and that nothing takes.

    What stands directly below a heading is its instructions, unless it is numbered.
    """
    left = []
    is_headed = True
    for place, (line, role) in enumerate(zip(lines, roles, strict=True)):
        if role is Role.NOTHING or role is Role.KEY:
            is_taken = place in used or (is_headed and role is Role.NOTHING and not line.number)
            if not is_taken and place > min(used, default=place) and _says(line):
                left.append(place)
        else:
            is_headed = role is Role.HEADING
    return left


def _says(line: Line) -> bool:
    text = full_text(line).replace("*", "")
    is_small = phrases.NOISE.fullmatch(text) or phrases.is_answer_space(text) or phrases.tells_points(text)
    is_title = phrases.SECTION.fullmatch(text) or phrases.KEY_TITLE.fullmatch(text) or line.heading
    label = phrases.ANSWER.match(text)
    is_blank = label is not None and phrases.is_left_blank(text[label.end() :])
    return not (is_small or is_title or is_blank or phrases.directs(text)) and any(map(str.isalpha, text))
