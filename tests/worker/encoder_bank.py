"""A bank whose questions tell their concepts by their words, and tiny encoders for it."""

from __future__ import annotations

import random
from pathlib import Path

import torch

from analytics.artifacts import Manifest
from analytics.backbone.backbone import Head, set_head
from analytics.backbone.export import export_onnx, save_backbone
from questionbank.models import Question
from tests.questionbank.small_bank import add_concept, add_questions
from tests.tiny_backbone import tiny_backbone

TOPICS = {
    ("Maths", "Number", "Primes"): "prime factor divisor multiple remainder digit".split(),
    ("Maths", "Number", "Fractions"): "fraction half third quarter numerator share".split(),
    ("Maths", "Geometry", "Circles"): "circle radius diameter arc chord tangent".split(),
    ("Maths", "Geometry", "Triangles"): "triangle side angle height vertex hypotenuse".split(),
}
HIERARCHY = "School"


def add_encoder_bank(count: int = 260, *, seed: int = 0) -> list[Question]:
    """Ready questions in one hierarchy whose paths all begin with ``Maths``; difficulty grows with length."""
    rng = random.Random(seed)
    concepts = {path: add_concept(*path, hierarchy=HIERARCHY) for path in TOPICS}
    rows = []
    for number in range(count):
        path = list(TOPICS)[number % len(TOPICS)]
        length = rng.randrange(5, 12)
        words = [rng.choice(TOPICS[path]) for _word in range(length)]
        words.insert(1, "".join(rng.choice("abcdefgh") for _letter in range(6)))  # tells questions apart
        rows.append(
            {
                "text": f"Find the {' '.join(words)} of {number}.",
                "concepts": [concepts[path]],
                "difficulty": float(min(4, length // 3)),
                "difficulty_scale": "0-4",
            }
        )
    return add_questions(rows)


def tiny_folder(folder: Path, *, seed: int = 0) -> Path:
    """A tiny backbone as transformers keeps it."""
    save_backbone(tiny_backbone(seed=seed), folder)
    return folder


def tiny_encoder(folder: Path, *, seed: int = 0, name: str = "tiny", dimension: int = 32) -> Path:
    """An encoder artifact with its own weights for bulk encoding."""
    backbone = tiny_backbone(seed=seed, dimension=dimension)
    export_onnx(
        backbone,
        folder,
        about=Manifest(capability="encoder", name=name),
        write_more=lambda aside: save_backbone(backbone, aside / "backbone"),
    )
    return folder


def tiny_retriever(
    folder: Path, *, seed: int = 0, name: str = "tiny-analogy", slot_text: bool = True, dimension: int = 32
) -> Path:
    """An untrained retriever's artifact: a tiny encoder with a random head of two layers."""
    backbone = tiny_backbone(seed=seed, dimension=dimension)
    head, generator = Head.two_layer(dimension), torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for weights in head.parameters():
            weights += 0.1 * torch.randn(weights.shape, generator=generator)
    set_head(backbone, head)
    export_onnx(
        backbone,
        folder,
        about=Manifest(capability="analogy", name=name, extra={"slot_text": slot_text}),
        write_more=lambda aside: save_backbone(backbone, aside / "backbone"),
    )
    return folder
