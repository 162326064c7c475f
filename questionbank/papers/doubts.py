"""Doubts about a question, on its own and compared with its neighbours, and notices about the whole paper.

Questions without a doubt that are probably wrong get one too. The weights come from a logistic regression on the
outcome of strangers' papers when first read (`python -m tests.bench.outside.suspicion`, decision 117); the feature
with the largest contribution determines what to check.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import replace

from analytics.analysed_text import EACH_PART
from analytics.records import QuestionRecord
from questionbank.formats.directions import directs
from questionbank.papers import phrases
from questionbank.papers.line_context import formulas
from questionbank.papers.marks import NO_MARK, read_mark
from questionbank.papers.paper_lines import Doubt, FoundQuestion, Line, Role, full_text
from questionbank.papers.points import IMPOSSIBLE_POINTS
from questionbank.papers.question_drafts import Draft
from questionbank.papers.tasks import asks

_ADDRESSES = re.compile(
    r"\b(?:(?-i:me|my|us)|your?s?|mich|mir|moi|vous|votre)\b|\b(?:the board|in class|notebook)$", re.IGNORECASE
)
"""Addresses the reader instead of giving an answer."""
_MOST_GIVE = 0.7
_PICTURE = re.compile(r"!\[[^\]]*\]\(")
_NUMBERS_LEFT = re.compile(r"\n\s*(?:Q\s?)?\d{1,3}[.)、．]\s+\S")


def neighbour_doubts(
    found: Sequence[FoundQuestion], drafts: Sequence[Draft], *, names_answers: bool
) -> Iterator[FoundQuestion]:
    """Yield the questions with all their doubts.

    Args:
        names_answers: whether a title, table or list announces answers but none was read from it.
    """
    has_answers = names_answers or any(_has_answer(question) for question in found)
    counts = Counter(len(question.record.options) for question in found if question.record.options)
    usual = counts.most_common(1)[0][0] if counts else 0
    alike: dict[tuple[str, tuple[str, ...]], list[int]] = defaultdict(list)
    for place, draft in enumerate(drafts):
        alike[draft.number.strip(" .()"), draft.headings].append(place)
    beside = Counter(question.heading for question in found)
    given = Counter(question.heading for question in found if question.record.content.points is not None)
    for place, (question, draft) in enumerate(zip(found, drafts, strict=True)):
        has_seen_options = any(item.is_settled for item in draft.options)  # a person who set one has seen all of them
        doubts = [
            *question.doubts,
            *_own(question, draft, has_answers=has_answers),
            *_numbers(place, drafts),
            *_without_points(question, given[question.heading], beside[question.heading]),
            *_twins(place, draft, alike[draft.number.strip(" .()"), draft.headings]),
            *(() if has_seen_options else _number_of_options(place, found, usual, counts)),
        ]
        yield replace(question, doubts=tuple(dict.fromkeys(doubts)))


def _has_answer(question: FoundQuestion) -> bool:
    record = question.record
    return bool(record.answer or record.solution or record.content.accepted)


def with_lines_left(
    questions: Sequence[FoundQuestion], lines: Sequence[Line], roles: Sequence[Role], settled: Set[int]
) -> Iterator[FoundQuestion]:
    """Yield the questions, with a doubt for unused lines below them."""
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
            doubt = Doubt.of("line_left", text=_shown(below[0]))
            question = replace(question, doubts=(*question.doubts, doubt))
        yield question


def with_unread_signs(
    questions: Sequence[FoundQuestion], lines: Sequence[Line], settled: Set[int]
) -> Iterator[FoundQuestion]:
    """Yield the questions, with a doubt if some characters of their lines could not be read."""
    for question in questions:
        if any(lines[place].is_uncertain and place not in settled for place in question.lines):
            question = replace(question, doubts=(*question.doubts, Doubt.of("unread_signs")))
        yield question


def _own(question: FoundQuestion, draft: Draft, *, has_answers: bool) -> Iterator[Doubt]:
    """Yield the doubts about a question on its own, in reading order."""
    record = question.record
    if draft.is_headless and not draft.stem.is_settled:
        yield Doubt.of("headless")
    if has_answers:
        yield from _unanswered(question)
    yield from _odd_answer(record)
    yield from _points(draft, record.text)
    if any(map(_PICTURE.search, draft.headings[-1:])):
        yield Doubt.of("picture_in_heading")
    yield from _lost_parts(record, draft)
    yield from _lost_content(record)
    if phrases.MATCHING.search(record.text) and "|" in record.text and record.kind != "matching":
        yield Doubt.of("match_unanswered")
    if not draft.stem.is_settled:
        yield from _odd_text(record, is_known=has_answers or bool(draft.total))


def _odd_answer(record: QuestionRecord) -> Iterator[Doubt]:
    """Yield a doubt if an answer looks like a remark, or names an option but there are no options."""
    said = [record.answer, *(part.answer for part in record.content.parts)]
    if remark := next((answer for answer in said if _ADDRESSES.search(answer)), ""):
        yield Doubt.of("answer_addresses", text=_shown(remark))
    if not record.options and record.kind == "open" and re.fullmatch("[A-K]", record.answer):
        yield Doubt.of("answer_of_options", answer=record.answer)


def _lost_parts(record: QuestionRecord, draft: Draft) -> Iterator[Doubt]:
    """Yield doubts about parts that seem to be missing before or beside the first one."""
    if not draft.parts or draft.parts[0].is_settled:
        return
    first = read_mark(draft.parts[0].number)
    if first.value > 1 and first.roman != 1:
        yield Doubt.of("first_part", mark=draft.parts[0].number)
    if len(record.content.parts) == 1:
        yield Doubt.of("single_part")


def _lost_content(record: QuestionRecord) -> Iterator[Doubt]:
    """Yield doubts about pictures and formulas that could not be read from the document."""
    texts = "\n".join([record.text, record.solution, *(option.text for option in record.options)])
    texts += "\n".join(part.text for part in record.content.parts)
    if phrases.IMAGE_LOST.search(texts):
        yield Doubt.of("picture_lost")
    if phrases.FORMULA_LOST.search(texts):
        yield Doubt.of("formula_lost")


def _odd_text(record: QuestionRecord, *, is_known: bool) -> Iterator[Doubt]:
    """Yield doubts about a text that may contain another question or may not be a question.

    Args:
        is_known: whether its points, or answers in its paper, show that it is a question.
    """
    if _NUMBERS_LEFT.search(record.text):
        yield Doubt.of("number_inside")
    if not (is_known or record.options or record.content.parts or asks(record.text)):
        yield Doubt.of("asks_nothing")
    if 0 < len(record.text) < 6 and not record.content.parts:
        yield Doubt.of("short")


def _unanswered(question: FoundQuestion) -> Iterator[Doubt]:
    """Yield doubts about missing answers, for a paper that gives some."""
    record = question.record
    is_asked = not phrases.PROOF.search(record.text)
    if not _has_answer(question) and (is_asked or record.options or record.kind in ("true_false", "matching")):
        if not any(doubt.code in ("answer_no_option", "answer_other_options") for doubt in question.doubts):
            yield Doubt.of("unanswered")
    elif record.options and not record.answer:
        yield Doubt.of("no_right_option")
    elif record.kind == "parts":
        missing = sum(not part.answer for part in record.content.parts)
        if missing > 0:
            yield Doubt.of("parts_unanswered", missing=missing, count=len(record.content.parts))
    elif record.solution and not record.answer and not phrases.PROOF.search(record.text):
        yield Doubt.of("solution_only")


def _points(draft: Draft, text: str) -> Iterator[Doubt]:
    """Yield doubts about impossible or inconsistent points."""
    if said := IMPOSSIBLE_POINTS.search("\n".join([text, *(part.text for part in draft.parts)])):
        yield Doubt.of("points_impossible", text=said[0])
    given = [part.points for part in draft.parts if part.points is not None]
    if given and len(given) < len(draft.parts):
        yield Doubt.of("part_points", missing=len(draft.parts) - len(given), count=len(draft.parts))
    elif given and draft.total is not None and draft.total != sum(given):
        yield Doubt.of("points_sum", found=sum(given), stated=draft.total)


def _shown(text: str) -> str:
    return text if len(text) <= 60 else f"{text[:60]}…"


def _numbers(place: int, drafts: Sequence[Draft]) -> Iterator[Doubt]:
    """Yield doubts where the question numbers are not consecutive."""
    draft = drafts[place]
    before = drafts[place - 1] if place else None
    after = drafts[place + 1] if place + 1 < len(drafts) else None
    if draft.value < 0 or draft.stem.is_settled:
        return
    if before is not None and draft.value and before.value > 0:
        if draft.number == before.number:
            yield Doubt.of("number_twice", number=draft.value)
        elif draft.value == 1 and before.value > 1 and draft.headings == before.headings:
            yield Doubt.of("numbers_restart")
    if after is not None and draft.value and not after.stem.is_settled and after.value > draft.value + 1:
        missing = draft.value + 1
        what = f"question {missing}" if after.value == missing + 1 else f"questions {missing} to {after.value - 1}"
        yield Doubt.of("number_missing", next=after.value, missing=what)
    if not draft.value and any(other.value for other in drafts):
        yield Doubt.of("unnumbered")


def _without_points(question: FoundQuestion, given: int, beside: int) -> Iterator[Doubt]:
    """Yield a doubt if a question gives no points but most of its section does (`given` of `beside` questions)."""
    if question.record.content.points is None and given >= _MOST_GIVE * beside and given > 1:
        yield Doubt.of("no_points")


def _twins(place: int, draft: Draft, alike: Sequence[int]) -> Iterator[Doubt]:
    """Yield a doubt if another question, or a part, has the same number: one may be the answer to the other."""
    if draft.stem.is_settled:
        return
    if draft.value > 0 and len(alike) == 2 and alike[1] - alike[0] > 1:
        where = "below" if place == alike[0] else "above"
        yield Doubt.of("number_again", number=draft.value, where=where)
    first = read_mark(draft.parts[0].number) if draft.parts else NO_MARK
    if first and first.series == draft.series and first.value < draft.value:
        yield Doubt.of("parts_as_questions")


def _number_of_options(place: int, found: Sequence[FoundQuestion], usual: int, counts: Counter[int]) -> Iterator[Doubt]:
    options = len(found[place].record.options)
    total = sum(counts.values())
    if options and usual and options != usual and counts[usual] * 5 >= total * 4 and total > 2:
        yield Doubt.of("options_count", count=options, usual=usual)
    beside = [len(other.record.options) for other in (*found[max(0, place - 1) : place], *found[place + 1 : place + 2])]
    if (
        not options
        and len(beside) == 2
        and all(beside)
        and found[place].record.kind not in ("true_false", "matching")
        and (not _has_answer(found[place]) or phrases.OFFERS_CHOICE.search(found[place].record.text))
    ):
        yield Doubt.of("no_options")


# -- of the whole paper ------------------------------------------------------------------------------------------


def paper_notices(questions: Sequence[FoundQuestion], total: float) -> Iterator[str]:
    """Yield notices about the whole paper.

    Args:
        total: the total points that the paper states; 0 if it states none.
    """
    given = [question.record.content.points for question in questions]
    found = sum(points for points in given if points is not None)
    if total and found and found != total:
        without = [
            question.number.strip(" .:()") or str(place)
            for place, question in enumerate(questions, 1)
            if not given[place - 1]
        ]
        named = f" No points were found for question {', '.join(without[:8])}." if without else ""
        yield f"The questions give {found:g} points together, but the document says {total:g}.{named} Check the points."
    answers_parts = any(part.answer for question in questions for part in question.record.content.parts)
    if questions and not answers_parts and not any(map(_has_answer, questions)):
        yield "No answers were found in the document. The questions are imported without answers."


# -- what is left over -------------------------------------------------------------------------------------------


def left_over(lines: Sequence[Line], roles: Sequence[Role], used: set[int]) -> list[int]:
    """Return the lines with text below the first question that no question uses.

    Lines directly below a heading are its instructions, unless they are numbered.
    """
    left = []
    is_headed = True
    given = formulas(lines)
    for place, (line, role) in enumerate(zip(lines, roles, strict=True)):
        if role is Role.NOTHING or role is Role.KEY:
            is_taken = place in used or place in given or (is_headed and role is Role.NOTHING and not line.number)
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


# -- questions that are probably wrong ---------------------------------------------------------------------------------


_WEIGHTS = {"paper": 1.72, "unanswered": 1.09, "mentions": 3.68, "textless": 2.26, "match": 2.13}
_CONSTANT = -2.66
THRESHOLD = 0.25
"""The minimum probability of being wrong that raises a doubt."""
_MENTIONS = re.compile(
    r"\b(?:questions?|items?|problems?|exercises?|aufgaben?|fragen?|preguntas?|exercices?|opgaven?)\s*\d"
    r"|第\s?\d+|\d+\s?题",
    re.IGNORECASE,
)
"""Refers to other questions."""


def with_suspicions(questions: Sequence[FoundQuestion], settled: Set[int]) -> Iterator[FoundQuestion]:
    """Yield the questions, with a doubt added to those that are probably wrong but have none.

    Args:
        settled: lines with roles set by a person; their questions get no doubts.
    """
    doubted = sum(bool(question.doubts) for question in questions) / max(len(questions), 1)
    has_answers = any(not signs(question, doubted)["unanswered"] for question in questions)
    for question in questions:
        if not question.doubts and settled.isdisjoint(question.lines):
            against = {sign: _WEIGHTS[sign] * value for sign, value in signs(question, doubted).items()}
            against["unanswered"] *= has_answers  # otherwise it is reported once, for the whole paper
            if probability(against) > THRESHOLD:
                worst = max(against, key=against.__getitem__)
                question = replace(question, doubts=(Doubt.of(f"suspect_{worst}"),))
        yield question


def probability(against: Mapping[str, float]) -> float:
    """Return the probability that a question is wrong, from the contribution of each feature."""
    return 1 / (1 + math.exp(-sum(against.values()) - _CONSTANT))


def signs(question: FoundQuestion, doubted: float) -> dict[str, float]:
    """Return the features that may count against a question, by the names of their weights.

    Args:
        doubted: share of the paper's questions with a doubt, from 0 to 1.
    """
    record = question.record
    shared = record.content.stimulus.text
    own = record.text[len(shared) :].strip()
    answers = "\n".join([record.answer, *(part.answer for part in record.content.parts)]).strip()
    first = shared.partition("\n")[0]
    names_its_own = phrases.is_stimulus(first) or phrases.STIMULUS.match(first)
    return {
        "paper": doubted,
        "unanswered": float(not (answers or record.solution or record.content.accepted)),
        "mentions": float(_MENTIONS.search(record.text) is not None and not names_its_own),
        "textless": float(own == EACH_PART or len(own) < 6),
        "match": float(record.kind != "matching" and phrases.MATCHING.search(record.text) is not None),
    }
