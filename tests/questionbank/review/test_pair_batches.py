"""Batches of pairs: deleted as far as nobody decided on them, hidden from bias, and decided by labels of their file."""

from __future__ import annotations

import json

import pytest
from django.core.files.base import ContentFile

from questionbank.core.errors import NotAllowed, NotFound
from questionbank.models import BatchDeletion, ModelArtifact, ParaphrasePair, ReviewDecision
from questionbank.review.agreement_selectors import agreement, throughput
from questionbank.review.pair_import_services import pairs_check, pairs_import
from questionbank.review.pair_selectors import PairFilters, pairs_found
from questionbank.review.pair_services import (
    PairInput,
    batch_delete,
    batch_hide_machine,
    batch_preview,
    pair_save_score,
    pairs_create,
)
from questionbank.review.selectors import decided_pairs, decisions_to_undo
from questionbank.review.services import review_decide, review_next

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _uncertain_first(settings):
    settings.REVIEW_RANDOM_SHARE = 0.0


def add(number: int, *, user, batch: str = "mine.jsonl", **options) -> list[ParaphrasePair]:
    rows = [PairInput(f"Ann has {n} apples.", f"{n} apples are Ann's.") for n in range(number)]
    return pairs_create(pairs=rows, source="upload", user=user, batch=batch, request_scores=False, **options)


def test_a_batch_is_deleted_but_for_what_people_decided_or_have_before_them(reviewer, admin_person):
    add(4, user=reviewer)
    others = add(1, user=reviewer, batch="another.jsonl")
    first = review_next(reviewer=reviewer)
    review_decide(reviewer=reviewer, pair_id=first.pair_id, verdict="accept")
    lease = review_next(reviewer=reviewer)
    preview = batch_preview(batch="mine.jsonl", user=reviewer)
    assert (preview.pairs, preview.deletable, preview.decided, preview.others) == (4, 2, 1, 1)
    done = batch_delete(batch="mine.jsonl", user=reviewer)
    assert (done.deleted, done.kept, done.person) == (2, 2, reviewer)
    assert BatchDeletion.objects.get() == done
    left = set(ParaphrasePair.objects.values_list("pk", flat=True))
    assert left == {first.pair_id, lease.pair_id, others[0].pk}
    assert ReviewDecision.objects.filter(pair=first.pair_id).exists()
    with pytest.raises(NotFound):
        batch_delete(batch="no such batch", user=admin_person)


def test_a_reviewer_deletes_what_they_added_and_an_admin_anything(reviewer, admin_person, teacher):
    add(2, user=admin_person)
    assert batch_preview(batch="mine.jsonl", user=reviewer).deletable == 0
    assert batch_delete(batch="mine.jsonl", user=reviewer).deleted == 0
    with pytest.raises(NotAllowed):
        batch_delete(batch="mine.jsonl", user=teacher)
    assert batch_delete(batch="mine.jsonl", user=admin_person).deleted == 2


def test_a_hidden_opinion_is_not_said_to_have_been_seen_nor_found_by_a_filter(reviewer):
    (pair,) = add(1, user=reviewer)
    scorer = ModelArtifact.objects.create(capability="paraphrase", name="s", state="champion")
    pair_save_score(pair=pair, score=0.9, verdict=0.8, findings=[], artifact=scorer)
    filters = PairFilters(least=0.5)
    assert list(pairs_found(filters=filters, viewer=reviewer)) == [pair]
    assert batch_hide_machine(batch="mine.jsonl", hide=True, user=reviewer) == 1
    assert list(pairs_found(filters=filters, viewer=reviewer)) == []
    lease = review_next(reviewer=reviewer)
    assert lease.pair.is_machine_hidden
    decision = review_decide(reviewer=reviewer, pair_id=pair.pk, verdict="accept")
    assert (decision.score, decision.probability, decision.scorer) == (None, None, None)
    pair.refresh_from_db()
    assert not pair.is_machine_hidden
    assert list(pairs_found(filters=filters, viewer=reviewer)) == [pair]


def test_nobody_finds_an_opinion_on_a_pair_that_waits_for_another(reviewer, admin_person):
    (pair,) = add(1, user=None, opinions=2)
    review_next(reviewer=reviewer)
    review_decide(reviewer=reviewer, pair_id=pair.pk, verdict="reject", reason="unit")
    for filters in (PairFilters(reason="unit"), PairFilters(reviewer=reviewer.pk)):
        assert list(pairs_found(filters=filters, viewer=admin_person)) == []
        assert list(pairs_found(filters=filters, viewer=reviewer)) == [pair]
    review_next(reviewer=admin_person)
    review_decide(reviewer=admin_person, pair_id=pair.pk, verdict="reject", reason="unit")
    assert list(pairs_found(filters=PairFilters(reason="unit"), viewer=admin_person)) == [pair]
    assert list(pairs_found(filters=PairFilters(state="reject", text="apples"), viewer=admin_person)) == [pair]


def test_labels_of_a_file_decide_if_the_uploader_says_so(reviewer, own_files):
    rows = [
        {"original": "Two pens and 3 cards?", "paraphrase": "3 cards and two pens?", "label": 1},
        {"original": "Two pens and 3 cards?", "paraphrase": "2 pens and 4 cards?", "label": 0},
        {"original": "Two pens and 3 cards?", "paraphrase": "How many pens?"},
    ]
    file = ContentFile("\n".join(map(json.dumps, rows)).encode())
    report = pairs_check(upload=file, name="gold.jsonl", user=reviewer)
    assert (report.usable, report.labelled) == (3, 2)
    made = pairs_import(token=report.token, user=reviewer, labels_decide=True)
    states = list(ParaphrasePair.objects.order_by("pk").values_list("state", "outcome"))
    assert states == [("decided", "accept"), ("decided", "reject"), ("open", "")]
    assert [(pair.label, pair.paraphrase) for pair in decided_pairs()] == [
        (1, rows[0]["paraphrase"]), (0, rows[1]["paraphrase"]),
    ]  # fmt: skip
    assert not decisions_to_undo(reviewer=reviewer)  # nothing to undo
    assert (throughput(), agreement().pairs) == ([], 0)
    assert batch_delete(batch="gold.jsonl", user=reviewer).deleted == len(made)
    assert not ReviewDecision.objects.exists()


def test_without_a_word_the_labels_are_dropped_and_reviewers_decide(reviewer, own_files):
    row = {"original": "Two pens?", "paraphrase": "2 pens?", "label": 1}
    report = pairs_check(upload=ContentFile(json.dumps(row).encode()), name="gold.jsonl", user=reviewer)
    pairs_import(token=report.token, user=reviewer)
    assert ParaphrasePair.objects.get().state == "open"
    assert not ReviewDecision.objects.exists()
    odd = ContentFile(json.dumps(row | {"paraphrase": "3?", "label": "maybe"}).encode())
    (problem,) = pairs_check(upload=odd, name="odd.jsonl", user=reviewer).problems
    assert "label must be 1" in str(problem)
