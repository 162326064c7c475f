"""Textual-CL's retrieval against trying all pairs, and its BLEU against sacrebleu's."""

from __future__ import annotations

import math
from typing import get_args

import numpy as np
import pytest
from sacrebleu.metrics import BLEU

from analytics.errors import DataError
from analytics.expression.distance import equation_similarity
from analytics.expression.tree import parse_expression
from analytics.records import ProblemRecord
from analytics.solver.config import Pool
from analytics.solver.reversing import candidate_pool
from analytics.solver.targets import SolverExample, solver_example
from analytics.solver.textual_pairs import BleuTexts, NearestEquations, TextualTriple, mine_textual_triples, text_tokens
from tests.analytics.solver.small_problems import examples

_THINGS = ("pens", "hats", "cups", "keys", "maps")
_SHAPES = ("{a}+{b}", "{a}-{b}", "{a}*{b}", "{b}-{a}", "({a}+{b})*2", "{a}*2-{b}", "{a}/{b}+1")


def made_examples(count: int) -> list[SolverExample]:
    """Problems whose texts share some words, with a few equations."""
    rng = np.random.default_rng(4)
    made = []
    for number in range(count):
        a, b = int(rng.integers(30, 60)), int(rng.integers(60, 90))
        words = " ".join(rng.choice(_THINGS, size=rng.integers(2, 7)))
        text = f"Ann has {a} {words} and {b} {rng.choice(_THINGS)}. How many?"
        shape = _SHAPES[number % len(_SHAPES)] if number else "({a}-1)*({b}-1)"
        made.append(solver_example(ProblemRecord(str(number), text, equation=shape.format(a=a, b=b))))
    return made


def best(rows: list[int], anchor: int, scores: np.ndarray, sign: int) -> set[int]:
    others = [row for row in rows if row != anchor]
    top = max(sign * scores[anchor, row] for row in others)
    return {row for row in others if sign * scores[anchor, row] >= top - 1e-6}


@pytest.mark.parametrize("by_text", ["bleu", "encoder"])
@pytest.mark.parametrize("by_equation", ["exact", "nearest"])
def test_the_triples_are_those_of_all_pairs(by_equation, by_text):
    pool = made_examples(60)
    vectors = np.random.default_rng(1).normal(size=(60, 8)).astype(np.float32)
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    texts = BleuTexts([text_tokens(example) for example in pool])
    scores = texts.bi_bleu(range(60), range(60)) if by_text == "bleu" else unit @ unit.T
    alike = np.array([[equation_similarity(one.tree, two.tree) for two in pool] for one in pool])
    triples = mine_textual_triples(pool, by_equation=by_equation, by_text=by_text, vectors=vectors)
    assert [triple.anchor for triple in triples] == list(range(60))
    for triple in triples:
        row, everything = alike[triple.anchor], range(60)
        equal = [other for other in everything if row[other] == 1 and other != triple.anchor]
        if equal:
            assert triple.positive in best(equal, triple.anchor, scores, -1)
        elif by_equation == "exact":
            assert triple.positive == triple.anchor
        else:
            most = max(row[other] for other in everything if row[other] < 1)
            nearest = [other for other in everything if row[other] == most]
            assert triple.positive in best(nearest, triple.anchor, scores, -1)
        rest = [other for other in everything if row[other] < 1 and alike[triple.positive][other] < 1]
        most = max(row[other] for other in rest)
        nearest = [other for other in rest if row[other] == most]
        assert triple.negative in best(nearest, triple.anchor, scores, 1)


def test_nearest_equations_are_those_of_all_pairs():
    written = ("1+2", "2+1", "1-2", "(1+2)*3", "1*3", "(1-2)*3+4", "3.14*1*1", "1/2/3", "1/(2/3)", "5")
    trees = [parse_expression(equation) for equation in written]
    found = dict(NearestEquations(trees).nearest(range(len(trees)), depth=2))
    for row, tree in enumerate(trees):
        scores = [round(equation_similarity(tree, other), 12) for other in trees]
        levels = sorted({score for place, score in enumerate(scores) if place != row}, reverse=True)[:2]
        expected = [
            [place for place, score in enumerate(scores) if score == level and place != row] for level in levels
        ]
        assert [level.tolist() for level in found[row]] == expected


def test_variants_are_candidates_but_no_anchors_and_random_ones_are_drawn_alike_again():
    reversible = ProblemRecord("r", "Ann has 70 pens. She buys 20 pens. How many pens does she have?", "en", "70+20")
    train = [solver_example(reversible), *examples()[:7]]
    sizes = {pool: len(candidate_pool(train, pool)) for pool in get_args(Pool)}
    assert sizes["train"] == 8
    assert sizes["roda"] > 8 < sizes["qr"]
    assert sizes["roda+qr"] == sizes["roda"] + sizes["qr"] - 8
    pool = candidate_pool(train, "roda+qr")
    triples = mine_textual_triples(pool, anchors=8, by_text="random", seed=3)
    assert [triple.anchor for triple in triples] == list(range(8))
    assert any(max(triple.positive, triple.negative) >= 8 for triple in triples)
    assert triples == mine_textual_triples(pool, anchors=8, by_text="random", seed=3)
    assert triples != mine_textual_triples(pool, anchors=8, by_text="random", seed=4)


def test_readings_of_a_number_in_front_do_not_make_another_equation():
    pool = [
        solver_example(ProblemRecord("a", "A coat is 25 % off 80 dollars. What is it?", equation="80*(1-25%)")),
        solver_example(ProblemRecord("b", "0.4 of 90 boys left. How many are there?", equation="90*(1-0.4)")),
        solver_example(ProblemRecord("c", "Ann, 7 of 9?", equation="7+9")),
    ]
    assert mine_textual_triples(pool)[:2] == [TextualTriple(0, 1, 2), TextualTriple(1, 0, 2)]


def test_without_another_equation_there_is_no_triple_and_vectors_are_asked_for():
    one = examples()[:1]
    assert mine_textual_triples(one) == []
    assert mine_textual_triples(one * 2) == []
    with pytest.raises(DataError, match="needs a vector"):
        mine_textual_triples(examples(), by_text="encoder")
    with pytest.raises(DataError, match="no equation"):
        mine_textual_triples([solver_example(ProblemRecord("a", "A 7?"))])


def test_all_pairs_are_the_mean_of_both_directions_of_sacrebleu() -> None:
    """Each text has at least four words, and one shares no word with the others.

    Without the effective order, sacrebleu gives 0 to a text that is too short for an n-gram. Such texts are worked out
    by hand below.
    """
    rng = np.random.default_rng(0)
    texts = [list(rng.choice(list("abcde"), size=rng.integers(4, 30))) for _ in range(25)] + [list("vwxyz")]
    oracle = BLEU(tokenize="none", smooth_method="floor", smooth_value=0.1, effective_order=False)
    directed = np.array(
        [
            [oracle.sentence_score(" ".join(text), [" ".join(reference)]).score / 100 for reference in texts]
            for text in texts
        ]
    )
    bleu = BleuTexts(texts).bi_bleu(range(26), range(3, 26))
    np.testing.assert_allclose(bleu, ((directed + directed.T) / 2)[:, 3:], rtol=1e-5)
    assert (bleu[:25, -1] == 0).all()


def test_a_short_text_beside_a_longer_one_by_hand():
    """abcd beside abcdab: 1, 1, 1, 1 with brevity exp(1 - 6/4); back 4/6, 3/5, 2/4, 1/3."""
    found = BleuTexts([list("abcd"), list("abcdab")]).bi_bleu([0, 1], [0, 1])
    forward, backward = math.exp(1 - 6 / 4), (4 / 6 * 3 / 5 * 2 / 4 * 1 / 3) ** 0.25
    assert found[0, 1] == pytest.approx((forward + backward) / 2, rel=1e-5)
    assert found[1, 0] == pytest.approx(found[0, 1])
    assert found[0, 0] == pytest.approx(1)


def test_repeated_words_match_as_often_as_both_have_them():
    """aaa beside a: clipped to one match of three; without any pair of words 0.1 of two, 0.1 of one.

    An order that is longer than the text counts as 0.1 of one, where sacrebleu gives the text 0.
    """
    found = BleuTexts([["a"] * 3, ["a"]]).bi_bleu([0], [1])[0, 0]
    forward = (1 / 3 * 0.1 / 2 * 0.1 / 1 * 0.1 / 1) ** 0.25
    backward = math.exp(1 - 3) * (1 * 0.1 * 0.1 * 0.1) ** 0.25
    assert found == pytest.approx((forward + backward) / 2, rel=1e-5)
