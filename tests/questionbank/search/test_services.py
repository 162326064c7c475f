"""Groups of synonyms: what a group may hold, and who may change it."""

from __future__ import annotations

import pytest

from questionbank.core.errors import NotAllowed, ValidationFailed
from questionbank.models import SynonymGroup
from questionbank.search.services import synonym_group_delete, synonym_group_save

pytestmark = pytest.mark.django_db


def test_a_bank_begins_with_synonyms_of_school_mathematics():
    terms = {term for group in SynonymGroup.objects.all() for term in group.terms}
    assert {"HCF", "SOHCAHTOA", "Pythagorean theorem", "related rates"} <= terms


def test_terms_are_tidied_and_kept_once(admin_person):
    group = synonym_group_save(user=admin_person, terms=["  glide   reflection ", "", "Glides", "glide"])
    assert group.terms == ["glide reflection", "glide"]


@pytest.mark.parametrize(
    ("terms", "problem"),
    [
        (["alone"], "two different terms"),
        (["same", "SAME"], "two different terms"),
        (["x" * 81, "short one"], "longer than 80"),
        (["hcf", "our own word"], "is in the group"),
        ([f"term number {number}" for number in range(31)], "at most 30"),
    ],
)
def test_a_group_that_makes_no_sense_is_refused(admin_person, terms, problem):
    with pytest.raises(ValidationFailed, match=problem):
        synonym_group_save(user=admin_person, terms=terms)


def test_a_group_keeps_its_own_terms_when_it_changes(admin_person):
    group = SynonymGroup.objects.get(terms__contains=["HCF"])
    changed = synonym_group_save(user=admin_person, group=group, terms=[*group.terms, "biggest common factor"])
    assert changed.terms[-1] == "biggest common factor"


def test_only_admins_change_synonyms(teacher):
    group = SynonymGroup.objects.first()
    for change in (
        lambda: synonym_group_save(user=teacher, terms=["one thing", "same thing"]),
        lambda: synonym_group_save(user=teacher, group=group, terms=["one thing", "same thing"]),
        lambda: synonym_group_delete(user=teacher, group=group),
    ):
        with pytest.raises(NotAllowed):
            change()
