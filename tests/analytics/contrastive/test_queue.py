"""The memory queue wraps, takes any batch size, and survives saving."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from analytics.encoder.pretraining import MemoryQueue


@given(size=st.integers(1, 9), batches=st.lists(st.integers(0, 20), max_size=8))
def test_it_holds_the_newest_keys_whatever_the_batch_sizes(size, batches):
    queue, sent = MemoryQueue(size, 2), []
    for count in batches:
        labels = torch.arange(len(sent), len(sent) + count)
        queue.enqueue(torch.stack([labels.float(), -labels.float()], dim=1), labels)
        sent.extend(labels.tolist())
    keys, labels = queue.filled()
    assert sorted(labels.tolist()) == sent[-size:]
    assert keys[:, 0].tolist() == labels.float().tolist()


def test_it_is_saved_with_the_model():
    queue = MemoryQueue(4, 2)
    queue.enqueue(torch.ones(3, 2), torch.tensor([5, 6, 7]))
    again = MemoryQueue(4, 2)
    again.load_state_dict(queue.state_dict())
    again.enqueue(torch.zeros(2, 2), torch.tensor([8, 9]))
    assert sorted(again.filled()[1].tolist()) == [6, 7, 8, 9]


def test_no_gradient_flows_into_it():
    queue, keys = MemoryQueue(2, 2), torch.ones(1, 2, requires_grad=True)
    queue.enqueue(keys, torch.tensor([0]))
    assert not queue.filled()[0].requires_grad


def test_shapes_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match="do not fit"):
        MemoryQueue(2, 3).enqueue(torch.ones(1, 2), torch.tensor([0]))
    with pytest.raises(ValueError, match="at least 1"):
        MemoryQueue(0, 3)
