"""What is printed of a worksheet, what it is filled up with, and the mark to expect on it."""

from __future__ import annotations

from datetime import timedelta
from random import Random

import pytest
from django.utils import timezone

from questionbank.bank.attachment_services import attachment_add
from questionbank.models import Question, QuestionUse, Worksheet
from questionbank.search.filters import SearchFilters, filtered_questions
from questionbank.worksheets.mark_selectors import Basis, worksheet_expected_mark
from questionbank.worksheets.print_selectors import compose_versions
from questionbank.worksheets.selectors import FillUpWish, fill_up, worksheet_rows
from questionbank.worksheets.services import worksheet_add, worksheet_create, worksheet_items_update, worksheet_use
from tests.factories import QuestionFactory
from tests.pictures import png
from tests.questionbank.small_bank import add_concept, add_question

pytestmark = pytest.mark.django_db

PENCILS = "Sara had 24 pencils and gave 6 of them to Tom. How many pencils has Sara left?"


@pytest.fixture
def worksheet(teacher) -> Worksheet:
    made = worksheet_create(user=teacher, name="Friday")
    made.versions = 4
    made.save()
    return made


def compose(worksheet, version="A", **shows):
    return compose_versions(worksheet, [version], rows=worksheet_rows(worksheet=worksheet), **shows)[0].sheet


def texts(sheet) -> list[str]:
    return [item.text for section in sheet.sections for item in section.items]


def test_two_versions_of_one_seed_are_equal_to_the_byte_and_another_seed_is_not(worksheet, teacher) -> None:
    words = dict(zip("ABCD", ("one", "two", "red", "ten"), strict=True))
    questions = [
        QuestionFactory(
            text=f"Which is right, {n}?",
            kind="choice",
            answer="B",
            options=[{"label": label, "text": f"{word} {n}"} for label, word in words.items()],
        )
        for n in range(8)
    ]
    worksheet_add(user=teacher, worksheet=worksheet, questions=questions)
    first = [repr(compose(worksheet, version, key=True)) for version in "ABCD"]
    again = [repr(compose(Worksheet.objects.get(), version, key=True)) for version in "ABCD"]
    assert first == again
    assert len(set(first)) == 4
    for one in compose_versions(worksheet, "ABCD", rows=worksheet_rows(worksheet=worksheet), key=True):
        items = dict(zip(one.numbers, one.sheet.sections[0].items, strict=True))
        for n, question in enumerate(questions):
            item = items[question.pk]
            assert dict(item.options)[item.answer] == f"two {n}"
    worksheet.seed += 1
    assert repr(compose(worksheet, "B", key=True)) != first[1]
    assert repr(compose(worksheet, "A", key=True)) == first[0]


def test_the_total_is_of_questions_that_are_asked_and_printed(worksheet, teacher) -> None:
    asked, told, retired = QuestionFactory(), QuestionFactory(kind="description"), QuestionFactory()
    worksheet_add(user=teacher, worksheet=worksheet, questions=[told, asked, retired])
    worksheet_items_update(user=teacher, worksheet=worksheet, points=2.5)
    Question.objects.filter(pk=retired.pk).update(status="retired")
    assert compose(worksheet).total_points == 2.5
    assert [row.number for row in worksheet_rows(worksheet=worksheet)] == [None, 1, None]
    worksheet.items.update(points=None)
    assert compose(worksheet).total_points is None


@pytest.mark.parametrize(
    ("equation", "answer", "changes"), [("24-6", "18", True), ("24-6", "17", False), ("", "18", False)]
)
def test_numbers_change_only_where_the_equation_gives_the_answer(
    worksheet, teacher, equation: str, answer: str, changes: bool
) -> None:
    question = add_question(PENCILS, equation=equation, answer=answer)
    worksheet_add(user=teacher, worksheet=worksheet, questions=[question])
    one = compose_versions(worksheet, ["B"], rows=worksheet_rows(worksheet=worksheet), key=True)[0]
    assert (one.changed == {question.pk}) is changes
    assert (texts(one.sheet) == [PENCILS]) is not changes


def test_pictures_of_one_name_stay_apart_and_a_missing_one_keeps_its_name(worksheet, teacher, own_attachments) -> None:
    hashes = [attachment_add(data=png(width)) for width in (1, 2)]
    questions = [
        QuestionFactory(
            text=f"What is {n}? ![a](figure.png)",
            content={"pictures": [{"name": "figure.png", **({"sha256": digest} if digest else {})}]},
        )
        for n, digest in enumerate([*hashes, ""])
    ]
    worksheet_add(user=teacher, worksheet=worksheet, questions=questions)
    sheet = compose(worksheet)
    assert sheet.pictures == {f"{digest}.png": png(width) for digest, width in zip(hashes, (1, 2), strict=True)}
    assert [name in text for name, text in zip(sheet.pictures, texts(sheet), strict=False)] == [True, True]
    assert "(figure.png)" in texts(sheet)[2]


def test_filling_up_takes_concepts_in_turn_and_leaves_out_near_duplicates(teacher) -> None:
    sums, areas = add_concept("Sums"), add_concept("Areas")
    stories = ("Mia buys {} apples and {} pears at the market on Monday. How many pieces of fruit is that?",)
    for n in range(4):
        QuestionFactory(text=stories[0].format(n + 2, n + 9), concepts=[sums])
    original = QuestionFactory(text="Add nine hundred and seven to forty.", concepts=[sums])
    QuestionFactory(text="What do you get by adding 40 to 907?", concepts=[sums], paraphrase_of=original)
    for shape in ("circle", "kite", "long thin rectangle made of paper"):
        QuestionFactory(text=f"Work out how large the {shape} is.", concepts=[areas])
    QuestionFactory(text="What is $x$, for {{x}} in the template {{y}}?", kind="opaque", concepts=[areas])
    found = fill_up(wish=FillUpWish(20, (sums.pk, areas.pk)), taken=[], user=teacher, rng=Random(1))
    shown = [question.text for question in found.questions]
    assert sum(text.startswith("Mia") for text in shown) == 1
    assert sum("907" in text or "nine hundred" in text for text in shown) == 1
    assert sum("large" in text for text in shown) == 3
    assert len(shown) == 5
    assert found.near_duplicates == 4
    mia = Question.objects.filter(text__startswith="Mia").first()
    more = fill_up(wish=FillUpWish(20, (sums.pk,)), taken=[mia], user=teacher, rng=Random(1))
    assert not any(question.text.startswith("Mia") for question in more.questions)
    few = fill_up(wish=FillUpWish(2, (sums.pk, areas.pk)), taken=[], user=teacher, rng=Random(1))
    assert {question.tags.get().concept_id for question in few.questions} == {sums.pk, areas.pk}


def test_use_is_filtered_by_the_day_of_the_download(worksheet, teacher) -> None:
    recent, old, never = (QuestionFactory() for _ in range(3))
    worksheet_use(user=teacher, worksheet=worksheet, question_ids=[recent.pk, old.pk])
    QuestionUse.objects.filter(question=old).update(day=timezone.localdate() - timedelta(days=400))

    def passing(used: str) -> set[int]:
        return set(filtered_questions(SearchFilters(used=used)).values_list("pk", flat=True))

    assert passing("year") == {recent.pk}
    assert passing("not_year") == {old.pk, never.pk}
    assert passing("never") == {never.pk}
    wish = FillUpWish(5, filters=SearchFilters(used="not_year"))
    assert recent not in fill_up(wish=wish, taken=[], user=teacher).questions


def test_the_expected_mark_prefers_what_was_observed_and_leaves_out_what_is_unknown(worksheet, teacher) -> None:
    observed = QuestionFactory(facility=0.8, responses=400, difficulty=1, difficulty_scale="1-5")
    published = QuestionFactory(difficulty=3, difficulty_scale="1-5")
    unknown = QuestionFactory(text="Why?")
    worksheet_add(user=teacher, worksheet=worksheet, questions=[observed, published, unknown])
    mark = worksheet_expected_mark(worksheet_rows(worksheet=worksheet))
    assert (mark.known, mark.unknown, mark.points) == (2, 1, 2.0)
    assert mark.bases == {Basis.OBSERVED: 1, Basis.PUBLISHED: 1}
    assert mark.mark == pytest.approx(0.8 + 0.5)
    assert 0 <= mark.low < mark.mark < mark.high <= 2
    worksheet.items.filter(question=observed).update(points=10)
    mark = worksheet_expected_mark(worksheet_rows(worksheet=worksheet))
    assert (mark.points, mark.known, mark.unknown) == (10.0, 1, 0)
    Question.objects.update(facility=None, responses=0, difficulty=None)
    assert worksheet_expected_mark(worksheet_rows(worksheet=worksheet)) is None
