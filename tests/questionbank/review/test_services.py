"""The review queue: leases, decisions, undo, opinions, adjudication; and many reviewers at once."""

from __future__ import annotations

import random
from collections import Counter
from datetime import timedelta
from functools import partial

import pytest
from django.contrib.auth.models import Group
from django.db.models import F
from django.utils import timezone

from questionbank.core.errors import Conflict, NotAllowed, NotFound, ValidationFailed
from questionbank.models import (
    ModelArtifact,
    ParaphrasePair,
    ReviewDecision,
    ReviewGuideline,
    ReviewLease,
    SettlementLease,
)
from questionbank.review import guideline_services as review_guidelines
from questionbank.review import services as review
from questionbank.review.forms import GuidelineForm
from questionbank.review.pair_services import PairInput, pair_save_score, pairs_create
from questionbank.review.selectors import (
    adjudications,
    decisions_to_undo,
    grace_seconds,
    opinions_shown,
    pair_history,
    review_keys,
)
from tests.at_once import at_once

pytestmark = pytest.mark.django_db
REVIEWERS = 8


@pytest.fixture(autouse=True)
def _uncertain_first(settings):
    settings.REVIEW_RANDOM_SHARE = 0.0


@pytest.fixture
def reviewers(django_user_model):
    group = Group.objects.get_or_create(name="reviewer")[0]
    people = [django_user_model.objects.create_user(username=f"reviewer-{number}") for number in range(REVIEWERS)]
    for person in people:
        person.groups.add(group)
    return people


@pytest.fixture
def pairs(settings):
    def make(number: int, opinions: int = 1) -> list[ParaphrasePair]:
        settings.REVIEW_OPINIONS = opinions
        return pairs_create(
            pairs=[PairInput(f"Ann has {count} apples.", f"{count} apples are Ann's.") for count in range(number)],
            source=ParaphrasePair.Source.UPLOAD,
            user=None,
            request_scores=False,
        )

    return make


def decide(reviewer, verdict="accept", **fields):
    lease = review.review_next(reviewer=reviewer)
    return review.review_decide(reviewer=reviewer, pair_id=lease.pair_id, verdict=verdict, **fields)


def settle(reviewer, pair, verdict="accept", **fields):
    review.adjudication_take(reviewer=reviewer, pair_id=pair.pk)
    return review.adjudication_decide(reviewer=reviewer, pair_id=pair.pk, verdict=verdict, **fields)


def age(**time: float) -> None:
    """Let every decision be older."""
    ReviewDecision.objects.update(created_at=F("created_at") - timedelta(**time))


def expire() -> None:
    for leases in (ReviewLease.objects, SettlementLease.objects):
        leases.update(expires_at=timezone.now() - timedelta(seconds=1))


def test_the_most_uncertain_pair_comes_first_and_one_without_a_score_last(pairs, reviewer):
    unread, sure, torn, flagged = pairs(4)
    artifact = ModelArtifact.objects.create(capability="paraphrase", name="scorer")
    pair_save_score(pair=sure, score=0.98, verdict=0.97, findings=[], artifact=artifact)
    pair_save_score(pair=torn, score=0.9, verdict=0.45, findings=[], artifact=artifact)
    pair_save_score(pair=flagged, score=None, verdict=None, findings=[{"kind": "number"}], artifact=None)
    assert [decide(reviewer).pair_id for _ in range(4)] == [torn.pk, sure.pk, flagged.pk, unread.pk]


def test_a_share_of_the_pairs_comes_at_random_and_says_so(pairs, reviewer, settings):
    settings.REVIEW_RANDOM_SHARE = 1.0
    made = pairs(6)
    for pair in made:
        pair_save_score(pair=pair, score=0.5, verdict=0.5, findings=[], artifact=None)
    expected = [pair.pk for pair in sorted(made, key=lambda pair: pair.shuffle)]
    decisions = [decide(reviewer) for _ in made]
    assert [decision.pair_id for decision in decisions] == expected
    assert all(decision.is_random for decision in decisions)
    settings.REVIEW_RANDOM_SHARE = 0.5
    pairs(40)
    shares = [
        review.review_decide(
            reviewer=reviewer,
            pair_id=review.review_next(reviewer=reviewer, rng=random.Random(seed)).pair_id,
            verdict="accept",
        ).is_random
        for seed in range(40)
    ]
    assert 8 <= sum(shares) <= 32


def test_two_reviewers_never_have_the_same_pair_and_a_reload_keeps_it(pairs, reviewers):
    pairs(2)
    first, second, third = reviewers[:3]
    mine, theirs = review.review_next(reviewer=first), review.review_next(reviewer=second)
    assert mine.pair_id != theirs.pair_id
    assert review.review_next(reviewer=first).pair_id == mine.pair_id
    assert review.review_next(reviewer=third) is None


def test_what_a_reviewer_typed_comes_to_others_unless_there_are_none(pairs, reviewers, django_user_model):
    ann, bob = reviewers[:2]
    typed, uploaded = pairs(2)
    ParaphrasePair.objects.update(created_by=ann)
    ParaphrasePair.objects.filter(pk=typed.pk).update(source="typed", priority=0)
    assert review.review_next(reviewer=ann).pair == uploaded
    decide(ann)
    assert review.review_next(reviewer=ann) is None
    assert review.review_next(reviewer=bob).pair == typed
    django_user_model.objects.exclude(pk=ann.pk).update(is_active=False)
    expire()
    assert review.review_next(reviewer=ann).pair == typed


def test_an_expired_lease_returns_and_whoever_had_it_decides_no_more(pairs, reviewers):
    pairs(1)
    slow, quick = reviewers[:2]
    pair = review.review_next(reviewer=slow).pair
    expire()
    assert review.review_next(reviewer=quick).pair_id == pair.pk
    assert review.review_heartbeat(reviewer=slow, pair_id=pair.pk) == "lost"
    with pytest.raises(Conflict):
        review.review_decide(reviewer=slow, pair_id=pair.pk, verdict="accept")
    review.review_decide(reviewer=quick, pair_id=pair.pk, verdict="accept")
    assert [decision.reviewer for decision in ReviewDecision.objects.all()] == [quick]


def test_a_lease_that_ran_out_is_good_as_long_as_nobody_else_took_the_pair(pairs, reviewer):
    (pair,) = pairs(1)
    review.review_next(reviewer=reviewer)
    expire()
    assert review.review_heartbeat(reviewer=reviewer, pair_id=pair.pk) == "held"
    assert ReviewLease.objects.get().expires_at > timezone.now()
    expire()
    review.review_decide(reviewer=reviewer, pair_id=pair.pk, verdict="accept")
    pair.refresh_from_db()
    assert pair.outcome == "accept"


def test_a_window_left_behind_renews_no_lease_and_says_that_its_reviewer_went_on(pairs, reviewers):
    first, second = pairs(2)
    person, colleague = reviewers[:2]
    decide(person)
    review.review_next(reviewer=person)  # in a newer window
    expire()
    assert review.review_heartbeat(reviewer=person, pair_id=first.pk) == "left"
    assert ReviewLease.objects.get().expires_at < timezone.now()
    assert review.review_next(reviewer=colleague).pair_id == second.pk
    assert review.review_heartbeat(reviewer=person, pair_id=first.pk) == "left"  # decided on it
    assert review.review_heartbeat(reviewer=person, pair_id=second.pk) == "lost"


def test_a_decision_keeps_what_the_model_said_and_the_version_of_the_guidelines(pairs, reviewer, admin_person):
    (pair,) = pairs(1)
    artifact = ModelArtifact.objects.create(capability="paraphrase", name="scorer of today")
    pair_save_score(pair=pair, score=0.6, verdict=0.7, findings=[], artifact=artifact)
    review_guidelines.guideline_publish(text="Look twice.", user=admin_person)
    made = decide(reviewer, "reject", reason="number", text="dropped", comment=" 3 became 4 ")
    assert (made.reason, made.text, made.comment) == ("number", "", "3 became 4")
    assert (made.guideline.version, made.scorer, made.scorer_name) == (2, artifact, "scorer of today")
    assert (made.score, made.probability) == (0.6, 0.7)
    assert made.seconds >= 0


def test_what_comes_while_a_pair_is_on_the_screen_is_not_what_the_reviewer_saw(pairs, reviewer, admin_person):
    (pair,) = pairs(1)
    earlier = ModelArtifact.objects.create(capability="paraphrase", name="earlier")
    later = ModelArtifact.objects.create(capability="paraphrase", name="later")
    pair_save_score(pair=pair, score=0.6, verdict=0.7, findings=[], artifact=earlier)
    review.review_next(reviewer=reviewer)
    review_guidelines.guideline_publish(text="Look twice.", user=admin_person)
    pair_save_score(pair=pair, score=0.1, verdict=0.2, findings=[], artifact=later)
    assert review.review_heartbeat(reviewer=reviewer, pair_id=pair.pk) == "held"
    made = review.review_decide(reviewer=reviewer, pair_id=pair.pk, verdict="accept")
    assert (made.guideline.version, made.scorer, made.scorer_name) == (1, earlier, "earlier")
    assert (made.score, made.probability) == (0.6, 0.7)
    review.review_undo(reviewer=reviewer)
    made = decide(reviewer)  # from the page that shows the pair again
    assert (made.guideline.version, made.scorer, made.scorer_name) == (2, later, "later")
    assert (made.score, made.probability) == (0.1, 0.2)


def test_a_page_that_is_loaded_again_shows_what_is_there_now(pairs, reviewer, admin_person):
    (pair,) = pairs(1)
    review.review_next(reviewer=reviewer)
    review_guidelines.guideline_publish(text="Look twice.", user=admin_person)
    pair_save_score(pair=pair, score=0.1, verdict=0.2, findings=[], artifact=None)
    made = decide(reviewer)
    assert (made.guideline.version, made.score, made.probability) == (2, 0.1, 0.2)


@pytest.mark.parametrize(
    ("fields", "wrong"),
    [
        ({"verdict": "perhaps"}, "verdict"),
        ({"verdict": "reject"}, "reason"),
        ({"verdict": "reject", "reason": "mood"}, "reason"),
        ({"verdict": "edit"}, "text"),
        ({"verdict": "edit", "text": "0 apples are Ann's."}, "text"),
        ({"verdict": "accept", "comment": "x" * 2001}, "comment"),
    ],
)
def test_an_incomplete_decision_is_refused_and_the_pair_stays(pairs, reviewer, fields, wrong):
    (pair,) = pairs(1)
    review.review_next(reviewer=reviewer)
    with pytest.raises(ValidationFailed) as refused:
        review.review_decide(reviewer=reviewer, pair_id=pair.pk, **fields)
    assert list(refused.value.fields) == [wrong]
    assert review.review_next(reviewer=reviewer).pair_id == pair.pk


def test_a_skipped_pair_comes_to_somebody_else(pairs, reviewers):
    skipped_pair, next_pair = pairs(2)
    first, second = reviewers[:2]
    decide(first, "skip")
    assert review.review_next(reviewer=first).pair_id == next_pair.pk
    assert review.review_next(reviewer=second).pair_id == skipped_pair.pk


def test_what_everybody_skipped_comes_again_after_all_others(pairs, reviewer):
    first, second, third = pairs(3)
    for pair, verdict in ((first, "skip"), (second, "skip"), (third, "accept")):
        assert decide(reviewer, verdict).pair_id == pair.pk
    assert decide(reviewer, "skip").pair_id == first.pk
    (late,) = pairs(1)
    assert decide(reviewer).pair_id == late.pk
    assert decide(reviewer).pair_id == second.pk
    assert decide(reviewer).pair_id == first.pk
    assert review.review_next(reviewer=reviewer) is None
    assert [row.verdict for row in first.decisions.order_by("pk")] == ["skip", "skip", "accept"]
    assert review.review_undo(reviewer=reviewer).verdict == "accept"
    assert review.review_next(reviewer=reviewer).pair_id == first.pk


def test_a_pair_that_was_skipped_is_random_if_it_came_so_first(pairs, reviewer, settings):
    first, second = pairs(2)
    assert not decide(reviewer, "skip").is_random
    settings.REVIEW_RANDOM_SHARE = 1.0
    assert decide(reviewer, "skip").is_random
    assert [(made.pair_id, made.is_random) for made in (decide(reviewer), decide(reviewer))] == [
        (first.pk, False),
        (second.pk, True),
    ]


def test_two_opinions_that_agree_decide(pairs, reviewers):
    (pair,) = pairs(1, opinions=2)
    decide(reviewers[0], "edit", text="Ann has no apples.")
    assert review.review_next(reviewer=reviewers[0]) is None
    pair.refresh_from_db()
    assert pair.state == "open"
    decide(reviewers[1], "edit", text="Ann has no apples.")
    pair.refresh_from_db()
    assert (pair.state, pair.outcome, pair.outcome_text) == ("decided", "edit", "Ann has no apples.")


def test_a_conflict_is_settled_by_a_third_reviewer_or_an_admin(pairs, reviewers, admin_person):
    (pair,) = pairs(1, opinions=2)
    first, second, third = reviewers[:3]
    decide(first, "accept")
    decide(second, "reject", reason="unit")
    assert list(adjudications()) == [pair]
    assert review.review_next(reviewer=third) is None
    for person in (first, second):
        with pytest.raises(NotAllowed):
            review.adjudication_decide(reviewer=person, pair_id=pair.pk, verdict="accept")
    with pytest.raises(ValidationFailed):
        settle(third, pair, "unsure")
    settle(third, pair, "reject", reason="unit")
    pair.refresh_from_db()
    assert (pair.state, pair.outcome) == ("decided", "reject")
    with pytest.raises(Conflict):
        review.adjudication_decide(reviewer=admin_person, pair_id=pair.pk, verdict="accept")
    review.review_undo(reviewer=third)
    assert list(adjudications()) == [pair]
    settle(admin_person, pair)
    pair.refresh_from_db()
    assert pair.outcome == "accept"


def test_whoever_typed_a_pair_leaves_it_to_others_to_settle(pairs, reviewers, admin_person):
    author, second, third = reviewers[:3]
    typed, uploaded = pairs(2)
    ParaphrasePair.objects.update(created_by=author)
    ParaphrasePair.objects.filter(pk=typed.pk).update(source="typed")
    for _ in range(2):
        decide(second, "unsure")
    with pytest.raises(NotAllowed, match="You typed this pair"):
        review.adjudication_take(reviewer=author, pair_id=typed.pk)
    settle(author, uploaded)
    settle(third, typed)
    ParaphrasePair.objects.filter(pk=typed.pk).update(created_by=admin_person)
    review.review_undo(reviewer=third)
    settle(admin_person, typed)


def test_one_person_settles_a_pair_while_its_page_answers(pairs, reviewers):
    disputed, _ = pairs(2)
    unsure, first, second = reviewers[:3]
    decide(unsure, "unsure")
    with pytest.raises(NotAllowed):
        review.adjudication_take(reviewer=unsure, pair_id=disputed.pk)
    own = review.review_next(reviewer=first)
    taken = review.adjudication_take(reviewer=first, pair_id=disputed.pk)
    for act in (review.adjudication_take, partial(review.adjudication_decide, verdict="accept")):
        with pytest.raises(Conflict, match="reviewer-1 is settling this pair now"):
            act(reviewer=second, pair_id=disputed.pk)
    assert review.adjudication_take(reviewer=first, pair_id=disputed.pk).taken_at == taken.taken_at
    assert review.adjudication_heartbeat(reviewer=second, pair_id=disputed.pk) == "lost"
    expire()
    assert review.adjudication_heartbeat(reviewer=first, pair_id=disputed.pk) == "held"
    with pytest.raises(Conflict):
        review.adjudication_take(reviewer=second, pair_id=disputed.pk)
    expire()
    review.adjudication_take(reviewer=second, pair_id=disputed.pk)
    assert review.adjudication_heartbeat(reviewer=first, pair_id=disputed.pk) == "lost"
    expire()
    with pytest.raises(Conflict, match="do not have this pair open"):
        review.adjudication_decide(reviewer=first, pair_id=disputed.pk, verdict="accept")
    review.adjudication_decide(reviewer=second, pair_id=disputed.pk, verdict="accept")  # nobody else took it
    assert review.adjudication_heartbeat(reviewer=second, pair_id=disputed.pk) == "left"
    assert not SettlementLease.objects.exists()
    assert review.review_next(reviewer=first).pk == own.pk  # the pair before them stayed


def test_a_settlement_keeps_what_its_page_showed(pairs, reviewer, admin_person):
    (pair,) = pairs(1)
    decide(reviewer, "unsure")
    review.adjudication_take(reviewer=admin_person, pair_id=pair.pk)
    review_guidelines.guideline_publish(text="Look twice.", user=admin_person)
    pair_save_score(pair=pair, score=0.1, verdict=0.2, findings=[], artifact=None)
    made = review.adjudication_decide(reviewer=admin_person, pair_id=pair.pk, verdict="accept")
    assert (made.guideline.version, made.score, made.probability) == (1, None, None)
    assert made.seconds > 0


@pytest.mark.django_db(transaction=True)
def test_of_many_who_open_a_disagreement_at_once_one_settles_it(pairs, reviewers):
    (pair,) = pairs(1)
    decide(reviewers[0], "unsure")
    outcomes = at_once(lambda person: settle(person, pair), reviewers[1:])
    assert Counter(map(type, outcomes)) == {ReviewDecision: 1, Conflict: REVIEWERS - 2}


def test_undo_takes_decisions_back_one_after_the_other(pairs, reviewer):
    first, second, third = pairs(3)
    decide(reviewer, "accept")
    decide(reviewer, "unsure")
    assert review.review_next(reviewer=reviewer).pair_id == third.pk
    assert review.review_undo(reviewer=reviewer).pair_id == second.pk
    assert review.review_next(reviewer=reviewer).pair_id == second.pk
    assert review.review_undo(reviewer=reviewer).pair_id == first.pk
    assert review.review_next(reviewer=reviewer).pair_id == first.pk
    first.refresh_from_db()
    assert (first.state, first.outcome) == ("open", "")
    with pytest.raises(NotFound):
        review.review_undo(reviewer=reviewer)
    review.review_decide(reviewer=reviewer, pair_id=first.pk, verdict="reject", reason="same")
    assert [row.verdict for row in first.decisions.order_by("pk")] == ["accept", "reject"]
    assert first.decisions.filter(undone_at__isnull=False).count() == 1


def test_an_old_decision_and_one_others_disagreed_with_stay(pairs, reviewers):
    (pair,) = pairs(1, opinions=2)
    decide(reviewers[0], "accept")
    decide(reviewers[1], "reject", reason="number")
    age(seconds=21)
    with pytest.raises(Conflict):
        review.review_undo(reviewer=reviewers[0])
    pairs(1)
    decide(reviewers[2], "accept")
    ReviewDecision.objects.update(created_at=timezone.now() - timedelta(days=2))
    with pytest.raises(Conflict):
        review.review_undo(reviewer=reviewers[2])
    assert not ReviewDecision.objects.filter(undone_at__isnull=False).exists()
    assert pair.decisions.count() == 2


def test_an_opinion_that_decided_with_another_stays_since_both_can_be_read(pairs, reviewers):
    (pair,) = pairs(1, opinions=2)
    first, second, third = reviewers[:3]
    decide(third, "skip")
    decide(first, "accept")
    review.review_undo(reviewer=first)  # nobody else has said anything
    review.review_decide(reviewer=first, pair_id=pair.pk, verdict="accept")
    decide(second, "accept", comment="read by the first on the pair's page")
    age(seconds=21)
    for person in (first, second):
        with pytest.raises(Conflict, match="you can read the others"):
            review.review_undo(reviewer=person)
    pair.refresh_from_db()
    assert (pair.state, pair.outcome) == ("decided", "accept")
    assert review.review_undo(reviewer=third).verdict == "skip"  # no opinion: nobody's answer is at stake
    pair.refresh_from_db()
    assert (pair.state, pair.outcome) == ("decided", "accept")


@pytest.mark.parametrize("verdict", ["accept", "reject", "unsure"])
def test_the_second_of_two_reviewers_can_undo_a_slip_for_some_seconds_and_reads_nothing_before(
    pairs, reviewers, verdict
):
    first, second, third = reviewers[:3]
    (pair,) = pairs(1, opinions=2)
    decide(first, "accept", comment="the first one's")
    slip = decide(second, verdict, **({"reason": "number"} if verdict == "reject" else {}))
    pair.refresh_from_db()
    assert pair.state != "open"
    for person in (first, second):
        assert not opinions_shown(pair=pair, viewer=person)
        assert not pair_history(pair=pair, viewer=person)
        assert 0 < grace_seconds(pair=pair, person=person) <= 20
    assert len(pair_history(pair=pair, viewer=third)) == 2
    assert review.review_undo(reviewer=second, decision_id=slip.pk) == slip
    assert review.review_next(reviewer=second).pair_id == pair.pk
    pair.refresh_from_db()
    assert (pair.state, pair.outcome) == ("open", "")
    decide(second, "accept")
    age(seconds=21)
    pair.refresh_from_db()
    assert len(opinions_shown(pair=pair, viewer=second)) == 2
    assert not decisions_to_undo(reviewer=second)


def test_a_decision_that_stands_blocks_no_earlier_one_and_is_not_taken_for_it(pairs, reviewers):
    first, second = reviewers[:2]
    (alone,) = pairs(1)
    earlier = decide(second, "unsure")
    (shared,) = pairs(1, opinions=2)
    decide(first, "accept")
    later = decide(second, "accept")
    assert {earlier.pair_id, later.pair_id} == {alone.pk, shared.pk}
    age(seconds=21)
    assert list(decisions_to_undo(reviewer=second)) == [earlier]
    with pytest.raises(Conflict):  # the button of a page that was loaded before
        review.review_undo(reviewer=second, decision_id=later.pk)
    with pytest.raises(Conflict):
        review.review_undo(reviewer=first, decision_id=later.pk)
    assert review.review_undo(reviewer=second) == earlier


def test_an_admin_who_gave_an_opinion_settles_the_pair_only_when_it_stands(pairs, reviewers, admin_person):
    (pair,) = pairs(1, opinions=2)
    decide(reviewers[0], "accept")
    decide(admin_person, "reject", reason="number")
    with pytest.raises(Conflict, match="in a moment"):
        review.adjudication_take(reviewer=admin_person, pair_id=pair.pk)
    settle(reviewers[1], pair)
    assert not decisions_to_undo(reviewer=admin_person)  # settled: at once
    with pytest.raises(Conflict):
        review.review_undo(reviewer=admin_person)


def test_undoing_a_skip_gives_the_pair_back_unless_somebody_has_it(pairs, reviewers):
    (pair,) = pairs(1)
    decide(reviewers[0], "skip")
    review.review_undo(reviewer=reviewers[0])
    assert review.review_next(reviewer=reviewers[0]).pair_id == pair.pk
    review.review_decide(reviewer=reviewers[0], pair_id=pair.pk, verdict="skip")
    review.review_next(reviewer=reviewers[1])
    review.review_undo(reviewer=reviewers[0])
    assert review.review_next(reviewer=reviewers[0]) is None


def test_changes_of_decisions_and_outcomes_are_kept(pairs, reviewer):
    (pair,) = pairs(1)
    made = decide(reviewer, "accept")
    review.review_undo(reviewer=reviewer)
    assert [event.undone_at for event in made.events.filter(pgh_label="update")] == [None]
    assert [event.outcome for event in pair.events.filter(pgh_label="update")] == ["", "accept"]


def test_a_new_version_of_the_guidelines_leaves_the_old_one(reviewer, admin_person):
    first = review_guidelines.guideline_current()
    assert first.version == 1
    with pytest.raises(NotAllowed):
        review_guidelines.guideline_publish(text="Mine.", user=reviewer)
    assert not any(GuidelineForm({"text": text}).is_valid() for text in ("", "  ", "a\0b"))
    with pytest.raises(ValidationFailed, match="Nothing is changed"):
        review_guidelines.guideline_publish(text=first.text, user=admin_person)
    review_guidelines.guideline_publish(text="Look twice.", user=admin_person)
    assert review_guidelines.guideline_current().text == "Look twice."
    assert ReviewGuideline.objects.get(version=1).text == first.text


def test_keys_are_kept_for_each_reviewer(reviewers):
    person, colleague = reviewers[:2]
    review_guidelines.review_keys_save(reviewer=person, keys={"accept": "Y", "undo": ""})
    assert (review_keys(reviewer=person)["accept"], review_keys(reviewer=person)["undo"]) == ("y", "")
    assert review_keys(reviewer=colleague)["accept"] == "a"
    for keys in ({"accept": "ab"}, {"accept": "s"}):
        with pytest.raises(ValidationFailed):
            review_guidelines.review_keys_save(reviewer=person, keys=keys)


def test_a_teacher_reviews_nothing(pairs, teacher):
    pairs(1)
    for act in (
        lambda: review.review_next(reviewer=teacher),
        lambda: review.review_undo(reviewer=teacher),
        lambda: review.review_decide(reviewer=teacher, pair_id=1, verdict="accept"),
        lambda: review.adjudication_decide(reviewer=teacher, pair_id=1, verdict="accept"),
        lambda: review_guidelines.review_keys_save(reviewer=teacher, keys={}),
    ):
        with pytest.raises(NotAllowed):
            act()


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("opinions", [1, 2])
def test_many_reviewers_at_once_decide_each_pair_as_often_as_wanted(pairs, reviewers, opinions, settings):
    settings.REVIEW_RANDOM_SHARE = 0.3
    made = pairs(30, opinions=opinions)
    review_guidelines.guideline_current()

    def session(reviewer) -> list[int]:
        done = []
        while lease := review.review_next(reviewer=reviewer):
            review.review_decide(reviewer=reviewer, pair_id=lease.pair_id, verdict="accept")
            done.append(lease.pair_id)
        return done

    sessions = at_once(session, reviewers)
    assert all(len(done) == len(set(done)) for done in sessions)
    assert Counter(pair for done in sessions for pair in done) == dict.fromkeys((pair.pk for pair in made), opinions)
    assert set(ParaphrasePair.objects.values_list("state", "outcome")) == {("decided", "accept")}
    assert not ReviewLease.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_pairs_of_reviewers_who_left_come_to_those_who_stay(pairs, reviewers):
    made = pairs(12)
    review_guidelines.guideline_current()
    taken = at_once(lambda person: review.review_next(reviewer=person).pair_id, reviewers)
    assert len(set(taken)) == REVIEWERS
    stays = reviewers[0]
    for _ in range(12 - REVIEWERS + 1):
        decide(stays)
    assert review.review_next(reviewer=stays) is None  # the others still have theirs
    expire()
    for _ in range(REVIEWERS - 1):
        decide(stays)
    assert ReviewDecision.objects.count() == len(made)
    assert set(ParaphrasePair.objects.values_list("state", flat=True)) == {"decided"}


@pytest.mark.django_db(transaction=True)
def test_two_windows_of_one_reviewer_show_one_pair(pairs, reviewer):
    pairs(10)
    leases = at_once(lambda person: review.review_next(reviewer=person), [reviewer] * 6)
    assert len({lease.pair_id for lease in leases}) == 1
