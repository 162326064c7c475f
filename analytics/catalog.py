"""The one table of what `analytics` can do. Torch-free: functions are named, and imported when called."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from analytics.encoder.config import EncoderConfig
from analytics.paraphrase.config import ParaphraseConfig
from analytics.probes.config import ProbesConfig

__all__ = ["CAPABILITIES", "Capability", "resolve"]


@dataclass(frozen=True, slots=True)
class Capability:
    """One capability: its configuration, and where its functions are (``module:function``).

    Attributes:
        title: what people call it.
        config: the configuration class, None where there is nothing to train yet.
        train: ``(data: Path, output: Path, config, files: FileOptions, context: TrainingContext) -> Manifest``.
        evaluate: ``(data: Path, config, *, say) -> dict``.
        export: ``(output: Path, **options) -> Manifest``.
        load: ``(folder: Path) -> model``, torch-free.
    """

    title: str
    config: type | None = None
    train: str = ""
    evaluate: str = ""
    export: str = ""
    load: str = ""


CAPABILITIES: dict[str, Capability] = {
    "encoder": Capability(
        title="Question encoder",
        config=EncoderConfig,
        train="analytics.encoder.train:train_from_files",
        export="analytics.backbone.export:export_encoder",
        load="analytics.inference.encode:load_encoder",
    ),
    "paraphrase": Capability(
        title="Paraphrase scorer",
        config=ParaphraseConfig,
        train="analytics.paraphrase.train:train_from_files",
        export="analytics.paraphrase.export:export_scorer",
        load="analytics.paraphrase.scoring.scorer:load_scorer",
    ),
    "probes": Capability(
        title="Concept and difficulty probes",
        config=ProbesConfig,
        train="analytics.probes.from_files:train_from_files",
        evaluate="analytics.probes.from_files:evaluate_from_files",
        load="analytics.inference.heads:load_heads",
    ),
}


def resolve(dotted: str) -> Callable[..., Any]:
    """The function that a ``module:function`` of the table names."""
    module, _, name = dotted.partition(":")
    function: Callable[..., Any] = getattr(import_module(module), name)
    return function
