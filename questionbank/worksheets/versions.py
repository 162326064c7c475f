"""Versions of a worksheet: shuffled questions and options, other numbers, and the matching key.

Version A is as the owner arranged it. The others are drawn from the worksheet's seed, with a separate random generator
per question, so that adding or removing a question leaves the others as they are.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from random import Random

from analytics.languages import primary_language
from analytics.question_content import Option, QuestionContent, QuestionPart
from analytics.text.characters import PICTURE
from questionbank.formats.kinds import apart, derived_answer, lettered_choices, part_label
from questionbank.formats.written_numbers import plain
from questionbank.papers.phrases import with_range
from questionbank.worksheets.question_variants import (
    NO_EQUATION,
    NO_OTHERS,
    Labelled,
    in_other_order,
    other_order,
    relabelled,
    reordered,
    why_kept,
    why_not_changed,
    with_changed_numbers,
)
from questionbank.worksheets.sheet import (
    Mixing,
    PlannedQuestion,
    PlannedSection,
    SheetItem,
    SheetSection,
    part_scale,
    takes_lines,
)

LEAST_STIMULUS = 40  # shortest first paragraph in characters that counts as a shared text
_PARAGRAPHS = re.compile(r"\n[ \t]*\n\s*")
_REFERS_BACK = re.compile(
    r"\b(?:previous|preceding|last|above)\s+(?:question|problem|exercise|part)\b|\byour answer (?:to|from|in)\b"
    r"|上一?题|前一题",
    re.IGNORECASE,
)
_NAMES_A_NUMBER = re.compile(r"\b(?:questions?|problems?|exercises?)\s+\d+\b|第\s*\d+\s*题", re.IGNORECASE)
_TRUE_OR_FALSE = {"zh": "对还是错？"}
_ROMAN = ("i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x", "xi", "xii")


@dataclass(frozen=True, slots=True)
class Arrangement:
    """The questions of one version.

    Attributes:
        numbers: numbers of the questions in the bank, in printed order.
        changed: which of them have other numbers in this version.
        kept: for the others, why they have the numbers of version A although numbers change.
    """

    sections: tuple[SheetSection, ...]
    numbers: tuple[int, ...]
    changed: frozenset[int] = frozenset()
    kept: Mapping[int, str] = field(default_factory=dict)


def arrange(
    sections: Sequence[PlannedSection], mixing: Mixing, *, answers: bool = False, solutions: bool = False
) -> Arrangement:
    """Return the questions of one version; the same seed and version always give the same result.

    Args:
        answers: include the answers of the key; otherwise nothing of an answer is returned.
    """
    arranged: list[SheetSection] = []
    numbers: list[int] = []
    changed: set[int] = set()
    kept: dict[int, str] = {}
    count = 0
    # For "Use your answer to question 3", numbers and tasks must be the same in every version.
    names_another = any(
        _NAMES_A_NUMBER.search(with_range(question.record.text, "", ""))
        for section in sections
        for question in section.questions
    )
    for place, section in enumerate(sections):
        items: list[SheetItem] = []
        groups = _groups(section.questions)
        if not (mixing.is_first or names_another) and mixing.questions:
            groups = _in_other_order(groups, mixing.rng("order", place))
        for group in groups:
            for question in group.questions:
                is_first = question is group.questions[0]
                is_alone = len(group.questions) == 1 and not names_another
                printed_question, reason = _with_numbers(question, mixing, is_alone)
                if printed_question is not question:
                    changed.add(question.number)
                elif reason:
                    kept[question.number] = reason
                is_asked = question.record.kind != "description"
                count += is_asked
                item = _Writer(printed_question, mixing).item(str(count) if is_asked else "", group.stimulus)
                item = _with_own_numbers(item, count, len(group.questions))
                item = item if is_first else replace(item, stimulus="")
                items.append(item if answers else _without_answers(item))
                if answers and not solutions:
                    items[-1] = replace(items[-1], solution="")
                numbers.append(question.number)
        arranged.append(SheetSection(tuple(items), section.heading, section.instructions))
    return Arrangement(tuple(arranged), tuple(numbers), frozenset(changed), kept)


def _with_own_numbers(item: SheetItem, number: int, questions: int) -> SheetItem:
    """Return an item whose shared text refers to its questions by their numbers here: "Questions 4-5 refer to"."""
    if item.stimulus:
        return replace(item, stimulus=with_range(item.stimulus, number, number + questions - 1))
    return replace(item, text=with_range(item.text, number, number)) if questions == 1 else item


@dataclass(frozen=True, slots=True)
class _Group:
    """Questions that stay together.

    Attributes:
        stimulus: the text that they all begin with.
    """

    questions: tuple[PlannedQuestion, ...]
    stimulus: str = ""
    is_fixed: bool = False


def _groups(questions: Sequence[PlannedQuestion]) -> list[_Group]:
    groups: list[_Group] = []
    for question in questions:
        before = groups[-1] if groups else None
        if before is not None and _REFERS_BACK.search(question.record.text):
            together = (*before.questions, question)
            groups[-1] = _Group(together, _shared(together) if before.stimulus else "", is_fixed=True)
        elif before is not None and (stimulus := _shared((*before.questions, question))):
            groups[-1] = replace(before, questions=(*before.questions, question), stimulus=stimulus)
        else:
            groups.append(_Group((question,)))
    return groups


def _shared(questions: Sequence[PlannedQuestion]) -> str:
    """Return the paragraphs that all given questions begin with; empty if they are too short."""
    texts = [_PARAGRAPHS.split(question.record.text.strip()) for question in questions]
    count = 0
    while all(len(text) > count + 1 for text in texts) and len({text[count] for text in texts}) == 1:
        count += 1
    shared = "\n\n".join(texts[0][:count])
    # The same name may refer to different pictures in different questions.
    pictures = {tuple(sorted(question.pictures.items())) for question in questions}
    has_same_pictures = "](" not in shared or len(pictures) == 1
    return shared if len(shared) >= LEAST_STIMULUS and has_same_pictures else ""


def _in_other_order(groups: Sequence[_Group], rng: Random) -> list[_Group]:
    """Shuffle the groups; those below a description stay below it."""
    ordered: list[_Group] = []
    block: list[_Group] = []
    for group in [*groups, None]:
        if group is not None and group.questions[0].record.kind != "description":
            block.append(group)
            continue
        rng.shuffle(block)
        ordered += [_with_order(one, rng) for one in block]
        block = []
        ordered += [group] if group is not None else []
    return ordered


def _tolerance(content: QuestionContent, answer: str) -> str:
    """Return the tolerance of a numeric answer, as a key prints it after the number."""
    for accepted in content.accepted:
        if accepted.text == answer and accepted.tolerance:
            if accepted.tolerance_kind == "absolute":
                return f" ± {plain(accepted.tolerance)}"
            if accepted.tolerance_kind == "relative":
                return f" ± {plain(float(f'{accepted.tolerance * 100:g}'))} %"
    return ""


def _with_order(group: _Group, rng: Random) -> _Group:
    if group.is_fixed or len(group.questions) == 1:
        return group
    return replace(group, questions=tuple(rng.sample(group.questions, len(group.questions))))


def _with_numbers(question: PlannedQuestion, mixing: Mixing, is_alone: bool) -> tuple[PlannedQuestion, str]:
    """Return a question with a version's numbers; if they remain those of version A, also the reason."""
    record = question.record
    if mixing.is_first or not mixing.numbers or record.kind == "description":
        return question, ""
    reason = why_not_changed(record)
    if not is_alone or reason or not question.may_change:
        return question, reason or (NO_EQUATION if is_alone else "it belongs with other questions")
    changed = with_changed_numbers(record, seed=f"{mixing.seed}/{question.number}", place=mixing.place)
    return (question, NO_OTHERS) if changed is None else (replace(question, record=changed), "")


def _without_answers(item: SheetItem) -> SheetItem:
    return replace(item, answer="", solution="", parts=tuple(map(_without_answers, item.parts)))


@dataclass(frozen=True, slots=True)
class _Asked:
    text: str
    kind: str
    options: tuple[Option, ...]
    answer: str
    content: QuestionContent
    solution: str = ""


class _Writer:
    """Writes one question as an item of the sheet."""

    def __init__(self, question: PlannedQuestion, mixing: Mixing) -> None:
        self._question, self._mixing = question, mixing
        self._language = primary_language(question.record.language)
        self._scale = part_scale(question.record.content, question.points)

    def item(self, number: str, stimulus: str) -> SheetItem:
        """Return the item; its text is what follows the stimulus."""
        record = self._question.record
        text = record.text.strip()
        if stimulus:
            text = "\n\n".join(_PARAGRAPHS.split(text)[len(stimulus.split("\n\n")) :])
        asked = _Asked(text, record.kind, record.options, record.answer, record.content, record.solution)
        is_asked = record.kind != "description"
        return replace(
            self._item(asked, number, depth=0),
            points=self._question.points if is_asked else None,
            answer_lines=self._question.answer_lines if is_asked and not record.content.parts else 0,
            stimulus=self._named(stimulus),
        )

    def _item(self, asked: _Asked, number: str, *, depth: int, place: str = "") -> SheetItem:
        answer = derived_answer(kind=asked.kind, options=asked.options, answer=asked.answer, content=asked.content)
        if asked.kind == "number":
            answer += _tolerance(asked.content, answer)
        options: Labelled = tuple((option.label, self._named(option.text)) for option in asked.options)
        matches: Labelled = ()
        solution = asked.solution
        rng = self._rng("options", place)
        if asked.kind == "ordering":
            options, answer = in_other_order(options, rng)
        elif asked.content.pairs:
            options, matches, answer = self._matching(asked.content, rng)
        elif rng is not None and not why_kept(options, answer, text=asked.text, solution=solution):
            order = other_order([text for _label, text in options], rng)
            solution = relabelled(solution, [label for label, _text in options], order)
            options, answer = reordered(options, answer, order)
        parts = tuple(self._part(part, index, depth, place) for index, part in enumerate(asked.content.parts))
        if any(part.answer or part.parts for part in parts):
            answer = ""  # each part has its own
        return SheetItem(
            number=number,
            text=self._text(asked, place),
            options=options,
            matches=matches,
            parts=parts,
            answer=answer,
            solution=self._named(solution),
        )

    def _part(self, part: QuestionPart, index: int, depth: int, place: str) -> SheetItem:
        label = part_label(index) if depth == 0 else _ROMAN[index] if index < len(_ROMAN) else str(index + 1)
        asked = _Asked(part.text, part.kind, part.options, part.answer, part.content)
        item = self._item(asked, f"({label})", depth=depth + 1, place=f"{place}/{index}")
        points = part.content.points
        if self._scale is not None and points is not None and not item.has_points_in_parts:
            item = replace(item, points=points * self._scale)
        is_written = takes_lines(part.kind) and not (item.options or item.parts)
        return replace(item, answer_lines=self._question.answer_lines) if is_written else item

    def _matching(self, content: QuestionContent, rng: Random | None) -> tuple[Labelled, Labelled, str]:
        """Return the left-hand sides, the lettered choices and the key of a matching question."""
        choices = [choice for choice, _letter in lettered_choices(content.pairs)]
        if rng is not None:
            rng.shuffle(choices)
            choices = apart(choices, content.pairs)
        letters = {choice: part_label(index) for index, choice in enumerate(choices)}
        labelled_pairs = [pair for pair in content.pairs if pair.left]
        lefts = tuple((str(index), self._named(pair.left)) for index, pair in enumerate(labelled_pairs, start=1))
        rights = tuple((letter, self._named(choice)) for choice, letter in letters.items())
        return (
            lefts,
            rights,
            ", ".join(f"{index}-{letters[pair.right]}" for index, pair in enumerate(labelled_pairs, 1)),
        )

    def _text(self, asked: _Asked, place: str) -> str:
        """Return the text followed by what pages show below it: the choices of gaps, "true or false?"."""
        lines = [self._named(asked.text)]
        if asked.kind == "true_false" and not asked.options:
            lines.append(_TRUE_OR_FALSE.get(self._language, "True or false?"))
        for index, blank in enumerate(asked.content.blanks, start=1):
            if blank.options:
                options: Labelled = tuple((option.label, self._named(option.text)) for option in blank.options)
                rng = self._rng("gap", place, index)
                if rng is not None and not why_kept(options, ""):
                    order = other_order([text for _label, text in options], rng)
                    options, _answer = reordered(options, "", order)
                lines.append(f"({index}) " + " / ".join(text for _label, text in options))
        return "\n\n".join(lines)

    def _rng(self, *names: object) -> Random | None:
        """Return the random generator for an order in this version; None if the owner's order stays.

        A source may specify that a question's options are not shuffled (Moodle's "shuffle the answers").
        """
        if self._mixing.is_first or not self._mixing.options:
            return None
        if self._question.record.content.settings.get("shuffle", "true") in ("false", "0"):
            return None
        return self._mixing.rng(*names, self._question.number)

    def _named(self, text: str) -> str:
        names = self._question.pictures
        if not names or "](" not in text:
            return text
        return PICTURE.sub(lambda match: f"![{match['alt']}]({names.get(match['name'].strip(), match['name'])})", text)
