from __future__ import annotations

from types import SimpleNamespace

from analytics.inference import onnx as freed_memory
from analytics.inference.onnx import give_back_freed_memory


def test_the_c_library_is_asked_where_it_can_be(monkeypatch):
    asked = []
    libraries = iter([SimpleNamespace(malloc_trim=asked.append), SimpleNamespace()])
    monkeypatch.setattr(freed_memory.ctypes, "CDLL", lambda _name: next(libraries))
    give_back_freed_memory()
    give_back_freed_memory()
    assert asked == [0]
