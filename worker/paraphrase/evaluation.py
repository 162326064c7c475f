"""`manage.py evaluate paraphrase`: the scorer that the options name, measured on labelled pairs."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from questionbank.errors import ValidationFailed
from questionbank.selectors.review.paraphrase_files import scorer_by_number
from worker.evaluation.paraphrase import evaluate_paraphrase

__all__ = ["evaluate_scorer"]


def evaluate_scorer(options: Mapping[str, Any]) -> dict[str, Any]:
    """Measure the scorer in use, or the one with the number ``model``, on ``data``.

    Raises:
        ValidationFailed: no data is given.
        NotFound: there is no such scorer.
    """
    if options["data"] is None:
        raise ValidationFailed("evaluate paraphrase needs --data: a file or a folder of labelled pairs.")
    from analytics.backbone.bert import encode_bulk, load_backbone

    scorer = scorer_by_number(options["model"])
    return evaluate_paraphrase(
        options["data"],
        scorer,
        frozen=partial(encode_bulk, load_backbone()),
        without=options.get("without") or (),
    )
