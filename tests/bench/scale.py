"""Vectors of a file by two nodes of Ray, of which one is killed, beside the same file by this machine alone.

    python -m tests.bench.scale [--data FOLDER] [--questions N]

The texts are short ones of the public sets, repeated with their numbers changed; the encoder is Kindred's own. The
nodes are processes on this machine with one processor each. One is killed with kill -9 when a third of the blocks is
there.
The gate: the same questions, none missing and none twice, with the same vectors. Needs `pip install '.[scale]'`.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from itertools import count, islice
from pathlib import Path

import numpy as np

from analytics.bulk.files import arrow_modules, finished_manifest, read_results, vectors_of
from tests.bench.benchmark import BASE_DIR, gate, read_options, timed
from tests.bench.encode import questions
from tests.ray_nodes import RayNodes

BLOCK_ROWS = 256
LONGEST = 200  # characters


def main() -> int:
    """Print a table; the exit code is 1 where the gate is missed."""
    options = read_options(questions=100_000)
    with tempfile.TemporaryDirectory(prefix="kindred-scale-") as scratch:
        folder = Path(scratch)
        file = folder / "questions.parquet"
        origin = write_questions(file, options.data, options.questions)
        print(f"{options.questions:,} questions ({origin}, numbers changed), blocks of {BLOCK_ROWS}", flush=True)
        seconds, _none = timed(lambda: embed(file, folder / "local"))
        report("local, one process", options.questions, seconds)
        seconds, killed_at = timed(lambda: by_two_nodes(file, folder / "ray"))
        report(f"Ray, two nodes, one killed after {killed_at} blocks", options.questions, seconds)
        return compare(folder / "local", folder / "ray", options.questions)


def write_questions(file: Path, data: Path, number: int) -> str:
    """Write so many different questions, with row groups of a block; return where they are from."""
    arrow, parquet = arrow_modules()
    texts, origin = questions(data, 4_000)
    rows = list(islice(varied([text for text in texts if len(text) <= LONGEST]), number))
    table = arrow.table({"id": [f"q{row}" for row in range(number)], "text": rows})
    parquet.write_table(table, file, row_group_size=BLOCK_ROWS)
    return origin


def varied(texts: list[str]) -> Iterator[str]:
    """Yield the texts again and again, each time with larger numbers."""
    for more in count():
        yield from (_raised(text, more) for text in texts)


def _raised(text: str, more: int) -> str:
    raised = re.sub(r"\d+", lambda match: str(int(match[0]) + more), text)
    return raised if raised != text or not more else f"{text} ({more})"


def embed(file: Path, output: Path, *more: str, environment: Mapping[str, str] = os.environ) -> None:
    """Run the command to its end."""
    subprocess.run(command(file, output, *more), cwd=BASE_DIR, env=environment, check=True)


def command(file: Path, output: Path, *more: str) -> list[str]:
    """Return the command, as people give it."""
    return [sys.executable, "-m", "analytics", "embed", "--input", str(file), "--output", str(output), *more]


def by_two_nodes(file: Path, output: Path) -> int:
    """Compute the vectors by two nodes and kill one; return how many blocks there were then."""
    with RayNodes() as nodes:
        nodes.add()
        options = ["--runner", "ray", "--address", nodes.address, "--nodes", "2"]
        running = subprocess.Popen(command(file, output, *options), cwd=BASE_DIR, env=nodes.environment)
        planned = 3
        while (there := len(list(output.glob("*.parquet")))) < planned / 3 or not there:
            if running.poll() is not None:
                raise SystemExit("The command ended before a node could be killed.")
            if (output / "manifest.json").is_file():
                planned = (output / "manifest.json").read_text().count('"digest"')
            time.sleep(0.1)
        nodes.kill_last()
        if running.wait():
            raise SystemExit("The command failed.")
    return there


def report(way: str, number: int, seconds: float) -> None:
    """Print how long a way took."""
    print(f"{way}: {seconds:.0f} s ({number / seconds:.0f} questions a second, start included)", flush=True)


def compare(first: Path, second: Path, number: int) -> int:
    """Print how far the results are the same; return the exit code."""
    tables = [list(read_results(folder, finished_manifest(folder, "embed"))) for folder in (first, second)]
    ids = [[identifier for table in part for identifier in table["id"].to_pylist()] for part in tables]
    one, other = (np.concatenate([vectors_of(table)[0] for table in part]) for part in tables)
    same = int((one == other).all(axis=1).sum())
    largest = float(np.abs(one.astype(np.float32) - other.astype(np.float32)).max())
    print(f"{same:,} of {number:,} vectors are the same bit by bit; the largest difference is {largest:.2g}")
    complete = ids[0] == ids[1] and len(set(ids[1])) == len(ids[1]) == number
    return gate("none missing, none twice, the same vectors", complete and same == number)


if __name__ == "__main__":
    sys.exit(main())
