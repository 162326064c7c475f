"""A smaller starter: ``python -m analytics.backbone.narrowing STARTER RANK`` lowers the rank of its adapter.

The product of every layer's two factors is replaced by the nearest one of the lower rank (Eckart and Young, "The
approximation of one matrix by another of lower rank", 1936). The vectors that a retriever's starter keeps are those of
the adapter before: export it, give it a datastore again (`analytics.analogy.keeping`), and make that the starter.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save_file

from analytics.artifacts import artifact_amend, artifact_read
from analytics.backbone.adapters import ADAPTER_CONFIG_NAME
from analytics.backbone.sources import ADAPTER_NAME
from analytics.command_line import run_command
from analytics.errors import ArtifactError

__all__ = ["main", "narrow_adapter"]

Matrix = npt.NDArray[np.float64]


def narrow_adapter(starter: Path, rank: int) -> float:
    """Lower the rank of the adapter of a starter's folder.

    Args:
        starter: an artifact with an adapter beside its manifest.
        rank: from now on; lower than before.

    Returns:
        The share of the adapter's squared weights, its two factors multiplied, that is lost.

    Raises:
        ArtifactError: the folder is no starter or cannot be written, or the rank is not lower than before.
    """
    manifest = artifact_read(starter)
    try:
        described = json.loads((starter / ADAPTER_CONFIG_NAME).read_text(encoding="utf-8"))
        with safe_open(starter / ADAPTER_NAME, framework="np") as file:
            weights = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 - no mapping
            metadata = dict(file.metadata() or {})
    except (SafetensorError, OSError, ValueError) as error:
        raise ArtifactError(f"The adapter in {starter} cannot be read: {error}") from error
    former = int(described["r"])
    if not 1 <= rank < former:
        raise ArtifactError(f"The adapter in {starter} has rank {former}; choose a lower one, of 1 at least.")
    whole = lost = 0.0
    for name in [name for name in weights if "lora_A" in name]:
        partner = name.replace("lora_A", "lora_B")
        into, out_of, energy = _nearest(
            weights[name].astype(np.float64), weights[partner].astype(np.float64), rank
        )
        weights[name], weights[partner] = into.astype(np.float16), out_of.astype(np.float16)
        whole += float(energy.sum())
        lost += float(energy[rank:].sum())
    described |= {"r": rank, "lora_alpha": described["lora_alpha"] * rank / former}  # the scale stays

    def write(folder: Path) -> None:
        save_file(weights, folder / ADAPTER_NAME, metadata=metadata)
        (folder / ADAPTER_CONFIG_NAME).write_text(json.dumps(described, indent=2) + "\n", encoding="utf-8")

    artifact_amend(starter, replace(manifest, extra={**manifest.extra, "adapter_rank": rank}), write)
    return lost / whole if whole else 0.0


def _nearest(into: Matrix, out_of: Matrix, rank: int) -> tuple[Matrix, Matrix, Matrix]:
    """Both factors (rank, width) and (width, rank) of the nearest product, and the squares of all singular values."""
    right_basis, right = np.linalg.qr(into.T)
    left_basis, left = np.linalg.qr(out_of)
    columns, values, rows = np.linalg.svd(left @ right.T)
    root = np.sqrt(values[:rank])
    return (
        root[:, None] * (rows[:rank] @ right_basis.T),
        (left_basis @ columns[:, :rank]) * root,
        values**2,
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Lower the rank of a starter's adapter and print what is lost."""
    parser = argparse.ArgumentParser(prog="python -m analytics.backbone.narrowing", description=__doc__)
    parser.add_argument("starter", type=Path, help="folder of a starter; it is changed")
    parser.add_argument("rank", type=int)
    options = parser.parse_args(arguments)

    def narrow() -> str:
        lost = narrow_adapter(options.starter, options.rank)
        return f"{options.starter} has an adapter of rank {options.rank}; {lost:.2%} of its squared weights are lost."

    return run_command(narrow)


if __name__ == "__main__":
    sys.exit(main())
