"""What the analytics tests share: a tiny random encoder, and the real default one exported once."""

from __future__ import annotations

from pathlib import Path

import pytest

from analytics.training.context import wait_passively

wait_passively()  # before a test module imports torch


@pytest.fixture(scope="session")
def tiny():
    """A random BERT of a few thousand weights."""
    from tests.tiny_backbone import tiny_backbone

    return tiny_backbone()


@pytest.fixture(scope="session")
def tiny_export(tiny, tmp_path_factory) -> Path:
    """The tiny encoder as an artifact folder; do not change it."""
    from analytics.backbone.export import export_onnx

    folder = tmp_path_factory.mktemp("tiny") / "encoder"
    export_onnx(tiny, folder)
    return folder


@pytest.fixture(scope="session")
def default_backbone():
    """The default encoder with its real weights."""
    from analytics.backbone.bert import load_backbone

    return load_backbone(device="cpu")


@pytest.fixture(scope="session")
def default_export(default_backbone, tmp_path_factory) -> Path:
    """The default encoder as an artifact folder; do not change it."""
    from analytics.backbone.export import export_onnx

    folder = tmp_path_factory.mktemp("default") / "encoder"
    export_onnx(default_backbone, folder)
    return folder
