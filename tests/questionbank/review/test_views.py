"""The pages of the review, by plain forms as without JavaScript."""

from __future__ import annotations

import gzip
import json
import re
from datetime import timedelta

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django.asserts import assertContains

from questionbank.models import ModelArtifact, ParaphrasePair, Question, ReviewDecision, ReviewLease, SettlementLease
from questionbank.review.agreement_selectors import reason_agreement
from questionbank.review.evidence_services import Piece, marked_pieces
from questionbank.review.guideline_services import guideline_current, guideline_publish
from questionbank.review.pair_services import PairInput, pair_save_score, pairs_create
from questionbank.review.selectors import guideline_history, review_keys
from questionbank.review.services import Beat, review_next
from tests.factories import QuestionFactory

pytestmark = pytest.mark.django_db
QUESTION = "Zoe rode 30 kilometres in 2 hours. How fast was she?"


@pytest.fixture(autouse=True)
def _uncertain_first(settings):
    settings.REVIEW_RANDOM_SHARE = 0.0


@pytest.fixture
def pairs(settings):
    def make(*paraphrases: str, opinions: int = 1) -> list[ParaphrasePair]:
        settings.REVIEW_OPINIONS = opinions
        rows = [PairInput(QUESTION, text) for text in paraphrases]
        return pairs_create(pairs=rows, source="typed", user=None, request_scores=False)

    return make


def other_client(person) -> Client:
    client = Client()
    client.force_login(person)
    return client


def decide(client: Client, pair: ParaphrasePair, decision: str, **fields):
    address = reverse("review_decide", args=[pair.pk])
    seen = {"seen": fields.get("text", "")}  # what speaks against a changed wording was shown
    return client.post(address, {"decision": decision, **seen, **fields}, follow=True)


def test_a_changed_wording_is_read_before_it_counts_as_valid(as_reviewer, pairs):
    (pair,) = pairs("In 2 hours, Zoe rode some kilometres. How fast was she?")
    as_reviewer.get(reverse("review"))
    text = "In 2 hours, Zoe rode 40 kilometres. How fast was she?"
    refused = decide(as_reviewer, pair, "edit", text=text, seen="")
    page = refused.content.decode()
    assert refused.status_code == 422
    assert "In your wording: 30 kilometres became 40 kilometres." in page
    assert f'name="seen" value="{text}"' in page
    assert not ReviewDecision.objects.exists()
    other = "In 2 hours, Zoe rode 50 kilometres. How fast was she?"
    assert decide(as_reviewer, pair, "edit", text=other, seen=text).status_code == 422
    decide(as_reviewer, pair, "edit", text=text, seen=text)
    assert ReviewDecision.objects.get().text == text


def test_a_wording_that_nothing_speaks_against_or_that_is_judged_blindly_counts_at_once(as_reviewer, pairs):
    first, second = pairs("a", "b")
    for pair, text in ((first, "Zoe rode 30 km in 2 hours. How fast was she?"), (second, "Nothing of it.")):
        ParaphrasePair.objects.filter(pk=second.pk).update(hides_machine=True)
        as_reviewer.get(reverse("review"))
        assert decide(as_reviewer, pair, "edit", text=text, seen="").redirect_chain


def test_a_pair_shows_what_changed_in_words(as_reviewer, pairs):
    pairs("Zoe rode some kilometres in 2 hours. How fast was she?")
    page = as_reviewer.get(reverse("review")).content.decode()
    assert "30 became some." in page
    assert re.search(r"<mark class=\"change\">30</mark><span class=\"change-label\">number: \w+</span>", page)
    assert "No scorer is trained yet" in page


def test_the_score_and_who_gave_it_stand_beside_the_findings(as_reviewer, pairs):
    (pair,) = pairs("In 2 hours, Zoe rode 30 kilometres. How fast was she?")
    artifact = ModelArtifact.objects.create(capability="paraphrase", name="Scorer seven", state="champion")
    pair_save_score(pair=pair, score=0.8123, verdict=0.74, findings=[], artifact=artifact)
    page = as_reviewer.get(reverse("review")).content.decode()
    assert "0.81" in page
    assert "74%" in page
    assert "Scorer seven" in page


@pytest.mark.parametrize(
    ("probability", "said", "others"),
    [
        (0.93, "We found no changed number, unit, name, comparison or question", ["We could not tell"]),
        (0.55, "We could not tell whether the two texts ask the same", ["We found no", "55%"]),
        (0.07, "We found no place that changes the question", ["We could not tell"]),
    ],
)
def test_where_we_cannot_tell_no_number_is_shown(as_reviewer, pairs, probability, said, others):
    (pair,) = pairs("In 2 hours, Zoe rode 30 kilometres. How fast was she?")
    artifact = ModelArtifact.objects.create(capability="paraphrase", name="Scorer seven", state="champion")
    pair_save_score(pair=pair, score=0.8, verdict=probability, findings=[], artifact=artifact)
    page = as_reviewer.get(reverse("review")).content.decode()
    assert said in page
    assert not [other for other in others if other in page]


def test_texts_are_escaped(as_reviewer, pairs):
    pairs("<script>alert(1)</script> 31 kilometres")
    assert b"<script>alert(1)" not in as_reviewer.get(reverse("review")).content


def test_decide_with_each_button_and_undo(as_reviewer, pairs):
    first, second, third = pairs("a", "b", "c")
    as_reviewer.get(reverse("review"))
    decide(as_reviewer, first, "accept", comment="clear")
    decide(as_reviewer, second, "reject:unit")
    page = decide(as_reviewer, third, "edit", text="A better text.\r\nTwo lines.")
    assert b"Nothing to review" in page.content
    rows = ReviewDecision.objects.order_by("pk").values_list("verdict", "reason", "text", "comment")
    assert list(rows) == [
        ("accept", "", "", "clear"),
        ("reject", "unit", "", ""),
        ("edit", "", "A better text.\nTwo lines.", ""),
    ]
    page = as_reviewer.post(reverse("review_undo"), follow=True).content.decode()
    assert "is undone" in page
    assert f"Pair {third.pk}" in page
    for _ in range(3):
        page = as_reviewer.post(reverse("review_undo"), follow=True).content.decode()
    assert "no decision to undo" in page


def test_what_was_written_stands_in_the_form_again_once_its_decision_is_undone(as_reviewer, admin_person, pairs):
    (pair,) = pairs("a wording of somebody")
    as_reviewer.get(reverse("review"))
    decide(as_reviewer, pair, "edit", text="A better text.", comment="clumsy before")
    as_reviewer.post(reverse("review_undo"))
    for _ in range(2):  # a reload keeps it
        page = as_reviewer.get(reverse("review")).content.decode()
        assert re.search(r"<textarea[^>]*>\s*A better text\.</textarea>", page)
        assert re.search(r"<textarea[^>]*>\s*clumsy before</textarea>", page)
    decide(as_reviewer, pair, "unsure")
    page = other_client(admin_person).get(reverse("review_settle", args=[pair.pk])).content.decode()
    assert "A better text." not in page
    assert re.search(r"<textarea[^>]*>\s*a wording of somebody</textarea>", page)


def test_an_incomplete_decision_keeps_what_was_written(as_reviewer, pairs):
    (pair,) = pairs("a")
    as_reviewer.get(reverse("review"))
    response = decide(as_reviewer, pair, "reject:mood", comment="my thoughts")
    assertContains(response, "Nothing was decided", status_code=422)
    assert "my thoughts" in response.content.decode()
    assert not ReviewDecision.objects.exists()


def test_who_comes_too_late_is_told_and_gets_the_next_pair(as_reviewer, admin_person, pairs):
    first, second = pairs("a", "b")
    as_reviewer.get(reverse("review"))
    ReviewLease.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    colleague = other_client(admin_person)
    colleague.get(reverse("review"))
    page = decide(as_reviewer, first, "accept").content.decode()
    assert "no longer have this pair" in page
    assert f"Pair {second.pk}" in page
    decide(colleague, first, "unsure")
    assert list(ReviewDecision.objects.values_list("reviewer__username", "pair")) == [("admin", first.pk)]


def test_who_comes_too_late_keeps_what_they_wrote(as_reviewer, admin_person, pairs):
    first, second = pairs("a", "b")
    as_reviewer.get(reverse("review"))
    ReviewLease.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    other_client(admin_person).get(reverse("review"))
    # A decision that is incomplete besides: the form of the next pair is no place for these texts.
    for decision in ("edit", "reject:mood"):
        response = decide(as_reviewer, first, decision, text="My <better> wording.", comment="My thoughts.")
        page = response.content.decode()
        assert response.status_code == 409
        assert "no longer have this pair" in page
        assert f"What you wrote on pair {first.pk}" in page
        assert "My &lt;better&gt; wording.</textarea>" in page
        assert "My thoughts.</textarea>" in page
        assert f"Pair {second.pk}" in page
        form = page[page.index('id="id_text"') :]
        assert "wording" not in form
        assert "thoughts" not in form
    response = decide(as_reviewer, first, "accept", text="a")  # as it stood there
    assert response.redirect_chain
    assert "What you wrote on" not in response.content.decode()


def test_what_was_written_returns_to_the_form_if_its_pair_is_handed_out_again(as_reviewer, pairs):
    (pair,) = pairs("a")
    response = decide(as_reviewer, pair, "edit", text="Better.", comment="Thoughts.")
    page = response.content.decode()
    assert "not assigned to you" in page
    assert page.index('id="id_text"') < page.index("Better.") < page.index("Thoughts.")
    assert "data-edit open" in page
    assert "What you wrote on" not in page


def test_a_single_unsure_opinion_needs_a_second_one_from_somebody_else(
    as_reviewer, reviewer, admin_person, django_user_model, pairs
):
    (pair,) = pairs("a wording that nobody can judge")
    as_reviewer.get(reverse("review"))
    decide(as_reviewer, pair, "unsure")
    address = reverse("review_pair", args=[pair.pk])
    page = as_reviewer.get(address).content.decode()
    assert "Needs a second opinion" in page
    assert "Reviewers disagree" not in page
    assert reverse("review_settle", args=[pair.pk]) not in page
    assert "Needs a second opinion" in as_reviewer.get(reverse("review_pairs")).content.decode()
    colleague = django_user_model.objects.create_user(username="colleague")
    colleague.groups.set(reviewer.groups.all())
    for person in (admin_person, colleague):
        page = other_client(person).get(address).content.decode()
        assert reverse("review_settle", args=[pair.pk]) in page
        assert "Give a second opinion" in page


def test_who_settles_too_late_keeps_what_they_wrote(as_reviewer, pairs):
    (pair,) = pairs("a")  # nobody has disagreed on it
    fields = {"decision": "edit", "text": "Better.", "comment": "Thoughts."}
    response = as_reviewer.post(reverse("review_settle", args=[pair.pk]), fields)
    page = response.content.decode()
    assert response.status_code == 409
    assert "This pair does not need to be settled" in page
    assert "Better.</textarea>" in page
    assert "Thoughts.</textarea>" in page


def test_who_opens_a_pair_that_somebody_is_settling_sees_who_and_no_form(as_admin, reviewer, pairs):
    (pair,) = pairs("a")
    as_admin.get(reverse("review"))
    decide(as_admin, pair, "unsure")
    address = reverse("review_settle", args=[pair.pk])
    beat = reverse("review_settle_heartbeat", args=[pair.pk])
    assert f'data-heartbeat="{beat}"' in as_admin.get(address).content.decode()
    assert as_admin.post(beat).status_code == 204
    second = other_client(reviewer)
    page = second.get(address).content.decode()
    assert "admin is settling this pair now" in page
    assert "data-decision" not in page
    assert "data-heartbeat" not in page
    assert "What reviewers said" in page
    response = second.post(address, {"decision": "accept", "comment": "My thoughts."})
    page = response.content.decode()
    assert response.status_code == 409
    assert page.count("admin is settling this pair now") == 1
    assert "My thoughts.</textarea>" in page
    SettlementLease.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    page = second.get(address).content.decode()
    assert set(re.findall(r'data-notice="([\w-]+)"', page)) == {*Beat, "logged-out"} - {Beat.HELD}
    response = as_admin.post(beat)
    assert (response.status_code, response.content) == (409, b"lost")
    SettlementLease.objects.all().delete()
    response = second.post(address, {"decision": "accept", "comment": "My thoughts."})
    page = response.content.decode()
    assert response.status_code == 409
    assert "do not have this pair open to settle" in page
    assert page.index("data-decision") < page.index("My thoughts.</textarea>")
    assert second.post(address, {"decision": "accept"}).status_code == 302
    assert ReviewDecision.objects.get(is_adjudication=True).reviewer == reviewer


def test_after_a_log_in_in_between_the_queue_stands_there_again(client, reviewer, pairs):
    (pair,) = pairs("a")
    response = decide(client, pair, "accept")
    log_in, _status = response.redirect_chain[-1]
    page = client.post(log_in, {"login": "reviewer", "password": "correct horse battery"}, follow=True)
    assert page.redirect_chain[-1][0] == reverse("review")
    assert "Nothing was saved" in page.content.decode()
    assert f"Pair {pair.pk}" in page.content.decode()


def test_a_pair_that_comes_again_says_that_it_was_skipped(as_reviewer, pairs):
    (pair,) = pairs("a")
    assert "You skipped this pair" not in as_reviewer.get(reverse("review")).content.decode()
    assert "You skipped this pair before" in decide(as_reviewer, pair, "skip").content.decode()


@pytest.mark.parametrize("name", ["review_decide", "review_settle"])
def test_what_was_written_outlives_the_session(client, pairs, name):
    (pair,) = pairs("a secret wording")
    address = reverse(name, args=[pair.pk])
    fields = {"decision": "edit", "text": "My <better> wording.", "comment": "My thoughts."}
    response = client.post(address, fields, headers={"Origin": "http://testserver"})
    page = response.content.decode()
    assert response.status_code == 403
    assert "You are logged out" in page
    assert "My &lt;better&gt; wording.</textarea>" in page
    assert "My thoughts.</textarea>" in page
    assert "a secret wording" not in page
    assert not ReviewDecision.objects.exists()


def test_the_heartbeat_s_address_gives_a_page_the_token_of_a_new_session(reviewer, pairs):
    (pair,) = pairs("a")
    client = Client(enforce_csrf_checks=True)
    client.force_login(reviewer)
    client.get(reverse("review"))
    address = reverse("review_heartbeat", args=[pair.pk])
    assert client.post(address, headers={"X-CSRFToken": "of a session that ended"}).status_code == 403
    token = client.get(address).content.decode()
    assert client.post(address, headers={"X-CSRFToken": token}).status_code == 204


@pytest.mark.parametrize(
    ("name", "back"),
    [
        ("review_undo", "review"),
        ("review_upload_confirm", "review_upload"),
        ("review_score", "review_progress"),
        ("review_add_accepted", "review_progress"),
    ],
)
def test_opening_the_address_of_a_button_changes_nothing_and_leads_to_its_page(as_admin, name, back):
    response = as_admin.get(reverse(name), follow=True)
    assert response.redirect_chain == [(reverse(back), 302)]
    assert "Nothing was saved" in response.content.decode()
    assert as_admin.put(reverse(name)).status_code == 405


def test_a_second_reviewer_sees_nothing_of_the_first_opinion(as_reviewer, admin_person, pairs):
    (pair,) = pairs("a", opinions=2)
    as_reviewer.get(reverse("review"))
    decide(as_reviewer, pair, "reject:meaning", comment="utterly wrong")
    colleague = other_client(admin_person)
    for name in ("review", "review_progress"):
        page = colleague.get(reverse(name)).content.decode()
        assert "utterly wrong" not in page
    assert b"utterly wrong" not in b"".join(colleague.get(reverse("review_export", args=["csv"])))
    assert colleague.get(reverse("review_settle", args=[pair.pk])).status_code == 302
    decide(colleague, pair, "accept")
    early = colleague.get(reverse("review_settle", args=[pair.pk]), follow=True).content.decode()
    assert "only a few seconds old" in early  # and can be undone: what the other said would not be blind
    assert "utterly wrong" not in early
    assert "seconds left to undo it" in colleague.get(reverse("review")).content.decode()
    ReviewDecision.objects.update(created_at=timezone.now() - timedelta(seconds=21))
    assert "Undo" not in colleague.get(reverse("review")).content.decode().split("site-footer")[0]
    page = as_reviewer.get(reverse("review_settle", args=[pair.pk])).content.decode()
    assert "an admin or another reviewer settles it" in page
    page = colleague.get(reverse("review_settle", args=[pair.pk])).content.decode()
    assert "utterly wrong" in page
    response = colleague.post(reverse("review_settle", args=[pair.pk]), {"decision": "reject:meaning"}, follow=True)
    assert "The disagreement is settled" in response.content.decode()
    pair.refresh_from_db()
    assert pair.outcome == "reject"


def test_the_heartbeat_says_whether_the_pair_is_still_there(as_reviewer, admin_person, pairs):
    (pair,) = pairs("a")
    as_reviewer.get(reverse("review"))
    address = reverse("review_heartbeat", args=[pair.pk])
    assert as_reviewer.post(address).status_code == 204
    ReviewLease.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    review_next(reviewer=admin_person)
    response = as_reviewer.post(address)
    assert (response.status_code, response.content) == (409, b"lost")


def test_the_page_has_a_notice_for_every_beat(as_reviewer, pairs):
    pairs("a")
    page = as_reviewer.get(reverse("review")).content.decode()
    names = set(re.findall(r'data-notice="([\w-]+)"', page))
    assert names == {*Beat, "logged-out"} - {Beat.HELD}


def test_keys_can_be_changed_and_stand_on_the_buttons(as_reviewer, reviewer, pairs):
    pairs("a")
    keys = review_keys(reviewer=reviewer)
    response = as_reviewer.post(reverse("review_keys"), {**keys, "accept": "s"})
    assert response.status_code == 422
    as_reviewer.post(reverse("review_keys"), {**keys, "accept": "y", "skip": ""})
    page = as_reviewer.get(reverse("review")).content.decode()
    assert re.search(r'value="accept"\s+data-key="y"', page)
    assert re.search(r'value="skip">', page)


def test_a_file_is_checked_then_added(as_reviewer):
    lines = [{"original": QUESTION, "paraphrase": "b"}, {"original": QUESTION}]
    content = "".join(json.dumps(line) + "\n" for line in lines).encode()
    file = SimpleUploadedFile("pairs.jsonl", content)
    page = as_reviewer.post(reverse("review_upload"), {"action": "check", "file": file})
    text = page.content.decode()
    assert "line 2: paraphrase is missing or empty" in text
    assert not ParaphrasePair.objects.exists()
    token = re.search(r'name="token" value="([^"]+)"', text)[1]
    confirm = reverse("review_upload_confirm")
    page = as_reviewer.post(confirm, {"token": token}, follow=True).content.decode()
    assert "nothing was added" in page
    as_reviewer.post(confirm, {"token": token, "skip_refused": "1"})
    assert ParaphrasePair.objects.get().paraphrase == "b"
    page = as_reviewer.post(confirm, {"token": token, "skip_refused": "1"}, follow=True).content.decode()
    assert "were added already" in page


def test_whoever_adds_pairs_says_how_many_decide_on_each(as_reviewer, settings):
    settings.REVIEW_OPINIONS = 2
    page = as_reviewer.get(reverse("review_upload")).content.decode()
    assert len(re.findall(r'name="opinions" value="2" min="1" max="9"', page)) == 2
    assert len(re.findall(r'id="id_(?:file_)?opinions"', page)) == 2
    typed = {"original": QUESTION, "paraphrase": "a", "language": "en"}
    assert as_reviewer.post(reverse("review_upload"), typed | {"opinions": "10"}).status_code == 422
    as_reviewer.post(reverse("review_upload"), typed | {"opinions": "3"})
    as_reviewer.post(reverse("review_upload"), typed | {"paraphrase": "b", "opinions": ""})
    line = json.dumps({"original": QUESTION, "paraphrase": "c"}).encode()
    for opinions, status in (("0", 422), ("4", 200)):
        file = SimpleUploadedFile("pairs.jsonl", line)
        answer = as_reviewer.post(reverse("review_upload"), {"action": "check", "file": file, "opinions": opinions})
        assert answer.status_code == status
    token = re.search(r'name="token" value="([^"]+)"', answer.content.decode())[1]
    as_reviewer.post(reverse("review_upload_confirm"), {"token": token})
    asked = ParaphrasePair.objects.order_by("paraphrase").values_list("paraphrase", "opinions_wanted")
    assert list(asked) == [("a", 3), ("b", 2), ("c", 4)]


def test_a_pair_typed_of_a_question_is_of_its_text_and_of_one_that_may_be_reworded(as_reviewer, bank):
    question = Question.objects.exclude(status="retired").first()
    address = reverse("review_upload")

    def errors(**fields) -> list[str]:
        page = as_reviewer.post(address, {"paraphrase": "In other words.", "language": "en", **fields})
        return re.findall(r'<ul class="errorlist"[^>]*><li>([^<]+)</li></ul>', page.content.decode())

    assert errors(question=question.pk, original="Another text.") == [
        f"This is not the text of question {question.pk}."
    ]
    assert errors(question="none") == ["Enter a whole number."]
    draft = QuestionFactory(text="A colleague's draft", status="draft")
    assert errors(question=draft.pk) == ["There is no question with this number."]
    for text in ("In other words.", "In other  words."):
        answer = errors(question=question.pk, paraphrase=text, opinions=2)
    assert answer == ["The question has this paraphrase already."]
    known = ParaphrasePair.objects.get()
    assert (known.question, known.opinions_wanted) == (question, 2)
    known.delete()
    Question.objects.filter(pk=question.pk).update(status="retired")
    assert errors(question=question.pk) == ["This question is retired."]
    line = {"question": question.pk, "paraphrase": "In other words."}
    file = SimpleUploadedFile("pairs.jsonl", json.dumps(line).encode())
    page = as_reviewer.post(address, {"action": "check", "file": file}).content.decode()
    assert "line 1: This question is retired." in page
    assert not ParaphrasePair.objects.exists()


def test_a_file_of_several_megabytes_is_checked(as_reviewer):
    lines = [{"original": f"{number} {'x' * 3000}", "paraphrase": "b"} for number in range(1700)]
    file = SimpleUploadedFile("pairs.jsonl", "\n".join(map(json.dumps, lines)).encode())
    assert file.size > 5_000_000
    assertContains(as_reviewer.post(reverse("review_upload"), {"action": "check", "file": file}), "1,700")


CONTENTS_NOT_OURS = {
    "empty": b"",
    "archive": b"PK\x03\x04",
    "prose": b"once upon a time\n",
    "one long line": b"once upon a time " * 12_000,
    "carriage returns": b"once\rupon\ra\rtime\r",
    "cut gzip": gzip.compress(b"original,paraphrase\n" * 500)[:40],
}


@pytest.mark.parametrize("content", CONTENTS_NOT_OURS.values(), ids=CONTENTS_NOT_OURS)
def test_a_file_that_is_none_of_ours_is_refused_with_a_sentence(as_reviewer, content):
    file = SimpleUploadedFile("pairs.csv", content)
    response = as_reviewer.post(reverse("review_upload"), {"action": "check", "file": file})
    assert response.status_code == 422
    assert b"errorlist" in response.content


def test_a_pair_is_typed_with_a_question_of_the_bank(as_reviewer, bank):
    question = bank.questions[0]
    data = {"action": "add", "question": question.pk, "paraphrase": "Said otherwise.", "language": "en"}
    assert as_reviewer.post(reverse("review_upload"), data).status_code == 302
    pair = ParaphrasePair.objects.get()
    assert (pair.question, pair.original, pair.source) == (question, question.text.strip(), "typed")
    for wrong in ({"question": 10**9}, {"question": ""}, {"paraphrase": ""}, {"question": 10**30}):
        assert as_reviewer.post(reverse("review_upload"), {**data, **wrong}).status_code == 422
    assert ParaphrasePair.objects.count() == 1


def test_a_pair_is_typed_once(as_reviewer):
    data = {"action": "add", "original": "One.\r\nTwo.", "paraphrase": "Two.\r\nOne.", "language": "en"}
    assert as_reviewer.post(reverse("review_upload"), data).status_code == 302
    assert ParaphrasePair.objects.get().original == "One.\nTwo."  # as a file would have it
    response = as_reviewer.post(reverse("review_upload"), data)
    assert response.status_code == 422
    assert b"This pair was added already." in response.content
    assert ParaphrasePair.objects.count() == 1


def test_progress_shows_agreement_and_each_reviewer(as_reviewer, reviewer, admin_person, pairs):
    made = pairs("a", "b", "c", opinions=2)
    for pair, (first, second) in zip(made, ["aa", "rr", "ar"], strict=True):
        for person, answer in ((reviewer, first), (admin_person, second)):
            ReviewDecision.objects.create(
                pair=pair,
                reviewer=person,
                verdict="accept" if answer == "a" else "reject",
                reason="" if answer == "a" else "unit",
                guideline=guideline_current(),
            )
    page = as_reviewer.get(reverse("review_progress")).content.decode()
    # Of 6 answers 3 are one and 3 the other: alpha = 1 - (2 / 6) / (2 * 3 * 3 / (6 * 5)) = 0.44
    assert "<strong>0.44</strong>" in page
    assert "Of 3 pairs with several opinions, reviewers agreed on 2." in page


def test_progress_shows_what_others_said_where_one_gave_a_reason(as_reviewer, reviewer, admin_person, pairs):
    made = pairs("a", "b", "c", opinions=2)
    for pair, (first, second) in zip(made, [("unit", "unit"), ("unit", "number"), ("unit", "")], strict=True):
        for person, reason in ((reviewer, first), (admin_person, second)):
            ReviewDecision.objects.create(
                pair=pair,
                reviewer=person,
                verdict="reject" if reason else "accept",
                reason=reason,
                guideline=guideline_current(),
            )
    rows = {row.reason: row for row in reason_agreement()}
    unit = rows["A unit is wrong or missing"]
    assert (unit.given, unit.same, unit.other_reason, unit.accepted) == (4, 2, 1, 1)
    assert unit.share == 0.5
    page = as_reviewer.get(reverse("review_progress")).content.decode()
    assert "Agreement for each reason" in page
    assert "50%" in page


def test_new_guidelines_are_announced_until_the_reviewer_has_read_them(as_reviewer, admin_person, pairs):
    pairs("a")
    page = as_reviewer.get(reverse("review")).content.decode()
    assert "Read the guidelines before you begin" in page
    as_reviewer.post(reverse("review_guidelines_read"), {"version": 1})
    assert "the guidelines before" not in as_reviewer.get(reverse("review")).content.decode()
    guideline_publish(text="Be strict.", user=admin_person)
    page = as_reviewer.get(reverse("review")).content.decode()
    assert "The guidelines have changed: version 2 now applies" in page
    as_reviewer.post(reverse("review_guidelines_read"), {"version": "9" * 30})
    assert "version 2 now applies" in as_reviewer.get(reverse("review")).content.decode()
    as_reviewer.post(reverse("review_guidelines_read"), {"version": 2})
    assert "version 2 now applies" not in as_reviewer.get(reverse("review")).content.decode()
    assert "The same calculation: a dozen is 12." in as_reviewer.get(reverse("review_guidelines")).content.decode()


def test_the_machines_opinion_of_a_hidden_batch_stands_nowhere(as_reviewer, reviewer):
    (pair,) = pairs_create(
        pairs=[PairInput(QUESTION, "Zoe rode some kilometres in 2 hours. How fast was she?")],
        source="upload", user=reviewer, batch="blind.jsonl", hides_machine=True, request_scores=False,
    )  # fmt: skip
    artifact = ModelArtifact.objects.create(capability="paraphrase", name="Scorer seven", state="champion")
    pair_save_score(pair=pair, score=0.8123, verdict=0.74, findings=[], artifact=artifact)
    for address in (reverse("review"), reverse("review_pair", args=[pair.pk]), reverse("review_pairs")):
        page = as_reviewer.get(address).content.decode()
        assert "74%" not in page
        assert "0.81" not in page
        assert "became some" not in page
        assert "hidden" in page
    decide(as_reviewer, pair, "accept")
    assert (
        "Probability that it is valid: <strong>74%</strong>"
        in as_reviewer.get(reverse("review_pair", args=[pair.pk])).content.decode()
    )


def test_the_list_of_pairs_takes_any_filter_and_deletes_a_batch(as_reviewer, reviewer, pairs):
    pairs("typed")
    pairs_create(
        pairs=[PairInput(QUESTION, "uploaded")], source="upload", user=reviewer, batch="50% & more.jsonl",
        request_scores=False,
    )  # fmt: skip
    address = reverse("review_pairs")
    assert "2 pairs" in as_reviewer.get(address).content.decode()
    page = as_reviewer.get(address, {"batch": "50% & more.jsonl", "state": "open"}).content.decode()
    assert "uploaded" in page
    assert ">typed<" not in page
    delete = re.search(r'href="([^"]*batch/delete/[^"]*)"', page)[1]
    assert "Delete 1 pair" in as_reviewer.get(delete.replace("&amp;", "&")).content.decode()
    odd = {"state": "x", "batch": "\0", "least": "-5", "most": "9" * 400, "reviewer": "1e9", "reason": "?", "page": "x"}
    assert as_reviewer.get(address, odd).status_code == 200
    done = as_reviewer.post(reverse("review_batch_delete"), {"batch": "50% & more.jsonl"}, follow=True)
    assert "1 pair is deleted." in done.content.decode()
    assert f"{reviewer}: 1 deleted, 0 kept" in done.content.decode()
    assert ParaphrasePair.objects.get().paraphrase == "typed"


def test_progress_says_what_nobody_comes_to(as_reviewer, reviewer, pairs):
    pairs("a", opinions=2)  # of one reviewer
    (skipped,) = pairs("b")
    ReviewDecision.objects.create(pair=skipped, reviewer=reviewer, verdict="skip", guideline=guideline_current())
    page = as_reviewer.get(reverse("review_progress")).content.decode()
    assert "1 waiting pair needs more opinions than there are reviewers left" in page
    assert "1 waiting pair was skipped by every reviewer" in page


def test_the_export_is_streamed_in_both_formats(as_reviewer, pairs):
    (pair,) = pairs("a")
    as_reviewer.get(reverse("review"))
    decide(as_reviewer, pair, "accept")
    response = as_reviewer.get(reverse("review_export", args=["jsonl"]))
    assert response.streaming
    assert "attachment" in response["Content-Disposition"]
    assert json.loads(b"".join(response))["verdict"] == "accept"
    assert as_reviewer.get(reverse("review_export", args=["xlsx"])).status_code == 404


def test_decisions_that_were_taken_back_are_exported_on_request(as_reviewer, pairs):
    (pair,) = pairs("a")
    as_reviewer.get(reverse("review"))
    decide(as_reviewer, pair, "unsure")
    as_reviewer.post(reverse("review_undo"), follow=True)
    decide(as_reviewer, pair, "accept")
    page = as_reviewer.get(reverse("review_progress")).content.decode()
    address = reverse("review_export", args=["csv"])
    assert f'formaction="{address}"' in page
    assert 'name="undone"' in page
    header, *rows = b"".join(as_reviewer.get(address)).decode().splitlines()
    assert "undone_at" not in header
    assert len(rows) == 1
    header, undone, stands = b"".join(as_reviewer.get(address, {"undone": "1"})).decode().splitlines()
    assert header.endswith(",undone_at")
    assert not undone.endswith(",")
    assert stands.endswith(",")


def test_an_admin_writes_guidelines_and_a_reviewer_reads_them(as_admin, reviewer):
    address = reverse("review_guidelines")
    assert as_admin.post(address, {"text": "Look twice."}).status_code == 302
    assert as_admin.post(address, {"text": "Look twice."}).status_code == 422
    reader = other_client(reviewer)
    as_admin.post(address, {"text": "Look three times."})
    page = reader.get(address).content.decode()
    assert "Version 3" in page
    assert [guideline.version for guideline in guideline_history()] == [3, 2, 1]
    assert "Save as a new version" not in page
    assert reader.post(address, {"text": "Mine."}).status_code == 403


def test_marks_cover_no_place_twice_and_lose_no_text():
    text = "Zoe rode 30 kilometres."
    findings = [
        {"kind": "unit", "change": "lost", "original": [9, 22], "is_serious": False},
        {"kind": "number", "change": "changed", "original": [9, 11], "is_serious": True},
        {"kind": "entity", "change": "lost", "original": [0, 3], "is_serious": True},
        {"kind": "number", "change": "added", "original": None, "paraphrase": [0, 2]},
        {"kind": "number", "change": "added", "original": [20, 99]},
    ]
    pieces = marked_pieces(text, findings, "original")
    assert "".join(piece.text for piece in pieces) == text
    assert [piece for piece in pieces if piece.kind] == [
        Piece("Zoe", "entity", "lost", True),
        Piece("30", "number", "changed", True),
    ]


def test_every_kind_of_finding_has_a_name():
    from typing import get_args

    from analytics.paraphrase.findings.pair import Kind
    from questionbank.review.evidence_services import KIND_NAMES

    assert set(KIND_NAMES) == set(get_args(Kind))
