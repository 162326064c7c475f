"""Deleting responses: by set, pupil, class and age; who may; and that no pupil's answers follow from it."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from questionbank.core.errors import NotAllowed, NotFound, ValidationFailed
from questionbank.models import ItemStatistics, Response, ResponseSet
from questionbank.responses.response_table import person_hash
from questionbank.responses.set_services import (
    Deletion,
    SetDetails,
    pupil_hashes,
    response_set_delete,
    responses_delete,
    responses_delete_old,
    responses_found,
    responses_import,
    responses_plan,
    responses_read,
    years_ago,
)
from tests.questionbank.responses.conftest import waiting_figures_compute


def imported(path: Path, user=None, **details) -> ResponseSet:
    plan = responses_plan(table=responses_read(path=path), user=None)
    return responses_import(plan=plan, details=SetDetails("Test 3", **details), user=user)


def of_pupil(name: str) -> Deletion:
    return Deletion(people=pupil_hashes(name))


def figures() -> list[tuple[object, ...]]:
    """Everything that pages show of figures of sets."""
    rows = ItemStatistics.objects.exclude(response_set=None).order_by("response_set", "question")
    return list(rows.values_list("response_set", "question", "people", "figures", "options", "flags"))


def test_a_pupil_is_found_by_the_name_in_either_order():
    assert person_hash("lovelace ada") in pupil_hashes("Ada  LOVELACE")
    assert person_hash("byron ada augusta") in pupil_hashes("Ada Augusta Byron")
    assert person_hash("ada@school.example") in pupil_hashes(" Ada@School.example")
    assert pupil_hashes("  ") == ()


def test_a_pupil_is_deleted_from_every_set(questions, letters, teacher):
    first, second = imported(letters, teacher), imported(letters, teacher)
    found = responses_found(wanted=of_pupil("Lovelace, Ada"), user=teacher)
    assert (found.responses, set(found.sets)) == (8, {first, second})
    responses_delete(wanted=of_pupil("Ada Lovelace"), user=teacher)
    assert not Response.objects.filter(person=bytes.fromhex(person_hash("ada lovelace"))).exists()
    assert (Response.objects.count(), set(ResponseSet.objects.values_list("people", flat=True))) == (48, {6})
    with pytest.raises(NotFound):
        responses_delete(wanted=of_pupil("Ada Lovelace"), user=teacher)


def test_no_pupils_answers_follow_from_figures_before_and_after_a_deletion(questions, letters):
    response_set = imported(letters)
    before = figures()
    responses_delete(wanted=of_pupil("Ada Lovelace"), user=None)
    response_set.refresh_from_db()
    assert (figures(), response_set.figures["people"], response_set.people) == (before, 7, 6)
    assert not ItemStatistics.objects.filter(response_set=None).exists()
    again = imported(letters)  # with Ada; then without
    assert again.figures == {}
    rows = [line for line in letters.read_text(encoding="utf-8").splitlines() if "Ada" not in line]
    letters.write_text("\n".join(rows) + "\n", encoding="utf-8")
    assert imported(letters).figures == {}
    assert figures() == before


def test_after_five_deletions_the_figures_are_computed_anew(questions, letters):
    lines = letters.read_text(encoding="utf-8").splitlines()
    more = [line.replace(",", " Junior,", 1) for line in lines[1:]]
    letters.write_text("\n".join([*lines, *more]) + "\n", encoding="utf-8")
    response_set = imported(letters)
    for name in ("Ada Lovelace", "Ben Carr", "Cem Dent", "Dora Eck"):
        responses_delete(wanted=of_pupil(name), user=None)
    response_set.refresh_from_db()
    assert (response_set.figures["people"], response_set.removed) == (14, 4)
    responses_delete(wanted=of_pupil("Emil Frost"), user=None)
    response_set.refresh_from_db()
    assert (response_set.figures["people"], response_set.removed) == (9, 0)
    waiting_figures_compute()
    assert ItemStatistics.objects.get(question=questions[0], response_set=None).people == 9


def test_a_class_is_deleted(questions, letters, teacher):
    kept = imported(letters, teacher, class_label="7a")
    imported(letters, teacher, class_label="7b")
    found = responses_delete(wanted=Deletion(class_label="7b"), user=teacher)
    assert (found.responses, list(ResponseSet.objects.all())) == (28, [kept])


def test_old_tests_are_deleted_by_their_day_or_else_by_their_import(questions, letters):
    imported(letters, day=years_ago(4))
    recent, undated = imported(letters, day=years_ago(2)), imported(letters)
    assert responses_delete_old(before=years_ago(5)) == 0
    assert responses_delete_old(before=years_ago(3)) == 1
    assert set(ResponseSet.objects.all()) == {recent, undated}
    assert responses_delete_old(before=years_ago(3)) == 0


def test_a_teacher_deletes_own_sets_alone_and_an_admin_all(questions, letters, teacher, admin_person, reviewer):
    own, other = imported(letters, teacher), imported(letters, admin_person)
    assert responses_found(wanted=of_pupil("Ada Lovelace"), user=teacher).sets == [own]
    assert set(responses_found(wanted=of_pupil("Ada Lovelace"), user=admin_person).sets) == {own, other}
    with pytest.raises(NotFound):
        responses_delete(wanted=of_pupil("Ada Lovelace"), user=reviewer)


@pytest.mark.parametrize("wanted", [Deletion(), Deletion(class_label="7b", before=date(2026, 1, 1))])
def test_exactly_one_thing_is_deleted(db, wanted):
    with pytest.raises(ValidationFailed, match="Choose one: a pupil, a class or a day"):
        responses_found(wanted=wanted, user=None)


def test_a_deleted_set_takes_its_responses_and_figures_with_it(questions, letters, teacher, admin_person, reviewer):
    kept, deleted = imported(letters, teacher), imported(letters, teacher)
    with pytest.raises(NotAllowed):
        response_set_delete(response_set=deleted, user=reviewer)
    response_set_delete(response_set=deleted, user=teacher)
    assert Response.objects.count() == 28
    assert set(ItemStatistics.objects.values_list("response_set", flat=True)) == {kept.pk}
    waiting_figures_compute()
    assert ItemStatistics.objects.get(question=questions[0], response_set=None).people == 7
    response_set_delete(response_set=kept, user=admin_person)
    assert not ItemStatistics.objects.exists()
