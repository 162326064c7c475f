"""Training examples of an encoder: questions with their concepts, from files or from a bank."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from analytics.concept_paths import common_leading_nodes, without_leading
from analytics.errors import DataError
from analytics.question_files import QuestionRow, read_rows
from analytics.records import ConceptPath
from analytics.splits import KeptOut, is_held_out


@dataclass(frozen=True, slots=True)
class EncoderExample:
    """A training question.

    Attributes:
        text: the question.
        paths: its concept paths, without the leading nodes that all questions of the hierarchy share.
        hierarchy: name of the hierarchy; distances between hierarchies are undefined.
        solution: worked solution, empty if there is none; used only as a second view in training.
        difficulty: on the scale of its hierarchy's source; None if unknown.
    """

    text: str
    paths: tuple[ConceptPath, ...] = ()
    hierarchy: str = ""
    solution: str = ""
    difficulty: float | None = None


def read_examples(data: Path, *, language: str = "", hierarchy: str = "") -> list[EncoderExample]:
    """Return the questions of a JSON Lines file, of a folder of them, or of a folder of such folders.

    In folders, files named ``test*`` are skipped, and so are questions that differ from those in them only in
    their numbers. Each file or folder of files forms its own hierarchy, named after it, unless `hierarchy` names
    one for all. Exact duplicates are dropped.

    Raises:
        DataError: there are no questions, a line cannot be read, or no question is in the language.
    """
    data = Path(data)
    folders = sorted(folder for folder in data.iterdir() if folder.is_dir()) if data.is_dir() else []
    examples: list[EncoderExample] = []
    for source in folders or [data]:
        rows = [row for row in read_rows(source) if language in ("", row.language)]
        tests = source.glob("test*.jsonl*") if source.is_dir() else ()
        kept_out = KeptOut.of(row.text for file in tests for row in read_rows(file))
        rows_examples = examples_of(rows, hierarchy or source.name.partition(".")[0])
        examples += [example for example in rows_examples if not kept_out.holds(example.text)]
    if not examples:
        raise DataError(f"No question in {data} is in the language {language!r}.")
    return list({(example.text, example.hierarchy): example for example in examples}.values())


def examples_of(rows: Sequence[QuestionRow], hierarchy: str) -> list[EncoderExample]:
    """Return the questions of one hierarchy as examples; those without a text are left out."""
    leading = common_leading_nodes(path for row in rows for path in row.paths)
    return [
        EncoderExample(
            text=row.text,
            paths=tuple(dict.fromkeys(without_leading(path, leading) for path in row.paths)),
            hierarchy=hierarchy,
            solution=row.solution,
            difficulty=row.difficulty,
        )
        for row in rows
        if row.text.strip()
    ]


def split_held_out(examples: Sequence[EncoderExample]) -> tuple[list[EncoderExample], list[EncoderExample]]:
    """Split questions into a training set and the held-out part that no encoder is trained on.

    Questions that differ from a held-out one only in numbers are in neither.
    """
    held_out = [example for example in examples if is_held_out(example.text)]
    kept_out = KeptOut.of(example.text for example in held_out)
    return [example for example in examples if not kept_out.holds(example.text)], held_out


def examples_hash(examples: Sequence[EncoderExample]) -> str:
    """Return the SHA-256 over the questions and their labels, in order."""
    digest = hashlib.sha256()
    for example in examples:
        digest.update(json.dumps([example.text, example.paths, example.hierarchy, example.difficulty]).encode())
    return digest.hexdigest()
