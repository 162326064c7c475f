"""A tiny training of each capability and tiny tables of each paper, by the commands that people give."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.golden import product
from tests.golden.answers import generated_problems
from tests.golden.bank import BASE_DIR
from tests.golden.texts import as_json, normalised, rounded

_CPU = ("device=cpu", "mixed_precision=False", "batch_size=8", "epochs=1")
_SHAPES = ("square", "circle", "kite", "cone", "cube", "prism", "rhombus", "hexagon", "torus", "sphere")
TRAININGS: dict[str, tuple[str, tuple[str, ...]]] = {  # capability: its data, its settings
    "encoder": ("questions.jsonl", (*_CPU, "projection=16", "queue_size=16", "metric_steps=2", "max_tokens=64")),
    "paraphrase": ("questions.jsonl", (*_CPU, "triplets_per_question=2", "max_steps=4")),
    "solver": ("problems.jsonl", (*_CPU, "contrast_epochs=1", "measured=4", "contrast=pattern")),
    "analogy": ("problems.jsonl", (*_CPU, "measured=4", "adapter_rank=2")),
    "probes": ("questions.jsonl", ("iterations=20",)),
}
TABLES: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {  # paper: its arms and sets, its settings
    "encoder": (
        ("--arms", "frozen", "tfidf", "quesco", "dapt", "scl", "--train-on", "tal", "--measure-on", "tal", "math"),
        (*_CPU, "projection=8", "queue_size=16", "max_tokens=32"),
    ),
    "solver": (
        ("--arms", "retrieve-tfidf", "gts", "none", "pattern", "textual-train", "--train-on", "asdiv_a/fold-0"),
        (*_CPU, "contrast_epochs=1", "measured=0"),
    ),
    "analogy": (
        ("--arms", "random", "tfidf", "bound", "frozen", "paper", "ours", "--train-on", "asdiv_a/fold-0", "--ask", "0"),
        (*_CPU, "measured=0"),
    ),
    "paraphrase": (
        ("--arms", "edit-distance", "same-numbers", "frozen", "paraqd", "ours", "--train-on", "gsm8k"),
        (*_CPU, "triplets_per_question=2", "max_steps=3"),
    ),
}  # fmt: skip


def write_data(inputs: Path, _data: Path) -> None:
    """Write a tiny encoder, and sets of made-up questions where the commands look for public ones."""
    product.write_tiny_backbone(inputs / "backbone")
    problems = [{**row, "fold": number % 2} for number, row in enumerate(generated_problems(160))]
    _write(inputs / "questions.jsonl", _questions("test"))
    _write(inputs / "problems.jsonl", problems)
    sets = inputs / "sets"
    for name, rows in (
        ("tal_scq_en/train", _questions("tal")),
        ("conceptmath/elementary_en", _questions("concept")),
        ("conceptmath/middle_en", _questions("middle")),
        ("math/train", _questions("math")),
        ("math/test", _questions("math test")),
        ("asdiv_a/cv", problems),
        ("mawps/cv", problems[:40]),
        ("asdiv/all", problems[:1]),
        ("aqua_rat/dev", problems[:1]),
        ("aqua_rat/test", problems[:1]),
        ("gsm8k/train", _questions("gsm")),
        ("paraqd/aquarat_val", _pairs(problems[:10])),
        ("paraqd/aquarat_test", _pairs(problems[10:20])),
        ("paraqd/sawp_test", _pairs(problems[20:24])),
    ):
        _write(sets / f"{name}.jsonl.gz", rows)


def _questions(source: str) -> list[dict[str, Any]]:
    return [
        {
            "id": f"{source}-{number}",
            "text": f"{source}: find the {what} of a {shape} called {chr(97 + number // 30)}.",
            "language": "en",
            "concepts": [["Root", "Geometry", what.title(), shape.title()]],
            "difficulty": 1.0 + number % 3,
            "difficulty_scale": "1-5",
        }
        for number in range(90)
        for what, shape in [(("area", "length", "volume")[number % 3], _SHAPES[number // 3 % 10])]
    ]


def _pairs(problems: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [
        {"id": f"{row['id']}-{label}", "original": row["text"], "paraphrase": paraphrase, "label": label}
        for row in problems
        for label, paraphrase in ((1, row["text"].replace("How many", "What number of")), (0, f"9{row['text']}"))
    ]


def _write(path: Path, rows: list[dict[str, Any]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    data = "".join(json.dumps(row) + "\n" for row in rows).encode()
    path.write_bytes(gzip.compress(data, mtime=0) if path.suffix == ".gz" else data)


def trainings(inputs: Path, work: Path) -> Iterator[tuple[str, str]]:
    """Yield what each training says, and the manifest of the model that it writes."""
    for capability, (data, settings) in TRAININGS.items():
        output = work / capability
        arguments = ["--data", inputs / data, "--output", output]
        if capability in ("encoder", "probes"):
            arguments += ["--hierarchy", "Root"]
        if capability == "probes":
            arguments += ["--backbone", inputs / "backbone"]
        else:
            settings = (f"backbone={inputs / 'backbone'}", *settings)
        said = _run(["-m", "analytics", "train", capability, *arguments], settings, work)
        yield capability, normalised(said + _figures(output / "manifest.json"), work, inputs)


def tables(inputs: Path, work: Path) -> Iterator[tuple[str, str]]:
    """Yield the tables of each paper, and the figures of each of its runs."""
    for capability, (arguments, settings) in TABLES.items():
        output = work / capability
        places = ["--data", inputs / "sets", "--output", output]
        settings = (f"backbone={inputs / 'backbone'}", *settings)
        command = ["manage.py", "reproduce", capability, *places, *arguments, "--seeds", "1"]
        said = _run(command, settings, work)
        figures = "".join(map(_figures, sorted(output.rglob("figures.json"))))
        yield capability, normalised(f"{said}\n{figures}", work, inputs)


def _run(command: list[Any], settings: tuple[str, ...], work: Path) -> str:
    """Return what a command writes, and its exit status."""
    chosen = [argument for setting in settings for argument in ("--set", setting)]
    environment = {**os.environ, "TEST_VAR_DIR": str(work / "var")}
    ended = subprocess.run(
        [sys.executable, *map(str, command), *chosen], cwd=BASE_DIR, env=environment, check=False,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip
    return f"exit status {ended.returncode}\n{ended.stdout}"


def _figures(path: Path) -> str:
    """Return a file of figures without what differs from one run to the next."""
    if not path.exists():
        return f"no {path.name}\n"
    return f"{path}\n{as_json(rounded(_steady(json.loads(path.read_text(encoding='utf-8')))))}"


def _steady(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _steady(item) for key, item in value.items() if key not in ("seconds", "created", "machine")}
    return [_steady(item) for item in value] if isinstance(value, list) else value
