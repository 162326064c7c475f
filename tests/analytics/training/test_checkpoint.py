"""What stands beside a training's checkpoint."""

from __future__ import annotations

import pytest

from analytics.errors import ArtifactError
from analytics.training.checkpoint import kept_or_made


def test_what_was_made_beside_a_checkpoint_is_made_once(tmp_path):
    path = tmp_path / "run" / "rows.json.gz"
    made = iter([[{"text": "½ of 6", "label": None}], "never asked for"])
    assert kept_or_made(path, lambda: next(made)) == [{"text": "½ of 6", "label": None}]
    assert kept_or_made(path, lambda: next(made)) == [{"text": "½ of 6", "label": None}]
    assert [one.name for one in path.parent.iterdir()] == ["rows.json.gz"]


def test_what_is_kept_damaged_is_said_and_not_made_anew(tmp_path):
    path = tmp_path / "rows.json.gz"
    kept_or_made(path, lambda: list(range(1000)))
    path.write_bytes(path.read_bytes()[:40])
    with pytest.raises(ArtifactError, match="remove it to begin anew"):
        kept_or_made(path, list)
