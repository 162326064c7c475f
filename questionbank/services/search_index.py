"""What full-text search finds a question by, and the bank's own vocabulary.

Tokens are made in Python (formula tokens kept, Chinese cut into words), because the embedded server has
no dictionary for either; PostgreSQL's `simple` configuration then only indexes them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.contrib.postgres.search import SearchVectorField
from django.db import connection, transaction
from django.db.models import Func, Value

from analytics.languages import primary_language
from analytics.question_content import Option
from analytics.records import QuestionRecord
from analytics.text.formula_shape import shape_tokens, text_formulas
from analytics.text.question_tasks import question_tasks
from analytics.text.tokens import search_tokens
from questionbank.models import Question
from questionbank.rows import wait_for_turn
from questionbank.selectors.search.filters import NO_WORD_PREFIX, task_token

TOKENS_LIMIT = 200_000  # characters; a tsvector holds a megabyte at most
VOCABULARY_LOCK = 7_201_002  # advisory lock: one refresh at a time


def question_tokens(record: QuestionRecord | Question) -> str:
    """Return words and formula tokens of the question and its options, with blanks.

    The kinds of task that it is and the shapes of its formulas come first, as tokens that are no words.
    """
    options = [_option_text(option) for option in record.options]
    tasks = map(task_token, question_tasks(record.text, options))
    words = search_tokens("\n".join([record.text, *options]), primary_language(record.language))
    tokens = " ".join([*tasks, *shape_tokens(text_formulas(record.text)), *words])
    if len(tokens) <= TOKENS_LIMIT:
        return tokens
    return tokens[:TOKENS_LIMIT].rpartition(" ")[0]


def _option_text(option: Option | Mapping[str, Any]) -> str:
    return option.text if isinstance(option, Option) else str(option.get("text", ""))


def search_vector(record: QuestionRecord | Question) -> Func:
    """Return the expression that fills `Question.search_vector` when it is saved."""
    return Func(
        Value("simple"),
        Value(question_tokens(record)),
        function="to_tsvector",
        output_field=SearchVectorField(),
    )


def search_index_settle() -> None:
    """Move new entries from the index's pending list to their places, so that no search has to read the list."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT gin_clean_pending_list('question_search'::regclass)")


_REFRESH = """
    INSERT INTO questionbank_vocabularyword (word, questions)
    SELECT word, ndoc FROM ts_stat(
        'SELECT search_vector FROM questionbank_question WHERE status <> ''retired'''
    )
    WHERE char_length(word) <= 100 AND NOT starts_with(word, %s)
"""


@transaction.atomic
def vocabulary_refresh() -> int:
    """Count anew in how many questions each token occurs; returns the number of tokens.

    Words, numbers and formula tokens alike: misspelt words are corrected against the first, and all are
    weighed by how rare they are. Readers see the old vocabulary until the new one is complete.
    """
    wait_for_turn(VOCABULARY_LOCK)
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM questionbank_vocabularyword")
        cursor.execute(_REFRESH, [NO_WORD_PREFIX])  # shapes are nearly as many as formulas
        return int(cursor.rowcount)
