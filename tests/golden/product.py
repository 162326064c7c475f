"""The product's inner functions that parts call: the only imports from modules that may move.

Everything else goes through commands, URLs and Django's registry of models.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any


def start_servers(var_dir: Path) -> None:
    """Start the embedded PostgreSQL and Redis of a folder; they stop with the last process that uses them."""
    from questionbank import local as embedded

    embedded.ensure(var_dir, services={"postgres", "redis"})


def write_tiny_backbone(folder: Path) -> None:
    """Write a tiny random encoder."""
    from analytics.backbone.export import save_backbone
    from tests.tiny_backbone import tiny_backbone

    save_backbone(tiny_backbone(max_tokens=128), folder)


def read_questions(path: Path, format: str) -> Iterator[tuple[str, Any]]:
    """Yield what a file of questions holds, each with the word for what it is, and what is said of the whole file.

    Raises:
        ImportRefused: The file cannot be read.
    """
    from analytics.records import QuestionRecord
    from questionbank.core.errors import LineProblem, LineWarning
    from questionbank.formats import read

    words = {QuestionRecord: "question", LineProblem: "problem", LineWarning: "warning"}
    file = read(path, format)
    yield "format", file.label
    for line, entry in file:
        yield f"{line} {words.get(type(entry), 'concept')}", entry
    yield "notes", file.notes


def read_paper(path: Path, *, is_pasted: bool) -> Any:
    """Return the questions of a test paper with their doubts, and what is said of the whole paper.

    Raises:
        DocumentRefused: The paper cannot be read.
    """
    from questionbank.papers.documents import read_document, read_text
    from questionbank.papers.question_assembly import assemble, guess_roles

    document = read_text(path.read_text(encoding="utf-8")) if is_pasted else read_document(path, path.name)
    paper = assemble(document.lines, guess_roles(document.lines))
    questions = [replace(question, doubts=tuple(map(str, question.doubts))) for question in paper.questions]
    return {"said": document.notices, "paper": replace(paper, questions=tuple(questions))}
