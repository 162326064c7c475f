"""What full-text search finds a question by."""

from __future__ import annotations

import pytest
from django.db import connection

from analytics.analysed_text import EACH_PART
from analytics.question_content import Option, QuestionContent, QuestionPart, as_json
from analytics.records import QuestionRecord
from questionbank.bank.question_services import question_create
from questionbank.bank.search_index import TOKENS_LIMIT, question_tokens, task_token, vocabulary_refresh
from questionbank.models import Question, VocabularyWord
from tests.factories import QuestionFactory


def test_records_and_rows_give_the_same_tokens():
    record = QuestionRecord("q", r"Two apples, $\frac{1}{2}$", options=(Option("A", "pears"),))
    row = Question(text=record.text, language="en", options=[{"label": "A", "text": "pears"}])
    assert question_tokens(record) == question_tokens(row)
    assert {"apple", "mfrac", "pear"} <= set(question_tokens(record).split())


def test_parts_their_options_and_their_tasks_are_found_and_an_invented_stem_is_not():
    parts = (
        QuestionPart("Factorise $x^2+7x+12$"),
        QuestionPart("Which unit fits best?", options=(Option("A", "Grams"), Option("B", "Litres"))),
        QuestionPart("Ann has 3 bags of 5 apples each. How many apples has she?"),
    )
    content = QuestionContent(parts=parts)
    tokens = question_tokens(QuestionRecord("q", EACH_PART, kind="parts", content=content))
    assert tokens == question_tokens(Question(text=EACH_PART, language="en", content=as_json(content)))
    plain = question_tokens(QuestionRecord("q", parts[0].text)).split()
    assert {*plain, "gram", "litre", "apple", task_token("word_problem")} <= {*tokens.split()}
    assert "answer" not in tokens.split()


def test_tokens_are_bounded_at_a_whole_token():
    tokens = question_tokens(QuestionRecord("q", "seventeen " * 30_000))
    assert TOKENS_LIMIT - 10 <= len(tokens) <= TOKENS_LIMIT
    assert set(tokens.split()) == {"seventeen"}


@pytest.mark.django_db
def test_the_vocabulary_counts_questions_that_are_not_retired():
    QuestionFactory(text="apples and apples")
    QuestionFactory(text="apples", status="draft")
    QuestionFactory(text="apples and pears", status="retired")
    VocabularyWord.objects.create(word="stale", questions=3)
    assert vocabulary_refresh() == 2
    assert dict(VocabularyWord.objects.values_list("word", "questions")) == {"apple": 2, "and": 1}


@pytest.mark.django_db
def test_a_saved_question_leaves_nothing_on_the_pending_list_of_the_index():
    fields = {"kind": "open", "options": [], "answer": "", "solution": "", "grade": "", "status": "ready"}
    question_create(user=None, text="apples", language="en", concepts=[], **fields)
    with connection.cursor() as cursor:
        cursor.execute("SELECT gin_clean_pending_list('question_search'::regclass)")
        assert cursor.fetchone() == (0,)
