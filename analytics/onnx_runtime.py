"""ONNX Runtime for all our modules, with telemetry disabled.

Since version 1.29 it sends telemetry unless a variable is set before its first import.
"""

from __future__ import annotations

import os

os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")

import onnxruntime as onnxruntime
