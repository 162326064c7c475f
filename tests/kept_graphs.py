"""Exports of tiny encoders in a moment: the graph of a shape is made once a process and given each one's weights.

PyTorch takes seconds for a graph, however small it is; what a test wants is the artifact with its weights.
`tests/analytics/backbone/test_export.py` exports in earnest, and compares both ways.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

_LARGEST = 64  # dimensions; the graph of a real encoder is made anew
_programs: dict[tuple[object, ...], Any] = {}


@contextmanager
def kept_graphs() -> Iterator[None]:
    """Within it PyTorch's exporter makes the graph of a tiny encoder only once."""
    import torch

    export = torch.onnx.export
    if export.__module__ == __name__:  # we are within another one
        yield
        return

    def export_kept(module, arguments, path, **options):
        configuration = module.model.config
        if configuration.hidden_size > _LARGEST:
            return export(module, arguments, path, **options)
        head = getattr(module, "head", None)
        layers = 0 if head is None else len(head.layers)
        shapes = (argument.shape for argument in arguments)
        key = (configuration.to_json_string(), type(module), layers, *shapes)
        if key not in _programs:  # the optimiser would fold weights into constants
            _programs[key] = export(module, arguments, None, **options, optimize=False)
        program = _programs[key]
        weights = module.state_dict()
        program.apply_weights(
            {name: weights[name] for name in program.model.graph.initializers if name in weights}
        )
        program.save(path, external_data=False)
        return program

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(torch.onnx, "export", export_kept)
        yield
