"""The column of structure on the pages: beside the others, with both graphs, and nowhere without a retriever."""

from __future__ import annotations

import re

import numpy as np
import pytest
from django.urls import reverse

from questionbank.models import EmbeddingSet, Question
from questionbank.solving import solutions
from tests.questionbank.scripted_solver import served
from tests.questionbank.small_bank import add_question, store_vectors

BOXES = "A box holds 6 eggs. A shop buys 4 boxes and sells 3 eggs. How many eggs are left?"
ROWS = "There are 5 rows of 9 chairs, and 7 chairs are broken. How many chairs are whole?"
TREES = "Ben plants 7 rows of 8 trees in his garden. How many trees does he plant?"
PASTED = "A bus has 9 rows of 4 seats, and 3 seats are broken. How many seats are whole?"


@pytest.fixture
def problems(bank) -> list[Question]:
    """Three word problems with equations, beside six other questions; a retriever has looked at all of them."""
    made = [
        add_question(text, equation=equation) for text, equation in ((BOXES, "6*4-3"), (ROWS, "9*5-7"), (TREES, "7*8"))
    ]
    structure = EmbeddingSet.objects.create(
        lens="structure", encoder_name="retriever", dimension=512, is_current=True, state="ready"
    )
    for row in EmbeddingSet.objects.exclude(pk=structure.pk):
        store_vectors(row, made)
    store_vectors(structure, made)
    return made


def page(client, name: str, *arguments: object):
    response = client.get(reverse(name, args=arguments))
    assert response.status_code == 200
    return response


def test_a_word_problem_has_a_column_of_structure_with_both_graphs(problems, as_teacher):
    response = page(as_teacher, "question_detail", problems[0].pk)
    columns = {column.lens: column for column in response.context["columns"]}
    assert "structure" in columns
    hits = columns["structure"].hits
    assert hits[0].question == problems[1]
    assert hits[0].reason.startswith("Both are computed as a × b − c")
    source = response.content.decode()
    (section,) = re.findall(r'<section class="lens lens-structure".*?</section>', source, re.DOTALL)
    assert len(re.findall(r"<summary>\s*Both computations\s*</summary>", section)) == 2
    assert section.count('<svg class="expression-tree"') == 4
    assert "#number-" not in section  # the numbers that those would lead to stand in another text
    assert "6*4-3" in section
    assert "9*5-7" in section


def test_columns_stand_in_the_order_purpose_structure_wording(problems, bank, as_teacher, monkeypatch):
    monkeypatch.setattr("questionbank.similar.kinship.SHOWN", 2)
    monkeypatch.setattr("questionbank.similar.similarity.LEAST_WITHOUT_REASON", 0.0)
    near = {problems[0].pk, *(question.pk for question in bank.questions[3:5])}
    for place, row in enumerate(EmbeddingSet.objects.get(lens="purpose").embeddings.all(), start=1):
        row.vector = np.eye(512)[0 if row.question_id in near else place].tolist()
        row.save()
    response = page(as_teacher, "question_detail", problems[0].pk)
    lenses = [column.lens for column in response.context["columns"]]
    assert lenses == ["purpose", "structure", "wording"]
    assert "columns-three" in response.content.decode()


def test_no_other_question_and_no_bank_without_a_retriever_has_one(problems, bank, as_teacher):
    source = page(as_teacher, "question_detail", bank.questions[0].pk).content.decode()
    assert "lens-structure" not in source
    assert "Same structure" not in source
    EmbeddingSet.objects.filter(lens="structure").delete()
    assert "lens-structure" not in page(as_teacher, "question_detail", problems[0].pk).content.decode()
    assert as_teacher.get(reverse("question_similar", args=[problems[0].pk, "structure"])).status_code == 404


def test_the_list_of_the_lens_and_what_it_says_of_another_question(problems, bank, as_teacher):
    response = page(as_teacher, "question_similar", problems[0].pk, "structure")
    assert [hit.question for hit in response.context["hits"]] == [problems[1], problems[2]]
    assert "Both computations" in response.content.decode()
    source = page(as_teacher, "question_similar", bank.questions[0].pk, "structure").content.decode()
    assert "Only word problems are compared in this way" in source


def test_a_pasted_problem_is_compared_by_the_solvers_equation(problems, as_teacher, monkeypatch):
    solver = served({PASTED: [("9*4-3", 0.93)]})
    monkeypatch.setattr(solutions, "served_solver", lambda _language: solver)
    response = as_teacher.post(reverse("paste"), {"text": PASTED})
    columns = {column.lens: column for column in response.context["columns"]}
    assert {hit.question for hit in columns["structure"].hits[:2]} == set(problems[:2])
    assert "93% likely to be right" in columns["structure"].hits[0].reason
    assert "This question" in response.content.decode()
    response = as_teacher.post(reverse("paste"), {"text": "Solve $2x+3=11$ for $x$."})
    assert "structure" not in {column.lens for column in response.context["columns"]}


def test_the_exact_list_of_the_same_computation_stays(problems, as_teacher):
    source = page(as_teacher, "question_computed_alike", problems[0].pk).content.decode()
    assert "1 question with the same computation" in source


def test_the_page_of_a_word_problem_takes_a_bounded_number_of_queries(
    problems, as_teacher, django_assert_max_num_queries
):
    page(as_teacher, "question_detail", problems[0].pk)  # what a process keeps is read
    more = [add_question(BOXES.replace("6", str(60 + n)), equation=f"{60 + n}*4-3") for n in range(12)]
    for row in EmbeddingSet.objects.all():
        store_vectors(row, more)
    with django_assert_max_num_queries(60):
        page(as_teacher, "question_detail", problems[0].pk)
