"""The table of parts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.golden import answers, files, pages, trainings

Outputs = Callable[[Path, Path], Iterator[tuple[str, str]]]
WriteInputs = Callable[[Path, Path], None]


def no_inputs(_inputs: Path, _data: Path) -> None:
    """Write nothing: the part asks the bank alone."""


@dataclass(frozen=True, slots=True)
class Part:
    """Something that the product does.

    Attributes:
        what: it is, for `--help`, with how long it takes.
        outputs: takes the folder of the inputs and an empty one; yields names and texts.
        write_inputs: takes the folder of the inputs and that of the public sets.
        has_bank: whether it asks the demo bank.
    """

    what: str
    outputs: Outputs
    write_inputs: WriteInputs = no_inputs
    has_bank: bool = True


PARTS: dict[str, Part] = {
    "pages": Part("every page for five people, and its SQL statements (4 to 10 min)", pages.pages, pages.write_inputs),
    "exports": Part("the demo bank in every format (5 to 15 min)", files.exports),
    "samples": Part(
        "sample, foreign and hostile files as read (2 to 6 min)", files.samples, files.write_samples, has_bank=False
    ),
    "papers": Part("test papers as questions (3 to 10 min)", files.papers, files.write_papers, has_bank=False),
    "predict": Part("concepts and difficulty of 500 texts (1 min)", answers.predict, answers.write_texts),
    "solve": Part("solutions of 500 texts (2 to 10 min)", answers.solve, answers.write_texts),
    "similar": Part("questions similar to 500 texts (1 to 4 min)", answers.similar, answers.write_texts),
    "exemplars": Part("exemplars of 500 texts (2 to 10 min)", answers.exemplars, answers.write_texts),
    "score_paraphrases": Part("verdicts on 500 pairs (2 to 8 min)", answers.score_paraphrases, answers.write_texts),
    "trainings": Part(
        "a tiny training of each capability (2 to 6 min)", trainings.trainings, trainings.write_data, has_bank=False
    ),
    "tables": Part("tiny tables of each paper (3 to 12 min)", trainings.tables, trainings.write_data, has_bank=False),
}
