"""Textual-CL's retrieval against trying all pairs."""

from __future__ import annotations

from typing import get_args

import numpy as np
import pytest

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
