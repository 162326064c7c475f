"""A server on this machine that answers as an OpenAI-compatible endpoint would."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import SimpleNamespace
from typing import Any

KEY = "sk-secret"


def said(text: str | None) -> dict[str, object]:
    """The body of an answer."""
    return {"choices": [{"index": 0, "message": {"role": "assistant", "content": text}}]}


def streamed(*pieces: str, last: dict[str, object] | None = None) -> tuple[int, bytes, dict[str, str]]:
    """An answer as a stream of events, with its counts of tokens at the end.

    Args:
        last: beside the counts in the last event; by default no choices, as OpenAI sends it.
    """
    events: list[dict[str, object]] = [{"choices": [{"index": 0, "delta": {"content": piece}}]} for piece in pieces]
    counts = {"prompt_tokens": 5, "completion_tokens": len(pieces)}
    events.append({**({"choices": []} if last is None else last), "usage": counts})
    lines = [f"data: {json.dumps(event)}\n\n" for event in events]
    return (200, "".join([": hello\n", *lines, "data: [DONE]\n\n"]).encode(), {"Content-Type": "text/event-stream"})


def _next_answer(state: SimpleNamespace, body: dict[str, Any]) -> tuple[int, object, dict[str, str]]:
    if state.reply is None:
        return state.answers.pop(0) if len(state.answers) > 1 else state.answers[0]
    answer = state.reply(body["messages"])
    return answer if isinstance(answer, tuple) else (200, said(answer), {})


@contextmanager
def language_model_server() -> Iterator[SimpleNamespace]:
    """A server at `url`; what it is asked stands in `asked`.

    `answers` are given one after the other, the last one again and again: status, body, headers. Where `reply` is set,
    it makes the answer from the messages instead. `trickle` is the pause after each line of a body, in seconds.
    """
    reply: Callable[[list[dict[str, str]]], object] | None = None
    state = SimpleNamespace(answers=[(200, said("Yes."), {})], asked=[], trickle=0.0, reply=reply)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            state.asked.append((self.path, self.headers.get("Authorization"), body))
            status, answer, headers = _next_answer(state, body)
            raw = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
            self.send_response(status)
            for name, value in {"Content-Length": str(len(raw)), **headers}.items():
                self.send_header(name, value)
            self.end_headers()
            for line in raw.splitlines(keepends=True) if state.trickle else [raw]:
                try:
                    self.wfile.write(line)
                    self.wfile.flush()
                except OSError:  # whoever asked has gone
                    return
                time.sleep(state.trickle)

        def log_message(self, *arguments: object) -> None:
            """Says nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    state.url = f"http://127.0.0.1:{server.server_port}/v1"
    try:
        yield state
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
