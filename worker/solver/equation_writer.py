"""The adapter with which SmolLM2 writes the equations of word problems, trained as decision 85 describes.

``python -m worker.solver.equation_writer --data ../shared/data --model FOLDER --output FOLDER`` trains it. The model is
the folder that a worker writes below `VAR_DIR` (`analytics.language_model.equations`); the output has the format of
`analytics/language_model/starter`. It needs a GPU: without one, a step takes minutes.

LoRA (Hu et al., ICLR 2022) by peft, on every linear layer. It is trained on the sets of the solver's starter
(`worker.solver.starter_data`) with all of MathQA and longer texts, our demo bank, and generated problems, under the
terms that the shipped manifest names. It is not trained on ASDiv (CC BY-NC), nor on the sets that starters are
evaluated on.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import torch
from safetensors.torch import save_file
from tokenizers import Tokenizer
from torch.nn import functional
from torch.nn.utils.rnn import pad_sequence

from analytics.artifacts import Manifest, artifact_read, artifact_write, data_sha256
from analytics.backbone.sources import ADAPTER_NAME
from analytics.expression.evaluate import answers_agree
from analytics.inference.encode import batches_by_length
from analytics.language_model import equations
from analytics.language_model.llama_graph import write_llama_graph
from analytics.records import ProblemRecord
from analytics.solver.second_opinion import ADAPTER_FOLDER, LLAMA_GRAPH
from analytics.solver.targets import solver_examples, value_of
from analytics.training.device import autocast, inference_dtype, pick_device
from worker.solver.starter_data import STARTER_SETS, divide, starter_rows

Pairs = list[tuple[str, str]]  # texts of problems, and their equations as the model writes them

RANK, ALPHA = 24, 48  # the inference code multiplies by their quotient, 2
LEARNING_RATE, STEPS = 8e-4, 605
TOKENS = 16_000  # per batch, including padding
_LAYERS = [f"{name}_proj" for name in ("q", "k", "v", "o", "gate", "up", "down")]
_LONGEST, _MOST_SYMBOLS, _MOST_CHARACTERS = 420, 21, 58  # limits of a problem's text, then of its equation
_WARM_UP, _REPORTED = 60, 100  # steps
_SORTED_TOGETHER = 4096  # problems sorted together to make batches of similar length
_NO_TARGET = -100  # ignored by PyTorch's cross entropy


def learned_pairs(data: Path, *, everyday: int, synthetic: int) -> Pairs:
    """Return the training pairs: public sets, and problems generated from everyday kinds and from stories.

    The problems that the solver's starter is validated on are left out.
    """
    whole = dict.fromkeys(STARTER_SETS["en"].learned, 0)
    sets = replace(STARTER_SETS["en"], learned=whole, everyday=everyday, synthetic=synthetic, longest=_LONGEST)
    rows, _counts = starter_rows(data, sets, "en")
    learned, _validation = divide(rows, data, sets.reworded)
    several = ("numbers", "calculations")
    return writable_pairs(
        ProblemRecord(**(row | {name: tuple(row.get(name, ())) for name in several})) for row in learned
    )


def writable_pairs(problems: Iterable[ProblemRecord]) -> Pairs:
    """Return the problems whose equation is short, has a value, and can be written under the grammar."""
    pairs = []
    for example in solver_examples(problems, most_tokens=_MOST_SYMBOLS):
        text, equation = example.problem.text, equations.spelled_equation(example.tokens, example.slots)
        value = equations.equation_value(equation)
        has_value = value is not None and answers_agree(value, value_of(example.tokens, example.values))
        if has_value and len(equation) <= _MOST_CHARACTERS and equations.may_be_written(equation, text):
            pairs.append((text, equation))
    return pairs


def _batches(pairs: Pairs, tokenizer: Tokenizer, rng: Random) -> Iterator[tuple[torch.Tensor, torch.Tensor]]:
    """Yield endless batches of tokens and targets, both (problems, tokens); only equation tokens are targets."""
    characters = equations.character_ids(tokenizer)
    while True:
        order = rng.sample(pairs, len(pairs))
        for start in range(0, len(order), _SORTED_TOGETHER):
            rows, targets = [], []
            for text, equation in order[start : start + _SORTED_TOGETHER]:
                prompt = tokenizer.encode(equations.equation_prompt(text), add_special_tokens=False).ids
                written = [characters[character] for character in f"{equation}\n"]
                rows.append(torch.tensor(prompt + written))
                targets.append(torch.tensor([_NO_TARGET] * len(prompt) + written))
            batches = list(batches_by_length(list(map(len, rows)), tokens=TOKENS))
            rng.shuffle(batches)
            for batch in batches:  # a causal model needs no mask if the padding is on the right
                yield (
                    pad_sequence([rows[row] for row in batch], batch_first=True),
                    pad_sequence([targets[row] for row in batch], batch_first=True, padding_value=_NO_TARGET),
                )


def train_adapter(
    model: Any, tokenizer: Tokenizer, pairs: Pairs, *, seed: int, steps: int, minutes: float
) -> tuple[Any, dict[str, float]]:
    """Train an adapter on a causal model; the rate warms up over 60 steps and decays to 2 % of its peak.

    Args:
        model: a transformers model of the Llama family, in float32; its layers are wrapped in place.
        tokenizer, pairs: the model's tokenizer; the result of `learned_pairs`.
        seed: seed of the adapter's initial values and of the order of the problems.
        steps, minutes: upper limits; the rate decays with whichever ends first.

    Returns:
        peft's model; and steps, problems seen, and the mean loss of the last hundred steps or fewer.
    """
    from peft import LoraConfig, get_peft_model

    torch.manual_seed(seed)
    config = LoraConfig(r=RANK, lora_alpha=ALPHA, target_modules=_LAYERS, init_lora_weights="gaussian")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # peft reads an attribute that was renamed
        adapted = get_peft_model(model, config)
    trained = [weights for weights in adapted.parameters() if weights.requires_grad]
    optimizer = torch.optim.AdamW(trained, lr=LEARNING_RATE, betas=(0.9, 0.98), weight_decay=0.0, fused=True)
    device, output, began = trained[0].device, model.get_output_embeddings(), time.monotonic()
    batches = _batches(pairs, tokenizer, Random(seed))  # noqa: S311 - sampling, not security
    losses: list[torch.Tensor] = []
    seen = 0
    while (done := max(len(losses) / steps, (time.monotonic() - began) / (60 * minutes))) < 1:
        for group in optimizer.param_groups:
            group["lr"] = LEARNING_RATE * min(1.0, (len(losses) + 1) / _WARM_UP) * max(0.02, 1 - done)
        ids, targets = (tensor.to(device) for tensor in next(batches))
        wanted = targets[:, 1:] != _NO_TARGET
        with autocast(device, inference_dtype(device)):
            states = model.model(input_ids=ids, use_cache=False).last_hidden_state
            loss = functional.cross_entropy(output(states[:, :-1][wanted]).float(), targets[:, 1:][wanted])
        loss.backward()
        torch.nn.utils.clip_grad_norm_(trained, 1.0)
        optimizer.step()
        optimizer.zero_grad()
        losses.append(loss.detach())
        seen += len(ids)
        if len(losses) % _REPORTED == 0:
            sys.stdout.write(f"step {len(losses)}: loss {torch.stack(losses[-_REPORTED:]).mean():.4f}\n")
    mean = round(float(torch.stack(losses[-_REPORTED:]).mean()), 4)
    return adapted.eval(), {"steps": len(losses), "problems_seen": seen, "loss": mean}


def write_adapter(adapted: Any, folder: Path, manifest: Manifest) -> None:
    """Write peft's adapter in half precision, and the model's graph, for `analytics.solver.second_opinion`."""
    from peft import get_peft_model_state_dict

    named = get_peft_model_state_dict(adapted).items()
    weights = {name: tensor.detach().to("cpu", torch.float16).contiguous() for name, tensor in named}

    def write(aside: Path) -> None:
        save_file(weights, aside / ADAPTER_NAME)
        write_llama_graph(adapted.config.to_dict(), aside / LLAMA_GRAPH)

    artifact_write(folder, manifest, write)


def main(arguments: list[str] | None = None) -> int:
    """Train an adapter and write it."""
    parser = argparse.ArgumentParser(description="Train the adapter with which SmolLM2 writes equations.")
    parser.add_argument("--data", type=Path, required=True, help="folder of the public data sets")
    parser.add_argument("--model", type=Path, required=True, help="folder of SmolLM2, as a worker writes it")
    parser.add_argument("--output", type=Path, required=True, help="folder to write to")
    parser.add_argument("--seed", type=int, default=1, help="of the initial weights and of the problems' order")
    parser.add_argument("--steps", type=int, default=STEPS, help="at most; %(default)s by default")
    parser.add_argument("--minutes", type=float, default=math.inf, help="at most; by default any number")
    parser.add_argument("--everyday", type=int, default=50_000, help="everyday problems to learn from")
    parser.add_argument("--synthetic", type=int, default=20_000, help="problems from stories to learn from")
    options = parser.parse_args(arguments)
    if options.steps < 1 or options.minutes <= 0:
        parser.error("--steps and --minutes must be above 0.")
    from transformers import AutoModelForCausalLM

    try:
        tokenizer = Tokenizer.from_file(str(options.model / "tokenizer.json"))
        model: Any = AutoModelForCausalLM.from_pretrained(options.model, dtype=torch.float32)
    except Exception as error:  # noqa: BLE001 - tokenizers raises nothing narrower
        parser.error(f"The model in {options.model} cannot be read: {error}")
    pairs = learned_pairs(options.data, everyday=options.everyday, synthetic=options.synthetic)
    if not pairs:
        parser.error(f"{options.data} has no problem to learn from.")
    sys.stdout.write(f"{len(pairs):,} problems are learned from.\n")
    model.to(pick_device())
    limits = {"steps": options.steps, "minutes": options.minutes}
    adapted, metrics = train_adapter(model, tokenizer, pairs, seed=options.seed, **limits)
    manifest = Manifest(
        "solver",
        "Kindred equation writer",
        config={"rank": RANK, "alpha": ALPHA, "learning_rate": LEARNING_RATE, "tokens_per_batch": TOKENS},
        metrics=metrics,
        seed=options.seed,
        data_hash=data_sha256(pairs),
        license_note=artifact_read(ADAPTER_FOLDER).license_note,
        extra={"kind": "adapter", "backbone": options.model.resolve().name, "languages": ["en"]},
    )
    write_adapter(adapted, options.output, manifest)
    return 0


if __name__ == "__main__":
    sys.exit(main())
