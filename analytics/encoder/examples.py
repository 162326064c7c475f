"""What an encoder learns from: questions with their concepts, from files or from a bank."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from analytics.concept_paths import common_leading_nodes, without_leading
from analytics.errors import DataError
from analytics.question_files import read_rows
from analytics.records import ConceptPath
from analytics.splits import is_held_out

__all__ = ["EncoderExample", "examples_hash", "read_examples", "split_held_out"]


@dataclass(frozen=True, slots=True)
class EncoderExample:
    """A training question.

    Attributes:
        text: the question.
        paths: its concept paths, without the leading nodes that its hierarchy's questions share.
        hierarchy: name of the hierarchy; distances between hierarchies are undefined.
        solution: worked solution, empty where there is none; only ever a second view in training.
        difficulty: on the scale of its hierarchy's source, None where unknown.
    """

    text: str
    paths: tuple[ConceptPath, ...] = ()
    hierarchy: str = ""
    solution: str = ""
    difficulty: float | None = None


def read_examples(data: Path, *, language: str = "", hierarchy: str = "") -> list[EncoderExample]:
    """Questions of a JSON Lines file, of a folder of them, or of a folder of such folders.

    Of folders, files named ``test*`` are left out. Each file or folder of files is a hierarchy of its own,
    named after it, unless `hierarchy` names one for all. Exact duplicates are dropped.

    Raises:
        DataError: nothing is there, a line cannot be read, or no question is in the language.
    """
    data = Path(data)
    folders = sorted(one for one in data.iterdir() if one.is_dir()) if data.is_dir() else []
    examples: list[EncoderExample] = []
    for source in folders or [data]:
        rows = [row for row in read_rows(source) if language in ("", row.language)]
        leading = common_leading_nodes(path for row in rows for path in row.paths)
        examples += [
            EncoderExample(
                text=row.text,
                paths=tuple(dict.fromkeys(without_leading(path, leading) for path in row.paths)),
                hierarchy=hierarchy or source.name.partition(".")[0],
                solution=row.solution,
                difficulty=row.difficulty,
            )
            for row in rows
            if row.text.strip()
        ]
    if not examples:
        raise DataError(f"No question in {data} is in the language {language!r}.")
    return list({(one.text, one.hierarchy): one for one in examples}.values())


def split_held_out(
    examples: Sequence[EncoderExample],
) -> tuple[list[EncoderExample], list[EncoderExample]]:
    """The questions to train on, and those of the fixed part that no encoder is trained on."""
    held = [is_held_out(one.text) for one in examples]
    return (
        [one for one, out in zip(examples, held, strict=True) if not out],
        [one for one, out in zip(examples, held, strict=True) if out],
    )


def examples_hash(examples: Sequence[EncoderExample]) -> str:
    """SHA-256 over the questions and their labels, in their order."""
    digest = hashlib.sha256()
    for one in examples:
        digest.update(json.dumps([one.text, one.paths, one.hierarchy, one.difficulty]).encode())
    return digest.hexdigest()
