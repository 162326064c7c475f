"""ONNX Runtime for all of our modules, which reports nothing to its maker.

Since 1.29 it does so unless a variable is set before its first import.
"""

from __future__ import annotations

import os

os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")

import onnxruntime as onnxruntime
