"""The tokens by which full-text search finds a question, and the bank's own vocabulary.

Tokens are created in Python (formula tokens kept, Chinese split into words), because the embedded server has no
dictionary for either; PostgreSQL's `simple` configuration then only indexes them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from django.contrib.postgres.search import SearchVectorField
from django.db import connection, transaction
from django.db.models import Func, Value

from analytics.analysed_text import Options, stem_text, stored_content
from analytics.languages import primary_language
from analytics.question_content import QuestionContent, option_text
from analytics.records import QuestionRecord
from analytics.text.formula_shape import shape_tokens, text_formulas
from analytics.text.question_tasks import question_tasks
from analytics.text.tokens import search_tokens
from questionbank.core.database import advisory_lock
from questionbank.models import Question

NO_WORD_PREFIX = "f0"  # of search tokens for shapes and tasks; no word or other token begins with it
TOKENS_LIMIT = 200_000  # characters; a tsvector is limited to one megabyte
_FILLED_AT_ONCE = 500
VOCABULARY_LOCK = 7_201_002  # advisory lock: one refresh at a time


def task_token(task: str) -> str:
    """Return the search token of questions with this task."""
    return f"{NO_WORD_PREFIX}t{task.replace('_', '')}"


def question_tokens(record: QuestionRecord | Question) -> str:
    """Return the words and formula tokens of the question, its parts and its options, separated by spaces.

    Tokens for the task kinds of the question and its parts, and for the shapes of their formulas, come first; no word
    equals one of these tokens.
    """
    content = record.content if isinstance(record.content, QuestionContent) else stored_content(record.content)
    stems: list[str] = []
    texts: list[str] = []
    tasks: dict[str, None] = {}
    for stem, choices in _stems_and_choices(record.text, record.options, content):
        stems.append(stem)
        texts += [stem, *choices]
        tasks |= dict.fromkeys(question_tasks(stem, choices))
    words = search_tokens("\n".join(texts), primary_language(record.language))
    tokens = " ".join([*map(task_token, tasks), *shape_tokens(text_formulas("\n".join(stems))), *words])
    if len(tokens) <= TOKENS_LIMIT:
        return tokens
    return tokens[:TOKENS_LIMIT].rpartition(" ")[0]


def _stems_and_choices(text: str, options: Options, content: QuestionContent) -> Iterator[tuple[str, list[str]]]:
    """Yield the text and choices of a question, then those of its parts."""
    drop_downs = (option for blank in content.blanks for option in blank.options)
    yield stem_text(text, (), content), [*map(option_text, options), *map(option_text, drop_downs)]
    for part in content.parts:
        yield from _stems_and_choices(part.text, part.options, part.content)


def search_vector(record: QuestionRecord | Question) -> Func:
    """Return the expression for `Question.search_vector` when the question is saved."""
    return Func(
        Value("simple"), Value(question_tokens(record)), function="to_tsvector", output_field=SearchVectorField()
    )


def search_text_fill(*, before_each: Callable[[], object] = lambda: None) -> int:
    """Write the search text of questions that have none; an upgrade that indexes more of a question clears it.

    Args:
        before_each: called before each batch; it may raise to stop.

    Returns:
        The number of questions.
    """
    missing = Question.objects.filter(search_vector__isnull=True).order_by("pk")
    filled = 0
    while batch := list(missing.only("text", "language", "options", "content")[:_FILLED_AT_ONCE]):
        before_each()
        for question in batch:  # unless somebody has changed it meanwhile
            filled += missing.filter(pk=question.pk).update(search_vector=search_vector(question))
    if filled:
        search_index_settle()
        vocabulary_refresh()
    return filled


def search_index_settle() -> None:
    """Merge the index's pending list, so that no search has to scan it."""
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
    """Recount in how many questions each token occurs; return the number of tokens.

    Includes words, numbers and formula tokens: misspelt words are corrected against the words, and all tokens are
    weighted by rarity. Readers see the old vocabulary until the new one is complete.
    """
    advisory_lock(VOCABULARY_LOCK)
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM questionbank_vocabularyword")
        cursor.execute(_REFRESH, [NO_WORD_PREFIX])  # without shapes, nearly as numerous as formulas
        return int(cursor.rowcount)
