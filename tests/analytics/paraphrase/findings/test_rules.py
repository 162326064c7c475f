"""The table of rules, and cases that the rules once got wrong."""

from __future__ import annotations

from analytics.paraphrase.findings.pair import read_pair
from analytics.paraphrase.findings.rules import find_changes


def test_a_pair_is_aligned_word_by_word_if_it_is_a_near_copy():
    pair = read_pair("Ann sells 5 red pens today.", "Ann buys 5 red pens today.")
    [replaced] = pair.replacements
    assert (replaced.word.text, replaced.new_word.text, replaced.equal_neighbours) == ("sells", "buys", 2)
    far = read_pair("Ann sells 5 red pens today.", "Five pens, all red, are what Ann has sold by tonight.")
    assert not far.is_near_copy
    assert far.replacements == ()


def test_a_verb_behind_how_many_is_no_thing_that_is_counted():
    original = "A hall has 90 guests and 20 % of them stand. How many guests do not stand?"
    paraphrase = "Of 90 guests in a hall 20 % stand. How many need a chair?"
    assert "target" not in {finding.kind for finding in find_changes(original, paraphrase)}
