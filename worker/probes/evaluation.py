"""`manage.py evaluate probes`: the probes that the options name, measured on labelled questions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from questionbank.errors import ValidationFailed
from questionbank.selectors.serving import serving
from worker.evaluation.probes import evaluate_probes

__all__ = ["evaluate_probe_model"]


def evaluate_probe_model(options: Mapping[str, Any]) -> dict[str, Any]:
    """Measure the probes in use, or those with the number ``model``, on ``data``.

    Raises:
        ValidationFailed: no data is given.
        NotFound: there are no such probes.
    """
    if options["data"] is None:
        raise ValidationFailed("evaluate probes needs --data, a file or a folder of labelled questions.")
    return evaluate_probes(data=options["data"], serving=serving(), model=options["model"])
