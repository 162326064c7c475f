"""Questions and labelled pairs from JSON Lines files, for training and evaluation without a database.

A line with ``original`` and ``paraphrase`` is a pair (``label`` 1 valid, 0 not), one with ``text`` is a
question. In a folder, files named ``test*`` must never be trained on, and those named ``val*`` are for
choosing settings and must not be trained on either; all others are training data.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from analytics.errors import DataError
from analytics.json_lines import TEXT_LIMIT, naming_line, read_objects, string_problem
from analytics.records import ParaphrasePair
from analytics.splits import KeptOut

_ENDINGS = (".jsonl", ".jsonl.gz")
_SHORT = 200  # characters of an identifier or an operator's name


@dataclass(frozen=True)
class Material:
    """A scorer's training data, and what it must not see.

    Attributes:
        questions: questions from which operators make triplets.
        given: labelled pairs for training.
        validation: labelled pairs for evaluation during training; their source is the file's name.
        kept_out: the questions of the ``test*`` and ``val*`` files.
        decided: pairs labelled by this bank's reviewers; the verdict is fitted on them.
    """

    questions: tuple[str, ...]
    given: tuple[ParaphrasePair, ...] = ()
    validation: tuple[ParaphrasePair, ...] = ()
    kept_out: KeptOut = field(default_factory=KeptOut)
    decided: tuple[ParaphrasePair, ...] = ()


def read_material(data: Path, *, language: str = "") -> Material:
    """Read a file or a folder of files.

    Args:
        data: a single file is training data; in a folder, the role of each file depends on its name.
        language: use the questions of one language only.

    Raises:
        DataError: there is no data, or a line cannot be read; the message names file and line.
    """
    files = [data] if data.is_file() else sorted(path for path in data.glob("*") if path.name.endswith(_ENDINGS))
    if not files:
        raise DataError(f"There is no file (.jsonl or .jsonl.gz) at {data}.")
    questions: dict[str, None] = {}
    given: list[ParaphrasePair] = []
    validation: list[ParaphrasePair] = []
    kept: list[str] = []
    for file in files:
        apart = len(files) > 1 and file.name.startswith(("test", "val"))
        for number, row in read_objects(file):
            with naming_line(file, number):
                pair = _pair(row, number) if "paraphrase" in row else None
                text = _question(row)
            if apart:
                kept += [wording for wording in (text, pair and pair.original, pair and pair.paraphrase) if wording]
                if pair is not None and file.name.startswith("val"):
                    validation.append(replace(pair, source=file.name.partition(".")[0]))
            elif pair is not None:
                given.append(pair)
            elif text and language in ("", row.get("language") or "en"):
                questions[text] = None
    if not questions and not given:
        raise DataError(f"There is nothing to learn from in {data}.")
    return Material(
        questions=tuple(questions),
        given=tuple(given),
        validation=tuple(without_unchanged(validation)),
        kept_out=KeptOut.of(kept),
    )


def read_pairs(path: Path) -> list[ParaphrasePair]:
    """Read the pairs of a file.

    Raises:
        DataError: there are none, or a line cannot be read; the message names file and line.
    """
    pairs = []
    for number, row in read_objects(path):
        with naming_line(path, number):
            pairs.append(_pair(row, number))
    if not pairs:
        raise DataError(f"{path.name} holds no pair.")
    return pairs


def pair_line(pair: ParaphrasePair) -> str:
    """Return a pair as a line for `read_pairs`, without a newline."""
    row = {name: value for name, value in asdict(pair).items() if name != "source"}
    return json.dumps(row, ensure_ascii=False)


def without_unchanged(pairs: Iterable[ParaphrasePair]) -> list[ParaphrasePair]:
    """Remove pairs labelled invalid that differ only in whitespace: the operator did not apply."""
    return [
        pair for pair in pairs if pair.label != 0 or "".join(pair.original.split()) != "".join(pair.paraphrase.split())
    ]


def _pair(row: Mapping[str, Any], number: int) -> ParaphrasePair:
    original, paraphrase, label = row.get("original"), row.get("paraphrase"), row.get("label")
    if not isinstance(original, str) or not isinstance(paraphrase, str):
        raise ValueError("a pair has an original and a paraphrase, both text")
    for name, text in (("original", original), ("paraphrase", paraphrase)):
        if problem := string_problem(text, TEXT_LIMIT) or ("" if text.strip() else "is empty"):
            raise ValueError(f"the {name} {problem}")
    if label is not None and (isinstance(label, bool) or label not in (0, 1)):
        raise ValueError("the label must be 1 (valid) or 0 (not)")
    return ParaphrasePair(
        id=_short(row, "id") or str(number),
        original=original,
        paraphrase=paraphrase,
        label=label,
        operator=_short(row, "operator") or _short(row, "kind"),
    )


def _question(row: Mapping[str, Any]) -> str:
    """Return the question of a line that is not a pair; empty if it has none."""
    text = row.get("text") or ""
    if not isinstance(text, str):
        raise ValueError("the text is not a string")
    if problem := string_problem(text, TEXT_LIMIT):
        raise ValueError(f"the text {problem}")
    return text if text.strip() else ""


def _short(row: Mapping[str, Any], name: str) -> str:
    text = str(row.get(name) or "")
    if problem := string_problem(text, _SHORT):
        raise ValueError(f"the {name} {problem}")
    return text
