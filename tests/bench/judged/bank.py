"""The banks of the judged queries: parts of public sets, each with its own hierarchy, perhaps beside the demo.

A question is named by the identifier of its set (`math-train-12`, `opl-...`, `tal-en-train-7`, `math23k-41`,
`demo-...`), which stays the same in every bank. Imported and encoded once (about four minutes on two cores), kept
in a `VAR_DIR` of its own.
"""

from __future__ import annotations

import gzip
import json
import tempfile
from collections.abc import Mapping
from pathlib import Path

from tests.bench.bank import encode_bank, set_up

PARTS = {  # the bank's source: (file, every n-th row is taken)
    "MATH": ("math/train", 3),
    "OPL": ("opl/all", 2),
    "TAL-SCQ5K": ("tal_scq_en/train", 2),
    "Math23K": ("math23k/train", 20),
}


def open_judged_bank(
    *, data: Path, var: Path, parts: Mapping[str, tuple[str, int]] = PARTS, name: str = "bank-judged", demo: bool = True
) -> None:
    """Set Django up with the bank of about 10,000 ready questions, all with vectors and indexes.

    Args:
        parts: of the public sets, as in `PARTS`.
        name: folder of the bank in `var`.
        demo: put the demo bank beside them.

    Raises:
        SystemExit: a public set is not in the folder.
    """
    for file, _every in parts.values():
        if not (data / f"{file}.jsonl.gz").is_file():
            raise SystemExit(f"The judged queries need the public sets; {data / file}.jsonl.gz is missing.")
    set_up(var / name)
    from questionbank.imports.options import ImportOptions
    from questionbank.imports.services import import_file
    from questionbank.models import Question
    from questionbank.operations.setup import demo_bank_install

    if demo and not Question.objects.exists():
        demo_bank_install(report=print)
    for source, (file, every) in parts.items():
        if Question.objects.filter(source=source).exists():
            continue
        with tempfile.TemporaryDirectory() as scratch:
            path = Path(scratch) / "questions.jsonl.gz"
            _write_part(data / f"{file}.jsonl.gz", every, path)
            report = import_file(
                path=path, options=ImportOptions(source=source, hierarchy=source, skip_invalid=True), embed=False
            )
        print(f"{source}: {report.created:,} questions", flush=True)
    encode_bank()


def question_ids() -> dict[str, int]:
    """Primary keys of the bank's questions by the identifiers of their sets."""
    from questionbank.models import Question

    return dict(Question.objects.values_list("source_id", "pk"))


def _write_part(file: Path, every: int, path: Path) -> None:
    """Write every n-th row; the set's own `source` and `source_id` give way to its name and its ids."""
    with (
        gzip.open(file, "rt", encoding="utf-8") as rows,
        gzip.open(path, "wt", encoding="utf-8", compresslevel=1) as part,
    ):
        for number, line in enumerate(rows):
            if number % every == 0:
                row = json.loads(line)
                kept = {name: value for name, value in row.items() if name not in ("source", "source_id")}
                part.write(json.dumps(kept, ensure_ascii=False) + "\n")
