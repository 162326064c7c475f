"""Fitting the verdict of the starter again, with its encoder as it is: after a rule of the findings has changed.

    python -m analytics.paraphrase.refit --data FILE_OR_FOLDER

The material is that of the training (`read_material`): the verdict is fitted on the pairs of its questions set apart,
and its bias is set on the validation pairs (files ``val*``).
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from analytics.artifacts import artifact_amend, artifact_read
from analytics.backbone.bert import load_backbone
from analytics.command_line import run_command
from analytics.paraphrase.config import ParaphraseConfig
from analytics.paraphrase.export import export_scorer
from analytics.paraphrase.pair_files import read_material
from analytics.paraphrase.scoring.scorer import VERDICT_NAME
from analytics.paraphrase.scoring.verdict import Verdict
from analytics.paraphrase.starter import STARTER_FOLDER
from analytics.paraphrase.train import balanced_sources, calibrate, encoder_of, pairs_set_apart
from analytics.paraphrase.words.typed_text import reading_typed
from analytics.retrieval import Encode


def refit_verdict(data: Path, folder: Path = STARTER_FOLDER, *, encode: Encode | None = None) -> Verdict:
    """Write a new verdict into a starter's folder.

    Args:
        data: the material that the starter was trained on.
        folder: the starter.
        encode: texts to vectors of its encoder; by default it is put together and computed.

    Raises:
        AnalyticsError: the material or the starter cannot be read, or the folder not written.
    """
    manifest = artifact_read(folder)
    config = ParaphraseConfig(**manifest.config)
    material = read_material(data)
    pairs = pairs_set_apart(material.questions, config, given=material.given, kept_out=material.kept_out)
    validation = balanced_sources(material.validation)
    with tempfile.TemporaryDirectory() as place:
        if encode is None:
            export_scorer(Path(place) / "scorer", adapter=folder)
            backbone = load_backbone(
                str(Path(place) / "scorer" / "backbone"), max_tokens=config.max_tokens, device=config.device
            )
            reader = encoder_of(backbone, config)
        else:
            reader = reading_typed(encode) if config.typed_numbers else encode
        verdict = calibrate(reader, pairs, config, validation=validation)

        def write_verdict(target: Path) -> None:
            (target / VERDICT_NAME).write_text(
                json.dumps(verdict.as_dict(), indent=2) + "\n", encoding="utf-8"
            )

        extra = manifest.extra | {"verdict_pairs": len(pairs), "bias_pairs": len(validation)}
        artifact_amend(folder, replace(manifest, extra=extra), write_verdict)
    return verdict


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; 0 on success, 1 with one sentence on standard error if it cannot be done."""
    parser = argparse.ArgumentParser(prog="python -m analytics.paraphrase.refit", description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="what the starter was trained on")
    options = parser.parse_args(arguments)
    return run_command(lambda: json.dumps(refit_verdict(options.data).as_dict(), indent=2))


if __name__ == "__main__":
    sys.exit(main())
