"""``python -m worker.starters NAME``: make a model that new installations start with, and add it to the package.

`starters.toml` lists the steps of each: writing the training data, training, calibrating. The output of each step
stays in the work folder and is not made again, and a stopped training resumes from its checkpoint,
so the command can be stopped and repeated at any time. With ``--model``, a model that was trained otherwise
becomes the starter. Needs no database.

A starter is a low-rank adapter on a packaged backbone, small enough for the repository, with its own files;
the encoder's also has a last layer. Each capability names its starters in its class, and `python -m analytics export`
merges backbone and adapter.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from analytics.artifacts import Manifest, artifact_copy, artifact_read, artifact_write
from analytics.backbone.sources import ADAPTER_FOLDER, BACKBONE_FOLDER, PACKAGED, adapter_metadata
from analytics.catalog import CAPABILITIES
from analytics.configuration import config_from_strings
from analytics.errors import AnalyticsError, ArtifactError, BackboneError
from analytics.inference.encode import MODEL_NAME, TOKENIZER_NAME
from analytics.json_lines import read_objects
from analytics.languages import primary_language
from analytics.splits import KeptOut
from analytics.training.context import FileOptions, TrainingContext, wait_passively
from questionbank.demo.bank import DEMO_BANK
from worker.solver.starter_data import STARTER_SETS, write_problems, write_rows

RECIPES: dict[str, dict[str, Any]] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
"""By the name that the command takes."""


@dataclass(frozen=True)
class StarterMaking:
    """The making of one starter.

    Attributes:
        name: a key of `RECIPES`.
        data: folder with a subfolder per public data set.
        work: folder for the output of each step.
    """

    name: str
    data: Path
    work: Path

    @property
    def recipe(self) -> Mapping[str, Any]:
        """The recipe of this starter."""
        return RECIPES[self.name]

    def make(self) -> Path:
        """Execute the steps not done yet, and return the folder of the resulting model.

        Raises:
            AnalyticsError: a data set is missing, or a step cannot be done.
        """
        if not self.recipe["steps"]:
            raise ArtifactError(f"No steps make the {self.name}: name a trained model with --model.")
        for step in self.recipe["steps"]:
            output = self.work / step.get("output", f"{step['step']}.done")
            if output.exists():
                continue
            _say(f"{step['step']}: {output.name}")
            getattr(self, step["step"])(step, output)
            if "output" not in step:
                output.touch()
        return self.work / str(self.recipe["model"])

    def questions(self, step: Mapping[str, Any], output: Path) -> None:
        """Write a folder per data set, without questions of the tested set, and one with the demo bank."""
        tested = KeptOut()
        if "tested" in step:
            tested = KeptOut.of(row["text"] for _line, row in read_objects(self._set(step["tested"])))
        rows = {
            name: [dict(row) for _line, row in read_objects(self._set(source)) if not tested.holds(row["text"])]
            for name, source in step.get("sets", {}).items()
        }
        aside = output.with_name(f".{output.name}")
        aside.mkdir(parents=True, exist_ok=True)
        for name, set_rows in rows.items():
            (aside / name).mkdir(exist_ok=True)
            write_rows(aside / name / "train.jsonl.gz", set_rows)
        demo = aside / "kindred-demo" if rows else aside
        demo.mkdir(exist_ok=True)
        shutil.copyfile(DEMO_BANK, demo / "kindred-demo.jsonl.gz")
        aside.rename(output)

    def problems(self, step: Mapping[str, Any], output: Path) -> None:
        """Write training and validation word problems."""
        language = step.get("language", "en")
        sets = replace(STARTER_SETS[language], **step.get("sets", {}))
        for name, counts in write_problems(self.data, output, sets, language).items():
            _say(f"{name}: {counts}")

    def train(self, step: Mapping[str, Any], output: Path) -> None:
        """Train a model."""
        capability = CAPABILITIES[self.recipe["capability"]]
        settings = {**self.recipe.get("common", {}), **step.get("settings", {})}
        backbone = self.work / str(settings.get("backbone", "-"))
        is_continued = backbone.is_dir()
        if is_continued:
            settings["backbone"] = backbone
        # A model that is trained further already includes the licence terms of its data.
        context = TrainingContext(license_note="" if is_continued else self.recipe["license_note"], say=_say)
        files = FileOptions(
            str(self.work / step["backbone"]) if "backbone" in step else "",
            step.get("language", ""),
            step.get("hierarchy", ""),
        )
        config: Any = config_from_strings(capability.config, {name: str(value) for name, value in settings.items()})
        capability.train(self.work / step["data"], output, config, files, context)

    def export(self, step: Mapping[str, Any], output: Path) -> None:
        """Combine a starter with its backbone, using an adapter from the work folder or the package's own."""
        capability = CAPABILITIES[step.get("capability", self.recipe["capability"])]
        adapter = self.work / step["adapter"] if "adapter" in step else capability.starters[0].path
        capability.export(output, backbone="", adapter=adapter)

    def copy(self, step: Mapping[str, Any], output: Path) -> None:
        """Copy a model's adapter, reduced to a lower rank if the step sets one."""
        from analytics.backbone.adapters import narrow_adapter

        copy_starter(self.name, self.work / step["model"], output)
        if "rank" in step:
            lost = narrow_adapter(output, step["rank"])
            _say(f"An adapter of rank {step['rank']}; {lost:.2%} of its squared weights are lost.")

    def calibrate(self, step: Mapping[str, Any], _output: Path) -> None:
        """Refit a solver's confidence on problems that it was not trained on."""
        from analytics.solver.calibrating import refit

        calibration = refit(self.work / step["model"], self.work / step["data"])
        _say(f"Expected calibration error {calibration.error:.3f}, before {calibration.error_before:.3f}")

    def keep(self, step: Mapping[str, Any], _output: Path) -> None:
        """Store solved problems with a retriever."""
        from analytics.analogy.retriever import give_datastore

        datastore = give_datastore(self.work / step["model"], self.work / step["data"])
        _say(f"{len(datastore):,} problems kept, {len(datastore.equations):,} equations")

    def _set(self, name: str) -> Path:
        return self.data / f"{name}.jsonl.gz"


def copy_starter(name: str, model: Path, folder: Path | None = None) -> Manifest:
    """Write a trained model's starter files into a folder.

    Args:
        name: a key of `RECIPES`.
        model: the model's folder.
        folder: the starter's folder, by default the package's own.

    Raises:
        ArtifactError: the model is of another kind or language, lacks an adapter, or is too large.
    """
    word, wanted = RECIPES[name]["capability"], RECIPES[name].get("scope", "en")
    starter = next(row for row in CAPABILITIES[word].starters if (row.scope or "en") == wanted)
    language = primary_language(artifact_read(model).extra.get("languages", [wanted])[0])
    if language != wanted:
        raise ArtifactError(f"{model} is for the language {language!r}, the starter for {wanted!r}.")
    folder = folder or starter.path
    if not CAPABILITIES[word].can("export"):  # a model without adapter serves as it is
        return artifact_copy(model, folder)
    return copy_adapter(model, folder, capability=word, name=starter.name, largest=starter.largest)


LARGEST = 8_000_000  # bytes, as it is part of every clone

_PROBE_TEXTS = ("Ann had 24 pens and gave 6 of them to Tom. How many are left?", "Factorise $x^2 - 9$.")
_MOST_DIFFERENCE = 0.02  # per entry of a unit vector; half precision alone causes .0003

_SAID_BY_THE_EXPORT = {"kind", "output", "dimension", "pooling", "unknown_id", "pad_id", "backbone_sha256"}


def copy_adapter(model: Path, folder: Path, *, capability: str, name: str, largest: int | None = None) -> Manifest:
    """Copy the parts of a trained artifact other than its backbone: its adapter and its capability's own files.

    Args:
        model: artifact folder of a model that was trained with ``adapter_rank``.
        folder: the starter's folder.
        capability: the capability that the model must have.
        name: the starter's display name.
        largest: maximum size in bytes; `LARGEST` by default.

    Raises:
        ArtifactError: the model has no adapter, or its adapter is for weights other than the packaged ones,
            does not reproduce the model's weights, or is too large.
    """
    manifest = artifact_read(model)
    adapter = [file for file in manifest.files if file.startswith(f"{ADAPTER_FOLDER}/")]
    if manifest.capability != capability or not adapter:
        raise ArtifactError(
            f"{model} is not an adapter-trained {capability} model; train one with --set adapter_rank=64."
        )
    capability_files = [
        file
        for file in manifest.files
        if "/" not in file and file != TOKENIZER_NAME and not file.endswith(Path(MODEL_NAME).suffix)
    ]
    size = sum((model / file).stat().st_size for file in (*adapter, *capability_files))
    if size > (largest := largest or LARGEST):
        raise ArtifactError(f"The adapter has {size:,} bytes; a starter may have {largest:,}.")

    if packaged := _packaged_base(model / ADAPTER_FOLDER):
        _check_rebuilt(model, packaged)

    def write_files(aside: Path) -> None:
        for file in (*adapter, *capability_files):
            shutil.copyfile(model / file, aside / Path(file).name)

    extra = {key: value for key, value in manifest.extra.items() if key not in _SAID_BY_THE_EXPORT}
    return artifact_write(
        folder, replace(manifest, name=name, extra={"kind": "adapter"} | extra, files={}), write_files
    )


def _packaged_base(adapter: Path) -> str:
    """Return the name of the packaged encoder that the adapter was trained on; empty for other encoders.

    Raises:
        ArtifactError: only the encoder's name matches, as for a further-trained encoder, or the adapter
            cannot be read.
    """
    try:
        about = adapter_metadata(adapter)
    except BackboneError as error:
        raise ArtifactError(str(error)) from error
    name = about.get("backbone", "")
    if name not in PACKAGED:
        return ""
    if about.get("backbone_sha256") != PACKAGED[name].sha256:
        raise ArtifactError(
            f"The adapter was trained on other weights than the installed {name}: on an encoder that had an adapter or"
            " a last layer already. A starter must fit the plain one."
        )
    return name


def _check_rebuilt(model: Path, packaged: str) -> None:
    """Reject an adapter with which the packaged encoder does not reproduce the evaluated model.

    Raises:
        ArtifactError: the two encode a text differently, or the model's weights are missing.
    """
    if not (model / BACKBONE_FOLDER).is_dir():
        raise ArtifactError(f"{model} lacks the weights to compare with, the folder {BACKBONE_FOLDER}.")
    import torch

    from analytics.backbone.adapters import load_adapter
    from analytics.backbone.bert import encode_bulk, load_backbone

    rebuilt = load_backbone(packaged, device="cpu")
    load_adapter(rebuilt, model / ADAPTER_FOLDER)
    trained = load_backbone(str(model), device="cpu")
    rebuilt.head = trained.head = None
    vectors = [encode_bulk(backbone, _PROBE_TEXTS, dtype=torch.float32) for backbone in (rebuilt, trained)]
    difference = float(abs(vectors[0] - vectors[1]).max())
    if difference > _MOST_DIFFERENCE:
        raise ArtifactError(
            f"The adapter does not reproduce {model}: vectors differ by {difference:.3f}. The checkpoint that its"
            " training was resumed from may belong to another training."
        )


def main(arguments: list[str] | None = None) -> int:
    """Make a starter; on failure write a sentence to standard error and return exit code 1."""
    parser = argparse.ArgumentParser(prog="python -m worker.starters", description=__doc__)
    parser.add_argument("name", choices=tuple(RECIPES))
    parser.add_argument("--data", type=Path, default=Path(), help="folder of the public data sets")
    parser.add_argument("--work", type=Path, default=Path("starter-work"), help="folder that keeps each step's output")
    parser.add_argument("--model", type=Path, help="folder of a trained model to take instead of the recipe's")
    parser.add_argument("--output", type=Path, help="folder of the starter; by default the package's own")
    options = parser.parse_args(arguments)
    wait_passively()
    making = StarterMaking(options.name, options.data, options.work / options.name)
    try:
        manifest = copy_starter(options.name, options.model or making.make(), options.output)
    except (AnalyticsError, OSError) as error:
        _say(str(error))
        return 1
    sys.stdout.write(f"{manifest.name}: {', '.join(manifest.files)} written\n")
    return 0


def _say(line: str) -> None:
    sys.stderr.write(f"{line}\n")


if __name__ == "__main__":
    sys.exit(main())
