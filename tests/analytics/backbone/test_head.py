"""The layers behind the pooling: how they begin, what they compute, how they are stored and served."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from analytics.backbone.backbone import Head, load_head, mean_pool, save_head, set_head, weights_sha256
from analytics.backbone.bert import encode_bulk, load_backbone
from analytics.backbone.export import export_onnx, save_backbone
from analytics.backbone.sources import HEAD_NAME
from analytics.errors import BackboneError
from analytics.inference.encode import load_encoder
from tests.tiny_backbone import tiny_backbone

TEXTS = ["a + b = 12", "find the area", "two and two"]


def random_head() -> Head:
    torch.manual_seed(3)
    return Head([torch.nn.Linear(32, 24), torch.nn.Linear(24, 32)])


def test_two_layers_begin_as_no_change():
    vectors = torch.randn(5, 32)
    torch.testing.assert_close(Head.two_layer(32)(vectors), vectors)


def test_it_computes_what_the_two_layers_say():
    head, vectors = random_head(), torch.randn(4, 32)
    stored = head.tensors()
    hidden = (vectors @ stored["first.weight"].T + stored["first.bias"]).clamp(min=0)
    torch.testing.assert_close(head(vectors), hidden @ stored["second.weight"].T + stored["second.bias"])


@pytest.mark.parametrize("make", [random_head, lambda: Head.linear(torch.randn(32, 32))])
def test_a_linear_map_behind_it_is_taken_in(make):
    head, weight, vectors = make(), torch.randn(32, 32), torch.randn(4, 32)
    torch.testing.assert_close(head.followed_by(weight)(vectors), head(vectors) @ weight.T, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("make", [random_head, lambda: Head.linear(torch.randn(32, 32))])
def test_it_is_stored_beside_the_weights_and_changes_their_checksum(make, tmp_path):
    backbone = tiny_backbone()
    plain = backbone.weights_hash
    set_head(backbone, make())
    assert not any(parameter.requires_grad for parameter in backbone.head.parameters())
    save_backbone(backbone, tmp_path / "bert")
    again = load_backbone(str(tmp_path / "bert"), device="cpu")
    assert again.weights_hash == backbone.weights_hash != plain
    np.testing.assert_array_equal(
        encode_bulk(again, TEXTS, dtype=torch.float32), encode_bulk(backbone, TEXTS, dtype=torch.float32)
    )


def test_the_checksum_of_a_linear_map_is_as_it_was_before_there_were_two_layers():
    backbone = tiny_backbone()
    weight = torch.eye(32)
    set_head(backbone, Head.linear(weight))

    class Named:
        def tensors(self):
            return {"metric": weight}

    assert backbone.weights_hash == weights_sha256(backbone.model, Named())


@pytest.mark.parametrize("layers", [1, 2])
def test_the_served_encoder_computes_the_same(layers, tmp_path):
    backbone = tiny_backbone()
    set_head(backbone, random_head() if layers == 2 else Head.linear(torch.randn(32, 32)))
    export_onnx(backbone, tmp_path / "encoder")
    expected = encode_bulk(backbone, TEXTS, dtype=torch.float32)
    np.testing.assert_allclose(load_encoder(tmp_path / "encoder").encode(TEXTS), expected, atol=2e-5)


def test_damage_and_wrong_sizes_are_refused(tmp_path):
    from safetensors.torch import save_file

    backbone = tiny_backbone()
    with pytest.raises(BackboneError, match="does not fit"):
        set_head(backbone, Head.two_layer(8))
    stored = random_head().tensors()
    for change in (
        {"first.weight": torch.zeros(3)},
        {"first.bias": torch.zeros(3)},
        {"second.weight": torch.zeros(32, 9)},
        {"second.bias": torch.zeros(3)},
    ):
        save_file({name: tensor.contiguous() for name, tensor in (stored | change).items()}, tmp_path / HEAD_NAME)
        with pytest.raises(BackboneError, match=r"last layer in .* cannot be read"):
            load_head(backbone, tmp_path)
    assert backbone.head is None
    save_head(backbone, tmp_path / "nothing")
    assert not (tmp_path / "nothing").exists()


def test_padding_does_not_count():
    """Row 1: mean of (1, 5) and (3, 7) is (2, 6). Row 2 has one token."""
    states = torch.tensor([[[1.0, 5.0], [3.0, 7.0], [99.0, 99.0]], [[4.0, 4.0], [99.0, 99.0], [99.0, 99.0]]])
    mask = torch.tensor([[1, 1, 0], [1, 0, 0]])
    assert mean_pool(states, mask).tolist() == [[2.0, 6.0], [4.0, 4.0]]


def test_a_row_without_tokens_is_zero_and_not_nan():
    assert mean_pool(torch.ones(1, 2, 3), torch.zeros(1, 2)).tolist() == [[0.0, 0.0, 0.0]]


def test_gradients_reach_tokens_and_not_padding():
    states = torch.ones(1, 3, 2, requires_grad=True)
    mean_pool(states, torch.tensor([[1, 1, 0]])).sum().backward()
    assert states.grad.tolist() == [[[0.5, 0.5], [0.5, 0.5], [0.0, 0.0]]]
