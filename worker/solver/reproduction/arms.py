"""The arms of Pattern-CL's and Textual-CL's tables: one line each, as settings of the solver's configuration."""

from __future__ import annotations

from typing import Any

from worker.reproduction.trained import Arm

RECALLING = "none-recalling"
"""The arm that also asks a retriever for the solutions of similar problems (ours)."""


RECURRENT = "gts"
"""The arm whose encoder is a GRU that is learned from scratch, with its paper's passes, batches, rate and dropout."""


TRIPLES_ALONE = "alpha-0"
"""Pattern-CL's first stage without the contrast: as many steps on the same triples, whose equations alone are learned.

What the contrast gains is the difference from this arm; the paper's is from one that makes fewer steps.
"""


MULTILINGUAL = {"multilingual-none", "multilingual-pattern"}
"""The arms that learn from a set in each of two languages together, with an encoder that reads both."""


def _pattern(**settings: Any) -> dict[str, Any]:
    return {"contrast": "pattern", **settings}


def _textual(**settings: Any) -> dict[str, Any]:
    return {"contrast": "textual", **settings}


_STRATEGIES = {
    f"textual-{equation}-{text}": Arm(
        f"Textual-CL, {equation}, {text}",
        _textual(pool="train", equation_strategy=equation, text_strategy=text),
    )
    for equation in ("exact", "nearest")
    for text in ("random", "encoder", "bleu")
    if (equation, text) != ("exact", "bleu")  # that is textual-train
}
_MARGINS = {
    f"margin-{margin}": Arm(f"Pattern-CL, margin {margin}", _pattern(margin=margin))
    for margin in (0.05, 0.1, 0.15, 0.3)
}

ARMS: dict[str, Arm] = {
    "retrieve-tfidf": Arm("retrieve and apply, TF-IDF"),
    "retrieve-encoder": Arm("retrieve and apply, frozen encoder"),
    RECURRENT: Arm(
        "GTS: a GRU learned from scratch",
        {
            "contrast": "none",
            "epochs": 80,
            "batch_size": 64,
            "learning_rate": 1e-3,
            "decoder_learning_rate": 1e-3,
            "weight_decay": 1e-5,
            "dropout": 0.5,
            "adapter_rank": 0,
            "mixed_precision": False,
        },
    ),
    "frozen": Arm("frozen encoder, trained decoder", {"contrast": "none", "freeze_encoder": True}),
    "none": Arm("no contrast", {"contrast": "none"}),
    RECALLING: Arm("no contrast, similar problems recalled", {"contrast": "none"}),
    "pattern": Arm("Pattern-CL", _pattern()),
    "multilingual-none": Arm("multilingual, no contrast", {"contrast": "none"}),
    "multilingual-pattern": Arm("multilingual, Pattern-CL", _pattern(positives="foreign")),
    "textual": Arm("Textual-CL, RODA + QR + train", _textual(pool="roda+qr")),
    "both": Arm("both contrasts", {"contrast": "both", "pool": "roda+qr"}),
    "textual-train": Arm("Textual-CL, train", _textual(pool="train")),
    "textual-roda": Arm("Textual-CL, RODA + train", _textual(pool="roda")),
    "textual-qr": Arm("Textual-CL, QR + train", _textual(pool="qr")),
    **_STRATEGIES,
    "pattern-same": Arm("Pattern-CL, positives of the same structure", _pattern(positives="same")),
    "pattern-random": Arm("Pattern-CL, random negatives", _pattern(negatives="random")),
    **_MARGINS,
    TRIPLES_ALONE: Arm("Pattern-CL's triples, alpha 0", _pattern(contrast_weight=0.0)),
    "alpha-1": Arm("Pattern-CL, alpha 1", _pattern(contrast_weight=1.0)),
    "stage-1": Arm("Pattern-CL, alpha 5, stage I and one step more", _pattern(max_steps=1)),
    "alpha-1-stage-1": Arm(
        "Pattern-CL, alpha 1, stage I and one step more", _pattern(contrast_weight=1.0, max_steps=1)
    ),
    "qr-none": Arm("QR learned too, no contrast", {"contrast": "none", "augment": "qr"}),
    "qr-textual": Arm("QR learned too, Textual-CL", _textual(augment="qr", pool="train")),
    "roda-none": Arm("RODA learned too, no contrast", {"contrast": "none", "augment": "roda"}),
    "roda-textual": Arm("RODA learned too, Textual-CL", _textual(augment="roda", pool="train")),
}
"""What `reproduce solver --arms` takes."""
