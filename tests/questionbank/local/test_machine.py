from __future__ import annotations

import pytest

from questionbank.local.instance import memory_bytes


@pytest.mark.parametrize(
    ("name", "limit", "expected"),
    [
        ("memory.max", "1000000", 1_000_000),
        ("memory/memory.limit_in_bytes", "2000000", 2_000_000),
        ("memory.max", "max", None),
        ("memory/memory.limit_in_bytes", "9223372036854771712", None),  # what version 1 says for none
    ],
)
def test_a_control_groups_limit_counts_where_it_is_less_than_the_machine_has(tmp_path, name, limit, expected):
    machine = memory_bytes(tmp_path)
    assert machine > 100_000_000
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).write_text(f"{limit}\n")
    assert memory_bytes(tmp_path) == (expected or machine)
