import random
from collections import Counter
from itertools import islice

import numpy as np
import pytest
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.metrics import roc_auc_score

from analytics.paraphrase.pairs.making import matched, scene_pairs, surface, text_pairs
from analytics.paraphrase.pairs.material import as_row
from analytics.paraphrase.pairs.scenes import drawn_values, scenes, tell

QUESTIONS = [
    "Ben is 8 years older than his sister Ida. Ida is 12 years old. How old is Ben?",
    "A shop sells 24 pens at $3 each before noon and 16 pens after noon. How much money does it take in total?",
    "Solve $3x - 4 > 11$ for positive integers $x$.",
    "If a train travels 120 km in 2 hours, how many kilometres does it travel every minute?",
    "Mia bought 5 boxes with at least 6 eggs each. How many eggs did she get altogether?",
]


@pytest.fixture(scope="module")
def pairs():
    return matched(islice(scene_pairs(random.Random(5)), 3000), random.Random(6))


def test_no_label_shows_in_length_shared_words_or_edit_distance(pairs):
    rows = np.array([(*surface(p.original, p.paraphrase), len(p.original), len(p.paraphrase)) for p in pairs])
    labels = np.array([pair.label for pair in pairs])
    half = len(rows) // 2
    model = GradientBoostingClassifier(n_estimators=40, random_state=0).fit(rows[:half], labels[:half])
    assert roc_auc_score(labels[half:], model.predict_proba(rows[half:])[:, 1]) < 0.55


def test_labels_are_even_and_invalid_pairs_are_of_many_kinds(pairs):
    assert sum(pair.label for pair in pairs) * 2 == len(pairs)
    kinds = Counter(pair.kind for pair in pairs if pair.label == 0)
    assert len(kinds) > 30
    assert kinds.most_common(1)[0][1] < len(pairs) / 5
    assert all(not pair.kind for pair in pairs if pair.label == 1)


def test_marks_lie_in_their_texts_and_in_the_texts_that_are_read(pairs):
    rng = random.Random(1)
    for pair in pairs[:400]:
        for text, marks in (
            (pair.original, pair.original_marks),
            (pair.paraphrase, pair.paraphrase_marks),
        ):
            assert all(0 <= start <= end <= len(text) for start, end in marks)
        row = as_row(pair, rng)
        for text, marks in zip((row["a"], row["b"]), row.get("m", ([], [])), strict=True):
            assert all(0 <= start <= end <= len(text) for start, end in marks)


def test_every_line_of_every_scene_is_told_in_whole_words():
    rng = random.Random(2)
    for scene in scenes():
        for line in range(len(scene.lines)):
            for value in range(3):
                state = dict.fromkeys(scene.switches, value)
                text = tell(scene, line, state, drawn_values(scene, rng), rng).text
                formulas = text.replace("}{", "").split("$")[0::2]
                assert not any(mark in part for part in formulas for mark in "{}|"), (scene.name, text)
                assert "  " not in text, (scene.name, text)
                assert " ." not in text, (scene.name, text)


def test_a_switch_changes_what_is_told_and_nothing_else():
    rng = random.Random(3)
    for scene in scenes():
        for line in range(len(scene.lines)):
            values = drawn_values(scene, rng)
            for switch, count in scene.switches.items():
                told = {
                    tell(scene, line, {switch: value}, values, random.Random(4)).text
                    for value in range(count)
                }
                used = switch in tell(scene, line, {}, values, random.Random(4)).used
                assert used or len(told) == 1, (scene.name, line, switch)


def test_questions_give_pairs_of_both_labels():
    pairs = list(
        islice(text_pairs(QUESTIONS, [(QUESTIONS[0], QUESTIONS[0] + " Say it.")], random.Random(1)), 300)
    )
    assert {pair.label for pair in pairs} == {0, 1}
    assert all(pair.original.split() != pair.paraphrase.split() for pair in pairs)
