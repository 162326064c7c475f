"""Pairs arrive, by hand and by file, and get their scores."""

from __future__ import annotations

import gzip
import json
from types import SimpleNamespace
from unittest.mock import Mock

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import storages
from django.utils import timezone

from analytics.paraphrase.findings.rules import find_changes
from questionbank.core.errors import Conflict, ImportRefused, NotAllowed, ValidationFailed
from questionbank.core.storage import UPLOADS_KEPT
from questionbank.models import ModelArtifact, ParaphrasePair, Question, Run
from questionbank.review import pair_import_services as pair_imports
from questionbank.review.pair_import_services import pairs_check, pairs_import
from questionbank.review.pair_services import (
    PairInput,
    findings_to_json,
    pair_findings,
    pair_priority,
    pair_save_score,
    pairs_create,
    paraphrase_score_waiting,
)
from tests.at_once import at_once

pytestmark = pytest.mark.django_db
PAIR = PairInput("Zoe rode 30 kilometres.", "Zoe rode some kilometres.")


def add(*pairs: PairInput, user=None) -> list[ParaphrasePair]:
    return pairs_create(pairs=pairs, source="typed", user=user)


def test_new_pairs_ask_for_their_scores_in_one_job(reviewer):
    made = add(PAIR, PairInput("a", "b"), user=reviewer)
    run = Run.objects.get()
    assert (run.kind, run.capability, run.requested_by) == ("score", "paraphrase", reviewer)
    assert run.parameters == {"pairs": [pair.pk for pair in made]}


@pytest.mark.parametrize(
    ("pair", "field"),
    [
        (PairInput("", "a"), "original"),
        (PairInput("a", "  "), "paraphrase"),
        (PairInput("a", " a "), "paraphrase"),
        (PairInput("a", "b" * 50_001), "paraphrase"),
        (PairInput("a", "b", language=""), "language"),
        (PairInput("a", "b", language="klingon !"), "language"),
    ],
)
def test_a_pair_that_is_none_is_refused_and_no_other_added(pair, field):
    with pytest.raises(ValidationFailed) as refused:
        add(PAIR, pair)
    assert list(refused.value.fields) == [field]
    assert not ParaphrasePair.objects.exists()


def test_a_teacher_adds_none(teacher):
    with pytest.raises(NotAllowed):
        add(PAIR, user=teacher)


def test_findings_survive_the_database_and_stand_before_the_job_came():
    (pair,) = add(PAIR)
    expected = findings_to_json(find_changes(pair.original, pair.paraphrase))
    assert pair_findings(pair) == expected
    assert expected[0]["sentence"] == "30 became some."
    pair_save_score(
        pair=pair, score=0.4, verdict=None, findings=find_changes(PAIR.original, PAIR.paraphrase), artifact=None
    )
    pair.refresh_from_db()
    assert pair.findings == expected


def test_a_score_changes_the_place_in_the_queue():
    (pair,) = add(PAIR)
    artifact = ModelArtifact.objects.create(capability="paraphrase", name="scorer")
    pair_save_score(pair=pair, score=0.9, verdict=0.55, findings=[], artifact=artifact)
    pair.refresh_from_db()
    assert pair.priority == pytest.approx(0.05)
    assert (pair.scored_by, pair.findings) == (artifact, [])
    assert pair.scored_at is not None
    assert pair_priority(score=0.2, verdict=None, findings=[]) == pytest.approx(0.3)
    unscored = [pair_priority(score=None, verdict=None, findings=findings) for findings in ([{}], [], None)]
    assert max(pair_priority(score=-1.0, verdict=None, findings=[]), 1.5) < unscored[0] < unscored[1]
    assert unscored[1] == unscored[2]


@pytest.mark.parametrize(("score", "verdict"), [(1.5, None), (float("nan"), None), (0.5, 1.5), (0.5, float("nan"))])
def test_a_score_that_is_none_is_not_kept(score, verdict):
    (pair,) = add(PAIR)
    with pytest.raises(ValueError, match="is a "):
        pair_save_score(pair=pair, score=score, verdict=verdict, findings=[], artifact=None)


def test_after_a_promotion_the_undecided_pairs_are_scored_anew(reviewer, teacher):
    scored, old, unscored, decided, disputed = add(*(PairInput("a", text) for text in "bcdef"))
    Run.objects.all().delete()
    with pytest.raises(Conflict, match="No scorer"):
        paraphrase_score_waiting(user=reviewer)
    former = ModelArtifact.objects.create(capability="paraphrase", name="former", state="archived")
    champion = ModelArtifact.objects.create(capability="paraphrase", name="now", state="champion")
    for pair, artifact in ((scored, champion), (old, former)):
        pair_save_score(pair=pair, score=0.5, verdict=0.5, findings=[], artifact=artifact)
    ParaphrasePair.objects.filter(pk=decided.pk).update(state="decided", outcome="accept")
    ParaphrasePair.objects.filter(pk=disputed.pk).update(state="adjudication")
    with pytest.raises(NotAllowed):
        paraphrase_score_waiting(user=teacher)
    run = paraphrase_score_waiting(user=reviewer)
    assert run.parameters == {"pairs": [old.pk, unscored.pk, disputed.pk]}
    with pytest.raises(Conflict, match="already"):
        paraphrase_score_waiting(user=reviewer)
    Run.objects.update(state=Run.State.SUCCEEDED)
    ParaphrasePair.objects.update(scored_by=champion)
    with pytest.raises(Conflict, match="has seen every waiting pair"):
        paraphrase_score_waiting(user=reviewer)


def upload(*rows: object) -> ContentFile:
    return ContentFile("".join(json.dumps(row) + "\n" for row in rows).encode(), name="pairs.jsonl")


@pytest.fixture
def question(db):
    return Question.objects.create(text="What is 2 + 3?", content_hash=b"0" * 32)


def test_a_check_adds_nothing_and_the_import_adds_what_was_checked(reviewer, question):
    file = upload(
        {"question": question.pk, "paraphrase": "Add 2 and 3.", "id": "x"}, {"original": "a", "paraphrase": "b"}
    )
    report = pairs_check(upload=file, name="C:\\mine\\pairs.jsonl", user=reviewer)
    assert (report.name, report.usable, report.refused) == ("pairs.jsonl", 2, 0)
    assert not ParaphrasePair.objects.exists()
    pairs_import(token=report.token, user=reviewer)
    first, _ = ParaphrasePair.objects.order_by("pk")
    assert (first.question, first.original, first.source_id) == (question, "What is 2 + 3?", "x")
    assert (first.batch, first.source, first.created_by) == ("pairs.jsonl", "upload", reviewer)
    with pytest.raises(Conflict, match="added already"):
        pairs_import(token=report.token, user=reviewer)
    assert ParaphrasePair.objects.count() == 2


def test_refused_lines_keep_the_file_out_unless_they_are_skipped(reviewer):
    add(PairInput("known", "pair"))
    file = upload(
        {"original": "a", "paraphrase": "b"},
        {"original": "a", "paraphrase": "b"},
        {"question": 123456, "paraphrase": "b"},
        {"original": "known", "paraphrase": "pair"},
        {"original": "c"},
    )
    report = pairs_check(upload=file, name="pairs.jsonl", user=reviewer)
    assert [problem.line for problem in report.problems] == [2, 3, 4, 5]
    assert "line 1" in report.problems[0].reason
    with pytest.raises(ImportRefused):
        pairs_import(token=report.token, user=reviewer)
    assert len(pairs_import(token=report.token, user=reviewer, skip_refused=True)) == 1


def test_a_kept_file_is_its_owner_s_and_one_that_cannot_be_read_is_not_kept(reviewer, admin_person, teacher):
    report = pairs_check(upload=upload({"original": "a", "paraphrase": "b"}), name="..", user=reviewer)
    assert report.name == "upload"
    for token in (report.token, "forged"):
        with pytest.raises(Conflict):
            pairs_import(token=token, user=admin_person)
    before = set(storages["uploads"].listdir("")[1])
    with pytest.raises(ImportRefused):
        pairs_check(upload=ContentFile(b"nothing of ours"), name="a.txt", user=reviewer)
    assert set(storages["uploads"].listdir("")[1]) == before
    with pytest.raises(NotAllowed):
        pairs_check(upload=upload({"original": "a", "paraphrase": "b"}), name="a", user=teacher)


def test_a_bomb_of_pairs_is_refused_at_the_bound_and_not_kept(reviewer):
    pairs_check(upload=upload({"original": "a", "paraphrase": "b"}), name="kept", user=reviewer)
    before = set(storages["uploads"].listdir("")[1])
    bomb = ContentFile(gzip.compress(b'{"original": "a", "paraphrase": "b"}\n' + b"\0" * 60_000_000))
    with pytest.raises(ImportRefused, match="unpacks to more than 50 MB"):
        pairs_check(upload=bomb, name="pairs.jsonl.gz", user=reviewer)
    assert set(storages["uploads"].listdir("")[1]) == before


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("files", [1, 2])
def test_two_who_add_the_same_pairs_at_once_add_them_once(reviewer, kept, files):
    """Of one file, the button is pressed twice; the second of two files finds the pairs of the first."""
    content = [{"original": str(number), "paraphrase": "b"} for number in range(40)]
    tokens = [pairs_check(upload=upload(*content), name="pairs.jsonl", user=reviewer).token for _ in range(files)]
    outcomes = at_once(lambda token: pairs_import(token=token, user=reviewer), (tokens[0], tokens[-1]))
    made, refused = sorted(outcomes, key=lambda outcome: isinstance(outcome, Exception))
    assert (len(made), type(refused)) == (40, (Conflict, ImportRefused)[files - 1])
    assert ParaphrasePair.objects.count() == 40


@pytest.mark.parametrize("state", ["open", "adjudication", "decided"])
def test_a_pair_that_was_added_is_not_typed_again(reviewer, state):
    pairs_create(pairs=[PAIR], source="upload", user=reviewer)
    ParaphrasePair.objects.update(state=state, outcome="accept" if state == "decided" else "")
    with pytest.raises(ValidationFailed, match="added already") as refused:
        add(PairInput(f" {PAIR.original}", f"{PAIR.paraphrase}\n"))
    assert list(refused.value.fields) == ["paraphrase"]
    add(PairInput(PAIR.original, "Another."), PairInput("Another.", PAIR.paraphrase))
    assert ParaphrasePair.objects.count() == 3


@pytest.fixture
def kept(own_uploads):
    """The names of the files that are kept, of this test alone."""
    return lambda: set(storages["uploads"].listdir("")[1])


def test_a_file_is_not_kept_whatever_stops_its_check(reviewer, kept, monkeypatch):
    monkeypatch.setattr(pair_imports, "read_pair_file", Mock(side_effect=RuntimeError))
    with pytest.raises(RuntimeError):
        pairs_check(upload=upload({"original": "a", "paraphrase": "b"}), name="a.jsonl", user=reviewer)
    assert not kept()


def test_checked_files_that_nobody_added_are_forgotten(reviewer, kept, monkeypatch):
    def check() -> set[str]:
        pairs_check(upload=upload({"original": "a", "paraphrase": "b"}), name="a.jsonl", user=reviewer)
        return kept()

    (old,) = check()
    later = timezone.now() + UPLOADS_KEPT * 2
    monkeypatch.setattr("questionbank.core.storage.timezone", SimpleNamespace(now=lambda: later))
    (new,) = check()
    assert new != old
