"""One scorer of several: the mean of their weights.

Wortsman et al. (ICML 2022), "Model soups": trainings that begin with the same weights and differ in seed or settings
end in one valley, and the mean of their weights ranks better than each, at the cost of one. Decision 36.

    python -m analytics.paraphrase.averaged --data FILE_OR_FOLDER --output FOLDER MODEL MODEL ...

The scorers must have been trained with ``adapter_rank``, on the same backbone and with the same settings of how texts
are read. The verdict is fitted on the pairs that the first one's was fitted on, and the mean is taken as an adapter of
its rank, so that the result can be shipped as each of them could.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch

from analytics.artifacts import Manifest, artifact_read
from analytics.backbone.adapters import add_adapters_towards, finish_adapters
from analytics.backbone.bert import load_backbone
from analytics.backbone.export import export_trained
from analytics.command_line import run_command
from analytics.errors import DataError
from analytics.paraphrase.calibrating import balanced_sources, calibrate, encoder_of, validation_metrics
from analytics.paraphrase.config import ParaphraseConfig
from analytics.paraphrase.pair_files import read_material
from analytics.paraphrase.preparing import pairs_set_apart
from analytics.paraphrase.scoring.scorer import LEARNED_NAME
from analytics.paraphrase.train import pair_reader_weights, write_scorer_files

Say = Callable[[str], Any]


def average_scorers(
    models: Sequence[Path], data: Path, output: Path, *, say: Say = lambda _line: None
) -> Manifest:
    """Write the artifact of the scorer with the mean of the models' weights.

    Args:
        models: artifact folders of scorers that were trained on the same material.
        data: that material, for the verdict and what is measured: `read_material`.
        output: the artifact's folder, written whole or not at all.
        say: told what happens, a line at a time.

    Raises:
        DataError: fewer than two models, or ones that cannot be averaged.
        AnalyticsError: a model or the material cannot be read, or the folder not written.
    """
    manifests = [artifact_read(folder) for folder in models]
    _check(manifests)
    first = manifests[0]
    config = ParaphraseConfig(**first.config)
    states = [_weights(folder, config) for folder in models]
    mean = {name: torch.stack([state[name] for state in states]).mean(dim=0) for name in states[0]}
    backbone = load_backbone(config.backbone, max_tokens=config.max_tokens, device=config.device)
    add_adapters_towards(backbone, mean, config.adapter_rank)
    adapter = finish_adapters(backbone)
    material = read_material(data)
    pairs = pairs_set_apart(material.questions, config, given=material.given, kept_out=material.kept_out)
    say(f"Fitting the verdict on {len(pairs):,} pairs of questions set apart")
    validation = balanced_sources(material.validation)
    pair_reader = pair_reader_weights(config.backbone)
    verdict = calibrate(
        encoder_of(backbone, config), pairs, config, validation=validation, pair_reader=pair_reader
    )
    figures = validation_metrics(material.validation, config, backbone) if material.validation else {}
    say("Exporting")
    learned = np.unique(np.concatenate([np.load(folder / LEARNED_NAME) for folder in models]))
    about = replace(
        first,
        name=f"{first.name}-averaged",
        metrics={
            "validation": {name: round(value, 4) for name, value in figures.items()},
            "steps": sum(manifest.metrics["steps"] for manifest in manifests),
            "seconds": round(sum(manifest.metrics["seconds"] for manifest in manifests), 1),
        },
        created="",
        files={},
        extra={
            **{name: value for name, value in first.extra.items() if name in _OF_THE_MATERIAL},
            "verdict_pairs": len(pairs),
            "command": f"python -m analytics.paraphrase.averaged --data {data.name} --output FOLDER MODEL ...",
            "averaged": [
                {
                    "seed": manifest.seed,
                    "data_hash": manifest.data_hash,
                    "metrics": manifest.metrics,
                    "command": manifest.extra.get("command", ""),
                }
                for manifest in manifests
            ],
        },
    )
    write_more = partial(write_scorer_files, verdict=verdict, learned=learned, pair_reader=pair_reader)
    return export_trained(backbone, output, about, adapter=adapter, write_more=write_more)


_OF_THE_MATERIAL = ("triplets", "questions", "kept_out", "given_pairs", "validation_pairs")
_HOW_TEXTS_ARE_READ = ("backbone", "typed_numbers", "stretch", "max_tokens")


def _check(manifests: Sequence[Manifest]) -> None:
    if len(manifests) < 2:
        raise DataError("Name at least two scorers to average.")
    first = manifests[0]
    for manifest in manifests:
        if manifest.capability != "paraphrase" or not manifest.config.get("adapter_rank"):
            raise DataError(f"{manifest.name} is no scorer that was trained with adapter_rank.")
        differences = [
            name for name in _HOW_TEXTS_ARE_READ if manifest.config.get(name) != first.config.get(name)
        ]
        if differences:
            raise DataError(f"The scorers differ in {' and '.join(differences)}: their weights have no mean.")


def _weights(folder: Path, config: ParaphraseConfig) -> dict[str, torch.Tensor]:
    state = load_backbone(str(folder), max_tokens=config.max_tokens, device=config.device).model.state_dict()
    return {name: weight for name, weight in state.items() if weight.is_floating_point()}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; 0 on success, 1 with one sentence on standard error where it cannot be done."""
    parser = argparse.ArgumentParser(prog="python -m analytics.paraphrase.averaged", description=__doc__)
    parser.add_argument("models", nargs="+", type=Path, metavar="MODEL", help="folder of a trained scorer")
    parser.add_argument("--data", type=Path, required=True, help="what they were trained on")
    parser.add_argument("--output", type=Path, required=True)
    options = parser.parse_args(arguments)

    def command() -> str:
        manifest = average_scorers(
            options.models, options.data, options.output, say=lambda line: sys.stderr.write(f"{line}\n")
        )
        return json.dumps(manifest.metrics, indent=2)

    return run_command(command)


if __name__ == "__main__":
    sys.exit(main())
