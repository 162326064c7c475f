"""A causal language model that writes a word problem's equation, and nothing else, without PyTorch.

The prompt is the problem, optionally preceded by solved ones. The answer is generated character by character
under a grammar: numbers of the text, known constants, ``+ - * / ^`` and brackets. So every answer can be
parsed, and the probabilities are those among valid equations.

`Llama` runs a model of the Llama family, such as SmolLM2, in ONNX Runtime. Half-precision weights are loaded from a
transformers folder, one of our adapters may be added to them, and they are passed to the graph of
`analytics.language_model.llama_graph` when it is opened (decision 153).
"""

from __future__ import annotations

import json
import math
import re
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from safetensors import SafetensorError, safe_open
from safetensors.numpy import load_file
from tokenizers import Tokenizer

from analytics.errors import ArtifactError, DataError
from analytics.expression.evaluate import EvaluationError, constant_label, evaluate_float, is_slot, slot_index
from analytics.expression.tree import ExpressionTree, from_prefix, parse_expression, to_infix
from analytics.inference.onnx import graph_session
from analytics.text.number_slots import NumberSlot, number_slots

Array = npt.NDArray[np.float32]

_EMBEDDINGS, _HEAD = "model.embed_tokens.weight", "lm_head.weight"
_ADAPTER_PREFIX = "base_model.model."
_ADAPTER_SCALE = 2.0  # alpha over rank, in all our adapters
_HIDDEN = np.float32(-1e9)  # added to attention scores of masked positions


@dataclass
class Memory:
    """The key-value cache of a batch, with one row per text.

    Attributes:
        kept: alternating keys and values of the layers, each (rows, key heads, positions, head width).
        is_read: whether a position holds a token, (rows, positions); texts end at the same position.
    """

    kept: list[Array]
    is_read: npt.NDArray[np.bool_]

    def of(self, rows: Sequence[int]) -> Memory:
        """Return the cache of some rows, which may repeat."""
        chosen = list(rows)
        return Memory([kept[chosen] for kept in self.kept], self.is_read[chosen])


class Llama:
    """A causal model. Thread-safe.

    Args:
        graph: file written by `write_llama_graph` for this kind of model.
        weights: weights by transformers' names, as returned by `_weights`. The dictionary is emptied.
        config: transformers' ``config.json``.

    Attributes:
        window: maximum context length in tokens.

    Raises:
        ArtifactError: the graph belongs to another model.
    """

    def __init__(self, graph: Path, weights: dict[str, Array], config: dict[str, Any]) -> None:
        self._embeddings = weights.pop(_EMBEDDINGS)
        self._head = weights.pop(_HEAD, self._embeddings)
        heads, groups = int(config["num_attention_heads"]), int(config["num_key_value_heads"])
        width = int(config["hidden_size"]) // heads
        self.window = int(config["max_position_embeddings"])
        theta = config.get("rope_theta") or config["rope_parameters"]["rope_theta"]
        self._turns = float(theta) ** -(np.arange(0, width, 2, dtype=np.float32) / width)
        self._session = graph_session(graph, threads=1, weights=weights)
        self._kept = [each.name for each in self._session.get_inputs() if each.name.startswith(("keys_", "values_"))]
        self._empty = groups, 0, width

    def read(self, texts: Sequence[Sequence[int]]) -> tuple[Array, Memory]:
        """Process the tokens of some texts; return the last states, (texts, width), and the cache."""
        longest = max(map(len, texts))
        ids = np.array([[0] * (longest - len(text)) + list(text) for text in texts])
        is_read = np.array([[False] * (longest - len(text)) + [True] * len(text) for text in texts])
        empty = np.zeros((len(texts), *self._empty), dtype=np.float32)
        memory = Memory([empty] * len(self._kept), np.zeros((len(texts), 0), dtype=bool))
        return self._forward(ids, is_read, memory)

    def read_on(self, memory: Memory, tokens: Sequence[int]) -> tuple[Array, Memory]:
        """Process one more token per row; return the same as `read`."""
        ids = np.array(tokens)[:, None]
        return self._forward(ids, np.ones_like(ids, dtype=bool), memory)

    def logits(self, states: Array, tokens: Sequence[int]) -> Array:
        """Return the logits of some next tokens for each state, (rows, width): (rows, tokens)."""
        scores: Array = states @ self._head[list(tokens)].astype(np.float32).T
        return scores

    def _forward(
        self, ids: npt.NDArray[np.int_], is_new: npt.NDArray[np.bool_], memory: Memory
    ) -> tuple[Array, Memory]:
        count = ids.shape[1]
        is_read = np.concatenate([memory.is_read, is_new], axis=1)
        places = np.maximum(is_read.cumsum(axis=1)[:, -count:] - 1, 0)
        angles = places[..., None].astype(np.float32) * self._turns
        before = is_read.shape[1] - count
        may_see = np.tril(np.ones((count, before + count), dtype=bool), before)[None] & is_read[:, None]
        given = {
            "states": self._embeddings[ids].astype(np.float32),
            "cosine": np.cos(angles),
            "sine": np.sin(angles),
            "hidden": np.where(may_see, np.float32(0), _HIDDEN)[:, None],
            **dict(zip(self._kept, memory.kept, strict=True)),
        }
        states, *kept = self._session.run(None, given)
        return states[:, -1], Memory(kept, is_read)


def _weights(path: Path) -> dict[str, Array]:
    """Load weights one by one: matrices in float32, transposed to (input, output); embeddings in half precision."""
    weights: dict[str, Array] = {}
    with safe_open(path, framework="numpy") as file:
        for name in file.keys():  # noqa: SIM118 - not a mapping
            tensor = file.get_tensor(name)
            is_table = name in (_EMBEDDINGS, _HEAD)  # token tables, of which few rows are used
            weights[name] = tensor if is_table else np.ascontiguousarray(tensor.T, dtype=np.float32)
    return weights


def load_llama(folder: Path, graph: Path, *, adapter: Path | None = None) -> Llama:
    """Load a model with its graph, optionally adding an adapter to its weights.

    Raises:
        ArtifactError: a file is missing or damaged, or the graph or the adapter does not match the weights.
    """
    try:
        config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        weights = _weights(folder / "model.safetensors")
        changes = load_file(adapter) if adapter is not None else {}
        for name, into in changes.items():
            layer, is_first, _rest = name.partition(".lora_A.weight")
            if is_first:
                out_of = changes[f"{layer}.lora_B.weight"].astype(np.float32)
                change = np.float32(_ADAPTER_SCALE) * (into.astype(np.float32).T @ out_of.T)
                weights[f"{layer.removeprefix(_ADAPTER_PREFIX)}.weight"] += change
        return Llama(graph, weights, config)
    except (OSError, ValueError, KeyError, TypeError, SafetensorError) as error:
        raise ArtifactError(f"The language model in {folder} cannot be read: {error}") from error


CONSTANTS = ("0.01", "0.5", *"1 2 3 4 5 6 7 8 10 12 24 25 30 52 60 90 100 180 360 365 1000 3600".split())
"""Numbers that an equation may contain even if the text does not."""

_CHARACTERS = "0123456789.+-*/^()%"
_OPERATORS = frozenset("+-*/^")
_MOST_BRACKETS = 5
_MOST_CHARACTERS = 60  # of an equation
_END = "\n"
_LOOSE_MARK = re.compile(r" (?=[.,;:?!%'’)])")  # public data sets put a space before each punctuation mark
_WORTHLESS = 4.0  # nats below the most probable equation: unfinished equations below it no longer matter


@dataclass(frozen=True, slots=True)
class WrittenEquation:
    """A generated equation with the logarithm of its probability among all equations."""

    equation: str
    log_probability: float


def equation_prompt(text: str) -> str:
    r"""Return the prompt that the model continues.

    >>> equation_prompt("How much is 2 and 3?")
    'Problem: How much is 2 and 3?\nEquation: '
    """
    line = _LOOSE_MARK.sub("", " ".join(text.split()))
    return f"Problem: {line}\nEquation: "


def slot_spelling(slot: NumberSlot, slots: Sequence[NumberSlot]) -> str:
    """Spell a number of the text as equations do: ``25%`` for a per cent, ``(1/3)`` for a fraction."""
    if any(other.start == slot.start and other.value == 100 * slot.value for other in slots):
        return f"{constant_label(100 * slot.value)}%"
    label = constant_label(slot.value)
    return f"({label})" if "/" in label else label


def spelled_equation(tokens: Sequence[str], slots: Sequence[NumberSlot]) -> str:
    """Spell a solver's tokens, given in pre-order, as the model writes them.

    >>> spelled_equation(["*", "N2", "-", "1", "N0"], number_slots("25% off 80 dollars"))
    '80*(1-25%)'
    """
    tree = from_prefix(tokens)
    return to_infix(
        tree.with_leaves(
            lambda label: ExpressionTree(slot_spelling(slots[slot_index(label)], slots) if is_slot(label) else label)
        )
    )


def numbers_of(text: str) -> frozenset[str]:
    """Return the spellings of the numbers that a text's equation may contain."""
    slots = number_slots(text)
    spelled = {slot_spelling(slot, slots).strip("()") for slot in slots}
    parts = {part for spelling in spelled for part in spelling.split("/")}
    return frozenset(parts | set(CONSTANTS))


class EquationState:
    """A partially written equation and the characters that may follow.

    >>> state = EquationState(frozenset({"12", "5"}))
    >>> sorted(state.following())
    ['(', '1', '5']
    >>> sorted(state.after("1").following())
    ['2']
    """

    __slots__ = ("_depth", "_number", "_numbers", "text")

    def __init__(self, numbers: frozenset[str], text: str = "", number: str | None = "", depth: int = 0) -> None:
        self._numbers, self.text, self._number, self._depth = numbers, text, number, depth

    def after(self, character: str) -> EquationState:
        """Return the state after appending a character."""
        number, depth = self._number, self._depth
        if character == "(":
            depth += 1
        elif character == ")":
            number, depth = None, depth - 1
        elif character in _OPERATORS:
            number = ""
        else:
            number = f"{number}{character}"
        return EquationState(self._numbers, self.text + character, number, depth)

    def following(self) -> set[str]:
        """Return the characters that may follow; includes a newline if the equation may end."""
        number = self._number
        if number == "":
            return {spelling[0] for spelling in self._numbers} | ({"("} if self._depth < _MOST_BRACKETS else set())
        allowed = set()
        if number is not None:
            size = len(number)
            allowed = {
                spelling[size] for spelling in self._numbers if len(spelling) > size and spelling.startswith(number)
            }
        if number is None or number in self._numbers:
            allowed |= _OPERATORS | {")" if self._depth else _END}
        return allowed


def may_be_written(equation: str, text: str) -> bool:
    """Return whether the grammar accepts an equation for a text.

    >>> may_be_written("3+4", "3 pens and 4 more"), may_be_written("3+41", "3 pens and 4 more")
    (True, False)
    """
    state = EquationState(numbers_of(text))
    for character in equation + _END:
        if character not in state.following():
            return False
        state = state.after(character)
    return True


@dataclass(slots=True)
class _Hypothesis:
    state: EquationState
    score: float


class EquationWriter:
    """Writes equations with a causal model; thread-safe.

    Args:
        tokenizer: tokenizer of the model; it must have a token for each character of an equation.
    """

    def __init__(self, model: Llama, tokenizer: Tokenizer) -> None:
        self.model, self.tokenizer = model, tokenizer
        self.ids = character_ids(tokenizer)
        self._places = {character: place for place, character in enumerate(self.ids)}

    def write(
        self, prompts: Sequence[str], texts: Sequence[str], *, beam: int = 4, seconds: float = math.inf
    ) -> list[list[WrittenEquation]]:
        """Return up to `beam` equations for each problem, most probable first.

        Args:
            prompts: prompts from `equation_prompt`.
            texts: the problems; their numbers may be used.
            beam: beam width.
            seconds: limit on processor time; equations unfinished by then are dropped.

        Raises:
            DataError: a prompt exceeds the model's context length.
        """
        began = time.thread_time()  # processor time, so that a busy machine does not change answers
        encoded = [self.tokenizer.encode(prompt, add_special_tokens=False).ids for prompt in prompts]
        longest = max(map(len, encoded))
        most = self.model.window - _MOST_CHARACTERS
        if longest > most:
            raise DataError(f"The prompt has {longest:,} tokens; the language model reads {most:,} at most.")
        alive = [[_Hypothesis(EquationState(numbers_of(text)), 0.0)] for text in texts]
        done: list[list[_Hypothesis]] = [[] for _text in texts]
        states, memory = self.model.read(encoded)
        for _place in range(_MOST_CHARACTERS):
            scores = self.model.logits(states, list(self.ids.values())).tolist()
            parents: list[int] = []
            characters: list[str] = []
            row = 0
            for problem, hypotheses in enumerate(alive):
                grown: list[tuple[float, int, str, _Hypothesis]] = []
                for hypothesis in hypotheses:
                    allowed = hypothesis.state.following()
                    values = {character: scores[row][self._places[character]] for character in allowed}
                    total = _log_sum(list(values.values()))
                    for character, value in values.items():
                        score = hypothesis.score + value - total
                        if character == _END:
                            done[problem].append(_Hypothesis(hypothesis.state, score))
                        else:
                            grown.append((score, row, character, hypothesis))
                    row += 1
                grown.sort(key=lambda each: -each[0])
                done[problem] = sorted(done[problem], key=lambda each: -each.score)[:beam]
                worst = done[problem][-1].score if len(done[problem]) == beam else -math.inf
                if done[problem]:
                    worst = max(worst, done[problem][0].score - _WORTHLESS)
                kept = [each for each in grown[:beam] if each[0] > worst]
                alive[problem] = [_Hypothesis(parent.state.after(c), score) for score, _row, c, parent in kept]
                parents += [each[1] for each in kept]
                characters += [each[2] for each in kept]
            if not parents or time.thread_time() - began > seconds:
                break
            states, memory = self.model.read_on(memory.of(parents), [self.ids[character] for character in characters])
        return [
            [WrittenEquation(each.state.text, each.score) for each in sorted(found, key=lambda each: -each.score)]
            for found in done
        ]


def character_ids(tokenizer: Tokenizer) -> dict[str, int]:
    """Return the token id of each character of an equation, and of the newline that marks its end.

    Raises:
        DataError: the tokenizer has no separate token for a character.
    """
    ids = {}
    for character in _CHARACTERS + _END:
        found = tokenizer.encode(character, add_special_tokens=False).ids
        if len(found) != 1:
            raise DataError(f"The language model has no token for {character!r}, so it cannot write equations.")
        ids[character] = found[0]
    return ids


def equation_value(equation: str) -> float | None:
    """Return the value of a written equation, if it has one."""
    try:
        return evaluate_float(parse_expression(equation))
    except (DataError, EvaluationError):
        return None


def _log_sum(values: Sequence[float]) -> float:
    highest = max(values)
    return highest + math.log(sum(math.exp(value - highest) for value in values))
