"""A smaller starter: its adapter with a lower rank.

The product of every layer's two factors is replaced by the nearest one of the lower rank (Eckart and Young, "The
approximation of one matrix by another of lower rank", 1936). The vectors that a retriever's starter keeps are those of
the adapter before: export it, give it a datastore again (`analytics.analogy.keeping`), and make that the starter.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

from safetensors.torch import save_file

from analytics.artifacts import artifact_amend, artifact_read
from analytics.backbone.adapters import ADAPTER_CONFIG_NAME, nearest_factors, read_weights
from analytics.backbone.sources import ADAPTER_NAME
from analytics.errors import ArtifactError


def narrow_adapter(starter: Path, rank: int) -> float:
    """Lower the rank of the adapter of a starter's folder.

    Args:
        starter: an artifact with an adapter.
        rank: from now on; lower than before.

    Returns:
        The share of the adapter's squared weights, its two factors multiplied, that is lost.

    Raises:
        ArtifactError: the folder is no artifact or cannot be written, or the rank is not lower than before.
        BackboneError: it holds no adapter that can be read.
    """
    manifest = artifact_read(starter)
    weights, metadata = read_weights(starter)
    described = json.loads((starter / ADAPTER_CONFIG_NAME).read_text(encoding="utf-8"))
    former = int(described["r"])
    if not 1 <= rank < former:
        raise ArtifactError(f"The adapter in {starter} has rank {former}; choose a lower one, of 1 at least.")
    whole = lost = 0.0
    for name in [name for name in weights if "lora_A" in name]:
        partner = name.replace("lora_A", "lora_B")
        weights[name], weights[partner], values = nearest_factors(weights[partner] @ weights[name], rank)
        whole += float(values.square().sum())
        lost += float(values[rank:].square().sum())
    described |= {"r": rank, "lora_alpha": described["lora_alpha"] * rank / former}  # the scale stays

    def write(folder: Path) -> None:
        halved = {name: tensor.half().contiguous() for name, tensor in weights.items()}
        save_file(halved, folder / ADAPTER_NAME, metadata=metadata)
        (folder / ADAPTER_CONFIG_NAME).write_text(json.dumps(described, indent=2) + "\n", encoding="utf-8")

    artifact_amend(starter, replace(manifest, extra={**manifest.extra, "adapter_rank": rank}), write)
    return lost / whole if whole else 0.0
