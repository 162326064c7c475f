"""From the questions of a paper to what an import takes in: checked as a file's rows are, pictures by their hashes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from analytics.question_content import Picture, content_texts
from analytics.records import ConceptPath, QuestionRecord
from questionbank.formats.fields import read_question
from questionbank.formats.jsonl import question_fields
from questionbank.rendering.pictures import picture_names


def bank_record(
    record: QuestionRecord, pictures: Mapping[str, str], concepts: tuple[ConceptPath, ...] = ()
) -> QuestionRecord:
    """Return a question as the bank takes it.

    Args:
        pictures: SHA-256 by name; a picture without one is known to be missing.

    Raises:
        FieldProblems: the bank cannot take it.
    """
    named = picture_names(_texts(record))
    content = record.content
    if named:
        content = replace(content, pictures=tuple(Picture(name, pictures.get(name, "")) for name in named))
    return read_question(question_fields(replace(record, content=content, concepts=concepts)))


def _texts(record: QuestionRecord) -> Iterator[str]:
    yield from (record.text, *(option.text for option in record.options), record.answer, record.solution)
    yield from content_texts(record.content)
