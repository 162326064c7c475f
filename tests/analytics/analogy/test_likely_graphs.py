"""Problems that are probably computed as the question is rank above those that only read like it."""

from __future__ import annotations

import numpy as np
import pytest

from analytics.analogy.exemplars import CorpusGraphs, ExemplarCorpus
from analytics.analogy.graphs import ComputationalGraph, text_graph
from analytics.errors import DataError
from analytics.records import ProblemRecord

TEXTS = [
    ("Ann had 9 pies and ate 5.", "9-5"),
    ("Tim broke 2 of 9 cups.", "9-2"),
    ("Tom has 3 pens and 4 cups.", "3+4"),
    ("A day is long.", ""),
]
COSINES = np.array([0.1, 0.2, 0.9, 0.95], dtype=np.float32)


def graph(text: str, equation: str) -> ComputationalGraph | None:
    return text_graph(ProblemRecord("1", text, equation=equation))


CORPUS = [graph(text, equation) for text, equation in TEXTS]
DIFFERENCE, SUM = CORPUS[0], CORPUS[2]


def ranking(likely: list) -> list[int]:
    return np.argsort(-CorpusGraphs(CORPUS).scores(COSINES, likely)).tolist()


def test_without_likely_graphs_the_cosines_decide():
    assert CorpusGraphs(CORPUS).scores(COSINES, []) == pytest.approx(COSINES / 5)
    assert ranking([]) == [3, 2, 1, 0]


def test_the_same_equation_comes_before_the_same_graph_and_both_before_the_most_similar():
    assert ranking([(DIFFERENCE, 0.9)]) == [0, 1, 3, 2]


def test_a_doubtful_graph_moves_less_and_several_graphs_count_each():
    assert ranking([(DIFFERENCE, 0.01)]) == [3, 2, 1, 0]
    assert ranking([(DIFFERENCE, 0.3), (SUM, 0.6)]) == [2, 0, 3, 1]
    assert ranking([(DIFFERENCE, 0.3), (DIFFERENCE, 0.3)]) == ranking([(DIFFERENCE, 0.6)])


def test_scores_stay_between_minus_one_and_one():
    surer_than_sure = [(DIFFERENCE, 0.9), (DIFFERENCE, 0.8)]
    scores = CorpusGraphs(CORPUS).scores(np.ones(4, dtype=np.float32), surer_than_sure)
    assert scores[0] == pytest.approx(1)
    assert scores.max() <= 1


def test_a_copy_but_for_numbers_is_no_exemplar_however_likely_its_graph():
    corpus = ExemplarCorpus([text for text, _equation in TEXTS], np.eye(4, dtype=np.float32), CORPUS)
    (hits,) = corpus.retrieve(
        ["Ann had 7 pies and ate 1."], np.eye(4, dtype=np.float32)[:1], 2, likely=[[(DIFFERENCE, 1.0)]]
    )
    assert [hit.row for hit in hits] == [1, 2]


def test_every_problem_needs_a_graph_or_none_has_one():
    with pytest.raises(DataError, match="as many graphs, not 3"):
        ExemplarCorpus([text for text, _equation in TEXTS], np.eye(4, dtype=np.float32), CORPUS[:3])
