from __future__ import annotations

import threading
import time
from collections.abc import Iterator

import pytest
import torch

from analytics.backbone.bert import side_by_side

CPU = torch.device("cpu")


@pytest.fixture(autouse=True)
def two_threads() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    yield
    torch.set_num_threads(before)


def test_results_come_in_the_order_of_the_items_whoever_is_done_first() -> None:
    def slow_first(item: int) -> tuple[int, str]:
        time.sleep(0.05 if item == 0 else 0)
        return item, threading.current_thread().name

    with side_by_side(slow_first, range(6), CPU) as results:
        pairs = list(results)

    assert [item for item, _ in pairs] == list(range(6))
    assert len({name for _, name in pairs}) == 2


def test_each_stream_has_its_share_of_the_threads_and_gives_it_back() -> None:
    with side_by_side(lambda _item: torch.get_num_threads(), range(4), CPU) as results:
        assert list(results) == [1] * 4
    assert torch.get_num_threads() == 2


def test_what_is_left_is_dropped_when_the_context_ends() -> None:
    begun: list[int] = []

    def compute(item: int) -> int:
        begun.append(item)
        time.sleep(0.01)
        return item

    with side_by_side(compute, range(500), CPU) as results:
        assert next(results) == 0
    assert len(begun) < 500


def test_an_error_reaches_the_caller_and_the_next_one_can_compute() -> None:
    def fail(item: int) -> int:
        raise ValueError(item)

    with pytest.raises(ValueError, match="0"), side_by_side(fail, range(3), CPU) as results:
        list(results)
    with side_by_side(str, range(3), CPU) as again:
        assert list(again) == ["0", "1", "2"]
    assert torch.get_num_threads() == 2


def test_whoever_comes_while_another_computes_does_it_in_turn() -> None:
    with side_by_side(str, range(3), CPU), side_by_side(_thread, range(3), CPU) as results:
        assert set(results) == {threading.current_thread().name}


@pytest.mark.parametrize("device", [torch.device("cuda"), CPU])
def test_a_gpu_and_a_single_item_are_computed_in_the_callers_thread(device: torch.device) -> None:
    items = range(3) if device.type == "cuda" else range(1)
    with side_by_side(_thread, items, device) as results:
        assert set(results) == {threading.current_thread().name}


def _thread(_item: int) -> str:
    return threading.current_thread().name
