"""A causal language model on this machine, by folder or hub id."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import torch
from transformers import TextStreamer

from analytics.backbone.bert import Generator, load_generator
from analytics.errors import DataError
from analytics.inference.encode import batches_by_length
from analytics.language_model.protocol import DEFAULT_OPTIONS, AskOptions, Message, ModelAnswer, OnText

_MOST_TOKENS = 512  # of an answer without a given limit
_TOGETHER, _TOKENS = 8, 8192  # conversations, and their tokens, per batch


class LocalModel:
    """Runs a causal model in this process; nothing leaves the machine.

    Args:
        generator: the model with its tokenizer. If the tokenizer has a chat template, it formats the
            conversation; otherwise the model continues the messages' texts.
        seconds: time limit for one answer, after which it is cut off.
    """

    host = ""

    def __init__(self, generator: Generator, *, seconds: float = 60.0) -> None:
        self.name, self._model, self._tokenizer = generator.name, generator.model, generator.tokenizer
        self._seconds = seconds

    def ask(
        self, messages: Sequence[Message], options: AskOptions = DEFAULT_OPTIONS, *, on_text: OnText | None = None
    ) -> ModelAnswer:
        """Return the model's answer; see `LanguageModel.ask`.

        Raises:
            DataError: the messages exceed the model's context length, or the answer has no text.
        """
        most = options.max_tokens or _MOST_TOKENS
        ids, mask = self._ids([messages])  # (1, tokens)
        read = ids.shape[1]
        positions = getattr(self._model.config, "max_position_embeddings", None)
        if positions is not None and read >= positions:
            raise DataError(f"The prompt has {read:,} tokens; {self.name} reads {positions:,} at most.")
        most = min(most, positions - read) if positions is not None else most
        written = self._generate(ids, mask, options, most, on_text)[0, read:]
        text = self._read(written)
        if not text.strip():
            raise DataError(f"The language model {self.name} returned no text.")
        return ModelAnswer(text, read, len(written), len(written) >= most)

    def ask_all(self, conversations: Sequence[Sequence[Message]], options: AskOptions = DEFAULT_OPTIONS) -> list[str]:
        """Return the answer to each conversation; see `LanguageModel.ask_all`. `seconds` applies per batch."""
        most = options.max_tokens or _MOST_TOKENS
        answers = [""] * len(conversations)
        lengths = [int(self._ids([messages])[1].sum()) for messages in conversations]
        longest = getattr(self._model.config, "max_position_embeddings", None) or max(lengths, default=0) + most
        able = [row for row, length in enumerate(lengths) if length + most <= longest]
        for batch in batches_by_length([lengths[row] for row in able], texts=_TOGETHER, tokens=_TOKENS):
            rows = [able[place] for place in batch]
            ids, mask = self._ids([conversations[row] for row in rows])
            written = self._generate(ids, mask, options, most, None)[:, ids.shape[1] :]
            for row, tokens in zip(rows, written, strict=True):
                answers[row] = self._read(tokens)
        return answers

    def _ids(self, conversations: Sequence[Sequence[Message]]) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the left-padded tokens of conversations and their mask, (rows, tokens)."""
        texts = []
        for messages in conversations:
            if self._tokenizer.chat_template:
                text = self._tokenizer.apply_chat_template(
                    [asdict(message) for message in messages], add_generation_prompt=True, tokenize=False
                )
            else:
                text = "\n\n".join(message.content for message in messages)
            texts.append(text)
        if len(texts) > 1 and self._tokenizer.pad_token_id is None:
            self._tokenizer.pad_token = self._tokenizer.eos_token
        encoded = self._tokenizer(
            texts, return_tensors="pt", return_token_type_ids=False, padding=len(texts) > 1, padding_side="left"
        )
        device = self._model.device
        return encoded["input_ids"].to(device), encoded["attention_mask"].to(device)

    def _read(self, ids: torch.Tensor) -> str:
        return str(self._tokenizer.decode(ids, skip_special_tokens=True))

    def _generate(
        self, ids: torch.Tensor, mask: torch.Tensor, options: AskOptions, most: int, on_text: OnText | None
    ) -> torch.Tensor:
        """Return the prompts' tokens followed by the generated ones, (rows, tokens)."""
        how: dict[str, Any] = {"max_new_tokens": most, "max_time": self._seconds, "do_sample": False}
        if options.temperature:
            how |= {"do_sample": True, "temperature": options.temperature}
        if on_text is not None:
            how["streamer"] = _Pieces(self._tokenizer, on_text)
        with torch.inference_mode(), torch.random.fork_rng(enabled=options.seed is not None):
            if options.seed is not None:
                torch.manual_seed(options.seed)
            generate: Any = self._model.generate  # typed as an arbitrary module attribute
            output: torch.Tensor = generate(ids, attention_mask=mask, **how)
        return output


class _Pieces(TextStreamer):
    """Passes on each piece once its words are complete."""

    def __init__(self, tokenizer: Any, on_text: OnText) -> None:
        super().__init__(tokenizer, skip_prompt=True, skip_special_tokens=True)
        self._on_text = on_text

    def on_finalized_text(self, text: str, stream_end: bool = False) -> None:  # noqa: ARG002 - its interface
        """Pass on a piece; called by transformers."""
        if text:
            self._on_text(text)


def load_local_model(name_or_path: str, *, device: str = "auto", seconds: float = 60.0) -> LocalModel:
    """Load a causal model.

    Raises:
        BackboneError: there is no such model in the folder or on the hub.
    """
    return LocalModel(load_generator(name_or_path, "causal", device=device), seconds=seconds)
