"""A retriever remembers the vectors of the last texts, and keeps solved problems in its datastore."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from analytics.analogy import retriever as datastores
from analytics.analogy import retriever as retrievers
from analytics.analogy.retriever import (
    DATASTORE_NAME,
    Datastore,
    ServedRetriever,
    kept_examples,
    load_datastore,
    save_datastore,
)
from analytics.catalog import ANALOGY
from analytics.errors import ArtifactError
from analytics.records import ProblemRecord

PROBLEMS = [
    ProblemRecord("1", "Tom has 3 pens and 4 cups.", equation="3+4"),
    ProblemRecord("2", "A shop sold 8 cars, then 2.", equation="8+2"),
    ProblemRecord("3", "每袋有2个苹果，8袋有多少个？", "zh-Hans", equation="8*2"),
    ProblemRecord("4", "Who knows?", pair="a"),
]


def unit_vectors(count: int, width: int = 384) -> np.ndarray:
    vectors = np.random.default_rng(0).normal(size=(count, width)).astype(np.float32)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def datastore() -> Datastore:
    return Datastore.of(kept_examples(PROBLEMS), unit_vectors(3))


def test_only_problems_whose_computation_is_known_are_kept_each_equation_once():
    kept = datastore()
    assert len(kept) == 3
    assert kept.equations == ("+ N0 N1 | d0 d1", "* N1 N0 | d0 d1")
    assert kept.rows.tolist() == [0, 0, 1]
    assert kept.languages == ("en", "zh")


def test_equations_name_the_numbers_of_the_text_and_how_they_are_read():
    listed = ProblemRecord("5", "Two boys get 20 % of 60 nuts each.", equation="60*20/100*2", numbers=("20", "60"))
    kept = Datastore.of(kept_examples([listed]), unit_vectors(1))
    assert kept.equations == ("* / * N2 N1 100 N0 | w0 d0.1 d1",)
    ((neighbour,),) = kept.nearest(unit_vectors(1), 1)
    assert neighbour.graph.slot_places == ((0, True, 0), (0, False, 1), (1, False, 0))
    assert neighbour.graph.prototype == "N2*N1/100*N0"


def test_at_most_so_many_are_kept_evenly_spaced(monkeypatch):
    monkeypatch.setattr(datastores, "LARGEST", 4)
    problems = [ProblemRecord(str(row), f"{'so ' * row}3 pens and 4 cups", equation="3+4") for row in range(9)]
    assert [example.problem.id for example in kept_examples(problems)] == ["0", "2", "4", "6"]
    assert len(kept_examples(problems[:4])) == 4


def test_a_problem_that_differs_in_its_numbers_alone_is_kept_once_for_each_equation():
    problems = [
        ProblemRecord("1", "Tom has 3 pens and 4 cups.", equation="3+4"),
        ProblemRecord("2", "Tom has 5 pens and 1 cups.", equation="5+1"),
        ProblemRecord("3", "Tom has 8 pens and 2 cups.", equation="8-2"),
    ]
    assert [example.problem.id for example in kept_examples(problems)] == ["1", "3"]


def test_a_problem_that_is_kept_already_is_not_kept_twice():
    examples = kept_examples(PROBLEMS)
    more = datastore().with_problems(examples[1:], np.stack([unit_vectors(3)[1], unit_vectors(4)[3]]))
    assert len(more) == 4
    assert [more.equations[row] for row in more.rows] == [
        "+ N0 N1 | d0 d1", "+ N0 N1 | d0 d1", "* N1 N0 | d0 d1", "* N1 N0 | d0 d1"
    ]  # fmt: skip


def test_eight_bits_hardly_move_a_vector_and_a_file_brings_them_back(tmp_path):
    vectors = unit_vectors(3)
    save_datastore(datastore(), tmp_path)
    loaded = load_datastore(tmp_path)
    assert loaded is not None
    restored = loaded.codes * loaded.scales[:, None]
    assert (restored * vectors).sum(axis=1) == pytest.approx(1, abs=1e-3)
    assert (loaded.equations, loaded.languages) == (datastore().equations, datastore().languages)
    assert load_datastore(tmp_path / "without") is None


def test_the_nearest_come_first_with_their_graphs():
    vectors = unit_vectors(3)
    (first, second), _others = datastore().nearest(np.stack([vectors[2], vectors[0]]), 2)
    assert first.row == 2
    assert first.graph.graph == "*(s0,s1)"
    assert first.similarity == pytest.approx(1, abs=1e-2)
    assert second.similarity < first.similarity
    assert [len(own) for own in datastore().nearest(vectors, 50)] == [3, 3, 3]


def test_blocks_compare_as_the_whole_does(monkeypatch):
    vectors = unit_vectors(3)
    whole = datastore().nearest(vectors, 2)
    monkeypatch.setattr(datastores, "_BLOCK", 2)
    for one, other in zip(datastore().nearest(vectors, 2), whole, strict=True):
        assert [near.row for near in one] == [near.row for near in other]
        assert [near.similarity for near in one] == pytest.approx([near.similarity for near in other])


@pytest.mark.parametrize("content", [b"", b"no tensors at all"])
def test_a_damaged_file_is_named(tmp_path, content):
    (tmp_path / DATASTORE_NAME).write_bytes(content)
    with pytest.raises(ArtifactError, match=DATASTORE_NAME):
        load_datastore(tmp_path)


def test_parts_that_do_not_belong_together_are_refused(tmp_path):
    kept = datastore()
    save_datastore(Datastore(kept.codes, kept.scales[:1], kept.equations, kept.rows, kept.languages), tmp_path)
    with pytest.raises(ArtifactError, match="do not belong together"):
        load_datastore(tmp_path)


def test_the_programs_own_retriever_has_one_without_texts():
    kept = load_datastore(ANALOGY.starters[0].path)
    assert kept is not None
    assert len(kept) > 10_000
    assert kept.languages == ("en",)
    named = {token for equation in kept.equations for token in equation.split() if token[0].isalpha()}
    assert {token[0] for token in named - {"pi"}} == {"N", "d", "w"}
    assert all(token[1:].replace(".", "", 1).isdigit() for token in named - {"pi"})


class CountingEncoder(SimpleNamespace):
    """A vector for each text; keeps what it was asked for."""

    def encode(self, texts):
        self.asked.append(list(texts))
        return np.array([[len(text), 1] for text in texts], dtype=np.float32)


@pytest.fixture
def encoder():
    return CountingEncoder(name="counting", dimension=2, checksum="", asked=[])


def test_a_text_is_encoded_once_and_comes_back_in_its_place(encoder):
    retriever = ServedRetriever(encoder, slots=False)
    assert retriever.encode(["a", "bb", "a"]).tolist() == [[1, 1], [2, 1], [1, 1]]
    assert retriever.encode(["ccc", "bb"]).tolist() == [[3, 1], [2, 1]]
    assert encoder.asked == [["a", "bb"], ["ccc"]]
    assert retriever.encode([]).shape == (0, 2)
    retriever.forget()
    retriever.encode(["a"])
    assert encoder.asked[-1] == ["a"]


def test_texts_that_differ_in_numbers_alone_are_one_where_numbers_are_read_as_slots(encoder):
    ServedRetriever(encoder, slots=True).encode(["3 pens", "5 pens"])
    assert encoder.asked == [["n1 pens"]]


def test_a_change_of_the_answer_does_not_change_what_is_remembered(encoder):
    retriever = ServedRetriever(encoder, slots=False)
    retriever.encode(["a"])[:] = 0
    assert retriever.encode(["a"]).tolist() == [[1, 1]]


def test_the_oldest_texts_are_forgotten(encoder, monkeypatch):
    monkeypatch.setattr(retrievers, "_REMEMBERED", 2)
    retriever = ServedRetriever(encoder, slots=False)
    for text in ("a", "bb", "ccc", "bb", "a"):
        retriever.encode([text])
    assert encoder.asked == [["a"], ["bb"], ["ccc"], ["a"]]
