"""The bank's questions that a file of responses names, and the marking of responses by mark or key."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

from django.db import connection

from analytics.question_content import Option
from analytics.text.meaning import same_answer
from questionbank.bank.history_selectors import questions_on
from questionbank.bank.question_selectors import visible_to
from questionbank.formats.kinds import option_weights
from questionbank.models import ColumnChoice, Question, User
from questionbank.models.visibility import seen_sql
from questionbank.responses.response_table import ResponseRow, ResponseTable, column_hashes
from questionbank.responses.table_cells import QuestionReference

_SEPARATORS = re.compile(r"[,;\s]+")
_TRUTHS = {"true": True, "t": True, "yes": True, "1": True, "false": False, "f": False, "no": False, "0": False}


@dataclass(frozen=True, slots=True)
class MarkedQuestion:
    """What marking needs of a question.

    Attributes:
        id: its id in the bank.
        version: the version that the pupils saw.
        kind: a value of `Question.Kind`.
        options: its options.
        answer: the published answer, or the labels of the right options.
        text: its text, by which people recognise it.
    """

    id: int
    version: int
    kind: str
    options: tuple[Option, ...]
    answer: str
    text: str = ""

    @property
    def weights(self) -> list[float]:
        """Share of the mark for each option; all 0 if the right option is unknown."""
        return option_weights(self.options, self.answer)

    def labels_of(self, text: str) -> list[str]:
        """Return the labels of the options that a response names, by label or by text; empty if it names no option."""
        labels = {option.label.casefold(): option.label for option in self.options}
        plain = text.strip().rstrip(".):").casefold()
        if plain in labels:
            return [labels[plain]]
        wanted = _plain(text)
        named = [option.label for option in self.options if _plain(option.text) == wanted]
        if len(named) == 1:
            return named
        parts = [part for part in _SEPARATORS.split(plain) if part]
        if len(set(parts)) == len(parts) > 1 and all(part in labels for part in parts):
            return sorted(labels[part] for part in parts)
        return []


@dataclass(frozen=True, slots=True)
class Marked:
    """A marked response: share of the maximum mark, and the label of the chosen option or nothing."""

    score: float
    choice: str = ""


def mark_response(row: ResponseRow, maximum: float | None, question: MarkedQuestion) -> Marked:
    """Mark a response: by the file's mark, else by the bank's key, else by the file's key.

    Args:
        maximum: the maximum mark of the file's marks; None if it has none.

    Raises:
        ValueError: it cannot be marked; the message says why.
    """
    chosen = question.labels_of(row.response) if row.response else []
    choice = chosen[0] if len(chosen) == 1 else ""
    if row.mark is not None:
        return Marked(row.mark / (maximum or 1.0), choice)
    if question.options:
        return Marked(_score_of_options(row, chosen, question), choice)
    if question.kind == "true_false":
        return Marked(_score_of_truth(row.response, question.answer or row.key))
    return Marked(_score_of_text(row.response, [row.key] if row.key else [question.answer]))


def _score_of_options(row: ResponseRow, chosen: Sequence[str], question: MarkedQuestion) -> float:
    if not chosen:
        raise ValueError(f"“{row.response[:40]}” is not an option of question {question.id}")
    weights = dict(zip((option.label for option in question.options), question.weights, strict=True))
    if not any(weights.values()):
        right = question.labels_of(row.key)
        if not right:
            raise ValueError(f"the right option of question {question.id} is unknown")
        weights |= {label: 1 / len(right) for label in right}
    return min(max(sum(weights[label] for label in chosen), 0.0), 1.0)


def _score_of_truth(response: str, answer: str) -> float:
    given, right = (_TRUTHS.get(text.strip().casefold()) for text in (response, answer))
    if given is None or right is None:
        raise ValueError(f"“{response[:40]}” is neither true nor false" if given is None else "its answer is unknown")
    return float(given == right)


def _score_of_text(response: str, answers: Sequence[str]) -> float:
    verdicts = [same_answer(response, answer) for answer in answers if answer]
    if any(_plain(response) == _plain(answer) for answer in answers if answer) or "same" in verdicts:
        return 1.0
    if verdicts and set(verdicts) == {"different"}:
        return 0.0
    if any(answers) and not any(";" in answer for answer in answers) and _is_word(response):
        return 0.0
    raise ValueError("the file has no mark, and the answer cannot be compared with the right one")


def _is_word(text: str) -> bool:
    """Return whether a response is a single word or number, so that it is wrong if it differs from the answer."""
    return len(text.split()) == 1 and text.isalnum()


def _plain(text: str) -> str:
    """Return a text without what differs between programs: spaces, case and the delimiters of formulas."""
    return re.sub(r"\\[()\[\]]|[\s$]", "", text).casefold()


BY_PLACE, BY_HAND, LEFT_OUT = "place in the test", "chosen by you", "left out by you"
REMEMBERED = "chosen for the last such file"
LEAST_TEXT = 12  # letters and digits of a text by which a question is found
_SAME_TEXT = """
    SELECT id, regexp_replace(lower(text), '[^a-z0-9]+', '', 'g') FROM questionbank_question
    WHERE status <> 'retired' AND regexp_replace(lower(text), '[^a-z0-9]+', '', 'g') = ANY(%s) AND {seen}
"""


@dataclass(frozen=True, slots=True)
class QuestionMatch:
    """The question of the bank that matches a question named in a file.

    Attributes:
        question: None if there is no such question.
        how: what it was found by, or why it was not found.
    """

    reference: QuestionReference
    question: MarkedQuestion | None
    how: str


def match_questions(
    references: Sequence[QuestionReference],
    *,
    user: User | None,
    order: Sequence[int] = (),
    chosen: Mapping[int, int] | None = None,
    remembered: Mapping[int, int] | None = None,
    day: date | None = None,
) -> list[QuestionMatch]:
    """Return the match of each reference.

    Args:
        user: finds the questions visible to this person; None is the system itself.
        order: ids of the questions of the test, for numbers such as "Q. 3".
        chosen: question ids chosen by the user, by index; 0 leaves a question out.
        remembered: question ids chosen for an earlier file, by index.
        day: when pupils took the test; questions are used as they were on that day. None for questions as they are now.
    """
    candidates, chosen = _candidates(references, order), chosen or {}
    for index, number in (remembered or {}).items():
        places = sum(how == BY_PLACE for _number, how in candidates[index])
        candidates[index].insert(places, (number, REMEMBERED))
    for index, number in chosen.items():
        candidates[index] = [(number, BY_HAND)] if number else []
    wanted = {number for found in candidates for number, _how in found}
    questions = _marked_questions(wanted, user, day)
    matches: list[QuestionMatch] = []
    first: dict[int, str] = {}
    for index, (reference, found) in enumerate(zip(references, candidates, strict=True)):
        existing = [(number, how) for number, how in found if number in questions]
        how = existing[0][1] if existing else LEFT_OUT if chosen.get(index) == 0 else "not in the bank"
        best = list(dict.fromkeys(number for number, by in existing if by == how))
        if len(best) > 1:
            matches.append(QuestionMatch(reference, None, f"{len(best)} questions have this {how}"))
        elif best and best[0] in first:
            matches.append(QuestionMatch(reference, None, f"the same question as {first[best[0]]}"))
        else:
            matches.append(QuestionMatch(reference, questions[best[0]] if best else None, how))
            first |= dict.fromkeys(best, reference.name)
    return matches


def remembered_questions(table: ResponseTable) -> dict[int, int]:
    """Return the question that somebody chose for a column of an earlier file, by index, if it is still in use."""
    hashes = column_hashes(table)
    rows = ColumnChoice.objects.filter(column__in=hashes).exclude(question__status=Question.Status.RETIRED)
    chosen = {bytes(column): question for column, question in rows.values_list("column", "question_id")}
    return {index: chosen[column] for index, column in enumerate(hashes) if column in chosen}


def _candidates(references: Sequence[QuestionReference], order: Sequence[int]) -> list[list[tuple[int, str]]]:
    """Return pairs of question id and what it was found by for each reference, most certain first."""
    by_source = _ids_by_source(references)
    by_title = _ids_by_title(references)
    by_text = _ids_by_text(references)
    positions = sorted(reference.position for reference in references if reference.position is not None)
    are_places = positions == list(range(1, len(positions) + 1))  # a test's numbers, not the bank's
    found = []
    for reference in references:
        candidates: list[tuple[int, str]] = []
        if reference.position is not None and 0 < reference.position <= len(order):
            candidates.append((order[reference.position - 1], BY_PLACE))
        for name in dict.fromkeys((reference.id, reference.name)):
            candidates += [(number, "identifier") for number in by_source.get(name, ())]
        candidates += [(number, "title") for number in by_title.get(reference.name, ())]
        candidates += [(number, "text") for number in by_text.get(_letters(reference.text), ())]
        if reference.position is not None and not are_places:
            candidates.append((reference.position, "number in the bank"))
        elif number := _bank_number(reference):
            candidates.append((number, "number in the bank"))
        found.append(candidates)
    return found


def _bank_number(reference: QuestionReference) -> int | None:
    """Return the number of the bank question that a cell names in a column of questions."""
    return int(reference.id) if re.fullmatch(r"\d{1,18}", reference.id) and reference.id == reference.name else None


def _ids_by_source(references: Sequence[QuestionReference]) -> dict[str, list[int]]:
    names = {name for reference in references for name in (reference.id, reference.name) if name}
    rows = Question.objects.filter(source_id__in=names).exclude(status=Question.Status.RETIRED)
    found: dict[str, list[int]] = {}
    for name, number in rows.values_list("source_id", "pk"):
        found.setdefault(name, []).append(number)
    return found


def _ids_by_title(references: Sequence[QuestionReference]) -> dict[str, list[int]]:
    """Return the questions by the name that they had in Moodle."""
    names = {reference.name for reference in references if reference.name and reference.name == reference.text}
    rows = Question.objects.filter(content__title__in=names).exclude(status=Question.Status.RETIRED)
    found: dict[str, list[int]] = {}
    for name, number in rows.values_list("content__title", "pk") if names else ():
        found.setdefault(name, []).append(number)
    return found


def _ids_by_text(references: Sequence[QuestionReference]) -> dict[str, list[int]]:
    texts = {letters for reference in references if len(letters := _letters(reference.text)) >= LEAST_TEXT}
    found: dict[str, list[int]] = {}
    if texts:
        with connection.cursor() as cursor:
            cursor.execute(_SAME_TEXT.format(seen=seen_sql()), [sorted(texts)])
            for number, letters in cursor.fetchall():
                found.setdefault(letters, []).append(number)
    return found


def _letters(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "", text.lower())


def _marked_questions(ids: set[int], user: User | None, day: date | None) -> dict[int, MarkedQuestion]:
    rows = list(Question.objects.filter(visible_to(user), pk__in=ids).defer("search_vector", "content_hash"))
    before = questions_on([question.pk for question in rows], day) if day is not None else {}
    return {question.pk: _question_as_it_was(question, before.get(question.pk)) for question in rows}


def _question_as_it_was(question: Question, event: Any | None) -> MarkedQuestion:
    """Return what pupils saw, according to a row of the history; a key corrected since then counts as corrected."""
    now = marked_question(question)
    if event is None:
        return now
    then = replace(marked_question(event), id=question.pk)
    labels = [[(option.label, option.text) for option in asked.options] for asked in (then, now)]
    if (then.text, then.kind, labels[0]) == (now.text, now.kind, labels[1]):
        return replace(now, version=then.version)
    return then


def marked_question(question: Any) -> MarkedQuestion:
    """Return what marking needs to know about a question, given it or a row of its history."""
    options = tuple(
        Option(str(option["label"]), str(option["text"]), weight=option.get("weight")) for option in question.options
    )
    return MarkedQuestion(question.pk, question.version, question.kind, options, question.answer, question.text)
