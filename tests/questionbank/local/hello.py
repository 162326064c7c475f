"""A small site for tests of the server in front of it."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable
from typing import Any


def application(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
    """Answer with the number of bytes that were sent, or in the way that the path names."""
    body = str(len(environ["wsgi.input"].read())).encode()
    kind = environ["PATH_INFO"].strip("/")
    if kind in ("204", "304"):
        start_response(f"{kind} Nothing", [])
        return []
    if kind == "stream":  # no length: in chunks
        start_response("200 OK", [])
        return iter([b"one ", b"two"])
    if kind == "file":
        start_response("200 OK", [("Content-Length", "7")])
        wrapper = environ.get("wsgi.file_wrapper", lambda file: iter([file.read()]))
        return wrapper(io.BytesIO(b"a file!"))
    start_response("200 OK", [("Content-Type", "text/plain"), ("Content-Length", str(len(body)))])
    return [body]
