"""The machine that figures are printed with is what /proc/cpuinfo says, and nothing more."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.bench.__main__ import machine

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize(
    ("cpuinfo", "model", "instructions"),
    [
        ("model name\t: AMD EPYC\nflags\t\t: fpu avx2 avx512f avx512_bf16\n", "AMD EPYC", "avx2, avx512f, avx512_bf16"),
        ("model name\t: Xeon\nflags\t\t: avx2 amx_bf16 amx_tile amx_int8\n", "Xeon", "avx2, amx_bf16, amx_int8"),
        ("processor\t: 0\nFeatures\t: fp asimd bf16 sve\n", "", "asimd, bf16, sve"),
        ("model name\t: i486\nflags\t\t: fpu\n", "i486", "none of the usual vector instructions"),
    ],
)
def test_the_machine_is_named_with_its_instructions_and_threads(cpuinfo, model, instructions):
    line = machine(cpuinfo)
    assert line.startswith(model)
    assert line.endswith(f"; {instructions}")
    assert re.search(r"\d+ cores, \d+ GiB, Python 3\.\d+\.\d+, torch \S+, \d+ threads", line)


def test_no_document_names_instructions_that_the_measuring_machine_lacks():
    documents = [ROOT / "docs" / "results.md", *(ROOT / "docs" / "decisions").glob("*.md")]
    for document in documents:
        assert not re.search(r"EPYC with AMX|AMX bfloat16", document.read_text()), document.name
