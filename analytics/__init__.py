"""Models that analyse mathematical questions: training, evaluation and inference. Nothing here knows Django."""

import os

# Since 1.29 ONNX Runtime reports each process and model to its maker, unless this is set before its first import.
os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
