"""A reviewer's session by keyboard alone, two reviewers who meet, and the same without JavaScript."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.contrib.auth import get_user_model
from django.utils import timezone
from playwright.sync_api import Page, expect

from questionbank.models import ModelArtifact, ParaphrasePair, ReviewDecision, ReviewLease, SettlementLease
from questionbank.review.pair_services import PairInput, pair_findings, pair_save_score, pairs_create
from questionbank.review.paraphrase_services import paraphrase_type, paraphrases_propose
from questionbank.review.services import review_decide, review_next
from tests.e2e.accessibility import faults
from tests.e2e.conftest import log_in_beside

ORIGINAL = "Zoe rode 30 kilometres in 2 hours. Her brother Tom rode 5 kilometres more. How far did Tom ride?"
PARAPHRASES = (
    "Zoe rode some kilometres in 2 hours. Her brother Tom rode 5 kilometres more. How far did Tom ride?",
    "In 2 hours, Zoe rode thirty kilometres. Tom, her brother, rode 5 km more. How far did Tom ride?",
    "Zoe rode 30 centimetres in 2 hours. Her brother Tom rode 5 kilometres fewer. How far did Zoe ride?",
    "Tom rode 5 kilometres more than his sister Zoe, who rode 30 kilometres in 2 hours. How far was it?",
)

WORDING = "In 2 hours, Zoe rode 30 km. Her brother Tom rode 5 km more. How far did Tom ride?"


@pytest.fixture
def pairs(bank, reviewer, admin_person, settings) -> list[ParaphrasePair]:
    settings.REVIEW_RANDOM_SHARE = 0.0
    made = pairs_create(
        pairs=[PairInput(ORIGINAL, text) for text in PARAPHRASES],
        source="upload",
        user=None,
        batch="made-by-hand.jsonl",
        request_scores=False,
    )
    scorer = ModelArtifact.objects.create(capability="paraphrase", name="A scorer", state="champion")
    for place, pair in enumerate(made):
        score = 0.5 + place / 10
        pair_save_score(pair=pair, score=score, verdict=score, findings=pair_findings(pair), artifact=scorer)
    return made


def at(page: Page, pair: ParaphrasePair) -> None:
    expect(page.get_by_role("heading", name=f"Pair {pair.pk}", exact=True)).to_be_visible()


def standing() -> list[tuple]:
    rows = ReviewDecision.objects.filter(undone_at__isnull=True).order_by("pair_id")
    return list(rows.values_list("pair_id", "verdict", "reason", "text", "comment"))


def test_a_session_by_keyboard_alone(open_as, pairs) -> None:
    page = open_as("reviewer")
    page.goto("/review/")
    first, second, third, fourth = pairs
    at(page, first)
    expect(page.get_by_text("30 became some.")).to_be_visible()
    page.keyboard.press("1")  # a number is wrong
    at(page, second)
    page.keyboard.press("s")
    at(page, third)
    page.keyboard.press("z")  # undo: the skipped one comes back
    at(page, second)
    page.reload()
    at(page, second)
    page.keyboard.press("z")  # and after a reload the one before it
    at(page, first)
    page.keyboard.press("c")
    page.keyboard.type("a 1 s z u typed here decides nothing")
    page.keyboard.press("Escape")
    page.keyboard.press("1")
    at(page, second)
    page.keyboard.press("a")
    at(page, third)
    page.keyboard.press("e")
    page.keyboard.press("Control+a")
    page.keyboard.type(WORDING)
    page.keyboard.press("Control+Enter")
    at(page, fourth)
    page.keyboard.press("u")
    expect(page.get_by_role("heading", name="Nothing to review")).to_be_visible()
    assert standing() == [
        (first.pk, "reject", "number", "", "a 1 s z u typed here decides nothing"),
        (second.pk, "accept", "", "", ""),
        (third.pk, "edit", "", WORDING, ""),
        (fourth.pk, "unsure", "", "", ""),
    ]
    assert ReviewDecision.objects.filter(undone_at__isnull=False).count() == 2


def test_two_reviewers_never_collide(open_as, pairs) -> None:
    first, second, third, _ = pairs
    mine, theirs = open_as("reviewer"), open_as("admin")
    mine.goto("/review/")
    theirs.goto("/review/")
    at(mine, first)
    at(theirs, second)
    ReviewLease.objects.filter(reviewer__username="reviewer").update(expires_at=timezone.now() - timedelta(seconds=1))
    theirs.keyboard.press("a")
    at(theirs, first)  # its lease ran out
    beat(mine)
    expect(mine.get_by_role("alert")).to_contain_text("is now with another reviewer")
    mine.keyboard.press("a")
    expect(mine.get_by_text("You no longer have this pair")).to_be_visible()
    at(mine, third)
    theirs.keyboard.press("8")
    expect(theirs.get_by_role("heading", name="Pair")).not_to_have_text(f"Pair {first.pk}")
    assert [(row[0], row[1]) for row in standing()] == [(first.pk, "reject"), (second.pk, "accept")]
    people = ReviewDecision.objects.values_list("reviewer__username", flat=True)
    assert set(people) == {"admin"}


def beat(page: Page) -> None:
    """As when somebody comes back to the tab; else it beats by the clock."""
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")


def test_a_window_left_behind_says_that_its_reviewer_went_on(open_as, pairs) -> None:
    page = open_as("reviewer")
    page.goto("/review/")
    newer = page.context.new_page()
    newer.goto("/review/")
    newer.keyboard.press("a")
    at(newer, pairs[1])
    beat(page)
    expect(page.get_by_role("alert")).to_contain_text("You moved on from this pair in another window")
    beat(newer)
    expect(newer.get_by_role("alert")).to_be_hidden()


def test_a_page_on_which_a_pair_is_settled_keeps_it_and_says_when_it_is_gone(open_as, pairs) -> None:
    reviewer = get_user_model().objects.get(username="reviewer")
    lease = review_next(reviewer=reviewer)
    review_decide(reviewer=reviewer, pair_id=lease.pair_id, verdict="unsure")
    page = open_as("admin")
    page.goto(f"/review/{lease.pair_id}/settle/")
    beat(page)
    expect(page.get_by_role("alert")).to_be_hidden()
    SettlementLease.objects.all().delete()
    beat(page)
    expect(page.get_by_role("alert")).to_contain_text("Somebody else took this pair, or it")
    page.get_by_role("link", name="Review it again").click()
    expect(page.get_by_role("alert")).to_be_hidden()
    page.get_by_role("button", name="Accept", exact=False).first.click()
    expect(page.get_by_text("The disagreement is settled.")).to_be_visible()


def test_settling_leads_to_the_next_pair_and_can_be_undone(open_as, pairs) -> None:
    reviewer = get_user_model().objects.get(username="reviewer")
    disputed = []
    for _ in range(2):
        lease = review_next(reviewer=reviewer)
        review_decide(reviewer=reviewer, pair_id=lease.pair_id, verdict="unsure")
        disputed.append(lease.pair_id)
    first, second = sorted(disputed)
    page = open_as("admin")
    page.goto(f"/review/{first}/settle/")
    page.get_by_role("button", name="Accept", exact=False).first.click()
    expect(page.get_by_text("Here is the next one.")).to_be_visible()
    expect(page.get_by_role("heading", name=f"Settle pair {second}")).to_be_visible()
    page.get_by_role("button", name="A unit is wrong or missing").click()
    expect(page.get_by_text("There are no others for you to settle.")).to_be_visible()
    page.get_by_role("link", name="All pairs").click()
    expect(page.get_by_text(f"You settled pair {second}: Reject")).to_be_visible()
    page.get_by_role("button", name="Undo").click()  # from whatever page of the review
    expect(page.get_by_role("heading", name=f"Settle pair {second}")).to_be_visible()
    expect(page.get_by_text(f"You settled pair {first}: Accept")).to_be_visible()
    assert ParaphrasePair.objects.get(pk=second).state == "adjudication"
    assert ParaphrasePair.objects.get(pk=first).outcome == "accept"


def test_who_is_logged_out_loses_nothing_they_wrote(open_as, pairs) -> None:
    page = open_as("reviewer")
    page.goto("/review/")
    at(page, pairs[0])
    page.keyboard.press("e")
    page.get_by_label("Changed paraphrase").fill(WORDING)
    page.get_by_label("Comment").fill("My thoughts.")
    page.context.clear_cookies(name="sessionid")
    beat(page)
    notice = page.get_by_role("alert").filter(has_text="You are logged out")
    expect(notice).to_be_visible()
    with page.expect_popup() as opened:
        notice.get_by_role("link", name="Log in in another tab").click()
    log_in_beside(opened.value, "reviewer")
    opened.value.close()
    beat(page)
    expect(notice).to_be_hidden()
    page.get_by_role("button", name="Accept with changes").click()
    at(page, pairs[1])
    assert standing() == [(pairs[0].pk, "edit", "", WORDING, "My thoughts.")]
    page.context.clear_cookies(name="sessionid")
    page.get_by_label("Comment").fill("Sent before the heartbeat noticed.")
    page.get_by_role("button", name="Skip").click()
    expect(page.get_by_label("Text 2")).to_have_value("Sent before the heartbeat noticed.")
    expect(page.get_by_text("You are logged out.")).to_be_visible()


def test_a_held_key_decides_one_pair(open_as, pairs) -> None:
    page = open_as("reviewer")
    page.goto("/review/")
    at(page, pairs[0])
    page.keyboard.down("a")
    page.keyboard.down("a")  # a repeat, as the browser says
    at(page, pairs[1])
    assert len(standing()) == 1


def test_keys_are_changed_by_their_owner(open_as, pairs) -> None:
    page = open_as("reviewer")
    page.goto("/review/keys/")
    page.get_by_label("Accept", exact=True).fill("y")
    page.get_by_label("Skip", exact=True).fill("")
    page.get_by_role("button", name="Save").click()
    at(page, pairs[0])
    page.keyboard.press("a")
    page.keyboard.press("s")
    page.keyboard.press("y")
    at(page, pairs[1])
    assert standing() == [(pairs[0].pk, "accept", "", "", "")]


def test_the_pages_are_accessible_and_no_wider_than_the_screen(open_as, bank, pairs) -> None:
    reviewer = get_user_model().objects.get(username="reviewer")
    lease = review_next(reviewer=reviewer)
    review_decide(reviewer=reviewer, pair_id=lease.pair_id, verdict="unsure", comment="W" * 90)
    question = bank.questions[5]
    paraphrases_propose(question=question, each=2, user=reviewer)
    accepted = paraphrase_type(question=question, text=f"In other words: {'W' * 90}", user=reviewer)
    ParaphrasePair.objects.filter(pk=accepted.pk).update(state="decided", outcome="accept")
    page = open_as("admin")
    pages = (
        "",
        f"{lease.pair_id}/",
        f"{lease.pair_id}/settle/",
        "keys/",
        "upload/",
        "progress/",
        "guidelines/",
        "propose/",
        "pairs/",
        "pairs/?batch=made-by-hand.jsonl",
        "batch/delete/?batch=made-by-hand.jsonl",
    )
    for address in (*(f"/review/{path}" for path in pages), f"/questions/{question.pk}/paraphrases/"):
        page.goto(address)
        assert not faults(page), address
