"""Convert a paper's questions to import records: validated like a file's rows, with pictures named by their hashes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import PurePath
from typing import Any

from analytics.question_content import Picture, content_texts
from analytics.records import ConceptPath, QuestionRecord
from analytics.text.pictures import PICTURE
from questionbank.formats.fields import read_question
from questionbank.formats.jsonl import question_fields
from questionbank.papers.phrases import counted_from_one
from questionbank.rendering.pictures import picture_names


def bank_record(
    record: QuestionRecord, pictures: Mapping[str, str], concepts: tuple[ConceptPath, ...] = ()
) -> QuestionRecord:
    """Return a question as the bank stores it.

    Args:
        pictures: SHA-256 by name; a picture without one is known to be missing.

    Raises:
        FieldProblems: If the bank cannot accept the question.
    """
    named = picture_names(_texts(record))
    names = {name: _name_by_content(name, pictures.get(name, "")) for name in named}
    content = record.content
    if named:
        widths = {picture.name: picture.width for picture in content.pictures}
        found = {names[name]: Picture(names[name], pictures.get(name, ""), widths.get(name, 0.0)) for name in named}
        content = replace(content, pictures=tuple(found.values()))
    fields = question_fields(_counted_from_one(replace(record, content=content, concepts=concepts)))
    return read_question(_renamed(fields, names) if names else fields)


def _counted_from_one(record: QuestionRecord) -> QuestionRecord:
    """Remove the paper's question numbers from a question's shared text: each worksheet inserts its own."""
    shared = record.content.stimulus.text
    if not shared or not record.text.startswith(shared):
        return record
    own = "\n\n".join(map(counted_from_one, shared.split("\n\n")))
    stimulus = replace(record.content.stimulus, text=own)
    content = replace(record.content, stimulus=stimulus)
    return replace(record, text=own + record.text[len(shared) :], content=content)


def _name_by_content(name: str, sha256: str) -> str:
    """Return a picture's name in the bank, from its hash: programs renumber the pictures in every file they write."""
    return f"{sha256[:12]}{PurePath(name).suffix}" if sha256 else name


def _renamed(value: Any, names: Mapping[str, str]) -> Any:
    """Return a question's fields with the pictures renamed in their texts."""
    if isinstance(value, str):
        return PICTURE.sub(lambda match: f"![{match['alt']}]({names.get(match['name'].strip(), match['name'])})", value)
    if isinstance(value, Mapping):
        return {key: _renamed(each, names) for key, each in value.items()}
    return [_renamed(each, names) for each in value] if isinstance(value, list | tuple) else value


def _texts(record: QuestionRecord) -> Iterator[str]:
    yield from (record.text, *(option.text for option in record.options), record.answer, record.solution)
    yield from content_texts(record.content)
