"""The lens of structure: by nearness and by how likely the graph is the same; word problems only."""

from __future__ import annotations

import numpy as np
import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from questionbank.bank.question_selectors import question_get
from questionbank.core.errors import ServiceUnavailable
from questionbank.models import EmbeddingSet, Question, QuestionEquation, QuestionSolution
from questionbank.registry.serving import serving
from questionbank.similar import similarity
from questionbank.similar.kinship import kin_of
from questionbank.similar.reasons import SAME_IDEA
from questionbank.similar.similarity import similar_by_lens, similar_questions, similar_to_text
from questionbank.solving.computations import question_computation, same_computation_ids
from tests.questionbank.scripted_solver import served
from tests.questionbank.small_bank import add_question, add_set, store_vectors

pytestmark = pytest.mark.django_db

BOXES = "A box holds 6 eggs. A shop buys 4 boxes and sells 3 eggs. How many eggs are left?"
TEXTS = {
    "asked": BOXES,
    "same": "There are 5 rows of 9 chairs, and 7 chairs are broken. How many chairs are whole?",
    "predicted": "Ann packs 8 bags of 12 shells and loses 5 shells. How many shells has she got?",
    "near": "Ben plants 7 rows of 8 trees in his garden. How many trees does he plant?",
    "far": "Ann has 5 marbles and her brother gives her 8 more. How many has she now?",
    "unsure": "A train has 6 coaches of 40 seats, and 17 seats are taken. How many are free?",
}
EQUATIONS = {"asked": "6*4-3", "same": "9*5-7", "near": "7*8", "far": "5+8"}
COSINES = {"asked": 1.0, "same": 0.2, "predicted": 0.1, "near": 0.9, "far": 0.5, "unsure": 0.8}


def solve(question: Question, key_of: Question, probability: float) -> None:
    """Keep a solution with the graph of another question."""
    QuestionSolution.objects.create(
        question=question,
        content_hash=question.content_hash,
        alternatives=[{"equation": "8*12-5" if probability > 0.5 else "6*40-17", "probability": probability}],
        probability=probability,
        graph_key=key_of.equation.graph_key,
    )


@pytest.fixture
def bank() -> dict[str, Question]:
    """Problems whose vectors have told cosines with the question asked about, and two that a solver solved."""
    made = {
        name: add_question(text, equation=EQUATIONS.get(name, ""), content_hash=name.encode())
        for name, text in TEXTS.items()
    }
    solve(made["predicted"], made["asked"], 0.82)
    solve(made["unsure"], made["asked"], 0.4)
    vectors = np.zeros((len(TEXTS), 512), dtype=np.float32)
    for row, cosine in enumerate(COSINES.values()):
        vectors[row, :2] = cosine, np.sqrt(1 - cosine**2)
    store_vectors(add_set("structure", encoder_name="retriever"), list(made.values()), vectors)
    store_vectors(add_set("wording"), list(made.values()))
    return made


def hits_of(question: Question, **options) -> list[tuple[str, float]]:
    asked = question_get(question_id=question.pk)
    result = similar_questions(question=asked, lens="structure", serving=serving(), **options)
    names = {text: name for name, text in TEXTS.items()}
    return [(names[hit.question.text], hit.score) for hit in result.hits]


def score(cosine: float, probability: float = 0.0) -> object:
    """The mean of a cosine and, with twice its weight, the probability that the graph is the same."""
    return pytest.approx((cosine + 2 * probability) / 3, abs=0.001)


def test_the_same_graph_comes_first_then_the_nearest(bank):
    assert hits_of(bank["asked"]) == [
        ("same", score(0.2, 1)),
        ("predicted", score(0.1, 0.82)),
        ("near", score(0.9)),  # one step less
    ]  # of "unsure" it is not known how it is computed, and "far" is computed in another way
    assert [name for name, _score in hits_of(bank["asked"], k=2)] == ["same", "predicted"]
    assert {name for name, _score in hits_of(bank["predicted"])[:2]} == {"same", "asked"}


def test_of_a_question_whose_computation_is_not_known_nothing_is_computed_alike(bank):
    asked = question_get(question_id=bank["unsure"].pk)
    result = similar_questions(question=asked, lens="structure", serving=serving())
    assert (result.hits, result.computation) == ([], None)
    assert "We do not know how this question is computed" in result.notice
    assert list(similar_by_lens(asked=asked, serving=serving(), k=3)) == [
        "purpose", "wording",
    ]  # fmt: skip


def test_each_hit_says_why_and_who_says_so(bank):
    asked = question_get(question_id=bank["asked"].pk)
    result = similar_questions(question=asked, lens="structure", serving=serving())
    reasons = {hit.question.pk: hit.reason for hit in result.hits}
    assert reasons[bank["same"].pk].startswith("Both are computed as a × b − c")
    assert "its equation is by the solver: 82% likely to be right" in reasons[bank["predicted"].pk]
    assert reasons[bank["near"].pk].startswith("Computed nearly the same way: a × b, one step less than")
    assert not {bank["far"].pk, bank["unsure"].pk} & set(reasons)
    by_number = {hit.question.pk: hit for hit in result.hits}
    assert by_number[bank["same"].pk].same_graph
    assert by_number[bank["near"].pk].computation.drawing
    assert result.computation.equation == "6*4-3"


def test_an_equation_that_is_known_counts_before_the_solver_and_an_old_solution_not_at_all(bank):
    QuestionEquation.objects.create(question=bank["predicted"], expression="8+12", graph_key="+(s0,s1)")
    assert hits_of(bank["asked"])[1][0] == "near"
    predicted = question_get(question_id=bank["predicted"].pk)
    assert question_computation(predicted).probability is None
    predicted.equation.delete()
    Question.objects.filter(pk=predicted.pk).update(content_hash=b"changed")
    assert question_computation(question_get(question_id=predicted.pk)) is None
    assert hits_of(bank["asked"])[1][0] == "near"


def test_of_another_language_retired_and_draft_questions_none_is_the_same(bank):
    key = question_computation(question_get(question_id=bank["asked"].pk)).key
    wanted = {"key": key, "language": "en", "exclude": [bank["asked"].pk], "limit": 9}
    assert same_computation_ids(**wanted) == [bank["same"].pk, bank["predicted"].pk]
    assert same_computation_ids(**{**wanted, "limit": 1}) == [bank["same"].pk]
    Question.objects.filter(pk=bank["same"].pk).update(status="draft")
    Question.objects.filter(pk=bank["predicted"].pk).update(language="de")
    assert same_computation_ids(**wanted) == []
    assert same_computation_ids(**{**wanted, "language": ""}) == [bank["predicted"].pk]


def add_problems_with_other_graphs(count: int) -> None:
    """Problems with an equation and a solution each, and statistics of them, so that an index is worth its use."""
    numbers = range(count)
    questions = Question.objects.bulk_create(
        Question(text=f"Problem {number}", content_hash=f"problem {number}".encode()) for number in numbers
    )
    QuestionEquation.objects.bulk_create(
        QuestionEquation(question=question, expression="1+2", graph_key=f"other {number % 50}")
        for number, question in enumerate(questions)
    )
    QuestionSolution.objects.bulk_create(
        QuestionSolution(
            question=question, content_hash=question.content_hash, probability=0.9, graph_key=f"other {number % 50}"
        )
        for number, question in enumerate(questions)
    )
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")


def test_the_same_graph_is_looked_up_by_the_indexes_of_the_keys(bank):
    add_problems_with_other_graphs(2000)
    with CaptureQueriesContext(connection) as queries:
        same_computation_ids(key="+(s0,s1)", language="en", exclude=[bank["asked"].pk], limit=9)
    [query] = queries
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN {query['sql']}")
        plan = " ".join(row[0] for row in cursor.fetchall())
    assert "equation_graph_key" in plan
    assert "solution_graph_key" in plan


def test_a_text_is_compared_by_the_solvers_equation(bank, monkeypatch):
    text = "A bus has 9 rows of 4 seats, and 3 seats are broken. How many seats are whole?"
    solver = served({text: [("9*4-3", 0.9)]})
    monkeypatch.setattr(similarity, "served_solver", lambda _language: solver)
    result = similar_to_text(text=text, lens="structure", serving=serving(), k=3)
    assert [hit.question for hit in result.hits[:2]] == [bank["asked"], bank["same"]]
    assert result.hits[0].score == score(result.hits[0].cosines["structure"], 0.9)
    assert "90% likely to be right" in result.hits[0].reason
    assert result.computation.probability == 0.9


def test_what_is_no_word_problem_has_no_column_and_a_sentence_where_it_is_asked_for(bank):
    text = "Solve $2x + 3 = 11$ for $x$."
    results = similar_by_lens(asked=text, serving=serving(), k=3)
    assert list(results) == ["purpose", "wording"]
    result = similar_to_text(text=text, lens="structure", serving=serving())
    assert result.hits == []
    assert "Only word problems" in result.notice


def test_a_bank_without_a_retriever_has_no_column_and_says_so_where_it_is_asked_for(bank):
    EmbeddingSet.objects.filter(lens="structure").delete()
    asked = question_get(question_id=bank["asked"].pk)
    assert list(similar_by_lens(asked=asked, serving=serving(), k=3)) == [
        "purpose", "wording",
    ]  # fmt: skip
    with pytest.raises(ServiceUnavailable, match="is in use yet"):
        similar_questions(question=asked, lens="structure", serving=serving())


def test_a_language_that_the_retriever_does_not_know_is_compared_by_the_graph_alone(bank):
    EmbeddingSet.objects.filter(lens="structure").update(unknown_shares={"en": 0.5})
    asked = question_get(question_id=bank["asked"].pk)
    result = similar_questions(question=asked, lens="structure", serving=serving())
    assert [hit.question for hit in result.hits] == [bank["same"], bank["predicted"]]
    assert "does not know this language" in result.notice


def test_the_same_purpose_and_the_same_graph_are_the_same_idea(bank):
    vectors = np.zeros((2, 512), dtype=np.float32)
    vectors[:, 0] = 1
    store_vectors(add_set("purpose", encoder_name="encoder"), [bank["asked"], bank["same"]], vectors)
    kin = kin_of(question=question_get(question_id=bank["asked"].pk), serving=serving())
    assert [hit.question for hit in kin.kinds[SAME_IDEA]] == [bank["same"]]


def test_the_number_of_queries_does_not_grow_with_the_hits(bank, django_assert_max_num_queries):
    more = [
        add_question(BOXES.replace("6", str(60 + n)), equation=f"{60 + n}*4-3", content_hash=str(n).encode())
        for n in range(12)
    ]
    for row in EmbeddingSet.objects.all():
        store_vectors(row, more)
    asked, now = question_get(question_id=bank["asked"].pk), serving()
    with django_assert_max_num_queries(20):
        assert len(similar_questions(question=asked, lens="structure", serving=now, k=15).hits) == 15


def test_a_language_with_a_retriever_of_its_own_is_compared_by_it(bank):
    chinese = [
        add_question(text, language="zh", equation=equation)
        for text, equation in (
            ("小明有6个苹果，又买了4个，一共有多少个？", "6+4"),
            ("一班有9人，二班有5人，两班共有多少人？", "9+5"),
            ("每盒有7支笔，8盒有多少支？", "7*8"),
            ("小红有7元，又得到8元，一共有多少元？", "7+8"),
        )
    ]
    own = add_set("structure", 4, scope="zh", encoder_name="Chinese retriever", unknown_shares={"zh": 0.0})
    store_vectors(own, chinese, np.eye(4, dtype=np.float32)[[0, 1, 0, 0]])
    asked = question_get(question_id=chinese[0].pk)
    result = similar_questions(question=asked, lens="structure", serving=serving(), k=5)
    assert [(hit.question, hit.cosines["structure"]) for hit in result.hits] == [(chinese[3], 1), (chinese[1], 0)]
    assert result.notice == ""
    assert hits_of(bank["asked"])[0] == ("same", score(0.2, 1))
