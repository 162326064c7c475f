"""How long worksheets take to print and how much memory, and how many formulas of real questions are typeset.

    python -m tests.bench.printing [--data FOLDER] [--formulas N]

PDF of 40 and of 400 questions of two public sets, with their options: wall time from the records to the bytes, with
formulas drawn before and not, processor time and peak of memory of the child. Then N formulas: how many Temml draws,
how many of these Typst sets in a file that passes PDF/UA-1, and the time. Then 40 questions as a Word file.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")

import django

django.setup()

from questionbank.formulas import FormulaRefused, formula_mathml  # noqa: E402
from questionbank.worksheets.printing import typesetting  # noqa: E402
from questionbank.worksheets.printing.pdf import Content, worksheet_pdf  # noqa: E402
from questionbank.worksheets.printing.word import worksheet_docx  # noqa: E402
from questionbank.worksheets.sheet import Sheet, SheetItem, SheetSection  # noqa: E402
from tests.bench.benchmark import read_options, timed  # noqa: E402
from tests.questionbank.worksheets.printing.samples import public_formulas, public_questions  # noqa: E402

REPEATS = 3
GATES = {40: 0.5, 400: 4.0}  # seconds
MEGABYTES = 200
TYPESET = 0.999
_CHILD = """
import runpy, sys
sys.argv = sys.argv[1:]
sys.stdout.flush()
try:
    runpy.run_path(sys.argv[0], run_name="__main__")
finally:
    print(*[line for line in open("/proc/self/status") if line.startswith("VmHWM")], file=sys.stderr)
    import resource
    print("seconds", resource.getrusage(resource.RUSAGE_SELF).ru_utime, file=sys.stderr)
"""


def _sheet(rows: list[dict]) -> Sheet:
    items = (
        SheetItem(str(number), row["text"], options=tuple((o["label"], o["text"]) for o in row.get("options") or []))
        for number, row in enumerate(rows, start=1)
    )
    return Sheet("Benchmark", (SheetSection(tuple(items)),))


def _child(sheets: list[Sheet]) -> tuple[float, float, dict]:
    """Return megabytes and processor seconds of the child, and what it could not set."""
    content = Content()
    data = content.data(sheets)
    here = Path(typesetting.__file__).parent
    with tempfile.TemporaryDirectory() as folder:
        for name in ("worksheet.typ", "formula.typ"):
            shutil.copyfile(here / name, Path(folder, name))
        Path(folder, "content.json").write_text(json.dumps(data, ensure_ascii=False), encoding="utf-8")
        done = subprocess.run(
            [sys.executable, "-c", _CHILD, typesetting.__file__, folder], capture_output=True, text=True, check=True
        )
    peak = int(re.search(r"VmHWM:\s+(\d+)", done.stderr)[1]) / 1024
    return peak, float(re.search(r"seconds ([\d.]+)", done.stderr)[1]), json.loads(done.stdout)


def _questions(data: Path, failures: list[str]) -> None:
    for name in ("math", "tal_scq_en"):
        for count, gate in GATES.items():
            sheet = _sheet(list(public_questions(data, name, count)))
            began, used = time.perf_counter(), time.process_time()
            worksheet_pdf([sheet])
            first, used = time.perf_counter() - began, time.process_time() - used
            repeats = [timed(lambda sheet=sheet: len(worksheet_pdf([sheet]))) for _ in range(REPEATS)]
            times, size = [seconds for seconds, _size in repeats], repeats[0][1]
            peak, seconds, notes = _child([sheet])
            print(
                f"{name}, {count} questions: {statistics.median(times):.2f} s ({min(times):.2f} to {max(times):.2f}),"
                f" the first time {first:.2f} s ({used:.2f} s of processor);"
                f" child {seconds:.2f} s of processor, {peak:.0f} MB;"
                f" {size / 1024:.0f} kB;"
                f" not set: {len(notes['refused'])} formulas, characters {notes['missing']}"
            )
            if min(times) > gate or peak > MEGABYTES:
                failures.append(f"{name}, {count} questions: {min(times):.2f} s, {peak:.0f} MB")


def _formulas(data: Path, count: int, failures: list[str]) -> None:
    formulas = public_formulas(data, count)
    drawn = []
    for latex in formulas:
        try:
            formula_mathml(latex)
        except FormulaRefused:
            continue
        drawn.append(latex)
    items = tuple(SheetItem(str(number), f"${latex}$") for number, latex in enumerate(drawn, start=1))
    refused, seconds = 0, 0.0
    for start in range(0, len(items), 500):
        _, used, notes = _child([Sheet("Formulas", (SheetSection(items[start : start + 500]),))])
        refused += len(notes["refused"])
        seconds += used
    share = 1 - refused / len(drawn)
    print(
        f"{count} formulas: Temml draws {len(drawn)}, Typst"
        f" sets {len(drawn) - refused} ({share:.2%}) in {seconds:.2f} s"
    )
    if share < TYPESET:
        failures.append(f"formulas: {share:.2%}")


def main() -> int:
    """Print the figures; the exit code says whether they are good enough."""
    arguments = read_options(formulas=3_000)
    failures: list[str] = []
    _questions(arguments.data, failures)
    _formulas(arguments.data, arguments.formulas, failures)
    sheet = _sheet(list(public_questions(arguments.data, "math", 40)))
    seconds, file = timed(lambda: worksheet_docx([sheet]))
    print(f"Word file of 40 questions: {seconds:.2f} s, {len(file) / 1024:.0f} kB")
    for failure in failures:
        print("missed:", failure)
    return bool(failures)


if __name__ == "__main__":
    sys.exit(main())
