"""Computational graphs: what they are read from, when they are the same, and how alike they are."""

from __future__ import annotations

import gzip
import json
import random
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analytics.analogy.graphs import (
    ComputationalGraph,
    GraphSimilarities,
    edit_similarity,
    graph_similarity,
    problem_graph,
    problem_numbers,
    serialised_graph,
    slot_text,
)
from analytics.errors import DataError
from analytics.expression.tree import ExpressionTree
from analytics.records import ProblemRecord
from analytics.text.number_slots import SlotNumbers
from tests.analytics.expression.trees import slot_trees

STORY = "Ann has 12 pens and buys 3 boxes of 4."


def test_an_equation_a_program_and_calculations_of_one_computation_have_one_graph() -> None:
    problems = [
        ProblemRecord("1", STORY, equation="12+3*4"),
        ProblemRecord("2", STORY, program="multiply(n2,n1)|add(n0,#0)|", numbers=("12", "3", "4")),
        ProblemRecord("3", STORY, calculations=("3*4=12", "12+12=24")),
    ]
    graphs = [problem_graph(problem) for problem in problems]
    assert {graph.graph for graph in graphs if graph} == {"+(*(s0,s1),s2)"}
    assert [graph.source for graph in graphs if graph] == ["equation", "program", "calculations"]
    assert graphs[0] is not None
    assert graphs[0].prototype == "N0+N1*N2"
    assert graphs[0].slots == (0, 1, 2)


def test_a_problem_without_a_solution_has_no_graph_and_a_broken_equation_is_refused() -> None:
    assert problem_graph(ProblemRecord("1", STORY)) is None
    with pytest.raises(DataError, match="not arithmetic"):
        problem_graph(ProblemRecord("1", STORY, equation="12 pens"))


def test_what_can_be_read_stands_in_for_what_cannot() -> None:
    problem = ProblemRecord("1", STORY, equation="12 pens", program="add(n0,n1)|", numbers=("12", "3", "4"))
    graph = problem_graph(problem)
    assert graph is not None
    assert (graph.source, graph.prototype) == ("program", "N0+N1")


def test_published_numbers_come_before_those_of_the_text() -> None:
    given_numbers = ProblemRecord("1", "one bag of 12", numbers=("12", "((1)/(2))"))
    assert problem_numbers(given_numbers) == SlotNumbers.of_values([Fraction(12), Fraction(1, 2)])
    assert problem_numbers(ProblemRecord("1", "one bag of 12")).values == (1, 12)


def test_signs_and_per_cents_are_written_alike() -> None:
    bare = problem_graph(ProblemRecord("1", "5 % of 8", equation="8*(5)%", numbers=("5", "8")))
    spelt_out = problem_graph(ProblemRecord("1", "5 % of 8", equation="8*(5/100)", numbers=("5", "8")))
    assert bare is not None
    assert bare == spelt_out


def graph_of(tree: ExpressionTree) -> ComputationalGraph:
    return ComputationalGraph.of(tree)


@given(slot_trees, st.integers(0, 9999))
def test_swapped_operands_are_the_same_graph_at_similarity_1(tree: ExpressionTree, seed: int) -> None:
    rng = random.Random(seed)

    def swapped(node: ExpressionTree) -> ExpressionTree:
        children = [swapped(child) for child in node.children]
        if node.label in ("+", "*") and rng.random() < 0.5:
            children.reverse()
        return ExpressionTree(node.label, tuple(children))

    assert graph_of(swapped(tree)).graph == graph_of(tree).graph
    assert graph_similarity(graph_of(swapped(tree)).graph, graph_of(tree).graph) == 1


@given(slot_trees, slot_trees)
def test_similarities_are_symmetric_and_1_for_equal_graphs_alone(first: ExpressionTree, second: ExpressionTree) -> None:
    left, right = graph_of(first), graph_of(second)
    similarity = graph_similarity(left.graph, right.graph)
    assert 0 <= similarity <= 1
    assert similarity == graph_similarity(right.graph, left.graph)
    assert (similarity == 1) == (left.graph == right.graph)
    assert 0 <= edit_similarity(left, right) <= 1
    assert edit_similarity(left, left) == 1


@given(slot_trees)
def test_the_serialisation_loses_nothing(tree: ExpressionTree) -> None:
    graph = graph_of(tree).graph
    assert "".join(serialised_graph(graph)) == graph.replace(",", "")


def test_names_of_slots_do_not_matter_to_the_tree_edit_distance() -> None:
    first = ComputationalGraph.of(ExpressionTree("-", (ExpressionTree("N2"), ExpressionTree("N0"))))
    second = ComputationalGraph.of(ExpressionTree("-", (ExpressionTree("N0"), ExpressionTree("N1"))))
    assert edit_similarity(first, second) == 1
    assert first.graph == second.graph
    assert first.prototype != second.prototype


def test_slot_text_keeps_everything_but_numbers() -> None:
    assert slot_text("No number.") == "No number."
    assert slot_text("3 of 3, 20% off") == "n1 of n2, n3 off"


@pytest.mark.shared_data
@pytest.mark.parametrize(
    ("name", "least"),
    [("mawps/cv", 1.0), ("asdiv_a/cv", 1.0), ("gsm8k/train", 0.98), ("mathqa/dev", 0.9), ("math23k/test", 1.0)],
)
def test_nearly_all_published_solutions_have_a_graph(shared_data: Path, name: str, least: float) -> None:
    from analytics.question_files import read_problems

    problems = read_problems(shared_data / f"{name}.jsonl.gz").learned
    graphs = 0
    for problem in problems:
        try:
            graphs += problem_graph(problem) is not None
        except DataError:
            continue
    assert graphs / len(problems) >= least


@pytest.mark.shared_data
def test_a_published_fold_has_the_prototypes_that_its_prefixes_say(shared_data: Path) -> None:
    with gzip.open(shared_data / "asdiv_a/cv.jsonl.gz", "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    alike = 0
    for row in rows:
        problem = ProblemRecord(row["id"], row["text"], equation=row["equation"], numbers=tuple(row["numbers"]))
        graph = problem_graph(problem)
        assert graph is not None
        operators = [token for token in row["prefix"].split() if token in "+-*/"]
        alike += sorted(operators) == sorted(label for label in graph.prototype if label in "+-*/")
    assert alike / len(rows) > 0.99


def test_a_corpus_is_compared_as_pairs_are():
    graphs = ["+(s0,s1)", "+(s0,-s1)", "*(+(s0,-1),s1)", "+(s0,s1)", "^(s0,1/2)", "*(100,s0,/s1)"]
    known = GraphSimilarities(graphs)
    for graph in (*graphs, "+(s0,s1,s2)", "s0"):
        expected = [graph_similarity(graph, corpus_graph) for corpus_graph in graphs]
        np.testing.assert_allclose(known.of(graph), expected, atol=1e-12)
        np.testing.assert_array_equal(known.of(graph), known.of(graph))
