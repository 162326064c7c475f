"""Draws the demo bank: the same questions for the same seed, on every machine.

Every pattern has its own random stream, named by the seed and its slug, so that adding a pattern leaves the questions
of the others as they are.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from random import Random

from analytics.records import Option, QuestionRecord
from questionbank.demo.hierarchy import concept_path
from questionbank.demo.pattern import Item, Pattern
from questionbank.demo.responses import (
    ItemParameters,
    draw_cohort,
    draw_parameters,
    feature_effect,
    simulate_responses,
    teacher_band,
)
from questionbank.demo.strands import ALL_PATTERNS
from questionbank.demo.wording import Draw, Unsuitable
from questionbank.errors import ValidationFailed

__all__ = ["SOURCE", "DemoQuestion", "generate_bank", "generate_questions", "new_question", "numbers_in"]

SOURCE = "Kindred demo"
OPTION_COUNT = 4
_MOST_ATTEMPTS = 200  # in a row without a new question: the pattern has nothing more to give

_NUMBER = re.compile(r"\\frac\{(\d+)\}\{(\d+)\}|(\d{1,3}(?:,\d{3})+|\d+(?:\.\d+)?)(\\?%)?")


@dataclass(frozen=True, slots=True)
class DemoQuestion:
    """A generated question with what only its generator knows."""

    record: QuestionRecord
    pattern: Pattern
    parameters: ItemParameters


def generate_bank(seed: int = 2026, size: int = 2400) -> list[QuestionRecord]:
    """Return `size` different questions, every concept among them where `size` allows it.

    Raises:
        ValidationFailed: `size` is negative, or more than the patterns can give.
    """
    return [question.record for question in generate_questions(seed, size)]


def generate_questions(seed: int = 2026, size: int = 2400) -> list[DemoQuestion]:
    """Return the questions of `generate_bank` with their patterns and item parameters."""
    if size < 0:
        raise ValidationFailed("The size of the demo bank cannot be negative.")
    streams = {pattern.slug: Random(f"{seed}/{pattern.slug}") for pattern in ALL_PATTERNS}
    cohorts = {grade: draw_cohort(Random(f"{seed}/cohort/{grade}")) for grade in range(1, 13)}
    seen: set[str] = set()
    made: list[DemoQuestion] = []
    live = list(ALL_PATTERNS)
    turn = 0
    while len(made) < size:
        turn += 1
        if not live:
            raise ValidationFailed(f"The demo patterns give at most {len(made)} different questions.")
        for pattern in tuple(live):
            if len(made) == size:
                break
            question = new_question(pattern, turn, streams[pattern.slug], seen)
            if question is None:
                live.remove(pattern)
                continue
            made.append(_with_responses(*question, pattern, cohorts[pattern.grade], seed))
    return made


def new_question(
    pattern: Pattern, turn: int, rng: Random, seen: set[str]
) -> tuple[QuestionRecord, Item] | None:
    """Draw until a question appears that is not in `seen`; None where the pattern is exhausted."""
    for _ in range(_MOST_ATTEMPTS):
        try:
            item = pattern.make(Draw(rng))
            record = _record(pattern, turn, item, rng)
        except Unsuitable:
            continue
        key = " ".join(record.text.lower().split())
        if key not in seen:
            seen.add(key)
            return record, item
    return None


def _record(pattern: Pattern, turn: int, item: Item, rng: Random) -> QuestionRecord:
    text = rng.choice(item.ask)
    kind, right, steps = "open", item.answer, item.steps
    options: tuple[Option, ...] = ()
    if "____" in text:
        kind = "blank"
    elif item.wrong and rng.random() < item.choice:
        kind = "choice"
        options, right = _options(item, rng)
        steps = (*steps, f"So the answer is {right}.")
    return QuestionRecord(
        id=f"demo-{pattern.slug}-{turn}",
        text=text,
        kind=kind,
        options=options,
        answer=right,
        solution="\n".join(steps),
        equation=item.equation,
        numbers=numbers_in(text) if item.equation else (),
        concepts=(concept_path(pattern.concept),),
        grade=str(pattern.grade),
        source=SOURCE,
    )


def _options(item: Item, rng: Random) -> tuple[tuple[Option, ...], str]:
    """Return the lettered options in random order and the letter of the right one."""
    texts = {_comparable(item.answer): (item.answer, "")}
    for text, misconception in item.wrong:
        texts.setdefault(_comparable(text), (text, misconception))
    if len(texts) < OPTION_COUNT:
        raise Unsuitable
    shown = rng.sample(list(texts.values())[:OPTION_COUNT], OPTION_COUNT)
    options = tuple(
        Option(label=label, text=text, misconception=misconception)
        for label, (text, misconception) in zip("ABCD", shown, strict=True)
    )
    return options, next(option.label for option in options if option.text == item.answer)


def _comparable(text: str) -> str:
    """Return an option's text with trailing zeros of decimals dropped: 4 and 4.00 are one answer."""
    return re.sub(r"\.(\d*?)0+(?!\d)", lambda match: f".{match.group(1)}" if match.group(1) else "", text)


def numbers_in(text: str) -> tuple[str, ...]:
    r"""Return the numbers of a word problem in order of appearance, as the equation writes them.

    >>> numbers_in(r"She uses $\frac{2}{3}$ of 45,000 g, 20% of 7.5 litres.")
    ('2/3', '45000', '20%', '7.5')
    """
    return tuple(
        f"{top}/{bottom}" if top else number.replace(",", "") + ("%" if sign else "")
        for top, bottom, number, sign in _NUMBER.findall(text)
    )


def _with_responses(
    record: QuestionRecord, item: Item, pattern: Pattern, cohort: list[float], seed: int
) -> DemoQuestion:
    """Add the teacher's band and what the simulated students made of the question."""
    rng = Random(f"{seed}/responses/{record.id}")
    expected = pattern.logit + item.effort + feature_effect(record.text, item.answer, item.steps)
    parameters = draw_parameters(expected, is_choice=record.kind == "choice", rng=rng)
    band = teacher_band(parameters.difficulty, rng)
    responses, correct = simulate_responses(parameters, cohort, rng)
    record = replace(
        record,
        difficulty=float(band),
        difficulty_scale="1-5",
        responses=responses,
        facility=round(correct / responses, 4) if responses else None,
    )
    return DemoQuestion(record, pattern, parameters)
