"""Base class of commands that read a file of questions and write another file."""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

from questionbank.formats.answer_files import convert_questions
from questionbank.management.base import BankCommand


class FileCommand(BankCommand):
    """Converts one file into another; nothing is added to the bank.

    Attributes:
        reads, writes: contents of the two files' lines.
        convert: reads, converts and writes the lines.
    """

    needs_model = True
    reads: ClassVar[str] = "questions"
    writes: ClassVar[str]
    convert: ClassVar[Callable[..., int]] = staticmethod(convert_questions)

    def add_arguments(self, parser: ArgumentParser) -> None:
        for name, lines in (("--input", self.reads), ("--output", self.writes)):
            parser.add_argument(name, type=Path, required=True, help=f"{lines}.jsonl, or .jsonl.gz")

    def converter(self, options: dict[str, Any], notices: set[str]) -> Callable[[Any], list[dict[str, Any]]]:
        """Return a function that converts a batch of lines and adds messages for people to `notices`."""
        raise NotImplementedError

    def handle(self, *args: Any, **options: Any) -> None:
        notices: set[str] = set()
        try:
            written = self.convert(
                source=options["input"],
                target=options["output"],
                convert=self.converter(options, notices),
                report=self.stderr.write,
            )
        finally:
            for notice in sorted(notices):
                self.stderr.write(notice)
        self.stderr.write(self.said(written, options["output"]))

    def said(self, written: int, output: Path) -> str:
        """Return the final message."""
        return f"{written:,} {self.writes} are in {output}."
