"""The public data sets behind the encoder's evidence: training parts, test parts, and what is left out.

Protocol: the first path of each question, common leading nodes dropped, `text` alone with whitespace collapsed, at most
1,500 characters, exact duplicates removed. A set is split by number-masked text, 80 % for training. An encoder is
trained on the training parts of all sets together; for MATH only on questions of its published train file.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from analytics.encoder.examples import EncoderExample
from analytics.errors import DataError
from analytics.question_files import QuestionRow, read_rows
from analytics.splits import KeptOut, grouped_split, groups_by_masked_text
from worker.encoder.representation import SplitSet, plain_text

_TEST_SHARE = 0.2


@dataclass(frozen=True, slots=True)
class Source:
    """A public data set.

    Attributes:
        files: files that are read together.
        may_train: the files that an encoder may be trained on.
        levels: number of concept levels to evaluate.
        most: number of questions to probe, drawn with the seed of the split; 0 for all.
    """

    title: str
    folder: str
    files: tuple[str, ...]
    may_train: tuple[str, ...]
    levels: int
    most: int = 0


SOURCES: dict[str, Source] = {
    "tal": Source("TAL-SCQ5K English", "tal_scq_en", ("train",), ("train",), 3),
    "conceptmath": Source(
        "ConceptMath English", "conceptmath", ("elementary_en", "middle_en"), ("elementary_en", "middle_en"), 3
    ),
    "opl": Source("OPL", "opl", ("all",), ("all",), 3, most=4000),
    "math": Source("MATH", "math", ("train", "test"), ("train",), 1, most=3000),
    "eedi": Source("Eedi", "eedi", ("train",), (), 3),
    "omni": Source("Omni-MATH", "omni_math_rule", ("test",), (), 3),
}
TRAINED_ON = ("tal", "conceptmath", "opl", "math")
TRANSFER = ("eedi", "omni")
"""Never trained on: they show an encoder's quality on a hierarchy that it has not seen."""


def split_sets(data: Path, names: Sequence[str], *, seed: int) -> dict[str, SplitSet]:
    """Read and split the named sets.

    Args:
        data: the folder with a subfolder per set.
        names: keys of `SOURCES`.
        seed: seed of the split.

    Raises:
        DataError: a set's files are missing.
    """
    return {name: _split_set(data, name, seed) for name in names}


def _split_set(data: Path, name: str, seed: int) -> SplitSet:
    source = SOURCES[name]
    rows: list[tuple[QuestionRow, bool]] = []
    for part in source.files:
        file = data / source.folder / f"{part}.jsonl.gz"
        if not file.is_file():
            raise DataError(f"{source.title} is not there: {file.parent.name}/{file.name} is missing.")
        rows += [(row, part in source.may_train) for row in read_rows(file) if row.paths]
    rows_by_text: dict[str, tuple[QuestionRow, bool]] = {}
    for row, may_train in rows:
        if text := plain_text(row):
            rows_by_text.setdefault(text, (row, may_train))
    rng = np.random.default_rng(seed)
    is_test = grouped_split(groups_by_masked_text(list(rows_by_text)), _TEST_SHARE, rng)
    tested = KeptOut.of(text for text, is_tested in zip(rows_by_text, is_test, strict=True) if is_tested)
    is_apart = is_test | np.array([not tested.holds(text) for text in rows_by_text], dtype=bool)
    is_probed = is_apart.copy()
    if source.most:
        is_probed[rng.permutation(len(rows_by_text))[source.most :]] = False
    whole = SplitSet.of(
        name,
        {text: row for text, (row, _may_train) in rows_by_text.items()},
        is_test=is_test,
        levels=source.levels,
        duplicates=len(rows) - len(rows_by_text),
    )
    may_train = is_apart & np.array([may_train for _row, may_train in rows_by_text.values()], dtype=bool)
    return replace(whole, is_probed=is_probed, may_train=may_train)


def pretraining_examples(sets: Mapping[str, SplitSet], trained_on: Sequence[str]) -> tuple[list[EncoderExample], int]:
    """Return the questions to train an encoder on, and how many were left out because another set tests on them.

    A question that occurs in the test part of any set, ignoring numbers, is left out.
    """
    tested = KeptOut.of(
        text
        for tested_set in sets.values()
        for text, is_test in zip(tested_set.texts, tested_set.is_test, strict=True)
        if is_test
    )
    examples: list[EncoderExample] = []
    leaked = 0
    for name in trained_on:
        training_set = sets[name]
        for row in np.flatnonzero(training_set.may_train & ~training_set.is_test):
            if tested.holds(training_set.texts[row]):
                leaked += 1
                continue
            difficulty = training_set.difficulties[row]
            examples.append(
                EncoderExample(
                    text=training_set.texts[row],
                    paths=(training_set.paths[row],),
                    hierarchy=name,
                    solution=training_set.solutions[row],
                    difficulty=None if np.isnan(difficulty) else float(difficulty),
                )
            )
    return examples, leaked
