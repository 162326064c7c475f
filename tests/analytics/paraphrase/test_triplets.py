"""Triplets: seeded, never of kept-out questions, and closeness of wording gives no label away."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from analytics.errors import DataError
from analytics.paraphrase.findings.rules import find_changes
from analytics.paraphrase.operators.catalog import OPERATORS, ParaphraseOperator, select_operators
from analytics.paraphrase.preparing import report_triplets
from analytics.paraphrase.triplets import Triplet, load_kept_out, make_test_pairs, make_triplets
from analytics.records import ParaphrasePair
from analytics.splits import KeptOut

QUESTIONS = [
    "Mia had 25 cards, gave 7 to Leo and bought 2 packs of 10 cards for $3 each. How many cards does Mia have now?",
    "A car drives 120 km in 2 hours. Then it drives 90 km in 3 hours. What is the average speed in km per hour?",
    "If Leo is 4 years older than Mia and Mia is 9 years old, how old is Leo?",
    "There are 8 apples in each box. Omar sells 6 boxes and eats 2 apples. How many apples are left?",
    "A tailor buys 15 m of cloth for $60. Each shirt needs 3 m. How many shirts can the tailor make?",
]
PLAIN = select_operators(extra=False)


def test_every_triplet_has_a_valid_and_an_invalid_side() -> None:
    triplets = make_triplets(QUESTIONS, select_operators())
    assert len(triplets) >= 25
    for triplet in triplets:
        assert triplet.anchor in QUESTIONS
        assert triplet.negative not in {triplet.anchor, triplet.positive}
        assert not any(finding.is_serious for finding in find_changes(triplet.anchor, triplet.positive))
    kinds = {name for triplet in triplets for name in triplet.positive_operator.split("+")}
    assert kinds <= {operator.name for operator in OPERATORS if operator.is_positive and operator.is_training}
    kinds = {triplet.negative_operator.removesuffix(" of a rewording") for triplet in triplets}
    assert kinds <= {operator.name for operator in OPERATORS if not operator.is_positive and operator.is_training}
    assert len(kinds) >= 6


def test_a_questions_triplets_depend_on_it_and_the_seed_alone() -> None:
    first = make_triplets(QUESTIONS, PLAIN, seed=1)
    again = make_triplets([*QUESTIONS[::-1], QUESTIONS[0]], PLAIN, seed=1)
    assert sorted(map(repr, first)) == sorted(map(repr, again))
    assert make_triplets(QUESTIONS, PLAIN, seed=2) != first


def test_the_farther_side_is_drawn_as_often_as_asked() -> None:
    """Deletion is always far and a changed digit always near, so both wishes can be met."""

    def far(question: str, rng: object) -> str:
        return question[: len(question) // 3]

    def near(question: str, rng: object) -> str:
        return question.replace("1", "5").replace("2", "6").replace("4", "7")

    def middle(question: str, rng: object) -> str:
        return question + " Please answer in full."

    operators = (
        ParaphraseOperator("middle", "", middle, True),
        ParaphraseOperator("far", "", far, False),
        ParaphraseOperator("near", "", near, False),
    )
    for share, expected in ((0.0, "far"), (1.0, "near")):
        triplets = make_triplets(QUESTIONS, operators, count=1, far_share=share, check_positives=False)
        assert {triplet.negative_operator.split()[0] for triplet in triplets} == {expected}
        assert report_triplets(triplets).positive_farther == share


def test_closeness_alone_hardly_tells_positives_from_negatives() -> None:
    report = report_triplets(make_triplets(QUESTIONS, select_operators(), count=12))
    assert report.questions == 5
    assert 0.3 < report.positive_farther < 0.7
    assert 0.35 < report.distance_auc < 0.7
    assert sum(report.positives.values()) == sum(report.negatives.values()) == report.triplets


def test_a_report_counts_what_is_nearer() -> None:
    """Distances 1/4 and 2/4, then 2/4 and 1/4: of four comparisons one is won, one lost, two are ties."""
    report = report_triplets([Triplet("abcd", "abcx", "abxx", "p", "n"), Triplet("abcd", "abxx", "abcx", "p", "m")])
    assert report.positive_farther == 0.5
    assert report.distance_auc == 0.5
    assert report.negatives == {"n": 1, "m": 1}
    with pytest.raises(DataError):
        report_triplets([])


def test_kept_out_questions_are_known_again_with_other_numbers_case_and_marks() -> None:
    kept_out = KeptOut.of(["A car drives 120 km, in 2 hours."])
    assert kept_out.holds("a car drives 90 km in 3 hours .")
    assert not kept_out.holds("A car drives 120 km in 2 days.")
    assert kept_out.split(["a car drives 1 km in 9 hours", "x"]) == (["x"], 1)


def test_labelled_pairs_are_candidates_of_their_question() -> None:
    valid = "Leo's age exceeds Mia's, who is 9 years old, by 4 years. What is his age?"
    invalid = "Leo and Mia are 9 years old. How old is Leo?"
    given = [
        ParaphrasePair("1", QUESTIONS[2], valid, 1),
        ParaphrasePair("2", QUESTIONS[2], invalid, 0),
        ParaphrasePair("3", QUESTIONS[2], "nobody has said", None),
    ]
    triplets = make_triplets([], PLAIN, given=given, count=40)
    assert {triplet.anchor for triplet in triplets} == {QUESTIONS[2]}
    assert valid in {triplet.positive for triplet in triplets}
    assert invalid in {triplet.negative for triplet in triplets}
    assert "nobody has said" not in {triplet.positive for triplet in triplets} | {
        triplet.negative for triplet in triplets
    }


def test_all_that_somebody_rejected_comes_first() -> None:
    rejected = [f"Leo and Mia are {years} years old. How old is Leo?" for years in (9, 10, 11)]
    given = [ParaphrasePair(str(row), QUESTIONS[2], text, 0) for row, text in enumerate(rejected)]
    triplets = make_triplets([], PLAIN, given=given, count=4, seed=0)
    assert {triplet.negative for triplet in triplets[:3]} == set(rejected)
    assert triplets[3].negative not in rejected
    assert {triplet.negative for triplet in make_triplets([], PLAIN, given=given, count=2)} <= set(rejected)


@pytest.mark.parametrize("seed", range(20))
def test_no_rejected_wording_comes_twice_before_another_comes_once(seed: int) -> None:
    rejected = [f"Leo and Mia are {years} years old. How old is Leo?" for years in (9, 10, 11, 12)]
    given = [ParaphrasePair(str(row), QUESTIONS[2], text, 0) for row, text in enumerate(rejected * 2)]
    triplets = make_triplets([], PLAIN, given=given, count=6, seed=seed)
    assert {triplet.negative for triplet in triplets[:4]} == set(rejected)


def test_test_operators_and_one_sided_sets_are_refused() -> None:
    with pytest.raises(DataError, match="Test operators"):
        make_triplets(QUESTIONS, OPERATORS)
    with pytest.raises(DataError, match="positive and a negative"):
        make_triplets(QUESTIONS, [operator for operator in PLAIN if operator.is_positive])


def test_making_stops_when_asked() -> None:
    asked: list[int] = []

    def cancel() -> bool:
        asked.append(1)
        return len(asked) > 2

    assert len({triplet.anchor for triplet in make_triplets(QUESTIONS, PLAIN, cancel=cancel)}) == 2


def test_a_test_set_has_one_positive_and_one_negative_a_question() -> None:
    pairs = make_test_pairs(QUESTIONS, select_operators(training=False))
    labels = [[pair.label for pair in pairs if pair.original == question] for question in QUESTIONS]
    assert all(row in ([1, 0], [0]) for row in labels)  # not every question has something to put in the passive
    assert labels.count([1, 0]) >= 4
    assert all(pair.paraphrase != pair.original for pair in pairs)
    assert pairs == make_test_pairs(QUESTIONS, select_operators(training=False))


def test_what_cannot_be_read_cannot_be_kept_out(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="aqua_rat/dev"):
        load_kept_out(tmp_path)


@pytest.mark.shared_data
def test_the_originals_of_the_test_sets_are_kept_out(shared_data: Path) -> None:
    kept_out = load_kept_out(shared_data)
    for name in ("aquarat_test", "sawp_test"):
        with gzip.open(shared_data / "paraqd" / f"{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
            assert all(kept_out.holds(json.loads(line)["original"]) for line in lines)
    assert not kept_out.holds(QUESTIONS[0])
