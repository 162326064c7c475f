"""A causal language model on this machine, by folder or hub id."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Any

import torch
from transformers import StoppingCriteria, StoppingCriteriaList, TextStreamer

from analytics.backbone.generators import Generator, load_generator
from analytics.errors import DataError
from analytics.language_model.protocol import DEFAULT_OPTIONS, AskOptions, Message, ModelAnswer, OnText

_MOST_TOKENS = 512  # of an answer whose length nobody gave


class LocalModel:
    """Asks a causal model that is loaded here; nothing leaves the machine.

    Args:
        generator: the model with its tokenizer. A tokenizer with a chat template writes the conversation by it; without
            one the model goes on with the messages' texts.
        seconds: that one answer may take; then it ends where it is.
    """

    host = ""

    def __init__(self, generator: Generator, *, seconds: float = 60.0) -> None:
        self.name, self._model, self._tokenizer = generator.name, generator.model, generator.tokenizer
        self._seconds = seconds

    def ask(
        self,
        messages: Sequence[Message],
        options: AskOptions = DEFAULT_OPTIONS,
        *,
        on_text: OnText | None = None,
    ) -> ModelAnswer:
        """Return the model's answer, as `LanguageModel.ask` describes it.

        Raises:
            DataError: the messages are longer than the model can read, or it answers without a text.
        """
        most = options.max_tokens or _MOST_TOKENS
        ids = self._ids(messages)  # (1, tokens)
        read = ids.shape[1]
        positions = getattr(self._model.config, "max_position_embeddings", None)
        if positions is not None and read >= positions:
            raise DataError(f"The prompt has {read:,} tokens; {self.name} reads {positions:,} at most.")
        most = min(most, positions - read) if positions is not None else most
        written = self._generate(ids, options, most, on_text)[read:]
        text = _until(self._read(written), options.stop)
        if not text.strip():
            raise DataError(f"The language model {self.name} gave no text.")
        return ModelAnswer(text, read, len(written), len(written) >= most)

    def _ids(self, messages: Sequence[Message]) -> torch.Tensor:
        if self._tokenizer.chat_template:
            text = self._tokenizer.apply_chat_template(
                [asdict(message) for message in messages], add_generation_prompt=True, tokenize=False
            )
        else:
            text = "\n\n".join(message.content for message in messages)
        encoded = self._tokenizer(text, return_tensors="pt", return_token_type_ids=False)
        ids: torch.Tensor = encoded["input_ids"]
        return ids.to(self._model.device)

    def _read(self, ids: torch.Tensor) -> str:
        return str(self._tokenizer.decode(ids, skip_special_tokens=True))

    def _generate(
        self, ids: torch.Tensor, options: AskOptions, most: int, on_text: OnText | None
    ) -> torch.Tensor:
        """Return the prompt's tokens and those that were written, (tokens,)."""
        how: dict[str, Any] = {"max_new_tokens": most, "max_time": self._seconds, "do_sample": False}
        if options.temperature:
            how |= {"do_sample": True, "temperature": options.temperature}
        if options.stop:
            how["stopping_criteria"] = StoppingCriteriaList([_Stops(self._read, options.stop, ids.shape[1])])
        if on_text is not None:
            how["streamer"] = _Pieces(self._tokenizer, on_text)
        with torch.inference_mode(), torch.random.fork_rng(enabled=options.seed is not None):
            if options.seed is not None:
                torch.manual_seed(options.seed)
            generate: Any = self._model.generate  # its type is that of any attribute of a module
            output: torch.Tensor = generate(ids, attention_mask=torch.ones_like(ids), **how)
        return output[0]


class _Stops(StoppingCriteria):
    """Ends an answer that holds one of the texts. Transformers' own criterion wants tokens that join without blanks."""

    def __init__(self, read: Callable[[torch.Tensor], str], stops: Sequence[str], start: int) -> None:
        self._read, self._stops, self._start = read, stops, start

    def __call__(self, input_ids: torch.Tensor, _scores: torch.Tensor, **_options: Any) -> torch.Tensor:
        """Return whether each answer of the batch ends, (batch,) bool; transformers calls it."""
        ends = [any(stop in self._read(row[self._start :]) for stop in self._stops) for row in input_ids]
        return torch.tensor(ends, device=input_ids.device)


class _Pieces(TextStreamer):
    """Hands each piece on when its words are whole."""

    def __init__(self, tokenizer: Any, on_text: OnText) -> None:
        super().__init__(tokenizer, skip_prompt=True, skip_special_tokens=True)
        self._on_text = on_text

    def on_finalized_text(self, text: str, _stream_end: bool = False) -> None:
        """Hand a piece on; transformers calls it."""
        if text:
            self._on_text(text)


def _until(text: str, stops: Sequence[str]) -> str:
    """Return the text up to the first of the texts at which it ends."""
    ends = [place for stop in stops if stop and (place := text.find(stop)) >= 0]
    return text[: min(ends)] if ends else text


def load_local_model(name_or_path: str, *, device: str = "auto", seconds: float = 60.0) -> LocalModel:
    """Load a causal model.

    Raises:
        BackboneError: there is none in the folder or on the hub.
    """
    return LocalModel(load_generator(name_or_path, "causal", device=device), seconds=seconds)
