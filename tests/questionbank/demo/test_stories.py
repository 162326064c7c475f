"""Stories retold: what the files hold, and the pairs that are drawn of them."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from analytics.splits import linked_texts, masked_text
from analytics.text.numbers import find_numbers
from questionbank.demo.stories import Story, load_stories, story_pairs

STORIES = load_stories()
PEOPLE = {"W", "W2", "W3", "M", "M2", "M3"}


def slots(text: str) -> set[str]:
    return set(re.findall(r"\{(\w+)\}", text))


def test_every_story_has_a_name_of_its_own() -> None:
    assert len(STORIES) > 150
    assert len({story.slug for story in STORIES}) == len(STORIES)


@pytest.mark.parametrize("story", STORIES, ids=lambda story: story.slug)
def test_a_story_is_told_with_the_slots_that_it_has(story: Story) -> None:
    texts = (*story.valid, *story.invalid)
    assert min(len(story.valid), len(story.invalid)) >= 4
    assert len(set(texts)) == len(texts)
    known = PEOPLE | set(story.numbers) | set(story.choices) | {f"{slot}s" for slot in story.choices}
    assert set().union(*map(slots, texts)) <= known
    assert all(set(story.numbers) <= slots(text) for text in story.valid)
    assert all(len(values) >= 2 for values in story.numbers.values())


def test_the_same_seed_gives_the_same_pairs_and_another_gives_others() -> None:
    assert story_pairs(3, draws=1) == story_pairs(3, draws=1)
    assert story_pairs(3, draws=1) != story_pairs(4, draws=1)


def test_pairs_are_whole_sentences_with_one_label_each() -> None:
    pairs = story_pairs(3, draws=2)
    assert all(
        "{" not in text and "}" not in text for pair in pairs for text in (pair.original, pair.paraphrase)
    )
    labels = {(pair.original, pair.paraphrase): pair.label for pair in pairs}
    assert all(labels[pair.original, pair.paraphrase] == pair.label for pair in pairs)
    assert all(pair.original != pair.paraphrase for pair in pairs)
    assert Counter(pair.operator for pair in pairs).keys() == {"retelling", "another_story"}


def test_a_valid_text_has_the_numbers_of_its_original_more_often_than_an_invalid_one() -> None:
    def same(pair) -> bool:
        first, second = ({n.value for n in find_numbers(text)} for text in (pair.original, pair.paraphrase))
        return first == second

    pairs = story_pairs(3, draws=1)
    share = {label: [same(pair) for pair in pairs if pair.label == label] for label in (0, 1)}
    assert sum(share[1]) / len(share[1]) > sum(share[0]) / len(share[0]) + 0.1


def test_all_draws_of_a_story_are_linked_and_no_two_stories_are() -> None:
    pairs = story_pairs(3, draws=3)
    linked = linked_texts((pair.original, pair.paraphrase) for pair in pairs)
    groups: dict[str, set[str]] = {}
    for pair in pairs:
        groups.setdefault(pair.id.rsplit("-", 1)[0], set()).add(linked[masked_text(pair.original)])
    assert all(len(texts) == 1 for texts in groups.values())
    assert len(set().union(*groups.values())) == len(groups)
