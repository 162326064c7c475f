"""A test set of one's own bank: made, uploaded, decided, and its operators measured."""

from __future__ import annotations

import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command

from analytics.paraphrase.operators.catalog import OPERATORS
from analytics.paraphrase.pair_files import read_pairs
from analytics.splits import is_held_out
from questionbank.models import ParaphrasePair
from questionbank.review.pair_import_services import pairs_check, pairs_import
from tests.worker.scorer_bank import add_word_problems
from worker.paraphrase.evaluation import operator_figures

pytestmark = pytest.mark.django_db

MEANT = {operator.name: int(operator.is_positive) for operator in OPERATORS if not operator.is_training}


def test_pairs_of_held_out_questions_carry_their_operator(tmp_path, capsys):
    bank = add_word_problems(200)
    path = tmp_path / "pairs.jsonl"
    call_command("make_test_pairs", str(path))
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    held_out = {question.text for question in bank if is_held_out(question.text)}
    assert {row["original"] for row in rows} == held_out
    assert all(row["label"] == MEANT[row["operator"]] for row in rows)
    assert len({row["id"] for row in rows}) == len(rows)
    assert f"{len(held_out)} held-out questions" in capsys.readouterr().out
    call_command("make_test_pairs", str(tmp_path / "again.jsonl"))
    assert (tmp_path / "again.jsonl").read_bytes() == path.read_bytes()
    call_command("make_test_pairs", str(tmp_path / "few.jsonl"), "--questions", "3")
    assert len({json.loads(line)["original"] for line in (tmp_path / "few.jsonl").read_text().splitlines()}) == 3


def test_labels_of_reviewers_measure_the_operators(reviewer, tmp_path):
    add_word_problems(200)
    path = tmp_path / "pairs.jsonl"
    call_command("make_test_pairs", str(path))
    upload = SimpleUploadedFile(path.name, path.read_bytes())
    report = pairs_check(upload=upload, name=path.name, user=reviewer)
    pairs_import(token=report.token, user=reviewer)
    pairs = list(ParaphrasePair.objects.order_by("pk"))
    wrong = [pair for pair in pairs if MEANT[pair.source_id.rpartition("-")[2]]][:2]
    for pair in pairs:
        accepted = bool(MEANT[pair.source_id.rpartition("-")[2]]) and pair not in wrong
        ParaphrasePair.objects.filter(pk=pair.pk).update(state="decided", outcome="accept" if accepted else "reject")
    labelled = tmp_path / "labelled.jsonl"
    call_command("export_reviews", str(labelled), "--labelled")
    figures = operator_figures(read_pairs(labelled))
    meant = sum(MEANT[pair.source_id.rpartition("-")[2]] for pair in pairs)
    assert figures["pairs"] == len(pairs)
    assert figures["precision"] == pytest.approx((meant - 2) / meant)
    assert (figures["recall"], figures["labels_are_what_was_meant"]) == (1, False)


def test_what_cannot_be_made_is_a_sentence(tmp_path):
    path = str(tmp_path / "pairs.jsonl")
    with pytest.raises(CommandError, match="held out"):
        call_command("make_test_pairs", path)
    with pytest.raises(CommandError, match="at least 1"):
        call_command("make_test_pairs", path, "--questions", "0")
    with pytest.raises(CommandError, match="--passive"):
        call_command("make_test_pairs", path, "--grammar", "some/model")
    with pytest.raises(CommandError, match="leave the others out"):
        call_command("export_reviews", path, "--labelled", "--format", "csv")
