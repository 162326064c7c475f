"""A model on this machine behind an OpenAI-compatible address: PyTorch, and one request at a time.

    python -m tests.chat_server MODEL --port PORT

MODEL is a file of weights (GGUF) or a folder that transformers reads. What a request says of a schema and of
log-probabilities is ignored, as many servers do.
"""

from __future__ import annotations

import argparse
import json
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, make_server

from analytics.errors import DataError
from analytics.language_model.local import LocalModel, load_local_model
from analytics.language_model.protocol import AskOptions, LanguageModel, Message

HOST = "127.0.0.1"
LONGEST_ANSWER_SECONDS = 900.0


def load_model(path: Path) -> LocalModel:
    """Load a model from a folder, or from a file of weights, which stay packed."""
    if path.is_dir():
        return load_local_model(str(path), seconds=LONGEST_ANSWER_SECONDS)
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    from analytics.backbone.bert import Generator, no_progress_bars

    with no_progress_bars():
        model = AutoModelForCausalLM.from_pretrained(path.parent, gguf_file=path.name, dtype=torch.float32).eval()
        tokenizer = AutoTokenizer.from_pretrained(path.parent, gguf_file=path.name)
    return LocalModel(Generator(path.stem, model, tokenizer), seconds=LONGEST_ANSWER_SECONDS)


def application(model: LanguageModel, most_tokens: int) -> Callable[..., Iterable[bytes]]:
    """Return the WSGI program that answers by a model, with at most so many tokens an answer."""

    def answered(environ: dict[str, Any], start_response: Callable[..., Any]) -> list[bytes]:
        if environ["PATH_INFO"] == "/v1/models":
            status, body = "200 OK", {"object": "list", "data": [{"id": model.name, "object": "model"}]}
        elif environ["PATH_INFO"] == "/v1/chat/completions" and environ["REQUEST_METHOD"] == "POST":
            asked = json.loads(environ["wsgi.input"].read(int(environ["CONTENT_LENGTH"])))
            status, body = _completion(model, asked, most_tokens)
        else:
            status, body = "404 Not Found", {"error": {"message": "There is nothing at this address."}}
        start_response(status, [("Content-Type", "application/json")])
        return [json.dumps(body).encode()]

    return answered


def _completion(model: LanguageModel, asked: dict[str, Any], most_tokens: int) -> tuple[str, dict[str, Any]]:
    """Return the status and the body for a request."""
    options = AskOptions(
        temperature=asked.get("temperature"),
        seed=asked.get("seed"),
        max_tokens=min(most_tokens, asked.get("max_tokens") or most_tokens),
    )
    messages = [Message(each["role"], each["content"]) for each in asked["messages"]]
    try:
        answer = model.ask(messages, options)
    except DataError as error:  # the prompt is too long, or there is no text
        return "400 Bad Request", {"error": {"message": str(error)}}
    choice = {
        "index": 0,
        "message": {"role": "assistant", "content": answer.text},
        "finish_reason": "length" if answer.is_cut else "stop",
    }
    usage = {"prompt_tokens": answer.prompt_tokens, "completion_tokens": answer.answer_tokens}
    return "200 OK", {"object": "chat.completion", "model": model.name, "choices": [choice], "usage": usage}


class _Quiet(WSGIRequestHandler):
    def log_message(self, format: str, *arguments: Any) -> None:
        """Say nothing."""


@contextmanager
def chat_server(model: LanguageModel, *, port: int = 0, most_tokens: int = 1024) -> Iterator[str]:
    """Serve a model in a thread, and yield the address that `LANGUAGE_MODEL_URL` takes."""
    server = make_server(HOST, port, application(model, most_tokens), handler_class=_Quiet)
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield f"http://{HOST}:{server.server_port}/v1"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def main() -> None:
    """Serve a model until the process is ended."""
    parser = argparse.ArgumentParser(prog="python -m tests.chat_server", description=__doc__)
    parser.add_argument("model", type=Path)
    parser.add_argument("--port", type=int, required=True)
    options = parser.parse_args()
    with chat_server(load_model(options.model), port=options.port):
        threading.Event().wait()


if __name__ == "__main__":
    main()
