"""Counts, agreement, throughput and export of the review queue."""

from __future__ import annotations

import numpy as np
import pytest
from django.contrib.auth.models import Group
from django.utils import timezone

from questionbank.core.errors import NotFound
from questionbank.models import BatchDeletion, ParaphrasePair, Question, ReviewDecision, School
from questionbank.people.permissions import viewing_as
from questionbank.people.school_selectors import school_use
from questionbank.people.school_services import school_delete
from questionbank.review import selectors as review
from questionbank.review.agreement_selectors import agreement, reason_agreement, throughput
from questionbank.review.guideline_services import guideline_current
from questionbank.review.pair_selectors import PairFilters, batch_deletions, batches, pair_reviewers, pairs_found
from questionbank.review.pair_services import PairInput, pairs_create
from questionbank.review.selectors import pair_history
from questionbank.review.services import review_next
from tests.factories import QuestionFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def people(django_user_model):
    group = Group.objects.get_or_create(name="reviewer")[0]
    made = [django_user_model.objects.create_user(username=name) for name in ("ann", "bob", "cem")]
    for person in made:
        person.groups.add(group)
    return made


def opinion(pair, person, verdict, **fields):
    more = {"reject": {"reason": "number"}, "edit": {"text": "Better."}}.get(verdict, {})
    return ReviewDecision.objects.create(
        pair=pair, reviewer=person, verdict=verdict, guideline=guideline_current(), **(more | fields)
    )


def make_pairs(number: int) -> list[ParaphrasePair]:
    return pairs_create(
        pairs=[PairInput(f"Original {n}", f"Paraphrase {n}", "en", f"id-{n}") for n in range(number)],
        source="upload",
        user=None,
        batch="first",
        request_scores=False,
    )


def test_agreement_by_hand(people):
    # Answers of two people on four pairs: 11, 00, 00, 10. Of 8 answers 3 are 1 and 5 are 0, so the observed
    # disagreement is 2 of 8 and the expected 2 * 3 * 5 / (8 * 7): alpha = 1 - 0.25 / 0.5357 = 0.533.
    # Kappa: observed 3/4, expected (2 * 1 + 2 * 3) / 16 = 1/2, so 1/2.
    ann, bob, cem = people
    pairs = make_pairs(6)
    for pair, anns_verdict, bobs_verdict in zip(
        pairs, ("accept", "reject", "edit", "accept"), ("accept", "reject", "reject", "reject"), strict=False
    ):
        opinion(pair, ann, anns_verdict)
        opinion(pair, bob, bobs_verdict)
    opinion(pairs[4], ann, "accept")  # nobody else did
    opinion(pairs[5], ann, "accept")  # the other was unsure
    opinion(pairs[5], bob, "unsure")
    opinion(pairs[0], cem, "reject", is_adjudication=True)  # not blind
    measured = agreement()
    assert (measured.pairs, measured.same) == (4, 3)
    assert measured.alpha == pytest.approx(1 - 0.25 / (30 / 56))
    assert measured.low < measured.alpha < measured.high <= 1
    (kappa,) = measured.kappas
    assert (kappa.first, kappa.second, kappa.pairs, kappa.same) == ("ann", "bob", 4, 3)
    assert kappa.kappa == pytest.approx(0.5)


def test_the_interval_s_formula_is_the_package_s_alpha(people, monkeypatch):
    # One draw that takes every pair once must give the point estimate; three reviewers and gaps included.
    ann, bob, cem = people
    pairs = make_pairs(5)
    answers = ("accept accept reject", "reject reject", "accept reject", "accept accept accept", "edit edit")
    for pair, row in zip(pairs, answers, strict=True):
        for person, answer in zip((ann, bob, cem), row.split(), strict=False):
            opinion(pair, person, answer)

    class EachOnce:
        def integers(self, low, high, size):
            return range(high)

    monkeypatch.setattr(np.random, "default_rng", lambda seed: EachOnce())
    monkeypatch.setattr("questionbank.review.agreement_selectors.RESAMPLES", 1)
    measured = agreement()
    assert measured.low == measured.high == pytest.approx(measured.alpha)


@pytest.mark.parametrize("verdicts", [[], [("accept", "reject")], [("accept", "accept")] * 3])
def test_alpha_is_unknown_where_it_means_nothing(people, verdicts):
    for pair, (first_verdict, second_verdict) in zip(
        make_pairs(len(verdicts)) if verdicts else [], verdicts, strict=True
    ):
        opinion(pair, people[0], first_verdict)
        opinion(pair, people[1], second_verdict)
    measured = agreement()
    assert (measured.alpha, measured.low, measured.high) == (None, None, None)
    assert measured.pairs == len(verdicts)


def test_throughput_takes_the_median_and_leaves_undone_decisions_out(people):
    ann, bob, _ = people
    pairs = make_pairs(5)
    for pair, seconds in zip(pairs[:3], (2.0, 4.0, 300.0), strict=True):
        opinion(pair, ann, "accept", seconds=seconds)
    opinion(pairs[3], ann, "skip", seconds=1.0)
    undone = opinion(pairs[4], ann, "reject", seconds=1.0)
    ReviewDecision.objects.filter(pk=undone.pk).update(undone_at=undone.created_at)
    opinion(pairs[0], bob, "unsure", seconds=8.0)
    first, second = throughput()
    expected = {"reviewer": "ann", "decisions": 3, "accepted": 3, "skipped": 1, "undone": 1}
    assert first.items() >= (expected | {"rejected": 0, "last_day": 3, "seconds": 4.0}).items()
    assert second.items() >= {"reviewer": "bob", "unsure": 1, "seconds": 8.0}.items()


def test_counts_say_where_the_pairs_are(people):
    pairs = make_pairs(6)
    for pair, (state, outcome) in zip(
        pairs, [("decided", "accept"), ("decided", "reject"), ("decided", "edit"), ("adjudication", "")], strict=False
    ):
        ParaphrasePair.objects.filter(pk=pair.pk).update(state=state, outcome=outcome)
    review_next(reviewer=people[0])
    counts = review.queue_counts()
    assert (counts.open, counts.on_screens, counts.unscored) == (2, 1, 2)
    assert (counts.adjudication, counts.accepted, counts.edited, counts.rejected) == (1, 1, 1, 1)
    assert (counts.decided, counts.total) == (3, 6)


@pytest.fixture
def schools(people):
    """Ann is in Hillside and Bob in Lakeside; Cem is in none."""
    made = [School.objects.create(name=name, slug=name.lower()) for name in ("Hillside", "Lakeside")]
    for school, person in zip(made, people, strict=False):
        school.people.add(person)
        person.refresh_from_db()
    return made


def uploaded(person, batch: str) -> ParaphrasePair:
    rows = [PairInput(f"Original of {batch}", f"Paraphrase of {batch}")]
    return pairs_create(pairs=rows, source="upload", user=person, batch=batch, request_scores=False)[0]


def test_an_uploaded_pair_without_a_question_belongs_to_its_uploader_s_school(people, schools, admin_person):
    ann, bob, cem = people
    pairs = {person: uploaded(person, person.username) for person in people}
    assert [pair.shown_to for pair in pairs.values()] == ["Hillside", "Lakeside", "everybody"]
    seen = {}
    for viewer in (*people, admin_person):
        with viewing_as(viewer):
            seen[viewer] = {pair.batch for pair in pairs_found(filters=PairFilters(), viewer=viewer)}
            assert {batch.name for batch in batches()} == seen[viewer]
            assert review.queue_counts().open == len(seen[viewer])
    assert seen == {ann: {"ann", "cem"}, bob: {"bob", "cem"}, cem: {"cem"}, admin_person: {"ann", "bob", "cem"}}
    with viewing_as(bob), pytest.raises(NotFound):
        review.pair_get(pair_id=pairs[ann].pk)


def test_a_pair_of_a_question_is_seen_by_those_who_see_the_question(people, schools):
    ann, bob, _cem = people
    question = QuestionFactory(text="How many?", created_by=bob, visibility="school", school=schools[1])
    rows = [PairInput(question.text, "What number?", question=question)]
    pairs_create(pairs=rows, source="typed", user=bob, request_scores=False)

    def seen_by_both() -> list[bool]:
        seen = []
        for person in (ann, bob):
            with viewing_as(person):
                seen.append(ParaphrasePair.objects.exists())
        return seen

    assert seen_by_both() == [False, True]
    Question.unrestricted.update(visibility="all", school=None)
    assert seen_by_both() == [True, True]
    question.delete()
    assert seen_by_both() == [False, True]


def test_the_figures_of_the_review_count_what_the_viewer_may_see(people, schools, admin_person):
    ann, bob, cem = people
    for person in (ann, bob):
        decided = uploaded(person, person.username)
        for reviewer in (person, cem):
            opinion(decided, reviewer, "reject")
        ParaphrasePair.objects.filter(pk=decided.pk).update(state="decided", outcome="reject")
        uploaded(person, person.username)
        with viewing_as(person):
            review_next(reviewer=person)
        BatchDeletion.objects.create(batch=person.username, deleted=1, kept=1, person=person)
    for viewer, number, reviewers in ((ann, 1, {"ann", "cem"}), (bob, 1, {"bob", "cem"}), (cem, 0, set())):
        with viewing_as(viewer):
            assert review.queue_counts().on_screens == number
            assert {row["reviewer"] for row in throughput()} == reviewers
            assert {person.username for person in pair_reviewers()} == reviewers
            assert (agreement().pairs, len(reason_agreement())) == (number, number)
            assert [deletion.batch for deletion in batch_deletions()] == [viewer.username] * number
    with viewing_as(admin_person):
        assert (review.queue_counts().on_screens, agreement().pairs, len(batch_deletions())) == (2, 2, 2)


def test_a_pair_that_nobody_else_can_see_comes_to_the_person_who_typed_it(people, schools):
    ann, bob, _cem = people
    for batch, person in (("hers", ann), ("his", bob)):
        pair = uploaded(person, batch)
        ParaphrasePair.objects.filter(pk=pair.pk).update(source="typed")
    with viewing_as(ann):
        assert review_next(reviewer=ann).pair.batch == "hers"
    schools[1].people.add(ann)  # and now sees his as well
    ann.refresh_from_db()
    with viewing_as(bob):
        assert review_next(reviewer=bob) is None


def test_deleting_a_school_hands_its_pairs_on(people, schools):
    pair = uploaded(people[0], "ann")
    assert school_use(school=schools[0]).rows == {"paraphrases": 1}
    school_delete(user=None, school=schools[0], to="lakeside")
    with viewing_as(people[1]):
        assert ParaphrasePair.objects.get() == pair


def test_pairs_that_nobody_comes_to_are_counted(people, django_user_model, settings):
    ann, bob, cem = people
    django_user_model.objects.create_user(username="gone", is_active=False).groups.set(cem.groups.all())
    django_user_model.objects.create_user(username="teacher").groups.add(Group.objects.get(name="teacher"))
    settings.REVIEW_OPINIONS = 2
    fresh, half, skipped, half_skipped, undone, short = make_pairs(6)
    opinion(half, ann, "accept")
    opinion(half, bob, "skip")  # cem is left
    for person in (ann, bob, cem, cem):
        opinion(skipped, person, "skip")
    opinion(half_skipped, ann, "skip")
    opinion(half_skipped, ann, "accept")
    opinion(half_skipped, bob, "skip")
    opinion(half_skipped, cem, "skip")
    for person in people:
        opinion(undone, person, "skip", undone_at=timezone.now())
    opinion(short, ann, "accept")
    assert review.stuck_pairs() == review.StuckPairs(too_few=0, skipped=2)
    ParaphrasePair.objects.filter(pk=short.pk).update(opinions_wanted=4)
    opinion(short, None, "accept")  # somebody who left
    assert review.stuck_pairs() == review.StuckPairs(too_few=0, skipped=2)
    ParaphrasePair.objects.filter(pk=short.pk).update(opinions_wanted=5)
    assert review.stuck_pairs() == review.StuckPairs(too_few=1, skipped=2)
    ParaphrasePair.objects.exclude(pk=short.pk).update(state="adjudication")
    assert review.stuck_pairs() == review.StuckPairs(too_few=1, skipped=0)
    django_user_model.objects.update(is_active=False)
    ParaphrasePair.objects.filter(pk=fresh.pk).update(state="open")
    assert review.stuck_pairs() == review.StuckPairs(too_few=2, skipped=0)


def test_the_author_of_a_pair_is_not_waited_for_unless_nobody_else_is_there(people):
    ann, bob, cem = people
    typed, uploaded = make_pairs(2)
    ParaphrasePair.objects.filter(pk=typed.pk).update(source="typed")
    ParaphrasePair.objects.update(created_by=ann, opinions_wanted=3)
    assert review.stuck_pairs() == review.StuckPairs(too_few=1, skipped=0)
    opinion(typed, ann, "accept")  # before bob and cem came
    assert review.stuck_pairs() == review.StuckPairs(too_few=0, skipped=0)
    ParaphrasePair.objects.filter(pk=typed.pk).update(opinions_wanted=2)
    for person in (bob, cem):
        for pair in (typed, uploaded):
            opinion(pair, person, "skip")
    assert review.stuck_pairs() == review.StuckPairs(too_few=0, skipped=1)
    type(ann).objects.exclude(pk=ann.pk).update(is_active=False)
    ReviewDecision.objects.filter(reviewer=ann).update(undone_at=timezone.now())
    ParaphrasePair.objects.update(opinions_wanted=1)
    assert review.stuck_pairs() == review.StuckPairs(too_few=0, skipped=0)
    ParaphrasePair.objects.update(opinions_wanted=2)
    assert review.stuck_pairs() == review.StuckPairs(too_few=2, skipped=0)


def test_reviewers_are_those_with_the_permission(people, teacher, reviewer, admin_person, django_user_model):
    django_user_model.objects.create_superuser("root")
    admin_person.groups.add(Group.objects.get(name="reviewer"))
    everybody = django_user_model.objects.all()
    allowed = [person for person in everybody if person.has_perm("questionbank.review")]
    assert sorted(map(str, review.reviewers())) == sorted(map(str, allowed))


def test_the_export_hides_first_opinions_until_the_last_is_given(people):
    waiting, done = make_pairs(2)
    opinion(waiting, people[0], "accept")
    opinion(done, people[0], "reject", comment="3 became 4", seconds=2.345)
    ParaphrasePair.objects.filter(pk=done.pk).update(state="decided", outcome="reject")
    (row,) = review.decision_rows()
    assert tuple(row) == review.EXPORT_FIELDS
    assert (row["pair"], row["source_id"], row["batch"], row["reviewer"]) == (done.pk, "id-1", "first", "ann")
    assert (row["verdict"], row["reason"], row["comment"], row["seconds"]) == ("reject", "number", "3 became 4", 2.3)
    assert (row["guideline_version"], row["scorer"], row["scorer_id"]) == (1, "", None)


def test_the_history_holds_what_was_taken_back_once_nobody_judges_blindly(people, teacher):
    ann, bob, _ = people
    (pair,) = make_pairs(1)
    made = [opinion(pair, ann, "accept", undone_at=timezone.now()), opinion(pair, bob, "skip")]
    made.append(opinion(pair, ann, "unsure"))
    seen = {}
    for state, outcome in (("open", ""), ("adjudication", ""), ("decided", "accept")):
        ParaphrasePair.objects.filter(pk=pair.pk).update(state=state, outcome=outcome)
        pair.refresh_from_db()
        seen[state] = [pair_history(pair=pair, viewer=person) for person in (bob, teacher)]
    assert seen == {"open": [[], []], "adjudication": [made, []], "decided": [made, made]}


def test_decided_pairs_are_labelled_examples(people):
    accepted, rejected, edited, wrong, same, disputed, _ = make_pairs(7)
    outcomes = ("accept", "reject", "edit", "edit", "reject", "reject")
    for pair, outcome in zip((accepted, rejected, edited, wrong, same, disputed), outcomes, strict=True):
        ParaphrasePair.objects.filter(pk=pair.pk).update(
            state="decided", outcome=outcome, outcome_text="Better." if outcome == "edit" else ""
        )
    ParaphrasePair.objects.filter(pk=wrong.pk).update(findings=[{"is_serious": True}])
    ParaphrasePair.objects.filter(pk=edited.pk).update(findings=[{"is_serious": False}])
    opinion(rejected, people[0], "reject", reason="number")
    opinion(same, people[0], "reject", reason="same")
    opinion(disputed, people[0], "reject", reason="same")
    opinion(disputed, people[1], "reject", reason="target")
    assert [(example.paraphrase, example.label) for example in review.decided_pairs()] == [
        ("Paraphrase 0", 1),
        ("Paraphrase 1", 0),
        ("Better.", 1),
        ("Paraphrase 3", 0),
        ("Better.", 1),
        ("Paraphrase 5", 0),
    ]
