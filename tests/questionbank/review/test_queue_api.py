"""The review over the API: the same leases, decisions and states as the pages."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import Group

from questionbank.models import ParaphrasePair, ReviewDecision, ReviewLease
from questionbank.review import services as review
from questionbank.review.pair_services import PairInput, pairs_create
from tests.questionbank.api_client import Program


@pytest.fixture(autouse=True)
def _uncertain_first(settings) -> None:
    settings.REVIEW_RANDOM_SHARE = 0.0


@pytest.fixture
def program(reviewer) -> Program:
    return Program(reviewer, "read", "review")


@pytest.fixture
def other(django_user_model) -> Program:
    person = django_user_model.objects.create_user("colleague")
    person.groups.add(Group.objects.get_or_create(name="reviewer")[0])
    return Program(person)


@pytest.fixture
def pairs(db, settings):
    def make(number: int, opinions: int = 1, **options: bool) -> list[ParaphrasePair]:
        settings.REVIEW_OPINIONS = opinions
        return pairs_create(
            pairs=[PairInput(f"Ann has {count} apples.", f"{count} apples are Ann's.") for count in range(number)],
            source=ParaphrasePair.Source.UPLOAD,
            user=None,
            request_scores=False,
            **options,
        )

    return make


def test_a_pair_is_taken_decided_and_undone(program, pairs) -> None:
    pair = pairs(1)[0]
    taken = program("POST", "/reviews/next").json()
    assert (taken["id"], taken["original"], taken["paraphrase"]) == (pair.pk, pair.original, pair.paraphrase)
    assert taken["guidelines"]
    assert program("POST", "/reviews/next").json()["id"] == pair.pk  # it is still the same reviewer's
    decided = program("POST", f"/reviews/{pair.pk}/decide", {"verdict": "reject", "reason": "unit", "comment": "kg"})
    assert decided.status_code == 200
    pair.refresh_from_db()
    assert (pair.state, pair.outcome) == ("decided", "reject")
    assert program("POST", "/reviews/next").json() is None
    (mine,) = program("GET", "/reviews").json()["items"]
    assert mine == decided.json()
    assert (mine["verdict"], mine["reason"], mine["comment"], mine["undone_at"]) == ("reject", "unit", "kg", None)
    undone = program("POST", "/reviews/undo", {"decision": mine["id"]}).json()
    assert undone["undone_at"]
    pair.refresh_from_db()
    assert pair.state == "open"
    assert program("POST", "/reviews/next").json()["id"] == pair.pk
    assert program("POST", "/reviews/undo", {}).status_code == 404


def test_two_reviewers_never_have_one_pair(program, other, pairs) -> None:
    pairs(2)
    first, second = program("POST", "/reviews/next").json(), other("POST", "/reviews/next").json()
    assert first["id"] != second["id"]
    assert other("POST", f"/reviews/{first['id']}/decide", {"verdict": "accept"}).status_code == 409
    assert not ReviewDecision.objects.exists()


@pytest.mark.parametrize(
    ("decision", "field"),
    [
        ({"verdict": "maybe"}, "verdict"),
        ({}, "verdict"),
        ({"verdict": "reject"}, "reason"),
        ({"verdict": "reject", "reason": "labelled"}, "reason"),
        ({"verdict": "edit"}, "text"),
        ({"verdict": "edit", "text": "0 apples are Ann's."}, "text"),
        ({"verdict": "accept", "comment": "x" * 2001}, "comment"),
        ({"verdict": "accept", "seconds": 1}, "seconds"),
    ],
)
def test_a_decision_that_makes_no_sense_is_refused(program, pairs, decision, field) -> None:
    pair = pairs(1)[0]
    program("POST", "/reviews/next")
    refused = program("POST", f"/reviews/{pair.pk}/decide", decision)
    assert refused.status_code == 422
    assert list(refused.json()["error"]["fields"]) == [field]
    assert ReviewLease.objects.filter(pair=pair).exists()


def test_a_changed_wording_that_changes_a_number_needs_a_second_word(program, pairs) -> None:
    pair = pairs(1)[0]
    program("POST", "/reviews/next")
    decision = {"verdict": "edit", "text": "Ann has 17 apples."}
    refused = program("POST", f"/reviews/{pair.pk}/decide", decision)
    assert refused.status_code == 422
    assert "In your wording" in refused.json()["error"]["message"]
    accepted = program("POST", f"/reviews/{pair.pk}/decide", decision | {"insists": True})
    assert accepted.json()["text"] == "Ann has 17 apples."


def test_what_the_model_says_is_hidden_as_on_the_page(program, pairs) -> None:
    pair = pairs(1)[0]
    values = {"score": 0.5, "verdict": 0.7, "findings": [{"kind": "unit"}], "solved": {"agree": True}}
    ParaphrasePair.objects.filter(pk=pair.pk).update(hides_machine=True, **values)
    hidden = program("POST", "/reviews/next").json()
    assert [hidden[name] for name in ("score", "probability", "findings", "solved")] == [None, None, [], None]
    ParaphrasePair.objects.filter(pk=pair.pk).update(hides_machine=False)
    seen = program("POST", "/reviews/next").json()
    assert [seen[name] for name in ("score", "probability", "findings", "solved")] == [
        0.5, 0.7, [{"kind": "unit"}], {"agree": True},
    ]  # fmt: skip


def test_a_disagreement_is_settled_by_a_third(program, other, admin_person, pairs, monkeypatch) -> None:
    monkeypatch.setattr("questionbank.review.selectors.UNDO_GRACE", review.UNDO_GRACE * 0)
    pair = pairs(1, opinions=2)[0]
    for one, verdict in ((program, {"verdict": "accept"}), (other, {"verdict": "reject", "reason": "unit"})):
        one("POST", "/reviews/next")
        assert one("POST", f"/reviews/{pair.pk}/decide", verdict).status_code == 200
    assert program("POST", "/reviews/disputes/next").json() is None  # it has an opinion on it
    assert program("POST", f"/reviews/{pair.pk}/settle", {"verdict": "accept"}).status_code == 403
    third = Program(admin_person)
    taken = third("POST", "/reviews/disputes/next").json()
    assert [(one["reviewer"], one["verdict"]) for one in taken["opinions"]] == [
        ("reviewer", "accept"), ("colleague", "reject"),
    ]  # fmt: skip
    settled = third("POST", f"/reviews/{pair.pk}/settle", {"verdict": "accept"}).json()
    assert settled["settles"]
    pair.refresh_from_db()
    assert (pair.state, pair.outcome) == ("decided", "accept")


def test_nobody_lists_the_decisions_of_others(program, other, pairs) -> None:
    pair = pairs(1)[0]
    program("POST", "/reviews/next")
    program("POST", f"/reviews/{pair.pk}/decide", {"verdict": "accept"})
    assert other("GET", "/reviews").json()["items"] == []
    assert other("POST", "/reviews/undo", {"decision": ReviewDecision.objects.get().pk}).status_code == 404
