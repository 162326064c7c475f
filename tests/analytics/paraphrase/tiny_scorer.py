"""A scorer with a tiny random encoder and a verdict set by hand."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from analytics.artifacts import Manifest
from analytics.backbone.export import export_onnx, save_backbone
from analytics.paraphrase.scorer import LEARNED_NAME, VERDICT_NAME
from analytics.paraphrase.triplets import question_number
from analytics.paraphrase.verdict import FEATURES, Verdict
from tests.tiny_backbone import tiny_backbone


def tiny_scorer(folder: Path, *, seed: int = 0, name: str = "tiny scorer", learned: tuple[str, ...] = ()) -> Path:
    """Serious findings decide; the score counts a little."""
    backbone = tiny_backbone(seed=seed, max_tokens=128)
    by_name = dict.fromkeys(FEATURES, 0.0) | {"close": 1.0, "score": 1.0, "findings": -4.0}
    verdict = Verdict(tuple(by_name.values()), 100)

    def write_more(aside: Path) -> None:
        save_backbone(backbone, aside / "backbone")
        (aside / VERDICT_NAME).write_text(json.dumps(verdict.as_dict()))
        np.save(aside / LEARNED_NAME, np.array(sorted(map(question_number, learned)), dtype=np.uint64))

    about = Manifest(capability="paraphrase", name=name)
    export_onnx(backbone, folder, about=about, write_more=write_more)
    return folder
