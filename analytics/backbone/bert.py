"""Load any Hugging Face encoder or text generator, build a GRU encoder, and encode many texts as one vector each.

Nothing is downloaded unless the caller names a hub id and allows it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from threading import Lock
from typing import Any, Literal, TypeVar

import numpy as np
import torch
from huggingface_hub.constants import HF_HUB_OFFLINE
from torch import Tensor, nn
from torch.nn.functional import normalize
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence
from transformers import (
    AutoModel,
    AutoModelForCausalLM,
    AutoModelForSeq2SeqLM,
    AutoTokenizer,
    PreTrainedConfig,
    PreTrainedModel,
    PreTrainedTokenizerBase,
)
from transformers.modeling_outputs import BaseModelOutput
from transformers.utils import logging as transformers_logging

from analytics.artifacts import artifact_read
from analytics.backbone.adapters import adapter_to_continue, add_adapters, load_adapter
from analytics.backbone.backbone import Backbone, Head, load_head, padded_batch, set_head, weights_sha256
from analytics.backbone.four_bit import load_four_bit
from analytics.backbone.sources import (
    ADAPTER_NAME,
    DEFAULT_BACKBONE,
    HEAD_NAME,
    SERVED_TOKENS,
    Source,
    encoder_source,
    find_source,
    read_modules,
)
from analytics.errors import BackboneError, Cancelled
from analytics.inference.encode import batches_by_length
from analytics.training.device import autocast, inference_dtype, pick_device

_MOST_STREAMS = 4  # more would wait for the GIL
_ONE_AT_A_TIME = Lock()  # the number of threads is a setting of the whole process

Item = TypeVar("Item")
Result = TypeVar("Result")


@contextmanager
def side_by_side(
    compute: Callable[[Item], Result], items: Sequence[Item], device: torch.device
) -> Iterator[Iterator[Result]]:
    """Apply a function to each item in parallel streams; the results come in the order of the items.

    Each stream uses its share of the processor's threads. On a GPU, with one thread, or while another call is
    running in this process, items are computed sequentially. Unfinished items are dropped when the context
    ends.

    Args:
        compute: called in other threads, so it must enter autocast and inference mode itself.
        items: the arguments to call it with.
        device: the device it computes on.
    """
    threads = torch.get_num_threads()
    streams = min(threads, _MOST_STREAMS, len(items)) if device.type == "cpu" else 1
    if streams < 2 or not _ONE_AT_A_TIME.acquire(blocking=False):
        yield map(compute, items)
        return
    pool = ThreadPoolExecutor(streams, "stream", torch.set_num_threads, (threads // streams,))
    try:
        futures = [pool.submit(compute, item) for item in items]
        yield (future.result() for future in futures)
    finally:
        pool.shutdown(cancel_futures=True)
        torch.set_num_threads(threads)
        _ONE_AT_A_TIME.release()


Progress = Callable[[int, int], None]
"""Called with the number of texts done and the total number."""

# Small batches keep a layer's activations in a core's cache; a GPU wants large ones.
_BATCH_TOKENS = {"cpu": 1024, "cuda": 65_536}
# Texts are tokenised and sorted one window at a time, which bounds the memory for millions of texts.
_WINDOW = 16_384


def load_backbone(name_or_path: str = DEFAULT_BACKBONE, *, max_tokens: int = 256, device: str = "auto") -> Backbone:
    """Load an encoder by package name, local folder or hub id, ready for inference.

    A folder may contain only an adapter, like a starter's: it is merged into the backbone that its manifest
    names. The hub is queried only for a name that is neither a package nor a folder, and never if
    ``HF_HUB_OFFLINE=1``.

    Raises:
        BackboneError: it cannot be found or loaded, or it has no fast tokenizer.
    """
    if (Path(name_or_path) / ADAPTER_NAME).is_file():
        return _load_adapted(Path(name_or_path), max_tokens, device)
    source = find_source(str(name_or_path))
    model, tokenizer = _load(source, str(name_or_path))
    if not getattr(tokenizer, "is_fast", False):
        raise BackboneError(f"The encoder {name_or_path} has no fast tokenizer (tokenizer.json).")
    rust = tokenizer.backend_tokenizer
    limit = min(max_tokens, getattr(model.config, "max_position_embeddings", max_tokens))
    rust.no_padding()
    rust.enable_truncation(limit)
    unknown = tokenizer.unk_token_id
    backbone = Backbone(
        name=source.name,
        model=model.eval().to(pick_device(device)),
        tokenizer=rust,
        dimension=int(model.config.hidden_size),
        max_tokens=limit,
        pad_id=tokenizer.pad_token_id if tokenizer.pad_token_id is not None else 0,
        unknown_id=-1 if unknown is None else unknown,
        weights_hash=source.sha256 or weights_sha256(model),
    )
    if source.is_folder:
        folder = Path(source.location)
        if (folder / HEAD_NAME).is_file():
            load_head(backbone, folder)
        elif layers := read_modules(folder):
            set_head(backbone, Head.of({name: torch.from_numpy(tensor) for name, tensor in layers.items()}))
    return backbone


def _load(source: Source, asked: str) -> tuple[PreTrainedModel, PreTrainedTokenizerBase]:
    """Load a transformer and its tokenizer, given the name the caller used and the source found for it."""
    if source.is_four_bit:
        return load_four_bit(Path(source.location))
    offline: dict[str, Any] = {"local_files_only": True} if source.is_folder else {}
    try:
        with no_progress_bars():
            tokenizer = AutoTokenizer.from_pretrained(source.location, **offline)
            model = AutoModel.from_pretrained(source.location, dtype=torch.float32, **offline)
            return model, tokenizer
    except (OSError, ValueError, KeyError, ImportError) as error:
        if not source.is_folder:
            raise BackboneError(
                f"The encoder {asked} was not found: not in an installed package, a local folder or the hub."
            ) from error
        reason = str(error).strip().partition("\n")[0] or type(error).__name__
        raise BackboneError(f"The encoder {asked} cannot be loaded: {reason}") from error


def load_trainable(name_or_path: str, *, rank: int, max_tokens: int, device: str) -> Backbone:
    """Load an encoder for training, with adapters of a given rank, or with all its weights if the rank is 0.

    A model trained through an adapter of this rank on a packaged encoder continues with that adapter, so that
    the result is still a single adapter on the packaged encoder, as starters require. Other models get new
    adapters.

    Raises:
        BackboneError: as `load_backbone`.
    """
    continued = adapter_to_continue(Path(name_or_path).expanduser(), rank) if rank else None
    if continued:
        backbone = load_backbone(continued[0], max_tokens=max_tokens, device=device)
        load_adapter(backbone, continued[1], merge=False)
        return backbone
    backbone = load_backbone(name_or_path, max_tokens=max_tokens, device=device)
    if rank:
        add_adapters(backbone, rank)
    return backbone


def artifact_backbone(folder: Path) -> Backbone:
    """Load the weights of an encoder's artifact for bulk encoding.

    Raises:
        ArtifactError: the folder is not an artifact.
        BackboneError: as `load_backbone`.
    """
    extra = artifact_read(folder, verify=False).extra
    return load_backbone(encoder_source(folder, extra), max_tokens=extra.get("max_tokens", SERVED_TOKENS))


def _load_adapted(folder: Path, max_tokens: int, device: str) -> Backbone:
    base = artifact_read(folder).extra.get("backbone", DEFAULT_BACKBONE)
    backbone = load_backbone(base, max_tokens=max_tokens, device=device)
    load_adapter(backbone, folder)
    return backbone


def encode_bulk(
    backbone: Backbone,
    texts: Sequence[str],
    *,
    batch_tokens: int | None = None,
    progress: Progress | None = None,
    cancel: Callable[[], bool] | None = None,
    dtype: torch.dtype | None = None,
) -> np.ndarray:
    """Encode many texts, in the given order.

    Args:
        backbone: the encoder, on the device to compute on.
        texts: any number of texts.
        batch_tokens: maximum number of tokens per batch, padding included (a single text may exceed it); the
            default depends on the device.
        progress: called after every batch with (texts done, total texts).
        cancel: polled before every batch; True stops.
        dtype: number format of the computation; by default the fastest that is accurate enough.

    Returns:
        (texts, dimension) float32, rows of length 1.

    Raises:
        Cancelled: `cancel` returned True.
    """
    device = backbone.device
    budget = batch_tokens or _BATCH_TOKENS.get(device.type, 8192)
    vectors = np.zeros((len(texts), backbone.dimension), dtype=np.float32)
    done = 0
    was_training = backbone.model.training
    backbone.model.eval()
    try:
        for start in range(0, len(texts), _WINDOW):
            encodings = backbone.tokenizer.encode_batch_fast(list(texts[start : start + _WINDOW]))
            rows = [encoding.ids for encoding in encodings]
            batches = list(batches_by_length([len(row) for row in rows], tokens=budget))
            with side_by_side(partial(_encode_batch, backbone, rows, dtype), batches, device) as encoded:
                for members in batches:
                    if cancel is not None and cancel():
                        raise Cancelled(f"Encoding was stopped after {done} of {len(texts)} texts.")
                    vectors[start + members] = next(encoded)
                    done += len(members)
                    if progress is not None:
                        progress(done, len(texts))
    finally:
        backbone.model.train(was_training)
    return vectors


def _encode_batch(
    backbone: Backbone, rows: Sequence[Sequence[int]], dtype: torch.dtype | None, members: np.ndarray
) -> np.ndarray:
    """Return unit vectors (members, dimension) of the batch `members`, where `rows` are the token ids of all texts."""
    device = backbone.device
    with torch.inference_mode(), autocast(device, dtype or inference_dtype(device)):
        ids, mask = padded_batch([rows[member] for member in members], backbone.pad_id)
        pooled = backbone.embed(ids.to(device), mask.to(device))
        vectors: np.ndarray = normalize(pooled, dim=1).cpu().numpy()
        return vectors


@contextmanager
def no_progress_bars() -> Iterator[None]:
    """Hide the progress bar that Transformers shows while loading; callers report progress themselves."""
    if not transformers_logging.is_progress_bar_enabled():
        yield
        return
    transformers_logging.disable_progress_bar()
    try:
        yield
    finally:
        transformers_logging.enable_progress_bar()


_GRU_LAYERS = 2
_DROPOUT = 0.5  # of the embeddings, and between the layers


class _RecurrentConfig(PreTrainedConfig):
    model_type = "recurrent"


class RecurrentEncoder(PreTrainedModel):
    """Token embeddings and a GRU in both directions, whose states are added: the encoder of GTS, without pretraining.

    Xie and Sun, "A Goal-Driven Tree-Structured Neural Model for Math Word Problems" (IJCAI 2019), section 3.1. It
    reads the default encoder's tokens instead of words, and is only trained and evaluated, never served.

    Args:
        vocabulary: number of tokens.
        width: width of the states.
        embedding: width of the token embeddings.
    """

    config_class = _RecurrentConfig

    def __init__(self, vocabulary: int, *, width: int = 512, embedding: int = 128) -> None:
        super().__init__(_RecurrentConfig())
        self.embeddings = nn.Embedding(vocabulary, embedding)
        self.dropout = nn.Dropout(_DROPOUT)
        self.gru = nn.GRU(embedding, width, _GRU_LAYERS, batch_first=True, bidirectional=True, dropout=_DROPOUT)

    def forward(self, input_ids: Tensor, attention_mask: Tensor) -> BaseModelOutput:
        """Return states (texts, tokens, width); states after the end of a text are zero.

        Args:
            input_ids: (texts, tokens).
            attention_mask: (texts, tokens) 1 for tokens, before the padding.
        """
        embedded = self.dropout(self.embeddings(input_ids))
        lengths = attention_mask.sum(dim=1).cpu()
        packed = pack_padded_sequence(embedded, lengths, batch_first=True, enforce_sorted=False)
        states, _lengths = pad_packed_sequence(self.gru(packed)[0], batch_first=True, total_length=input_ids.shape[1])
        forward, backward = states.chunk(2, dim=2)
        return BaseModelOutput(last_hidden_state=forward + backward)


def recurrent_backbone(*, max_tokens: int = 256, device: str = "auto", width: int = 512) -> Backbone:
    """Return a GRU with random weights, drawn from torch's generator, and the default encoder's tokenizer.

    Raises:
        BackboneError: the default encoder is not installed.
    """
    default = load_backbone(max_tokens=max_tokens, device="cpu")
    model = RecurrentEncoder(default.tokenizer.get_vocab_size(), width=width)
    return Backbone(
        name="gru",
        model=model.train().to(pick_device(device)),
        tokenizer=default.tokenizer,
        dimension=width,
        max_tokens=default.max_tokens,
        pad_id=default.pad_id,
        unknown_id=default.unknown_id,
        weights_hash=weights_sha256(model),
    )


GeneratorKind = Literal["sequence-to-sequence", "causal"]

_LOADERS: dict[GeneratorKind, Any] = {"sequence-to-sequence": AutoModelForSeq2SeqLM, "causal": AutoModelForCausalLM}


@dataclass(frozen=True, slots=True)
class Generator:
    """A text generation model with its tokenizer, in evaluation mode on its device.

    Attributes:
        name: the folder's name or the hub id.
    """

    name: str
    model: PreTrainedModel
    tokenizer: PreTrainedTokenizerBase


def load_generator(name_or_path: str, kind: GeneratorKind, *, device: str = "auto") -> Generator:
    """Load a model from a folder, or by its hub id if there is no such folder.

    Raises:
        BackboneError: the folder is missing or contains no such model, or the hub does not provide it.
    """
    folder = Path(name_or_path).expanduser()
    is_folder = folder.is_dir()
    if not is_folder and (folder.is_absolute() or name_or_path.startswith((".", "~"))):
        raise BackboneError(f"There is no folder {name_or_path} to load a {kind} model from.")
    location = str(folder) if is_folder else name_or_path
    try:
        with no_progress_bars():
            model = _LOADERS[kind].from_pretrained(location, local_files_only=is_folder)
        tokenizer = AutoTokenizer.from_pretrained(location, local_files_only=is_folder)
    except (OSError, ValueError, KeyError, ImportError) as error:
        hint = "" if is_folder or not HF_HUB_OFFLINE else " (HF_HUB_OFFLINE=0 lets it be downloaded)"
        raise BackboneError(f"{name_or_path} holds no {kind} model that can be loaded{hint}: {error}") from error
    place = pick_device(device)
    if place.type == "cpu" and model.dtype == torch.float16:
        model = model.float()  # CPUs are several times slower with half precision
    return Generator(folder.name if is_folder else name_or_path, model.to(place).eval(), tokenizer)
