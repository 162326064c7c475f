"""Training an encoder on the bank: questions and data report -> pre-training -> a registered candidate.

What a run is trained on is written beside its checkpoint when it starts, so a run that was stopped goes on
with exactly the same questions, however the bank has changed. One that failed before its first checkpoint reads
the bank anew: there may be more questions now.
"""

from __future__ import annotations

import gzip
import json
import os
import shlex
import shutil
import tempfile
from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.conf import settings

from analytics.backbone.bert import load_backbone
from analytics.configuration import config_from_strings
from analytics.encoder.config import EncoderConfig
from analytics.encoder.examples import EncoderExample
from analytics.encoder.train import train_encoder
from analytics.errors import DataError
from analytics.training.checkpoint import CHECKPOINT_NAME
from analytics.training.device import pick_device
from questionbank.models import ModelArtifact
from questionbank.selectors.artifacts import artifact_champion
from questionbank.selectors.data_report import encoder_data_report
from questionbank.services.artifacts import artifact_register
from worker.feeds import encoder_feed
from worker.gpu import gpu_turn
from worker.reporting import RunReporter

__all__ = ["checkpoint_folder", "train_encoder_run"]

_EXAMPLES_NAME = "examples.json.gz"
_LICENSE_NOTE = "trained on the questions of this bank"


def checkpoint_folder(run_id: int) -> Path:
    """Where a run keeps its checkpoint and its questions; on the machine that trains."""
    return Path(settings.VAR_DIR) / "checkpoints" / f"run-{run_id}"


def train_encoder_run(reporter: RunReporter) -> dict[str, Any]:
    """Do what a run asks for: ``{"set": {field: value}, "hierarchies": [names] or absent for all}``.

    Goes on from the run's checkpoint where there is one. The model becomes a candidate whose parent is the
    champion; it serves only after a promotion.

    Raises:
        ConfigurationError: a setting is unknown or out of bounds.
        DataError: too few questions, or none with a concept.
        BackboneError: the backbone cannot be loaded.
        Cancelled: the run was stopped; its checkpoint is usable.
    """
    run = reporter.run
    config = config_from_strings(EncoderConfig, run.parameters.get("set", {}))
    folder = checkpoint_folder(run.pk)
    name = f"{Path(config.backbone).name}-quesco-{run.pk}"[:200]
    registered = ModelArtifact.objects.filter(
        capability="encoder", name=name, created_at__gte=run.created_at
    ).first()
    if registered is None:
        examples = _examples(reporter, config, folder)
        champion = artifact_champion(capability="encoder")
        if (folder / CHECKPOINT_NAME).is_file():
            reporter.log("Going on from the checkpoint.")
        with gpu_turn(reporter, pick_device(config.device)), tempfile.TemporaryDirectory() as scratch:
            output = Path(scratch) / "encoder"
            train_encoder(
                examples,
                config,
                output,
                name=name,
                parent=champion.checksum if champion else "",
                license_note=_LICENSE_NOTE,
                command=_command(run.parameters),
                checkpoints=folder,
                callbacks=[reporter.step],
                cancel=reporter.should_stop,
                say=reporter.log,
            )
            reporter.check()
            registered = artifact_register(folder=output, parent=champion, user=run.requested_by)
    shutil.rmtree(folder, ignore_errors=True)
    reporter.log(f"Registered as the candidate {registered.name} (model {registered.pk}).")
    return {"model": registered.pk, "metrics": registered.manifest["metrics"]}


def _examples(reporter: RunReporter, config: EncoderConfig, folder: Path) -> list[EncoderExample]:
    kept = folder / _EXAMPLES_NAME
    if kept.is_file() and (folder / CHECKPOINT_NAME).is_file():
        return _read(kept)
    hierarchies = reporter.run.parameters.get("hierarchies")
    reporter.progress(0, 0, "Reading the questions")
    _log_report(reporter, hierarchies)
    backbone = load_backbone(config.backbone, device="cpu")
    feed = encoder_feed(hierarchies=hierarchies, unknown_share=backbone.unknown_share)
    for language, (count, share) in feed.unknown_languages.items():
        reporter.log(
            f"{backbone.name} does not know {share:.0%} of the tokens in language {language!r}:"
            f" its {count:,} questions are left out.",
            level="warning",
        )
    if feed.duplicates:
        reporter.log(f"{feed.duplicates:,} questions that repeat another one exactly are left out.")
    if not feed.examples:
        raise DataError("The bank has no ready question in a language that the backbone knows.")
    _write(kept, feed.examples)
    return feed.examples


def _log_report(reporter: RunReporter, hierarchies: list[str] | None) -> None:
    report = encoder_data_report(hierarchies=hierarchies)
    reporter.log(
        f"{report.questions:,} ready questions, {report.without_concept:,} without a concept;"
        f" of {report.examined:,} looked at, {report.held_out:,} are held out,"
        f" {report.exact_duplicates:,} repeat another one, {report.near_equal:,} differ from another one in"
        f" numbers only, {report.test_items_in_train:,} held-out ones stand in the training part too."
    )
    for one in report.levels:
        reporter.log(
            f"Level {one.level}: {one.questions:,} questions in {one.concepts:,} concepts, the commonest with"
            f" {one.largest_share:.0%}, the rarest with {one.smallest_count:,}."
        )
    for sentence in report.advice:
        reporter.log(sentence, level="warning")


def _write(path: Path, examples: list[EncoderExample]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    aside = path.with_name(f".{path.name}.partial")
    with gzip.open(aside, "wt", encoding="utf-8") as stream:
        json.dump([asdict(one) for one in examples], stream, ensure_ascii=False)
    os.replace(aside, path)


def _read(path: Path) -> list[EncoderExample]:
    with gzip.open(path, "rt", encoding="utf-8") as stream:
        rows = json.load(stream)
    return [EncoderExample(**row | {"paths": tuple(tuple(one) for one in row["paths"])}) for row in rows]


def _command(parameters: dict[str, Any]) -> str:
    words = ["python", "manage.py", "train", "encoder"]
    for name in parameters.get("hierarchies") or ():
        words += ["--hierarchy", name]
    for name, value in parameters.get("set", {}).items():
        words += ["--set", f"{name}={value}"]
    return shlex.join(words)
