"""Key phrases by a walk on the graph of topics."""

from __future__ import annotations

from analytics.paraphrase.operators.deletions import key_phrases


def test_the_topic_that_stands_most_often_and_nearest_comes_first() -> None:
    text = "A farmer sells eggs. The eggs fill a basket. How many eggs has a second farmer?"
    phrases = key_phrases(text, 10)
    assert "egg" in phrases[0].text
    for phrase in phrases:
        assert phrase.places
        assert all(text[start:end].lower() == phrase.text.lower() for start, end in phrase.places)


def test_phrases_hold_no_stop_words_and_at_most_four_words() -> None:
    phrases = key_phrases("The very big old red wooden garden chair of the man", 5)
    assert [len(phrase.text.split()) <= 4 for phrase in phrases] == [True] * len(phrases)
    assert "of" not in " ".join(phrase.text for phrase in phrases).split()
    assert key_phrases("of the 3 + 4?") == []
    assert len(key_phrases("One apple, one pear, one plum, one fig.", 2)) == 2
