"""One large sample of demo questions, drawn once for all tests of this folder."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from questionbank.demo.bank import DemoQuestion, generate_questions

SAMPLE_SEED, SAMPLE_SIZE = 11, 4200


@pytest.fixture(scope="session")
def questions() -> list[DemoQuestion]:
    """About a dozen questions of every pattern, from another seed than the published bank."""
    return generate_questions(SAMPLE_SEED, SAMPLE_SIZE)


@pytest.fixture(scope="session")
def of_pattern(questions: list[DemoQuestion]) -> Callable[[str], list[DemoQuestion]]:
    """The questions of one pattern."""
    by_slug: dict[str, list[DemoQuestion]] = {}
    for question in questions:
        by_slug.setdefault(question.pattern.slug, []).append(question)
    return lambda slug: by_slug[slug]


@pytest.fixture(scope="session")
def shown_answer() -> Callable[[DemoQuestion], str]:
    """The text of the right answer, also of a choice question."""

    def shown(question: DemoQuestion) -> str:
        record = question.record
        if record.kind != "choice":
            return record.answer
        return next(option.text for option in record.options if option.label == record.answer)

    return shown
