r"""How much LaTeX of real questions reaches the reader raw, and what a formula costs.

    python -m tests.bench.formulas [--data FOLDER] [--questions N] [--seed N]

Renders the text, options, answer and worked solution of N questions a set (drawn with the seed) as a question's page
does. A field is *raw* when its visible text holds a command (``\frac``), a delimiter (``\(``), a script in braces
(``^{``) or a dollar sign that belongs to no amount; drawing code folded away is not visible. Then the processor
time of one formula, without the cache. The gate: at most 1 % of the fields of the sets that people write (all but
`opl`, whose templates lost variables on the way) are raw. Then the engine: how long a new process takes to its first
formula, what four processes hold with and without it (PSS: shared pages are counted once, by shares), and how soon bad
input is given up.
"""

from __future__ import annotations

import contextlib
import random
import re
import statistics
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

from analytics.json_lines import read_objects
from analytics.text.formulas import segment_text
from questionbank.formulas import FormulaRefused, draw_formula
from questionbank.rendering import render_question
from tests.bench.benchmark import read_options, timed

SETS = ("math", "opl", "tal_scq_en", "tal_scq_zh", "gaokao_math")
UNGATED = "opl"
LARGEST_SHARE = 0.01
FIELDS = ("text", "option", "answer", "solution")
PROCESSES = 4
BAD_INPUT = {
    "a macro that calls itself": r"\def\a{\a}\a",
    "a macro that doubles": r"\def\a#1{\a{#1#1}}\a{x}",
    "twenty macros that double": "".join(rf"\def\{chr(97 + n)}{{\{chr(98 + n)}\{chr(98 + n)}}}" for n in range(20))
    + r"\a",
    "100 kB of {": "{" * 100_000,
    "a question of 59 kB of {": "$" + "{" * 59_000 + "$",
    "5 kB of roots": r"\sqrt" * 999 + "x",
    "5 kB of scripts": "x^{" * 1_600,
    "a formula that never ends": "$" + r"\frac{1}{x+" * 5_000,
}
_PROCESS = """
import sys, time
began = time.perf_counter()
from questionbank.formulas import formula_mathml
def pss():
    with open("/proc/self/smaps_rollup") as lines:
        return sum(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1024
loaded, before = time.perf_counter(), None
print(loaded - began, flush=True)
sys.stdin.readline()
print(pss(), flush=True)
sys.stdin.readline()
began = time.perf_counter()
formula_mathml("x")
print(time.perf_counter() - began, flush=True)
for number in range(2_000):
    formula_mathml(r"\\frac{%d}{2} + \\sqrt{x} \\overline{abc}" % number)
sys.stdin.readline()
print(pss(), flush=True)
sys.stdin.readline()
"""
_RAW = re.compile(r"\\[a-zA-Z]+|\\[()\[\]!,;]|[_^]\{|(?<![\d$A-Z])\$(?!\s?[\d.,])")


class VisibleText(HTMLParser):
    """Collects the text of a page outside folded parts."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []
        self._folded = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._folded += tag == "details"

    def handle_endtag(self, tag: str) -> None:
        self._folded -= tag == "details"

    def handle_data(self, data: str) -> None:
        if not self._folded:
            self.parts.append(data)


def is_raw(source: str) -> bool:
    """Return whether a reader sees LaTeX."""
    reader = VisibleText()
    reader.feed(render_question.__wrapped__(source))
    return _RAW.search("".join(reader.parts)) is not None


def questions(folder: Path, name: str, size: int, seed: int) -> list[dict[str, object]]:
    """Draw questions of a set."""
    files = sorted((folder / name).glob("*.jsonl.gz"))
    rows = [row for path in files for _number, row in read_objects(path)]
    return random.Random(seed).sample(rows, min(size, len(rows)))


def fields(row: dict[str, object]) -> Iterator[tuple[str, str]]:
    """Yield (kind, text) of each field that a page shows."""
    for kind in ("text", "answer", "solution"):
        if row.get(kind):
            yield kind, str(row[kind])
    options = row.get("options")
    for option in options if isinstance(options, list) else []:
        yield "option", str(option["text"])


def milliseconds(rows: list[dict[str, object]]) -> list[float]:
    """Return the processor time of each formula of the questions."""
    times = []
    for row in rows:
        for segment in segment_text(str(row["text"])):
            if segment.kind == "formula":
                began = time.process_time()
                with contextlib.suppress(FormulaRefused):
                    draw_formula(segment.body)
                times.append(1000 * (time.process_time() - began))
    return times


def in_processes() -> list[list[float]]:
    """Return seconds to import, MB, seconds to a first formula and MB after it, of processes side by side."""
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", _PROCESS], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=Path.cwd()
        )
        for _ in range(PROCESSES)
    ]
    answers: list[list[float]] = [[] for _ in processes]
    for _step in range(4):
        for process, figures in zip(processes, answers, strict=True):
            figures.append(float(process.stdout.readline()))
        for process in processes:
            process.stdin.write("\n")
            process.stdin.flush()
    for process in processes:
        process.wait()
    return answers


def given_up() -> dict[str, float]:
    """Return the seconds that each bad input takes until its source is shown."""
    sources = {name: text if text.startswith("$") else f"${text}$" for name, text in BAD_INPUT.items()}
    return {
        name: timed(lambda source=source: render_question.__wrapped__(source))[0] for name, source in sources.items()
    }


def main() -> int:
    """Print a table; the exit code is 1 where the gate is missed."""
    arguments = read_options(questions=1_000, seed=42)

    print(f"{'raw fields':<12}" + "".join(f"{kind:>18}" for kind in FIELDS) + f"{'all':>18}")
    times: list[float] = []
    missed = False
    for name in SETS:
        rows = questions(arguments.data, name, arguments.questions, arguments.seed)
        shown: Counter[str] = Counter()
        raw: Counter[str] = Counter()
        for row in rows:
            for kind, text in fields(row):
                shown[kind] += 1
                raw[kind] += is_raw(text)
        cells = [(raw[kind], shown[kind]) for kind in FIELDS] + [(raw.total(), shown.total())]
        print(f"{name:<12}" + "".join(f"{f'{a} of {b} {a / max(b, 1):.1%}':>18}" for a, b in cells), flush=True)
        missed = missed or (name != UNGATED and raw.total() > LARGEST_SHARE * shown.total())
        times.extend(milliseconds(rows))
    times.sort()
    print(
        f"one of {len(times)} formulas: median {statistics.median(times):.2f} ms, "
        f"mean {statistics.fmean(times):.2f} ms, 95 % under {times[int(0.95 * len(times))]:.2f} ms"
    )
    figures = list(zip(*in_processes(), strict=True))
    print(
        f"import {statistics.median(figures[0]):.2f} s, first formula {statistics.median(figures[2]):.2f} s\n"
        f"{PROCESSES} processes: {sum(figures[1]):.0f} MB (PSS) without the engine, {sum(figures[3]):.0f} MB with it"
    )
    for name, seconds in given_up().items():
        print(f"{name}: {seconds:.3f} s")
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())
