"""A starter's adapter of a lower rank is the nearest to what it was."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from analytics.artifacts import Manifest, artifact_read, artifact_write
from analytics.backbone.adapters import load_adapter, narrow_adapter, save_adapter
from analytics.backbone.bert import encode_bulk
from analytics.backbone.sources import ADAPTER_NAME
from analytics.errors import ArtifactError, BackboneError
from tests.analytics.backbone.test_adapters import adapted
from tests.tiny_backbone import tiny_backbone

TEXTS = ["Ann had 24 pens.", "Factorise it."]


@pytest.fixture
def starter(tmp_path) -> Path:
    folder = tmp_path / "starter"
    artifact_write(folder, Manifest("analogy", "starter"), lambda aside: save_adapter(adapted(), aside))
    return folder


def vectors(folder: Path) -> np.ndarray:
    backbone = tiny_backbone()
    load_adapter(backbone, folder)
    return encode_bulk(backbone, TEXTS)


def test_a_lower_rank_changes_the_vectors_a_little_and_the_file_becomes_smaller(starter):
    before, size = vectors(starter), (starter / ADAPTER_NAME).stat().st_size
    plain = encode_bulk(tiny_backbone(), TEXTS)
    assert 0 < narrow_adapter(starter, 3) < 0.25  # a quarter of equal directions
    assert (starter / ADAPTER_NAME).stat().st_size < size
    assert np.linalg.norm(vectors(starter) - before) < np.linalg.norm(before - plain)
    assert artifact_read(starter).extra["adapter_rank"] == 3


def test_a_rank_that_is_not_lower_and_a_folder_without_an_adapter_are_refused(starter, tmp_path):
    for rank in (4, 0):
        with pytest.raises(ArtifactError, match="choose a lower rank"):
            narrow_adapter(starter, rank)
    artifact_write(tmp_path / "none", Manifest("analogy", "none"), lambda aside: (aside / "x").write_text("x"))
    with pytest.raises((ArtifactError, BackboneError), match="cannot be read"):
        narrow_adapter(tmp_path / "none", 1)
