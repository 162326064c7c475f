"""The demo bank in every format, and what is read of every sample and test paper that the tests hold."""

from __future__ import annotations

import io
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.golden import product
from tests.golden.bank import BASE_DIR
from tests.golden.harvest import PASTED
from tests.golden.texts import as_json, file_text, normalised

OUTSIDE = BASE_DIR / "tests" / "bench" / "outside"
_NOT_READ = {"truth.jsonl", "README.jsonl", "hostile.md", "expected.md"}


def exports(_inputs: Path, work: Path) -> Iterator[tuple[str, str]]:
    """Yield the demo bank in each format, with what is said of it."""
    from django.core.management import get_commands, load_command_class

    command = load_command_class(get_commands()["export_questions"], "export_questions")
    actions = command.create_parser("manage.py", "export_questions")._actions
    [formats] = [action.help for action in actions if action.dest == "format"]
    for format in str(formats).split(" or "):
        path = work / f"bank.{format}"
        said = called("export_questions", path, format=format)
        data = path.read_bytes() if path.exists() else b""
        yield format, normalised(f"{said}\n{file_text(data)}", work)
        path.unlink(missing_ok=True)
    for format in ("jsonl", "csv"):
        path = work / f"reviews.{format}"
        said = called("export_reviews", path, format=format)
        yield f"reviews-{format}", normalised(f"{said}\n{path.read_text(encoding='utf-8')}", work)


def called(command: str, *arguments: Any, **options: Any) -> str:
    """Run a command of the site here; return all that it writes, or why it ends."""
    from django.core.management import CommandError, call_command

    written = io.StringIO()
    try:
        call_command(command, *arguments, stdout=written, stderr=written, no_color=True, **options)
    except CommandError as error:
        written.write(f"refused: {error}")
    return written.getvalue()


def write_samples(inputs: Path, _data: Path) -> None:
    """Keep strangers' files, and every file that the tests of formats read."""
    for folder in sorted([*OUTSIDE.glob("*/files"), *OUTSIDE.glob("*/moodle"), *OUTSIDE.glob("*/imports")]):
        shutil.copytree(folder, inputs / "outside" / folder.parent.name / folder.name / "auto")
    _harvest(inputs, "samples", "tests/questionbank/formats")


def write_papers(inputs: Path, _data: Path) -> None:
    """Keep the judged test papers, and every paper that the tests of test papers read."""
    for folder in sorted(OUTSIDE.glob("*/papers")):
        shutil.copytree(folder, inputs / "outside" / folder.parent.name)
    _harvest(inputs, "papers", "tests/questionbank/papers")


def _harvest(inputs: Path, kind: str, tests: str) -> None:
    """Run tests and keep the files that they read; a failing test is another command's to report."""
    folder = inputs / "harvest"
    plugins = ["-p", "tests.golden.harvest", "-p", "no:cacheprovider"]
    with tempfile.TemporaryDirectory(prefix="golden-") as servers:
        environment = {**os.environ, "GOLDEN_HARVEST": str(folder), "TEST_VAR_DIR": servers}
        command = [sys.executable, "-m", "pytest", "-q", *plugins, tests]
        subprocess.run(command, cwd=BASE_DIR, env=environment, check=False, stdout=subprocess.DEVNULL)
    for other in folder.iterdir():
        if other.name != kind:
            shutil.rmtree(other)


def _paths(inputs: Path) -> list[Path]:
    return sorted(path for path in inputs.rglob("*") if path.is_file() and path.name not in _NOT_READ)


def samples(inputs: Path, work: Path) -> Iterator[tuple[str, str]]:
    """Yield what is read of each file: questions, problems, warnings, or why it is refused."""
    for path in _paths(inputs):
        found: list[Any] = []
        try:
            found.extend(product.read_questions(path, path.parent.name))
        except Exception as error:  # noqa: BLE001 - whatever stops the reading is part of what it does
            found.append(("refused", _refusal(error)))
        yield str(path.relative_to(inputs)), normalised(as_json(found), work, inputs)


def papers(inputs: Path, work: Path) -> Iterator[tuple[str, str]]:
    """Yield what is read of each test paper: questions with their doubts, or why it is refused."""
    for path in _paths(inputs):
        try:
            found = product.read_paper(path, is_pasted=path.name == PASTED)
        except Exception as error:  # noqa: BLE001 - likewise
            found = {"refused": _refusal(error)}
        yield str(path.relative_to(inputs)), normalised(as_json(found), work, inputs)


def _refusal(error: Exception) -> Any:
    return [str(error), getattr(error, "problems", [])]
