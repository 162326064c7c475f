"""A causal model of the Llama family as an ONNX graph without weights, run by `analytics.language_model.equations`.

Touvron et al., "LLaMA" (2023): root mean square norms, rotary positions, gated layers; grouped queries after
Ainslie et al. (2023). All of these are operators of ONNX since version 23. It needs the package onnx, which
is installed only for training.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import onnx
from onnx import TensorProto, helper

_OPERATORS, _FORMAT = 23, 10  # versions of ONNX


class _Graph:
    """A graph built node by node; weights are referenced by their names in transformers' files."""

    def __init__(self) -> None:
        self.nodes: list[onnx.NodeProto] = []
        self.weights: list[onnx.TensorProto] = []

    def node(self, operator: str, *inputs: str, **attributes: Any) -> str:
        """Add a node and return the name of its output."""
        return self.outputs(1, operator, *inputs, **attributes)[0]

    def outputs(self, count: int, operator: str, *inputs: str, **attributes: Any) -> list[str]:
        """Add a node with several outputs and return their names."""
        names = [f"{operator}_{len(self.nodes)}_{place}" for place in range(count)]
        self.nodes.append(helper.make_node(operator, inputs, names, **attributes))
        return names

    def weight(self, name: str, *shape: int) -> str:
        """Declare a weight that is supplied when the graph is opened."""
        tensor = TensorProto(name=name, data_type=TensorProto.FLOAT, dims=shape, data_location=TensorProto.EXTERNAL)
        tensor.external_data.add(key="location", value="handed over")
        self.weights.append(tensor)
        return name


def write_llama_graph(config: Mapping[str, Any], path: Path) -> None:
    """Write the graph of a model.

    Inputs: ``states`` (rows, count, width), the embeddings of the tokens; ``cosine`` and ``sine`` of their
    positions' angles (rows, count, half of a head's width); ``hidden`` (rows, 1, count, places), added to the
    attention scores; ``keys_0``, ``values_0`` and so on (rows, key heads, places before, head width).
    Outputs: the states after the last layer, then keys and values of all positions. Matrices are transposed
    relative to transformers' files.

    Args:
        config: transformers' ``config.json``.
    """
    graph, width, inner = _Graph(), int(config["hidden_size"]), int(config["intermediate_size"])
    heads, groups = int(config["num_attention_heads"]), int(config["num_key_value_heads"])
    head = width // heads

    def normed(states: str, name: str) -> str:
        scale = graph.weight(f"{name}.weight", width)
        return graph.node("RMSNormalization", states, scale, axis=-1, epsilon=float(config["rms_norm_eps"]))

    def product(states: str, name: str, columns: int, rows: int = width) -> str:
        return graph.node("MatMul", states, graph.weight(f"{name}.weight", rows, columns))

    states, memory, grown = "states", list[str](), list[str]()  # cache before and after
    for layer in range(int(config["num_hidden_layers"])):
        name, before = f"model.layers.{layer}", [f"keys_{layer}", f"values_{layer}"]
        read = normed(states, f"{name}.input_layernorm")
        query = product(read, f"{name}.self_attn.q_proj", heads * head)
        key, value = (product(read, f"{name}.self_attn.{part}_proj", groups * head) for part in "kv")
        query = graph.node("RotaryEmbedding", query, "cosine", "sine", num_heads=heads)
        key = graph.node("RotaryEmbedding", key, "cosine", "sine", num_heads=groups)
        mixed, *after = graph.outputs(
            3, "Attention", query, key, value, "hidden", *before, q_num_heads=heads, kv_num_heads=groups
        )
        memory, grown = memory + before, grown + after
        states = graph.node("Add", states, product(mixed, f"{name}.self_attn.o_proj", width))
        read = normed(states, f"{name}.post_attention_layernorm")
        gate = product(read, f"{name}.mlp.gate_proj", inner)
        gate = graph.node("Mul", gate, graph.node("Sigmoid", gate))
        gate = graph.node("Mul", gate, product(read, f"{name}.mlp.up_proj", inner))
        states = graph.node("Add", states, product(gate, f"{name}.mlp.down_proj", width, inner))
    shapes: dict[str, list[str | int | None]] = {
        "states": ["rows", "count", width],
        "cosine": ["rows", "count", head // 2],
        "sine": ["rows", "count", head // 2],
        "hidden": ["rows", 1, "count", "places"],
        **{each: ["rows", groups, "before", head] for each in memory},
    }
    last = normed(states, "model.norm")
    ends: dict[str, list[str | int | None]] = {
        last: ["rows", "count", width],
        **{each: ["rows", groups, "places", head] for each in grown},
    }
    inputs, outputs = (
        [helper.make_tensor_value_info(each, TensorProto.FLOAT, shape) for each, shape in of.items()]
        for of in (shapes, ends)
    )
    made = helper.make_graph(graph.nodes, "llama", inputs, outputs, graph.weights)
    versions = [helper.make_opsetid("", _OPERATORS)]
    onnx.save(helper.make_model(made, opset_imports=versions, ir_version=_FORMAT), path)
