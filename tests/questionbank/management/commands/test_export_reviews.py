"""The command that writes decisions to a file."""

from __future__ import annotations

import json

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from questionbank.models import ReviewDecision
from questionbank.review.pair_services import PairInput, pairs_create
from questionbank.review.services import review_decide, review_next
from tests.questionbank.review.test_selectors import make_pairs, opinion

pytestmark = pytest.mark.django_db


def test_decisions_are_written_with_undone_ones_on_request(reviewer, tmp_path, capsys):
    pairs_create(pairs=[PairInput("a", "b"), PairInput("c", "d")], source="typed", user=None, request_scores=False)
    for verdict in ("accept", "unsure"):
        lease = review_next(reviewer=reviewer)
        review_decide(reviewer=reviewer, pair_id=lease.pair_id, verdict=verdict)
    ReviewDecision.objects.filter(verdict="accept").update(undone_at=timezone.now())
    path = tmp_path / "reviews.jsonl"
    call_command("export_reviews", str(path))
    (row,) = map(json.loads, path.read_text().splitlines())
    assert (row["verdict"], row["guideline_version"], row["reviewer"]) == ("unsure", 1, "reviewer")
    assert "1" in capsys.readouterr().out
    call_command("export_reviews", str(path), "--include-undone")
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    assert [bool(row["undone_at"]) for row in rows] == [True, False]
    call_command("export_reviews", str(tmp_path / "reviews.csv"), "--format", "csv")
    assert (tmp_path / "reviews.csv").read_text(encoding="utf-8-sig").startswith("pair,source_id,batch,")


def test_it_says_how_far_reviewers_agree(reviewer, django_user_model, tmp_path, capsys):
    call_command("export_reviews", str(tmp_path / "reviews.jsonl"))
    assert "alpha" not in capsys.readouterr().out
    second_reviewer = django_user_model.objects.create_user(username="other")
    answers = (("accept", "accept"), ("reject", "reject"), ("edit", "reject"), ("accept", "reject"))
    for pair, verdicts in zip(make_pairs(4), answers, strict=True):
        for person, verdict in zip((reviewer, second_reviewer), verdicts, strict=True):
            opinion(pair, person, verdict)
    call_command("export_reviews", str(tmp_path / "reviews.jsonl"))
    said = capsys.readouterr().out
    assert "Krippendorff's alpha 0.533 (95 % interval" in said
    assert "on 4 pairs with several opinions, 3 of them agreed on" in said
    assert "Cohen's kappa 0.500 between reviewer and other on 4 pairs" in said


def test_a_file_that_cannot_be_written_is_a_sentence(tmp_path):
    with pytest.raises(CommandError, match="cannot be written"):
        call_command("export_reviews", str(tmp_path / "nowhere" / "reviews.jsonl"))
