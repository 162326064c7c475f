"""What surrounds a training, and that it keeps training functions short of parameters."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from analytics.errors import Cancelled
from analytics.training.context import DEFAULT_CONTEXT, TrainingContext

ANALYTICS = Path(__file__).resolve().parents[3] / "analytics"
MOST_PARAMETERS = 6


def training_modules() -> list[Path]:
    own = [
        path
        for path in ANALYTICS.glob("*/*.py")
        if path.parent.name == "training" or path.stem.startswith("train") or path.stem == "metric_layer"
    ]
    return sorted(own)


def test_a_cancelled_context_says_why():
    DEFAULT_CONTEXT.check("Never said.")
    with pytest.raises(Cancelled, match="while triplets were made"):
        TrainingContext(cancel=lambda: True).check("Stopped while triplets were made.")


def test_callbacks_are_added_and_progress_gets_its_message():
    told = []
    context = TrainingContext(callbacks=(print,), progress=lambda *call: told.append(call))
    assert context.with_callbacks(repr).callbacks == (print, repr)
    context.progress_of("Encoding")(3, 9)
    assert told == [(3, 9, "Encoding")]


def test_no_training_function_takes_more_than_six_parameters():
    modules = training_modules()
    assert {"loop", "train", "metric_layer"} <= {path.stem for path in modules}
    too_many = [
        f"{path.relative_to(ANALYTICS)}: {function.name}"
        for path in modules
        for function in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(function, ast.FunctionDef)
        and len([name for name in parameters(function) if name not in ("self", "cls")]) > MOST_PARAMETERS
    ]
    assert too_many == []


def parameters(function: ast.FunctionDef) -> list[str]:
    arguments = function.args
    return [argument.arg for argument in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]
