"""A question in another version of a worksheet: its options in another order, or other numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from itertools import islice
from random import Random

from analytics.errors import DataError
from analytics.expression.evaluate import evaluate_float
from analytics.expression.tree import parse_expression
from analytics.languages import primary_language
from analytics.records import QuestionRecord
from analytics.solver.targets import problem_graph_key
from analytics.text.formulas import segment_text
from analytics.text.meaning import number_of_answer
from analytics.text.numbers import find_numbers, mask_numbers
from questionbank.formats.kinds import derived_answer, right_labels
from questionbank.problem_writing.names_and_numbers import renumbered
from questionbank.problem_writing.problem import RetoldProblem, refusal
from questionbank.worksheets.sheet import VERSIONS

Labelled = tuple[tuple[str, str], ...]
"""The label and text of each option."""

_TRUTH = frozenset(
    "true false yes no right wrong correct incorrect t f y n 对 错 正确 错误 是 否 √ × ✓ ✗ wahr falsch richtig ja nein"
    " vrai faux oui non verdadero falso sí".split()
)
_REFERS_TO_OTHERS = re.compile(
    r"\b(?:all|none|both|neither|either|any|some|most|two|three|one|each|more than one)\s+of\s+(?:the|th[eo]se|them)\b"
    r"|\bthe\s+(?:above|following|preceding|previous|foregoing|others?)\b|\b(?:above|below)\s*\.?\s*$"
    r"|^\s*(?:all|none|both|neither)\s*\.?\s*$|\b(?:all|none|both|neither|more than one)\s+(?:are|is)\b"
    r"|\b(?:first|second|third|last|other)\s+(?:two\s+|three\s+)?(?:options?|choices?|answers?)\b"
    r"|\b(?:alle|keine|keiner|keines)\b.*\b(?:genannten|obigen|antworten|davon)\b"
    r"|\b(?:toutes|aucune)\b.*\b(?:réponses|ci-dessus|propositions)\b|\b(?:todas|ninguna)\b.*\b(?:anteriores|respuestas)\b"
    r"|以上|上述|前面|前两|都对|都不|都是|均|全部|全对|全错|两者",
    re.IGNORECASE,
)
# A single letter; "A" at the beginning of a sentence is an article.
_LETTER = re.compile(r"(?<![A-Za-z\\])(?!(?<![^.!?:;\n]\s)(?<![^.!?:;\n\s])A\s+[a-z])([A-Z])(?![A-Za-z'’])")
_NAMED = re.compile(
    r"\b(?:options?|choices?|answers?|alternatives?|statements?)\s*(?:is|are|:|=)?\s*[(（]?([A-Z])\b"
    r"|(?:选项?|答案|故选|应选)\s*[为是:：]?\s*[(（]?([A-Z])|[(（]([A-Z])[)）]"
    r"|\b([A-Z])\s*,\s*[A-Z]\s*,?\s*(?:and|or|和|或)\s*[A-Z]\b"
)
_SET_BY = re.compile(r"\\[a-z]+|[{}()\s]")
# How worked solutions name an option: "So the answer is D", "故选：D", "D is correct". Such letters can be renamed.
_OPENS = r"\s*(?:is|are|为|是)?\s*[:：=]?\s*(?:[(（$]|\\(?:text|mathrm|rm|mathbf|textbf|boxed)\b\s*|\{)*"
_LABEL = r"[A-Z](?![A-Za-z'’]|\s*[-=<>+−*/^_(\\])"  # "The answer is A = 12" names a variable
_NAMES_RIGHT = re.compile(
    rf"(?:\b(?i:options?|choices?|answers?|alternatives?)|选项?|答案|故选|应选){_OPENS}"
    rf"(?P<first>{_LABEL}(?:\s*(?:,|、|and|&|和)\s*{_LABEL})*)"
    rf"|(?<![A-Za-z\\$])(?P<last>{_LABEL})"
    r"(?=\s+is\s+(?:correct|right|the\s+(?:(?:correct|right|only)\s+)?(?:answer|option|choice)))"
)


def why_kept(options: Labelled, answer: str, *, text: str = "", solution: str = "") -> str:
    """Return why the options must stay in their order; empty if they may be shuffled.

    >>> why_kept((("A", "3"), ("B", "4"), ("C", "none of these")), "B")
    'its options refer to each other'
    """
    labels = [label for label, _text in options]
    if len(options) < 2 or not all(labels) or len(set(labels)) < len(labels):
        return "its options have no labels of their own"
    if {text.strip(" .。$").casefold() for _label, text in options} <= _TRUTH:
        return "its options are true and false"
    if any(_REFERS_TO_OTHERS.search(option) or _letters(option) & {*labels} for _label, option in options):
        return "its options refer to each other"
    if not all(re.fullmatch("[A-Z]", label) for label in labels):
        return _why_kept_by_labels(options, answer, text, solution)
    if _right(answer, labels) is None and _letters(answer) & {*labels}:
        return "its answer names an option in words"
    if _named(text, labels):
        return "its text names an option by its letter"
    if _letters(_NAMES_RIGHT.sub(" ", solution)) & {*labels}:
        return "its worked solution names an option by its letter"
    return ""


def _why_kept_by_labels(options: Labelled, answer: str, text: str, solution: str) -> str:
    """Return why labels that are digits, small letters or signs, which are ambiguous in texts, prevent shuffling."""
    labels = [label for label, _text in options]
    label = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, labels))})(?!\w)")
    bracketed = re.compile(rf"[(（]\s*(?:{'|'.join(map(re.escape, labels))})\s*[)）]")
    if solution:
        return "its worked solution may name an option by its label"
    if _right(answer, labels) is None and label.search(answer):
        return "its answer names an option in words"
    others = " ".join((text, *(option for _label, option in options)))
    return "a text names an option by its label" if bracketed.search(others) else ""


def other_order(texts: Sequence[str], rng: Random) -> list[int]:
    """Return another order of options as indices; options that are ordered numbers stay ascending or descending."""
    order = list(range(len(texts)))
    if _is_ordered(texts):
        if rng.random() < 0.5:
            order.reverse()
    else:
        rng.shuffle(order)
    return order


def reordered(options: Labelled, answer: str, order: Sequence[int]) -> tuple[Labelled, str]:
    """Return the options in the order of the indices, and the answer with their new labels.

    >>> reordered((("A", "3"), ("B", "4"), ("C", "5")), "A, C", [2, 1, 0])
    ((('A', '5'), ('B', '4'), ('C', '3')), 'A, C')
    """
    labels = [label for label, _text in options]
    placed = tuple((label, options[old][1]) for label, old in zip(labels, order, strict=True))
    right = _right(answer, labels)
    if right is None:
        return placed, answer
    now = sorted(order.index(labels.index(label)) for label in right)
    return placed, ", ".join(labels[place] for place in now)


def relabelled(solution: str, labels: Sequence[str], order: Sequence[int]) -> str:
    """Return a worked solution with the labels of the right options updated for an order.

    >>> relabelled("Only 7 is prime. So the answer is A.", ["A", "B"], [1, 0])
    'Only 7 is prime. So the answer is B.'
    """
    now = {labels[old]: label for label, old in zip(labels, order, strict=True)}

    def renamed(match: re.Match[str]) -> str:
        group = match.lastgroup or ""
        start, end = (place - match.start() for place in match.span(group))
        letters = re.sub(r"[A-Z]", lambda letter: now.get(letter[0], letter[0]), match[group])
        return match[0][:start] + letters + match[0][end:]

    return _NAMES_RIGHT.sub(renamed, solution)


def in_other_order(options: Labelled, rng: Random | None) -> tuple[Labelled, str]:
    """Return ordering items in a wrong order, and the labels in the right one.

    Args:
        rng: draws the order; if None, the shortest item comes first.
    """
    right = list(range(len(options)))
    order = sorted(right, key=lambda place: (len(options[place][1]), options[place][1]))
    if rng is not None:
        rng.shuffle(order)
    if order == right:
        order.reverse()
    labels = [label for label, _text in options]
    placed = tuple((label, options[old][1]) for label, old in zip(labels, order, strict=True))
    return placed, ", ".join(labels[order.index(place)] for place in right)


def _right(answer: str, labels: Sequence[str]) -> list[str] | None:
    """Return the labels that an answer names, including forms such as "ACD"."""
    named = right_labels(answer, labels)
    if named is None and len({*answer}) == len(answer) and {*answer} <= {*labels}:
        named = list(answer)
    return named or None


def _letters(text: str) -> set[str]:
    """Return the capital letters that are words of a text, or whole formulas."""
    return set(_LETTER.findall(_prose(text)))


def _named(text: str, labels: Sequence[str]) -> bool:
    names = _NAMED.findall(_prose(text))
    return any(letter in labels for letters in names for letter in letters if letter)


def _prose(text: str) -> str:
    """Return a text without formulas, except those that are a single capital letter in any markup."""
    parts = []
    for segment in segment_text(text):
        letter = _SET_BY.sub("", segment.body)
        is_letter = len(letter) == 1 and letter.isupper()
        parts.append(segment.body if segment.kind == "text" else letter if is_letter else "\ufffc")
    return "".join(parts)


def _is_ordered(texts: Sequence[str]) -> bool:
    """Return whether texts are ascending or descending numbers that are otherwise identical."""
    values: list[Fraction] = []
    for text in texts:
        mentions = find_numbers(text)
        if len(mentions) != 1:
            return False
        values.append(mentions[0].signed)
    if len({mask_numbers(text).replace("-", "").replace("−", "") for text in texts}) > 1:
        return False
    rising = sorted(values)
    return len(set(values)) == len(values) and values in (rising, rising[::-1])


# -- other numbers -----------------------------------------------------------------------------------------------------


NO_EQUATION = "no confirmed equation gives its answer"
NO_OTHERS = "no other numbers fit what it says"

_KINDS = ("open", "number", "short")
_LANGUAGE = "en"  # the language of the rules about everyday numbers
_TRIED = 60
_SIGNS = str.maketrans({"*": " × ", "/": " ÷ ", "+": " + ", "-": " − "})


def with_changed_numbers(record: QuestionRecord, *, seed: str, place: int) -> QuestionRecord | None:
    """Return the question with other numbers; None if no numbers make sense.

    The equation must be known to give the question's answer (`solving.solutions.equation_gives_answer`).

    Args:
        seed: the same seed always gives the same questions.
        place: index of the variant, from 0; variants differ as far as there are enough of them.
    """
    made = _all_changed(record, seed)
    return made[min(place, len(made) - 1)] if made else None


@lru_cache(maxsize=2_000)
def _all_changed(record: QuestionRecord, seed: str) -> tuple[QuestionRecord, ...]:
    """Return one variant per version after A; cached, because a preview and a download need the same ones."""
    if why_not_changed(record):
        return ()
    rng = Random(seed)  # noqa: S311 - no secret
    return tuple(islice(_changed(record, rng), len(VERSIONS) - 1))


def why_not_changed(record: QuestionRecord) -> str:
    """Return why the numbers of a question cannot be changed; empty if they can, provided that others fit."""
    content = record.content
    if primary_language(record.language) != _LANGUAGE:
        return "not in English"
    if record.kind not in _KINDS or record.options or content.parts or content.blanks or content.pairs:
        return "options, parts or gaps"
    if content.pictures or "](" in record.text:
        return "a picture may show its numbers"
    return "" if record.equation else NO_EQUATION


def _changed(record: QuestionRecord, rng: Random) -> Iterator[QuestionRecord]:
    key = problem_graph_key(record.text, record.equation)
    old = derived_answer(kind=record.kind, options=record.options, answer=record.answer, content=record.content)
    taken = {record.text}
    for problem in islice(renumbered(record.text, record.equation, rng), _TRIED):
        if problem.text in taken or not key or refusal(problem, text=record.text, graph_key=key):
            continue
        answer = _answer(old, problem)
        if answer is None:
            continue
        taken.add(problem.text)
        yield replace(
            record,
            text=problem.text,
            equation=problem.equation,
            answer=answer,
            solution=f"{worked(problem.equation)} = {problem.answer}" if record.solution else "",
            content=replace(record.content, accepted=()),
        )


def worked(equation: str) -> str:
    """Return an equation in the usual notation.

    >>> worked("(18-6)/3")
    '(18 − 6) ÷ 3'
    """
    return " ".join(equation.translate(_SIGNS).split()).replace("( ", "(").replace("(− ", "(−")


def _answer(old: str, problem: RetoldProblem) -> str | None:
    """Return the new answer in the format of the old one; None if that does not equal the equation's value."""
    if not old:
        return problem.answer
    mentions = find_numbers(old)
    if len(mentions) != 1:
        return None
    answer = f"{old[: mentions[0].start]}{problem.answer}{old[mentions[0].end :]}"
    read = number_of_answer(answer)
    try:
        value = evaluate_float(parse_expression(problem.equation))
    except DataError:
        return None
    return answer if read is not None and read.agrees_with(value) else None
