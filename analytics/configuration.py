"""Base for every capability's configuration: a frozen pydantic dataclass with typed, documented fields. Torch-free.

The form, the command line, the JSON schema and the manifest all derive from the class, whose fields use the
types below or define their own bounds and texts (`pydantic.Field`). Validation reports every problem in one
error.
"""

from __future__ import annotations

import dataclasses
import json
import re
import shlex
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import Annotated, Any, Literal, TypeVar, dataclass_transform, get_args, get_origin

from annotated_types import Ge, Le
from pydantic import ConfigDict, Field, ValidationError
from pydantic.dataclasses import dataclass

from analytics.errors import ConfigurationError

Config = TypeVar("Config")

TORCHRUN_SETTINGS = ("processes", "nodes")
"""Settings of earlier versions that are now options of torchrun (decision 151)."""

Backbone = Annotated[str, Field(description="package name, local folder or hub id of the encoder to start from")]
AdapterRank = Annotated[
    int,
    Field(
        ge=0,
        le=512,
        description="train low-rank adapters of this rank instead of the encoder's weights (0 = train all weights)",
    ),
]
MaximumSteps = Annotated[
    int, Field(ge=0, title="Maximum steps", description="stop training after this many steps (0 = no limit)")
]
MaximumTokens = Annotated[int, Field(ge=8, le=512, title="Maximum tokens")]
ClippingNorm = Annotated[
    float, Field(ge=0, title="Gradient clipping", description="maximum norm of the gradient (0 = no limit)")
]
Measured = Annotated[int, Field(ge=0, title="Validation problems")]
EvaluationInterval = Annotated[
    int,
    Field(ge=0, title="Evaluation interval", description="number of steps between evaluations (0 = once per epoch)"),
]
Patience = Annotated[
    int,
    Field(
        ge=0, description="stop after this many evaluations without improvement and keep the best weights (0 = never)"
    ),
]
Fold = Annotated[
    int,
    Field(
        ge=-1, title="Test fold", description="fold of a published cross-validation to hold out for testing (-1 = none)"
    ),
]
LearningRate = Annotated[float, Field(ge=1e-8, le=1, description="learning rate of the AdamW optimiser")]
Epochs = Annotated[int, Field(ge=1, le=1000)]
Temperature = Annotated[float, Field(ge=0.001, le=10)]
WeightDecay = Annotated[float, Field(ge=0, le=1, description="weight decay of the AdamW optimiser")]
Schedule = Annotated[
    Literal["linear", "cosine", "constant"],
    Field(title="Learning rate schedule", description="how the learning rate changes after the warm-up"),
]
WarmupShare = Annotated[
    float,
    Field(
        ge=0,
        le=0.9,
        title="Warm-up share",
        description="share of the steps over which the learning rate rises to its full value",
    ),
]
MixedPrecision = Annotated[bool, Field(description="compute in bfloat16 on devices that support it")]
Accumulation = Annotated[
    int,
    Field(
        ge=1,
        le=1024,
        title="Gradient accumulation",
        description="number of batches whose gradients are combined into one step",
    ),
]
CheckpointInterval = Annotated[
    int,
    Field(ge=0, title="Checkpoint interval", description="number of steps between checkpoints (0 = once per epoch)"),
]
Device = Annotated[
    str,
    Field(
        pattern=r"^(auto|cpu|mps|cuda(:[0-9]{1,2})?)$", description="auto, cpu or cuda; auto uses a GPU if there is one"
    ),
]
Seed = Annotated[int, Field(ge=0, le=2**31 - 1, description="seed of the random number generators")]


@dataclass_transform(frozen_default=True, field_specifiers=(Field,))
def configuration(cls: type[Config]) -> type[Config]:
    """Make a class a configuration: a frozen dataclass that validates every field when it is created.

    ``__post_init__`` validates constraints across several fields. All problems are raised as one
    `ConfigurationError`.
    """
    checked: Any = dataclass(cls, frozen=True, config=ConfigDict(strict=True, extra="forbid"))
    make = checked.__init__

    def initialise(self: Any, *values: Any, **by_name: Any) -> None:
        try:
            make(self, *values, **by_name)
        except ValidationError as error:
            raise ConfigurationError(_problems(checked, error)) from None

    checked.__init__ = initialise
    return checked


@dataclasses.dataclass(frozen=True, slots=True)
class FieldSpec:
    """Describes one field of a configuration for a form or a command line."""

    name: str
    type: type
    default: Any
    help: str
    minimum: float | None
    maximum: float | None
    choices: tuple[str, ...]
    label: str


def field_specs(config_class: type) -> tuple[FieldSpec, ...]:
    """Return the fields of a configuration class in order, with type, default, help and bounds."""
    fields = config_class.__pydantic_fields__  # type: ignore[attr-defined]
    return tuple(_spec(name, info) for name, info in fields.items())


def _spec(name: str, info: Any) -> FieldSpec:
    bounds = {type(bound): bound for bound in info.metadata}
    choices = get_args(info.annotation) if get_origin(info.annotation) is Literal else ()
    return FieldSpec(
        name=name,
        type=str if choices else info.annotation,
        default=info.default,
        help=info.description or "",
        minimum=bounds[Ge].ge if Ge in bounds else None,
        maximum=bounds[Le].le if Le in bounds else None,
        choices=choices,
        label=info.title or name.replace("_", " ").capitalize(),
    )


def _problems(config_class: type, error: ValidationError) -> list[str]:
    """Return each problem as a sentence that begins with the name of its field."""
    specs = {spec.name: spec for spec in field_specs(config_class)}
    return [_problem(specs, str(problem["loc"][0]), problem) for problem in error.errors()]


def _problem(specs: Mapping[str, FieldSpec], name: str, problem: Mapping[str, Any]) -> str:
    given, spec = problem["input"], specs.get(name)
    if name in TORCHRUN_SETTINGS:
        return f"{name} is no longer a setting; start several processes with torchrun, see docs/several-gpus.md"
    if spec is None:
        return f"{name} is not a setting; the settings are {', '.join(specs)}"
    match problem["type"]:
        case "greater_than_equal":
            return f"{name} must be at least {spec.minimum:,}, not {given}"
        case "less_than_equal":
            return f"{name} must be at most {spec.maximum:,}, not {given}"
        case "literal_error" if isinstance(given, str):
            return f"{name} must be one of {', '.join(spec.choices)}, not {given!r}"
        case "string_pattern_mismatch":
            return f"{name} cannot be {given!r}; it is {spec.help}"
    return f"{name} must be of type {spec.type.__name__}, not {given!r}"


def labelled_problems(config_class: type, error: ConfigurationError) -> dict[str, list[str]]:
    """Return the problems by field, with labels instead of names; the key "" holds those of no field."""
    labels = {spec.name: spec.label for spec in field_specs(config_class)}
    fields: dict[str, list[str]] = {}
    for problem in error.problems:  # each begins with the name of its field
        name, rest = re.match(r"(\w*)(.*)", problem, re.DOTALL).groups()  # type: ignore[union-attr]
        key = name if name in labels else ""
        said = re.sub(r"[a-z]+(?:_[a-z]+)+", lambda word: labels.get(word[0], word[0]), rest)
        fields.setdefault(key, []).append(f"{labels.get(name, name)}{said.rstrip('.')}.")
    return fields


def config_from_strings(config_class: type[Config], values: Mapping[str, str]) -> Config:
    """Build a configuration from ``name=value`` strings, as given on a command line or in a form.

    Raises:
        ConfigurationError: lists every unknown name, invalid value and violated bound.
    """
    texts = {spec.name for spec in field_specs(config_class) if spec.type is str}
    stripped = {name: text if name in texts else text.strip() for name, text in values.items()}
    try:
        return config_class.__pydantic_validator__.validate_python(stripped, strict=False)  # type: ignore[attr-defined]
    except ValidationError as error:
        raise ConfigurationError(_problems(config_class, error)) from None


def named_values(settings: Iterable[str]) -> dict[str, str]:
    """Parse options such as ``--set NAME=VALUE`` into a dictionary.

    >>> named_values(["epochs=3", "augment=roda+qr"])
    {'epochs': '3', 'augment': 'roda+qr'}
    """
    return dict(setting.partition("=")[::2] for setting in settings)


def config_to_dict(config: Any) -> dict[str, Any]:
    """Return the configuration as plain values, for a manifest."""
    return asdict(config)


def changed_settings(config: Any) -> dict[str, Any]:
    """Return the settings that differ from the class's defaults, in field order."""
    default = config_to_dict(type(config)())
    return {name: value for name, value in config_to_dict(config).items() if value != default[name]}


def training_settings(config: Any) -> dict[str, Any]:
    """Return the settings that affect what is learned: all changed ones except the device."""
    return {name: value for name, value in changed_settings(config).items() if name != "device"}


def training_identity(config: Any, data: str) -> str:
    """Return a string that identifies a training run: its settings and the checksum of its data."""
    return f"{json.dumps(training_settings(config), sort_keys=True)} {data}"


def training_command(capability: str, data: str, config: Any, options: Mapping[str, str]) -> str:
    """Return the command line that repeats a training run without a database.

    Args:
        capability: the capability's word.
        data: name of the data, not their path.
        config: its configuration; only settings that differ from the defaults are written.
        options: further options with their values; empty ones are left out.
    """
    words = ["python", "-m", "analytics", "train", capability, "--data", data, "--output", "FOLDER"]
    for name, value in options.items():
        words += [name, value] if value else []
    for name, value in changed_settings(config).items():
        words += ["--set", f"{name}={value}"]
    return shlex.join(words)


@configuration
class TrainingConfig:
    """How an encoder is trained; each capability's configuration adds its batch size and other fields."""

    backbone: Backbone = "all-MiniLM-L6-v2"
    adapter_rank: AdapterRank = 0
    weight_decay: WeightDecay = 0.01
    warmup_share: WarmupShare = 0.0
    max_steps: MaximumSteps = 0
    mixed_precision: MixedPrecision = True
    accumulate: Accumulation = 1
    evaluate_every: EvaluationInterval = 0
    patience: Patience = 0
    checkpoint_every: CheckpointInterval = 0
    device: Device = "auto"
    seed: Seed = 42

    def __post_init__(self) -> None:
        if problems := self.contradictions():
            raise ConfigurationError(problems)

    def contradictions(self) -> list[str]:
        """Return contradictions between fields that are each valid on their own."""
        return []
