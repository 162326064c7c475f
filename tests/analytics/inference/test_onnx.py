"""The runtime of the served models."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.parametrize("module", ["analytics.inference.onnx", "analytics.backbone.export"])
def test_the_runtime_reports_nothing_to_its_maker(module: str, tmp_path: Path) -> None:
    silenced = {"CI", "ORT_DISABLE_TELEMETRY", "GITHUB_ACTIONS", "TF_BUILD"}  # end reports themselves
    environment = {name: value for name, value in os.environ.items() if name not in silenced}
    subprocess.run(
        [sys.executable, "-c", f"import {module}"],
        env=environment | {"HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path / "cache")},
        check=True,
    )

    assert list(tmp_path.rglob("*")) == []  # else: the installation's number and the reports to be sent


def test_one_module_imports_the_runtime() -> None:
    package = Path(__file__).parents[3] / "analytics"
    importing = re.compile(r"^\s*(?:import|from) onnxruntime\b", re.MULTILINE)
    users = {path.name for path in package.rglob("*.py") if importing.search(path.read_text(encoding="utf-8"))}
    assert users == {"onnx.py"}
