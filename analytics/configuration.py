"""What every capability's configuration shares: one frozen dataclass, typed, bounded and described.

The form, the command line, the API and the manifest all derive from the dataclass, so its fields carry
their help text and their bounds as metadata. Checking reports every problem in one error. Torch-free.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from typing import Any, TypeVar, get_type_hints

from analytics.errors import ConfigurationError

Config = TypeVar("Config")

_TRUE, _FALSE = {"1", "true", "yes", "on"}, {"0", "false", "no", "off"}


@dataclass(frozen=True, slots=True)
class FieldSpec:
    """One field of a configuration as a form or a command line needs it."""

    name: str
    type: type
    default: Any
    help: str
    minimum: float | None
    maximum: float | None
    choices: tuple[str, ...]
    pattern: str
    label: str


def option(
    default: Any,
    help: str,
    *,
    minimum: float | None = None,
    maximum: float | None = None,
    choices: Sequence[str] = (),
    pattern: str = "",
    label: str = "",
) -> Any:
    """Return a dataclass field with its help text, and its bounds (both inclusive) or the pattern of its whole text.

    Args:
        label: what a form calls the field; empty: its name with spaces.
    """
    return field(
        default=default,
        metadata={
            "help": help,
            "minimum": minimum,
            "maximum": maximum,
            "choices": tuple(choices),
            "pattern": pattern,
            "label": label,
        },
    )


def backbone_option() -> Any:
    """Return the option for the encoder that a training starts from."""
    return option("all-MiniLM-L6-v2", "package name, local folder or hub id of the encoder to start from")


def adapter_option(further: str = "") -> Any:
    """Return the option for the rank of the adapters that are trained in place of an encoder's weights.

    Args:
        further: what else the help says of it.
    """
    text = f"train low-rank adapters of this rank instead of the encoder's weights{further} (0 = train all weights)"
    return option(0, text, minimum=0, maximum=512)


def steps_option(further: str = "") -> Any:
    """Return the option for the steps after which a training stops.

    Args:
        further: what else the help says of them.
    """
    text = f"stop training after this many steps{further} (0 = no limit)"
    return option(0, text, minimum=0, label="Maximum steps")


def tokens_option(default: int, help: str) -> Any:
    """Return the option for the tokens of a text that an encoder reads."""
    return option(default, help, minimum=8, maximum=512, label="Maximum tokens")


def clipping_option(default: float) -> Any:
    """Return the option for the norm that gradients are clipped to."""
    return option(
        default, "maximum norm of the gradient (0 = no limit)", minimum=0, label="Gradient clipping"
    )


def measured_option(what: str) -> Any:
    """Return the option for the problems that a training is measured with meanwhile.

    Args:
        what: is measured.
    """
    text = f"number of validation problems used to measure {what} during training (0 = none)"
    return option(300, text, minimum=0, label="Validation problems")


def evaluation_option(default: int) -> Any:
    """Return the option for the steps between measurements."""
    return option(
        default,
        "number of steps between evaluations (0 = once per epoch)",
        minimum=0,
        label="Evaluation interval",
    )


def patience_option() -> Any:
    """Return the option for the measurements without improvement after which a training stops."""
    return option(
        0,
        "stop after this many evaluations without improvement and keep the best weights (0 = never)",
        minimum=0,
    )


def fold_option() -> Any:
    """Return the option for the fold of a published cross-validation that is tested on."""
    return option(
        -1,
        "fold of a published cross-validation to hold out for testing (-1 = none)",
        minimum=-1,
        label="Test fold",
    )


def weight_decay_option() -> Any:
    """Return the option for the weight decay of AdamW."""
    return option(0.01, "weight decay of the AdamW optimiser", minimum=0, maximum=1)


def schedule_option() -> Any:
    """Return the option for the curve of the learning rate."""
    return option(
        "linear",
        "how the learning rate changes after the warm-up",
        choices=("linear", "cosine", "constant"),
        label="Learning rate schedule",
    )


def warmup_option(default: float) -> Any:
    """Return the option for the share of the steps in which the learning rate rises."""
    return option(
        default,
        "share of the steps over which the learning rate rises to its full value",
        minimum=0,
        maximum=0.9,
        label="Warm-up share",
    )


def mixed_precision_option() -> Any:
    """Return the option for whether to compute in bfloat16."""
    return option(True, "compute in bfloat16 on devices that support it")


def accumulate_option() -> Any:
    """Return the option for the batches to a step."""
    return option(
        1,
        "number of batches whose gradients are combined into one step",
        minimum=1,
        maximum=1024,
        label="Gradient accumulation",
    )


def checkpoint_option(default: int) -> Any:
    """Return the option for the steps between checkpoints."""
    return option(
        default,
        "number of steps between checkpoints (0 = once per epoch)",
        minimum=0,
        label="Checkpoint interval",
    )


def device_option() -> Any:
    """Return the option for where to compute."""
    return option(
        "auto",
        "auto, cpu or cuda; auto uses a GPU if there is one",
        pattern=r"auto|cpu|mps|cuda(:[0-9]{1,2})?",
    )


def seed_option(default: int = 42) -> Any:
    """Return the option for the seed of a training."""
    return option(default, "seed of the random number generators", minimum=0, maximum=2**31 - 1)


def field_specs(config_class: type) -> tuple[FieldSpec, ...]:
    """Return the fields of a configuration class in order, with type, default, help and bounds."""
    hints = get_type_hints(config_class)
    return tuple(
        FieldSpec(
            name=attribute.name,
            type=hints[attribute.name],
            default=attribute.default,
            help=attribute.metadata.get("help", ""),
            minimum=attribute.metadata.get("minimum"),
            maximum=attribute.metadata.get("maximum"),
            choices=attribute.metadata.get("choices", ()),
            pattern=attribute.metadata.get("pattern", ""),
            label=attribute.metadata.get("label") or attribute.name.replace("_", " ").capitalize(),
        )
        for attribute in fields(config_class)
    )


def check_config(config: Any) -> None:
    """Check every field against its type, bounds and choices; call it in ``__post_init__``.

    Raises:
        ConfigurationError: with all problems, not just the first.
    """
    problems = []
    for spec in field_specs(type(config)):
        value: Any = getattr(config, spec.name)
        accepted: Any = (int, float) if spec.type is float else (spec.type,)
        if not isinstance(value, accepted) or (isinstance(value, bool) and spec.type is not bool):
            problems.append(f"{spec.name} must be of type {spec.type.__name__}, not {value!r}")
        elif spec.choices and value not in spec.choices:
            problems.append(f"{spec.name} must be one of {', '.join(spec.choices)}, not {value!r}")
        elif spec.pattern and not re.fullmatch(spec.pattern, value):
            problems.append(f"{spec.name} cannot be {value!r}; it is {spec.help}")
        elif spec.minimum is not None and not value >= spec.minimum:
            problems.append(f"{spec.name} must be at least {spec.minimum:,}, not {value!r}")
        elif spec.maximum is not None and not value <= spec.maximum:
            problems.append(f"{spec.name} must be at most {spec.maximum:,}, not {value!r}")
    if problems:
        raise ConfigurationError(problems)


def config_from_strings(config_class: type[Config], values: Mapping[str, str]) -> Config:
    """Build a configuration from ``name=value`` strings, as a command line or a form gives them.

    Raises:
        ConfigurationError: with every unknown name, unreadable value and broken bound.
    """
    specs = {spec.name: spec for spec in field_specs(config_class)}
    problems: list[str] = []
    parsed: dict[str, Any] = {}
    for name, text in values.items():
        if name not in specs:
            problems.append(f"{name} is not a setting; the settings are {', '.join(specs)}")
            continue
        try:
            parsed[name] = _parse(text, specs[name].type)
        except ValueError:
            problems.append(f"{name} must be of type {specs[name].type.__name__}, not {text!r}")
    try:
        config = config_class(**parsed)
    except ConfigurationError as error:
        problems.extend(error.problems)
    if problems:
        raise ConfigurationError(problems)
    return config


def config_to_dict(config: Any) -> dict[str, Any]:
    """Return the configuration as plain values, for a manifest."""
    return asdict(config)


def changed_settings(config: Any) -> dict[str, Any]:
    """Return what a configuration sets otherwise than its class does by default, in the order of the fields."""
    default = config_to_dict(type(config)())
    return {name: value for name, value in config_to_dict(config).items() if value != default[name]}


def training_settings(config: Any) -> dict[str, Any]:
    """Return what a configuration makes of a training, wherever it runs."""
    return {name: value for name, value in changed_settings(config).items() if name != "device"}


def training_identity(config: Any, data: str) -> str:
    """Return what tells a training from others: its settings, and the checksum of what it learns from."""
    return f"{json.dumps(training_settings(config), sort_keys=True)} {data}"


def training_command(capability: str, data: str, config: Any, options: Mapping[str, str]) -> str:
    """Return the command line that trains the same again where there is no database.

    Args:
        capability: its word.
        data: what the data are called; not where they lay.
        config: only what differs from the defaults is written.
        options: further options with their values; empty ones are left out.
    """
    words = ["python", "-m", "analytics", "train", capability, "--data", data, "--output", "FOLDER"]
    for name, value in options.items():
        words += [name, value] if value else []
    for name, value in changed_settings(config).items():
        words += ["--set", f"{name}={value}"]
    return shlex.join(words)


def _parse(text: str, kind: type) -> Any:
    if kind is bool:
        lowered = text.strip().lower()
        if lowered not in _TRUE | _FALSE:
            raise ValueError(text)
        return lowered in _TRUE
    return kind(text) if kind is str else kind(text.strip())
