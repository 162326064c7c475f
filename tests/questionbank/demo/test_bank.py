"""The generated bank as a whole."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from collections import Counter
from random import Random

import pytest

from analytics.records import QuestionRecord
from questionbank.demo.bank import SOURCE, generate_bank, generate_questions, new_question, numbers_in
from questionbank.demo.hierarchy import concept_paths
from questionbank.demo.pattern import Item, Pattern
from questionbank.demo.strands import ALL_PATTERNS
from questionbank.errors import ValidationFailed


def digest(bank: list[QuestionRecord]) -> str:
    """Return a fingerprint of a bank, sensitive to every field."""
    return hashlib.sha256("\n".join(map(repr, bank)).encode()).hexdigest()


@pytest.fixture(scope="module")
def bank() -> list[QuestionRecord]:
    """The published bank."""
    return generate_bank()


def test_there_are_at_least_150_patterns_with_slugs_of_their_own():
    slugs = [pattern.slug for pattern in ALL_PATTERNS]
    assert len(slugs) >= 150
    assert len(set(slugs)) == len(slugs)


def test_grades_run_from_early_primary_school_to_the_last_year():
    assert {pattern.grade for pattern in ALL_PATTERNS} == set(range(2, 13))
    assert all(-3.5 <= pattern.logit <= 3 for pattern in ALL_PATTERNS)


def test_the_default_bank_covers_every_pattern_and_concept(bank):
    assert len(bank) == 2400
    assert {record.id.rsplit("-", 1)[0] for record in bank} == {
        f"demo-{pattern.slug}" for pattern in ALL_PATTERNS
    }
    assert {path for record in bank for path in record.concepts} == set(concept_paths())


def test_ids_are_unique_and_number_the_questions_of_a_pattern(bank):
    ids = {record.id for record in bank}
    assert len(ids) == len(bank)
    assert all(
        f"{record.id.rsplit('-', 1)[0]}-{number}" in ids
        for record in bank
        for number in range(1, int(record.id.rsplit("-", 1)[1]))
    )


def test_no_two_questions_have_the_same_text(bank, questions):
    for records in (bank, [question.record for question in questions]):
        texts = Counter(" ".join(record.text.lower().split()) for record in records)
        assert [text for text, count in texts.items() if count > 1] == []


def test_every_question_is_complete(bank):
    for record in bank:
        assert record.text.strip() == record.text != ""
        assert record.answer
        assert record.solution
        assert record.language == "en"
        assert record.source == SOURCE
        assert record.difficulty_scale == "1-5"
        assert record.grade in {str(grade) for grade in range(1, 13)}
        assert record.kind in {"open", "blank", "choice"}
        assert ("____" in record.text) == (record.kind == "blank")
        assert bool(record.options) == (record.kind == "choice")


def test_all_three_kinds_and_word_problems_with_equations_occur(bank):
    kinds = Counter(record.kind for record in bank)
    assert kinds["choice"] > 400
    assert kinds["blank"] > 100
    assert kinds["open"] > 1000
    assert sum(bool(record.equation) for record in bank) > 300


def test_choice_questions_have_four_options_one_of_them_right(bank):
    for record in bank:
        if record.kind != "choice":
            continue
        assert [option.label for option in record.options] == list("ABCD")
        assert len({" ".join(option.text.lower().split()) for option in record.options}) == 4
        for option in record.options:
            assert bool(option.misconception) == (option.label != record.answer), record.id


def test_options_that_differ_by_trailing_zeros_are_one_option():
    item = Item(
        ask=("How long is it?",),
        answer="4 m",
        steps=("It is 4 m long.",),
        wrong=(
            ("4.00 m", "Rounds"),
            ("2 m", "Halves"),
            ("8.0 m", "Doubles"),
            ("8 m", "Adds"),
            ("1 m", "Guesses"),
        ),
        choice=1.0,
    )
    pattern = Pattern("length", "Converting units", 5, 0.0, lambda d: item)
    record, _ = new_question(pattern, 1, Random(1), set())
    assert {option.text for option in record.options} == {"4 m", "2 m", "8.0 m", "1 m"}


def test_the_right_answer_has_no_favourite_place(bank):
    places = Counter(record.answer for record in bank if record.kind == "choice")
    total = places.total()
    assert all(0.2 < places[label] / total < 0.3 for label in "ABCD")


def test_the_same_seed_gives_the_same_bank_in_another_process(bank):
    script = (
        "import hashlib; from questionbank.demo.bank import generate_bank;"
        "print(hashlib.sha256('\\n'.join(map(repr, generate_bank())).encode()).hexdigest())"
    )
    process = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONHASHSEED": "12345", "PYTHONPATH": ":".join(sys.path)},
    )
    assert process.stdout.strip() == digest(bank)


def test_a_larger_bank_begins_with_the_questions_of_a_smaller_one(bank):
    assert generate_bank(size=500) == bank[:500]


def test_another_seed_gives_other_questions(bank):
    texts = {record.text for record in bank}
    assert sum(record.text in texts for record in generate_bank(seed=1, size=700)) < 140


def test_an_empty_bank_is_possible_a_negative_one_is_not():
    assert generate_bank(size=0) == []
    with pytest.raises(ValidationFailed, match="negative"):
        generate_bank(size=-1)


def test_a_bank_larger_than_the_patterns_allow_is_refused(monkeypatch):
    monkeypatch.setattr(
        "questionbank.demo.bank.ALL_PATTERNS", [p for p in ALL_PATTERNS if p.slug == "polygon-sum"]
    )
    with pytest.raises(ValidationFailed, match="at most"):
        generate_questions(size=2000)


def test_numbers_are_read_in_order_of_appearance():
    text = r"Of 12,500 g she uses $\frac{2}{3}$, then 20% of 7.5 kg and $\frac{12}{7}$ of 3."
    assert numbers_in(text) == ("12500", "2/3", "20%", "7.5", "12/7", "3")


def test_the_generator_needs_neither_django_nor_torch():
    script = (
        "import sys, questionbank.demo.bank, questionbank.demo.__main__;"
        "print([name for name in ('django', 'torch', 'sympy', 'numpy') if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONPATH": ":".join(sys.path)},
    )
    assert done.stdout.strip() == "[]"
