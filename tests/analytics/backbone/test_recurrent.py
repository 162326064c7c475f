"""The GRU without pretraining: padding changes nothing, and both directions are read."""

from __future__ import annotations

import pytest
import torch

from analytics.backbone.bert import RecurrentEncoder, recurrent_backbone


@pytest.fixture
def encoder() -> RecurrentEncoder:
    torch.manual_seed(0)
    return RecurrentEncoder(20, width=6, embedding=4).eval()


def states(encoder: RecurrentEncoder, ids: list[list[int]], mask: list[list[int]]) -> torch.Tensor:
    return encoder(input_ids=torch.tensor(ids), attention_mask=torch.tensor(mask)).last_hidden_state


def test_padding_changes_no_state_and_has_none(encoder):
    alone = states(encoder, [[3, 4, 5]], [[1, 1, 1]])
    padded = states(encoder, [[3, 4, 5, 0, 0], [6, 7, 8, 9, 1]], [[1, 1, 1, 0, 0], [1, 1, 1, 1, 1]])
    assert alone.shape == (1, 3, 6)
    torch.testing.assert_close(padded[0, :3], alone[0])
    assert not padded[0, 3:].any()


def test_each_state_depends_on_the_tokens_before_and_behind_it(encoder):
    before, changed_first, changed_last = (
        states(encoder, [ids], [[1, 1, 1]])[0, 1] for ids in ([3, 4, 5], [9, 4, 5], [3, 4, 9])
    )
    assert not torch.allclose(before, changed_first)
    assert not torch.allclose(before, changed_last)


def test_states_are_the_sum_of_both_directions(encoder):
    ids = torch.tensor([[3, 4, 5]])
    both = encoder.gru(encoder.embeddings(ids))[0]
    torch.testing.assert_close(states(encoder, [[3, 4, 5]], [[1, 1, 1]]), both[..., :6] + both[..., 6:])


def test_the_backbone_reads_the_default_encoders_tokens():
    torch.manual_seed(1)
    backbone = recurrent_backbone(max_tokens=8, device="cpu", width=16)
    ids, mask = backbone.batch(["Two and two", "A much longer text than eight tokens may ever be"])
    assert backbone.token_states(ids, mask).shape == (2, 8, 16)
    assert backbone.unknown_share(["Two pens"]) == 0
    assert {parameter.device.type for parameter in backbone.model.parameters()} == {"cpu"}
