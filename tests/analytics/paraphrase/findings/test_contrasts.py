"""Contrary words, things that changed places, and the same said from the other side."""

from __future__ import annotations

from analytics.paraphrase.findings.replaced import are_contrary
from analytics.paraphrase.findings.rules import find_changes
from analytics.paraphrase.verdict import FEATURES, verdict_features
from tests.cases import each_case


def test_contrary_words_are_those_of_a_row_whatever_their_form():
    assert are_contrary("sells", "bought")
    assert are_contrary("Odd", "even")
    assert not are_contrary("sum", "total")
    assert not are_contrary("sells", "sold")
    assert not are_contrary("bus", "car")


@each_case("findings", "swapped")
def test_things_that_changed_places_in_places_are_a_finding(original, paraphrase, words):
    [finding] = [finding for finding in find_changes(original, paraphrase) if finding.is_serious]
    assert finding.sentence == f"“{words[0]}” and “{words[1]}” changed places."
    assert [finding.before, finding.after] == words
    start, end = finding.paraphrase
    assert paraphrase[start:end] == words[1]


def test_a_contrary_word_weighs_as_a_serious_finding():
    pair = ("A shop sells 12 of 30 lamps.", "A shop buys 12 of 30 lamps.")
    features = dict(zip(FEATURES, verdict_features(1, find_changes(*pair), *pair), strict=True))
    assert features["findings"] == 1
