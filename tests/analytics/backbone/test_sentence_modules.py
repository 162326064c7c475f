"""The layout of sentence-transformers: what is written is read again, and what an encoder cannot do is noticed."""

from __future__ import annotations

import json

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from analytics.backbone.sources import BACKBONE_FOLDER, HEAD_NAME, read_modules, write_modules

RNG = np.random.default_rng(0)
HEADS = {
    "none": {},
    "one layer": {"metric": (4, 4)},
    "two layers": {"first.weight": (8, 4), "first.bias": (8,), "second.weight": (4, 8), "second.bias": (4,)},
}


@pytest.fixture(params=HEADS)
def written(request, tmp_path):
    """A folder with a head of four values, and the head."""
    head = {name: RNG.random(shape).astype(np.float16) for name, shape in HEADS[request.param].items()}
    (tmp_path / BACKBONE_FOLDER).mkdir()
    if head:
        save_file(head, tmp_path / BACKBONE_FOLDER / HEAD_NAME)
    write_modules(tmp_path, dimension=4, max_tokens=64)
    return tmp_path, head


def test_a_written_head_is_read_again(written):
    folder, head = written
    layers = read_modules(folder)
    assert layers.keys() == head.keys()
    for name, tensor in head.items():
        np.testing.assert_array_equal(layers[name], tensor)


def test_the_modules_are_listed_in_order(written):
    folder, head = written
    modules = json.loads((folder / "modules.json").read_text())
    kinds = [module["type"].rpartition(".")[2] for module in modules]
    assert kinds == ["Transformer", "Pooling", *["Dense"] * ((len(head) + 1) // 2), "Normalize"]
    assert all((folder / module["path"]).is_dir() for module in modules[:-1])


def test_a_folder_without_modules_has_no_head(tmp_path):
    assert read_modules(tmp_path) == {}


@pytest.fixture
def one_layer(tmp_path):
    (tmp_path / BACKBONE_FOLDER).mkdir()
    save_file({"metric": np.eye(4, dtype=np.float16)}, tmp_path / BACKBONE_FOLDER / HEAD_NAME)
    write_modules(tmp_path, dimension=4, max_tokens=64)
    return tmp_path


@pytest.mark.parametrize(
    ("file", "value"),
    [
        ("1_Pooling/config.json", {"pooling_mode": "cls"}),
        ("1_Pooling/config.json", {"pooling_mode_mean_tokens": True, "pooling_mode_max_tokens": True}),
        ("2_Dense/config.json", {"activation_function": "torch.nn.modules.activation.Tanh"}),
        ("2_Dense/config.json", []),
        ("modules.json", [{"path": "", "type": "sentence_transformers.models.WordEmbeddings"}]),
        ("modules.json", {}),
    ],
)
def test_modules_that_an_encoder_cannot_compute_are_noticed(one_layer, file, value):
    (one_layer / file).write_text(json.dumps(value))
    assert read_modules(one_layer) is None


def test_a_layer_that_changes_the_length_of_vectors_is_noticed(one_layer):
    weights = one_layer / "2_Dense" / "model.safetensors"
    save_file({"linear.weight": load_file(weights)["linear.weight"][:2].copy()}, weights)
    assert read_modules(one_layer) is None
